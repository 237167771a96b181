"""``plugin install``, ``remove``, ``enable``, ``disable`` and ``migrate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody, person
from zeroclaw_cli.cli.plugin.show import Name, warn_of_legacy_entry
from zeroclaw_cli.cli.session import Json, Session, Yes, session
from zeroclaw_cli.operations import permissions

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.plugins.install import InstallResult


def add(group: typer.Typer) -> None:
    group.command("install")(install)
    group.command("remove")(remove)
    group.command("enable")(enable)
    group.command("disable")(disable)
    group.command("migrate")(migrate)


@person("installing a plugin", unless=("dry_run",))
def install(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A package's directory, or its manifest file.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of the installed one; data and config stay.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the package and show what would happen.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Answer yes to every question; a local package raises none.")
    ] = False,
    json: Json = False,
) -> None:
    """Install a package."""
    from zeroclaw_cli.backends import component_probe
    from zeroclaw_cli.plugins import install as domain
    from zeroclaw_cli.plugins.describe import plugin_json

    this = session(ctx)
    config = this.config()
    probe = component_probe(config, this.host_options())
    result = domain.install(config, source, probe=probe, replace=replace, dry_run=dry_run)
    if json:
        body = {
            "installed": plugin_json(config, result.package),
            "config_keys": [key.to_json() for key in result.config_keys],
            "changed": result.changed,
        }
        output.say_json(body | {"dry_run": True} if dry_run else body)
    else:
        output.say(_installed(result, source))
        if result.seeded is not None:
            output.say(f"Config key: plugins.entries.{result.seeded}")
    for warning in result.warnings:
        this.warn(warning)
    warn_of_legacy_entry(this, config, result.package)
    if not dry_run:
        if result.skipped is not None:
            this.note(f"undo it: zeroclaw plugin rollback {result.package.name}")
        _say_next_steps(this, config, result)


@person("removing a plugin")
def remove(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A package, or the directory of one that was skipped.")],
    purge_config: Annotated[bool, typer.Option("--purge-config", help="Its config entries, too.")] = False,
    purge_data: Annotated[bool, typer.Option("--purge-data", help="Also delete its memory.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Remove a package; its config and data stay unless purged."""
    from zeroclaw_cli.plugins import remove as domain

    this = session(ctx)
    config = this.config()
    if purge_data and not yes:
        data = domain.data_of(config, domain.find(config, name))
        question = f"Remove {name} and delete what it remembers in {data}?"
        if data is not None and not output.confirm(question, option="--yes"):
            this.note("nothing was removed")
            raise typer.Exit(1)
    result = domain.remove(config, name, purge_config=purge_config, purge_data=purge_data)
    if json:
        output.say_json({"removed": result.removed, "left": list(result.left)})
    else:
        output.say(f"Removed {result.removed}.")
        for line in result.left:
            output.say(f"Left: {line}")
    for warning in result.warnings:
        this.warn(warning)


@person("enabling a plugin")
def enable(ctx: typer.Context, name: Name, json: Json = False) -> None:
    """Switch a disabled package on again."""
    _switch(session(ctx), name, enabled=True, as_json=json)


@anybody
def disable(ctx: typer.Context, name: Name, json: Json = False) -> None:
    """Switch a package off; it stays installed."""
    _switch(session(ctx), name, enabled=False, as_json=json)


@person("moving plugins into the plugins folder")
def migrate(ctx: typer.Context, json: Json = False) -> None:
    """Move packages from legacy folders to the plugins folder."""
    from zeroclaw_cli.plugins import migrate as domain

    this = session(ctx)
    moves = domain.migrate(this.config())
    total = sum(len(move.moved) for move in moves)
    if json:
        output.say_json(
            {
                "migrated": [
                    {
                        "from": str(move.source),
                        "to": str(move.target),
                        "count": len(move.moved),
                        "moved": list(move.moved),
                        "skipped": list(move.skipped),
                    }
                    for move in moves
                ],
                "total": total,
            }
        )
    else:
        for move in moves:
            if move.moved:
                output.say(f"Moved {len(move.moved)} from {move.source} to {move.target}.")
        if not total:
            output.say("Nothing to migrate.")
    for move in moves:
        for name in move.skipped:
            this.warn(f"{move.source / name} stays: {move.target / name} exists already")
        for warning in move.warnings:
            this.warn(warning)
    if total:
        this.note("`zeroclaw plugin list --all` shows what became of them")


def _installed(result: InstallResult, source: str) -> str:
    manifest = result.package.manifest
    what = f"{manifest.name} v{manifest.version}"
    if not result.changed:
        return f"{what} is installed already, with the same contents."
    if result.replaced is not None:
        return f"{'Would replace' if result.dry_run else 'Replaced'} v{result.replaced} by {what} from {source}."
    if result.skipped is not None:
        what_was = f"{result.skipped.directory}, which was skipped ({result.skipped.code}),"
        return f"{'Would replace' if result.dry_run else 'Replaced'} {what_was} by {what} from {source}."
    return f"{'Would install' if result.dry_run else 'Installed'} {what} from {source}."


def _say_next_steps(this: Session, config: Config, result: InstallResult) -> None:
    """The commands between an installed package and a working one."""
    from zeroclaw_cli.plugins import gates
    from zeroclaw_cli.plugins.model import PluginCapability

    manifest = result.package.manifest
    steps = [
        f"zeroclaw config set plugins.entries.{key.key}.config.PROPERTY VALUE"
        for key in result.config_keys
        if result.seeded == key.key
    ]
    steps += gates.remedies(config, manifest)
    if manifest.has(PluginCapability.MEMORY):
        steps.append(f"zeroclaw memory store KEY TEXT --backend plugin.{manifest.name}")
        steps.append(f"zeroclaw memory recall QUERY --backend plugin.{manifest.name}")
    for step in steps:
        this.note(f"next: {step}")


def warn_of_what_stops(this: Session, before: Config, after: Config) -> None:
    """Warn of memory that served before a change of the plugins and does not after it."""
    from zeroclaw_cli.operations.layer_admin import topology_problems

    problems = topology_problems(this.host_options())
    known = problems(before)
    for problem in problems(after):
        if problem not in known:
            this.warn(f"{problem.message}; {problem.hint}")


def _switch(this: Session, name: str, *, enabled: bool, as_json: bool) -> None:
    from zeroclaw_cli.plugins import gates
    from zeroclaw_cli.plugins.describe import plugin_json
    from zeroclaw_cli.plugins.switches import set_enabled

    before = this.config()
    if not enabled:
        permissions.require_unused(before, name, f"disabling {name}")
    result = set_enabled(before, name, enabled=enabled)
    if as_json:
        output.say_json(plugin_json(result.config, result.package))
    else:
        word = "enabled" if enabled else "disabled"
        output.say(f"{name} is {word} now." if result.changed else f"{name} is {word} already.")
    if enabled:
        for step in gates.remedies(result.config, result.package.manifest):
            this.note(f"next: {step}")
        return
    warn_of_what_stops(this, before, result.config)
    if gates.selected_backend(result.config) == name:
        this.warn(
            f"memory.backend is plugin.{name}, so no memory command works while it is disabled; "
            "`zeroclaw config unset memory.backend` opens the built-in store"
        )
