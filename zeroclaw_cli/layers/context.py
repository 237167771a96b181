"""What a prompt gets of the layers (specs/memory-kernel.md §8, §12): what they recall for the latest message, and
before it what the runtime layer has in front of every prompt.

A layer has a part in it as its channels say. One that has none is told with the reason, one that fails is a
degradation: no turn fails because of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from zeroclaw_cli.errors import NotSupported, UsageError
from zeroclaw_cli.kernel.answers import Gathered
from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.limits import RUNTIME
from zeroclaw_cli.kernel.operations import ReceiptStep, Scope
from zeroclaw_cli.kernel.runtime import RuntimeGraph
from zeroclaw_cli.kernel.surface import Surface, place_of, scope_of
from zeroclaw_cli.memory.documents import ContextBlock, Degradation, LeftOut
from zeroclaw_cli.memory.requests import PromptRequest
from zeroclaw_cli.memory.types import Lane

_LONG: Final[Lane] = "long_term"
_RECALL: Final = "recall"


def context(surface: Surface, asked: PromptRequest) -> ContextBlock:
    """The block of one turn. Raises what planning ends in, and LayerNotFound and NotSupported for a layer that is named
    and cannot recall."""
    if asked.limit <= 0:
        return ContextBlock()
    graph = surface.graph(_RECALL)
    host = graph.prompt_host
    if host is None:
        raise NotSupported("no layer makes a block for a prompt", hint="pass --backend native")
    standing, failures = _standing(surface, graph, asked)
    values: dict[str, Json] = {
        "query": asked.query,
        "thread": asked.thread,
        "limit": asked.limit,
        "agent": asked.agent,
        "project": asked.project,
    }
    scope = scope_of(asked.thread, asked.agent, asked.project)
    answers, failed = surface.ask_willing(_RECALL, "context", values, scope)
    failures += [_degradation(step) for step in failed]
    block = host.admit(Gathered(asked, standing, tuple(answers), tuple(failures), graph.kernel.redact))
    if surface.layer is not None:
        return block
    places = [(answer.layer_id, answer.adapter_id) for answer in answers]
    places += [(step.layer_id, step.adapter_id) for step in failed]
    # A store has one name, whether it is a layer of its own or an adapter of another (§18).
    heard = {id_ for place in places for id_ in place if id_ is not None}
    return replace(block, left_out=(*block.left_out, *_without_part(surface, graph, heard)))


def whole_scope(agent: str | None, project: str | None) -> Scope | None:
    """The scope of an agent and project, None for neither. Raises UsageError for one that no scope can hold, in whose
    place nobody else's memory is given."""
    if agent is None and project is None:
        return None
    scope = scope_of(None, agent, project)
    for what, given, kept in (("agent", agent, scope.agent_id), ("project", project, scope.workspace_id)):
        if given and given != kept:
            raise UsageError(
                f"the {what} '{given[:100]}' is not a name of one", hint="name it without blanks around it, and shorter"
            )
    return scope


def _standing(surface: Surface, graph: RuntimeGraph, asked: PromptRequest) -> tuple[str | None, list[Degradation]]:
    """The standing document as the runtime layer's source gives it, which asks for no strategy."""
    if surface.layer is not None:
        return None, []
    taken = graph.views.snapshot(RUNTIME, whole_scope(asked.agent, asked.project))
    for line in graph.take_warnings():
        surface.warn(line)
    if taken is None:
        return None, []
    if taken.problem is not None:
        return None, [Degradation(_LONG, "unavailable", f"layer {RUNTIME}: {taken.problem}")]
    state = taken.state
    return (str(state["standing"]) if isinstance(state, dict) else ""), []


def _degradation(step: ReceiptStep) -> Degradation:
    return Degradation(_LONG, "unavailable", f"{place_of(step.layer_id, step.adapter_id)} {step.status}: {step.error}")


def _without_part(surface: Surface, graph: RuntimeGraph, heard: set[str]) -> Iterator[LeftOut]:
    """The layers that could have had a part in the block, and why they have none."""
    layers = graph.topology.snapshot().layers
    for layer in layers:
        card = graph.catalog.layer(layer.id)
        if card is None:
            continue
        reason: str | None = None
        if layer.id == RUNTIME:
            if not layer.enabled:
                reason = f"layer {layer.id} is not enabled"
            elif layer.participation.projection != "automatic":
                reason = f"its projection is {layer.participation.projection}"
        elif _RECALL in card.descriptor.capabilities and layer.id not in heard:
            holder = next((other for other in layers if layer.id in other.adapter_ids and not layer.enabled), layer)
            decision = graph.kernel.participation(holder.id, _RECALL, surface.trigger)
            reason = decision.reason or f"the strategy {graph.topology.snapshot().strategy_id} did not ask it"
        if reason is not None:
            yield LeftOut(f"memory-layer:{layer.id}", _LONG, layer.id, reason)
