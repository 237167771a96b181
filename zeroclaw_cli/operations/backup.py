"""Every store and journal in one file (cli.md, memory): the built-in store, and of each plugin its journal, its files
and whose they are. ``backup_file`` says what such a file is, ``restore`` brings one back.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.backends import native_settings
from zeroclaw_cli.errors import MemoryFailure, UsageError, explain
from zeroclaw_cli.native.archive import NATIVE, TABLE, copy_stream, standard_place
from zeroclaw_cli.operations.backup_file import (
    FILES,
    FORMAT,
    JOURNAL,
    OWNER,
    Contents,
    is_member,
    stamp,
)
from zeroclaw_cli.operations.own_files import require_other_place
from zeroclaw_cli.os_errors import remedy

if TYPE_CHECKING:
    from zipfile import ZipInfo

    from zeroclaw_cli.config.model import Config


_WORK: Final = ".zeroclaw-backup-"
_STALE_S: Final = 3_600.0
_COMPRESSION: Final = 3


@dataclass(frozen=True, slots=True)
class Created:
    file: Path
    size: int
    contents: Contents
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Gathered:
    """Files to be packed, by their name in the archive."""

    files: dict[str, Path] = field(default_factory=dict)
    contents: Contents = field(default_factory=Contents)
    generation: int = 0
    warnings: list[str] = field(default_factory=list)


def create(config: Config, out: Path | None) -> Created:
    """Write a backup into ``out``, which is replaced at the end or not at all; a folder gets a name with the time, None
    is ``backups/`` in the data directory.

    Raises MemoryFailure when the file cannot be written, and what says that a store or journal cannot be read: a backup
    that lacks one is none.
    """
    name = f"zeroclaw-memory-{stamp()}.zip"
    if out is None:
        folder = standard_place(config.location.data_dir)
        fsio.make_private_dir(folder)
        out = folder / name
    elif out.is_dir():
        out /= name
    elif out.exists() and not out.is_file():
        raise UsageError(f"{out} is not a regular file", hint="name a file or a folder")
    else:
        # A link stays one: the file that it points to is replaced.
        target = Path(os.path.realpath(out))
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(out))
        out = target
    require_other_place(config, out, "the backup")
    work = out.absolute().parent / f"{_WORK}{os.urandom(6).hex()}"
    try:
        _sweep(work.parent)
        work.mkdir(mode=0o700)
        gathered = _gather(config, work)
        _pack(gathered, work / name)
        (work / name).replace(out)
        fsio.fsync_dir(out.absolute().parent)
    except OSError as error:
        raise MemoryFailure(
            f"the backup {out} was not written: {_cause(error, work)}",
            hint=remedy(error, out),
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Created(out, out.stat().st_size, gathered.contents, tuple(gathered.warnings))


def _sweep(folder: Path) -> None:
    """Delete the copies that backups left which were killed here; a younger one may still be at work."""
    for left in folder.glob(f"{_WORK}*"):
        status = left.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and status.st_mtime < time.time() - _STALE_S:
            shutil.rmtree(left, ignore_errors=True)


def _cause(error: OSError, work: Path) -> str:
    # A person knows nothing of the folder that it is made in.
    ours = isinstance(error.filename, str) and Path(error.filename).is_relative_to(work)
    return str(error.strerror or error) if ours else explain(error)


def _gather(config: Config, work: Path) -> _Gathered:
    from zeroclaw_cli.native.backup import backup
    from zeroclaw_cli.native.opening import open_store

    data_dir = config.location.data_dir
    found = _Gathered()
    entries = documents = None
    with open_store(data_dir, native_settings(config)) as store:
        if store.exists():
            copied = backup(store, work / NATIVE)
            entries, documents, found.generation = copied.entries, copied.documents, copied.generation
            found.files[NATIVE] = work / NATIVE
        found.warnings += store.take_warnings()
    plugins = []
    for folder in sorted((data_dir / "plugins").glob("*")):
        if folder.is_dir() and not folder.is_symlink() and _gather_plugin(folder, work, found):
            plugins.append(folder.name)
    found.contents = Contents(entries, documents, tuple(plugins))
    return found


def _gather_plugin(folder: Path, work: Path, found: _Gathered) -> bool:
    """Take what a plugin remembers; False when it remembers nothing."""
    from zeroclaw_cli.wasm.journal import Journal
    from zeroclaw_cli.wasm.journal_copy import copy_journal

    prefix = f"plugins/{folder.name}"
    journal = folder / JOURNAL
    before = len(found.files)
    if journal.is_file() and journal.stat().st_size:
        copy = work / f"{len(found.files)}.db"
        copy_journal(journal, copy)
        # A backup that cannot be restored is none.
        with closing(Journal(journal)) as opened:
            opened.examine()
        found.files[f"{prefix}/{JOURNAL}"] = copy
    for directory, _, names in os.walk(folder / FILES):
        for name in sorted(names):
            file = Path(directory, name)
            member = f"{prefix}/{file.relative_to(folder).as_posix()}"
            if file.is_symlink() or not file.is_file() or not is_member(member):
                found.warnings.append(f"{file} is not a regular file and was left out")
            else:
                found.files[member] = file
    if len(found.files) == before:
        return False
    if (folder / OWNER).is_file():
        found.files[f"{prefix}/{OWNER}"] = folder / OWNER
    return True


def _member(name: str) -> ZipInfo:
    """A member of the archive that bears the present time, as far as the format can say it: 1980 to 2107."""
    import zipfile

    present = time.localtime()[:6]
    info = zipfile.ZipInfo(name, date_time=max((1980, 1, 1, 0, 0, 0), min(present, (2107, 12, 31, 23, 59, 58))))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    # The name is public from Python 3.13 on.
    setattr(info, "compress_level" if hasattr(info, "compress_level") else "_compresslevel", _COMPRESSION)
    return info


def _pack(gathered: _Gathered, archive: Path) -> None:
    import zipfile

    descriptor = os.open(archive, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w+b") as file:
        with zipfile.ZipFile(file, "w") as packed:
            members = {}
            for name, source in gathered.files.items():
                descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                with os.fdopen(descriptor, "rb") as reader, packed.open(_member(name), "w", force_zip64=True) as member:
                    size, digest = copy_stream(reader, member)
                members[name] = {"size": size, "sha256": digest}
            table = {
                "format": FORMAT,
                "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "generation": gathered.generation,
                "contents": gathered.contents.to_json(),
                "members": members,
            }
            packed.writestr(_member(TABLE), json.dumps(table, indent=1))
        file.flush()
        os.fsync(file.fileno())
