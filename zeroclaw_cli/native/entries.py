"""Entries: rows by (scope, key, agent), each change one transaction with its index row (specs/native-memory.md §22.3).

Documents have the four-part scope; entries have tenant, user and project, and the agent is an attribute of the row.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, Final, NamedTuple

from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Entry
from zeroclaw_cli.native import index
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.stamps import now_stamp, shown

BATCH: Final = 1_000
CORE: Final = "core"

_COLUMNS: Final = (
    "e.id, e.key, e.content, e.category, e.created_at, e.session_id, e.namespace, e.importance, e.superseded_by, "
    "e.agent, e.kind, e.pinned, e.updated_at"
)
_IN_SCOPE: Final = "e.tenant = ? AND e.user = ? AND e.project = ?"
_BY_KEY: Final = f"SELECT {_COLUMNS} FROM entries e WHERE {_IN_SCOPE} AND e.key = ?"  # noqa: S608
_BY_KEY_AND_AGENT: Final = _BY_KEY + " AND e.agent = ?"
_OLD: Final = (
    "SELECT key, agent, number, id, created_at, content, category, session_id, namespace, importance, superseded_by, "
    "pinned FROM entries WHERE tenant = ? AND user = ? AND project = ? AND key "
)
_AMONG: Final = "IN (SELECT value FROM json_each(?))"
_INSERT: Final = (
    "INSERT INTO entries (id, tenant, user, project, key, agent, content, category, session_id, namespace, importance, "
    "kind, pinned, created_at, updated_at, superseded_by, number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
    "?, ?)"
)
_UPDATE: Final = (
    "UPDATE entries SET id = ?, content = ?, category = ?, session_id = ?, namespace = ?, importance = ?, kind = ?, "
    "pinned = ?, created_at = ?, updated_at = ?, superseded_by = ? WHERE number = ?"
)


@dataclass(frozen=True, slots=True)
class NativeEntry(Entry):
    """An entry of this store: ``kind`` is a free word or None, ``pinned`` keeps it in the standing lane, ``updated_at``
    is the RFC 3339 text of its last store; ``timestamp`` is that of its first."""

    kind: str | None = None
    pinned: bool = False
    updated_at: str = ""

    @classmethod
    def from_json(cls, row: Any) -> NativeEntry:
        """An entry from a row of an export, the three own fields too. Raises ValueError that names the field."""
        plain = Entry.from_json(row)
        kind, pinned, updated_at = row.get("kind"), row.get("pinned"), row.get("updated_at")
        if kind is not None and not isinstance(kind, str):
            raise ValueError("kind must be a string or null")
        if pinned is not None and not isinstance(pinned, bool):
            raise ValueError("pinned must be true or false")
        if updated_at is not None and not isinstance(updated_at, str):
            raise ValueError("updated_at must be a string")
        values = {field.name: getattr(plain, field.name) for field in fields(plain)}
        return cls(**values, kind=kind, pinned=bool(pinned), updated_at=updated_at or "")


class NewEntry(NamedTuple):
    """What is to be stored. ``agent`` is an id, empty for none; ``created_at`` and ``updated_at`` are stamps, empty for
    now (and an existing row then keeps its creation); ``id`` empty gives one."""

    key: str
    content: str
    category: str
    session_id: str | None = None
    namespace: str = DEFAULT_NAMESPACE
    importance: float | None = None
    agent: str = ""
    kind: str | None = None
    pinned: bool = False
    created_at: str = ""
    updated_at: str = ""
    id: str = ""
    superseded_by: str | None = None


def is_standing(category: str, pinned: object) -> bool:
    """Whether a row is one that a model reads every turn."""
    return category == CORE or bool(pinned)


# Called before a standing row is kept, with the text of the standing row that it replaces (None: none); raises to
# refuse.
Check = Callable[[NewEntry, str | None, sqlite3.Connection], None]


def new_ids(count: int) -> list[str]:
    """Fresh ids that sort by the time they were made: UUIDs of version 7."""
    moment, digits = f"{time.time_ns() // 1_000_000:012x}", os.urandom(10 * count).hex()
    made = []
    for at in range(0, 20 * count, 20):
        variant = "89ab"[int(digits[at], 16) & 3]
        tail = f"{variant}{digits[at + 1 : at + 4]}-{digits[at + 4 : at + 16]}"
        made.append(f"{moment[:8]}-{moment[8:]}-7{digits[at + 16 : at + 19]}-{tail}")
    return made


class Aliases:
    """The aliases of agents by id. An alias once given never changes, so what was read is kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, str] = {}

    def of(self, agent: str) -> str | None:
        """The alias of an agent, or None for no agent or one that has none."""
        found = self._known.get(agent)
        if found is None and agent:
            rows = self._store.query("SELECT alias FROM agents WHERE id = ?", (agent,))
            if rows:
                found = self._known[agent] = str(rows[0][0])
        return found


Place = tuple[str, str, str]


def place_of(scope: Scope) -> Place:
    """Tenant, user and project: where the entries of a scope are."""
    return scope.tenant, scope.user, scope.project


def find(store: Store, aliases: Aliases, place: Place, key: str, agent: str | None = None) -> NativeEntry | None:
    """The row of a key and agent; for agent None the one of any agent that was stored last."""
    if agent is None:
        rows = store.query(_BY_KEY, (*place, key))
        if len(rows) > 1:
            rows.sort(key=lambda row: (row[12], row[0]), reverse=True)
    else:
        rows = store.query(_BY_KEY_AND_AGENT, (*place, key, agent))
    return entry_of(rows[0], aliases) if rows else None


def entry_of(row: Sequence[Any], aliases: Aliases, score: float | None = None) -> NativeEntry:
    """An entry from a row of the columns that every query here selects."""
    created, agent, updated = row[4], row[9], row[12]
    timestamp = shown(created)
    # Reading makes nothing but entries, and this is twice as fast as the constructor of a frozen class.
    entry = object.__new__(NativeEntry)
    _set_id(entry, row[0])
    _set_key(entry, row[1])
    _set_content(entry, row[2])
    _set_category(entry, row[3])
    _set_timestamp(entry, timestamp)
    _set_session_id(entry, row[5])
    _set_score(entry, score)
    _set_namespace(entry, row[6])
    _set_importance(entry, row[7])
    _set_superseded_by(entry, row[8])
    _set_agent_alias(entry, aliases.of(agent) if agent else None)
    _set_agent_id(entry, agent or None)
    _set_kind(entry, row[10])
    _set_pinned(entry, row[11] == 1)
    _set_updated_at(entry, timestamp if updated == created else shown(updated))
    return entry


(
    _set_id,
    _set_key,
    _set_content,
    _set_category,
    _set_timestamp,
    _set_session_id,
    _set_score,
    _set_namespace,
    _set_importance,
    _set_superseded_by,
    _set_agent_alias,
    _set_agent_id,
    _set_kind,
    _set_pinned,
    _set_updated_at,
) = (getattr(NativeEntry, field.name).__set__ for field in fields(NativeEntry))


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows of a scope: each part None for all. ``agents`` are ids; ``since`` and ``until`` inclusive stamps of
    creation."""

    agents: tuple[str, ...] | None = None
    namespace: str | None = None
    session_id: str | None = None
    category: str | None = None
    since: str | None = None
    until: str | None = None
    live_only: bool = False

    def condition(self) -> tuple[str, tuple[Any, ...]]:
        """An SQL condition on ``entries e``, empty for all rows, and its parameters."""
        words: list[str] = []
        values: list[Any] = []
        if self.agents is not None:
            words.append(f"e.agent IN ({', '.join('?' * len(self.agents))})")
            values += self.agents
        for sql, value in (
            ("e.namespace = ?", self.namespace),
            ("e.session_id = ?", self.session_id),
            ("e.category = ?", self.category),
            ("e.created_at >= ?", self.since),
            ("e.created_at <= ?", self.until),
        ):
            if value is not None:
                words.append(sql)
                values.append(value)
        if self.live_only:
            words.append("e.superseded_by IS NULL")
        return " AND ".join(words), tuple(values)


def select(
    store: Store, aliases: Aliases, scope: Scope, selection: Selection, order: str, limit: int | None = None
) -> list[NativeEntry]:
    """The rows of a selection in ``order`` (an SQL expression of ours)."""
    condition, values = selection.condition()
    where = _IN_SCOPE + (f" AND {condition}" if condition else "")
    sql = f"SELECT {_COLUMNS} FROM entries e WHERE {where} ORDER BY {order} LIMIT ?"  # noqa: S608 - words of ours
    most = -1 if limit is None else limit
    found = store.query(sql, (*place_of(scope), *values, most))
    return [entry_of(row, aliases) for row in found]


def by_numbers(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Rows as ``entry_of`` takes them, by number."""
    sql = f"SELECT {_COLUMNS}, e.number FROM entries e WHERE e.number IN (SELECT value FROM json_each(?))"  # noqa: S608
    return {row[-1]: row[:-1] for row in connection.execute(sql, (json.dumps(list(numbers)),))}


def count(store: Store, scope: Scope) -> int:
    sql = f"SELECT count(*) FROM entries e WHERE {_IN_SCOPE}"  # noqa: S608 - words of ours
    return int(store.query(sql, place_of(scope))[0][0])


def categories(store: Store, scope: Scope) -> dict[str, int]:
    """How many entries each category has, the largest first, ties by name."""
    sql = f"SELECT category, count(*) AS n FROM entries e WHERE {_IN_SCOPE} GROUP BY category ORDER BY n DESC, category"  # noqa: S608
    return dict(store.query(sql, place_of(scope)))


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

    def put(self, entries: Iterable[NewEntry]) -> int:
        """Store entries, each in the place of the row with its key and agent; returns how many. Of several with one
        key and agent the last one stays."""
        pending, total = iter(entries), 0
        while batch := list(islice(pending, BATCH)):
            # A key that comes twice must find the row that its first occurrence made.
            for group in _without_repeats(batch):
                self._put(group)
            total += len(batch)
        return total

    def _put(self, entries: Sequence[NewEntry]) -> None:
        number = self._last_number()
        now = now_stamp()
        made = iter(new_ids(len(entries)))
        present = self._present([entry.key for entry in entries])
        inserts, updates = [], []
        texts: list[index.EntryText] = []
        stale: list[int] = []
        for entry in entries:
            old = present.get((entry.key, entry.agent))
            if is_standing(entry.category, entry.pinned):
                before = old[3] if old is not None and is_standing(old[4], old[9]) else None
                self._check(entry, before, self._transaction)
            public_id = entry.id or (next(made) if old is None else old[1])
            created = entry.created_at or (now if old is None else old[2])
            updated = entry.updated_at or entry.created_at or now
            values = (entry.kind, int(entry.pinned), created, updated, entry.superseded_by)
            about = (entry.content, entry.category, entry.session_id, entry.namespace, entry.importance)
            if old is None:
                number += 1
                row = number
                inserts.append((public_id, *self._place, entry.key, entry.agent, *about, *values, row))
            else:
                row = old[0]
                updates.append((public_id, *about, *values, row))
                if _is_indexed_alike(entry, created, old):
                    continue
                stale.append(row)
            if entry.superseded_by is None:
                texts.append(self._text_of(row, entry, created))
        self._transaction.executemany(_INSERT, inserts)
        self._transaction.executemany(_UPDATE, updates)
        self._index.remove_entries(self._scope_id, stale)
        self._index.put_entries(self._scope_id, texts)

    def remove(self, selection: Selection, key: str | None = None) -> int:
        """Remove the rows of a selection, of one key if given; returns how many there were."""
        condition, values = selection.condition()
        where = _IN_SCOPE + (f" AND {condition}" if condition else "") + ("" if key is None else " AND e.key = ?")
        parameters = (*self._place, *values, *(() if key is None else (key,)))
        numbers = [
            number
            for (number,) in self._transaction.execute(f"SELECT e.number FROM entries e WHERE {where}", parameters)  # noqa: S608
        ]
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
        """Index every live entry of the scope anew, after the index was cleared; returns how many."""
        sql = (
            "SELECT number, key, content, session_id, namespace, importance, agent, created_at FROM entries e "  # noqa: S608
            f"WHERE {_IN_SCOPE} AND superseded_by IS NULL ORDER BY number"
        )
        total = 0
        rows = self._transaction.execute(sql, self._place)
        while batch := rows.fetchmany(BATCH):
            self._index.put_entries(
                self._scope_id,
                (
                    index.EntryText(
                        number,
                        content,
                        key,
                        _shown_namespace(namespace),
                        session_id,
                        created_at,
                        self._alias(agent),
                        weight,
                    )
                    for number, key, content, session_id, namespace, weight, agent, created_at in batch
                ),
            )
            total += len(batch)
        return total

    def _text_of(self, number: int, entry: NewEntry, created: str) -> index.EntryText:
        return index.EntryText(
            number,
            entry.content,
            entry.key,
            _shown_namespace(entry.namespace),
            entry.session_id,
            created,
            self._alias(entry.agent),
            entry.importance,
        )

    def _present(self, keys: Sequence[str]) -> dict[tuple[str, str], tuple[Any, ...]]:
        """The rows of these keys by key and agent: number, id, created_at, and what they hold."""
        if len(keys) == 1:
            rows = self._transaction.execute(_OLD + "= ?", (*self._place, keys[0]))
        else:
            rows = self._transaction.execute(_OLD + _AMONG, (*self._place, json.dumps(keys)))
        return {(row[0], row[1]): row[2:] for row in rows}

    def _last_number(self) -> int:
        row = self._transaction.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").fetchone()
        return 0 if row is None else int(row[0])

    def _alias(self, agent: str) -> str:
        if not agent:
            return ""
        found = self._aliases.get(agent)
        if found is None:
            row = self._transaction.execute("SELECT alias FROM agents WHERE id = ?", (agent,)).fetchone()
            found = self._aliases[agent] = "" if row is None else row[0]
        return found


def entries_scope(scope: Scope) -> Scope:
    """The scope in the index under which entries are: that of tenant, user and project."""
    return Scope(scope.tenant, scope.user, "", scope.project)


def _shown_namespace(namespace: str) -> str:
    # The usual namespace is no word that a row should be found by.
    return "" if namespace == DEFAULT_NAMESPACE else namespace


def _without_repeats(batch: Sequence[NewEntry]) -> Iterator[list[NewEntry]]:
    group: dict[tuple[str, str], NewEntry] = {}
    for entry in batch:
        place = (entry.key, entry.agent)
        if place in group:
            yield list(group.values())
            group = {}
        group[place] = entry
    yield list(group.values())


def _is_indexed_alike(entry: NewEntry, created: str, old: Sequence[Any]) -> bool:
    """Whether the row of the index stays as it is when ``entry`` takes the place of ``old``."""
    return (created, entry.content, entry.session_id, entry.namespace, entry.importance, entry.superseded_by) == (
        old[2],
        old[3],
        old[5],
        old[6],
        old[7],
        old[8],
    )
