"""``zeroclaw memory``: store and recall through the chosen backend."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import typer

from zeroclaw_cli.cli.app import new_typer
from zeroclaw_cli.cli.memory.layer_options import add_layer_options
from zeroclaw_cli.cli.memory.locale_words import read_as_utf8

# Each command and the module here that has it; in the order of the group's help.
MODULES: Final = {
    "store": "write",
    "forget": "write",
    "purge": "write",
    "clear": "write",
    "recall": "read",
    "get": "read",
    "list": "read",
    "export": "transfer",
    "import": "transfer",
    "copy": "transfer",
    "backup": "archive",
    "restore": "archive",
    "context": "turns",
    "record": "turns",
    "curate": "turns",
    "doc": "doc",
    "profile": "profile",
    "count": "about",
    "stats": "about",
    "health": "about",
    "reindex": "about",
    "compact": "about",
    "layers": "layers",
    "plan": "layers",
    "wake": "layers",
    "receipts": "layers",
    "providers": "providers",
    "setup": "providers",
    "trust": "providers",
    "off": "providers",
    "status": "providers",
    "check": "providers",
    "new-provider": "providers",
}


def add(app: typer.Typer, command: str | None = None) -> None:
    """Add the group to the application: whole, or with the module of one command, since each costs every start."""
    group = new_typer("Store and recall memories through the chosen backend.")
    for module in [MODULES[command]] if command in MODULES else dict.fromkeys(MODULES.values()):
        import_module(f"{__name__}.{module}").add(group)
    add_layer_options(group)
    read_as_utf8(group)
    app.add_typer(group, name="memory")
