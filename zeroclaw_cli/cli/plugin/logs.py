"""``plugin logs``."""

from __future__ import annotations

from typing import Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.plugin.show import Name
from zeroclaw_cli.cli.session import Json, session


def add(group: typer.Typer) -> None:
    group.command("logs")(logs)


@anybody
def logs(
    ctx: typer.Context,
    name: Name,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines as they are logged.")] = False,
    json: Json = False,
) -> None:
    """Show what a plugin has logged, oldest first, as JSON Lines."""
    import sys

    from zeroclaw_cli.errors import PluginNotFound, ZeroclawError
    from zeroclaw_cli.plugins import discovery
    from zeroclaw_cli.wasm.logfile import follow_log, log_path, read_log

    this = session(ctx)
    config = this.config()
    try:
        discovery.browse(config).find(name)
    except PluginNotFound:
        raise
    except ZeroclawError as error:
        # What a plugin said may tell why it is refused now.
        this.warn(error.message)
    path = log_path(config.location.data_dir, name)
    found = False
    for record in follow_log(path) if follow else read_log(path):
        found = True
        output.say_json(record, line=True)
        if follow:
            sys.stdout.flush()
    if not found:
        this.note(f"{name} has logged nothing yet")
