"""The guest's log records: counted, capped and queued while it runs, handed on afterwards (specs/zeroclaw.md §7.1)."""

from __future__ import annotations

from collections import deque
from typing import Final

from zeroclaw_cli.wasm.host import LogRecord

CALLS_PER_FRAME: Final = 1_000
MAX_RECORD_BYTES: Final = 65_536
_MAX_QUEUED = 1_024
_MAX_QUEUED_BYTES = 8 * 1024 * 1024


class LogQueue:
    """Records of the calls since the queue was last drained. Nothing here ever fails the guest."""

    def __init__(self) -> None:
        self._records: deque[tuple[LogRecord, int]] = deque()
        self._bytes = 0
        self._budget = CALLS_PER_FRAME
        self._dropped = 0
        # A replayed call says again what it said when it was made.
        self.muted = False

    def begin(self) -> None:
        """A new call starts with its whole budget of records."""
        self._budget = CALLS_PER_FRAME

    def admits(self, size: int) -> bool:
        """Whether a record of ``size`` bytes is within the call's budget, the size limit and the queue; a refused
        record is counted. To be asked before anything of the record is decoded."""
        if self.muted:
            return False
        self._budget -= 1
        if (
            self._budget >= 0
            and size <= MAX_RECORD_BYTES
            and len(self._records) < _MAX_QUEUED
            and self._bytes + size <= _MAX_QUEUED_BYTES
        ):
            return True
        self._dropped += 1
        return False

    def put(self, record: LogRecord, size: int) -> None:
        self._records.append((record, size))
        self._bytes += size

    def drain(self) -> tuple[list[LogRecord], int]:
        """The queued records and how many were dropped; the queue is empty afterwards."""
        records = [record for record, _ in self._records]
        dropped, self._dropped = self._dropped, 0
        self._records.clear()
        self._bytes = 0
        return records, dropped
