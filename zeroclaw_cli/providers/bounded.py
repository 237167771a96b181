"""Calls into a provider on a thread that is kept for it, for a limited time.

The thread of the command waits, so that a signal reaches it whatever the provider does. One call after the other runs
on the same thread, as long as it comes back: what a provider makes in one call, for instance a connection of SQLite, it
may use in the next.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from zeroclaw_cli.providers.ends import apart

T = TypeVar("T")

# Importing large libraries for the first time takes a while.
LOAD_WITHIN_S: Final = 60.0
# What a hook does may ask a model or a service.
HOOK_WITHIN_S: Final = 120.0
# What only looks at config, environment and modules (specs/memory-providers.md §5) has no reason to take longer.
ANSWER_WITHIN_S: Final = 10.0


class Late(Exception):
    """A call did not come back in time. It may go on on its thread, which is not used again before it does."""


class _Order(Generic[T]):
    """One call, with the context variables of whoever asked for it."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._context = contextvars.copy_context()
        self._results: list[T] = []
        self._failure: BaseException | None = None
        self.done = threading.Event()

    def run(self) -> None:
        try:
            self._results.append(self._context.run(self._apart))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._failure = error

    def outcome(self) -> T:
        if self._failure is None:
            return self._results[0]
        if isinstance(self._failure, Exception):
            raise self._failure
        # On the thread that waits it would be taken for Ctrl-C, or end it.
        raise RuntimeError(type(self._failure).__name__) from self._failure

    def _apart(self) -> T:
        with apart():
            return self._function()


class _Worker(threading.Thread):
    """A daemon thread that runs one order after the other."""

    def __init__(self) -> None:
        super().__init__(name="memory-provider", daemon=True)
        self._wanted = threading.Semaphore(0)
        self._order: _Order[object] | None = None
        self._began = False
        self.start()

    @property
    def daemon(self) -> bool:
        """A thread that a provider starts from here is none by itself, as if it were started from the main one: what
        it does is not cut off when the command ends."""
        return not self._began

    @daemon.setter
    def daemon(self, wanted: bool) -> None:
        raise RuntimeError("this thread is a daemon")

    def give(self, order: _Order[T]) -> None:
        self._order = order  # type: ignore[assignment]
        self._wanted.release()

    def run(self) -> None:
        self._began = True
        while True:
            self._wanted.acquire()
            order, self._order = self._order, None
            assert order is not None
            order.run()
            # The last to come back is the next to be used.
            _idle.append(self)
            order.done.set()
            del order


_idle: Final[list[_Worker]] = []


def call(function: Callable[[], T], within_s: float) -> T:
    """The result of ``function()``, which runs on the provider's thread; what it raises is raised here.

    Raises Late after ``within_s`` seconds. On a provider's thread itself it is simply called.
    """
    if isinstance(threading.current_thread(), _Worker):
        return function()
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    order = _Order(function)
    worker.give(order)
    if not order.done.wait(within_s):
        raise Late
    return order.outcome()
