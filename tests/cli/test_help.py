"""What ``--help`` tells of every command: each argument, each option, and a summary that fits its line."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
import typer

from tests.support.command import Home
from zeroclaw_cli.cli.app import build

# What a list of commands has room for beside the longest name, in a terminal of 80 columns.
LONGEST_SUMMARY = 60


def commands(command: click.Command, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from commands(child, *path, name)


ROOT = typer.main.get_command(build([]))


def help_of(command: click.Command, path: tuple[str, ...]) -> str:
    context = click.Context(command, info_name=" ".join(path), help_option_names=["-h", "--help"], terminal_width=500)
    return " ".join(command.get_help(context).split())


def test_every_argument_and_option_is_explained_in_the_help_of_its_command() -> None:
    unexplained = []
    for path, command in commands(ROOT):
        shown = help_of(command, path)
        for parameter in command.params:
            text = getattr(parameter, "help", None)
            if not text or " ".join(text.split()) not in shown:
                unexplained.append((path, parameter.name))
    assert unexplained == []


def test_the_summary_of_every_command_fits_its_line() -> None:
    long = {}
    for path, command in commands(ROOT, "zeroclaw"):
        summary = command.get_short_help_str(1000)
        if len(summary) > LONGEST_SUMMARY or summary.endswith("...") or not summary:
            long[" ".join(path)] = summary
    assert long == {}


def test_the_installed_command_explains_its_arguments(home: Home) -> None:
    shown = " ".join(home.ok("memory", "store", "--help").stdout.split())
    assert "KEY The entry's key." in shown
    assert "The text" in shown


@pytest.mark.parametrize("group", ["memory", "plugin"])
def test_a_large_group_lists_each_command_once_below_a_heading(home: Home, group: str) -> None:
    shown = home.ok(group, "--help").stdout.partition("Options:")[2].splitlines()
    headings = [line for line in shown if line and not line.startswith(" ")]
    listed = [line.split()[0] for line in shown if line.startswith("  ") and not line.startswith("  -")]
    commands_of_the_group = ROOT.commands[group].commands  # type: ignore[attr-defined]
    assert sorted(listed) == sorted(commands_of_the_group)
    assert headings[0] == "Daily use:"
    assert "Commands:" not in headings
