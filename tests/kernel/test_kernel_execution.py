"""Execution, staleness and receipts: specs/memory-kernel.md §6, §9."""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.graphs import (
    LAYERS,
    FunctionGuard,
    Graph,
    adapter_descriptor,
    altered,
    asking,
    layer_descriptor,
    proposing,
)
from zeroclaw_cli.errors import KernelFailure, NotSupported
from zeroclaw_cli.kernel.catalog import RegisteredStrategy
from zeroclaw_cli.kernel.contracts import (
    Budget,
    CancelToken,
    ExecutionContext,
    Layer,
    Plan,
    PlanStep,
    Receipt,
    Request,
    StepProposal,
)
from zeroclaw_cli.kernel.kernel import MemoryKernel
from zeroclaw_cli.kernel.participation import Picture
from zeroclaw_cli.kernel.topology import TopologyManager
from zeroclaw_cli.kernel.workers import WORKERS

ROOT = Path(__file__).resolve().parents[2]


def refused(graph: Graph, plan: Any, request: Any = None, *, kept: bool = True) -> str:
    """The code that execution is refused with, having called nothing and used nothing up."""
    before, ran = graph.kernel.outstanding, len(graph.executed)
    with pytest.raises(KernelFailure) as caught:
        graph.kernel.execute(plan, asking() if request is None else request)
    assert len(graph.executed) == ran
    assert not graph.receipts
    assert graph.kernel.outstanding == before
    return str(caught.value.code)


def statuses(receipt: Receipt) -> list[str]:
    return [step.status for step in receipt.steps]


def test_a_receipt_says_what_was_done() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    receipt = graph.kernel.execute(plan, asking())
    body = json.loads(json.dumps(receipt.to_json()))
    assert list(body) == [
        "id",
        "planId",
        "topologyId",
        "topologyGeneration",
        "catalogGeneration",
        "guardGeneration",
        "strategyId",
        "strategyVersion",
        "operation",
        "capability",
        "status",
        "startedAt",
        "finishedAt",
        "steps",
    ]
    assert body["planId"] == plan.id
    assert (body["status"], body["operation"], body["capability"]) == ("succeeded", "memory.recall", "recall")
    assert body["steps"][0] == {
        "stepId": f"{plan.id}:1",
        "layerId": "runtime",
        "status": "succeeded",
        "startedAt": "2026-03-01T12:00:04.000Z",
        "finishedAt": "2026-03-01T12:00:05.000Z",
        "output": {"layer": "runtime"},
    }
    assert body["startedAt"] < body["steps"][0]["startedAt"] < body["finishedAt"]
    assert graph.receipts == [receipt]
    assert [step.id for step in graph.executed] == [f"{plan.id}:{index}" for index in (1, 2, 3)]


def test_executors_get_the_frozen_step_and_the_authorised_request() -> None:
    graph = Graph()
    contexts: list[ExecutionContext] = []

    def looking(step: PlanStep, context: ExecutionContext) -> None:
        contexts.append(context)
        with pytest.raises(FrozenInstanceError):
            step.layer_id = "documents"  # type: ignore[misc]
        with pytest.raises(TypeError):
            step.input["query"] = "other"

    graph.executors["runtime"] = looking
    request = asking()
    plan = graph.kernel.plan(request)
    cancel = CancelToken()
    assert graph.kernel.execute(plan, request, cancel).status == "succeeded"
    assert contexts[0].plan_id == plan.id
    assert contexts[0].request == request
    assert contexts[0].request is not request
    assert contexts[0].topology == graph.topology.snapshot()
    assert contexts[0].cancel is cancel


# The checks before anything is called, one test a code.


@pytest.mark.parametrize(
    "other",
    [
        lambda plan: altered(plan, id="never-issued"),
        lambda plan: plan.to_json() | {"id": "never-issued"},
        lambda plan: {},
        lambda plan: {"id": ["x"]},
        lambda plan: None,
        lambda plan: object(),
    ],
)
def test_a_plan_that_was_never_issued_is_unknown(other: Callable[[Plan], Any]) -> None:
    graph = Graph()
    assert refused(graph, other(graph.kernel.plan(asking()))) == "plan-unknown"


def test_a_plan_of_another_kernel_is_unknown() -> None:
    graph = Graph()
    assert refused(graph, Graph().kernel.plan(asking())) == "plan-unknown"


def test_a_plan_is_executed_once() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    graph.kernel.execute(plan, asking())
    graph.receipts.clear()
    assert refused(graph, plan) == "plan-unknown"


@pytest.mark.parametrize(
    "broken",
    [
        lambda plan: altered(plan, reason=object()),
        lambda plan: altered(plan, steps=(altered(plan.steps[0], input={1}),)),
        lambda plan: plan.to_json() | {"steps": {1, 2}},
    ],
)
def test_a_plan_that_is_not_json_is_invalid(broken: Callable[[Plan], Any]) -> None:
    graph = Graph()
    assert refused(graph, broken(graph.kernel.plan(asking()))) == "plan-invalid"


@pytest.mark.parametrize(
    "alter",
    [
        lambda plan: altered(plan, reason="other"),
        lambda plan: altered(plan, steps=plan.steps[:1]),
        lambda plan: altered(plan, steps=(altered(plan.steps[0], layer_id="documents"), *plan.steps[1:])),
        lambda plan: altered(plan, steps=(altered(plan.steps[0], input={"query": "x"}), *plan.steps[1:])),
        lambda plan: altered(plan, budget=Budget(100)),
        lambda plan: altered(plan, trigger="automatic"),
        lambda plan: altered(plan, topology_generation=7),
        lambda plan: plan.to_json() | {"extra": None},
    ],
)
def test_a_plan_that_differs_from_the_issued_one_is_altered(alter: Callable[[Plan], Any]) -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    assert refused(graph, alter(plan)) == "plan-altered"
    assert graph.kernel.execute(plan, asking()).status == "succeeded"


def test_an_issued_plan_that_was_changed_by_force_is_altered() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    object.__setattr__(plan.steps[0], "layer_id", "documents")
    assert refused(graph, plan) == "plan-altered"


def test_a_plan_may_come_back_in_its_wire_form() -> None:
    graph = Graph()
    plan = json.loads(json.dumps(graph.kernel.plan(asking()).to_json()))
    assert graph.kernel.execute(plan, asking()).status == "succeeded"


def test_another_request_is_a_mismatch_and_an_equal_one_is_not() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking(candidate_layer_ids=("runtime", "documents")))
    assert refused(graph, plan, asking(candidate_layer_ids=("runtime",))) == "request-mismatch"
    assert refused(graph, plan, asking(candidate_layer_ids=("documents", "runtime"))) == "request-mismatch"
    assert refused(graph, plan, "nonsense") == "invalid-request"
    equal = asking(operation=" memory.recall ", candidate_layer_ids=("runtime", "documents", "runtime"))
    assert graph.kernel.execute(plan, equal).status == "succeeded"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda graph: graph.catalog.register_adapter(adapter_descriptor("new")), "stale-generation"),
        (lambda graph: graph.catalog.register_adapter(adapter_descriptor("new"))(), "stale-generation"),
        (lambda graph: graph.topology.configure_layer("runtime", enabled=True), "stale-generation"),
        (lambda graph: graph.topology.replace(graph.topology.snapshot().definition), "stale-generation"),
        (lambda graph: graph.kernel.register_guard(FunctionGuard("new")), "stale-guards"),
        (lambda graph: graph.kernel.register_guard(FunctionGuard("new"))(), "stale-guards"),
        (lambda graph: graph.dispose_strategy(), "stale-generation"),
    ],
    ids=["catalog", "catalog and back", "topology", "same topology", "guard", "guard and back", "strategy"],
)
def test_a_plan_is_stale_after_any_change(change: Callable[[Graph], object], code: str) -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    change(graph)
    assert refused(graph, plan) == code


def test_the_topology_alone_makes_a_plan_stale_and_the_catalog_alone_too() -> None:
    for counter in (0, 1):
        graph = Graph(topology_class=Pretending)
        plan = graph.kernel.plan(asking())
        assert isinstance(graph.topology, Pretending)
        graph.topology.lead = (1 - counter, counter)
        assert refused(graph, plan) == "stale-generation"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda graph: graph.topology.configure_layer("runtime", enabled=False), "stale-generation"),
        (lambda graph: graph.kernel.register_guard(FunctionGuard("new")), "stale-guards"),
    ],
)
def test_run_does_not_plan_again(change: Callable[[Graph], object], code: str) -> None:
    graph = Graph()

    ids: list[str] = []

    def changing() -> str:
        """The last thing that planning asks for is an id."""
        if not ids:
            change(graph)
        ids.append(f"id-{len(ids)}")
        return ids[-1]

    kernel = MemoryKernel(graph.catalog, graph.topology, new_id=changing)
    graph.kernel = kernel
    with pytest.raises(KernelFailure) as caught:
        kernel.run(asking())
    assert caught.value.code == code
    assert graph.strategy.calls == 1
    assert not graph.executed


def test_run_leaves_no_plan_behind_and_takes_no_other_plans_place() -> None:
    graph = Graph()
    first = graph.kernel.plan(asking())
    for _ in range(1023):
        graph.kernel.plan(asking())
    graph.kernel.run(asking())
    assert graph.kernel.outstanding == 1024
    assert graph.kernel.execute(first, asking()).status == "succeeded"


class Pretending(TopologyManager):
    """A topology whose answers can be made to disagree with its counters."""

    lead = (0, 0)
    picture_of: Picture | None = None
    strategy_of: RegisteredStrategy | None = None

    def generations(self) -> tuple[int, int]:
        catalog, topology = super().generations()
        return catalog + self.lead[0], topology + self.lead[1]

    def active(self) -> tuple[Picture, RegisteredStrategy | None]:
        picture, strategy = super().active()
        return self.picture_of or picture, self.strategy_of or strategy


def test_another_topology_or_strategy_at_the_same_counters_is_a_mismatch() -> None:
    graph = Graph(topology_class=Pretending)
    assert isinstance(graph.topology, Pretending)
    plan = graph.kernel.plan(asking())
    descriptor = graph.kernel.descriptor()
    graph.topology.picture_of = Picture(altered(descriptor, topology=altered(descriptor.topology, id="other")))
    assert refused(graph, plan) == "identity-mismatch"
    graph.topology.picture_of = None
    for changes in ({"id": "other"}, {"version": "2"}):
        described = altered(graph.strategy.descriptor, **changes)
        graph.topology.strategy_of = RegisteredStrategy(described, graph.strategy.propose)
        assert refused(graph, plan) == "identity-mismatch"


def test_every_step_is_checked_again() -> None:
    graph = Graph(topology_class=Pretending)
    assert isinstance(graph.topology, Pretending)
    plan = graph.kernel.plan(asking())
    topology = graph.topology.snapshot()
    layers = (topology.layers[0], altered(topology.layers[1], enabled=False), *topology.layers[2:])
    descriptor = altered(graph.kernel.descriptor(), topology=altered(topology, layers=layers))
    graph.topology.picture_of = Picture(descriptor)
    assert refused(graph, plan) == "layer-disabled"


def test_a_guard_that_comes_between_the_checks_and_the_claim_makes_the_plan_stale(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    look_up = graph.catalog.layer

    def registering(id_: str) -> Layer | None:
        if id_ == "runtime":
            graph.kernel.register_guard(FunctionGuard("new"))
        return look_up(id_)

    monkeypatch.setattr(graph.catalog, "layer", registering)
    assert refused(graph, plan) == "stale-guards"


def test_the_checks_follow_their_order() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    graph.kernel.register_guard(FunctionGuard("new"))
    other = asking(input={"query": "other"})
    assert refused(graph, altered(plan, reason={1}), other) == "plan-invalid"
    assert refused(graph, altered(plan, reason="x"), other) == "plan-altered"
    assert refused(graph, plan, other) == "request-mismatch"
    assert refused(graph, plan) == "stale-guards"
    graph.catalog.register_adapter(adapter_descriptor("new"))
    assert refused(graph, plan) == "stale-generation"


def test_of_many_concurrent_executions_of_one_plan_one_runs() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking(candidate_layer_ids=("documents",)))
    start = threading.Barrier(8)
    outcomes: list[str] = []

    def attempt() -> None:
        start.wait()
        try:
            outcomes.append(graph.kernel.execute(plan, plan.request).status)
        except KernelFailure as failure:
            outcomes.append(str(failure.code))

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["plan-unknown"] * 7 + ["succeeded"]
    assert len(graph.executed) == 1


# The table of step results and the statuses of receipts.


def test_a_layer_without_executor_can_be_planned_and_its_step_fails() -> None:
    graph = Graph()
    graph.catalog.register_layer(Layer(layer_descriptor("empty")))
    graph.topology.configure_layer("empty", enabled=True)
    receipt = graph.kernel.run(asking())
    assert receipt.status == "partial"
    assert statuses(receipt) == ["succeeded", "succeeded", "succeeded", "failed"]
    assert receipt.steps[3].error == "layer empty has no executor"


def failing(text: str = "the disk is full") -> Callable[[PlanStep, ExecutionContext], Any]:
    def execute(step: PlanStep, context: ExecutionContext) -> Any:
        raise RuntimeError(text)

    return execute


def cancelling(then: Any = "done") -> Callable[[PlanStep, ExecutionContext], Any]:
    """Cancels while it runs, and then returns or raises ``then``."""

    def execute(step: PlanStep, context: ExecutionContext) -> Any:
        context.cancel.cancel()
        if isinstance(then, BaseException):
            raise then
        return then

    return execute


OK: Callable[[PlanStep, ExecutionContext], Any] = lambda step, context: None  # noqa: E731


@pytest.mark.parametrize(
    ("executors", "expected", "status"),
    [
        ((OK, OK, OK), ["succeeded", "succeeded", "succeeded"], "succeeded"),
        ((failing(), OK, OK), ["failed", "succeeded", "succeeded"], "partial"),
        ((failing(), failing(), failing()), ["failed", "failed", "failed"], "failed"),
        ((cancelling(ValueError("gone")), OK, OK), ["cancelled", "cancelled", "cancelled"], "cancelled"),
        ((cancelling(), OK, OK), ["succeeded", "cancelled", "cancelled"], "partial"),
        ((failing(), cancelling(ValueError("gone")), OK), ["failed", "cancelled", "cancelled"], "failed"),
        ((OK, OK, cancelling()), ["succeeded", "succeeded", "succeeded"], "succeeded"),
        ((OK, failing(), cancelling({1})), ["succeeded", "failed", "failed"], "partial"),
    ],
    ids=[
        "all succeed",
        "a failed step does not stop the later ones",
        "all fail",
        "cancelled in the first",
        "returned although cancelled",
        "failed and cancelled mixed",
        "cancelled in the last",
        "not JSON although cancelled",
    ],
)
def test_the_steps_decide_the_status_of_the_receipt(executors: Any, expected: list[str], status: str) -> None:
    graph = Graph()
    graph.executors.update(zip(LAYERS, executors, strict=True))
    receipt = graph.kernel.run(asking())
    assert statuses(receipt) == expected
    assert receipt.status == status
    for step in receipt.steps:
        body = step.to_json()
        assert ("output" in body, "error" in body) == (step.status == "succeeded", step.status != "succeeded")
        assert step.status == "succeeded" or step.error


def test_a_token_that_is_cancelled_before_calls_nothing_and_uses_the_plan_up() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    cancel = CancelToken()
    cancel.cancel()
    receipt = graph.kernel.execute(plan, asking(), cancel)
    assert receipt.status == "cancelled"
    assert statuses(receipt) == ["cancelled"] * 3
    assert not graph.executed
    assert graph.receipts == [receipt]
    assert graph.kernel.outstanding == 0


def test_a_token_that_is_cancelled_after_changes_nothing() -> None:
    graph = Graph()
    cancel = CancelToken()
    receipt = graph.kernel.run(asking(), cancel)
    assert not cancel.cancelled
    cancel.cancel()
    assert receipt.status == "succeeded"


def test_cancelling_from_another_thread_ends_an_executor_that_waits_on_the_token() -> None:
    graph = Graph()
    running = threading.Event()

    def waiting(step: PlanStep, context: ExecutionContext) -> Any:
        running.set()
        assert context.cancel.wait(10)
        raise InterruptedError("stopped")

    graph.executors["runtime"] = waiting
    cancel = CancelToken()
    thread = threading.Thread(target=lambda: cancel.cancel() if running.wait(10) else None)
    thread.start()
    receipt = graph.kernel.run(asking(), cancel)
    thread.join()
    assert receipt.status == "cancelled"
    assert receipt.steps[0].error == "stopped"


@pytest.mark.parametrize("output", [object(), {1}, b"x", float("nan"), {"when": threading}, "\ud800"])
def test_output_that_is_not_json_fails_its_step_alone_and_says_that_it_may_be_done(output: Any) -> None:
    graph = Graph()
    graph.executors["documents"] = lambda step, context: output
    receipt = graph.kernel.run(asking())
    assert statuses(receipt) == ["succeeded", "failed", "succeeded"]
    assert receipt.status == "partial"
    assert receipt.steps[1].error is not None
    assert "the backend may have done it all the same" in receipt.steps[1].error
    json.dumps(receipt.to_json()).encode()


def test_output_is_copied_and_frozen() -> None:
    graph = Graph()
    rows = [{"key": "a"}]
    graph.executors["runtime"] = lambda step, context: {"rows": rows}
    receipt = graph.kernel.run(asking())
    rows.append({"key": "b"})
    rows[0]["key"] = "changed"
    assert receipt.steps[0].output == {"rows": ({"key": "a"},)}
    with pytest.raises(TypeError):
        receipt.steps[0].output["rows"] = ()


class OddExit(BaseException):
    pass


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RuntimeError("the disk is full"), "the disk is full"),
        (NotSupported("no graph here"), "no graph here"),
        (RuntimeError(), "RuntimeError"),
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (OddExit("odd"), "OddExit: odd"),
        (RuntimeError("x" * 3000), "x" * 2000),
        (RuntimeError("a\ud800b"), "a\\ud800b"),
    ],
)
def test_whatever_an_executor_raises_is_the_error_of_its_step(error: BaseException, text: str) -> None:
    graph = Graph()

    def raising(step: PlanStep, context: ExecutionContext) -> Any:
        raise error

    graph.executors["documents"] = raising
    receipt = graph.kernel.run(asking())
    assert statuses(receipt) == ["succeeded", "failed", "succeeded"]
    assert receipt.steps[1].error == text


def test_an_error_that_cannot_be_read_is_named_by_its_type() -> None:
    class Unreadable(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    graph = Graph()

    def raising(step: PlanStep, context: ExecutionContext) -> Any:
        raise Unreadable

    graph.executors["documents"] = raising
    assert graph.kernel.run(asking()).steps[1].error == "Unreadable"


def test_registered_secrets_are_redacted_before_the_text_is_cut() -> None:
    graph = Graph()
    dispose = graph.kernel.register_secret("sk-12345")
    graph.kernel.register_secret("sk-12345-longer")
    graph.kernel.register_secret("a.c")
    graph.executors["documents"] = failing("abc a.c sk-12345-longer " + "x" * 1970 + " sk-12345")
    error = graph.kernel.run(asking()).steps[1].error
    assert error is not None
    assert error.startswith("abc [redacted] [redacted] xxx")
    assert "sk-" not in error
    assert len(error) == 2000
    dispose()
    dispose()
    graph.executors["documents"] = failing("sk-12345 and sk-12345-longer")
    assert graph.kernel.run(asking()).steps[1].error == "sk-12345 and [redacted]"


def test_an_empty_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="not empty"):
        Graph().kernel.register_secret("")


def test_an_executor_that_is_swapped_while_the_plan_runs_is_not_used() -> None:
    graph = Graph()

    def swapping(step: PlanStep, context: ExecutionContext) -> Any:
        graph.dispose_layer["documents"]()
        graph.catalog.register_layer(Layer(layer_descriptor("documents"), lambda s, c: "swapped"))
        return None

    graph.executors["runtime"] = swapping
    receipt = graph.kernel.run(asking())
    assert receipt.steps[1].output == {"layer": "documents"}
    assert receipt.status == "succeeded"


# Deadlines.


def hanging(release: threading.Event) -> Callable[[PlanStep, ExecutionContext], Any]:
    def execute(step: PlanStep, context: ExecutionContext) -> Any:
        release.wait(20)
        return "late"

    return execute


def test_at_the_deadline_the_step_has_failed_the_rest_is_cancelled_and_the_caller_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    graph = Graph()
    release = threading.Event()
    graph.executors["documents"] = hanging(release)
    cancel = CancelToken()
    started = time.monotonic()
    receipt = graph.kernel.run(asking(budget=Budget(timeout_ms=100)), cancel)
    took = time.monotonic() - started
    assert 0.1 <= took < 5
    assert statuses(receipt) == ["succeeded", "failed", "cancelled"]
    assert receipt.status == "partial"
    assert receipt.steps[1].error is not None and receipt.steps[1].error.startswith("timeout")
    assert cancel.cancelled
    with caplog.at_level(logging.WARNING):
        release.set()
        until = time.monotonic() + 10
        while "discarded" not in caplog.text and time.monotonic() < until:
            time.sleep(0.01)
    assert "ended after its deadline" in caplog.text
    assert statuses(receipt) == ["succeeded", "failed", "cancelled"]
    assert [step.layer_id for step in graph.executed] == ["runtime", "documents"]
    assert graph.receipts == [receipt]


def test_the_deadline_is_one_for_all_steps() -> None:
    graph = Graph()
    for id_ in LAYERS:
        graph.executors[id_] = lambda step, context: context.cancel.wait(0.15)
    receipt = graph.kernel.run(asking(budget=Budget(timeout_ms=220)))
    assert statuses(receipt) == ["succeeded", "failed", "cancelled"]


def test_without_a_budget_the_default_of_the_kernel_holds() -> None:
    graph = Graph(default_timeout_ms=50)
    release = threading.Event()
    graph.executors["runtime"] = hanging(release)
    receipt = graph.kernel.run(asking())
    release.set()
    assert statuses(receipt) == ["failed", "cancelled", "cancelled"]
    assert receipt.status == "failed"
    assert receipt.steps[0].error is not None and "50 ms" in receipt.steps[0].error


@pytest.mark.parametrize("bad", [0, -1, 3_600_001, True, 1.5])
def test_the_default_deadline_has_the_limits_of_a_budget(bad: Any) -> None:
    with pytest.raises(ValueError, match="default_timeout_ms"):
        Graph(default_timeout_ms=bad)


def test_a_hung_executor_delays_nobody_else() -> None:
    graph = Graph()
    release = threading.Event()
    graph.executors["runtime"] = hanging(release)
    first = graph.kernel.run(asking(candidate_layer_ids=("runtime",), budget=Budget(timeout_ms=30)))
    second = graph.kernel.run(asking(candidate_layer_ids=("documents",)))
    release.set()
    assert (first.status, second.status) == ("failed", "succeeded")


def test_executors_run_in_one_worker_that_is_used_again_and_see_the_context_of_the_caller() -> None:
    variable: ContextVar[str] = ContextVar("variable", default="unset")
    graph = Graph()
    seen: list[tuple[str, int]] = []

    def looking(step: PlanStep, context: ExecutionContext) -> None:
        seen.append((variable.get(), threading.get_ident()))

    graph.executors.update(dict.fromkeys(LAYERS, looking))
    token = variable.set("of the caller")
    for _ in range(20):
        graph.kernel.run(asking())
    variable.reset(token)
    assert {value for value, _ in seen} == {"of the caller"}
    # A late executor of another test may come back to the pool meanwhile.
    assert len({thread for _, thread in seen}) <= 2
    assert threading.get_ident() not in {thread for _, thread in seen}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_starts_workers_of_its_own() -> None:
    graph = Graph()
    graph.kernel.run(asking())
    child = os.fork()
    if child == 0:
        status = 1
        try:
            receipt = graph.kernel.run(asking(budget=Budget(timeout_ms=5_000)))
            status = 0 if receipt.status == "succeeded" else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_plan_fails_when_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    graph = Graph()
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        patched.setattr(WORKERS, "_idle", [])
        receipt = graph.kernel.run(asking())
    assert receipt.status == "failed"
    assert all("no thread could be started" in (step.error or "") for step in receipt.steps)
    assert not graph.executed
    assert graph.kernel.run(asking()).status == "succeeded"


def test_an_interrupted_wait_leaves_a_receipt_and_goes_on_as_an_interruption() -> None:
    graph = Graph()
    release = threading.Event()

    def interrupting(step: PlanStep, context: ExecutionContext) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        release.wait(20)

    graph.executors["documents"] = interrupting
    with pytest.raises(KeyboardInterrupt):
        graph.kernel.run(asking())
    release.set()
    (receipt,) = graph.receipts
    assert statuses(receipt) == ["succeeded", "failed", "cancelled"]
    assert receipt.steps[1].error is not None and receipt.steps[1].error.startswith("interrupted")


# Sinks.


def test_sinks_are_called_in_order_and_one_that_raises_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    graph = Graph()
    order: list[str] = []

    def broken(receipt: Receipt) -> None:
        order.append("broken")
        raise SystemExit("sink broke")

    graph.kernel.register_receipt_sink(broken)
    dispose = graph.kernel.register_receipt_sink(lambda receipt: order.append(receipt.id))
    receipt = graph.kernel.run(asking())
    assert order == ["broken", receipt.id]
    assert graph.receipts == [receipt]
    assert "receipt sink failed" in caplog.text
    dispose()
    dispose()
    graph.kernel.run(asking())
    assert order == ["broken", receipt.id, "broken"]


def test_no_lock_is_held_while_foreign_code_runs() -> None:
    """Guards, strategies, executors and sinks may use the kernel, from any thread."""
    graph = Graph()
    used: list[str] = []

    def use(who: str) -> None:
        def look() -> None:
            graph.kernel.descriptor()
            graph.kernel.generations()
            graph.kernel.register_receipt_sink(lambda receipt: None)()
            graph.kernel.register_secret("other")()
            assert graph.kernel.outstanding >= 0
            used.append(who)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        thread.join(5)

    inner = graph.strategy.function

    def propose(request: Request, context: Any) -> Any:
        use("strategy")
        return inner(request, context)

    def decide(request: Request, context: Any) -> Any:
        use("guard")
        return {"kind": "allow"}

    graph.strategy.function = propose
    graph.kernel.register_guard(FunctionGuard("looking", decide))
    graph.kernel.register_receipt_sink(lambda receipt: use("sink"))
    graph.executors.update(dict.fromkeys(LAYERS, lambda step, context: use("executor")))
    graph.kernel.run(asking())
    assert used == ["guard", "strategy", "executor", "executor", "executor", "sink"]


def test_an_executor_may_run_another_request() -> None:
    graph = Graph()
    graph.executors["runtime"] = lambda step, context: graph.kernel.run(
        asking(candidate_layer_ids=("documents",))
    ).to_json()
    receipt = graph.kernel.run(asking(candidate_layer_ids=("runtime",)))
    assert receipt.steps[0].output["steps"][0]["output"] == {"layer": "documents"}


def test_the_kernel_refuses_a_topology_of_another_catalog() -> None:
    with pytest.raises(ValueError, match="another catalog"):
        MemoryKernel(Graph().catalog, Graph().topology)


def test_adapters_reach_the_executor_and_the_receipt() -> None:
    graph = Graph(proposing(StepProposal("documents", "recall", "store")))
    graph.catalog.register_adapter(adapter_descriptor("store"))
    graph.topology.configure_layer("documents", adapter_ids=["store"])
    receipt = graph.kernel.run(asking())
    assert graph.executed[0].adapter_id == "store"
    assert receipt.steps[0].to_json()["adapterId"] == "store"
