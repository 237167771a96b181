"""What ``memory layers``, ``plan`` and ``wake`` show and change (specs/memory-kernel.md §12, §16; cli.md)."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.backends import layer_system, usability
from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.config.model import Problem
from zeroclaw_cli.errors import KernelFailure, NotSupported, StoreDamaged, UsageError, ZeroclawError
from zeroclaw_cli.kernel.contracts import LayerDescriptor, Participation, Plan, TopologyLayer, TurnView, Wake
from zeroclaw_cli.kernel.limits import CAPABILITIES, CHANNELS, DEFAULT_STRATEGY_ID, DOCUMENTS, RUNTIME
from zeroclaw_cli.kernel.surface import no_such_layer, scope_of, usual_target
from zeroclaw_cli.kernel.topology_config import PATH, ConfiguredLayer, ConfiguredTopology, read_topology
from zeroclaw_cli.kernel.wake import omitted_layers
from zeroclaw_cli.layers.context import whole_scope
from zeroclaw_cli.wasm.host import HostOptions

if TYPE_CHECKING:
    from zeroclaw_cli.config.editor import Rule
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.config.patch import PatchResult
    from zeroclaw_cli.kernel.runtime import RuntimeGraph
    from zeroclaw_cli.layers.system import LayerSystem

_log = logging.getLogger(__name__)
_AUTOMATIC = Participation.all("automatic")
# What the commands of these capabilities ask of the layers that keep entries: get, list, forget, export and reindex.
_OF_ENTRIES = frozenset({"read", "browse", "forget", "export", "maintain"})
# How much these commands ask for where nothing is said: recall and doc search.
_USUAL_LIMITS = {"recall": 10, "search": 5}


@dataclass(frozen=True, slots=True)
class LayerReport:
    """One layer as it is: what it is, whether it takes part, and if not why. ``descriptor`` is None for one of the
    config that is not there."""

    id: str
    descriptor: LayerDescriptor | None
    topology: TopologyLayer | None
    backend: str | None = None
    is_default: bool = False
    reason: str | None = None

    @property
    def enabled(self) -> bool:
        return self.topology is not None and self.topology.enabled

    @property
    def participation(self) -> str:
        """In words, ``automatic (default)`` where the config says nothing."""
        if self.topology is None:
            return "none"
        modes = self.topology.participation
        if self.is_default and modes == _AUTOMATIC:
            return "automatic (default)"
        by_channel = {channel: modes.mode(channel) for channel in CHANNELS}
        if len(set(by_channel.values())) == 1:
            return modes.recall
        return ", ".join(f"{channel} {mode}" for channel, mode in by_channel.items())

    def to_json(self) -> dict[str, Any]:
        found = self.descriptor
        return {
            "id": self.id,
            "registered": found is not None,
            "enabled": self.enabled,
            "reason": self.reason,
            "label": None if found is None else found.label,
            "description": None if found is None else found.description,
            "role": None if found is None else found.role,
            "capabilities": [] if found is None else list(found.capabilities),
            "participation": None if self.topology is None else self.topology.participation.to_json(),
            "participation_is_default": self.is_default,
            "adapters": [] if self.topology is None else list(self.topology.adapter_ids),
            "backend": self.backend,
        }


@dataclass(frozen=True, slots=True)
class AdapterReport:
    """A store that a layer may be bound to; ``reason`` says why it cannot be used, None when it can."""

    id: str
    description: str
    locality: str | None
    capabilities: tuple[str, ...]
    bound_to: tuple[str, ...]
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "description": self.description,
            "locality": self.locality,
            "capabilities": list(self.capabilities),
            "bound_to": list(self.bound_to),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class LayersReport:
    """``problem`` is why the topology of the config cannot serve; the report is then of what is left of it."""

    topology_id: str
    strategy_id: str
    strategy_version: str
    layers: tuple[LayerReport, ...]
    adapters: tuple[AdapterReport, ...]
    warnings: tuple[str, ...]
    problem: KernelFailure | None = None

    def to_json(self) -> dict[str, Any]:
        problem = self.problem
        return {
            "problem": None if problem is None else {"code": problem.code, "message": problem.message},
            "topology": {"id": self.topology_id, "strategy_id": self.strategy_id},
            "strategy": {"id": self.strategy_id, "version": self.strategy_version},
            "layers": [layer.to_json() for layer in self.layers],
            "adapters": [adapter.to_json() for adapter in self.adapters],
        }


def report(config: Config, options: HostOptions) -> LayersReport:
    """As :func:`survey`, of a topology that serves. Raises KernelFailure for one that does not."""
    found = survey(config, options)
    if found.problem is not None:
        raise found.problem
    return found


def survey(config: Config, options: HostOptions) -> LayersReport:
    """Every layer and adapter that there is or that the config names, and what is wrong with the topology if it cannot
    serve. Raises KernelFailure for a topology that cannot be read, StrategiesDamaged."""
    system = layer_system(config, options, every=True)
    configured = read_topology(config.memory.topology)
    try:
        graph, problems = _graph_of_the_rest(system, configured)
        topology = graph.topology.snapshot()
        catalog = graph.catalog.snapshot()
        cards = {layer.id: layer for layer in catalog.layers}
        refused = {str(id_): problem.message for problem in problems if (id_ := (problem.details or {}).get("id"))}
        layers = [_layer_report(system, configured, layer, cards[layer.id], refused) for layer in topology.layers]
        gone = "nothing of this name is there; its settings stay"
        refused |= {found.id: found.reason for found in system.candidates if found.reason is not None}
        layers += [LayerReport(id_, None, None, reason=refused.get(id_, gone)) for id_ in graph.built.ignored]
        bound = {
            adapter.id: tuple(layer.id for layer in topology.layers if adapter.id in layer.adapter_ids)
            for adapter in catalog.adapters
        }
        adapters = [
            AdapterReport(adapter.id, adapter.description, adapter.locality, adapter.capabilities, bound[adapter.id])
            for adapter in catalog.adapters
        ]
        adapters += [
            AdapterReport(found.id, found.description, None, (), (), found.reason)
            for found in system.candidates
            if found.reason is not None
        ]
        # A layer that was taken out because of a problem is not one that the operator disabled.
        of_the_rest = graph.built.warnings if problems else ()
        strategy = next(found for found in catalog.strategies if found.id == topology.strategy_id)
        return LayersReport(
            topology.id,
            topology.strategy_id,
            strategy.version,
            tuple(layers),
            tuple(adapters),
            tuple(line for line in system.surface.take_warnings() if line not in of_the_rest),
            problems[0] if problems else None,
        )
    finally:
        system.close()


def _graph_of_the_rest(system: LayerSystem, configured: ConfiguredTopology) -> tuple[RuntimeGraph, list[KernelFailure]]:
    """The graph of as much of a topology as can serve, and what is wrong with the rest."""
    problems: list[KernelFailure] = []
    while True:
        try:
            return system.graph(), problems
        except KernelFailure as failure:
            rest = _without(configured, failure)
            if rest == configured:
                raise
            problems.append(failure)
            system.configured = configured = rest


def _without(configured: ConfiguredTopology, failure: KernelFailure) -> ConfiguredTopology:
    """``configured`` but for what ``failure`` names."""
    details = failure.details or {}
    if failure.code == "strategy-unavailable":
        return replace(configured, strategy_id=DEFAULT_STRATEGY_ID)
    named = details.get("layerId") or details.get("id")

    def rest(layer: ConfiguredLayer) -> ConfiguredLayer:
        if failure.code == "adapter-unavailable":
            if details.get("path") != f"{PATH}.layers.{layer.id}.adapter_ids":
                return layer
            kept = tuple(id_ for id_ in layer.adapter_ids if named not in (None, id_))
            return replace(layer, adapter_ids=kept)
        if layer.id != named:
            return layer
        # One without a backend that could be used is nothing of its own.
        backend = None if failure.code == "invalid-topology" else layer.backend
        return replace(layer, enabled=False, backend=backend)

    return replace(configured, layers=tuple(map(rest, configured.layers)))


def _layer_report(
    system: LayerSystem,
    configured: ConfiguredTopology,
    layer: TopologyLayer,
    card: LayerDescriptor,
    refused: Mapping[str, str],
) -> LayerReport:
    found = configured.layer(layer.id)
    backend = None if found is None else found.backend
    if backend is None:
        own = (item for item in system.candidates if item.id == layer.id and item.name_problem is None)
        backend = next((item.backend for item in own), None)
    is_default = layer.enabled and (found is None or found.participation is None)
    if layer.enabled:
        reason = None
    elif found is None:
        reason = f"it is a candidate: `zeroclaw memory layers enable {layer.id}`"
    elif found.enabled:
        reason = refused.get(layer.id, "it cannot be built as the config says")
    else:
        reason = f"{PATH}.layers.{layer.id}.enabled is false"
    return LayerReport(layer.id, card, layer, backend, is_default, reason)


def topology_problems(options: HostOptions) -> Rule:
    """The rule for a changed config: its topology must make a graph (specs/memory-kernel.md §16). Every problem is
    given, so that a config with several can be mended one by one. Nothing is opened but what says what it can do."""

    def problems(config: Config) -> list[Problem]:
        if not config.memory.topology:
            return []
        system = layer_system(config, options)
        try:
            found: Sequence[ZeroclawError] = _graph_of_the_rest(system, read_topology(config.memory.topology))[1]
        except ZeroclawError as error:
            found = [error]
        finally:
            _close_quietly(system)
        return [Problem(str((error.details or {}).get("path") or PATH), error.message, error.hint) for error in found]

    return problems


def _close_quietly(system: LayerSystem) -> None:
    try:
        system.close()
    except ZeroclawError:
        return


def enable(config: Config, layer_id: str, *, automatic: bool, options: HostOptions, rules: Sequence[Rule]) -> bool:
    """Let a layer take part: with every channel ``manual``, or ``automatic``. False when it does already.

    Raises LayerNotFound, KernelFailure ``layer-unavailable`` for one that is not there, and ValidationFailed when the
    system cannot be built with it; the config is then untouched.
    """
    known = _known(config, options)
    if layer_id not in known:
        raise no_such_layer(layer_id, known)
    found = next((layer for layer in known[layer_id] if layer.descriptor is not None), known[layer_id][0])
    if found.descriptor is None:
        raise KernelFailure(
            "layer-unavailable",
            f"the layer {layer_id} cannot be enabled: {found.reason}",
            hint="`zeroclaw memory layers` shows what there is",
            details={"id": layer_id},
        )
    if found.enabled and not automatic:
        return False
    mode = "automatic" if automatic else "manual"
    values: dict[str, Any] = {"enabled": True, "participation": dict.fromkeys(CHANNELS, mode)}
    return _change(config, layer_id, values, rules).changed


def disable(config: Config, layer_id: str, *, options: HostOptions, rules: Sequence[Rule]) -> bool:
    """Let a layer take part no longer. Its settings and what it holds stay. False when it does not already.

    Raises LayerNotFound.
    """
    configured = read_topology(config.memory.topology)
    present = configured.layer(layer_id)
    if present is None:
        known = _known(config, options)
        if layer_id not in known:
            raise no_such_layer(layer_id, known)
        if not any(layer.enabled for layer in known[layer_id]):
            return False
    elif not present.enabled:
        return False
    return _change(config, layer_id, {"enabled": False}, rules).changed


def _known(config: Config, options: HostOptions) -> dict[str, list[LayerReport]]:
    known: dict[str, list[LayerReport]] = {}
    found = survey(config, options)
    for layer in found.layers:
        known.setdefault(layer.id, []).append(layer)
    refused = {adapter.id: adapter.reason for adapter in found.adapters if adapter.reason is not None}
    for id_, reason in refused.items():
        if id_ not in known:
            known[id_] = [LayerReport(id_, None, None, reason=reason)]
    return known


def _change(config: Config, layer_id: str, values: Mapping[str, Any], rules: Sequence[Rule]) -> PatchResult:
    from zeroclaw_cli.config.patch import Operation, apply_patch

    table = (*PATH.split("."), "layers", layer_id)
    operations = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            operations += [Operation("add", (*table, name, inner), item) for inner, item in value.items()]
        else:
            operations.append(Operation("add", (*table, name), value))
    return apply_patch(config.location, os.environ, tuple(operations), rules=rules)


def plan(
    config: Config,
    options: HostOptions,
    capability: str,
    *,
    query: str | None = None,
    key: str | None = None,
    layer: str | None = None,
    trigger: str | None = None,
    limit: int | None = None,
) -> Plan:
    """The plan for ``capability``, which nothing runs; ``limit`` None is that of the command that asks for it. Raises
    UsageError, as :func:`_serving`, or what planning ends in."""
    if capability not in CAPABILITIES:
        near = get_close_matches(capability, CAPABILITIES, 2)
        raise UsageError(
            f"'{capability}' is not a capability",
            hint=f"did you mean {' or '.join(near)}?" if near else f"use one of: {', '.join(CAPABILITIES)}",
        )
    system = _serving(config, options)
    try:
        surface = system.surface
        surface.layer = layer
        surface.trigger = trigger or surface.trigger
        graph = system.graph(capability)
        most = _USUAL_LIMITS.get(capability) if limit is None else limit
        asked = {"query": query, "key": key, "limit": most}
        values = {name: value for name, value in asked.items() if value is not None}
        target = DOCUMENTS if capability == "search" else usual_target(capability)
        # Without a question a recall is of the latest memories, which documents are none of.
        entries = capability in _OF_ENTRIES or (capability == "recall" and not (query or "").strip(" *"))
        chosen = surface.candidates(graph, capability, target, entries=entries)
        request = surface.request(graph, capability, f"memory.{capability}", values or None, scope_of(), chosen)
        return graph.kernel.plan(request)
    finally:
        for line in system.surface.take_warnings():
            _log.warning("%s", line)
        system.close()


def _serving(config: Config, options: HostOptions) -> LayerSystem:
    """What ``memory.backend`` chose as layers: those of the topology, or the built-in store alone, whose parts are the
    default ones. Raises what keeps the backend from being used, and NotSupported for one that has no layers."""
    backend = parse_backend(config.memory.backend)
    if backend.is_layers:
        return layer_system(config, options)
    looked = usability(config, options)
    if isinstance(looked.problem, StoreDamaged):
        # Now that the damage is known, opening the store repairs it, as for every other command.
        looked = usability(config, options)
    if looked.problem is not None:
        for line in looked.warnings:
            _log.warning("%s", line)
        raise looked.problem
    if not backend.is_native:
        raise NotSupported(
            f"memory.backend is {config.memory.backend}, which has no layers: there is nothing to plan or to wake with",
            hint="the layers have it: `zeroclaw config set memory.backend layers`",
            path="memory.backend",
        )
    system = layer_system(replace(config, memory=replace(config.memory, topology={})), options)
    for line in looked.warnings:
        system.surface.warn(line)
    return system


@dataclass(frozen=True, slots=True)
class Left:
    """A layer that a wake says nothing of, or not all, and why."""

    layer_id: str
    reason: str

    def to_json(self) -> dict[str, str]:
        return {"layer_id": self.layer_id, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class WakeReport:
    """The text of a prompt; ``warnings`` are what the stores told while they were read."""

    view: TurnView
    wake: Wake
    left_out: tuple[Left, ...]
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.wake.text,
            "view_id": self.wake.view_id,
            "view_digest": self.wake.view_digest,
            "sections": [
                {"layer_id": part.layer_id, "mode": part.mode, "text": part.text} for part in self.wake.sections
            ],
            "left_out": [left.to_json() for left in self.left_out],
            "warnings": list(self.warnings),
        }


def wake(config: Config, options: HostOptions, *, agent: str | None = None, project: str | None = None) -> WakeReport:
    """The text that a system prompt would get now, and what was left out of it. What the stores warn of is logged when
    it raises. Raises as :func:`_serving`, UsageError, and as TurnViewManager.publish."""
    system = _serving(config, options)
    warnings: list[str] = []
    try:
        graph = system.graph("project")
        try:
            view = graph.views.publish(whole_scope(agent, project))
        finally:
            warnings = [*system.surface.take_warnings(), *graph.take_warnings()]
        found = graph.views.wake(view.id)
        left = [Left(id_, reason) for id_, reason in _left_out(system, view, found).items()]
        return WakeReport(view, found, tuple(left), tuple(warnings))
    except BaseException:
        for line in warnings:
            _log.warning("%s", line)
        raise
    finally:
        system.close()


def _left_out(system: LayerSystem, view: TurnView, found: Wake) -> dict[str, str]:
    graph = system.graph("project")
    shown = {part.layer_id for part in found.sections}
    left = {id_: f"it is temporarily unavailable: {why}" for id_, why in graph.views.degraded(view.id).items()}
    for id_ in omitted_layers(view, found):
        left.setdefault(id_, "the cover budget has no room (memory.kernel.max_cover_characters)")
    for layer in graph.topology.snapshot().layers:
        card = graph.catalog.layer(layer.id)
        if layer.id in shown or layer.id in left or card is None:
            continue
        if not layer.enabled:
            left[layer.id] = "it is not enabled"
        elif "project" not in card.descriptor.capabilities:
            left[layer.id] = "it has nothing to say in a prompt"
        else:
            left[layer.id] = f"its projection is {layer.participation.projection}"
    if system.standing is not None and system.standing.dropped and RUNTIME in shown and RUNTIME not in left:
        number = system.standing.dropped
        lines = "1 line holds" if number == 1 else f"{number} lines hold"
        left[RUNTIME] = f"{lines} a credential or reads like an instruction to a model"
    return left


def snake(value: Any) -> Any:
    """A plan or receipt with the keys that ``--json`` has; inputs and outputs as they are."""
    if isinstance(value, Mapping):
        return {_snake(key): item if key in ("input", "output") else snake(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [snake(item) for item in value]
    return value


def _snake(key: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in key)
