"""How many files a guest with a folder keeps open.

The engine gives a guest as many descriptors as the process has, and a process without any left can do nothing more. No
call that opens one can be refused, so the host looks now and then while the guest runs, and after each call.
"""

from __future__ import annotations

import fcntl
import os
import sys
from contextlib import suppress
from typing import Any, Final

from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.wasm.instance import Folder

MOST_OPEN: Final = 64
_LISTS: Final = ("/proc/self/fd", "/dev/fd")
# macOS tells the path of a descriptor by this.
_GET_PATH: Final[int | None] = getattr(fcntl, "F_GETPATH", None)
_PATH_BYTES: Final = 1024


class OpenFiles:
    """Holds a plugin to :data:`MOST_OPEN` open files and folders below its own; without a folder it does nothing."""

    def __init__(self, folder: Folder | None) -> None:
        self._path = None if folder is None else os.path.realpath(folder.path)

    def exceeded(self, what: str) -> MemoryFailure | None:
        """The error of a plugin that keeps too many open, ``what`` says what comes of it; None when it does not."""
        if self._path is None:
            return None
        count = _open_below(self._path)
        if count is not None and count <= MOST_OPEN:
            return None
        if count is None:
            return MemoryFailure(
                f"this process cannot open more files in addition to the plugin with the folder {self._path}; {what}",
                hint="the plugin may not close what it opens; ulimit -n says how many the process may have",
            )
        return MemoryFailure(
            f"the plugin has {count:,} files of its folder {self._path} open, more than {MOST_OPEN}; {what}",
            hint="this is a fault of the plugin: it does not close what it opens",
        )


def _open_below(path: str) -> int | None:
    """How many descriptors of this process lead to ``path`` or below; None when there is none left to find out."""
    for place in _LISTS:
        try:
            numbers = os.listdir(place)  # noqa: PTH208 - on the way of every call
        except FileNotFoundError:
            continue
        except OSError:
            return None
        # Most often there are not even as many in the whole process.
        if len(numbers) <= MOST_OPEN:
            return 0
        return sum(_is_below(_path_of(place, number), path) for number in numbers)
    return 0


def _is_below(file: str, folder: str) -> bool:
    return file == folder or file.startswith(folder + "/")


def _path_of(place: str, number: str) -> str:
    """Where a descriptor leads; empty when it is closed by now, or leads to no file."""
    with suppress(OSError, ValueError):
        if sys.platform == "linux":
            return os.readlink(f"{place}/{number}")  # noqa: PTH115 - as above
        if _GET_PATH is not None:
            found: Any = fcntl.fcntl(int(number), _GET_PATH, bytes(_PATH_BYTES))
            return os.fsdecode(found.rstrip(b"\0"))
    return ""
