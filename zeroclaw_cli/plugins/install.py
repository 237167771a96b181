"""Installing a package from a directory or a manifest file (specs/zeroclaw.md §3.2, §3.5)."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Callable
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
    Interrupted,
    InvalidConfigSchema,
    InvalidManifest,
    OwnerDamaged,
    PluginError,
    Refused,
    ZeroclawError,
    explain,
)
from zeroclaw_cli.plugins import digests as digest_cache
from zeroclaw_cli.plugins import discovery, history, lock, owner, payload, previous, probing, staging
from zeroclaw_cli.plugins.bindings import ConfigKey, config_keys, seeded_key
from zeroclaw_cli.plugins.digests import FreshDigests
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.model import ComponentProbe, LockEntry, Package, SkipCode, Skipped
from zeroclaw_cli.plugins.sources import Source, classify
from zeroclaw_cli.plugins.staging import Contents

# Names that mean something else where packages and their data are kept.
RESERVED: Final = frozenset({discovery.PROVIDERS, "digests.json", "history.toml"})


@dataclass(frozen=True, slots=True)
class InstallResult:
    """The package as it is installed (or would be, under ``dry_run``).

    ``changed`` is false when identical bytes were there already; ``replaced`` is the version that it took the place of,
    or ``skipped`` the directory, which was no admitted package; ``seeded`` is the config key that was added for it, if
    one was.
    """

    package: Package
    config_keys: tuple[ConfigKey, ...]
    changed: bool
    dry_run: bool = False
    replaced: str | None = None
    skipped: Skipped | None = None
    seeded: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A package that the inspection admits: the very bytes of it, and ``source``, which the lock records."""

    package: Package
    contents: Contents
    source: str


# Shown the admitted package that a candidate with other bytes would take the place of, None when there is none; raises
# to refuse that.
Permit = Callable[[Package | None], None]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the package goes, and what is there: ``existing`` admitted, or ``skipped``, or something else to be moved
    aside.

    ``contents`` are the bytes of ``existing``, and ``recorded`` what the lock says of it."""

    final: Path
    existing: Package | None
    changed: bool
    warnings: tuple[str, ...] = ()
    contents: Contents | None = None
    recorded: LockEntry | None = None
    skipped: Skipped | None = None


def install(
    config: Config, source: str, *, probe: ComponentProbe | None, replace: bool = False, dry_run: bool = False
) -> InstallResult:
    """Install the package at ``source`` (as typed) and seed its config entry.

    Raises SourceNotFound or SourceNotSupported; what the inspection raises; what :func:`probing.require` raises;
    AlreadyInstalled for other bytes under an installed name without ``replace``; DataOwner when ``replace`` would hand
    data to another publisher; Ambiguous; Busy; LockDamaged. That what takes another's place fails on what that one
    remembers is a warning. Until the rename that publishes it nothing has changed.
    """
    origin = classify(source)
    try:
        candidate = read(config, origin)
    except (Refused, InvalidConfigSchema):
        if not replace:
            _refuse_installed(config, origin)
        raise

    def permit(existing: Package | None) -> None:
        if existing is not None and not replace:
            raise _already_installed(existing, f"v{candidate.package.manifest.version}")

    candidate = examine(candidate, probe)
    if replace and probe is not None:
        # Before the trial: another publisher's component must not be shown the data.
        replaced = foresee(config, candidate, permit).replaced
        if replaced is not None:
            candidate = rehearsed(candidate, probe, replaced, must=False)
    return foresee(config, candidate, permit) if dry_run else place(config, candidate, permit)


def read(config: Config, origin: Source) -> Candidate:
    """The package at ``origin``, inspected under the policy. Raises what the inspection raises."""
    kept = FreshDigests(keep=True)
    package = discovery.admit(
        origin.root, config.plugins.security, lock=None, digests=kept, manifest=origin.manifest_name
    )
    return Candidate(package, Contents.of(package, kept), str(origin.path))


def examine(candidate: Candidate, probe: ComponentProbe | None) -> Candidate:
    """The candidate with the warnings of the probe. Raises InvalidManifest for a reserved name, and what
    :func:`probing.require` raises."""
    package, component = candidate.package, candidate.contents.component
    if package.name in RESERVED:
        raise InvalidManifest(
            f"invalid manifest: a package cannot be called {package.name}: the name is in use by the program itself",
            hint="give the package another name",
        )
    if probe is None or component is None:
        return candidate
    warnings = (*package.warnings, *probing.require(probe, component, package.manifest))
    return dataclasses.replace(candidate, package=dataclasses.replace(package, warnings=warnings))


def rehearsed(candidate: Candidate, probe: ComponentProbe | None, present: str, *, must: bool) -> Candidate:
    """The candidate with what differs when it is tried on what the package remembers; ``present`` is the version whose
    place it is to take.

    That it fails there, does not show entries that are there, or gives agents other ids than those that their entries
    have, is an error with ``must``, and a warning without.
    """
    package, component = candidate.package, candidate.contents.component
    if probe is None or component is None:
        return candidate
    try:
        trial = probe.rehearse(package, component)
        said, problem = (*trial.lost, *trial.differences), "; ".join((*trial.lost, *trial.hidden_agents))
    except Interrupted:
        raise
    except ZeroclawError as error:
        said, problem = (), error.message
    if problem:
        if must:
            raise PluginError(
                f"{_named(package)} does not work on what {package.name} remembers: {problem}",
                hint=f"v{present} stays; to put the other in its place all the same: "
                f"zeroclaw plugin install {shlex.quote(candidate.source)} --replace",
            )
        back = f"`zeroclaw plugin rollback {package.name}` brings v{present} back"
        what = "" if said else f"{_named(package)} does not work on what {package.name} remembers: {problem}; "
        said = (*said, f"{what}{back}")
    return dataclasses.replace(candidate, package=dataclasses.replace(package, warnings=(*package.warnings, *said)))


def _named(package: Package) -> str:
    return f"{package.name} v{package.manifest.version}"


def foresee(config: Config, candidate: Candidate, permit: Permit) -> InstallResult:
    """What :func:`place` would do, or raise. Changes nothing."""
    plan = _plan(config, candidate.package, lock.read(lock.path_of(config.location)), permit)
    return _result(config, candidate.package, plan, dry_run=True)


def place(config: Config, candidate: Candidate, permit: Permit) -> InstallResult:
    """Publish the candidate, record it and seed its config entry.

    A package that it takes the place of, admitted or skipped, is kept for ``plugin rollback``. Raises what ``permit``
    raises, and DataOwner, Ambiguous, Busy, LockDamaged; until the rename that publishes it nothing has changed.
    """
    from zeroclaw_cli.config.store import ensure_config_file

    package = candidate.package
    ensure_config_file(config.location)
    with staging.exclusive(config):
        before = lock.read(lock.path_of(config.location))
        known = settle(config, before)
        plan = _plan(config, package, known, permit)
        entry = lock.entry_for(dataclasses.replace(package, directory=plan.final), source=candidate.source)
        if plan.changed:
            trouble = _publish(config, candidate.contents, package, plan, known, entry)
            package = dataclasses.replace(package, warnings=(*package.warnings, *trouble))
        else:
            if plan.existing is not None and plan.existing.lock is not None and not before.pending:
                entry = plan.existing.lock
            else:
                lock.put(lock.path_of(config.location), known, [entry])
            previous.prune(config, package.name, successor=package.digests)
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


def _plan(config: Config, package: Package, known: LockFile, permit: Permit) -> _Plan:
    hashed = FreshDigests(keep=True)
    inventory = discovery.discover_named(config, package.name, lock=known, digests=hashed)
    existing = next((found for found in inventory.packages if found.name == package.name), None)
    if existing is None:
        for skipped in inventory.skipped:
            if skipped.code is SkipCode.AMBIGUOUS and skipped.name == package.name:
                raise Ambiguous(skipped.reason, hint=skipped.hint)
        permit(None)
        final = config.plugins.plugins_dir / package.name
        if os.path.lexists(final):
            _check_leftover(final, package)
        in_place = next((skip for skip in inventory.skipped if skip.directory == final), None)
        return _Plan(final, None, True, _data_warnings(config, package), skipped=in_place)
    if existing.digests == package.digests:
        return _Plan(existing.directory, existing, False)
    permit(existing)
    _check_owner(config, package)
    return _Plan(
        existing.directory,
        existing,
        True,
        _publisher_warnings(existing, package),
        Contents.of(existing, hashed),
        known.entries.get(existing.name),
    )


def _check_owner(config: Config, package: Package) -> None:
    try:
        owner.check(config, package.manifest)
    except DataOwner as error:
        # adopt-data binds the data to what is installed, so it can only help afterwards.
        error.hint = (
            f"to hand it over: zeroclaw plugin remove {package.name}, which keeps the data, install this package, "
            f"then zeroclaw plugin adopt-data {package.name}"
        )
        raise


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
    """``final`` is not an admitted package of this name: refuse to move it aside unless it plainly failed to load."""
    claimed = discovery.claimed_name(final)
    if claimed is not None and claimed != package.name:
        raise PluginError(
            f"{final} holds another package, {claimed}",
            hint=f"remove it first: zeroclaw plugin remove {shlex.quote(final.name)}",
        )
    if os.path.lexists(final / payload.MANIFEST):
        return
    parts = () if package.manifest.wasm_path is None else payload.component_parts(package.manifest.wasm_path)
    expected = {payload.SKILLS, *parts[:1]}
    if final.is_symlink() or not final.is_dir() or not expected.issuperset(path.name for path in final.iterdir()):
        raise PluginError(f"{final} is in the way and is not a package", hint="move it away, then install again")


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
        if plan.existing is not None and plan.contents is not None:
            previous.keep(config, plan.existing, plan.contents, plan.recorded, successor=package.digests)
        elif plan.skipped is not None and not plan.final.is_symlink():
            previous.keep_skipped(config, package.name, plan.final, successor=package.digests)
        else:
            # What an interrupted removal left is not what came before this one, even if the bytes are the same.
            previous.prune(config, package.name)
        waiting = lock.begin(path, known, entry)
        aside = staging.publish(staged, plan.final)
    except BaseException:
        staging.discard(staged)
        raise
    lock.put(path, waiting, [entry])
    trouble = [None if aside is None else staging.discard(aside)]
    trouble += previous.prune(config, package.name, successor=package.digests)
    replaces = plan.existing is not None or plan.skipped is not None
    trouble.append(history.note(config, package.manifest, lower=replaces))
    return [line for line in trouble if line is not None]


def _warm_cache(config: Config, package: Package, final: Path) -> None:
    """Let the next ``list`` find the digests; that the cache fails is not a failure of the install."""
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
        skipped=plan.skipped,
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
