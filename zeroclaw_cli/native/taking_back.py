"""Taking documents back from the Markdown mirror into a store that was restored (specs/native-memory.md §22.4, §22.5).

The mirror is written after each commit, so it may hold what is newer than the newest backup. Each file goes through the
usual checks of a write; what they refuse stays in its file and is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import DocumentFailure, explain
from zeroclaw_cli.memory.measures import content_hash, is_blank
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.mirror import document_of, is_ours, mirror_of
from zeroclaw_cli.native.paths import CONFIG_NAME, in_threads
from zeroclaw_cli.native.repository import Expect, Repository, Stored, WriteOptions
from zeroclaw_cli.native.repository import write as write_document
from zeroclaw_cli.native.scope import DocumentPath, Scope
from zeroclaw_cli.native.settings import NativeSettings
from zeroclaw_cli.native.stamps import stamp

_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the mirror, its document where that can be told, and when it was written (RFC 3339)."""

    parts: tuple[str, ...]
    path: DocumentPath | None
    written_at: str


@dataclass(slots=True)
class _Report:
    taken: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


def has_documents(store_file: Path) -> bool:
    """Whether the mirror beside the store holds a file that is a document's by its name."""
    return any(document_of(parts) is not None for parts, _ in fsio.files_beneath(mirror_of(store_file)))


def take_back(store: Store, settings: NativeSettings) -> str:
    """Write what is only in the mirror, or newer there, into the store; what is to be told of it, empty for nothing.

    May be done again. Raises OSError, or what the store raises.
    """
    from zeroclaw_cli.native.service import NativeDocuments

    root = mirror_of(store.path)
    # It is the store's owner that closes it.
    repository = NativeDocuments(store, Scope(), settings).repository
    report = _Report()
    exported = _exported(store)
    files = list(_files(root, exported))
    for file in files:
        _take(repository, root, file, report)
    there = {file.parts for file in files}
    if root.is_dir():
        report.gone = [
            "/".join(parts)
            for parts, path in exported.items()
            if parts not in there and repository.read(path.scope, path) is not None
        ]
    return _told(root, report)


def _exported(store: Store) -> dict[tuple[str, ...], DocumentPath]:
    """The documents whose files the restored store knows, by their files."""
    rows = store.query("SELECT tenant, user, agent, project, path, file FROM mirrored")
    return {tuple(file.split("/")): DocumentPath(Scope(*owner), path) for *owner, path, file in rows}


def _files(root: Path, exported: dict[tuple[str, ...], DocumentPath]) -> Iterator[_File]:
    """The files of the mirror, those last that configure a folder: they hold for what is written from then on."""
    found = []
    for parts, modified in fsio.files_beneath(root):
        if not is_ours(parts):
            path = exported.get(parts) or document_of(parts)
            found.append(_File(parts, path, datetime.fromtimestamp(modified, UTC).isoformat()))
    return iter(sorted(found, key=lambda file: (file.parts[-1] == CONFIG_NAME, file.parts)))


def _take(repository: Repository, root: Path, file: _File, report: _Report) -> None:
    name = "/".join(file.parts)
    if file.path is None or in_threads(file.path.relative):
        report.left.append(f"{name} (its name is not a document's)")
        return
    stored = repository.read(file.path.scope, file.path)
    body = fsio.read_beneath(root, file.parts)
    if not _is_newer(repository, file, body, stored):
        return
    try:
        if is_blank(body.decode("utf-8")):
            if stored is not None:
                report.left.append(f"{name} (it is blank)")
            return
        options = WriteOptions(operation="import", source="mirror", updated_at=file.written_at)
        expect = Expect.ABSENT if stored is None else stored.content_hash
        write_document(repository, file.path.scope, file.path, body, expect=expect, options=options)
    except UnicodeDecodeError:
        report.left.append(f"{name} (it is not UTF-8 text)")
    except DocumentFailure as error:
        report.left.append(f"{name} ({explain(error)})")
    else:
        report.taken.append(name)


def _is_newer(repository: Repository, file: _File, body: bytes, stored: Stored | None) -> bool:
    """Whether the mirror has what the store has not: neither the document's text, nor one that it had before."""
    assert file.path is not None
    if stored is None:
        return True
    found = content_hash(body)
    if found in {stored.content_hash, *(old.content_hash for old in repository.versions(file.path.scope, file.path))}:
        return False
    return stamp(file.written_at) > stamp(stored.updated_at)


def _told(root: Path, report: _Report) -> str:
    parts = []
    if report.taken:
        number = counted(len(report.taken), "document")
        parts.append(
            f"; {number} with what was written later came back from the mirror {root}, which holds neither metadata "
            f"nor older versions: {_named(report.taken)}"
        )
    if report.left:
        number = counted(len(report.left), "file")
        parts.append(f"; {number} of {root} did not come back and stayed as it was: {_named(report.left)}")
    if report.gone:
        parts.append(
            f"; {root} no longer has {_named(report.gone)}, which may have been forgotten since, and is there again"
        )
    return "".join(parts)


def _named(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
