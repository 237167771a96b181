"""The home that a provider's data hangs below, as provider code asks for it (specs/memory-providers.md §14).

Several homes may be in use in one process. The home of the code that asks is, in this order: the one of the context
(:func:`using_home`), which the threads of the host inherit; the one that the asking module was loaded for, which holds
in threads that a provider starts by itself; the one of the code that started the thread, which holds in the workers of
an executor, where no module of a provider need be at work; the one that the environment chooses.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Final

# Every module of a provider is below this name, which is that of no real package.
NAMESPACE: Final = "_zeroclaw_providers"

_HOME: Final[ContextVar[Path | None]] = ContextVar("zeroclaw_provider_home", default=None)
# Second segment of a provider module's name -> the home it was loaded for.
_HOMES_OF_MODULES: Final[dict[str, Path]] = {}
_HOMES_OF_THREADS: Final[weakref.WeakKeyDictionary[threading.Thread, Path]] = weakref.WeakKeyDictionary()


def get_vibeos_home() -> Path:
    """The absolute home of the code that asks. Nothing is created."""
    known = _known_home()
    if known is not None:
        return known
    from zeroclaw_cli.config.locations import locate

    return locate(None, os.environ)[0].config_dir


def _known_home() -> Path | None:
    return _HOME.get() or _home_of_caller() or _HOMES_OF_THREADS.get(threading.current_thread())


def lend_home(thread: threading.Thread) -> None:
    """Let a thread that is about to be started have the home of the code that starts it."""
    home = _known_home()
    if home is not None:
        _HOMES_OF_THREADS[thread] = home


@contextmanager
def using_home(home: Path) -> Iterator[None]:
    """Let :func:`get_vibeos_home` answer ``home`` in this context, and in the threads that copy it."""
    token = _HOME.set(home.absolute())
    try:
        yield
    finally:
        _HOME.reset(token)


def register_modules(segment: str, home: Path) -> None:
    """Let modules below ``NAMESPACE.segment`` be known as loaded for ``home``."""
    _HOMES_OF_MODULES[segment] = home.absolute()


def _home_of_caller() -> Path | None:
    for parts in _calling_modules():
        home = _HOMES_OF_MODULES.get(parts[1])
        if home is not None:
            return home
    return None


def calling_provider() -> str | None:
    """The name of the provider whose code asks; None when it is code of nobody's."""
    return next((parts[2] for parts in _calling_modules() if len(parts) > 2), None)


def _calling_modules() -> Iterator[list[str]]:
    """The names of the providers' modules that are at work on this thread, split at the dots, the innermost first."""
    prefix = f"{NAMESPACE}."
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__")
        if isinstance(name, str) and name.startswith(prefix):
            yield name.split(".")
        frame = frame.f_back


def paths_outside(home: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of ``paths`` that are not below ``home`` (P-53), links resolved; each once, in the given order."""
    inside = home.resolve()
    return tuple(dict.fromkeys(path for path in paths if not _is_below(inside, path)))


def _is_below(inside: Path, path: str) -> bool:
    try:
        return Path(path).expanduser().resolve().is_relative_to(inside)
    except (OSError, RuntimeError, ValueError):
        # The home of a user who does not exist, a circle of links, a path that can be none.
        return False


def display_home() -> str:
    """The home as a person writes it, with ``~`` for their own home directory."""
    home = get_vibeos_home()
    own = os.environ.get("HOME")
    if own and home.is_relative_to(own):
        return str(Path("~") / home.relative_to(own))
    return str(home)
