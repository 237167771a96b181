"""Whether a package takes part in anything, and if not which switch is missing (specs/zeroclaw.md §2.4; cli.md).

Computed from the typed config alone. Being installed never means being active.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from zeroclaw_cli.config import permissions
from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.config.values import LAYER_ID
from zeroclaw_cli.plugins.model import Manifest, PluginCapability


@dataclass(frozen=True, slots=True)
class Activity:
    """One capability of a package: whether it is active, and otherwise why not and the command that mends it."""

    capability: PluginCapability
    active: bool
    reason: str | None


def activity(config: Config, manifest: Manifest) -> tuple[Activity, ...]:
    """One :class:`Activity` per distinct capability, in the order of the manifest."""
    return tuple(_judge(config, manifest.name, capability) for capability in dict.fromkeys(manifest.capabilities))


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A switch that stands in the way, and what to do: a command, or None when ``problem`` says it all."""

    problem: str
    remedy: str | None

    def __str__(self) -> str:
        return self.problem if self.remedy is None else f"{self.problem}: {self.remedy}"


def remedies(config: Config, manifest: Manifest) -> tuple[str, ...]:
    """The commands that would make every capability of the package active, each once, in a sensible order."""
    found = [
        obstacle.remedy
        for capability in dict.fromkeys(manifest.capabilities)
        for obstacle in _obstacles(config, manifest.name, capability)
        if obstacle.remedy is not None
    ]
    return tuple(dict.fromkeys(found))


def not_enabled(config: Config) -> Obstacle | None:
    """Why no plugin runs at all, or None when ``plugins.enabled`` is on."""
    if config.plugins.enabled:
        return None
    if config.plugins.malformed is not None:
        file = config.location.config_file
        return Obstacle(f"the [plugins] section of {file} is malformed, so plugins.enabled is false", f"correct {file}")
    return Obstacle("plugins.enabled is false", "zeroclaw config set plugins.enabled true")


def switched_off(config: Config, name: str) -> Obstacle | None:
    """That the package ``name`` is in ``plugins.disabled``, or None."""
    if name not in config.plugins.disabled:
        return None
    return Obstacle(f"{name} is disabled", f"zeroclaw plugin enable {name}")


def selected_backend(config: Config) -> str | None:
    """The package that ``memory.backend`` names (``plugin.<package>``, the kind in any case), or None."""
    return parse_backend(config.memory.backend).package


def layers_using(config: Config, name: str) -> tuple[str, ...]:
    """The enabled layers that the package ``name`` is or is bound to, where ``memory.backend`` is ``layers``
    (specs/memory-kernel.md §16, §18)."""
    if not parse_backend(config.memory.backend).is_layers:
        return ()
    return permissions.layers_using(config.memory.topology, name)


def _judge(config: Config, name: str, capability: PluginCapability) -> Activity:
    reason = "; ".join(str(obstacle) for obstacle in _obstacles(config, name, capability))
    return Activity(capability, not reason, reason or None)


def _obstacles(config: Config, name: str, capability: PluginCapability) -> list[Obstacle]:
    if capability is PluginCapability.OBSERVER:
        return [Obstacle("no host runs observers", None)]
    own = {
        PluginCapability.TOOL: _not_discovered,
        PluginCapability.SKILL: _not_discovered,
        PluginCapability.CHANNEL: _no_channel,
        PluginCapability.MEMORY: _not_selected,
    }[capability]
    found = (not_enabled(config), switched_off(config, name), own(config, name))
    return [obstacle for obstacle in found if obstacle is not None]


def _not_discovered(config: Config, name: str) -> Obstacle | None:
    if config.plugins.auto_discover:
        return None
    return Obstacle("plugins.auto_discover is false", "zeroclaw config set plugins.auto_discover true")


def _no_channel(config: Config, name: str) -> Obstacle | None:
    declared = [channel for channel in config.channels if channel.package == name]
    if any(channel.enabled for channel in declared):
        return None
    if declared:
        path = f"channels.plugin.{declared[0].alias}"
        return Obstacle(f"{path}.enabled is false", f"zeroclaw config set {path}.enabled true")
    return Obstacle(
        "no channel is declared for it",
        f"zeroclaw config set channels.plugin.ALIAS.package {name}, and ….enabled true",
    )


def _not_selected(config: Config, name: str) -> Obstacle | None:
    if selected_backend(config) == name or layers_using(config, name):
        return None
    if parse_backend(config.memory.backend).is_layers:
        return Obstacle(
            "no enabled layer is bound to it",
            f"zeroclaw memory layers enable {name}" if re.fullmatch(LAYER_ID, name) else None,
        )
    chosen = f"{config.memory.backend}" if config.memory.backend else "not set"
    return Obstacle(f"memory.backend is {chosen}", f"zeroclaw config set memory.backend plugin.{name}")
