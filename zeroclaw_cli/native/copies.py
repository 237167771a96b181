"""The copies of the store: those that are made in passing, and which of all copies is the newest.

Specs/native-memory.md §22.4 and "decided since 0.1.0". Copies are ordered by the generation of what they hold, and only
those that have none (of version 0.1.0) by the time that they name.
"""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import explain
from zeroclaw_cli.native import archive, forgotten, generation

KEEP_BACKUPS: Final = 3
BACKUP_INTERVAL_S: Final = 24 * 3600
# Not even many changes are copied more often than this.
_LEAST_INTERVAL_S: Final = 3600
# From so many changes on, or before so many rows are changed at once, a copy is made within the day.
MANY_CHANGES: Final = 1_000
MANY_ROWS: Final = 100
_DAILY: Final = re.compile(r"native-(\d{8}T\d{6}Z)(?:-g(\d{1,18}))?\.db", re.ASCII)
_STAMP: Final = "%Y%m%dT%H%M%SZ"

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the store: its file, the generation of what it holds (0: unknown), the moment it was made by the clock
    of that time, and whether it is an archive of every memory."""

    file: Path
    generation: int
    at: datetime
    is_archive: bool

    @property
    def order(self) -> tuple[int, datetime, float]:
        # Two that were made within one second are told apart by their files.
        return self.generation, self.at, _modified(self.file)


def daily(path: Path) -> list[Path]:
    """The copies in ``backups/`` beside the store, newest first."""
    return [copy.file for copy in _daily(path)]


def every(path: Path) -> list[Copy]:
    """Every copy that may help to repair the store, newest first. Whether it is sound shows when it is used."""
    found = _daily(path)
    with suppress(OSError):
        for file in archive.standard_place(path.parent.parent).glob("*.zip"):
            about = archive.about(file) if file.is_file() else None
            if about is not None:
                found.append(Copy(file, about.generation, about.at or _moment_of(file, None), True))
    return sorted(found, key=lambda copy: copy.order, reverse=True)


def _daily(path: Path) -> list[Copy]:
    found: list[Copy] = []
    with suppress(OSError):
        for file in path.with_name("backups").glob("native-*.db"):
            if file.is_file():
                name = _DAILY.fullmatch(file.name)
                number = int(name[2] or 0) if name is not None else 0
                found.append(Copy(file, number, _moment_of(file, name and name[1]), False))
    return sorted(found, key=lambda copy: copy.order, reverse=True)


def _moment_of(file: Path, named: str | None) -> datetime:
    if named is not None:
        with suppress(ValueError):
            return datetime.strptime(named, _STAMP).replace(tzinfo=UTC)
    return datetime.fromtimestamp(int(_modified(file)), UTC)


def _modified(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def make(connection: sqlite3.Connection, path: Path, warn: Warn, *, many: bool = False) -> None:
    """Copy the store into ``backups/`` when that is due, and keep the newest three. ``many`` says that many rows are
    about to change. Not inside a transaction.

    What goes wrong is a warning: what was written before is safe without it.
    """
    number = generation.of(connection)
    if not _is_due(path, number, many=many):
        return
    folder = path.with_name("backups")
    temporary = folder / f".{os.getpid()}-{os.urandom(4).hex()}.tmp"
    lock = None
    try:
        fsio.make_private_dir(folder)
        lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_due(path, number, many=many):
                _make(connection, path, temporary)
    except (OSError, sqlite3.Error) as error:
        warn(f"the daily backup of {path} was not made: {explain_failure(error)}")
    finally:
        with suppress(OSError):
            temporary.unlink()
        if lock is not None:
            os.close(lock)


def _make(connection: sqlite3.Connection, path: Path, temporary: Path) -> None:
    # As bytes, since under some locales the text of a path is not UTF-8.
    connection.execute("VACUUM INTO CAST(? AS TEXT)", (os.fsencode(temporary),))
    temporary.chmod(0o600)
    fsio.fsync_file(temporary)
    # Of the copy itself: others may have written since it was asked for.
    copy = sqlite3.connect(temporary)
    try:
        number = generation.of(copy)
    finally:
        copy.close()
    temporary.replace(temporary.with_name(f"native-{datetime.now(UTC):{_STAMP}}-g{number}.db"))
    fsio.fsync_dir(temporary.parent)
    for old in daily(path)[KEEP_BACKUPS:]:
        old.unlink()
    _shorten_forgotten(connection, path)


def _shorten_forgotten(connection: sqlite3.Connection, path: Path) -> None:
    """Take from the list of what was forgotten what no copy holds any more."""
    oldest = min((copy.generation for copy in every(path)), default=0)
    if oldest == 0 or not forgotten.file_of(path).exists():
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        forgotten.keep(path, lambda _, number: number > oldest)
    finally:
        connection.execute("ROLLBACK")


def _is_due(path: Path, number: int, *, many: bool) -> bool:
    newest = next(iter(_daily(path)), None)
    if newest is None:
        return True
    age = time.time() - _modified(newest.file)
    if not 0 <= age < BACKUP_INTERVAL_S or newest.generation == 0 < number:
        # One from the future says nothing of its age; one without a generation cannot be put in order.
        return True
    return age >= _LEAST_INTERVAL_S and (many or number - newest.generation >= MANY_CHANGES)


def explain_failure(error: OSError | sqlite3.Error) -> str:
    """What went wrong, without the number of the system's error."""
    return explain(error) if isinstance(error, OSError) else str(error)
