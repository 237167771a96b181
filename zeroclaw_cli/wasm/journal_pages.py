"""The rows of a damaged SQLite file, read page by page without SQLite, which stops at the first page that is wrong.

Only rows that their table still holds are read: what lies on free pages was deleted. The layout is that of "Database
File Format" of SQLite's documentation; a page that does not follow it gives no rows and is reported as lost.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

MAGIC: Final = b"SQLite format 3\0"
_LEAF, _INTERIOR, _INDEX_LEAF = 0x0D, 0x05, 0x0A
_WAL_HEADER, _FRAME_HEADER = 32, 24
_PAGE_SIZE: Final = 4096
_SIZES: Final = frozenset(1 << power for power in range(9, 17))
_INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}

Row = tuple[int, list[Any]]
"""A row's number and its columns. A text that is not UTF-8 is given as bytes."""


class _Broken(Exception):
    """These bytes are not what the layout says."""


@dataclass(slots=True)
class Table:
    """The rows that were found, and whether a page of the table was lost."""

    rows: list[Row] = field(default_factory=list)
    incomplete: bool = False


class Pages:
    """The pages of the database at ``path`` with the committed part of its write-ahead log; either may be missing."""

    def __init__(self, path: Path) -> None:
        # The log first: what is moved from it to the database meanwhile is then in one of them.
        log = _bytes_of(path.with_name(path.name + "-wal"))
        data = _bytes_of(path)
        self.size = _page_size(data, log)
        self._pages = {
            at // self.size + 1: data[at : at + self.size].ljust(self.size, b"\0")
            for at in range(0, len(data), self.size)
        }
        self._pages.update(_logged(log, self.size))

    def image(self) -> bytes:
        """The database as one file, with its log applied."""
        last = max(self._pages, default=0)
        return b"".join(self._pages.get(number, bytes(self.size)) for number in range(1, last + 1))

    def roots(self) -> dict[str, int] | None:
        """The root page of each table by the schema; None when the schema cannot be read."""
        first = self._pages.get(1, b"")
        if not first.startswith(MAGIC):
            return None
        found = self._leaf(1, _LEAF)
        if found is None:
            return None
        rows = [columns for _, columns in found if len(columns) == 5 and columns[0] == "table"]
        return {row[1]: row[3] for row in rows if isinstance(row[1], str) and isinstance(row[3], int)}

    def table(self, root: int, columns: int) -> Table:
        """The rows of the table at the page ``root``. Where part of its tree is lost, the pages that hung there are
        looked for among those that belong to nothing else: they hold rows of as many ``columns``."""
        found = Table()
        seen: set[int] = set()
        self._walk(root, found, seen)
        free = self._free() if found.incomplete else None
        if free is not None:
            known = {number for number, _ in found.rows}
            for page in self._pages.keys() - seen - free - {1}:
                rows = self._leaf(page, _LEAF) or []
                found.rows += [row for row in rows if len(row[1]) == columns and row[0] not in known]
        found.rows.sort(key=lambda row: row[0])
        return found

    def index(self, root: int) -> list[list[Any]]:
        """The rows of a small table without row numbers; none when its page is lost."""
        return [columns for _, columns in self._leaf(root, _INDEX_LEAF) or []]

    def _walk(self, number: int, found: Table, seen: set[int]) -> None:
        pending = [number]
        while pending:
            number = pending.pop()
            kind = self._kind(number)
            if number in seen or kind not in (_LEAF, _INTERIOR):
                found.incomplete = True
                continue
            seen.add(number)
            if kind == _INTERIOR:
                pending += self._children(number)
                continue
            for row in self._cells(number, _LEAF):
                if row is None:
                    found.incomplete = True
                else:
                    found.rows.append(row)

    def _kind(self, number: int) -> int | None:
        page = self._pages.get(number)
        return None if page is None else page[_start(number)]

    def _children(self, number: int) -> list[int]:
        page, start = self._pages[number], _start(number)
        (count,) = struct.unpack_from(">H", page, start + 3)
        children = list(struct.unpack_from(">I", page, start + 8))
        for index in range(min(count, (self.size - start - 12) // 2)):
            (at,) = struct.unpack_from(">H", page, start + 12 + 2 * index)
            children += struct.unpack_from(">I", page, at) if at + 4 <= self.size else (0,)
        return children

    def _leaf(self, number: int, kind: int) -> list[Row] | None:
        """The readable rows of a leaf; None when the page is none."""
        if self._kind(number) != kind:
            return None
        return [row for row in self._cells(number, kind) if row is not None]

    def _cells(self, number: int, kind: int) -> Iterator[Row | None]:
        page, start = self._pages[number], _start(number)
        count, content = struct.unpack_from(">HH", page, start + 3)
        # The places of the cells end where the cells begin: a count that is wrong must not make rows of other bytes.
        room = content if start + 8 <= content <= self.size else self.size
        for index in range(min(count, (room - start - 8) // 2)):
            (at,) = struct.unpack_from(">H", page, start + 8 + 2 * index)
            if at < start + 10 + 2 * index:
                continue
            try:
                yield self._cell(page, at, kind)
            except (_Broken, IndexError, struct.error, OverflowError):
                yield None

    def _cell(self, page: bytes, at: int, kind: int) -> Row:
        length, at = _varint(page, at)
        number = 0
        if kind == _LEAF:
            number, at = _varint(page, at)
            number -= (number >> 63) << 64
        usable = self.size - self._reserved()
        most = usable - 35 if kind == _LEAF else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return number, _columns(page[at : at + length], length)
        least = (usable - 12) * 32 // 255 - 23
        here = least + (length - least) % (usable - 4)
        here = here if here <= most else least
        (overflow,) = struct.unpack_from(">I", page, at + here)
        return number, _columns(page[at : at + here] + self._overflow(overflow, length - here, usable), length)

    def _overflow(self, number: int, length: int, usable: int) -> bytes:
        parts: list[bytes] = []
        while length > 0:
            page = self._pages.get(number)
            if page is None or len(parts) > len(self._pages):
                raise _Broken
            (number,) = struct.unpack_from(">I", page, 0)
            parts.append(page[4 : 4 + min(length, usable - 4)])
            length -= usable - 4
        return b"".join(parts)

    def _reserved(self) -> int:
        first = self._pages.get(1, b"")
        return first[20] if first.startswith(MAGIC) else 0

    def _free(self) -> set[int] | None:
        """The free pages; None when nothing says which these are."""
        first = self._pages.get(1, b"")
        if not first.startswith(MAGIC):
            return None
        free: set[int] = set()
        (trunk,) = struct.unpack_from(">I", first, 32)
        while trunk and trunk not in free and trunk in self._pages:
            free.add(trunk)
            after, count = struct.unpack_from(">II", self._pages[trunk], 0)
            count = min(count, self.size // 4 - 2)
            free.update(struct.unpack_from(f">{count}I", self._pages[trunk], 8))
            trunk = after
        return free


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except FileNotFoundError:
        return b""


def _page_size(data: bytes, log: bytes) -> int:
    (size,) = struct.unpack_from(">H", data, 16) if data.startswith(MAGIC) and len(data) > 18 else (0,)
    if size not in _SIZES and len(log) >= _WAL_HEADER:
        (size,) = struct.unpack_from(">I", log, 8)
    return size if size in _SIZES else _PAGE_SIZE


def _logged(log: bytes, size: int) -> Mapping[int, bytes]:
    """The pages of a write-ahead log up to its last commit; a frame with a wrong checksum ends it."""
    if len(log) < _WAL_HEADER:
        return {}
    magic, _, page_size = struct.unpack_from(">III", log, 0)
    if magic & ~1 != 0x377F0682 or page_size != size:
        return {}
    order = ">" if magic & 1 else "<"
    sums = _checksum(log[:24], order, (0, 0))
    if sums != struct.unpack_from(">II", log, 24):
        return {}
    committed: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    for at in range(_WAL_HEADER, len(log) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        header, page = log[at : at + _FRAME_HEADER], log[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
        sums = _checksum(page, order, _checksum(header[:8], order, sums))
        if header[8:16] != log[16:24] or sums != struct.unpack_from(">II", header, 16):
            break
        number, pages_after = struct.unpack_from(">II", header, 0)
        pending[number] = page
        if pages_after:
            committed.update(pending)
            pending.clear()
            committed = {number: page for number, page in committed.items() if number <= pages_after}
    return committed


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _start(number: int) -> int:
    # The first page begins with the header of the file.
    return 100 if number == 1 else 0


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(8):
        byte = data[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    return value << 8 | data[at + 8], at + 9


def _columns(payload: bytes, length: int) -> list[Any]:
    if length == 0 or len(payload) != length:
        raise _Broken
    end, at = _varint(payload, 0)
    types = []
    while at < end:
        kind, at = _varint(payload, at)
        types.append(kind)
    if not types:
        raise _Broken
    at = end
    values: list[Any] = []
    try:
        for kind in types:
            value, at = _value(payload, at, kind)
            values.append(value)
    except _Broken:
        # What stands before a broken column is as it was.
        values += [None] * (len(types) - len(values))
    return values


def _value(payload: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind in (0, 8, 9):
        return {0: None, 8: 0, 9: 1}[kind], at
    size = _INTEGERS.get(kind, 8 if kind == 7 else (kind - 12) // 2)
    data = payload[at : at + size]
    if kind in (10, 11) or len(data) != size:
        raise _Broken
    if kind in _INTEGERS:
        return int.from_bytes(data, "big", signed=True), at + size
    if kind == 7:
        return struct.unpack(">d", data)[0], at + size
    if kind % 2:
        try:
            return data.decode("utf-8"), at + size
        except UnicodeDecodeError:
            pass
    return data, at + size
