"""Bringing a store back that is damaged or lost (specs/native-memory.md §22.4).

The newest sound backup takes its place: a daily one, or the built-in store of a file that ``memory backup`` wrote into
its standard place. Where there is none, a new store does, if the Markdown mirror has documents for it. What is newer in
the mirror is then taken back (``taking_back``).

From the moment before anything is moved until all is done there is the mark ``native.restored``, which holds what is to
be told: so the next opening goes on with what was interrupted, and a loss is told though its process was killed.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, LossWarning, MemoryFailure, StoreDamaged, ZeroclawError, explain
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.native import archive, schema
from zeroclaw_cli.native.integrity import LOGS, backups, connect_to_read, describe_loss, is_sound, restored_mark

if TYPE_CHECKING:
    from zeroclaw_cli.native.db import Store
    from zeroclaw_cli.native.settings import NativeSettings

_DAILY: Final = re.compile(r"native-(\d{8}T\d{6}Z)\.db")
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_WAIT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup of the store: its file, the moment it was made, and whether it is an archive of every memory."""

    file: Path
    at: datetime
    is_archive: bool


def copies(path: Path) -> list[Copy]:
    """Every backup that may take the place of the store, newest first. Whether it is sound shows when it is taken."""
    found = [Copy(file, _moment_of(file, _DAILY.fullmatch(file.name)), False) for file in backups(path)]
    with suppress(OSError):
        for file in archive.standard_place(path.parent.parent).glob("*.zip"):
            made_at = archive.made_at(file) if file.is_file() else None
            if made_at is not None:
                found.append(Copy(file, _instant(made_at) or _moment_of(file, None), True))
    # Two that were made within one second are told apart by their files.
    return sorted(found, key=lambda copy: (copy.at, _modified(copy.file)), reverse=True)


def _moment_of(file: Path, name: re.Match[str] | None) -> datetime:
    if name is not None:
        with suppress(ValueError):
            return datetime.strptime(name[1], _STAMP).replace(tzinfo=UTC)
    return datetime.fromtimestamp(int(_modified(file)), UTC)


def _instant(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _modified(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def restore(path: Path, warn: Callable[[str], None], settings: NativeSettings | None) -> None:
    """Put a sound store in the place of the one at ``path``, which nobody else has open; the damaged file stays beside.

    With ``settings`` the mark stays for :func:`finish`, without them all is done and told here. Raises StoreDamaged
    when nothing can take its place.
    """
    staged = fsio.temporary_beside(path)
    aside = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    try:
        source = _stage_newest(path, staged)
        if source is None and not _stage_for_mirror(path, staged, settings):
            raise _nothing_left(path)
        text = _describe(path, staged, source, aside)
        _put_in_place(path, staged, aside, text)
    except OSError as error:
        raise _not_replaced(path, error) from error
    finally:
        for suffix in ("", *LOGS):
            with suppress(OSError):
                staged.with_name(staged.name + suffix).unlink(missing_ok=True)
    if settings is None:
        forget_restored(path)
        warn(LossWarning(text))


def _stage_newest(path: Path, staged: Path) -> Copy | None:
    """Write the newest sound copy to ``staged``; which one that is."""
    return next((copy for copy in copies(path) if _stage(copy, staged)), None)


def _stage_for_mirror(path: Path, staged: Path, settings: NativeSettings | None) -> bool:
    """Write a store that holds nothing to ``staged``, where the mirror has documents for it."""
    if settings is None or settings.mirror == "off":
        return False
    from zeroclaw_cli.native.taking_back import has_documents

    if not has_documents(path):
        return False
    from zeroclaw_cli.native.db import make_empty

    staged.unlink(missing_ok=True)
    make_empty(staged)
    _make_durable(staged)
    return True


def _make_durable(file: Path) -> None:
    file.chmod(0o600)
    fsio.fsync_file(file)


def _stage(copy: Copy, staged: Path) -> bool:
    """Write a copy to ``staged``; False for one that cannot be read or is not sound. Raises OSError when it cannot be
    written: an older and smaller copy is then no better one."""
    staged.unlink(missing_ok=True)
    try:
        copy.file.open("rb").close()
    except OSError:
        return False
    try:
        if copy.is_archive:
            archive.extract_store(copy.file, staged)
        else:
            shutil.copyfile(copy.file, staged)
        if not is_sound(staged) or not _is_store(staged):
            return False
    except (ValueError, FileNotFoundError, MemoryFailure):
        return False
    _make_durable(staged)
    return True


def _is_store(file: Path) -> bool:
    """Whether a sound database has our tables in a format that this program reads."""
    with closing(connect_to_read(file)) as connection:
        try:
            connection.execute("SELECT 1 FROM entries, documents LIMIT 1").fetchone()
            return int(connection.execute("PRAGMA user_version").fetchone()[0]) <= schema.VERSION
        except sqlite3.DatabaseError:
            return False


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


def _describe(path: Path, staged: Path, source: Copy | None, aside: Path) -> str:
    """What is to be told of a store that ``staged``, which is ``source`` or holds nothing, takes the place of."""
    loss = describe_loss(path)
    start = f"the memory store {path} {loss.replace('is', 'was', 1)}"
    if source is None:
        lost = "every entry and recorded turn is lost to it"
        text = f"{start} and had no backup that is sound; it is now a new one, and {lost}"
    else:
        what = f"the built-in store of {source.file}" if source.is_archive else f"the backup {source.file.name}"
        text = f"{start}; it is now {what}, {_held(staged)}: what was stored after that is not in it"
    return text + (f"; the {loss.removeprefix('is ')} file is kept as {aside}" if path.exists() else "")


def _held(file: Path) -> str:
    """How much a copy holds, and the time of its last change."""
    with closing(connect_to_read(file)) as connection:
        entries, documents, last = connection.execute(
            "SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM documents), "
            "max((SELECT coalesce(max(updated_at), '') FROM entries), "
            "(SELECT coalesce(max(updated_at), '') FROM documents))"
        ).fetchone()
    number = f"{counted(entries, 'entry', 'entries')} and {counted(documents, 'document')}"
    return f"which holds {number}" + (f", the newest of {last[:19]}Z" if last else "")


def _nothing_left(path: Path) -> StoreDamaged:
    from zeroclaw_cli.native.mirror import mirror_of
    from zeroclaw_cli.native.taking_back import has_documents

    found = copies(path)
    also = f"; {mirror_of(path)} still has documents of it" if has_documents(path) else ""
    away = " and ".join([path.name, *(f"{path.parent.name}/backups/" for _ in backups(path)[:1])])
    return StoreDamaged(
        f"the memory store {path} {describe_loss(path)} and has no backup" + (" that is sound" if found else ""),
        hint=f"put a backup in its place with `zeroclaw memory restore FILE`, or move {away} away to start anew{also}",
    )


def _not_replaced(path: Path, error: OSError) -> StoreDamaged:
    return StoreDamaged(
        f"the memory store {path} {describe_loss(path)}, and no backup was put in its place: {explain(error)}",
        hint=f"make {path.parent} writable with room for the backup, and run the command again",
    )


def finish(store: Store, settings: NativeSettings) -> None:
    """Take back what the mirror has for a store that was restored, and tell of it: once, whoever opens the store first.

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
        raise Busy(f"another process is bringing {store.path} back", hint="try again when it has finished") from None
    except (OSError, ZeroclawError) as error:
        text = f"{text or 'the memory store was restored'}; what its mirror has was not taken back: {explain(error)}"
    store.warn(LossWarning(text))


def forget_restored(path: Path) -> None:
    """Let what the mirror has be taken back no more: something else has been decided of what the store is to hold."""
    with suppress(FileNotFoundError):
        restored_mark(path).unlink()
        fsio.fsync_dir(path.parent)
