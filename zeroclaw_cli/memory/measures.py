"""Measures and cuts of text. "bytes" are UTF-8 bytes throughout."""

from __future__ import annotations

import unicodedata
from typing import Final

CUT_MARK: Final = " (truncated)"


def content_hash(body: bytes) -> str:
    """``sha256:`` and 64 lower-case hex digits of the raw bytes (specs/native-memory.md §2)."""
    import hashlib

    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def is_blank(text: str) -> bool:
    """Whether nothing is left after Unicode whitespace is stripped."""
    return not text.strip()


def has_lone_surrogate(text: str) -> bool:
    """Whether the text cannot be written as UTF-8."""
    return any("\ud800" <= char <= "\udfff" for char in text)


def byte_length(text: str) -> int:
    return len(text.encode("utf-8"))


def is_control(char: str) -> bool:
    return unicodedata.category(char) == "Cc"


def prefix_within(text: str, limit: int) -> str:
    """The longest prefix of whole characters that is at most ``limit`` bytes long."""
    return text.encode("utf-8")[: max(limit, 0)].decode("utf-8", "ignore")


def suffix_within(text: str, limit: int) -> str:
    """The longest suffix of whole characters that is at most ``limit`` bytes long."""
    if limit <= 0:
        return ""
    return text.encode("utf-8")[-limit:].decode("utf-8", "ignore")


def cut_marked(text: str, limit: int) -> str:
    """The longest prefix that, with the mark ``(truncated)`` after it, is at most ``limit`` bytes long."""
    return prefix_within(text, limit - len(CUT_MARK)) + CUT_MARK


def lines_of(text: str) -> list[str]:
    """Lines split at ``\\n`` alone, one trailing ``\\r`` removed from each, right-stripped, blank ones dropped."""
    stripped = (line.removesuffix("\r").rstrip() for line in text.split("\n"))
    return [line for line in stripped if line]
