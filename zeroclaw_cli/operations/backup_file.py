"""What a backup file is (cli.md, memory): a zip archive with a table of its members and their digests.

It is unpacked into a folder and checked there whole, before anything that is remembered is touched.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import MemoryFailure, StoreDamaged, UsageError
from zeroclaw_cli.native.archive import MAX_TABLE_BYTES, NATIVE, TABLE, copy_stream

if TYPE_CHECKING:
    from zipfile import ZipFile

FORMAT: Final = 1
JOURNAL: Final = "journal.db"
OWNER: Final = "owner.toml"
FILES: Final = "files"
_SQLITE: Final = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds: how many entries and documents (None: no built-in store), and of which plugins."""

    entries: int | None = None
    documents: int | None = None
    plugins: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"entries": self.entries, "documents": self.documents, "plugins": list(self.plugins)}


def is_member(name: str) -> bool:
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
        return name == NATIVE
    return (len(parts) == 3 and parts[2] in (JOURNAL, OWNER)) or (len(parts) > 3 and parts[2] == FILES)


def read_table(folder: Path) -> dict[str, Any]:
    """The table of contents in a folder. Raises StoreDamaged, or MemoryFailure for one of a newer version."""
    path = folder / TABLE
    try:
        table = json.loads(path.read_bytes())
        number = int(table["format"])
        if number > FORMAT:
            raise MemoryFailure("the backup was made by a newer version of this program", hint="update zeroclaw")
        contents, members = table["contents"], table["members"]
        sound = (
            isinstance(members, dict)
            and set(contents) == {"entries", "documents", "plugins"}
            and all(is_member(f"plugins/{name}/{JOURNAL}") for name in contents["plugins"])
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise StoreDamaged(f"{path.name} is not readable", hint="choose another backup; nothing was changed")
    return dict(table)


def unpack(source: Path, staging: Path) -> None:
    import zipfile

    with source.open("rb") as file:
        head = file.read(len(_SQLITE))
    if head == _SQLITE:
        _copy_database(source, staging / NATIVE)
        table = {"format": FORMAT, "contents": Contents(0, 0).to_json(), "members": {NATIVE: {}}}
        (staging / TABLE).write_text(json.dumps(table), "utf-8")
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
    if names.count(TABLE) != 1:
        raise _no_backup(source, "it has no table of contents")
    if packed.getinfo(TABLE).file_size > MAX_TABLE_BYTES:
        raise _no_backup(source, "its table of contents is too large")
    try:
        (staging / TABLE).write_bytes(packed.read(TABLE))
        members = read_table(staging)["members"]
        if sorted(names) != sorted([TABLE, *members]):
            raise _no_backup(source, "its contents do not match its table")
        for name, about in members.items():
            if not is_member(name):
                raise _no_backup(source, f"'{name}' has no place in a backup")
            target = staging / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as writer, packed.open(name) as member:
                found = copy_stream(member, writer, most=about["size"])
            if found != (about["size"], about["sha256"]):
                raise _no_backup(source, f"'{name}' differs from what was backed up")
    except (zlib.error, KeyError, TypeError, ValueError) as error:
        raise _no_backup(source, str(error)) from error
    except FileExistsError as error:
        raise _no_backup(source, "a name in it stands for two things") from error


def check(staging: Path, source: Path) -> None:
    """Raise StoreDamaged or JournalDamaged unless every part could be used as it is."""
    from zeroclaw_cli.wasm.journal_copy import check_copy

    if (staging / NATIVE).exists():
        _check_native(staging, source)
    for journal in sorted(staging.glob(f"plugins/*/{JOURNAL}")):
        check_copy(journal)
    for owner in sorted(staging.glob(f"plugins/*/{OWNER}")):
        import tomli

        try:
            sound = isinstance(tomli.loads(owner.read_text("utf-8")).get("publisher"), str)
        except ValueError:
            sound = False
        if not sound:
            raise _no_backup(source, f"plugins/{owner.parent.name}/{OWNER} does not name a publisher")


def require_content(staging: Path, source: Path) -> None:
    contents = read_table(staging)["contents"]
    if contents["entries"] is None and not contents["plugins"]:
        raise MemoryFailure(
            f"the backup {source} holds nothing: it was made where nothing was remembered yet",
            hint="nothing was changed; `zeroclaw memory clear` forgets the memories here",
        )


def _check_native(staging: Path, source: Path) -> None:
    from zeroclaw_cli.native.examination import is_sound
    from zeroclaw_cli.native.opening import open_file

    if not is_sound(staging / NATIVE):
        raise _no_backup(source, "its copy of the built-in store is damaged")
    work = staging / "check"
    work.mkdir(mode=0o700)
    shutil.copyfile(staging / NATIVE, work / NATIVE)
    try:
        with open_file(work / NATIVE) as store:
            counts = store.query("SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM documents)")
    except StoreDamaged as error:
        raise _no_backup(source, error.message) from error
    finally:
        fsio.remove_tree(work)
    table = read_table(staging)
    table["contents"].update(entries=counts[0][0], documents=counts[0][1])
    (staging / TABLE).write_text(json.dumps(table), "utf-8")


def require_other(file: Path, data_dir: Path) -> None:
    from zeroclaw_cli.native.db import database_path

    # Path.resolve() raises RuntimeError for a link that leads to itself, up to Python 3.12.
    if os.path.realpath(file) == os.path.realpath(database_path(data_dir)):
        raise UsageError(f"{file} is the memory itself", hint="name another file")


def stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def _no_backup(source: Path, why: str) -> StoreDamaged:
    return StoreDamaged(f"{source} is not a valid backup: {why}", hint="choose another one; nothing was changed")
