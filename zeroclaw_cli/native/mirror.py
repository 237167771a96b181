"""The Markdown mirror: a readable copy of the documents as files (specs/native-memory.md §22.5).

Written after the commit, best effort; transcripts are left out. No link inside the mirror is followed. A file that
somebody edited is never overwritten: it is imported (``sync``), or put aside under a name of its own.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import DocumentFailure, DocumentInput, ZeroclawError
from zeroclaw_cli.memory.measures import content_hash, is_blank, prefix_within
from zeroclaw_cli.memory.scope_names import ABSENT
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.paths import check_document_path, in_threads
from zeroclaw_cli.native.repository import HashConflict, Repository, WriteOptions
from zeroclaw_cli.native.repository import write as write_document
from zeroclaw_cli.native.scope import OF_DOCUMENT, OF_SCOPE, DocumentPath, Scope

_LOCK_WAIT_S: Final = 10.0
_MAX_NAME_BYTES: Final = 255
_RESERVED: Final = frozenset('%<>:"|?*\\/')
_HEX: Final = frozenset("0123456789abcdef")
_ASIDE: Final = re.compile(r"%~edited-[0-9a-f]{8}$")
_USUAL: Final = Scope()


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did: documents whose edited file was taken over, and files that could not be, with the reason."""

    imported: tuple[str, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()


def mirror_of(store_file: Path) -> Path:
    """The folder of the mirror of a store."""
    return store_file.parent / "mirror"


def encode_segment(segment: str, *, owner: bool = False) -> str:
    """A segment as a file name: characters that some system cannot hold are percent-encoded; too long a name ends in a
    digest of the whole. Names of agents and the like (``owner``) never look like our own ``_none`` or ``@tenant``."""
    last = len(segment) - 1
    encoded = "".join(
        _percent(char)
        if char in _RESERVED
        or unicodedata.category(char) == "Cc"
        or (position == last and char in ". ")
        or (position == 0 and owner and char in "_@.")
        else char
        for position, char in enumerate(segment)
    )
    if len(encoded.encode("utf-8")) <= _MAX_NAME_BYTES:
        return encoded
    mark = f"%~{_digest(segment)}"
    return prefix_within(encoded, _MAX_NAME_BYTES - len(mark)) + mark


def file_of(path: DocumentPath) -> tuple[str, ...]:
    """Where the mirror keeps a document: agent, project, then its segments; other tenants and users in front."""
    scope = path.scope
    usual = (scope.tenant, scope.user) == (_USUAL.tenant, _USUAL.user)
    owners = () if usual else (f"@{encode_segment(scope.tenant)}", encode_segment(scope.user, owner=True))
    inner = (encode_segment(part, owner=True) if part else ABSENT for part in (scope.agent, scope.project))
    return (*owners, *inner, *(encode_segment(segment) for segment in path.relative.split("/")))


def document_of(parts: tuple[str, ...]) -> DocumentPath | None:
    """The document whose file is at ``parts``; None where the name alone does not tell, or is none of a document."""
    owners: list[str] = []
    rest = parts
    if parts and parts[0].startswith("@"):
        owners, rest = [_decoded(parts[0][1:]), *map(_decoded, parts[1:2])], parts[2:]
    if len(rest) < 3:
        return None
    inner = ["" if part == ABSENT else _decoded(part) for part in rest[:2]]
    try:
        scope = Scope(*(owners or (_USUAL.tenant, _USUAL.user)), *inner)
        path = DocumentPath(scope, "/".join(map(_decoded, rest[2:])))
        check_document_path(path.relative)
    except DocumentInput:
        return None
    return path if not in_threads(path.relative) and file_of(path) == parts else None


def is_ours(parts: tuple[str, ...]) -> bool:
    """Whether a file is not a document but one that the mirror needs, or put aside."""
    return len(parts) == 1 or _ASIDE.search(parts[-1]) is not None or fsio.is_temporary(parts[-1])


def _decoded(name: str) -> str:
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(name.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def mirrored_scopes(store: Store, scope: Scope) -> list[Scope]:
    """The scopes of the same user as ``scope`` whose documents have files, also such as are no longer there."""
    sql = "SELECT DISTINCT tenant, user, agent, project FROM mirrored WHERE tenant = ? AND user = ?"
    return [Scope(*owner) for owner in store.query(sql, (scope.tenant, scope.user))]


class Mirror:
    """The mirror of one store, in ``root``."""

    def __init__(self, store: Store, root: Path) -> None:
        self._store = store
        self._root = root

    def export(self, repository: Repository, path: DocumentPath) -> None:
        """Bring the file of one document up to date with the store as it is now; a forgotten one loses its file.

        Raises OSError, or TimeoutError when another process keeps the mirror.
        """
        if in_threads(path.relative) or (self._known(path) is None and repository.read(path.scope, path) is None):
            return
        with self._locked():
            stored = repository.read(path.scope, path)
            known = self._known(path)
            if stored is None:
                if known is not None:
                    self._put_aside_if_edited(repository, path, known[0], {known[1]})
                    fsio.remove_beneath(self._root, known[0])
                    self._forget(path)
                return
            parts, exported = known if known is not None else (self._free_file(path), "")
            self._put_aside_if_edited(repository, path, parts, {exported, stored.content_hash})
            fsio.write_beneath(self._root, parts, stored.body)
            self._remember(path, parts, stored.content_hash)

    def export_all(self, repository: Repository, scope: Scope) -> int:
        """Bring the files of every document of ``scope`` up to date; how many documents there are."""
        known = {path.relative for path, _, _ in self._of_scope(scope)}
        present = {path for path in repository.list_paths(scope, scope) if not in_threads(path)}
        for relative in sorted(known | present):
            self.export(repository, DocumentPath(scope, relative))
        return len(present)

    def sync(self, repository: Repository, scope: Scope) -> Synced:
        """Take over the files of ``scope`` that were edited since their export, through the usual checks of a write.

        A file whose document changed too is a conflict: the file is put aside and both are kept. One that a check
        refuses, or that cannot be written (``io``), stays as it is, and is named.
        """
        imported: list[str] = []
        conflicts: list[tuple[str, str]] = []
        for path, parts, exported in self._of_scope(scope):
            body = self._edited(parts, {exported})
            if body is None:
                continue
            try:
                reason = self._import(repository, path, body, exported)
            except OSError:
                reason = "io"
            if reason is None:
                imported.append(path.relative)
            else:
                conflicts.append((path.relative, reason))
        return Synced(tuple(imported), tuple(conflicts))

    def _import(self, repository: Repository, path: DocumentPath, body: bytes, exported: str) -> str | None:
        if content_hash(body) == _hash_of(repository, path):
            # An export that was interrupted between file and record.
            self._remember(path, self._known_file(path), content_hash(body))
            return None
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return "not_utf8"
        if is_blank(text):
            return "empty_content"
        options = WriteOptions(operation="import", source="mirror")
        try:
            write_document(repository, path.scope, path, body, expect=exported, options=options)
        except HashConflict:
            self.export(repository, path)
            return "conflict"
        except DocumentFailure as failure:
            return failure.reason
        except ZeroclawError as error:
            return error.code
        with self._locked():
            self._remember(path, self._known_file(path), content_hash(body))
        return None

    def _edited(self, parts: tuple[str, ...], ours: set[str]) -> bytes | None:
        """The bytes of a file whose hash is not one of ours; None when it is, or when the file cannot be read."""
        try:
            body = fsio.read_beneath(self._root, parts)
        except OSError:
            return None
        return None if content_hash(body) in ours else body

    def _put_aside_if_edited(
        self, repository: Repository, path: DocumentPath, parts: tuple[str, ...], ours: set[str]
    ) -> None:
        body = self._edited(parts, ours)
        # An export that was interrupted before its record left an earlier text of the document.
        if body is None or content_hash(body) in {v.content_hash for v in repository.versions(path.scope, path)}:
            return
        name = _edited_name(parts[-1], content_hash(body)[7:15])
        fsio.rename_beneath(self._root, parts, name)
        self._store.warn(
            f"{self._root.joinpath(*parts)} holds what its document does not say: it was edited, or is later than "
            f"what was restored; that text is now in {name}"
        )

    def file_of(self, path: DocumentPath) -> Path:
        """Where the file of a document is, or would be."""
        return self._root.joinpath(*self._known_file(path))

    def edited_files(self, path: DocumentPath) -> list[Path]:
        """The files in which edited texts of a document were put aside."""
        parts = self._known_file(path)
        return [self._root.joinpath(*parts[:-1], name) for name in self._edited_names(parts)]

    def remove(self, repository: Repository, path: DocumentPath, *, with_edited: bool) -> list[Path]:
        """Remove the file of a forgotten document. What somebody wrote into it goes with ``with_edited`` alone.

        Returns the files with edited text that are left. Raises OSError, or TimeoutError when another process keeps the
        mirror.
        """
        if not self._root.is_dir() or in_threads(path.relative):
            return []
        with self._locked():
            known = self._known(path)
            if known is not None and repository.read(path.scope, path) is None:
                if not with_edited:
                    self._put_aside_if_edited(repository, path, known[0], {known[1]})
                fsio.remove_beneath(self._root, known[0])
                self._forget(path)
            parts = self._known_file(path) if known is None else known[0]
            if with_edited:
                for name in self._edited_names(parts):
                    fsio.remove_beneath(self._root, (*parts[:-1], name))
            return [self._root.joinpath(*parts[:-1], name) for name in self._edited_names(parts)]

    def _edited_names(self, parts: tuple[str, ...]) -> list[str]:
        # As long as the eight digits of the text's hash, so that only names that were made here match.
        usual = _edited_name(parts[-1], "0" * 8)
        return [
            name
            for name in fsio.list_beneath(self._root, parts[:-1])
            if len(name) == len(usual) and name[:-8] == usual[:-8] and set(name[-8:]) <= _HEX
        ]

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fsio.make_private_dir(self._root)
        with fsio.file_lock(self._root / ".lock", timeout_s=_LOCK_WAIT_S):
            yield

    # What was exported where

    def _known(self, path: DocumentPath) -> tuple[tuple[str, ...], str] | None:
        rows = self._store.query(
            f"SELECT file, hash FROM mirrored WHERE {OF_DOCUMENT}",  # noqa: S608
            (*path.scope.key, path.relative),
        )
        return (tuple(rows[0][0].split("/")), rows[0][1]) if rows else None

    def _known_file(self, path: DocumentPath) -> tuple[str, ...]:
        known = self._known(path)
        return self._free_file(path) if known is None else known[0]

    def _free_file(self, path: DocumentPath) -> tuple[str, ...]:
        parts = file_of(path)
        # A file system that ignores case would give two documents one file.
        taken = self._store.query("SELECT 1 FROM mirrored WHERE file = ? COLLATE NOCASE", ("/".join(parts),))
        if not taken:
            return parts
        mark = f"%~{_digest(path.relative)}"
        return (*parts[:-1], prefix_within(parts[-1], _MAX_NAME_BYTES - len(mark)) + mark)

    def _of_scope(self, scope: Scope) -> list[tuple[DocumentPath, tuple[str, ...], str]]:
        rows = self._store.query(
            f"SELECT path, file, hash FROM mirrored WHERE {OF_SCOPE} ORDER BY path",  # noqa: S608
            scope.key,
        )
        return [(DocumentPath(scope, path), tuple(file.split("/")), exported) for path, file, exported in rows]

    def _remember(self, path: DocumentPath, parts: tuple[str, ...], exported: str) -> None:
        with self._store.write() as transaction:
            transaction.execute(
                "INSERT OR REPLACE INTO mirrored (tenant, user, agent, project, path, file, hash)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*path.scope.key, path.relative, "/".join(parts), exported),
            )

    def _forget(self, path: DocumentPath) -> None:
        with self._store.write() as transaction:
            transaction.execute(f"DELETE FROM mirrored WHERE {OF_DOCUMENT}", (*path.scope.key, path.relative))  # noqa: S608


def _edited_name(name: str, digits: str) -> str:
    mark = f"%~edited-{digits}"
    return prefix_within(name, _MAX_NAME_BYTES - len(mark)) + mark


def _hash_of(repository: Repository, path: DocumentPath) -> str:
    stored = repository.read(path.scope, path)
    return "" if stored is None else stored.content_hash
