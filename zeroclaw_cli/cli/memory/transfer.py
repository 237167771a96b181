"""``memory export``, ``import`` and ``copy``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody, person
from zeroclaw_cli.cli.arguments import path_argument
from zeroclaw_cli.cli.inputs import output_file, read_text
from zeroclaw_cli.cli.memory.common import (
    Backend,
    Category,
    Namespace,
    SessionId,
    Since,
    Until,
    category_of,
    opened,
    warn_all,
    when,
    whole_config,
)
from zeroclaw_cli.cli.session import Json, Session, session
from zeroclaw_cli.errors import UsageError

# Typer reads the words of --on-conflict from it.
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.text import counted

if TYPE_CHECKING:
    from zeroclaw_cli.memory.export_rows import OwnedDocument, OwnedEntry, Rows
    from zeroclaw_cli.memory.types import Entry
    from zeroclaw_cli.operations.import_hermes import HermesHome
    from zeroclaw_cli.operations.transfer import Imported

_OnConflict = Annotated[OnConflict, typer.Option("--on-conflict", help="What to do with a row that is there already.")]


def add(group: typer.Typer) -> None:
    group.command("export")(export)
    group.command("import")(import_)
    group.command("copy")(copy)


@anybody
def export(
    ctx: typer.Context,
    namespace: Namespace = None,
    session_id: SessionId = None,
    category: Category = None,
    since: Since = None,
    until: Until = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Documents with their versions too, and every project (built-in store).")
    ] = False,
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="Write there instead of stdout (-).")] = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Write every entry as JSON Lines, oldest first."""
    from zeroclaw_cli.memory.export_rows import Everything
    from zeroclaw_cli.memory.types import ExportFilter
    from zeroclaw_cli.operations.transfer import export_everything, json_lines, require_whole

    this = session(ctx)
    target = None if out is None or out == "-" else output_file(this, out, "--out")
    wanted = ExportFilter(
        namespace=namespace,
        session_id=session_id,
        category=category_of(category),
        since=when(since, "--since"),
        until=when(until, "--until"),
    )
    with opened(ctx, backend) as (_, memory):
        found = export_everything(memory, wanted) if all_ else Everything(list(memory.export_entries(wanted)), [])
        name, keeps_documents = memory.name, memory.keeps_documents
        said = memory.take_warnings()
    warn_all(this, [*found.warnings, *said])
    if all_ and not keeps_documents:
        this.note(f"{name} keeps neither documents nor projects, so --all adds nothing to its entries")
    entries, documents = found.entries, found.documents
    rows: list[Entry | OwnedEntry | OwnedDocument] = [*entries, *documents]
    if target is None:
        for row in rows:
            output.say_json(row.to_json(), line=True)
        require_whole(said, "the export")
        return
    from zeroclaw_cli.fsio import write_output

    lines = "".join(f"{line}\n" for line in json_lines(rows))
    write_output(target, lines.encode("utf-8", "surrogatepass"))
    also = f" and {counted(len(documents), 'document')}" if documents else ""
    this.note(f"exported {counted(len(entries), 'entry', 'entries')}{also} of {name} to {out}")
    require_whole(said, "the export")


@person("taking over the settings of a provider", only=("from_hermes",))
def import_(
    ctx: typer.Context,
    file: Annotated[str | None, typer.Argument(metavar="[FILE|-]", help="JSON Lines, as export writes them.")] = None,
    from_zeroclaw: Annotated[
        str | None,
        typer.Option("--from-zeroclaw", metavar="DIR", help="The other program's workspace: brain.db, MEMORY.md, …"),
    ] = None,
    from_hermes: Annotated[
        str | None,
        typer.Option("--from-hermes", metavar="DIR", help="A home of hermes-agent: MEMORY.md, USER.md, its provider."),
    ] = None,
    on_conflict: _OnConflict = OnConflict.REPLACE,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Import entries from a file or from another program.

    Each entry keeps its own timestamp.
    """
    from zeroclaw_cli.cli.memory.progress import progress_bar
    from zeroclaw_cli.operations.transfer import import_rows, require_all_read

    this = session(ctx)
    config = whole_config(this)
    missing: Sequence[str] = ()
    if from_hermes is not None:
        rows, hermes = _hermes(this, file or from_zeroclaw, from_hermes)
    else:
        hermes = None
        rows, missing = _rows(this, file, from_zeroclaw)
    rows = rows.seen_from(config.memory.native.project)
    with opened(ctx, backend) as (_, memory):
        with memory.together(rows), progress_bar(this, "importing") as progress:
            result = import_rows(memory, rows, on_conflict, progress)
        warn_all(this, result.warnings)
        if json:
            output.say_json({"imported": result.imported, "skipped": result.skipped})
        else:
            output.say(f"Imported {_what(result)} into {memory.name}{_skipped(result)}.")
        _say_where(this, rows)
    if hermes is not None and hermes.provider:
        _take_settings(this, hermes)
    require_all_read(missing, result.imported)


@anybody
def copy(
    ctx: typer.Context,
    source: Annotated[str, typer.Option("--from", metavar="BACKEND", help="The backend to read.")],
    target: Annotated[str, typer.Option("--to", metavar="BACKEND", help="The backend to store in.")],
    on_conflict: _OnConflict = OnConflict.REPLACE,
    json: Json = False,
) -> None:
    """Copy every entry of one backend into another."""
    from zeroclaw_cli.cli.memory.progress import progress_bar
    from zeroclaw_cli.operations.transfer import copy_memory, require_whole

    this = session(ctx)
    with opened(ctx, source) as (_, read), opened(ctx, target) as (_, written):
        with written.together(source=source), progress_bar(this, "copying") as progress:
            result = copy_memory(read, written, on_conflict, progress)
        said = read.take_warnings()
        warn_all(this, [*result.warnings, *said])
        if json:
            output.say_json({"copied": result.imported})
        else:
            output.say(f"Copied {_what(result)} from {read.name} to {written.name}{_skipped(result)}.")
    require_whole(said, "the copy")


def _rows(this: Session, file: str | None, from_zeroclaw: str | None) -> tuple[Rows, Sequence[str]]:
    if (file is None) == (from_zeroclaw is None):
        problem = "nothing to import is named" if file is None else "FILE and --from-zeroclaw do not go together"
        hint = "pass a FILE of `zeroclaw memory export`, - for stdin, --from-zeroclaw DIR or --from-hermes DIR"
        raise UsageError(problem, hint=hint)
    from zeroclaw_cli.memory.export_rows import Rows
    from zeroclaw_cli.operations.transfer import read_rows

    if file is not None:
        return read_rows(read_text(file, "FILE"), source="stdin" if file == "-" else file), ()
    from zeroclaw_cli.native.import_zeroclaw import read_zeroclaw

    assert from_zeroclaw is not None
    found = read_zeroclaw(path_argument(from_zeroclaw, "--from-zeroclaw"))
    warn_all(this, found.warnings)
    for source in found.sources:
        this.note(f"read {source}")
    return Rows(list(found.entries)), found.missing


def _hermes(this: Session, other: str | None, directory: str) -> tuple[Rows, HermesHome]:
    from zeroclaw_cli.memory.export_rows import Rows
    from zeroclaw_cli.operations.import_hermes import read_hermes

    if other is not None:
        raise UsageError("--from-hermes goes with no other source", hint="import one after the other")
    found = read_hermes(path_argument(directory, "--from-hermes"))
    warn_all(this, found.warnings)
    for source in found.sources:
        this.note(f"read {source}")
    return Rows(list(found.entries)), found


def _take_settings(this: Session, found: HermesHome) -> None:
    from zeroclaw_cli.operations.import_hermes import take_settings

    for line in take_settings(this.config(), found):
        this.note(f"settings of {found.provider}: {line}")
    this.note(
        f"next: copy the folder of the provider {found.provider} into plugins/memory/ of the home, and run "
        f"`zeroclaw memory setup {found.provider}`"
    )


def _say_where(this: Session, rows: Rows) -> None:
    from zeroclaw_cli.memory.export_rows import describe_projects

    if rows.elsewhere:
        number = sum(map(len, rows.elsewhere.values()))
        entries = "1 entry is" if number == 1 else f"{number:,} entries are"
        this.note(f"{entries} of {describe_projects(rows.elsewhere)}; memory.native.project chooses whose are shown")


def _what(result: Imported) -> str:
    if not result.documents:
        return str(result.imported)
    entries = result.imported - result.documents
    return f"{counted(entries, 'entry', 'entries')} and {counted(result.documents, 'document')}"


def _skipped(result: Imported) -> str:
    return f", skipped {result.skipped}" if result.skipped else ""
