"""A copy of the whole store in one file, and bringing one back (specs/native-memory.md §22.4).

Both work while other processes use the store: the copy is of one moment, and a restore is one write transaction that
replaces the pages, never the file.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, MemoryFailure, SourceNotFound, StoreDamaged, UsageError
from zeroclaw_cli.native import bad_rows, copies, forgotten, generation, schema
from zeroclaw_cli.native.copies import explain_failure
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.new_file import publish
from zeroclaw_cli.native.repair import forget_restored
from zeroclaw_cli.native.stamps import now_stamp

_WAIT_S: Final = 30.0
_BUSY_S: Final = 5.0
_TABLES: Final = frozenset({"documents", "entries", "versions", "chunks", "schema_meta"})


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What a copy holds: its file, its size in bytes, how many documents and entries, and their generation.

    ``replaced`` is the copy of what a restore has replaced, or the damaged file that it moved aside.
    """

    file: Path
    size: int
    documents: int
    entries: int
    generation: int = 0
    replaced: Path | None = None


def backup(store: Store, out: Path) -> BackedUp:
    """Copy the store into the file ``out``, which is replaced at the end or not at all.

    A store that does not exist yet gives a copy of an empty one. Raises UsageError when ``out`` is the store itself,
    MemoryFailure when the file cannot be written, or what the store raises.
    """
    if os.path.realpath(out) == os.path.realpath(store.path):
        raise UsageError(f"{out} is the memory store itself", hint="write the backup to another file")
    temporary = fsio.temporary_beside(out)
    try:
        documents, entries, number = _copy_into(store, temporary)
        fsio.fsync_file(temporary)
        temporary.replace(out)
        fsio.fsync_dir(out.absolute().parent)
    except (OSError, sqlite3.Error) as error:
        raise MemoryFailure(
            f"the backup {out} was not written: {explain_failure(error)}", hint=way_out(error, out)
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink()
    return BackedUp(out, out.stat().st_size, documents, entries, number)


def way_out(error: OSError | sqlite3.Error, out: Path) -> str:
    """What to do when ``out`` could not be written because of ``error``."""
    number = getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT) or getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
        return f"free some space where {out.parent} is, or name a file on another disk"
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"make {out.parent} writable, or name another file"
    return "name a file in a folder that exists and can be written"


def restore(store: Store, source: Path) -> BackedUp:
    """Make the store what the copy ``source`` holds. What it held is first copied beside it; a damaged file is moved
    aside.

    Raises SourceNotFound, StoreDamaged when the copy is none or damaged, MemoryFailure when it is from a newer version,
    Busy while others keep writing. Then the store is as it was.
    """
    # Beside the store, where what a killed restore leaves is swept.
    with _opened(source, fsio.temporary_beside(store.path)) as copy:
        documents, entries = _counts(copy)
        replaced = _keep_what_is_there(store)
        with store.write():
            pass  # makes sure that there is a store and that this process may write it
        # What the mirror has belongs to the memory that is replaced.
        forget_restored(store.path)
        _keep_mirrored(copy, store)
        number = _make_latest(copy, store)
        _replace_pages(copy, store)
        _forgive(copy, store)
    return BackedUp(store.path, source.stat().st_size, documents, entries, number, replaced)


def _keep_what_is_there(store: Store) -> Path | None:
    if not store.exists():
        return None
    stamp = now_stamp()[:19].replace(":", "")
    try:
        return backup(store, _free_name(store.path.with_name(f"before-restore-{stamp}Z.db"))).file
    except StoreDamaged:
        return _set_aside(store.path, f"{store.path.name}.damaged-{stamp}Z")


def _keep_mirrored(copy: sqlite3.Connection, store: Store) -> None:
    """Let the copy know which files of the mirror there are: those of the store, and not those of its own time."""
    copy.execute("BEGIN")
    copy.execute("DELETE FROM mirrored")
    columns = "tenant, user, agent, project, path, file, hash"
    rows = store.query(f"SELECT {columns} FROM mirrored")  # noqa: S608
    copy.executemany(f"INSERT INTO mirrored ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)  # noqa: S608
    copy.execute("COMMIT")


def _make_latest(copy: sqlite3.Connection, store: Store) -> int:
    """Let what is restored come after all that there was: its generation, which is returned, is the highest."""
    with store.read() as present:
        known = [generation.of(present), *(found.generation for found in copies.every(store.path))]
    latest = max(*known, *forgotten.load(store.path).values(), 0)
    copy.execute("BEGIN")
    number = generation.advance(copy, latest + 1)
    copy.execute("COMMIT")
    return number


def _forgive(copy: sqlite3.Connection, store: Store) -> None:
    """Forgotten no longer is what a person has restored."""
    with bad_rows.tolerated(copy):
        there = {
            forgotten.digest("entry", *row)
            for row in copy.execute("SELECT tenant, user, project, key, agent FROM entries")
        }
        for row in copy.execute("SELECT tenant, user, agent, project, path FROM documents"):
            there |= {forgotten.digest("document", *row), forgotten.digest("history", *row)}
    with store.write():
        forgotten.keep(store.path, lambda one, _: one not in there)


def _free_name(path: Path) -> Path:
    # Two restores within a second must not keep one copy.
    return path.with_name(f"{path.stem}-{os.urandom(3).hex()}{path.suffix}") if path.exists() else path


def _set_aside(path: Path, name: str) -> Path | None:
    """Rename a damaged store and put one that holds nothing in its place, unless another process has it open.

    Returns where the damaged one is now, None when nothing was there. Raises Busy.
    """
    import fcntl

    descriptor = os.open(path.with_name("native.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for suffix in ("", "-wal", "-shm", "-journal"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(path.with_name(name + suffix))
        with suppress(FileNotFoundError):
            path.with_name("native.suspect").unlink()
        publish(path)
        kept = path.with_name(name)
        return kept if os.path.lexists(kept) else None
    except BlockingIOError:
        raise Busy(f"another process has {path} open", hint="end it and restore again") from None
    finally:
        os.close(descriptor)


def _counts(connection: sqlite3.Connection) -> tuple[int, int]:
    documents, entries = connection.execute(
        "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM entries)"
    ).fetchone()
    return int(documents), int(entries)


def _copy_into(store: Store, target: Path) -> tuple[int, int, int]:
    fsio.write_new(target, b"")
    with store.read() as connection, closing(sqlite3.connect(target)) as copy:
        connection.backup(copy)
        # A copy stands alone: it must not ask for a write-ahead log beside it.
        copy.execute("PRAGMA journal_mode = DELETE").fetchone()
        return *_counts(copy), generation.of(copy)


@contextmanager
def _opened(source: Path, private: Path) -> Iterator[sqlite3.Connection]:
    """The copy as a checked database of the present format. It is read through a copy of its own at ``private``, never
    changed."""
    if not source.is_file():
        raise SourceNotFound(f"there is no backup {source}", hint="give the file that `zeroclaw memory backup` wrote")
    try:
        with closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as given:
            _check(given, source)
            fsio.make_private_dir(private.parent)
            fsio.write_new(private, b"")
            with closing(sqlite3.connect(private, isolation_level=None)) as copy:
                given.backup(copy)
                _bring_up_to_date(copy)
                yield copy
    except sqlite3.DatabaseError as error:
        raise _no_backup(source, str(error)) from error
    finally:
        for suffix in ("", "-journal"):
            private.with_name(private.name + suffix).unlink(missing_ok=True)


def _check(given: sqlite3.Connection, source: Path) -> None:
    found = int(given.execute("PRAGMA user_version").fetchone()[0])
    names = {name for (name,) in given.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not names >= _TABLES:
        raise _no_backup(source, "it holds other tables")
    if found > schema.VERSION:
        raise MemoryFailure(f"{source} was made by a newer version of this program", hint="update zeroclaw")
    problem = given.execute("PRAGMA quick_check(1)").fetchone()[0]
    if problem != "ok":
        raise _no_backup(source, str(problem))


def _bring_up_to_date(copy: sqlite3.Connection) -> None:
    found = int(copy.execute("PRAGMA user_version").fetchone()[0])
    if found < schema.READABLE:
        copy.execute("BEGIN EXCLUSIVE")
        schema.migrate(copy, found)
        copy.execute("COMMIT")


def _replace_pages(copy: sqlite3.Connection, store: Store) -> None:
    deadline = time.monotonic() + _WAIT_S

    def stop_in_time(status: int, remaining: int, total: int) -> None:
        # A busy target would be tried for ever.
        if status not in (sqlite3.SQLITE_OK, sqlite3.SQLITE_DONE) and time.monotonic() >= deadline:
            raise Busy(f"another process keeps using {store.path}", hint="try again when it has finished")

    try:
        with closing(sqlite3.connect(store.path, timeout=_BUSY_S)) as target:
            copy.backup(target, progress=stop_in_time)
    except sqlite3.OperationalError as error:
        if (error.sqlite_errorcode & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Busy(f"another process keeps using {store.path}", hint="try again when it has finished") from error
        raise MemoryFailure(f"the store {store.path} was not restored: {error}", hint="it is as it was") from error


def _no_backup(source: Path, why: str) -> StoreDamaged:
    return StoreDamaged(
        f"{source} is not a valid backup of the memory store: {why}", hint="choose another copy; nothing was changed"
    )
