"""``hermes_cli.config``: our config as that host shows its own, ``memory.provider`` and the values of each provider as
``memory.<name>``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.providers.home import get_vibeos_home
from zeroclaw_cli.providers.names import name_problem

if TYPE_CHECKING:
    from zeroclaw_cli.config.patch import Operation

__all__ = ["cfg_get", "load_config", "load_config_readonly", "save_config"]

# Where setup wants to know which provider is chosen.
_noted: Final[ContextVar[list[str] | None]] = ContextVar("zeroclaw_noted_choice", default=None)


@contextmanager
def noting_choice() -> Iterator[list[str]]:
    """The names that the block saves as ``memory.provider``, in the order of the calls."""
    noted: list[str] = []
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def cfg_get(cfg: Any, *keys: str, default: Any = None) -> Any:
    """The value at ``keys`` inside nested dicts, None included; ``default`` where the way there ends early."""
    value = cfg
    if not isinstance(value, dict):
        return default
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return default
        value = value[key]
    return value


def load_config() -> dict[str, Any]:
    """A copy of what our config says of providers: ``{"memory": {"provider": …, <name>: {…}}}``. Raises ConfigError."""
    from copy import deepcopy

    from zeroclaw_cli.config.load import load

    memory = load(str(get_vibeos_home()), os.environ).memory
    values = {name: deepcopy(dict(table)) for name, table in memory.providers.items()}
    return {"memory": {**values, "provider": memory.provider}}


def load_config_readonly() -> dict[str, Any]:
    """As :func:`load_config`, for callers that change nothing in it."""
    return load_config()


def save_config(
    config: Mapping[str, Any],
    *,
    strip_defaults: bool = True,
    preserve_keys: set[tuple[str, ...]] | None = None,
    merge_existing: bool = False,
) -> None:
    """Keep ``config["memory"][<name>]`` as the values of provider ``<name>``, with ``merge_existing`` beside those that
    are there. A provider that ``config`` does not name keeps its values, and nothing else of ``config`` is kept.

    There are no defaults to strip, so ``strip_defaults`` and ``preserve_keys`` make no difference. The choice of the
    provider is the user's and is not changed (P-42); setup, which is one, learns of it by :func:`noting_choice`. Raises
    ConfigError for a value that TOML cannot hold, nothing written.
    """
    from zeroclaw_cli.config.load import load
    from zeroclaw_cli.config.patch import apply_patch

    before = load(str(get_vibeos_home()), os.environ)
    memory = config.get("memory")
    tables = memory if isinstance(memory, Mapping) else {}
    noted = _noted.get()
    if noted is not None and isinstance(tables.get("provider"), str):
        noted.append(tables["provider"])
    operations: list[Operation] = []
    for name, table in tables.items():
        # Setup hands the tables over under `providers` as well.
        if name != "providers" and name_problem(name) is None and isinstance(table, Mapping):
            operations += _changes(name, before.memory.providers.get(name, {}), table, merge=merge_existing)
    if operations:
        apply_patch(before.location, os.environ, operations)


def _changes(name: str, known: Mapping[str, Any], table: Mapping[str, Any], *, merge: bool) -> Iterator[Operation]:
    from zeroclaw_cli.config.patch import Operation

    # TOML has no null: a value that is None is one that is gone.
    wanted = {str(key): value for key, value in table.items() if value is not None}
    gone = {str(key) for key, value in table.items() if value is None} if merge else known.keys() - wanted.keys()
    for key in sorted(gone & known.keys()):
        yield Operation("remove", ("memory", "providers", name, key), None)
    for key, value in wanted.items():
        kept = _merged(known.get(key), value) if merge else value
        if known.get(key) != kept:
            yield Operation("add", ("memory", "providers", name, key), kept)


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
