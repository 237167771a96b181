"""Earlier texts of documents, archived in the transaction that replaces them (specs/native-memory.md §15)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from zeroclaw_cli.memory.documents import Version
from zeroclaw_cli.memory.export_rows import PastText
from zeroclaw_cli.memory.measures import content_hash
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.repository import Stored
from zeroclaw_cli.native.scope import OF_DOCUMENT, OF_SCOPE, DocumentPath, Scope
from zeroclaw_cli.native.stamps import shown, stamp

DEFAULT_KEPT: Final = 50
_DOCUMENT: Final = f"doc_id = (SELECT id FROM documents WHERE {OF_DOCUMENT})"  # noqa: S608


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
        f"SELECT {columns} FROM versions WHERE {_DOCUMENT}"  # noqa: S608
        f" UNION ALL SELECT {columns} FROM past_versions WHERE {OF_DOCUMENT} ORDER BY n DESC",
        (*_key(path), *_key(path)),
    )
    return [Version(number, body_hash, who, shown(at), size) for number, body_hash, who, at, size in rows]


def body_of(store: Store, path: DocumentPath, number: int) -> bytes | None:
    """The text of one version, None when there is none of that number."""
    rows = store.query(
        f"SELECT body FROM versions WHERE {_DOCUMENT} AND n = ?"  # noqa: S608
        f" UNION ALL SELECT body FROM past_versions WHERE {OF_DOCUMENT} AND n = ?",
        (*_key(path), number, *_key(path), number),
    )
    return bytes(rows[0][0]) if rows else None


def forgotten_paths(store: Store, scope: Scope) -> list[str]:
    """The paths of the documents that were forgotten without their history."""
    rows = store.query(
        f"SELECT DISTINCT path FROM past_versions WHERE {OF_SCOPE} ORDER BY path",  # noqa: S608
        scope.key,
    )
    return [str(path) for (path,) in rows]


def merge(transaction: sqlite3.Connection, doc_id: int, brought: Sequence[PastText], *, keep: int) -> tuple[int, int]:
    """Add the versions that an import brings to those of a document, in the order of their times.

    Those that came first keep their numbers. Returns how many were not there yet, and how many are too many to keep.
    """
    columns = "n, body, hash, changed_by, at"
    present = transaction.execute(f"SELECT {columns} FROM versions WHERE doc_id = ? ORDER BY n", (doc_id,)).fetchall()  # noqa: S608
    known = {(row[2], row[4]) for row in present}
    rows = [(text.number, text.body, content_hash(text.body), text.changed_by, stamp(text.at)) for text in brought]
    added = [row for row in rows if (row[2], row[4]) not in known]
    if not added or keep <= 0:
        return 0, len(added)
    merged = sorted(added)
    if present:
        merged = sorted([*present, *added], key=lambda row: (row[4], row[0]))
        merged = [(number, *row[1:]) for number, row in enumerate(merged, start=1)]
    kept = merged[-keep:]
    transaction.execute("DELETE FROM versions WHERE doc_id = ?", (doc_id,))
    transaction.executemany(
        f"INSERT INTO versions (doc_id, {columns}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608 - words of ours
        [(doc_id, *row) for row in kept],
    )
    return len(added), len(merged) - len(kept)


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
        f"INSERT INTO versions SELECT ?, n, body, hash, changed_by, at FROM past_versions WHERE {OF_DOCUMENT}",  # noqa: S608
        (doc_id, *_key(path)),
    )
    discard_detached(transaction, path)


def discard_detached(transaction: sqlite3.Connection, path: DocumentPath) -> int:
    """Remove the versions that a forgotten document left; how many there were."""
    return transaction.execute(f"DELETE FROM past_versions WHERE {OF_DOCUMENT}", _key(path)).rowcount  # noqa: S608
