"""A group of commands: its help in sections, and its answer to a command that is not there, which is the one that does
the job, never one that destroys more."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar, Final

import click
from typer.core import TyperGroup

from zeroclaw_cli.errors import UsageError

# What other programs call a command -> what a group here may call it; the first one that the group has is meant.
_MEANT: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("add",), ("store", "write", "install", "set", "new", "enable")),
    **dict.fromkeys(("new", "create", "set", "save", "put", "write"), ("store", "write", "set", "new")),
    **dict.fromkeys(("rm", "del", "delete", "remove", "erase"), ("forget", "remove", "unset", "disable")),
    "forget": ("remove", "unset", "disable"),
    "uninstall": ("remove",),
    **dict.fromkeys(("search", "find", "query"), ("recall", "search", "list")),
    **dict.fromkeys(("show", "cat"), ("get", "info", "read", "list")),
    "get": ("info", "read"),
    "read": ("get", "info"),
    "ls": ("list", "tree"),
    "list": ("tree",),
    "upgrade": ("update",),
}
# They take something away or put something else in its place: suggested only for what is surely a slip of the fingers.
_DESTRUCTIVE: Final = frozenset(
    {"clear", "disable", "forget", "import", "off", "purge", "remove", "restore", "rollback", "sync", "unset"}
)
_NEAR, _SURELY = 0.7, 0.81


Sections = Mapping[str, tuple[str, ...]]
"""The headings of a group's help, each with its commands."""


class CommandGroup(TyperGroup):
    """A group of commands that answers a name it lacks with the command that does the job.

    A group with ``sections`` lists its commands under these headings, and under "Commands" what none of them names.
    """

    sections: ClassVar[Sections] = {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries, by section, in the order of the group."""
        shown = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
        placed = {name for names in self.sections.values() for name in names}
        widest = max(map(len, shown), default=0)
        for title, names in (*self.sections.items(), ("Commands", [name for name in shown if name not in placed])):
            rows = [
                (name.ljust(widest), self.commands[name].get_short_help_str(200)) for name in names if name in shown
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The named command; raises UsageError when there is none."""
        name = args[0]
        # A word that begins like an option is for the parser to refuse.
        if name in self.commands or ctx.resilient_parsing or name.startswith("-"):
            return super().resolve_command(ctx, args)
        found = [f"{ctx.command_path} {command}" for command in meant(name, self.commands)]
        if ctx.parent is None:
            found = _in_the_groups(ctx.command_path, name) or found
        use = f"use {' or '.join(f'`{command}`' for command in found)}; " if found else ""
        raise UsageError(f"no such command '{name}'", hint=f"{use}`{ctx.command_path} --help` lists the commands")


def meant(name: str, commands: Collection[str]) -> list[str]:
    """Those of ``commands`` that somebody who typed ``name`` may have meant; none that destroys more."""
    from difflib import SequenceMatcher

    for command in _MEANT.get(name, ()):
        if command in commands:
            return [command]
    likeness = {command: SequenceMatcher(None, name, command).ratio() for command in commands}
    near = [one for one in commands if likeness[one] >= (_SURELY if one in _DESTRUCTIVE else _NEAR)]
    return sorted(near, key=lambda command: -likeness[command])[:3]


def _in_the_groups(program: str, name: str) -> list[str]:
    """The commands of groups that ``name``, typed without its group, may have meant."""
    from zeroclaw_cli.cli.command_tree import TREE

    found = []
    for group in ("memory", "plugin", "config", "strategy"):
        commands = TREE["commands"][group]["commands"]
        same = name if name in commands else next((word for word in _MEANT.get(name, ()) if word in commands), None)
        if same is not None:
            found.append(f"{program} {group} {same}")
    return found
