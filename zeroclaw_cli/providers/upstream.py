"""The functions that hosts of such providers have by these names (specs/memory-providers.md P-08, §13).

They act on the home that ``get_vibeos_home`` gives, on the environment and on the current directory.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli.config.model import MemoryConfig
from zeroclaw_cli.errors import ProviderNotFound, ZeroclawError, explain
from zeroclaw_cli.providers import discovery, names, trust
from zeroclaw_cli.providers.base import MemoryProvider
from zeroclaw_cli.providers.discovery import ProviderPlugin
from zeroclaw_cli.providers.home import get_vibeos_home

_log: Final = logging.getLogger("zeroclaw_cli.providers")


def list_memory_provider_names() -> list[str]:
    """The names of all providers, sorted; nothing of them is imported."""
    return discovery.names(get_vibeos_home(), os.environ, Path.cwd())


def find_provider_dir(name: str) -> Path | None:
    """The folder of provider ``name``, or None."""
    try:
        return discovery.find(get_vibeos_home(), name, os.environ, Path.cwd()).directory
    except ProviderNotFound:
        return None


def load_memory_provider(name: str) -> MemoryProvider | None:
    """A new object of provider ``name``; None when it is absent, not trusted or broken, and the reason is logged as a
    warning."""
    from zeroclaw_cli.providers.loading import load

    home = get_vibeos_home()
    try:
        plugin = discovery.find(home, name, os.environ, Path.cwd())
        return load(plugin, home, hermes_compat=_memory(home).providers_host.hermes_compat)
    except ZeroclawError as error:
        _log.warning("%s", explain(error))
        return None


def discover_memory_providers() -> list[tuple[str, str, bool | None]]:
    """Name, description and availability of every provider. Bundled and trusted ones are loaded to be asked; for others
    the answer is None and nothing of them runs."""
    home = get_vibeos_home()
    found = discovery.discover(home, os.environ, Path.cwd())
    return [(plugin.name, plugin.info.description, _available(home, plugin)) for plugin in found.plugins]


def discover_plugin_cli_commands() -> list[dict[str, Any]]:
    """The command of the active provider, as at most one dict with ``name``, ``help``, ``description``, ``setup_fn``,
    ``handler_fn`` and ``plugin``. Its ``cli.py`` is imported; one that is broken is logged as a warning."""
    from zeroclaw_cli.providers.command_run import load_command
    from zeroclaw_cli.providers.commands import find_command

    home = get_vibeos_home()
    memory = _memory(home)
    command, warning = find_command(home, memory.provider, os.environ, Path.cwd())
    if warning is not None:
        _log.warning("%s", warning)
    if command is None:
        return []
    try:
        loaded = load_command(command, home, hermes_compat=memory.providers_host.hermes_compat)
    except ZeroclawError as error:
        _log.warning("%s", explain(error))
        return []
    return [
        {
            "name": command.name,
            "help": command.help,
            "description": command.plugin.info.description,
            "setup_fn": loaded.setup,
            "handler_fn": loaded.handler,
            "plugin": names.chosen(memory.provider),
        }
    ]


def _available(home: Path, plugin: ProviderPlugin) -> bool | None:
    from zeroclaw_cli.providers.loading import load
    from zeroclaw_cli.providers.status import problem_of

    if not trust.verdict(home, plugin).loadable:
        return None
    try:
        provider = load(plugin, home, hermes_compat=_memory(home).providers_host.hermes_compat)
        return problem_of(home, plugin, provider, os.environ) is None
    except ZeroclawError as error:
        _log.warning("%s", explain(error))
        return False


def _memory(home: Path) -> MemoryConfig:
    from zeroclaw_cli.config.load import load

    return load(str(home), os.environ).memory
