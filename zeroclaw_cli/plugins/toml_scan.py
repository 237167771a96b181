"""Where the keys, values, headers and trivia of a TOML document stand in its text.

A reader of TOML gives values and no places, and an editor that renders a document anew cannot keep its bytes. What
edits a document in place, and what signs the bytes of one, starts from the expressions that are cut here.

The scanner runs on text that :func:`~zeroclaw_cli.config.toml_read.load_toml` has accepted: only on such text does it
know where it is. It keeps a stack of its own, because a document may nest deeper than Python recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_TRIVIA: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BLANKS: Final = re.compile(r"[ \t]*")
_BARE_KEY: Final = re.compile(r"[^\s.=\]\"'#,{}\[]+")
_STRING: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)
_PLAIN: Final = re.compile(r"[^#\[\]{},\n]*")


@dataclass(frozen=True, slots=True)
class Key:
    """A dotted key. ``path`` holds the unquoted segments, ``spelling`` each segment as written, ``blanks`` the blanks
    before and after each segment, up to the dots and the brackets of a header."""

    path: tuple[str, ...]
    spelling: tuple[str, ...]
    blanks: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Value:
    """A value, and what it is a member of: ``text[start:end]`` without the blanks and the comment behind it.

    ``parent`` is the index in :attr:`Expression.values` of the array or inline table that holds it, -1 for the value of
    the expression itself; ``key`` is None for an element of an array. ``bracket`` is ``[`` for an array, ``{`` for an
    inline table, else empty. The key begins at ``key_start``, which is ``start`` where there is none.
    """

    parent: int
    key: Key | None
    key_start: int
    start: int
    end: int = 0
    bracket: str = ""


@dataclass(frozen=True, slots=True)
class Expression:
    """A key/value pair or a header.

    ``above`` is where the blank and comment lines above it begin and ``line_end`` the offset behind its line, so that
    the expressions of a document meet. ``start`` and ``end`` bound the key and value, or the header with its brackets.
    ``values`` begins with the value of the pair, and each array or inline table comes before its members; a header
    has none.
    """

    key: Key
    above: int
    start: int
    end: int
    line_end: int
    array: bool = False
    values: tuple[Value, ...] = ()

    @property
    def is_header(self) -> bool:
        return not self.values


def scan(text: str) -> Iterator[Expression]:
    """The expressions of ``text``, which has no BOM, in its order."""
    above = 0
    while True:
        start = _match(_TRIVIA, text, above)
        if start == len(text):
            return
        expression = _header(text, above, start) if text[start] == "[" else _pair(text, above, start)
        yield expression
        above = expression.line_end


def _header(text: str, above: int, start: int) -> Expression:
    brackets = 2 if text.startswith("[[", start) else 1
    key, position = _key(text, start + brackets)
    end = position + brackets
    return Expression(key, above, start, end, _line_end(text, end), array=brackets == 2)


def _pair(text: str, above: int, start: int) -> Expression:
    values = _values(text, start)
    key, end = values[0].key, values[0].end
    assert key is not None
    return Expression(key, above, start, end, _line_end(text, end), values=tuple(values))


def _values(text: str, start: int) -> list[Value]:
    """The pair at ``start`` and what is nested in it."""
    values = [_keyed(text, -1, start)]
    still_open: list[int] = []
    while True:
        value = values[-1]
        position = value.start
        if text[position] in "[{":
            value.bracket = text[position]
            still_open.append(len(values) - 1)
            position = _match(_TRIVIA, text, position + 1)
        else:
            position = value.end = _scalar_end(text, position)
        while still_open:
            position = _past_comma(text, position)
            if text[position] not in "]}":
                break
            position += 1
            values[still_open.pop()].end = position
        if not still_open:
            return values
        parent = still_open[-1]
        in_table = values[parent].bracket == "{"
        values.append(_keyed(text, parent, position) if in_table else Value(parent, None, position, position))


def _keyed(text: str, parent: int, start: int) -> Value:
    key, position = _key(text, start)
    return Value(parent, key, start, _match(_BLANKS, text, position + 1))


def _past_comma(text: str, position: int) -> int:
    position = _match(_TRIVIA, text, position)
    return _match(_TRIVIA, text, position + 1) if text[position] == "," else position


def _scalar_end(text: str, start: int) -> int:
    if text[start] in "\"'":
        return _match(_STRING, text, start)
    end = _match(_PLAIN, text, start)
    while text[end - 1] in " \t\r":
        end -= 1
    return end


def _key(text: str, begin: int) -> tuple[Key, int]:
    """The key at ``begin`` or behind the blanks there, and the offset of what follows it (``=`` or ``]``)."""
    path: list[str] = []
    spelling: list[str] = []
    blanks: list[tuple[str, str]] = []
    before = begin
    while True:
        start = _match(_BLANKS, text, before)
        end = _match(_STRING if text[start] in "\"'" else _BARE_KEY, text, start)
        after = _match(_BLANKS, text, end)
        path.append(_unquote(text[start:end]))
        spelling.append(text[start:end])
        blanks.append((text[before:start], text[end:after]))
        if text[after] != ".":
            if text[after] == "=":
                # What stands before it belongs to the value, and no other key has the same path.
                blanks[-1] = (text[before:start], "")
            return Key(tuple(path), tuple(spelling), tuple(blanks)), after
        before = after + 1


def _unquote(segment: str) -> str:
    if segment[0] not in "\"'":
        return segment
    import tomli

    return next(iter(tomli.loads(f"{segment}=0")))


def _match(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    assert match is not None, "the text was accepted by a reader of TOML"
    return match.end()


def _line_end(text: str, position: int) -> int:
    """The offset behind the line that ``position`` stands in; only a comment can still follow on it."""
    newline = text.find("\n", position)
    return len(text) if newline < 0 else newline + 1
