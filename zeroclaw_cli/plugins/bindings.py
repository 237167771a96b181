"""The config entries that belong to a package (specs/zeroclaw.md §3.5, §3.6)."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.config.schema import format_path
from zeroclaw_cli.plugins.instance_key import instance_key, parse_instance_key
from zeroclaw_cli.plugins.model import Manifest, PluginCapability


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """The key of one ``plugins.entries`` table, and the capability that reads it."""

    capability: PluginCapability
    key: str

    def to_json(self) -> dict[str, str]:
        return {"capability": str(self.capability), "key": self.key}


def config_keys(config: Config, manifest: Manifest) -> tuple[ConfigKey, ...]:
    """The keys under which something is read for this package: the values of its tool and of each channel that the
    config declares, where it has a ``config_schema``; and the limits of its memory, always.
    """
    found = []
    seeded = seeded_key(manifest)
    if seeded is not None:
        found.append(ConfigKey(PluginCapability.TOOL, seeded))
    if manifest.config_schema is not None and manifest.has(PluginCapability.CHANNEL):
        found += [
            ConfigKey(PluginCapability.CHANNEL, instance_key(manifest.name, PluginCapability.CHANNEL, channel.alias))
            for channel in config.channels
            if channel.package == manifest.name
        ]
    if manifest.has(PluginCapability.MEMORY):
        found.append(ConfigKey(PluginCapability.MEMORY, memory_key(manifest.name)))
    return tuple(found)


def memory_key(package: str) -> str:
    """The key of the memory instance of ``package``: its binding is the package's name."""
    return instance_key(package, PluginCapability.MEMORY, package)


def seeded_key(manifest: Manifest) -> str | None:
    """The key that install adds to the config: only a tool with a schema has one."""
    if manifest.config_schema is None or not manifest.has(PluginCapability.TOOL):
        return None
    return instance_key(manifest.name, PluginCapability.TOOL, manifest.name)


def entries_of(config: Config, name: str) -> tuple[str, ...]:
    """The keys of the ``plugins.entries`` tables that belong to the package ``name``, whatever binding they serve."""
    keys = [entry.name for entry in config.plugins.entries]
    return tuple(key for key in keys if key == name or _package_of(key) == name)


def legacy_entry_warning(config: Config, manifest: Manifest) -> str | None:
    """A line about the ``plugins.entries`` table that bears the package's own name, as older versions wrote it, with
    the keys that are consulted in its place; None when there is no such table (specs/zeroclaw.md §11, row 12)."""
    name = manifest.name
    if all(entry.name != name for entry in config.plugins.entries):
        return None
    table = format_path(("plugins", "entries", name))
    keys = [
        instance_key(name, capability, name)
        for capability in dict.fromkeys(manifest.capabilities)
        if capability in (PluginCapability.TOOL, PluginCapability.MEMORY)
    ]
    keys += [
        instance_key(name, PluginCapability.CHANNEL, channel.alias)
        for channel in config.channels
        if channel.package == name and manifest.has(PluginCapability.CHANNEL)
    ]
    if keys:
        wanted = " or ".join(f"plugins.entries.{key}" for key in keys)
        remedy = f"rename it to {wanted} with `zeroclaw config edit`"
    elif manifest.has(PluginCapability.CHANNEL):
        remedy = f"its new name is told here when a channel has channels.plugin.ALIAS.package = {name}"
    else:
        remedy = f"nothing reads values of {name}; `zeroclaw config unset {shlex.quote(table)}` removes it"
    return f"{table} bears the name of the package and is not consulted: {remedy}"


def _package_of(key: str) -> str | None:
    identity = parse_instance_key(key)
    return None if identity is None else identity[0]
