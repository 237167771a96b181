"""The tags around recalled memory in a prompt, taken out of texts again (specs/native-memory.md §12, §14)."""

from __future__ import annotations

from typing import Final

from zeroclaw_cli.memory.fence import CLOSE, OPEN, TAG, drop_blocks, may_hold_tag, until_dead

__all__ = ["CLOSE", "OPEN", "without_blocks", "without_tags"]

# Stands for a tag that only the removal of another one made: it joins nothing to a tag.
_SCAR: Final = "…"


def without_tags(text: str) -> str:
    """``text`` without anything that could open or close the block."""
    if not may_hold_tag(text):
        return text
    return until_dead(TAG.sub("", text), lambda it: TAG.sub(_SCAR, it))


def without_blocks(text: str) -> str:
    """``text`` without the blocks that were put into a prompt, so that no transcript grows by what it recalls.

    Stray tags go too, and what is between an opening tag and the end of the text stays.
    """
    return without_tags(drop_blocks(text)) if may_hold_tag(text) else text
