"""Requests, proposals, plans and receipts (specs/memory-kernel.md §4).

``Json`` fields hold frozen values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.wire import NOT_ON_THE_WIRE, Wire


@dataclass(frozen=True, slots=True)
class Scope(Wire):
    storage: str = "global"
    workspace_id: str | None = None
    session_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Budget(Wire):
    """Ceilings of one request, each absent or a positive int; ``timeout_ms`` in milliseconds."""

    max_steps: int | None = None
    max_results: int | None = None
    max_tokens: int | None = None
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Request(Wire):
    """What a Surface asks for. No ``candidate_layer_ids`` means any layer, an empty tuple means none."""

    operation: str
    capability: str
    trigger: str
    scope: Scope = Scope()
    candidate_layer_ids: tuple[str, ...] | None = None
    adapter_ids: tuple[str, ...] | None = None
    budget: Budget | None = None
    input: Json = None


@dataclass(frozen=True, slots=True)
class StepProposal(Wire):
    layer_id: str
    capability: str
    adapter_id: str | None = None
    input: Json = None


@dataclass(frozen=True, slots=True)
class Proposal(Wire):
    strategy_id: str
    strategy_version: str
    reason: str
    steps: tuple[StepProposal, ...]


@dataclass(frozen=True, slots=True)
class PlanStep(Wire):
    """One authorised step; ``id`` is ``<plan id>:<1-based index>``, ``participation`` the channel's name."""

    id: str
    layer_id: str
    capability: str
    participation: str
    adapter_id: str | None = None
    input: Json = None


@dataclass(frozen=True, slots=True)
class Plan(Wire):
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
class Decision(Wire):
    """Whether one layer may be asked for one capability under one trigger; ``code`` says which rule refuses (§7)."""

    allowed: bool
    layer_id: str
    capability: str
    trigger: str
    channel: str
    mode: str
    reason: str | None = None
    code: str | None = field(default=None, metadata=NOT_ON_THE_WIRE)


@dataclass(frozen=True, slots=True)
class ReceiptStep(Wire):
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
class Receipt(Wire):
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
