"""Atomic, durable file writing. Everything in this project that writes a file goes through here.

A file is replaced by rename after its bytes and then its directory are synced, so an interrupted command leaves the
file before or the file after, never half of one.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def fsync_dir(directory: Path) -> None:
    """Make the entries of ``directory`` (creations, renames, removals) durable."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def fsync_file(file: Path) -> None:
    """Make the bytes of ``file``, which another writer has written, durable."""
    fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_private_dir(directory: Path) -> None:
    """Create ``directory`` and its missing parents with mode 0700; what exists keeps its mode."""
    missing = []
    current = directory
    while not current.exists():
        missing.append(current)
        current = current.parent
    for part in reversed(missing):
        with suppress(FileExistsError):
            part.mkdir(mode=0o700)
            fsync_dir(part.parent)


def write_new(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file that must not exist yet, durably; raises FileExistsError if it does."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            os.fchmod(fd, mode)
            file.write(data)
            file.flush()
            os.fsync(fd)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename is None:
            error.filename = os.fspath(path)
        with suppress(OSError):
            path.unlink()
        raise


def temporary_beside(path: Path) -> Path:
    """A fresh name in the directory of ``path``, for a file that will be renamed onto it."""
    return path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")


def give_name(temporary: Path, path: Path) -> None:
    """Give the finished file ``temporary`` the name ``path`` in the same directory, which nothing may have.

    Raises FileExistsError when something has it. ``temporary`` may keep its own name too; the caller removes it, and
    syncs the directory.
    """
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems know no second name. Those who make this file take turns, since renaming would replace.
        import fcntl

        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(directory, fcntl.LOCK_EX)
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
            temporary.rename(path)
        finally:
            os.close(directory)


def sweep_temporaries(path: Path, *, older_than_s: float) -> None:
    """Remove the files with names of :func:`temporary_beside` that a killed process left beside ``path``.

    Younger ones may still be in use, and so may those of a process that lives: its clock may have been set since. What
    cannot be removed stays.
    """
    import re

    pattern = re.compile(rf"\.{re.escape(path.name)}\.(\d+)-[0-9a-f]{{8}}\.tmp(?:-journal|-wal|-shm)?")
    before = time.time() - older_than_s
    with suppress(OSError), os.scandir(path.parent) as found:
        for entry in found:
            name = pattern.fullmatch(entry.name)
            if name is not None and not _lives(int(name[1])):
                with suppress(OSError):
                    info = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(info.st_mode) and info.st_mtime < before:
                        Path(entry.path).unlink()


def _lives(process: int) -> bool:
    """Whether a process of this machine has the number."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def publish_dir(target: Path, files: Mapping[str, bytes]) -> None:
    """Make the folder ``target``, which must not exist yet, with ``files`` by relative path: whole or not at all.

    Folders get mode 0700 and files 0600. A killed process leaves at most a folder ``.<name>.<8 hex digits>`` beside it.
    """
    make_private_dir(target.parent)
    staging = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    make_private_dir(staging)
    try:
        for path, data in files.items():
            make_private_dir((staging / path).parent)
            write_new(staging / path, data)
        fsync_dir(staging)
        staging.rename(target)
    except BaseException:
        remove_tree(staging)
        raise
    fsync_dir(target.parent)


def atomic_write(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace ``path`` by ``data`` (bytes), durably and with the permission bits ``mode``.

    A symbolic link at ``path`` stays a link: the file it points to is replaced. Raises OSError, the old file intact;
    a device, a pipe or a folder, at ``path`` or behind the link, is never replaced.
    """
    target = path.resolve() if path.is_symlink() else path
    if os.path.lexists(target) and not stat.S_ISREG(target.lstat().st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file and is not replaced", str(target))
    temporary = temporary_beside(target)
    try:
        write_new(temporary, data, mode=mode)
    except OSError as error:
        # A person knows nothing of the other name.
        error.filename = os.fspath(target)
        raise
    try:
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    fsync_dir(target.parent)


def write_output(path: Path, data: bytes) -> None:
    """Write ``data`` where a person asked for it: a file is replaced whole and keeps its mode, a new one gets 0600; a
    pipe, a terminal or another device is written to. Raises OSError."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        atomic_write(path, data)
        return
    if stat.S_ISREG(mode):
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        atomic_write(path, data, mode=stat.S_IMODE(mode))
        return
    with path.open("wb") as file:
        file.write(data)


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file, never through a link at its last segment.

    Raises OSError: ELOOP for a link, and an explanatory OSError for anything else that is not a regular file.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{path} is not a regular file")
        return file.read()


def _name(part: str) -> bytes:
    # A name below a root of ours is UTF-8, whatever the locale says of the names of others.
    return part.encode("utf-8", "surrogateescape")


def read_beneath(root: Path, parts: Sequence[str]) -> bytes:
    """The bytes of the regular file ``root/parts[0]/parts[1]/…``, through no link below ``root``.

    Every segment is opened relative to the one before it, so no directory can be swapped for a link meanwhile. Raises
    OSError: ELOOP or ENOTDIR for a link, and an explanatory OSError for anything else that is not a regular file.
    """
    directory = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = os.open(_name(part), _FOLDER, dir_fd=directory)
            os.close(directory)
            directory = inner
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        fd = os.open(_name(parts[-1]), flags, dir_fd=directory)
    finally:
        os.close(directory)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{root.joinpath(*parts)} is not a regular file")
        return file.read()


def _directory_beneath(root: Path, parts: Sequence[str], *, create: bool) -> int:
    """A descriptor of the directory ``root/parts[0]/…``, through no link below ``root``; made with 0700 if missing."""
    directory = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(_name(part), 0o700, dir_fd=directory)
                    os.fsync(directory)
            inner = os.open(_name(part), _FOLDER, dir_fd=directory)
            os.close(directory)
            directory = inner
    except BaseException:
        os.close(directory)
        raise
    return directory


def write_beneath(root: Path, parts: Sequence[str], data: bytes, *, mode: int = 0o600) -> None:
    """Replace the file ``root/parts[0]/…`` by ``data``, durably and through no link below ``root``.

    Missing directories are made; a link at the last segment is replaced. Raises OSError, the old file intact.
    """
    directory = _directory_beneath(root, parts[:-1], create=True)
    temporary = f".{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(temporary, flags, mode, dir_fd=directory)
        try:
            with os.fdopen(fd, "wb") as file:
                os.fchmod(fd, mode)
                file.write(data)
                file.flush()
                os.fsync(fd)
            os.rename(temporary, _name(parts[-1]), src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=directory)
            raise
        os.fsync(directory)
    finally:
        os.close(directory)


def is_temporary(name: str) -> bool:
    """Whether a name is one of :func:`write_beneath` for a file that is not finished."""
    import re

    return re.fullmatch(r"\.\d+-[0-9a-f]{8}\.tmp", name) is not None


def files_beneath(root: Path, parts: Sequence[str] = ()) -> list[tuple[tuple[str, ...], float]]:
    """The regular files below ``root/parts[0]/…`` as their segments from ``root`` on, through no link, sorted.

    Each with the time of its last change in seconds since 1970; none where there is no folder or it cannot be read.
    """
    try:
        directory = _directory_beneath(root, parts, create=False)
    except OSError:
        return []
    folders, files = [], []
    try:
        with os.scandir(directory) as found:
            for entry in found:
                name = (*parts, os.fsencode(entry.name).decode("utf-8", "surrogateescape"))
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                elif entry.is_file(follow_symlinks=False):
                    # Another process may take it away meanwhile.
                    with suppress(FileNotFoundError):
                        files.append((name, entry.stat(follow_symlinks=False).st_mtime))
    finally:
        os.close(directory)
    for folder in folders:
        files += files_beneath(root, folder)
    return sorted(files)


def list_beneath(root: Path, parts: Sequence[str]) -> list[str]:
    """The names in the directory ``root/parts[0]/…``, sorted, through no link below ``root``; none where it is not."""
    try:
        directory = _directory_beneath(root, parts, create=False)
    except OSError:
        return []
    try:
        with os.scandir(directory) as found:
            return sorted(os.fsencode(entry.name).decode("utf-8", "surrogateescape") for entry in found)
    finally:
        os.close(directory)


def rename_beneath(root: Path, parts: Sequence[str], name: str) -> None:
    """Give the file ``root/parts[0]/…`` another last segment, durably and through no link below ``root``."""
    directory = _directory_beneath(root, parts[:-1], create=False)
    try:
        os.rename(_name(parts[-1]), _name(name), src_dir_fd=directory, dst_dir_fd=directory)
        os.fsync(directory)
    finally:
        os.close(directory)


def remove_beneath(root: Path, parts: Sequence[str]) -> None:
    """Remove the file ``root/parts[0]/…`` and the directories above it that it leaves empty, through no link below
    ``root``. What is not there is no error."""
    with suppress(FileNotFoundError):
        directory = _directory_beneath(root, parts[:-1], create=False)
        try:
            os.unlink(_name(parts[-1]), dir_fd=directory)
            os.fsync(directory)
        finally:
            os.close(directory)
    for end in range(len(parts) - 1, 0, -1):
        try:
            above = _directory_beneath(root, parts[: end - 1], create=False)
        except FileNotFoundError:
            continue
        try:
            os.rmdir(_name(parts[end - 1]), dir_fd=above)
        except OSError:
            return
        finally:
            os.close(above)


def exchange(first: Path, second: Path) -> bool:
    """Swap two existing names of one file system in a single step; False where the system or file system cannot.

    Raises OSError when the swap itself fails.
    """
    import ctypes
    import sys

    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(first), os.fsencode(second)
    at_cwd = -2 if sys.platform == "darwin" else -100
    # Both calls: (directory fd, name, directory fd, name, flags), and 2 is "exchange" in both.
    function = getattr(library, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)
    if function is None:
        return False
    if function(at_cwd, names[0], at_cwd, names[1], ctypes.c_uint(2)) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV):
        return False
    raise OSError(code, os.strerror(code), str(first), None, str(second))


def remove_tree(directory: Path) -> None:
    """Delete a real directory and all that is in it, read-only folders too; links inside are unlinked, not followed.

    Folders are moved up before they are removed, so a tree of any depth goes with two descriptors and short names.
    """
    directory.chmod(0o700)
    top = os.open(directory, _FOLDER)
    try:
        moved = 0
        while folders := _unlink_files(top):
            for name in folders:
                os.chmod(name, 0o700, dir_fd=top)
                inner = os.open(name, _FOLDER, dir_fd=top)
                try:
                    for child in _unlink_files(inner):
                        os.chmod(child, 0o700, dir_fd=inner)
                        os.rename(child, f".{os.urandom(4).hex()}-{moved}", src_dir_fd=inner, dst_dir_fd=top)
                        moved += 1
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    directory.rmdir()


def _unlink_files(folder: int) -> list[str]:
    """Unlink everything in ``folder`` that is not a folder; returns the names of the folders."""
    folders = []
    for name in os.listdir(folder):
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders


@contextmanager
def file_lock(path: Path, *, timeout_s: float) -> Iterator[None]:
    """Hold the lock file ``path`` (created if missing) for the block; raises TimeoutError after ``timeout_s`` seconds.

    The lock belongs to the process and is released by the system when the process dies.
    """
    import filelock

    lock = filelock.FileLock(path, mode=0o600)
    try:
        with lock.acquire(timeout=timeout_s):
            yield
    except filelock.Timeout:
        raise TimeoutError(str(path)) from None
