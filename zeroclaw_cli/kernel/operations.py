"""Requests, proposals, plans and receipts (specs/memory-kernel.md §4).

Frozen values with ``to_json`` as in :mod:`zeroclaw_cli.kernel.components`. ``Json`` fields hold frozen values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from zeroclaw_cli.kernel.json_safe import Json, twin


@dataclass(frozen=True, slots=True)
class Scope:
    storage: str = "global"
    workspace_id: str | None = None
    session_id: str | None = None
    agent_id: str | None = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {"storage": self.storage}
        if self.workspace_id is not None:
            body["workspaceId"] = self.workspace_id
        if self.session_id is not None:
            body["sessionId"] = self.session_id
        if self.agent_id is not None:
            body["agentId"] = self.agent_id
        return body


@dataclass(frozen=True, slots=True)
class Budget:
    """Ceilings of one request, each absent or a positive int; ``timeout_ms`` in milliseconds."""

    max_steps: int | None = None
    max_results: int | None = None
    max_tokens: int | None = None
    timeout_ms: int | None = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {}
        if self.max_steps is not None:
            body["maxSteps"] = self.max_steps
        if self.max_results is not None:
            body["maxResults"] = self.max_results
        if self.max_tokens is not None:
            body["maxTokens"] = self.max_tokens
        if self.timeout_ms is not None:
            body["timeoutMs"] = self.timeout_ms
        return body


@dataclass(frozen=True, slots=True)
class Request:
    """What a Surface asks for. No ``candidate_layer_ids`` means any layer, an empty tuple means none."""

    operation: str
    capability: str
    trigger: str
    scope: Scope = Scope()
    candidate_layer_ids: tuple[str, ...] | None = None
    adapter_ids: tuple[str, ...] | None = None
    budget: Budget | None = None
    input: Json = None

    def copied(self) -> Request:
        """An equal one that shares no object which could be changed by force."""
        return Request(
            self.operation,
            self.capability,
            self.trigger,
            replace(self.scope),
            self.candidate_layer_ids,
            self.adapter_ids,
            None if self.budget is None else replace(self.budget),
            twin(self.input),
        )

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {
            "operation": self.operation,
            "capability": self.capability,
            "trigger": self.trigger,
            "scope": self.scope.to_json(),
        }
        if self.candidate_layer_ids is not None:
            body["candidateLayerIds"] = list(self.candidate_layer_ids)
        if self.adapter_ids is not None:
            body["adapterIds"] = list(self.adapter_ids)
        if self.budget is not None:
            body["budget"] = self.budget.to_json()
        if self.input is not None:
            body["input"] = self.input
        return body


@dataclass(frozen=True, slots=True)
class StepProposal:
    layer_id: str
    capability: str
    adapter_id: str | None = None
    input: Json = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {"layerId": self.layer_id, "capability": self.capability}
        if self.adapter_id is not None:
            body["adapterId"] = self.adapter_id
        if self.input is not None:
            body["input"] = self.input
        return body


@dataclass(frozen=True, slots=True)
class Proposal:
    strategy_id: str
    strategy_version: str
    reason: str
    steps: tuple[StepProposal, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "strategyId": self.strategy_id,
            "strategyVersion": self.strategy_version,
            "reason": self.reason,
            "steps": [step.to_json() for step in self.steps],
        }


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One authorised step; ``id`` is ``<plan id>:<1-based index>``, ``participation`` the channel's name."""

    id: str
    layer_id: str
    capability: str
    participation: str
    adapter_id: str | None = None
    input: Json = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {
            "id": self.id,
            "layerId": self.layer_id,
            "capability": self.capability,
            "participation": self.participation,
        }
        if self.adapter_id is not None:
            body["adapterId"] = self.adapter_id
        if self.input is not None:
            body["input"] = self.input
        return body


@dataclass(frozen=True, slots=True)
class Plan:
    """Authority to run its steps once, at the generations that it names, for the request that it holds."""

    id: str
    topology_id: str
    topology_generation: int
    catalog_generation: int
    guard_generation: int
    strategy_id: str
    strategy_version: str
    operation: str
    capability: str
    trigger: str
    scope: Scope
    request: Request
    request_digest: str
    reason: str
    created_at: str
    budget: Budget
    steps: tuple[PlanStep, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "topologyId": self.topology_id,
            "topologyGeneration": self.topology_generation,
            "catalogGeneration": self.catalog_generation,
            "guardGeneration": self.guard_generation,
            "strategyId": self.strategy_id,
            "strategyVersion": self.strategy_version,
            "operation": self.operation,
            "capability": self.capability,
            "trigger": self.trigger,
            "scope": self.scope.to_json(),
            "request": self.request.to_json(),
            "requestDigest": self.request_digest,
            "reason": self.reason,
            "createdAt": self.created_at,
            "budget": self.budget.to_json(),
            "steps": [step.to_json() for step in self.steps],
        }


@dataclass(frozen=True, slots=True)
class Allow:
    def to_json(self) -> dict[str, Json]:
        return {"kind": "allow"}


@dataclass(frozen=True, slots=True)
class Deny:
    reason: str

    def to_json(self) -> dict[str, Json]:
        return {"kind": "deny", "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether one layer may be asked for one capability under one trigger; ``code`` says which rule refuses (§7)."""

    allowed: bool
    layer_id: str
    capability: str
    trigger: str
    channel: str
    mode: str
    reason: str | None = None
    code: str | None = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {
            "allowed": self.allowed,
            "layerId": self.layer_id,
            "capability": self.capability,
            "trigger": self.trigger,
            "channel": self.channel,
            "mode": self.mode,
        }
        if self.reason is not None:
            body["reason"] = self.reason
        return body


@dataclass(frozen=True, slots=True)
class ReceiptStep:
    """What one step came to: ``output`` when it succeeded, ``error`` otherwise."""

    step_id: str
    layer_id: str
    status: str
    started_at: str
    finished_at: str
    adapter_id: str | None = None
    output: Json = None
    error: str | None = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {"stepId": self.step_id, "layerId": self.layer_id}
        if self.adapter_id is not None:
            body["adapterId"] = self.adapter_id
        body |= {"status": self.status, "startedAt": self.started_at, "finishedAt": self.finished_at}
        if self.status == "succeeded":
            body["output"] = self.output
        else:
            body["error"] = self.error
        return body


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an executed plan did; the only thing that may be reported as saved."""

    id: str
    plan_id: str
    topology_id: str
    topology_generation: int
    catalog_generation: int
    guard_generation: int
    strategy_id: str
    strategy_version: str
    operation: str
    capability: str
    status: str
    started_at: str
    finished_at: str
    steps: tuple[ReceiptStep, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "planId": self.plan_id,
            "topologyId": self.topology_id,
            "topologyGeneration": self.topology_generation,
            "catalogGeneration": self.catalog_generation,
            "guardGeneration": self.guard_generation,
            "strategyId": self.strategy_id,
            "strategyVersion": self.strategy_version,
            "operation": self.operation,
            "capability": self.capability,
            "status": self.status,
            "startedAt": self.started_at,
            "finishedAt": self.finished_at,
            "steps": [step.to_json() for step in self.steps],
        }
