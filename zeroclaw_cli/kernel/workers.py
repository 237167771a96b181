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
from typing import Final, TypeAlias

_IDLE_S: Final = 30.0

Job: TypeAlias = Callable[[], Callable[[], None]]


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
    """A pool without a ceiling: as many threads as calls that run at once, the last used first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: list[_Worker] = []

    def submit(self, job: Job) -> None:
        """Run ``job`` and then what it returns on a worker; neither may raise.

        Raises RuntimeError when no thread can be started.
        """
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is None:
            worker = _Worker(self)
            worker.inbox.put(job)
            Thread(target=worker.serve, name="memory-kernel-worker", daemon=True).start()
        else:
            worker.inbox.put(job)

    def forget(self) -> None:
        """Begin anew in a process that was forked: the threads stayed in the other one."""
        self._lock = Lock()
        self._idle = []

    def rest(self, worker: _Worker) -> None:
        with self._lock:
            self._idle.append(worker)

    def retire(self, worker: _Worker) -> bool:
        """Take an idle worker away; False when it was given work meanwhile."""
        with self._lock, suppress(ValueError):
            self._idle.remove(worker)
            return True
        return False


WORKERS: Final = Workers()
"""The pool of this process, shared by its kernels."""

os.register_at_fork(after_in_child=WORKERS.forget)
