"""The one place that names implementations of memory (design.md, floor 5).

``memory.backend`` or ``--backend`` alone decides what is opened. A backend that cannot be opened fails the command;
nothing else is opened in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.errors import BackendDisabled, NoBackend, NotSupported, UnknownBackend

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.memory.protocol import Memory
    from zeroclaw_cli.plugins.model import ComponentProbe
    from zeroclaw_cli.wasm.host import HostOptions

# What `memory.backend` may say (design.md, Config), and of these what this version opens.
KINDS: Final = ("native", "plugin.<package>", "provider.<name>", "layers", "postgres", "none")
_OF_THE_OTHER_PROGRAM: Final = frozenset({"markdown", "lucid", "qdrant"})
_NOT_YET: Final = frozenset({"native", "sqlite", "provider", "layers", "postgres"})


@dataclass(frozen=True, slots=True)
class BackendName:
    """A backend as chosen: its kind in lower case, and what follows the first dot as written."""

    kind: str
    rest: str


def parse_backend(text: str) -> BackendName:
    """Split ``kind.rest`` at the first dot; the kind is compared in lower case, the rest is kept as written."""
    kind, _, rest = text.strip().partition(".")
    return BackendName(kind.lower(), rest)


def open_memory(config: Config, name: str | None, options: HostOptions) -> Memory:
    """Open the backend ``name``, or ``memory.backend`` when it is None.

    Raises NoBackend when none is chosen, UnknownBackend for a word that names none, BackendDisabled for ``none``, and
    whatever says why a plugin cannot be opened: PluginNotFound, the refusals of policy, BackendNotMemory, GateOff,
    DataOwner, ImportNotGranted, ComponentInvalid, JournalDamaged and the failures of starting it.
    """
    chosen = config.memory.backend if name is None else name
    if not chosen.strip():
        raise NoBackend(
            "no memory backend is chosen",
            hint="choose one with `zeroclaw config set memory.backend plugin.NAME`, or pass --backend plugin.NAME; "
            "`zeroclaw plugin list` shows what is installed",
        )
    backend = parse_backend(chosen)
    if backend.kind == "plugin" and backend.rest:
        return _open_plugin(config, backend.rest, options)
    if backend.kind == "none":
        raise BackendDisabled(
            "memory is disabled: memory.backend is none",
            hint="choose a backend with `zeroclaw config set memory.backend plugin.NAME`",
        )
    if backend.kind in _OF_THE_OTHER_PROGRAM:
        raise UnknownBackend(
            f"the backend {backend.kind} belongs to the other program that shares this config",
            hint=f"use one of: {', '.join(KINDS)}",
        )
    if backend.kind in _NOT_YET:
        raise NotSupported(
            f"the backend {chosen} is not part of this version",
            hint="use an installed memory plugin: --backend plugin.NAME",
        )
    raise _unknown(config, chosen)


def component_probe(config: Config, options: HostOptions) -> ComponentProbe:
    """The probe that install and check run on a component (design.md, The probe)."""
    from zeroclaw_cli.wasm.probe import WasmProbe

    return WasmProbe(config, options)


def _open_plugin(config: Config, package_name: str, options: HostOptions) -> Memory:
    from zeroclaw_cli.plugins import owner
    from zeroclaw_cli.plugins.load import load_memory_package
    from zeroclaw_cli.wasm.memory import open_memory as open_wasm

    package, component = load_memory_package(config, package_name)
    owner.claim(config, package)
    return open_wasm(package, component, config, options)


def _unknown(config: Config, chosen: str) -> UnknownBackend:
    if (config.plugins.plugins_dir / chosen / "manifest.toml").is_file():
        hint = f"for the plugin of that name write plugin.{chosen}"
    else:
        hint = f"use one of: {', '.join(KINDS)}"
    return UnknownBackend(f"'{chosen}' names no memory backend", hint=hint)
