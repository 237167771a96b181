"""Installing a package from a directory or a manifest file (specs/zeroclaw.md §3.2, §3.5)."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import (
    AlreadyInstalled,
    Ambiguous,
    ConfigError,
    Damaged,
    DataOwner,
    InvalidConfigSchema,
    InvalidManifest,
    OwnerDamaged,
    PluginError,
    Refused,
    explain,
)
from zeroclaw_cli.plugins import digests as digest_cache
from zeroclaw_cli.plugins import discovery, lock, owner, payload, probing, staging
from zeroclaw_cli.plugins.bindings import ConfigKey, config_keys, seeded_key
from zeroclaw_cli.plugins.digests import FreshDigests
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.model import ComponentProbe, LockEntry, Package, SkipCode
from zeroclaw_cli.plugins.sources import Source, classify
from zeroclaw_cli.plugins.staging import Contents

# Names that mean something else where packages and their data are kept.
RESERVED: Final = frozenset({discovery.PROVIDERS, "digests.json", "history.toml"})


@dataclass(frozen=True, slots=True)
class InstallResult:
    """The package as it is installed (or would be, under ``dry_run``).

    ``changed`` is false when identical bytes were there already; ``replaced`` is the version that it took the place of;
    ``seeded`` is the config key that was added for it, if one was.
    """

    package: Package
    config_keys: tuple[ConfigKey, ...]
    changed: bool
    dry_run: bool = False
    replaced: str | None = None
    seeded: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the package goes, and what is there: ``existing`` admitted, or something else to be moved aside."""

    final: Path
    existing: Package | None
    changed: bool
    warnings: tuple[str, ...] = ()


def install(
    config: Config, source: str, *, probe: ComponentProbe | None, replace: bool = False, dry_run: bool = False
) -> InstallResult:
    """Install the package at ``source`` (as typed) and seed its config entry.

    Raises SourceNotFound or SourceNotSupported; what the inspection raises; what :func:`probing.require` raises;
    AlreadyInstalled for other bytes under an installed name without ``replace``; DataOwner when ``replace`` would hand
    data to another publisher; Ambiguous; Busy; LockDamaged. Until the rename that publishes it nothing has changed.
    """
    origin = classify(source)
    read = FreshDigests(keep=True)
    try:
        package = discovery.admit(
            origin.root, config.plugins.security, lock=None, digests=read, manifest=origin.manifest_name
        )
    except (Refused, InvalidConfigSchema):
        if not replace:
            _refuse_installed(config, origin)
        raise
    contents = Contents.of(package, read)
    if package.name in RESERVED:
        raise InvalidManifest(
            f"invalid manifest: a package cannot be called {package.name}: the name is in use by the program itself",
            hint="give the package another name",
        )
    warnings = package.warnings
    if probe is not None and contents.component is not None:
        warnings = (*warnings, *probing.require(probe, contents.component, package.manifest))
    package = dataclasses.replace(package, warnings=warnings)
    if dry_run:
        plan = _plan(config, package, lock.read(lock.path_of(config.location)), replace)
        return _result(config, package, plan, dry_run=True)
    return _install(config, origin, package, contents, replace)


def _install(config: Config, origin: Source, package: Package, contents: Contents, replace: bool) -> InstallResult:
    from zeroclaw_cli.config.door import ensure_config_file

    ensure_config_file(config.location)
    with staging.exclusive(config):
        before = lock.read(lock.path_of(config.location))
        known = settle(config, before)
        plan = _plan(config, package, known, replace)
        entry = _entry(package, plan, origin)
        if plan.changed:
            trouble = _publish(config, contents, package, plan, known, entry)
            package = dataclasses.replace(package, warnings=(*package.warnings, *trouble))
        elif plan.existing is not None and plan.existing.lock is not None and not before.pending:
            entry = plan.existing.lock
        else:
            lock.put(lock.path_of(config.location), known, [entry])
        _warm_cache(config, package, plan.final)
    result = _result(config, package, plan, entry=entry)
    return _seed(config, result)


def settle(config: Config, known: LockFile) -> LockFile:
    """The lock with every pending entry decided: kept where the package is the pending one, else dropped.

    The caller holds the plugins folder; nothing is written.
    """
    entries = dict(known.entries)
    for name, waiting in known.pending.items():
        found = discovery.discover_named(config, name, lock=known).packages
        if any(package.name == name and package.lock is waiting for package in found):
            entries[name] = waiting
    return LockFile(entries)


def _plan(config: Config, package: Package, known: LockFile, replace: bool) -> _Plan:
    inventory = discovery.discover_named(config, package.name, lock=known)
    existing = next((found for found in inventory.packages if found.name == package.name), None)
    if existing is None:
        for skipped in inventory.skipped:
            if skipped.code is SkipCode.AMBIGUOUS and skipped.name == package.name:
                raise Ambiguous(skipped.reason, hint=skipped.hint)
        final = config.plugins.plugins_dir / package.name
        if os.path.lexists(final):
            _check_leftover(final, package)
        return _Plan(final, None, True, _data_warnings(config, package))
    if existing.digests == package.digests:
        return _Plan(existing.directory, existing, False)
    if not replace:
        raise _already_installed(existing, f"v{package.manifest.version}")
    owner.check(config, package.manifest)
    return _Plan(existing.directory, existing, True, _publisher_warnings(existing, package))


def _refuse_installed(config: Config, origin: Source) -> None:
    """Raise AlreadyInstalled, which stands before what the policy says of the new one (specs/zeroclaw.md §1.6)."""
    name = discovery.claimed_name(origin.root, origin.manifest_name)
    if name is None:
        return
    for existing in discovery.discover_named(config, name).packages:
        if existing.name == name:
            raise _already_installed(existing, "another one")


def _already_installed(existing: Package, other: str) -> AlreadyInstalled:
    return AlreadyInstalled(
        f"plugin {existing.name!r} is already installed (v{existing.manifest.version}), with other contents",
        hint=f"to put {other} in its place, keeping its data and config, add --replace",
    )


def _check_leftover(final: Path, package: Package) -> None:
    """``final`` is no admitted package of this name: refuse to move it aside unless it is plainly one that failed."""
    claimed = discovery.claimed_name(final)
    if claimed is not None and claimed != package.name:
        raise PluginError(
            f"{final} holds another package, {claimed}", hint=f"remove it first: zeroclaw plugin remove {final.name}"
        )
    if os.path.lexists(final / payload.MANIFEST):
        return
    parts = () if package.manifest.wasm_path is None else payload.component_parts(package.manifest.wasm_path)
    expected = {payload.SKILLS, *parts[:1]}
    if final.is_symlink() or not final.is_dir() or not expected.issuperset(path.name for path in final.iterdir()):
        raise PluginError(f"{final} is in the way and is no package", hint="move it away, then install again")


def _data_warnings(config: Config, package: Package) -> tuple[str, ...]:
    """A removed package may have left data that this one may not open; installing it is no harm."""
    try:
        owner.check(config, package.manifest)
    except (DataOwner, OwnerDamaged) as error:
        return (explain(error),)
    return ()


def _publisher_warnings(existing: Package, package: Package) -> tuple[str, ...]:
    before, after = owner.publisher(existing.manifest), owner.publisher(package.manifest)
    if before in (after, owner.UNSIGNED):
        return ()
    now = "is not signed" if after == owner.UNSIGNED else f"is signed by {after}"
    return (f"{package.name} was signed by {before}, and what takes its place {now}",)


def _publish(
    config: Config, contents: Contents, package: Package, plan: _Plan, known: LockFile, entry: LockEntry
) -> list[str]:
    """Stage, check the staged copy, swap it in and record it; returns warnings."""
    path = lock.path_of(config.location)
    staged = staging.stage(config.plugins.plugins_dir, contents)
    try:
        copy = discovery.admit(staged, config.plugins.security, lock=None, digests=FreshDigests())
        if copy.digests != package.digests:
            raise PluginError(
                f"the staged copy of {package.name} in {staged} was changed while it was being installed",
                hint="run the command again",
            )
        waiting = lock.begin(path, known, entry)
        aside = staging.publish(staged, plan.final)
    except BaseException:
        staging.discard(staged)
        raise
    lock.put(path, waiting, [entry])
    trouble = None if aside is None else staging.discard(aside)
    return [trouble] if trouble else []


def _entry(package: Package, plan: _Plan, origin: Source) -> LockEntry:
    return lock.entry_for(dataclasses.replace(package, directory=plan.final), source=str(origin.path))


def _warm_cache(config: Config, package: Package, final: Path) -> None:
    """Let the next ``list`` find the digests; that the cache fails is no failure of the install."""
    cache = digest_cache.cached(config.location)
    discovery.inspect(final, config.plugins.security, lock=None, digests=cache)
    cache.save(create=True)


def _result(
    config: Config, package: Package, plan: _Plan, *, dry_run: bool = False, entry: LockEntry | None = None
) -> InstallResult:
    wasm_path = package.manifest.wasm_path
    installed = dataclasses.replace(
        package,
        directory=plan.final,
        component=None if wasm_path is None else plan.final.joinpath(*payload.component_parts(wasm_path)),
        lock=entry,
    )
    return InstallResult(
        package=installed,
        config_keys=config_keys(config, package.manifest),
        changed=plan.changed,
        dry_run=dry_run,
        replaced=plan.existing.manifest.version if plan.changed and plan.existing is not None else None,
        warnings=(*package.warnings, *plan.warnings),
    )


def _seed(config: Config, result: InstallResult) -> InstallResult:
    """Add the config entry of a tool with a schema. The package is installed whether or not that succeeds."""
    key = seeded_key(result.package.manifest)
    if key is None:
        return result
    from zeroclaw_cli.config.edit import seed_entry

    try:
        seeded = seed_entry(config, key)
    except (ConfigError, Damaged, OSError) as error:
        warning = f"the package is installed, but its config entry {key} could not be added: {explain(error)}"
        return dataclasses.replace(result, warnings=(*result.warnings, warning))
    return dataclasses.replace(result, seeded=key if seeded else None)
