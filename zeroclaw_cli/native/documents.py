"""The documents in SQLite: one transaction for body, metadata, version, parts for search and audit.

specs/native-memory.md §2, §6.9, §15, §22.3. The prompt-safety check sits here, below every way to write.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from zeroclaw_cli.errors import DocumentInput, DocumentOperation, ZeroclawError
from zeroclaw_cli.memory.documents import Version
from zeroclaw_cli.memory.export_rows import PastText
from zeroclaw_cli.memory.measures import content_hash
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.native import bad_rows, document_index, forgotten, metadata, profile, versions
from zeroclaw_cli.native.body_schema import check_schema
from zeroclaw_cli.native.capabilities import Capabilities, Flag, require
from zeroclaw_cli.native.chunking import chunk
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.events import Event, EventSink, path_hash, record_best_effort
from zeroclaw_cli.native.paths import CONFIG_NAME, ancestors, check_document_path, config_candidates
from zeroclaw_cli.native.repository import (
    MAX_BODY_BYTES,
    Change,
    Expect,
    HashConflict,
    Hit,
    Query,
    Stored,
    WriteOptions,
    Written,
)
from zeroclaw_cli.native.safety import PromptWriteGuard, Rejection, WriteCheck
from zeroclaw_cli.native.scope import OF_DOCUMENT, OF_SCOPE, DocumentPath, Scope, authorise
from zeroclaw_cli.native.stamps import is_stamp, now_stamp, shown, stamp

_log: Final = logging.getLogger(__name__)
_PLAIN: Final = WriteOptions()

# Called after a commit with the document that changed, for what is kept beside the store.
AfterCommit = Callable[[DocumentPath], None]
# The same for one that was forgotten, with whether its history goes too.
AfterDelete = Callable[[DocumentPath, bool], None]


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    stored: Stored
    # As the store keeps it; what `stored` has is for people.
    updated_at: str


class SqliteDocuments:
    """The documents of every scope in one store. Safe for use from several threads at once."""

    def __init__(
        self,
        store: Store,
        *,
        guard: PromptWriteGuard,
        sink: EventSink | None = None,
        keep_versions: int = versions.DEFAULT_KEPT,
        after_commit: AfterCommit | None = None,
        after_delete: AfterDelete | None = None,
    ) -> None:
        self._store = store
        self._guard = guard
        self._sink = sink
        self._keep_versions = keep_versions
        self._after_commit = after_commit
        self._after_delete = after_delete

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(full_text_search=document_index.is_supported(self._store))

    # Reading

    def read(self, context: Scope, path: DocumentPath) -> Stored | None:
        authorise(context, path.scope)
        with self._store.read() as connection:
            row = _find(connection, path)
        return None if row is None else row.stored

    def list_paths(self, context: Scope, scope: Scope) -> list[str]:
        authorise(context, scope)
        rows = self._store.query(f"SELECT path FROM documents WHERE {OF_SCOPE} ORDER BY path", scope.key)  # noqa: S608
        return [path for (path,) in rows]

    def versions(self, context: Scope, path: DocumentPath) -> list[Version]:
        authorise(context, path.scope)
        return versions.listed(self._store, path)

    def read_version(self, context: Scope, path: DocumentPath, number: int) -> bytes | None:
        authorise(context, path.scope)
        return versions.body_of(self._store, path, number)

    def search(self, context: Scope, scope: Scope, query: Query) -> list[Hit]:
        authorise(context, scope)
        if query.vector or not query.full_text:
            require(self.capabilities, Flag.VECTOR_SEARCH)
        require(self.capabilities, Flag.FULL_TEXT_SEARCH)
        hits = document_index.search(self._store, scope, query)
        data = {"result_count": len(hits), "full_text": True, "vector": False}
        record_best_effort(self._sink, Event("search_performed", scope, data=data))
        return hits

    def chunks(self, context: Scope, path: DocumentPath) -> list[str]:
        authorise(context, path.scope)
        with self._store.read() as connection:
            row = _find(connection, path)
            return [] if row is None else document_index.texts(connection, path, row.id)

    # Writing

    def update(
        self,
        context: Scope,
        path: DocumentPath,
        change: Change,
        *,
        expect: Expect | str = Expect.ANYTHING,
        options: WriteOptions = _PLAIN,
    ) -> Written:
        authorise(context, path.scope)
        check_document_path(path.relative)
        try:
            with self._store.write() as transaction:
                written = self._update(transaction, path, change, expect, options)
        except Rejection as rejection:
            self._guard.record_rejection(rejection)
            raise
        self._committed(path)
        return written

    def _update(
        self,
        transaction: sqlite3.Connection,
        path: DocumentPath,
        change: Change,
        expect: Expect | str,
        options: WriteOptions,
    ) -> Written:
        row = _find(transaction, path)
        present = None if row is None else row.stored
        _check_expectation(present, expect)
        body = change(present)
        if len(body) > MAX_BODY_BYTES:
            raise DocumentInput(
                "too_large", f"a document may have at most {MAX_BODY_BYTES} bytes", hint="split it into several"
            )
        if row is None:
            _check_place(transaction, path)
        sidecar = (None if present is None else present.metadata) or {}
        if options.overlay is not None:
            sidecar = metadata.overlay(sidecar, options.overlay)
        decided = metadata.effective(sidecar, _folder_metadata(transaction, path))
        check_schema(body, decided.schema)
        profile.check_body(path, body)
        self._guard.check(_safety_check(path, body, present, options), transaction)
        return self._persist(transaction, path, row, body, sidecar, decided, options)

    def _persist(
        self,
        transaction: sqlite3.Connection,
        path: DocumentPath,
        row: _Row | None,
        body: bytes,
        sidecar: metadata.Sidecar,
        decided: metadata.Decisions,
        options: WriteOptions,
    ) -> Written:
        new_hash = content_hash(body)
        changed = row is None or row.stored.content_hash != new_hash
        now = stamp(options.updated_at) if options.updated_at else now_stamp()
        archived = None
        if row is None:
            created = stamp(options.created_at) if options.created_at else now
            doc_id = _insert(transaction, path, body, new_hash, created, now)
            versions.readopt(transaction, doc_id, path)
        else:
            doc_id = row.id
            if changed:
                if not decided.skip_versioning:
                    archived = versions.archive(transaction, doc_id, row.stored, now, keep=self._keep_versions)
                transaction.execute(
                    "UPDATE documents SET body = ?, hash = ?, revision = revision + 1, updated_at = ? WHERE id = ?",
                    (body, new_hash, now, doc_id),
                )
        if options.history:
            self._merge_history(transaction, path, doc_id, options.history)
        if options.overlay is not None:
            transaction.execute(
                "INSERT OR REPLACE INTO doc_meta (doc_id, json) VALUES (?, ?)", (doc_id, metadata.encode(sidecar))
            )
        self._event(transaction, "document_written", path, options, byte_count=len(body))
        at = now if row is None or changed else row.updated_at
        self._index(transaction, path, doc_id, body, at, decided, options)
        if options.overlay is not None and path.relative.rsplit("/", 1)[-1] == CONFIG_NAME:
            self._clear_unindexed(transaction, path)
        return Written(new_hash, len(body), changed, archived)

    def _merge_history(
        self, transaction: sqlite3.Connection, path: DocumentPath, doc_id: int, history: Sequence[PastText]
    ) -> int:
        added, dropped = versions.merge(transaction, doc_id, history, keep=self._keep_versions)
        if dropped:
            self._store.warn(
                f"{counted(dropped, 'earlier version')} of '{path.relative}' left out: memory.native.keep_versions is "
                f"{self._keep_versions}"
            )
        return added

    def forgotten_paths(self, context: Scope, scope: Scope) -> list[str]:
        authorise(context, scope)
        return versions.forgotten_paths(self._store, scope)

    def bring_history(self, context: Scope, path: DocumentPath, history: Sequence[PastText]) -> int:
        authorise(context, path.scope)
        check_document_path(path.relative)
        with self._store.write() as transaction:
            row = _find(transaction, path)
            if row is not None:
                return self._merge_history(transaction, path, row.id, history)
            # They are merged in a document that lives as long as this takes.
            now = now_stamp()
            doc_id = _insert(transaction, path, b"", content_hash(b""), now, now)
            versions.readopt(transaction, doc_id, path)
            added = self._merge_history(transaction, path, doc_id, history)
            versions.detach(transaction, doc_id, path)
            transaction.execute("DELETE FROM documents WHERE id = ?", (doc_id,))
            return added

    def _index(
        self,
        transaction: sqlite3.Connection,
        path: DocumentPath,
        doc_id: int,
        body: bytes,
        at: str,
        decided: metadata.Decisions,
        options: WriteOptions,
    ) -> None:
        """Bring the parts for search up to date. A failure costs findability alone, never the write."""
        transaction.execute("SAVEPOINT parts")
        try:
            texts = [] if decided.skip_indexing else chunk(_searchable(body))
            document_index.replace(transaction, path, doc_id, texts, at=at)
            self._event(transaction, "document_indexed", path, options, chunk_count=len(texts))
        except Exception as error:  # noqa: BLE001 - whatever it is, the document itself is kept
            _log.warning("a document was kept but not indexed: %s", type(error).__name__)
            transaction.execute("ROLLBACK TO parts")
            # A search must not show what the document said before.
            with suppress(Exception):
                document_index.remove(transaction, path, doc_id)
        transaction.execute("RELEASE parts")

    def delete(
        self,
        context: Scope,
        path: DocumentPath,
        *,
        with_history: bool = False,
        expect: Expect | str = Expect.ANYTHING,
    ) -> tuple[bool, int]:
        authorise(context, path.scope)
        with self._store.write() as transaction:
            row = _find(transaction, path)
            _check_expectation(None if row is None else row.stored, expect)
            if row is not None:
                if not with_history:
                    versions.detach(transaction, row.id, path)
                removed = versions.count(transaction, row.id)
                document_index.remove(transaction, path, row.id)
                transaction.execute("DELETE FROM documents WHERE id = ?", (row.id,))
                _list_forgotten(transaction, path, "document")
            else:
                removed = 0
            if with_history:
                removed += versions.discard_detached(transaction, path)
                _list_forgotten(transaction, path, "history")
            if row is not None or removed:
                self._event(transaction, "document_deleted", path, WriteOptions(), version_count=removed)
        if self._after_delete is not None:
            after_delete = self._after_delete
            self._beside(lambda: after_delete(path, with_history))
        return row is not None, removed

    def replace_chunks(self, context: Scope, path: DocumentPath, content_hash: str, chunks: Sequence[str]) -> bool:
        authorise(context, path.scope)
        with self._store.write() as transaction:
            row = _find(transaction, path)
            if row is None or row.stored.content_hash != content_hash:
                return False
            decided = metadata.effective(row.stored.metadata or {}, _folder_metadata(transaction, path))
            if chunks and decided.skip_indexing:
                return False
            document_index.replace(transaction, path, row.id, chunks, at=row.updated_at)
            return True

    def clear_unindexed(self, context: Scope, path: DocumentPath) -> int:
        authorise(context, path.scope)
        with self._store.write() as transaction:
            return 0 if _find(transaction, path) is None else self._clear_unindexed(transaction, path)

    def _clear_unindexed(self, transaction: sqlite3.Connection, path: DocumentPath) -> int:
        cleared = 0
        for row in _governed(transaction, path):
            decided = metadata.effective(row.stored.metadata or {}, _folder_metadata(transaction, row.stored.path))
            if decided.skip_indexing and document_index.texts(transaction, row.stored.path, row.id):
                document_index.remove(transaction, row.stored.path, row.id)
                cleared += 1
        return cleared

    def reindex(self, context: Scope, scope: Scope) -> int:
        authorise(context, scope)
        with self._store.write() as transaction:
            return reindex(transaction, scope)

    def _event(
        self, transaction: sqlite3.Connection, kind: str, path: DocumentPath, options: WriteOptions, **data: int
    ) -> None:
        event = Event(
            kind,
            path.scope,
            source=options.source,
            path_hash=path_hash(path.relative),
            audit_context=options.audit_context,
            data=data,
        )
        record_best_effort(self._sink, event, transaction)

    def _committed(self, path: DocumentPath) -> None:
        if self._after_commit is not None:
            after_commit = self._after_commit
            self._beside(lambda: after_commit(path))

    def _beside(self, action: Callable[[], None]) -> None:
        try:
            action()
        except (OSError, ZeroclawError) as error:
            self._store.warn(f"the Markdown copy of a document was not updated: {error}")


def _list_forgotten(transaction: sqlite3.Connection, path: DocumentPath, kind: forgotten.Kind) -> None:
    forgotten.note(transaction, [forgotten.digest(kind, *path.scope.key, path.relative)])


def reindex(transaction: sqlite3.Connection, scope: Scope) -> int:
    """Index every document of a scope anew inside the open transaction; returns how many there are. One that cannot be
    read is left out."""
    paths = transaction.execute(f"SELECT path FROM documents WHERE {OF_SCOPE}", scope.key).fetchall()  # noqa: S608
    for (relative,) in paths:
        if not isinstance(relative, str) or bad_rows.is_bad(relative):
            continue
        path = DocumentPath(scope, relative)
        row = _find(transaction, path)
        if row is not None and is_stamp(row.updated_at):
            decided = metadata.effective(row.stored.metadata or {}, _folder_metadata(transaction, path))
            texts = [] if decided.skip_indexing else chunk(_searchable(row.stored.body))
            document_index.replace(transaction, path, row.id, texts, at=row.updated_at, anew=True)
    return len(paths)


def _find(connection: sqlite3.Connection, path: DocumentPath) -> _Row | None:
    sql = (
        "SELECT d.id, d.body, d.hash, d.created_at, d.updated_at, m.json"  # noqa: S608
        f" FROM documents d LEFT JOIN doc_meta m ON m.doc_id = d.id WHERE {OF_DOCUMENT}"
    )
    rows, is_whole = bad_rows.fetch(connection, sql, (*path.scope.key, path.relative))
    if not rows:
        return None
    # Where its time is damaged the text can still be read.
    row = rows[0] if is_whole else bad_rows.as_far_as_readable(rows[0])
    doc_id, body, body_hash, created_at, updated_at, sidecar = row
    own = None if sidecar is None else metadata.decode(sidecar)
    return _Row(doc_id, Stored(path, bytes(body), body_hash, own, shown(created_at), shown(updated_at)), updated_at)


def _check_expectation(present: Stored | None, expect: Expect | str) -> None:
    current = "" if present is None else present.content_hash
    if expect is Expect.ANYTHING:
        return
    if (expect is Expect.ABSENT and present is not None) or (
        isinstance(expect, str) and (not current or expect != current)
    ):
        raise HashConflict(current)


def _check_place(connection: sqlite3.Connection, path: DocumentPath) -> None:
    """Raise DocumentOperation ``path_conflict`` where a document would be a folder, or a folder a document."""
    parents = ancestors(path.relative)
    marks = ", ".join("?" * len(parents)) or "NULL"
    above = connection.execute(
        f"SELECT path FROM documents WHERE {OF_SCOPE} AND path IN ({marks})",  # noqa: S608
        (*path.scope.key, *parents),
    ).fetchone()
    # '0' is the character after '/'.
    below = connection.execute(
        f"SELECT 1 FROM documents WHERE {OF_SCOPE} AND path > ? AND path < ?",  # noqa: S608
        (*path.scope.key, f"{path.relative}/", f"{path.relative}0"),
    ).fetchone()
    if above is not None:
        raise DocumentOperation(
            "path_conflict", f"'{above[0]}' is a document, so nothing can be below it", hint="choose another path"
        )
    if below is not None:
        raise DocumentOperation(
            "path_conflict", f"there are documents below '{path.relative}'", hint="choose a path that is not a folder"
        )


def _folder_metadata(connection: sqlite3.Connection, path: DocumentPath) -> metadata.Sidecar | None:
    candidates = config_candidates(path.relative)
    marks = ", ".join("?" * len(candidates))
    found = dict(
        connection.execute(
            "SELECT d.path, m.json FROM documents d JOIN doc_meta m ON m.doc_id = d.id"  # noqa: S608
            f" WHERE {OF_SCOPE} AND d.path IN ({marks})",
            (*path.scope.key, *candidates),
        ).fetchall()
    )
    nearest = next((candidate for candidate in candidates if candidate in found), None)
    return None if nearest is None else metadata.decode(found[nearest])


def _governed(connection: sqlite3.Connection, path: DocumentPath) -> list[_Row]:
    """The document itself, and for a ``.config`` all that are in its folder."""
    folder, _, name = path.relative.rpartition("/")
    if name != CONFIG_NAME:
        own = _find(connection, path)
        return [] if own is None else [own]
    prefix = f"{folder}/" if folder else ""
    paths = connection.execute(f"SELECT path FROM documents WHERE {OF_SCOPE}", path.scope.key).fetchall()  # noqa: S608
    below = (DocumentPath(path.scope, relative) for (relative,) in paths if relative.startswith(prefix))
    rows = (_find(connection, item) for item in below)
    return [row for row in rows if row is not None]


def _insert(
    transaction: sqlite3.Connection, path: DocumentPath, body: bytes, body_hash: str, created: str, updated: str
) -> int:
    cursor = transaction.execute(
        "INSERT INTO documents (tenant, user, agent, project, path, body, hash, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*path.scope.key, path.relative, body, body_hash, created, updated),
    )
    assert cursor.lastrowid is not None, "an insert has a row"
    return cursor.lastrowid


def _safety_check(path: DocumentPath, body: bytes, present: Stored | None, options: WriteOptions) -> WriteCheck:
    return WriteCheck(
        scope=path.scope,
        path=path.relative,
        operation=options.operation,
        text=body.decode("utf-8", "replace"),
        previous=None if present is None else present.body.decode("utf-8", "replace"),
        previous_hash=None if present is None else present.content_hash,
        source=options.source,
        allowance=options.allowance,
        audit_context=options.audit_context,
    )


def _searchable(body: bytes) -> str:
    return body.decode("utf-8", "replace")
