"""A new store from what is left of a damaged one and, for what is missing, from its copies.

Specs/native-memory.md, "decided since 0.1.0"; ``repair`` says when. The rows of the damaged file come first. A row of a
copy fills a gap only: when nothing of its identity is there, and nothing of it was forgotten since the copy was made.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.native import archive, bad_rows, copies, examination, forgotten, generation, new_file, salvage, schema
from zeroclaw_cli.native.bad_rows import BadRow
from zeroclaw_cli.native.copies import Copy
from zeroclaw_cli.native.scope import OF_DOCUMENT
from zeroclaw_cli.native.stamps import is_stamp

_MOST_NAMED: Final = 5
_ENTRY: Final = "key = ? AND tenant = ? AND user = ? AND project = ? AND agent = ?"


@dataclass(slots=True)
class Report:
    """What a rebuilt store was made of, by table: ``salvaged`` rows of the damaged file, those ``filled`` from the copy
    ``source``; how much of the file could not be read, how many rows are ``missing``, and those that are still
    ``bad``; ``newest`` is the time of its last change."""

    salvaged: Counter[str] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)
    source: Copy | None = None
    unreadable: int = 0
    missing: int = 0
    bad: list[str] = field(default_factory=list)
    newest: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.salvaged and not self.filled and self.source is None

    def told(self) -> str:
        """All of it in one line for a person."""
        parts = []
        if self.salvaged:
            parts.append(f"{_amount(self.salvaged)} could be read from it and were kept")
        if self.source is not None and not self.salvaged:
            parts.append(
                f"it is now {_named(self.source)}, which holds {_amount(self.filled)}"
                + (f", the newest of {self.newest[:19]}Z" if self.newest else "")
                + ": what was stored after that is lost"
            )
        elif self.source is not None and self.filled:
            parts.append(f"{_amount(self.filled)} came from {_named(self.source)}")
        if not parts:
            parts.append("nothing of it could be read and it had no backup that is sound; it is now a new one, and "
                         "every entry and recorded turn is lost")  # fmt: skip
        if self.missing > 0:
            parts.append(
                f"{counted(self.missing, 'entry or document', 'entries and documents')} could not be brought back"
            )
        elif self.unreadable and self.salvaged and not self.filled:
            parts.append(f"{counted(self.unreadable, 'part')} of it could not be read")
        if self.bad:
            more = len(self.bad) - _MOST_NAMED
            names = ", ".join(self.bad[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
            parts.append(f"still damaged: {names}")
        return "; ".join(parts)


def _amount(rows: Counter[str]) -> str:
    return f"{counted(rows['entries'], 'entry', 'entries')} and {counted(rows['documents'], 'document')}"


def _named(copy: Copy) -> str:
    return f"the built-in store of {copy.file}" if copy.is_archive else f"the backup {copy.file.name}"


class Rebuilding:
    """Makes the file ``staged`` a store of what is left of the one at ``path``; a context manager.

    Raises OSError or sqlite3.Error when it cannot be written.
    """

    def __init__(self, path: Path, staged: Path) -> None:
        self._path = path
        self._staged = staged
        self._forgotten = forgotten.load(path)
        self._copies = copies.every(path)
        self._report = Report()
        new_file.make_empty(staged)
        self._connection = sqlite3.connect(staged, isolation_level=None)

    def __enter__(self) -> Rebuilding:
        try:
            self._connection.execute("PRAGMA temp_store = MEMORY")
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute("BEGIN EXCLUSIVE")
        except BaseException:
            self._connection.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()

    def run(self) -> Report:
        """Make it; what was found where."""
        from zeroclaw_cli.native.reindex import rebuild_in

        found = self._salvage()
        is_whole = found.whole and not bad_rows.find(self._connection)
        for copy in () if is_whole else self._copies:
            if self._fill_from(copy):
                break
        self._report.unreadable = found.unreadable
        self._report.missing = self._missing(found)
        self._connection.execute("DELETE FROM doc_meta WHERE doc_id NOT IN (SELECT id FROM documents)")
        self._connection.execute("DELETE FROM versions WHERE doc_id NOT IN (SELECT id FROM documents)")
        rebuild_in(self._connection)
        self._report.bad = [str(bad) for bad in bad_rows.find(self._connection)]
        sql = "SELECT max(updated_at) FROM (SELECT updated_at FROM entries UNION SELECT updated_at FROM documents)"
        with bad_rows.tolerated(self._connection):
            self._report.newest = self._connection.execute(sql).fetchone()[0] or ""
        known = (copy.generation for copy in self._copies)
        latest = max(generation.of(self._connection), *known, *self._forgotten.values(), 0)
        generation.advance(self._connection, latest + 1)
        self._connection.execute("COMMIT")
        return self._report

    # From the damaged file

    def _salvage(self) -> salvage.Reading:
        reading = salvage.Reading()
        if not self._path.is_file() or self._path.stat().st_size == 0:
            reading.whole = False
            return reading
        for table, values in salvage.read(self._path, reading):
            if self._insert(table, values):
                self._report.salvaged[table] += 1
        return reading

    def _insert(self, table: str, values: tuple[Any, ...]) -> bool:
        """Insert a row; False when one of its identity is there already, or it cannot be one."""
        marks = ", ".join("CAST(? AS TEXT)" if bad_rows.is_bad(value) else "?" for value in values)
        given = [value.encode("utf-8", "surrogateescape") if bad_rows.is_bad(value) else value for value in values]
        try:
            sql = f"INSERT OR IGNORE INTO {table} ({salvage.TABLES[table].columns}) VALUES ({marks})"  # noqa: S608
            return self._connection.execute(sql, given).rowcount > 0
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError):
            return False

    # From the copies

    def _fill_from(self, copy: Copy) -> bool:
        """Take what is missing from a copy; whether the copy is a whole one, so that no older one has more to give."""
        file = copy.file
        unpacked = self._staged.with_name(self._staged.name + "-copy")
        try:
            copy.file.open("rb").close()
        except OSError:
            return False
        try:
            if copy.is_archive:
                archive.extract_store(copy.file, unpacked)
                file = unpacked
            if not examination.is_sound(file) or not _is_store(file):
                return False
            self._report.source = copy
            filling = _Filling(self, copy.generation)
            for table, values in _in_order(file):
                if filling.take(table, values):
                    self._report.filled[table] += 1
            return True
        except (ValueError, FileNotFoundError, MemoryFailure):
            return False
        finally:
            with suppress(OSError):
                unpacked.unlink(missing_ok=True)

    def _missing(self, found: salvage.Reading) -> int:
        """How many entries and documents the damaged file knew of that are not in the new store."""
        numbers = {number for (number,) in self._connection.execute("SELECT number FROM entries")}
        documents = {number for (number,) in self._connection.execute("SELECT id FROM documents")}
        return len(found.indexed - numbers) + len(found.indexed_documents - documents)


def _is_store(file: Path) -> bool:
    """Whether a sound database has our tables in a format that this program reads."""
    try:
        with examination.reading(file) as connection:
            connection.execute("SELECT 1 FROM entries, documents LIMIT 1").fetchone()
            return int(connection.execute("PRAGMA user_version").fetchone()[0]) <= schema.VERSION
    except sqlite3.DatabaseError:
        return False


def _in_order(file: Path) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The rows of a sound copy, documents before what belongs to them."""
    with examination.reading(file) as connection, bad_rows.tolerated(connection):
        for name, table in salvage.TABLES.items():
            for row in connection.execute(f"SELECT {table.columns} FROM {name}"):  # noqa: S608 - names of ours
                yield name, row


def _raw(*texts: str) -> tuple[str | None, ...]:
    """Texts to look for: a bad one is nobody's name."""
    return tuple(None if bad_rows.is_bad(text) else text for text in texts)


def can_mend(path: Path, bad: Iterable[BadRow]) -> bool:
    """Whether the newest sound daily copy has what rows of the store were that cannot be read now."""
    for file in copies.daily(path):
        try:
            if examination.is_sound(file) and _is_store(file):
                return _has_any(file, bad)
        except MemoryFailure:
            continue
    return False


def _has_any(file: Path, bad: Iterable[BadRow]) -> bool:
    wrong = {(row.table, row.number) for row in bad}
    with examination.reading(file) as connection:
        still = {(row.table, row.number) for row in bad_rows.find(connection)}
        for table, number in wrong - still:
            column = "number" if table == "entries" else "id"
            if connection.execute(f"SELECT 1 FROM {table} WHERE {column} = ?", (number,)).fetchone():  # noqa: S608
                return True
    return False


class _Filling:
    """Takes rows of one copy of the store into another that has gaps."""

    def __init__(self, rebuilding: Rebuilding, generation: int) -> None:
        self._connection = rebuilding._connection
        self._insert = rebuilding._insert
        self._marks = rebuilding._forgotten
        self._generation = generation
        # What the documents of the copy are called in the new store; None for those that stay out.
        self._documents: dict[int, int | None] = {}
        bad = bad_rows.find(self._connection)
        self._bad = {(row.table, row.number) for row in bad}

    def take(self, table: str, values: tuple[Any, ...]) -> bool:
        """Insert a row if it is missing; whether it was."""
        if table == "entries":
            return self._take_entry(values)
        if table == "documents":
            return self._take_document(values)
        if table in ("doc_meta", "versions"):
            number = self._documents.get(values[0])
            return number is not None and self._insert(table, (number, *values[1:]))
        if table == "past_versions" and (self._is_forgotten("history", *values[:5]) or self._has_document(values[:5])):
            return False
        return self._insert(table, values)

    def _take_entry(self, values: tuple[Any, ...]) -> bool:
        if self._mend(values):
            return True
        tenant, user, project, key, agent = values[2:7]
        place = _raw(key, tenant, user, project, agent)
        if self._connection.execute(f"SELECT 1 FROM entries WHERE {_ENTRY}", place).fetchone():  # noqa: S608
            return False
        if self._is_forgotten("entry", tenant, user, project, key, agent):
            return False
        # Its number may be another's by now.
        return self._insert("entries", values) or self._insert("entries", (None, *values[1:]))

    def _mend(self, values: tuple[Any, ...]) -> bool:
        """Replace a row that was read and is bad by what it was; False for one that is good, or is a later one."""
        if ("entries", values[0]) not in self._bad:
            return False
        sql = "SELECT CAST(updated_at AS BLOB) FROM entries WHERE number = ?"
        (at,) = self._connection.execute(sql, values[:1]).fetchone()
        if is_stamp(at.decode("utf-8", "replace")) and at.decode() != values[15]:
            return False
        self._connection.execute("DELETE FROM entries WHERE number = ?", values[:1])
        return self._insert("entries", values)

    def _take_document(self, values: tuple[Any, ...]) -> bool:
        number, identity = values[0], values[1:6]
        present = self._document(identity)
        if present is not None:
            self._documents[number] = present
            return self._mend_document(present, values)
        if self._is_forgotten("document", *identity):
            self._documents[number] = None
            return False
        taken = self._insert("documents", values) or self._insert("documents", (None, *values[1:]))
        self._documents[number] = self._document(identity)
        return taken

    def _mend_document(self, number: int, values: tuple[Any, ...]) -> bool:
        if ("documents", number) not in self._bad:
            return False
        sql = "UPDATE documents SET body = ? WHERE id = ? AND hash = ?"
        return self._connection.execute(sql, (values[6], number, values[7])).rowcount > 0

    def _document(self, identity: tuple[Any, ...]) -> int | None:
        row = self._connection.execute(f"SELECT id FROM documents WHERE {OF_DOCUMENT}", _raw(*identity)).fetchone()  # noqa: S608
        return None if row is None else int(row[0])

    def _has_document(self, identity: tuple[Any, ...]) -> bool:
        return self._document(identity) is not None

    def _is_forgotten(self, kind: forgotten.Kind, *identity: str) -> bool:
        return self._marks.get(forgotten.digest(kind, *identity), 0) > self._generation
