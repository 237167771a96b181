"""``plugin check`` and ``plugin verify``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody, person
from zeroclaw_cli.cli.plugin.show import say_signature
from zeroclaw_cli.cli.session import Json, session
from zeroclaw_cli.errors import UsageError

if TYPE_CHECKING:
    from zeroclaw_cli.plugins.verify import Verified


def add(group: typer.Typer) -> None:
    group.command("check")(check)
    group.command("verify")(verify)


@anybody
def check(
    ctx: typer.Context,
    directory: Annotated[str, typer.Argument(metavar="DIR", help="A package that need not be installed.")],
    json: Json = False,
) -> None:
    """Check a package against every rule without installing it.

    Nothing of the package is run.
    """
    from zeroclaw_cli.backends import component_probe
    from zeroclaw_cli.plugins import check as domain

    this = session(ctx)
    config = this.config()
    report = domain.check(directory, config, component_probe(config, this.host_options()))
    if json:
        checks = [
            {"id": found.id, "ok": found.ok, "detail": found.detail, "hint": found.hint} for found in report.checks
        ]
        output.say_json({"ok": report.ok, "checks": checks})
    else:
        for found in report.checks:
            output.say(f"{'ok' if found.ok else 'FAILED':6} {found.id}: {found.detail}")
            if found.hint is not None:
                output.say(f"       {'' if found.ok else 'hint: '}{found.hint}")
    if not report.ok:
        failed = sum(not found.ok for found in report.checks)
        this.note(f"{failed} of {len(report.checks)} checks failed")
        raise typer.Exit(1)


@person("accepting changed files of a plugin", only=("accept",))
def verify(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One package; all when left out.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Everything in the plugins folder.")] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Accept the installed files: record them in plugins.lock.")
    ] = False,
    json: Json = False,
) -> None:
    """Check files, signatures and loading of installed packages."""
    from zeroclaw_cli.backends import component_probe
    from zeroclaw_cli.plugins import verify as domain
    from zeroclaw_cli.plugins.describe import signature_json

    if name is not None and every:
        raise UsageError("NAME and --all exclude each other", hint="pass one of them")
    this = session(ctx)
    config = this.config()
    probe = component_probe(config, this.host_options())
    report = domain.verify(config, None if name is None else [name], accept=accept, probe=probe)
    if json:
        plugins = [
            {
                "name": found.name,
                "ok": found.ok,
                "signature": None if found.signature is None else signature_json(found.signature),
                "digests": None if found.digests is None else asdict(found.digests),
                "problems": list(found.problems),
            }
            for found in report.packages
        ]
        output.say_json({"ok": report.ok, "plugins": plugins})
    else:
        for found in report.packages:
            _say_verified(found)
    for warning in (warning for found in report.packages for warning in found.warnings):
        this.warn(warning)
    for accepted in report.accepted:
        this.note(f"{accepted} was recorded in plugins.lock as it is now")
    if not report.packages:
        this.note("no plugins are installed; `zeroclaw plugin install DIR` installs one")
    if not report.ok:
        raise typer.Exit(1)


def _say_verified(found: Verified) -> None:
    name = found.name
    if found.signature is not None:
        locked = "locked" if found.locked else "not locked"
        output.say(f"{'ok' if found.ok else 'FAILED':6} {name}: {say_signature(found.signature)}; {locked}")
    else:
        output.say(f"FAILED {name}")
    for problem in found.problems:
        output.say(f"       {problem}")
