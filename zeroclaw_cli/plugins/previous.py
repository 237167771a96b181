"""The version that a package had before, kept for ``plugin rollback`` (cli.md, plugin).

``<plugins_dir>/.previous/<package>~<successor>/`` holds the files of the replaced version in ``package/`` and its lock
entry in ``plugins.lock``. ``<successor>`` stands for the bytes that took its place. So the kept version is written
before the swap and still speaks of the right package wherever a process dies: as long as the successor is not
installed, what is kept for it is nobody's previous version. The change that succeeds next deletes it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Config, Security
from zeroclaw_cli.errors import LockDamaged, PluginError, PreviousDamaged, explain
from zeroclaw_cli.plugins import discovery, lock, staging
from zeroclaw_cli.plugins.digests import FreshDigests
from zeroclaw_cli.plugins.discovery import Inventory
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.model import Digests, LockEntry, Package
from zeroclaw_cli.plugins.staging import Contents

FOLDER: Final = ".previous"
_PACKAGE: Final = "package"
_ENTRY: Final = "plugins.lock"
_OURS: Final = re.compile(r"([^~]+)~[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept version: where its files are, and what the lock said of it."""

    directory: Path
    entry: LockEntry


def keep(
    config: Config, package: Package, contents: Contents, recorded: LockEntry | None, *, successor: Digests
) -> None:
    """Keep ``package``, an installed one whose bytes are ``contents``, as what came before ``successor``.

    ``recorded`` is its entry of the lock, if it has one. The caller holds the plugins folder. Raises OSError, with
    nothing kept.
    """
    source = str(package.directory) if recorded is None else recorded.source
    entry = package.lock or lock.entry_for(package, source=source)
    _keep(config, entry, contents.files(), successor)


def keep_skipped(config: Config, name: str, directory: Path, *, successor: Digests) -> None:
    """Keep what is in ``directory``, which the policy or a rule skips, as what the package ``name`` was before
    ``successor``: a rollback to it must pass the inspection then.

    The caller holds the plugins folder. Raises PluginError when it cannot be kept.
    """
    read = FreshDigests(keep=True)
    # As if no policy stood: what it refuses today it may admit when it is brought back.
    found = discovery.inspect(directory, Security(), lock=None, digests=read)
    try:
        if isinstance(found, Package) and found.name == name:
            keep(config, found, Contents.of(found, read), None, successor=successor)
            return
        entry = LockEntry(name, "", directory.name, str(directory), "", "", None, None, None, "")
        _keep(config, entry, staging.regular_files(directory), successor)
    except OSError as error:
        raise PluginError(
            f"{directory} cannot be kept for a rollback: {explain(error)}",
            hint=f"take it away first: zeroclaw plugin remove {directory.name}",
        ) from None


def _keep(config: Config, entry: LockEntry, files: Iterable[tuple[str, bytes, int]], successor: Digests) -> None:
    folder = config.plugins.plugins_dir
    staged = staging.stage_files(folder, _files(files, entry))
    try:
        kept = _place(config, entry.name, successor)
        fsio.make_private_dir(kept.parent)
        if os.path.lexists(kept):
            # Of an interrupted change: the successor is not installed, so nobody misses it.
            staging.discard(staging.take_away(kept, into=folder))
        staging.publish(staged, kept)
    except BaseException:
        staging.discard(staged)
        raise


def find(config: Config, package: Package) -> Kept | None:
    """The version that the installed ``package`` took the place of, None when none is kept. Raises PreviousDamaged."""
    kept = _place(config, package.name, package.digests)
    if not os.path.lexists(kept):
        return None
    try:
        entry = lock.read(kept / _ENTRY).entries.get(package.name)
    except (LockDamaged, OSError) as error:
        raise damaged(package.name, kept, str(error)) from None
    if entry is None:
        raise damaged(package.name, kept, f"{_ENTRY} does not name the package")
    return Kept(kept / _PACKAGE, entry)


def prune(config: Config, name: str, *, successor: Digests | None = None) -> list[str | None]:
    """Delete what is kept for ``name``, except what came before ``successor``; returns warnings.

    The caller holds the plugins folder.
    """
    folder = config.plugins.plugins_dir
    spared = None if successor is None else _place(config, name, successor)
    trouble: list[str | None] = []
    for kept in _all_of(folder / FOLDER, name):
        if kept == spared:
            continue
        try:
            trouble.append(staging.discard(staging.take_away(kept, into=folder)))
        except OSError as error:
            trouble.append(f"{kept} could not be deleted: {error.strerror or error}; delete it by hand")
    with suppress(OSError):
        (folder / FOLDER).rmdir()
    return trouble


def of_nobody(config: Config, inventory: Inventory) -> list[Path]:
    """What is kept for packages that are not installed, or not with those bytes: an interrupted change left it."""
    spared = {_place(config, package.name, package.digests) for package in inventory.packages}
    # One that is only skipped may be mended, and then it is the successor again.
    skipped = {skipped.name for skipped in inventory.skipped} | {
        skipped.directory.name for skipped in inventory.skipped
    }
    folder = config.plugins.plugins_dir / FOLDER
    try:
        found = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [path for path in found if _name_of(path) not in {"", *skipped} and path not in spared]


def clear(config: Config) -> list[str]:
    """Delete what :func:`of_nobody` gives; returns warnings. Raises as :func:`staging.exclusive` and discovery do."""
    folder = config.plugins.plugins_dir
    with staging.exclusive(config):
        left = of_nobody(config, discovery.discover(config))
        trouble = [staging.discard(staging.take_away(path, into=folder)) for path in left]
        with suppress(OSError):
            (folder / FOLDER).rmdir()
    return [line for line in trouble if line is not None]


def damaged(name: str, kept: Path, problem: str) -> PreviousDamaged:
    """The error of a kept version that cannot be used."""
    return PreviousDamaged(
        f"the previous version of {name} in {kept} is damaged: {' '.join(problem.split())}",
        hint="install it from its directory: zeroclaw plugin install DIR --replace",
    )


def _files(files: Iterable[tuple[str, bytes, int]], entry: LockEntry) -> Iterator[tuple[str, bytes, int]]:
    yield _ENTRY, lock.render(LockFile({entry.name: entry})).encode("utf-8"), 0o600
    for path, content, mode in files:
        yield f"{_PACKAGE}/{path}", content, mode


def _place(config: Config, name: str, successor: Digests) -> Path:
    # No package name holds a ~, so no package's versions are taken for another's.
    parts = (successor.manifest, successor.component or "", successor.skills or "")
    return config.plugins.plugins_dir / FOLDER / f"{name}~{hashlib.sha256(' '.join(parts).encode()).hexdigest()}"


def _name_of(kept: Path) -> str:
    """The package that something in :data:`FOLDER` is of; empty for what is not ours."""
    match = _OURS.fullmatch(kept.name)
    return "" if match is None else match[1]


def _all_of(folder: Path, name: str) -> list[Path]:
    try:
        found = [path for path in folder.iterdir() if _name_of(path) == name]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found)
