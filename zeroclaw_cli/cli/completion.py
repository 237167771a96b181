"""``zeroclaw completion``: show or install the completion script of a shell."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.app import new_typer
from zeroclaw_cli.cli.session import Json, session
from zeroclaw_cli.errors import UsageError


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def add(app: typer.Typer) -> None:
    """Add the group to the application."""
    group = new_typer("Install or print the completion script of a shell.")
    group.command("show")(show)
    group.command("install")(install)
    app.add_typer(group, name="completion")


@anybody
def show(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell.")]) -> None:
    """Print the completion script of SHELL."""
    from zeroclaw_cli.cli.completion_scripts import BY_SHELL

    output.say_text(BY_SHELL[shell.value].rstrip("\n"))


@anybody
def install(
    ctx: typer.Context,
    shell: Annotated[
        Shell | None, typer.Argument(metavar="[SHELL]", help="bash, zsh, fish or powershell; $SHELL by default.")
    ] = None,
    json: Json = False,
) -> None:
    """Install the completion script where the shell looks for it."""
    from zeroclaw_cli.cli.completion_scripts import BY_SHELL
    from zeroclaw_cli.fsio import atomic_write

    chosen = shell or _shell_of_environment()
    path, next_step = _place(chosen, _home())
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, BY_SHELL[chosen.value].encode(), mode=0o644)
    if json:
        output.say_json({"shell": chosen.value, "path": str(path)})
    else:
        output.say(f"Installed {path}.")
    session(ctx).note(next_step)


def _home() -> Path:
    from zeroclaw_cli.config.locations import expand_user, is_unexpanded

    home = expand_user("~", os.environ)
    if is_unexpanded(home):
        raise UsageError("the home folder is not known", hint="set HOME, or use `zeroclaw completion show SHELL`")
    return Path(home)


def _shell_of_environment() -> Shell:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in set(Shell):
        raise UsageError("the shell is not known from $SHELL", hint=f"name it: {', '.join(Shell)}")
    return Shell(name)


def _place(shell: Shell, home: Path) -> tuple[Path, str]:
    # Where each shell looks by itself, or the line that a person adds once.
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    if shell is Shell.BASH:
        path = data / "bash-completion" / "completions" / "zeroclaw"
        return path, f"open a new shell; without the bash-completion package add `source {path}` to ~/.bashrc"
    if shell is Shell.FISH:
        return config / "fish" / "completions" / "zeroclaw.fish", "open a new shell"
    if shell is Shell.ZSH:
        path = data / "zsh" / "site-functions" / "_zeroclaw"
        return path, f"add `fpath+=({path.parent})` to ~/.zshrc before `compinit`, then open a new shell"
    path = config / "powershell" / "zeroclaw.ps1"
    return path, f"add `. {path}` to your PowerShell $PROFILE, then open a new shell"
