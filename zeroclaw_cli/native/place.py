"""The place of the store's file: what is there, and what the system refuses of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from zeroclaw_cli.errors import MemoryFailure, StoreDamaged


def is_there(path: Path) -> bool:
    """Whether anything has the name of the store. Raises MemoryFailure where that cannot be told."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        wrong = next(parent for parent in path.parents if os.path.lexists(parent))
        raise MemoryFailure(
            f"the memory store {path} cannot be opened: {wrong} is not a folder",
            hint="move that file away, or choose another folder with --config-dir",
        ) from None
    except OSError as error:
        raise refused(error, path) from error
    return True


def refused(error: Exception, path: Path) -> MemoryFailure:
    """What the system refused of the store at ``path``, as ``error`` of it or of SQLite tells: cause and remedy."""
    from zeroclaw_cli.os_errors import of_sqlite, remedy

    cause = of_sqlite(error, path)
    return MemoryFailure(f"the memory store {path} cannot be used: {cause.strerror or cause}", hint=remedy(cause, path))


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
        problem = "is a folder" if stat.S_ISDIR(what.st_mode) else "is not a regular file"
        hint = "move it away; the next command then starts from the newest backup, or anew"
    raise StoreDamaged(f"the memory store {path} {problem}", hint=hint)
