"""Where the tables, keys and values of a TOML document stand in its text.

Every key and table gets its *address*: the names from the root, with the index of an element after the name of an
array.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from zeroclaw_cli.config.nested import Address
from zeroclaw_cli.config.toml_scan import Expression, scan


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
    close: int
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


def spans_of(text: str) -> Spans:
    """The spans of ``text``, which has no BOM and which :func:`~zeroclaw_cli.config.toml_read.load_toml` accepted."""
    spans = Spans(text)
    table: Address = ()
    newest: dict[Address, int] = {}
    for expression in scan(text):
        if expression.is_header:
            table = _address(expression, newest)
            _add_header(spans, expression, table)
        else:
            _add_pairs(spans, expression, table)
    return spans


def _address(header: Expression, newest: dict[Address, int]) -> Address:
    """The address of a table, and of the next element of an array; ``newest`` holds the last index of each array."""
    names = header.key.path
    address: Address = ()
    for name in names[:-1]:
        address = (*address, name)
        if address in newest:
            address = (*address, newest[address])
    address = (*address, names[-1])
    if header.array:
        newest[address] = newest.get(address, -1) + 1
        address = (*address, newest[address])
    return address


def _add_header(spans: Spans, header: Expression, address: Address) -> None:
    line_start = _line_start(spans.text, header.start)
    spans.headers.append(Header(address, header.array, line_start, header.line_end, header.start, header.end))


def _add_pairs(spans: Spans, expression: Expression, table: Address) -> None:
    """Add the pair of a line, and behind it those inside its value, with the brackets that hold them."""
    addresses: list[Address] = []
    brackets: dict[int, Bracket] = {}
    for number, value in enumerate(expression.values):
        holder = brackets.get(value.parent)
        above = table if holder is None else addresses[value.parent]
        if holder is not None:
            holder.members.append((value.key_start, value.end))
        address: Address
        if value.key is not None:
            address = (*above, *value.key.path)
            lines = (value.key_start, value.end)
            if holder is None:
                lines = (_line_start(spans.text, value.key_start), expression.line_end)
            pair = Pair(address, above, value.key_start, value.start, value.end, *lines, inline=holder is not None)
            spans.pairs.append(pair)
            spans.by_address[address] = pair
        else:
            assert holder is not None
            address = (*above, len(holder.members) - 1)
        addresses.append(address)
        if value.bracket:
            brackets[number] = Bracket(address, value.bracket == "{", value.start, value.end - 1)
            spans.brackets[address] = brackets[number]


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1
