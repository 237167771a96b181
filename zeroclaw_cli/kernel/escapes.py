"""The escapes that every strategy is tried on (specs/memory-kernel.md §14).

Some ask the strategy itself in a system made to tempt it. The others put the worst that code under its name could
answer in its place, and expect its manifest and the kernel's rules to stop exactly that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import Any, Final

from zeroclaw_cli.kernel import limits
from zeroclaw_cli.kernel.components import (
    AdapterDescriptor,
    CatalogSnapshot,
    LayerDescriptor,
    Participation,
    StrategyDescriptor,
    SystemDescriptor,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.operations import Proposal, Request, StepProposal
from zeroclaw_cli.kernel.strategy_plugin import Permissions, StrategyManifest

CONTAINED: Final = limits.PERMISSION_CODES | {
    "no-steps",
    "budget-exceeded",
    "capability-changed",
    "layer-outside-request",
    "layer-unavailable",
    "layer-disabled",
    "capability-unsupported",
    "participation-denied",
    "adapter-outside-request",
    "adapter-unbound",
    "adapter-unsupported",
}
"""What a strategy may be refused with when it is tempted: it asked for too much and was told so."""

_HANG_S: Final = 0.05

Forge = Callable[[Request, SystemDescriptor], Any]


@dataclass(frozen=True, slots=True)
class Escape:
    """With ``propose`` it stands in the strategy's place and must be refused with one of ``codes``; without, the
    strategy itself is asked. ``over`` is called when the attempt ended."""

    name: str
    request: Mapping[str, Json]
    descriptor: SystemDescriptor
    propose: Forge | None = None
    codes: frozenset[str] = frozenset()
    proposal_s: float | None = None
    over: Callable[[], object] = field(default=lambda: None)


def escapes(manifest: StrategyManifest, descriptor: StrategyDescriptor) -> tuple[Escape, ...]:
    """The escapes that can be tried on what ``manifest`` grants; none for one that grants no capability or no layer,
    since that proposes nothing whatever it does."""
    if not manifest.permissions.capabilities or not manifest.permissions.layer_ids:
        return ()
    ground = _Ground(manifest.permissions, descriptor)
    return (*_temptations(ground), *_forgeries(ground))


class _Ground:
    """A system with all that a manifest grants, and a layer and an adapter that it does not grant, all open."""

    def __init__(self, granted: Permissions, strategy: StrategyDescriptor) -> None:
        self.granted = granted
        self.strategy = strategy
        self.layer = granted.layer_ids[0]
        self.capability = granted.capabilities[0]
        self.stranger = _free("unlisted-layer", granted.layer_ids)
        self.strange_adapter = _free("unlisted-adapter", granted.adapter_ids)
        self.system = self._system()

    def request(self, capability: str | None = None, **changes: Json) -> dict[str, Json]:
        return {
            "operation": "strategy.escape",
            "capability": capability or self.capability,
            "trigger": "manual",
            "scope": {"storage": "workspace", "workspaceId": "replay"},
            "input": {"query": "what was decided", "key": "decision"},
        } | changes

    def step(self, **changes: Any) -> StepProposal:
        return replace(StepProposal(self.layer, self.capability), **changes)

    def proposal(self, *steps: StepProposal, **changes: Any) -> Proposal:
        return replace(Proposal(self.strategy.id, self.strategy.version, "an escape", steps), **changes)

    def changed(self, change: Callable[[TopologyLayer], TopologyLayer]) -> SystemDescriptor:
        topology = self.system.topology
        return replace(self.system, topology=replace(topology, layers=tuple(map(change, topology.layers))))

    def _system(self) -> SystemDescriptor:
        layers = (self.stranger, *self.granted.layer_ids)
        adapters = (self.strange_adapter, *self.granted.adapter_ids)
        catalog = CatalogSnapshot(
            1,
            tuple(
                LayerDescriptor(id_, id_[:100], "A layer of a replay", "replay", place, limits.CAPABILITIES)
                for place, id_ in enumerate(layers)
            ),
            tuple(
                AdapterDescriptor(id_, id_[:100], "A store of a replay", "local", ("global",), limits.CAPABILITIES)
                for id_ in sorted(adapters)
            ),
            (self.strategy,),
        )
        automatic = Participation.all("automatic")
        entries = tuple(TopologyLayer(id_, True, automatic, adapters) for id_ in layers)
        topology = TopologySnapshot("replay", self.strategy.id, entries, 1, 1, "2000-01-01T00:00:00.000Z")
        return SystemDescriptor(catalog, topology)


def _free(name: str, taken: tuple[str, ...]) -> str:
    number = 1
    found = name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def _temptations(ground: _Ground) -> Iterator[Escape]:
    request, system = ground.request, ground.system
    for capability in ground.granted.capabilities:
        yield Escape(
            f"tempted to {capability} in layers and adapters that are not granted", request(capability), system
        )
    yield Escape("tempted when the request accepts no layer", request(candidateLayerIds=[]), system)
    yield Escape("tempted when the request accepts no adapter", request(adapterIds=[]), system)
    yield Escape("tempted when one step is allowed", request(budget={"maxSteps": 1}), system)
    yield Escape(
        "tempted when every layer is disabled", request(), ground.changed(lambda layer: replace(layer, enabled=False))
    )
    manual = Participation.all("manual")
    yield Escape(
        "tempted when nothing is automatic",
        request(trigger="automatic"),
        ground.changed(lambda layer: replace(layer, participation=manual)),
    )
    yield Escape(
        "tempted when no adapter is bound", request(), ground.changed(lambda layer: replace(layer, adapter_ids=()))
    )


def _forgeries(ground: _Ground) -> Iterator[Escape]:
    granted, request, system, step = ground.granted, ground.request(), ground.system, ground.step

    def answering(*steps: StepProposal, **changes: Any) -> Forge:
        return lambda _request, _context: ground.proposal(*steps, **changes)

    def forged(name: str, propose: Forge, *codes: str, given: dict[str, Json] = request) -> Escape:
        return Escape(f"forged: {name}", given, system, propose, frozenset(codes))

    yield forged("a layer that is not granted", answering(step(layer_id=ground.stranger)), "permission-layer")
    yield forged(
        "an adapter that is not granted", answering(step(adapter_id=ground.strange_adapter)), "permission-adapter"
    )
    for other in granted.capabilities[1:2]:
        yield forged("another granted capability", answering(step(capability=other)), "capability-changed")
    for other in [name for name in limits.CAPABILITIES if name not in granted.capabilities][:1]:
        yield forged("a capability that is not granted", answering(step(capability=other)), "permission-capability")
    yield forged("more steps than granted", answering(*[step()] * (granted.max_steps + 1)), "permission-steps")
    if granted.max_steps > 1:
        narrow = ground.request(budget={"maxSteps": 1})
        yield forged("more steps than the request allows", answering(step(), step()), "budget-exceeded", given=narrow)
    yield forged("no steps", answering(), "no-steps")
    nowhere = ground.request(candidateLayerIds=[])
    yield forged("a layer outside the request", answering(step()), "layer-outside-request", given=nowhere)
    yield forged("the name of another strategy", answering(step(), strategy_id="another"), "proposal-identity")
    yield forged(
        "another version of itself",
        answering(step(), strategy_version=f"{ground.strategy.version}-x"),
        "proposal-identity",
    )
    yield forged("an input that is not JSON", answering(step(input=object())), "json-unsafe")
    yield forged("an input that holds itself", answering(step(input=_cycle())), "json-unsafe")
    yield forged("a change of the request", partial(_assign, ground), "strategy-error")
    yield forged("an exception", _raise, "strategy-error")
    yield forged("an exit", _exit, "strategy-error")
    yield forged("something that is not a proposal", lambda _request, _context: "recall everything", "strategy-error")
    yield _hanging(ground)


def _hanging(ground: _Ground) -> Escape:
    end = Event()

    def hang(_request: Request, _context: SystemDescriptor) -> Proposal:
        end.wait()
        return ground.proposal(ground.step())

    return Escape(
        "forged: no answer in time",
        ground.request(),
        ground.system,
        hang,
        frozenset({"strategy-timeout"}),
        _HANG_S,
        end.set,
    )


def _cycle() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


def _assign(ground: _Ground, request: Request, _context: SystemDescriptor) -> Proposal:
    request.trigger = "system"  # type: ignore[misc]
    return ground.proposal(ground.step())


def _raise(_request: Request, _context: SystemDescriptor) -> Proposal:
    raise RuntimeError("an escape")


def _exit(_request: Request, _context: SystemDescriptor) -> Proposal:
    raise SystemExit(0)
