"""Python memory providers written to disk, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from zeroclaw_cli.providers import discovery, trust
from zeroclaw_cli.providers.discovery import ProviderPlugin

PROVIDER = """
from agent.memory_provider import MemoryProvider


class Provider(MemoryProvider):
    @property
    def name(self):
        return "NAME"

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs):
        self.kwargs = kwargs

    def get_tool_schemas(self):
        return []
"""

REGISTER = """

def register(ctx):
    ctx.register_memory_provider(Provider())
"""


def provider_source(name: str) -> str:
    return PROVIDER.replace("NAME", name) + REGISTER


def write_plugin(
    root: Path,
    name: str,
    init: str | None = None,
    *,
    yaml: str | None = None,
    files: Mapping[str, str | bytes] | None = None,
) -> Path:
    """Write the provider ``name`` into the folder ``root``; returns its own folder."""
    directory = root / name
    texts = {"__init__.py": provider_source(name) if init is None else init}
    texts["plugin.yaml"] = f"name: {name}\nversion: 1.0.0\ndescription: The {name} memory\n" if yaml is None else yaml
    for path, content in {**texts, **(files or {})}.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return directory


def nested(home: Path) -> Path:
    return home / "plugins" / "memory"


def find(home: Path, name: str) -> ProviderPlugin:
    return discovery.find(home, name, {}, home)


def approve(home: Path, name: str) -> ProviderPlugin:
    """Find the provider and record its tree as it is."""
    plugin = find(home, name)
    trust.record(home, plugin, trust.tree_digest(plugin.directory))
    return plugin


def install(home: Path, name: str, init: str | None = None, **options: object) -> ProviderPlugin:
    """Write the provider into the home and approve it."""
    write_plugin(nested(home), name, init, **options)  # type: ignore[arg-type]
    return approve(home, name)
