"""Writes that change what every prompt shows: the pinned entries (specs/memory-kernel.md §8)."""

from __future__ import annotations

from collections.abc import Sequence

from zeroclaw_cli.errors import StoreDamaged
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.requests import StoreRequest
from zeroclaw_cli.memory.types import Entry


def changes_a_pinned_row(memory: Memory, request: StoreRequest) -> bool:
    """Whether the row that is to be stored is pinned, or is to take the place of one that is."""
    if request.pinned:
        return True
    try:
        there = memory.row_of(request.key, request.agent.resolve(memory))
    except StoreDamaged:
        # Storing over a damaged entry is a way to mend it.
        return False
    return bool(getattr(there, "pinned", False))


def change_pinned_rows(memory: Memory, entries: Sequence[Entry], *, over: bool) -> bool:
    """As :func:`changes_a_pinned_row`, of rows that are imported; without ``over`` those that are there stay."""
    before = {(row.key, row.agent_id): row for row in memory.list_entries(None, None)}
    for row in entries:
        there = before.get((row.key, row.agent_id))
        if (over or there is None) and (getattr(row, "pinned", False) or getattr(there, "pinned", False)):
            return True
    return False
