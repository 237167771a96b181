"""Entries: rows by (scope, key, agent), each change one transaction with its index row (specs/native-memory.md §22.3).

Documents have the four-part scope; entries have tenant, user and project, and the agent is an attribute of the row.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from zeroclaw_cli.errors import StoreDamaged
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Entry
from zeroclaw_cli.native import bad_rows
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.stamps import is_stamp, shown

CORE: Final = "core"

_COLUMNS: Final = (
    "e.id, e.key, e.content, e.category, e.created_at, e.session_id, e.namespace, e.importance, e.superseded_by, "
    "e.agent, e.kind, e.pinned, e.updated_at"
)
IN_SCOPE: Final = "e.tenant = ? AND e.user = ? AND e.project = ?"
_BY_KEY: Final = f"SELECT {_COLUMNS} FROM entries e WHERE {IN_SCOPE} AND e.key = ?"  # noqa: S608
_BY_KEY_AND_AGENT: Final = _BY_KEY + " AND e.agent = ?"


@dataclass(frozen=True, slots=True)
class NativeEntry(Entry):
    """An entry of this store: ``kind`` is a free word or None, ``pinned`` lets it into the long-term lane whatever its
    category, as a hit like others. ``updated_at`` is the RFC 3339 text of its last store, ``timestamp`` that of its
    first."""

    kind: str | None = None
    pinned: bool = False
    updated_at: str = ""

    @classmethod
    def from_json(cls, row: Any) -> NativeEntry:
        """An entry from a row of an export, the three own fields too. Raises ValueError that names the field."""
        exported = tuple(map(row.get, _FIELDS))
        if all(map(isinstance, exported, _EXPORTED)) and row["category"] and row["namespace"]:
            importance = row["importance"]
            if importance is None or 0.0 <= importance <= 1.0:
                return _made(exported)
        plain = Entry.from_json(row)
        kind, pinned, updated_at = row.get("kind"), row.get("pinned"), row.get("updated_at")
        if kind is not None and not isinstance(kind, str):
            raise ValueError("kind must be a string or null")
        if pinned is not None and not isinstance(pinned, bool):
            raise ValueError("pinned must be true or false")
        if updated_at is not None and not isinstance(updated_at, str):
            raise ValueError("updated_at must be a string")
        values = (getattr(plain, name) for name in _FIELDS[: len(fields(Entry))])
        return _made((*values, kind, bool(pinned), updated_at or ""))


_FIELDS: Final = tuple(field.name for field in fields(NativeEntry))
_TEXT: Final = (str, type(None))
# What each field is in a row that this store has exported; every other form is looked at more closely.
_EXPORTED: Final[tuple[Any, ...]] = (
    *(str, str, str, str, str, _TEXT, type(None), str, (float, type(None)), _TEXT, _TEXT, _TEXT, _TEXT, bool, str),
)


def _made(values: Iterable[Any]) -> NativeEntry:
    """An entry of the values of its fields, in their order: several times as fast as a frozen class makes it."""
    entry = object.__new__(NativeEntry)
    for put, value in zip(_SETTERS, values, strict=True):
        put(entry, value)
    return entry


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
    """Whether a row is judged as the standing document is, because any turn may offer it to a model."""
    return category == CORE or bool(pinned)


def new_ids(count: int) -> list[str]:
    """Fresh ids that sort by the time they were made: UUIDs of version 7."""
    moment, digits = f"{time.time_ns() // 1_000_000:012x}", os.urandom(10 * count).hex()
    made = []
    for at in range(0, 20 * count, 20):
        tail = f"{_VARIANTS[digits[at]]}{digits[at + 1 : at + 4]}-{digits[at + 4 : at + 16]}"
        made.append(f"{moment[:8]}-{moment[8:]}-7{digits[at + 16 : at + 19]}-{tail}")
    return made


# The two bits that say which kind of UUID it is, before two random ones.
_VARIANTS: Final = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


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
    """The row of a key and agent; for agent None the one of any agent that was stored last.

    Raises StoreDamaged when its text cannot be read.
    """
    if agent is None:
        rows, is_whole = store.fetch(_BY_KEY, (*place, key))
        if len(rows) > 1:
            rows.sort(key=lambda row: (row[12], row[0]), reverse=True)
    else:
        rows, is_whole = store.fetch(_BY_KEY_AND_AGENT, (*place, key, agent))
    if not is_whole and bad_rows.is_bad_row(rows[0]):
        raise StoreDamaged(
            f"the entry '{key}' in {store.path} is damaged: its text is not valid UTF-8",
            hint="store it again, or delete it with `zeroclaw memory forget KEY`",
        )
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
) = _SETTERS = tuple(getattr(NativeEntry, name).__set__ for name in _FIELDS)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows of a scope: each part None for all. ``agents`` are ids; ``since`` and ``until`` inclusive stamps of
    the last store; ``key_start`` is how a key begins. With ``sessionless`` the rows of no session count to
    ``session_id``."""

    agents: tuple[str, ...] | None = None
    namespace: str | None = None
    session_id: str | None = None
    category: str | None = None
    since: str | None = None
    until: str | None = None
    live_only: bool = False
    pinned: bool = False
    key: str | None = None
    key_start: str | None = None
    sessionless: bool = False
    numbers: tuple[int, ...] | None = None

    def condition(self) -> tuple[str, tuple[Any, ...]]:
        """An SQL condition on ``entries e``, empty for all rows, and its parameters."""
        words: list[str] = []
        values: list[Any] = []
        if self.agents is not None:
            words.append(f"e.agent IN ({', '.join('?' * len(self.agents))})")
            values += self.agents
        for sql, value in (
            ("e.namespace = ?", self.namespace),
            ("(e.session_id = ? OR e.session_id IS NULL)" if self.sessionless else "e.session_id = ?", self.session_id),
            ("e.category = ?", self.category),
            ("e.updated_at >= ?", self.since),
            ("e.updated_at <= ?", self.until),
            ("e.key = ?", self.key),
            ("e.key >= ?", self.key_start),
            ("e.key < ?", None if self.key_start is None else f"{self.key_start}\U0010ffff"),
        ):
            if value is not None:
                words.append(sql)
                values.append(value)
        if self.numbers is not None:
            words.append(f"e.number IN ({', '.join('?' * len(self.numbers))})")
            values += self.numbers
        if self.live_only:
            words.append("e.superseded_by IS NULL")
        if self.pinned:
            words.append("e.pinned")
        return " AND ".join(words), tuple(values)


def select(
    store: Store,
    aliases: Aliases,
    scope: Scope,
    selection: Selection,
    order: str,
    limit: int | None = None,
    offset: int = 0,
) -> list[NativeEntry]:
    """The rows of a selection in ``order`` (an SQL expression of ours), ``limit`` of them from ``offset`` on."""
    condition, values = selection.condition()
    where = IN_SCOPE + (f" AND {condition}" if condition else "")
    sql = f"SELECT {_COLUMNS} FROM entries e WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608 - ours
    most = -1 if limit is None else limit
    found, is_whole = store.fetch(sql, (*place_of(scope), *values, most, offset))
    if not (is_whole and _have_times(found)):
        found = without_bad(found, store.warn)
    return [entry_of(row, aliases) for row in found]


def without_bad(found: Sequence[tuple[Any, ...]], warn: Callable[[str], None]) -> list[tuple[Any, ...]]:
    """The rows that can be read; the others are named in a warning."""
    good, bad = [], []
    for row in found:
        is_good = not bad_rows.is_bad_row(row) and is_stamp(row[4]) and is_stamp(row[12])
        good.append(row) if is_good else bad.append(bad_rows.readable(row[1]))
    if bad:
        warn(bad_rows.left_out(bad))
    return good


def _have_times(found: Sequence[tuple[Any, ...]]) -> bool:
    """Whether each row has what looks like the times of a row: the page behind a long text may be gone."""
    return all(row[4][-1:] == "Z" == row[12][-1:] for row in found)


def as_far_as_readable(
    store: Store, aliases: Aliases, scope: Scope, selection: Selection, order: str
) -> list[NativeEntry]:
    """As ``select``, with what is not UTF-8 replaced."""
    condition, values = selection.condition()
    sql = f"SELECT {_COLUMNS} FROM entries e WHERE {IN_SCOPE} AND {condition} ORDER BY {order}"  # noqa: S608 - ours
    found = store.query(sql, (*place_of(scope), *values))
    return [entry_of(bad_rows.as_far_as_readable(row), aliases) for row in found]


def with_bad_key(store: Store, scope: Scope, shown_key: str) -> list[int]:
    """The numbers of entries whose key cannot be read and is shown as ``shown_key``."""
    if bad_rows.REPLACED not in shown_key:
        return []
    found = store.query(f"SELECT e.number, e.key FROM entries e WHERE {IN_SCOPE}", place_of(scope))  # noqa: S608
    return [number for number, key in found if bad_rows.is_bad(key) and bad_rows.readable(key) == shown_key]


def by_numbers(connection: sqlite3.Connection, numbers: Sequence[int]) -> tuple[dict[int, tuple[Any, ...]], list[str]]:
    """Rows as ``entry_of`` takes them, by number, and the keys of those that cannot be read."""
    sql = f"SELECT {_COLUMNS}, e.number FROM entries e WHERE e.number IN (SELECT value FROM json_each(?))"  # noqa: S608
    found, is_whole = bad_rows.fetch(connection, sql, (json.dumps(list(numbers)),))
    bad = [] if is_whole else [row for row in found if bad_rows.is_bad_row(row)]
    damaged = {row[-1] for row in bad}
    return {row[-1]: row[:-1] for row in found if row[-1] not in damaged}, [bad_rows.readable(row[1]) for row in bad]


_ALL: Final = Selection()


def count(store: Store, scope: Scope, selection: Selection = _ALL) -> int:
    condition, values = selection.condition()
    where = IN_SCOPE + (f" AND {condition}" if condition else "")
    sql = f"SELECT count(*) FROM entries e WHERE {where}"  # noqa: S608 - words of ours
    return int(store.query(sql, (*place_of(scope), *values))[0][0])


def categories(store: Store, scope: Scope, selection: Selection = _ALL) -> dict[str, int]:
    """How many entries each category has, the largest first, ties by name."""
    condition, values = selection.condition()
    where = IN_SCOPE + (f" AND {condition}" if condition else "")
    sql = f"SELECT category, count(*) AS n FROM entries e WHERE {where} GROUP BY category ORDER BY n DESC, category"  # noqa: S608
    return dict(store.query(sql, (*place_of(scope), *values)))


def entries_scope(scope: Scope) -> Scope:
    """The scope in the index under which entries are: that of tenant, user and project."""
    return Scope(scope.tenant, scope.user, "", scope.project)
