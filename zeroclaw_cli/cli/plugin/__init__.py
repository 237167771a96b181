"""``zeroclaw plugin``: install, show, check and switch plugins."""

from __future__ import annotations

from typing import Final

import typer

from zeroclaw_cli.cli.app import new_typer

_SECTIONS: Final = {
    "Daily use": ("list", "info", "install", "update", "outdated", "rollback", "remove", "enable", "disable"),
    "Trust and repair": ("trust", "verify", "logs", "adopt-data", "migrate"),
    "Authors": ("check", "keygen", "sign"),
}


def add(app: typer.Typer) -> None:
    """Add the group to the application."""
    from zeroclaw_cli.cli.plugin import change, examine, logs, operators, publish, show, update

    group = new_typer("Install, show, check and switch plugins.", _SECTIONS)
    for module in (show, change, update, examine, logs, operators, publish):
        module.add(group)
    app.add_typer(group, name="plugin")
