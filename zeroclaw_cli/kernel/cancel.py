"""The token that ends a running operation."""

from __future__ import annotations

from threading import Event


class CancelToken:
    """Belongs to one operation. Executors poll ``cancelled`` or ``wait``; the kernel cancels it at the deadline."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = Event()

    def cancel(self) -> None:
        """Ask the operation to end; harmless when repeated."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait at most ``timeout`` seconds for the cancellation; True when it came."""
        return self._event.wait(timeout)
