"""``plugin update``, ``outdated`` and ``rollback``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody, person
from zeroclaw_cli.cli.plugin.show import Name
from zeroclaw_cli.cli.session import Json, Session, session
from zeroclaw_cli.errors import UsageError

if TYPE_CHECKING:
    from zeroclaw_cli.plugins.update import Outcome, Updated


def add(group: typer.Typer) -> None:
    group.command("update")(update)
    group.command("outdated")(outdated)
    group.command("rollback")(rollback)


@person("updating a plugin", unless=("dry_run",))
def update(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One package; or pass --all.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every installed package.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the new versions and show what would change.")
    ] = False,
    allow_downgrade: Annotated[
        bool, typer.Option("--allow-downgrade", help="Take a version that is not newer, too.")
    ] = False,
    json: Json = False,
) -> None:
    """Update packages from their sources.

    Data and config stay.
    """
    from zeroclaw_cli.backends import component_probe
    from zeroclaw_cli.plugins import update as domain

    if (name is None) != every:
        both = "NAME and --all exclude each other"
        raise UsageError(
            both if every else "nothing is named to be updated", hint="pass the NAME of a package, or --all"
        )
    this = session(ctx)
    config = this.config()
    outcomes = domain.update(
        config,
        None if name is None else [name],
        probe=component_probe(config, this.host_options()),
        allow_downgrade=allow_downgrade,
        dry_run=dry_run,
    )
    verbs = ("Would update", "is current") if dry_run else ("Updated", "is current")
    done = _say_all(this, outcomes, verbs, as_json=json, extra={"dry_run": True} if dry_run else {})
    if not dry_run:
        for outcome in done:
            if isinstance(outcome, domain.Updated):
                this.note(f"undo it: zeroclaw plugin rollback {outcome.name}")
    _leave(this, done)


@anybody
def outdated(ctx: typer.Context, json: Json = False) -> None:
    """Show which packages have a newer version at their source.

    Nothing is changed.
    """
    from zeroclaw_cli.plugins import update as domain

    this = session(ctx)
    outcomes = domain.outdated(this.config())
    done = _say_all(this, outcomes, ("Outdated:", None), as_json=json, extra={})
    if done and all(isinstance(outcome, domain.Current) for outcome in done):
        this.note("every package is current")
    _leave(this, done)


@person("rolling a plugin back")
def rollback(ctx: typer.Context, name: Name, json: Json = False) -> None:
    """Go back to the previous version of a package.

    That is the version before the last update or replacement.
    """
    from zeroclaw_cli.backends import component_probe
    from zeroclaw_cli.plugins import update as domain

    this = session(ctx)
    config = this.config()
    done = domain.rollback(config, name, probe=component_probe(config, this.host_options()))
    _say_all(this, iter([done]), ("Rolled back", None), as_json=json, extra={})
    this.note(f"undo it: zeroclaw plugin rollback {done.name}")


def _say_all(
    this: Session,
    outcomes: Iterator[Outcome],
    verbs: tuple[str, str | None],
    *,
    as_json: bool,
    extra: dict[str, Any],
) -> list[Outcome]:
    """Show each outcome as it comes, or all as one JSON document; ``verbs`` of what changes and of what is current."""
    from zeroclaw_cli.plugins.update import Current, Failed, Updated

    changes, current = verbs
    done: list[Outcome] = []
    for outcome in outcomes:
        done.append(outcome)
        if as_json:
            continue
        if isinstance(outcome, Updated):
            output.say(f"{changes} {outcome.name} v{outcome.before} to v{outcome.after}.")
            _warn(this, outcome)
        elif isinstance(outcome, Failed):
            output.talk(f"error: {outcome.name}: {outcome.reason}")
            if outcome.hint is not None:
                output.talk(f"hint: {outcome.hint}")
        elif current is not None:
            output.say(f"{outcome.name} v{outcome.version} {current}.")
    if as_json:
        body = {
            "updated": [_changed_json(outcome) for outcome in done if isinstance(outcome, Updated)],
            "current": [
                {"name": outcome.name, "version": outcome.version} for outcome in done if isinstance(outcome, Current)
            ],
            "failed": [
                {"name": outcome.name, "code": outcome.code, "reason": outcome.reason, "hint": outcome.hint}
                for outcome in done
                if isinstance(outcome, Failed)
            ],
        }
        output.say_json(body | extra)
        for outcome in done:
            if isinstance(outcome, Updated):
                _warn(this, outcome)
    return done


def _changed_json(outcome: Updated) -> dict[str, Any]:
    return {
        "name": outcome.name,
        "from": outcome.before,
        "to": outcome.after,
        "warnings": list(outcome.warnings),
    }


def _warn(this: Session, outcome: Updated) -> None:
    for warning in outcome.warnings:
        this.warn(warning)


def _leave(this: Session, done: list[Outcome]) -> None:
    from zeroclaw_cli.plugins.update import exit_code

    if not done:
        this.note("no plugins are installed; `zeroclaw plugin install DIR` installs one")
    code = exit_code(done)
    if code:
        raise typer.Exit(code)
