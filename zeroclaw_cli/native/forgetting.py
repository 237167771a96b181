"""What is forgotten is gone from the store's files, not only from what they answer (specs/native-memory.md §21).

A row that is deleted is overwritten by ``PRAGMA secure_delete``. The full-text index keeps the words of a deleted row
in its segments until they are merged, so a transaction that forgets leaves a mark, and after it all segments become
one and the write-ahead log is emptied. That takes time in proportion to the index, so it happens at once after some
quiet and otherwise at the end of the session. The mark goes last: whatever a killed process, another writer or a reader
left undone is done by the next one that writes.
FTS5's own ``secure-delete`` is no way to the same end: no SQLite before 3.42 reads an index that was ever written so.
Copies in ``backups/`` keep what they hold until newer ones take their places.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.native.schema import has_full_text

if TYPE_CHECKING:
    from collections.abc import Iterator

# Of the time of a session, no more than a tenth is spent on cleaning before its end.
_QUIET: Final = 10.0
# A reader in the middle of a question keeps the log; it is not waited for long.
_LOG_WAIT_MS: Final = 200
# What the mark says: the words may be in the index, or no longer there but in the log and in pages that it replaces.
_IN_INDEX: Final = ""
_IN_LOG: Final = "log"


def mark(transaction: sqlite3.Connection) -> None:
    """Say that rows were forgotten in this transaction."""
    _mark(transaction, _IN_INDEX)


def is_marked(connection: sqlite3.Connection) -> bool:
    """Whether something was forgotten and may still be in the files."""
    return _mark_of(connection) is not None


class Cleaner:
    """Removes what was forgotten from the files of a store, over the connection that writes."""

    def __init__(self) -> None:
        self._quiet_until = 0.0

    def after_commit(self, connection: sqlite3.Connection) -> None:
        """Clean when a mark is there and the last cleaning is long enough ago."""
        if is_marked(connection) and monotonic() >= self._quiet_until:
            self.clean(connection)

    def clean(self, connection: sqlite3.Connection) -> None:
        """Clean when a mark is there. Where another writer or a reader is in the way the mark stays for later."""
        started = monotonic()
        with suppress(sqlite3.OperationalError):
            if _mark_of(connection) == _IN_INDEX:
                with _transaction(connection):
                    _clean_index(connection)
            if _mark_of(connection) == _IN_LOG:
                _empty_log(connection)
        self._quiet_until = monotonic() + _QUIET * (monotonic() - started)


def _mark(transaction: sqlite3.Connection, value: str) -> None:
    transaction.execute("INSERT OR REPLACE INTO schema_meta (name, value) VALUES ('forgotten', ?)", (value,))


def _mark_of(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT value FROM schema_meta WHERE name = 'forgotten'").fetchone()
    return None if row is None else str(row[0])


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _clean_index(transaction: sqlite3.Connection) -> None:
    if _mark_of(transaction) != _IN_INDEX:
        # Another process was faster.
        return
    transaction.execute("DELETE FROM speakers WHERE name NOT IN (SELECT speaker FROM chunks)")
    if has_full_text(transaction):
        transaction.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')")
    _mark(transaction, _IN_LOG)


def _empty_log(connection: sqlite3.Connection) -> None:
    usual = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    connection.execute(f"PRAGMA busy_timeout = {_LOG_WAIT_MS}")
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            # What others forgot meanwhile has a mark of its own.
            connection.execute("DELETE FROM schema_meta WHERE name = 'forgotten' AND value = ?", (_IN_LOG,))
    finally:
        connection.execute(f"PRAGMA busy_timeout = {usual}")
