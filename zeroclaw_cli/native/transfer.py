"""Documents as rows of an export, and back without loss (specs/native-memory.md §22.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from zeroclaw_cli.errors import Conflict, UsageError
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.native.paths import check_local_path
from zeroclaw_cli.native.repository import Expect, HashConflict, PastText, Repository, WriteOptions, write
from zeroclaw_cli.native.safety import EMPTY_CLEAR
from zeroclaw_cli.native.scope import DocumentPath, Scope

OnConflict = Literal["replace", "keep", "error"]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document of an export with its earlier texts, oldest first. ``content`` is None for one that was forgotten
    and left its versions; ``metadata`` is None for a document that has none of its own; times are RFC 3339."""

    path: str
    content: str | None
    metadata: Mapping[str, Any] | None = None
    created_at: str = ""
    updated_at: str = ""
    versions: tuple[PastText, ...] = ()

    @property
    def last_change(self) -> str:
        """When it was written last; of a forgotten one when its newest version was left."""
        return self.updated_at or max((version.at for version in self.versions), key=instant, default="")

    def to_json(self) -> dict[str, Any]:
        versions = [
            {
                "number": version.number,
                "content": version.body.decode("utf-8"),
                "changed_by": version.changed_by,
                "at": version.at,
            }
            for version in self.versions
        ]
        return {
            "document": self.path,
            "content": self.content,
            "metadata": None if self.metadata is None else dict(self.metadata),
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            **({"versions": versions} if versions else {}),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> DocumentRow:
        """A document from a row of an export. Raises ValueError (one line) that names the field."""
        versions = _versions(row.get("versions"))
        if not isinstance(row.get("document"), str):
            raise ValueError("document must be a string")
        if not isinstance(row.get("content"), str) and not (versions and row.get("content", "") is None):
            raise ValueError("content must be a string")
        for name in ("created_at", "updated_at"):
            value = row.get(name) or ""
            if not isinstance(value, str):
                raise ValueError(f"{name} must be a string")
            if value:
                instant(value)
        if row.get("metadata") is not None and not isinstance(row["metadata"], dict):
            raise ValueError("metadata must be an object or null")
        return cls(
            row["document"],
            row["content"],
            row.get("metadata"),
            row.get("created_at") or "",
            row.get("updated_at") or "",
            versions,
        )


def _versions(rows: Any) -> tuple[PastText, ...]:
    if rows is None:
        return ()
    if not isinstance(rows, list):
        raise ValueError("versions must be a list")
    found = []
    for row in rows:
        match row:
            case {"number": int(number), "content": str(content), "changed_by": str(who), "at": str(at)}:
                instant(at)
                found.append(PastText(number, content.encode("utf-8"), who, at))
            case _:
                raise ValueError("each of versions must have a number, and content, changed_by and at as strings")
    if any(version.number < 1 for version in found):
        raise ValueError("the numbers of versions begin with 1")
    if len({version.number for version in found}) < len(found):
        raise ValueError("versions has a number twice")
    return tuple(found)


def export_documents(
    repository: Repository, scope: Scope, *, unreadable: list[str] | None = None
) -> Iterator[DocumentRow]:
    """Every document of ``scope`` by path, then those that were forgotten without their versions.

    What is not UTF-8 text is left out; its path is added to ``unreadable``.
    """
    skipped = [] if unreadable is None else unreadable
    for path in repository.list_paths(scope, scope):
        where = DocumentPath(scope, path)
        stored = repository.read(scope, where)
        if stored is None:
            continue
        try:
            content = stored.body.decode("utf-8")
        except UnicodeDecodeError:
            skipped.append(path)
            continue
        times = (stored.created_at, stored.updated_at)
        yield DocumentRow(path, content, stored.metadata, *times, _history(repository, where, skipped))
    for path in repository.forgotten_paths(scope, scope):
        history = _history(repository, DocumentPath(scope, path), skipped)
        if history:
            yield DocumentRow(path, None, versions=history)


def _history(repository: Repository, where: DocumentPath, skipped: list[str]) -> tuple[PastText, ...]:
    found = []
    for version in reversed(repository.versions(where.scope, where)):
        body = repository.read_version(where.scope, where, version.number)
        try:
            (body or b"").decode("utf-8")
        except UnicodeDecodeError:
            skipped.append(f"{where.relative}, version {version.number}")
        else:
            # A version may have been pushed out meanwhile.
            found += [] if body is None else [PastText(version.number, body, version.changed_by, version.at)]
    return tuple(found)


def import_document(
    repository: Repository, scope: Scope, row: DocumentRow, *, on_conflict: OnConflict = "replace"
) -> bool:
    """Write one row under its own times; True when it was written, False when what is there was kept.

    It passes the checks of every write: what a check refuses raises as that does. Raises Conflict when a document is
    there and ``on_conflict`` is ``error``.
    """
    check_local_path(row.path)
    where = DocumentPath(scope, row.path)
    if row.content is None:
        return repository.bring_history(scope, where, row.versions) > 0
    try:
        body = row.content.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"the document '{row.path}' is not valid Unicode text", hint="mend the row") from None
    options = WriteOptions(
        operation="import",
        source="import",
        overlay=_whole_metadata(repository, where, row),
        # An empty protected document is one that was cleared, which its export shows as it is.
        allowance=EMPTY_CLEAR if not row.content.strip() else None,
        created_at=row.created_at,
        updated_at=row.updated_at,
        history=row.versions,
    )
    expect = Expect.ANYTHING if on_conflict == "replace" else Expect.ABSENT
    try:
        write(repository, scope, where, body, expect=expect, options=options)
    except HashConflict:
        if on_conflict == "error":
            raise Conflict(
                f"there is a document '{row.path}' already", hint="use --on-conflict replace or --on-conflict keep"
            ) from None
        return False
    return True


def _whole_metadata(repository: Repository, where: DocumentPath, row: DocumentRow) -> Mapping[str, Any] | None:
    """The change that leaves the metadata of the row and nothing of what was there."""
    present = repository.read(where.scope, where)
    stale = {} if present is None or present.metadata is None else dict.fromkeys(present.metadata)
    return row.metadata if not stale else {**stale, **(row.metadata or {})}
