"""The right to write one plugin's journal, among all processes.

SQLite's own lock does not tell who holds it, so writers take turns by a lock file beside the database, in which the
holder's process id stands. The lock goes with the process that holds it. What the turns leave undone SQLite's lock
still does: a lock file that was removed costs waiting and a name, never a record.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Final
from weakref import WeakSet

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy
from zeroclaw_cli.wasm.journal_file import identity

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_ID_BYTES: Final = 32


class WriteLock:
    """The lock of the journal at ``journal``. The file stays open between the turns, since opening it takes longer
    than locking it."""

    def __init__(self, journal: Path) -> None:
        self._file = os.fspath(journal.with_name("journal.lock"))
        self._fd: int | None = None
        self._identity: tuple[int, int] | None = None
        self._mine = b""
        _locks.add(self)

    def acquire(self, wait_s: float, *, make_folder: bool = True) -> None:
        """Wait for the lock, at most ``wait_s`` seconds. Raises Busy with the holder's process id, and OSError.

        ``make_folder``: the journal's folder is made if it is not there, else that is FileNotFoundError.
        """
        fd = self._opened(make_folder=make_folder)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait(fd, time.monotonic() + wait_s)
        # A write dirties the inode, which the next sync of anything may have to wait for.
        if os.pread(fd, _ID_BYTES, 0) != self._mine:
            os.pwrite(fd, self._mine, 0)

    def release(self) -> None:
        """Give the lock back, also when it was not taken."""
        # By name, since a child process that inherited the descriptor would keep the lock.
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _opened(self, *, make_folder: bool) -> int:
        """The descriptor of the file that is there now: it, or its whole folder, may have been moved away."""
        if self._fd is not None:
            if identity(self._file) == self._identity:
                return self._fd
            self.close()
        try:
            fd = os.open(self._file, _FLAGS, 0o600)
        except FileNotFoundError:
            if not make_folder:
                raise
            fsio.make_private_dir(Path(self._file).parent)
            fd = os.open(self._file, _FLAGS, 0o600)
        self._fd, self._identity = fd, identity(fd)
        self._mine = f"{os.getpid():<{_ID_BYTES - 1}}\n".encode()
        return fd

    def _wait(self, fd: int, deadline: float) -> None:
        pause = 0.001
        while time.monotonic() < deadline:
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                continue
        holder = os.pread(fd, _ID_BYTES, 0).decode("ascii", "replace").strip()
        who = f"process {holder}" if holder.isdigit() else "another process"
        raise Busy(
            f"the memory of {Path(self._file).parent.name} is being written by {who}",
            hint="wait for it, or end that process if it hangs",
        )


# What a child process inherits is the same lock as its parent's, and would last as long as either.
_locks: Final[WeakSet[WriteLock]] = WeakSet()


def _close_all() -> None:
    for lock in list(_locks):
        lock.close()


os.register_at_fork(after_in_child=_close_all)
