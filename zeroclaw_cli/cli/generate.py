"""Writes what is made from the commands themselves: the command tree, the completion scripts and the help reference.

``python -m zeroclaw_cli.cli.generate`` writes them, with ``--check`` it fails when one of them is not current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.app import build
from zeroclaw_cli.cli.completion_scripts import SCRIPTS

_ROOT: Final = Path(__file__).resolve().parents[2]
_HERE: Final = Path(__file__).resolve().parent

# What the value of an argument or option is, by its metavar; by command where the same word means two things.
_KINDS: Final[Mapping[str, str]] = {
    "DIR": "dir",
    "FILE": "file",
    "FILE|-": "file",
    "[FILE|-]": "file",
    "SOURCE": "file",
    "BACKEND": "backend",
    "PROVIDER": "provider",
    "[PROVIDER]": "provider",
}
_KINDS_BY_GROUP: Final[Mapping[tuple[str, str], str]] = {
    ("plugin", "NAME"): "package",
    ("plugin", "[NAME]"): "package",
    ("config", "PATH"): "config_path",
    ("config", "PREFIX"): "config_path",
    ("config", "[SECTION]"): "config_path",
}


def generated() -> dict[Path, str]:
    """Every generated file of the repository with the text that it must have."""
    root = typer.main.get_command(build([]))
    files = {
        _HERE / "command_tree.json": json.dumps(_node(root, ""), ensure_ascii=False, indent=1) + "\n",
        _HERE / "HELP.md": _help_page(root),
    }
    for name, script in SCRIPTS.items():
        files[_ROOT / "completions" / name] = script
    return files


def main(arguments: list[str]) -> int:
    """Write the files, or with ``--check`` return 1 and name those that are not current."""
    stale = [path for path, text in generated().items() if not path.is_file() or path.read_text("utf-8") != text]
    if "--check" in arguments:
        for path in stale:
            output.talk(f"{path.relative_to(_ROOT)} is not current; run `python -m zeroclaw_cli.cli.generate`")
        return 1 if stale else 0
    for path, text in generated().items():
        path.write_text(text, "utf-8")
    return 0


def _node(command: click.Command, group: str) -> dict[str, Any]:
    commands = command.commands if isinstance(command, click.Group) else {}
    options: dict[str, Any] = {"-h": _HELP, "--help": _HELP}
    arguments = []
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            if parameter.hidden:
                continue
            value = None if parameter.is_flag else _kind(parameter, group)
            for name in [*parameter.opts, *parameter.secondary_opts]:
                options[name] = {"help": parameter.help or "", "value": value}
        else:
            arguments.append(_kind(parameter, group))
    return {
        "help": command.get_short_help_str(200),
        "options": options,
        "arguments": arguments,
        "commands": {name: _node(child, group or name) for name, child in sorted(commands.items()) if not child.hidden},
    }


_HELP: Final = {"help": "Show this message and exit.", "value": None}


def _kind(parameter: click.Parameter, group: str) -> str:
    if isinstance(parameter.type, click.Choice):
        return "words:" + ",".join(str(getattr(word, "value", word)) for word in parameter.type.choices)
    metavar = parameter.metavar or ""
    return _KINDS_BY_GROUP.get((group, metavar)) or _KINDS.get(metavar, "text")


def _help_page(root: click.Command) -> str:
    parts = ["# Every command's help\n\nMade from `--help` by `zeroclaw_cli.cli.generate`; do not edit.\n"]

    def visit(command: click.Command, path: list[str], parent: click.Context | None) -> None:
        context = click.Context(
            command,
            info_name=path[-1],
            parent=parent,
            max_content_width=100,
            terminal_width=100,
            help_option_names=["-h", "--help"],
        )
        parts.append(f"## {' '.join(path)}\n\n```text\n{command.get_help(context).rstrip()}\n```\n")
        if isinstance(command, click.Group):
            for name, child in sorted(command.commands.items()):
                if not child.hidden:
                    visit(child, [*path, name], context)

    visit(root, ["zeroclaw"], None)
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
