"""The one folder of the host that a plugin with ``file_read`` or ``file_write`` sees, as ``/data``.

``<data_dir>/plugins/<package>/files``, mode 0700. The engine keeps a guest inside it: links and ``..`` that lead out
are refused (specs/wasm-host.md §5). It has no quota, so the host looks at the folder's size around each call.
"""

from __future__ import annotations

import os
from pathlib import Path

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.plugins.model import Manifest, Permission
from zeroclaw_cli.wasm.instance import Folder
from zeroclaw_cli.wasm.limits import PluginLimits


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


def check_quota(folder: Folder, limits: PluginLimits) -> None:
    """Raise MemoryFailure when the folder holds more than ``plugins.limits.max_data_mb``."""
    used = _size(folder.path)
    if used > limits.limits.max_data_mb * 1024 * 1024:
        raise MemoryFailure(
            f"the plugin's files in {folder.path} take {used / 2**20:.1f} MiB, "
            f"more than the {limits.limits.max_data_mb} MiB it may have",
            hint=f"raise the limit: {limits.raise_hint('max_data_mb')}",
            path=limits.path("max_data_mb"),
        )


def _size(directory: Path) -> int:
    total = 0
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                total += _size(Path(entry.path))
            else:
                total += entry.stat(follow_symlinks=False).st_size
    return total
