"""What keeps the store's file sound: who has it open, the check after an unclean stop, restoring, the daily backup.

Specs/native-memory.md §22.4. Beside ``native.db`` there are ``native.lock`` (held, shared, by every process that has
the store open), ``native.suspect`` (a reader met damage; the next opening checks) and ``backups/``.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, StoreDamaged

KEEP_BACKUPS: Final = 3
BACKUP_INTERVAL_S: Final = 24 * 3600
ENTER_WAIT_S: Final = 60.0
_NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "afpfs", "webdav", "ceph", "glusterfs", "lustre", "gpfs", "ncpfs"}
    | {"9p", "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.davfs", "beegfs", "orangefs", "macfuse"}
)

Warn = Callable[[str], None]


class Presence:
    """This process's share of the store: while it lasts, nobody moves the file away."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    @property
    def is_held(self) -> bool:
        return self._descriptor is not None

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def enter(path: Path, *, create: bool, warn: Warn) -> Presence:
    """Take a share of the store; the only process checks the file first when the last one did not end cleanly.

    Raises StoreDamaged when the file is damaged and no backup can replace it, Busy when another process checks it for
    too long. In a read-only home no share is taken.
    """
    descriptor = _open_lock(path.with_name("native.lock"), create=create)
    if descriptor is None:
        return Presence(None)
    try:
        if _try_lock(descriptor, fcntl.LOCK_EX):
            if _ended_uncleanly(path):
                _check_or_restore(path, warn)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        else:
            _wait_for_share(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise
    return Presence(descriptor)


def suspect(path: Path) -> None:
    """Leave a mark that makes the next opening check the file."""
    with suppress(OSError):
        fsio.write_new(path.with_name("native.suspect"), b"")


def is_sound(path: Path) -> bool:
    """Whether the file opens and passes SQLite's quick check."""
    try:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        finally:
            connection.close()
    except sqlite3.DatabaseError:
        return False


def backups(path: Path) -> list[Path]:
    """The daily backups of the store, newest first."""
    folder = path.with_name("backups")
    with suppress(OSError):
        return sorted((file for file in folder.glob("native-*.db") if file.is_file()), reverse=True)
    return []


def back_up_daily(connection: sqlite3.Connection, path: Path, warn: Warn) -> None:
    """Copy the store into ``backups/`` when the newest copy is a day old, and keep the newest three.

    What goes wrong is a warning: what was written before is safe without it.
    """
    if not _is_due(path):
        return
    folder = path.with_name("backups")
    temporary = folder / f".{os.getpid()}-{os.urandom(4).hex()}.tmp"
    lock = None
    try:
        fsio.make_private_dir(folder)
        lock = _open_lock(folder / ".lock", create=True)
        if lock is None:
            raise OSError(f"{folder} cannot be written")
        if not _try_lock(lock, fcntl.LOCK_EX) or not _is_due(path):
            return
        connection.execute("VACUUM INTO ?", (os.fspath(temporary),))
        _make_durable(temporary)
        temporary.replace(folder / f"native-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.db")
        fsio.fsync_dir(folder)
        for old in backups(path)[KEEP_BACKUPS:]:
            old.unlink()
    except (OSError, sqlite3.Error) as error:
        warn(f"the daily backup of {path} was not made: {error}")
    finally:
        with suppress(OSError):
            temporary.unlink()
        if lock is not None:
            os.close(lock)


def network_filesystem(path: Path) -> str | None:
    """The type of the network file system that holds ``path``, or None for a local one or one not known."""
    kind = _mounted_as(path.parent.resolve()) if sys.platform.startswith("linux") else None
    return kind if kind in _NETWORK else None


def _mounted_as(directory: Path) -> str | None:
    best, kind = -1, None
    try:
        text = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not after:
            continue
        mount = Path(fields[4].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
        if len(mount.parts) >= best and directory.is_relative_to(mount):
            best, kind = len(mount.parts), after.split()[0]
    return kind


def _open_lock(path: Path, *, create: bool) -> int | None:
    flags = os.O_CLOEXEC | os.O_NOFOLLOW
    with suppress(OSError):
        return os.open(path, flags | os.O_RDWR | (os.O_CREAT if create else 0), 0o600)
    with suppress(OSError):
        return os.open(path, flags | os.O_RDONLY)
    return None


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _wait_for_share(descriptor: int, path: Path) -> None:
    deadline = time.monotonic() + ENTER_WAIT_S
    while not _try_lock(descriptor, fcntl.LOCK_SH):
        if time.monotonic() >= deadline:
            raise Busy(f"another process is checking {path}", hint="try again when it has finished")
        time.sleep(0.005)


def _ended_uncleanly(path: Path) -> bool:
    if path.with_name("native.suspect").exists():
        return True
    for suffix in ("-wal", "-journal"):
        with suppress(OSError):
            if path.with_name(path.name + suffix).stat().st_size > 0:
                return True
    return _is_no_database(path)


def _is_no_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        return False
    return head not in (b"", b"SQLite format 3\0")


def _check_or_restore(path: Path, warn: Warn) -> None:
    mark = path.with_name("native.suspect")
    if is_sound(path):
        if mark.exists():
            _mend_index(path, warn)
            mark.unlink(missing_ok=True)
        return
    backup = next((copy for copy in backups(path) if is_sound(copy)), None)
    if backup is None:
        raise StoreDamaged(
            f"the memory store {path} is damaged and has no backup",
            hint="put a backup in its place with `zeroclaw memory restore FILE`, or move the file away to start anew",
        )
    import shutil

    aside = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    restored = fsio.temporary_beside(path)
    try:
        shutil.copyfile(backup, restored)
        _make_durable(restored)
        path.rename(aside)
        for suffix in ("-wal", "-shm", "-journal"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
        restored.rename(path)
        fsio.fsync_dir(path.parent)
    finally:
        restored.unlink(missing_ok=True)
    mark.unlink(missing_ok=True)
    warn(
        f"the memory store {path} was damaged; it is now the backup {backup.name}, and the damaged file is {aside.name}"
    )


def _mend_index(path: Path, warn: Warn) -> None:
    # The quick check does not look inside the full-text index, which can be built anew from the rows beside it.
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        try:
            connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')")
        except sqlite3.DatabaseError:
            connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
            warn(f"the search index of {path} was damaged and has been built anew; no entry was lost")
    finally:
        connection.close()


def _make_durable(file: Path) -> None:
    file.chmod(0o600)
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_due(path: Path) -> bool:
    newest = next(iter(backups(path)), None)
    try:
        return newest is None or time.time() - newest.stat().st_mtime >= BACKUP_INTERVAL_S
    except OSError:
        return True
