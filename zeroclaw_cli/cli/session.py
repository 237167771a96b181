"""One run of the command: the global options, and what is computed from them once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.errors import LossWarning

if TYPE_CHECKING:
    from zeroclaw_cli.cli.memory.layer_options import LayerOptions
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.operations.beside import Beside
    from zeroclaw_cli.wasm.host import HostOptions

# The option that every command with data takes.
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Answer yes to the question.")]


@dataclass
class Session:
    """Global options of cli.md, Everywhere. ``json`` is true when ``--json`` stands anywhere on the line,
    ``stdin_is_read`` once a text was read from there.

    While a memory command runs, ``beside`` is the provider of ``memory.provider``, if there is one, and ``layers`` are
    its options for the layers.
    """

    config_dir: str | None = None
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    no_cache: bool = False
    json: bool = False
    stdin_is_read: bool = False
    beside: Beside | None = None
    layers: LayerOptions | None = None
    _config: Config | None = None

    def config(self) -> Config:
        """The typed config of this run, read once; its warnings go to stderr."""
        if self._config is None:
            self._config = self.read_config()
            for warning in self._config.warnings:
                self.warn(warning)
            if self.verbose:
                for name in self._config.ignored_overrides:
                    self.note(f"{name} is not one of ours and is ignored")
        return self._config

    def read_config(self) -> Config:
        """The typed config, read now; its warnings are the caller's to show."""
        from zeroclaw_cli.config.load import load

        return load(self.config_dir, os.environ)

    def host_options(self) -> HostOptions:
        """How the WebAssembly host of this run behaves: cache, progress and guest logs."""
        from zeroclaw_cli.wasm.host import HostOptions

        return HostOptions(
            use_cache=not (self.no_cache or bool(os.environ.get("ZEROCLAW_NO_CACHE"))),
            progress=None if self.quiet else output.talk,
            log=output.show_log_record if self.verbose else None,
        )

    def warn(self, text: str) -> None:
        """A warning for the person; ``-q`` silences it, unless it tells of a loss."""
        if isinstance(text, LossWarning) or not self.quiet:
            output.talk(f"warning: {output.commands_here(output.printable(text))}")

    def note(self, text: str) -> None:
        """Talk that is neither data nor a warning, for instance the next step; ``-q`` silences it."""
        if not self.quiet:
            output.talk(output.commands_here(output.printable(text)))


def session(ctx: typer.Context) -> Session:
    """The session of a command's context."""
    found = ctx.find_object(Session)
    assert found is not None
    return found
