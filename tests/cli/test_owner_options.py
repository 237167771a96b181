"""The options that say whose memory is meant (specs/native-memory.md §1)."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
import typer

from zeroclaw_cli.cli.app import build
from zeroclaw_cli.errors import UsageError

NAMES = {"--agent", "--agent-id", "--project", "--thread", "--session", "--namespace"}


def options(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Option]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from options(inner, (*path, name))
        return
    for found in command.params:
        if isinstance(found, click.Option) and NAMES & set(found.opts):
            yield path, found


def test_every_option_that_names_an_owner_refuses_a_blank() -> None:
    found = list(options(typer.main.get_command(build(["memory", "--help"])), ()))
    assert {name for _, option in found for name in option.opts} == NAMES
    assert len(found) > 40
    for path, option in found:
        context = click.Context(click.Command("x"))
        for blank in ("", " \t"):
            with pytest.raises(UsageError, match=rf"{option.opts[0]} is blank"):
                option.process_value(context, [blank] if option.multiple else blank)
        given = option.process_value(context, ["ana"] if option.multiple else "ana")
        assert given in ("ana", ["ana"], ("ana",)), path
        assert option.required or not option.process_value(context, None), path
