"""``utils`` and ``hermes_state``: JSON files, switches in the environment, the journal of a database."""

from __future__ import annotations

import json
import logging
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli import fsio

if TYPE_CHECKING:
    import sqlite3

__all__ = ["apply_wal_with_fallback", "atomic_json_write", "env_var_enabled", "is_truthy_value"]

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_NEW_FILE: Final = 0o600
_log: Final = logging.getLogger("zeroclaw_cli.providers")


def atomic_json_write(
    path: str | Path, data: Any, *, indent: int | None = 2, mode: int | None = None, **dump: Any
) -> None:
    """Replace the file ``path`` by ``data`` as JSON, durably; missing folders are made, a link stays a link.

    ``mode`` are its permission bits; without it they stay as they are, and a new file is its owner's alone. ``dump``
    are options of ``json.dumps``, which decides what raises TypeError or ValueError. Raises OSError. The old file stays
    when anything is raised.
    """
    target = Path(path)
    text = json.dumps(data, indent=indent, ensure_ascii=False, **dump)
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _NEW_FILE
    fsio.atomic_write(target, text.encode("utf-8"), mode=mode)


def is_truthy_value(value: Any, default: bool = False) -> bool:
    """Whether ``value`` means yes; ``default`` for None."""
    if value is None:
        return default
    return value.strip().lower() in _TRUE if isinstance(value, str) else bool(value)


def env_var_enabled(name: str, default: str = "") -> bool:
    """Whether the environment variable ``name``, or ``default`` where it is not set, means yes."""
    return is_truthy_value(os.environ.get(name, default))


def apply_wal_with_fallback(conn: sqlite3.Connection, *, db_label: str = "state.db") -> str:
    """Give a database a write-ahead journal, or the ordinary one where its file system allows none; returns the mode
    that holds. Raises sqlite3.OperationalError for any other failure."""
    import sqlite3

    if _journal(conn, "") == "wal":
        return "wal"
    try:
        return _journal(conn, "=WAL")
    except sqlite3.OperationalError as error:
        if not any(word in str(error).lower() for word in ("locking protocol", "not authorized")):
            raise
        _log.warning("%s: its file system allows no write-ahead journal: %s", db_label, error)
        return _journal(conn, "=DELETE")


def _journal(conn: sqlite3.Connection, value: str) -> str:
    return str(conn.execute(f"PRAGMA journal_mode{value}").fetchone()[0]).lower()
