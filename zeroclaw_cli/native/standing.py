"""The curated half of the long-term lane: the standing document packed into a few short chunks.

specs/native-memory.md §13, steps 2–8 and 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from zeroclaw_cli.memory.measures import byte_length, cut_marked, lines_of
from zeroclaw_cli.native.markers import has_marker
from zeroclaw_cli.native.secrets import has_credential, lines_with_credentials

MAX_CHUNKS: Final = 4
CHUNK_BYTES: Final = 400
_JOIN: Final = "; "


@dataclass(frozen=True, slots=True)
class Curated:
    """The chunks (each at most 400 bytes), the lines that they show whole, whether lines were left out for want of
    room, whether a line was cut, and how many were dropped because they hold a credential or a marker."""

    chunks: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()
    truncated: bool = False
    cut: bool = False
    dropped: int = 0


def is_safe(line: str) -> bool:
    """Whether a line by itself holds neither a credential nor a marker."""
    return not (has_marker(line) or has_credential(line))


def judged(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each line of a text and whether it may be shown: it is safe and no part of a credential that began above it."""
    for line, secret in zip(lines, lines_with_credentials(lines), strict=True):
        yield line, not (secret or has_marker(line))


def cut_line(line: str) -> str:
    """The line, or its beginning with the mark ``(truncated)`` when it is longer than 400 bytes."""
    return cut_marked(line, CHUNK_BYTES) if byte_length(line) > CHUNK_BYTES else line


def pack(lines: Iterable[str], most: int) -> list[tuple[str, list[str]]]:
    """Lines in order as at most ``most`` chunks of at most 400 bytes, each with the lines that are in it.

    Lines of a chunk are joined by ``; ``: a newline would be stripped later and fuse two facts.
    """
    chunks: list[tuple[str, list[str]]] = []
    members: list[str] = []
    text, size = "", 0
    for line in lines:
        part = cut_line(line)
        length = byte_length(part)
        if members and size + len(_JOIN) + length > CHUNK_BYTES:
            chunks.append((text, members))
            if len(chunks) == most:
                return chunks
            text, members, size = "", [], 0
        text = text + _JOIN + part if members else part
        size += length + (len(_JOIN) if members else 0)
        members.append(line)
    if members:
        chunks.append((text, members))
    return chunks


def curate(text: str, budget: int) -> Curated:
    """The standing document as at most ``budget`` chunks; the last one is marked when lines are left over."""
    if budget <= 0:
        return Curated()
    dropped, cut = 0, False

    def shown_lines() -> Iterator[str]:
        nonlocal dropped, cut
        for line, safe in judged(lines_of(text)):
            if safe:
                cut = cut or byte_length(line) > CHUNK_BYTES
                yield line
            else:
                dropped += 1

    # One chunk more than is kept tells that lines are left over, however many they are.
    chunks = pack(shown_lines(), budget + 1)
    truncated = len(chunks) > budget
    shown = [line for _, members in chunks[:budget] for line in members]
    texts = [chunk for chunk, _ in chunks[:budget]]
    if truncated:
        texts[-1] = cut_marked(texts[-1], CHUNK_BYTES)
        # The mark may have cost the last lines of that chunk their end.
        shown = [line for line in shown if any(line in chunk for chunk in texts)]
    whole = frozenset(line for line in shown if byte_length(line) <= CHUNK_BYTES)
    return Curated(tuple(texts), whole, truncated, cut, dropped)
