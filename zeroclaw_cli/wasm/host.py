"""What a caller of the WebAssembly room may choose, and the log records that it may receive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One ``log-record`` of a guest. Every text is the guest's own and unescaped; ``attrs`` is JSON text."""

    level: str
    function: str
    action: str
    outcome: str | None
    duration_ms: int | None
    attrs: str | None
    message: str


@dataclass(frozen=True, slots=True)
class HostOptions:
    """How to run guests.

    ``use_cache``: keep compiled components; ``cache_dir``: where (None: ``zeroclaw/components`` in the user's cache
    folder). ``progress`` gets one line when a compilation or a replay takes long. ``log`` gets the guests' log
    records, on the caller's thread and after the call that wrote them.
    """

    use_cache: bool = True
    cache_dir: Path | None = None
    progress: Callable[[str], None] | None = None
    log: Callable[[LogRecord], None] | None = None
