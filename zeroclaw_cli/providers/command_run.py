"""``zeroclaw <provider> …``: the ``cli.py`` of a provider is imported and run (specs/memory-providers.md §13)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from zeroclaw_cli.errors import ProviderBroken, UsageError, ZeroclawError
from zeroclaw_cli.providers import loading, trust
from zeroclaw_cli.providers.commands import FILE, ProviderCommand
from zeroclaw_cli.providers.ends import ends_the_host
from zeroclaw_cli.providers.home import using_home
from zeroclaw_cli.providers.process import go_on


@dataclass(frozen=True, slots=True)
class LoadedCommand:
    """A command whose ``cli.py`` was imported: ``setup`` is its ``register_cli``, ``handler`` its own function for what
    was parsed, or None."""

    command: ProviderCommand
    setup: Callable[[argparse.ArgumentParser], Any]
    handler: Callable[[argparse.Namespace], Any] | None


def load_command(command: ProviderCommand, home: Path, *, hermes_compat: bool = False) -> LoadedCommand:
    """Import the ``cli.py`` of ``command``, its package's ``__init__`` not run.

    Raises ProviderUntrusted (or TrustDamaged) before any of its code runs, and ProviderBroken.
    """
    plugin = command.plugin
    tree = trust.approved_tree(home, plugin)
    with loading.entered(plugin, home, tree, hermes_compat=hermes_compat) as package:
        with loading.failing(plugin, tree, "has a command that does not load"):
            module = import_module(f"{package.name}.cli")
            setup = getattr(module, "register_cli", None)
            handler = getattr(module, f"{plugin.name.replace('-', '_')}_command", None)
        if not callable(setup):
            raise ProviderBroken(
                f"memory provider {plugin.name} has a {FILE} without a function register_cli",
                hint="write `def register_cli(subparser): …`, which adds options to an argparse parser",
            )
    return LoadedCommand(command, setup, handler if callable(handler) else None)


def run_command(command: ProviderCommand, home: Path, arguments: Sequence[str], *, hermes_compat: bool = False) -> int:
    """Run ``command`` with ``arguments``, the words behind its name, and return its exit code (P-50).

    What it prints is its own. Raises UsageError for arguments that it does not take, ZeroclawError for what its
    handler raises, and what :func:`load_command` raises.
    """
    loaded = load_command(command, home, hermes_compat=hermes_compat)
    # The parser would take this for a place to put its own name.
    described = None if "%(prog)" in command.help else command.help
    parser = _Parser(prog=f"zeroclaw {command.name}", description=described)
    with using_home(home):
        try:
            return _parsed_and_handled(loaded, parser, arguments)
        except SystemExit as done:
            return _exit_code(command.name, done)
        except BaseException as error:
            if _passes(error):
                raise
            raise _failed(command, error) from error


def _parsed_and_handled(loaded: LoadedCommand, parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    loaded.setup(parser)
    parsed = parser.parse_args(list(arguments))
    handler = loaded.handler or getattr(parsed, "func", None)
    go_on()
    if not callable(handler):
        parser.print_help(sys.stdout)
        return 2
    result = handler(parsed)
    return result & 0xFF if isinstance(result, int) and not isinstance(result, bool) else 0


def _passes(error: BaseException) -> bool:
    """Whether what came out of the command's code is the command line's own to report."""
    return ends_the_host(error) or isinstance(error, BrokenPipeError | ZeroclawError)


def _failed(command: ProviderCommand, error: BaseException) -> ZeroclawError:
    return ZeroclawError(
        f"{command.name}: {loading.describe(error, command.plugin.directory.resolve())}",
        hint="ZEROCLAW_DEBUG=1 shows where it comes from",
    )


def _exit_code(name: str, done: SystemExit) -> int:
    if done.code is None:
        return 0
    if isinstance(done.code, int):
        return done.code & 0xFF
    raise ZeroclawError(f"{name}: {' '.join(str(done.code).split())}") from done


class _Parser(argparse.ArgumentParser):
    """An argparse parser, its sub-parsers too, whose errors are this program's usage errors."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(" ".join(message.split()), hint=f"run `{self.prog} --help`")
