"""Opens test guests as memories, in a temporary home."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomlkit

from tests.support.guests import component
from tests.support.packages import config_in
from zeroclaw_cli.config.model import Config, Durability, Limits, PluginEntry
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.plugins.manifest import parse_manifest
from zeroclaw_cli.plugins.model import Digests, Manifest, Package, SignatureState, SignatureVerdict
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.memory import WasmMemory, open_memory

NAME = "guest"


def manifest(name: str = NAME, permissions: Iterable[str] = ()) -> Manifest:
    fields = {
        "name": name,
        "version": "0.1.0",
        "wasm_path": "guest.wasm",
        "capabilities": ["memory"],
        "permissions": list(permissions),
    }
    return parse_manifest(tomlkit.dumps(fields).encode(), source=Path("manifest.toml"))


def package(name: str = NAME, permissions: Iterable[str] = ()) -> Package:
    verdict = SignatureVerdict(SignatureState.UNSIGNED, None)
    folder = Path("/nowhere") / name
    return Package(manifest(name, permissions), folder, folder / "guest.wasm", (), verdict, Digests("0" * 64, "0" * 64))


def config(
    home: Path,
    *,
    durability: Durability = Durability.JOURNAL,
    entries: tuple[PluginEntry, ...] = (),
    allow_precompiled: bool = False,
    **limits: int,
) -> Config:
    made = config_in(home, limits=replace(Limits(), **limits), entries=entries, allow_precompiled=allow_precompiled)
    return replace(made, memory=replace(made.memory, plugin_durability=durability))


def opened(
    guest: str | bytes,
    home: Path,
    *,
    options: HostOptions | None = None,
    permissions: Iterable[str] = (),
    **settings: Any,
) -> WasmMemory:
    """The guest as a memory whose files are under ``home``; ``settings`` are those of :func:`config`."""
    data = component(guest) if isinstance(guest, str) else guest
    return open_memory(package(permissions=permissions), data, config(home, **settings), options or HostOptions())


def journal_file(home: Path) -> Path:
    return config_in(home).location.data_dir / "plugins" / NAME / "journal.db"


def rows(memory: WasmMemory) -> list[Entry]:
    """Everything in the memory, in an order of its own."""
    return sorted(memory.list_entries(None, None), key=lambda entry: (entry.key, entry.agent_id or ""))


def keys(entries: Iterable[Entry]) -> list[str]:
    return [entry.key for entry in entries]
