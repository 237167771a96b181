"""``zeroclaw doctor``: whether everything is sound, and what mends what is not."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.session import Json, session


def add(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("doctor")(doctor)


@anybody
def doctor(
    ctx: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended without losing anything.")] = False,
    json: Json = False,
) -> None:
    """Check everything on this machine and name the remedies.

    Checked are the engine, config, plugins, stores, providers, layers, journals and cache.
    """
    from zeroclaw_cli.config.locations import locate
    from zeroclaw_cli.operations.doctor import examine, exit_code
    from zeroclaw_cli.operations.findings import State

    this = session(ctx)
    location, _ = locate(this.config_dir, os.environ)
    findings = list(examine(location, this.read_config, this.host_options(), fix=fix))
    code = exit_code(findings)
    if json:
        checks = [
            {"id": found.id, "state": found.state.value, "detail": found.detail, "hint": found.hint}
            for found in findings
        ]
        output.say_json({"ok": code == 0, "checks": checks})
    else:
        for found in findings:
            output.say(f"{found.state.value:<8} {found.id}: {found.detail}")
            if found.hint and found.state is not State.OK:
                output.say(f"         {found.hint}")
    if code:
        raise typer.Exit(code)
