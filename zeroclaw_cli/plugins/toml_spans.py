"""Where the expressions of a TOML document stand in its text (specs/zeroclaw.md §4.3).

An editor that re-renders a document cannot keep its bytes; a signature is over bytes. So the text is cut into spans:
each key/value line and each header owns the blank and comment lines above it and its own line to the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from zeroclaw_cli.plugins.toml_text import load_toml

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BLANKS = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[^\s.=\]\"'#,{}\[]+")
_STRING = re.compile(
    r'"""(?:[^"\\]+|\\.|"{1,2}(?!"))*"{3,5}'
    r"|'''(?:[^']+|'{1,2}(?!'))*'{3,5}"
    r'|"(?:[^"\\\n]+|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN_VALUE = re.compile(r"[^\"'#\[\]{},\n]+")


@dataclass(frozen=True, slots=True)
class Key:
    """A dotted key. ``path`` holds the unquoted segments, ``spelling`` each segment as written, ``blanks`` the blanks
    before and after each segment, up to the dots and the brackets of a header."""

    path: tuple[str, ...]
    spelling: tuple[str, ...]
    blanks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Expression:
    """One key/value pair or header. ``start`` and ``end`` are offsets into the text and take in the trivia above and
    the line end below; ``value_start`` and ``value_end`` bound the value (equal for a header)."""

    key: Key
    start: int
    end: int
    value_start: int = 0
    value_end: int = 0
    header: bool = False
    array: bool = False
    inline_tables: tuple[tuple[Key, ...], ...] = ()


@dataclass(slots=True)
class Section:
    """The root (``header`` None) or a table: its header and the key/value expressions below it."""

    header: Expression | None
    pairs: list[Expression] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Spans:
    """A document cut up: ``text`` is the whole, ``sections`` begin with the root, ``tail`` is what follows the last
    expression."""

    text: str
    sections: tuple[Section, ...]
    tail: str

    @property
    def root(self) -> Section:
        return self.sections[0]

    def source(self, expression: Expression) -> str:
        return self.text[expression.start : expression.end]


def cut(text: str) -> Spans:
    """``text`` (a BOM is dropped) cut into the spans of its expressions.

    Raises ValueError with one line when it is not a TOML 1.1 document.
    """
    text = text.removeprefix("\ufeff")
    load_toml(text)
    return _cut_valid(text)


def _cut_valid(text: str) -> Spans:
    """Cut text that is known to be TOML; only on such text does the scanner know where it is."""
    sections = [Section(None)]
    position = 0
    while True:
        start = position
        position = _match(_TRIVIA, text, start)
        if position == len(text):
            return Spans(text, tuple(sections), text[start:])
        if text[position] == "[":
            expression = _scan_header(text, start, position)
            sections.append(Section(expression))
        else:
            expression = _scan_pair(text, start, position)
            sections[-1].pairs.append(expression)
        position = expression.end


def _scan_header(text: str, start: int, position: int) -> Expression:
    array = text.startswith("[[", position)
    key, position = _scan_key(text, position + (2 if array else 1))
    return Expression(key, start, _line_end(text, position), header=True, array=array)


def _scan_pair(text: str, start: int, position: int) -> Expression:
    key, position = _scan_key(text, position)
    value_start = _match(_BLANKS, text, position + 1)
    value_end, inline_tables = _scan_value(text, value_start)
    return Expression(
        key, start, _line_end(text, value_end), value_start, value_end, inline_tables=tuple(map(tuple, inline_tables))
    )


def _scan_key(text: str, begin: int) -> tuple[Key, int]:
    """The key at ``begin`` or after the blanks there, and the offset of what follows it (``=`` or ``]``)."""
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


def _scan_value(text: str, begin: int) -> tuple[int, list[list[Key]]]:
    """The end of the value at ``begin`` without trailing blanks, and the keys of each inline table in it."""
    tables: list[list[Key]] = []
    open_tables: list[list[Key] | None] = []  # None stands for an array
    position = begin
    while position < len(text):
        character = text[position]
        if character in "#\n":
            if not open_tables:
                break
            position = _match(_TRIVIA, text, position)
        elif character in "\"'":
            position = _match(_STRING, text, position)
        elif character == "{":
            keys: list[Key] = []
            tables.append(keys)
            open_tables.append(keys)
            position = _scan_inline_key(text, position + 1, keys)
        elif character == "[":
            open_tables.append(None)
            position += 1
        elif character in "]}":
            open_tables.pop()
            position += 1
        elif character == ",":
            current = open_tables[-1]
            position = position + 1 if current is None else _scan_inline_key(text, position + 1, current)
        else:
            position = _match(_PLAIN_VALUE, text, position)
    while text[position - 1] in " \t\r":
        position -= 1
    return position, tables


def _scan_inline_key(text: str, position: int, table: list[Key]) -> int:
    """Add the key that begins after ``position`` to ``table``, unless the table ends there; the offset behind it."""
    position = _match(_TRIVIA, text, position)
    if text[position] != "}":
        key, position = _scan_key(text, position)
        table.append(key)
    return position


def _unquote(segment: str) -> str:
    if segment[0] not in "\"'":
        return segment
    return next(iter(load_toml(f"{segment}=0")))


def _match(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    if match is None:
        raise ValueError(f"the text at offset {position} is not understood")
    return match.end()


def _line_end(text: str, position: int) -> int:
    """The offset behind the line that ``position`` stands in; only a comment can still follow on it."""
    newline = text.find("\n", position)
    return len(text) if newline < 0 else newline + 1
