"""The walk over a provider's fields (specs/memory-providers.md §10 step 5, 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.providers.setup.answers import Answers, Choice, Given, Tell
from zeroclaw_cli.providers.setup.fields import BadValue, Field, Schema, Value, show

# How often a person may answer one field before setup gives up.
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Collected:
    """The answers: ``values`` by key, without secrets and without what stayed empty; ``variables`` for the ``.env``, by
    name; ``kept`` are the variables of secrets that stay as they are."""

    values: Mapping[str, Value] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    kept: tuple[str, ...] = ()


class Asking:
    """Walks the fields of one provider once.

    ``stored`` are the values of an earlier setup by key; ``environment`` holds the variables that are set, those of the
    ``.env`` among them. Without ``answers`` nobody is asked: a field takes what was given, what is stored, its default.
    """

    def __init__(
        self,
        schema: Schema,
        given: Given,
        answers: Answers | None,
        tell: Tell,
        stored: Mapping[str, object],
        environment: Mapping[str, str],
        *,
        defaults: bool = True,
    ) -> None:
        self._schema = schema
        self._given = given
        self._answers = answers
        self._tell = tell
        self._stored = stored
        self._environment = environment
        self._defaults = defaults
        self._all: dict[str, Value | None] = {}
        self._values: dict[str, Value] = {}
        self._variables: dict[str, str] = {}
        self._kept: list[str] = []

    def collect(self) -> Collected:
        """Every answer. Raises UsageError for one that is needed and missing, given for no field, or not taken."""
        self._require_known()
        for asked in self._schema.fields:
            if asked.key in self._all or not asked.applies(self._all):
                continue
            if asked.secret:
                self._secret(asked)
            else:
                self._plain(asked)
        for key in self._given.keys:
            if key not in self._all:
                self._tell(f"the answer to {key} is not used, since other answers make it meaningless")
        return Collected(self._values, self._variables, tuple(self._kept))

    def _require_known(self) -> None:
        known = [asked.key for asked in self._schema.fields]
        secrets = {asked.key for asked in self._schema.fields if asked.secret}
        for key in self._given.keys:
            if key not in known:
                hint = f"it asks for {', '.join(known)}" if known else "it asks for nothing"
                raise UsageError(f"{self._given.source(key)}: the provider has no field {key}", hint=hint)
            if key in secrets and key not in self._given.secrets and self._given.source(key) == f"--set {key}":
                raise UsageError(
                    f"{key} is a secret, and the command line may be seen by others",
                    hint=f"pipe it in with --secret-stdin {key}",
                )
            if key in self._given.secrets and key not in secrets:
                raise UsageError(f"--secret-stdin {key}: {key} is not a secret", hint=f"pass --set {key}=VALUE")

    def _plain(self, asked: Field) -> None:
        value = self._given_value(asked)
        if value is None and self._answers is not None:
            value = self._ask(asked, self._answers)
        elif value is None:
            value = self._kept_answer(asked)
            if value is None and not self._defaults:
                # What it keeps is not known here: other fields may depend on it, and it stays as it is.
                self._all[asked.key] = asked.default_for(self._all)
                return
            value = asked.default_for(self._all) if value is None else value
        if value is None and asked.required:
            raise _missing(asked)
        self._all[asked.key] = value
        if value is None:
            return
        self._values[asked.key] = value
        if asked.env_var:
            self._variables[asked.env_var] = show(value)

    def _secret(self, asked: Field) -> None:
        text = self._given.secrets.get(asked.key)
        value: Value | None = self._given_value(asked) if text is None else self._taken(asked, text)
        present = self._environment.get(asked.env_var, "")
        if value is None and self._answers is not None:
            value = self._ask_secret(asked, self._answers, present)
        if value is None:
            if present:
                self._kept.append(asked.env_var)
            elif asked.required:
                raise _missing(asked)
            self._all[asked.key] = present or None
            return
        self._all[asked.key] = value
        self._variables[asked.env_var] = show(value)

    def _given_value(self, asked: Field) -> Value | None:
        value = self._given.values.get(asked.key)
        if value is None or value == "":
            return None
        return self._taken(asked, value)

    def _taken(self, asked: Field, value: object) -> Value | None:
        try:
            return None if value == "" else asked.accept(value)
        except BadValue as error:
            raise UsageError(
                f"{self._given.source(asked.key)}: {asked.key} {error}", hint="correct it; nothing was changed"
            ) from None

    def _default(self, asked: Field) -> Value | None:
        kept = self._kept_answer(asked)
        return asked.default_for(self._all) if kept is None else kept

    def _kept_answer(self, asked: Field) -> Value | None:
        for candidate in (self._stored.get(asked.key), self._environment.get(asked.env_var) if asked.env_var else None):
            if candidate is not None and candidate != "":
                try:
                    return asked.accept(candidate)
                except BadValue:
                    self._tell(f"the stored value of {asked.key} is no longer valid and is not used")
        return None

    def _ask(self, asked: Field, answers: Answers) -> Value | None:
        default = self._default(asked)
        if asked.choices:
            lines = [Choice(show(choice)) for choice in asked.choices]
            preselected = asked.choices.index(default) if default in asked.choices else 0
            return asked.choices[answers.choose(asked.description, lines, preselected)]
        if asked.url:
            self._tell(f"see {asked.url}")
        for _ in range(_TRIES):
            text = answers.ask(asked.description, "" if default is None else show(default))
            if not text.strip():
                if not asked.required:
                    return None
                self._tell(f"{asked.key} is required")
                continue
            try:
                return asked.parse(text)
            except BadValue as error:
                self._tell(f"{asked.key} {error}")
        raise _given_up(asked)

    def _ask_secret(self, asked: Field, answers: Answers, present: str) -> Value | None:
        question = f"{asked.description} ({masked(present)}; blank keeps it)" if present else asked.description
        if not present and asked.url:
            self._tell(f"see {asked.url}")
        for _ in range(_TRIES):
            # A space that was pasted along would not be seen.
            text = answers.ask_secret(question).strip()
            if not text:
                if present or not asked.required:
                    return None
                self._tell(f"{asked.key} is required")
                continue
            try:
                return asked.parse(text)
            except BadValue as error:
                self._tell(f"{asked.key} {error}")
        raise _given_up(asked)


def masked(secret: str) -> str:
    """A secret as it may be shown: its last four characters, or nothing of one so short."""
    return f"...{secret[-4:]}" if len(secret) > 4 else "set"


def _missing(asked: Field) -> UsageError:
    option = f"--secret-stdin {asked.key}" if asked.secret else f"--set {asked.key}=VALUE"
    return UsageError(
        f"{asked.key} is required, and there is no terminal to ask on",
        hint=f"pass {option}, or --answers FILE; nothing was changed",
    )


def _given_up(asked: Field) -> UsageError:
    return UsageError(
        f"{asked.key} got no valid answer in {_TRIES} tries, and nothing was changed", hint="run the command again"
    )
