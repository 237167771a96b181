"""Bringing a backup back (cli.md, memory).

A restore unpacks and checks all of the file beside the data first; one rename then decides that it takes place, and
what is interrupted after that is finished by the next command that opens a memory. What a backup does not hold stays as
it is. What a restore replaces is kept beside it, of each store the newest few.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli import fsio
from zeroclaw_cli.backends import RESTORING
from zeroclaw_cli.errors import (
    Busy,
    Damaged,
    LossWarning,
    MemoryFailure,
    SourceNotFound,
    ZeroclawError,
    explain,
)
from zeroclaw_cli.native.archive import NATIVE
from zeroclaw_cli.operations.backup_file import (
    FILES,
    JOURNAL,
    OWNER,
    Contents,
    check,
    read_table,
    require_content,
    require_other,
    stamp,
    unpack,
)
from zeroclaw_cli.operations.notified_provider import not_told_of_restore

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config

KEEP_REPLACED: Final = 3
_STAGING: Final = ".restore-"
_WAIT_S: Final = 60.0
_LOGS: Final = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back, the files and folders that keep what was there before, and how many older ones were removed.

    ``finished`` is false when there was nothing to finish, or nothing that could be.
    """

    contents: Contents
    kept: tuple[Path, ...] = ()
    removed: int = 0
    warnings: tuple[str, ...] = ()
    finished: bool = True


def restore(config: Config, source: Path) -> Restored:
    """Make the memory what the backup ``source`` holds; a copy of the built-in store alone (a daily backup) does too.

    Raises SourceNotFound, StoreDamaged or JournalDamaged when it is not a valid backup, MemoryFailure when a newer
    version made it or when it holds nothing, Busy while others keep writing: then nothing was changed.
    """
    data_dir = config.location.data_dir
    if not source.is_file():
        raise SourceNotFound(f"there is no backup {source}", hint="give the file that `zeroclaw memory backup` wrote")
    require_other(source, data_dir)
    fsio.make_private_dir(data_dir)
    with _alone(data_dir):
        before = _resume(config)
        staging = data_dir / f"{_STAGING}{os.urandom(6).hex()}"
        staging.mkdir(mode=0o700)
        try:
            unpack(source, staging)
            check(staging, source)
            require_content(staging, source)
            _make_durable(staging)
            staging.rename(data_dir / RESTORING)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        fsio.fsync_dir(data_dir)
        done = _apply(config, resumed=False)
    return replace(done, warnings=(*before.warnings, *done.warnings))


def finish_restore(config: Config) -> Restored:
    """Finish a restore that was interrupted, and delete what one left that was interrupted before anything changed."""
    with _alone(config.location.data_dir):
        done = _resume(config)
        for left in leftovers(config.location.data_dir):
            shutil.rmtree(left, ignore_errors=True)
        return done


def leftovers(data_dir: Path) -> list[Path]:
    """What interrupted restores left that no longer matters; one that runs has such a folder too."""
    return sorted(data_dir.glob(f"{_STAGING}*"))


def _resume(config: Config) -> Restored:
    """Finish what an interrupted restore has begun. What no longer can be finished is set aside, so that it stands in
    nobody's way: the stores are sound, each as it was or restored."""
    ready = config.location.data_dir / RESTORING
    if not os.path.lexists(ready):
        return Restored(Contents(), finished=False)
    try:
        return _apply(config, resumed=True)
    except Damaged as error:
        problem = error.message
    except (FileNotFoundError, NotADirectoryError):
        problem = f"{ready} has no table of contents"
    except OSError as error:
        raise MemoryFailure(
            f"an interrupted restore cannot be finished: {explain(error)}",
            hint=f"make room and make {config.location.data_dir} writable; `zeroclaw doctor --fix` then finishes it",
        ) from error
    with suppress(OSError):
        ready.rmdir()
        return Restored(Contents(), finished=False)
    aside = ready.with_name(f"restore.damaged-{stamp()}-{os.urandom(3).hex()}")
    ready.rename(aside)
    warning = f"an interrupted restore was not finished: {problem}; it is kept as {aside}: restore the backup again"
    return Restored(Contents(), warnings=(LossWarning(warning),), finished=False)


def _discard(ready: Path) -> None:
    """Delete what lay ready. Under its own name an incomplete folder would be taken for a restore to be finished."""
    left = ready.with_name(f"{_STAGING}{os.urandom(6).hex()}")
    ready.rename(left)
    fsio.fsync_dir(left.parent)
    fsio.remove_tree(left)


def _apply(config: Config, *, resumed: bool) -> Restored:
    """Put what lies ready in its place, one store after the other. Each step may be done again."""
    data_dir = config.location.data_dir
    ready = data_dir / RESTORING
    table = read_table(ready)
    contents = Contents(**{**table["contents"], "plugins": tuple(table["contents"]["plugins"])})
    kept: list[Path] = []
    warnings: list[str] = []
    changed = resumed
    try:
        if (ready / NATIVE).exists():
            kept += _apply_native(data_dir, ready / NATIVE, warnings)
            changed = True
        for name in contents.plugins:
            changed = _apply_plugin(data_dir / "plugins" / name, ready / "plugins" / name, table, kept) or changed
    except BaseException:
        if not changed:
            _discard(ready)
        raise
    _discard(ready)
    for left in leftovers(data_dir):
        shutil.rmtree(left, ignore_errors=True)
    if contents.entries is not None:
        warnings += _renew_mirror(config)
        warnings += not_told_of_restore(config)
    removed = _remove_older(data_dir, warnings)
    return Restored(contents, tuple(path for path in kept if path.exists()), removed, tuple(warnings))


def _apply_native(data_dir: Path, copy: Path, warnings: list[str]) -> list[Path]:
    from zeroclaw_cli.native.backup import restore as restore_native
    from zeroclaw_cli.native.opening import open_store

    with open_store(data_dir) as store:
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
    moment = stamp()
    fsio.make_private_dir(target)
    journal = ready / JOURNAL
    if journal.exists():
        before = replace_journal(target / JOURNAL, journal, kept_as=f"journal.before-restore-{moment}.db")
        kept += [] if before is None else [before]
        journal.unlink()
        fsio.fsync_dir(ready)
    owner = ready / OWNER
    if owner.exists():
        fsio.atomic_write(target / OWNER, owner.read_bytes())
    held = any(name.startswith(f"plugins/{target.name}/{FILES}/") for name in table["members"])
    # Held but no longer here: an earlier attempt has put them in their place.
    if (not held or (ready / FILES).exists()) and (target / FILES).exists():
        aside = target / f"{FILES}.before-restore-{moment}-{os.urandom(3).hex()}"
        (target / FILES).rename(aside)
        kept.append(aside)
    if (ready / FILES).exists():
        (ready / FILES).rename(target / FILES)
    fsio.fsync_dir(target)
    fsio.remove_tree(ready)
    return True


def replaced(data_dir: Path) -> list[list[Path]]:
    """What earlier restores have replaced: of each store, journal and folder of files its copies, newest first."""
    from zeroclaw_cli.native.db import database_path

    places = [(database_path(data_dir).parent, "before-restore-*.db")]
    for folder in sorted((data_dir / "plugins").glob("*")):
        if folder.is_dir() and not folder.is_symlink():
            places += [(folder, "journal.before-restore-*.db"), (folder, f"{FILES}.before-restore-*")]
    return [sorted(folder.glob(pattern), key=_age, reverse=True) for folder, pattern in places]


def _age(path: Path) -> tuple[int, str]:
    # The time when it was put aside, which for a folder that was renamed only its inode tells.
    return path.lstat().st_ctime_ns, path.name


def _remove_older(data_dir: Path, warnings: list[str]) -> int:
    """Keep the newest copies of each kind; returns how many others were removed."""
    removed = 0
    for copies in replaced(data_dir):
        for old in copies[KEEP_REPLACED:]:
            try:
                if old.is_dir() and not old.is_symlink():
                    fsio.remove_tree(old)
                else:
                    old.unlink()
                    for suffix in _LOGS:
                        old.with_name(old.name + suffix).unlink(missing_ok=True)
            except OSError as error:
                warnings.append(f"the old copy {old} was not removed: {explain(error)}")
            else:
                removed += 1
    return removed


def _renew_mirror(config: Config) -> list[str]:
    """Write the Markdown copies of the restored documents; they are no part of what was decided."""
    from zeroclaw_cli.backends import open_native_documents
    from zeroclaw_cli.native.mirror import mirrored_scopes
    from zeroclaw_cli.native.owners import document_scopes

    warnings: list[str] = []
    try:
        with open_native_documents(config) as documents:
            known = mirrored_scopes(documents.store, documents.scope)
            scopes = [*document_scopes(documents.store, documents.scope, any_project=True), *known]
        for scope in dict.fromkeys(scopes):
            with open_native_documents(config, scope.agent or None, scope.project) as documents:
                documents.export_mirror()
                warnings += documents.take_warnings()
    except (ZeroclawError, OSError) as error:
        warnings.append(f"the Markdown mirror was not renewed: {explain(error)}")
    return warnings


@contextmanager
def _alone(data_dir: Path) -> Iterator[None]:
    try:
        with fsio.file_lock(data_dir / ".restore.lock", timeout_s=_WAIT_S):
            yield
    except TimeoutError:
        raise Busy(f"another process is restoring the memory in {data_dir}", hint="try again later") from None


def _make_durable(folder: Path) -> None:
    for directory, _, names in os.walk(folder, topdown=False):
        for name in names:
            fsio.fsync_file(Path(directory, name))
        fsio.fsync_dir(Path(directory))
