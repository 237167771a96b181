"""``plugin trust`` and ``plugin adopt-data``: what only the operator may decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody, person
from zeroclaw_cli.cli.app import new_typer
from zeroclaw_cli.cli.plugin.change import warn_of_what_stops
from zeroclaw_cli.cli.plugin.show import Name
from zeroclaw_cli.cli.session import Json, session

if TYPE_CHECKING:
    from zeroclaw_cli.plugins.switches import Trust

Key = Annotated[str, typer.Argument(metavar="KEY", help="A publisher's public key, 64 hex digits.")]


def add(group: typer.Typer) -> None:
    trust = new_typer("The publishers whose signatures count.")
    trust.command("add")(trust_add)
    trust.command("list")(trust_list)
    trust.command("remove")(trust_remove)
    group.add_typer(trust, name="trust")
    group.command("adopt-data")(adopt_data)


@person("trusting a publisher")
def trust_add(ctx: typer.Context, key: Key, json: Json = False) -> None:
    """Trust a publisher."""
    from zeroclaw_cli.config.model import SignatureMode
    from zeroclaw_cli.plugins import switches

    this = session(ctx)
    result = switches.trust_add(this.config(), key)
    _say_trust(result, as_json=json, done="Trusted" if result.changed else "Already trusted:", key=key)
    if this.config().plugins.security.signature_mode is SignatureMode.DISABLED:
        this.note("signatures are not checked yet; next: zeroclaw config set plugins.security.signature_mode strict")


@anybody
def trust_list(ctx: typer.Context, json: Json = False) -> None:
    """List the trusted publishers."""
    from zeroclaw_cli.plugins import switches

    this = session(ctx)
    result = switches.trust_list(this.config())
    if json:
        _say_trust(result, as_json=True)
        return
    for key in result.trusted:
        output.say(key)
    for key, reason in result.ignored:
        output.say(f"{key} does not count: {reason}")
    if not result.trusted:
        this.note("no publisher is trusted; `zeroclaw plugin trust add KEY` trusts one")


@person("no longer trusting a publisher")
def trust_remove(ctx: typer.Context, key: Key, json: Json = False) -> None:
    """Trust a publisher no more."""
    from zeroclaw_cli.plugins import switches

    this = session(ctx)
    before = this.config()
    _say_trust(switches.trust_remove(before, key), as_json=json, done="No longer trusted:", key=key)
    warn_of_what_stops(this, before, this.read_config())


@person("handing kept data to another package")
def adopt_data(ctx: typer.Context, name: Name, json: Json = False) -> None:
    """Hand kept data to the package that has its name now."""
    from zeroclaw_cli.plugins import owner

    this = session(ctx)
    result = owner.adopt(this.config(), name)
    previous = None if result.previous is None else result.previous.publisher
    if json:
        output.say_json(
            {
                "adopted": name,
                "data": str(result.data),
                "owner": result.owner.publisher,
                "previous": previous,
                "changed": result.changed,
            }
        )
    elif result.changed:
        before = "" if previous is None else f", before that to {previous}"
        output.say(f"The data of {name} belongs to {result.owner.publisher} now{before}.")
    else:
        output.say(f"The data of {name} belongs to {result.owner.publisher} already.")


def _say_trust(result: Trust, *, as_json: bool, done: str = "", key: str = "") -> None:
    if as_json:
        output.say_json(
            {
                "trusted": list(result.trusted),
                "revoked": list(result.revoked),
                "ignored": [{"key": key, "reason": reason} for key, reason in result.ignored],
                "changed": result.changed,
            }
        )
    else:
        output.say(f"{done} {key.strip()}")
