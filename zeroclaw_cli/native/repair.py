"""Repair of a store that is damaged or lost (specs/native-memory.md, "decided since 0.1.0").

The remedies, in their order: build the search index anew; put every row that can be read into a new store; take what is
missing from the newest copy that is sound, except what was forgotten since. Each may fail and then hands on to the
next. What is newer in the Markdown mirror is taken back at the end (``taking_back``).

From the moment before anything is moved until all is done there is the mark ``native.restored``, which holds what is to
be told: so the next opening goes on with what was interrupted, and a loss is told though its process was killed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, LossWarning, StoreDamaged, ZeroclawError, explain
from zeroclaw_cli.native import copies, examination, generation, schema
from zeroclaw_cli.native.examination import LOGS
from zeroclaw_cli.native.integrity import describe_loss, restored_mark
from zeroclaw_cli.native.rebuilding import Rebuilding, Report, can_mend

if TYPE_CHECKING:
    from zeroclaw_cli.native.bad_rows import BadRow
    from zeroclaw_cli.native.db import Store
    from zeroclaw_cli.native.settings import NativeSettings

_WAIT_S: Final = 60.0


def repair(path: Path, warn: Callable[[str], None], settings: NativeSettings | None) -> None:
    """Make the store at ``path``, which nobody else has open, sound again; a file that is replaced stays beside it.

    With ``settings`` the mark stays for :func:`finish`, without them all is done and told here. Raises StoreDamaged
    when nothing is left to repair it with, or nothing can be written.
    """
    if _rebuild_index(path):
        bad = examination.examine(path).bad_rows
        lost = f"damaged and left as it is: {', '.join(map(str, bad[:5]))}" if bad else "no entry was lost"
        warn(f"the search index of {path} was damaged and has been rebuilt; {lost}")
        mend_rows(path, bad, warn, settings)
    else:
        _rebuild_store(path, warn, settings)


def mend_rows(path: Path, bad: Sequence[BadRow], warn: Callable[[str], None], settings: NativeSettings | None) -> None:
    """Take from a copy what rows of an otherwise sound store were that cannot be read now, where a copy has it."""
    if bad and can_mend(path, bad):
        _rebuild_store(path, warn, settings)


def _rebuild_store(path: Path, warn: Callable[[str], None], settings: NativeSettings | None) -> None:
    staged = fsio.temporary_beside(path)
    aside = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    try:
        with Rebuilding(path, staged) as rebuilding:
            report = rebuilding.run()
        if report.is_empty and not _has_mirror(path, settings):
            raise _nothing_left(path)
        _make_durable(staged)
        text = _told(path, report, aside)
        _put_in_place(path, staged, aside, text)
    except OSError as error:
        raise _not_replaced(path, explain(error)) from error
    except sqlite3.Error as error:
        raise _not_replaced(path, str(error)) from error
    finally:
        for suffix in ("", *LOGS):
            with suppress(OSError):
                staged.with_name(staged.name + suffix).unlink(missing_ok=True)
    if settings is None:
        forget_restored(path)
        warn(LossWarning(text))


def _rebuild_index(path: Path) -> bool:
    """Build in place what can be made anew; False, and nothing is changed, where that does not make the store sound."""
    from zeroclaw_cli.native.reindex import rebuild_in

    try:
        if not path.is_file() or examination.is_damaged_at_first_sight(path):
            return False
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            if examination.misses_rows(connection):
                # The index is the only one that knows of them.
                return False
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN EXCLUSIVE")
            schema.renew_index(connection)
            connection.execute("REINDEX")
            rebuild_in(connection)
            generation.advance(connection)
            if examination.problems_of(connection):
                connection.execute("ROLLBACK")
                return False
            connection.execute("COMMIT")
            return True
    except (OSError, sqlite3.Error, ZeroclawError, ValueError, TypeError):
        # A connection that is closed in a transaction leaves the file as it was.
        return False


def _has_mirror(path: Path, settings: NativeSettings | None) -> bool:
    """Whether documents can come back from the mirror."""
    if settings is None or settings.mirror == "off":
        return False
    from zeroclaw_cli.native.taking_back import has_documents

    return has_documents(path)


def _make_durable(file: Path) -> None:
    file.chmod(0o600)
    fsio.fsync_file(file)


def _put_in_place(path: Path, staged: Path, aside: Path, text: str) -> None:
    """Each step may be the last one: until the new store has its name, the next opening begins again."""
    mark = restored_mark(path)
    # Where a mark is without a store, an earlier attempt moved it and was interrupted: its text tells more.
    if path.exists() or not mark.exists():
        fsio.atomic_write(mark, text.encode("utf-8", "replace"))
    for suffix in ("", *LOGS):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    staged.rename(path)
    fsio.fsync_dir(path.parent)
    path.with_name("native.suspect").unlink(missing_ok=True)


def _told(path: Path, report: Report, aside: Path) -> str:
    loss = describe_loss(path)
    text = f"the memory store {path} {loss.replace('is', 'was', 1)}; {report.told()}"
    return text + (f"; the {loss.removeprefix('is ')} file is kept as {aside}" if path.exists() else "")


def _nothing_left(path: Path) -> StoreDamaged:
    from zeroclaw_cli.native.mirror import mirror_of
    from zeroclaw_cli.native.taking_back import has_documents

    found = copies.every(path)
    also = f"; {mirror_of(path)} still has documents of it" if has_documents(path) else ""
    away = " and ".join([path.name, *(f"{path.parent.name}/backups/" for _ in copies.daily(path)[:1])])
    return StoreDamaged(
        f"the memory store {path} {describe_loss(path)} and has no backup" + (" that is sound" if found else ""),
        hint=f"put a backup in its place with `zeroclaw memory restore FILE`, or move {away} away to start empty{also}",
    )


def _not_replaced(path: Path, why: str) -> StoreDamaged:
    return StoreDamaged(
        f"the memory store {path} {describe_loss(path)} and could not be repaired: {why}",
        hint=f"make sure that {path.parent} can be written and has room for another copy, and run the command again",
    )


def finish(store: Store, settings: NativeSettings) -> None:
    """Take back what the mirror has for a store that was repaired, and tell of it: once, whoever opens the store first.

    Raises Busy when another process is at it for too long. What goes wrong is told, and the next opening tries again.
    """
    mark, text = restored_mark(store.path), ""
    try:
        with fsio.file_lock(store.path.with_name(".native.restored.lock"), timeout_s=_WAIT_S):
            if not mark.exists():
                return
            text = mark.read_text("utf-8", "replace")
            if settings.mirror != "off":
                from zeroclaw_cli.native.taking_back import take_back

                text += take_back(store, settings)
            forget_restored(store.path)
    except TimeoutError:
        raise Busy(f"another process is repairing {store.path}", hint="try again when it has finished") from None
    except (OSError, ZeroclawError) as error:
        text = f"{text or 'the memory store was repaired'}; what its mirror has was not taken back: {explain(error)}"
    store.warn(LossWarning(text))


def forget_restored(path: Path) -> None:
    """Let what the mirror has be taken back no more: something else has been decided of what the store is to hold."""
    with suppress(FileNotFoundError):
        restored_mark(path).unlink()
        fsio.fsync_dir(path.parent)
