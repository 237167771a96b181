"""The Typer application and the one boundary where errors become text, JSON and exit codes (cli.md, Everywhere).

Command groups are imported and added only when the command line names them, since each import costs every start.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final

import click
import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.groups import CommandGroup, Sections
from zeroclaw_cli.cli.session import Session, session
from zeroclaw_cli.errors import Interrupted, UsageError, ZeroclawError

if TYPE_CHECKING:
    from zeroclaw_cli.cli.provider_commands import Added

# Command word -> module with ``add(app)``, and the line that ``zeroclaw --help`` shows.
GROUPS: Final[dict[str, str]] = {
    "plugin": "zeroclaw_cli.cli.plugin",
    "memory": "zeroclaw_cli.cli.memory",
    "config": "zeroclaw_cli.cli.config",
    "strategy": "zeroclaw_cli.cli.strategy",
    "demo": "zeroclaw_cli.cli.demo",
    "doctor": "zeroclaw_cli.cli.doctor",
    "completion": "zeroclaw_cli.cli.completion",
}
_TAKES_VALUE: Final = frozenset({"--config-dir"})


class _Terminated(BaseException):
    """SIGTERM or SIGHUP arrived; unwinds through every context manager."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def new_typer(help: str, sections: Sections | None = None) -> typer.Typer:
    """A Typer with the settings that every group shares; ``sections`` are those of its help."""
    return typer.Typer(
        cls=CommandGroup if sections is None else type("SectionedGroup", (CommandGroup,), {"sections": sections}),
        help=help,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def build(words: Sequence[str], provider: Added | None = None) -> typer.Typer:
    """The application with what ``words`` (a command line) needs; all of it when they name no command. ``provider`` is
    the command of the active memory provider, where it may be called or listed."""
    app = new_typer("Manage plugins of AI agents and run their memory.")
    app.callback()(_global_options)
    names = _command_words(words)
    asks_for_help = "--help" in words or "-h" in words
    if provider is not None and provider.called:
        provider.add(app)
        return app
    for name in names[:1] if names and names[0] in GROUPS else list(GROUPS):
        module = import_module(GROUPS[name])
        if name == "memory" and len(names) > 1 and not asks_for_help:
            module.add(app, names[1])
        else:
            module.add(app)
    if provider is not None:
        provider.add(app)
    if not asks_for_help:
        _keep_only_named(app, names)
    return app


def _keep_only_named(app: typer.Typer, names: Sequence[str]) -> None:
    # Typer turns every registered function into a command before it looks at the line, at 2 ms each.
    for name in names:
        commands = [command for command in app.registered_commands if command.name == name]
        groups = [group for group in app.registered_groups if group.name == name]
        if not commands and not groups:
            return
        app.registered_commands = commands
        app.registered_groups = groups
        if not groups or groups[0].typer_instance is None:
            return
        app = groups[0].typer_instance


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Never raises; ``ZEROCLAW_DEBUG=1`` shows the traceback too."""
    as_json = _wants_json(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        # What a caller chose to ignore (nohup) stays ignored.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _on_termination)
    try:
        code = _invoke(arguments)
        _flush_stdout()
        return code
    except BrokenPipeError:
        return _closed_pipe()
    except _Terminated as terminated:
        return 128 + terminated.number
    except KeyboardInterrupt:
        return _report(Interrupted("interrupted"), as_json)
    except ZeroclawError as error:
        return _report(error, as_json)
    except OSError as error:
        from zeroclaw_cli.os_errors import failure

        return _report(failure(error), as_json)
    except Exception as error:  # noqa: BLE001 - the last net: a traceback helps nobody who only uses the program
        return _report(_unexpected(error), as_json)


def _invoke(arguments: Sequence[str]) -> int:
    # What warns before the command runs names commands too.
    output.use_config_dir(_config_dir(arguments[: _position_of_command(arguments)]))
    # Not command.main(): it turns a closed pipe into exit code 1.
    command = typer.main.get_command(build(arguments, _provider_command(arguments)))
    started = Session(json=_wants_json(arguments))
    try:
        with command.make_context("zeroclaw", list(arguments), obj=started) as context:
            command.invoke(context)
    except click.exceptions.NoArgsIsHelpError as error:
        output.say_text(error.format_message())
        return 2
    except click.ClickException as error:
        raise _usage(error) from None
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    return 0


def _provider_command(arguments: Sequence[str]) -> Added | None:
    names = _command_words(arguments)
    if names and names[0] in GROUPS:
        return None
    from zeroclaw_cli.cli import provider_commands

    position = _position_of_command(arguments)
    return provider_commands.find(arguments, position, _config_dir(arguments[:position]))


def _config_dir(options: Sequence[str]) -> str | None:
    found = None
    for number, word in enumerate(options):
        if word == "--config-dir" and number + 1 < len(options):
            found = options[number + 1]
        elif word.startswith("--config-dir="):
            found = word.partition("=")[2]
    return found


def _version(value: bool) -> None:
    if value:
        from zeroclaw_cli import __version__

        output.say(f"zeroclaw {__version__}")
        raise typer.Exit


def _global_options(
    ctx: typer.Context,
    config_dir: Annotated[
        str | None, typer.Option("--config-dir", metavar="DIR", help="Where config.toml and plugins/ are.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No warnings and no progress.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more on stderr.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours.")] = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Recompile components instead of using the cache.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    this = session(ctx)
    this.config_dir = config_dir
    this.quiet = quiet
    this.verbose = verbose
    this.no_color = no_color
    this.no_cache = no_cache
    this.command = ctx.invoked_subcommand


def _command_words(words: Sequence[str]) -> list[str]:
    # The words that are not options, from the first on: a command, its command, and arguments.
    position = _position_of_command(words)
    return [] if position is None else [word for word in words[position:] if not word.startswith("-")]


def _position_of_command(words: Sequence[str]) -> int | None:
    skip = False
    for position, word in enumerate(words):
        if skip:
            skip = False
        elif word in _TAKES_VALUE:
            skip = True
        elif not word.startswith("-"):
            return position
    return None


def _wants_json(arguments: Sequence[str]) -> bool:
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    return "--json" in words[:end]


# What click calls its own types, and what a person calls them.
_KINDS_OF_NUMBERS: Final = {
    "is not a valid integer range": "is not a whole number",
    "is not a valid integer": "is not a whole number",
    "is not a valid float range": "is not a number",
    "is not a valid float": "is not a number",
}


def _usage(error: click.ClickException) -> UsageError:
    message = " ".join(error.format_message().split()).rstrip(".")
    for kind, words in _KINDS_OF_NUMBERS.items():
        message = message.replace(kind, words) if message.endswith(kind) else message
    context = getattr(error, "ctx", None) or click.get_current_context(silent=True)
    where = context.command_path if context is not None else "zeroclaw"
    hint = f"run `{where} --help`"
    if isinstance(error, click.NoSuchOption) and not error.possibilities and _takes_values(context):
        hint += "; a value that begins with - goes after --"
    return UsageError(message[:1].lower() + message[1:], hint=hint)


def _takes_values(context: click.Context | None) -> bool:
    return context is not None and any(isinstance(one, click.Argument) for one in context.command.params)


def _flush_stdout() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _closed_pipe()
        raise ZeroclawError(
            f"stdout cannot be written: {error.strerror or error}", hint="free some space, or send the output elsewhere"
        ) from None


def _unexpected(error: Exception) -> ZeroclawError:
    """What nothing below has turned into an error of ours: a fault of this program, or of code that it runs."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - its class may be a provider's
        text = ""
    if "zeroclaw_cli.providers.env_file" in sys.modules:
        from zeroclaw_cli.providers.shown import shown

        text = shown(text)
    found = ZeroclawError(
        f"an unexpected {type(error).__name__}{f': {text}' if text else ''}",
        hint="ZEROCLAW_DEBUG=1 shows where it comes from; please report it",
    )
    found.__cause__ = error
    return found


def _report(error: ZeroclawError, as_json: bool) -> int:
    if os.environ.get("ZEROCLAW_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    _quietly(sys.stdout.flush)
    if as_json:
        _quietly(lambda: output.talk_json(error.to_json()))
        return error.exit_code
    _quietly(lambda: output.talk(f"error: {error.message}"))
    if error.hint:
        _quietly(lambda: output.talk(f"hint: {error.hint}"))
    return error.exit_code


def _quietly(action: Callable[[], Any]) -> None:
    try:
        action()
    except OSError:
        _closed_pipe()


def _closed_pipe() -> int:
    # The interpreter flushes both streams once more at exit; a pipe that is gone must not make it complain.
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(quiet, stream.fileno())
    return 141


def _on_termination(number: int, _frame: object) -> None:
    raise _Terminated(number)
