"""The tags around recalled memory in a prompt, and taking them out of texts again (specs/native-memory.md §12, §14)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

OPEN: Final = "<memory-context>"
CLOSE: Final = "</memory-context>"
_TAG: Final = re.compile(r"<\s*(/?)\s*memory-context\b[^<>]*>", re.IGNORECASE)
# Stands for a tag that only the removal of another one made: it joins nothing to a tag.
_SCAR: Final = "…"


def without_tags(text: str) -> str:
    """``text`` without anything that could open or close the block."""
    return _TAG.sub(_SCAR, _TAG.sub("", text))


def without_blocks(text: str) -> str:
    """``text`` without the blocks that were put into a prompt, so that no transcript grows by what it recalls.

    Stray tags go too, and what is between an opening tag and the end of the text stays.
    """
    kept, position = [], 0
    for start, end in _blocks(text):
        kept.append(text[position:start])
        position = end
    return without_tags("".join((*kept, text[position:])))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    opened: int | None = None
    for tag in _TAG.finditer(text):
        if tag[1]:
            if opened is not None:
                yield opened, tag.end()
            opened = None
        elif opened is None:
            opened = tag.start()
