"""Export, import and copy of entries and documents (cli.md, memory): JSON Lines, one row a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any, Final

from zeroclaw_cli.errors import (
    Conflict,
    DamageWarning,
    Interrupted,
    StoreDamaged,
    TransferIncomplete,
    UsageError,
    ZeroclawError,
)
from zeroclaw_cli.memory.arrival import check_arrival
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.export_rows import Everything, OwnedDocument, OwnedEntry, Rows, describe_projects
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.text import counted, display
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.native.stamps import stamp

# Called with how many of how many entries are kept.
Progress = Callable[[int, int], None]

_BATCH: Final = 10_000
_OWN_FIELDS: Final = frozenset({"kind", "pinned", "updated_at"})


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


def json_lines(rows: Iterable[Entry | OwnedEntry | OwnedDocument]) -> Iterator[str]:
    """One compact JSON object a line, without the newline."""
    for row in rows:
        yield json.dumps(row.to_json(), ensure_ascii=False, separators=(",", ":"))


def require_whole(warnings: Iterable[str], what: str) -> None:
    """Raise StoreDamaged when one of the warnings says that ``what``, which was written, lacks something damaged."""
    if any(isinstance(warning, DamageWarning) for warning in warnings):
        raise StoreDamaged(
            f"{what} is not complete: entries that are damaged are not in it",
            hint="`zeroclaw doctor` names them; what could be read was written",
        )


def export_everything(memory: Memory, wanted: ExportFilter) -> Everything:
    """Every entry and document of the backend's user, of all agents and projects; of a backend that has neither
    documents nor projects its entries.

    Of ``wanted`` only the times hold for documents. Raises UsageError for a filter that documents do not have.
    """
    if not memory.keeps_documents:
        return Everything(list(memory.export_entries(wanted)), [])
    if (wanted.namespace, wanted.session_id, wanted.category) != (None, None, None):
        raise UsageError(
            "documents have no namespace, session or category",
            hint="leave out --all, or choose by --since and --until alone",
        )
    documents, warnings = memory.export_documents(wanted)
    entries = _entries_of_all_projects(memory, wanted)
    if memory.keeps_projects:
        entries, documents = _told_apart(memory.project, entries, documents)
    return Everything(entries, documents, tuple(warnings))


def _entries_of_all_projects(memory: Memory, wanted: ExportFilter) -> list[Entry | OwnedEntry]:
    if not memory.keeps_projects:
        return [*memory.export_entries(wanted)]
    found: list[Entry | OwnedEntry] = []
    projects = memory.projects()
    for project in projects:
        entries = memory.in_project(project).export_entries(wanted)
        found += entries if project == memory.project else [OwnedEntry(entry, project) for entry in entries]
    if len(projects) > 1:
        found.sort(key=lambda row: instant((row.entry if isinstance(row, OwnedEntry) else row).timestamp))
    return found


def _told_apart(
    present: str, entries: list[Entry | OwnedEntry], documents: list[OwnedDocument]
) -> tuple[list[Entry | OwnedEntry], list[OwnedDocument]]:
    """The rows as they are when all are of the project ``present``, which then is whatever project they come to; else
    each with its project, lest rows of two projects come to one and the later replaces the earlier."""
    from zeroclaw_cli.native.paths import PROFILE

    elsewhere = any(isinstance(row, OwnedEntry) for row in entries) or any(
        item.project is not None and not (item.project == "" and item.row.path == PROFILE) for item in documents
    )
    if not elsewhere:
        return entries, documents
    named: list[Entry | OwnedEntry] = [
        row if isinstance(row, OwnedEntry) else OwnedEntry(row, present) for row in entries
    ]
    return named, [replace(item, project=present) if item.project is None else item for item in documents]


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
            elif isinstance(row, OwnedEntry):
                rows.elsewhere.setdefault(row.project, []).append(row.entry)
            else:
                rows.entries.append(row)
    return rows


def import_rows(memory: Memory, rows: Rows, on_conflict: OnConflict, progress: Progress | None = None) -> Imported:
    """Store entries and documents in ``memory``.

    Under ``error`` the first row that is there already raises Conflict before anything is stored.
    """
    parts = [(memory, rows.entries)]
    if memory.keeps_projects:
        parts += [(memory.in_project(project), entries) for project, entries in rows.elsewhere.items()]
    if on_conflict is OnConflict.ERROR:
        for part, entries in parts:
            _without_conflicts(part, part.with_own_agents(entries), on_conflict)
    documents = Imported(0, 0)
    if rows.documents and memory.keeps_documents:
        stored, warnings = memory.import_documents(rows.documents, on_conflict)
        documents = Imported(stored, len(rows.documents) - stored, stored, tuple(warnings))
    done = Imported(0, 0)
    for part, entries in parts:
        done += import_entries(part, entries, on_conflict, progress)
    return done + documents + _left_out(memory, rows)


def _left_out(memory: Memory, rows: Rows) -> Imported:
    """What a backend without documents, or without projects, does not take."""
    warnings = []
    documents = 0 if memory.keeps_documents else len(rows.documents)
    others = 0 if memory.keeps_projects else sum(map(len, rows.elsewhere.values()))
    if documents:
        warnings.append(f"{memory.name} keeps no documents; {counted(documents, 'document')} left out")
    if others:
        number = counted(others, "entry", "entries")
        warnings.append(f"{memory.name} keeps no projects; {number} of other projects left out")
    return Imported(0, documents + others, warnings=tuple(warnings))


def import_entries(
    memory: Memory, entries: Iterable[Entry], on_conflict: OnConflict, progress: Progress | None = None
) -> Imported:
    """Store every entry under its own timestamp; rows are the same when key and agent are.

    Under ``error`` the first row that is there already raises Conflict before anything is stored. What the built-in
    store refuses as unsafe for the prompt is left out with a warning. Another failure on the way names the entry and
    how many were kept; each of those is durable.
    """
    rows = memory.with_own_agents(list(entries))
    chosen = _without_conflicts(memory, rows, on_conflict)
    if memory.imports_at_once:
        over = on_conflict is OnConflict.REPLACE
        stored, refused = _store_in_batches(memory, chosen, progress, over=over)
        warnings = [f"the entry '{key}' was left out: {why}" for key, why in refused]
        late = len(chosen) - len(refused) - stored
        if late and on_conflict is OnConflict.ERROR:
            warnings.append(f"{counted(late, 'entry', 'entries')} left out: another command stored the same meanwhile")
        return Imported(stored, len(rows) - stored, warnings=tuple(warnings))
    for done, entry in enumerate(chosen):
        try:
            memory.import_entry(entry)
        except ZeroclawError as error:
            _tell_where(error, done, len(chosen), entry.key)
            raise
        except KeyboardInterrupt:
            raise _tell_where(Interrupted("interrupted"), done, len(chosen), entry.key) from None
        if progress is not None:
            progress(done + 1, len(chosen))
    warnings = [*check_arrival(memory, chosen), *_lost_marks(memory, chosen), *_unnamed(memory, chosen)]
    return Imported(len(chosen), len(rows) - len(chosen), warnings=tuple(warnings))


def require_all_read(missing: Sequence[str], imported: int) -> None:
    """Raise TransferIncomplete when something of the source could not be read; what could is imported."""
    if missing:
        raise TransferIncomplete(
            f"not everything could be read: {'; '.join(missing)}",
            hint="what could be read is imported; mend or restore the source and import again with --on-conflict keep",
            details={"imported": imported},
        )


def copy_memory(source: Memory, target: Memory, on_conflict: OnConflict, progress: Progress | None = None) -> Imported:
    """Copy every entry of one opened backend into another.

    Documents and the entries of other projects stay where they are, since only the built-in store keeps any; a warning
    says so.
    """
    if source.name == target.name:
        raise UsageError(f"--from and --to are both {source.name}", hint="name two backends")
    entries = source.export_entries(ExportFilter())
    documents = len(source.export_documents(ExportFilter())[0])
    others = describe_projects([project for project in source.projects() if project != source.project])
    copied = import_entries(target, entries, on_conflict, progress)
    left = [f"entries of {others} not copied: {target.name} keeps no projects"] if others else []
    if documents:
        why = "copy moves entries alone" if target.keeps_documents else f"{target.name} keeps none"
        left.append(f"{counted(documents, 'document')} of {source.name} not copied: {why}")
    return copied + Imported(0, 0, warnings=tuple(left))


def _without_conflicts(memory: Memory, rows: Sequence[Entry], on_conflict: OnConflict) -> list[Entry]:
    if on_conflict is OnConflict.REPLACE:
        return list(rows)
    identity = memory.identity
    present = {identity(entry) for entry in memory.import_target()}
    met = set(present)
    chosen = []
    for entry in rows:
        if identity(entry) not in met:
            met.add(identity(entry))
            chosen.append(entry)
        elif on_conflict is OnConflict.ERROR:
            where = f"is already in {memory.name}" if identity(entry) in present else "is there twice"
            raise Conflict(
                f"'{entry.key}' {where}; nothing was imported",
                hint="pass --on-conflict replace or --on-conflict keep",
            )
    return chosen


def _store_in_batches(
    memory: Memory, entries: Sequence[Entry], progress: Progress | None, *, over: bool
) -> tuple[int, list[tuple[str, str]]]:
    """Store the entries, many in a transaction; returns how many, and the key and the reason of those that were
    refused. Without ``over`` a row that is there meanwhile stays."""
    refused: list[tuple[str, str]] = []
    pending, done, stored = iter(entries), 0, 0
    while batch := list(islice(pending, _BATCH)):
        try:
            stored += _store_batch(memory, batch, refused, over=over)
        except ZeroclawError as error:
            _tell_where(error, done, len(entries))
            raise
        except KeyboardInterrupt:
            raise _tell_where(Interrupted("interrupted"), done, len(entries)) from None
        done += len(batch)
        if progress is not None:
            progress(done, len(entries))
    return stored, refused


def _store_batch(memory: Memory, batch: Sequence[Entry], refused: list[tuple[str, str]], *, over: bool) -> int:
    from zeroclaw_cli.native.safety import Rejection

    try:
        return memory.import_entries(batch, over=over)
    except Rejection as error:
        if len(batch) == 1:
            refused.append((batch[0].key, error.reason))
            return 0
        # A transaction is kept whole or not at all, so the refused entry is found by halving.
        middle = len(batch) // 2
        parts = batch[:middle], batch[middle:]
        return sum(_store_batch(memory, part, refused, over=over) for part in parts)


def _lost_marks(memory: Memory, entries: Sequence[Entry]) -> tuple[str, ...]:
    lost = sum(bool(getattr(entry, "kind", None) or getattr(entry, "pinned", False)) for entry in entries)
    if not lost:
        return ()
    return (f"{memory.name} does not support a kind or a pin: {counted(lost, 'imported row')} lost it",)


def _unnamed(memory: Memory, entries: Iterable[Entry]) -> tuple[str, ...]:
    """The warning about entries whose agent has an id and no alias, if there are any."""
    ids = [entry.agent_id for entry in entries if entry.agent_id and not entry.agent_alias]
    if not ids:
        return ()
    return (
        f"{counted(len(ids), 'imported row')} with an agent's id and no alias: {memory.name} may not have given that "
        f"id, so what --agent does not reach, --agent-id does (first: {display(ids[0], 60)})",
    )


def _tell_where(error: ZeroclawError, done: int, total: int, key: str | None = None) -> ZeroclawError:
    """The same error, which also says how far the import came and how it goes on."""
    resume = "what was imported is kept; import again with --on-conflict keep to go on"
    where = f"entry {done + 1} of {total}, key '{key}'" if key is not None else f"after {done} of {total} entries"
    error.message = f"{error.message} ({where})"
    error.args = (error.message,)
    error.hint = f"{error.hint}; {resume}" if error.hint else resume
    error.details = {**(error.details or {}), "imported": done}
    return error


def _parsed(line: str) -> Entry | OwnedEntry | OwnedDocument:
    row = _json_object(line)
    if "\\u" in line and ("\\ud" in line or "\\uD" in line):
        json.dumps(row, ensure_ascii=False).encode("utf-8")
    if "document" in row:
        return OwnedDocument.from_json(row)
    if row.keys() & _OWN_FIELDS:
        from zeroclaw_cli.native.entries import NativeEntry

        entry: Entry = NativeEntry.from_json(row)
    else:
        entry = Entry.from_json(row)
    if not entry.key:
        raise ValueError("key must not be empty")
    updated_at = getattr(entry, "updated_at", "")
    if entry.timestamp:
        stamp(entry.timestamp)
    if updated_at and updated_at != entry.timestamp:
        stamp(updated_at)
    return OwnedEntry.of(entry, row["project"]) if "project" in row else entry


def _json_object(line: str) -> dict[str, Any]:
    try:
        row: Any = _decoder().decode(line)
    except RecursionError:
        raise ValueError("the value is nested too deep") from None
    if not isinstance(row, dict):
        raise ValueError("a row is a JSON object")
    return row


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_int=_number)


def _number(text: str) -> int | float:
    # Python refuses to read very long integers, which no field of a row is.
    return int(text) if len(text) < 20 else float(text)
