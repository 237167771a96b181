"""The rows that the pages of a damaged SQLite file still hold, read without SQLite.

Specs/native-memory.md, "decided since 0.1.0": repair salvages every row that can be read. SQLite gives up a table at
its first bad page; here each page is read for itself, those that no longer hang on their table too. Only reads; the
format is https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

MAGIC: Final = b"SQLite format 3\0"
_USUAL_PAGE: Final = 4096
_TABLE_INTERIOR, _TABLE_LEAF, _INDEX_INTERIOR, _INDEX_LEAF = 0x05, 0x0D, 0x02, 0x0A
_KINDS: Final = frozenset({_TABLE_INTERIOR, _TABLE_LEAF, _INDEX_INTERIOR, _INDEX_LEAF})
_WAL_HEADER, _FRAME_HEADER = 32, 24
_INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}

Value = None | int | float | str | bytes


class Row(NamedTuple):
    """One record: its rowid (None in a table without one) and its values. Bytes that are no UTF-8 stand in a text as
    lone surrogates."""

    rowid: int | None
    values: tuple[Value, ...]


class Unreadable(ValueError):
    """A page or a record whose bytes make no sense."""


class PageFile:
    """A database file and the committed part of its write-ahead log, page by page; a context manager.

    Raises OSError when the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._log: dict[int, bytes] = {}
            head = os.pread(self._descriptor, 100, 0)
            self.page_size, self._reserved = _geometry(head)
            self._read_log(path.with_name(path.name + "-wal"))
            size = os.fstat(self._descriptor).st_size
            self.count = max(-(-size // self.page_size), *self._log, 0)
            if 1 in self._log:
                self.page_size, self._reserved = _geometry(self._log[1])
        except BaseException:
            self.close()
            raise
        self._usable = self.page_size - self._reserved

    def __enter__(self) -> PageFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._descriptor)

    def page(self, number: int) -> bytes:
        """The bytes of a page, fewer where the file ends in it. Raises Unreadable for no page."""
        if not 1 <= number <= self.count:
            raise Unreadable(f"there is no page {number}")
        found = self._log.get(number)
        if found is None:
            found = os.pread(self._descriptor, self.page_size, (number - 1) * self.page_size)
        return found

    def rows(self, number: int) -> Iterator[Row | None]:
        """The records of a page, None for each that cannot be read. Raises Unreadable for any other page."""
        page = self.page(number)
        kind, _, cells = self._cells(page, number)
        if kind == _TABLE_INTERIOR:
            return
        for place in cells:
            try:
                yield self._record(page, kind, place)
            except (Unreadable, IndexError, struct.error):
                yield None

    def rowids(self, number: int) -> Iterator[int]:
        """The rowids of a leaf of a table; nothing for another page. Raises Unreadable."""
        page = self.page(number)
        kind, _, cells = self._cells(page, number)
        if kind == _TABLE_LEAF:
            for place in cells:
                with suppress(IndexError):
                    _, at = _varint(page, place)
                    yield _signed(_varint(page, at)[0])

    def children(self, number: int) -> list[int]:
        """The pages below a page, in their order; none below a leaf. Raises Unreadable."""
        page = self.page(number)
        kind, start, cells = self._cells(page, number)
        if kind in (_TABLE_LEAF, _INDEX_LEAF):
            return []
        last = int.from_bytes(page[start + 8 : start + 12], "big")
        return [*(int.from_bytes(page[place : place + 4], "big") for place in cells), last]

    def _cells(self, page: bytes, number: int) -> tuple[int, int, list[int]]:
        """The kind of a page, where its header begins, and where its cells do."""
        start = 100 if number == 1 else 0
        kind = page[start] if len(page) > start + 12 else 0
        if kind not in _KINDS:
            raise Unreadable(f"page {number} holds no rows")
        first = start + (8 if kind in (_TABLE_LEAF, _INDEX_LEAF) else 12)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        if first + 2 * count > min(self._usable, len(page)):
            raise Unreadable(f"page {number} cannot hold {count} rows")
        places = struct.unpack_from(f">{count}H", page, first)
        if any(not first <= place < self._usable for place in places):
            raise Unreadable(f"a row of page {number} is outside of it")
        return kind, start, list(places)

    def _record(self, page: bytes, kind: int, place: int) -> Row:
        at = place + 4 if kind == _INDEX_INTERIOR else place
        size, at = _varint(page, at)
        rowid = None
        if kind == _TABLE_LEAF:
            found, at = _varint(page, at)
            rowid = _signed(found)
        return Row(rowid, _decoded(self._payload(page, at, size, is_index=kind != _TABLE_LEAF)))

    def _payload(self, page: bytes, at: int, size: int, *, is_index: bool) -> bytes:
        usable = self._usable
        if size > self.count * self.page_size:
            raise Unreadable("a record is longer than the file")
        most = (usable - 12) * 64 // 255 - 23 if is_index else usable - 35
        if size <= most:
            if at + size > min(usable, len(page)):
                raise Unreadable("a record runs out of its page")
            return page[at : at + size]
        least = (usable - 12) * 32 // 255 - 23
        local = least + (size - least) % (usable - 4)
        local = local if local <= most else least
        if at + local + 4 > min(usable, len(page)):
            raise Unreadable("a record runs out of its page")
        parts, missing = [page[at : at + local]], size - local
        number = int.from_bytes(page[at + local : at + local + 4], "big")
        while missing > 0:
            more = self.page(number)
            part = more[4 : 4 + min(missing, usable - 4)]
            if len(part) < min(missing, usable - 4) or not more.strip(b"\0"):
                raise Unreadable("a part of a record is gone")
            parts.append(part)
            missing -= usable - 4
            number = int.from_bytes(more[:4], "big")
        return b"".join(parts)

    def _read_log(self, log: Path) -> None:
        """Take what the write-ahead log has committed; it ends at the first frame that is not whole."""
        try:
            data = log.read_bytes()
        except OSError:
            return
        if len(data) < _WAL_HEADER or int.from_bytes(data[:4], "big") & ~1 != 0x377F0682:
            return
        order = ">" if data[3] & 1 else "<"
        size = int.from_bytes(data[8:12], "big")
        checksum = _checksum(data[:24], (0, 0), order)
        if checksum != struct.unpack(">2I", data[24:32]) or size < 512 or size & (size - 1):
            return
        pending: dict[int, bytes] = {}
        for at in range(_WAL_HEADER, len(data) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
            frame = data[at : at + _FRAME_HEADER]
            page = data[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
            number, committed = struct.unpack(">2I", frame[:8])
            checksum = _checksum(page, _checksum(frame[:8], checksum, order), order)
            if frame[8:16] != data[16:24] or checksum != struct.unpack(">2I", frame[16:24]):
                return
            pending[number] = page
            if committed:
                self._log.update(pending)
                self._log = {page: held for page, held in self._log.items() if page <= committed}
                pending = {}


def _geometry(head: bytes) -> tuple[int, int]:
    """Page size and reserved bytes of a file; the usual ones where its head does not tell."""
    size = int.from_bytes(head[16:18], "big")
    size = 65536 if size == 1 else size
    if len(head) < 100 or not head.startswith(MAGIC) or size < 512 or size & (size - 1) or head[20] > size - 480:
        return _USUAL_PAGE, 0
    return size, head[20]


def _checksum(data: bytes, before: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = before
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes at ``at``, and where it ends."""
    value = data[at]
    if value < 0x80:
        return value, at + 1
    value &= 0x7F
    for place in range(at + 1, at + 8):
        byte = data[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _decoded(payload: bytes) -> tuple[Value, ...]:
    end, at = _varint(payload, 0)
    if end > len(payload):
        raise Unreadable("the head of a record is longer than the record")
    place, values = end, []
    while at < end:
        kind, at = _varint(payload, at)
        size = (kind - 12) // 2 if kind >= 12 else _INTEGERS.get(kind, 8 if kind == 7 else 0)
        if kind in (10, 11) or place + size > len(payload):
            raise Unreadable("a value of a record runs out of it")
        values.append(_value(kind, payload[place : place + size]))
        place += size
    if at != end or place != len(payload):
        raise Unreadable("a record is not as long as its values")
    return tuple(values)


def _value(kind: int, data: bytes) -> Value:
    if kind >= 12:
        return data.decode("utf-8", "surrogateescape") if kind & 1 else data
    if kind in _INTEGERS:
        return int.from_bytes(data, "big", signed=True)
    if kind == 7:
        return float(struct.unpack(">d", data)[0])
    return (None, *(None,) * 7, 0, 1)[kind]
