"""A store that holds nothing, made whole before it has its name."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from zeroclaw_cli import fsio
from zeroclaw_cli.native import schema


def publish(path: Path) -> None:
    """Put a store that holds nothing at ``path``, whole and durable; what is there already stays.

    So an empty file is never a store that is being made, but one that was lost. Raises OSError or sqlite3.Error.
    """
    temporary = fsio.temporary_beside(path)
    try:
        make_empty(temporary)
        with suppress(FileExistsError):
            fsio.give_name(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink()
    fsio.fsync_dir(path.parent)


def make_empty(file: Path) -> None:
    """Make ``file``, which must not exist, a store that holds nothing. Raises OSError or sqlite3.Error."""
    fsio.write_new(file, b"")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN EXCLUSIVE")
        schema.migrate(connection, 0)
        connection.execute("COMMIT")
