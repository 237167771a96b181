"""The files that a package brings: where its component is, and the bytes of it (specs/zeroclaw.md §1.4, §1.5)."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path, PurePosixPath

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import ComponentMissing, InvalidManifest, LinkRefused, ManifestIo

MANIFEST = "manifest.toml"
SKILLS = "skills"

# Far above what any package brings; a file of that size would exhaust the memory of whoever lists the packages.
MOST_MANIFEST_BYTES = 4 * 2**20
MOST_FILE_BYTES = 512 * 2**20


def component_parts(wasm_path: str) -> tuple[str, ...]:
    """``wasm_path`` of an accepted manifest, or another ``/``-separated path, as segments below its root."""
    return PurePosixPath(wasm_path).parts


def locate_component(directory: Path, wasm_path: str) -> Path:
    """The path of the component of the package in ``directory``: a regular file, reached through no link.

    Raises ComponentMissing, LinkRefused for a link at it or at a folder above it within the package, ManifestIo for
    something else than a file.
    """
    path = directory
    parts = component_parts(wasm_path)
    for number, part in enumerate(parts, start=1):
        path = path / part
        try:
            mode = os.lstat(path).st_mode
        except OSError as error:
            if isinstance(error, FileNotFoundError | NotADirectoryError):
                raise ComponentMissing(
                    f"the component {path} does not exist",
                    hint="build it there, or correct wasm_path in the manifest",
                ) from None
            raise unreadable(path, error) from None
        if stat.S_ISLNK(mode):
            raise link_refused(path)
        if number == len(parts) and not stat.S_ISREG(mode):
            raise ManifestIo(f"IO error: {path} is not a regular file", hint="set wasm_path to the component file")
    if parts == (MANIFEST,):
        raise InvalidManifest(
            f"invalid manifest: {path}: wasm_path names the manifest itself", hint="let it name the component"
        )
    return path


def read_file(root: Path, relative: str) -> bytes:
    """The bytes of the file at ``relative`` (``/``-separated) below ``root``, read once and through no link.

    Raises ManifestIo.
    """
    require_size(root / relative, MOST_FILE_BYTES)
    try:
        return fsio.read_beneath(root, component_parts(relative))
    except OSError as error:
        raise unreadable(root / relative, error) from None


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of the regular file ``path`` of a package, ``most`` at the most.

    Raises LinkRefused (a ManifestIo) when ``path`` is a symbolic link, ManifestIo when it is too large or unreadable.
    """
    require_size(path, most)
    try:
        return fsio.read_regular(path)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise link_refused(path) from None
        raise unreadable(path, error) from None


def link_refused(path: Path) -> LinkRefused:
    """The error of a symbolic link inside a package."""
    return LinkRefused(f"IO error: {path} is a symbolic link", hint="replace the link by what it points to")


def unreadable(path: Path, error: OSError) -> ManifestIo:
    """The error of a file of a package that the system does not let us read."""
    # Only a file that is none has no errno here, and only a socket is no such device.
    odd = error.errno in (None, errno.ENXIO)
    reason = "it is not a regular file" if odd else error.strerror or error
    return ManifestIo(f"IO error: {path} cannot be read: {reason}", hint="make it a regular file that you may read")


def require_size(path: Path, most: int) -> None:
    """Raise ManifestIo when the regular file ``path`` has more than ``most`` bytes."""
    try:
        found = os.lstat(path)
    except OSError:
        return
    if stat.S_ISREG(found.st_mode) and found.st_size > most:
        raise ManifestIo(
            f"IO error: {path} has {found.st_size} bytes, and at most {most} are read",
            hint="take out of the package what does not belong to it",
        )
