"""``plugin verify``: is what is installed still what was installed, signed and loadable (cli.md)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import HistoryDamaged, PluginNotFound, ZeroclawError, explain
from zeroclaw_cli.plugins import digests as digest_cache
from zeroclaw_cli.plugins import discovery, history, lock, probing, staging, versions
from zeroclaw_cli.plugins.digests import FreshDigests
from zeroclaw_cli.plugins.install import settle
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.model import (
    ComponentProbe,
    Digests,
    Package,
    PluginCapability,
    SignatureVerdict,
    SkipCode,
    Skipped,
)


@dataclass(frozen=True, slots=True)
class Verified:
    """The findings on one directory; ``signature`` and ``digests`` are None when it is not an admissible package.
    ``warnings`` are those of the policy, under which it is admitted."""

    name: str
    directory: Path
    signature: SignatureVerdict | None
    digests: Digests | None
    locked: bool
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """One item per directory, by name; ``accepted`` are the packages whose bytes were recorded in the lock."""

    packages: tuple[Verified, ...]
    accepted: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return all(package.ok for package in self.packages)


def verify(config: Config, names: Sequence[str] | None, *, accept: bool, probe: ComponentProbe | None) -> VerifyReport:
    """Hash every payload anew and judge the packages ``names`` (None: everything in the plugins folder).

    ``accept`` first records the bytes that are there as the right ones, for packages that pass everything but the
    comparison with the lock. With ``probe`` the component is opened, too. Raises PluginNotFound for an unknown name,
    Busy, LockDamaged.
    """
    verdicts = _chosen(config, names, create_cache=accept)
    accepted: tuple[str, ...] = ()
    if accept and verdicts:
        accepted = _accept(config, verdicts)
    known = lock.read(lock.path_of(config.location))
    packages = [_verify(config, verdict, known, probe) for verdict in verdicts]
    return VerifyReport(tuple(sorted(packages, key=lambda found: (found.name, str(found.directory)))), accepted)


def _chosen(config: Config, names: Sequence[str] | None, *, create_cache: bool) -> list[Package | Skipped]:
    cache = digest_cache.cached(config.location)
    inventory = discovery.discover(config, digests=cache)
    cache.save(create=create_cache and bool(inventory.packages or inventory.skipped))
    everything: list[Package | Skipped] = [*inventory.packages, *inventory.skipped]
    if names is None:
        return everything
    chosen: list[Package | Skipped] = []
    for name in dict.fromkeys(names):
        matching = [found for found in everything if found.name == name]
        matching = matching or [found for found in everything if found.directory.name == name]
        if not matching:
            inventory.find(name)
            raise PluginNotFound(f"plugin not found: {name}", hint="`zeroclaw plugin list --all` shows what is there")
        chosen += matching
    return chosen


def _accept(config: Config, verdicts: Sequence[Package | Skipped]) -> tuple[str, ...]:
    """Record the present bytes of every package that is admissible when the lock is not asked."""
    with staging.exclusive(config):
        path = lock.path_of(config.location)
        known = settle(config, lock.read(path))
        entries, accepted = [], []
        for verdict in verdicts:
            found = discovery.inspect(verdict.directory, config.plugins.security, lock=None, digests=FreshDigests())
            if isinstance(found, Skipped) or not _is_the_only_one(config, found):
                continue
            before = known.entries.get(found.name)
            if before is not None and lock.agrees(before, found.digests):
                continue
            entry = lock.entry_for(found, source=str(found.directory) if before is None else before.source)
            if before is not None:
                entry = dataclasses.replace(entry, installed_at=before.installed_at)
            entries.append(entry)
            accepted.append(found)
        if entries:
            lock.put(path, known, entries)
        for found in accepted:
            # Somebody has looked at it: an older version counts as the one that belongs here now.
            history.note(config, found.manifest, lower=True)
    return tuple(sorted(entry.name for entry in entries))


def _is_the_only_one(config: Config, package: Package) -> bool:
    """Whether no other directory would be a package of that name if the lock were not asked."""
    inventory = discovery.discover_named(config, package.name, lock=LockFile())
    return any(found.name == package.name for found in inventory.packages)


def _verify(config: Config, verdict: Package | Skipped, known: LockFile, probe: ComponentProbe | None) -> Verified:
    directory = verdict.directory
    read = FreshDigests(keep=True)
    found = discovery.inspect(directory, config.plugins.security, lock=known, digests=read)
    if isinstance(found, Package) and isinstance(verdict, Skipped) and verdict.code is SkipCode.AMBIGUOUS:
        found = verdict
    if isinstance(found, Skipped):
        return Verified(found.name or directory.name, directory, None, None, False, (f"{found.reason}; {found.hint}",))
    component = read.components.get(directory)
    problems = _replaced_newer(config, found)
    if probe is not None and component is not None:
        try:
            probing.require(probe, component, found.manifest)
            if found.manifest.has(PluginCapability.MEMORY):
                probe.load(component, found.manifest)
        except ZeroclawError as error:
            problems.append(explain(error))
    return Verified(
        found.name, directory, found.signature, found.digests, found.lock is not None, tuple(problems), found.policy
    )


def _replaced_newer(config: Config, package: Package) -> list[str]:
    """That an older version stands in the place of a newer one, though no command of this program put it there."""
    if package.lock is not None:
        return []
    try:
        highest = history.highest(config, package.manifest)
    except HistoryDamaged as error:
        return [explain(error)]
    version = package.manifest.version
    if highest is None or (versions.compare(version, highest) or 0) >= 0:
        return []
    name = package.name
    return [
        f"v{version} stands where the newer v{highest} of its publisher was installed; "
        f"install that again, or, if you put this one there yourself, zeroclaw plugin verify {name} --accept"
    ]
