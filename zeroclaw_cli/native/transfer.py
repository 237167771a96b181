"""Documents as rows of an export, and back without loss (specs/native-memory.md §22.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.errors import Conflict, DocumentFailure, UsageError
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.export_rows import DocumentRow, OwnedDocument, PastText
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import ExportFilter
from zeroclaw_cli.native.owners import document_scopes
from zeroclaw_cli.native.paths import CONFIG_NAME, PROFILE, check_local_path
from zeroclaw_cli.native.repository import Expect, HashConflict, Repository, WriteOptions, write
from zeroclaw_cli.native.safety import EMPTY_CLEAR
from zeroclaw_cli.native.scope import DocumentPath, Scope

if TYPE_CHECKING:
    from zeroclaw_cli.native.service import NativeDocuments

# Gives the documents of an agent and a project.
OpenScope = Callable[[str | None, str | None], "NativeDocuments"]


def export_all(documents: NativeDocuments, wanted: ExportFilter) -> tuple[list[OwnedDocument], list[str]]:
    """Every document of the user of ``documents``, of all agents and projects, and what no export can hold, one line
    each. Of ``wanted`` only the times hold."""
    found: list[OwnedDocument] = []
    unreadable: list[str] = []
    user, present = documents.scope.of_user, documents.scope.project
    for scope in document_scopes(documents.store, documents.scope, any_project=True, forgotten=True):
        for row in export_documents(documents.repository, scope, unreadable=unreadable):
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


def import_all(
    open_scope: OpenScope, documents: Sequence[OwnedDocument], on_conflict: OnConflict
) -> tuple[int, list[str]]:
    """Store documents, each under its owner; how many, and why the others were left out. Under ``error`` Conflict is
    raised before anything is stored when one of them is there already."""
    by_owner = [
        (open_scope(agent, project), [item for item in documents if (item.agent, item.project) == (agent, project)])
        for agent, project in dict.fromkeys((item.agent, item.project) for item in documents)
    ]
    if on_conflict is OnConflict.ERROR:
        for opened, own in by_owner:
            _require_absent(opened, own)
    stored, warnings = 0, []
    for opened, own in by_owner:
        # What configures a folder comes last: it holds for what is written from then on, and was not always there.
        for item in sorted(own, key=lambda item: item.row.path.rpartition("/")[2] == CONFIG_NAME):
            try:
                stored += import_document(opened.repository, opened.scope, item.row, on_conflict=on_conflict)
            except DocumentFailure as error:
                warnings.append(f"the document '{item.row.path}' was left out: {error.message}")
    return stored, warnings


def _require_absent(opened: NativeDocuments, documents: Sequence[OwnedDocument]) -> None:
    present = set(opened.paths())
    for item in documents:
        if item.row.path in present:
            raise Conflict(
                f"the document '{item.row.path}' is already there; nothing was imported",
                hint="pass --on-conflict replace or --on-conflict keep",
            )


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
    repository: Repository, scope: Scope, row: DocumentRow, *, on_conflict: OnConflict = OnConflict.REPLACE
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
    expect = Expect.ANYTHING if on_conflict is OnConflict.REPLACE else Expect.ABSENT
    try:
        write(repository, scope, where, body, expect=expect, options=options)
    except HashConflict:
        if on_conflict is OnConflict.ERROR:
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
