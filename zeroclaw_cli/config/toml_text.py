"""TOML text of single values and keys."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from zeroclaw_cli.config.toml_read import is_bare_key


def render(value: Any) -> str:
    """One TOML value on one line. ``value`` is what a TOML reader returns, or a tuple for an array."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
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
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def own_file(comment: str, values: Mapping[str, Any]) -> str:
    """The text of a file that this program writes for itself: a line that says what it is, and ``values``."""
    import tomlkit

    document = tomlkit.document()
    document.add(tomlkit.comment(comment))
    document.update(values)
    return document.as_string()
