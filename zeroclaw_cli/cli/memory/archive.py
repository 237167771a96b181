"""``memory backup`` and ``restore``: every store and journal in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import within_layers
from zeroclaw_cli.cli.arguments import output_argument, path_argument
from zeroclaw_cli.cli.memory.common import warn_all, whole_config
from zeroclaw_cli.cli.session import Json, session
from zeroclaw_cli.memory.text import counted

if TYPE_CHECKING:
    from zeroclaw_cli.operations.backup_file import Contents


def add(group: typer.Typer) -> None:
    group.command("backup")(backup)
    group.command("restore")(restore)


@within_layers("backup")
def backup(
    ctx: typer.Context,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="Where; backups/ in the data folder when left out."),
    ] = None,
    json: Json = False,
) -> None:
    """Save the built-in store and all plugin memory to one file."""
    from zeroclaw_cli.operations.backup import create
    from zeroclaw_cli.operations.notified_provider import not_in_backup

    this = session(ctx)
    config = whole_config(this)
    made = create(config, None if out is None else output_argument(out, "--out"))
    warn_all(this, made.warnings)
    warn_all(this, not_in_backup(config))
    if json:
        output.say_json({"file": str(made.file), "bytes": made.size, **made.contents.to_json()})
    else:
        output.say(f"Wrote {made.file!s} ({made.size:,} bytes): {_held(made.contents)}.")


@within_layers("restore")
def restore(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file that backup wrote, or a copy of native.db.")],
    json: Json = False,
) -> None:
    """Restore memory from a backup; the current data is kept.

    Of what restores replace, the newest three copies of each store are kept.
    """
    from zeroclaw_cli.operations.restore import KEEP_REPLACED
    from zeroclaw_cli.operations.restore import restore as restore_archive

    this = session(ctx)
    done = restore_archive(whole_config(this), path_argument(file, "FILE"))
    warn_all(this, done.warnings)
    if json:
        output.say_json({"restored": file, **done.contents.to_json(), "kept": [str(path) for path in done.kept]})
        return
    output.say(f"Restored from {file}: {_held(done.contents)}.")
    for path in done.kept:
        this.note(f"what was there before is kept in {path}")
    if done.removed:
        older = "1 older copy" if done.removed == 1 else f"{done.removed} older copies"
        this.note(f"{older} of what restores replaced removed: of each store the newest {KEEP_REPLACED} are kept")


def _held(contents: Contents) -> str:
    parts = []
    if contents.entries is not None and contents.documents is not None:
        entries, documents = counted(contents.entries, "entry", "entries"), counted(contents.documents, "document")
        parts.append(f"{entries} and {documents} of the built-in store")
    parts += [f"plugin {name}" for name in contents.plugins]
    return ", ".join(parts) or "nothing is remembered yet"
