"""Keeping provider code from ending this process, from doubling it, and from keeping it alive.

Nothing here is a sandbox: it is for code that does not mean harm, and tells of what it does.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Final, NoReturn

# What a thread or an exit handler of a provider gets when the command has done its work.
GRACE_S: Final = 10.0
# The name of the thread that ends the process then.
_ENDING: Final = "memory-end"
_exit: Final = os._exit
_changing: Final = threading.Lock()
_guarded = False
_free = False
# The providers whose code this process ran.
_ran: Final[dict[str, None]] = {}


def guard_exit(runs_provider_code: Callable[[], bool]) -> None:
    """Let ``os._exit`` in provider code of this process raise SystemExit, which is a failure like any other."""
    global _guarded
    with _changing:
        if _guarded:
            return
        _guarded = True
        host = os.getpid()

        @wraps(_exit)
        def exit_or_raise(status: int) -> NoReturn:
            # A child that provider code forked ends as it wants to.
            if os.getpid() == host and runs_provider_code():
                raise SystemExit(status)
            _exit(status)

        os._exit = exit_or_raise


def ran(name: str) -> None:
    """Remember that code of provider ``name`` runs in this process."""
    _ran[name] = None


@contextmanager
def one_process() -> Iterator[None]:
    """A process that is forked within the block ends with it: it would go on as a second host."""
    before = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != before:
            _exit(0)


def go_on() -> None:
    """Let what provider code started keep the process: the person runs the provider's own command."""
    global _free
    _free = True


def end_within(code: int) -> bool:
    """End the process with ``code``, ``GRACE_S`` from now, if threads or exit handlers still keep it then.

    For the very end of a command: nothing but the interpreter's own end may follow. Does nothing and returns False
    where no provider code ran, or :func:`go_on` was called.
    """
    if not _guarded or _free:
        return False
    import signal
    import sys

    for stream in (sys.stdout, sys.stderr):
        # Ended from another thread, the process would not write what is still in its buffers.
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Nothing is left to unwind, and an exception would only be printed.
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)

    def watch() -> None:
        # The main thread is not joined: the interpreter waits in it for the workers of every executor.
        time.sleep(GRACE_S)
        whose = " and ".join(f"'{name}'" for name in _ran) or "that ran"
        line = f"warning: something of memory provider {whose} still runs after {GRACE_S:g} seconds and is given up\n"
        with suppress(OSError):
            os.write(2, line.encode("ascii", "replace"))
        _exit(code)

    threading.Thread(target=watch, name=_ENDING, daemon=True).start()
    return True


def end_before_daemons(code: int) -> None:
    """Where daemon threads of a provider still run, do what the interpreter does at its end and end the process.

    An interpreter that is taken down beneath such a thread may abort: native code cannot be stopped in its middle.
    """
    import atexit
    import gc
    import io

    if not any(thread.daemon and thread.name != _ENDING for thread in threading.enumerate()):
        return
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for found in gc.get_objects():
        if isinstance(found, io.IOBase):
            # What a file still holds would be written when the interpreter lets go of it.
            with suppress(OSError, ValueError):
                found.flush()
    _exit(code)
