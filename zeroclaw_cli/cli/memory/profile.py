"""``memory profile``: what is known of the user."""

from __future__ import annotations

from typing import Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.app import new_typer
from zeroclaw_cli.cli.inputs import text_or_stdin
from zeroclaw_cli.cli.memory.common import Backend, Owner, Project, opened_documents
from zeroclaw_cli.cli.session import Json
from zeroclaw_cli.errors import UsageError


def add(group: typer.Typer) -> None:
    profile = new_typer("Show and set the user's timezone, locale and location.")
    profile.command("get")(get)
    profile.command("set")(set_)
    group.add_typer(profile, name="profile")


@anybody
def get(
    ctx: typer.Context,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Show the user's profile.

    There is one, whatever the agent or project.
    """
    with opened_documents(ctx, backend, agent, project) as (this, documents):
        fields = documents.profile().to_json()
    if json:
        output.say_json(fields)
        return
    for name, value in fields.items():
        output.say(f"{name}: {(value if isinstance(value, str) else repr(value))}")
    if not fields:
        this.note("the profile is empty; `zeroclaw memory profile set --timezone Europe/Berlin` begins it")


@anybody
def set_(
    ctx: typer.Context,
    timezone: Annotated[
        str | None, typer.Option("--timezone", metavar="TZ", help="An IANA name such as Europe/Berlin.")
    ] = None,
    locale: Annotated[str | None, typer.Option("--locale", metavar="TAG", help="A language tag such as de-DE.")] = None,
    location: Annotated[
        str | None,
        typer.Option("--location", metavar="TEXT", help="Where the user is, in words.", callback=text_or_stdin),
    ] = None,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Set fields of the profile; the others stay."""
    if timezone is None and locale is None and location is None:
        raise UsageError("nothing to set is named", hint="pass --timezone, --locale or --location")
    values = {"timezone": timezone, "locale": locale, "location": location}
    with opened_documents(ctx, backend, agent, project) as (_, documents):
        documents.set_profile(**values)
        if json:
            output.say_json({"status": "ok"})
        else:
            output.say(f"Set {', '.join(name for name, value in values.items() if value is not None)}.")
