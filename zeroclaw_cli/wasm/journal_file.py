"""The SQLite file of a journal: made, opened, kept small, and told to be damaged.

The format is versioned: ``application_id`` says whose file it is, ``user_version`` which format.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import JournalDamaged
from zeroclaw_cli.memory.text import display
from zeroclaw_cli.os_errors import is_full

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
_BUSY_MS: Final = 2_000
# The files that SQLite keeps beside a database in use.
BESIDE: Final = ("-wal", "-shm")

# A process that has written this often is likely to write on, and then one look at the log's size pays for many writes.
_WRITES_BEFORE: Final = 8
_WRITES_BETWEEN: Final = 64
_ROOM_BYTES: Final = 512 * 1024
# Where SQLite takes its log back into the database and begins it anew: after 1,000 pages of 4,096 bytes.
_WHOLE_LOG_BYTES: Final = 4_200_000


class NewerFormat(JournalDamaged):
    """A journal that is sound, and of a format that only a later version of this program reads."""


def identity(file: str | int) -> tuple[int, int] | None:
    """Device and inode of ``file``, a path or a descriptor; None when it is not there."""
    try:
        status = os.stat(file)  # noqa: PTH116 - on the way of every call
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def damaged(path: Path, what: str) -> JournalDamaged:
    """The error of a journal that cannot be used; ``what`` is one line."""
    return JournalDamaged(
        f"the journal {path} is damaged: {what}",
        hint="`zeroclaw doctor --fix` recovers what can be read and keeps the damaged file; "
        "`zeroclaw memory restore FILE` brings a backup back",
    )


def _require_file(path: Path, file: Path) -> None:
    """Raise JournalDamaged for a pipe, a device or a folder in the place of a ``file`` of the journal: opening it
    could hang."""
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise damaged(path, f"{file.name} is {'a folder' if stat.S_ISDIR(mode) else 'not a regular file'}")


def require_unstarted(path: Path) -> None:
    """Raise JournalDamaged when the journal is gone but its log, which holds records, is not."""
    log = path.with_name(path.name + "-wal")
    if log.is_file() and log.stat().st_size:
        raise damaged(path, f"it is missing beside its log {log.name}")


def create(path: Path) -> None:
    """Publish a journal without records at ``path``, whole and durable; only under the write lock.

    What a process that was killed meanwhile has left beside it is removed.
    """
    for left in path.parent.glob(f".{path.name}.*"):
        with suppress(OSError):
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
    with suppress(FileExistsError):
        fsio.give_name(temporary, path)
    temporary.unlink(missing_ok=True)
    fsio.fsync_dir(path.parent)


def connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode to the journal at ``path``, which is there. In a folder that cannot be written,
    one that creates nothing. Raises JournalDamaged for what is not our journal, NewerFormat among it."""
    for suffix in ("", *BESIDE, "-journal"):
        _require_file(path, path.with_name(path.name + suffix))
    connection = sqlite3.connect(
        uri_of(path), uri=True, isolation_level=None, timeout=_BUSY_MS / 1000, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        _check_ours(path, connection)
        # What a replay reads shows only what is wrong with the rows it meets.
        problem = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if problem != "ok":
            raise damaged(path, display(problem.replace("\n", " "), 200))
    except BaseException:
        connection.close()
        raise
    return connection


def uri_of(path: Path) -> str:
    """How SQLite opens the journal at ``path``, which is there: for writing, or else (in a folder that cannot be
    written, on a disk without room) so that it creates nothing."""
    mode = "mode=rw"
    if not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)) or is_full(path):
        # Without -wal and -shm files, SQLite could not even read a WAL database here.
        mode = "mode=ro" if path.with_name(path.name + "-wal").exists() else "mode=ro&immutable=1"
    return f"{path.absolute().as_uri()}?{mode}"


def _check_ours(path: Path, connection: sqlite3.Connection) -> None:
    # A journal is published whole, so an empty file is one that was lost.
    if path.stat().st_size == 0:
        raise damaged(path, "it is empty")
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != _APPLICATION_ID:
        raise damaged(path, "it is another program's database")
    if version > FORMAT:
        raise NewerFormat(
            f"the journal {path} has format {version}, which is newer than this program",
            hint="update zeroclaw; the journal is as it was",
        )


def shrink(connection: sqlite3.Connection) -> None:
    """Give free pages back to the file system, with the text that was on them. What was committed stays, whatever
    fails here, so a failure is none of the journal; readers of other processes are not waited for."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 100")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with suppress(sqlite3.Error):
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")


class LogRoom:
    """Keeps the write-ahead log of a journal longer than its content, for a connection that writes again and again.

    A commit that makes the file longer waits for the file system's own journal too, which takes longer than the record;
    one that writes over zeros waits for the record alone. The zeros are no part of the log: its frames end at the first
    whose checksum is not right (SQLite's file format, "WAL file format").
    """

    def __init__(self, path: Path) -> None:
        self._file = os.fspath(path.with_name(path.name + "-wal"))
        self._left = _WRITES_BEFORE
        self._made = 0

    def keep(self) -> None:
        """To be called in each write transaction, so that nobody else writes to the log."""
        self._left -= 1
        if self._left > 0:
            return
        self._left = _WRITES_BETWEEN
        # Room is for speed alone: without it everything goes on as it would.
        with suppress(OSError):
            size = os.stat(self._file).st_size  # noqa: PTH116 - as above
            if self._made < size < _WHOLE_LOG_BYTES or size < self._made:
                self._made = size + self._extend(size)

    def _extend(self, size: int) -> int:
        fd = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            try:
                written = os.write(fd, bytes(_ROOM_BYTES))
            except OSError:
                written = -1
            if written != _ROOM_BYTES:
                # A disk that is full needs its last bytes for records.
                os.ftruncate(fd, size)
                self._left = 100 * _WRITES_BETWEEN
                return 0
        finally:
            os.close(fd)
        return written
