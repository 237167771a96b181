"""``agent.file_safety``: files with secrets, which a provider should not read for a model."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zeroclaw_cli.providers.home import get_vibeos_home

__all__ = ["get_read_block_error", "raise_if_read_blocked"]

_ENVIRONMENT_FILES: Final = frozenset(
    {".env", ".envrc"} | {f".env.{kind}" for kind in ("local", "development", "production", "test", "staging")}
)
# Below the home: settings may hold secrets too.
_OF_THE_HOME: Final = (".secret_key", "config.toml", "auth.json", "mcp-tokens")


def get_read_block_error(path: str) -> str | None:
    """Why the file ``path`` must not be read for a model; None when it may be."""
    resolved = Path(path).expanduser().resolve()
    home = get_vibeos_home().resolve()
    if resolved.name.lower() in _ENVIRONMENT_FILES or any(
        resolved.is_relative_to(home / name) for name in _OF_THE_HOME
    ):
        return f"{path} holds secrets and is not read"
    return None


def raise_if_read_blocked(path: str) -> None:
    """Raise ValueError when the file ``path`` must not be read for a model."""
    problem = get_read_block_error(path)
    if problem is not None:
        raise ValueError(problem)
