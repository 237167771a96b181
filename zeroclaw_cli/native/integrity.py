"""What keeps the store's file sound: who has it open, and the check after an unclean stop.

Specs/native-memory.md §22.4. Beside ``native.db`` there are ``native.lock`` (held, shared, by every process that has
the store open), ``native.suspect`` (a reader met damage; the next opening checks) and ``backups/``.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, MemoryFailure, StoreDamaged
from zeroclaw_cli.native import copies, examination, place
from zeroclaw_cli.native.bad_rows import BadRow
from zeroclaw_cli.native.examination import LOGS

ENTER_WAIT_S: Final = 60.0
_NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "afpfs", "webdav", "ceph", "glusterfs", "lustre", "gpfs", "ncpfs"}
    | {"9p", "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.davfs", "beegfs", "orangefs", "macfuse"}
)

Warn = Callable[[str], None]


class Mender(Protocol):
    """Repairs a file that nobody else has open."""

    def repair(self, path: Path, warn: Warn) -> None:
        """Make the store sound again. Raises StoreDamaged when nothing is left to repair it with."""
        ...

    def mend_rows(self, path: Path, bad: Sequence[BadRow], warn: Warn) -> None:
        """Take back what rows of an otherwise sound store were that cannot be read now, where that is known."""
        ...


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


def enter(path: Path, *, create: bool, in_use: bool, warn: Warn, mender: Mender) -> Presence:
    """Take a share of the store; the only process checks the file first when the last one did not end cleanly.

    ``in_use`` says that this process has connections to it, as it may have without a share.

    Raises StoreDamaged when the file is damaged or lost and no backup can replace it, Busy when another process checks
    it for too long. In a read-only home no share is taken.
    """
    place.require_plain_file(path)
    descriptor = _open_lock(path.with_name("native.lock"), create=create or is_lost(path))
    if descriptor is None:
        _require_there(path)
        return Presence(None)
    try:
        if _try_lock(descriptor, fcntl.LOCK_EX):
            if _ended_uncleanly(path, in_use=in_use):
                _check_or_repair(path, warn, mender)
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


def is_lost(path: Path) -> bool:
    """Whether what was a store is gone: an empty file, for a store is published whole, or none where daily backups are,
    or where a restore was interrupted. Raises MemoryFailure where no store is and its backups cannot be listed."""
    try:
        found = path.stat()
    except FileNotFoundError:
        # Where a link leads to nothing, what it led to may come back.
        return not path.is_symlink() and (_has_copies(path) or restored_mark(path).exists())
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == 0


def _has_copies(path: Path) -> bool:
    backups = path.with_name("backups")
    if backups.is_dir() and not os.access(backups, os.R_OK | os.X_OK):
        raise MemoryFailure(
            f"the memory store {path} is not there, and {backups}, which may hold its backups, cannot be listed",
            hint=f"give yourself access to {backups}, and run the command again to repair the store",
        )
    return bool(copies.daily(path))


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


def _require_there(path: Path) -> None:
    if is_lost(path):
        raise StoreDamaged(
            f"the memory store {path} {describe_loss(path)}, and it cannot be repaired now",
            hint="end other programs that use it, make its folder writable, and run the command again to repair it",
        )


def describe_loss(path: Path) -> str:
    """What is wrong with a store that is not sound: it "is gone", "is empty" or "is damaged"."""
    if not path.exists():
        return "is gone"
    return "is empty" if is_lost(path) else "is damaged"


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
    return not in_use and examination.is_damaged_at_first_sight(path)


def _check_or_repair(path: Path, warn: Warn, mender: Mender) -> None:
    mark = path.with_name("native.suspect")
    if is_lost(path):
        mender.repair(path, warn)
    elif path.exists() and mark.exists():
        # A suspicion may be of what the quick check does not look at.
        found = examination.examine(path)
        if found.problems:
            mender.repair(path, warn)
        elif found.bad_rows:
            mender.mend_rows(path, found.bad_rows, warn)
    elif path.exists() and not examination.is_sound(path):
        mender.repair(path, warn)
    with suppress(OSError):
        mark.unlink(missing_ok=True)
