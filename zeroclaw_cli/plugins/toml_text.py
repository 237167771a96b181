"""Reading the text of a manifest as TOML 1.1, with the limits that the format promises and the parser does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_INT64 = range(-(2**63), 2**63)


def load_toml(text: str) -> dict[str, Any]:
    """The document ``text`` (no BOM) as nested dicts.

    Raises ValueError with one line for everything that is not a TOML 1.1 document: syntax, nesting too deep to read,
    an integer outside 64 bits, text that is not Unicode.
    """
    import tomli

    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("the text holds lone surrogates and is not Unicode") from None
    try:
        document = tomli.loads(text)
    except tomli.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise ValueError(str(error)) from None
    except ValueError:
        # Python reads no integer of thousands of digits, and its words for that speak of Python.
        raise ValueError("an integer does not fit in 64 bits") from None
    for path, value in walk(document):
        if isinstance(value, int) and value not in _INT64:
            raise ValueError(f"the integer at {describe_path(path)} does not fit in 64 bits")
    return document


def walk(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value inside ``value`` (itself first, under the empty path), containers before their members.

    Iterative, because a document may nest deeper than Python recurses.
    """
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        path, current = stack.pop()
        yield path, current
        if isinstance(current, dict):
            stack.extend(((*path, key), member) for key, member in reversed(current.items()))
        elif isinstance(current, list):
            stack.extend(((*path, index), current[index]) for index in range(len(current) - 1, -1, -1))


def describe_path(path: tuple[str | int, ...]) -> str:
    """``path`` in one printable line, for messages: ``config_schema.properties.'a b'[0]``."""
    text = ""
    for part in path[:12]:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        text += ("." if text else "") + (part if _BARE_KEY.fullmatch(part) else repr(part))
    return text + ("…" if len(path) > 12 else "") or "the root"
