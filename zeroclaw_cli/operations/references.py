"""Whether the parts of a home agree with each other, for doctor: the lock and the packages, the data and the packages,
names in the config, the key file and what was sealed with it, links, modes, and the files of the program itself."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.config.values import is_package_name
from zeroclaw_cli.errors import Damaged, ZeroclawError
from zeroclaw_cli.operations.findings import Fault, Finding, State, failed

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config, Location
    from zeroclaw_cli.plugins.discovery import Inventory

_MOST_NAMED: Final = 5
_DISTRIBUTION: Final = "zeroclaw-cli"
_PACKAGE: Final = "zeroclaw_cli"


def packaged_files() -> Iterator[Finding]:
    """The files that the installer recorded for this program and that are not as it put them there. An editable
    installation records none."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        files = distribution(_DISTRIBUTION).files or []
    except PackageNotFoundError:
        return
    wrong = []
    for file in files:
        if file.parts[0] != _PACKAGE or file.hash is None or file.hash.mode != "sha256":
            continue
        if _sha256(Path(str(file.locate()))) != file.hash.value:
            wrong.append(str(file))
    if wrong:
        text = f"files of the program are missing or changed: {_listed(wrong)}"
        yield Finding("program", State.ERROR, text, f"reinstall {_DISTRIBUTION}")


def _sha256(path: Path) -> str | None:
    """As a RECORD writes it; None for a file that cannot be read."""
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    try:
        return urlsafe_b64encode(sha256(path.read_bytes()).digest()).rstrip(b"=").decode("ascii")
    except OSError:
        return None


def private_files(location: Location) -> Iterator[Fault]:
    """Files that hold what is nobody else's, and that others may use; folders that others may write to."""
    memory, plugins = location.data_dir / "memory", location.data_dir / "plugins"
    secret = (location.config_file, location.config_dir / ".secret_key", location.config_dir / ".env")
    stores: list[Path] = []
    for folder, pattern in ((memory, "native.db*"), (memory, "backups/*"), (plugins, "*/journal.db*")):
        # What cannot be looked into is told of by whoever needs it.
        with suppress(OSError):
            stores += folder.glob(pattern)
    for path in (*secret, *sorted(stores)):
        yield from _open_to_others(path, stat.S_ISREG, 0o077, 0o600)
    for path in (location.config_dir, location.config_dir / "plugins", location.data_dir, memory, plugins):
        yield from _open_to_others(path, stat.S_ISDIR, 0o022, None)


def _open_to_others(path: Path, kind: Callable[[int], bool], refused: int, wanted: int | None) -> Iterator[Fault]:
    try:
        found = path.stat().st_mode
    except OSError:
        return
    mode = stat.S_IMODE(found)
    if not kind(found) or not mode & refused:
        return
    right = mode & ~refused if wanted is None else wanted
    verb = "used" if wanted is not None else "changed"
    finding = Finding(
        "config.mode",
        State.WARNING,
        f"{path} can be {verb} by others (mode {mode:04o})",
        f"`zeroclaw doctor --fix` gives it mode {right:04o}",
    )
    yield Fault(finding, partial(_change_mode, path, right))


def _change_mode(path: Path, mode: int) -> None:
    path.chmod(mode)


def links(location: Location, plugins_dir: Path) -> Iterator[Finding]:
    """Links of the home that lead nowhere: what they stand for reads as if it had never been there."""
    places = [location.config_file, location.config_dir / ".secret_key", location.config_dir / ".env"]
    places += [location.data_dir, location.data_dir / "memory", location.data_dir / "memory" / "native.db", plugins_dir]
    places += [*_children(plugins_dir), *_children(plugins_dir / "memory"), *_children(location.data_dir / "plugins")]
    for path in dict.fromkeys(places):
        if _leads_nowhere(path):
            text = f"{path} is a link to {path.readlink()}, which does not exist"
            yield Finding("links", State.ERROR, text, "bring back what it points to, or delete the link")


def _leads_nowhere(path: Path) -> bool:
    # Where it may not be looked at, what needs it tells of it.
    with suppress(OSError):
        return path.is_symlink() and not path.exists()
    return False


def packages(config: Config, inventory: Inventory) -> Iterator[Finding | Fault]:
    """What speaks of packages that are not there, and folders in the place of one."""
    names = {package.name for package in inventory.packages}
    names |= {skipped.name for skipped in inventory.skipped if skipped.name is not None}
    yield from _lock(config, names)
    yield from _blocking(config.plugins.plugins_dir)
    yield from _data(config, names)
    yield from _named_in_config(config, names)


def _lock(config: Config, names: set[str]) -> Iterator[Finding | Fault]:
    from zeroclaw_cli.plugins import lock

    try:
        known = lock.read(lock.path_of(config.location))
    except ZeroclawError as error:
        yield failed("plugins.lock", error)
        return
    for name, entry in sorted(known.entries.items()):
        if name not in names and not os.path.lexists(config.plugins.plugins_dir / entry.directory):
            finding = Finding(
                "plugins.lock",
                State.WARNING,
                f"plugins.lock records {name} v{entry.version}, and its folder is gone; it came from {entry.source}",
                "install it again, or let `zeroclaw doctor --fix` take it out of the lock",
            )
            yield Fault(finding, partial(_forget_entry, config, name))


def _forget_entry(config: Config, name: str) -> None:
    from zeroclaw_cli.plugins import lock, staging

    with staging.exclusive(config):
        path = lock.path_of(config.location)
        lock.drop(path, lock.read(path), name)


def _blocking(plugins_dir: Path) -> Iterator[Finding | Fault]:
    from zeroclaw_cli.plugins import discovery, payload

    for path in _children(plugins_dir):
        if not is_package_name(path.name) or path.name == discovery.PROVIDERS or not path.is_dir():
            continue
        if os.path.lexists(path / payload.MANIFEST):
            continue
        text = f"{path} is not a package and keeps one called {path.name} from being installed"
        if _is_empty(path):
            hint = "`zeroclaw doctor --fix` deletes it: it is empty"
            yield Fault(Finding("plugins.folder", State.WARNING, text, hint), path.rmdir)
        else:
            yield Finding("plugins.folder", State.WARNING, text, "look into it, then move it away")


def _is_empty(folder: Path) -> bool:
    try:
        return not folder.is_symlink() and not any(folder.iterdir())
    except OSError:
        return False


def _data(config: Config, names: set[str]) -> Iterator[Finding]:
    for path in _children(config.location.data_dir / "plugins"):
        if path.is_dir() and path.name not in names:
            yield Finding(
                "plugins.data",
                State.WARNING,
                f"{path} holds the data of {path.name}, which is not installed",
                f"install it again to use it, or delete it: `zeroclaw plugin remove {path.name} --purge-data`",
            )


def _named_in_config(config: Config, names: set[str]) -> Iterator[Finding]:
    for channel in config.channels:
        if channel.enabled and channel.package not in names:
            path = f"channels.plugin.{channel.alias}"
            text = f"{path}.package is {channel.package}, which is not installed"
            yield Finding("plugins.config", State.WARNING, text, f"install it, or `zeroclaw config unset {path}`")
    gone = [name for name in config.plugins.disabled if name not in names]
    if gone:
        text = f"plugins.disabled names {_listed(gone)}, not installed"
        yield Finding("plugins.config", State.WARNING, text, "`zeroclaw config edit` opens the file")


def secrets(config: Config) -> Iterator[Finding]:
    """Whether the key file opens the values that were sealed, or is at least a key."""
    from zeroclaw_cli.config.schema import Field, find, format_path
    from zeroclaw_cli.config.secrets import LEGACY, SEALED, SecretBox

    box = SecretBox(config.location)
    refused: dict[str, ZeroclawError] = {}
    sealed = 0
    for path, value in config.values.items():
        field = find(path)
        if isinstance(field, Field) and field.secret and str(value).startswith((SEALED, LEGACY)):
            sealed += 1
            try:
                box.open(value)
            except ZeroclawError as error:
                refused[format_path(path)] = error
    if refused:
        first = next(iter(refused.values()))
        text = f"{len(refused)} of {sealed} encrypted values cannot be read ({_listed(list(refused))}): {first.message}"
        yield Finding("secrets", State.ERROR, text, first.hint, damage=isinstance(first, Damaged))
    elif not sealed and os.path.lexists(config.location.config_dir / ".secret_key"):
        try:
            box.seal("a value")
        except ZeroclawError as error:
            yield failed("secrets", error)


def _children(folder: Path) -> list[Path]:
    """What is in a folder and no dot file, by name; nothing where it cannot be listed."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
