"""Earlier texts of documents, archived in the transaction that replaces them (specs/native-memory.md §15)."""

from __future__ import annotations

import sqlite3
from typing import Final

from zeroclaw_cli.memory.documents import Version
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.repository import Stored
from zeroclaw_cli.native.scope import DocumentPath
from zeroclaw_cli.native.stamps import shown

DEFAULT_KEPT: Final = 50
_WHERE: Final = "tenant = ? AND user = ? AND agent = ? AND project = ? AND path = ?"
_OF_DOCUMENT: Final = f"doc_id = (SELECT id FROM documents WHERE {_WHERE})"  # noqa: S608


def _key(path: DocumentPath) -> tuple[str, str, str, str, str]:
    return (*path.scope.key, path.relative)


def archive(transaction: sqlite3.Connection, doc_id: int, previous: Stored, at: str, *, keep: int) -> int | None:
    """Keep the previous text as the next version, and at most ``keep`` of them; the new number.

    None when there is nothing to keep: it was empty, or it is what the newest version holds already.
    """
    if not previous.body or keep <= 0:
        return None
    latest = transaction.execute(
        "SELECT n, hash FROM versions WHERE doc_id = ? ORDER BY n DESC LIMIT 1", (doc_id,)
    ).fetchone()
    number, latest_hash = latest if latest is not None else (0, None)
    if latest_hash == previous.content_hash:
        return None
    transaction.execute(
        "INSERT INTO versions (doc_id, n, body, hash, changed_by, at) VALUES (?, ?, ?, ?, ?, ?)",
        (doc_id, number + 1, previous.body, previous.content_hash, previous.path.scope.changed_by, at),
    )
    transaction.execute("DELETE FROM versions WHERE doc_id = ? AND n <= ?", (doc_id, number + 1 - keep))
    return int(number) + 1


def listed(store: Store, path: DocumentPath) -> list[Version]:
    """The versions of a document, newest first; also those of one that was forgotten without its history."""
    columns = "n, hash, changed_by, at, length(body)"
    rows = store.query(
        f"SELECT {columns} FROM versions WHERE {_OF_DOCUMENT}"  # noqa: S608
        f" UNION ALL SELECT {columns} FROM past_versions WHERE {_WHERE} ORDER BY n DESC",
        (*_key(path), *_key(path)),
    )
    return [Version(number, body_hash, who, shown(at), size) for number, body_hash, who, at, size in rows]


def body_of(store: Store, path: DocumentPath, number: int) -> bytes | None:
    """The text of one version, None when there is none of that number."""
    rows = store.query(
        f"SELECT body FROM versions WHERE {_OF_DOCUMENT} AND n = ?"  # noqa: S608
        f" UNION ALL SELECT body FROM past_versions WHERE {_WHERE} AND n = ?",
        (*_key(path), number, *_key(path), number),
    )
    return bytes(rows[0][0]) if rows else None


def count(transaction: sqlite3.Connection, doc_id: int) -> int:
    return int(transaction.execute("SELECT count(*) FROM versions WHERE doc_id = ?", (doc_id,)).fetchone()[0])


def detach(transaction: sqlite3.Connection, doc_id: int, path: DocumentPath) -> None:
    """Keep the versions of a document that is about to be forgotten without its history."""
    transaction.execute(
        "INSERT OR REPLACE INTO past_versions SELECT ?, ?, ?, ?, ?, n, body, hash, changed_by, at FROM versions"
        " WHERE doc_id = ?",
        (*_key(path), doc_id),
    )
    transaction.execute("DELETE FROM versions WHERE doc_id = ?", (doc_id,))


def readopt(transaction: sqlite3.Connection, doc_id: int, path: DocumentPath) -> None:
    """Give a new document the versions that its path was left with."""
    transaction.execute(
        f"INSERT INTO versions SELECT ?, n, body, hash, changed_by, at FROM past_versions WHERE {_WHERE}",  # noqa: S608
        (doc_id, *_key(path)),
    )
    discard_detached(transaction, path)


def discard_detached(transaction: sqlite3.Connection, path: DocumentPath) -> int:
    """Remove the versions that a forgotten document left; how many there were."""
    return transaction.execute(f"DELETE FROM past_versions WHERE {_WHERE}", _key(path)).rowcount  # noqa: S608
