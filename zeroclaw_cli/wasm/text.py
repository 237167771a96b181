"""Guest text made safe to show: one line, no control characters, bounded in length."""

from __future__ import annotations

import unicodedata

_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Control characters move the cursor or start terminal sequences; format characters reorder or hide text; line and
# paragraph separators break a line in two; surrogates cannot be printed at all.
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def escaped(text: str, limit: int = 2_000) -> str:
    """``text`` (from a guest) on one line without control or invisible characters, at most ``limit`` characters of it.

    What is unsafe is shown as ``\\n``, ``\\x1b`` or ``\\u202e``; a cut text ends with ``…``.
    """
    cut = text[:limit]
    shown = cut if cut.isascii() and cut.isprintable() else "".join(map(_escape_character, cut))
    return shown + "…" if len(text) > limit else shown


def _escape_character(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    if unicodedata.category(character) not in _UNSAFE_CATEGORIES:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def counted(number: int, noun: str) -> str:
    """``1 record`` or ``2,000 records``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shortened(text: str, limit: int = 160) -> str:
    """``text`` cut in its middle so that both ends stay visible; at most ``limit`` characters."""
    if len(text) <= limit:
        return text
    keep = (limit - 1) // 2
    return f"{text[:keep]}…{text[-keep:]}"
