"""Changing the plugins folder: one process at a time, and each package in a single step (specs/zeroclaw.md §3.2).

A package is written to ``.staging-…`` beside its final place, synced, and then takes that place by one rename. What is
there already is swapped with it in a single step where the system can, so that a process that dies leaves the old
package or the new one. Where it cannot, the old one is renamed to ``.trash-…~<directory>`` first; a process that dies
between the two renames leaves that name, and the next change of the folder puts it back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Config, Problem
from zeroclaw_cli.errors import Busy, PluginError
from zeroclaw_cli.plugins import payload
from zeroclaw_cli.plugins.digests import FreshDigests, SkillFile
from zeroclaw_cli.plugins.model import Package

_STAGING: Final = ".staging-"
_TRASH: Final = ".trash-"
_WAIT_S: Final = 30.0
_ANOTHER_FOLDER: Final = "choose another folder: zeroclaw config set plugins.plugins_dir DIR"


@dataclass(frozen=True, slots=True)
class Contents:
    """The bytes of one package: exactly what is installed and nothing else of its source directory."""

    manifest: bytes
    wasm_path: str | None
    component: bytes | None
    skills: tuple[SkillFile, ...]

    @classmethod
    def of(cls, package: Package, read: FreshDigests) -> Contents:
        """The payloads that the inspection of ``package`` read into ``read``."""
        manifest = package.manifest
        component = read.components.get(package.directory)
        return cls(manifest.raw, manifest.wasm_path, component, tuple(read.skill_files.get(package.directory, ())))

    def files(self) -> Iterator[tuple[str, bytes, int]]:
        """(``/``-separated path in the package, content, mode) of each file."""
        yield payload.MANIFEST, self.manifest, 0o600
        written = {payload.MANIFEST}
        for file in self.skills:
            written.add(f"{payload.SKILLS}/{file.path}")
            yield f"{payload.SKILLS}/{file.path}", file.content, 0o700 if file.executable else 0o600
        if self.wasm_path is not None and self.component is not None:
            path = "/".join(payload.component_parts(self.wasm_path))
            # A component may lie inside the skill bundle, and is then one of its files.
            if path not in written:
                yield path, self.component, 0o600


@contextmanager
def exclusive(config: Config) -> Iterator[None]:
    """Hold the plugins folder (created if missing) for the block, and clear what interrupted changes left in it and
    in the folder of the packages' data.

    Raises Busy when another process does not release it in time, PluginError for a folder that cannot be used.
    """
    folder = config.plugins.plugins_dir
    _require_usable(config, folder)
    fsio.make_private_dir(folder)
    try:
        with fsio.file_lock(folder / ".lock", timeout_s=_WAIT_S):
            for place in (folder, config.location.data_dir / "plugins"):
                if place.is_dir():
                    heal(place)
            yield
    except TimeoutError:
        raise Busy(
            f"another process has been changing {folder} for {_WAIT_S:.0f} s",
            hint="wait until it ends, then run the command again",
        ) from None


def _require_usable(config: Config, folder: Path) -> None:
    for problem in folder_problems(config):
        raise PluginError(problem.message, hint=problem.hint)
    if folder.exists() and not folder.is_dir():
        raise PluginError(f"the plugins folder {folder} is not a folder", hint=_ANOTHER_FOLDER)


def folder_problems(config: Config) -> list[Problem]:
    """That the plugins folder lies among the packages' data, where replacing a package would delete its memory."""
    folder, data = os.path.realpath(config.plugins.plugins_dir), os.path.realpath(config.location.data_dir / "plugins")
    if os.path.commonpath([folder, data]) != data:
        return []
    name = "plugins.plugins_dir"
    text = f"{name} is {config.plugins.plugins_dir}, where what the packages remember is kept"
    return [Problem(name, text, _ANOTHER_FOLDER)]


def stage(folder: Path, contents: Contents) -> Path:
    """Write the package to a fresh ``.staging-…`` directory of ``folder``, durably, and return it.

    On an error nothing of it stays.
    """
    return stage_files(folder, contents.files())


def copy_tree(source: Path, folder: Path) -> Path:
    """A durable copy of the regular files below ``source`` in a fresh ``.staging-…`` directory of ``folder``."""
    return stage_files(folder, regular_files(source))


def regular_files(source: Path) -> Iterator[tuple[str, bytes, int]]:
    """Every regular file below ``source``: its path, content and mode; links are not followed."""
    for directory, _, names in os.walk(source):
        for name in names:
            path = Path(directory, name)
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                yield path.relative_to(source).as_posix(), fsio.read_regular(path), stat.S_IMODE(mode)


def stage_files(folder: Path, files: Iterable[tuple[str, bytes, int]]) -> Path:
    """Write files, each (``/``-separated path, content, mode), as :func:`stage` writes those of a package."""
    staged = folder / f"{_STAGING}{os.urandom(8).hex()}"
    staged.mkdir(mode=0o700)
    try:
        for relative, content, mode in files:
            path = staged / relative
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            fsio.write_new(path, content, mode=mode)
        for directory, _, _ in os.walk(staged, topdown=False):
            fsio.fsync_dir(Path(directory))
        fsio.fsync_dir(folder)
    except BaseException:
        discard(staged)
        raise
    return staged


def publish(staged: Path, final: Path) -> Path | None:
    """Give ``staged`` the name ``final``; returns what was there before under another name, to be discarded."""
    if not os.path.lexists(final):
        staged.rename(final)
        aside = None
    elif fsio.exchange(staged, final):
        aside = staged
    else:
        aside = final.with_name(f"{_TRASH}{os.urandom(8).hex()}~{final.name}")
        final.rename(aside)
        try:
            staged.rename(final)
        except BaseException:
            if not os.path.lexists(final):
                aside.rename(final)
            raise
    fsio.fsync_dir(final.parent)
    return aside


def take_away(path: Path, into: Path | None = None) -> Path:
    """Rename a directory to a ``.trash-…`` name beside it or in ``into``, durably: from then on it is gone. Returns the
    new path."""
    aside = (path.parent if into is None else into) / f"{_TRASH}{os.urandom(8).hex()}"
    path.rename(aside)
    fsio.fsync_dir(path.parent)
    return aside


def discard(path: Path) -> str | None:
    """Delete what :func:`publish` or :func:`take_away` put aside, or staging left. A failure is returned as a warning:
    the change itself is done."""
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
        else:
            fsio.remove_tree(path)
    except OSError as error:
        return f"{error.filename or path} could not be deleted: {error.strerror or error}; delete {path} by hand"
    return None


def heal(folder: Path) -> None:
    """Clear the leftovers of interrupted changes; the caller holds the folder."""
    for path in sorted(folder.iterdir()):
        if not is_leftover(path.name):
            continue
        _, swapped, final = path.name.partition("~")
        if path.name.startswith(_TRASH) and swapped and not os.path.lexists(folder / final):
            path.rename(folder / final)
            fsio.fsync_dir(folder)
        else:
            discard(path)


def is_leftover(name: str) -> bool:
    """Whether ``name`` is one that this module gives to directories that are being written or deleted."""
    return name.startswith((_STAGING, _TRASH))
