"""Whether a store is sound: a quick look for whoever opens it, and a full one for doctor, health and a suspicion.

Specs/native-memory.md, "decided since 0.1.0". Nothing need be writable, and nothing is changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli.errors import StoreDamaged
from zeroclaw_cli.native import bad_rows, schema
from zeroclaw_cli.native.bad_rows import BadRow
from zeroclaw_cli.native.pages import MAGIC

LOGS: Final = ("-wal", "-shm", "-journal")
READ_ONLY_CODES: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})
DAMAGE_CODES: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
# What is met where nothing can be written, which reading does not need.
NO_WRITING: Final = READ_ONLY_CODES | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
# A file of a later version than these is one whose number is damaged.
_LAST_VERSION: Final = 999
_DAMAGED_NAMES: Final = (
    "no such table",
    "no such column",
    "malformed",
    "vtable constructor failed",
    "unsupported file",
)
_MOST_PROBLEMS: Final = 5
_KIND: Final = "(c.id >> 44) & 3"
_WITHOUT_ENTRY: Final = (
    "SELECT count(*) FROM chunks c LEFT JOIN entries e ON e.number = (c.id & 17592186044415) "  # noqa: S608
    f"WHERE {_KIND} = 0 AND e.number IS NULL"
)
_WITHOUT_DOCUMENT: Final = (
    "SELECT count(*) FROM chunks c LEFT JOIN documents d ON d.id = ((c.id & 17592186044415) >> 13) "  # noqa: S608
    f"WHERE {_KIND} > 0 AND d.id IS NULL"
)
_NOT_INDEXED: Final = (
    "SELECT e.number FROM entries e LEFT JOIN scopes s ON s.tenant = e.tenant AND s.user = e.user AND s.agent = '' "
    "AND s.project = e.project LEFT JOIN chunks c ON c.id = ((s.id << 46) | e.number) "
    "WHERE e.superseded_by IS NULL AND c.id IS NULL"
)
_TOTALS: Final = "SELECT (SELECT count(*) FROM chunks) = (SELECT coalesce(sum(chunks), 0) FROM index_totals)"
_SESSIONS: Final = (
    "SELECT count(*) FROM chunks c WHERE c.session > 0 AND c.session NOT IN (SELECT number FROM sessions)"
)

Connect = Callable[[str, bool], sqlite3.Connection]
"""Opens an URI, for itself alone if the second argument says so, and looks into the file."""


@dataclass(frozen=True, slots=True)
class Examination:
    """What is wrong with a store: ``problems`` that repair mends, and rows that cannot be read."""

    problems: tuple[str, ...] = ()
    bad_rows: tuple[BadRow, ...] = ()

    @property
    def is_sound(self) -> bool:
        return not self.problems and not self.bad_rows


def connect_to_read(path: Path, connect: Connect | None = None) -> sqlite3.Connection:
    """A connection for reading, also where nothing can be written or the disk is full. ``connect`` opens an URI and
    looks into the file."""
    opened = connect or _connect
    # A writable connection cleans up the log when it is the last one; the others serve a read-only home.
    attempts = [("mode=rw", False), ("mode=ro", False)]
    log = path.with_name(path.name + "-wal")
    if not log.exists() or log.stat().st_size == 0:
        attempts.append(("mode=ro&immutable=1", False))
    else:
        # What alone uses a file needs no shared memory beside it, for which a full disk has no room.
        attempts.append(("mode=rw", True))
    for number, (attempt, exclusive) in enumerate(attempts, start=1):
        try:
            return opened(f"{path.absolute().as_uri()}?{attempt}", exclusive)
        except sqlite3.OperationalError as error:
            if number == len(attempts) or error.sqlite_errorcode & 0xFF not in NO_WRITING:
                raise
    raise AssertionError("every attempt returns or raises")


def _connect(uri: str, exclusive: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        if exclusive:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        # Opening is lazy: only a first look tells whether the file can be used in this way.
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def is_damaged_at_first_sight(path: Path) -> bool:
    """Whether the file is none of SQLite's, or shorter than it says. False for one that cannot be looked at, or that
    is empty."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except OSError:
        return False
    if not head:
        return False
    if not head.startswith(MAGIC) or len(head) < 100:
        return True
    page = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    # The size in the head is good only where the last writer has kept it.
    is_kept = head[24:28] == head[92:96] and pages > 0
    return is_kept and size < pages * (65536 if page == 1 else page)


# What each table that is not empty has in another one: an emptied table is damage too.
_EMPTIED: Final = (
    ("entries", "EXISTS (SELECT 1 FROM index_totals WHERE kind = 0 AND chunks > 0)"),
    ("documents", "EXISTS (SELECT 1 FROM index_totals WHERE kind > 0 AND chunks > 0)"),
    ("chunks", "EXISTS (SELECT 1 FROM entries WHERE superseded_by IS NULL)"),
    ("index_totals", "EXISTS (SELECT 1 FROM chunks)"),
)
_EMPTIED_FULL_TEXT: Final = tuple(
    (f"chunks_fts_{name}", "EXISTS (SELECT 1 FROM chunks)") for name in ("data", "idx", "docsize", "config")
)


def _emptied(connection: sqlite3.Connection) -> str | None:
    tables = _EMPTIED + (_EMPTIED_FULL_TEXT if schema.has_full_text(connection) else ())
    words = (f"WHEN {others} AND NOT EXISTS (SELECT 1 FROM {name}) THEN '{name}'" for name, others in tables)  # noqa: S608
    found = connection.execute(f"SELECT CASE {' '.join(words)} END").fetchone()[0]
    return None if found is None else f"{found} is empty"


def looks_wrong(connection: sqlite3.Connection) -> str | None:
    """What a first look at an opened store finds wrong; None for nothing."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if schema.READABLE <= version <= schema.VERSION:
        gone = schema.missing(connection)
        return f"it lacks {', '.join(gone)}" if gone else _emptied(connection)
    if not 0 <= version <= _LAST_VERSION:
        return f"its format is {version}"
    if version == 0 and connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None:
        return "its format is unknown"
    return None


def is_sound(path: Path) -> bool:
    """Whether the file is a database that passes SQLite's quick check; an empty one is none. Nothing need be writable.

    Raises MemoryFailure when it cannot be looked at, which says nothing of how it is.
    """
    return not _examined(path, lambda connection: _checked(connection, "quick_check"))


def examine(path: Path) -> Examination:
    """Look at all of a store: pages, definitions, the search index and each row. Raises as :func:`is_sound`."""
    found: list[BadRow] = []
    problems = _examined(path, lambda connection: _problems(connection, found))
    return Examination(tuple(problems), () if problems else tuple(found))


def problems_of(connection: sqlite3.Connection) -> list[str]:
    """What repair has to mend in an opened store, inside of its transaction too. Raises sqlite3.Error."""
    return _problems(connection, [])


def _problems(connection: sqlite3.Connection, unreadable: list[BadRow]) -> list[str]:
    """What repair has to mend; where the pages are sound, the rows that cannot be read are added to ``unreadable``."""
    problems = _of_schema(connection) or _checked(connection, "integrity_check")
    if problems:
        return problems
    unreadable.extend(bad_rows.find(connection))
    return _of_index(connection, {bad.number for bad in unreadable if bad.table == "entries"})


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading that the end of the block closes."""
    with closing(connect_to_read(path)) as connection:
        yield connection


def _examined(path: Path, look: Callable[[sqlite3.Connection], list[str]]) -> list[str]:
    from zeroclaw_cli.native.place import refused, require_plain_file

    try:
        require_plain_file(path)
        if path.stat().st_size == 0:
            return ["it is empty"]
        if is_damaged_at_first_sight(path):
            return ["it is not a database, or cut off"]
        with reading(path) as connection:
            return look(connection)
    except StoreDamaged as error:
        return [error.message]
    except UnicodeDecodeError:
        return ["a name in it is not valid UTF-8"]
    except sqlite3.DatabaseError as error:
        if is_damage(error) or getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_ERROR:
            return [str(error)]
        raise refused(error, path) from error
    except OSError as error:
        raise refused(error, path) from error


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error of SQLite says that the file is damaged."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return bad_rows.is_decoding(error)
    if code & 0xFF == sqlite3.SQLITE_ERROR:
        # A name that every store has, or a table that cannot be used.
        return str(error).startswith(_DAMAGED_NAMES)
    return code & 0xFF in DAMAGE_CODES or code == sqlite3.SQLITE_IOERR_SHORT_READ


def _of_schema(connection: sqlite3.Connection) -> list[str]:
    wrong = looks_wrong(connection)
    if wrong is not None:
        return [wrong]
    if not schema.READABLE <= int(connection.execute("PRAGMA user_version").fetchone()[0]) <= schema.VERSION:
        return []
    return [f"the definition of {name} is not the one of a store" for name in schema.differing(connection)]


def _checked(connection: sqlite3.Connection, check: str) -> list[str]:
    found = [str(line) for (line,) in connection.execute(f"PRAGMA {check}({_MOST_PROBLEMS})")]
    return [] if found == ["ok"] else found


def _of_index(connection: sqlite3.Connection, unreadable: set[int]) -> list[str]:
    """What is wrong between the search index and what it indexes."""
    return [*_without_rows(connection), *_index_alone(connection, unreadable)]


def _without_rows(connection: sqlite3.Connection) -> Iterator[str]:
    for name, sql in (("entries", _WITHOUT_ENTRY), ("documents", _WITHOUT_DOCUMENT)):
        (lost,) = connection.execute(sql).fetchone()
        if lost:
            yield f"{name} that the search index has are missing"


def misses_rows(connection: sqlite3.Connection) -> bool:
    """Whether the search index knows of rows that are not there: they are lost, for what is forgotten leaves both."""
    with suppress(sqlite3.Error):
        return any(_without_rows(connection))
    return False


def _index_alone(connection: sqlite3.Connection, unreadable: set[int]) -> Iterator[str]:
    numbers = {number for (number,) in connection.execute(_NOT_INDEXED)}
    if numbers - unreadable:
        yield f"the search index lacks {len(numbers - unreadable)} of the entries"
    if not connection.execute(_TOTALS).fetchone()[0] or connection.execute(_SESSIONS).fetchone()[0]:
        yield "the sums of the search index are wrong"
    try:
        for _ in connection.execute("SELECT body, label, dates, speaker, text FROM chunks"):
            pass
    except sqlite3.OperationalError as error:
        if not bad_rows.is_decoding(error):
            raise
        yield "a text of the search index is not valid UTF-8"
    if schema.has_full_text(connection):
        yield from _of_full_text(connection)


def _of_full_text(connection: sqlite3.Connection) -> Iterator[str]:
    try:
        # The check of the index against its content too, which newer versions of SQLite only do when asked.
        connection.execute("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in READ_ONLY_CODES | _BUSY | {sqlite3.SQLITE_FULL}:
            # Where nothing can be written, or others keep writing, SQLite does not check it.
            return
        yield f"the full-text index is damaged: {error}"
