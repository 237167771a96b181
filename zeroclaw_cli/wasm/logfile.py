"""The guest's log records on disk: JSON Lines in ``<data_dir>/plugins/<package>/log.jsonl``, rotated.

Written with ASCII escapes only, so that a guest cannot send terminal sequences to whoever reads the file. The log is a
convenience: it is not synced, it is not begun before the plugin has data of its own, and a log that cannot be written
fails nothing.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli.memory.times import rfc3339
from zeroclaw_cli.wasm.host import LogRecord

MAX_BYTES: Final = 1024 * 1024


def log_path(data_dir: Path, package: str) -> Path:
    """The present file; the one before it has the same name and ``.1`` after it."""
    return data_dir / "plugins" / package / "log.jsonl"


class LogFile:
    """Appends to the log at ``path``; several processes may do so at the same time."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._fd: int | None = None

    def append(self, records: Sequence[LogRecord]) -> None:
        """Write one line for each record, each with the present time."""
        if not records:
            return
        at = rfc3339(*divmod(time.time_ns(), 1_000_000_000))
        lines = "".join(json.dumps(_as_json(at, record), separators=(",", ":")) + "\n" for record in records)
        with suppress(OSError):
            fd = self._open()
            if fd is not None:
                os.write(fd, lines.encode("ascii"))

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self) -> int | None:
        """The file to append to, after a rotation if it is full; None while the plugin has no folder."""
        if self._fd is not None:
            if os.fstat(self._fd).st_size < self._max_bytes:
                return self._fd
            full, current = os.fstat(self._fd).st_ino, self.path.stat().st_ino
            self.close()
            # Another process may have rotated it already.
            if full == current:
                self.path.replace(self.path.with_name(self.path.name + ".1"))
        if not self.path.parent.is_dir():
            return None
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._fd = os.open(self.path, flags, 0o600)
        return self._fd


def _as_json(at: str, record: LogRecord) -> dict[str, Any]:
    return {
        "at": at,
        "level": record.level,
        "function": record.function,
        "action": record.action,
        "outcome": record.outcome,
        "duration_ms": record.duration_ms,
        "attrs": record.attrs,
        "message": record.message,
    }
