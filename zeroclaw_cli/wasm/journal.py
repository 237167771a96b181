"""The journal of one plugin's memory: every call that changed it, in one SQLite file (design.md, decision 1).

A record is the call's arguments, a digest of its result, and what the guest was served. :mod:`replay` turns records
back into a guest's memory. A record is durable when :meth:`Journal.writing` has left its block: WAL with
``synchronous = FULL``, one transaction a call.

Writers of all processes take turns (:mod:`zeroclaw_cli.wasm.write_lock`). Readers take no lock; they see committed
records only.

A journal that was read is expected to stay where it is: one that was removed or replaced meanwhile is an error until
the memory is opened again, since what its calls answered is then no longer what is kept.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from weakref import WeakSet

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Limits
from zeroclaw_cli.errors import Busy, JournalDamaged, MemoryFailure, ZeroclawError
from zeroclaw_cli.memory.text import display
from zeroclaw_cli.os_errors import of_sqlite, remedy
from zeroclaw_cli.wasm import journal_file, journal_rows
from zeroclaw_cli.wasm.clocks import Serving
from zeroclaw_cli.wasm.journal_rows import Head
from zeroclaw_cli.wasm.records import Record, arguments_to_json, result_digest
from zeroclaw_cli.wasm.signatures import Function, Outcome
from zeroclaw_cli.wasm.write_lock import WriteLock

_LIMIT_COLUMNS: Final = ", ".join(journal_rows.LIMITS)
_SELECT_LIMITS: Final = f"SELECT {_LIMIT_COLUMNS} FROM limits"  # noqa: S608 - the names are constants
_INSERT_LIMITS: Final = f"INSERT OR IGNORE INTO limits ({_LIMIT_COLUMNS}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608
_FIND_LIMITS: Final = f"SELECT id FROM limits WHERE ({_LIMIT_COLUMNS}) = (?, ?, ?, ?, ?)"  # noqa: S608
_COLUMNS: Final = "number, function, arguments, ok, digest, wall_ns, mono_ns, seed, limits"
_SELECT_RECORDS: Final = f"SELECT {_COLUMNS} FROM records WHERE number > ? ORDER BY number LIMIT ?"  # noqa: S608
_SELECT_FUNCTION: Final = f"SELECT {_COLUMNS} FROM records WHERE function = ? AND ok ORDER BY number"  # noqa: S608
_INSERT_RECORD: Final = (
    "INSERT INTO records (function, arguments, ok, digest, wall_ns, mono_ns, seed, limits) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
# What SQLite says when the file is sound and another is working on it, and when the system does not let it work.
_IN_USE: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_NOT_DAMAGE: Final = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)  # fmt: skip
_CHUNK: Final = 500


def journal_path(data_dir: Path, package: str) -> Path:
    return data_dir / "plugins" / package / "journal.db"


class Journal:
    """The journal at ``path``, which need not exist: reading an absent journal finds no records, and the first write
    creates it. Every method raises JournalDamaged for a file that is not a journal or whose content is broken."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.fspath(path)
        self._lock = WriteLock(path)
        self._connection: sqlite3.Connection | None = None
        # Whether the connection stayed with the process that this one was forked from.
        self._left_behind = False
        # How many uses are under way, one within the other.
        self._uses = 0
        # The file that was read, as long as this journal is open.
        self._identity: tuple[int, int] | None = None
        self._forget()

    def close(self) -> None:
        """Give the file up; the next use opens whatever is there then."""
        self._disconnect()
        self._lock.close()
        self._identity = None
        self._left_behind = False

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._forget()

    def _forget(self) -> None:
        """What was read before may no longer be true."""
        self._version = -1
        self._head: Head | None = None
        self._limit_ids: dict[Limits, int] = {}
        self._last_limits: tuple[Limits, int] | None = None

    # ------------------------------------------------------------------------------------------------ reading

    def head(self) -> Head | None:
        """Where the journal stands now; None when nothing was ever recorded."""
        self._uses += 1
        try:
            connection = self._open()
            if connection is None:
                return None
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if self._head is None or version != self._version:
                self._head = journal_rows.read_head(connection)
                self._version = version
            return self._head
        except (sqlite3.Error, OSError, UnicodeError) as error:
            raise self._explained(error) from None
        finally:
            self._uses -= 1

    @contextmanager
    def snapshot(self) -> Iterator[Head | None]:
        """One state of the journal for the whole block, whatever other processes write meanwhile; gives its head.

        Within :meth:`writing` the transaction is that state already.
        """
        with self._explaining():
            connection = self._open()
            if connection is None:
                yield None
                return
            own = not connection.in_transaction
            if own:
                connection.execute("BEGIN")
            try:
                self._version = connection.execute("PRAGMA data_version").fetchone()[0]
                self._head = journal_rows.read_head(connection)
                yield self._head
            finally:
                if own and connection is self._connection and connection.in_transaction:
                    connection.execute("COMMIT")

    def records_after(self, number: int) -> Iterator[list[Record]]:
        """The records with a larger number, oldest first, in lists of some hundred."""
        with self._explaining():
            connection = self._open()
            limits = _ids(connection)
            while connection is not None:
                rows = connection.execute(_SELECT_RECORDS, (number, _CHUNK)).fetchall()
                if not rows:
                    return
                yield list(journal_rows.records(rows, number, limits))
                number = rows[-1][0]

    def recorded_limits(self) -> list[Limits]:
        """Every set of limits that records were made under."""
        with self._explaining():
            connection = self._open()
            if connection is None:
                return []
            rows = connection.execute(_SELECT_LIMITS).fetchall()
            return [journal_rows.limits(row) for row in rows]

    def examine(self) -> None:
        """Read everything, as a replay would. Raises JournalDamaged for what no replay could be given."""
        with self.snapshot() as head:
            if head is not None:
                self.recorded_limits()
                self.last_replay_ms()
                self.compact_again_at()
                for _ in self.records_after(0):
                    pass

    def count(self) -> int:
        with self._explaining():
            connection = self._open()
            return 0 if connection is None else int(connection.execute("SELECT count(*) FROM records").fetchone()[0])

    def last_replay_ms(self) -> int | None:
        """How long the last replay took that a later write told of."""
        return self._noted("last_replay_ms")

    def compact_again_at(self) -> int:
        """How many records there must be before automatic compaction is tried again; 0 when it was not put off."""
        return self._noted("compact_again_at") or 0

    def successes_of(self, function: Function) -> list[Record]:
        """Every record of ``function`` whose result was ok, oldest first."""
        with self._explaining():
            connection = self._open()
            limits = _ids(connection)
            rows = [] if connection is None else connection.execute(_SELECT_FUNCTION, (function.name,)).fetchall()
            return [journal_rows.record(row, limits) for row in rows]

    def _noted(self, key: str) -> int | None:
        with self._explaining():
            connection = self._open()
            return None if connection is None else journal_rows.note(journal_rows.meta(connection), key)

    # ------------------------------------------------------------------------------------------------ writing

    @contextmanager
    def writing(self, wait_s: float) -> Iterator[Writer]:
        """The right to write, alone among all processes; what the block appends is durable when the block ends.

        An exception in the block leaves the journal as it was. Creates the file if it is not there. Raises Busy, with
        the process id of the holder, when another has not finished after ``wait_s`` seconds. After a rewrite
        (:meth:`Writer.restart`) the file is made as small as its content, before others may write.
        """
        self._uses += 1
        try:
            self._lock.acquire(wait_s, make_folder=self._identity is None)
            connection = self._open(create=True)
            assert connection is not None
            connection.execute("BEGIN IMMEDIATE")
            writer = Writer(self, connection)
            try:
                self._room.keep()
                yield writer
                self._require_own()
                writer.note_last()
                connection.execute("COMMIT")
            except BaseException:
                # What was read in the transaction may be undone with it.
                self._forget()
                if connection is self._connection and connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            if writer.restarted:
                journal_file.shrink(connection)
        except (sqlite3.Error, OSError, UnicodeError) as error:
            raise self._explained(error) from None
        finally:
            self._lock.release()
            self._uses -= 1

    # ----------------------------------------------------------------------------------------------- the file

    def damaged(self, what: str) -> JournalDamaged:
        """The error of a journal that cannot be used; ``what`` is one line."""
        return journal_file.damaged(self.path, what)

    def _lost(self, what: str) -> JournalDamaged:
        return JournalDamaged(
            f"the journal {self.path} was {what} while this memory was open",
            hint="put it back from a backup unless that was meant, and open the memory again "
            "(start the program anew that has it open)",
        )

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        self._uses += 1
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeError) as error:
            raise self._explained(error) from None
        finally:
            self._uses -= 1

    def _explained(self, error: sqlite3.Error | OSError | UnicodeError) -> ZeroclawError:
        text = (error.strerror if isinstance(error, OSError) else None) or str(error)
        if isinstance(error, FileNotFoundError) and self._identity is not None:
            return self._lost("removed")
        # What Python says itself, of text that is not UTF-8 for instance, has no code.
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        if code in _IN_USE:
            return Busy(f"the journal {self.path} is in use by another program", hint="try again")
        if isinstance(error, OSError) or code in _NOT_DAMAGE:
            refused = of_sqlite(error, self.path)
            return MemoryFailure(
                f"the journal {self.path} cannot be used: {refused.strerror or text}", hint=remedy(refused, self.path)
            )
        return self.damaged(display(text, 300))

    def _open(self, *, create: bool = False) -> sqlite3.Connection | None:
        """The connection to the file at ``path``; None when there is none. Raises JournalDamaged when the file is not
        the one that was there before."""
        self._require_own()
        if self._connection is not None and self._connection.in_transaction:
            # It has begun on the right file.
            return self._connection
        identity = journal_file.identity(self._file)
        if self._identity is not None and identity != self._identity:
            raise self._lost("removed" if identity is None else "replaced")
        if self._connection is not None:
            return self._connection
        if identity is None:
            journal_file.require_unstarted(self.path)
            if not create:
                return None
            fsio.make_private_dir(self.path.parent)
            journal_file.create(self.path)
            identity = journal_file.identity(self._file)
        self._connection = journal_file.connect(self.path)
        self._identity = identity
        self._room = journal_file.LogRoom(self.path)
        _connected.add(self)
        return self._connection

    def _require_own(self) -> None:
        if self._left_behind:
            raise MemoryFailure(
                f"the journal {self.path} was in use at the moment when this process was forked",
                hint="open the memory again in the child process",
            )


# A connection does not survive a fork, since a child has none of its locks, and SQLite does not know that. So there is
# none at that moment.
_connected: Final[WeakSet[Journal]] = WeakSet()


def _disconnect_all() -> None:
    for journal in list(_connected):
        # One that another thread is using at this moment stays that thread's alone.
        if not journal._uses:
            journal._disconnect()


def _leave_behind() -> None:
    for journal in list(_connected):
        if journal._connection is not None:
            import ctypes

            # Not even closing it is harmless: it would undo what the parent is writing.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(journal._connection))
            journal._connection = None
            journal._left_behind = True


os.register_at_fork(before=_disconnect_all, after_in_child=_leave_behind)


class Writer:
    """Appends to a journal within :meth:`Journal.writing`."""

    def __init__(self, journal: Journal, connection: sqlite3.Connection) -> None:
        self._journal = journal
        self._connection = connection
        self._wrote = False
        self.restarted = False

    def begin(self, birth: Serving) -> Head:
        """Record what the instance's start was served, in a journal without a head; gives its head."""
        head = Head(os.urandom(8).hex(), 0, birth)
        self._meta("generation", head.generation)
        self._meta("birth_wall_ns", birth.wall_ns)
        self._meta("birth_mono_ns", birth.mono_ns)
        self._meta("birth_seed", birth.seed)
        self._journal._head = head
        return head

    def restart(self, birth: Serving) -> Head:
        """Remove every record and begin another generation with the same ``birth``; gives its head.

        Record numbers begin anew: other processes tell the new past from the old one by the generation.
        """
        for table in ("records", "limits"):
            self._connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names are constants
        self._connection.execute("DELETE FROM meta WHERE key = 'compact_again_at'")
        self._journal._forget()
        self.restarted = self._wrote = True
        return self.begin(birth)

    def note_last(self) -> None:
        """Keep the number of the newest record, so that a journal which lost its end does not pass for a shorter one;
        once, at the end of the transaction."""
        head = self._journal._head
        if self._wrote and head is not None:
            self._meta("last", journal_rows.last_note(head.generation, head.last))

    def note_replay(self, milliseconds: int) -> None:
        """Keep how long the last replay took."""
        self._meta("last_replay_ms", milliseconds)

    def put_off_compaction(self, records: int) -> None:
        """No automatic compaction before there are ``records`` records."""
        self._meta("compact_again_at", records)

    def append(
        self, function: Function, arguments: Sequence[Any], outcome: Outcome, serving: Serving, limits: Limits
    ) -> int:
        """Record a call that returned; gives the record's number."""
        arguments_text = arguments_to_json(function, arguments)
        return self._insert(function, arguments_text, outcome.ok, result_digest(outcome), serving, limits)

    def add(self, record: Record, limits: Limits) -> int:
        """Append ``record`` under the next number, which it gives; the record's own number counts for nothing."""
        arguments_text = arguments_to_json(record.function, record.arguments)
        return self._insert(record.function, arguments_text, record.ok, record.digest, record.serving, limits)

    def _insert(
        self, function: Function, arguments: str, ok: bool, digest: bytes, serving: Serving, limits: Limits
    ) -> int:
        number = self._connection.execute(
            _INSERT_RECORD,
            (
                function.name,
                arguments,
                ok,
                digest,
                serving.wall_ns,
                serving.mono_ns,
                serving.seed,
                self._limits_id(limits),
            ),
        ).lastrowid
        head = self._journal._head
        assert number is not None and head is not None
        self._journal._head = Head(head.generation, number, head.birth)
        self._wrote = True
        return number

    def _limits_id(self, limits: Limits) -> int:
        last = self._journal._last_limits
        # A hash over eight fields takes longer than a look at the last one.
        if last is not None and last[0] is limits:
            return last[1]
        known = self._journal._limit_ids
        if limits not in known:
            row = journal_rows.limits_row(limits)
            self._connection.execute(_INSERT_LIMITS, row)
            found = self._connection.execute(_FIND_LIMITS, row).fetchone()
            known[limits] = int(found[0])
        self._journal._last_limits = limits, known[limits]
        return known[limits]

    def _meta(self, key: str, value: Any) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def _ids(connection: sqlite3.Connection | None) -> frozenset[int]:
    """The ids of the limits that there are."""
    rows = [] if connection is None else connection.execute("SELECT id FROM limits").fetchall()
    return frozenset(row[0] for row in rows)
