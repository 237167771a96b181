"""Changing entries inside one transaction, each with its row of the index (specs/native-memory.md §22.3)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, islice, repeat
from typing import Any, Final

from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE
from zeroclaw_cli.native import bad_rows, forgetting, forgotten, index
from zeroclaw_cli.native.bulk import collection_paused, insert_rows, select_among
from zeroclaw_cli.native.entries import (
    CORE,
    IN_SCOPE,
    NewEntry,
    Selection,
    entries_scope,
    is_standing,
    new_ids,
    place_of,
)
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.stamps import now_stamp

BATCH: Final = 1_000

_OLD: Final = (
    "SELECT key, agent, number, id, created_at, content, category, pinned FROM entries "
    "WHERE tenant = ? AND user = ? AND project = ? AND key IN (%s)"
)
_INSERT: Final = (
    "INSERT INTO entries (id, tenant, user, project, key, agent, content, category, session_id, namespace, importance, "
    "kind, pinned, created_at, updated_at, superseded_by, number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
    "?, ?)"
)
_UPDATE: Final = (
    "UPDATE entries SET id = ?, content = ?, category = ?, session_id = ?, namespace = ?, importance = ?, kind = ?, "
    "pinned = ?, created_at = ?, updated_at = ?, superseded_by = ? WHERE number = ?"
)

# Called before a standing row is kept, with the text of the standing row that it replaces (None: none); raises to
# refuse.
Check = Callable[[NewEntry, str | None, sqlite3.Connection], None]


class EntryWriter:
    """Changes entries inside one open transaction; a context manager whose end completes the index."""

    def __init__(self, transaction: sqlite3.Connection, scope: Scope, check: Check) -> None:
        self._transaction = transaction
        self._place = place_of(scope)
        self._scope_id = index.ensure_scope(transaction, entries_scope(scope))
        self._check = check
        self._index = index.IndexWriter(transaction)
        self._aliases: dict[str, str] = {}

    def __enter__(self) -> EntryWriter:
        return self

    def __exit__(self, kind: object, *exc: object) -> None:
        if kind is None:
            self._index.flush()

    def put(self, entries: Iterable[NewEntry], *, over: bool = True) -> int:
        """Store entries; returns how many. One whose key and agent are there already takes the place of that row, or
        with ``over`` false is left out."""
        pending, total = iter(entries), 0
        with collection_paused():
            while batch := list(islice(pending, BATCH)):
                # A key that comes twice must find the row that its first occurrence made.
                for group in _without_repeats(batch):
                    total += self._put(group, over=over)
        return total

    def _put(self, entries: Sequence[NewEntry], *, over: bool) -> int:
        present = self._present([entry.key for entry in entries])
        if present and not over:
            entries, present = [entry for entry in entries if (entry.key, entry.agent) not in present], {}
        for entry in entries:
            if entry.category == CORE or entry.pinned:
                self._check_standing(entry, present.get((entry.key, entry.agent)))
        if not present:
            self._insert(entries)
            return len(entries)
        self._insert([entry for entry in entries if (entry.key, entry.agent) not in present])
        self._update([(entry, old) for entry in entries if (old := present.get((entry.key, entry.agent)))])
        return len(entries)

    def _insert(self, entries: Sequence[NewEntry]) -> None:
        """Store rows whose keys and agents are not there yet, column by column: an import is nearly always these."""
        if not entries:
            return
        (keys, contents, categories, sessions, namespaces, importances, agents, kinds, pins, *times, ids,
         superseded) = zip(*entries, strict=True)  # fmt: skip
        now = now_stamp()
        created = [at or now for at in times[0]]
        updated = [later or earlier or now for earlier, later in zip(*times, strict=True)]
        made = iter(new_ids(ids.count("")))
        named = [given or next(made) for given in ids]
        first = self._last_number() + 1
        numbers = range(first, first + len(entries))
        place = (repeat(part, len(named)) for part in self._place)
        about = (contents, categories, sessions, namespaces, importances, kinds, map(int, pins))
        rows = zip(named, *place, keys, agents, *about, created, updated, superseded, numbers, strict=True)
        insert_rows(self._transaction, _INSERT, list(rows))
        labels, authors = list(map(_shown_namespace, namespaces)), list(map(self._alias, agents))
        moments = [_moment(*times) for times in zip(sessions, created, updated, strict=True)]
        columns = index.EntryColumns(numbers, contents, keys, labels, sessions, moments, authors, importances)
        if superseded.count(None) < len(superseded):
            live = [by is None for by in superseded]
            columns = index.EntryColumns._make(tuple(compress(column, live)) for column in columns)
        if columns.numbers:
            self._index.put_columns(self._scope_id, columns)

    def _update(self, pairs: Sequence[tuple[NewEntry, Sequence[Any]]]) -> None:
        """Store rows in the place of old ones."""
        now = now_stamp()
        updates, stale = [], []
        texts: list[index.EntryText] = []
        for entry, old in pairs:
            row, created = old[0], entry.created_at or old[2]
            updated = entry.updated_at or entry.created_at or now
            about = (entry.content, entry.category, entry.session_id, entry.namespace, entry.importance)
            values = (entry.kind, int(entry.pinned), created, updated, entry.superseded_by)
            updates.append((entry.id or old[1], *about, *values, row))
            stale.append(row)
            if entry.superseded_by is None:
                texts.append(self._text_of(row, entry, _moment(entry.session_id, created, updated)))
        self._transaction.executemany(_UPDATE, updates)
        self._index.remove_entries(self._scope_id, stale)
        self._index.put_entries(self._scope_id, texts)

    def _check_standing(self, entry: NewEntry, old: Sequence[Any] | None) -> None:
        before = old[3] if old is not None and is_standing(old[4], old[5]) and not bad_rows.is_bad(old[3]) else None
        self._check(entry, before, self._transaction)

    def remove(self, selection: Selection) -> int:
        """Remove the rows of a selection; returns how many there were."""
        condition, values = selection.condition()
        where = IN_SCOPE + (f" AND {condition}" if condition else "")
        parameters = (*self._place, *values)
        # As bytes, since one that cannot be read can be forgotten too.
        sql = f"SELECT e.number, CAST(e.key AS BLOB), CAST(e.agent AS BLOB) FROM entries e WHERE {where}"  # noqa: S608
        found = self._transaction.execute(sql, parameters).fetchall()
        numbers = [number for number, *_ in found]
        if numbers:
            forgetting.mark(self._transaction)
            digests = (forgotten.digest("entry", *self._place, key, agent) for _, key, agent in found)
            forgotten.note(self._transaction, digests)
        self._index.remove_entries(self._scope_id, numbers)
        self._transaction.executemany("DELETE FROM entries WHERE number = ?", [(number,) for number in numbers])
        return len(numbers)

    def supersede(self, key: str, agent: str, by: str) -> bool:
        """Hide the row of a key and agent from recall, as replaced by the entry of id ``by``."""
        row = self._present([key]).get((key, agent))
        if row is None:
            return False
        self._transaction.execute("UPDATE entries SET superseded_by = ? WHERE number = ?", (by, row[0]))
        self._index.remove_entries(self._scope_id, [row[0]])
        return True

    def name_agent(self, id: str, alias: str) -> None:
        """Remember which agent an alias means; what is known already stays."""
        self._transaction.execute("INSERT OR IGNORE INTO agents (id, alias) VALUES (?, ?)", (id, alias))
        self._aliases.pop(id, None)

    def reindex(self) -> int:
        """Index every live entry of the scope anew, after the index was cleared; returns how many. What cannot be read
        (``bad_rows.tolerated``) is left out."""
        sql = (
            f"SELECT number, {', '.join(bad_rows.ENTRY_TEXTS)}, importance FROM entries e "  # noqa: S608
            f"WHERE {IN_SCOPE} AND superseded_by IS NULL ORDER BY number"
        )
        total = 0
        rows = self._transaction.execute(sql, self._place)
        while batch := rows.fetchmany(BATCH):
            readable = [row for row in batch if bad_rows.why_bad_entry(row[1:-1]) is None]
            self._index.put_entries(self._scope_id, map(self._text_of_row, readable))
            total += len(readable)
        return total

    def _text_of_row(self, row: Sequence[Any]) -> index.EntryText:
        named = dict(zip(bad_rows.ENTRY_TEXTS, row[1:-1], strict=True))
        entry = NewEntry(
            named["key"],
            named["content"],
            named["category"],
            named["session_id"],
            named["namespace"],
            row[-1],
            named["agent"],
        )
        moment = _moment(named["session_id"], named["created_at"], named["updated_at"])
        return self._text_of(row[0], entry, moment)

    def _text_of(self, number: int, entry: NewEntry, moment: str) -> index.EntryText:
        return index.EntryText(
            number,
            entry.content,
            entry.key,
            _shown_namespace(entry.namespace),
            entry.session_id,
            moment,
            self._alias(entry.agent),
            entry.importance,
        )

    def _present(self, keys: Sequence[str]) -> dict[tuple[str, str], tuple[Any, ...]]:
        """The rows of these keys by key and agent: number, id, created_at, and what they hold."""
        try:
            rows = list(select_among(self._transaction, _OLD, self._place, keys))
        except sqlite3.OperationalError as error:
            if not bad_rows.is_decoding(error):
                raise
            with bad_rows.tolerated(self._transaction):
                rows = list(select_among(self._transaction, _OLD, self._place, keys))
        return {(row[0], row[1]): row[2:] for row in rows}

    def _last_number(self) -> int:
        # The numbers that there are count too: what keeps the last one given may be lost.
        sql = "SELECT max(coalesce(max(seq), 0), (SELECT coalesce(max(number), 0) FROM entries)) FROM sqlite_sequence"
        return int(self._transaction.execute(f"{sql} WHERE name = 'entries'").fetchone()[0])

    def _alias(self, agent: str) -> str:
        if not agent:
            return ""
        found = self._aliases.get(agent)
        if found is None:
            row = self._transaction.execute("SELECT alias FROM agents WHERE id = ?", (agent,)).fetchone()
            found = self._aliases[agent] = "" if row is None else row[0]
        return found


def _shown_namespace(namespace: str) -> str:
    # The usual namespace is not a word that a row should be found by.
    return "" if namespace == DEFAULT_NAMESPACE else namespace


def _without_repeats(batch: Sequence[NewEntry]) -> Iterator[list[NewEntry]]:
    group = {(entry.key, entry.agent): entry for entry in batch}
    if len(group) == len(batch):
        yield list(batch)
        return
    group = {}
    for entry in batch:
        place = (entry.key, entry.agent)
        if place in group:
            yield list(group.values())
            group = {}
        group[place] = entry
    yield list(group.values())


def _moment(session_id: str | None, created: str, updated: str) -> str:
    """The time of a row in the index: in a session that of its place in the conversation, else that of its text."""
    return updated if session_id is None else created
