"""Rows that cannot be read: text that is not UTF-8, a time that is none, a document that is not what its hash says.

Specs/native-memory.md, "decided since 0.1.0": one bad row is left out and named, can be forgotten, and never hides the
others. A bad text is read as Python does it for names of files, so that its bytes stand in it as lone surrogates.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from zeroclaw_cli.errors import DamageWarning
from zeroclaw_cli.memory.measures import content_hash
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.native.stamps import is_stamp

_ENTRY_TEXTS: Final = (
    *("id", "tenant", "user", "project", "key", "agent", "content", "category", "namespace", "created_at"),
    *("updated_at", "session_id", "kind", "superseded_by"),
)
# What stands in a shown text for bytes that are no UTF-8.
REPLACED: Final = "\ufffd"
_MOST_NAMED: Final = 5
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
# Of these, the last ones may be null.
_NULLABLE: Final = 3
_ENTRIES: Final = f"SELECT number, {', '.join(_ENTRY_TEXTS)} FROM entries"  # noqa: S608
_TIMES_OF_ENTRY: Final = (_ENTRY_TEXTS.index("created_at"), _ENTRY_TEXTS.index("updated_at"))
_DOCUMENTS: Final = (
    "SELECT id, tenant, user, agent, project, path, hash, created_at, updated_at, CAST(body AS BLOB) FROM documents"
)


class BadRow(NamedTuple):
    """A row that cannot be read: its table, its number in it, its key or path as far as that can be read, and why."""

    table: str
    number: int
    name: str
    why: str

    def __str__(self) -> str:
        kind = "entry" if self.table == "entries" else "document"
        return f"the {kind} '{self.name}' ({self.why})"


def is_decoding(error: sqlite3.Error) -> bool:
    """Whether SQLite's error is that of Python, which found text that is not UTF-8."""
    return "decode to UTF-8" in str(error)


@contextmanager
def tolerated(connection: sqlite3.Connection) -> Iterator[None]:
    """In the block, a bad text is read with its bytes as lone surrogates instead of failing."""
    usual = connection.text_factory
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = usual


def fetch(
    connection: sqlite3.Connection, sql: str, parameters: Sequence[Any] = ()
) -> tuple[list[tuple[Any, ...]], bool]:
    """All rows of a statement, and whether each of their texts is UTF-8; a text that is not is as :func:`tolerated`
    reads it. Raises sqlite3.Error."""
    try:
        return connection.execute(sql, parameters).fetchall(), True
    except sqlite3.OperationalError as error:
        if not is_decoding(error):
            raise
    with tolerated(connection):
        return connection.execute(sql, parameters).fetchall(), False


def as_far_as_readable(row: Sequence[Any]) -> tuple[Any, ...]:
    """The values of a row, with what is not UTF-8 replaced."""
    return tuple(readable(value) if is_bad(value) else value for value in row)


def is_bad_row(row: Sequence[object]) -> bool:
    return any(map(is_bad, row))


def left_out(names: Sequence[str]) -> DamageWarning:
    """What is to be told of entries that are left out of an answer because they cannot be read."""
    more = len(names) - _MOST_NAMED
    named = ", ".join(f"'{name}'" for name in names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return DamageWarning(
        f"{counted(len(names), 'entry', 'entries')} left out because the text or time is damaged: {named}; "
        "`zeroclaw doctor --fix` looks for the text in the backups, `zeroclaw memory forget KEY` deletes the entry"
    )


def is_bad(value: object) -> bool:
    """Whether a value is a text that :func:`tolerated` has read though it is not UTF-8."""
    return isinstance(value, str) and not value.isascii() and _SURROGATE.search(value) is not None


def readable(text: object) -> str:
    """A name as it can be shown and typed: bytes that are no UTF-8 are replaced."""
    data = text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "replace")


def why_unreadable(texts: Sequence[Any], times: Sequence[Any], *, nullable: int = 0) -> str | None:
    """Why a row cannot be read, None for one that can. Of its ``texts`` the last ``nullable`` ones may be null."""
    try:
        joined = "".join([*texts[: len(texts) - nullable], *filter(_is_given, texts[len(texts) - nullable :])])
    except TypeError:
        return "it has a value of another type"
    if is_bad(joined):
        return "it is not valid UTF-8"
    return None if all(map(is_stamp, times)) else "its time is not valid"


def _is_given(value: object) -> bool:
    return value is not None


def why_bad_entry(texts: Sequence[Any]) -> str | None:
    """Why an entry with these values of :data:`ENTRY_TEXTS` cannot be read, None for one that can."""
    return why_unreadable(texts, [texts[place] for place in _TIMES_OF_ENTRY], nullable=_NULLABLE)


ENTRY_TEXTS: Final = _ENTRY_TEXTS


def find(connection: sqlite3.Connection) -> list[BadRow]:
    """Every row of a sound database that cannot be read."""
    try:
        # Where every text is UTF-8, SQLite decodes them many times faster.
        return [*_bad_entries(connection), *_bad_documents(connection)]
    except sqlite3.OperationalError as error:
        if not is_decoding(error):
            raise
    with tolerated(connection):
        return [*_bad_entries(connection), *_bad_documents(connection)]


def _bad_entries(connection: sqlite3.Connection) -> Iterator[BadRow]:
    key = _ENTRY_TEXTS.index("key")
    for number, *texts in connection.execute(_ENTRIES):
        why = why_bad_entry(texts)
        if why is not None:
            yield BadRow("entries", number, readable(texts[key]), why)


def _bad_documents(connection: sqlite3.Connection) -> Iterator[BadRow]:
    for number, *texts, body in connection.execute(_DOCUMENTS):
        why = why_unreadable(texts, texts[-2:])
        if why is None and content_hash(body) != texts[5]:
            why = "its text is not the one that was written"
        if why is not None:
            yield BadRow("documents", number, readable(texts[4]), why)
