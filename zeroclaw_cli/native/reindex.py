"""The search index built anew from what it indexes; doing it twice changes nothing (specs/native-memory.md §22.4)."""

from __future__ import annotations

import sqlite3

from zeroclaw_cli.native import bad_rows, documents, schema
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.entry_writer import EntryWriter
from zeroclaw_cli.native.scope import Scope


def rebuild(store: Store) -> int:
    """Build the index of every scope anew in one transaction; returns how many entries are in it."""
    with store.write() as transaction:
        schema.renew_index(transaction)
        return rebuild_in(transaction)


def rebuild_in(transaction: sqlite3.Connection) -> int:
    """Fill the empty index of the open transaction; returns how many entries are in it. A row that cannot be read is
    left out."""
    total = 0
    with bad_rows.tolerated(transaction):
        for tenant, user, project in _places(transaction, "SELECT DISTINCT tenant, user, project FROM entries"):
            with EntryWriter(transaction, Scope(tenant, user, "", project), _unchecked) as writer:
                total += writer.reindex()
        schema.set_current(transaction)
        for place in _places(transaction, "SELECT DISTINCT tenant, user, agent, project FROM documents"):
            documents.reindex(transaction, Scope(*place))
    return total


def _places(transaction: sqlite3.Connection, sql: str) -> list[tuple[str, ...]]:
    rows = transaction.execute(sql).fetchall()
    return [row for row in rows if all(isinstance(part, str) and not bad_rows.is_bad(part) for part in row)]


def _unchecked(*_: object) -> None:
    """Nothing is written that was not written before."""
