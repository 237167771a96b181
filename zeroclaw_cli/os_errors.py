"""What the system refused, as an error of ours: the cause, the path, and what a person can do about it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from zeroclaw_cli.errors import ZeroclawError

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM})
_LEAST_ROOM: Final = 64 * 1024
# Another thing stands where a file of ours belongs; the ones without a number are ours (fsio.read_regular).
_MISPLACED: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.ENXIO, None})


def failure(error: OSError, path: Path | None = None) -> ZeroclawError:
    """``error`` with its path (else ``path``), its cause, and the remedy."""
    where = error.filename if isinstance(error.filename, str) else path
    cause = error.strerror or str(error)
    return ZeroclawError(f"{where}: {cause}" if where else cause, hint=remedy(error, path))


def access_failure(error: OSError, path: Path) -> ZeroclawError | None:
    """:func:`failure`, where the system did not let us read ``path``; None where what stands there is not the file that
    it should be, which is damage."""
    return None if error.errno in _MISPLACED else failure(error, path)


def remedy(error: OSError, path: Path | None = None) -> str:
    """What to do about ``error``, which happened at its own path, else at ``path``."""
    name = error.filename if isinstance(error.filename, str) else path
    if not name:
        return "free some space and try again" if error.errno in _FULL else "try again"
    place = Path(name)
    if error.errno in _FULL:
        return f"free some space on the disk that holds {_nearest(place)}, then run the command again"
    if error.errno in _FORBIDDEN:
        return f"give yourself access to {_barrier(place)}; `ls -ld` shows who has it"
    if error.errno == errno.EROFS:
        return f"{_nearest(place)} is on a file system that is mounted read-only; mount it for writing"
    if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.ENOENT) and (file := _file_above(place)) is not None:
        return f"{file} is not a folder; move it away, or correct the path"
    if error.errno == errno.ENOENT and not place.parent.exists():
        return f"there is no folder {place.parent}; make it, or correct the path"
    return _OTHERS.get(error.errno or 0, "check that the path exists and may be used")


_OTHERS: Final = {
    errno.EISDIR: "it is a folder; name a file",
    errno.ELOOP: "it is a symbolic link that is not followed, or one that leads to itself; put the file itself there",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.EMFILE: "raise the limit of open files (`ulimit -n`)",
    errno.EFBIG: "raise the limit of the size of files (`ulimit -f`)",
    errno.EIO: "the disk reports an error; check it before you use it again",
    errno.EBUSY: "another program uses it; try again when that has ended",
}


def is_full(path: Path) -> bool:
    """Whether the disk that holds ``path`` has no room for the files that SQLite needs beside a database."""
    found = os.statvfs(path)
    free = found.f_bfree if os.geteuid() == 0 else found.f_bavail
    return free * found.f_frsize < _LEAST_ROOM


def _nearest(path: Path) -> Path:
    """``path``, or the nearest folder above it that is there."""
    return next((place for place in (path, *path.parents) if os.path.lexists(place)), path)


def _barrier(path: Path) -> Path:
    """The outermost folder on the way to ``path`` that may not be entered, else what is there of ``path``."""
    above = reversed(path.absolute().parents)
    closed = (folder for folder in above if folder.is_dir() and not os.access(folder, os.X_OK, effective_ids=True))
    return next(closed, None) or _nearest(path)


def _file_above(path: Path) -> Path | None:
    return next((place for place in path.parents if os.path.lexists(place) and not place.is_dir()), None)


def of_sqlite(error: Exception, path: Path) -> OSError:
    """What the system refused when SQLite gave up on the database ``path``; an OSError is returned as it is.

    The database is not opened to find out: closing it would take this process's locks away.
    """
    import sqlite3

    if isinstance(error, OSError):
        return error
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    place = _nearest(path)
    number = {sqlite3.SQLITE_FULL: errno.ENOSPC, sqlite3.SQLITE_IOERR: errno.EIO}.get(code)
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN) and is_full(place):
        number = errno.ENOSPC
    if number is None:
        barrier, folder = _barrier(path), path.parent
        if barrier != place or not os.access(place, os.R_OK | (0 if place.is_dir() else os.W_OK), effective_ids=True):
            number = errno.EROFS if os.statvfs(place).f_flag & os.ST_RDONLY else errno.EACCES
        elif not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
            number, place = errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES, folder
    if number is None:
        return OSError(0, str(error), os.fspath(path))
    return OSError(number, os.strerror(number), os.fspath(place))
