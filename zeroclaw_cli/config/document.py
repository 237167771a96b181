"""A TOML document that is edited in place: every byte outside the change stays as it is.

tomlkit, the library for such edits, was tried and does not keep what is promised here: it refuses a BOM, writes ``\\n``
into a document of ``\\r\\n``, puts a new key below the comment that introduces the next section, and drops an element
appended to an array of tables that other tables interrupt. So values, lines and sections are cut and inserted by their
spans, and every result is read again and compared with what was asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from zeroclaw_cli.config import toml_text
from zeroclaw_cli.config.nested import Address, NotATable, drop, lookup, plain, prune_implied, put, same
from zeroclaw_cli.config.toml_read import BOM, load_toml
from zeroclaw_cli.config.toml_spans import Bracket, Header, Pair, Spans, spans_of
from zeroclaw_cli.errors import ValidationFailed


class NotEditable(ValidationFailed):
    """The document is written in a way that this change cannot be made in place."""


class Document:
    """The text of a document and the edits on it. ``data`` is what a TOML reader makes of it.

    Addresses are names from the root, with the index of an element after the name of an array.
    """

    def __init__(self, text: str) -> None:
        """Raises ValueError with one line when ``text`` is not a TOML 1.1 document."""
        self._bom = BOM if text.startswith(BOM) else ""
        self._read(text.removeprefix(BOM))

    @property
    def text(self) -> str:
        return self._bom + self._text

    @property
    def spans(self) -> Spans:
        return self._spans

    def get(self, address: Address) -> Any:
        """The value at ``address``, or None."""
        return lookup(self.data, address)

    def set(self, address: Address, value: Any) -> None:
        """Write ``value`` (of types that TOML has) at ``address``; tables that are missing above it are made."""
        with self._whole():
            expected = deepcopy(self.data)
            put(expected, address, plain(value))
            text = toml_text.render(value)
            pair = self._spans.by_address.get(address)
            if pair is not None:
                self._replace(pair.value_start, pair.end, text)
            else:
                self._remove_spans(address)
                self._insert(address, text)
            self._check(expected)

    def remove(self, address: Address) -> bool:
        """Remove the value or table at ``address``; False when there is none. Comments above it stay."""
        with self._whole():
            if self.get(address) is None:
                return False
            expected = deepcopy(self.data)
            drop(expected, address)
            self._remove_spans(address)
            # A table that only this key made is gone with it; a written one stays and is empty.
            if not same(self.data, expected):
                prune_implied(expected, self.data, address)
            self._check(expected)
            return True

    def append_table(self, array: tuple[str, ...], values: Mapping[str, Any]) -> None:
        """Append a table with ``values`` to the array of tables named ``array``."""
        with self._whole():
            expected = deepcopy(self.data)
            count = len(self.get(array) or ())
            bracket = self._spans.brackets.get(array)
            if bracket is not None and not bracket.table:
                self._insert_member(bracket, toml_text.render(values))
            elif any(h.array and h.address[:-1] == array for h in self._spans.headers) or self._may_open(array):
                lines = [f"[[{toml_text.dotted(array)}]]"]
                lines += [f"{toml_text.key(name)} = {toml_text.render(value)}" for name, value in values.items()]
                self._insert_section(self._after_blocks(self._deepest(array)), lines)
            else:
                self._insert(array, toml_text.render([values]))
            put(expected, (*array, count), plain(values))
            self._check(expected)

    def table_to_array(self, table: tuple[str, ...], name_key: str) -> None:
        """Turn the tables inside ``table`` into the elements of an array, each with its name under ``name_key``.

        Headers are rewritten where they stand, so that comments stay too. Raises NotEditable when that would lose one.
        """
        with self._whole():
            expected = deepcopy(self.data)
            members: dict[str, Any] = self.get(table)
            put(expected, table, [{name_key: name, **member} for name, member in members.items()])
            size = len(table)
            if any(len(pair.table) <= size and pair.address[:size] == table for pair in self._spans.pairs):
                self._rebuild_as_array(table, name_key, members)
            else:
                self._rename_headers(table, name_key, members)
            self._check(expected)

    def _rename_headers(self, table: tuple[str, ...], name_key: str, members: Mapping[str, Any]) -> None:
        size = len(table)
        opening = f"[[{toml_text.dotted(table)}]]"
        edits: list[tuple[int, int, str]] = []
        seen: set[str] = set()
        for header in self._spans.headers:
            if header.address[:size] != table:
                continue
            if len(header.address) == size:
                edits.append((header.start, header.end, ""))
                continue
            names = tuple(str(part) for part in header.address[size:] if isinstance(part, str))
            newline = self._newline(header.start)
            named = "" if name_key in members[names[0]] else f"{name_key} = {toml_text.quote(names[0])}{newline}"
            if len(names) == 1:
                edits.append((header.bracket_start, header.bracket_end, opening))
                line_end = "" if self._text[: header.end].endswith("\n") else newline
                edits.append((header.end, header.end, line_end + named))
            else:
                inner = toml_text.dotted((*table, *names[1:]))
                if names[0] not in seen:
                    edits.append((header.start, header.start, opening + newline + named + newline))
                brackets = f"[[{inner}]]" if header.array else f"[{inner}]"
                edits.append((header.bracket_start, header.bracket_end, brackets))
            seen.add(names[0])
        text = self._text
        for start, end, replacement in reversed(edits):
            text = text[:start] + replacement + text[end:]
        self._replace(0, len(self._text), text)

    def _rebuild_as_array(self, table: tuple[str, ...], name_key: str, members: Mapping[str, Any]) -> None:
        before = self._text
        self._remove_spans(table)
        if "#" in before and before.count("#") != self._text.count("#"):
            raise NotEditable("comments might be lost", hint="make it with `zeroclaw config edit`")
        for name, member in members.items():
            self.append_table(table, {name_key: name, **member})

    def comment(self, address: Address, text: str) -> None:
        """Replace the ``#`` lines directly above the key at ``address`` by the lines of ``text``, if any."""
        with self._whole():
            pair = self._spans.by_address.get(address)
            if pair is None or pair.inline:
                raise NotEditable(
                    "a comment requires a key on its own line",
                    hint="run `zeroclaw config edit` and give the key its own line",
                )
            start = self._comment_start(pair.line_start)
            newline = self._newline(pair.line_start)
            indent = self._text[pair.line_start : pair.start]
            lines = [f"{indent}# {line}".rstrip() + newline for line in text.splitlines()]
            expected = self.data
            self._replace(start, pair.line_start, "".join(lines))
            self._check(expected)

    def add_comment_lines(self, table: tuple[str, ...], lines: Sequence[str]) -> None:
        """Add comment ``lines`` at the end of the keys of ``table``, which gets a header when it has none."""
        with self._whole():
            expected = deepcopy(self.data)
            header = self._header(table)
            if header is None:
                if self.get(table) is None:
                    put(expected, table, {})
                self._insert_section(self._after_blocks(self._deepest(table)), [f"[{toml_text.dotted(table)}]", *lines])
            else:
                self._insert_lines(self._body_end(header), lines)
            self._check(expected)

    def has_header(self, table: tuple[str, ...]) -> bool:
        return self._header(table) is not None

    def body_text(self, table: tuple[str, ...]) -> str:
        """The text below the header of ``table`` up to the next table, empty when it has no header."""
        headers = self._spans.headers
        ends = [*(header.start for header in headers[1:]), len(self._text)]
        for header, end in zip(headers, ends, strict=False):
            if header.address == table:
                return self._text[header.end : end]
        return ""

    def can_hold_comments(self, table: tuple[str, ...]) -> bool:
        """Whether ``table`` has a header, or may be given one."""
        return self._header(table) is not None or self._may_open(table)

    # -- reading back ---------------------------------------------------------------------------------------------

    def _read(self, text: str) -> None:
        self.data = load_toml(text)
        self._text = text
        self._spans = spans_of(text)
        ends = [pair.line_end for pair in self._spans.pairs if not pair.inline]
        self._ends = sorted([*ends, *(header.end for header in self._spans.headers)])

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Make an edit of several steps whole: when one of them fails, the text before the first is restored."""
        text = self._text
        try:
            yield
        except (NotATable, RecursionError):
            self._read(text)
            raise _not_editable() from None
        except BaseException:
            self._read(text)
            raise

    def _check(self, expected: Mapping[str, Any]) -> None:
        if not same(self.data, expected):
            raise _not_editable()

    def _replace(self, start: int, end: int, text: str) -> None:
        changed = self._text[:start] + text + self._text[end:]
        try:
            self._read(changed)
        except ValueError:
            raise _not_editable() from None

    # -- inserting ------------------------------------------------------------------------------------------------

    def _insert(self, address: Address, text: str) -> None:
        for length in range(len(address) - 1, -1, -1):
            table, rest = address[:length], address[length:]
            names = tuple(str(part) for part in rest)
            bracket = self._spans.brackets.get(table)
            if bracket is not None:
                return self._insert_member(bracket, f"{toml_text.dotted(names)} = {text}")
            dotted = self._last_dotted(table)
            if dotted is not None:
                return self._insert_beside(dotted, table, names, text)
            header = self._header(table)
            if length == 0 or header is not None:
                if len(rest) == 1:
                    return self._insert_lines(self._body_end(header), [f"{toml_text.key(names[0])} = {text}"])
                return self._insert_header(table, names, text)
            if self._is_implied(table):
                return self._insert_header(table, names, text)
        raise AssertionError("the root is a table")

    def _insert_beside(self, pair: Pair, table: Address, names: tuple[str, ...], text: str) -> None:
        prefix = tuple(str(part) for part in table[len(pair.table) :])
        line = f"{toml_text.dotted(prefix + names)} = {text}"
        if pair.inline:
            return self._insert_member(self._spans.brackets[pair.table], line)
        return self._insert_lines(pair.line_end, [line])

    def _insert_header(self, table: Address, names: tuple[str, ...], text: str) -> None:
        full = tuple(part for part in table if isinstance(part, str)) + names[:-1]
        lines = [f"[{toml_text.dotted(full)}]", f"{toml_text.key(names[-1])} = {text}"]
        self._insert_section(self._after_blocks(table), lines)

    def _insert_lines(self, position: int, lines: Sequence[str]) -> None:
        """Insert ``lines`` at ``position``, a line start or the end of the text, indented as the line above."""
        newline = self._newline(position)
        before = self._text[:position]
        above = before.rstrip("\r\n").rpartition("\n")[2] if before else ""
        indent = above[: len(above) - len(above.lstrip(" \t"))]
        body = newline.join(indent + line for line in lines)
        if before and not before.endswith("\n"):
            # The last line of the file had no line end, and the new last line has none either.
            self._replace(position, position, newline + body)
        elif not before and self._text[:1] not in ("", "\n", "\r"):
            self._replace(0, 0, body + newline + newline)
        else:
            self._replace(position, position, body + newline)

    def _insert_section(self, position: int, lines: Sequence[str]) -> None:
        newline = self._newline(position)
        before, after = self._text[:position], self._text[position:]
        body = newline.join(lines)
        if before and not before.endswith("\n"):
            # The last line of the file had no line end, and the new last line has none either.
            body = newline + body
        else:
            body += newline
        if before.strip() and not before.replace("\r", "").endswith("\n\n"):
            body = newline + body
        if after and after[0] not in "\r\n":
            body += newline
        self._replace(position, position, body)

    def _insert_member(self, bracket: Bracket, member: str) -> None:
        if bracket.members:
            end = bracket.members[-1][1]
            return self._replace(end, end, f", {member}")
        inside = self._text[bracket.open + 1 : bracket.close]
        if inside.strip():
            # Only a comment stands inside; it stays below the new member.
            return self._replace(bracket.open + 1, bracket.open + 1, f" {member}")
        text = f" {member} " if bracket.table else member
        return self._replace(bracket.open + 1, bracket.close, text)

    # -- removing -------------------------------------------------------------------------------------------------

    def _remove_spans(self, address: Address) -> None:
        size = len(address)
        bracket = self._spans.brackets.get(address[:-1])
        if address and isinstance(address[-1], int) and bracket is not None:
            self._apply(self._cuts_of_member(bracket, bracket.members[address[-1]]))
            return
        cuts = [
            (header.start, end)
            for header, end in self._blocks()
            if header is not None and header.address[:size] == address
        ]
        cuts += [
            (pair.line_start, pair.line_end)
            for pair in self._spans.pairs
            if pair.address[:size] == address and len(pair.table) < size and not pair.inline
        ]
        self._apply(cuts)
        while (pair := self._first_inline(address)) is not None:
            self._apply(self._cuts_of_member(self._spans.brackets[pair.table], (pair.start, pair.end)))

    def _first_inline(self, address: Address) -> Pair | None:
        size = len(address)
        return next(
            (
                pair
                for pair in self._spans.pairs
                if pair.inline and pair.address[:size] == address and len(pair.table) < size
            ),
            None,
        )

    def _apply(self, cuts: list[tuple[int, int]]) -> None:
        text = self._text
        for start, end in sorted(set(cuts), reverse=True):
            text = text[:start] + text[end:]
        if cuts:
            self._replace(0, len(self._text), text)

    def _cuts_of_member(self, bracket: Bracket, member: tuple[int, int]) -> list[tuple[int, int]]:
        """What to cut so that ``member`` and one comma go, and comments beside them stay."""
        index = bracket.members.index(member)
        start, end = member
        behind = self._comma(end, bracket.close)
        if index + 1 < len(bracket.members):
            assert behind is not None
            if "#" in self._text[end:behind]:
                return [(start, end), (behind, behind + 1)]
            return [(start, self._blanks_after(behind + 1))]
        if index == 0:
            return [(start, end)] if behind is None else [(start, end), (behind, behind + 1)]
        previous = bracket.members[index - 1][1]
        comma = self._comma(previous, start)
        assert comma is not None
        if self._text[comma + 1 : start].strip():
            return [(comma, comma + 1), (start, end)]
        return [(comma, end)]

    def _comma(self, start: int, stop: int) -> int | None:
        """The comma between two members; a comment may stand before it."""
        position = start
        while position < stop:
            char = self._text[position]
            if char == ",":
                return position
            if char == "#":
                position = self._text.index("\n", position)
            position += 1
        return None

    def _blanks_after(self, position: int) -> int:
        while self._text[position] in " \t":
            position += 1
        return position

    # -- where things are -----------------------------------------------------------------------------------------

    def _header(self, table: Address) -> Header | None:
        return next((header for header in self._spans.headers if header.address == table), None)

    def _is_implied(self, table: Address) -> bool:
        size = len(table)
        return any(len(header.address) > size and header.address[:size] == table for header in self._spans.headers)

    def _last_dotted(self, table: Address) -> Pair | None:
        """The last pair whose dotted key made ``table``."""
        size = len(table)
        found = None
        for pair in self._spans.pairs:
            if len(pair.table) < size < len(pair.address) and pair.address[:size] == table:
                found = pair
        return found

    def _deepest(self, table: tuple[str, ...]) -> tuple[str, ...]:
        """The longest part of ``table`` that a header of the document names, itself or as the start of its name."""
        for length in range(len(table), 0, -1):
            if any(header.address[:length] == table[:length] for header in self._spans.headers):
                return table[:length]
        return ()

    def _may_open(self, table: tuple[str, ...]) -> bool:
        """Whether a header may name ``table``, which has none."""
        for length in range(1, len(table) + 1):
            part = table[:length]
            if part in self._spans.by_address or self._last_dotted(part) is not None:
                return False
            if any(header.array and header.address[:-1] == part for header in self._spans.headers):
                return False
        return True

    def _blocks(self) -> list[tuple[Header | None, int]]:
        """Each header (None for the root) with the end of its block: up to the comments that introduce the next one."""
        headers = self._spans.headers
        starts = [self._comment_start(header.start) for header in headers]
        ends = [*starts, len(self._text)]
        return list(zip([None, *headers], ends, strict=True))

    def _after_blocks(self, table: Address) -> int:
        """The end of the last block that belongs to ``table``."""
        size = len(table)
        end = len(self._text)
        for header, stop in self._blocks():
            if header is not None and header.address[:size] == table:
                end = stop
        return end

    def _body_end(self, header: Header | None) -> int:
        """Where a new key of ``header`` (None: of the root) goes: below its last key, or below the header."""
        table = header.address if header is not None else ()
        lines = [pair.line_end for pair in self._spans.pairs if pair.table == table and not pair.inline]
        if lines:
            return max(lines)
        return header.end if header is not None else 0

    def _comment_start(self, line_start: int) -> int:
        """The start of the ``#`` lines directly above the line that starts at ``line_start``."""
        # A line of a string may begin with # too, so the search stops at what stands above.
        place = bisect_right(self._ends, line_start)
        floor = self._ends[place - 1] if place else 0
        position = line_start
        while position > floor:
            above = self._text.rfind("\n", 0, position - 1) + 1
            if not self._text[above:position].lstrip(" \t").startswith("#"):
                break
            position = above
        return position

    def _newline(self, position: int) -> str:
        """The line end in use around ``position``."""
        before = self._text.rfind("\n", 0, position)
        found = before if before >= 0 else self._text.find("\n", position)
        return "\r\n" if found > 0 and self._text[found - 1] == "\r" else "\n"


def _not_editable() -> NotEditable:
    return NotEditable(
        "this change cannot be made in place, because of how the file is written",
        hint="make it with `zeroclaw config edit`",
    )
