"""The guest's log records on disk: JSON Lines in ``<data_dir>/plugins/<package>/log.jsonl``, rotated.

Written with ASCII escapes only, so that a guest cannot send terminal sequences to whoever reads the file. The log is a
convenience: it is not synced, it is not begun before the plugin has data of its own, and a log that cannot be written
fails nothing. Of what one call logs, the newest lines that fill one file are kept.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from zeroclaw_cli.memory.times import rfc3339
from zeroclaw_cli.wasm.host import LogRecord

MAX_BYTES: Final = 1024 * 1024
# Several processes may append, so the file's size is looked at from time to time.
_LOOK_AGAIN_BYTES: Final = 16 * 1024
# Made once: json.dumps makes an encoder a call when it is told how to write.
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


def log_path(data_dir: Path, package: str) -> Path:
    """The present file; the one before it has the same name and ``.1`` after it."""
    return data_dir / "plugins" / package / "log.jsonl"


class LogFile:
    """Appends to the log at ``path``; several processes may do so at the same time."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._fd: int | None = None
        # The present second as text, and how much may be written before the file's size is looked at again.
        self._second = (-1, "")
        self._unseen = 0

    def append(self, records: Sequence[LogRecord]) -> None:
        """Write one line for each record, each with the present time; of more than fills a file the newest."""
        if not records:
            return
        at = self._now()
        lines: list[str] = []
        room = self._max_bytes
        # A call may log megabytes, and escapes make them six times as many.
        for record in reversed(records):
            line = _encode(_as_json(at, record)) + "\n"
            room -= len(line)
            if room < 0 and lines:
                break
            lines.append(line)
        data = "".join(reversed(lines)).encode("ascii")
        with suppress(OSError):
            fd = self._open()
            if fd is not None:
                os.write(fd, data)
                self._unseen -= len(data)

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _now(self) -> str:
        seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
        if self._second[0] != seconds:
            self._second = (seconds, rfc3339(seconds)[:-1])
        return f"{self._second[1]}.{nanoseconds:09d}Z"

    def _open(self) -> int | None:
        """The file to append to, after a rotation if it is full; None while the plugin has no folder."""
        if self._fd is not None and self._unseen > 0:
            return self._fd
        self._unseen = min(_LOOK_AGAIN_BYTES, self._max_bytes // 16)
        if self._fd is not None:
            if os.fstat(self._fd).st_size < self._max_bytes:
                return self._fd
            full, current = os.fstat(self._fd).st_ino, self.path.stat().st_ino
            self.close()
            # Another process may have rotated it already.
            if full == current:
                self.path.replace(_rotated(self.path))
        if not self.path.parent.is_dir():
            return None
        # A pipe in its place must neither be waited for nor be written to.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        fd = os.open(self.path, flags, 0o600)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            return None
        self._fd = fd
        return fd


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """The records of the log at ``path``, oldest first, those of the file before it included; none for a log that is
    not there. A line that is not a record, such as one cut short, is passed over."""
    for file in (_rotated(path), path):
        with suppress(FileNotFoundError), _reader(file) as lines:
            yield from _records(lines)


def follow_log(path: Path, pause_s: float = 0.2) -> Iterator[dict[str, Any]]:
    """As :func:`read_log`, and then what is written from now on, forever; a rotation loses nothing.

    Looks for more every ``pause_s`` seconds.
    """
    with suppress(FileNotFoundError), _reader(_rotated(path)) as lines:
        yield from _records(lines)
    while True:
        try:
            file = _reader(path)
        except FileNotFoundError:
            time.sleep(pause_s)
            continue
        with file:
            while True:
                # Looked at before the reading: what comes afterwards is in the new file or still to be read.
                rotated = not _is_at(path, file)
                yield from _records(file)
                if rotated:
                    break
                time.sleep(pause_s)


def _reader(path: Path) -> BinaryIO:
    """The log at ``path``, opened. Raises FileNotFoundError for what is not there or is not a file: it holds no log."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise FileNotFoundError(errno.ENOENT, "it is not a regular file", str(path))
    return os.fdopen(fd, "rb")


def _records(lines: BinaryIO) -> Iterator[dict[str, Any]]:
    """Whole lines from where ``lines`` stands, as records."""
    while line := lines.readline():
        if not line.endswith(b"\n"):
            # Being written, or the rest of a process that died.
            lines.seek(-len(line), os.SEEK_CUR)
            return
        with suppress(ValueError, RecursionError):
            record = json.loads(line)
            if isinstance(record, dict):
                yield record


def _rotated(path: Path) -> Path:
    return path.with_name(path.name + ".1")


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


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
