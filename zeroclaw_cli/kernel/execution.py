"""Running the steps of a claimed plan under one deadline (specs/memory-kernel.md §9)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock
from time import monotonic
from typing import Any, Final, NamedTuple

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.json_safe import freeze, kind_name
from zeroclaw_cli.kernel.operations import Plan, PlanStep, Receipt, ReceiptStep
from zeroclaw_cli.kernel.redaction import Secrets
from zeroclaw_cli.kernel.roles import ExecutionContext, Executor
from zeroclaw_cli.kernel.workers import WORKERS, answered, in_forked_processes

_log: Final = logging.getLogger(__name__)

CANCELLED: Final = "cancelled before it started"
_MAY_HAVE: Final = "the backend may have done it all the same"

MAX_OVERDUE: Final = 8
"""Calls of one executor that may be overdue. One that hangs must not take a thread at every call for ever."""


class BoundStep(NamedTuple):
    """A step and the executor that its layer had when the plan was claimed."""

    step: PlanStep
    execute: Executor | None


@dataclass(frozen=True, slots=True)
class Clockwork:
    """What a run needs from its kernel: the time as text, and redaction."""

    stamp: Callable[[], str]
    secrets: Secrets


class _Overdue:
    """How many calls of each executor were given up and have not ended. Those that are counted are alive."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._lock = Lock()
        self._counts: dict[int, int] = {}

    def add(self, execute: Executor | None, change: int) -> None:
        with self._lock:
            count = self._counts.pop(id(execute), 0) + change
            if count:
                self._counts[id(execute)] = count

    def too_many(self, execute: Executor) -> bool:
        return self._counts.get(id(execute), 0) >= MAX_OVERDUE


_overdue: Final = _Overdue()
in_forked_processes(_overdue.forget)


class _Run:
    """Shared by the caller and the worker. Once closed it takes no more results: the receipt is being written."""

    def __init__(self, steps: Sequence[BoundStep], context: ExecutionContext, clockwork: Clockwork) -> None:
        self.steps = steps
        self.context = context
        self.clockwork = clockwork
        self.done: SimpleQueue[None] = SimpleQueue()
        self._lock = Lock()
        self._closed = False
        self._results: list[ReceiptStep] = []
        self._started: str | None = None

    def work(self) -> Callable[[], None]:
        """In the worker: every step in order, until one comes too late."""
        for bound in self.steps:
            started = self.clockwork.stamp()
            with self._lock:
                if self._closed:
                    break
                self._started = started
            try:
                result = _run_step(bound, self.context, self.clockwork, started)
            except BaseException as error:  # noqa: BLE001
                # Whoever waits must get a result, whatever went wrong while it was made. No traceback: it may show what
                # the receipt must not.
                _log.error("the result of step %s could not be taken: %s", bound.step.id, kind_name(error))
                text = f"its result could not be taken; {_MAY_HAVE}"
                result = _result(bound, "failed", self.clockwork, started=started, error=text)
            with self._lock:
                if self._closed:
                    _overdue.add(bound.execute, -1)
                    _log.warning("step %s ended after its deadline (%s); discarded", bound.step.id, result.status)
                    break
                self._results.append(result)
                self._started = None
        return lambda: self.done.put(None)

    def close(self) -> tuple[list[ReceiptStep], str | None]:
        """The results so far, and when the step that runs now was started; later results are discarded."""
        with self._lock:
            if not self._closed and self._started is not None:
                _overdue.add(self.steps[len(self._results)].execute, 1)
            self._closed = True
            return self._results, self._started


def run_steps(
    steps: Sequence[BoundStep], context: ExecutionContext, timeout_ms: int, clockwork: Clockwork
) -> tuple[list[ReceiptStep], bool]:
    """A result for every step, and whether Ctrl-C ended the wait.

    The steps run one after the other in one worker. At the deadline the running step has failed, the token is
    cancelled, and the caller goes on without the worker.
    """
    deadline = monotonic() + timeout_ms / 1_000
    if context.cancel.cancelled:
        return _rest(steps, clockwork), False
    run = _Run(steps, context, clockwork)
    inherited = copy_context()
    try:
        try:
            WORKERS.submit(lambda: inherited.run(run.work))
        except RuntimeError as error:
            text = clockwork.secrets.clean(f"no thread could be started: {error}")
            return [_result(bound, "failed", clockwork, error=text) for bound in steps], False
        if answered(run.done, deadline - monotonic()):
            return run.close()[0], False
        return _cut(run, f"timeout: not done within {timeout_ms} ms; {_MAY_HAVE}"), False
    except KeyboardInterrupt:
        return _cut(run, f"interrupted; {_MAY_HAVE}"), True


def _cut(run: _Run, error: str) -> list[ReceiptStep]:
    """End ``run`` here: the step that is not done has failed with ``error``, the following are cancelled."""
    results, started = run.close()
    run.context.cancel.cancel()
    missing = run.steps[len(results) :]
    if not missing:
        return results
    failed = _result(missing[0], "failed", run.clockwork, started=started, error=error)
    return [*results, failed, *_rest(missing[1:], run.clockwork)]


def _rest(steps: Sequence[BoundStep], clockwork: Clockwork) -> list[ReceiptStep]:
    return [_result(bound, "cancelled", clockwork, error=CANCELLED) for bound in steps]


def _run_step(bound: BoundStep, context: ExecutionContext, clockwork: Clockwork, started: str) -> ReceiptStep:
    secrets, cancel = clockwork.secrets, context.cancel
    if cancel.cancelled:
        return _result(bound, "cancelled", clockwork, started=started, error=CANCELLED)
    if bound.execute is None:
        text = f"layer {bound.step.layer_id} has no executor"
        return _result(bound, "failed", clockwork, started=started, error=text)
    if _overdue.too_many(bound.execute):
        text = f"timeout: {MAX_OVERDUE} earlier calls of layer {bound.step.layer_id} have not ended; it was not called"
        return _result(bound, "failed", clockwork, started=started, error=text)
    try:
        output = bound.execute(bound.step, context)
    except BaseException as error:  # noqa: BLE001 - an executor that exits fails its step, not the process
        status = "cancelled" if cancel.cancelled else "failed"
        return _result(bound, status, clockwork, started=started, error=secrets.describe(error))
    try:
        frozen = freeze(output, "output")
    except KernelFailure as failure:
        text = secrets.clean(f"{failure.message}; {_MAY_HAVE}")
        return _result(bound, "failed", clockwork, started=started, error=text)
    return _result(bound, "succeeded", clockwork, started=started, output=frozen)


def _result(
    bound: BoundStep,
    status: str,
    clockwork: Clockwork,
    *,
    started: str | None = None,
    output: Any = None,
    error: str | None = None,
) -> ReceiptStep:
    finished = clockwork.stamp()
    return ReceiptStep(
        bound.step.id, bound.step.layer_id, status, started or finished, finished, bound.step.adapter_id, output, error
    )


def overall(steps: Sequence[ReceiptStep]) -> str:
    """The status of a receipt from those of its steps."""
    statuses = {step.status for step in steps}
    if statuses == {"cancelled"}:
        return "cancelled"
    if statuses == {"succeeded"}:
        return "succeeded"
    return "partial" if "succeeded" in statuses else "failed"


def receipt(id_: str, plan: Plan, started: str, finished: str, steps: Sequence[ReceiptStep]) -> Receipt:
    return Receipt(
        id_,
        plan.id,
        plan.topology_id,
        plan.topology_generation,
        plan.catalog_generation,
        plan.guard_generation,
        plan.strategy_id,
        plan.strategy_version,
        plan.operation,
        plan.capability,
        overall(steps),
        started,
        finished,
        tuple(steps),
    )
