"""Tables of the native store (specs/native-memory.md §22.3) and the steps that bring an older file up to date.

Texts of time are UTC in the fixed width of ``stamps.py``, so that they compare as instants do.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Final

VERSION: Final = 2
# The oldest format with the same tables: it is read as it is, and the first writer rebuilds its search index.
READABLE: Final = 1

TABLES: Final = """
CREATE TABLE schema_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- The scopes that occur, numbered: the number is part of every chunk's id.
CREATE TABLE scopes (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '', UNIQUE (tenant, user, agent, project)
);

CREATE TABLE documents (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '', path TEXT NOT NULL, body BLOB NOT NULL, hash TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  UNIQUE (tenant, user, agent, project, path)
);
CREATE TABLE doc_meta (doc_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE, json TEXT NOT NULL);
CREATE TABLE versions (
  doc_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE, n INTEGER NOT NULL, body BLOB NOT NULL,
  hash TEXT NOT NULL, changed_by TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (doc_id, n)
) WITHOUT ROWID;

-- `number` is ours and never reused; `id` is what the world sees. No agent is the empty text.
CREATE TABLE entries (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, tenant TEXT NOT NULL, user TEXT NOT NULL,
  project TEXT NOT NULL DEFAULT '', key TEXT NOT NULL, agent TEXT NOT NULL DEFAULT '', content TEXT NOT NULL,
  category TEXT NOT NULL, session_id TEXT, namespace TEXT NOT NULL, importance REAL, kind TEXT,
  pinned INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, superseded_by TEXT,
  -- The key first: nearly every comparison on the way to a row ends with it.
  UNIQUE (key, tenant, user, project, agent)
);
CREATE INDEX entries_recent ON entries (tenant, user, project, updated_at);
CREATE TABLE agents (id TEXT PRIMARY KEY, alias TEXT NOT NULL UNIQUE) WITHOUT ROWID;

-- What is searched: one row per entry, one per part of a document. `text` is the part's own text (NULL for an entry,
-- whose text is in `entries`); body, label, dates and speaker are its terms as `segment.py` makes them,
-- `weight` the factor of its importance.
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY, session INTEGER, at INTEGER NOT NULL, length REAL NOT NULL, traits INTEGER NOT NULL,
  weight REAL NOT NULL, body TEXT NOT NULL, label TEXT NOT NULL, dates TEXT NOT NULL, speaker TEXT NOT NULL, text TEXT
);
CREATE INDEX chunks_session ON chunks (session, at, id) WHERE session IS NOT NULL;
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, name TEXT NOT NULL, chunks INTEGER NOT NULL,
  length REAL NOT NULL, UNIQUE (scope, name)
);
-- Everybody who ever spoke, as the terms of the name; what is too many is harmless.
CREATE TABLE speakers (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE index_totals (
  scope INTEGER NOT NULL, kind INTEGER NOT NULL, chunks INTEGER NOT NULL, length REAL NOT NULL,
  sessions INTEGER NOT NULL, session_length REAL NOT NULL, PRIMARY KEY (scope, kind)
) WITHOUT ROWID;

CREATE TABLE audit (id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE turn_counters (
  tenant TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL, project TEXT NOT NULL, turns INTEGER NOT NULL,
  PRIMARY KEY (tenant, user, agent, project)
) WITHOUT ROWID;

-- Versions of documents that were forgotten without their history; a new document at the path takes them over.
CREATE TABLE past_versions (
  tenant TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL, project TEXT NOT NULL, path TEXT NOT NULL,
  n INTEGER NOT NULL, body BLOB NOT NULL, hash TEXT NOT NULL, changed_by TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (tenant, user, agent, project, path, n)
) WITHOUT ROWID;
-- What the Markdown mirror holds of a document: its file, and the hash of the body that was exported last.
CREATE TABLE mirrored (
  tenant TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL, project TEXT NOT NULL, path TEXT NOT NULL,
  file TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, PRIMARY KEY (tenant, user, agent, project, path)
) WITHOUT ROWID;
CREATE TABLE curation_reports (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL, project TEXT NOT NULL,
  at TEXT NOT NULL, data TEXT NOT NULL
);
"""

# Marks (M*) are part of words here, emoji (So) are words, and what is younger than SQLite's tables of Unicode (Cn) is
# left to `segment.py`.
TOKENIZER: Final = "porter unicode61 remove_diacritics 2 categories 'L* M* N* So Co Cn'"
FULL_TEXT: Final = f"""
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  body, label, dates, speaker, content = 'chunks', content_rowid = 'id',
  tokenize = "{TOKENIZER}"
);
"""


# What can be made anew from the other tables, in an order in which it can be dropped.
_INDEX_TABLES: Final = ("chunks", "sessions", "speakers", "index_totals", "scopes")
_CREATED: Final = re.compile(r"CREATE (VIRTUAL TABLE|TABLE|INDEX) (\w+)")
_NAMES: Final = frozenset(name for _, name in _CREATED.findall(TABLES))
_FULL_TEXT_NAMES: Final = frozenset(
    {"chunks_fts", "chunks_fts_data", "chunks_fts_idx", "chunks_fts_docsize", "chunks_fts_config"}
)


def missing(connection: sqlite3.Connection) -> list[str]:
    """The tables and indexes that a store should have and this one has not, by name."""
    found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    gone = _NAMES - found
    if not found >= _FULL_TEXT_NAMES and has_full_text(connection):
        gone |= _FULL_TEXT_NAMES - found
    return sorted(gone)


def differing(connection: sqlite3.Connection) -> list[str]:
    """The tables and indexes whose definitions are not what they are made with, by name."""
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    made = {
        match[2]: statement[match.start() :].strip().removesuffix(";")
        for statement in _statements(TABLES)
        if (match := _CREATED.search(statement))
    }
    return sorted(name for name, sql in made.items() if found.get(name) != sql)


def renew_index(transaction: sqlite3.Connection) -> None:
    """Drop what can be made anew from the rest, and create it without content, inside the open transaction."""
    for name in _INDEX_TABLES:
        transaction.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in _statements(TABLES):
        kind, name = _CREATED.search(statement).groups()  # type: ignore[union-attr]
        if kind == "INDEX":
            transaction.execute(f"DROP INDEX IF EXISTS {name}")
        if kind == "INDEX" or name in _INDEX_TABLES:
            transaction.execute(statement)
    create_full_text(transaction)


def _drop_full_text(transaction: sqlite3.Connection) -> None:
    try:
        transaction.execute("DROP TABLE IF EXISTS chunks_fts")
    except sqlite3.DatabaseError:
        # One whose own tables are damaged cannot be opened, which dropping it would need.
        transaction.execute("PRAGMA writable_schema = ON")
        transaction.execute("DELETE FROM sqlite_master WHERE name = 'chunks_fts'")
        for name in sorted(_FULL_TEXT_NAMES - {"chunks_fts"}):
            transaction.execute(f"DROP TABLE IF EXISTS {name}")
        transaction.execute("PRAGMA writable_schema = RESET")


def has_full_text(connection: sqlite3.Connection) -> bool:
    """Whether this SQLite was built with FTS5."""
    return connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone() is not None


def create(connection: sqlite3.Connection) -> None:
    """Create every table inside the open transaction."""
    for statement in _statements(TABLES):
        connection.execute(statement)
    create_full_text(connection)


def create_full_text(connection: sqlite3.Connection) -> None:
    """Create the full-text index, empty, in the place of the one that is there; inside the open transaction."""
    if has_full_text(connection):
        _drop_full_text(connection)
        connection.execute(FULL_TEXT)


def migrate(connection: sqlite3.Connection, found: int) -> None:
    """Give a file of version ``found`` (0: an empty file) the tables of :data:`VERSION`, inside the open transaction.

    A file that is :data:`READABLE` has them and keeps its version until its search index is rebuilt.
    """
    if found < READABLE:
        create(connection)
        set_current(connection)


def set_current(connection: sqlite3.Connection) -> None:
    """Mark the file as one of :data:`VERSION`, inside the open transaction."""
    connection.execute(f"PRAGMA user_version = {VERSION:d}")


def _statements(script: str) -> list[str]:
    # `executescript` would commit the open transaction.
    statements, gathered = [], ""
    for line in script.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            statements.append(gathered)
            gathered = ""
    return statements
