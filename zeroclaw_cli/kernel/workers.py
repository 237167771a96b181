"""Threads that run executors, so that a caller can be released at its deadline (specs/memory-kernel.md §9).

A fresh thread costs more than handing work to an idle one, so workers wait a while for more. They are daemons: a
backend that hangs must not keep the process from ending.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, Final, TypeAlias
from weakref import WeakSet

MAX_WORKERS: Final = 256
"""Threads of one pool. Backends that hang keep theirs, and must not go on taking more at every call."""

SLICE_S: Final = 0.1
"""Seconds that a thread waits in one go. A signal is acted on between two waits of the main thread, whichever thread
the system gave it to."""

_IDLE_S: Final = 30.0

Job: TypeAlias = Callable[[], Callable[[], None]]


def answered(done: SimpleQueue[Any], seconds: float) -> bool:
    """Wait at most ``seconds`` for something in ``done``; True when it came."""
    deadline = monotonic() + seconds
    while True:
        left = deadline - monotonic()
        try:
            done.get(timeout=min(max(left, 0.0), SLICE_S))
        except Empty:
            if left <= SLICE_S:
                return False
        else:
            return True


class _Worker:
    __slots__ = ("inbox", "pool")

    def __init__(self, pool: Workers) -> None:
        self.pool = pool
        self.inbox: SimpleQueue[Job] = SimpleQueue()

    def serve(self) -> None:
        while True:
            try:
                job = self.inbox.get(timeout=_IDLE_S)
            except Empty:
                if self.pool.retire(self):
                    return
                continue
            deliver = job()
            # Idle before the result is out, so that the caller's next call finds this worker and not a fresh thread.
            self.pool.rest(self)
            deliver()
            del job, deliver


class Workers:
    """A pool of as many threads as there are calls at once, the last used first."""

    def __init__(self, most: int = MAX_WORKERS) -> None:
        self._most = most
        self.forget()
        _pools.add(self)

    def submit(self, job: Job) -> None:
        """Run ``job`` and then what it returns on a worker; neither may raise.

        Raises RuntimeError when no thread can be started, or when all are busy.
        """
        with self._lock:
            worker = self._idle.pop() if self._idle else None
            if worker is None:
                if self._count >= self._most:
                    raise RuntimeError(f"{self._count} calls are running and do not end")
                self._count += 1
        if worker is not None:
            worker.inbox.put(job)
            return
        worker = _Worker(self)
        worker.inbox.put(job)
        try:
            Thread(target=worker.serve, name="memory-kernel-worker", daemon=True).start()
        except BaseException:
            with self._lock:
                self._count -= 1
            raise

    def forget(self) -> None:
        """Begin anew in a process that was forked: the threads stayed in the other one."""
        self._lock = Lock()
        self._idle: list[_Worker] = []
        self._count = 0

    def rest(self, worker: _Worker) -> None:
        with self._lock:
            self._idle.append(worker)

    def retire(self, worker: _Worker) -> bool:
        """Take an idle worker away; False when it was given work meanwhile."""
        with self._lock, suppress(ValueError):
            self._idle.remove(worker)
            self._count -= 1
            return True
        return False


_pools: Final[WeakSet[Workers]] = WeakSet()

WORKERS: Final = Workers()
"""The pool of this process, shared by its kernels."""


def _forget_all() -> None:
    for pool in _pools:
        pool.forget()


def in_forked_processes(action: Callable[[], None]) -> None:
    """Call ``action`` in every process that is forked from this one, where the system forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


in_forked_processes(_forget_all)
