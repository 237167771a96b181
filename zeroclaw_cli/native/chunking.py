"""Cutting a document into the parts that search sees (specs/native-memory.md §15)."""

from __future__ import annotations

from typing import Final

from zeroclaw_cli.memory.measures import byte_length, is_blank

CHUNK_WORDS: Final = 800
CHUNK_OVERLAP: Final = 0.15
CHUNK_MINIMUM: Final = 50
_MAX_CHUNK_BYTES: Final = 32 * 1024


def chunk(
    text: str, *, size: int = CHUNK_WORDS, overlap: float = CHUNK_OVERLAP, minimum: int = CHUNK_MINIMUM
) -> list[str]:
    """The parts of ``text``: one equal to it up to ``size`` words, else overlapping runs of ``size`` words.

    ``overlap`` is the shared fraction (clamped to 0..0.5). The part that reaches the end is the last; one of fewer than
    ``minimum`` words joins the part before it. A part longer than 32 KiB is cut further, since minified text has no
    spaces. Blank text has no parts.
    """
    if is_blank(text):
        return []
    words = text.split()
    size = max(size, 1)
    if len(words) <= size:
        return _within_bytes(text)
    step = max(size - int(size * min(max(overlap, 0.0), 0.5)), 1)
    parts: list[str] = []
    start = 0
    while True:
        end = start + size
        if 0 < len(words) - (start + step) < minimum and end < len(words):
            end = len(words)
        parts.extend(_within_bytes(" ".join(words[start:end])))
        if end >= len(words):
            return parts
        start += step


def _within_bytes(part: str) -> list[str]:
    if byte_length(part) <= _MAX_CHUNK_BYTES:
        return [part]
    data = part.encode("utf-8")
    pieces = []
    start = 0
    while start < len(data):
        end = min(start + _MAX_CHUNK_BYTES, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        pieces.append(data[start:end].decode("utf-8"))
        start = end
    return pieces
