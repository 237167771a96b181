"""``zeroclaw demo``: the main job end to end, in a temporary config folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.arguments import path_argument
from zeroclaw_cli.cli.inputs import output_place
from zeroclaw_cli.cli.session import Json, Session, session

if TYPE_CHECKING:
    from zeroclaw_cli.operations.demo import Step


def add(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("demo")(demo)


@anybody
def demo(
    ctx: typer.Context,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the temporary config folder.")] = False,
    package: Annotated[
        str | None, typer.Option("--package", metavar="DIR", help="Make the example package here, and keep it.")
    ] = None,
    json: Json = False,
) -> None:
    """Show the main job end to end with the example plugin.

    Every command is printed before it runs.
    """
    from tempfile import TemporaryDirectory, mkdtemp

    kept = None
    if package is not None:
        kept = output_place(session(ctx), path_argument(package, "--package"), "--package")
    if keep:
        folder = Path(mkdtemp(prefix="zeroclaw-demo-"))
        _show(folder, kept, session(ctx), as_json=json)
        this = session(ctx)
        made = kept or folder / "package"
        this.note(f"the package is in {made}; try it: zeroclaw plugin install {made}")
        this.note(
            f"what the demo made is in {folder / 'config'}: zeroclaw --config-dir {folder / 'config'} memory list"
        )
        return
    with TemporaryDirectory(prefix="zeroclaw-demo-") as name:
        _show(Path(name), kept, session(ctx), as_json=json)


def _show(folder: Path, package: Path | None, this: Session, *, as_json: bool) -> None:
    from zeroclaw_cli.operations.demo import run_demo

    steps = []
    for step in run_demo(folder, package):
        steps.append(step)
        if not as_json:
            _say_step(step, this)
    ok = steps[-1].exit_code == 0
    if as_json:
        output.say_json(
            {
                "ok": ok,
                "steps": [
                    {
                        "command": step.command,
                        "purpose": step.purpose,
                        "exit_code": step.exit_code,
                        "stdout": step.stdout,
                        "stderr": step.stderr,
                    }
                    for step in steps
                ],
            }
        )
    if not ok:
        this.note(f"the demo stopped: `{steps[-1].command}` ended with exit code {steps[-1].exit_code}")
        raise typer.Exit(1)
    this.note("the demo is complete; your own plugins, config and memory were not touched")


def _say_step(step: Step, this: Session) -> None:
    output.say()
    output.say(f"# {step.purpose}")
    output.say_text(f"$ {step.command}")
    for line in step.stdout.splitlines():
        output.say_text(line)
    for line in step.stderr.splitlines():
        this.note(line)
