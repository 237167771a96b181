"""TOML text of single values and keys."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any, Final

from zeroclaw_cli.config.toml_read import is_bare_key

_ESCAPES: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def render(value: Any) -> str:
    """One TOML value on one line. ``value`` is what a TOML reader returns, or a tuple for an array."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case str():
            return quote(value)
        case list() | tuple():
            return "[" + ", ".join(map(render, value)) + "]"
        case Mapping():
            pairs = ", ".join(f"{key(name)} = {render(item)}" for name, item in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case datetime() | date() | time():
            return value.isoformat()
    raise TypeError(f"TOML has no {type(value).__name__}")


def key(name: str) -> str:
    """One segment of a key, quoted where TOML asks for it."""
    return name if is_bare_key(name) else quote(name)


def dotted(names: tuple[str, ...]) -> str:
    return ".".join(map(key, names))


def quote(text: str) -> str:
    """``text`` as a basic string on one line."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_escape(char) for char in text) + '"'


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    return f"\\u{code:04X}" if code < 0x20 or code == 0x7F else char


def _float(value: float) -> str:
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return repr(value)
