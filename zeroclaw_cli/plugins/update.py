"""Newer versions of installed packages, and the way back (cli.md, plugin; specs/zeroclaw.md §11, line 7).

A package is updated from the source that ``plugins.lock`` records. The new version is read, inspected under the policy,
probed, and tried on what the package remembers before it takes the place of the old one as ``install --replace`` does,
in one step. The old one is kept for :func:`rollback`, which takes the same way back.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import (
    DigestMismatch,
    Downgrade,
    Interrupted,
    NotFound,
    PluginError,
    SourceNotFound,
    SourceNotSupported,
    ZeroclawError,
    explain,
)
from zeroclaw_cli.plugins import digests as digest_cache
from zeroclaw_cli.plugins import discovery, history, lock, payload, previous, versions
from zeroclaw_cli.plugins.discovery import Inventory
from zeroclaw_cli.plugins.install import (
    Candidate,
    InstallResult,
    Permit,
    examine,
    foresee,
    place,
    read,
    rehearsed,
)
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.model import ComponentProbe, Package
from zeroclaw_cli.plugins.sources import Source, classify


@dataclass(frozen=True, slots=True)
class Updated:
    """A package that has (or, on a dry run, would get) another version."""

    name: str
    before: str
    after: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Current:
    """A package whose source holds nothing newer."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A package that stays as it is, and why; ``code`` and ``exit_code`` are those of the error."""

    name: str
    code: str
    reason: str
    hint: str | None
    exit_code: int


Outcome = Updated | Current | Failed


def update(
    config: Config,
    names: Sequence[str] | None,
    *,
    probe: ComponentProbe | None,
    allow_downgrade: bool = False,
    dry_run: bool = False,
) -> Iterator[Outcome]:
    """Bring the packages ``names`` (None: every admitted one) to the version at their source, one after the other.

    What goes wrong with one is its outcome and stops no other; so is, among all, what the policy or the inspection
    skips. Raises PluginNotFound or the error of the skip for a name that is not an admitted package, and LockDamaged,
    before anything changes.
    """
    bring = partial(_update, config, probe=probe, allow_downgrade=allow_downgrade, dry_run=dry_run)
    if names is not None:
        chosen = [discovery.find_named(config, name).name for name in dict.fromkeys(names)]
        yield from (_attempt(name, partial(bring, name)) for name in chosen)
        return
    # Says only which packages there are; each is hashed afresh when its turn comes.
    inventory = _everything(config)
    for package in inventory.packages:
        yield _attempt(package.name, partial(bring, package.name))
    yield from _skipped(inventory)


def outdated(config: Config) -> Iterator[Outcome]:
    """For every admitted package whether its source holds a newer version (Updated, as :func:`update` would say).

    Neither compiles nor runs a component and changes nothing. Raises LockDamaged.
    """
    known = lock.read(lock.path_of(config.location))
    inventory = _everything(config)
    for package in inventory.packages:
        yield _attempt(package.name, partial(_look, config, package, known))
    yield from _skipped(inventory)


def rollback(config: Config, name: str, *, probe: ComponentProbe | None) -> Updated:
    """Put the version back that the package ``name`` had before; the present one is then what a rollback brings back.

    It must pass what every package must pass. That it fails on what the package remembers is a warning and no
    refusal: there may be no other way back. Raises PluginNotFound or the error of the skip; NotFound when no version is
    kept; PreviousDamaged, DigestMismatch; what the inspection, the probe and :func:`place` raise.
    """
    package = discovery.find_named(config, name)
    permit = _only(package)
    kept = previous_of(config, package)
    if kept is None:
        raise NotFound(
            f"no previous version of {package.name} is kept",
            hint="one is kept when update or install --replace puts another version in its place; "
            "any version can be installed from its directory: zeroclaw plugin install DIR --replace",
        )
    candidate = examine(kept, probe)
    # Before the trial: another publisher's component must not be shown the data.
    foresee(config, candidate, permit)
    result = place(config, rehearsed(candidate, probe, package.manifest.version, must=False), permit)
    if result.replaced is None:
        raise _changed(name)
    return _updated(result)


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """The worst exit code of what failed, 0 when nothing did."""
    return max((outcome.exit_code for outcome in outcomes if isinstance(outcome, Failed)), default=0)


def _everything(config: Config) -> Inventory:
    return discovery.discover(config, digests=digest_cache.cached(config.location))


def _skipped(inventory: Inventory) -> Iterator[Failed]:
    for skipped in inventory.skipped:
        yield _failed(skipped.name or skipped.directory.name, discovery.skip_error(skipped))


def _attempt(name: str, action: Callable[[], Outcome]) -> Outcome:
    try:
        return action()
    except Interrupted:
        raise
    except ZeroclawError as error:
        return _failed(name, error)
    except OSError as error:
        hint = "check that there is room and that the folders can be used, then run the command again"
        return _failed(name, ZeroclawError(explain(error), hint=hint))


def _failed(name: str, error: ZeroclawError) -> Failed:
    return Failed(name, error.code, error.message, error.hint, error.exit_code)


def _update(
    config: Config,
    name: str,
    *,
    probe: ComponentProbe | None,
    allow_downgrade: bool,
    dry_run: bool,
) -> Outcome:
    package = discovery.find_named(config, name)
    candidate = _at_source(config, package, lock.read(lock.path_of(config.location)))
    if candidate.package.digests == package.digests:
        return Current(name, package.manifest.version)
    _require_newer(config, package, candidate, allow_downgrade=allow_downgrade)
    permit = _only(package)
    # Before the probe and the trial: whether the swap is allowed at all.
    foresee(config, candidate, permit)
    candidate = rehearsed(examine(candidate, probe), probe, package.manifest.version, must=True)
    result = (foresee if dry_run else place)(config, candidate, permit)
    if result.replaced is None:
        return Current(name, result.package.manifest.version)
    updated = _updated(result)
    return replace(updated, warnings=(*updated.warnings, *_more_permissions(package, result.package)))


def _only(package: Package) -> Permit:
    """Lets nothing but the installed ``package`` be replaced: another command may have been faster."""

    def permit(existing: Package | None) -> None:
        if existing is None or existing.digests != package.digests:
            raise _changed(package.name)

    return permit


def _more_permissions(before: Package, after: Package) -> tuple[str, ...]:
    more = [word for word in dict.fromkeys(after.manifest.permissions) if not before.manifest.granted(word)]
    if not more:
        return ()
    version = after.manifest.version
    return (f"{after.name} v{version} has permissions that it did not have before: {', '.join(more)}",)


def _look(config: Config, package: Package, known: LockFile) -> Outcome:
    candidate = _at_source(config, package, known)
    before, after = package.manifest.version, candidate.package.manifest.version
    try:
        if candidate.package.digests != package.digests:
            _require_newer(config, package, candidate, allow_downgrade=False)
            return Updated(package.name, before, after, candidate.package.warnings)
    except Downgrade:
        pass
    return Current(package.name, before)


def _updated(result: InstallResult) -> Updated:
    manifest = result.package.manifest
    return Updated(manifest.name, result.replaced or "", manifest.version, result.warnings)


def _changed(name: str) -> PluginError:
    return PluginError(f"{name} was changed by another command meanwhile", hint="run the command again")


def _at_source(config: Config, package: Package, known: LockFile) -> Candidate:
    """What the source that the lock records for ``package`` holds now, inspected under the policy."""
    name = package.name
    entry = package.lock or known.entries.get(name)
    if entry is None:
        raise SourceNotFound(
            f"{name} is not recorded in plugins.lock, so it is not known where it came from",
            hint="install it from its directory once: zeroclaw plugin install DIR --replace",
        )
    elsewhere = "install it from where it is now: zeroclaw plugin install DIR --replace"
    if not Path(entry.source).is_absolute():
        # A name of a registry must not be taken for a directory that is called so.
        raise SourceNotSupported(
            f"{name} was installed from {entry.source}, and this version updates from directories only", hint=elsewhere
        )
    try:
        candidate = read(config, classify(entry.source))
    except SourceNotFound as error:
        raise SourceNotFound(f"what {name} was installed from is gone: {error.message}", hint=elsewhere) from None
    if candidate.package.name != name:
        raise PluginError(
            f"{entry.source}, from which {name} was installed, holds the package {candidate.package.name} now",
            hint=elsewhere,
        )
    return candidate


def _require_newer(config: Config, package: Package, candidate: Candidate, *, allow_downgrade: bool) -> None:
    """Raise Downgrade unless the candidate has a newer version than the installed ``package`` and than every one of
    its publisher before, DigestMismatch for another package of the same version."""
    name, source = package.name, candidate.source
    installed, offered = package.manifest.version, candidate.package.manifest.version
    if offered == installed:
        raise DigestMismatch(
            f"{source} holds {name} v{offered} as it is installed, with other contents",
            hint=f"a new version needs another number; to take these contents all the same: "
            f"zeroclaw plugin install {shlex.quote(source)} --replace",
        )
    if allow_downgrade:
        return
    problem = None
    order = versions.compare(offered, installed)
    if order is None:
        problem = f"of which it cannot be told whether it is newer than the installed v{installed}"
    elif order <= 0:
        problem = f"which is {'older' if order else 'no newer'} than the installed v{installed}"
    else:
        highest = history.highest(config, candidate.package.manifest)
        if highest is not None and (versions.compare(offered, highest) or 0) < 0:
            problem = f"which is older than v{highest}, which was installed here before"
    if problem is not None:
        raise Downgrade(
            f"{source} holds {name} v{offered}, {problem}",
            hint=f"to take it all the same: zeroclaw plugin update {name} --allow-downgrade",
        )


def previous_of(config: Config, package: Package) -> Candidate | None:
    """What :func:`rollback` would put in the place of the installed ``package``; None when nothing is kept.

    Raises PreviousDamaged, DigestMismatch for one that was changed since, and what the inspection raises.
    """
    kept = previous.find(config, package)
    if kept is None:
        return None
    try:
        candidate = read(config, Source(kept.directory, payload.MANIFEST, kept.directory))
    except PluginError as error:
        raise previous.damaged(package.name, kept.directory, error.message) from None
    if candidate.package.name != package.name or not lock.agrees(kept.entry, candidate.package.digests):
        raise DigestMismatch(
            f"the previous version of {package.name} in {kept.directory} was changed since it was replaced",
            hint="install it from its directory: zeroclaw plugin install DIR --replace",
        )
    return replace(candidate, source=kept.entry.source)
