"""``plugins.plugin_utils``: one object for a whole process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["SingletonSlot"]

T = TypeVar("T")


class SingletonSlot(Generic[T]):
    """Holds one object, made by the first call of :meth:`get`; safe to use from several threads."""

    __slots__ = ("_held", "_lock")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # A tuple, since the object itself may be None.
        self._held: tuple[T] | None = None

    def get(self, factory: Callable[[], T]) -> T:
        """The object; ``factory`` makes it where there is none, and what that raises leaves the slot empty."""
        held = self._held
        if held is None:
            with self._lock:
                held = self._held
                if held is None:
                    held = self._held = (factory(),)
        return held[0]

    def peek(self) -> T | None:
        """The object, None where there is none."""
        held = self._held
        return None if held is None else held[0]

    def reset(self) -> None:
        """Empty the slot."""
        with self._lock:
            self._held = None
