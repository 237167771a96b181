"""Random TOML documents and random edits on them, from a seed, with what must be true of each edit."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from zeroclaw_cli.config.document import Document, NotEditable
from zeroclaw_cli.config.toml_read import BOM, load_toml
from zeroclaw_cli.config.toml_text import key, quote
from zeroclaw_cli.config.tree_path import Address, NotATable, drop, lookup, put, same
from zeroclaw_cli.plugins.toml_scan import Expression, Value, scan

NAMES = ["plugins", "enabled", "limits", "security", "trusted_publisher_keys", "memory", "x", "a.b", "日本", "o-p", ""]
SCALARS = [
    "true", "1_000", "0x1F", "-0.0", "nan", "1979-05-27 07:32:00", "07:32:00", "'lit # eral'", '"\\u00e9 ] } ,"',
    '"""\nmany\n# lines\\\n  """', "'''a''b'''", '"plain"', "7", "-12.5e3", '"key"',
]  # fmt: skip
MEMBERS = ['"one"', '"two, # 2"', "3", "'four'", "{ a = 1 }", "[1, 2]", '"""\nfive"""', "true"]


def _array(random: Random) -> str:
    members = random.sample(MEMBERS, random.randint(0, 4))
    style = random.randint(0, 5)
    if style < 2 or (not members and style < 4):
        return "[" + random.choice([", ", ","]).join(members) + "]"
    if style == 2:
        return "[ " + " , ".join(members) + " ]"
    lines = ["[" + random.choice(["", " # keys"])]
    for number, member in enumerate(members):
        if random.random() < 0.3:
            lines.append(random.choice(["  # above", "", "\t# tab [1, 2]"]))
        comma = "," if number + 1 < len(members) or random.random() < 0.6 else ""
        lines.append(f"  {member}{comma}{random.choice(['', '', ' # why', '  # a, b'])}")
    if random.random() < 0.3:
        lines.append("  # end")
    return "\n".join([*lines, "]"])


def _table(random: Random) -> str:
    names = random.sample(NAMES, random.randint(0, 3))
    pairs = [f"{key(name)}{random.choice([' = ', '='])}{_value(random, deep=False)}" for name in names]
    style = random.randint(0, 3)
    if not pairs or style == 0:
        return "{" + ",".join(pairs) + "}"
    if style < 3:
        return "{ " + ", ".join(pairs) + " }"
    return "{\n  " + random.choice([",\n  ", ", # c\n  "]).join(pairs) + random.choice(["", ",", ", # last"]) + "\n}"


def _value(random: Random, *, deep: bool = True) -> str:
    kind = random.random()
    if kind < 0.35:
        return _array(random)
    return _table(random) if deep and kind < 0.55 else random.choice(SCALARS)


def _key(random: Random, names: list[str]) -> str:
    return random.choice([".", ".", " . "]).join(quote(name) if random.random() < 0.2 else key(name) for name in names)


def _body(random: Random) -> list[str]:
    lines: list[str] = []
    for _ in range(random.randint(0, 3)):
        lines += _trivia(random)
        names = random.sample(NAMES, random.choice([1, 1, 2]))
        indent, comment = random.choice(["", "", "  ", "\t"]), random.choice(["", " # why", "#x"])
        lines.append(f"{indent}{_key(random, names)}{random.choice([' = ', '='])}{_value(random)}{comment}")
    return lines


def _trivia(random: Random) -> list[str]:
    return [random.choice(["", "# a comment", "  # indented [x] = 1", "#"]) for _ in range(random.randint(0, 2))]


def generated(random: Random) -> str:
    """A valid document; parts that would make it invalid are left out."""
    text = "\n".join(_body(random))
    text = text if _is_valid(text) else ""
    for _ in range(random.randint(0, 5)):
        names = _key(random, random.sample(NAMES[:6], random.choice([1, 1, 2, 3])))
        header = random.choice([f"[{names}]", f"[[{names}]]", f" [ {names} ] # h"])
        longer = "\n".join([*([text] if text else []), *_trivia(random), header, *_body(random)])
        text = longer if _is_valid(longer) else text
    text = "\n".join([text, *_trivia(random)])
    text += "\n" if random.random() < 0.7 else ""
    ends = random.choice(["lf", "lf", "crlf", "mixed"])
    if ends != "lf":
        parts = text.split("\n")
        text = "".join(part + ("\r\n" if ends == "crlf" or random.random() < 0.5 else "\n") for part in parts[:-1])
        text += parts[-1]
    return random.choice(["", "", BOM]) + text


def _is_valid(text: str) -> bool:
    try:
        load_toml(text)
    except ValueError:
        return False
    return True


def _addresses(value: Any, above: Address = ()) -> Iterator[Address]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield (*above, name)
        yield from _addresses(member, (*above, name))


# -- what an edit may touch -------------------------------------------------------------------------------------------


class Places:
    """Where the values of a document stand, as the scanner of the signatures sees it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.values: list[tuple[Address, Expression, Value | None]] = []
        table: Address = ()
        newest: dict[Address, int] = {}
        for expression in scan(text):
            if expression.is_header:
                table = self._table(expression, newest)
                self.values.append((table, expression, None))
                continue
            addresses: list[Address] = []
            counts: dict[int, int] = {}
            for value in expression.values:
                above = addresses[value.parent] if value.parent >= 0 else table
                index = counts[value.parent] = counts.get(value.parent, -1) + 1
                addresses.append((*above, *(value.key.path if value.key else (index,))))
                self.values.append((addresses[-1], expression, value))

    def _table(self, header: Expression, newest: dict[Address, int]) -> Address:
        address: Address = ()
        for name in header.key.path[:-1]:
            address = (*address, name)
            address = (*address, newest[address]) if address in newest else address
        address = (*address, header.key.path[-1])
        if header.array:
            newest[address] = newest.get(address, -1) + 1
            address = (*address, newest[address])
        return address

    def is_array_of_tables(self, address: Address) -> bool:
        return any(value is None and found[:-1] == address and header.array for found, header, value in self.values)

    def owner(self, address: Address) -> Expression | None:
        """The pair whose value holds ``address``."""
        for found, expression, value in self.values:
            if value is not None and value.parent < 0 and found == address[: len(found)]:
                return expression
        return None

    def touched(self, address: Address) -> set[int]:
        """The numbers of the lines that a change at ``address`` may change."""
        owner = self.owner(address)
        return self._in_sections(address) if owner is None else self._in_value(owner, address)

    def _in_sections(self, address: Address) -> set[int]:
        lines: set[int] = set()
        size = len(address)
        for number, (found, expression, value) in enumerate(self.values):
            if found[:size] != address or (value is not None and value.parent >= 0):
                continue
            stop = expression.line_end - 1
            if value is None:
                later = (header.start - 1 for _, header, held in self.values[number + 1 :] if held is None)
                stop = next(later, -1)
            lines |= self._lines(expression.start, stop)
        return lines

    def _in_value(self, owner: Expression, address: Address) -> set[int]:
        """The lines of what stands at ``address``, and those of the commas and brackets beside it."""
        inside = [(found, value) for found, other, value in self.values if value is not None and other is owner]
        exact = [value for found, value in inside if found[: len(address)] == address]
        lines = {line for value in exact for line in self._lines(value.key_start, value.end)}
        above = [value for found, value in inside if len(found) < len(address) and found == address[: len(found)]]
        if not above:
            return lines
        parent = above[-1]
        members = [value for _, value in inside if value.parent >= 0 and owner.values[value.parent] is parent]
        before = [value for value in members if not exact or value.start < exact[0].key_start]
        if exact:
            comma = self.text.find(",", exact[-1].end)
            lines |= self._lines(comma, comma) if comma >= 0 else set()
        else:
            lines |= self._lines(parent.start, parent.start) | self._lines(parent.end - 1, parent.end - 1)
        neighbour = before[-1].end if before else parent.start
        return lines | self._lines(neighbour, neighbour)

    def _lines(self, start: int, end: int) -> set[int]:
        last = self.text.count("\n") if end < 0 else self.text.count("\n", 0, end)
        return set(range(self.text.count("\n", 0, start), last + 1))


def check_lines(before: str, after: str, address: Address) -> None:
    """Assert that the lines of ``before`` that a change at ``address`` does not concern stand in ``after``."""
    assert before.startswith(BOM) == after.startswith(BOM)
    old, new = before.removeprefix(BOM), after.removeprefix(BOM)
    touched = Places(old).touched(address)
    lines = old.split("\n")
    left = iter(new.split("\n"))
    for number, line in enumerate(lines):
        if number in touched:
            continue
        # The last line of the file may get a line end.
        ends = (line, line + "\r") if number + 1 == len(lines) else (line,)
        assert any(other in ends for other in left), f"line {number + 1} {line!r} of {before!r} is lost in {after!r}"


# -- edits ------------------------------------------------------------------------------------------------------------

NEW: list[Any] = [True, 7, "text", ["a", "b"], 1.5]


def changes(random: Random, data: dict[str, Any]) -> tuple[Address, Any]:
    """An address and what is to stand there afterwards, None for nothing."""
    found = list(_addresses(data))
    lists = [address for address in found if isinstance(lookup(data, address), list)]
    kind = random.choice(["set", "new", "unset", "append", "append", "drop"])
    if kind in ("append", "drop") and lists:
        address = random.choice(lists)
        size = len(lookup(data, address))
        if kind == "append":
            tables = size > 0 and all(isinstance(member, dict) for member in lookup(data, address))
            return (*address, size), {"name": "added"} if tables else f"added {size}"
        return ((*address, random.randrange(size)), None) if size else (address, None)
    if kind == "set" and found:
        return random.choice(found), random.choice(NEW)
    if kind == "unset" and found:
        return random.choice(found), None
    return tuple(random.sample(NAMES, random.randint(1, 3))), random.choice(NEW)


def apply(document: Document, address: Address, value: Any) -> bool:
    """Make one change the way the program does, and check it; False when it is refused."""
    before, data = document.text, document.data
    expected = deepcopy(data)
    try:
        if value is None:
            drop(expected, address)
        else:
            put(expected, address, deepcopy(value))
    except (NotATable, LookupError, TypeError):
        return True  # Nothing that a command could ask for.
    try:
        if isinstance(address[-1], int):
            if not Places(before.removeprefix(BOM)).is_array_of_tables(address[:-1]):
                # `trust add` and `config set` give the whole array.
                document.set(address[:-1], lookup(expected, address[:-1]))
            elif value is None:
                document.remove(address)
            elif address[-1] == len(lookup(data, address[:-1])) and all(isinstance(part, str) for part in address[:-1]):
                document.append_table(tuple(map(str, address[:-1])), value)
            else:
                return True
        elif value is None:
            document.remove(address)
        else:
            document.set(address, value)
    except NotEditable as error:
        assert "\n" not in error.message
        assert document.text == before
        assert same(document.data, data)
        return False
    assert _fuller(document.data, expected), (before, document.text, address, value)
    assert same(load_toml(document.text.removeprefix(BOM)), document.data)
    check_lines(before, document.text, address)
    return True


def _fuller(actual: Any, expected: Any) -> bool:
    """Whether both are equal but for empty tables that only a removed key had made."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        missing = expected.keys() - actual.keys()
        return (
            actual.keys() <= expected.keys()
            and all(_is_empty(expected[name]) for name in missing)
            and all(_fuller(actual[name], expected[name]) for name in actual)
        )
    if isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        return all(map(_fuller, actual, expected))
    return same(actual, expected)


def _is_empty(value: Any) -> bool:
    return value == [] or (isinstance(value, dict) and all(map(_is_empty, value.values())))
