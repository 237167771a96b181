"""``zeroclaw config``: read and change config.toml (cli.md, config; specs/zeroclaw.md §5.3)."""

from __future__ import annotations

import os
import sys
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody, person
from zeroclaw_cli.cli.app import new_typer
from zeroclaw_cli.cli.inputs import read_text, text_or_stdin
from zeroclaw_cli.cli.session import Json, Session, session
from zeroclaw_cli.errors import ConfigError, Damaged, UsageError, ZeroclawError
from zeroclaw_cli.memory.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zeroclaw_cli.config.edit import Change, Rule
    from zeroclaw_cli.config.listing import Item
    from zeroclaw_cli.config.model import Config, Location, Problem

PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="Dotted path, for instance plugins.enabled.")]


def add(app: typer.Typer) -> None:
    """Add the group to the application."""
    group = new_typer("Read and change config.toml.")
    group.command("get")(get)
    group.command("set", context_settings={"ignore_unknown_options": True})(set_)
    group.command("unset")(unset)
    group.command("list")(list_)
    group.command("path")(path_)
    group.command("edit")(edit)
    group.command("schema")(schema)
    group.command("init")(init)
    group.command("migrate")(migrate)
    group.command("patch")(patch)
    app.add_typer(group, name="config")


@anybody
def get(ctx: typer.Context, path: PathArgument, json: Json = False) -> None:
    """Print one value; of a secret only whether it is set."""
    from zeroclaw_cli.config.listing import get_item

    item = get_item(session(ctx).config(), path)
    if json:
        output.say_json(_envelope(item.path, item.value, item.populated))
    elif item.secret:
        output.say(f"{item.path} is {'set' if item.populated else 'not set'}")
    else:
        value = item.value or ""
        output.say_value(value)


@anybody
def set_(
    ctx: typer.Context,
    path: PathArgument,
    value: Annotated[
        str | None, typer.Argument(metavar="[VALUE]", help="The new value; - reads it from stdin.")
    ] = None,
    no_interactive: Annotated[
        bool, typer.Option("--no-interactive", help="Take a secret from VALUE instead of asking for it.")
    ] = False,
    comment: Annotated[
        str | None,
        typer.Option("--comment", metavar="TEXT", help="Replace the comment above the key; empty removes it."),
    ] = None,
    json: Json = False,
) -> None:
    """Set one value.

    A value that equals the default is removed from the file.
    """
    from zeroclaw_cli.config.edit import set_value, target_of

    this = session(ctx)
    config = this.config()
    _refuse_option(value)
    target = target_of(config, path, create=True)
    if target.field.secret:
        text = _secret(this, target.name, value, no_interactive=no_interactive)
    elif value is None:
        raise UsageError(f"no value for {target.name}", hint=f"`zeroclaw config set {quote(target.name)} VALUE`")
    else:
        text = text_or_stdin(ctx, value)
    change = set_value(config.location, os.environ, path, text, comment=comment, rules=rules(this))
    _report(this, config, change, "updated.", as_json=json)
    tell_of_the_backend(this, config)


@anybody
def unset(ctx: typer.Context, path: PathArgument, json: Json = False) -> None:
    """Remove one value or one named table; absent already is fine."""
    from zeroclaw_cli.config.edit import unset_value

    this = session(ctx)
    config = this.config()
    change = unset_value(config.location, os.environ, path, rules=rules(this))
    _report(this, config, change, "unset.", as_json=json)
    tell_of_the_backend(this, config)


@anybody
def list_(
    ctx: typer.Context,
    filter: Annotated[
        str, typer.Option("--filter", "-f", metavar="PREFIX", help="Only paths that begin with PREFIX.")
    ] = "",
    secrets: Annotated[bool, typer.Option("--secrets", help="Only secrets, masked.")] = False,
    json: Json = False,
) -> None:
    """List every path with its value, type and origin."""
    from zeroclaw_cli.config.listing import list_items

    items = list(list_items(session(ctx).config(), prefix=filter, secrets_only=secrets))
    if json:
        output.say_json({"values": [_listed(item) for item in items]})
        return
    if not items:
        output.talk(f"nothing to list: no path begins with {filter}" if filter else "nothing to list")
        return
    output.say("💉 set by the environment   🔒 secret")
    table = None
    for item in items:
        if item.table != table:
            table = item.table
            output.say()
            output.say(f"[{table}]" if table else "[top level]")
        mark = "💉" if item.source == "env" else "  "
        lock = " 🔒" if item.secret else ""
        name, value = item.path, item.shown
        output.say(f"{mark}{name:<45} = {value:<20} ({item.type}){lock}")


@anybody
def path_(ctx: typer.Context, json: Json = False) -> None:
    """Print where config.toml is, though it may not exist yet."""
    location = _locate(session(ctx))
    if json:
        output.say_json(
            {
                "path": str(location.config_file),
                "config_dir": str(location.config_dir),
                "data_dir": str(location.data_dir),
                "source": location.source,
                "exists": location.config_file.exists(),
            }
        )
    else:
        output.say_value(str(location.config_file))


@anybody
def edit(ctx: typer.Context) -> None:
    """Edit config.toml in $VISUAL or $EDITOR.

    The file is replaced only by a valid text.
    """
    from zeroclaw_cli.cli.editor import edit_text, require_editing
    from zeroclaw_cli.config.edit import editable_text, replace_text
    from zeroclaw_cli.config.schema import SCHEMA_VERSION

    this = session(ctx)
    require_editing(os.environ)
    location = _locate(this)
    _warn_of_unknown_override(this)
    before = editable_text(location, os.environ)
    start = before if location.config_file.exists() else f"schema_version = {SCHEMA_VERSION}\n"

    def replace(text: str) -> bool:
        changed, warnings = replace_text(location, os.environ, before, text, rules=rules(this))
        for warning in warnings:
            this.warn(warning)
        return changed

    old = _readable(this)
    changed = edit_text(start, replace, os.environ)
    output.say(f"{location.config_file} {'updated' if changed else 'unchanged'}.")
    if old is not None and _readable(this) is not None:
        tell_of_the_backend(this, old)


@anybody
def schema(
    ctx: typer.Context,
    path: Annotated[str | None, typer.Option("--path", metavar="P", help="Only the schema of this path.")] = None,
    json: Json = False,
) -> None:
    """Print the JSON Schema (Draft 2020-12) of our sections."""
    from zeroclaw_cli.config.json_schema import json_schema

    output.say_json(json_schema(path))


@anybody
def init(
    ctx: typer.Context,
    section: Annotated[
        str | None, typer.Argument(metavar="[SECTION]", help="For instance plugins.limits; all of them without it.")
    ] = None,
    json: Json = False,
) -> None:
    """Add a commented template of what can be set.

    Existing settings are not touched.
    """
    from zeroclaw_cli.config.template import init_sections

    this = session(ctx)
    _require_known_overrides(this)
    location = _locate(this)
    result = init_sections(location, os.environ, section)
    if json:
        output.say_json({"written": list(result.written), "skipped": list(result.skipped), "changed": result.changed})
    else:
        for table in result.written:
            output.say(f"[{table}] written to {location.config_file}")
        if not result.written:
            output.say("nothing to add")
    for table in result.skipped:
        this.warn(f"[{table}] got no template: it is malformed, or written in a way that holds no comments")


@person("converting config.toml")
def migrate(ctx: typer.Context, json: Json = False) -> None:
    """Bring an older config.toml to the present schema.

    A backup is made first.
    """
    from zeroclaw_cli.config.migrate import migrate as run

    this = session(ctx)
    _require_known_overrides(this)
    location = _locate(this)
    result = run(location)
    if json:
        output.say_json(
            {
                "from_version": result.from_version,
                "to_version": result.to_version,
                "backup": None if result.backup is None else str(result.backup),
                "done": list(result.done),
                "remaining": list(result.remaining),
            }
        )
    else:
        for line in result.done or ("nothing to migrate",) * (not result.remaining):
            output.say(line)
        if result.backup is not None:
            output.say(f"the old file is {result.backup}")
    for line in result.remaining:
        this.warn(f"not converted: {line}; correct it with `zeroclaw config edit`")
    if result.remaining:
        raise typer.Exit(1)


@anybody
def patch(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="[FILE|-]", help="A JSON Patch; - or nothing: stdin.")] = "-",
    json: Json = False,
) -> None:
    """Apply a JSON Patch, all of it or nothing.

    The operations of RFC 6902 that are supported are add, replace, remove and test.
    """
    from zeroclaw_cli.config.patch import apply_patch, read_operations

    this = session(ctx)
    config = this.config()
    operations = read_operations(read_text(file, "FILE"))
    result = apply_patch(config.location, os.environ, operations, rules=rules(this))
    for warning in result.warnings:
        this.warn(warning)
    if json:
        output.say_json({"applied": result.applied, "paths": list(result.paths), "changed": result.changed})
    else:
        for name in result.paths:
            output.say(f"{name} updated.")
    tell_of_the_backend(this, config)


def _readable(this: Session) -> Config | None:
    try:
        return this.read_config()
    except ZeroclawError:
        return None


def tell_of_the_backend(this: Session, before: Config) -> None:
    """Warn of what a change of the config, which was ``before``, means for the memory commands."""
    from zeroclaw_cli.cli.logged import show
    from zeroclaw_cli.operations.backend_change import consequences
    from zeroclaw_cli.providers.streams import own_stdout

    after = this.read_config()
    if after.values == before.values:
        return
    show(this)
    with own_stdout():
        found = consequences(before, after, this.host_options())
    for warning in found:
        this.warn(warning)


def rules(this: Session) -> Sequence[Rule]:
    """The rules of higher floors for one change of the config."""
    from zeroclaw_cli.backends import config_problems
    from zeroclaw_cli.plugins.staging import folder_problems

    def topology(config: Config) -> Sequence[Problem]:
        if not config.memory.topology:
            return ()
        from zeroclaw_cli.operations.layer_admin import topology_problems

        return topology_problems(this.host_options())(config)

    return (_entry_keys_decode, folder_problems, config_problems, topology)


def _entry_keys_decode(config: Config) -> list[Problem]:
    from zeroclaw_cli.config.model import Problem
    from zeroclaw_cli.plugins.instance_key import parse_instance_key

    return [
        Problem(
            f"plugins.entries.{entry.name}",
            f"plugins.entries: {entry.name!r} is not an instance key",
            "`zeroclaw plugin info NAME` shows the key of a package",
        )
        for entry in config.plugins.entries
        if entry.name.startswith("zpi1_") and parse_instance_key(entry.name) is None
    ]


def _locate(this: Session) -> Location:
    """The location alone, for commands that must run on a damaged file too."""
    from zeroclaw_cli.config.locations import locate

    location, warnings = locate(this.config_dir, os.environ)
    for warning in warnings:
        this.warn(warning)
    return location


def _require_known_overrides(this: Session) -> None:
    """Raise as every command does for an override that cannot be applied, though what follows reads the file alone.

    ``path``, ``schema`` and ``edit`` do not: with them a person finds out what is wrong, and mends it.
    """
    try:
        this.read_config()
    except Damaged:
        # What the command itself says of the file is more to the point.
        return


def _warn_of_unknown_override(this: Session) -> None:
    try:
        _require_known_overrides(this)
    except ConfigError as error:
        this.warn(f"{error.message}: other commands refuse to run; {error.hint}")


def _refuse_option(value: str | None) -> None:
    # The command takes what begins with - as a value, so that -5 reaches its check; a mistyped option is none.
    if value is None or not value.startswith("-") or value == "-" or "--" in sys.argv:
        return
    if not value[1:2].isdigit() and value[1:2] != ".":
        raise UsageError(f"no such option: {value}", hint="a value that begins with - goes after --")


def _secret(this: Session, name: str, value: str | None, *, no_interactive: bool) -> str:
    """The text of a secret: from stdin, from the command line if that is allowed, or from a masked prompt."""
    if value == "-":
        text = _secret_from_stdin()
    elif no_interactive:
        if value is None:
            raise UsageError(
                f"no value for the secret {name}", hint=f"`zeroclaw config set {quote(name)} -` reads it from stdin"
            )
        return value
    else:
        if value is not None:
            this.warn("the value on the command line is ignored, since it may stand in the shell's history")
        if not output.can_ask():
            raise UsageError(
                f"{name} is a secret, and there is no terminal to ask for it",
                hint=f"`zeroclaw config set {quote(name)} -` reads it from stdin, --no-interactive takes it from VALUE",
            )
        typed = output.read_secret(f"{name}: ")
        if typed is None:
            raise UsageError(f"no value was given for the secret {name}", hint="run the command again")
        text = typed
    if text:
        this.note(f"received {counted(len(text), 'character')}")
    return text


def _secret_from_stdin() -> str:
    """All that a pipe gives, since a secret may have many lines, without the line end that ``echo`` adds; of a terminal
    one line."""
    if sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("the secret on stdin is not UTF-8", hint="encode it as text, for instance in base64") from None
    return text.removesuffix("\n").removesuffix("\r")


def _report(this: Session, config: Config, change: Change, done: str, *, as_json: bool) -> None:
    from zeroclaw_cli.config.paths import names_of

    for warning in change.warnings:
        this.warn(warning)
    variable = config.overridden.get(names_of(change.path))
    if variable is not None:
        this.warn(f"{variable} in the environment overrides {change.path} as long as it is set")
    if as_json:
        output.say_json(_envelope(change.path, change.value, change.populated))
    else:
        output.say(f"{change.path} {done}")


def _envelope(path: str, value: str | None, populated: bool) -> dict[str, object]:
    return {"path": path, "populated": populated} if value is None else {"path": path, "value": value}


def _listed(item: Item) -> dict[str, object]:
    shown = {"populated": item.populated} if item.secret else {"value": item.value}
    return {"path": item.path, **shown, "type": item.type, "default": item.default, "source": item.source}
