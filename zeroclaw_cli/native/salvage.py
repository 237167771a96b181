"""What a damaged store still holds, row by row (specs/native-memory.md, "decided since 0.1.0").

Only what cannot be made anew is read: the search index is no part of it. Rows are told by their tables, and where these
are gone by their form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from zeroclaw_cli.native import index
from zeroclaw_cli.native.pages import PageFile, Unreadable, Value
from zeroclaw_cli.native.stamps import is_stamp


class Table(NamedTuple):
    """A table whose rows are salvaged: its columns, their types (T text, B bytes, I integer, R number, small: or NULL),
    and the column that is the rowid, empty for none."""

    columns: str
    types: str
    rowid: str = ""
    # What tells a row that hangs on no table from other records of its form.
    is_row: Callable[[tuple[Value, ...]], bool] = lambda _: True


def _has_stamps(*places: int) -> Callable[[tuple[Value, ...]], bool]:
    return lambda values: all(is_stamp(values[place]) for place in places)


def _is_uuid(value: Value) -> bool:
    return isinstance(value, str) and len(value) == 36 and value.count("-") == 4


TABLES: Final[dict[str, Table]] = {
    "entries": Table(
        "number, id, tenant, user, project, key, agent, content, category, session_id, namespace, importance, kind, "
        "pinned, created_at, updated_at, superseded_by",
        "nTTTTTTTTtTrtITTt",
        "number",
    ),
    "documents": Table(
        "id, tenant, user, agent, project, path, body, hash, revision, created_at, updated_at", "nTTTTTBTITT", "id"
    ),
    "doc_meta": Table("doc_id, json", "nT", "doc_id"),
    "versions": Table("doc_id, n, body, hash, changed_by, at", "IIBTTT"),
    "past_versions": Table(
        "tenant, user, agent, project, path, n, body, hash, changed_by, at", "TTTTTIBTTT", is_row=_has_stamps(9)
    ),
    "agents": Table("id, alias", "TT", is_row=lambda values: _is_uuid(values[0]) and not _is_uuid(values[1])),
    "mirrored": Table("tenant, user, agent, project, path, file, hash", "TTTTTTT"),
    "audit": Table("id, at, kind, data", "nTTT", "id", _has_stamps(1)),
    "turn_counters": Table("tenant, user, agent, project, turns", "TTTTI"),
    "curation_reports": Table("id, tenant, user, agent, project, at, data", "nTTTTTT", "id", _has_stamps(5)),
}
# Other records, mostly of indexes, have the forms of these.
_NEEDS_TABLE: Final = frozenset({"turn_counters"})
# What is lost with a row of these is of no weight: they count, and say what is beside the store.
_LIGHT: Final = frozenset({"audit", "turn_counters", "curation_reports", "mirrored"})
_FITS: Final[dict[str, tuple[type, ...]]] = {
    "T": (str,),
    "B": (bytes, str),
    "I": (int,),
    "R": (int, float),
    "n": (type(None),),
    "t": (str, type(None)),
    "r": (int, float, type(None)),
}


class Found(NamedTuple):
    """A row that was read: its table, and its values with the rowid in the place of the column that is it."""

    table: str
    values: tuple[Value, ...]


@dataclass(slots=True)
class Reading:
    """What reading a file has told so far. ``unreadable`` rows and pages were met; with ``whole`` no row of the tables
    that matter is missing."""

    unreadable: int = 0
    whole: bool = True
    indexed: set[int] = field(default_factory=set)
    indexed_documents: set[int] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    documents: set[int] = field(default_factory=set)

    @property
    def lost(self) -> int:
        """How many entries and documents the search index knows that were not found."""
        return len(self.indexed - self.numbers) + len(self.indexed_documents - self.documents)


def read(path: Path, reading: Reading) -> Iterator[Found]:
    """Every row that the file has; ``reading`` is complete at the end. Raises OSError."""
    with PageFile(path) as file:
        roots = _roots(file)
        reading.whole = set(TABLES) <= set(roots)
        seen: set[int] = set()
        for name in TABLES:
            for page in _below(file, roots.get(name, 0), seen, reading, weighs=name not in _LIGHT):
                yield from _noted(_rows(file, page, name, reading), reading)
        _read_index(file, roots.get("chunks", 0), seen, reading)
        if reading.lost or not reading.whole:
            reading.whole = False
            for page in range(1, file.count + 1):
                if page not in seen:
                    yield from _noted(_rows(file, page, None, reading), reading)


def _noted(rows: Iterator[Found], reading: Reading) -> Iterator[Found]:
    for found in rows:
        number = found.values[0]
        if found.table == "entries" and isinstance(number, int):
            reading.numbers.add(number)
        elif found.table == "documents" and isinstance(number, int):
            reading.documents.add(number)
        yield found


def _roots(file: PageFile) -> dict[str, int]:
    """The root page of each table, as far as the schema can be read."""
    roots: dict[str, int] = {}
    for page in _below(file, 1, set(), Reading(), weighs=False):
        try:
            for row in file.rows(page):
                if row is not None and len(row.values) == 5 and row.values[0] == "table":
                    name, root = row.values[1], row.values[3]
                    if isinstance(name, str) and isinstance(root, int):
                        roots[name] = root
        except Unreadable:
            continue
    return roots


def _below(file: PageFile, root: int, seen: set[int], reading: Reading, *, weighs: bool) -> Iterator[int]:
    """The pages of a tree that hold rows."""
    waiting = [root] if root else []
    while waiting:
        page = waiting.pop()
        try:
            if page in seen:
                raise Unreadable(f"page {page} is in two places")
            children = file.children(page)
        except Unreadable:
            if weighs:
                reading.whole = False
                reading.unreadable += 1
            continue
        seen.add(page)
        waiting.extend(reversed(children))
        yield page


def _rows(file: PageFile, page: int, table: str | None, reading: Reading) -> Iterator[Found]:
    """The rows of a page; of a page of no known table those that have the form of one."""
    try:
        for row in file.rows(page):
            name = _table_of(row.values) if row is not None and table is None else table
            if row is not None and name is not None and _fits(name, row.values):
                values = (row.rowid, *row.values[1:]) if TABLES[name].rowid else row.values
                if (row.rowid is None) != bool(TABLES[name].rowid):
                    yield Found(name, values)
            elif table is not None and table not in _LIGHT:
                reading.whole = False
                reading.unreadable += 1
    except Unreadable:
        # One that hangs on a table was told of already.
        return


def _table_of(values: tuple[Value, ...]) -> str | None:
    fitting = (name for name in TABLES if name not in _NEEDS_TABLE and _fits(name, values))
    return next((name for name in fitting if TABLES[name].is_row(values)), None)


def _fits(name: str, values: tuple[Value, ...]) -> bool:
    table = TABLES[name]
    if len(values) != len(table.types):
        return False
    return all(isinstance(value, _FITS[kind]) for value, kind in zip(values, table.types, strict=True))


def _read_index(file: PageFile, root: int, seen: set[int], reading: Reading) -> None:
    """Which entries and documents the search index knows: a row that it has was never forgotten."""
    for page in _below(file, root, seen, reading, weighs=False):
        try:
            for chunk in file.rowids(page):
                if index.is_chunk(chunk):
                    of_entry = index.kind_of(chunk) is index.Kind.ENTRY
                    (reading.indexed if of_entry else reading.indexed_documents).add(index.owner_of(chunk))
        except Unreadable:
            continue
