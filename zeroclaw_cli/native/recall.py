"""Recall: the entries of a selection and the documents that belong to it, ranked together (specs/recall-ranking.md)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from zeroclaw_cli.errors import ZeroclawError
from zeroclaw_cli.native import bad_rows, index
from zeroclaw_cli.native import entries as rows
from zeroclaw_cli.native.entries import NativeEntry, Selection
from zeroclaw_cli.native.ranking import Cache, Explanation, Hit, Part, rank
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.stamps import shown

DOCUMENT: Final = "document"


@dataclass(frozen=True, slots=True)
class Recalled:
    """One found entry and how its score came about (None when nothing was asked for, only the most recent)."""

    entry: NativeEntry
    explanation: Explanation | None


def recall(
    connection: sqlite3.Connection,
    aliases: rows.Aliases,
    scope: Scope,
    query: str,
    limit: int,
    selection: Selection,
    *,
    explain: bool,
    cache: Cache | None = None,
    warn: Callable[[str], None] | None = None,
) -> list[Recalled]:
    """The best ``limit`` entries and parts of documents for a query that is not blank, best first; of equal ones the
    newest, then by key. ``connection`` must be in one reading transaction, ``cache`` be of the state that it sees.
    Entries that cannot be read are left out and named to ``warn``."""
    ranking = rank(connection, _parts(connection, scope, selection), query, limit, cache)
    entries, damaged = _materialised(connection, aliases, ranking.hits)
    if damaged and warn is not None:
        warn(bad_rows.left_out(damaged))
    found = (hit for hit in ranking.hits if hit.chunk in entries)
    hits = sorted(found, key=lambda hit: (-hit.score, -hit.at, entries[hit.chunk].key))
    return [Recalled(entries[hit.chunk], ranking.explain(hit.chunk) if explain else None) for hit in hits[:limit]]


def _parts(connection: sqlite3.Connection, scope: Scope, selection: Selection) -> list[Part]:
    """The entries of the selection, and the documents that belong to it: they have no namespace, belong to no session
    as rows without one do (specs/native-memory.md §22.3), and a question for an agent asks for those of that agent."""
    parts = []
    scope_id = index.find_scope(connection, scope)
    condition, values = selection.condition()
    if scope_id is not None:
        if not condition:
            # Entries and documents lie side by side in the index: one question for both.
            first, last = index.span(scope_id, index.Kind.ENTRY), index.span(scope_id, index.Kind.DOCUMENT)
            return [Part(index.Span(first.first, last.last))]
        condition = f"EXISTS (SELECT 1 FROM entries e WHERE e.number = {index.ENTRY_OF_ID} AND {condition})"  # noqa: S608
        parts.append(Part(index.span(scope_id, index.Kind.ENTRY), condition, values))
    if selection.namespace is not None:
        return parts
    condition, values = _document_bounds(selection)
    for agent in _document_agents(connection, selection):
        scope_id = index.find_scope(connection, replace(scope, agent=agent))
        if scope_id is not None:
            parts.append(Part(index.span(scope_id, index.Kind.DOCUMENT), condition, values))
    return parts


def _document_agents(connection: sqlite3.Connection, selection: Selection) -> list[str]:
    if selection.agents is None:
        return [""]
    marks = ", ".join("?" * len(selection.agents))
    found = connection.execute(f"SELECT alias FROM agents WHERE id IN ({marks})", selection.agents)  # noqa: S608
    return [alias for (alias,) in found if _is_agent(alias)]


def _materialised(
    connection: sqlite3.Connection, aliases: rows.Aliases, hits: Sequence[Hit]
) -> tuple[dict[int, NativeEntry], list[str]]:
    """The entry of each hit, by chunk, and the keys of those that cannot be read; a part of a document is one of the
    category ``document`` under its path."""
    numbers = {index.owner_of(hit.chunk) for hit in hits if index.kind_of(hit.chunk) is index.Kind.ENTRY}
    found, damaged = rows.by_numbers(connection, list(numbers))
    entries = {}
    for hit in hits:
        if index.kind_of(hit.chunk) is index.Kind.ENTRY:
            row = found.get(index.owner_of(hit.chunk))
            if row is not None:
                entries[hit.chunk] = rows.entry_of(row, aliases, hit.score)
        else:
            document = _of_document(connection, hit)
            if document is not None:
                entries[hit.chunk] = document
    return entries, damaged


def _of_document(connection: sqlite3.Connection, hit: Hit) -> NativeEntry | None:
    """The part of a document that was hit; None where the document is lost, which doctor tells."""
    sql = "SELECT path, created_at, updated_at FROM documents WHERE id = ?"
    found, _ = bad_rows.fetch(connection, sql, (index.owner_of(hit.chunk),))
    if not found:
        return None
    path, created, updated = bad_rows.as_far_as_readable(found[0])
    return NativeEntry(
        id=f"{DOCUMENT}:{path}#{index.part_of(hit.chunk)}",
        key=path,
        content=index.chunk_text(connection, hit.chunk),
        category=DOCUMENT,
        timestamp=shown(created),
        score=hit.score,
        updated_at=shown(updated),
    )


def _document_bounds(selection: Selection) -> tuple[str, tuple[str, ...]]:
    words, values = [], []
    for operator, value in ((">=", selection.since), ("<=", selection.until)):
        if value is not None:
            words.append(
                f"EXISTS (SELECT 1 FROM documents d WHERE d.id = {index.DOCUMENT_OF_ID} "  # noqa: S608
                f"AND d.updated_at {operator} ?)"
            )
            values.append(value)
    return " AND ".join(words), tuple(values)


def _is_agent(alias: str) -> bool:
    """Whether an alias can be the agent of a scope, and so have documents."""
    try:
        Scope(agent=alias)
    except ZeroclawError:
        return False
    return True
