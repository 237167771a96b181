"""The files of a provider: their digest, and the very bytes that were hashed (specs/memory-providers.md §12).

A tree is read once. What is executed is what was read then, so a file that changes after its digest was compared
changes nothing.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_CACHE: Final = "__pycache__"
_MOST_FILES: Final = 20_000
_MOST_BYTES: Final = 256 * 1024 * 1024
_MOST_LEVELS: Final = 32
_CHUNK: Final = 1024 * 1024
_SOURCE: Final = ".py"
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class UnsafeTree(Exception):
    """A tree that is never loaded; ``reason`` is a sentence about it, ``hint`` says what to do."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Tree:
    """``files`` maps each path (relative to ``directory``, ``/``-separated) to the SHA-256 of its bytes; ``code`` holds
    the bytes of the Python sources and compiled libraries among them, when they were asked for."""

    directory: Path
    files: Mapping[str, str]
    code: Mapping[str, bytes] = field(repr=False)

    @property
    def digest(self) -> str:
        """64 hex digits over one line ``<sha256>  <path>\\n`` per file, sorted by the bytes of the path."""
        lines = sorted((os.fsencode(path), value) for path, value in self.files.items())
        text = b"".join(value.encode("ascii") + b"  " + path + b"\n" for path, value in lines)
        return hashlib.sha256(text).hexdigest()


def read_tree(directory: Path, *, keep: bool, ours: bool = False) -> Tree:
    """Read the files below ``directory``, those in ``__pycache__`` apart; ``keep`` keeps the bytes of code.

    ``ours`` is for what this distribution brings, where neither links nor owners are judged. Raises UnsafeTree for a
    link, a device, an odd name, something that others may write, and for what cannot be read.
    """
    reader = _Reader(directory.resolve(), keep=keep, ours=ours)
    try:
        reader.read()
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(directory)
        raise UnsafeTree(f"{where} cannot be read: {error.strerror or error}", "make it readable for you") from None
    return Tree(reader.directory, reader.files, reader.code)


def is_library(path: str) -> bool:
    """Whether ``path`` names compiled code that the system loads."""
    name = path.rpartition("/")[2]
    return name.endswith((".so", ".pyd", ".dylib", ".dll")) or ".so." in name


class _Reader:
    def __init__(self, directory: Path, *, keep: bool, ours: bool) -> None:
        self.directory = directory
        self.files: dict[str, str] = {}
        self.code: dict[str, bytes] = {}
        self._keep = keep
        self._ours = ours
        self._left = _MOST_BYTES
        self._users = {os.geteuid(), 0}
        self._no_follow = 0 if ours else os.O_NOFOLLOW

    def read(self) -> None:
        descriptor = os.open(self.directory, _FOLDER)
        try:
            self._folder(descriptor, "", 0)
        finally:
            os.close(descriptor)

    def _folder(self, descriptor: int, path: str, level: int) -> None:
        self._check(os.fstat(descriptor), path)
        if level > _MOST_LEVELS:
            raise self._unsafe(path, f"nests deeper than {_MOST_LEVELS} folders", "flatten it")
        for name in sorted(os.listdir(descriptor)):
            if name == _CACHE:
                continue
            inner = f"{path}/{name}" if path else name
            if not name.isprintable() and not _is_undecoded(name):
                raise self._unsafe(inner, "has a control character in its name", "rename it")
            mode = os.stat(name, dir_fd=descriptor, follow_symlinks=self._ours).st_mode
            if stat.S_ISLNK(mode):
                raise self._unsafe(inner, "is a symbolic link", "put the file itself in its place")
            if stat.S_ISDIR(mode):
                child = os.open(name, _FOLDER | self._no_follow, dir_fd=descriptor)
                try:
                    self._folder(child, inner, level + 1)
                finally:
                    os.close(child)
            elif stat.S_ISREG(mode):
                self._file(descriptor, name, inner)
            else:
                raise self._unsafe(inner, "is not a regular file", "take it away")

    def _file(self, folder: int, name: str, path: str) -> None:
        if len(self.files) >= _MOST_FILES:
            raise self._unsafe("", f"holds more than {_MOST_FILES:,} files", "keep data and environments elsewhere")
        descriptor = os.open(name, _FILE | self._no_follow, dir_fd=folder)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise self._unsafe(path, "is not a regular file", "take it away")
            self._check(status, path)
            digest = hashlib.sha256()
            kept = bytearray() if self._keep and (path.endswith(_SOURCE) or is_library(path)) else None
            while chunk := file.read(_CHUNK):
                self._left -= len(chunk)
                if self._left < 0:
                    size = _MOST_BYTES // 1024 // 1024
                    raise self._unsafe("", f"holds more than {size} MiB", "keep data and environments elsewhere")
                digest.update(chunk)
                if kept is not None:
                    kept += chunk
        self.files[path] = digest.hexdigest()
        if kept is not None:
            self.code[path] = bytes(kept)

    def _check(self, status: os.stat_result, path: str) -> None:
        if self._ours:
            return
        if status.st_uid not in self._users:
            raise self._unsafe(path, f"belongs to another user (uid {status.st_uid})", "take a copy of your own")
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            hint = f"chmod -R go-w {self.directory}"
            raise self._unsafe(path, "may be written by other users", f"take that away: {hint}")

    def _unsafe(self, path: str, what: str, hint: str) -> UnsafeTree:
        return UnsafeTree(f"{self.directory / path if path else self.directory} {what}", hint)


def _is_undecoded(name: str) -> bool:
    # Bytes that are no UTF-8 come as lone surrogates, which are not printable; os.fsencode gives the bytes back.
    return all(character.isprintable() or "\udc80" <= character <= "\udcff" for character in name)
