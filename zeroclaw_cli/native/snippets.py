"""What a search result shows of a long text: a bounded, deterministic snippet (specs/native-memory.md §8)."""

from __future__ import annotations

from typing import Final

MAX_SNIPPET_BYTES: Final = 8_192
_BEFORE: Final = 128
_AFTER: Final = 256
_GAP: Final = "\n…\n".encode()


def bounded(text: str, query: str, *, limit: int = MAX_SNIPPET_BYTES) -> str:
    """At most ``limit`` bytes of ``text``: all of it, or windows around the exact occurrences of ``query``.

    Each window has up to 128 bytes before an occurrence and 256 after it; windows that overlap or touch become one, and
    separate ones are joined by a line with ``…``. Windows are added in order while they fit. Without an exact
    occurrence, or when the first window does not fit, it is the beginning of the text. No character is split.
    """
    data = text.encode("utf-8")
    if len(data) <= limit:
        return text
    windows = _windows(data, query.encode("utf-8"), limit)
    if not windows:
        return data[:limit].decode("utf-8", "ignore")
    return _GAP.join(data[start:end] for start, end in windows).decode("utf-8")


def _windows(data: bytes, needle: bytes, limit: int) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    position = data.find(needle) if needle else -1
    while position >= 0:
        after = position + len(needle)
        start, end = _character_end(data, position - _BEFORE), _character_start(data, after + _AFTER)
        grown = [*kept[:-1], (kept[-1][0], end)] if kept and start <= kept[-1][1] else [*kept, (start, end)]
        if _length(grown) > limit:
            return kept
        kept = grown
        position = data.find(needle, after)
    return kept


def _length(windows: list[tuple[int, int]]) -> int:
    return sum(end - start for start, end in windows) + len(_GAP) * (len(windows) - 1)


def _character_end(data: bytes, position: int) -> int:
    """The first character boundary at or after ``position``."""
    position = max(position, 0)
    while position < len(data) and data[position] & 0xC0 == 0x80:
        position += 1
    return position


def _character_start(data: bytes, position: int) -> int:
    """The last character boundary at or before ``position``."""
    position = min(position, len(data))
    while 0 < position < len(data) and data[position] & 0xC0 == 0x80:
        position -= 1
    return position
