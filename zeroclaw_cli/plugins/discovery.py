"""Which packages are installed, and for each directory that is none: why (specs/zeroclaw.md §1.6, §2).

:func:`admit` is the one inspection of a package: every command judges with it, so what a policy hides from ``list``
cannot be loaded either. It never executes anything of the package.

A directory of the plugins folder that is itself a symbolic link is refused like a link inside a package: what it
points to can change without this program, and outside the folder that it manages.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli import errors
from zeroclaw_cli.config.model import Config, Security
from zeroclaw_cli.config.publisher_key import comparable_key
from zeroclaw_cli.config.values import is_package_name
from zeroclaw_cli.errors import DigestMismatch, InvalidManifest, LinkRefused, ZeroclawError
from zeroclaw_cli.os_errors import remedy
from zeroclaw_cli.plugins import digests as digest_cache
from zeroclaw_cli.plugins import lock as lock_file
from zeroclaw_cli.plugins import payload, signature, versions
from zeroclaw_cli.plugins.digests import Digester
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.manifest import read_manifest
from zeroclaw_cli.plugins.model import (
    Digests,
    LockEntry,
    Manifest,
    Package,
    PluginCapability,
    SignatureState,
    SignatureVerdict,
    SkipCode,
    Skipped,
)

# The folder of Python providers; a package only when it holds a manifest itself (design.md).
PROVIDERS: Final = "memory"
_MOST_SWAPS: Final = 3
_DEFAULT_HINT: Final = "correct the package, or take it away with `zeroclaw plugin remove`"

_CODES: Final[tuple[tuple[type[ZeroclawError], SkipCode], ...]] = (
    (errors.LinkRefused, SkipCode.LINK),
    (errors.ManifestIo, SkipCode.IO),
    (errors.TomlParse, SkipCode.TOML),
    (errors.InvalidSkills, SkipCode.SKILLS),
    (errors.InvalidConfigSchema, SkipCode.CONFIG_SCHEMA),
    (errors.InvalidManifest, SkipCode.MANIFEST),
    (errors.ComponentMissing, SkipCode.COMPONENT_MISSING),
    (errors.UnsignedPlugin, SkipCode.UNSIGNED),
    (errors.UntrustedPublisher, SkipCode.UNTRUSTED),
    (errors.SignatureInvalid, SkipCode.SIGNATURE_INVALID),
    (errors.DigestMismatch, SkipCode.DIGEST_MISMATCH),
    (errors.Ambiguous, SkipCode.AMBIGUOUS),
    (errors.PolicyUnclear, SkipCode.POLICY_UNCLEAR),
)


@dataclass(frozen=True, slots=True)
class Inventory:
    """What the plugins folder holds: admitted packages by name, and what was skipped by directory name."""

    directory: Path
    packages: tuple[Package, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def find(self, name: str) -> Package:
        """The admitted package ``name``.

        Raises the error of the skip when a skipped directory holds a package of that name or is itself called so, and
        PluginNotFound otherwise, with the nearest names.
        """
        for package in self.packages:
            if package.name == name:
                return package
        for skipped in (*self._skipped_as(name), *self._in_directory(name)):
            raise skip_error(skipped)
        raise self._not_found(name)

    def _skipped_as(self, name: str) -> list[Skipped]:
        return [skipped for skipped in self.skipped if skipped.name == name]

    def _in_directory(self, name: str) -> list[Skipped]:
        return [skipped for skipped in self.skipped if skipped.directory.name == name]

    def _not_found(self, name: str) -> errors.PluginNotFound:
        import difflib

        known = {package.name for package in self.packages} | {skip.name for skip in self.skipped if skip.name}
        near = difflib.get_close_matches(name, sorted(known), n=3)
        also = [package.name for package in self.packages if package.directory.name == name]
        hint = "`zeroclaw plugin list --all` shows what is installed and what was skipped"
        if near or also:
            hint = f"did you mean {' or '.join(dict.fromkeys([*also, *near]))}? {hint}"
        return errors.PluginNotFound(f"plugin not found: {name}", hint=hint)


def discover(config: Config, *, digests: Digester | None = None, lock: LockFile | None = None) -> Inventory:
    """Inspect every directory of the plugins folder; a missing folder is an empty one and is not created.

    ``digests`` defaults to fresh hashing of every payload. Raises LockDamaged, and PluginError when the folder cannot
    be listed.
    """
    return _inventory(config, list(_children(config.plugins.plugins_dir)), digests, lock)


def discover_named(
    config: Config, name: str, *, digests: Digester | None = None, lock: LockFile | None = None
) -> Inventory:
    """Only what bears on the package ``name``: the directories whose manifest claims that name and the directory that
    is called so. Cheaper than :func:`discover` with many packages, and of the same verdict on that name."""
    chosen = [
        directory
        for directory in _children(config.plugins.plugins_dir)
        if directory.name == name or claimed_name(directory) == name
    ]
    return _inventory(config, chosen, digests, lock)


def find_named(config: Config, name: str, *, digests: Digester | None = None) -> Package:
    """The admitted package ``name``, judged with ``digests``; raises what :meth:`Inventory.find` raises."""
    try:
        return discover_named(config, name, digests=digests).find(name)
    except errors.PluginNotFound:
        # Only the full inventory knows the near names; a package that appeared meanwhile is for the next command.
        discover(config, digests=digest_cache.cached(config.location)).find(name)
        raise


def browse(config: Config) -> Inventory:
    """:func:`discover` for commands that only show: digests come from the cache, which is refreshed where it exists."""
    cache = digest_cache.cached(config.location)
    found = discover(config, digests=cache)
    cache.save(create=False)
    return found


def inspect(
    directory: Path, security: Security, *, lock: LockFile | None, digests: Digester, manifest: str = payload.MANIFEST
) -> Package | Skipped:
    """:func:`admit` with the refusal as a value."""
    try:
        return admit(directory, security, lock=lock, digests=digests, manifest=manifest)
    except (errors.PluginError, errors.Refused) as error:
        return skip(directory, error, claimed_name(directory, manifest))


def admit(
    directory: Path, security: Security, *, lock: LockFile | None, digests: Digester, manifest: str = payload.MANIFEST
) -> Package:
    """The package in ``directory``, judged in the order of specs/zeroclaw.md §1.6 and then by its digests and the lock.

    ``lock`` is None for a directory that is not installed; ``manifest`` is the file name of its manifest. Raises a
    PluginError or a Refused, each with a hint.
    """
    if directory.is_symlink():
        raise LinkRefused(
            f"IO error: {directory} is a symbolic link",
            hint=f"install what it points to: zeroclaw plugin remove {shlex.quote(directory.name)}, "
            f"then zeroclaw plugin install {shlex.quote(str(directory.resolve()))}",
        )
    found = read_manifest(directory / manifest)
    skills: tuple[str, ...] = ()
    if found.has(PluginCapability.SKILL):
        from zeroclaw_cli.plugins.skills import check_skills

        skills = check_skills(directory)
    component = None if found.wasm_path is None else payload.locate_component(directory, found.wasm_path)
    signature.require_clear(security, found.name)
    verdict = signature.verify(found, security)
    warnings = signature.enforce(verdict, found, security.signature_mode)
    hints = digests.contract(found)
    sums = _digests(directory, found, digests)
    _check_covered(found, sums, directory / manifest)
    covers = signature.covers(found, component is not None, bool(skills), verdict.state)
    verdict = replace(verdict, covers_component=covers)
    entry = None if lock is None else lock.entry(found.name, sums)
    if entry is not None and not lock_file.agrees(entry, sums):
        _check_vouched(found, entry, sums, verdict)
        entry = None
        warnings = (
            *warnings,
            f"{found.name} differs from plugins.lock, but the installed files are signed by its publisher",
        )
    return Package(
        manifest=found,
        directory=directory,
        component=component,
        skills=skills,
        signature=verdict,
        digests=sums,
        lock=entry,
        warnings=(*found.warnings, *warnings, *hints),
        policy=warnings,
    )


def skip(directory: Path, error: ZeroclawError, name: str | None) -> Skipped:
    """The refusal ``error`` of the package in ``directory`` as a value."""
    code = next(code for kind, code in _CODES if isinstance(error, kind))
    return Skipped(directory, name, code, error.message, error.hint or _DEFAULT_HINT)


def skip_error(skipped: Skipped) -> ZeroclawError:
    """The error that a command about a skipped package ends with: the one that the inspection met."""
    kind = next(kind for kind, code in _CODES if code is skipped.code)
    return kind(skipped.reason, hint=skipped.hint)


def claimed_name(directory: Path, manifest: str = payload.MANIFEST) -> str | None:
    """The package name that the manifest in ``directory`` gives, whatever else is wrong with it; None without one."""
    import tomli

    try:
        raw = payload.read_regular(directory / manifest, payload.MOST_MANIFEST_BYTES)
        name: Any = tomli.loads(raw.decode("utf-8-sig")).get("name")
    except (errors.ManifestIo, ValueError, RecursionError):
        return None
    return name if isinstance(name, str) and is_package_name(name) else None


def _inventory(config: Config, directories: list[Path], digests: Digester | None, lock: LockFile | None) -> Inventory:
    security = config.plugins.security
    digests = digests or digest_cache.FreshDigests()
    lock_path = lock_file.path_of(config.location)
    known = lock or (lock_file.read(lock_path) if directories else LockFile())
    verdicts = [_inspect_whole(directory, security, known, digests) for directory in directories]
    if lock is None and any(isinstance(v, Skipped) and v.code is SkipCode.DIGEST_MISMATCH for v in verdicts):
        # A package that was replaced since the lock was read differs from it only until it is read again.
        newer = lock_file.read(lock_path)
        if newer != known:
            verdicts = [_inspect_whole(directory, security, newer, digests) for directory in directories]
    packages = [verdict for verdict in verdicts if isinstance(verdict, Package)]
    skipped = [verdict for verdict in verdicts if isinstance(verdict, Skipped) and _holds_manifest(verdict.directory)]
    counts = Counter(package.name for package in packages)
    skipped = [_second(skip, counts) for skip in skipped]
    skipped += [_ambiguous(package, packages) for package in packages if counts[package.name] > 1]
    return Inventory(
        directory=config.plugins.plugins_dir,
        packages=tuple(sorted((p for p in packages if counts[p.name] == 1), key=lambda package: package.name)),
        skipped=tuple(sorted(skipped, key=lambda verdict: verdict.directory.name)),
    )


def _inspect_whole(directory: Path, security: Security, lock: LockFile, digests: Digester) -> Package | Skipped:
    """The verdict on one directory and not on parts of two: another process may swap a package while it is read."""
    for _ in range(_MOST_SWAPS):
        before = _identity(directory)
        verdict = inspect(directory, security, lock=lock, digests=digests)
        if _identity(directory) == before:
            break
    return verdict


def _identity(directory: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(directory)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _ambiguous(package: Package, packages: list[Package]) -> Skipped:
    others = [p.directory.name for p in packages if p.name == package.name and p.directory != package.directory]
    superfluous = max([package.directory.name, *others], key=_least_canonical)
    return Skipped(
        package.directory,
        package.name,
        SkipCode.AMBIGUOUS,
        f"several directories hold a package called {package.name}: "
        f"{', '.join(sorted([package.directory.name, *others]))}",
        f"keep one of them: zeroclaw plugin remove {shlex.quote(superfluous)}",
    )


def _second(skipped: Skipped, counts: Mapping[str, int]) -> Skipped:
    """Bytes that differ from the lock, beside a package of that name that agrees: they were never installed."""
    if skipped.code is not SkipCode.DIGEST_MISMATCH or skipped.name is None or not counts.get(skipped.name):
        return skipped
    return replace(
        skipped,
        reason=f"the package {skipped.name} that was installed is in another directory, and this one differs from it",
        hint=f"zeroclaw plugin remove {shlex.quote(skipped.directory.name)}",
    )


def _least_canonical(directory: str) -> tuple[int, str]:
    return len(directory), directory


def _children(plugins_dir: Path) -> Iterator[Path]:
    """The directories (and links to directories) of the plugins folder that hold a manifest, by name."""
    try:
        found = sorted(plugins_dir.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise errors.PluginError(
            f"the plugins folder {plugins_dir} cannot be listed: {error.strerror or error}",
            hint=f"{remedy(error, plugins_dir)}, or choose another: zeroclaw config set plugins.plugins_dir DIR",
        ) from None
    for directory in found:
        if not directory.name.startswith(".") and _holds_manifest(directory):
            yield directory


def _holds_manifest(directory: Path) -> bool:
    try:
        os.lstat(directory / payload.MANIFEST)
    except PermissionError:
        return True  # it is shown as unreadable rather than passed over
    except OSError:
        return False
    return True


def _digests(directory: Path, manifest: Manifest, digests: Digester) -> Digests:
    from zeroclaw_cli.plugins.skills import sha256_hex

    return Digests(
        manifest=sha256_hex(manifest.raw),
        component=None if manifest.wasm_path is None else digests.component(directory, manifest.wasm_path),
        skills=digests.skills(directory) if manifest.has(PluginCapability.SKILL) else None,
    )


def _check_covered(manifest: Manifest, sums: Digests, source: Path) -> None:
    """The digests inside the manifest hold, signed or not (design.md, decision 2)."""
    for field, covered, actual, what in (
        ("wasm_sha256", manifest.wasm_sha256, sums.component, "component"),
        ("skills_sha256", manifest.skills_sha256, sums.skills, "skill bundle"),
    ):
        if covered is None or covered == actual:
            continue
        if actual is None:
            raise InvalidManifest(
                f"invalid manifest: {source}: {field} covers a {what}, and the package has none",
                hint=f"remove {field}, then sign the manifest again if it was signed",
            )
        raise DigestMismatch(
            f"the {what} of {manifest.name} is not the one that {source} covers: {field} is {covered}, "
            f"and its SHA-256 is {actual}",
            hint="get the package again from its publisher; if it is your own, update the digest",
        )


def _check_vouched(manifest: Manifest, entry: LockEntry, sums: Digests, verdict: SignatureVerdict) -> None:
    """Bytes that differ from the lock are accepted only as far as a valid signature vouches for them: that of the
    publisher who was installed, over a version that is not older."""
    name, version = manifest.name, manifest.version
    changed = [
        what
        for what, recorded, actual in (
            ("manifest", entry.manifest_sha256, sums.manifest),
            ("component", entry.component_sha256, sums.component),
            ("skills", entry.skills_sha256, sums.skills),
        )
        if recorded != actual
    ]
    problem = f"the {' and the '.join(changed)} of {name} changed since it was installed"
    if (versions.compare(version, entry.version) or 0) < 0:
        problem = f"{name} v{version} stands where the newer v{entry.version} was installed"
    elif entry.publisher_key is not None and comparable_key(entry.publisher_key) != comparable_key(
        verdict.publisher_key or ""
    ):
        problem = f"{problem}, by another publisher than {entry.publisher_key}"
    elif verdict.state is SignatureState.VALID and (verdict.covers_component or changed == ["manifest"]):
        return
    raise DigestMismatch(
        problem,
        hint=f"install it again (zeroclaw plugin install DIR --replace), or, if you changed it yourself, "
        f"zeroclaw plugin verify {name} --accept",
    )
