"""The receipts of a data directory: what was done, by which strategy and with what outcome (specs/memory-kernel.md §9).

One JSON object a line. No contents are kept: of an output only its numbers and how long its lists are, of a request's
input only which call it was. The newest thousand receipts or so stay.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli.errors import StoreDamaged
from zeroclaw_cli.fsio import atomic_write, make_private_dir
from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.limits import MUTATING
from zeroclaw_cli.kernel.operations import Receipt, Request

_log: Final = logging.getLogger(__name__)

KEPT: Final = 1_000
"""How many receipts stay when the log is shortened, which happens when it has grown to twice as many bytes."""

MAX_BYTES: Final = 2_000_000
MAX_LINE: Final = 32_000
_NAMES_KEPT: Final = frozenset({"dropped"})
_REDACTED: Final = "…"
# What lies behind a link is nobody's receipts, and opening a pipe or a device must not wait.
_AS_IT_IS: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LINK: Final = "is not a regular file but a symbolic link, which is not followed"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line of the log: the request without its contents, None where it is not known, and the receipt."""

    receipt: Mapping[str, Any]
    request: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        return {"receipt": dict(self.receipt), "request": None if self.request is None else dict(self.request)}


def receipts_path(data_dir: Path) -> Path:
    return data_dir / "memory" / "receipts.jsonl"


class ReceiptLog:
    """The file of the receipts, appended to by every process. A log that cannot be written costs no operation."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, receipt: Receipt, request: Request | None = None) -> str | None:
        """Keep ``receipt``; why it was not kept, or None. One of a reading operation makes no folder that was not
        there, and is not kept then."""
        line = json.dumps(
            Recorded(summary(receipt), None if request is None else redacted_request(request)).to_json(),
            ensure_ascii=False,
            separators=(",", ":"),
        ).encode("utf-8")
        if len(line) > MAX_LINE:
            line = json.dumps(Recorded(_shortest(receipt)).to_json(), separators=(",", ":")).encode("utf-8")
        mutating = receipt.capability in MUTATING
        try:
            if mutating:
                make_private_dir(self.path.parent)
            self._write(line + b"\n")
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not mutating:
                return None
            _log.debug("receipt %s was not kept: %s", receipt.id, error)
            return f"{self.path}: {_what_is_wrong(error)}"
        return None

    def read(self, limit: int | None = None) -> list[Recorded]:
        """The newest receipts first, at most ``limit``. Lines that are not receipts, such as one that a killed process
        left half written, are skipped.

        Raises OSError when the file cannot be read, and StoreDamaged for what is not a file.
        """
        try:
            descriptor = os.open(self.path, os.O_RDONLY | _AS_IT_IS)
        except FileNotFoundError:
            return []
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise _no_regular_file(f"{self.path} {_LINK}") from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _no_regular_file(f"{self.path} is not a regular file")
            lines = _last_lines(descriptor)
        finally:
            os.close(descriptor)
        found: list[Recorded] = []
        for line in reversed(lines):
            if limit is not None and len(found) >= limit:
                break
            recorded = _recorded(line)
            if recorded is not None:
                found.append(recorded)
        return found

    def _write(self, line: bytes) -> None:
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _AS_IT_IS, 0o600)
            try:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError("it is not a regular file")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                # Whoever shortened the log meanwhile put another file in its place.
                if not self._is_current(descriptor):
                    continue
                size = os.fstat(descriptor).st_size
                if size and os.pread(descriptor, 1, size - 1) != b"\n":
                    # A process was killed within its line.
                    line = b"\n" + line
                os.write(descriptor, line)
                if size + len(line) > MAX_BYTES:
                    self._shorten(descriptor)
                return
            finally:
                os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.lstat())
        except FileNotFoundError:
            return False

    def _shorten(self, descriptor: int) -> None:
        kept: list[bytes] = []
        size = 0
        for line in reversed(_last_lines(descriptor)):
            if _recorded(line) is None:
                continue
            size += len(line) + 1
            if len(kept) == KEPT or size > MAX_BYTES // 2:
                break
            kept.append(line)
        atomic_write(self.path, b"".join(line + b"\n" for line in reversed(kept)))


def _no_regular_file(what: str) -> StoreDamaged:
    return StoreDamaged(f"{what}, so no receipts can be kept in it", hint="move it away")


def _what_is_wrong(error: OSError) -> str:
    return f"it {_LINK}" if error.errno == errno.ELOOP else error.strerror or str(error)


def summary(receipt: Receipt) -> dict[str, Json]:
    """``receipt`` in its wire form, with what it found and wrote reduced to numbers."""
    body = receipt.to_json()
    for step in body["steps"]:
        if "output" in step:
            step["output"] = _numbers(step["output"])
    return body


def redacted_request(request: Request) -> dict[str, Json]:
    """``request`` in its wire form; of its input only the call is left."""
    body = request.to_json()
    given = body.pop("input", None)
    call = given.get("call") if isinstance(given, Mapping) else None
    if isinstance(call, str):
        body["input"] = {"call": call}
    return body


def requests_of(recorded: Iterable[Recorded]) -> list[Mapping[str, Any]]:
    """The requests of a log, oldest first, for comparing strategies on what was asked before."""
    return [item.request for item in reversed(list(recorded)) if item.request is not None]


def _shortest(receipt: Receipt) -> dict[str, Json]:
    body = summary(receipt)
    body["steps"] = [
        {**step, "error": _REDACTED} if "error" in step else {**step, "output": {}} for step in body["steps"][:100]
    ]
    return body


def _numbers(output: Json) -> Json:
    if not isinstance(output, Mapping):
        return _counted(output)
    kept: dict[str, Json] = {}
    for name, value in output.items():
        if name in _NAMES_KEPT:
            kept[name] = list(value)
        elif isinstance(value, bool | int | float) or value is None:
            kept[name] = value
        elif isinstance(value, tuple | list):
            kept[name] = len(value)
    return kept


def _counted(value: Json) -> Json:
    if isinstance(value, tuple | list):
        return len(value)
    return value if isinstance(value, bool | int | float) or value is None else _REDACTED


def _last_lines(descriptor: int) -> list[bytes]:
    """The lines at the end of a log, which is no longer than this unless something else wrote to it."""
    most = 2 * MAX_BYTES
    size = os.fstat(descriptor).st_size
    start = max(size - most, 0)
    parts = []
    while (left := size - start) > 0 and (part := os.pread(descriptor, left, start)):
        parts.append(part)
        start += len(part)
    lines = b"".join(parts).split(b"\n")
    return lines[1:] if size > most else lines


def _recorded(line: bytes) -> Recorded | None:
    body: Any = None
    with suppress(ValueError, RecursionError):
        body = json.loads(line)
    if not isinstance(body, dict) or not _is_receipt(body.get("receipt")):
        return None
    request = body.get("request")
    return Recorded(body["receipt"], request if isinstance(request, dict) else None)


_OF_A_RECEIPT: Final = (
    "id",
    "strategyId",
    "strategyVersion",
    "operation",
    "capability",
    "status",
    "startedAt",
    "finishedAt",
)


def _is_receipt(value: Any) -> bool:
    """Whether ``value`` has what every reader of a receipt relies on."""
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in _OF_A_RECEIPT):
        return False
    steps = value.get("steps")
    return isinstance(steps, list) and all(
        isinstance(step, dict)
        and isinstance(step.get("layerId"), str)
        and isinstance(step.get("status"), str)
        and all(isinstance(step.get(name, ""), str) for name in ("adapterId", "error"))
        for step in steps
    )
