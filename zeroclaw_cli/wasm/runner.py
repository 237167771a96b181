"""Where a guest runs: on the caller's thread, or on one of its own.

The epoch ends compiled code at its deadline (:mod:`zeroclaw_cli.wasm.ticker`), but nothing ends the engine itself. So a
call runs on a thread of the instance, and can be left behind there with its store, whenever the engine may take long:
for results that are lists, since a guest can return a list whose copying takes seconds, for a guest that imports
functions of WASI which the engine implements, and for one that has much memory or may have very much, since filling it
is one instruction and a text may be as large; and whenever the process has small stacks. All other calls run on the
caller's thread, since handing a call to another thread and back takes longer than the call; what memory a guest gets
there is touched first (:mod:`zeroclaw_cli.wasm.guest_memory`).
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, Protocol, TypeVar

from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.wasm.ticker import Interruptible, ticker

T = TypeVar("T")

# The engine lets a guest use half a mebibyte of its thread's stack without asking how large that is; a guest that
# recurses on a smaller one would take the whole process with it. Host functions need some besides.
_STACK_BYTES: Final = 4 * 1024 * 1024
# How long after a call's deadline its thread is given up; the epoch fires at most two ticks late.
GRACE_S: Final = 0.15
_INTERRUPTION_S: Final = 0.8
# A guest can write some hundred megabytes a second.
_WATCH_S: Final = 0.1


class Control:
    """What a running job and the one who waits for it tell each other. ``deadline`` is the monotonic second by which
    the present guest call must be over; a job looks at ``cancelled`` between its guest calls."""

    __slots__ = ("cancelled", "deadline", "reason")

    def __init__(self) -> None:
        self.cancelled = False
        # Why it was cancelled, when the person did not ask for it.
        self.reason: MemoryFailure | None = None
        self.deadline = math.inf


def stacks_are_small() -> bool:
    """Whether this process runs under a limit that leaves its threads too little stack for a guest."""
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    chosen = threading.stack_size()
    # Asking for it has set it to the system's.
    threading.stack_size(chosen)
    return 0 <= limit < _STACK_BYTES or 0 < chosen < _STACK_BYTES


class Abandoned(Exception):
    """The guest did not come back from a host function; its thread keeps the store."""


class Runner(Protocol):
    def run(self, job: Callable[[Control], T]) -> T:
        """The result of ``job``. Raises what it raises, what a signal's handler raises, and Abandoned."""
        ...

    def close(self, release: Callable[[], None]) -> None:
        """End the runner; ``release`` frees what the jobs used, once no job uses it any more."""
        ...


class InlineRunner:
    """Runs jobs on the caller's thread; on the main thread a signal ends the guest call and cancels the job."""

    def run(self, job: Callable[[Control], T]) -> T:
        control = Control()
        with Interruptible(control):
            return job(control)

    def close(self, release: Callable[[], None]) -> None:
        release()


class _Task:
    def __init__(self, job: Callable[[Control], Any]) -> None:
        self.job = job
        self.control = Control()
        self.finished = threading.Lock()
        self.finished.acquire()
        self.value: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.value = self.job(self.control)
        except BaseException as error:  # noqa: BLE001 - raised again on the caller's thread
            self.error = error
        finally:
            self.finished.release()


class WorkerRunner:
    """Runs jobs one after the other on a thread of its own. ``watch`` is asked every now and then while one runs; an
    error that it gives ends the guest's call."""

    def __init__(self, watch: Callable[[], MemoryFailure | None] | None = None) -> None:
        self._watch = watch
        self._thread: threading.Thread | None = None
        self._process = 0

    def run(self, job: Callable[[Control], T]) -> T:
        # A child process inherits the object and no thread.
        if self._thread is None or self._process != os.getpid():
            self._start()
        task = _Task(job)
        self._tasks.put(task)
        try:
            while not task.finished.acquire(timeout=self._patience(task.control)):
                if time.monotonic() > task.control.deadline + GRACE_S:
                    task.control.cancelled = True
                    raise Abandoned
                if self._watch is not None and task.control.reason is None:
                    task.control.reason = self._watch()
                    if task.control.reason is not None:
                        task.control.cancelled = True
                        ticker().kick()
        except Abandoned:
            raise
        except BaseException:
            # A signal's handler raised; the guest gets a moment to end, so that its store can be freed.
            task.control.cancelled = True
            ticker().kick()
            task.finished.acquire(timeout=_INTERRUPTION_S)
            raise
        if task.error is not None:
            raise task.error
        value: T = task.value
        return value

    def close(self, release: Callable[[], None]) -> None:
        if self._thread is None or self._process != os.getpid():
            release()
        else:
            # Behind the last task, so an abandoned guest keeps its store until it returns, if it ever does.
            self._tasks.put(release)

    def _patience(self, control: Control) -> float:
        left = _patience(control)
        return left if self._watch is None else min(left, _WATCH_S)

    def _start(self) -> None:
        self._process = os.getpid()
        self._tasks: SimpleQueue[_Task | Callable[[], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, args=(self._tasks,), name="zeroclaw-guest", daemon=True)
        before = threading.stack_size(_STACK_BYTES)
        try:
            self._thread.start()
        finally:
            threading.stack_size(before)

    @staticmethod
    def _work(tasks: SimpleQueue[_Task | Callable[[], None]]) -> None:
        while True:
            task = tasks.get()
            if isinstance(task, _Task):
                task.run()
                del task
            else:
                task()
                return


def _patience(control: Control) -> float:
    """Seconds to wait before looking at the deadline again, which the job moves with each of its guest calls."""
    if control.deadline == math.inf:
        return 0.05
    return max(0.005, control.deadline + GRACE_S - time.monotonic() + 0.005)
