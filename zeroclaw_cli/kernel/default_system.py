"""The default three-tier system: layers, topology and strategy (specs/memory-kernel.md §11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from zeroclaw_cli.kernel import limits
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.components import (
    LayerDescriptor,
    Participation,
    StrategyContext,
    StrategyDescriptor,
    TopologyDefinition,
    TopologyLayer,
)
from zeroclaw_cli.kernel.contracts import Dispose
from zeroclaw_cli.kernel.limits import CHANNEL_OF, DEFAULT_STRATEGY_ID, DEFAULT_TOPOLOGY_ID
from zeroclaw_cli.kernel.operations import Proposal, Request, StepProposal
from zeroclaw_cli.kernel.participation import accepts
from zeroclaw_cli.kernel.roles import Executor, Layer

RUNTIME: Final = LayerDescriptor(
    limits.RUNTIME,
    "Runtime",
    "What every prompt should have in front of it: the standing notes and the pinned memories.",
    "working-context",
    100,
    ("status", "project", "read", "write", "maintain", "export", "import"),
)
DOCUMENTS: Final = LayerDescriptor(
    limits.DOCUMENTS,
    "Documents",
    "Longer texts: notes, logs and transcripts, each under a path.",
    "narrative",
    200,
    (
        "status",
        "project",
        "recall",
        "search",
        "read",
        "browse",
        "write",
        "archive",
        "maintain",
        "export",
        "import",
    ),
)
MEMORY_SPACES: Final = LayerDescriptor(
    limits.MEMORY_SPACES,
    "Memory spaces",
    "Single memories under keys, in the built-in store and in the stores that are bound to it.",
    "durable-evidence",
    300,
    (
        "status",
        "project",
        "recall",
        "search",
        "read",
        "browse",
        "write",
        "graph",
        "related",
        "link",
        "forget",
        "maintain",
        "export",
        "import",
    ),
)
DEFAULT_LAYERS: Final = (RUNTIME, DOCUMENTS, MEMORY_SPACES)
DEFAULT_TOPOLOGY: Final = TopologyDefinition(
    DEFAULT_TOPOLOGY_ID,
    DEFAULT_STRATEGY_ID,
    tuple(TopologyLayer(layer.id, True, Participation.all("automatic")) for layer in DEFAULT_LAYERS),
)
DEFAULT_STRATEGY: Final = StrategyDescriptor(
    DEFAULT_STRATEGY_ID,
    "1",
    "Default three tiers",
    "Every enabled layer that can and may, in the order of the topology.",
    ("placement", "retrieval-planning", "projection", "maintenance"),
    True,
)


@dataclass(frozen=True, slots=True)
class DefaultStrategy:
    """One step for each layer that accepts the request, or for each adapter bound to it that does what is asked.
    Never raises."""

    descriptor: StrategyDescriptor = field(default=DEFAULT_STRATEGY)

    def propose(self, request: Request, context: StrategyContext) -> Proposal:
        steps = tuple(_steps(request, context))
        layers = ", ".join(dict.fromkeys(step.layer_id for step in steps)) or "no layer"
        reason = f"{request.capability} under the trigger {request.trigger}: {layers}"
        return Proposal(self.descriptor.id, self.descriptor.version, reason, steps)


def _steps(request: Request, context: StrategyContext) -> Iterator[StepProposal]:
    declared = {layer.id: layer.capabilities for layer in context.catalog.layers}
    able = {adapter.id for adapter in context.catalog.adapters if request.capability in adapter.capabilities}
    channel = CHANNEL_OF[request.capability]
    for layer in context.topology.layers:
        if (
            not layer.enabled
            or request.capability not in declared.get(layer.id, ())
            or (request.candidate_layer_ids is not None and layer.id not in request.candidate_layer_ids)
            or not accepts(layer.participation.mode(channel), request.trigger)
        ):
            continue
        wanted = request.adapter_ids
        bound: list[str | None] = [id_ for id_ in layer.adapter_ids if wanted is None or id_ in wanted]
        # One store that cannot do it takes nothing from those that can. Where none can, the kernel says so (7g).
        chosen = [id_ for id_ in bound if id_ in able] or bound
        for adapter_id in chosen or [None]:
            yield StepProposal(layer.id, request.capability, adapter_id, request.input)


def default_three_tier(catalog: MemoryCatalog, executors: Mapping[str, Executor]) -> Dispose:
    """Register the three layers, with their executors by layer id, and the strategy; what is returned undoes it.

    A layer without an executor can be planned, and its steps fail. Raises as the catalog does, with nothing left
    registered.
    """
    disposers: list[Callable[[], None]] = []

    def dispose() -> None:
        while disposers:
            disposers.pop()()

    try:
        for layer in DEFAULT_LAYERS:
            disposers.append(catalog.register_layer(Layer(layer, executors.get(layer.id))))
        disposers.append(catalog.register_strategy(DefaultStrategy()))
    except BaseException:
        dispose()
        raise
    return dispose
