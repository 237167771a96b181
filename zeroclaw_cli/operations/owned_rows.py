"""Rows of an export that say whose they are: documents of every agent and project, and entries of several projects.

An export of everything and its import lose nothing of entries and documents: metadata, times, versions, and what was
forgotten without its history. Where all rows are of the present project they name none, so that they may be imported
into another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.backends import as_layered, as_native, open_documents
from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.errors import Conflict, DocumentFailure, UsageError
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.operations.conflicts import OnConflict

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.native.memory import NativeMemory
    from zeroclaw_cli.native.service import NativeDocuments
    from zeroclaw_cli.native.transfer import DocumentRow


@dataclass(frozen=True, slots=True)
class OwnedEntry:
    """An entry with the project that it is of; empty: of none."""

    entry: Entry
    project: str

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


@dataclass(frozen=True, slots=True)
class Everything:
    """All that an export holds: entries, oldest first, then documents; a warning names what no line can hold."""

    entries: list[Entry | OwnedEntry]
    documents: list[OwnedDocument]
    warnings: tuple[str, ...] = ()


# Out


def export_everything(config: Config, backend: str | None, memory: Memory, wanted: ExportFilter) -> Everything:
    """Every entry and document of the backend's user, of all agents and projects; of a backend that has neither
    documents nor projects its entries.

    Of ``wanted`` only the times hold for documents. Raises UsageError for a filter that documents do not have.
    """
    native, layered = as_native(memory), as_layered(memory)
    if native is None and layered is None:
        return Everything(list(memory.export_entries(wanted)), [])
    if (wanted.namespace, wanted.session_id, wanted.category) != (None, None, None):
        raise UsageError(
            "documents have no namespace, session or category",
            hint="leave out --all, or choose by --since and --until alone",
        )
    if layered is not None:
        entries = list(layered.export_entries(wanted))
        rows = layered.documents().export_rows(wanted.since, wanted.until)
        return Everything([*entries], [owned_document(row) for row in rows])
    assert native is not None
    documents, warnings = documents_of(config, backend, wanted)
    named, documents = _told_apart(native.scope.project, _entries(native, wanted), documents)
    return Everything(named, documents, tuple(warnings))


def _told_apart(
    present: str, entries: Sequence[Entry | OwnedEntry], documents: list[OwnedDocument]
) -> tuple[list[Entry | OwnedEntry], list[OwnedDocument]]:
    """The rows as they are when all are of the project ``present``, which then is whatever project they come to; else
    each with its project, lest rows of two projects come to one and the later replaces the earlier."""
    from zeroclaw_cli.native.paths import PROFILE

    elsewhere = any(isinstance(row, OwnedEntry) for row in entries) or any(
        item.project is not None and not (item.project == "" and item.row.path == PROFILE) for item in documents
    )
    if not elsewhere:
        return list(entries), documents
    named: list[Entry | OwnedEntry] = [
        row if isinstance(row, OwnedEntry) else OwnedEntry(row, present) for row in entries
    ]
    return named, [replace(item, project=present) if item.project is None else item for item in documents]


def export_documents(config: Config, backend: str | None, wanted: ExportFilter) -> list[OwnedDocument]:
    """Every document of the backend's user; none where a backend keeps none. Of ``wanted`` only the times hold."""
    return documents_of(config, backend, wanted)[0] if keeps_documents(config, backend) else []


def _entries(native: NativeMemory, wanted: ExportFilter) -> list[Entry | OwnedEntry]:
    from zeroclaw_cli.native.owners import entry_projects

    found: list[Entry | OwnedEntry] = []
    projects = entry_projects(native.store_file, native.scope)
    for project in projects:
        entries = of_project(native, project).export_entries(wanted)
        present = project == native.scope.project
        found += entries if present else [OwnedEntry(entry, project) for entry in entries]
    if len(projects) > 1:
        found.sort(key=lambda row: instant((row.entry if isinstance(row, OwnedEntry) else row).timestamp))
    return found


def other_projects(memory: Memory) -> str:
    """The other projects that hold entries, in words; empty when there is none."""
    from zeroclaw_cli.native.owners import entry_projects

    native = as_native(memory)
    if native is None:
        return ""
    names = entry_projects(native.store_file, native.scope)
    return describe_projects([name for name in names if name != native.scope.project])


def describe_projects(names: Collection[str]) -> str:
    """Projects in words, for instance "projects home, work and no project"; empty when there are none."""
    named = sorted(name for name in names if name)
    words = [f"project{'s' if len(named) > 1 else ''} {', '.join(named)}"] if named else []
    return " and ".join([*words, *(["no project"] if "" in names else [])])


def of_project(native: NativeMemory, project: str) -> NativeMemory:
    """The memory of another project in the same opened store, which stays that of ``native``."""
    from zeroclaw_cli.native.memory import NativeMemory

    if project == native.scope.project:
        return native
    return NativeMemory(native.store_file, replace(native.scope, project=project))


def documents_of(config: Config, backend: str | None, wanted: ExportFilter) -> tuple[list[OwnedDocument], list[str]]:
    """Every document of the backend's user, of all agents and projects, and what no export can hold."""
    from zeroclaw_cli.native.owners import document_scopes
    from zeroclaw_cli.native.paths import PROFILE
    from zeroclaw_cli.native.transfer import export_documents as rows_of

    found: list[OwnedDocument] = []
    unreadable: list[str] = []
    with open_documents(config, name=backend) as documents:
        user, present = documents.scope.of_user, documents.scope.project
        for scope in document_scopes(documents.store, documents.scope, any_project=True, forgotten=True):
            for row in rows_of(documents.repository, scope, unreadable=unreadable):
                # The profile is the user's, whatever the project.
                own = scope.project == present and not (scope == user and row.path == PROFILE)
                found.append(OwnedDocument(row, scope.agent or None, None if own else scope.project))
    warnings = [f"'{path}' is not UTF-8 text and is in no export; a backup holds it" for path in unreadable]
    return [item for item in found if _is_within(item.row, wanted)], warnings


def _is_within(row: DocumentRow, wanted: ExportFilter) -> bool:
    at = instant(row.last_change)
    return (wanted.since is None or at >= instant(wanted.since)) and (
        wanted.until is None or at <= instant(wanted.until)
    )


# In


def owned_entry(entry: Entry, project: object) -> OwnedEntry:
    """An entry whose row names a project, null for none. Raises ValueError, one line."""
    return OwnedEntry(entry, _owner("project", project))


def owned_document(row: dict[str, Any]) -> OwnedDocument:
    """The document of a row. Raises ValueError, one line."""
    from zeroclaw_cli.native.transfer import DocumentRow

    agent = _owner("agent", row.get("agent"))
    project = _owner("project", row["project"]) if "project" in row else None
    return OwnedDocument(DocumentRow.from_json(row), agent or None, project)


def _owner(name: str, value: object) -> str:
    from zeroclaw_cli.native.scope import check_segment

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


def require_absent(config: Config, backend: str | None, documents: Sequence[OwnedDocument]) -> None:
    """Raise Conflict when one of the documents is there already."""
    for opened, own in _by_owner(config, backend, documents):
        present = set(opened.paths())
        for item in own:
            if item.row.path in present:
                raise Conflict(
                    f"the document '{item.row.path}' is already there; nothing was imported",
                    hint="pass --on-conflict replace or --on-conflict keep",
                )


def import_documents(
    config: Config, backend: str | None, documents: Sequence[OwnedDocument], on_conflict: OnConflict
) -> tuple[int, list[str]]:
    """Store documents; returns how many, and why the others were left out."""
    from zeroclaw_cli.native.paths import CONFIG_NAME
    from zeroclaw_cli.native.transfer import import_document

    stored, warnings = 0, []
    for opened, own in _by_owner(config, backend, documents):
        # What configures a folder comes last: it holds for what is written from then on, and was not always there.
        for item in sorted(own, key=lambda item: item.row.path.rpartition("/")[2] == CONFIG_NAME):
            try:
                stored += import_document(opened.repository, opened.scope, item.row, on_conflict=on_conflict.value)
            except DocumentFailure as error:
                warnings.append(f"the document '{item.row.path}' was left out: {error.message}")
        warnings += opened.take_warnings()
    return stored, warnings


def _by_owner(
    config: Config, backend: str | None, documents: Sequence[OwnedDocument]
) -> Iterator[tuple[NativeDocuments, list[OwnedDocument]]]:
    for agent, project in dict.fromkeys((item.agent, item.project) for item in documents):
        own = [item for item in documents if (item.agent, item.project) == (agent, project)]
        with open_documents(config, agent, project, backend) as opened:
            yield opened, own


def keeps_documents(config: Config, backend: str | None) -> bool:
    """Whether a backend keeps documents."""
    chosen = parse_backend(config.memory.backend if backend is None else backend)
    return chosen.is_native or chosen.is_layers
