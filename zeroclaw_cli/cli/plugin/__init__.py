"""``zeroclaw plugin``: install, show, check and switch plugins."""

from __future__ import annotations

import typer

from zeroclaw_cli.cli.app import new_typer


def add(app: typer.Typer) -> None:
    """Add the group to the application."""
    from zeroclaw_cli.cli.plugin import change, examine, logs, operators, publish, show, update

    group = new_typer("Install, show, check and switch plugins.")
    for module in (show, change, update, examine, logs, operators, publish):
        module.add(group)
    app.add_typer(group, name="plugin")
