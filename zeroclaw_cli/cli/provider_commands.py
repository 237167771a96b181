"""``zeroclaw <provider> …``, the commands of the active memory provider. Its code is imported when they are called."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.provider_hint import may_name_a_provider
from zeroclaw_cli.cli.session import session
from zeroclaw_cli.errors import ZeroclawError, explain

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.providers.commands import ProviderCommand


class Added(NamedTuple):
    """The command of the active provider. ``called``: the line is a call of it, with ``arguments`` behind its name;
    otherwise it is only listed."""

    config: Config
    command: ProviderCommand
    called: bool
    arguments: tuple[str, ...]

    def add(self, app: typer.Typer) -> None:
        """Add the command to the application."""
        # The provider's own parser takes the words as they were typed, `--help` too.
        settings = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": list[str]()}
        app.command(self.command.name, help=self.command.help, add_help_option=False, context_settings=settings)(
            self._run
        )

    def _run(self, ctx: typer.Context) -> None:
        from zeroclaw_cli.cli.logged import show
        from zeroclaw_cli.operations import permissions
        from zeroclaw_cli.providers.command_run import run_command

        # What it may do with its own memory is only its own to say.
        permissions.require_layers(self.config, f"a command of the provider {self.command.name}")
        show(session(ctx))
        for warning in self.config.warnings:
            session(ctx).warn(warning)
        location, host = self.config.location, self.config.memory.providers_host
        code = run_command(self.command, location.config_dir, self.arguments, hermes_compat=host.hermes_compat)
        raise typer.Exit(code)


def find(words: Sequence[str], position: int | None, config_dir: str | None) -> Added | None:
    """The command of the active provider, for a line that names it or asks which commands there are; else None.

    ``words`` is the command line, ``position`` the index of its first word that is not an option, ``config_dir`` the
    value of ``--config-dir``. No code of a plugin is imported. An unreadable config, or a provider with the name
    of a command, is a warning.
    """
    options = words[:position]
    if position is None and not may_name_a_provider(config_dir):
        return None
    try:
        from zeroclaw_cli.config.load import load

        config = load(config_dir, os.environ)
        name = config.memory.provider.strip()
        if not name or (position is not None and words[position] != name):
            return None
        from zeroclaw_cli.providers.commands import find_command

        command, warning = find_command(config.location.config_dir, name, os.environ, Path.cwd())
    except (ZeroclawError, OSError) as error:
        command, warning = None, explain(error)
    if warning is not None and not {"-q", "--quiet"}.intersection(options):
        output.talk(f"warning: {warning}")
    if command is None:
        return None
    called = position is not None and not {"-h", "--help"}.intersection(options)
    return Added(config, command, called, tuple(words[position + 1 :]) if position is not None else ())
