"""The notes: one SQLite file with full-text search, for any number of threads and processes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

# Longest wait for another process that is writing, in seconds.
_BUSY_S: Final = 5.0
# What is changed in bulk is written through to the disk once in this many seconds, and when the file is closed.
_BULK_SYNC_S: Final = 0.1
_COLUMNS: Final = ("key", "agent", "content", "category", "session", "namespace", "importance", "created_at")
_INSERT: Final = f"INSERT INTO note ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS note (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    agent TEXT NOT NULL,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    session TEXT NOT NULL,
    namespace TEXT NOT NULL,
    importance REAL,
    created_at TEXT NOT NULL,
    UNIQUE (key, agent)
);
CREATE INDEX IF NOT EXISTS note_by_time ON note (created_at, id);
CREATE VIRTUAL TABLE IF NOT EXISTS note_text USING fts5 (
    content, content='note', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
);
CREATE TRIGGER IF NOT EXISTS note_added AFTER INSERT ON note BEGIN
    INSERT INTO note_text (rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER IF NOT EXISTS note_removed AFTER DELETE ON note BEGIN
    INSERT INTO note_text (note_text, rowid, content) VALUES ('delete', old.id, old.content);
END;
"""


@dataclass(frozen=True, slots=True)
class Note:
    """One note, the only one of its key and agent. ``agent``, ``session`` and ``namespace`` are empty for none;
    ``created_at`` is RFC 3339 in UTC."""

    key: str
    agent: str
    content: str
    category: str
    session: str
    namespace: str
    importance: float | None
    created_at: str

    def to_json(self) -> dict[str, Any]:
        """The note with null for what it has none of."""
        return {name: None if value == "" and name != "content" else value for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note that is to be kept; what is empty it has none of. Without a key it gets one of its own."""

    content: str
    key: str = ""
    agent: str = ""
    category: str = "general"
    session: str = ""
    namespace: str = ""
    importance: float | None = None


class NoteStore:
    """The notes in one file; safe to share between threads.

    All threads use one connection under one re-entrant lock, so a transaction is never mixed with another thread's
    statements. Other processes are kept out by SQLite itself.
    """

    def __init__(self, file: Path) -> None:
        """Open ``file``, which is made together with its folder. Raises OSError or sqlite3.Error."""
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite would make the file with the umask's mode: notes are nobody else's business.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self.file = file
        self._lock = threading.RLock()
        self._synced_at = 0.0
        self._unsynced = False
        self._connection = sqlite3.connect(file, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            with self._transaction() as connection:
                for statement in _statements(_SCHEMA):
                    connection.execute(statement)
        except BaseException:
            self._connection.close()
            raise

    def add(self, note: NewNote) -> Note:
        """Keep a note; one of the same key and agent is replaced."""
        (kept,) = self.change(add=[note])
        return kept

    def change(
        self, *, drop: Iterable[tuple[str, str]] = (), add: Iterable[NewNote] = (), bulk: bool = False
    ) -> list[Note]:
        """Remove the notes of exactly these keys and agents and keep the new ones, all of it or nothing; the new.

        ``bulk``: one of many changes. Other processes see it at once; that it outlives a power failure is certain only
        after the next change that is none of them, or when the file is closed.
        """
        kept = [_dated(note) for note in add]
        gone = [*drop, *((note.key, note.agent) for note in kept)]
        if gone:
            with self._transaction(bulk=bulk) as connection:
                connection.executemany("DELETE FROM note WHERE key = ? AND agent = ?", gone)
                connection.executemany(_INSERT, map(astuple, kept))
        return kept

    def has(self, key: str, agent: str) -> bool:
        """Whether there is a note of exactly this key and agent."""
        with self._lock:
            sql = "SELECT 1 FROM note WHERE key = ? AND agent = ?"
            return self._connection.execute(sql, (key, agent)).fetchone() is not None

    def keys_beginning(self, start: str, agent: str) -> list[str]:
        """The keys of the agent's notes that begin with ``start``."""
        return self._keys("agent = ?", agent, start)

    def texts_beginning(self, start: str, agent: str) -> list[tuple[str, str]]:
        """The keys of the agent's notes that begin with ``start``, each with the note's text."""
        sql = "SELECT key, content FROM note WHERE agent = ? AND key >= ? AND key < ?"
        with self._lock:
            return list(self._connection.execute(sql, (agent, start, _after(start))))

    def keys_with_text(self, text: str, start: str) -> list[str]:
        """The key of the note that is ``text``, else of those that contain it; of the keys that begin with ``start``,
        of no agent."""
        return self._keys("agent = '' AND content = ?", text, start) or self._keys(
            "agent = '' AND instr(content, ?) > 0", text, start
        )

    def search(self, query: str, limit: int, *, category: str = "", session: str = "") -> list[Note]:
        """At most ``limit`` notes that hold a word of ``query``, best first; for a query without words the newest."""
        match = _match(query)
        if not match:
            return self.newest(limit, category=category, session=session)
        return self._select(
            "JOIN note_text ON note_text.rowid = note.id",
            {"note_text MATCH ?": match, "category = ?": category, "session = ?": session},
            "bm25(note_text), note.id DESC",
            limit,
        )

    def newest(self, limit: int, *, category: str = "", session: str = "", offset: int = 0) -> list[Note]:
        """At most ``limit`` notes after the first ``offset``, the newest first."""
        found = {"category = ?": category, "session = ?": session}
        return self._select("", found, "created_at DESC, id DESC", limit, offset)

    def count(self, *, category: str = "", session: str = "") -> int:
        """How many notes there are."""
        where, values = _where({"category = ?": category, "session = ?": session})
        with self._lock:
            (number,) = self._connection.execute(f"SELECT count(*) FROM note {where}", values).fetchone()  # noqa: S608
        return int(number)

    def remove(self, key: str, agent: str = "") -> bool:
        """Remove the notes of a key, or only that of one agent; False when there is none."""
        sql = "DELETE FROM note WHERE key = ? AND ? IN ('', agent)"
        with self._transaction() as connection:
            return connection.execute(sql, (key, agent)).rowcount > 0

    def close(self) -> None:
        """Close the file, all of it on the disk; closing again does nothing."""
        with self._lock:
            try:
                self._write_through()
            finally:
                self._connection.close()

    @contextlib.contextmanager
    def _transaction(self, *, bulk: bool = False) -> Iterator[sqlite3.Connection]:
        with self._lock:
            later = bulk and time.monotonic() - self._synced_at < _BULK_SYNC_S
            self._connection.execute(f"PRAGMA synchronous = {'NORMAL' if later else 'FULL'}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            if later:
                self._unsynced = True
            else:
                self._write_through()
                self._synced_at = time.monotonic()

    def _write_through(self) -> None:
        # A commit that changes nothing, and closing while another process has the file open, write nothing through.
        if self._unsynced:
            _sync(self.file.with_name(f"{self.file.name}-wal"))
            self._unsynced = False

    def _keys(self, condition: str, value: str, start: str) -> list[str]:
        # Between what begins with it and the next text: LIKE would take its signs for patterns.
        sql = f"SELECT key FROM note WHERE {condition} AND key >= ? AND key < ?"  # noqa: S608
        with self._lock:
            rows = self._connection.execute(sql, (value, start, _after(start)))
            return [key for (key,) in rows]

    def _select(self, join: str, conditions: Mapping[str, str], order: str, limit: int, offset: int = 0) -> list[Note]:
        where, values = _where(conditions)
        columns = ", ".join(f"note.{column}" for column in _COLUMNS)
        sql = f"SELECT {columns} FROM note {join} {where} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608
        with self._lock:
            return [Note(*row) for row in self._connection.execute(sql, (*values, limit, offset))]


def _dated(note: NewNote) -> Note:
    now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return Note(
        key=note.key or uuid.uuid4().hex,
        agent=note.agent,
        content=note.content,
        category=note.category,
        session=note.session,
        namespace=note.namespace,
        importance=note.importance,
        created_at=now,
    )


def supports_full_text() -> bool:
    """Whether this Python's SQLite has FTS5."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5 (content)")
        except sqlite3.OperationalError:
            return False
    return True


def read_settings(file: Path) -> dict[str, Any]:
    """The values in a JSON file, none when it is missing. Raises ValueError when it holds no JSON object."""
    try:
        values = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{file} is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{file} holds no JSON object")
    return values


def write_settings(file: Path, values: Mapping[str, Any]) -> None:
    """Replace a JSON file whole: a reader sees the old values or the new ones."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(values, stream, ensure_ascii=False, indent=2)
            stream.write("\n")
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _match(query: str) -> str:
    # Every word is quoted, so nothing that a person types is taken for the query language of FTS5.
    words = dict.fromkeys(word.lower() for word in re.findall(r"\w+", query))
    return " OR ".join(f'"{word}"*' for word in words)


def _sync(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _after(start: str) -> str:
    """The first text that follows all those that begin with ``start``."""
    return f"{start[:-1]}{chr(ord(start[-1]) + 1)}"


def _where(conditions: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    used = {condition: value for condition, value in conditions.items() if value}
    return (f"WHERE {' AND '.join(used)}" if used else ""), tuple(used.values())


def _statements(script: str) -> Iterator[str]:
    # executescript would commit the transaction that it runs in.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
