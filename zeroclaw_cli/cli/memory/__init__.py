"""``zeroclaw memory``: store and recall through the chosen backend."""

from __future__ import annotations

import typer

from zeroclaw_cli.cli.app import new_typer


def add(app: typer.Typer) -> None:
    """Add the group to the application."""
    from zeroclaw_cli.cli.memory import about, archive, doc, profile, read, transfer, turns, write

    group = new_typer("Store and recall memories through the chosen backend.")
    for module in (write, read, transfer, archive, turns, doc, profile, about):
        module.add(group)
    app.add_typer(group, name="memory")
