"""``memory count``, ``stats``, ``health``, ``reindex`` and ``compact``."""

from __future__ import annotations

from typing import Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.memory.common import Backend, opened
from zeroclaw_cli.cli.session import Json
from zeroclaw_cli.memory.text import counted


def add(group: typer.Typer) -> None:
    group.command("count")(count)
    group.command("stats")(stats)
    group.command("health")(health)
    group.command("reindex")(reindex)
    group.command("compact")(compact)


@anybody
def count(ctx: typer.Context, backend: Backend = None, json: Json = False) -> None:
    """How many entries there are."""
    with opened(ctx, backend) as (_, memory):
        number = memory.count()
    if json:
        output.say_json({"count": number})
    else:
        output.say(str(number))


@anybody
def stats(ctx: typer.Context, backend: Backend = None, json: Json = False) -> None:
    """Show the backend, its health and its contents."""
    with opened(ctx, backend) as (_, memory):
        found = memory.stats()
    if json:
        output.say_json(found.to_json())
        return
    output.say(f"Backend: {found.backend}")
    output.say(f"Health: {'healthy' if found.healthy else 'unhealthy'}")
    output.say(f"Entries: {found.total}")
    for category, number in found.categories.items():
        output.say(f"  {category}: {number}")
    output.say(f"Capabilities: {', '.join(found.capabilities) or 'none'}")
    if found.journal:
        output.say(f"Journal: {', '.join(f'{name} {value}' for name, value in found.journal.items())}")


@anybody
def health(ctx: typer.Context, backend: Backend = None, json: Json = False) -> None:
    """Ask the backend whether it is healthy.

    The exit code is 1 when it is not.
    """
    with opened(ctx, backend) as (_, memory):
        healthy = memory.health_check()
    if json:
        output.say_json({"healthy": healthy})
    else:
        output.say("healthy" if healthy else "unhealthy")
    if not healthy:
        raise typer.Exit(1)


@anybody
def reindex(ctx: typer.Context, backend: Backend = None, json: Json = False) -> None:
    """Rebuild the backend's index."""
    with opened(ctx, backend) as (_, memory):
        number = memory.reindex()
    if json:
        output.say_json({"reindexed": number})
    else:
        output.say(f"Reindexed {counted(number, 'entry', 'entries')}.")


@anybody
def compact(
    ctx: typer.Context,
    allow_loss: Annotated[
        bool,
        typer.Option(
            "--allow-loss",
            help="Even if timestamps change, or what the plugin hides or its version does not carry out is lost.",
        ),
    ] = False,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Rewrite a plugin's journal without forgotten entries."""
    with opened(ctx, backend) as (_, memory):
        before, after = memory.compact(allow_loss=allow_loss)
    if json:
        output.say_json({"before": before, "after": after})
    else:
        output.say(f"Compacted the journal from {counted(before, 'record')} to {after:,}.")
