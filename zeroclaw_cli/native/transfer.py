"""Documents as rows of an export, and back without loss (specs/native-memory.md §22.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from zeroclaw_cli.errors import Conflict, UsageError
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.native.paths import check_local_path, in_threads
from zeroclaw_cli.native.repository import Expect, HashConflict, Repository, WriteOptions, write
from zeroclaw_cli.native.safety import EMPTY_CLEAR
from zeroclaw_cli.native.scope import DocumentPath, Scope

OnConflict = Literal["replace", "keep", "error"]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document of an export. ``metadata`` is None for a document that has none of its own; times are RFC 3339."""

    path: str
    content: str
    metadata: Mapping[str, Any] | None = None
    created_at: str = ""
    updated_at: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "document": self.path,
            "content": self.content,
            "metadata": None if self.metadata is None else dict(self.metadata),
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> DocumentRow:
        """A document from a row of an export. Raises ValueError (one line) that names the field."""
        for name in ("document", "content"):
            if not isinstance(row.get(name), str):
                raise ValueError(f"{name} must be a string")
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
        )


def export_documents(repository: Repository, scope: Scope, *, transcripts: bool = True) -> Iterator[DocumentRow]:
    """Every document of ``scope`` that is text, by path."""
    for path in repository.list_paths(scope, scope):
        if in_threads(path) and not transcripts:
            continue
        stored = repository.read(scope, DocumentPath(scope, path))
        if stored is None:
            continue
        try:
            content = stored.body.decode("utf-8")
        except UnicodeDecodeError:
            continue
        yield DocumentRow(path, content, stored.metadata, stored.created_at, stored.updated_at)


def import_document(
    repository: Repository, scope: Scope, row: DocumentRow, *, on_conflict: OnConflict = "replace"
) -> bool:
    """Write one row under its own times; True when it was written, False when what is there was kept.

    It passes the checks of every write: what a check refuses raises as that does. Raises Conflict when a document is
    there and ``on_conflict`` is ``error``.
    """
    check_local_path(row.path)
    try:
        body = row.content.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"the document '{row.path}' is not valid Unicode text", hint="mend the row") from None
    options = WriteOptions(
        operation="import",
        source="import",
        overlay=row.metadata,
        # An empty protected document is one that was cleared, which its export shows as it is.
        allowance=EMPTY_CLEAR if not row.content.strip() else None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
    expect = Expect.ANYTHING if on_conflict == "replace" else Expect.ABSENT
    try:
        write(repository, scope, DocumentPath(scope, row.path), body, expect=expect, options=options)
    except HashConflict:
        if on_conflict == "error":
            raise Conflict(
                f"there is a document '{row.path}' already", hint="use --on-conflict replace or --on-conflict keep"
            ) from None
        return False
    return True
