"""Every store and journal in one file, and back (cli.md, memory): the built-in store, and of each plugin its journal,
its files and whose they are.

The file is a zip archive with a table of its members and their digests. A restore unpacks and checks all of it beside
the data first; one rename then decides that it takes place, and what is interrupted after that is finished by the next
command that opens a memory. What a backup does not hold stays as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.backends import RESTORING
from zeroclaw_cli.errors import Busy, MemoryFailure, SourceNotFound, StoreDamaged, UsageError, ZeroclawError, explain

if TYPE_CHECKING:
    from zipfile import ZipFile

    from zeroclaw_cli.config.model import Config

FORMAT: Final = 1
_TABLE: Final = "zeroclaw-backup.json"
_NATIVE: Final = "native.db"
_JOURNAL: Final = "journal.db"
_OWNER: Final = "owner.toml"
_FILES: Final = "files"
_STAGING: Final = ".restore-"
_WAIT_S: Final = 60.0
_BLOCK: Final = 1 << 20
_MAX_TABLE_BYTES: Final = 64 << 20
_SQLITE: Final = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds: how many entries and documents (None: no built-in store), and of which plugins."""

    entries: int | None = None
    documents: int | None = None
    plugins: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"entries": self.entries, "documents": self.documents, "plugins": list(self.plugins)}


@dataclass(frozen=True, slots=True)
class Created:
    file: Path
    size: int
    contents: Contents
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back, and the files that keep what was there before."""

    contents: Contents
    kept: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Gathered:
    """Files to be packed, by their name in the archive."""

    files: dict[str, Path] = field(default_factory=dict)
    contents: Contents = Contents()
    warnings: list[str] = field(default_factory=list)


# Making one


def create(config: Config, out: Path | None) -> Created:
    """Write a backup into ``out``, which is replaced at the end or not at all; a folder gets a name with the time, None
    is ``backups/`` in the data directory.

    Raises MemoryFailure when the file cannot be written, and what says that a store or journal cannot be read: a backup
    that lacks one is none.
    """
    name = f"zeroclaw-memory-{_stamp()}.zip"
    if out is None:
        folder = config.location.data_dir / "backups"
        fsio.make_private_dir(folder)
        out = folder / name
    elif out.is_dir():
        out /= name
    elif out.exists() and not out.is_file():
        raise UsageError(f"{out} is no plain file", hint="name a file or a folder")
    else:
        # A link stays one: the file that it points to is replaced.
        out = out.resolve()
    _require_other(out, config.location.data_dir)
    work = out.absolute().parent / f".zeroclaw-backup-{os.urandom(6).hex()}"
    try:
        work.mkdir(mode=0o700)
        gathered = _gather(config.location.data_dir, work)
        _pack(gathered, work / name)
        (work / name).replace(out)
        fsio.fsync_dir(out.absolute().parent)
    except OSError as error:
        raise MemoryFailure(
            f"the backup {out} was not written: {explain(error)}",
            hint="choose a folder that exists, can be written and has room",
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Created(out, out.stat().st_size, gathered.contents, tuple(gathered.warnings))


def _require_other(file: Path, data_dir: Path) -> None:
    from zeroclaw_cli.native.db import database_path

    if file.resolve() == database_path(data_dir).resolve():
        raise UsageError(f"{file} is the memory itself", hint="name another file")


def _gather(data_dir: Path, work: Path) -> _Gathered:
    from zeroclaw_cli.native.backup import backup
    from zeroclaw_cli.native.db import Store

    found = _Gathered()
    entries = documents = None
    with Store.of(data_dir) as store:
        if store.exists():
            copied = backup(store, work / _NATIVE)
            entries, documents = copied.entries, copied.documents
            found.files[_NATIVE] = work / _NATIVE
        found.warnings += store.take_warnings()
    plugins = []
    for folder in sorted((data_dir / "plugins").glob("*")):
        if folder.is_dir() and not folder.is_symlink() and _gather_plugin(folder, work, found):
            plugins.append(folder.name)
    found.contents = Contents(entries, documents, tuple(plugins))
    return found


def _gather_plugin(folder: Path, work: Path, found: _Gathered) -> bool:
    """Take what a plugin remembers; False when it remembers nothing."""
    from zeroclaw_cli.wasm.journal_copy import copy_journal

    prefix = f"plugins/{folder.name}"
    journal = folder / _JOURNAL
    before = len(found.files)
    if journal.is_file() and journal.stat().st_size:
        copy = work / f"{len(found.files)}.db"
        copy_journal(journal, copy)
        found.files[f"{prefix}/{_JOURNAL}"] = copy
    for directory, _, names in os.walk(folder / _FILES):
        for name in sorted(names):
            file = Path(directory, name)
            member = f"{prefix}/{file.relative_to(folder).as_posix()}"
            if file.is_symlink() or not file.is_file() or not _is_member(member):
                found.warnings.append(f"{file} is no plain file and was left out")
            else:
                found.files[member] = file
    if len(found.files) == before:
        return False
    if (folder / _OWNER).is_file():
        found.files[f"{prefix}/{_OWNER}"] = folder / _OWNER
    return True


def _pack(gathered: _Gathered, archive: Path) -> None:
    import zipfile

    descriptor = os.open(archive, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as packed:
            members = {}
            for name, source in gathered.files.items():
                descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                with os.fdopen(descriptor, "rb") as reader, packed.open(name, "w", force_zip64=True) as member:
                    size, digest = _copy(reader, member)
                members[name] = {"size": size, "sha256": digest}
            table = {
                "format": FORMAT,
                "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "contents": gathered.contents.to_json(),
                "members": members,
            }
            packed.writestr(_TABLE, json.dumps(table, indent=1))
        file.flush()
        os.fsync(file.fileno())


# Bringing one back


def restore(config: Config, source: Path) -> Restored:
    """Make the memory what the backup ``source`` holds; a copy of the built-in store alone (a daily backup) does too.

    Raises SourceNotFound, StoreDamaged or JournalDamaged when it is no sound backup, MemoryFailure when a newer version
    made it or when it holds nothing, Busy while others keep writing: then nothing was changed.
    """
    data_dir = config.location.data_dir
    if not source.is_file():
        raise SourceNotFound(f"there is no backup {source}", hint="give the file that `zeroclaw memory backup` wrote")
    _require_other(source, data_dir)
    fsio.make_private_dir(data_dir)
    with _alone(data_dir):
        if (data_dir / RESTORING).is_dir():
            _apply(config, resumed=True)
        staging = data_dir / f"{_STAGING}{os.urandom(6).hex()}"
        staging.mkdir(mode=0o700)
        try:
            _unpack(source, staging)
            _check(staging, source)
            _require_content(staging, source)
            _make_durable(staging)
            staging.rename(data_dir / RESTORING)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        fsio.fsync_dir(data_dir)
        return _apply(config, resumed=False)


def finish_restore(config: Config) -> Restored:
    """Finish a restore that was interrupted; nothing happens when there is none."""
    data_dir = config.location.data_dir
    with _alone(data_dir):
        return _apply(config, resumed=True) if (data_dir / RESTORING).is_dir() else Restored(Contents())


def _apply(config: Config, *, resumed: bool) -> Restored:
    """Put what lies ready in its place, one store after the other. Each step may be done again."""
    data_dir = config.location.data_dir
    ready = data_dir / RESTORING
    table = _table(ready)
    contents = Contents(**{**table["contents"], "plugins": tuple(table["contents"]["plugins"])})
    kept: list[Path] = []
    warnings: list[str] = []
    changed = resumed
    try:
        if (ready / _NATIVE).exists():
            kept += _apply_native(data_dir, ready / _NATIVE, warnings)
            changed = True
        for name in contents.plugins:
            changed = _apply_plugin(data_dir / "plugins" / name, ready / "plugins" / name, table, kept) or changed
    except BaseException:
        if not changed:
            fsio.remove_tree(ready)
        raise
    fsio.remove_tree(ready)
    fsio.fsync_dir(data_dir)
    for left in data_dir.glob(f"{_STAGING}*"):
        shutil.rmtree(left, ignore_errors=True)
    if contents.entries is not None:
        warnings += _renew_mirror(config)
    return Restored(contents, tuple(kept), tuple(warnings))


def _apply_native(data_dir: Path, copy: Path, warnings: list[str]) -> list[Path]:
    from zeroclaw_cli.native.backup import restore as restore_native
    from zeroclaw_cli.native.db import Store

    with Store.of(data_dir) as store:
        done = restore_native(store, copy)
        warnings += store.take_warnings()
    copy.unlink()
    fsio.fsync_dir(copy.parent)
    return [] if done.replaced is None else [done.replaced]


def _apply_plugin(target: Path, ready: Path, table: dict[str, Any], kept: list[Path]) -> bool:
    """Give one plugin's data the restored state. The journal comes last of what may be refused."""
    from zeroclaw_cli.wasm.journal_copy import replace_journal

    if not ready.is_dir():
        return False
    stamp = _stamp()
    fsio.make_private_dir(target)
    journal = ready / _JOURNAL
    if journal.exists():
        before = replace_journal(target / _JOURNAL, journal, kept_as=f"journal.before-restore-{stamp}.db")
        kept += [] if before is None else [before]
        journal.unlink()
        fsio.fsync_dir(ready)
    owner = ready / _OWNER
    if owner.exists():
        fsio.atomic_write(target / _OWNER, owner.read_bytes())
    held = any(name.startswith(f"plugins/{target.name}/{_FILES}/") for name in table["members"])
    # Held but no longer here: an earlier attempt has put them in their place.
    if (not held or (ready / _FILES).exists()) and (target / _FILES).exists():
        aside = target / f"{_FILES}.before-restore-{stamp}-{os.urandom(3).hex()}"
        (target / _FILES).rename(aside)
        kept.append(aside)
    if (ready / _FILES).exists():
        (ready / _FILES).rename(target / _FILES)
    fsio.fsync_dir(target)
    fsio.remove_tree(ready)
    return True


def _renew_mirror(config: Config) -> list[str]:
    """Write the Markdown copies of the restored documents; they are no part of what was decided."""
    from zeroclaw_cli.backends import NATIVE, open_documents
    from zeroclaw_cli.native.owners import document_scopes

    try:
        with open_documents(config, name=NATIVE) as documents:
            scopes = document_scopes(documents.store, documents.scope, any_project=True)
        for scope in scopes:
            with open_documents(config, scope.agent, scope.project, NATIVE) as documents:
                documents.export_mirror()
    except (ZeroclawError, OSError) as error:
        return [f"the Markdown mirror was not renewed: {explain(error)}"]
    return []


# Unpacking and checking


def _unpack(source: Path, staging: Path) -> None:
    import zipfile

    with source.open("rb") as file:
        head = file.read(len(_SQLITE))
    if head == _SQLITE:
        _copy_database(source, staging / _NATIVE)
        table = {"format": FORMAT, "contents": Contents(0, 0).to_json(), "members": {_NATIVE: {}}}
        (staging / _TABLE).write_text(json.dumps(table), "utf-8")
        return
    try:
        with zipfile.ZipFile(source) as packed:
            _unpack_members(packed, staging, source)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise _no_backup(source, str(error) or "it is cut off") from error


def _copy_database(source: Path, target: Path) -> None:
    """Copy a database with what its write-ahead log holds, if there is one beside it."""
    import sqlite3
    from contextlib import closing

    for suffix in ("", "-wal"):
        file = source.with_name(source.name + suffix)
        if file.exists():
            shutil.copyfile(file, target.with_name(target.name + suffix))
    try:
        with closing(sqlite3.connect(target)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.DatabaseError as error:
        raise _no_backup(source, str(error)) from error


def _unpack_members(packed: ZipFile, staging: Path, source: Path) -> None:
    import zlib

    names = packed.namelist()
    if names.count(_TABLE) != 1:
        raise _no_backup(source, "it has no table of contents")
    if packed.getinfo(_TABLE).file_size > _MAX_TABLE_BYTES:
        raise _no_backup(source, "its table of contents is too large")
    try:
        (staging / _TABLE).write_bytes(packed.read(_TABLE))
        members = _table(staging)["members"]
        if sorted(names) != sorted([_TABLE, *members]):
            raise _no_backup(source, "what it holds is not what its table says")
        for name, about in members.items():
            if not _is_member(name):
                raise _no_backup(source, f"'{name}' has no place in a backup")
            target = staging / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as writer, packed.open(name) as member:
                found = _copy(member, writer, most=about["size"])
            if found != (about["size"], about["sha256"]):
                raise _no_backup(source, f"'{name}' is not what was backed up")
    except (zlib.error, KeyError, TypeError, ValueError) as error:
        raise _no_backup(source, str(error)) from error
    except FileExistsError as error:
        raise _no_backup(source, "a name in it stands for two things") from error


def _check(staging: Path, source: Path) -> None:
    """Raise StoreDamaged or JournalDamaged unless every part could be used as it is."""
    from zeroclaw_cli.wasm.journal_copy import check_copy

    if (staging / _NATIVE).exists():
        _check_native(staging, source)
    for journal in sorted(staging.glob(f"plugins/*/{_JOURNAL}")):
        check_copy(journal)
    for owner in sorted(staging.glob(f"plugins/*/{_OWNER}")):
        import tomli

        try:
            sound = isinstance(tomli.loads(owner.read_text("utf-8")).get("publisher"), str)
        except ValueError:
            sound = False
        if not sound:
            raise _no_backup(source, f"plugins/{owner.parent.name}/{_OWNER} does not name a publisher")


def _require_content(staging: Path, source: Path) -> None:
    contents = _table(staging)["contents"]
    if contents["entries"] is None and not contents["plugins"]:
        raise MemoryFailure(
            f"the backup {source} holds nothing: it was made where nothing was remembered yet",
            hint="nothing was changed; `zeroclaw memory clear` forgets what is remembered here",
        )


def _check_native(staging: Path, source: Path) -> None:
    from zeroclaw_cli.native import integrity
    from zeroclaw_cli.native.db import Store

    if not integrity.is_sound(staging / _NATIVE):
        raise _no_backup(source, "its copy of the built-in store is damaged")
    work = staging / "check"
    work.mkdir(mode=0o700)
    shutil.copyfile(staging / _NATIVE, work / _NATIVE)
    try:
        with Store(work / _NATIVE) as store:
            counts = store.query("SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM documents)")
    except StoreDamaged as error:
        raise _no_backup(source, error.message) from error
    finally:
        fsio.remove_tree(work)
    table = _table(staging)
    table["contents"].update(entries=counts[0][0], documents=counts[0][1])
    (staging / _TABLE).write_text(json.dumps(table), "utf-8")


def _table(folder: Path) -> dict[str, Any]:
    """The table of contents in a folder. Raises StoreDamaged, or MemoryFailure for one of a newer version."""
    path = folder / _TABLE
    try:
        table = json.loads(path.read_bytes())
        number = int(table["format"])
        if number > FORMAT:
            raise MemoryFailure("the backup was made by a newer version of this program", hint="update zeroclaw")
        contents, members = table["contents"], table["members"]
        sound = (
            isinstance(members, dict)
            and set(contents) == {"entries", "documents", "plugins"}
            and all(_is_member(f"plugins/{name}/{_JOURNAL}") for name in contents["plugins"])
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise StoreDamaged(f"{path.name} is not readable", hint="choose another backup; nothing was changed")
    return dict(table)


def _is_member(name: str) -> bool:
    """Whether a name may stand in a backup: it stays inside, and is of a kind that is known."""
    parts = name.split("/")
    plain = all(part not in ("", ".", "..") and part.isprintable() and "\\" not in part for part in parts)
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    if not plain:
        return False
    if parts[0] != "plugins":
        return name == _NATIVE
    return (len(parts) == 3 and parts[2] in (_JOURNAL, _OWNER)) or (len(parts) > 3 and parts[2] == _FILES)


# Files


@contextmanager
def _alone(data_dir: Path) -> Iterator[None]:
    try:
        with fsio.file_lock(data_dir / ".restore.lock", timeout_s=_WAIT_S):
            yield
    except TimeoutError:
        raise Busy(f"another process is restoring the memory in {data_dir}", hint="try again later") from None


def _copy(reader: IO[bytes], writer: IO[bytes], *, most: int | None = None) -> tuple[int, str]:
    """Copy a stream; returns its size and SHA-256. Raises ValueError when it is longer than ``most``."""
    digest, size = hashlib.sha256(), 0
    while block := reader.read(_BLOCK):
        size += len(block)
        if most is not None and size > most:
            raise ValueError("a member is longer than the table says")
        digest.update(block)
        writer.write(block)
    return size, digest.hexdigest()


def _make_durable(folder: Path) -> None:
    for directory, _, names in os.walk(folder, topdown=False):
        for name in names:
            descriptor = os.open(Path(directory, name), os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        fsio.fsync_dir(Path(directory))


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def _no_backup(source: Path, why: str) -> StoreDamaged:
    return StoreDamaged(f"{source} is no sound backup: {why}", hint="choose another one; nothing was changed")
