"""What published providers import from the host that they were written for (specs/memory-providers.md P-02).

Off by default; ``memory.providers_host.hermes_compat`` registers it under the names of that host. The config that these
functions show is our own: ``memory.provider`` and the values of each provider as ``memory.<name>``.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.providers.home import display_home, get_vibeos_home
from zeroclaw_cli.providers.names import name_problem

if TYPE_CHECKING:
    import sqlite3

# Where setup wants to know which provider is chosen.
_noted: Final[ContextVar[list[str] | None]] = ContextVar("zeroclaw_noted_choice", default=None)
_log: Final = logging.getLogger("zeroclaw_cli.providers")


@contextmanager
def noting_choice() -> Iterator[list[str]]:
    """The names that the block saves as ``memory.provider``, in the order of the calls."""
    noted: list[str] = []
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def tool_error(message: Any, **extra: Any) -> str:
    """The JSON text of a tool's failure: ``error`` and what is in ``extra``."""
    return json.dumps({"error": str(message), **extra}, ensure_ascii=False, default=str)


def cfg_get(config: Any, *keys: str, default: Any = None) -> Any:
    """The value at ``keys`` inside nested mappings, ``default`` where the way ends early or at None."""
    value = config
    for key in keys:
        if not isinstance(value, Mapping) or key not in value:
            return default
        value = value[key]
    return default if value is None else value


def load_config() -> dict[str, Any]:
    """A copy of what our config says of providers: ``{"memory": {"provider": …, <name>: {…}}}``."""
    from copy import deepcopy

    from zeroclaw_cli.config.load import load

    memory = load(str(get_vibeos_home()), os.environ).memory
    values = {name: deepcopy(dict(table)) for name, table in memory.providers.items()}
    return {"memory": {**values, "provider": memory.provider}}


def save_config(config: Mapping[str, Any]) -> None:
    """Keep the values of ``config["memory"][<name>]`` as those of provider ``<name>``; keys that are there and not in
    ``config`` stay. The choice of the provider is the user's and is not changed (P-42); setup, which is one, learns of
    it by :func:`noting_choice`.

    Raises ConfigError for a value that TOML cannot hold, nothing written.
    """
    from zeroclaw_cli.config.load import load
    from zeroclaw_cli.config.patch import Operation, apply_patch

    before = load(str(get_vibeos_home()), os.environ)
    memory = config.get("memory")
    noted = _noted.get()
    if noted is not None and isinstance(memory, Mapping) and isinstance(memory.get("provider"), str):
        noted.append(memory["provider"])
    operations = []
    for name, table in (memory if isinstance(memory, Mapping) else {}).items():
        # Setup hands the tables over under `providers` as well.
        if name == "providers" or name_problem(name) is not None or not isinstance(table, Mapping):
            continue
        known = before.memory.providers.get(name, {})
        for key, value in table.items():
            if known.get(key) != value:
                verb = "add" if value is not None else "remove"
                operations.append(Operation(verb, ("memory", "providers", name, str(key)), value))
    if operations:
        apply_patch(before.location, os.environ, operations)


def apply_wal_with_fallback(conn: sqlite3.Connection, *, db_label: str = "") -> str:
    """Set the write-ahead journal of a database where its file system allows one, else the ordinary one; returns the
    mode that holds."""
    import sqlite3

    try:
        mode = str(conn.execute("PRAGMA journal_mode=WAL").fetchone()[0]).lower()
    except sqlite3.OperationalError as error:
        _log.warning("%s: no write-ahead journal here: %s", db_label or "database", error)
        mode = str(conn.execute("PRAGMA journal_mode=DELETE").fetchone()[0]).lower()
    return mode


def atomic_json_write(path: str | Path, data: Any, *, indent: int | None = 2, **options: Any) -> None:
    """Replace the file ``path`` by ``data`` as JSON, durably; it is readable by the user alone."""
    target = Path(path)
    options.setdefault("ensure_ascii", False)
    text = json.dumps(data, indent=indent, **options)
    fsio.make_private_dir(target.parent)
    fsio.atomic_write(target, text.encode("utf-8"))


CONTENTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "hermes_constants": {"get_hermes_home": get_vibeos_home, "display_hermes_home": display_home},
    "hermes_state": {"apply_wal_with_fallback": apply_wal_with_fallback},
    "utils": {"atomic_json_write": atomic_json_write},
    "tools.registry": {"tool_error": tool_error},
    "hermes_cli.config": {"cfg_get": cfg_get, "load_config": load_config, "save_config": save_config},
}
