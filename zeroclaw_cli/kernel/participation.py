"""A frozen picture of a system made quick to ask, and who may take part in what (specs/memory-kernel.md §7.7, §8)."""

from __future__ import annotations

from typing import Final, NamedTuple

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits
from zeroclaw_cli.kernel.components import StrategyDescriptor, SystemDescriptor, TopologySnapshot
from zeroclaw_cli.kernel.json_safe import kind_name, printable
from zeroclaw_cli.kernel.limits import CHANNEL_OF
from zeroclaw_cli.kernel.operations import Decision

_HINTS: Final = {
    "layer-unavailable": "`zeroclaw memory layers` lists the layers that there are",
    "layer-disabled": "`zeroclaw memory layers enable {layer}` turns it on",
    "capability-unsupported": "ask another layer, or for another capability",
    "participation-denied": "a person may change participation in memory.topology.layers",
}


class LayerRights(NamedTuple):
    """What a layer may do."""

    enabled: bool
    capabilities: frozenset[str] | None
    modes: dict[str, str]
    adapters: frozenset[str]


class Picture:
    """One descriptor and the look-ups that planning needs."""

    __slots__ = (
        "adapters",
        "catalog_generation",
        "descriptor",
        "layers",
        "strategy",
        "strategy_id",
        "topology_generation",
        "topology_id",
    )

    def __init__(self, descriptor: SystemDescriptor) -> None:
        self.descriptor = descriptor
        self.topology_id = descriptor.topology.id
        self.topology_generation = descriptor.topology.generation
        self.catalog_generation = descriptor.topology.catalog_generation
        declared = {layer.id: frozenset(layer.capabilities) for layer in descriptor.catalog.layers}
        self.layers = {
            layer.id: LayerRights(
                layer.enabled,
                declared.get(layer.id),
                {channel: layer.participation.mode(channel) for channel in limits.CHANNELS},
                frozenset(layer.adapter_ids),
            )
            for layer in descriptor.topology.layers
        }
        self.adapters = {adapter.id: frozenset(adapter.capabilities) for adapter in descriptor.catalog.adapters}
        self.strategy_id = descriptor.topology.strategy_id
        self.strategy: StrategyDescriptor | None = next(
            (found for found in descriptor.catalog.strategies if found.id == self.strategy_id), None
        )

    def refusal(self, layer_id: str, capability: str, trigger: str) -> str | None:
        """The code of the first of the rules 7c to 7f that refuses, or None."""
        rights = self.layers.get(layer_id)
        if rights is None or rights.capabilities is None:
            return "layer-unavailable"
        if not rights.enabled:
            return "layer-disabled"
        if capability not in rights.capabilities:
            return "capability-unsupported"
        return None if accepts(rights.modes[CHANNEL_OF[capability]], trigger) else "participation-denied"

    def decide(self, layer_id: str, capability: str, trigger: str) -> Decision:
        """Rules 7c to 7f as a decision. An unknown layer counts as off. Raises KernelFailure ``invalid-request``."""
        if type(layer_id) is not str:
            raise KernelFailure("invalid-request", f"a layer id is text, not a {kind_name(layer_id)}")
        for value, words, what in (
            (capability, limits.CAPABILITIES, "capability"),
            (trigger, limits.TRIGGERS, "trigger"),
        ):
            if type(value) is not str or value not in words:
                raise KernelFailure(
                    "invalid-request", f"{value!r:.100} is no {what}", hint=f"use one of: {', '.join(words)}"
                )
        channel = CHANNEL_OF[capability]
        rights = self.layers.get(layer_id)
        mode = "off" if rights is None else rights.modes[channel]
        code = self.refusal(layer_id, capability, trigger)
        reason = None if code is None else self.explain(code, layer_id, capability, trigger)
        return Decision(code is None, layer_id, capability, trigger, channel, mode, reason, code)

    def explain(self, code: str, layer_id: str, capability: str, trigger: str) -> str:
        rights = self.layers.get(layer_id)
        mode = "off" if rights is None else rights.modes[CHANNEL_OF[capability]]
        return _explained(code, layer_id, capability, trigger, mode)

    def failure(self, code: str, layer_id: str, capability: str, trigger: str) -> KernelFailure:
        """The error for a refusal by ``code``."""
        return _failure(code, layer_id, capability, trigger, self.explain(code, layer_id, capability, trigger))


def accepts(mode: str, trigger: str) -> bool:
    """Whether a channel of this mode takes part under the trigger (§8)."""
    return mode == "automatic" or (mode == "manual" and trigger == "manual")


def refusal_of(topology: TopologySnapshot, layer_id: str, capability: str, trigger: str) -> KernelFailure | None:
    """What rules 7d and 7f say of a layer beside the one that a step is for, whose executor sees the topology alone;
    None when it accepts, or is not there."""
    layer = next((layer for layer in topology.layers if layer.id == layer_id), None)
    if layer is None:
        return None
    mode = layer.participation.mode(CHANNEL_OF[capability])
    if layer.enabled and accepts(mode, trigger):
        return None
    code = "participation-denied" if layer.enabled else "layer-disabled"
    return _failure(code, layer_id, capability, trigger, _explained(code, layer_id, capability, trigger, mode))


def _explained(code: str, layer_id: str, capability: str, trigger: str, mode: str) -> str:
    shown = printable(layer_id, 128)
    if code == "layer-unavailable":
        return f"there is no layer {shown}"
    if code == "layer-disabled":
        return f"layer {shown} is not enabled"
    if code == "capability-unsupported":
        return f"layer {shown} does not do {capability}"
    return f"layer {shown} has {CHANNEL_OF[capability]} = {mode}, which refuses the trigger {trigger}"


def _failure(code: str, layer_id: str, capability: str, trigger: str, text: str) -> KernelFailure:
    shown = printable(layer_id, 128)
    return KernelFailure(
        code,
        text,
        hint=_HINTS[code].replace("{layer}", shown),
        details={
            "layerId": shown,
            "capability": capability,
            "trigger": trigger,
            "channel": CHANNEL_OF[capability],
        },
    )
