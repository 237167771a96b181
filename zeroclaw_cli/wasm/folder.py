"""The one folder of the host that a plugin with ``file_read`` or ``file_write`` sees, as ``/data``.

``<data_dir>/plugins/<package>/files``, mode 0700. The engine keeps a guest inside it: links and ``..`` that lead out
are refused (specs/wasm-host.md §5). It has no quota, so the host looks at the folder's size around each call.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.plugins.model import Manifest, Permission
from zeroclaw_cli.wasm.instance import Folder
from zeroclaw_cli.wasm.limits import PluginLimits

_MIB: Final = 1024 * 1024
_BLOCK: Final = 4096


def guest_folder(manifest: Manifest, data_dir: Path) -> Folder | None:
    """The plugin's folder, made if it may write; None for a plugin that gets none.

    A plugin that may only read and whose folder does not exist gets none either: opening it creates nothing.
    """
    writable = manifest.granted(Permission.FILE_WRITE)
    if not writable and not manifest.granted(Permission.FILE_READ):
        return None
    path = data_dir / "plugins" / manifest.name / "files"
    if writable:
        fsio.make_private_dir(path)
    elif not path.is_dir():
        return None
    return Folder(path, writable)


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
    total = 0
    left = [os.fspath(directory)]
    try:
        while left:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    total += max(_BLOCK, entry.stat(follow_symlinks=False).st_size)
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
    except FileNotFoundError:
        # Another process of the plugin has removed something meanwhile.
        return total
    except OSError as error:
        raise MemoryFailure(
            f"the plugin's files in {directory} cannot be measured: {error.strerror or error}",
            hint="look into the folder, and remove what the plugin should not have made",
        ) from None
    return total
