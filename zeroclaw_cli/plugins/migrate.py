"""Packages in the places where other versions of the program kept them (specs/zeroclaw.md §2.1, §3.4)."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.plugins import discovery, owner, staging
from zeroclaw_cli.plugins.legacy import packages, places


@dataclass(frozen=True, slots=True)
class Migrated:
    """What became of one legacy folder: the directories that moved, and those that stayed because the target has one
    of that name (never overwritten)."""

    source: Path
    target: Path
    moved: tuple[str, ...]
    skipped: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def migrate(config: Config) -> tuple[Migrated, ...]:
    """Move every legacy package into the plugins folder; nothing is validated here, ``plugin list --all`` tells.

    One item per legacy folder that holds packages. Raises Busy; OSError when a move fails, with that package where it
    was.
    """
    sources = [(source, names) for source in places(config) if (names := packages(source))]
    if not sources:
        return ()
    from zeroclaw_cli.config.store import ensure_config_file

    ensure_config_file(config.location)
    with staging.exclusive(config):
        return tuple(_move_all(source, config.plugins.plugins_dir) for source, _ in sources)


def _move_all(source: Path, target: Path) -> Migrated:
    moved, skipped, warnings = [], [], []
    for name in packages(source):
        if staging.is_leftover(name):
            continue
        kept = _why_it_stays(source / name)
        if kept is not None:
            warnings.append(kept)
            continue
        if os.path.lexists(target / name):
            skipped.append(name)
            continue
        trouble = _move(source / name, target / name)
        moved.append(name)
        if trouble is not None:
            warnings.append(trouble)
    return Migrated(source, target, tuple(moved), tuple(skipped), tuple(warnings))


def _why_it_stays(directory: Path) -> str | None:
    """Why the legacy package may not move, apart from a directory that is in the way."""
    if directory.name == discovery.PROVIDERS:
        return f"{directory} stays: a package cannot be called so; rename the folder and the package first"
    if os.path.lexists(directory / owner.FILE):
        return f"{directory} stays, because what the package {directory.name} remembers is kept in it, too"
    return None


def _move(source: Path, target: Path) -> str | None:
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return _copy_across(source, target)
    fsio.fsync_dir(target.parent)
    fsio.fsync_dir(source.parent)
    return None


def _copy_across(source: Path, target: Path) -> str | None:
    """Another file system: a synced copy takes its place in one step, then the source goes. Links are not copied."""
    staged = staging.copy_tree(source, target.parent)
    staging.publish(staged, target)
    return staging.discard(source)
