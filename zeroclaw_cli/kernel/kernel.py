"""The kernel: guards, planning, plan issue, execution and receipts (specs/memory-kernel.md §7, §9)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Lock
from typing import Any, Final, NamedTuple

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import planning
from zeroclaw_cli.kernel.cancel import CancelToken
from zeroclaw_cli.kernel.catalog import MemoryCatalog, RegisteredStrategy, Registrations
from zeroclaw_cli.kernel.clock import random_id, stamp, utc_now, utc_stamp
from zeroclaw_cli.kernel.components import SystemDescriptor, TopologySnapshot
from zeroclaw_cli.kernel.contracts import Dispose
from zeroclaw_cli.kernel.execution import BoundStep, Clockwork, receipt, run_steps
from zeroclaw_cli.kernel.json_safe import Json, digest, freeze, kind_name
from zeroclaw_cli.kernel.limits import (
    DEFAULT_MAX_STEPS,
    DEFAULT_TIMEOUT_MS,
    MAX_DEPTH,
    MAX_OUTSTANDING_PLANS,
    MAX_TIMEOUT_MS,
)
from zeroclaw_cli.kernel.operations import Budget, Decision, Plan, PlanStep, Receipt, Request
from zeroclaw_cli.kernel.parsing import MeasuredRequest, measured_request, normalise_request
from zeroclaw_cli.kernel.participation import Picture
from zeroclaw_cli.kernel.planning import Ceiling, CheckedStep, RegisteredGuard
from zeroclaw_cli.kernel.redaction import Secrets
from zeroclaw_cli.kernel.roles import ExecutionContext, Guard, ReceiptSink
from zeroclaw_cli.kernel.topology import TopologyManager

_log: Final = logging.getLogger(__name__)


class Generations(NamedTuple):
    """The counters of §6 as of one moment."""

    catalog: int
    topology: int
    guard: int


class _Issued(NamedTuple):
    """What is known of a plan that was handed out."""

    digest: str
    request_digest: str
    ceiling: Ceiling


class _Claim(NamedTuple):
    """What a claimed plan runs with."""

    plan: Plan
    steps: list[BoundStep]
    topology: TopologySnapshot


class MemoryKernel:
    """The control plane of one runtime graph. Thread-safe; no lock is held while foreign code runs.

    ``now`` gives times with a zone, ``new_id`` ids that do not repeat; ``receipt_sink`` gets every receipt first.
    ``default_timeout_ms`` limits an execution whose request has no ``timeoutMs``.
    """

    def __init__(
        self,
        catalog: MemoryCatalog,
        topology: TopologyManager,
        *,
        now: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = random_id,
        receipt_sink: ReceiptSink | None = None,
        default_timeout_ms: int = DEFAULT_TIMEOUT_MS,
    ) -> None:
        if topology.catalog is not catalog:
            raise ValueError("the topology belongs to another catalog")
        if type(default_timeout_ms) is not int or not 1 <= default_timeout_ms <= MAX_TIMEOUT_MS:
            raise ValueError(f"default_timeout_ms must be an integer from 1 to {MAX_TIMEOUT_MS}")
        self.catalog = catalog
        self.topology = topology
        self._moment: Callable[[], str] = utc_stamp if now is utc_now else lambda: stamp(now())
        self._new_id = new_id
        self._default_timeout_ms = default_timeout_ms
        self._secrets = Secrets()
        self._clockwork = Clockwork(self._stamp, self._secrets)
        # Guards, sinks and issued plans. Taken after the catalog's lock where both are needed, never before.
        self._lock = Lock()
        self._guards: Registrations[RegisteredGuard] = Registrations("guard")
        self._guard_generation = 0
        self._sinks: dict[object, ReceiptSink] = {} if receipt_sink is None else {object(): receipt_sink}
        self._issued: dict[str, _Issued] = {}

    def descriptor(self) -> SystemDescriptor:
        """Catalog and topology as of one moment."""
        return self.topology.descriptor()

    def generations(self) -> Generations:
        """The three counters that a plan is bound to."""
        with self.catalog.lock:
            catalog, topology = self.topology.generations()
            with self._lock:
                return Generations(catalog, topology, self._guard_generation)

    @property
    def outstanding(self) -> int:
        """How many plans are issued and not claimed."""
        with self._lock:
            return len(self._issued)

    def register_guard(self, guard: Guard) -> Dispose:
        """Ask ``guard`` from now on, after those that are registered. Raises KernelFailure ``invalid-id``,
        ``duplicate-id`` or ``invalid-descriptor``."""
        found = planning.registered_guard(guard)
        with self._lock:
            mark = self._guards.add(found.id, found)
            self._guard_generation += 1

        def dispose() -> None:
            with self._lock:
                if self._guards.remove(found.id, mark):
                    self._guard_generation += 1

        return dispose

    def register_receipt_sink(self, sink: ReceiptSink) -> Dispose:
        """Hand every later receipt to ``sink``, after those that are registered."""
        key = object()
        with self._lock:
            self._sinks[key] = sink

        def dispose() -> None:
            with self._lock:
                self._sinks.pop(key, None)

        return dispose

    def register_secret(self, value: str) -> Dispose:
        """Keep ``value`` out of every error text. Raises ValueError for an empty one."""
        return self._secrets.add(value)

    def redact(self, text: str) -> str:
        """``text`` without registered secrets."""
        return self._secrets.redact(text)

    def describe(self, error: BaseException) -> str:
        """The message of ``error``, or its type when it has none, without registered secrets: at most 2,000
        characters that UTF-8 can write."""
        return self._secrets.describe(error)

    def participation(self, layer_id: str, capability: str, trigger: str) -> Decision:
        """What the rules 7c to 7f say of one layer, for a Surface that must know before it acts."""
        return self.topology.picture().decide(layer_id, capability, trigger)

    def allows(self, layer_id: str, capability: str, trigger: str) -> bool:
        return self.participation(layer_id, capability, trigger).allowed

    def assert_participation(self, layer_id: str, capability: str, trigger: str) -> Decision:
        """:meth:`participation`, but a refusal is a KernelFailure with the code of its rule."""
        picture = self.topology.picture()
        decision = picture.decide(layer_id, capability, trigger)
        if decision.code is not None:
            raise picture.failure(decision.code, layer_id, capability, trigger)
        return decision

    def plan(self, request: Request | Mapping[str, Any]) -> Plan:
        """Authority for the steps that the active strategy proposes, or the first KernelFailure of §7."""
        plan, ceiling = self._authorise(request, digest)
        issued = _Issued(digest(plan.to_json()), plan.request_digest, ceiling)
        with self._lock:
            self._issued[plan.id] = issued
            if len(self._issued) > MAX_OUTSTANDING_PLANS:
                del self._issued[next(iter(self._issued))]
        return plan

    def _authorise(self, request: Request | Mapping[str, Any], mark: Callable[[Json], str]) -> tuple[Plan, Ceiling]:
        """The plan, whose ``request_digest`` is what ``mark`` makes of the request, and what the request allows."""
        measured = measured_request(request)
        ceiling = Ceiling.of(measured.request)
        request_digest = mark(measured.request.to_json())
        with self.catalog.lock:
            picture, strategy = self.topology.active()
            with self._lock:
                guards, guard_generation = self._guards.values(), self._guard_generation
        if strategy is None:
            raise _no_strategy(picture)
        before = Generations(picture.catalog_generation, picture.topology_generation, guard_generation)
        planning.ask_guards(guards, measured.request, picture, self._secrets)
        proposal = planning.ask_strategy(strategy, measured.request, picture.descriptor, self._secrets)
        steps = planning.checked_steps(picture, ceiling, proposal, strategy.descriptor, measured)
        after = self.generations()
        if after != before:
            raise KernelFailure(
                "inputs-changed",
                "the system changed while the request was planned",
                hint="plan again",
                details={"before": before._asdict(), "after": after._asdict()},
            )
        reason = planning.checked_reason(proposal.reason)
        plan = self._assemble(picture, guard_generation, strategy, measured, request_digest, reason, steps)
        return plan, ceiling

    def _assemble(
        self,
        picture: Picture,
        guard_generation: int,
        strategy: RegisteredStrategy,
        measured: MeasuredRequest,
        request_digest: str,
        reason: str,
        steps: list[CheckedStep],
    ) -> Plan:
        request = measured.request
        # The request lies one level below the plan's root, the input of a step three.
        if max(1 + measured.height, 3 + max(step.height for step in steps)) > MAX_DEPTH:
            raise KernelFailure(
                "json-unsafe", f"the plan would be nested deeper than {MAX_DEPTH} levels", hint="pass a flatter input"
            )
        id_ = self._new_id()
        budget = request.budget or Budget()
        return Plan(
            id_,
            picture.topology_id,
            picture.topology_generation,
            picture.catalog_generation,
            guard_generation,
            strategy.descriptor.id,
            strategy.descriptor.version,
            request.operation,
            request.capability,
            request.trigger,
            request.scope,
            request,
            request_digest,
            reason,
            self._moment(),
            Budget(budget.max_steps or DEFAULT_MAX_STEPS, budget.max_results, budget.max_tokens, budget.timeout_ms),
            tuple(
                PlanStep(f"{id_}:{index}", step.layer_id, step.capability, step.channel, step.adapter_id, step.input)
                for index, step in enumerate(steps, 1)
            ),
        )

    def execute(
        self,
        plan: Plan | Mapping[str, Any],
        request: Request | Mapping[str, Any],
        cancel: CancelToken | None = None,
    ) -> Receipt:
        """Run a plan once and give its receipt. ``cancel`` belongs to this execution: its deadline cancels it.

        Raises the KernelFailure of §9 before anything is called and without using the plan up; after that there is
        always a receipt. KeyboardInterrupt goes on when the sinks have the receipt.
        """
        issued, body = self._recognised(plan)
        authorised = normalise_request(request)
        if digest(authorised.to_json()) != issued.request_digest:
            raise KernelFailure("request-mismatch", "the plan was made for another request", hint="plan this request")
        return self._carry_out(_rebuilt(body, authorised), issued.ceiling, issued, cancel)

    def run(self, request: Request | Mapping[str, Any], cancel: CancelToken | None = None) -> Receipt:
        """Plan and execute, without planning again when something changed in between.

        The plan stays inside, so that what :meth:`execute` asks about a plan from outside needs no asking.
        """
        # Nobody can ask what the digest of its request is, either.
        plan, ceiling = self._authorise(request, lambda body: "")
        return self._carry_out(plan, ceiling, None, cancel)

    def _carry_out(self, plan: Plan, ceiling: Ceiling, issued: _Issued | None, cancel: CancelToken | None) -> Receipt:
        # Before the claim: what fails here must not leave work without its receipt.
        if cancel is not None and not isinstance(cancel, CancelToken):
            raise KernelFailure("invalid-request", f"cancel is a {kind_name(cancel)}", hint="pass a CancelToken")
        id_ = self._new_id()
        claim = self._claim(plan, ceiling, issued)
        started = self._stamp()
        timeout_ms = plan.budget.timeout_ms or self._default_timeout_ms
        context = ExecutionContext(plan.id, claim.topology, plan.request, CancelToken() if cancel is None else cancel)
        results, interrupted = run_steps(claim.steps, context, timeout_ms, self._clockwork)
        found = receipt(id_, plan, started, self._stamp(), results)
        if self._deliver(found) or interrupted:
            raise KeyboardInterrupt
        return found

    def _stamp(self) -> str:
        """The time of the kernel's clock. One that fails when work is done already must not take its receipt away."""
        try:
            return self._moment()
        except Exception:  # noqa: BLE001
            _log.exception("the clock of the kernel failed")
            return utc_stamp()

    def _recognised(self, plan: object) -> tuple[_Issued, Mapping[str, Json]]:
        """What is known of the plan, and a frozen copy of ``plan`` that is as it was issued."""
        id_ = plan.get("id") if isinstance(plan, Mapping) else getattr(plan, "id", None)
        with self._lock:
            issued = self._issued.get(id_) if type(id_) is str else None
        if issued is None:
            raise _unknown_plan()
        try:
            body = freeze(plan.to_json() if isinstance(plan, Plan) else plan, "plan")
        except Exception as error:
            text = error.message if isinstance(error, KernelFailure) else kind_name(error)
            raise KernelFailure("plan-invalid", f"the plan is not JSON-safe: {text}") from error
        if digest(body) != issued.digest:
            raise KernelFailure(
                "plan-altered", "the plan is not as it was issued", hint="plan again and pass the plan unchanged"
            )
        return issued, body

    def _claim(self, plan: Plan, ceiling: Ceiling, issued: _Issued | None) -> _Claim:
        """Check the plan against the system of this moment, bind its executors and use it up.

        ``issued`` is what was remembered of it, None for a plan that was never handed out.
        """
        with self.catalog.lock:
            picture, strategy = self.topology.active()
            self._refuse_stale(plan)
            _refuse_identity(plan, picture, strategy)
            planning.check_count(len(plan.steps), ceiling)
            steps = []
            for step in plan.steps:
                if planning.refuse_step(picture, ceiling, step) != step.participation:
                    raise KernelFailure("participation-denied", f"the channel of step {step.id} changed")
                layer = self.catalog.layer(step.layer_id)
                steps.append(BoundStep(step, None if layer is None else layer.execute))
            with self._lock:
                if issued is not None and self._issued.get(plan.id) is not issued:
                    raise _unknown_plan()
                if self._guard_generation != plan.guard_generation:
                    raise _stale_guards()
                if issued is not None:
                    del self._issued[plan.id]
        return _Claim(plan, steps, picture.descriptor.topology)

    def _refuse_stale(self, plan: Plan) -> None:
        now = self.generations()
        if (now.catalog, now.topology) != (plan.catalog_generation, plan.topology_generation):
            raise KernelFailure(
                "stale-generation",
                "the catalog or the topology changed since the plan was made",
                hint="plan the request again",
                details={
                    "planned": {"catalog": plan.catalog_generation, "topology": plan.topology_generation},
                    "now": {"catalog": now.catalog, "topology": now.topology},
                },
            )
        if now.guard != plan.guard_generation:
            raise _stale_guards()

    def _deliver(self, found: Receipt) -> bool:
        """Give every sink the receipt. True when Ctrl-C came meanwhile."""
        with self._lock:
            sinks = tuple(self._sinks.values())
        interrupted = False
        for sink in sinks:
            try:
                sink(found)
            except KeyboardInterrupt:
                interrupted = True
            except BaseException:  # noqa: BLE001
                # The data-plane work is done; a sink must not make it look undone.
                _log.exception("a receipt sink failed on receipt %s", found.id)
        return interrupted


def _rebuilt(body: Mapping[str, Json], request: Request) -> Plan:
    """The plan of a frozen body that is as it was issued, for a request that is what it was made for."""
    budget = body["budget"]
    return Plan(
        body["id"],
        body["topologyId"],
        body["topologyGeneration"],
        body["catalogGeneration"],
        body["guardGeneration"],
        body["strategyId"],
        body["strategyVersion"],
        request.operation,
        request.capability,
        request.trigger,
        request.scope,
        request,
        body["requestDigest"],
        body["reason"],
        body["createdAt"],
        Budget(budget["maxSteps"], budget.get("maxResults"), budget.get("maxTokens"), budget.get("timeoutMs")),
        tuple(
            PlanStep(
                step["id"],
                step["layerId"],
                step["capability"],
                step["participation"],
                step.get("adapterId"),
                step.get("input"),
            )
            for step in body["steps"]
        ),
    )


def _no_strategy(picture: Picture) -> KernelFailure:
    return KernelFailure(
        "strategy-unavailable",
        f"the active strategy {picture.strategy_id} is not registered",
        hint="set memory.topology.strategy_id to a strategy that is, or load its extension",
        details={"strategyId": picture.strategy_id},
    )


def _unknown_plan() -> KernelFailure:
    return KernelFailure(
        "plan-unknown", "the plan was not issued here, or was executed or forgotten", hint="plan the request again"
    )


def _stale_guards() -> KernelFailure:
    return KernelFailure("stale-guards", "the guards changed since the plan was made", hint="plan the request again")


def _refuse_identity(plan: Plan, picture: Picture, strategy: RegisteredStrategy | None) -> None:
    found = None if strategy is None else (strategy.descriptor.id, strategy.descriptor.version)
    if picture.topology_id != plan.topology_id or found != (plan.strategy_id, plan.strategy_version):
        raise KernelFailure(
            "identity-mismatch",
            "the plan was made under another topology or strategy",
            hint="plan the request again",
            details={"topologyId": picture.topology_id, "strategyId": None if found is None else found[0]},
        )
