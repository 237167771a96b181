"""A TOML document that is edited in place: every byte outside the change stays as it is.

tomlkit edits the statements, one at a time. A whole document cannot be given to it: it refuses a BOM, puts a new key
below the comment that introduces the next section, and reorders an array of tables that other tables interrupt. So what
is inserted and what is cut are whole lines, and every result is read again and compared with what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from zeroclaw_cli.config import toml_text
from zeroclaw_cli.config.toml_read import BOM, load_toml
from zeroclaw_cli.config.toml_statements import Statement, statements_of
from zeroclaw_cli.config.tree_path import Address, NotATable, drop, lookup, plain, prune_implied, put, same
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

    def get(self, address: Address) -> Any:
        """The value at ``address``, or None."""
        return lookup(self.data, address)

    def set(self, address: Address, value: Any) -> None:
        """Write ``value`` (of types that TOML has) at ``address``; tables that are missing above it are made."""
        with self._edit() as expected:
            put(expected, address, plain(value))
            owner = self._owner(address)
            if owner is not None:
                self._rewrite(owner, expected)
            else:
                self._cut(address)
                self._insert(address, toml_text.render(value))

    def remove(self, address: Address) -> bool:
        """Remove the value or table at ``address``; False when there is none. Comments above it stay."""
        if self.get(address) is None:
            return False
        with self._edit() as expected:
            drop(expected, address)
            owner = self._owner(address[:-1])
            if owner is not None:
                self._rewrite(owner, expected)
            else:
                self._cut(address)
            # A table that only this key made is gone with it; a written one stays and is empty.
            if not same(self.data, expected):
                prune_implied(expected, self.data, address)
        return True

    def append_table(self, array: tuple[str, ...], values: Mapping[str, Any]) -> None:
        """Append a table with ``values`` to the array of tables named ``array``."""
        if self._header((*array, 0)) is None and not self.can_hold_comments(array):
            self.set(array, [*(self.get(array) or ()), values])
            return
        with self._edit() as expected:
            put(expected, (*array, len(self.get(array) or ())), plain(values))
            lines = [f"{toml_text.key(name)} = {toml_text.render(value)}" for name, value in values.items()]
            self._insert_lines(self._section_end(array), f"[[{toml_text.dotted(array)}]]", *lines, section=True)

    def comment(self, address: Address, text: str) -> None:
        """Replace the ``#`` lines directly above the key at ``address`` by the lines of ``text``, if any."""
        with self._edit():
            pair = self._owner(address)
            if pair is None or pair.address != address:
                raise NotEditable(
                    "a comment requires a key on its own line",
                    hint="run `zeroclaw config edit` and give the key its own line",
                )
            newline = self._newline(pair.start)
            indent = self._text[pair.start : pair.head]
            lines = [f"{indent}# {line}".rstrip() + newline for line in text.splitlines()]
            self._replace(pair.above, pair.start, "".join(lines))

    def add_comment_lines(self, table: tuple[str, ...], lines: Sequence[str]) -> None:
        """Add comment ``lines`` at the end of the keys of ``table``, which gets a header when it has none."""
        with self._edit() as expected:
            header = self._header(table)
            if header is not None:
                self._insert_lines(self._body_end(table), *lines)
                return
            if self.get(table) is None:
                put(expected, table, {})
            self._insert_lines(self._section_end(table), f"[{toml_text.dotted(table)}]", *lines, section=True)

    def has_header(self, table: tuple[str, ...]) -> bool:
        return self._header(table) is not None

    def body_text(self, table: tuple[str, ...]) -> str:
        """The text below the header of ``table`` up to the next table, empty when it has no header."""
        header = self._header(table)
        if header is None:
            return ""
        ends = (other.start for other in self._headers() if other.start > header.start)
        return self._text[header.end : next(ends, len(self._text))]

    def can_hold_comments(self, table: tuple[str, ...]) -> bool:
        """Whether ``table`` has a header, or may be given one."""
        if self._header(table) is not None:
            return True
        parts = [table[:length] for length in range(1, len(table) + 1)]
        return not any(
            self._owner(part) or self._last_dotted(part) or self._header((*part, 0)) is not None for part in parts
        )

    # -- reading back ---------------------------------------------------------------------------------------------

    def _read(self, text: str) -> None:
        self.data = load_toml(text)
        self._text = text
        self._statements = statements_of(text)

    @contextmanager
    def _edit(self) -> Iterator[dict[str, Any]]:
        """Yield what the data is to become, and make an edit whole: the text is restored unless it becomes that."""
        text = self._text
        try:
            expected = deepcopy(self.data)
            yield expected
            if not same(self.data, expected):
                raise _not_editable()
        except (NotATable, RecursionError):
            self._read(text)
            raise _not_editable() from None
        except BaseException:
            self._read(text)
            raise

    def _replace(self, start: int, end: int, text: str) -> None:
        try:
            self._read(self._text[:start] + text + self._text[end:])
        except ValueError:
            raise _not_editable() from None

    def _rewrite(self, pair: Statement, expected: Mapping[str, Any]) -> None:
        """Give ``pair`` the value that it has in ``expected``."""
        from zeroclaw_cli.config.toml_values import rewritten

        names = tuple(str(part) for part in pair.address[len(pair.table) :])
        span = pair.value - pair.start, pair.tail - pair.start
        text = rewritten(self._text[pair.start : pair.end], names, span, lookup(expected, pair.address))
        if text is None:
            raise _not_editable()
        self._replace(pair.start, pair.end, text)

    def _cut(self, address: Address) -> None:
        """Cut the lines of the tables and pairs at and below ``address``."""
        size = len(address)
        cuts = [
            (found.start, self._block_end(found) if found.is_header else found.end)
            for found in self._statements
            if found.address[:size] == address and (found.is_header or len(found.table) < size)
        ]
        text = self._text
        for start, end in reversed(cuts):
            text = text[:start] + text[end:]
        self._replace(0, len(self._text), text)

    # -- inserting ------------------------------------------------------------------------------------------------

    def _insert(self, address: Address, text: str) -> None:
        for length in range(len(address) - 1, -1, -1):
            table, names = address[:length], tuple(str(part) for part in address[length:])
            beside = self._last_dotted(table)
            if beside is not None:
                prefix = tuple(str(part) for part in table[len(beside.table) :])
                return self._insert_lines(beside.end, f"{toml_text.dotted(prefix + names)} = {text}")
            has_header = not table or self._header(table) is not None
            if has_header and len(names) == 1:
                return self._insert_lines(self._body_end(table), f"{toml_text.key(names[0])} = {text}")
            if has_header or any(header.address[:length] == table for header in self._headers()):
                full = tuple(part for part in table if isinstance(part, str)) + names[:-1]
                line = f"{toml_text.key(names[-1])} = {text}"
                return self._insert_lines(self._section_end(table), f"[{toml_text.dotted(full)}]", line, section=True)
        raise AssertionError("the root is a table")

    def _insert_lines(self, position: int, *lines: str, section: bool = False) -> None:
        """Insert ``lines`` at ``position``, a line start or the end of the text: indented as the line above, or with a
        blank line around them as a ``section``."""
        newline = self._newline(position)
        before, after = self._text[:position], self._text[position:]
        above = before.rstrip("\r\n").rpartition("\n")[2]
        indent = "" if section else above[: len(above) - len(above.lstrip(" \t"))]
        body = newline.join(indent + line for line in lines)
        # Where the last line of the file had no line end, the new last line has none either.
        body = newline + body if before and not before.endswith("\n") else body + newline
        if section and before.strip() and not before.replace("\r", "").endswith("\n\n"):
            body = newline + body
        if after and after[0] not in "\r\n" and (section or not before):
            body += newline
        self._replace(position, position, body)

    # -- where things are -----------------------------------------------------------------------------------------

    def _headers(self) -> list[Statement]:
        return [statement for statement in self._statements if statement.is_header]

    def _pairs(self) -> list[Statement]:
        return [statement for statement in self._statements if not statement.is_header]

    def _header(self, table: Address) -> Statement | None:
        return next((header for header in self._headers() if header.address == table), None)

    def _owner(self, address: Address) -> Statement | None:
        """The pair whose value is at ``address`` or holds it."""
        return next((pair for pair in self._pairs() if pair.address == address[: len(pair.address)]), None)

    def _last_dotted(self, table: Address) -> Statement | None:
        """The last pair whose dotted key made ``table``."""
        size = len(table)
        dotted = [pair for pair in self._pairs() if len(pair.table) < size < len(pair.address)]
        return next((pair for pair in reversed(dotted) if pair.address[:size] == table), None)

    def _block_end(self, header: Statement) -> int:
        """The end of the lines of ``header``: up to the comments that introduce the next one."""
        return next((other.above for other in self._headers() if other.start > header.start), len(self._text))

    def _section_end(self, table: Address) -> int:
        """The end of the last lines that belong to ``table``, or to the nearest table above it that is written."""
        for length in range(len(table), 0, -1):
            inside = [header for header in self._headers() if header.address[:length] == table[:length]]
            if inside:
                return self._block_end(inside[-1])
        return len(self._text)

    def _body_end(self, table: Address) -> int:
        """Where a new key of ``table`` goes: below its last key, or below its header."""
        ends = [found.end for found in self._statements if found.table == table]
        return max(ends, default=0)

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
