"""The number that tells the states of a store apart by their order: every commit that changes something raises it.

No clock does that, since clocks are set. Copies of the store are ordered by it, and what was forgotten is dated by
it.
"""

from __future__ import annotations

import sqlite3

_RAISE = (
    "INSERT INTO schema_meta (name, value) VALUES ('generation', ?) ON CONFLICT (name) DO UPDATE SET value = "
    "max(CAST(value AS INTEGER) + 1, CAST(excluded.value AS INTEGER)) RETURNING value"
)


def of(connection: sqlite3.Connection) -> int:
    """The generation of a store; 0 for one that has none yet, or whose number is damaged."""
    row = connection.execute("SELECT CAST(value AS INTEGER) FROM schema_meta WHERE name = 'generation'").fetchone()
    return 0 if row is None else max(int(row[0]), 0)


def advance(transaction: sqlite3.Connection, least: int = 1) -> int:
    """Go on to the next generation, at least to ``least``; returns it."""
    return int(transaction.execute(_RAISE, (str(least),)).fetchone()[0])
