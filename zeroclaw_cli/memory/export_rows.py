"""The rows of an export: entries and documents, with whose they are (cli.md, memory export).

An export of everything and its import lose nothing of entries and documents: metadata, times, versions, and what was
forgotten without its history. Where all rows are of the present project they name none, so that they may be imported
into another one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from zeroclaw_cli.errors import DocumentFailure
from zeroclaw_cli.memory.scope_names import check_segment
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Entry


@dataclass(frozen=True, slots=True)
class PastText:
    """An earlier text of a document that an import brings along; fields as in :class:`~.documents.Version`."""

    number: int
    body: bytes
    changed_by: str
    at: str


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


@dataclass(frozen=True, slots=True)
class OwnedEntry:
    """An entry with the project that it is of; empty: of none."""

    entry: Entry
    project: str

    @classmethod
    def of(cls, entry: Entry, project: object) -> OwnedEntry:
        """An entry whose row names a project, null for none. Raises ValueError, one line."""
        return cls(entry, _owner("project", project))

    def to_json(self) -> dict[str, Any]:
        return {**self.entry.to_json(), "project": self.project or None}


@dataclass(frozen=True, slots=True)
class OwnedDocument:
    """A document of an export with whose it is. ``project`` None: the one of the config that imports it, as with
    entries; empty: none, where the user's profile is."""

    row: DocumentRow
    agent: str | None = None
    project: str | None = None

    def to_json(self) -> dict[str, Any]:
        project = {} if self.project is None else {"project": self.project or None}
        return {**self.row.to_json(), "agent": self.agent or None, **project}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> OwnedDocument:
        """The document of a row. Raises ValueError, one line."""
        agent = _owner("agent", row.get("agent"))
        project = _owner("project", row["project"]) if "project" in row else None
        return cls(DocumentRow.from_json(row), agent or None, project)


def _owner(name: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string or null")
    if value:
        try:
            check_segment(name, value)
        except DocumentFailure as error:
            raise ValueError(error.message) from None
    return value


@dataclass(frozen=True, slots=True)
class Everything:
    """All that an export holds: entries, oldest first, then documents; a warning names what no line can hold."""

    entries: list[Entry | OwnedEntry]
    documents: list[OwnedDocument]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """What an import reads: entries in the order of the file, those of named projects, and documents."""

    entries: list[Entry]
    documents: list[OwnedDocument] = field(default_factory=list)
    elsewhere: dict[str, list[Entry]] = field(default_factory=dict)

    def seen_from(self, project: str) -> Rows:
        """The same rows, those that name ``project``, the present one, among the entries."""
        others = dict(self.elsewhere)
        return Rows([*self.entries, *others.pop(project, [])], self.documents, others)


def describe_projects(names: Collection[str]) -> str:
    """Projects in words, for instance "projects home, work and no project"; empty when there are none."""
    named = sorted(name for name in names if name)
    words = [f"project{'s' if len(named) > 1 else ''} {', '.join(named)}"] if named else []
    return " and ".join([*words, *(["no project"] if "" in names else [])])
