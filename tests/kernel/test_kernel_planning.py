"""The planning pipeline: specs/memory-kernel.md §7. Order is normative, and the first failure is the one reported."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any, cast

import pytest

from tests.kernel.graphs import (
    FunctionGuard,
    FunctionStrategy,
    Graph,
    Propose,
    adapter_descriptor,
    asking,
    denying,
    layer_descriptor,
    one_step_each,
    proposing,
)
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.contracts import (
    Allow,
    Budget,
    Deny,
    Plan,
    PlanStep,
    Proposal,
    Request,
    StepProposal,
    StrategyContext,
    StrategyDescriptor,
)
from zeroclaw_cli.kernel.json_safe import digest
from zeroclaw_cli.kernel.planning import dry_plan


def step(layer: Any = "documents", capability: Any = "recall", adapter: Any = None, input: Any = None) -> StepProposal:
    return StepProposal(layer, capability, adapter, input)


def refused(graph: Graph, request: Any = None) -> KernelFailure:
    before = graph.kernel.outstanding
    with pytest.raises(KernelFailure) as caught:
        graph.kernel.plan(asking() if request is None else request)
    assert graph.kernel.outstanding == before
    assert not graph.executed
    json.dumps(caught.value.to_json())
    caught.value.message.encode()
    return caught.value


def test_a_plan_says_what_it_is_bound_to() -> None:
    graph = Graph(proposing(step(input={"a": [1]}), step("memory-spaces")))
    request = asking(budget=Budget(timeout_ms=50), candidate_layer_ids=("documents", "memory-spaces"))
    plan = graph.kernel.plan(request)
    assert plan == Plan(
        id="id-1",
        topology_id="test-topology",
        topology_generation=1,
        catalog_generation=4,
        guard_generation=0,
        strategy_id="test-strategy",
        strategy_version="1",
        operation="memory.recall",
        capability="recall",
        trigger="manual",
        scope=request.scope,
        request=request,
        request_digest=digest(request.to_json()),
        reason="as the test says",
        created_at="2026-03-01T12:00:02.000Z",
        budget=Budget(max_steps=32, timeout_ms=50),
        steps=(
            PlanStep("id-1:1", "documents", "recall", "recall", None, {"a": (1,)}),
            PlanStep("id-1:2", "memory-spaces", "recall", "recall"),
        ),
    )
    assert json.loads(json.dumps(plan.to_json()))["steps"][0] == {
        "id": "id-1:1",
        "layerId": "documents",
        "capability": "recall",
        "participation": "recall",
        "input": {"a": [1]},
    }
    assert graph.kernel.outstanding == 1


def test_planning_executes_nothing() -> None:
    graph = Graph()
    graph.kernel.plan(asking())
    assert graph.executed == []
    assert graph.receipts == []


# Rules 1 to 6, one test a code.


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (asking("fly"), "invalid-request"),
        (asking(budget=Budget(0)), "invalid-budget"),
        (asking(input={1, 2}), "json-unsafe"),
    ],
)
def test_a_bad_request_is_refused_before_anything_else(request_: Request, code: str) -> None:
    graph = Graph()
    graph.dispose_strategy()
    guard = denying("no")
    graph.kernel.register_guard(guard)
    assert refused(graph, request_).code == code
    assert not guard.calls


def test_an_absent_strategy_is_reported_before_any_guard_is_asked() -> None:
    graph = Graph()
    guard = denying("no")
    graph.kernel.register_guard(guard)
    graph.dispose_strategy()
    failure = refused(graph)
    assert failure.code == "strategy-unavailable"
    assert failure.details == {"strategyId": "test-strategy"}
    assert not guard.calls


def test_guards_are_asked_in_the_order_of_registration_until_one_denies() -> None:
    graph = Graph()
    guards = [FunctionGuard("z"), FunctionGuard("a"), denying("m", "not today"), FunctionGuard("b")]
    for guard in guards:
        graph.kernel.register_guard(guard)
    failure = refused(graph)
    assert failure.code == "guard-denied"
    assert failure.details == {"guardId": "m", "reason": "not today"}
    assert [len(guard.calls) for guard in guards] == [1, 1, 1, 0]
    assert graph.strategy.calls == 0


def test_a_guard_that_is_unloaded_is_not_asked() -> None:
    graph = Graph()
    graph.kernel.register_guard(denying("no"))()
    assert graph.kernel.plan(asking()).guard_generation == 2


class OddExit(BaseException):
    pass


@pytest.mark.parametrize(
    "error", [ValueError("broke"), SystemExit(3), OddExit("odd"), KernelFailure("no-steps", "mine")]
)
def test_a_guard_that_raises_denies(error: BaseException) -> None:
    graph = Graph()

    def raising(request: Request, context: object) -> Allow:
        raise error

    graph.kernel.register_guard(FunctionGuard("broken", raising))
    failure = refused(graph)
    assert failure.code == "guard-error"
    assert failure.__cause__ is error
    assert failure.details == {"guardId": "broken", "cause": type(error).__name__}
    assert graph.strategy.calls == 0


@pytest.mark.parametrize(
    "answer",
    [
        None,
        True,
        False,
        "allow",
        {},
        {"kind": "maybe"},
        {"kind": "deny"},
        Deny(""),
        Deny(cast(str, 5)),
        {"kind": ["allow"]},
        Allow,
    ],
)
def test_an_answer_that_is_neither_allow_nor_deny_is_invalid(answer: Any) -> None:
    graph = Graph()
    graph.kernel.register_guard(FunctionGuard("odd", lambda request, context: answer))
    assert refused(graph).code == "guard-invalid"
    assert graph.strategy.calls == 0


@pytest.mark.parametrize("answer", [Allow(), {"kind": "allow"}])
def test_both_forms_of_allow_are_taken(answer: Any) -> None:
    graph = Graph()
    graph.kernel.register_guard(FunctionGuard("yes", lambda request, context: answer))
    assert graph.kernel.plan(asking()).steps


def test_guards_see_the_frozen_request_and_descriptor() -> None:
    graph = Graph()
    seen: list[Any] = []

    def looking(request: Request, context: Any) -> Allow:
        seen.append(context.descriptor)
        with pytest.raises(FrozenInstanceError):
            request.trigger = "manual"  # type: ignore[misc]
        with pytest.raises(FrozenInstanceError):
            context.descriptor.catalog = None
        with pytest.raises(TypeError):
            request.input["query"] = "other"
        return Allow()

    graph.kernel.register_guard(FunctionGuard("looking", looking))
    graph.kernel.plan(asking())
    assert seen == [graph.kernel.descriptor()]


def leaving(request: Request, context: StrategyContext) -> Proposal:
    raise SystemExit(1)


async def asynchronous() -> None:
    pass


@pytest.mark.parametrize(
    "function",
    [
        lambda request, context: 1 / 0,
        leaving,
        lambda request, context: None,
        lambda request, context: {"steps": []},
        proposing("not a step"),  # type: ignore[arg-type]
        proposing(step(["documents"])),
        proposing(step(adapter=5)),
        proposing(step(), reason=""),
        proposing(step(), reason="x" * 4001),
        proposing(step(), reason=None),
        proposing(step(), strategy_id=None),
    ],
)
def test_a_strategy_that_raises_or_proposes_nonsense_fails_planning(function: Propose) -> None:
    graph = Graph(function)
    assert refused(graph).code == "strategy-error"
    assert graph.strategy.calls == 1


def test_a_strategy_that_raises_keeps_its_cause() -> None:
    error = LookupError("deep\ninside")

    def raising(request: Request, context: StrategyContext) -> Proposal:
        raise error

    failure = refused(Graph(raising))
    assert failure.__cause__ is error
    assert "deep\\ninside" in failure.message


def test_the_refusal_of_a_permission_wrapper_keeps_its_code_and_no_other_code_can_be_borrowed() -> None:
    def raising(code: str) -> Propose:
        def propose(request: Request, context: StrategyContext) -> Proposal:
            raise KernelFailure(code, "refused")

        return propose

    assert refused(Graph(raising("permission-layer"))).code == "permission-layer"
    assert refused(Graph(raising("guard-denied"))).code == "strategy-error"


def test_a_reason_of_1_and_of_4000_characters_is_kept_as_it_is() -> None:
    for reason in (" ", "é" * 4000):
        assert Graph(proposing(step(), reason=reason)).kernel.plan(asking()).reason == reason


def test_a_reason_that_utf8_cannot_write_is_unsafe() -> None:
    assert refused(Graph(proposing(step(), reason="\ud800"))).code == "json-unsafe"


@pytest.mark.parametrize("changes", [{"strategy_id": "other"}, {"strategy_version": "2"}, {"strategy_version": "1 "}])
def test_a_proposal_in_another_name_is_refused_before_its_steps_are_looked_at(changes: dict[str, Any]) -> None:
    assert refused(Graph(proposing(**changes))).code == "proposal-identity"


def test_no_steps_is_a_refusal_with_the_reason() -> None:
    failure = refused(Graph(proposing(reason="nothing fits")))
    assert failure.code == "no-steps"
    assert failure.details is not None and failure.details["reason"] == "nothing fits"


def test_32_steps_are_accepted_by_default_and_33_are_not() -> None:
    assert len(Graph(proposing(*[step()] * 32)).kernel.plan(asking()).steps) == 32
    failure = refused(Graph(proposing(*[step(layer="nowhere")] * 33)))
    assert failure.code == "budget-exceeded"


def test_the_request_decides_how_many_steps_there_may_be() -> None:
    graph = Graph(proposing(*[step()] * 100))
    assert len(graph.kernel.plan(asking(budget=Budget(100))).steps) == 100
    assert refused(graph, asking(budget=Budget(99))).code == "budget-exceeded"


# Rule 7, one test a code, each step breaking every later rule too.


def with_adapters(propose: Propose) -> Graph:
    graph = Graph(propose)
    graph.catalog.register_adapter(adapter_descriptor("store"))
    graph.catalog.register_adapter(adapter_descriptor("reader", ("read",)))
    graph.catalog.register_adapter(adapter_descriptor("loose"))
    graph.catalog.register_layer(layer_descriptor("disabled", ("read",)))
    graph.catalog.register_layer(layer_descriptor("reading", ("read",)))
    graph.catalog.register_layer(layer_descriptor("silent", ("recall",)))
    graph.topology.configure_layer("reading", enabled=True)
    graph.topology.configure_layer("silent", enabled=True, participation={"recall": "off"})
    graph.topology.configure_layer("documents", adapter_ids=["store", "reader"])
    return graph


NAMED = asking(
    candidate_layer_ids=("documents", "nowhere", "disabled", "reading", "silent"), adapter_ids=("a", "store")
)


@pytest.mark.parametrize(
    ("proposed", "code"),
    [
        (step("elsewhere", "write", "zzz", {1}), "capability-changed"),
        (step("elsewhere", "recall", "zzz", {1}), "layer-outside-request"),
        (step("nowhere", "recall", "zzz", {1}), "layer-unavailable"),
        (step("disabled", "recall", "zzz", {1}), "layer-disabled"),
        (step("reading", "recall", "zzz", {1}), "capability-unsupported"),
        (step("silent", "recall", "zzz", {1}), "participation-denied"),
        (step("documents", "recall", "zzz", {1}), "adapter-outside-request"),
        (step("documents", "recall", "a", {1}), "adapter-unbound"),
        (step("documents", "recall", "store", {1}), "json-unsafe"),
    ],
)
def test_the_first_rule_that_a_step_breaks_is_the_one_reported(proposed: StepProposal, code: str) -> None:
    failure = refused(with_adapters(proposing(step(), proposed, step("elsewhere", "fly"))), NAMED)
    assert failure.code == code
    assert failure.details is not None and failure.details["step"] == 2


def test_a_bound_adapter_without_the_capability_is_unsupported() -> None:
    failure = refused(with_adapters(proposing(step(adapter="reader", input={1}))))
    assert failure.code == "adapter-unsupported"


def test_a_registered_adapter_that_is_not_bound_is_unbound() -> None:
    assert refused(with_adapters(proposing(step(adapter="loose")))).code == "adapter-unbound"


def test_a_step_without_adapter_is_accepted_even_when_the_request_names_adapters() -> None:
    assert with_adapters(proposing(step())).kernel.plan(NAMED).steps[0].adapter_id is None


def test_an_automatic_trigger_needs_an_automatic_channel() -> None:
    for trigger in ("automatic", "system"):
        assert refused(Graph(modes="manual"), asking(trigger=trigger)).code == "participation-denied"
    assert Graph(modes="manual").kernel.plan(asking()).steps


def test_empty_candidates_mean_that_no_layer_is_acceptable() -> None:
    assert refused(Graph(proposing(step())), asking(candidate_layer_ids=())).code == "layer-outside-request"
    assert refused(Graph(), asking(candidate_layer_ids=())).code == "no-steps"


def test_one_bad_step_invalidates_the_whole_proposal() -> None:
    assert refused(Graph(proposing(step(), step("nowhere"), step()))).code == "layer-unavailable"


def test_names_of_a_hostile_proposal_do_not_break_the_message() -> None:
    assert refused(Graph(proposing(step("\ud800\n" * 1000)))).code == "layer-unavailable"
    assert refused(Graph(proposing(step(adapter="\udfff" * 1000)))).code == "adapter-unbound"
    assert refused(Graph(proposing(step(capability="\ud800")))).code == "capability-changed"
    assert refused(Graph(proposing(step(), strategy_id="\ud800"))).code == "proposal-identity"
    assert refused(Graph(proposing(reason="\ud800"))).code == "no-steps"


# Rules 8 and 9.


@pytest.mark.parametrize("who", ["guard", "strategy"])
@pytest.mark.parametrize(
    "change",
    [
        lambda graph: graph.catalog.register_adapter(adapter_descriptor("new")),
        lambda graph: graph.topology.configure_layer("runtime", enabled=False),
        lambda graph: graph.kernel.register_guard(FunctionGuard("new")),
        lambda graph: graph.kernel.register_guard(FunctionGuard("new"))(),
    ],
    ids=["catalog", "topology", "guard", "guard and back"],
)
def test_a_change_while_planning_is_noticed(who: str, change: Callable[[Graph], object]) -> None:
    graph = Graph(proposing(step(), reason=""))

    def guard(request: Request, context: object) -> Allow:
        if who == "guard":
            change(graph)
        return Allow()

    graph.kernel.register_guard(FunctionGuard("changing", guard))
    if who == "strategy":
        inner = graph.strategy.function

        def propose(request: Request, context: StrategyContext) -> Any:
            change(graph)
            return inner(request, context)

        graph.strategy.function = propose
    assert refused(graph).code == "inputs-changed"


def test_a_strategy_gets_frozen_objects_and_no_handle() -> None:
    def meddling(request: Request, context: StrategyContext) -> Proposal:
        with pytest.raises(FrozenInstanceError):
            request.trigger = "manual"  # type: ignore[misc]
        with pytest.raises(FrozenInstanceError):
            context.topology.layers[0].enabled = True  # type: ignore[misc]
        with pytest.raises(TypeError):
            request.input["query"] = "other"
        return one_step_each(request, context)

    assert Graph(meddling).kernel.plan(asking()).steps


def test_a_proposal_is_copied_when_it_is_checked() -> None:
    shared: dict[str, Any] = {"a": 1}
    steps = [step(input=shared)]
    plan = Graph(lambda request, context: Proposal("test-strategy", "1", "r", steps)).kernel.plan(asking())  # type: ignore[arg-type]
    shared["a"] = object()
    steps.clear()
    assert plan.steps[0].input == {"a": 1}


def test_a_plan_that_would_be_nested_too_deep_is_unsafe() -> None:
    deep: Any = "leaf"
    for _ in range(61):
        deep = [deep]
    assert Graph(proposing(step(input=deep))).kernel.plan(asking(input=deep)).steps
    assert refused(Graph(proposing(step(input=[deep])))).code == "json-unsafe"
    assert Graph(proposing(step())).kernel.plan(asking(input=[deep])).steps
    assert refused(Graph(proposing(step())), asking(input=[[deep]])).code == "json-unsafe"
    assert Graph().kernel.plan(asking(input=deep)).steps
    assert refused(Graph(), asking(input=[deep])).code == "json-unsafe"


def test_secrets_are_kept_out_of_what_foreign_code_says() -> None:
    def telling(request: Request, context: StrategyContext) -> Proposal:
        raise ValueError("token sk-12345 refused")

    graph = Graph(telling)
    graph.kernel.register_secret("sk-12345")
    assert "sk-12345" not in refused(graph).message
    graph.kernel.register_guard(denying("no", "sk-12345 is not enough"))
    failure = refused(graph)
    assert failure.code == "guard-denied"
    assert "sk-12345" not in json.dumps(failure.to_json())


def test_only_the_newest_1024_plans_are_kept() -> None:
    graph = Graph()
    plans = [graph.kernel.plan(asking()) for _ in range(1025)]
    assert graph.kernel.outstanding == 1024
    with pytest.raises(KernelFailure) as caught:
        graph.kernel.execute(plans[0], asking())
    assert caught.value.code == "plan-unknown"
    assert graph.kernel.execute(plans[1], asking()).status == "succeeded"
    assert graph.kernel.execute(plans[1024], asking()).status == "succeeded"


def test_another_strategy_can_be_chosen() -> None:
    graph = Graph()
    chosen = FunctionStrategy(
        lambda request, context: Proposal("second", "7", "chosen", (step("runtime"),)),
        StrategyDescriptor("second", "7", "Second", "Another one", (), True),
    )
    graph.catalog.register_strategy(chosen)
    definition = graph.topology.snapshot().definition
    graph.topology.replace(definition.to_json() | {"strategyId": "second"})
    assert graph.kernel.plan(asking()).strategy_version == "7"
    assert graph.strategy.calls == 0


def test_a_dry_plan_holds_the_same_rules_without_a_kernel() -> None:
    graph = Graph(modes="manual")
    descriptor = graph.kernel.descriptor()
    proposal = proposing(step(input={"a": [1]}))(asking(), descriptor)
    strategy = graph.strategy.descriptor
    for described in (descriptor, descriptor.to_json()):
        assert dry_plan(described, asking(), proposal, strategy)[0].input == {"a": (1,)}
        with pytest.raises(KernelFailure) as caught:
            dry_plan(described, asking(trigger="system"), proposal.to_json(), strategy)
        assert caught.value.code == "participation-denied"
    assert graph.kernel.outstanding == 0


def test_an_asynchronous_strategy_is_an_error_of_the_strategy() -> None:
    coroutine = asynchronous()
    assert refused(Graph(lambda request, context: coroutine)).code == "strategy-error"
    asyncio.run(coroutine)


def test_planning_inside_a_strategy_is_a_plan_of_its_own() -> None:
    graph = Graph()
    plans: list[Plan] = []

    def nesting(request: Request, context: StrategyContext) -> Proposal:
        if request.operation != "inner":
            plans.append(graph.kernel.plan(asking(operation="inner")))
        return one_step_each(request, context)

    graph.strategy.function = nesting
    plan = graph.kernel.plan(asking())
    assert plan.id != plans[0].id
    assert graph.kernel.execute(plans[0], asking(operation="inner")).status == "succeeded"
    assert graph.kernel.execute(plan, asking()).status == "succeeded"
