"""What ``plugin install`` was pointed at (specs/zeroclaw.md §3.2, Source classification)."""

from __future__ import annotations

import os
import re
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path

from zeroclaw_cli.config.locations import expand_user
from zeroclaw_cli.errors import SourceNotFound, SourceNotSupported
from zeroclaw_cli.plugins import payload

_REGISTRY_SPEC = re.compile(r"(?P<name>[^@]+)(?:@(?P<version>.+))?")


@dataclass(frozen=True, slots=True)
class Source:
    """A package on this machine: its root, the file name of its manifest, and ``path``, which was meant."""

    root: Path
    manifest_name: str
    path: Path


def classify(text: str) -> Source:
    """The local package that ``text`` (as typed) names: a directory, or a file that is taken as the manifest.

    Raises SourceNotFound for a path that leads to none, SourceNotSupported for URLs, archives, components and names of
    registry packages.
    """
    if "://" in text:
        raise SourceNotSupported(
            f"cannot install from the URL {text}",
            hint="download and unpack the package, then install its directory: zeroclaw plugin install ./DIRECTORY",
        )
    # An empty text would be the current directory.
    path = Path(expand_user(text, os.environ)) if text else None
    mode = None if path is None else _mode(path)
    if path is not None and mode is not None and stat.S_ISDIR(mode):
        return _directory(path)
    if path is not None and mode is not None and stat.S_ISREG(mode):
        return _file(path)
    there = path is None or mode is not None or os.path.lexists(path)
    if there or text.startswith((".", "~")) or "/" in text or "\\" in text:
        raise SourceNotFound(
            f"source not found: {text or 'the empty path'}",
            hint=f"give a directory that holds {payload.MANIFEST}, or the manifest file itself",
        )
    spec = _REGISTRY_SPEC.fullmatch(text)
    name = spec["name"] if spec else text
    raise SourceNotSupported(
        f"there is no directory {text} here, and this version does not install from a registry",
        hint=f"download the package and give its directory: zeroclaw plugin install {shlex.quote('./' + name)}",
    )


def local_source(text: str) -> Source:
    """As :func:`classify`, for a command that takes a directory and no name of a package.

    Raises SourceNotFound when there is nothing.
    """
    try:
        return classify(text)
    except SourceNotSupported:
        if "://" in text or os.path.lexists(text):
            raise
        raise SourceNotFound(f"there is no directory {text}", hint="give the directory of a package") from None


def _mode(path: Path) -> int | None:
    """The mode of what ``path`` leads to, None when it leads to nothing. Raises PermissionError."""
    try:
        return path.stat().st_mode
    except PermissionError:
        raise
    except (OSError, ValueError):
        return None


def _directory(path: Path) -> Source:
    root = path.resolve()
    manifest = root / payload.MANIFEST
    if not manifest.exists() and not manifest.is_symlink():
        raise SourceNotFound(
            f"source not found: {root} holds no {payload.MANIFEST}", hint="give the directory of the package itself"
        )
    return Source(root, payload.MANIFEST, root)


def _file(path: Path) -> Source:
    # Only the directory is resolved: whether the manifest may be a link is for the inspection to say.
    root = path.parent.resolve()
    if path.suffix.lower() == ".zip":
        raise SourceNotSupported(
            f"{path} is an archive, and this version does not install archives",
            hint=f"unpack it and install its directory: unzip {shlex.quote(str(path))}, "
            "then zeroclaw plugin install ./DIRECTORY",
        )
    if path.suffix.lower() in (".wasm", ".cwasm"):
        raise SourceNotSupported(
            f"{path} is a component without its manifest",
            hint=f"install the directory that holds {payload.MANIFEST}: "
            f"zeroclaw plugin install {shlex.quote(str(path.parent))}",
        )
    return Source(root, path.name, root / path.name)
