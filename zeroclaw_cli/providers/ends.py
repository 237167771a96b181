"""Telling what a provider raises from what ends the whole process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

# Whether this is a thread of the host's own, where nothing that is raised comes from outside or is for a caller.
_detached: Final[ContextVar[bool]] = ContextVar("zeroclaw_detached", default=False)


def ends_the_host(error: BaseException) -> bool:
    """Whether ``error``, caught around a provider's code, came from outside of it: Ctrl-C, or a signal that asks the
    command to end, for which the command line has a class of its own. Everything else is the provider's, and so is
    all that is raised on a thread that :func:`apart` marks: signals only reach the main one."""
    if _detached.get():
        return False
    if isinstance(error, KeyboardInterrupt):
        return True
    return not isinstance(error, Exception) and type(error).__module__.startswith("zeroclaw_cli.cli.")


@contextmanager
def apart() -> Iterator[None]:
    """Mark the block as run on a thread of the host's own."""
    token = _detached.set(True)
    try:
        yield
    finally:
        _detached.reset(token)


def detached(work: Callable[[], object]) -> Callable[[], None]:
    """``work`` for a thread of the host's own."""

    def run() -> None:
        with apart():
            work()

    return run
