"""Text for people: from elsewhere (a guest, a manifest, a file, a row) made safe to show, and counts in words."""

from __future__ import annotations

import unicodedata
from typing import Final

_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Control characters move the cursor or start terminal sequences; format characters reorder or hide text; line and
# paragraph separators break a line in two; surrogates cannot be printed at all.
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Words of Persian and Indic scripts and joined emoji need the two joiners.
_JOINERS: Final = "\u200c\u200d"


def escape(text: str, *, keep: str = "") -> str:
    """``text`` without control or invisible characters: each is shown as ``\\n``, ``\\x1b`` or ``\\u202e``.

    The characters in ``keep`` and the two joiners stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character in keep or character in _JOINERS else _escape(character) for character in text
    )


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE:
        return character
    short = _SHORT.get(character)
    if short is not None:
        return short
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def display(text: str, limit: int = 2_000) -> str:
    """``text`` (a stranger's) for a part of a message: escaped, and at most ``limit`` characters of it."""
    return shortened(escape(shortened(text, limit)), limit)


def escape_json(text: str) -> str:
    """``text`` (JSON) with the characters that :func:`escape` escapes as escapes of JSON: the same data, safe to show.

    The line feeds that JSON has between its parts stay.
    """
    unsafe = {character for character in set(text) - {"\n"} if unicodedata.category(character) in _UNSAFE}
    for character in unsafe:
        units = character.encode("utf-16-be", "surrogatepass").hex()
        text = text.replace(character, "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)))
    return text


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 record`` or ``2,000 records``; ``plural`` where an s does not make it."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def shortened(text: str, limit: int = 160) -> str:
    """``text`` cut in its middle so that both ends stay visible; at most ``limit`` characters."""
    if len(text) <= limit:
        return text
    keep = (limit - 1) // 2
    return f"{text[:keep]}…{text[-keep:]}"
