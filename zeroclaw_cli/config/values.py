"""Values: from the text of a command line or an environment variable, from JSON, and back to text.

specs/zeroclaw.md §5.3 (table of kinds). A value in memory is a bool, int, float, str, tuple of str, or for a free
field anything that TOML can hold.
"""

from __future__ import annotations

import re
from shlex import quote
from typing import Any, Final

from zeroclaw_cli.config.backend_name import KINDS, OF_THE_OTHER_PROGRAM
from zeroclaw_cli.config.schema import Field, Kind
from zeroclaw_cli.errors import ConfigError, ValidationFailed, ValueTypeMismatch

UNSET: Final = "<unset>"
MASK: Final = "****"
I64: Final = range(-(2**63), 2**63)

# Patterns as text: most runs need none of them, and compiling costs every start.
_INT: Final = r"[+-]?[0-9]+"
_FLOAT: Final = r"(?ai)[+-]?(?:inf|infinity|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)"
_PACKAGE: Final = r"[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?"
_PROVIDER: Final = r"[a-z0-9][a-z0-9_-]{0,63}"
LAYER_ID: Final = r"[a-z][a-z0-9-]{0,127}"
_ALIAS: Final = r"[a-z0-9](?:[a-z0-9_]{0,61}[a-z0-9])?"

_MOST_LEVELS: Final = 64
TOO_DEEP: Final = f"nests deeper than {_MOST_LEVELS} levels"

# The words for what TOML and JSON hold, for messages.
_TYPE_NAMES: Final[dict[type, str]] = {
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a string",
    list: "an array",
    tuple: "an array",
    dict: "a table",
    type(None): "null",
}
_WANTED: Final[dict[Kind, str]] = {
    Kind.BOOL: "true or false",
    Kind.INT: "an integer",
    Kind.FLOAT: "a number",
    Kind.STRING: "a string",
    Kind.WORD: "a string",
    Kind.STRINGS: "an array of strings",
    Kind.FREE: "a value",
}


def type_name(value: Any) -> str:
    return _TYPE_NAMES.get(type(value), "a date or time")


def is_package_name(text: str) -> bool:
    """Whether ``text`` is a package slug (specs/zeroclaw.md §1.3)."""
    return re.fullmatch(_PACKAGE, text) is not None


def clears(field: Field, text: str) -> bool:
    """Whether ``text`` asks to clear an optional field."""
    return field.optional and text in ("", UNSET, MASK)


def parse(field: Field, path: str, text: str) -> Any:
    """The value of ``text`` for ``field``, in range; ``path`` names it in errors.

    Raises ValueTypeMismatch for text that is not of the field's kind, ValidationFailed for a value out of range.
    A secret's text never appears in an error.
    """
    _require_text(path, text)
    value = _PARSERS[field.kind](field, path, text)
    _require_text(path, value)
    require(field, path, value)
    return value


def require(field: Field, path: str, value: Any) -> None:
    """Raise ValidationFailed when ``value`` (of the right type) is out of the field's range."""
    problem = out_of_range(field, value)
    if problem is not None:
        raise ValidationFailed(f"{path} {problem}", hint=_range_hint(field, path), path=path)


def require_writable(field: Field, path: str, value: Any) -> None:
    """Raise ValidationFailed for a value that is never written, though a file that holds it is read."""
    if field.name == "plugins.plugins_dir" and not (value.startswith(("/", "~/")) or value == "~"):
        raise ValidationFailed(
            f"{path}: {value!r} is relative, and would change with the current directory",
            hint="write an absolute path, or one that begins with ~/",
            path=path,
        )
    if field.name == "memory.backend":
        _require_backend(path, value)
    elif field.name == "channels.plugin.<alias>.package" and not is_package_name(value):
        raise ValidationFailed(
            f"{path}: {value!r} is not a package name", hint="`zeroclaw plugin list` shows the names", path=path
        )


def out_of_range(field: Field, value: Any) -> str | None:
    """What is wrong with a value of the right type, as the end of a sentence that begins with its path; else None."""
    if field.words and value not in field.words and not (field.any_case and value.lower() in field.words):
        return f"must be one of {', '.join(field.words)}, not {value!r}"
    if field.is_path and "\0" in value:
        return f"must be a path, and {value!r} holds a NUL character"
    if isinstance(value, float) and not -float("inf") < value < float("inf") and field.kind is Kind.FLOAT:
        return f"must be a finite number, not {value}"
    if field.positive and value <= 0:
        return f"must be greater than 0, not {value}"
    if field.minimum is not None and value < field.minimum:
        return f"must be at least {field.minimum}, not {value}"
    if field.maximum is not None and value > field.maximum:
        return f"must be at most {field.maximum}, not {value}"
    return None


def has_type(field: Field, value: Any) -> bool:
    """Whether a value read from TOML or JSON has the type of ``field``."""
    match field.kind:
        case Kind.BOOL:
            return isinstance(value, bool)
        case Kind.INT:
            return isinstance(value, int) and not isinstance(value, bool) and value in I64
        case Kind.FLOAT:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case Kind.STRING | Kind.WORD:
            return isinstance(value, str)
        case Kind.STRINGS:
            return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
        case Kind.FREE:
            return not nests_too_deep(value)


def nests_too_deep(value: Any) -> bool:
    """Whether ``value`` has more levels than what is kept, shown and rendered here may have."""
    level = [value]
    for _ in range(_MOST_LEVELS + 1):
        containers = [item for item in level if isinstance(item, dict | list)]
        level = [part for item in containers for part in (item.values() if isinstance(item, dict) else item)]
    return bool(level)


def wrong_type(field: Field, value: Any) -> str:
    """The end of a sentence about a value for which :func:`has_type` is false."""
    if field.kind is Kind.FREE:
        return TOO_DEEP
    if field.kind is Kind.STRINGS and isinstance(value, list):
        odd = next(item for item in value if not isinstance(item, str))
        return f"must be an array of strings, but holds {type_name(odd)}"
    if field.kind is Kind.INT and isinstance(value, int) and not isinstance(value, bool):
        return "must be an integer of 64 bits"
    return f"must be {_WANTED[field.kind]}, not {type_name(value)}"


def normal(field: Field, value: Any) -> Any:
    """A value of the right type as it is kept in memory."""
    if field.kind is Kind.STRINGS:
        return tuple(value)
    if field.kind is Kind.FLOAT:
        return float(value)
    return value


def from_json(field: Field, path: str, value: Any) -> Any:
    """A JSON value for ``field``, checked. Raises ValueTypeMismatch or ValidationFailed."""
    if not has_type(field, value):
        shown = wrong_type(field, value)
        raise ValueTypeMismatch(f"{path} {shown}", hint=_kind_hint(field, path), path=path)
    _require_text(path, value)
    if field.kind is Kind.FREE:
        value = _without_nulls(path, value)
    value = normal(field, value)
    require(field, path, value)
    return value


def show(value: Any) -> str:
    """``value`` as ``config get`` prints it: a string bare, everything else in its TOML form, None as ``<unset>``."""
    if value is None:
        return UNSET
    if isinstance(value, str):
        return value
    from zeroclaw_cli.config.toml_text import render

    return render(value)


def _require_text(path: str, value: Any) -> None:
    """Raise ValueTypeMismatch when a text inside ``value`` is not Unicode, or ``value`` nests too deep to be kept."""
    if nests_too_deep(value):
        raise ValueTypeMismatch(f"the value for {path} {TOO_DEEP}", hint="flatten it", path=path)
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            try:
                item.encode("utf-8")
            except UnicodeEncodeError:
                raise ValueTypeMismatch(
                    f"the value for {path} is not UTF-8",
                    hint="write it in a UTF-8 terminal, as whole characters",
                    path=path,
                ) from None
        elif isinstance(item, dict):
            stack += [part for pair in item.items() for part in pair]
        elif isinstance(item, list | tuple):
            stack += item


def _bool(field: Field, path: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueTypeMismatch(
            f"{path}: {text!r} is not a boolean",
            hint=f"write `true` or `false`: `zeroclaw config set {quote(path)} true`",
            path=path,
        )
    return text == "true"


def _int(field: Field, path: str, text: str) -> int:
    if re.fullmatch(_INT, text) is None:
        raise ValueTypeMismatch(f"{path}: {text!r} is not an integer", hint=_kind_hint(field, path), path=path)
    digits = text.lstrip("+-").lstrip("0") or "0"
    # Python refuses to convert a very long run of digits; 19 are the most that 64 bits hold.
    value = int(digits) * (-1 if text[0] == "-" else 1) if len(digits) <= 19 else 2**63
    if value not in I64:
        raise ValueTypeMismatch(f"{path}: {text!r} does not fit into 64 bits", hint=_kind_hint(field, path), path=path)
    return value


def _float(field: Field, path: str, text: str) -> float:
    if re.fullmatch(_FLOAT, text) is None:
        raise ValueTypeMismatch(f"{path}: {text!r} is not a number", hint=_kind_hint(field, path), path=path)
    return float(text)


def _string(field: Field, path: str, text: str) -> str:
    return text


def _strings(field: Field, path: str, text: str) -> tuple[str, ...]:
    if text.lstrip().startswith("["):
        value = _load_json(text)
        if not has_type(field, value):
            raise ValueTypeMismatch(
                f"{path}: the text begins with [ but is not a JSON array of strings",
                hint="quote each item, '[\"a\", \"b\"]', or write the items with commas alone: 'a, b'",
                path=path,
            )
        return tuple(item for item in value if item not in ("", UNSET))
    items = (item.strip() for item in text.split(","))
    return tuple(item for item in items if item not in ("", UNSET))


def _free(field: Field, path: str, text: str) -> Any:
    value = _load_json(text)
    _require_text(path, value)
    # What is not JSON is a text, and so is `null`, for which TOML has no value.
    return text if value is None else _without_nulls(path, value)


_PARSERS: Final = {
    Kind.BOOL: _bool,
    Kind.INT: _int,
    Kind.FLOAT: _float,
    Kind.STRING: _string,
    Kind.WORD: _string,
    Kind.STRINGS: _strings,
    Kind.FREE: _free,
}


def _load_json(text: str) -> Any:
    """The JSON value of ``text``, or None when it is none (or ``null``, or a number that JSON does not have)."""
    import json

    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _refuse_constant(word: str) -> None:
    raise ValueError(word)


def _without_nulls(path: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(path, item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(path, item) for item in value if item is not None]
    if value is None:
        raise ValueTypeMismatch(
            f"{path} cannot be null", hint=f"`zeroclaw config unset {quote(path)}` removes it", path=path
        )
    if isinstance(value, int) and not isinstance(value, bool) and value not in I64:
        raise ValueTypeMismatch(f"{path}: an integer does not fit into 64 bits", hint="quote it as a text", path=path)
    return value


def _require_backend(path: str, text: str) -> None:
    kind, dot, name = text.partition(".")
    kind = kind.lower()
    if (
        text == ""
        or (kind in ("native", "layers", "postgres", "none", "sqlite") and not dot)
        or (kind == "plugin" and is_package_name(name))
        or (kind == "provider" and re.fullmatch(_PROVIDER, name))
    ):
        return
    if kind in OF_THE_OTHER_PROGRAM:
        message = f"{path}: the backend {text!r} belongs to the other program that shares this file"
    elif kind == "plugin":
        message = f"{path}: {name!r} is not a package name"
    elif kind == "provider":
        message = f"{path}: {name!r} is not a provider name"
    else:
        message = f"{path}: {text!r} is not a backend"
    raise ValidationFailed(message, hint=f"use one of {', '.join(KINDS)}", path=path)


def alias_problem(pattern: tuple[str, ...], name: str) -> str | None:
    """Why ``name`` may not become a new alias at ``pattern`` (its path with the wildcard last), or None."""
    where = ".".join(pattern[:-1])
    if where == "channels.plugin" and ("__" in name or not re.fullmatch(_ALIAS, name)):
        return "an alias is 1 to 63 of a-z, 0-9 and single _ inside"
    if where == "memory.providers" and not re.fullmatch(_PROVIDER, name):
        return "a provider's name is 1 to 64 of a-z, 0-9, _ and -, the first a letter or digit"
    if where == "memory.topology.layers" and not re.fullmatch(LAYER_ID, name):
        return "a layer's id is 1 to 128 of a-z, 0-9 and -, the first a letter"
    if not name or not name.isprintable():
        return "a name is printable text"
    return None


def _kind_hint(field: Field, path: str) -> str:
    example = {
        Kind.BOOL: "write true or false",
        Kind.INT: "write digits only, for instance 42",
        Kind.FLOAT: "write a number, for instance 2.5",
        Kind.STRINGS: "write an array of strings",
    }.get(field.kind, "write a text")
    return f"{example}; `zeroclaw config schema --path {quote(path)}` says more"


def _range_hint(field: Field, path: str) -> str:
    if field.words:
        # The message lists the words; none is proposed, since a word may grant rights.
        return f"`zeroclaw config schema --path {quote(path)}` says what it is for"
    return f"`zeroclaw config schema --path {quote(path)}` shows the range"


def as_config_error(error: ConfigError, prefix: str) -> ConfigError:
    """The same error with ``prefix`` before its message, for a value that came from somewhere else."""
    return type(error)(f"{prefix}: {error.message}", hint=error.hint, path=error.path, details=error.details)
