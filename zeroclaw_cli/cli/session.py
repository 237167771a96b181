"""One run of the command: the global options, and what is computed from them once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.errors import LossWarning

if TYPE_CHECKING:
    from zeroclaw_cli.cli.memory.layer_choice import LayerOptions
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.operations.notified_provider import NotifiedProvider
    from zeroclaw_cli.wasm.host import HostOptions

# The option that every command with data takes.
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Answer yes to the question.")]

# The sections of config.toml that the commands of a group use.
_SECTIONS_OF: Final = {
    "memory": ("memory", "plugins"),
    "plugin": ("plugins", "secrets", "channels"),
    "strategy": ("memory",),
}
_MOST_NAMED: Final = 5


@dataclass
class Session:
    """Global options of cli.md, Everywhere. ``json`` is true when ``--json`` stands anywhere on the line,
    ``stdin_is_read`` once a text was read from there.

    ``command`` is the first word of the command, such as ``memory``. While a memory command runs, ``provider`` is the
    one of ``memory.provider``, if there is one, and ``layers`` are its options for the layers.
    """

    config_dir: str | None = None
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    no_cache: bool = False
    json: bool = False
    stdin_is_read: bool = False
    command: str | None = None
    provider: NotifiedProvider | None = None
    layers: LayerOptions | None = None
    _config: Config | None = None

    def config(self) -> Config:
        """The typed config of this run, read once; its warnings go to stderr."""
        if self._config is None:
            self._config = self.read_config()
            for warning in self._config.warnings:
                self.warn(warning)
            self._warn_of_unknown_keys(self._config)
            if self.verbose:
                for name in self._config.ignored_overrides:
                    self.note(f"{name} is not one of ours and is ignored")
        return self._config

    def _warn_of_unknown_keys(self, config: Config) -> None:
        """One line for each section that the command uses; the other program may know keys of it that we do not."""
        from zeroclaw_cli.config.unknown import section_of

        used = _SECTIONS_OF.get(self.command or "", ())
        for section in used if config.unknown else ():
            names = [problem.path for problem in config.unknown if section_of(problem) == section]
            if names:
                more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
                listed = ", ".join(names[:_MOST_NAMED]) + more
                what = "keys that are" if len(names) > 1 else "a key that is"
                self.warn(f"config.toml has {what} unknown here: {listed}; `zeroclaw doctor` says more")

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
            output.talk(f"warning: {text}")

    def note(self, text: str) -> None:
        """Talk that is neither data nor a warning, for instance the next step; ``-q`` silences it."""
        if not self.quiet:
            output.talk(text)


def session(ctx: typer.Context) -> Session:
    """The session of a command's context."""
    found = ctx.find_object(Session)
    assert found is not None
    return found
