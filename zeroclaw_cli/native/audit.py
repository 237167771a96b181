"""The audit table: events of the store, kept beside what they are about (specs/native-memory.md §10.3, §18)."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final

from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.events import Event
from zeroclaw_cli.native.stamps import now_stamp, shown

KEPT: Final = 10_000


class AuditSink:
    """Writes events into the store: within the write they belong to, or on their own. Keeps the newest 10,000.

    A search stays a read: its event is not kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def record(self, event: Event, transaction: sqlite3.Connection | None) -> None:
        if event.kind == "search_performed":
            return
        row = (now_stamp(), event.kind, json.dumps(event.to_json(), ensure_ascii=True))
        with self._store.write() as connection:
            cursor = connection.execute("INSERT INTO audit (at, kind, data) VALUES (?, ?, ?)", row)
            connection.execute("DELETE FROM audit WHERE id <= ?", ((cursor.lastrowid or 0) - KEPT,))


def recorded(store: Store, *, limit: int = 100) -> list[dict[str, Any]]:
    """The newest events, newest first, each as its JSON object with ``at``."""
    rows = store.query("SELECT at, data FROM audit ORDER BY id DESC LIMIT ?", (limit,))
    return [{"at": shown(at), **json.loads(data)} for at, data in rows]
