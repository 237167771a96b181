"""Removing a package, its config entries and its data (specs/zeroclaw.md §3.3).

What is deleted is the directory that was found, never one that is merely called like the package, and never anything
but a direct child of the plugins folder.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Final

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import Ambiguous, ConfigError, Damaged, PluginError, PluginNotFound, explain
from zeroclaw_cli.plugins import digests as digest_cache
from zeroclaw_cli.plugins import discovery, lock, owner, payload, previous, staging
from zeroclaw_cli.plugins.bindings import entries_of
from zeroclaw_cli.plugins.discovery import Inventory
from zeroclaw_cli.plugins.gates import layers_using, selected_backend
from zeroclaw_cli.plugins.install import settle
from zeroclaw_cli.plugins.lock import LockFile

# A built-in layer is not switched off because a store that it was bound to is gone.
_BUILT_IN_LAYERS: Final = frozenset({"runtime", "documents", "memory-spaces"})


@dataclass(frozen=True, slots=True)
class Target:
    """What ``plugin remove NAME`` would take away. ``package`` is the name under which config and data are kept, None
    when the directory does not tell; ``shared`` says that another directory holds a package of that name."""

    name: str
    directory: Path
    package: str | None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class RemoveResult:
    """``left``: what remains of the package, one line each (config entries, data)."""

    removed: str
    directory: Path
    left: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def find(config: Config, name: str) -> Target:
    """The one thing that ``name`` stands for: an admitted package; else a skipped or interrupted one by the name of its
    directory, or by its own name when there is only one; else what is left of a package whose directory is gone: its
    data, or its entry in the lock.

    Raises PluginNotFound; Ambiguous when several skipped directories hold the package.
    """
    inventory = discovery.discover(config, digests=digest_cache.cached(config.location))
    for package in inventory.packages:
        if package.name == name:
            return Target(name, package.directory, name, _is_shared(inventory, package.directory, name))
    skipped = [skip for skip in inventory.skipped if skip.directory.name == name]
    skipped = skipped or [skip for skip in inventory.skipped if skip.name == name]
    if len(skipped) > 1:
        directories = sorted(skip.directory.name for skip in skipped)
        raise Ambiguous(
            f"several directories hold a package called {name}: {', '.join(directories)}",
            hint=f"remove one of them by its directory: zeroclaw plugin remove {quote(directories[-1])}",
        )
    for skip in skipped:
        return Target(name, skip.directory, skip.name, _is_shared(inventory, skip.directory, skip.name))
    leftover = _leftover(config, inventory, name) or _remains(config, name)
    if leftover is not None:
        return leftover
    inventory.find(name)
    raise AssertionError("an admitted package was found above")


def data_of(config: Config, target: Target) -> Path | None:
    """The data folder that ``purge_data`` would delete, None when there is none."""
    if target.package is None or target.shared:
        return None
    folder = owner.data_dir(config, target.package)
    return folder if _is_directory(folder) else None


def remove(config: Config, name: str, *, purge_config: bool, purge_data: bool) -> RemoveResult:
    """Remove what :func:`find` finds; a symbolic link is unlinked and what it points to stays.

    Raises what :func:`find` raises, Busy, LockDamaged. The package is gone once its directory is renamed; what follows
    may be interrupted and is finished by the next change.
    """
    _require_remains(config, find(config, name), purge_data=purge_data)
    with staging.exclusive(config):
        if staging.is_leftover(name):
            return RemoveResult(name, config.plugins.plugins_dir / name, ())
        target = find(config, name)
        path = lock.path_of(config.location)
        before = lock.read(path)
        known = settle(config, before)
        trouble = []
        if os.path.lexists(target.directory):
            # Deleted before anything is written: what it took may be the room that a full disk lacks.
            trouble.append(staging.discard(staging.take_away(target.directory)))
        if target.package is not None and not target.shared:
            trouble += previous.prune(config, target.package)
        data = data_of(config, target) if purge_data else None
        if data is not None:
            trouble.append(staging.discard(staging.take_away(data)))
        _heal_data(config)
        if target.package is not None and not target.shared:
            _unlock(path, before, known, target.package)
    left, problems = _config_left(config, target, purge=purge_config)
    kept = data_of(config, target)
    if kept is not None:
        left.append(f"data: {kept}")
    warnings = [line for line in (*trouble, *problems) if line is not None]
    return RemoveResult(name, target.directory, tuple(left), tuple(warnings))


def _unlock(path: Path, before: LockFile, known: LockFile, name: str) -> None:
    try:
        changed = lock.drop(path, known, name)
        if changed is known and before.pending:
            lock.write(path, known)
    except OSError as error:
        raise PluginError(
            f"{name} is removed, but {path} still names it: {explain(error)}",
            hint=f"make room or make the file writable, and run `zeroclaw plugin remove {name}` again",
        ) from error


def _heal_data(config: Config) -> None:
    """Delete the data that an interrupted removal has put aside."""
    folder = config.location.data_dir / "plugins"
    if folder.is_dir():
        staging.heal(folder)


def _remains(config: Config, name: str) -> Target | None:
    """What is left of a package ``name`` without a directory."""
    directory = config.plugins.plugins_dir / name
    if name.startswith(".") or directory.parent != config.plugins.plugins_dir or os.path.lexists(directory):
        return None
    target = Target(name, directory, name)
    return target if data_of(config, target) is not None or _is_locked(config, name) else None


def _is_locked(config: Config, name: str) -> bool:
    known = lock.read(lock.path_of(config.location))
    return name in known.entries or name in known.pending


def _require_remains(config: Config, target: Target, *, purge_data: bool) -> None:
    """Raise PluginNotFound for a package of which data alone is left, unless that is to be deleted."""
    if purge_data or os.path.lexists(target.directory) or _is_locked(config, target.name):
        return
    raise PluginNotFound(
        f"plugin not found: {target.name}; only its data is left, in {data_of(config, target)}",
        hint=f"`zeroclaw plugin remove {target.name} --purge-data` deletes it",
    )


def _is_shared(inventory: Inventory, directory: Path, name: str | None) -> bool:
    others = [(package.directory, package.name) for package in inventory.packages]
    others += [(skip.directory, skip.name) for skip in inventory.skipped if skip.name is not None]
    return any(other == name and where != directory for where, other in others)


def _is_directory(path: Path) -> bool:
    # Path.is_dir raises for a name that no file system could hold.
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


def _leftover(config: Config, inventory: Inventory, name: str) -> Target | None:
    """A direct child of the plugins folder called ``name`` that is not seen as a package but is plainly ours or was
    one: a directory of an interrupted change, an empty one, or one that the lock knows."""
    folder = config.plugins.plugins_dir
    path = folder / name
    if path.parent != folder or name in ("", ".", "..", discovery.PROVIDERS) or not _is_directory(path):
        return None
    if staging.is_leftover(name):
        return Target(name, path, None)
    if os.path.lexists(path / payload.MANIFEST):
        return None
    known = lock.read(lock.path_of(config.location))
    for entry in (*known.pending.values(), *known.entries.values()):
        if entry.directory == name:
            return Target(name, path, entry.name, _is_shared(inventory, path, entry.name))
    if not path.is_symlink() and not any(path.iterdir()):
        return Target(name, path, None)
    raise PluginNotFound(
        f"plugin not found: {path} holds no {payload.MANIFEST} and is not known to be a package's",
        hint="look into it, and delete it by hand if it is of no use",
    )


def _config_left(config: Config, target: Target, *, purge: bool) -> tuple[list[str], list[str]]:
    """What the config still says about the removed package, after purging; and what went wrong with that."""
    name = target.package
    if name is None or target.shared:
        return [], []
    keys = entries_of(config, name)
    disabled = name in config.plugins.disabled
    problems: list[str] = []
    if purge and (keys or disabled):
        from zeroclaw_cli.config.edit import purge_entry, set_string_list

        try:
            for key in keys:
                purge_entry(config, key)
            if disabled:
                remaining = [other for other in config.plugins.disabled if other != name]
                set_string_list(config, "plugins.disabled", remaining)
            keys, disabled = (), False
        except (ConfigError, Damaged, OSError) as error:
            problems.append(f"its config could not be removed: {explain(error)}")
    left = [f"config: plugins.entries.{key}" for key in keys]
    if disabled:
        left.append(f"config: plugins.disabled names {name}")
    for layer in layers_using(config, name):
        path = f"memory.topology.layers.{layer}"
        if layer in _BUILT_IN_LAYERS:
            problems.append(f"{path}.adapter_ids still names it: zeroclaw config unset {path}.adapter_ids")
        else:
            problems.append(f"{path} still names it: zeroclaw memory layers disable {layer}")
    if selected_backend(config) == name:
        problems.append(f"memory.backend is still plugin.{name}: zeroclaw config unset memory.backend")
    return left, problems
