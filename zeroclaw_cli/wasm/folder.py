"""The one folder of the host that a plugin with ``file_read`` or ``file_write`` sees, as ``/data``.

``<data_dir>/plugins/<package>/files``, mode 0700 and never a link. The engine keeps a guest inside it: links and ``..``
that lead out are refused (specs/wasm-host.md §5). It has no quota, so the host looks at the folder's size around each
call.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.plugins.model import Manifest, Permission
from zeroclaw_cli.wasm.instance import Folder
from zeroclaw_cli.wasm.limits import PluginLimits

_MIB: Final = 1024 * 1024
_BLOCK: Final = 4096
_ATTEMPTS: Final = 5
_PRIVATE: Final = 0o700
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def guest_folder(manifest: Manifest, data_dir: Path) -> Folder | None:
    """The plugin's folder, made if it may write; None for a plugin that gets none.

    A plugin that may only read and whose folder does not exist gets none either: opening it creates nothing. Raises
    MemoryFailure for a folder that is none, or a link, or cannot be made or made private.
    """
    writable = manifest.granted(Permission.FILE_WRITE)
    if not writable and not manifest.granted(Permission.FILE_READ):
        return None
    path = data_dir / "plugins" / manifest.name / "files"
    try:
        if not os.path.lexists(path):
            if not writable:
                return None
            fsio.make_private_dir(path)
        _make_private(path, must=writable)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from None
    return Folder(path, writable)


def _make_private(path: Path, *, must: bool) -> None:
    if not stat.S_ISDIR(path.lstat().st_mode):
        raise _unusable(path, "it is a link" if path.is_symlink() else "it is not a folder")
    folder = os.open(path, _FOLDER)
    try:
        if stat.S_IMODE(os.fstat(folder).st_mode) != _PRIVATE:
            os.fchmod(folder, _PRIVATE)
    except OSError:
        # Where nothing can be changed, reading goes on.
        if must:
            raise
    finally:
        os.close(folder)


def _unusable(path: Path, reason: str) -> MemoryFailure:
    return MemoryFailure(
        f"the plugin's folder {path} cannot be used: {reason}", hint="put a folder of your own in its place, mode 0700"
    )


class Quota:
    """Holds a plugin's files to ``plugins.limits.max_data_mb``; without a folder that can be written it does nothing.

    A file can grow beyond the quota within one call, since the engine counts nothing. Files cannot be undone, so such
    a call is kept as what it is, recorded like every other, and reported as an error; from then on no writing call
    begins. Reading goes on, unless a reading call lets the files grow still further; at twice the quota nothing is
    called at all, so that a guest cannot fill the disk with calls that trap.
    """

    def __init__(self, folder: Folder | None, limits: PluginLimits) -> None:
        self._path = folder.path if folder is not None and folder.writable else None
        self._limits = limits
        self._last = 0

    def check_before(self, *, writing: bool) -> None:
        """Raise MemoryFailure when the files take too much for a call to begin."""
        if self._path is not None:
            self._last = _size(self._path)
            if self._last > self._allowed * (1 if writing else 2):
                raise self._exceeded("no call that writes is made" if writing else "nothing is called", self._path)

    def outgrown(self) -> MemoryFailure | None:
        """The error to end a running call with, when its files have outgrown twice the quota; None otherwise."""
        if self._path is None:
            return None
        self._last = _size(self._path)
        return self._exceeded("the call was ended", self._path) if self._last > 2 * self._allowed else None

    def check_after(self, function: str) -> None:
        """Raise MemoryFailure when the files take too much since the call of ``function`` that has just returned."""
        if self._path is not None:
            before, self._last = self._last, _size(self._path)
            if self._last > self._allowed and self._last > before:
                raise self._exceeded(f"memory.{function} was carried out and made them grow", self._path)

    @property
    def _allowed(self) -> int:
        return self._limits.limits.max_data_mb * _MIB

    def _exceeded(self, what: str, path: Path) -> MemoryFailure:
        return MemoryFailure(
            f"the plugin's files in {path} take {self._last / _MIB:.1f} MiB, "
            f"more than the {self._limits.limits.max_data_mb} MiB it may have; {what}",
            hint=f"raise the limit: {self._limits.raise_hint('max_data_mb')}",
            path=self._limits.path("max_data_mb"),
        )


def _size(directory: Path) -> int:
    """Bytes below ``directory``. Whatever is there counts as one block at least, so that empty files and folders do not
    come for nothing. Raises MemoryFailure when the tree cannot be walked."""
    for _ in range(_ATTEMPTS):
        try:
            return _walk(directory)
        except FileNotFoundError:
            # Another process of the plugin has removed a folder meanwhile.
            continue
        except OSError as error:
            raise _unmeasurable(directory, error.strerror or str(error)) from None
    raise _unmeasurable(directory, "they keep changing")


def _walk(directory: Path) -> int:
    """The sum, by descriptors: a guest may nest folders deeper than a path can say or a process hold open."""
    here = os.open(directory, _FOLDER)
    try:
        total, names = _look(here)
        pending = [names]
        while True:
            if pending[-1]:
                try:
                    below = os.open(pending[-1].pop(), _FOLDER, dir_fd=here)
                except (FileNotFoundError, NotADirectoryError):
                    continue
                os.close(here)
                here = below
                size, names = _look(here)
                total += size
                pending.append(names)
                continue
            pending.pop()
            if not pending:
                return total
            above = os.open("..", _FOLDER, dir_fd=here)
            os.close(here)
            here = above
    finally:
        os.close(here)


def _look(folder: int) -> tuple[int, list[str]]:
    total = 0
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                total += max(_BLOCK, entry.stat(follow_symlinks=False).st_size)
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
            except FileNotFoundError:
                continue
    return total, names


def _unmeasurable(directory: Path, reason: str) -> MemoryFailure:
    return MemoryFailure(
        f"the plugin's files in {directory} cannot be measured: {reason}",
        hint="look into the folder, and remove what the plugin should not have made",
    )
