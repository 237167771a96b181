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


_SECTIONS: Final = {
    "Daily use": ("store", "recall", "get", "list", "forget", "count", "context", "record"),
    "Documents": ("doc", "profile", "curate"),
    "Whole stores": (
        *("status", "stats", "health", "export", "import", "copy", "backup", "restore"),
        *("clear", "purge", "reindex", "compact"),
    ),
    "Layers": ("layers", "plan", "wake", "receipts"),
    "Providers": ("providers", "setup", "trust", "off"),
    "Authors": ("new-provider", "check"),
}

# They show what the layers do, and open no memory of their own.
_ABOUT_LAYERS: Final = frozenset({"plan", "wake", "receipts"})


def add(app: typer.Typer, command: str | None = None) -> None:
    """Add the group to the application: whole, or with the module of one command, since each costs every start."""
    group = new_typer("Store and recall memories through the chosen backend.", _SECTIONS)
    for module in [MODULES[command]] if command in MODULES else dict.fromkeys(MODULES.values()):
        import_module(f"{__name__}.{module}").add(group)
    _tell_of_the_provider(group)
    add_layer_options(group)
    read_as_utf8(group)
    app.add_typer(group, name="memory")


def _tell_of_the_provider(group: typer.Typer) -> None:
    from zeroclaw_cli.cli.memory.common import tell_of_the_provider

    for command in group.registered_commands:
        if command.name in _ABOUT_LAYERS and command.callback is not None:
            command.callback = tell_of_the_provider(command.callback)
    for inner in group.registered_groups:
        layers = inner.typer_instance
        if inner.name == "layers" and layers is not None and layers.registered_callback is not None:
            found = layers.registered_callback
            found.callback = None if found.callback is None else tell_of_the_provider(found.callback)
