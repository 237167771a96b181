"""The search index built anew from what it indexes; doing it twice changes nothing (specs/native-memory.md §22.4)."""

from __future__ import annotations

from zeroclaw_cli.native import index, schema
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.documents import SqliteDocuments
from zeroclaw_cli.native.entry_writer import EntryWriter
from zeroclaw_cli.native.safety import PromptWriteGuard
from zeroclaw_cli.native.scope import Scope


def rebuild(store: Store) -> int:
    """Build the index of every scope anew in one transaction; returns how many entries are in it."""
    total = 0
    with store.write() as transaction:
        index.clear(transaction)
        scopes = transaction.execute("SELECT DISTINCT tenant, user, project FROM entries").fetchall()
        for tenant, user, project in scopes:
            with EntryWriter(transaction, Scope(tenant, user, "", project), _unchecked) as writer:
                total += writer.reindex()
        schema.set_current(transaction)
        documents = SqliteDocuments(store, guard=PromptWriteGuard())
        for place in transaction.execute("SELECT DISTINCT tenant, user, agent, project FROM documents").fetchall():
            documents.reindex(Scope(*place), Scope(*place))
    return total


def _unchecked(*_: object) -> None:
    """Nothing is written that was not written before."""
