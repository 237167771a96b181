"""``plugins.lock``: what was installed, from where, with which bytes (design.md, Where things are on disk).

TOML, ``version = 1``, one ``[[package]]`` per package sorted by name. While a package is being published the file also
holds a ``[[pending]]`` entry of the new bytes, so that a process that dies between the swap of the directories and the
write of the lock leaves a package that agrees with its lock, whichever of the two it is. The next write settles it.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Location
from zeroclaw_cli.errors import LockDamaged
from zeroclaw_cli.plugins.model import Digests, LockEntry, Package

_VERSION: Final = 1
_OPTIONAL: Final = frozenset({"component_sha256", "skills_sha256", "publisher_key"})


@dataclass(frozen=True, slots=True)
class LockFile:
    """The entries by package name; ``pending`` are those of packages that were being published."""

    entries: Mapping[str, LockEntry] = field(default_factory=dict)
    pending: Mapping[str, LockEntry] = field(default_factory=dict)

    def entry(self, name: str, digests: Digests) -> LockEntry | None:
        """The entry that speaks about a package with these digests: the pending one exactly if it agrees with them."""
        waiting = self.pending.get(name)
        return waiting if waiting is not None and agrees(waiting, digests) else self.entries.get(name)


def agrees(entry: LockEntry, digests: Digests) -> bool:
    """Whether the bytes are those that the entry records."""
    return (entry.manifest_sha256, entry.component_sha256, entry.skills_sha256) == (
        digests.manifest,
        digests.component,
        digests.skills,
    )


def entry_for(package: Package, *, source: str) -> LockEntry:
    """The entry of ``package`` as it is now, installed now from ``source``."""
    from datetime import UTC, datetime

    return LockEntry(
        name=package.name,
        version=package.manifest.version,
        directory=package.directory.name,
        source=source,
        installed_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        manifest_sha256=package.digests.manifest,
        component_sha256=package.digests.component,
        skills_sha256=package.digests.skills,
        publisher_key=package.signature.publisher_key,
        signature=str(package.signature.state),
    )


def path_of(location: Location) -> Path:
    """Where the lock of this location is."""
    return location.config_dir / "plugins.lock"


def read(path: Path) -> LockFile:
    """The lock at ``path``; a missing file is an empty lock, unknown keys are passed over.

    Raises LockDamaged for anything that is not a lock of this version; OSError when the file cannot be read.
    """
    try:
        # A pipe would be waited for, and a device that a link points to would be replaced by the next write.
        if not stat.S_ISREG(path.stat().st_mode):
            raise _damaged(path, "it is not a regular file")
        raw = path.read_bytes()
    except FileNotFoundError:
        return LockFile()
    from zeroclaw_cli.config.toml_read import load_toml

    try:
        document = load_toml(raw.decode("utf-8"))
    except ValueError as error:
        raise _damaged(path, str(error)) from None
    version = document.get("version")
    if type(version) is not int or version != _VERSION:
        raise _damaged(path, f"version is {version!r}, and this program reads {_VERSION}")
    return LockFile(_entries(path, document, "package"), _entries(path, document, "pending"))


def write(path: Path, lock: LockFile) -> None:
    """Replace the lock atomically and durably."""
    fsio.make_private_dir(path.parent)
    fsio.atomic_write(path, render(lock).encode("utf-8"))


def begin(path: Path, lock: LockFile, entry: LockEntry) -> LockFile:
    """Record that ``entry`` is about to be published, and return the lock as written."""
    changed = LockFile(lock.entries, {entry.name: entry})
    write(path, changed)
    return changed


def put(path: Path, lock: LockFile, entries: Iterable[LockEntry]) -> LockFile:
    """Record ``entries`` as what is installed; nothing is pending afterwards."""
    changed = LockFile({**lock.entries, **{entry.name: entry for entry in entries}})
    write(path, changed)
    return changed


def drop(path: Path, lock: LockFile, name: str) -> LockFile:
    """Forget the package ``name``; the file is written only when it knew it."""
    if name not in lock.entries and name not in lock.pending:
        return lock
    changed = LockFile(
        {key: value for key, value in lock.entries.items() if key != name},
        {key: value for key, value in lock.pending.items() if key != name},
    )
    write(path, changed)
    return changed


def render(lock: LockFile) -> str:
    """The text of the lock file."""
    from zeroclaw_cli.config.toml_text import own_file

    tables = {"package": _tables(lock.entries), "pending": _tables(lock.pending)}
    return own_file(
        "Written by zeroclaw. `zeroclaw plugin verify` compares it with the installed packages.",
        {"version": _VERSION} | {kind: entries for kind, entries in tables.items() if entries},
    )


def _tables(entries: Mapping[str, LockEntry]) -> list[dict[str, str]]:
    columns = [column.name for column in fields(LockEntry)]
    return [
        {name: _unicode(value) for name in columns if (value := getattr(entry, name)) is not None}
        for _, entry in sorted(entries.items())
    ]


def _unicode(text: str) -> str:
    """``text``, perhaps a path, with lone surrogates written out, which UTF-8 cannot carry."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _entries(path: Path, document: dict[str, Any], kind: str) -> dict[str, LockEntry]:
    tables = document.get(kind, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise _damaged(path, f"{kind} is not an array of tables")
    found: dict[str, LockEntry] = {}
    for table in tables:
        values: dict[str, Any] = {}
        for column in fields(LockEntry):
            value = table.get(column.name)
            if not isinstance(value, str) and not (value is None and column.name in _OPTIONAL):
                raise _damaged(path, f"{column.name} of [[{kind}]] {len(found) + 1} is missing or no string")
            values[column.name] = value
        entry = LockEntry(**values)
        if entry.name in found:
            raise _damaged(path, f"two [[{kind}]] entries are called {entry.name}")
        found[entry.name] = entry
    return found


def _damaged(path: Path, problem: str) -> LockDamaged:
    import shlex

    quoted = shlex.quote(str(path))
    return LockDamaged(
        f"the lock {path} is damaged: {' '.join(problem.split())}",
        hint=f"move it away (mv {quoted} {quoted}.damaged), look at what is installed with "
        "`zeroclaw plugin list --all`, then record it anew with `zeroclaw plugin verify --all --accept`",
    )
