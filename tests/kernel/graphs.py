"""Runtime graphs for tests of the kernel: three layers that do everything, and a strategy made from a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.contracts import (
    AdapterDescriptor,
    Allow,
    Deny,
    ExecutionContext,
    GuardContext,
    Layer,
    LayerDescriptor,
    Participation,
    PlanStep,
    Proposal,
    Receipt,
    Request,
    Scope,
    StepProposal,
    StrategyContext,
    StrategyDescriptor,
    TopologyDefinition,
    TopologyLayer,
)
from zeroclaw_cli.kernel.kernel import MemoryKernel
from zeroclaw_cli.kernel.limits import CAPABILITIES
from zeroclaw_cli.kernel.topology import TopologyManager

Propose = Callable[[Request, StrategyContext], Any]
TEST_STRATEGY = StrategyDescriptor("test-strategy", "1", "Test", "For tests", ("placement",), True)
LAYERS = ("runtime", "documents", "memory-spaces")


class Clock:
    """One second later at every look."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        with self._lock:
            self._now += timedelta(seconds=1)
            return self._now


class Ids:
    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0

    def __call__(self) -> str:
        with self._lock:
            self._count += 1
            return f"id-{self._count}"


def layer_descriptor(id_: str, capabilities: Iterable[str] = CAPABILITIES, order: float = 100) -> LayerDescriptor:
    return LayerDescriptor(id_, id_.title(), f"The layer {id_}", "some-role", order, tuple(capabilities))


def adapter_descriptor(id_: str, capabilities: Iterable[str] = CAPABILITIES) -> AdapterDescriptor:
    return AdapterDescriptor(id_, id_.title(), f"The store {id_}", "local", ("workspace",), tuple(capabilities))


def one_step_each(request: Request, context: StrategyContext) -> Proposal:
    """A step for every enabled layer that the request accepts."""
    steps = tuple(
        StepProposal(layer.id, request.capability, None, request.input)
        for layer in context.topology.layers
        if layer.enabled and (request.candidate_layer_ids is None or layer.id in request.candidate_layer_ids)
    )
    return Proposal("test-strategy", "1", "one step for each enabled layer", steps)


def proposing(*steps: StepProposal, **changes: Any) -> Propose:
    """A strategy function that always proposes these steps."""
    fields: dict[str, Any] = {"strategy_id": "test-strategy", "strategy_version": "1", "reason": "as the test says"}
    fields |= {"steps": tuple(steps)} | changes
    return lambda request, context: Proposal(**fields)


@dataclass
class FunctionStrategy:
    function: Propose
    descriptor: StrategyDescriptor = TEST_STRATEGY
    calls: int = 0

    def propose(self, request: Request, context: StrategyContext) -> Any:
        self.calls += 1
        return self.function(request, context)


@dataclass
class FunctionGuard:
    id: str
    function: Callable[[Request, GuardContext], Any] = lambda request, context: Allow()
    calls: list[Request] = field(default_factory=list)

    def decide(self, request: Request, context: GuardContext) -> Any:
        self.calls.append(request)
        return self.function(request, context)


def denying(id_: str, reason: str = "because") -> FunctionGuard:
    return FunctionGuard(id_, lambda request, context: Deny(reason))


class Graph:
    """A catalog with three layers, a topology that enables them on every channel, and a kernel.

    ``executed`` lists the steps whose executor ran; ``executors`` holds the function of each layer and is looked up
    when the step runs.
    """

    def __init__(
        self,
        propose: Propose = one_step_each,
        *,
        modes: str = "automatic",
        default_timeout_ms: int = 10_000,
        topology_class: type[TopologyManager] = TopologyManager,
    ) -> None:
        self.clock = Clock()
        self.executed: list[PlanStep] = []
        self.executors: dict[str, Callable[[PlanStep, ExecutionContext], Any]] = {}
        self.receipts: list[Receipt] = []
        self.catalog = MemoryCatalog()
        self.dispose_layer = {
            id_: self.catalog.register_layer(Layer(layer_descriptor(id_, order=place), self.execute))
            for place, id_ in enumerate(LAYERS)
        }
        self.strategy = FunctionStrategy(propose)
        self.dispose_strategy = self.catalog.register_strategy(self.strategy)
        self.topology = topology_class(self.catalog, definition(modes), now=self.clock)
        self.kernel = MemoryKernel(
            self.catalog,
            self.topology,
            now=self.clock,
            new_id=Ids(),
            receipt_sink=self.receipts.append,
            default_timeout_ms=default_timeout_ms,
        )

    def execute(self, step: PlanStep, context: ExecutionContext) -> Any:
        self.executed.append(step)
        function = self.executors.get(step.layer_id)
        return {"layer": step.layer_id} if function is None else function(step, context)


def definition(modes: str = "automatic", layers: Iterable[str] = LAYERS) -> TopologyDefinition:
    return TopologyDefinition(
        "test-topology",
        "test-strategy",
        tuple(TopologyLayer(id_, True, Participation.all(modes)) for id_ in layers),
    )


def asking(capability: str = "recall", **changes: Any) -> Request:
    fields: dict[str, Any] = {
        "operation": f"memory.{capability}",
        "capability": capability,
        "trigger": "manual",
        "scope": Scope("workspace", workspace_id="/project"),
        "input": {"query": "what was decided"},
    }
    return Request(**(fields | changes))


def altered(value: Any, **changes: Any) -> Any:
    """``replace`` that may break the types of the fields."""
    return replace(value, **changes)
