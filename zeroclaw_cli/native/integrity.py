"""What keeps the store's file sound: who has it open, the check after an unclean stop, the daily backup.

Specs/native-memory.md §22.4. Beside ``native.db`` there are ``native.lock`` (held, shared, by every process that has
the store open), ``native.suspect`` (a reader met damage; the next opening checks) and ``backups/``.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, MemoryFailure, StoreDamaged, explain

if TYPE_CHECKING:
    from zeroclaw_cli.native.settings import NativeSettings

KEEP_BACKUPS: Final = 3
BACKUP_INTERVAL_S: Final = 24 * 3600
ENTER_WAIT_S: Final = 60.0
_NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "afpfs", "webdav", "ceph", "glusterfs", "lustre", "gpfs", "ncpfs"}
    | {"9p", "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.davfs", "beegfs", "orangefs", "macfuse"}
)
LOGS: Final = ("-wal", "-shm", "-journal")
READ_ONLY_CODES: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
DAMAGE_CODES: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

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


def enter(path: Path, *, create: bool, in_use: bool, warn: Warn, settings: NativeSettings | None = None) -> Presence:
    """Take a share of the store; the only process checks the file first when the last one did not end cleanly.

    ``in_use`` says that this process has connections to it, as it may have without a share. ``settings`` say what is to
    become of the mirror where the store has to be restored; without them it is left alone.

    Raises StoreDamaged when the file is damaged or lost and no backup can replace it, Busy when another process checks
    it for too long. In a read-only home no share is taken.
    """
    require_plain_file(path)
    descriptor = _open_lock(path.with_name("native.lock"), create=create or is_lost(path))
    if descriptor is None:
        _require_there(path)
        return Presence(None)
    try:
        if _try_lock(descriptor, fcntl.LOCK_EX):
            if _ended_uncleanly(path, in_use=in_use):
                _check_or_restore(path, warn, settings)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        else:
            _wait_for_share(descriptor, path)
        _require_there(path)
    except BaseException:
        os.close(descriptor)
        raise
    return Presence(descriptor)


def suspect(path: Path) -> None:
    """Leave a mark that makes the next opening check the file."""
    with suppress(OSError):
        fsio.write_new(path.with_name("native.suspect"), b"")


def is_sound(path: Path) -> bool:
    """Whether the file is a database that passes SQLite's quick check; an empty one is none. Nothing need be writable.

    Raises MemoryFailure when it cannot be looked at, which says nothing of how it is.
    """
    try:
        require_plain_file(path)
        if path.stat().st_size == 0:
            return False
        with closing(connect_to_read(path)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except StoreDamaged:
        return False
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in DAMAGE_CODES or code == sqlite3.SQLITE_ERROR:
            return False
        raise MemoryFailure(
            f"{path} cannot be checked: {error}", hint="check it where its folder can be read and written"
        ) from error
    except OSError as error:
        raise MemoryFailure(f"{path} cannot be checked: {error.strerror}", hint="make it readable") from error


def connect_to_read(path: Path, connect: Callable[[str], sqlite3.Connection] | None = None) -> sqlite3.Connection:
    """A connection for reading, also where nothing can be written. ``connect`` opens an URI and looks into the file."""
    # A writable connection cleans up the log when it is the last one; the others serve a read-only home.
    attempts = ["mode=rw", "mode=ro"]
    log = path.with_name(path.name + "-wal")
    if not log.exists() or log.stat().st_size == 0:
        attempts.append("mode=ro&immutable=1")
    for number, attempt in enumerate(attempts, start=1):
        try:
            return (connect or _connect)(f"{path.absolute().as_uri()}?{attempt}")
        except sqlite3.OperationalError as error:
            if number == len(attempts) or error.sqlite_errorcode & 0xFF not in READ_ONLY_CODES:
                raise
    raise AssertionError("every attempt returns or raises")


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        # Opening is lazy: only a first look tells whether the file can be used in this way.
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def is_lost(path: Path) -> bool:
    """Whether what was a store is gone: an empty file, for a store is published whole, or none where daily backups are,
    or where a restore was interrupted."""
    try:
        found = path.stat()
    except FileNotFoundError:
        # Where a link leads to nothing, what it led to may come back.
        return not path.is_symlink() and (bool(backups(path)) or restored_mark(path).exists())
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == 0


def make_private(path: Path) -> None:
    """Let nobody else into the store's folder and files that are the user's own: 0700 and 0600 (§22.4).

    What a link leads to stays as it is, and so does what the system refuses to change.
    """
    for file, mode in ((path.parent, 0o700), *((path.with_name(path.name + suffix), 0o600) for suffix in ("", *LOGS))):
        with suppress(OSError):
            found = file.lstat()
            is_plain = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
            if is_plain and found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077:
                file.chmod(mode)


def restored_mark(path: Path) -> Path:
    """What is there from the beginning of a restore until the mirror's documents are taken back; see ``recovery``."""
    return path.with_name("native.restored")


def set_aside(path: Path) -> list[Path]:
    """The damaged files that lie beside the store, oldest first: what is in them may be nowhere else."""
    with suppress(OSError):
        return sorted(file for file in path.parent.glob(f"{path.name}.damaged-*") if not file.name.endswith(LOGS))
    return []


def require_plain_file(path: Path) -> None:
    """Raise StoreDamaged for a folder, pipe or dangling link in the place of the store: opening it could hang."""
    try:
        what = path.stat()
    except FileNotFoundError:
        if not path.is_symlink():
            return
        problem = f"is a link to {path.readlink()}, which is not there"
        hint = "bring back what it points to, or remove the link"
    except OSError:
        return
    else:
        if stat.S_ISREG(what.st_mode):
            return
        problem = "is a folder" if stat.S_ISDIR(what.st_mode) else "is no plain file"
        hint = "move it away; the next command then starts from the newest backup, or anew"
    raise StoreDamaged(f"the memory store {path} {problem}", hint=hint)


def _require_there(path: Path) -> None:
    if is_lost(path):
        raise StoreDamaged(
            f"the memory store {path} {describe_loss(path)}, and it cannot be restored now",
            hint="end other programs that use it, make its folder writable, and run the command again: it then "
            "restores the last good backup",
        )


def describe_loss(path: Path) -> str:
    """What is wrong with a store that is not sound: it "is gone", "is empty" or "is damaged"."""
    if not path.exists():
        return "is gone"
    return "is empty" if is_lost(path) else "is damaged"


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
        # As bytes, since under some locales the text of a path is no UTF-8.
        connection.execute("VACUUM INTO CAST(? AS TEXT)", (os.fsencode(temporary),))
        _make_durable(temporary)
        temporary.replace(folder / f"native-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.db")
        fsio.fsync_dir(folder)
        for old in backups(path)[KEEP_BACKUPS:]:
            old.unlink()
    except (OSError, sqlite3.Error) as error:
        warn(f"the daily backup of {path} was not made: {explain_failure(error)}")
    finally:
        with suppress(OSError):
            temporary.unlink()
        if lock is not None:
            os.close(lock)


def explain_failure(error: OSError | sqlite3.Error) -> str:
    """What went wrong, without the number of the system's error."""
    return explain(error) if isinstance(error, OSError) else str(error)


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


def _ended_uncleanly(path: Path, *, in_use: bool) -> bool:
    if path.with_name("native.suspect").exists() or is_lost(path):
        return True
    for suffix in ("-wal", "-journal"):
        with suppress(OSError):
            if path.with_name(path.name + suffix).stat().st_size > 0:
                return True
    # Whoever closes a file gives up all locks that the process has on it, those of SQLite too.
    return not in_use and _is_no_database(path)


def _is_no_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        return False
    return head not in (b"", b"SQLite format 3\0")


def _check_or_restore(path: Path, warn: Warn, settings: NativeSettings | None) -> None:
    mark = path.with_name("native.suspect")
    if not is_lost(path) and (not path.exists() or is_sound(path)):
        if mark.exists() and path.exists():
            _mend_index(path, warn)
        with suppress(OSError):
            mark.unlink(missing_ok=True)
        return
    from zeroclaw_cli.native.recovery import restore

    restore(path, warn, settings)


def _mend_index(path: Path, warn: Warn) -> None:
    # The quick check does not look inside the full-text index, which can be built anew from the rows beside it.
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        try:
            connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in READ_ONLY_CODES:
                return
            connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
            warn(f"the search index of {path} was damaged and has been built anew; no entry was lost")
    finally:
        connection.close()


def _make_durable(file: Path) -> None:
    file.chmod(0o600)
    fsio.fsync_file(file)


def _is_due(path: Path) -> bool:
    newest = next(iter(backups(path)), None)
    try:
        return newest is None or time.time() - newest.stat().st_mtime >= BACKUP_INTERVAL_S
    except OSError:
        return True
