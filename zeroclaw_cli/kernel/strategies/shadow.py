"""The candidate beside the active strategy, on requests that were recorded (specs/memory-kernel.md §15).

Both are asked for a plan on one frozen picture of the system. Nothing is executed, and no input is shown or kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import parsing, planning
from zeroclaw_cli.kernel.components import SystemDescriptor
from zeroclaw_cli.kernel.json_safe import Json, canonical, printable
from zeroclaw_cli.kernel.operations import Request
from zeroclaw_cli.kernel.participation import Picture
from zeroclaw_cli.kernel.planning import CheckedStep
from zeroclaw_cli.kernel.roles import Strategy

Outcome = Literal["same", "different", "candidate-error", "active-error"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("same", "different", "candidate-error", "active-error")
_MOST_REQUESTS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Planned:
    """The steps of a plan, or the code and words of why there is none."""

    steps: tuple[CheckedStep, ...] = ()
    code: str | None = None
    message: str | None = None

    def same_as(self, other: Planned) -> bool:
        return self.code is None and other.code is None and _comparable(self) == _comparable(other)

    def to_json(self) -> dict[str, Json]:
        if self.code is not None:
            return {"error": {"code": self.code, "message": self.message}}
        steps: list[Json] = []
        for step in self.steps:
            adapter = {} if step.adapter_id is None else {"adapter_id": step.adapter_id}
            steps.append({"layer_id": step.layer_id, "capability": step.capability} | adapter)
        return {"steps": steps}

    def describe(self) -> str:
        if self.code is not None:
            return f"{self.code}: {self.message}"
        return ", ".join(step.layer_id + (f"/{step.adapter_id}" if step.adapter_id else "") for step in self.steps)


@dataclass(frozen=True, slots=True)
class Compared:
    """What both made of one request; ``number`` counts from 1."""

    number: int
    request: Request
    outcome: Outcome
    active: Planned
    candidate: Planned

    def to_json(self) -> dict[str, Json]:
        return {
            "number": self.number,
            "operation": self.request.operation,
            "capability": self.request.capability,
            "trigger": self.request.trigger,
            "outcome": self.outcome,
            "active": self.active.to_json(),
            "candidate": self.candidate.to_json(),
        }


@dataclass(frozen=True, slots=True)
class ShadowReport:
    rows: tuple[Compared, ...]

    @property
    def ok(self) -> bool:
        """Whether the candidate planned everything that the active strategy did, and there was something to plan."""
        return bool(self.rows) and all(row.outcome != "candidate-error" for row in self.rows)

    @property
    def counts(self) -> dict[str, int]:
        return {outcome: sum(row.outcome == outcome for row in self.rows) for outcome in OUTCOMES}


def compare(
    requests: Iterable[Request], descriptor: SystemDescriptor, active: Strategy | None, candidate: Strategy
) -> ShadowReport:
    """Plan every request with both. Without an ``active`` strategy every row is an ``active-error``."""
    picture = Picture(descriptor)
    rows = []
    for number, request in enumerate(requests, 1):
        mine = _plan(picture, request, active)
        theirs = _plan(picture, request, candidate)
        rows.append(Compared(number, request, _outcome(mine, theirs), mine, theirs))
    return ShadowReport(tuple(rows))


def _outcome(active: Planned, candidate: Planned) -> Outcome:
    if active.code is not None:
        return "active-error"
    if candidate.code is not None:
        return "candidate-error"
    return "same" if candidate.same_as(active) else "different"


def _plan(picture: Picture, request: Request, strategy: Strategy | None) -> Planned:
    if strategy is None:
        return Planned(code="strategy-unavailable", message="the active strategy is not here")
    try:
        proposal = strategy.propose(request, picture.descriptor)
        steps = tuple(planning.dry_plan(picture, request, proposal, strategy.descriptor))
    except KernelFailure as failure:
        return Planned(code=failure.code, message=printable(failure.message))
    except Exception as error:  # noqa: BLE001 - a strategy may raise anything
        return Planned(code="strategy-error", message=printable(str(error) or type(error).__name__))
    # Planning lets such a step pass (§7), and the executor of its layer fails it.
    lost = next(
        (step.layer_id for step in steps if step.adapter_id is None and picture.layers[step.layer_id].adapters), None
    )
    if lost is not None:
        stores = ", ".join(sorted(picture.layers[lost].adapters))
        return Planned(
            code="adapter-missing",
            message=f"layer {lost} keeps its memories in {stores}, and its step names no adapter",
        )
    return Planned(steps)


def _comparable(planned: Planned) -> list[tuple[Any, ...]]:
    return [(step.layer_id, step.capability, step.adapter_id, canonical(step.input)) for step in planned.steps]


def read_requests(text: str, name: str) -> tuple[Request, ...]:
    """Requests from JSON Lines: each line a request in its wire form, or an object that holds one under ``request``, as
    a case of ``replay.jsonl`` does.

    Raises KernelFailure ``invalid-request`` that names the line of ``name``.
    """
    found: list[Request] = []
    # Not splitlines: text within JSON may hold other line breaks.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        if len(found) >= _MOST_REQUESTS:
            raise _invalid(f"{name} holds more than {_MOST_REQUESTS} requests")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise _invalid(f"{name}:{number} is not JSON") from None
        if isinstance(value, dict) and isinstance(value.get("request"), dict):
            value = value["request"]
        try:
            found.append(parsing.normalise_request(value))
        except KernelFailure as failure:
            raise _invalid(f"{name}:{number}: {failure.message}") from None
    return tuple(found)


def _invalid(what: str) -> KernelFailure:
    return KernelFailure("invalid-request", what, hint="write one request per line, as JSON")
