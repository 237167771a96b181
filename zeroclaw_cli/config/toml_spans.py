"""Where the tables, keys and values of a TOML document stand in its text.

The scanner runs on text that a TOML reader has accepted, so it never meets bad syntax. Every key and table gets its
*address*: the names from the root, with the index of an element after the name of an array.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from zeroclaw_cli.config.nested import Address

_BLANK: Final = re.compile(r"[ \t]*")
_GAP: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE: Final = re.compile(r"[^\s.=\]\"'#,{}\[]+")
_STRING: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}|\'\'\'(?:[^\']|\'{1,2}(?!\'))*\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_PLAIN: Final = re.compile(r"[^#\[\]{},\n]*")


@dataclass(frozen=True, slots=True)
class Pair:
    """A key and its value. ``table`` is the address of the table that it is written in, whose name its key extends.

    ``start`` to ``end`` is the key and value alone; ``line_start`` to ``line_end`` its whole lines with the line end,
    or equal to ``start`` and ``end`` when it stands in an inline table.
    """

    address: Address
    table: Address
    start: int
    value_start: int
    end: int
    line_start: int
    line_end: int
    inline: bool


@dataclass(frozen=True, slots=True)
class Header:
    """A ``[table]`` or ``[[array]]`` line; the address of an array ends with the element's index.

    ``start`` to ``end`` is the whole line with its end, ``bracket_start`` to ``bracket_end`` the part in brackets.
    """

    address: Address
    array: bool
    start: int
    end: int
    bracket_start: int
    bracket_end: int


@dataclass(slots=True)
class Bracket:
    """An inline table or an array: the offsets of its brackets, and the span of each member, in order."""

    address: Address
    table: bool
    open: int
    close: int = 0
    members: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Spans:
    """Everything in ``text``, in the order of the text. ``brackets`` is by address."""

    text: str
    pairs: list[Pair] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    brackets: dict[Address, Bracket] = field(default_factory=dict)
    by_address: dict[Address, Pair] = field(default_factory=dict)

    def line_of(self, address: Address) -> int | None:
        """The line (from 1) where ``address`` is first written, itself or the nearest table above it."""
        for length in range(len(address), 0, -1):
            place = self._first(address[:length])
            if place is not None:
                return self.text.count("\n", 0, place) + 1
        return None

    def _first(self, address: Address) -> int | None:
        size = len(address)
        starts = [pair.start for pair in self.pairs if pair.address[:size] == address]
        starts += [header.start for header in self.headers if header.address[:size] == address]
        starts += [self.brackets[address].open] if address in self.brackets else []
        return min(starts, default=None)


def scan(text: str) -> Spans:
    """The spans of ``text``, which has no BOM and which a TOML reader has accepted."""
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.spans = Spans(text)
        self.table: Address = ()
        self.elements: dict[Address, int] = {}

    def run(self) -> Spans:
        position = self._skip(_GAP, 0)
        while position < len(self.text):
            position = self._header(position) if self.text[position] == "[" else self._line(position)
            position = self._skip(_GAP, position)
        return self.spans

    def _header(self, start: int) -> int:
        array = self.text.startswith("[[", start)
        names, position = self._key(self._skip(_BLANK, start + (2 if array else 1)))
        address: Address = ()
        for name in names[:-1]:
            address = self._newest((*address, name))
        address = (*address, names[-1])
        if array:
            self.elements[address] = self.elements.get(address, -1) + 1
            address = (*address, self.elements[address])
        self.table = address
        end = self._line_end(position)
        bracket_end = position + (2 if array else 1)
        self.spans.headers.append(Header(address, array, self._line_start(start), end, start, bracket_end))
        return end

    def _newest(self, address: Address) -> Address:
        return (*address, self.elements[address]) if address in self.elements else address

    def _line(self, start: int) -> int:
        names, position = self._key(start)
        value = self._skip(_BLANK, position + 1)
        address = (*self.table, *names)
        # A pair comes before those inside its value.
        slot = len(self.spans.pairs)
        end = self._value(value, address)
        line_end = self._line_end(end)
        self._add(slot, Pair(address, self.table, start, value, end, self._line_start(start), line_end, inline=False))
        return line_end

    def _add(self, slot: int, pair: Pair) -> None:
        self.spans.pairs.insert(slot, pair)
        self.spans.by_address[pair.address] = pair

    def _value(self, position: int, address: Address) -> int:
        char = self.text[position]
        if char in "\"'":
            return self._skip(_STRING, position)
        if char == "{":
            return self._inline_table(position, address)
        if char == "[":
            return self._array(position, address)
        end = self._skip(_PLAIN, position)
        while self.text[end - 1] in " \t\r":
            end -= 1
        return end

    def _inline_table(self, position: int, table: Address) -> int:
        bracket = Bracket(table, True, position)
        self.spans.brackets[table] = bracket
        position = self._skip(_GAP, position + 1)
        while self.text[position] != "}":
            start = position
            names, position = self._key(start)
            value = self._skip(_GAP, position + 1)
            address = (*table, *names)
            slot = len(self.spans.pairs)
            end = self._value(value, address)
            self._add(slot, Pair(address, table, start, value, end, start, end, inline=True))
            bracket.members.append((start, end))
            position = self._past_comma(end)
        bracket.close = position
        return position + 1

    def _array(self, position: int, address: Address) -> int:
        bracket = Bracket(address, False, position)
        self.spans.brackets[address] = bracket
        position = self._skip(_GAP, position + 1)
        while self.text[position] != "]":
            end = self._value(position, (*address, len(bracket.members)))
            bracket.members.append((position, end))
            position = self._past_comma(end)
        bracket.close = position
        return position + 1

    def _past_comma(self, position: int) -> int:
        position = self._skip(_GAP, position)
        return self._skip(_GAP, position + 1) if self.text[position] == "," else position

    def _key(self, position: int) -> tuple[tuple[str, ...], int]:
        """The names of the key at ``position``, and the offset of what follows it (``=`` or ``]``)."""
        names = []
        while True:
            quoted = self.text[position] in "\"'"
            end = self._skip(_STRING if quoted else _BARE, position)
            names.append(_unquote(self.text[position:end]) if quoted else self.text[position:end])
            position = self._skip(_BLANK, end)
            if self.text[position] != ".":
                return tuple(names), position
            position = self._skip(_BLANK, position + 1)

    def _skip(self, pattern: re.Pattern[str], position: int) -> int:
        match = pattern.match(self.text, position)
        assert match is not None
        return match.end()

    def _line_start(self, position: int) -> int:
        return self.text.rfind("\n", 0, position) + 1

    def _line_end(self, position: int) -> int:
        newline = self.text.find("\n", position)
        return len(self.text) if newline < 0 else newline + 1


def _unquote(segment: str) -> str:
    import tomli

    return next(iter(tomli.loads(f"{segment} = 0")))
