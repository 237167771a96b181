"""What ``plugin install`` was pointed at (specs/zeroclaw.md §3.2, Source classification)."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

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
    path = _expanded(text)
    if path.is_dir():
        return _directory(path)
    if path.is_file():
        return _file(path)
    if path.exists() or path.is_symlink() or text.startswith((".", "~")) or "/" in text or "\\" in text or not text:
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


def _expanded(text: str) -> Path:
    if text == "~" or text.startswith("~/"):
        return Path.home() / text[2:]
    return Path(text)


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
