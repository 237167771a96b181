"""``memory store``, ``forget``, ``purge`` and ``clear``."""

from __future__ import annotations

from typing import Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.arguments import WithHistory
from zeroclaw_cli.cli.inputs import text_or_stdin
from zeroclaw_cli.cli.memory.common import (
    AgentAlias,
    AgentId,
    Backend,
    Category,
    Namespace,
    SessionId,
    category_of,
    one_agent,
    opened,
)
from zeroclaw_cli.cli.session import Json, Yes
from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.memory.types import importance_of


def add(group: typer.Typer) -> None:
    group.command("store")(store)
    group.command("forget")(forget)
    group.command("purge")(purge)
    group.command("clear")(clear)


@anybody
def store(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The entry's key.")],
    content: Annotated[
        str | None, typer.Argument(metavar="[CONTENT|-]", help="The text; stdin for - and when left out.")
    ] = None,
    category: Category = None,
    session_id: SessionId = None,
    namespace: Namespace = None,
    importance: Annotated[
        float | None, typer.Option("--importance", metavar="X", min=0, max=1, help="How much it matters, 0 to 1.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="WORD", help="Its kind, in a word of your own (built-in store).")
    ] = None,
    pinned: Annotated[
        bool | None,
        typer.Option(
            "--pinned/--no-pinned",
            help="Let every prompt that it fits recall it, whatever its category; under the layers each prompt has it "
            "(built-in store).",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the entry completely; only its creation time is kept.")
    ] = False,
    agent: AgentAlias = None,
    agent_id: AgentId = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Store one memory under KEY.

    Where KEY (of this agent) has an entry already, the text becomes the new one, and so does each option that is given;
    what is not named (category, session, namespace, importance, kind, pin) stays as it was.
    """
    from zeroclaw_cli.memory.requests import StoreRequest

    try:
        importance_of(importance)
    except ValueError as error:
        raise UsageError(f"--{error}", hint="write a number such as 0.8") from None
    if kind is not None and not kind.strip():
        raise UsageError("--kind is empty", hint="write a word such as preference")
    request = StoreRequest(
        key=key,
        content=_content(ctx, key, content),
        category=category_of(category),
        session_id=session_id,
        namespace=namespace,
        importance=importance,
        agent=one_agent(agent, agent_id),
        kind=None if kind is None else kind.strip(),
        pinned=pinned,
        replace=replace,
    )
    with opened(ctx, backend) as (this, memory):
        memory.save(request)
        warnings = memory.take_warnings()
        if json:
            output.say_json({"stored": key, "backend": memory.name, "warnings": warnings})
        else:
            output.say(f"Stored '{key}' in {memory.name}.")
        for warning in warnings:
            this.warn(warning)


def _content(ctx: typer.Context, key: str, content: str | None) -> str:
    from shlex import quote

    text: str = text_or_stdin(ctx, "-" if content is None else content)
    if not text.strip():
        raise UsageError("the content is empty", hint=f"`zeroclaw memory forget {quote(key)}` removes an entry")
    return text


@anybody
def forget(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The entry's key, in full.")],
    agent: AgentAlias = None,
    agent_id: AgentId = None,
    with_history: WithHistory = False,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Forget the entry of KEY.

    Without an agent, the entries of every agent under this key are forgotten.
    """
    with opened(ctx, backend) as (this, memory):
        gone = memory.take(key, one_agent(agent, agent_id), with_history=with_history)
        if json:
            output.say_json({"forgotten": True, "rows": gone.rows})
        else:
            also = f", and {counted(len(gone.transcripts), 'transcript')} that quoted it" if gone.transcripts else ""
            rows = f", {gone.rows} rows" if gone.rows > 1 else ""
            output.say(f"Forgot '{key}' in {memory.name}{rows}{also}.")
        if gone.rows > 1:
            owners = ", ".join(agent if agent else "no agent" for agent in gone.agents)
            whose = f" (of {owners})" if owners else ""
            this.note(f"every agent's row of the key is gone{whose}; --agent ALIAS forgets that of one agent")
        if with_history:
            this.note("backups that were made before still hold it")


@anybody
def purge(
    ctx: typer.Context,
    namespace: Namespace = None,
    session_id: SessionId = None,
    agent: AgentAlias = None,
    agent_id: AgentId = None,
    yes: Yes = False,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Delete all that a namespace, a session or an agent has.

    A session takes its recorded turns along, and an agent its documents and recorded turns (built-in store). Backups
    that were made before keep what they hold.
    """
    from zeroclaw_cli.memory.requests import PurgeTarget

    target = PurgeTarget(namespace, session_id, one_agent(agent, agent_id))
    with opened(ctx, backend) as (this, memory):
        if not yes and not output.confirm(
            f"Delete {target.takes()} of {target.describe()} from {memory.name}?", option="--yes"
        ):
            this.note("nothing was deleted")
            raise typer.Exit(1)
        gone = memory.purge(target)
        if json:
            output.say_json(gone.to_json())
        else:
            parts = [counted(gone.entries, "entry", "entries")]
            parts += [counted(gone.documents, "document")] if gone.documents else []
            parts += [counted(gone.turns, "recorded turn")] if gone.turns else []
            listed = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
            output.say(f"Deleted {listed} from {memory.name}.")


@anybody
def clear(
    ctx: typer.Context,
    key: Annotated[
        str | None, typer.Option("--key", metavar="K", help="Only the entries of this key, written in full.")
    ] = None,
    category: Category = None,
    yes: Yes = False,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Forget the entries of one key, of one category, or all."""
    with opened(ctx, backend) as (this, memory):
        selected = memory.select(key, category_of(category))
        question = f"Forget {counted(len(selected), 'entry', 'entries')} of {memory.name}?"
        if selected and not yes and not output.confirm(question, option="--yes"):
            this.note("nothing was forgotten")
            raise typer.Exit(1)
        result = memory.clear(selected)
        if json:
            output.say_json({"deleted": result.deleted, "selected": result.selected})
        else:
            output.say(f"Forgot {result.deleted} of {result.selected} selected entries in {memory.name}.")
    if result.deleted < result.selected:
        this.warn("some selected entries are still there; a row without an agent goes only with every row of its key")
        raise typer.Exit(1)
