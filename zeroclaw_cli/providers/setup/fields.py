"""What a provider's ``get_config_schema`` asks for, read and checked once (specs/memory-providers.md §10).

The values of fields are ``str``, ``int``, ``float`` or ``bool``.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from zeroclaw_cli.errors import ProviderBroken
from zeroclaw_cli.memory.text import escape

Value = str | int | float | bool

TEXT: Final = "text"
INTEGER: Final = "integer"
NUMBER: Final = "number"
BOOLEAN: Final = "boolean"
# Schemas in the wild use the words of JSON Schema and of Python too.
_KINDS: Final = {
    **dict.fromkeys(("text", "string", "str", "password", "secret"), TEXT),
    **dict.fromkeys(("integer", "int"), INTEGER),
    **dict.fromkeys(("number", "float"), NUMBER),
    **dict.fromkeys(("boolean", "bool"), BOOLEAN),
}
_TRUE: Final = frozenset({"true", "yes", "y", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "n", "off", "0"})
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}\Z")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
# Control characters, surrogates, and what breaks a line.
_NO_TEXT: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_I64: Final = range(-(2**63), 2**63)


class BadValue(ValueError):
    """An answer that the field does not take; the text says why, as the end of a sentence that names the field."""


@dataclass(frozen=True, slots=True)
class DefaultFrom:
    """A default that depends on the answer to another field: its key, and the default for each answer as text."""

    key: str
    defaults: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Field:
    """One field. ``env_var`` is empty where no variable holds it; a secret always has one. ``when`` maps keys to the
    answers, as text, that all must have been given for this field to be asked."""

    key: str
    description: str
    kind: str = TEXT
    secret: bool = False
    required: bool = False
    default: Value | None = None
    choices: tuple[Value, ...] = ()
    env_var: str = ""
    url: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    when: Mapping[str, str] | None = None
    default_from: DefaultFrom | None = None

    def applies(self, answers: Mapping[str, Value | None]) -> bool:
        """Whether the answers so far let this field be asked."""
        wanted = self.when or {}
        return all(key in answers and same(answers[key], value) for key, value in wanted.items())

    def default_for(self, answers: Mapping[str, Value | None]) -> Value | None:
        """The default after these answers."""
        if self.default_from is not None:
            answer = answers.get(self.default_from.key)
            for text, value in self.default_from.defaults.items():
                if same(answer, text):
                    return value
        return self.default

    def parse(self, text: str) -> Value:
        """The value of a typed answer. Raises BadValue, whose text never repeats a secret."""
        answer = text if self.secret else text.strip()
        _require_text(answer)
        if self.choices:
            for choice in self.choices:
                if same(choice, answer):
                    return choice
            raise BadValue(f"must be one of {', '.join(map(show, self.choices))}")
        return self._in_range(_PARSERS[self.kind](answer))

    def accept(self, value: object) -> Value:
        """A value of an answers file or of an earlier setup, which may be typed already. Raises BadValue."""
        if isinstance(value, str):
            return self.parse(value)
        if not isinstance(value, bool | int | float):
            raise BadValue("must be a text, a number or true or false")
        return self.parse(show(value))

    def _in_range(self, value: Value) -> Value:
        if isinstance(value, str | bool):
            return value
        if self.minimum is not None and value < self.minimum:
            raise BadValue(f"must be at least {show(self.minimum)}")
        if self.maximum is not None and value > self.maximum:
            raise BadValue(f"must be at most {show(self.maximum)}")
        if self.step is not None:
            steps = (value - (self.minimum or 0)) / self.step
            if not math.isclose(steps, round(steps), rel_tol=0, abs_tol=1e-9 * max(1.0, abs(steps))):
                raise BadValue(f"must be a multiple of {show(self.step)}" + _counted_from(self.minimum))
        return value


def show(value: Value) -> str:
    """A value as a person types it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def same(answer: Value | None, wanted: Value) -> bool:
    """Whether an answer is what a schema names, which may write true, 1 and the like as texts."""
    if answer is None:
        return False
    if isinstance(answer, bool) or isinstance(wanted, bool):
        return show(answer).lower() == show(wanted).lower()
    return show(answer) == show(wanted)


@dataclass(frozen=True, slots=True)
class Schema:
    """The fields in their order, and what of the schema is ignored because it makes no sense, one line each. A key may
    have several fields, each for other answers before it (``when``)."""

    fields: tuple[Field, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def plain_variables(self) -> frozenset[str]:
        """The variables whose values are not secrets, as the provider says."""
        return frozenset(field.env_var for field in self.fields if field.env_var and not field.secret)


def read_schema(provider: str, raw: object) -> Schema:
    """What a provider's ``get_config_schema`` returned. A detail that makes no sense is a problem and is ignored;
    raises ProviderBroken for what cannot be asked at all, naming the field."""
    try:
        return _read(provider, raw)
    except BadValue as error:
        raise ProviderBroken(
            f"the config schema of provider '{provider}' is wrong: {escape(str(error))}",
            hint="tell its author; `zeroclaw memory check PATH` shows the same",
        ) from None


def hint_of(fields: Sequence[Field]) -> str:
    """What setup will want to know, in a few words (specs/memory-providers.md §10 step 1)."""
    if not fields:
        return "no setup needed"
    secrets = sum(field.secret for field in fields)
    if not secrets:
        return "local"
    return "requires API key" if secrets == len(fields) else "API key / local"


def variable_for(provider: str, key: str) -> str:
    """The environment variable of a secret that names none (specs/memory-providers.md §10 step 6)."""
    name = re.sub(r"[^A-Z0-9]", "_", f"{provider}_{key}".upper())
    return f"_{name}" if name[0].isdigit() else name


def _read(provider: str, raw: object) -> Schema:
    if not isinstance(raw, list | tuple):
        raise BadValue("it is not a list")
    fields: list[Field] = []
    problems: list[str] = []
    for number, item in enumerate(raw, start=1):
        key = item.get("key") if isinstance(item, Mapping) else None
        if not isinstance(key, str) or not key.strip() or not key.isprintable():
            raise BadValue(f"field {number} has no key")
        reader = _Reader(provider, key, item, frozenset(one.key for one in fields))
        try:
            field = reader.field()
        except BadValue as error:
            raise BadValue(f"field '{key}': {error}") from None
        if any(one.key == key and (one.when or {}) == (field.when or {}) for one in fields):
            raise BadValue(f"the key '{key}' is there twice under the same conditions")
        fields.append(field)
        problems += [f"field '{key}': {problem}" for problem in reader.problems]
    return Schema(tuple(fields), tuple(problems))


class _Reader:
    """Reads one descriptor; ``before`` are the keys of the fields that are asked before it."""

    def __init__(self, provider: str, key: str, item: Mapping[str, Any], before: frozenset[str]) -> None:
        self._provider = provider
        self._key = key
        self._item = item
        self._before = before
        self.problems: list[str] = []

    def field(self) -> Field:
        secret = self._truth("secret")
        choices = tuple(_scalar(choice, "a choice") for choice in _list(self._item, "choices"))
        variable = self._text("env_var") or (variable_for(self._provider, self._key) if secret else "")
        step = self._number("step")
        if step is not None and step <= 0:
            self.problems.append("step is not more than 0")
            step = None
        field = Field(
            key=self._key,
            description=self._text("description") or self._key,
            kind=TEXT if secret else self._kind(choices),
            secret=secret,
            required=self._truth("required"),
            choices=choices,
            env_var=variable,
            url=self._text("url"),
            minimum=self._number("minimum"),
            maximum=self._number("maximum"),
            step=step,
            when=self._when(),
        )
        # A secret has no default: it would stand in the plugin's code.
        return field if secret else self._with_defaults(field)

    def _with_defaults(self, field: Field) -> Field:
        default = self._default(field, self._item.get("default"), "default")
        raw = self._item.get("default_from")
        if raw is None:
            return replace(field, default=default)
        key = raw.get("field") if isinstance(raw, Mapping) else None
        table = raw.get("map") if isinstance(raw, Mapping) else None
        if not isinstance(key, str) or not isinstance(table, Mapping):
            self.problems.append("default_from has no field or no map")
            return replace(field, default=default)
        self._require_before(key, "default_from")
        defaults: dict[str, Value] = {}
        for answer, value in table.items():
            found = self._default(field, value, "default_from")
            if found is not None and isinstance(answer, str | bool | int | float):
                defaults[show(answer)] = found
        return replace(field, default=default, default_from=DefaultFrom(key, defaults))

    def _default(self, field: Field, raw: object, name: str) -> Value | None:
        if raw is None or raw == "":
            return None
        try:
            return field.accept(raw)
        except BadValue as error:
            self.problems.append(f"its {name} {error}")
            return None

    def _kind(self, choices: Sequence[Value]) -> str:
        raw = self._item.get("type")
        if raw is None:
            # A default that is true or false tells the type where the schema does not.
            return BOOLEAN if isinstance(self._item.get("default"), bool) and not choices else TEXT
        kind = _KINDS.get(raw.lower()) if isinstance(raw, str) else None
        if kind is None:
            self.problems.append("its type must be text, integer, number or boolean")
        return kind or TEXT

    def _when(self) -> Mapping[str, str] | None:
        raw = self._item.get("when")
        if raw is None:
            return None
        if not isinstance(raw, Mapping) or not all(isinstance(key, str) for key in raw):
            raise BadValue("when must map keys to answers")
        for key in raw:
            self._require_before(key, "when")
        return {key: show(_scalar(value, f"the answer to {key}")) for key, value in raw.items()}

    def _require_before(self, key: str, name: str) -> None:
        if key not in self._before:
            self.problems.append(f"{name} names '{key}', which is not asked before it")

    def _text(self, name: str) -> str:
        value = self._item.get(name)
        if value is not None and not isinstance(value, str):
            self.problems.append(f"{name} is not a text")
            return ""
        return " ".join((value or "").split())

    def _truth(self, name: str) -> bool:
        value = self._item.get(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        self.problems.append(f"{name} is not true or false")
        # What was meant as a secret must never be kept as none.
        return bool(value) and (not isinstance(value, str) or value.strip().lower() not in _FALSE)

    def _number(self, name: str) -> float | None:
        value = self._item.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.problems.append(f"{name} is not a number")
            return None
        return value


def _scalar(value: object, what: str) -> Value:
    if not isinstance(value, str | bool | int | float):
        raise BadValue(f"{what} is not text, number, true or false")
    return value


def _list(item: Mapping[str, Any], name: str) -> Sequence[object]:
    value = item.get(name)
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise BadValue(f"{name} must be a list")
    return value


def _require_text(text: str) -> None:
    if not text.isprintable() and any(unicodedata.category(char) in _NO_TEXT for char in text):
        raise BadValue("holds a line break or another character that is not text")


def _parse_text(text: str) -> Value:
    return text


def _parse_integer(text: str) -> Value:
    if _INTEGER.match(text) is None or int(text) not in _I64:
        raise BadValue("must be an integer")
    return int(text)


def _parse_number(text: str) -> Value:
    if _NUMBER.match(text) is None or not math.isfinite(float(text)):
        raise BadValue("must be a number")
    return int(text) if _INTEGER.match(text) and int(text) in _I64 else float(text)


def _parse_boolean(text: str) -> Value:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise BadValue("must be true or false")
    return word in _TRUE


_PARSERS: Final = {TEXT: _parse_text, INTEGER: _parse_integer, NUMBER: _parse_number, BOOLEAN: _parse_boolean}


def _counted_from(minimum: float | None) -> str:
    return f" above {show(minimum)}" if minimum else ""
