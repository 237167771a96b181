"""Which command the active provider brings in its ``cli.py`` (specs/memory-providers.md §13, P-48, P-49).

Only the file's presence is looked at; ``command_run`` runs it. Every list of commands imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli.errors import ProviderNotFound
from zeroclaw_cli.memory.text import display
from zeroclaw_cli.providers import discovery, names
from zeroclaw_cli.providers.discovery import ProviderPlugin

FILE: Final = "cli.py"
_LONGEST_HELP: Final = 200


@dataclass(frozen=True, slots=True)
class ProviderCommand:
    """A command that may be called. ``help`` is the line that the list of commands shows."""

    name: str
    help: str
    plugin: ProviderPlugin


def find_command(
    home: Path, provider: str, environ: Mapping[str, str], cwd: Path
) -> tuple[ProviderCommand | None, str | None]:
    """The command of ``provider`` (as in ``memory.provider``) and a warning, or None for either. Imports nothing."""
    name = names.chosen(provider)
    if name is None:
        return None, None
    if name in names.COMMANDS:
        warning = f"memory.provider names '{name}', which is a command of this program and cannot be a provider"
        return None, f"{warning}; `zeroclaw memory off` takes it back"
    try:
        plugin = discovery.find(home, name, environ, cwd)
    except ProviderNotFound:
        return None, None
    if not (plugin.directory / FILE).is_file():
        return None, None
    described = display(" ".join(plugin.info.description.split()), _LONGEST_HELP)
    return ProviderCommand(name, described or f"Manage {name} memory plugin", plugin), None
