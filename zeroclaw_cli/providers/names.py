"""The names that providers may have (specs/memory-providers.md P-05)."""

from __future__ import annotations

import re
from typing import Final

# As a value of ``memory.provider`` these mean that there is no external provider.
NO_PROVIDER: Final = frozenset({"", "builtin", "built-in", "default", "none"})
# Words of ``memory.backend``, and folders that have a meaning of their own.
_WORDS: Final = frozenset({"memory", "native", "plugin", "plugins", "layers", "postgres", "sqlite"})
# Every top-level command, and words kept for one; a test holds that what the command line offers is among them.
COMMANDS: Final = frozenset(
    {"plugin", "memory", "config", "strategy", "mcp", "demo", "doctor", "completion", "help", "version"}
)
RESERVED: Final = (NO_PROVIDER - {""}) | _WORDS | COMMANDS
_NAME: Final = r"[a-z0-9][a-z0-9_-]{0,63}"


def name_problem(name: str) -> str | None:
    """Why ``name`` may not be the name of a provider, as the end of a sentence that begins with it; else None."""
    if re.fullmatch(_NAME, name) is None:
        return "is not a provider name: 1 to 64 of a-z, 0-9, _ and -, the first a letter or digit"
    if name in RESERVED:
        return "is a reserved word and no provider name"
    return None


def chosen(value: str) -> str | None:
    """The provider that a value of ``memory.provider`` names, or None when it says that there is none."""
    name = value.strip()
    return None if name.lower() in NO_PROVIDER else name


def claims_builtin(name: str) -> bool:
    """Whether an object of this name would be taken for the built-in memory (P-13)."""
    return name.strip().casefold() in {"builtin", "built-in"}
