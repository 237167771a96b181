"""The map of a provider's tools, against the tools that it has (specs/memory-providers.md §15)."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.errors import ProviderBroken
from zeroclaw_cli.providers import guarded
from zeroclaw_cli.providers.memory_map import MapError, MemoryMap, check_tools, read_map

if TYPE_CHECKING:
    from zeroclaw_cli.providers.discovery import ProviderPlugin


def author_map(plugin: ProviderPlugin) -> MemoryMap | None:
    """The map in its ``plugin.yaml``, None when there is none. Raises ProviderBroken for one that cannot be used."""
    if plugin.info.memory_map is None:
        return None
    try:
        return read_map(plugin.info.memory_map)
    except MapError as error:
        raise bad_map(plugin, error) from None


def map_of(plugin: ProviderPlugin, home: Path, provider: Any) -> MemoryMap | None:
    """The map of a loaded provider: its author's, else the one that is known for its name, else None."""
    from zeroclaw_cli.providers.known_maps import known_map

    found = author_map(plugin)
    if found is not None:
        return found
    return guarded.run_bounded(plugin.name, home, "get_tool_schemas", lambda: known_map(plugin.name, provider))


def require_tools(plugin: ProviderPlugin, home: Path, provider: Any) -> None:
    """Raise ProviderBroken when a loaded provider cannot tell its tools, or its author's map names one that it has not.

    A provider that has none yet may know them only when it is started.
    """
    tools = guarded.run_bounded(plugin.name, home, "get_tool_schemas", lambda: _tools_of(provider))
    found = author_map(plugin)
    if found is None or not tools:
        return
    try:
        check_tools(found, tools)
    except MapError as error:
        raise bad_map(plugin, error) from None


def bad_map(plugin: ProviderPlugin, error: MapError) -> ProviderBroken:
    """The error for a map that cannot be used."""
    return ProviderBroken(
        f"memory provider {plugin.name}: zeroclaw_memory_map: {error}",
        hint=f"correct {plugin.directory / 'plugin.yaml'}; "
        f"`zeroclaw memory check {quote(str(plugin.directory))}` checks it",
    )


def _tools_of(provider: Any) -> frozenset[str]:
    from zeroclaw_cli.providers.plain import plain
    from zeroclaw_cli.providers.tools import normalize_tool_schema

    schemas = (normalize_tool_schema(item) for item in plain(provider.get_tool_schemas()) or ())
    return frozenset(schema["name"] for schema in schemas if schema is not None)
