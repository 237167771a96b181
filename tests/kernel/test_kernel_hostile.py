"""What hostile, hanging and failing code around an execution can do: specs/memory-kernel.md §5, §9."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from tests.kernel.graphs import (
    Graph,
    asking,
)
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import execution
from zeroclaw_cli.kernel.contracts import (
    Budget,
    CancelToken,
    ExecutionContext,
    Plan,
    PlanStep,
    Receipt,
    Request,
)
from zeroclaw_cli.kernel.execution import BoundStep, Clockwork
from zeroclaw_cli.kernel.kernel import MemoryKernel
from zeroclaw_cli.kernel.redaction import Secrets
from zeroclaw_cli.kernel.workers import Workers, answered

ROOT = Path(__file__).resolve().parents[2]


def statuses(receipt: Receipt) -> list[str]:
    return [step.status for step in receipt.steps]


def hanging(release: threading.Event) -> Callable[[PlanStep, ExecutionContext], Any]:
    def execute(step: PlanStep, context: ExecutionContext) -> Any:
        release.wait(20)
        return "late"

    return execute


# What foreign code could do by force.


class Text(str):
    def strip(self, *_: Any) -> str:
        raise SystemExit


def test_describing_an_error_keeps_secrets_out() -> None:
    graph = Graph()
    graph.kernel.register_secret("sk-12345")
    assert graph.kernel.describe(ValueError("no sk-12345\n")) == "no [redacted]\n"


def test_what_is_no_token_is_refused_before_the_plan_is_used_up() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    with pytest.raises(KernelFailure) as caught:
        graph.kernel.execute(plan, asking(), object())  # type: ignore[arg-type]
    assert caught.value.code == "invalid-request"
    assert graph.kernel.execute(plan, asking()).status == "succeeded"


class Using(Mapping[str, Any]):
    """A request that uses the plan up while it is read."""

    def __init__(self, graph: Graph, plan: Plan) -> None:
        self.graph = graph
        self.plan = plan
        self.body = plan.request.to_json()

    def __getitem__(self, key: str) -> Any:
        return self.body[key]

    def __len__(self) -> int:
        return len(self.body)

    def __iter__(self) -> Iterator[str]:
        if not self.graph.receipts:
            self.graph.kernel.execute(self.plan, self.plan.request)
        return iter(self.body)


def test_a_plan_that_was_used_up_between_the_checks_and_the_claim_is_unknown() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking(candidate_layer_ids=("documents",)))
    with pytest.raises(KernelFailure) as caught:
        graph.kernel.execute(plan, Using(graph, plan))
    assert caught.value.code == "plan-unknown"
    assert len(graph.executed) == len(graph.receipts) == 1


# A host that fails.


def test_a_clock_that_fails_while_a_plan_runs_takes_no_receipt_away(caplog: pytest.LogCaptureFixture) -> None:
    graph = Graph()
    broken = threading.Event()

    def clock() -> Any:
        if broken.is_set():
            raise OSError("no time")
        return graph.clock()

    kernel = MemoryKernel(graph.catalog, graph.topology, now=clock, receipt_sink=graph.receipts.append)
    plan = kernel.plan(asking())
    broken.set()
    receipt = kernel.execute(plan, asking())
    assert receipt.status == "succeeded"
    assert graph.receipts == [receipt]
    assert receipt.started_at.endswith("Z")
    assert "the clock of the kernel failed" in caplog.text


def test_ids_that_cannot_be_had_use_no_plan_up() -> None:
    graph = Graph()
    ids = iter(["the-plan"])
    kernel = MemoryKernel(graph.catalog, graph.topology, new_id=lambda: next(ids))
    plan = kernel.plan(asking())
    with pytest.raises(StopIteration):
        kernel.execute(plan, asking())
    assert kernel.outstanding == 1
    assert not graph.executed


def test_an_interrupted_sink_keeps_no_receipt_from_the_others() -> None:
    graph = Graph()
    later: list[Receipt] = []

    def interrupted(receipt: Receipt) -> None:
        raise KeyboardInterrupt

    graph.kernel.register_receipt_sink(interrupted)
    graph.kernel.register_receipt_sink(later.append)
    with pytest.raises(KeyboardInterrupt):
        graph.kernel.run(asking())
    assert later == graph.receipts
    assert later[0].status == "succeeded"


def test_an_interruption_that_another_thread_was_told_of_ends_the_wait() -> None:
    """The system may give the signal to any thread, and then does not wake the one that waits."""
    graph = Graph()
    release = threading.Event()

    def interrupting(step: PlanStep, context: ExecutionContext) -> Any:
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        release.wait(20)

    graph.executors["documents"] = interrupting
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        graph.kernel.run(asking())
    release.set()
    assert time.monotonic() - started < 5
    assert statuses(graph.receipts[0]) == ["succeeded", "failed", "cancelled"]


def test_an_executor_that_hangs_takes_eight_threads_and_no_more() -> None:
    graph = Graph()
    release = threading.Event()
    graph.executors["runtime"] = hanging(release)
    request = asking(candidate_layer_ids=("runtime",), budget=Budget(timeout_ms=20))
    for _ in range(40):
        assert graph.kernel.run(request).status == "failed"
    assert len(graph.executed) == 8
    patient = asking(candidate_layer_ids=("runtime",), budget=Budget(timeout_ms=20_000))
    error = graph.kernel.run(patient).steps[0].error
    assert error is not None and error.startswith("timeout: 8 earlier calls of layer runtime have not ended")
    assert len(graph.executed) == 8
    assert graph.kernel.run(asking(candidate_layer_ids=("documents",))).status == "succeeded"
    release.set()
    until = time.monotonic() + 10
    while graph.kernel.run(patient).status == "failed" and time.monotonic() < until:
        time.sleep(0.01)
    assert graph.kernel.run(patient).status == "succeeded"


def test_a_pool_has_a_ceiling_and_takes_its_threads_back() -> None:
    pool = Workers(2)
    release = threading.Event()
    done: SimpleQueue[None] = SimpleQueue()

    def job() -> Callable[[], None]:
        release.wait(20)
        return lambda: done.put(None)

    pool.submit(job)
    pool.submit(job)
    with pytest.raises(RuntimeError, match="2 calls are running"):
        pool.submit(job)
    release.set()
    assert answered(done, 10) and answered(done, 10)
    for _ in range(5):
        pool.submit(job)
        assert answered(done, 10)
    assert not answered(done, 0.01)


def test_a_process_ends_while_an_executor_hangs() -> None:
    code = (
        "import time; from tests.kernel.graphs import Graph, asking; from zeroclaw_cli.kernel.contracts import Budget\n"
        "graph = Graph(); graph.executors['runtime'] = lambda step, context: time.sleep(60)\n"
        "print(graph.kernel.run(asking(budget=Budget(timeout_ms=50))).status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "failed"
    assert not done.stderr


def test_executions_are_nested_as_deep_as_json_may_be() -> None:
    graph = Graph()

    def nesting(step: PlanStep, context: ExecutionContext) -> Any:
        left = step.input["left"]
        return graph.kernel.run(nested(left - 1)).status if left else "bottom"

    def nested(left: int) -> Request:
        return asking(candidate_layer_ids=("documents",), input={"left": left}, budget=Budget(timeout_ms=60_000))

    graph.executors["documents"] = nesting
    assert graph.kernel.run(nested(64)).status == "succeeded"
    assert len(graph.executed) == 65


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_every_pool_begins_anew_in_a_forked_process() -> None:
    pool = Workers()
    done: SimpleQueue[None] = SimpleQueue()
    job: Callable[[], Callable[[], None]] = lambda: lambda: done.put(None)  # noqa: E731
    pool.submit(job)
    assert answered(done, 10)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            pool.submit(job)
            status = 0 if answered(done, 5) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.slow
def test_a_hundred_thousand_plans_leave_nothing_behind() -> None:
    graph = Graph()
    kernel = MemoryKernel(graph.catalog, graph.topology)
    for _ in range(2_000):
        kernel.plan(asking())
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100_000):
        kernel.plan(asking())
    gc.collect()
    assert kernel.outstanding == 1024
    assert len(gc.get_objects()) < before + 1_000


def test_a_run_that_was_given_up_between_two_steps_starts_no_other() -> None:
    graph = Graph()
    plan = graph.kernel.plan(asking())
    steps = [BoundStep(step, graph.execute) for step in plan.steps]
    context = ExecutionContext(plan.id, graph.topology.snapshot(), plan.request, CancelToken())
    run = execution._Run(steps, context, Clockwork(lambda: "now", Secrets()))
    assert run.close() == ([], None)
    run.work()
    assert not graph.executed
    assert not execution._overdue.too_many(graph.execute)


def test_threads_that_had_nothing_to_do_end_and_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeroclaw_cli.kernel.workers._IDLE_S", 0.01)
    pool = Workers(1)
    done: SimpleQueue[None] = SimpleQueue()
    for _ in range(3):
        pool.submit(lambda: lambda: done.put(None))
        assert answered(done, 10)
        until = time.monotonic() + 10
        while pool._idle and time.monotonic() < until:
            time.sleep(0.01)
        assert not pool._idle
