"""Who answers the questions of setup: a person, whom the command line asks, and what was given beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

# A word of `--trust` that stands for the digest of the tree as it is now.
NOW: Final = "now"

# Says one line to whoever follows the setup; it may hold text from elsewhere.
Tell = Callable[[str], None]


class Choice(NamedTuple):
    """One line to choose from."""

    label: str
    hint: str = ""


class Cancelled(Exception):
    """The person does not want to go on (Esc, or the end of the input)."""


class Answers(Protocol):
    """A person who is asked. Every question raises Cancelled, or KeyboardInterrupt, when the person gives up."""

    def choose(self, question: str, choices: Sequence[Choice], preselected: int) -> int:
        """The index of the chosen line."""
        ...

    def ask(self, question: str, default: str) -> str:
        """One line of text as it was typed; a blank one stands for ``default``, which is shown."""
        ...

    def ask_secret(self, question: str) -> str:
        """One line that is never shown."""
        ...

    def confirm(self, question: str, *, default: bool) -> bool:
        """Yes or no; blank is ``default``."""
        ...


@dataclass(frozen=True, slots=True)
class Given:
    """What options and files have answered already.

    ``values`` are answers by key, as text or typed, with where each comes from in ``sources``; ``secrets`` the same for
    what must not be shown. ``trust`` is a SHA-256, ``now`` or None. ``yes`` answers the wizard's own confirmations and
    nothing else.
    """

    values: Mapping[str, object] = field(default_factory=dict, repr=False)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    sources: Mapping[str, str] = field(default_factory=dict)
    trust: str | None = None
    install_deps: bool = False
    as_backend: bool = False
    yes: bool = False

    @property
    def keys(self) -> list[str]:
        """The keys that have an answer, each once."""
        return list(dict.fromkeys([*self.values, *self.secrets]))

    def source(self, key: str) -> str:
        """Where the answer to ``key`` comes from, for messages."""
        return self.sources.get(key, f"--set {key}")
