"""Export, import and copy of entries and documents (cli.md, memory): JSON Lines, one row a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.backends import as_native, open_documents, parse_backend
from zeroclaw_cli.errors import Conflict, DocumentFailure, Interrupted, MemoryFailure, UsageError, ZeroclawError
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.operations.conflicts import OnConflict

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.native.memory import NativeMemory
    from zeroclaw_cli.native.service import NativeDocuments
    from zeroclaw_cli.native.transfer import DocumentRow

# Called with how many of how many entries are kept.
Progress = Callable[[int, int], None]

_BATCH: Final = 10_000
_OWN_FIELDS: Final = frozenset({"kind", "pinned", "updated_at"})


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
class Rows:
    """What an import reads: entries in the order of the file, and documents."""

    entries: list[Entry]
    documents: list[OwnedDocument] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Imported:
    """How many rows were stored and how many were not; ``documents`` of the stored ones are documents. A warning says
    why rows were left out, unless they were there already."""

    imported: int
    skipped: int
    documents: int = 0
    warnings: tuple[str, ...] = ()

    def __add__(self, other: Imported) -> Imported:
        return Imported(
            self.imported + other.imported,
            self.skipped + other.skipped,
            self.documents + other.documents,
            (*self.warnings, *other.warnings),
        )


# Out


def json_lines(rows: Iterable[Entry | OwnedDocument]) -> Iterator[str]:
    """One compact JSON object a line, without the newline."""
    for row in rows:
        yield json.dumps(row.to_json(), ensure_ascii=False, separators=(",", ":"))


def export_documents(config: Config, backend: str | None, wanted: ExportFilter) -> list[OwnedDocument]:
    """Every document of the backend's user and project, of all agents, and the profile; none where a backend keeps
    none. Of ``wanted`` only the times hold. Raises UsageError for a filter that documents do not have."""
    if not _keeps_documents(config, backend):
        return []
    if (wanted.namespace, wanted.session_id, wanted.category) != (None, None, None):
        raise UsageError(
            "documents have no namespace, session or category",
            hint="leave out --all, or choose by --since and --until alone",
        )
    from zeroclaw_cli.native.owners import document_scopes
    from zeroclaw_cli.native.paths import PROFILE
    from zeroclaw_cli.native.transfer import export_documents as rows_of

    with open_documents(config, name=backend) as documents:
        scopes = document_scopes(documents.store, documents.scope)
        user = documents.scope.of_user
        found = [
            OwnedDocument(row, scope.agent or None, "" if scope == user and row.path == PROFILE else None)
            for scope in scopes
            for row in rows_of(documents.repository, scope)
        ]
        if user not in scopes:
            # The profile is the user's, whatever the project.
            profile = (row for row in rows_of(documents.repository, user) if row.path == PROFILE)
            found += [OwnedDocument(row, project="") for row in profile]
    return [item for item in found if _is_within(item.row.updated_at, wanted)]


def _is_within(time: str, wanted: ExportFilter) -> bool:
    at = instant(time)
    return (wanted.since is None or at >= instant(wanted.since)) and (
        wanted.until is None or at <= instant(wanted.until)
    )


# In


def read_rows(text: str, *, source: str) -> Rows:
    """Every row of a JSON Lines text; all lines are checked before the first is returned.

    Raises UsageError that names ``source`` and the line.
    """
    rows = Rows([])
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.strip():
            try:
                row = _parsed(line)
            except ValueError as error:
                unpaired = isinstance(error, UnicodeEncodeError)
                problem = "a text holds half of a surrogate pair" if unpaired else str(error)
                raise UsageError(
                    f"{source}, line {number}: {problem}; nothing was imported",
                    hint="each line is one row as `zeroclaw memory export` writes it",
                ) from None
            if isinstance(row, OwnedDocument):
                rows.documents.append(row)
            else:
                rows.entries.append(row)
    return rows


def read_entries(text: str, *, source: str) -> list[Entry]:
    """The entries of a JSON Lines text. Raises as :func:`read_rows`."""
    return read_rows(text, source=source).entries


def import_rows(
    config: Config,
    backend: str | None,
    memory: Memory,
    rows: Rows,
    on_conflict: OnConflict,
    progress: Progress | None = None,
) -> Imported:
    """Store entries and documents in ``memory``, which is what ``backend`` names (None: ``memory.backend``).

    Under ``error`` the first row that is there already raises Conflict before anything is stored.
    """
    documents = rows.documents
    if not documents:
        return import_entries(memory, rows.entries, on_conflict, progress)
    if not _keeps_documents(config, backend):
        warning = f"{memory.name} keeps no documents; {counted(len(documents), 'document')} left out"
        stored = import_entries(memory, rows.entries, on_conflict, progress)
        return stored + Imported(0, len(documents), warnings=(warning,))
    if on_conflict is OnConflict.ERROR:
        _require_absent(config, backend, documents)
    stored = import_entries(memory, rows.entries, on_conflict, progress)
    return stored + _import_documents(config, backend, documents, on_conflict)


def import_entries(
    memory: Memory, entries: Iterable[Entry], on_conflict: OnConflict, progress: Progress | None = None
) -> Imported:
    """Store every entry under its own timestamp; rows are the same when key and agent are.

    Under ``error`` the first row that is there already raises Conflict before anything is stored. What the built-in
    store refuses as unsafe for the prompt is left out with a warning. Another failure on the way names the entry and
    how many were kept; each of those is durable.
    """
    rows = [_with_agent_id(memory, entry) for entry in entries]
    chosen = _without_conflicts(memory, rows, on_conflict)
    native = as_native(memory)
    if native is not None:
        refused = _store_in_batches(native, chosen, progress)
        warnings = tuple(f"the entry '{key}' was left out: {why}" for key, why in refused)
        return Imported(len(chosen) - len(refused), len(rows) - len(chosen) + len(refused), warnings=warnings)
    for done, entry in enumerate(chosen):
        try:
            memory.import_entry(entry)
        except ZeroclawError as error:
            raise _stopped(error, done, len(chosen), entry.key) from error
        except KeyboardInterrupt:
            raise _stopped(Interrupted("interrupted"), done, len(chosen), entry.key) from None
        if progress is not None:
            progress(done + 1, len(chosen))
    return Imported(len(chosen), len(rows) - len(chosen), warnings=_lost_marks(memory, chosen))


def copy_memory(
    config: Config,
    source: tuple[str, Memory],
    target: tuple[str, Memory],
    on_conflict: OnConflict,
    progress: Progress | None = None,
) -> Imported:
    """Copy every entry of one opened backend into another; each is given with its name as typed.

    Documents stay where they are, since only the built-in store keeps any; a warning says how many.
    """
    source_name, source_memory = source
    _, target_memory = target
    if source_memory.name == target_memory.name:
        raise UsageError(f"--from and --to are both {source_memory.name}", hint="name two backends")
    entries = source_memory.export_entries(ExportFilter())
    documents = export_documents(config, source_name, ExportFilter())
    copied = import_entries(target_memory, entries, on_conflict, progress)
    if not documents:
        return copied
    left = f"{counted(len(documents), 'document')} of {source_memory.name} not copied: {target_memory.name} keeps none"
    return copied + Imported(0, 0, warnings=(left,))


def _without_conflicts(memory: Memory, rows: Sequence[Entry], on_conflict: OnConflict) -> list[Entry]:
    if on_conflict is OnConflict.REPLACE:
        return list(rows)
    present = {_identity(entry) for entry in memory.list_entries(None, None)}
    chosen = []
    for entry in rows:
        if _identity(entry) not in present:
            present.add(_identity(entry))
            chosen.append(entry)
        elif on_conflict is OnConflict.ERROR:
            raise Conflict(
                f"'{entry.key}' is already in {memory.name}; nothing was imported",
                hint="pass --on-conflict replace or --on-conflict keep",
            )
    return chosen


def _store_in_batches(
    memory: NativeMemory, entries: Sequence[Entry], progress: Progress | None
) -> list[tuple[str, str]]:
    """Store the entries, many in a transaction; returns the key and the reason of those that were refused."""
    refused: list[tuple[str, str]] = []
    pending, done = iter(entries), 0
    while batch := list(islice(pending, _BATCH)):
        try:
            _store_batch(memory, batch, refused)
        except ZeroclawError as error:
            raise _stopped(error, done, len(entries)) from error
        except KeyboardInterrupt:
            raise _stopped(Interrupted("interrupted"), done, len(entries)) from None
        done += len(batch)
        if progress is not None:
            progress(done, len(entries))
    return refused


def _store_batch(memory: NativeMemory, batch: Sequence[Entry], refused: list[tuple[str, str]]) -> None:
    from zeroclaw_cli.native.safety import Rejection

    try:
        memory.import_entries(batch)
    except Rejection as error:
        if len(batch) == 1:
            refused.append((batch[0].key, error.reason))
            return
        # A transaction is kept whole or not at all, so the refused entry is found by halving.
        middle = len(batch) // 2
        _store_batch(memory, batch[:middle], refused)
        _store_batch(memory, batch[middle:], refused)


def _require_absent(config: Config, backend: str | None, documents: Sequence[OwnedDocument]) -> None:
    for item in documents:
        with _documents_of(config, backend, item) as opened:
            if item.row.path in opened.paths():
                raise Conflict(
                    f"the document '{item.row.path}' is already there; nothing was imported",
                    hint="pass --on-conflict replace or --on-conflict keep",
                )


def _import_documents(
    config: Config, backend: str | None, documents: Sequence[OwnedDocument], on_conflict: OnConflict
) -> Imported:
    from zeroclaw_cli.native.transfer import import_document

    stored, warnings = 0, []
    for owner in dict.fromkeys((item.agent, item.project) for item in documents):
        own = [item for item in documents if (item.agent, item.project) == owner]
        with _documents_of(config, backend, own[0]) as opened:
            for item in own:
                try:
                    stored += import_document(opened.repository, opened.scope, item.row, on_conflict=on_conflict.value)
                except DocumentFailure as error:
                    warnings.append(f"the document '{item.row.path}' was left out: {error.message}")
            warnings += opened.take_warnings()
    return Imported(stored, len(documents) - stored, stored, tuple(warnings))


def _documents_of(config: Config, backend: str | None, item: OwnedDocument) -> NativeDocuments:
    return open_documents(config, item.agent, item.project, backend)


def _keeps_documents(config: Config, backend: str | None) -> bool:
    return parse_backend(config.memory.backend if backend is None else backend).is_native


def _lost_marks(memory: Memory, entries: Sequence[Entry]) -> tuple[str, ...]:
    lost = sum(bool(getattr(entry, "kind", None) or getattr(entry, "pinned", False)) for entry in entries)
    return (f"{memory.name} keeps neither a kind nor a pin: {counted(lost, 'imported row')} lost it",) if lost else ()


def _stopped(error: ZeroclawError, done: int, total: int, key: str | None = None) -> ZeroclawError:
    resume = "what was imported is kept; import again with --on-conflict keep to go on"
    where = f"entry {done + 1} of {total}, key '{key}'" if key is not None else f"after {done} of {total} entries"
    hint = f"{error.hint}; {resume}" if error.hint else resume
    details = {"imported": done}
    if isinstance(error, DocumentFailure):
        return MemoryFailure(f"{error.message} ({where})", hint=hint, details=details)
    return type(error)(f"{error.message} ({where})", hint=hint, details=details)


def _identity(entry: Entry) -> tuple[str, str | None]:
    return entry.key, entry.agent_id


def _with_agent_id(memory: Memory, entry: Entry) -> Entry:
    if entry.agent_id is None and entry.agent_alias is not None:
        return replace(entry, agent_id=memory.ensure_agent_uuid(entry.agent_alias))
    return entry


def _parsed(line: str) -> Entry | OwnedDocument:
    row = _json_object(line)
    if "\\ud" in line or "\\uD" in line:
        json.dumps(row, ensure_ascii=False).encode("utf-8")
    if "document" in row:
        return _document(row)
    if row.keys() & _OWN_FIELDS:
        from zeroclaw_cli.native.entries import NativeEntry

        entry: Entry = NativeEntry.from_json(row)
    else:
        entry = Entry.from_json(row)
    if not entry.key:
        raise ValueError("key must not be empty")
    for name in ("timestamp", "updated_at"):
        text = getattr(entry, name, "")
        if text:
            instant(text)
    return entry


def _json_object(line: str) -> dict[str, Any]:
    try:
        row: Any = json.loads(line, parse_int=_number)
    except RecursionError:
        raise ValueError("the value is nested too deep") from None
    if not isinstance(row, dict):
        raise ValueError("a row is a JSON object")
    return row


def _number(text: str) -> int | float:
    # Python refuses to read very long integers, which no field of a row is.
    return int(text) if len(text) < 20 else float(text)


def _document(row: dict[str, Any]) -> OwnedDocument:
    from zeroclaw_cli.native.scope import check_segment
    from zeroclaw_cli.native.transfer import DocumentRow

    for name in ("agent", "project"):
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name} must be a string or null")
        if value:
            try:
                check_segment(name, value)
            except DocumentFailure as error:
                raise ValueError(error.message) from None
    project = (row["project"] or "") if "project" in row else None
    return OwnedDocument(DocumentRow.from_json(row), row.get("agent"), project)
