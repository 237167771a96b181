"""One use of a thing at a time, among the threads of a process and over a fork."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from zeroclaw_cli.errors import MemoryFailure


class Turns:
    """The turns of the thing called ``name``."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._holder: int | None = None
        self._process = os.getpid()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """The block alone uses the thing. Raises MemoryFailure within another block of the same thread."""
        me = threading.get_ident()
        if self._holder == me:
            raise MemoryFailure(f"{self._name} was called from within its own call", hint="call it after that returned")
        with self._lock:
            self._holder = me
            try:
                yield
            finally:
                self._holder = None

    def left_behind(self) -> bool:
        """Whether this is a child process, and a thread that stayed in the parent was using the thing when it was
        forked: that use never ends here. It is told once, and the next turn is free."""
        if self._process == os.getpid():
            return False
        self._process = os.getpid()
        if not self._lock.locked():
            return False
        self._lock = threading.Lock()
        self._holder = None
        return True
