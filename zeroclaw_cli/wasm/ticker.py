"""Time limits of guest calls: one ticking thread, and signals that end a running call.

The engine stops compiled code when its epoch passes a store's deadline. The epoch belongs to the whole engine, so it
cannot be moved for one call alone; it is a clock, advanced every 20 ms while any call runs, and each store counts its
own ticks on it.

A signal's Python handler runs on the main thread only, and not before that thread leaves the engine. While the main
thread runs a guest, the signal's number is therefore also written to a pipe which the ticking thread reads; it then
moves the epoch past every deadline, the call ends, and the handler that was there before runs
(:class:`Interruptible`). Inside a callback of the engine an exception from a handler would be lost, which is why the
handlers are set aside for the time of the call.
"""

from __future__ import annotations

import math
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final, Protocol

from zeroclaw_cli.wasm.engine import increment_epoch

TICK_S: Final = 0.02
_SLEEP_AFTER_S = 1.0
# How many ticks one wake-up may make up for: a process that was stopped for a minute did not compute for a minute.
_MOST_LATE_TICKS = 5
# SIGINT's handler comes back last.
_SIGNALS: Final = (int(signal.SIGINT), int(signal.SIGTERM), int(signal.SIGHUP))
_SIGNAL_BYTES: Final = frozenset(_SIGNALS)
_WAKE: Final = b"\0"


class Ticker:
    """Advances the engine's epoch while calls run; asleep when none has run for a second."""

    def __init__(self) -> None:
        self._increment = increment_epoch()
        self._lock = threading.Lock()
        self._active = 0
        self._awake = False
        self._idle_since = 0.0
        self._longest = 0
        self._interruptible = False
        # How often the running calls were ended, so that a call can tell what ended it.
        self.kicks = 0
        self._process = 0
        self._read = self._write = -1
        # The ticking thread may hold the lock at the moment of a fork, and is not there to release it in the child.
        os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self) -> None:
        self._lock = threading.Lock()

    @property
    def wakeup_fd(self) -> int:
        return self._write

    def begin(self, timeout_s: float) -> int:
        """Announce a call; gives the deadline to set on its store, in ticks from now."""
        # Two more than it takes: the tick under way, and one that the ticking thread may be late with.
        ticks = math.ceil(timeout_s / TICK_S) + 2
        with self._lock:
            if self._process != os.getpid():
                self._start()
            self._active += 1
            self._longest = max(self._longest, ticks)
            if not self._awake:
                self._awake = True
                os.write(self._write, _WAKE)
        return ticks

    def end(self) -> None:
        """The announced call is over."""
        with self._lock:
            self._active -= 1
            if self._active == 0:
                self._idle_since = time.monotonic()
                self._longest = 0

    def arm(self) -> None:
        """From now on a signal number in the pipe ends the running calls."""
        with self._lock:
            if self._process != os.getpid():
                self._start()
            self._interruptible = True

    def disarm(self, *, drain: bool) -> None:
        """No longer; ``drain`` when there were signals, so that they do not end a later call."""
        with self._lock:
            self._interruptible = False
            if drain:
                with suppress(BlockingIOError):
                    os.read(self._read, 512)

    def kick(self) -> None:
        """Move the epoch past every deadline that is set, so that every running call ends now."""
        with self._lock:
            self._pass_deadlines()

    def _pass_deadlines(self) -> None:
        # Under the lock, so that no call begins meanwhile, which would be ended with those that run.
        self.kicks += 1
        for _ in range(self._longest + 1):
            self._increment()

    def _start(self) -> None:
        """Start the ticking thread, again in a child process, which inherits the object and no thread."""
        self._read, self._write = _pipe()
        self._process = os.getpid()
        self._active = 0
        self._awake = False
        threading.Thread(target=self._tick, name="zeroclaw-ticker", daemon=True).start()

    def _tick(self) -> None:
        last = time.monotonic()
        awake = False
        while True:
            readable, _, _ = select.select([self._read], [], [], TICK_S if awake else None)
            if readable:
                with suppress(BlockingIOError):
                    numbers = os.read(self._read, 512)
                    if not _SIGNAL_BYTES.isdisjoint(numbers):
                        with self._lock:
                            # Not when the call that it came in is over.
                            if self._interruptible:
                                self._pass_deadlines()
            now = time.monotonic()
            if not awake:
                last = now
            due = int((now - last) / TICK_S)
            for _ in range(min(due, _MOST_LATE_TICKS)):
                self._increment()
            last += due * TICK_S
            with self._lock:
                if self._active == 0 and now - self._idle_since > _SLEEP_AFTER_S:
                    self._awake = False
                awake = self._awake


def _pipe() -> tuple[int, int]:
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    return read, write


@cache
def ticker() -> Ticker:
    """The ticker of the process."""
    return Ticker()


class Cancellable(Protocol):
    cancelled: bool


# The functions of `signal` wrap these in enumerations, which takes longer than a short guest call.
_raw: Any = sys.modules.get("_signal", signal)
_set_handler: Callable[[int, Any], Any] = _raw.signal
_get_handler: Callable[[int], Any] = _raw.getsignal


class Interruptible:
    """For the time of its block, lets SIGINT, SIGTERM and SIGHUP end a guest call on this thread and sets
    ``control.cancelled``; afterwards the handlers that were there run. Does nothing outside the main thread, where no
    signal is handled."""

    def __init__(self, control: Cancellable) -> None:
        self._control = control
        self._caught: list[int] = []
        self._replaced: list[tuple[int, Any]] = []
        self._previous = -1
        self._on = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if not self._on:
            return
        clock = ticker()
        clock.arm()
        self._previous = signal.set_wakeup_fd(clock.wakeup_fd, warn_on_full_buffer=False)
        try:
            for number in _SIGNALS:
                handler = _get_handler(number)
                if callable(handler):
                    self._replaced.append((number, handler))
                    _set_handler(number, self._catch)
        except BaseException:
            # A signal came just before its handler was set aside.
            self.__exit__()
            raise

    def _catch(self, number: int, _frame: Any) -> None:
        self._caught.append(number)
        self._control.cancelled = True

    def __exit__(self, *exc: Any) -> None:
        if not self._on:
            return
        # The handlers come last: from then on a signal raises here.
        signal.set_wakeup_fd(self._previous)
        ticker().disarm(drain=bool(self._caught))
        for number, handler in reversed(self._replaced):
            _set_handler(number, handler)
        for number, handler in self._replaced:
            if number in self._caught:
                if self._previous != -1:
                    with suppress(OSError):
                        os.write(self._previous, bytes([number]))
                handler(number, None)
