"""The file of the native store: opening, transactions, integrity and the daily backup (specs/native-memory.md §22.4).

Writers go one after the other through ``BEGIN IMMEDIATE``; readers have connections of their own and never wait. A
reading call on a store that does not exist yet sees an empty one and creates nothing.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol
from weakref import WeakSet

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, MemoryFailure, StoreDamaged, UsageError, ZeroclawError
from zeroclaw_cli.native import bad_rows, copies, examination, forgotten, generation, integrity, new_file, place, schema
from zeroclaw_cli.native.forgetting import Cleaner

BUSY_TIMEOUT_MS: Final = 5_000
# The longest wait for other writers, over several of SQLite's own waits: under many writers one wait may be unlucky.
WRITE_WAIT_S: Final = 60.0

# The most memory that one connection keeps of the file; it takes what it needs.
CACHE_KIB: Final = 64 * 1024

# How many pages of 4 KiB the write-ahead log gathers before it is moved into the file.
CHECKPOINT_PAGES: Final = 4_000

# Up to this size, in bytes, whoever writes first looks at all of the file: a few milliseconds.
SMALL: Final = 512 * 1024

# A file that a killed process was making of the store is nobody's after this long.
STALE_AFTER_S: Final = 3_600.0

_BUSY_CODES: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class Mender(integrity.Mender, Protocol):
    """What a store asks of whoever can repair it."""

    @property
    def finishes(self) -> bool:
        """Whether a store that was restored is to be finished before anybody sees it."""
        ...

    def finish(self, store: Store) -> None:
        """Bring what is kept elsewhere back into a restored store."""
        ...

    def renew_index(self, store: Store) -> None:
        """Rebuild the search index inside the open transaction."""
        ...


def database_path(data_dir: Path) -> Path:
    return data_dir / "memory" / "native.db"


class Store:
    """An opened native store; a context manager that ``close`` ends, after which every use is an error.

    Opening touches nothing. The first reading or writing call opens the file, checks it after an unclean stop, and
    raises StoreDamaged when it can neither be read nor restored, Busy when another process holds it too long, or
    MemoryFailure when the system refuses. Usable from several threads: writers queue, each thread reads for itself.
    After a fork the child opens the file anew; in a transaction at that moment, it has to open the store anew.

    ``mender`` repairs a damaged file; ``opening`` gives the usual one.
    """

    def __init__(self, path: Path, mender: Mender) -> None:
        self.path = path
        self._mender = mender
        # Whether what is to come back into a restored store is in it.
        self._is_whole = not mender.finishes
        self._finishing = False
        self._writer: sqlite3.Connection | None = None
        self._writing = threading.RLock()
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._presence: integrity.Presence | None = None
        self._opening = threading.RLock()
        self._warnings: list[str] = []
        self._depth = 0
        self._wrote = False
        self._changes = 0
        self._cleaner = Cleaner()
        # Whether the search index is that of an older format, which the next transaction rebuilds.
        self._has_old_index = False
        self._closed = False
        _stores.add(self)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def warn(self, line: str) -> None:
        """Add one line to what ``take_warnings`` returns."""
        self._warnings.append(line)

    def take_warnings(self) -> list[str]:
        taken, self._warnings = self._warnings, []
        return taken

    def exists(self) -> bool:
        """Whether there is a store, or was one that is to be repaired: anything at its path, or its backups alone.

        Raises MemoryFailure where that cannot be told.
        """
        return place.is_there(self.path) or integrity.is_lost(self.path)

    # Reading

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one reading statement, seen as of now; text that is not UTF-8 as ``bad_rows`` reads it."""
        return self.fetch(sql, parameters)[0]

    def fetch(self, sql: str, parameters: Sequence[Any] = ()) -> tuple[list[tuple[Any, ...]], bool]:
        """As ``query``, and whether every text in the rows is UTF-8."""
        connection = self._reader()
        try:
            return bad_rows.fetch(connection, sql, parameters)
        except (sqlite3.Error, UnicodeError) as error:
            raise self._translated(error) from error

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A reading transaction: every statement in it sees the same state."""
        connection = self._reader()
        joined = connection.in_transaction
        try:
            if not joined:
                connection.execute("BEGIN")
            yield connection
        except (sqlite3.Error, UnicodeError) as error:
            raise self._translated(error) from error
        finally:
            if not joined and connection.in_transaction:
                connection.execute("ROLLBACK")

    def generation(self) -> tuple[int, int]:
        """A value that is another one after every commit of anybody, for what is cached between reads."""
        connection = self._reader()
        return id(connection), int(connection.execute("PRAGMA data_version").fetchone()[0])

    # Writing

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A writing transaction that is durable when the block ends, and gone without a trace when the block raises.

        A block inside a block of the same thread joins the outer one. Raises Busy when other writers hold the store
        for more than a minute.
        """
        with self._writing:
            connection = self._open_writer()
            self._finish_restore()
            if self._depth == 0:
                self._retrying(lambda: connection.execute("BEGIN IMMEDIATE"))
                self._changes = connection.total_changes
            self._depth += 1
            try:
                if self._depth == 1 and self._has_old_index:
                    self._renew_index(connection)
                yield connection
                if self._depth == 1:
                    # Not in a child process that was forked in the block.
                    self._check_open()
                    self._commit(connection)
                    self._wrote = True
                    self._has_old_index = False
                    self._cleaner.after_commit(connection)
            except (sqlite3.Error, UnicodeError) as error:
                raise self._translated(error) from error
            finally:
                self._depth -= 1
                if self._depth == 0 and connection is self._writer and connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")

    def _commit(self, connection: sqlite3.Connection) -> None:
        """Commit, as the next generation if anything changed; what is forgotten is listed with it or not at all."""
        if connection.total_changes == self._changes:
            self._retrying(lambda: connection.execute("COMMIT"))
            return
        number = generation.advance(connection)
        try:
            with forgotten.listed(connection, self.path, number):
                self._retrying(lambda: connection.execute("COMMIT"))
        except OSError as error:
            raise place.refused(error, self.path) from error

    def back_up_before(self, rows: int) -> None:
        """Make a copy, at most once an hour, when so many ``rows`` are about to be changed that they are many."""
        if rows >= copies.MANY_ROWS and place.is_there(self.path):
            with self._writing:
                connection = self._open_writer()
                if not connection.in_transaction:
                    copies.make(connection, self.path, self.warn, many=True)

    def require_sound_if_small(self) -> None:
        """Look at all of a small store, as whoever writes first does. Raises StoreDamaged for what repair mends; the
        next opening then repairs it."""
        if place.is_there(self.path) and self.path.stat().st_size <= SMALL:
            problems = examination.examine(self.path).problems
            if problems:
                raise self._damaged(problems[0])

    # Life

    def close(self) -> None:
        """Close every connection, after what was forgotten is out of the files and the daily backup, when one is due,
        is made. Closing twice is allowed."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._wrote and self._writer is not None:
                with suppress(sqlite3.Error):
                    self._cleaner.clean(self._writer)
                copies.make(self._writer, self.path, self.warn)
        finally:
            for connection in self._connections:
                with suppress(sqlite3.Error):
                    connection.close()
            self._connections.clear()
            self._writer = None
            if self._presence is not None:
                self._presence.release()

    def _reader(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "reader", None)
        if found is not None and not self._closed:
            return found
        with self._opening:
            self._check_open()
            if not self.exists():
                return self._view_of_nothing()
            self._local.reader = connection = self._repairing(self._open_reader)
        self._finish_restore()
        return connection

    def _view_of_nothing(self) -> sqlite3.Connection:
        # Another process may make the store at any time, so this is not a reader to stay with.
        found: sqlite3.Connection | None = getattr(self._local, "empty", None)
        if found is None:
            found = self._local.empty = self._empty()
            self._connections.append(found)
        return found

    def _check_open(self) -> None:
        if self._closed:
            raise MemoryFailure(f"the memory store {self.path} is closed", hint="open it again")

    def _empty(self) -> sqlite3.Connection:
        connection = _connect(":memory:")
        connection.execute("BEGIN")
        schema.create(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _repairing(self, attempt: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
        """Open the file, and once more when it turns out to be damaged: entering it anew repairs it."""
        try:
            return attempt()
        except StoreDamaged:
            if self._presence is None or self._connections:
                raise
            self._presence.release()
            self._presence = None
            return attempt()

    def _open_reader(self) -> sqlite3.Connection:
        self._enter(create=False)
        connection = None
        try:
            connection = examination.connect_to_read(self.path, _connect)
            self._connections.append(connection)
            self._look_at(connection)
            found = int(connection.execute("PRAGMA user_version").fetchone()[0])
            self._check_version(found)
            if found < schema.READABLE:
                self._open_writer()
            connection.execute("PRAGMA query_only = ON")
        except (sqlite3.Error, UnicodeDecodeError, StoreDamaged) as error:
            self._drop(connection)
            raise self._translated(error) from error
        return connection

    def _open_writer(self) -> sqlite3.Connection:
        if self._writer is not None and not self._closed:
            return self._writer
        with self._opening:
            self._check_open()
            self._writer = self._repairing(self._connect_writer)
            return self._writer

    def _connect_writer(self) -> sqlite3.Connection:
        connection = None
        try:
            fsio.make_private_dir(self.path.parent)
            fsio.sweep_temporaries(self.path, older_than_s=STALE_AFTER_S)
            if not self.exists():
                new_file.publish(self.path)
            self._enter(create=True)
            integrity.make_private(self.path)
            connection = _connect(f"{self.path.absolute().as_uri()}?mode=rw")
            self._connections.append(connection)
            self._look_at(connection)
            self._prepare(connection)
            if self.path.stat().st_size <= SMALL:
                self._check(connection)
            return connection
        except OSError as error:
            raise place.refused(error, self.path) from error
        except (sqlite3.Error, UnicodeDecodeError, StoreDamaged) as error:
            self._drop(connection)
            raise self._translated(error) from error

    def _drop(self, connection: sqlite3.Connection | None) -> None:
        """Close a connection that is not to be used: damage is repaired only where none is open."""
        if connection in self._connections:
            self._connections.remove(connection)
            connection.close()

    def _check(self, connection: sqlite3.Connection) -> None:
        """Look at all of a small store before anything is written to it; a large one takes too long for that."""
        problems = examination.problems_of(connection)
        if problems:
            raise self._damaged(problems[0])

    def _look_at(self, connection: sqlite3.Connection) -> None:
        wrong = examination.looks_wrong(connection)
        if wrong is not None:
            raise self._damaged(wrong)

    def _finish_restore(self) -> None:
        """Not under the lock of opening: finishing writes, and a writer takes that lock after its own."""
        if self._is_whole:
            return
        with self._writing:
            if self._is_whole or self._finishing:
                return
            self._finishing = True
            try:
                if integrity.restored_mark(self.path).exists():
                    self._mender.finish(self)
                self._is_whole = True
            finally:
                self._finishing = False

    def _prepare(self, connection: sqlite3.Connection) -> None:
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        self._check_version(found)
        network = integrity.network_filesystem(self.path)
        if network is not None:
            self.warn(
                f"{self.path} is on a network file system ({network}); the store works there without a write-ahead "
                "log, more slowly, and is safe only if the file system's locks are"
            )
        mode = "DELETE" if network is not None else "WAL"
        self._retrying(lambda: connection.execute(f"PRAGMA journal_mode = {mode}").fetchone())
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        if found < schema.READABLE:
            self._migrate(connection)
        self._has_old_index = schema.READABLE <= found < schema.VERSION

    def _migrate(self, connection: sqlite3.Connection) -> None:
        self._retrying(lambda: connection.execute("BEGIN EXCLUSIVE"))
        try:
            # Another process may have done it while this one waited.
            found = int(connection.execute("PRAGMA user_version").fetchone()[0])
            schema.migrate(connection, found)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _renew_index(self, connection: sqlite3.Connection) -> None:
        """Rebuild the index inside the open transaction, unless another process has done it."""
        if int(connection.execute("PRAGMA user_version").fetchone()[0]) < schema.VERSION:
            self._mender.renew_index(self)

    def _check_version(self, found: int) -> None:
        if found > schema.VERSION:
            raise MemoryFailure(
                f"{self.path} was made by a newer version of this program (its format is {found}, this one reads "
                f"{schema.VERSION})",
                hint="update zeroclaw, or choose another data directory",
            )

    def _enter(self, *, create: bool) -> None:
        # Reading makes no lock file; writing needs a share even if a reader came first and found none.
        if self._presence is None or (create and not self._presence.is_held):
            self._is_whole = not self._mender.finishes
            in_use = any(store._connections for store in list(_stores) if store.path == self.path)
            self._presence = integrity.enter(
                self.path, create=create, in_use=in_use, warn=self.warn, mender=self._mender
            )

    def _forget_connections(self) -> None:
        """In a child process: what the parent opened is the parent's alone."""
        _of_parents.extend(self._connections)
        self._connections.clear()
        self._writer = None
        self._local = threading.local()
        self._writing, self._opening = threading.RLock(), threading.RLock()
        # A transaction that was under way is none of the child's.
        self._closed = self._closed or self._depth > 0
        self._wrote = False

    def _retrying(self, attempt: Callable[[], object]) -> None:
        deadline = time.monotonic() + WRITE_WAIT_S
        while True:
            try:
                attempt()
                return
            except sqlite3.OperationalError as error:
                if _primary(error) not in _BUSY_CODES or time.monotonic() >= deadline:
                    raise self._translated(error) from error
            time.sleep(0.01)

    def _translated(self, error: Exception) -> ZeroclawError:
        if isinstance(error, UnicodeDecodeError):
            # SQLite names what it cannot use, and the name is not UTF-8.
            return self._damaged("a name in it is not valid UTF-8")
        if isinstance(error, UnicodeError):
            return UsageError(
                "a text holds half of a UTF-16 pair, which no file can hold", hint="pass valid Unicode text"
            )
        code = _primary(error)
        if code in _BUSY_CODES:
            return Busy(
                f"another process keeps writing to {self.path}",
                hint="try again when it has finished; nothing was changed",
            )
        if isinstance(error, StoreDamaged):
            return error
        if isinstance(error, sqlite3.Error) and examination.is_damage(error):
            return self._damaged(str(error))
        if code in examination.NO_WRITING:
            return place.refused(error, self.path)
        return MemoryFailure(f"the memory store {self.path} failed: {error}", hint="`zeroclaw doctor` checks the store")

    def _damaged(self, why: str) -> StoreDamaged:
        integrity.suspect(self.path)
        return StoreDamaged(
            f"the memory store {self.path} is damaged: {why}",
            hint="end other programs that use it and run the command again: it then repairs the store, or says why not",
        )


# A connection does not survive a fork, since a child has none of its locks and SQLite does not know that. Not even
# closing it there is harmless: it would undo what the parent is writing at that moment.
_stores: Final[WeakSet[Store]] = WeakSet()
_of_parents: Final[list[sqlite3.Connection]] = []


def _forget_all() -> None:
    import ctypes

    for store in list(_stores):
        store._forget_connections()
    for connection in _of_parents:
        # The end of the interpreter would close it.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
    _of_parents.clear()


os.register_at_fork(after_in_child=_forget_all)


def _connect(target: str, exclusive: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        target, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_MS / 1_000
    )
    try:
        connection.execute("PRAGMA temp_store = MEMORY")
        if exclusive:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        # Opening is lazy: only a first look tells whether the file can be used in this way.
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _primary(error: Exception) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0) or 0
    return code & 0xFF
