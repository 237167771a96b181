"""The one worker that runs what must not delay an answer (specs/memory-providers.md §9, P-33 … P-37)."""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

_log: Final = logging.getLogger(__name__)

Kind = Literal["write", "prefetch"]
Status = Literal["not_started", "draining", "drained", "timed_out"]


class Drain(NamedTuple):
    """How the end of the work went: what was never started, and how many tasks still run."""

    status: Status = "not_started"
    abandoned_writes: int = 0
    abandoned_prefetches: int = 0
    active_tasks: int = 0


class _Task(NamedTuple):
    work: Callable[[], object]
    kind: Kind
    context: contextvars.Context


class Background:
    """Tasks in order, one at a time, on one daemon thread that starts with the first of them.

    An executor of the standard library would be joined when the interpreter ends, however long a provider hangs.
    """

    def __init__(self, name: str = "memory-background") -> None:
        self._name = name
        self._changed = threading.Condition()
        self._waiting: deque[_Task] = deque()
        self._thread: threading.Thread | None = None
        self._submitted = 0
        self._finished = 0
        self._running = False
        self._open = True
        self._drain = Drain()

    @property
    def drain(self) -> Drain:
        """How closing went, or goes."""
        with self._changed:
            return self._drain

    def submit(self, work: Callable[[], object], kind: Kind) -> bool:
        """Run ``work`` after what was submitted before, under a copy of the caller's context variables.

        False, with a warning, when the worker no longer accepts anything.
        """
        task = _Task(work, kind, contextvars.copy_context())
        with self._changed:
            if not self._open:
                _log.warning("Memory is shutting down; a late %s task is rejected", kind)
                return False
            if self._start():
                self._submitted += 1
                self._waiting.append(task)
                self._changed.notify_all()
                return True
        # No thread is to be had: a turn that is late is better than one that is lost.
        _run(task)
        return True

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was submitted so far has run; False if that took longer than ``timeout`` seconds.

        False too when the worker itself asks, or when something was abandoned.
        """
        with self._changed:
            target = self._submitted
            if self._finished >= target:
                return True
            if threading.current_thread() is self._thread:
                return False
            self._changed.wait_for(lambda: self._finished >= target or self._drain.status == "timed_out", timeout)
            return self._finished >= target

    def close(self, timeout: float) -> Drain:
        """Accept nothing more, let what waits run for ``timeout`` seconds, drop the rest and say what that was."""
        deadline = time.monotonic() + timeout
        with self._changed:
            if not self._open:
                return self._drain
            self._open = False
            self._drain = Drain("draining", active_tasks=int(self._running))
            self._changed.notify_all()
            if threading.current_thread() is not self._thread:
                self._changed.wait_for(self._idle, max(0.0, deadline - time.monotonic()))
            if self._idle():
                self._drain = Drain("drained")
            else:
                kinds = [task.kind for task in self._waiting]
                self._waiting.clear()
                self._drain = Drain(
                    "timed_out", kinds.count("write"), kinds.count("prefetch"), active_tasks=int(self._running)
                )
            self._changed.notify_all()
            return self._drain

    def _idle(self) -> bool:
        return not self._waiting and not self._running

    def _start(self) -> bool:
        if self._thread is not None:
            return True
        thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            _log.warning("Memory's background worker cannot start: %s", error)
            return False
        self._thread = thread
        return True

    def _serve(self) -> None:
        while (task := self._next()) is not None:
            _run(task)
            # Nothing of a finished turn is kept alive by an idle worker.
            del task
            with self._changed:
                self._running = False
                self._finished += 1
                self._changed.notify_all()

    def _next(self) -> _Task | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or not self._open)
            if not self._waiting:
                return None
            self._running = True
            return self._waiting.popleft()


def _run(task: _Task) -> None:
    try:
        task.context.run(task.work)
    except BaseException as error:  # noqa: BLE001 - the worker outlives whatever a task does
        _log.warning("Memory's background work failed: %s", type(error).__name__)


def state_of(drain: Drain) -> dict[str, Any]:
    """``drain`` as the dict that ``MemoryManager.shutdown_drain_state`` gives."""
    return dict(drain._asdict())
