"""The statements of a TOML document: its headers and key/value pairs, with their lines and addresses.

Runs on text that :func:`~zeroclaw_cli.config.toml_read.load_toml` has accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from zeroclaw_cli.config.tree_path import Address

TOKEN: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'|#[^\n]*|[=\n\[\]{}]|[^\"'#=\n\[\]{}]+",
    re.DOTALL,
)
_DEPTH: Final = {"[": 1, "{": 1, "]": -1, "}": -1}


@dataclass(slots=True)
class Statement:
    """A header, or a pair written in the table at ``table``.

    ``start`` to ``end`` are its whole lines, ``head`` to ``tail`` the statement without blanks and comment around it;
    ``above`` is where the comment lines directly above it begin. ``value`` is where the value of a pair begins.
    The address of a ``[[table]]`` ends with the element's index.
    """

    above: int
    start: int
    head: int
    tail: int = 0
    end: int = 0
    equals: int = 0
    value: int = 0
    table: Address = ()
    address: Address = ()
    array: bool = False

    @property
    def is_header(self) -> bool:
        return not self.value


def statements_of(text: str) -> list[Statement]:
    """The statements of ``text``, which has no BOM."""
    found = list(_cut(text))
    table: Address = ()
    newest: dict[Address, tuple[int]] = {}
    for statement in found:
        if statement.is_header:
            statement.array = text.startswith("[[", statement.head)
            names = _names(text[statement.head : statement.tail].strip("[]"))
            table = statement.address = _table(names, statement.array, newest)
        else:
            statement.address = (*table, *_names(text[statement.head : statement.equals]))
        statement.table = table
    return found


def line_of(text: str, address: Address) -> int | None:
    """The line (from 1) of the statement that first writes ``address``, or the nearest table or value above it."""
    statements = statements_of(text)
    for length in range(len(address), 0, -1):
        for statement in statements:
            if statement.address[:length] == address[:length]:
                return text.count("\n", 0, statement.head) + 1
    return None


def _cut(text: str) -> Iterator[Statement]:
    current: Statement | None = None
    above = start = depth = 0
    for match in TOKEN.finditer(text + "\n"):
        part = match[0]
        if part == "\n" and not depth:
            stop = min(match.end(), len(text))
            if current is not None:
                current.end = stop
                yield current
            if current is not None or not text[start:stop].strip():
                above = stop
            current, start = None, stop
        elif not (part.isspace() or part.startswith("#")):
            head = match.start() + len(part) - len(part.lstrip())
            current = current or Statement(above, start, head)
            depth += _DEPTH.get(part, 0)
            if current.equals and not current.value:
                current.value = head
            elif part == "=" and not current.equals:
                current.equals = head
            current.tail = match.start() + len(part.rstrip())


def _names(key: str) -> tuple[str, ...]:
    import tomli

    names: list[str] = []
    table: Any = tomli.loads(f"{key}=0")
    while isinstance(table, dict):
        [(name, table)] = table.items()
        names.append(name)
    return tuple(names)


def _table(names: tuple[str, ...], array: bool, newest: dict[Address, tuple[int]]) -> Address:
    """The address of a table, and of the next element of an array; ``newest`` holds the last index of each array."""
    address: Address = ()
    for name in names:
        address = (*address, *newest.get(address, ()), name)
    if array:
        newest[address] = (newest.get(address, (-1,))[0] + 1,)
        address = (*address, *newest[address])
    return address
