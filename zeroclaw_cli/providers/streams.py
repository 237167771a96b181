"""Keeping what providers print off the stdout that belongs to the command, whose stdout is data.

``redirect_stdout`` would take the stream from every thread at once, the host's own printing included. Here
``sys.stdout`` is a router that asks at each write whose code is running: a provider's goes to stderr. Whose it is
follows the context variables, and a thread that provider code starts is marked as it starts. A command, to which the
whole process belongs, takes :func:`own_stdout` besides: then also file descriptor 1, which child processes and C code
write to, leads to stderr, and a stream that a provider put in the place of ``sys.stdout`` is taken away again.
"""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from typing import Any, BinaryIO, Final, NamedTuple, TextIO, cast

from zeroclaw_cli.providers.home import lend_home
from zeroclaw_cli.providers.process import end_before_daemons, end_within, guard_exit, one_process

_provider_code: Final[ContextVar[bool]] = ContextVar("zeroclaw_provider_code", default=False)
_provider_threads: Final[weakref.WeakSet[threading.Thread]] = weakref.WeakSet()
_changing: Final = threading.RLock()
_marking = False
# Calls into providers that are under way, in any thread.
_calls = 0
# The router that must be sys.stdout while own_stdout is entered, and how often it is.
_held: _Router | None = None
_entered = 0


class _Hold(NamedTuple):
    """What own_stdout did: the router, what it prints to, and the descriptor that was stdout's, if there is one."""

    router: _Router
    before: TextIO
    own: TextIO
    private: int | None


# Those that are not undone yet.
_holds: Final[list[_Hold]] = []


def runs_provider_code() -> bool:
    """Whether the present context, or the thread that it runs in, is a provider's."""
    return _provider_code.get() or threading.current_thread() in _provider_threads


@contextmanager
def provider_output() -> Iterator[None]:
    """What the block prints goes to stderr, and so does what threads print that it starts. It cannot end the process
    by ``os._exit`` either, and what it forks ends with it."""
    global _calls
    _mark_threads()
    guard_exit(runs_provider_code)
    _route()
    token = _provider_code.set(True)
    with _changing:
        _calls += 1
    try:
        with one_process():
            yield
    finally:
        with _changing:
            _calls -= 1
        _provider_code.reset(token)
        take_back()


@contextmanager
def own_stdout() -> Iterator[None]:
    """For a command that runs providers: ``sys.stdout`` is the host's alone, and descriptor 1 is stderr's.

    Entered before a provider is loaded. When it is left while provider code still runs in some thread, the descriptor
    stays as it is until it is left another time, or the process ends.
    """
    global _entered, _held
    with _changing:
        _entered += 1
        if _entered == 1 and sys.stdout is not None:
            _held = _hold(sys.stdout)
    try:
        yield
    finally:
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        finally:
            with _changing:
                _entered -= 1
                if _entered == 0:
                    _held = None
                    _let_go()


def end_command(code: int) -> None:
    """End the command as :func:`end_within` does. Its output is complete: whatever the exit handlers, threads and child
    processes of a provider print from here on goes to stderr."""
    if end_within(code):
        for descriptor in (1, *(hold.private for hold in _holds if hold.private is not None)):
            _lead_to_stderr(descriptor)
        end_before_daemons(code)


def _hold(before: TextIO) -> _Router:
    for hold in _holds:
        if hold.router is cast(object, before):
            return hold.router
    own, private = _move_descriptor(before)
    router = _Router(own)
    _holds.append(_Hold(router, before, own, private))
    sys.stdout = cast(TextIO, router)
    return router


def _let_go() -> None:
    runs_on = _runs_on()
    kept = []
    for hold in reversed(_holds):
        if runs_on and hold.private is not None:
            kept.append(hold)
            continue
        if sys.stdout is cast(TextIO, hold.router):
            # A thread that provider code starts later may print too.
            sys.stdout = hold.before if isinstance(hold.before, _Router) else cast(TextIO, _Router(hold.before))
        if hold.private is not None:
            # Whoever kept the router prints to the stream that has descriptor 1 again.
            hold.router.print_to(hold.before)
            os.dup2(hold.private, 1)
            with suppress(OSError):
                hold.own.close()
    _holds[:] = reversed(kept)


def _runs_on() -> bool:
    """Whether provider code is running somewhere."""
    return _calls > 0 or any(thread.is_alive() for thread in list(_provider_threads))


def take_back() -> None:
    """Undo what a provider did to ``sys.stdout`` and to the root logger's handlers, where stdout is ours alone."""
    held = _held
    if held is None:
        return
    if sys.stdout is not cast(TextIO, held):
        sys.stdout = cast(TextIO, held)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler) and handler.stream is held:
            handler.setStream(sys.stderr)


class _Router:
    """Stands for ``sys.stdout``: every attribute is the host's stream's, or that of the talk for a provider."""

    __slots__ = ("__weakref__", "_own")

    def __init__(self, own: TextIO) -> None:
        self._own = own

    def print_to(self, own: TextIO) -> None:
        self._own = own

    def write(self, text: str) -> int:
        return _talk.write(text) if runs_provider_code() else self._own.write(text)

    def flush(self) -> None:
        (_talk if runs_provider_code() else self._own).flush()

    def __getattr__(self, name: str) -> Any:
        if name in _Router.__slots__:
            raise AttributeError(name)
        return getattr(_talk if runs_provider_code() else self._own, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)


class _TalkBytes(io.RawIOBase):
    """The bytes of stderr; closing it, as whoever wraps it anew does at last, closes nothing."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def write(self, data: Any) -> int:
        return os.write(2, data)


class _Talk:
    """stderr, as a provider has it for its stdout: what is done to it but writing does nothing to the host's."""

    errors = "backslashreplace"
    newlines = None
    closed = False
    line_buffering = True

    @property
    def encoding(self) -> str:
        return getattr(sys.stderr, "encoding", None) or "utf-8"

    @property
    def buffer(self) -> BinaryIO:
        return cast(BinaryIO, _TalkBytes())

    def write(self, text: str) -> int:
        stream = sys.stderr
        # A process may have no stderr, and a provider may have made it what stdout is.
        if stream is None or isinstance(stream, _Router):
            return len(text)
        if not _is_descriptor_2(stream):
            return stream.write(text)
        # Not through its buffer: a daemon thread that is writing when the process ends must not hold the lock of the
        # buffer that the interpreter then flushes.
        data = text.encode(self.encoding, self.errors)
        while data:
            data = data[os.write(2, data) :]
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if sys.stderr is not None and not isinstance(sys.stderr, _Router):
            sys.stderr.flush()

    def fileno(self) -> int:
        return 2

    def isatty(self) -> bool:
        return False

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def detach(self) -> BinaryIO:
        return self.buffer

    def close(self) -> None:
        pass

    def reconfigure(self, **_: Any) -> None:
        pass


_talk: Final = _Talk()


def _is_descriptor_2(stream: TextIO) -> bool:
    try:
        return stream.fileno() == 2
    except (OSError, ValueError, AttributeError):
        return False


def _mark_threads() -> None:
    """Let every thread that provider code starts be known as such: a plain thread inherits no context variables."""
    global _marking
    with _changing:
        if _marking:
            return
        _marking = True
        start = threading.Thread.start

        @wraps(start)
        def start_marked(thread: threading.Thread) -> None:
            if runs_provider_code():
                # A class of threads may be such that none of them can be referred to weakly.
                with suppress(TypeError):
                    _provider_threads.add(thread)
                    lend_home(thread)
            start(thread)

        # No version of Python that we run on tells otherwise of the start of a thread, in the thread that starts it.
        threading.Thread.start = start_marked  # type: ignore[assignment, method-assign]


def _route() -> None:
    with _changing:
        if sys.stdout is not None and not isinstance(sys.stdout, _Router):
            sys.stdout = cast(TextIO, _Router(sys.stdout) if _held is None else _held)


def _move_descriptor(stream: TextIO) -> tuple[TextIO, int | None]:
    """The stream to print to, and the descriptor that is now stdout's; none if ``stream`` is not on descriptor 1."""
    try:
        if stream.fileno() != 1:
            return stream, None
        stream.flush()
    except (OSError, ValueError, AttributeError):
        return stream, None
    private = os.dup(1)
    _lead_to_stderr(1)
    buffering = 1 if stream.isatty() else -1
    return open(private, "w", buffering, encoding=stream.encoding, errors=stream.errors), private  # noqa: PTH123


def _lead_to_stderr(descriptor: int) -> None:
    try:
        os.dup2(2, descriptor)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
