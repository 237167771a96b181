"""The one search index, kept in the transaction of what it indexes (specs/native-memory.md §22.3, §22.4).

A chunk's id holds the number of its scope, its kind and its owner, so that the chunks of one scope, and of one
document, are one range of ids, and a search in a scope never sees another's rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import compress, islice, repeat
from typing import Final, NamedTuple

from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.native import segment
from zeroclaw_cli.native.bulk import insert_rows, select_among
from zeroclaw_cli.native.forgetting import mark
from zeroclaw_cli.native.schema import has_full_text
from zeroclaw_cli.native.scope import OF_SCOPE, Scope
from zeroclaw_cli.native.stamps import microseconds

_KIND_BITS: Final = 2
_OWNER_BITS: Final = 44
_PART_BITS: Final = 13
MAX_SCOPES: Final = (1 << 17) - 1
MAX_PARTS: Final = 1 << _PART_BITS
# What `owner_of` makes of the id of an entry's, and of a document's chunk, as SQL for the conditions of a ranking.
ENTRY_OF_ID: Final = f"({{id}} & {(1 << _OWNER_BITS) - 1})"
DOCUMENT_OF_ID: Final = f"({ENTRY_OF_ID} >> {_PART_BITS})"
# Whether a row of the totals, which are kept by scope and kind, is of the ids from the first parameter to the second.
TOTALS_IN_SPAN: Final = f"((scope << {_KIND_BITS}) | kind) BETWEEN ? >> {_OWNER_BITS} AND ? >> {_OWNER_BITS}"

_INSERT: Final = (
    "INSERT INTO chunks (id, session, at, length, traits, weight, body, label, dates, speaker, text) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_TERMS: Final = "INSERT INTO chunks_fts (rowid, body, label, dates, speaker) VALUES (?, ?, ?, ?, ?)"
_INSERT_SESSION: Final = "INSERT INTO sessions (scope, name, chunks, length) VALUES (?, ?, 0, 0)"
_SESSION_NUMBERS: Final = "SELECT name, number FROM sessions WHERE scope = ? AND name IN (%s)"
_COPY_TERMS: Final = (
    "INSERT INTO chunks_fts (rowid, body, label, dates, speaker) "
    "SELECT id, body, label, dates, speaker FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id"
)
_DELETE_TERMS: Final = (
    "INSERT INTO chunks_fts (chunks_fts, rowid, body, label, dates, speaker) "
    "SELECT 'delete', id, body, label, dates, speaker FROM chunks WHERE "
)
_IN_SPAN: Final = "id BETWEEN ? AND ?"


class Kind(IntEnum):
    """What a chunk is a part of. Transcripts are the documents under ``threads/``."""

    ENTRY = 0
    DOCUMENT = 1
    TRANSCRIPT = 2


@dataclass(frozen=True, slots=True)
class Span:
    """An inclusive range of chunk ids."""

    first: int
    last: int


class EntryText(NamedTuple):
    """What the index needs of one entry: its number, text, key, namespace (empty when it is the usual one), session,
    time, the name of the agent that wrote it (empty for none), and its importance from 0 to 1."""

    number: int
    content: str
    key: str
    namespace: str
    session_id: str | None
    at: str
    author: str
    importance: float | None = None


class EntryColumns(NamedTuple):
    """The fields of :class:`EntryText` for many entries, one sequence a field."""

    numbers: Sequence[int]
    contents: Sequence[str]
    keys: Sequence[str]
    namespaces: Sequence[str]
    session_ids: Sequence[str | None]
    at: Sequence[str]
    authors: Sequence[str]
    importances: Sequence[float | None]


def span(scope_id: int, kind: Kind) -> Span:
    """The ids of all chunks of a kind in a scope."""
    first = ((scope_id << _KIND_BITS) | kind) << _OWNER_BITS
    return Span(first, first + (1 << _OWNER_BITS) - 1)


def document_span(scope_id: int, kind: Kind, doc_id: int) -> Span:
    """The ids of the chunks of one document, in the order of its parts."""
    first = span(scope_id, kind).first | (doc_id << _PART_BITS)
    return Span(first, first + MAX_PARTS - 1)


def weight_of(importance: float | None) -> float:
    """The factor of a row's score: 0.8 for no importance at all, 1.0 for the highest, 0.9 when it is not known."""
    return 0.8 + 0.2 * (0.5 if importance is None else min(max(importance, 0.0), 1.0))


USUAL_WEIGHT: Final = weight_of(None)


def is_chunk(number: int) -> bool:
    """Whether a number can be the id of a chunk."""
    return 0 < number >> (_OWNER_BITS + _KIND_BITS) <= MAX_SCOPES and (number >> _OWNER_BITS) & 3 <= max(Kind)


def kind_of(chunk_id: int) -> Kind:
    return Kind((chunk_id >> _OWNER_BITS) & ((1 << _KIND_BITS) - 1))


def owner_of(chunk_id: int) -> int:
    """The number of the entry, or the id of the document, that the chunk is a part of."""
    owner = chunk_id & ((1 << _OWNER_BITS) - 1)
    return owner if kind_of(chunk_id) is Kind.ENTRY else owner >> _PART_BITS


def whole_of(chunk_id: int) -> int:
    """What all chunks of one document share, and an entry's chunk has alone: the id of the first."""
    if (chunk_id >> _OWNER_BITS) & ((1 << _KIND_BITS) - 1) == Kind.ENTRY:
        return chunk_id
    return chunk_id & -MAX_PARTS


def part_of(chunk_id: int) -> int:
    """Which part of its document a chunk is, from 0."""
    return chunk_id & (MAX_PARTS - 1)


def find_scope(connection: sqlite3.Connection, scope: Scope) -> int | None:
    """The number of a scope, or None when nothing was ever written in it."""
    row = connection.execute(f"SELECT id FROM scopes WHERE {OF_SCOPE}", scope.key).fetchone()  # noqa: S608
    return None if row is None else int(row[0])


def ensure_scope(transaction: sqlite3.Connection, scope: Scope) -> int:
    """The number of a scope, given to it now if it has none. Raises MemoryFailure when there are too many."""
    found = find_scope(transaction, scope)
    if found is not None:
        return found
    transaction.execute("INSERT INTO scopes (tenant, user, agent, project) VALUES (?, ?, ?, ?)", scope.key)
    number = int(transaction.execute("SELECT last_insert_rowid()").fetchone()[0])
    if number > MAX_SCOPES:
        raise MemoryFailure(
            f"the store cannot hold more than {MAX_SCOPES} scopes", hint="use another data directory for more"
        )
    return number


class _Session:
    """What a session has gained since its row was read or written."""

    __slots__ = ("chunks", "length", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.chunks = 0
        self.length = 0.0


class IndexWriter:
    """Changes the index inside one open transaction. Sums over sessions and scopes are written by ``flush``, which must
    be the last call; as a context manager it flushes at the end of the block."""

    def __init__(self, transaction: sqlite3.Connection) -> None:
        self._transaction = transaction
        self._full_text = has_full_text(transaction)
        self._totals: dict[tuple[int, int], list[float]] = {}
        self._sessions: dict[tuple[int, str], _Session] = {}
        self._speakers: set[str] = set()
        self._waiting: list[Span] = []

    def __enter__(self) -> IndexWriter:
        return self

    def __exit__(self, kind: object, *exc: object) -> None:
        if kind is None:
            self.flush()

    def put_entries(self, scope_id: int, entries: Iterable[EntryText]) -> None:
        """Index entries that have no chunk yet."""
        pending = iter(entries)
        while batch := list(islice(pending, 1_000)):
            self.put_columns(scope_id, EntryColumns(*zip(*batch, strict=True)))

    def put_columns(self, scope_id: int, columns: EntryColumns) -> None:
        """Index entries that have no chunk yet; at most some thousands."""
        numbers, contents, keys, namespaces, session_ids, created, authors, importances = columns
        labels = [f"{key} {more}" if more else key for key, more in zip(keys, namespaces, strict=True)]
        in_session = [name is not None for name in session_ids]
        terms = segment.analyse_all(contents, labels, created, in_session, authors)
        bodies, labels, dates, speakers, lengths, traits = terms
        self._know_sessions(scope_id, set(session_ids))
        sessions = self._grow_sessions(scope_id, session_ids, lengths)
        of_sessions = sum(compress(lengths, in_session))
        self._grow_totals(scope_id, Kind.ENTRY, len(lengths), sum(lengths), 0, of_sessions)
        self._speakers.update(speakers)
        base = span(scope_id, Kind.ENTRY).first
        chunks = [base | number for number in numbers]
        weights = [USUAL_WEIGHT if importance is None else weight_of(importance) for importance in importances]
        about = (chunks, sessions, map(microseconds, created), lengths, traits, weights)
        insert_rows(
            self._transaction,
            _INSERT,
            list(zip(*about, bodies, labels, dates, speakers, repeat(None, len(chunks)), strict=True)),
        )
        if isinstance(numbers, range):
            self._await_full_text(chunks[0], chunks[-1])
        elif self._full_text:
            self._transaction.executemany(_INSERT_TERMS, zip(chunks, bodies, labels, dates, speakers, strict=True))

    def _await_full_text(self, first: int, last: int) -> None:
        """Have the chunks of a range, which holds no others, put into the full-text index by ``flush``."""
        if self._waiting and self._waiting[-1].last + 1 == first:
            first = self._waiting.pop().first
        self._waiting.append(Span(first, last))

    def _write_full_text(self) -> None:
        for place in self._waiting if self._full_text else ():
            self._transaction.execute(_COPY_TERMS, (place.first, place.last))
        self._waiting.clear()

    def _grow_sessions(self, scope_id: int, names: Iterable[str | None], lengths: Iterable[float]) -> list[int | None]:
        """The number of the session of each row, none for a row without one; the rows count in its sums."""
        numbers: list[int | None] = []
        known = self._sessions
        for name, length in zip(names, lengths, strict=True):
            if name is None:
                numbers.append(None)
                continue
            session = known[scope_id, name]
            session.chunks += 1
            session.length += length
            numbers.append(session.number)
        return numbers

    def remove_entries(self, scope_id: int, numbers: Iterable[int]) -> None:
        """Remove the chunks of entries, of those that have one."""
        base, pending = span(scope_id, Kind.ENTRY).first, iter(numbers)
        while batch := list(islice(pending, 1_000)):
            chosen = json.dumps([base | number for number in batch])
            self._remove(scope_id, Kind.ENTRY, "id IN (SELECT value FROM json_each(?))", (chosen,))

    def replace_document(
        self, scope_id: int, kind: Kind, doc_id: int, texts: Sequence[str], *, path: str, at: str, kept: int = 0
    ) -> int:
        """Index the parts of a document anew, in their order; no texts remove it. ``at`` is the stamp of its last
        change; the first ``kept`` parts are indexed already, with the same terms. Returns how many chunks it has now,
        at most :data:`MAX_PARTS`."""
        place = document_span(scope_id, kind, doc_id)
        first, moment, length = place.first + kept, microseconds(at), 0.0
        removed = self._remove(scope_id, kind, _IN_SPAN, (first, place.last))
        if kept:
            self._transaction.execute(
                "UPDATE chunks SET at = ? WHERE id BETWEEN ? AND ?", (moment, place.first, first - 1)
            )
        for chunk, text in enumerate(texts[kept:MAX_PARTS], start=first):
            terms = segment.analyse(text, label=path, created_at=at, in_session=kind is Kind.TRANSCRIPT)
            fields = (terms.body, terms.label, terms.dates, terms.speaker)
            # Sessions of entries have positive numbers, documents are their own session under a negative one.
            self._speakers.add(terms.speaker)
            row = (chunk, -doc_id, moment, terms.length, terms.traits, weight_of(None), *fields, text)
            self._transaction.execute(_INSERT, row)
            if self._full_text:
                self._transaction.execute(_INSERT_TERMS, (chunk, *fields))
            length += terms.length
        count = min(len(texts), MAX_PARTS)
        if count:
            # A document is one session as long as it has parts; removing any of them has counted it out.
            sessions = int(removed) if kept else 1
            self._grow_totals(scope_id, kind, count - kept, length, sessions, length)
        return count

    def remove_document(self, scope_id: int, kind: Kind, doc_id: int) -> None:
        """Remove every chunk of a document, which is forgotten."""
        mark(self._transaction)
        place = document_span(scope_id, kind, doc_id)
        self._remove(scope_id, kind, _IN_SPAN, (place.first, place.last))

    def flush(self) -> None:
        """Write what the calls before have gathered: the full-text index of new rows, and sums."""
        self._write_full_text()
        self._transaction.executemany(
            "INSERT INTO index_totals (scope, kind, chunks, length, sessions, session_length) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, kind) DO UPDATE SET "
            "chunks = chunks + excluded.chunks, length = length + excluded.length, "
            "sessions = sessions + excluded.sessions, session_length = session_length + excluded.session_length",
            [(*place, *sums) for place, sums in self._totals.items()],
        )
        self._totals.clear()
        self._transaction.executemany(
            "UPDATE sessions SET chunks = chunks + ?, length = length + ? WHERE number = ?",
            [(session.chunks, session.length, session.number) for session in self._sessions.values()],
        )
        self._sessions.clear()
        self._speakers.discard("")
        self._transaction.executemany(
            "INSERT OR IGNORE INTO speakers (name) VALUES (?)", [(name,) for name in self._speakers]
        )
        self._speakers.clear()

    def _remove(self, scope_id: int, kind: Kind, which: str, parameters: tuple[object, ...]) -> bool:
        rows = self._transaction.execute(
            f"SELECT session, count(*), sum(length) FROM chunks WHERE {which} GROUP BY session",  # noqa: S608
            parameters,
        ).fetchall()
        if not rows:
            return False
        # Terms are taken out of the full-text index only after they were put in.
        self._write_full_text()
        if self._full_text:
            self._transaction.execute(_DELETE_TERMS + which, parameters)
        self._transaction.execute(f"DELETE FROM chunks WHERE {which}", parameters)  # noqa: S608 - conditions of ours
        for session, count, length in rows:
            of_session = 0.0 if session is None else -length
            self._grow_totals(scope_id, kind, -count, -length, -1 if kind is not Kind.ENTRY else 0, of_session)
            if session is not None and session > 0:
                self._shrink_session(scope_id, session, count, length)
        return True

    def _grow_totals(
        self, scope_id: int, kind: Kind, chunks: int, length: float, sessions: int, session_length: float
    ) -> None:
        sums = self._totals.setdefault((scope_id, int(kind)), [0, 0.0, 0, 0.0])
        for place, value in enumerate((chunks, length, sessions, session_length)):
            sums[place] += value

    def _know_sessions(self, scope_id: int, names: set[str | None]) -> None:
        """Read the numbers of sessions that are not known yet, and make those that are not there."""
        wanted = [name for name in names if name is not None and (scope_id, name) not in self._sessions]
        if not wanted:
            return
        found = self._session_numbers(scope_id, wanted)
        if missing := [name for name in wanted if name not in found]:
            insert_rows(self._transaction, _INSERT_SESSION, [(scope_id, name) for name in missing])
            self._grow_totals(scope_id, Kind.ENTRY, 0, 0.0, len(missing), 0.0)
            found |= self._session_numbers(scope_id, missing)
        for name, number in found.items():
            self._sessions[scope_id, name] = _Session(number)

    def _session_numbers(self, scope_id: int, names: Sequence[str]) -> dict[str, int]:
        return dict(select_among(self._transaction, _SESSION_NUMBERS, (scope_id,), names))

    def _shrink_session(self, scope_id: int, number: int, chunks: int, length: float) -> None:
        # What the calls before have gathered must be in the row before it is looked at.
        self.flush()
        self._transaction.execute(
            "UPDATE sessions SET chunks = chunks - ?, length = length - ? WHERE number = ?", (chunks, length, number)
        )
        gone = self._transaction.execute("DELETE FROM sessions WHERE number = ? AND chunks <= 0", (number,)).rowcount
        if gone:
            self._grow_totals(scope_id, Kind.ENTRY, 0, 0.0, -1, 0.0)


def chunk_text(connection: sqlite3.Connection, chunk_id: int) -> str:
    """The own text of a document's chunk; empty when it is gone."""
    row = connection.execute("SELECT text FROM chunks WHERE id = ?", (chunk_id,)).fetchone()
    return "" if row is None or row[0] is None else str(row[0])
