"""Documents in the search index: their parts, and finding them (specs/native-memory.md §8, §15)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from zeroclaw_cli.native import bad_rows, index, segment
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.entries import entries_scope
from zeroclaw_cli.native.paths import THREADS, in_threads
from zeroclaw_cli.native.ranking import Hit as Found
from zeroclaw_cli.native.ranking import Part, rank
from zeroclaw_cli.native.repository import Hit, Query
from zeroclaw_cli.native.schema import has_full_text
from zeroclaw_cli.native.scope import DocumentPath, Scope

MAX_LIMIT: Final = 1_000
MAX_CANDIDATES: Final = 5_000
# The first hit has the score 1.0, and each later one a little less.
_RANK_OFFSET: Final = 60
_LEAST_PARTS: Final = 200
ENTRIES: Final = "entries"
_DOCUMENT: Final = f"documents.id = {index.DOCUMENT_OF_ID}"
_ENTRY: Final = f"entries.number = {index.ENTRY_OF_ID}"


def is_supported(store: Store) -> bool:
    """Whether this SQLite can search full text."""
    with store.read() as connection:
        return has_full_text(connection)


def kind_of(path: DocumentPath) -> index.Kind:
    return index.Kind.TRANSCRIPT if in_threads(path.relative) else index.Kind.DOCUMENT


def texts(connection: sqlite3.Connection, path: DocumentPath, doc_id: int) -> list[str]:
    """The parts of a document that search sees, in order."""
    scope_id = index.find_scope(connection, path.scope)
    if scope_id is None:
        return []
    place = index.document_span(scope_id, kind_of(path), doc_id)
    rows = connection.execute(
        "SELECT text FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id", (place.first, place.last)
    ).fetchall()
    return [text for (text,) in rows]


def replace(
    transaction: sqlite3.Connection,
    path: DocumentPath,
    doc_id: int,
    parts: Sequence[str],
    *,
    at: str,
    anew: bool = False,
) -> None:
    """Make ``parts`` what search sees of a document; ``at`` is the stamp of its last change.

    Parts that the index has already are left in it, unless it is to be made ``anew``.
    """
    scope_id = index.ensure_scope(transaction, path.scope)
    kept = 0 if anew else _unchanged(transaction, index.document_span(scope_id, kind_of(path), doc_id), parts, at)
    with index.IndexWriter(transaction) as writer:
        writer.replace_document(scope_id, kind_of(path), doc_id, parts, path=path.relative, at=at, kept=kept)


def _unchanged(connection: sqlite3.Connection, place: index.Span, parts: Sequence[str], at: str) -> int:
    """How many of the first parts the index holds as it would be made anew: an append changes the last ones alone."""
    rows = connection.execute(
        "SELECT text, dates FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id", (place.first, place.last)
    )
    dates = segment.analyse("", label="", created_at=at, in_session=False).dates
    kept = 0
    for (text, of_dates), part in zip(rows, parts, strict=False):
        if text != part or of_dates != dates:
            break
        kept += 1
    return kept


def remove(transaction: sqlite3.Connection, path: DocumentPath, doc_id: int) -> None:
    """Take a document out of the search."""
    scope_id = index.find_scope(transaction, path.scope)
    if scope_id is not None:
        with index.IndexWriter(transaction) as writer:
            writer.remove_document(scope_id, kind_of(path), doc_id)


def search(store: Store, scope: Scope, query: Query) -> list[Hit]:
    """The best documents of ``scope`` (and entries, if the query asks for them), each with its best part, by rank."""
    limit = min(max(query.limit, 1), MAX_LIMIT)
    candidates = min(max(query.candidates, limit, _LEAST_PARTS), MAX_CANDIDATES)
    with store.read() as connection:
        # A long document has many parts, and its parts must not use up the places of the other documents.
        ranked = rank(connection, _parts(connection, scope, query), query.text, candidates, owners=limit)
        hits = [
            _hit(connection, scope, found, (_RANK_OFFSET + 1) / (_RANK_OFFSET + place))
            for place, found in enumerate(ranked.hits, start=1)
        ]
        return [hit for hit in hits if hit is not None and hit.score >= query.min_score]


def _hit(connection: sqlite3.Connection, scope: Scope, found: Found, score: float) -> Hit | None:
    """The hit of a part or entry; None where it is lost, which doctor tells."""
    chunk, rank = found.chunk, (-found.score, -found.at, found.chunk)
    owner = index.owner_of(chunk)
    if index.kind_of(chunk) is index.Kind.ENTRY:
        sql = "SELECT key, content, agent, updated_at FROM entries WHERE number = ?"
        rows, _ = bad_rows.fetch(connection, sql, (owner,))
        if not rows or bad_rows.is_bad_row(rows[0]):
            return None
        key, content, agent, at = rows[0]
        shared = bool(scope.agent) and not agent
        return Hit(DocumentPath(scope, f"{ENTRIES}/{key}"), content, score, True, rank, at, shared)
    row = connection.execute("SELECT path, updated_at FROM documents WHERE id = ?", (owner,)).fetchone()
    if row is None:
        return None
    path, at = row
    return Hit(DocumentPath(scope, path), index.chunk_text(connection, chunk), score, rank=rank, at=at)


def _parts(connection: sqlite3.Connection, scope: Scope, query: Query) -> list[Part]:
    parts = _document_parts(connection, scope, query)
    if query.entries != "none":
        parts.extend(_entry_parts(connection, scope, query))
    return parts


def _document_parts(connection: sqlite3.Connection, scope: Scope, query: Query) -> list[Part]:
    parts: list[Part] = []
    given = query.given != "entries"
    scope_id = index.find_scope(connection, scope)
    if scope_id is not None and query.threads != "only":
        parts.append(Part(index.span(scope_id, index.Kind.DOCUMENT), given=given))
    if scope_id is not None and query.threads == "all":
        parts.append(Part(index.span(scope_id, index.Kind.TRANSCRIPT), given=given))
    if scope_id is not None and query.threads in ("own", "only") and query.thread_id:
        folder = f"{THREADS}/{query.thread_id}"
        condition = f"EXISTS (SELECT 1 FROM documents WHERE {_DOCUMENT} AND path > ? AND path < ?)"  # noqa: S608
        # '0' is the character after '/'.
        bounds = (f"{folder}/", f"{folder}0")
        parts.append(Part(index.span(scope_id, index.Kind.TRANSCRIPT), condition, bounds, given))
    return parts


def _entry_parts(connection: sqlite3.Connection, scope: Scope, query: Query) -> list[Part]:
    """The entries of the scope's own agent and those of none; entries belong to a scope without an agent, who is a
    field of theirs."""
    scope_id = index.find_scope(connection, entries_scope(scope))
    if scope_id is None:
        return []
    agent = "coalesce((SELECT id FROM agents WHERE alias = ?), ?)"
    owned = f"{_ENTRY} AND superseded_by IS NULL AND agent IN ('', ?, {agent})"
    which = "category <> 'conversation' AND (pinned OR category IN ('core', 'daily'))"
    parameters = [scope.agent, scope.agent, scope.agent]
    if query.entries == "thread":
        which = "category = 'conversation' AND session_id = ?"
        parameters.append(query.thread_id or "")
    condition = f"EXISTS (SELECT 1 FROM entries WHERE {owned} AND {which})"  # noqa: S608
    return [Part(index.span(scope_id, index.Kind.ENTRY), condition, tuple(parameters), query.given != "documents")]
