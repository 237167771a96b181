"""Which function of a backend serves a recall, and what it found (cli.md, memory)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zeroclaw_cli.backends import as_layered, as_native
from zeroclaw_cli.errors import NotSupported
from zeroclaw_cli.memory.protocol import Memory, recall_in_namespace
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.operations.agents import Agent


@dataclass(frozen=True, slots=True)
class RecallRequest:
    query: str = ""
    limit: int = 10
    session_id: str | None = None
    since: str | None = None
    until: str | None = None
    namespace: str | None = None
    agents: tuple[Agent, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """What recall found. ``maybe_hidden``: rows beyond what was asked of the backend may match too. ``explanations``
    has one item per entry when they were asked for: the object that ``--explain`` prints, None for an entry that no
    query chose."""

    entries: list[Entry]
    maybe_hidden: bool = False
    explanations: tuple[Mapping[str, Any] | None, ...] | None = None


def recall(memory: Memory, request: RecallRequest) -> Recalled:
    """Recall through the function that fits what is asked; never more than the limit."""
    if as_layered(memory) is not None:
        return _of_layers(memory, request, explain=False)
    agents = _resolved(memory, request)
    rest = (request.query, request.limit, request.session_id, request.since, request.until)
    if agents and request.namespace is not None:
        if as_native(memory) is not None:
            # The built-in store chooses by both at once, so that nothing is hidden.
            return Recalled(explain(memory, request).entries)
        entries, maybe_hidden = recall_in_namespace(memory, request.namespace, agents, *rest)
        return Recalled(entries[: request.limit], maybe_hidden)
    if agents:
        entries = memory.recall_for_agents(agents, *rest)
    elif request.namespace is not None:
        entries = memory.recall_namespaced(request.namespace, *rest)
    else:
        entries = memory.recall(*rest)
    return Recalled(entries[: request.limit])


def explain(memory: Memory, request: RecallRequest) -> Recalled:
    """As :func:`recall`, with how each score came about (specs/recall-ranking.md). Raises NotSupported."""
    if as_layered(memory) is not None:
        return _of_layers(memory, request, explain=True)
    native = as_native(memory)
    if native is None:
        raise NotSupported(
            f"{memory.name} does not tell how it ranks",
            hint="leave out --explain; the built-in store explains itself (--backend native)",
        )
    found = native.recall_explained(
        request.query,
        request.limit,
        agents=_resolved(memory, request),
        namespace=request.namespace,
        session_id=request.session_id,
        since=request.since,
        until=request.until,
    )
    return Recalled(
        [item.entry for item in found],
        explanations=tuple(None if item.explanation is None else item.explanation.to_json() for item in found),
    )


def _of_layers(memory: Memory, request: RecallRequest, *, explain: bool) -> Recalled:
    layered = as_layered(memory)
    assert layered is not None
    asked = {
        "query": request.query,
        "limit": request.limit,
        "session_id": request.session_id,
        "since": request.since,
        "until": request.until,
        "namespace": request.namespace,
        "agents": [agent.to_json() for agent in request.agents] or None,
        "explain": explain or None,
    }
    entries, hidden, explanations = layered.find(asked)
    return Recalled(list(entries), hidden, None if explanations is None else tuple(explanations))


def _resolved(memory: Memory, request: RecallRequest) -> list[str]:
    return [found for agent in request.agents if (found := agent.resolve(memory)) is not None]
