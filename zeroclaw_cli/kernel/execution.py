"""Running the steps of a claimed plan under one deadline (specs/memory-kernel.md §9)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic
from typing import Any, Final, NamedTuple

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.json_safe import freeze
from zeroclaw_cli.kernel.operations import Plan, PlanStep, Receipt, ReceiptStep
from zeroclaw_cli.kernel.redaction import Secrets
from zeroclaw_cli.kernel.roles import ExecutionContext, Executor
from zeroclaw_cli.kernel.workers import WORKERS

_log: Final = logging.getLogger(__name__)

CANCELLED: Final = "cancelled before it started"
_MAY_HAVE: Final = "the backend may have done it all the same"


class BoundStep(NamedTuple):
    """A step and the executor that its layer had when the plan was claimed."""

    step: PlanStep
    execute: Executor | None


@dataclass(frozen=True, slots=True)
class Clockwork:
    """What a run needs from its kernel: the time as text, and redaction."""

    stamp: Callable[[], str]
    secrets: Secrets


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
            self._started = started
            result = _run_step(bound, self.context, self.clockwork, started)
            with self._lock:
                if self._closed:
                    _log.warning("step %s ended after its deadline (%s); discarded", bound.step.id, result.status)
                    break
                self._results.append(result)
                self._started = None
        return lambda: self.done.put(None)

    def close(self) -> tuple[list[ReceiptStep], str | None]:
        """The results so far, and when the step that runs now was started; later results are discarded."""
        with self._lock:
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
        WORKERS.submit(lambda: inherited.run(run.work))
        run.done.get(timeout=max(0.0, deadline - monotonic()))
    except Empty:
        return _cut(run, f"timeout: not done within {timeout_ms} ms; {_MAY_HAVE}"), False
    except KeyboardInterrupt:
        return _cut(run, f"interrupted; {_MAY_HAVE}"), True
    except RuntimeError as error:
        text = clockwork.secrets.clean(f"no thread could be started: {error}")
        return [_result(bound.step, "failed", clockwork, error=text) for bound in steps], False
    return run.close()[0], False


def _cut(run: _Run, error: str) -> list[ReceiptStep]:
    """End ``run`` here: the step that is not done has failed with ``error``, the following are cancelled."""
    results, started = run.close()
    run.context.cancel.cancel()
    missing = run.steps[len(results) :]
    if not missing:
        return results
    failed = _result(missing[0].step, "failed", run.clockwork, started=started, error=error)
    return [*results, failed, *_rest(missing[1:], run.clockwork)]


def _rest(steps: Sequence[BoundStep], clockwork: Clockwork) -> list[ReceiptStep]:
    return [_result(bound.step, "cancelled", clockwork, error=CANCELLED) for bound in steps]


def _run_step(bound: BoundStep, context: ExecutionContext, clockwork: Clockwork, started: str) -> ReceiptStep:
    step, execute = bound
    secrets = clockwork.secrets
    if context.cancel.cancelled:
        return _result(step, "cancelled", clockwork, started=started, error=CANCELLED)
    if execute is None:
        text = f"layer {step.layer_id} has no executor"
        return _result(step, "failed", clockwork, started=started, error=text)
    try:
        output = execute(step, context)
    except BaseException as error:  # noqa: BLE001 - an executor that exits fails its step, not the process
        status = "cancelled" if context.cancel.cancelled else "failed"
        return _result(step, status, clockwork, started=started, error=secrets.describe(error))
    try:
        frozen = freeze(output, "output")
    except KernelFailure as failure:
        text = secrets.clean(f"{failure.message}; {_MAY_HAVE}")
        return _result(step, "failed", clockwork, started=started, error=text)
    return _result(step, "succeeded", clockwork, started=started, output=frozen)


def _result(
    step: PlanStep,
    status: str,
    clockwork: Clockwork,
    *,
    started: str | None = None,
    output: Any = None,
    error: str | None = None,
) -> ReceiptStep:
    finished = clockwork.stamp()
    return ReceiptStep(step.id, step.layer_id, status, started or finished, finished, step.adapter_id, output, error)


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
