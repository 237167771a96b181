"""The journal of one plugin's memory: every call that changed it, in one SQLite file (design.md, decision 1).

A record is the call's arguments, a digest of its result, and what the guest was served. :mod:`replay` turns records
back into a guest's memory. A record is durable when :meth:`Journal.writing` has left its block: WAL with
``synchronous = FULL``, one transaction a call.

Writers of all processes take turns by a lock file beside the database, since SQLite's own lock does not tell who holds
it. The lock goes with the process that holds it. Readers take no lock; they see committed records only.

The format is versioned: ``application_id`` says whose file it is, ``user_version`` which format.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Limits
from zeroclaw_cli.errors import Busy, JournalDamaged, MemoryFailure, ZeroclawError
from zeroclaw_cli.wasm.clocks import Serving
from zeroclaw_cli.wasm.records import Record, arguments_from_json, arguments_to_json, result_digest
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Function, Outcome

FORMAT: Final = 1
_APPLICATION_ID: Final = 0x7A634A31  # "zcJ1"
_SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE limits (
    id INTEGER PRIMARY KEY,
    call_fuel TEXT NOT NULL,
    max_memory_mb INTEGER NOT NULL,
    max_table_elements INTEGER NOT NULL,
    max_instances INTEGER NOT NULL,
    call_timeout_ms TEXT NOT NULL,
    UNIQUE (call_fuel, max_memory_mb, max_table_elements, max_instances, call_timeout_ms)
);
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    function TEXT NOT NULL,
    arguments TEXT NOT NULL,
    ok INTEGER NOT NULL,
    digest BLOB NOT NULL,
    wall_ns INTEGER NOT NULL,
    mono_ns INTEGER NOT NULL,
    seed BLOB NOT NULL,
    limits INTEGER NOT NULL REFERENCES limits (id)
);
"""
# Unsigned 64-bit values do not fit SQLite's integers, so these two are decimal text.
_AS_TEXT: Final = frozenset({"call_fuel", "call_timeout_ms"})
_LIMITS: Final = ("call_fuel", "max_memory_mb", "max_table_elements", "max_instances", "call_timeout_ms")
_LIMIT_COLUMNS: Final = ", ".join(_LIMITS)
_SELECT_LIMITS: Final = f"SELECT {_LIMIT_COLUMNS} FROM limits"  # noqa: S608 - the names are constants
_INSERT_LIMITS: Final = f"INSERT OR IGNORE INTO limits ({_LIMIT_COLUMNS}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608
_FIND_LIMITS: Final = f"SELECT id FROM limits WHERE ({_LIMIT_COLUMNS}) = (?, ?, ?, ?, ?)"  # noqa: S608
_COLUMNS: Final = "number, function, arguments, ok, digest, wall_ns, mono_ns, seed"
_SELECT_RECORDS: Final = f"SELECT {_COLUMNS} FROM records WHERE number > ? ORDER BY number LIMIT ?"  # noqa: S608
_SELECT_FUNCTION: Final = f"SELECT {_COLUMNS} FROM records WHERE function = ? AND ok ORDER BY number"  # noqa: S608
_INSERT_RECORD: Final = (
    "INSERT INTO records (function, arguments, ok, digest, wall_ns, mono_ns, seed, limits) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
# What SQLite says when the file is sound and the system does not let it work.
_NOT_DAMAGE: Final = ("full", "readonly", "unable to open", "disk I/O")
_I64_MAX: Final = (1 << 63) - 1
_CHUNK: Final = 500
_BUSY_MS: Final = 2_000


class Head(NamedTuple):
    """Where a journal stands. ``generation`` changes whenever its past is rewritten; ``last`` is the number of its
    newest record, 0 without records; ``birth`` is what the start of an instance is served."""

    generation: str
    last: int
    birth: Serving


def journal_path(data_dir: Path, package: str) -> Path:
    return data_dir / "plugins" / package / "journal.db"


class Journal:
    """The journal at ``path``, which need not exist: reading an absent journal finds no records, and the first write
    creates it. Every method raises JournalDamaged for a file that is no journal or whose content is broken."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.fspath(path)
        self._lock_file = os.fspath(path.with_name("journal.lock"))
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._version = -1
        self._head: Head | None = None
        self._limit_ids: dict[Limits, int] = {}

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._identity = None
        self._head = None
        self._version = -1
        self._limit_ids.clear()

    # ------------------------------------------------------------------------------------------------ reading

    def head(self) -> Head | None:
        """Where the journal stands now; None when nothing was ever recorded."""
        try:
            connection = self._open()
            if connection is None:
                return None
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if self._head is None or version != self._version:
                self._head = _read_head(connection)
                self._version = version
            return self._head
        except (sqlite3.Error, OSError) as error:
            raise self._explained(error) from None

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
                self._head = _read_head(connection)
                yield self._head
            finally:
                if own and connection.in_transaction:
                    connection.execute("COMMIT")

    def records_after(self, number: int) -> Iterator[list[Record]]:
        """The records with a larger number, oldest first, in lists of some hundred."""
        with self._explaining():
            connection = self._open()
            while connection is not None:
                rows = connection.execute(_SELECT_RECORDS, (number, _CHUNK)).fetchall()
                if not rows:
                    return
                yield [self._record(row) for row in rows]
                number = rows[-1][0]

    def recorded_limits(self) -> list[Limits]:
        """Every set of limits that records were made under."""
        with self._explaining():
            connection = self._open()
            if connection is None:
                return []
            rows = connection.execute(_SELECT_LIMITS).fetchall()
            return [_limits(row) for row in rows]

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
            rows = [] if connection is None else connection.execute(_SELECT_FUNCTION, (function.name,)).fetchall()
            return [self._record(row) for row in rows]

    def _noted(self, key: str) -> int | None:
        with self._explaining():
            connection = self._open()
            value = None if connection is None else meta(connection).get(key)
            return value if isinstance(value, int) else None

    def _record(self, row: tuple[Any, ...]) -> Record:
        number, name, arguments, ok, digest, wall_ns, mono_ns, seed = row
        try:
            function = FUNCTIONS[name]
            if not function.recorded:
                raise ValueError("a function that is never recorded")
            return Record(
                number,
                function,
                arguments_from_json(function, arguments),
                bool(ok),
                bytes(digest),
                Serving(int(wall_ns), int(mono_ns), bytes(seed)),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise self.damaged(f"record {number} ({name}) is not readable: {error}") from None

    # ------------------------------------------------------------------------------------------------ writing

    @contextmanager
    def writing(self, wait_s: float) -> Iterator[Writer]:
        """The right to write, alone among all processes; what the block appends is durable when the block ends.

        An exception in the block leaves the journal as it was. Creates the file if it is not there. Raises Busy, with
        the process id of the holder, when another has not finished after ``wait_s`` seconds. After a rewrite
        (:meth:`Writer.restart`) the file is made as small as its content, before others may write.
        """
        with self._explaining(), _write_lock(self._lock_file, wait_s):
            connection = self._open(create=True)
            assert connection is not None
            connection.execute("BEGIN IMMEDIATE")
            writer = Writer(self, connection)
            try:
                yield writer
                connection.execute("COMMIT")
            except BaseException:
                # What was read in the transaction may be undone with it.
                self._head = None
                self._limit_ids.clear()
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            if writer.restarted:
                _shrink(connection)

    # ----------------------------------------------------------------------------------------------- the file

    def damaged(self, what: str) -> JournalDamaged:
        """The error of a journal that cannot be used; ``what`` is one line."""
        name = self.path.parent.name
        return JournalDamaged(
            f"the journal {self.path} is damaged: {what}",
            hint=f"restore it from a backup, or start empty with zeroclaw plugin remove {name} --purge-data",
        )

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise self._explained(error) from None

    def _explained(self, error: sqlite3.Error | OSError) -> ZeroclawError:
        text = (error.strerror if isinstance(error, OSError) else None) or str(error)
        if isinstance(error, OSError | sqlite3.OperationalError):
            if "locked" in text or "busy" in text:
                return Busy(f"the journal {self.path} is in use by another program", hint="try again")
            if isinstance(error, OSError) or any(mark in text for mark in _NOT_DAMAGE):
                return MemoryFailure(
                    f"the journal {self.path} cannot be used: {text}",
                    hint="check the free space and the permissions of its folder",
                )
        return self.damaged(text)

    def _open(self, *, create: bool = False) -> sqlite3.Connection | None:
        """The connection to the file that is at ``path`` now; None when there is none."""
        if self._connection is not None and self._connection.in_transaction:
            # The transaction has begun on the right file.
            return self._connection
        identity = _identity(self._file)
        if self._connection is not None:
            if identity == self._identity:
                return self._connection
            # Removed or replaced under us: what the old file says is no longer true.
            self.close()
        if identity is None:
            if not create:
                return None
            fsio.make_private_dir(self.path.parent)
            _create(self.path)
            identity = _identity(self._file)
        connection = _connect(self.path)
        try:
            self._check_ours(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._identity = connection, identity
        return connection

    def _check_ours(self, connection: sqlite3.Connection) -> None:
        """Raise for what is not our journal. A journal is published whole, so an empty file is one that was lost."""
        if self.path.stat().st_size == 0:
            raise self.damaged("it is empty")
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != _APPLICATION_ID:
            raise self.damaged("it is another program's database")
        if version > FORMAT:
            raise JournalDamaged(
                f"the journal {self.path} has format {version}, which is newer than this program",
                hint="update zeroclaw; the journal is as it was",
            )


class Writer:
    """Appends to a journal within :meth:`Journal.writing`."""

    def __init__(self, journal: Journal, connection: sqlite3.Connection) -> None:
        self._journal = journal
        self._connection = connection
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
        self._journal._limit_ids.clear()
        self.restarted = True
        return self.begin(birth)

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
        return self.add(Record(0, function, tuple(arguments), outcome.ok, result_digest(outcome), serving), limits)

    def add(self, record: Record, limits: Limits) -> int:
        """Append ``record`` under the next number, which it gives; the record's own number counts for nothing."""
        number = self._connection.execute(
            _INSERT_RECORD,
            (
                record.function.name,
                arguments_to_json(record.function, record.arguments),
                record.ok,
                record.digest,
                record.serving.wall_ns,
                record.serving.mono_ns,
                record.serving.seed,
                self._limits_id(limits),
            ),
        ).lastrowid
        assert number is not None and self._journal._head is not None
        self._journal._head = self._journal._head._replace(last=number)
        return number

    def _limits_id(self, limits: Limits) -> int:
        known = self._journal._limit_ids
        if limits not in known:
            row = [str(value) if name in _AS_TEXT else min(value, _I64_MAX) for name, value in _pairs(limits)]
            self._connection.execute(_INSERT_LIMITS, row)
            found = self._connection.execute(_FIND_LIMITS, row).fetchone()
            known[limits] = int(found[0])
        return known[limits]

    def _meta(self, key: str, value: Any) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def meta(connection: sqlite3.Connection) -> dict[str, Any]:
    return dict(connection.execute("SELECT key, value FROM meta").fetchall())


def _pairs(limits: Limits) -> list[tuple[str, int]]:
    return [(name, getattr(limits, name)) for name in _LIMITS]


def _limits(row: Sequence[Any]) -> Limits:
    values = {name: int(value) for name, value in zip(_LIMITS, row, strict=True)}
    return replace(Limits(), **values)


def _read_head(connection: sqlite3.Connection) -> Head | None:
    known = meta(connection)
    if "generation" not in known:
        return None
    last = connection.execute("SELECT max(number) FROM records").fetchone()[0] or 0
    try:
        birth = Serving(int(known["birth_wall_ns"]), int(known["birth_mono_ns"]), bytes(known["birth_seed"]))
    except (KeyError, TypeError, ValueError):
        raise sqlite3.DatabaseError("its birth record is incomplete") from None
    return Head(str(known["generation"]), int(last), birth)


def _connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode, to a file that is there. In a folder that cannot be written, one that creates
    nothing."""
    mode = "mode=rw"
    if not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)):
        # Without -wal and -shm files, SQLite could not even read a WAL database here.
        mode = "mode=ro" if path.with_name(path.name + "-wal").exists() else "mode=ro&immutable=1"
    uri = f"{path.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_MS / 1000, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: Path) -> None:
    """Publish a journal without records at ``path``, whole and durable; only under the write lock.

    What a process that was killed meanwhile has left beside it is removed.
    """
    for left in path.parent.glob(f".{path.name}.*"):
        with contextlib.suppress(OSError):
            left.unlink()
    temporary = fsio.temporary_beside(path)
    fsio.write_new(temporary, b"", mode=0o600)
    connection = sqlite3.connect(temporary, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    with contextlib.suppress(FileExistsError):
        os.link(temporary, path)
    temporary.unlink()
    fsio.fsync_dir(path.parent)


def _shrink(connection: sqlite3.Connection) -> None:
    """Give free pages back to the file system, with the text that was on them. What was committed stays, whatever
    fails here, so a failure is none of the journal; readers of other processes are not waited for."""
    with contextlib.suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 100")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with contextlib.suppress(sqlite3.Error):
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")


def _identity(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116 - on the way of every call
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def _write_lock(file: str, wait_s: float) -> Iterator[None]:
    """Hold the lock file, in which the holder's process id stands; raises Busy after ``wait_s`` seconds."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        fd = os.open(file, flags, 0o600)
    except FileNotFoundError:
        fsio.make_private_dir(Path(file).parent)
        fd = os.open(file, flags, 0o600)
    try:
        deadline = time.monotonic() + wait_s
        pause = 0.001
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
                    who = f"process {holder}" if holder.isdigit() else "another process"
                    raise Busy(
                        f"the memory of {Path(file).parent.name} is being written by {who}",
                        hint="wait for it, or end that process if it hangs",
                    ) from None
                time.sleep(pause)
                pause = min(pause * 1.5, 0.02)
        mine = f"{os.getpid():<31}\n".encode()
        # A write dirties the inode, which the next fsync of anything may have to wait for.
        if os.pread(fd, 32, 0) != mine:
            os.pwrite(fd, mine, 0)
        yield
    finally:
        os.close(fd)
