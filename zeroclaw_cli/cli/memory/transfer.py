"""``memory export`` and ``import``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.arguments import file_argument
from zeroclaw_cli.cli.memory.common import (
    Backend,
    Category,
    Namespace,
    SessionId,
    Since,
    Until,
    category_of,
    opened,
    read_text,
    when,
)
from zeroclaw_cli.cli.session import Json

# Typer reads the words of --on-conflict from it.
from zeroclaw_cli.operations.transfer import OnConflict

if TYPE_CHECKING:
    from zeroclaw_cli.memory.types import Entry


def add(group: typer.Typer) -> None:
    group.command("export")(export)
    group.command("import")(import_)


def export(
    ctx: typer.Context,
    namespace: Namespace = None,
    session_id: SessionId = None,
    category: Category = None,
    since: Since = None,
    until: Until = None,
    all_: Annotated[bool, typer.Option("--all", help="Documents too, where the backend has any.")] = False,
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="Write there instead of stdout.")] = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Write every entry as JSON Lines, oldest first."""
    from zeroclaw_cli.memory.types import ExportFilter

    wanted = ExportFilter(
        namespace=namespace,
        session_id=session_id,
        category=category_of(category),
        since=when(since, "--since"),
        until=when(until, "--until"),
    )
    with opened(ctx, backend) as (this, memory):
        entries = memory.export_entries(wanted)
        name = memory.name
    if out is None:
        _to_stdout(entries)
        return
    _to_file(entries, file_argument(out, "--out"))
    this.note(f"exported {len(entries)} {'entry' if len(entries) == 1 else 'entries'} of {name} to {out}")


def import_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="JSON Lines, as export writes them.")],
    on_conflict: Annotated[
        OnConflict, typer.Option("--on-conflict", help="What to do with a row that is there already.")
    ] = OnConflict.REPLACE,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Store every entry of FILE under its own timestamp."""
    from zeroclaw_cli.operations.transfer import import_entries, read_entries

    entries = read_entries(read_text(file), source="stdin" if file == "-" else file)
    with opened(ctx, backend) as (_, memory):
        result = import_entries(memory, entries, on_conflict)
        name = memory.name
    if json:
        output.say_json({"imported": result.imported, "skipped": result.skipped})
    else:
        skipped = f", skipped {result.skipped}" if result.skipped else ""
        output.say(f"Imported {result.imported} into {name}{skipped}.")


def _to_stdout(entries: list[Entry]) -> None:
    for entry in entries:
        output.say_json(entry.to_json(), line=True)


def _to_file(entries: list[Entry], path: Path) -> None:
    from zeroclaw_cli.fsio import write_output
    from zeroclaw_cli.operations.transfer import json_lines

    lines = "".join(f"{line}\n" for line in json_lines(entries))
    write_output(path, lines.encode("utf-8", "surrogatepass"))
