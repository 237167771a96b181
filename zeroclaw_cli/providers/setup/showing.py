"""A person's side of setup, to whom no secret is shown: what a provider says of its fields may hold one."""

from __future__ import annotations

from collections.abc import Sequence

from zeroclaw_cli.providers.setup.answers import Answers, Choice, Tell
from zeroclaw_cli.providers.shown import shown


class Showing:
    """``answers``, where there is anybody who may be asked, and ``tell`` with texts that may be shown. ``spared`` are
    variables that the provider says are not secrets."""

    def __init__(self, answers: Answers | None, tell: Tell) -> None:
        self.spared: frozenset[str] = frozenset()
        self._answers = answers
        self._tell = tell

    def text(self, text: str) -> str:
        return shown(text, spared=self.spared)

    def tell(self, line: str) -> None:
        self._tell(self.text(line))

    @property
    def _person(self) -> Answers:
        assert self._answers is not None
        return self._answers

    def choose(self, question: str, choices: Sequence[Choice], preselected: int) -> int:
        lines = [Choice(self.text(choice.label), self.text(choice.hint)) for choice in choices]
        return self._person.choose(self.text(question), lines, preselected)

    def ask(self, question: str, default: str) -> str:
        if self.text(default) == default:
            return self._person.ask(self.text(question), default)
        return self._person.ask(f"{self.text(question)} (set; blank keeps it)", "") or default

    def ask_secret(self, question: str) -> str:
        return self._person.ask_secret(self.text(question))

    def confirm(self, question: str, *, default: bool) -> bool:
        return self._person.confirm(self.text(question), default=default)
