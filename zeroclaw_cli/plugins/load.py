"""The memory package that a backend is about to run (design.md, Config: ``plugin.<package>``)."""

from __future__ import annotations

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import BackendNotMemory, GateOff
from zeroclaw_cli.plugins import discovery, gates
from zeroclaw_cli.plugins.digests import FreshDigests
from zeroclaw_cli.plugins.model import Package, PluginCapability


def load_memory_package(config: Config, name: str) -> tuple[Package, bytes]:
    """The admitted, enabled memory package ``name`` and the bytes of its component: those whose digest was compared.

    Raises, in this order: PluginNotFound; the error of the skip when it is not admitted (DigestMismatch when the bytes
    are not the recorded or covered ones); BackendNotMemory; GateOff when ``plugins.enabled`` is off or the package is
    disabled. ``plugins.auto_discover`` does not matter, because the operator named the package.
    """
    read = FreshDigests(keep=True)
    package = discovery.find_named(config, name, digests=read)
    component = read.components.get(package.directory)
    if not package.manifest.has(PluginCapability.MEMORY) or component is None:
        provides = ", ".join(dict.fromkeys(package.manifest.capabilities))
        raise BackendNotMemory(
            f"plugin {name!r} provides no memory, only {provides}",
            hint="choose a package with the capability memory; `zeroclaw plugin list` shows them",
        )
    for obstacle in (gates.not_enabled(config), gates.switched_off(config, name)):
        if obstacle is not None:
            raise GateOff(f"plugin {name!r} cannot run: {obstacle.problem}", hint=obstacle.remedy)
    return package, component
