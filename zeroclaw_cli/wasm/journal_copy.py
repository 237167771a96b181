"""Copies of a journal: one that stands alone, the check of one, and one that takes the journal's place.

A copy is made and brought back by SQLite's own backup, so both work while other processes use the journal.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, JournalDamaged, MemoryFailure
from zeroclaw_cli.wasm import journal_file, journal_rows
from zeroclaw_cli.wasm.journal import Journal
from zeroclaw_cli.wasm.journal_repair import set_aside
from zeroclaw_cli.wasm.write_lock import WriteLock

_WAIT_S: Final = 30.0
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def copy_journal(path: Path, out: Path) -> None:
    """Copy the journal at ``path`` into the new file ``out``. Raises JournalDamaged, MemoryFailure, or OSError."""
    fsio.write_new(out, b"")
    try:
        with _reading(path) as source, closing(sqlite3.connect(out)) as copy:
            source.backup(copy)
            # It must not ask for a write-ahead log beside it.
            copy.execute("PRAGMA journal_mode = DELETE").fetchone()
    except (sqlite3.Error, UnicodeError) as error:
        raise _explained(path, error) from None


def check_copy(path: Path) -> None:
    """Raise JournalDamaged unless ``path`` is a sound journal."""
    try:
        with _reading(path) as connection:
            problem = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if problem != "ok":
            raise journal_file.damaged(path, problem)
        with closing(Journal(path)) as journal:
            journal.examine()
    except (sqlite3.Error, UnicodeError) as error:
        raise _of_copy(_explained(path, error)) from None
    except JournalDamaged as error:
        raise _of_copy(error) from None


def _of_copy(error: MemoryFailure | JournalDamaged) -> MemoryFailure | JournalDamaged:
    """The error with the remedy for a copy, which may be meant to mend the journal that is in use."""
    if isinstance(error, JournalDamaged) and not isinstance(error, journal_file.NewerFormat):
        error.hint = "choose another copy"
    return error


def replace_journal(path: Path, copy: Path, *, kept_as: str) -> Path | None:
    """Make the journal at ``path`` what ``copy`` holds, for every process that has it open too.

    What it held is first copied beside it under the name ``kept_as``, or moved there when it is damaged; that file is
    returned, None when there was no journal. Doing it twice is harmless. Raises Busy, MemoryFailure or OSError.
    """
    fsio.make_private_dir(path.parent)
    _renew_generation(copy)
    with _writing(path):
        kept = _keep(path, path.with_name(kept_as)) if path.exists() and path.stat().st_size else None
        with suppress(FileExistsError):
            fsio.write_new(path, b"")
            fsio.fsync_dir(path.parent)
        try:
            with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(path, timeout=5.0)) as target:
                target.execute("PRAGMA journal_mode = WAL").fetchone()
                target.execute("PRAGMA synchronous = FULL")
                source.backup(target, progress=_stopper(path))
        except (sqlite3.Error, UnicodeError) as error:
            raise _explained(path, error) from None
    return kept


def _renew_generation(copy: Path) -> None:
    # A process that has replayed more than the copy holds must notice that the past is another one.
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        known = journal_rows.meta(connection)
        generation, last = os.urandom(8).hex(), journal_rows.noted_last(known)
        connection.execute("BEGIN")
        connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (generation,))
        if last is not None:
            note = journal_rows.last_note(generation, last)
            connection.execute("UPDATE meta SET value = ? WHERE key = 'last'", (note,))
        connection.execute("COMMIT")


def _keep(path: Path, kept: Path) -> Path:
    if kept.exists():
        kept = kept.with_name(f"{kept.stem}-{os.urandom(3).hex()}{kept.suffix}")
    try:
        copy_journal(path, kept)
    except JournalDamaged:
        kept.unlink(missing_ok=True)
        set_aside(path, kept)
        path.unlink(missing_ok=True)
        fsio.fsync_dir(path.parent)
    return kept


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(journal_file.uri_of(path), uri=True, timeout=5.0)) as connection:
        yield connection


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    lock = WriteLock(path)
    try:
        lock.acquire(_WAIT_S)
        yield
    finally:
        lock.close()


def _stopper(path: Path) -> Callable[[int, int, int], None]:
    """Ends a backup whose target stays busy, which would be tried for ever."""
    deadline = time.monotonic() + _WAIT_S

    def progress(status: int, remaining: int, total: int) -> None:
        if status not in (sqlite3.SQLITE_OK, sqlite3.SQLITE_DONE) and time.monotonic() >= deadline:
            raise _busy(path)

    return progress


def _busy(path: Path) -> Busy:
    return Busy(f"the memory of {path.parent.name} is being written by another process", hint="try again later")


def _explained(path: Path, error: sqlite3.Error | UnicodeError) -> MemoryFailure | JournalDamaged:
    code = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
    if code in _BUSY:
        return _busy(path)
    if code in _DAMAGE or isinstance(error, UnicodeError):
        return journal_file.damaged(path, str(error))
    return MemoryFailure(f"the journal {path} cannot be used: {error}", hint="check its folder and the free space")
