"""The file config.toml: its lock, and writing it whole and durably (specs/zeroclaw.md §5.3, Saving)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from zeroclaw_cli.config.model import Location
from zeroclaw_cli.config.schema import SCHEMA_VERSION
from zeroclaw_cli.errors import ConfigError
from zeroclaw_cli.fsio import atomic_write, file_lock, fsync_dir, make_private_dir, write_new

# A dot file of ours, so that the other program that shares config.toml is not surprised by it.
_LOCK = ".config.toml.lock"
_LOCK_TIMEOUT_S = 10.0


@contextmanager
def locked(location: Location) -> Iterator[None]:
    """Hold the lock of the config file; its folder is made if it is missing. Raises ConfigError when it stays taken."""
    make_private_dir(location.config_dir)
    try:
        with file_lock(location.config_dir / _LOCK, timeout_s=_LOCK_TIMEOUT_S):
            yield
    except TimeoutError:
        raise ConfigError(
            f"another command has been changing {location.config_file} for {_LOCK_TIMEOUT_S:g} seconds",
            hint="try again when it has ended",
        ) from None


def ensure_config_file(location: Location) -> bool:
    """Create the config file of a first run, holding ``schema_version`` alone; False when there is a file already."""
    if os.path.lexists(location.config_file) and location.config_file.exists():
        return False
    with locked(location):
        if location.config_file.exists():
            return False
        atomic_write(location.config_file, f"schema_version = {SCHEMA_VERSION}\n".encode())
        return True


def save(location: Location, text: str) -> None:
    """Replace the config file by ``text``, durably, mode 0600.

    The old file is in ``config.toml.bak`` while this runs, unless the user keeps a file of that name.
    """
    file = location.config_file
    _clear_leftovers(file)
    backup = file.with_name(f"{file.name}.bak")
    keep = file.exists() and not os.path.lexists(backup)
    if keep:
        write_new(backup, file.read_bytes())
    try:
        atomic_write(file, text.encode("utf-8"))
    finally:
        if keep:
            with suppress(FileNotFoundError):
                backup.unlink()
            fsync_dir(backup.parent)


def _clear_leftovers(file: Path) -> None:
    # Whoever writes the file holds the lock, so a temporary file that is here now belongs to a process that was killed.
    target = file.resolve() if file.is_symlink() else file
    for leftover in target.parent.glob(f".{target.name}.*-*.tmp"):
        with suppress(OSError):
            leftover.unlink()
