"""From a request to checked steps (specs/memory-kernel.md §7). Pure but for the guards and the strategy it asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import parsing
from zeroclaw_cli.kernel.catalog import RegisteredStrategy
from zeroclaw_cli.kernel.components import StrategyContext, StrategyDescriptor, SystemDescriptor
from zeroclaw_cli.kernel.json_safe import Json, freeze, freeze_measured, kind_name, printable
from zeroclaw_cli.kernel.limits import CHANNEL_OF, DEFAULT_MAX_STEPS, MAX_REASON, PERMISSION_CODES
from zeroclaw_cli.kernel.operations import Allow, Deny, PlanStep, Proposal, Request, StepProposal
from zeroclaw_cli.kernel.parsing import MeasuredRequest
from zeroclaw_cli.kernel.participation import Picture
from zeroclaw_cli.kernel.redaction import Secrets
from zeroclaw_cli.kernel.roles import GuardContext


class RegisteredGuard(NamedTuple):
    """A guard whose callable was captured when it was registered."""

    id: str
    decide: Callable[[Request, GuardContext], Any]


def registered_guard(guard: object) -> RegisteredGuard:
    """``guard``, its ``decide`` captured. Raises KernelFailure ``invalid-id`` or ``invalid-descriptor``."""
    id_ = parsing.component_id(getattr(guard, "id", None), "guard id")
    decide = getattr(guard, "decide", None)
    if not callable(decide):
        raise KernelFailure("invalid-descriptor", f"guard {id_} has no decide")
    return RegisteredGuard(id_, decide)


class CheckedStep(NamedTuple):
    """A step that holds every rule. ``height`` is how many levels of JSON lie below the root of ``input``."""

    layer_id: str
    capability: str
    adapter_id: str | None
    input: Json
    channel: str
    height: int


class Ceiling(NamedTuple):
    """What one request allows."""

    capability: str
    trigger: str
    candidates: frozenset[str] | None
    adapters: frozenset[str] | None
    max_steps: int

    @classmethod
    def of(cls, request: Request) -> Ceiling:
        """Of a normalised request."""
        budget = request.budget
        return cls(
            request.capability,
            request.trigger,
            None if request.candidate_layer_ids is None else frozenset(request.candidate_layer_ids),
            None if request.adapter_ids is None else frozenset(request.adapter_ids),
            DEFAULT_MAX_STEPS if budget is None or budget.max_steps is None else budget.max_steps,
        )


def ask_guards(guards: Sequence[RegisteredGuard], request: Request, picture: Picture, secrets: Secrets) -> None:
    """Ask each guard in order. Raises KernelFailure ``guard-denied``, ``guard-invalid`` or ``guard-error``."""
    if not guards:
        return
    context = GuardContext(picture.descriptor)
    for guard in guards:
        try:
            answer = guard.decide(request, context)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise KernelFailure(
                "guard-error",
                f"guard {guard.id} failed: {printable(secrets.describe(error))}",
                hint="nothing was planned; mend or unload the guard",
                details={"guardId": guard.id, "cause": kind_name(error)},
            ) from error
        reason = _denial(answer, guard.id)
        if reason is not None:
            shown = secrets.clean(reason)
            raise KernelFailure(
                "guard-denied",
                f"guard {guard.id} denied it: {printable(shown)}",
                details={"guardId": guard.id, "reason": shown},
            )


def _denial(answer: object, guard_id: str) -> str | None:
    """The reason of a denial, or None for an allowance."""
    kind: object = None
    reason: object = None
    if type(answer) is Allow:
        return None
    if type(answer) is Deny:
        kind, reason = "deny", answer.reason
    elif type(answer) is dict:
        kind, reason = answer.get("kind"), answer.get("reason")
    if type(kind) is str and kind == "allow":
        return None
    if type(kind) is str and kind == "deny" and type(reason) is str and reason.strip():
        return reason
    raise KernelFailure(
        "guard-invalid",
        f"guard {guard_id} answered neither allow nor deny with a reason, but a {kind_name(answer)}",
        hint="nothing was planned; a guard returns Allow() or Deny(reason)",
        details={"guardId": guard_id},
    )


def ask_strategy(
    strategy: RegisteredStrategy, request: Request, context: StrategyContext, secrets: Secrets
) -> Proposal:
    """Call ``propose`` once. Raises KernelFailure ``strategy-error``, or the refusal of a permission wrapper."""
    id_ = strategy.descriptor.id
    try:
        answer = strategy.propose(request, context)
        return parsing.proposal(answer)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, KernelFailure) and error.code in PERMISSION_CODES:
            raise
        raise KernelFailure(
            "strategy-error",
            f"strategy {id_} failed: {printable(secrets.describe(error))}",
            hint="nothing was planned; choose another strategy, or mend this one",
            details={"strategyId": id_, "cause": kind_name(error)},
        ) from error


def checked_steps(
    picture: Picture,
    ceiling: Ceiling,
    proposal: Proposal,
    strategy: StrategyDescriptor,
    measured: MeasuredRequest | None = None,
) -> list[CheckedStep]:
    """Rules 5 to 7 on a proposal of ``strategy``: all of its steps or none.

    ``measured`` is the request that the strategy was given: what a step takes over from it is frozen already.

    Raises KernelFailure ``proposal-identity``, ``no-steps``, ``budget-exceeded`` or what :func:`refuse_step` raises.
    """
    if proposal.strategy_id != strategy.id or proposal.strategy_version != strategy.version:
        raise KernelFailure(
            "proposal-identity",
            f"strategy {strategy.id} {strategy.version} proposed as "
            f"{printable(proposal.strategy_id, 128)} {printable(proposal.strategy_version, 128)}",
            details={"strategyId": strategy.id, "strategyVersion": strategy.version},
        )
    if not proposal.steps:
        reason = printable(proposal.reason, MAX_REASON) if type(proposal.reason) is str else ""
        raise KernelFailure(
            "no-steps",
            f"strategy {strategy.id} found no layer for {ceiling.capability}: {printable(reason)}",
            hint="`zeroclaw memory layers` shows what each layer takes part in",
            details={"strategyId": strategy.id, "reason": reason},
        )
    check_count(len(proposal.steps), ceiling)
    steps = []
    for index, step in enumerate(proposal.steps):
        try:
            channel = refuse_step(picture, ceiling, step)
            if step.input is None:
                frozen, height = None, 0
            elif measured is not None and step.input is measured.request.input:
                frozen, height = measured.request.input, measured.input_height
            else:
                frozen, height = freeze_measured(step.input, "input")
        except KernelFailure as failure:
            if failure.details is not None:
                failure.details["step"] = index + 1
            raise
        steps.append(CheckedStep(step.layer_id, step.capability, step.adapter_id, frozen, channel, height))
    return steps


def check_count(count: int, ceiling: Ceiling) -> None:
    """Raise KernelFailure ``budget-exceeded`` for more steps than the request allows."""
    if count > ceiling.max_steps:
        raise KernelFailure(
            "budget-exceeded",
            f"{count} steps are more than the request's {ceiling.max_steps}",
            hint="name fewer layers, or raise maxSteps of the budget",
            details={"steps": count, "maxSteps": ceiling.max_steps},
        )


def refuse_step(picture: Picture, ceiling: Ceiling, step: StepProposal | PlanStep) -> str:
    """Rules 7a to 7g on one step; gives the participation channel.

    Raises KernelFailure ``capability-changed``, ``layer-outside-request``, ``layer-unavailable``, ``layer-disabled``,
    ``capability-unsupported``, ``participation-denied``, ``adapter-outside-request``, ``adapter-unbound`` or
    ``adapter-unsupported``.
    """
    layer_id, capability, adapter_id = step.layer_id, step.capability, step.adapter_id
    if capability != ceiling.capability:
        shown = printable(capability, 128)
        raise KernelFailure(
            "capability-changed",
            f"a step does {shown}, the request asks for {ceiling.capability}",
            details={"capability": shown, "requested": ceiling.capability},
        )
    if ceiling.candidates is not None and layer_id not in ceiling.candidates:
        shown = printable(layer_id, 128)
        raise KernelFailure(
            "layer-outside-request",
            f"layer {shown} is not among those that the request names",
            details={"layerId": shown},
        )
    code = picture.refusal(layer_id, capability, ceiling.trigger)
    if code is not None:
        raise picture.failure(code, layer_id, capability, ceiling.trigger)
    if adapter_id is not None:
        _refuse_adapter(picture, ceiling, layer_id, adapter_id)
    return CHANNEL_OF[capability]


def _refuse_adapter(picture: Picture, ceiling: Ceiling, layer_id: str, adapter_id: str) -> None:
    shown = printable(adapter_id, 128)
    details: dict[str, Any] = {"layerId": layer_id, "adapterId": shown}
    if ceiling.adapters is not None and adapter_id not in ceiling.adapters:
        raise KernelFailure(
            "adapter-outside-request", f"adapter {shown} is not among those that the request names", details=details
        )
    if adapter_id not in picture.layers[layer_id].adapters:
        raise KernelFailure("adapter-unbound", f"adapter {shown} is not bound to layer {layer_id}", details=details)
    if ceiling.capability not in picture.adapters.get(adapter_id, frozenset()):
        bound = sorted(picture.layers[layer_id].adapters)
        able = [id_ for id_ in bound if ceiling.capability in picture.adapters.get(id_, frozenset())]
        raise KernelFailure(
            "adapter-unsupported",
            f"adapter {shown} does not do {ceiling.capability}",
            hint=f"of those bound to {layer_id} these do: {', '.join(able)}"
            if able
            else f"none of those bound to {layer_id} does ({', '.join(bound)}); `zeroclaw memory layers` shows what "
            "each of them does",
            details=details,
        )


def checked_reason(reason: object) -> str:
    """The proposal's reason, 1 to 4,000 characters. Raises KernelFailure ``strategy-error`` or ``json-unsafe``."""
    if type(reason) is not str or not 1 <= len(reason) <= MAX_REASON:
        raise KernelFailure("strategy-error", f"the reason of a proposal must be text of 1 to {MAX_REASON} characters")
    return str(freeze(reason, "reason"))


def dry_plan(
    descriptor: SystemDescriptor | Mapping[str, Any] | Picture,
    request: Request | Mapping[str, Any],
    proposal: Proposal | Mapping[str, Any],
    strategy: StrategyDescriptor,
) -> list[CheckedStep]:
    """The kernel's rules 5 to 7 and 9 on a proposal for a descriptor that no kernel holds; for replay and shadow.

    Raises what :func:`checked_steps`, :func:`checked_reason` and the normalising of the request raise.
    """
    picture = descriptor if isinstance(descriptor, Picture) else Picture(parsing.system_descriptor(descriptor))
    found = parsing.proposal(proposal)
    steps = checked_steps(picture, Ceiling.of(parsing.normalise_request(request)), found, strategy)
    checked_reason(found.reason)
    return steps
