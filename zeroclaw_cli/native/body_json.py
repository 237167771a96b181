"""The body of a document as JSON (specs/native-memory.md §11, §15): no more than RFC 8259 allows, and its strings."""

from __future__ import annotations

import json
import re
from math import isinf
from typing import Any, Final

# Ends at the end of the text at the latest, so that a scan never starts anew inside of a string.
_STRING: Final = re.compile(r'"(?:[^"\\]|\\(?:.|\Z))*(?:"|\Z)', re.DOTALL)
# Readers take more than the grammar allows (control characters in strings, NaN), and numbers of any length.
_TOLERANT: Final = json.JSONDecoder(strict=False, parse_int=float)
_OPENINGS: Final = ("{", "[", '"')


class RepeatedKey(ValueError):
    """An object names a key twice, so that what it says depends on who reads it."""


def load(body: bytes, *, unique: bool = False, finite: bool = False) -> Any:
    """The value that ``body`` is.

    Raises ValueError for anything but JSON in UTF-8, which has no ``NaN`` and no ``Infinity``; with ``unique``
    RepeatedKey; with ``finite`` ValueError for a number beyond the range of a double, which could not be written again;
    RecursionError for what is nested too deeply.
    """
    return json.loads(
        body.decode("utf-8"),
        parse_constant=_refused_constant,
        parse_float=_finite if finite else float,
        object_pairs_hook=_unique_keys if unique else None,
    )


def json_strings(text: str) -> list[str]:
    """Every key and string of a JSON text, or of JSON Lines, as a reader is given it; none for any other text."""
    stripped = text.lstrip("\ufeff \t\r\n")
    if not stripped.startswith(_OPENINGS) or not (_is_json(stripped) or all(map(_is_json, _lines(stripped)))):
        return []
    return [_decoded(literal) for literal in _STRING.findall(stripped)]


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _is_json(text: str) -> bool:
    try:
        _TOLERANT.decode(text)
    except ValueError:
        return False
    except RecursionError:
        # Another reader may come farther.
        return True
    return True


def _decoded(literal: str) -> str:
    try:
        return str(_TOLERANT.decode(literal))
    except ValueError:
        return literal[1:]


def _refused_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(number: str) -> float:
    value = float(number)
    if isinf(value):
        raise ValueError("a number is out of range")
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RepeatedKey
    return found
