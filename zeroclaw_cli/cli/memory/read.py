"""``memory recall``, ``get`` and ``list``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.arguments import not_blank
from zeroclaw_cli.cli.inputs import text_or_stdin
from zeroclaw_cli.cli.memory.common import (
    AgentAlias,
    AgentId,
    Backend,
    Category,
    Namespace,
    SessionId,
    Since,
    Until,
    category_of,
    one_agent,
    opened,
    when,
)
from zeroclaw_cli.cli.session import Json

if TYPE_CHECKING:
    from zeroclaw_cli.memory.types import Entry


def add(group: typer.Typer) -> None:
    group.command("recall")(recall)
    group.command("get")(get)
    group.command("list")(list_)


@anybody
def recall(
    ctx: typer.Context,
    query: Annotated[
        str,
        typer.Argument(
            metavar="[QUERY|-]", help="What to look for; - for stdin, the most recent without.", callback=text_or_stdin
        ),
    ] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 10,
    session_id: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="S",
            help="One session, with what belongs to none (built-in store).",
            callback=not_blank,
        ),
    ] = None,
    since: Since = None,
    until: Until = None,
    namespace: Namespace = None,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="ALIAS", help="An agent, by its alias; may be repeated.", callback=not_blank),
    ] = None,
    agent_id: Annotated[
        list[str] | None,
        typer.Option("--agent-id", metavar="ID", help="An agent, by its id; may be repeated.", callback=not_blank),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say how each score came about (built-in store).")] = False,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Recall what matches QUERY, best first."""
    from zeroclaw_cli.memory.requests import Agent, RecallRequest

    request = RecallRequest(
        query=query,
        limit=limit,
        session_id=session_id,
        since=when(since, "--since"),
        until=when(until, "--until"),
        namespace=namespace,
        agents=(
            *(Agent(alias=alias) for alias in agent or []),
            *(Agent(id=id_) for id_ in agent_id or []),
        ),
    )
    with opened(ctx, backend) as (this, memory):
        found = memory.find(request, explain=explain)
        if found.maybe_hidden:
            this.warn("the namespace filter may have hidden further matches; raise --limit")
    explanations = found.explanations or ((None,) * len(found.entries))
    if json:
        rows = [entry.to_json() for entry in found.entries]
        if explain:
            rows = [{**row, "explanation": why} for row, why in zip(rows, explanations, strict=True)]
        output.say_json({"entries": rows})
        return
    for entry, why in zip(found.entries, explanations, strict=True):
        _say_entry(entry, whole=True)
        if why is not None:
            _say_explanation(why)
    if not found.entries:
        this.note("nothing matches" if query.strip() not in {"", "*"} else "nothing is stored")


@anybody
def get(
    ctx: typer.Context,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="The entry's key; on a terminal also the start of only one.")
    ],
    agent: AgentAlias = None,
    agent_id: AgentId = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Show one entry."""
    from zeroclaw_cli.memory.base import entry_of

    # A person sees which entry it is; a program would take it for the one that it asked for.
    by_start = output.is_terminal() and not json
    with opened(ctx, backend) as (this, memory):
        entry = entry_of(memory, key, one_agent(agent, agent_id), by_start=by_start)
    if entry.key != key:
        this.note(f"there is no entry '{key}'; this is '{entry.key}', the only one that starts so")
    if json:
        output.say_json(entry.to_json())
        return
    fields = {
        "Key": entry.key,
        "Category": entry.category,
        "Timestamp": entry.timestamp,
        "Updated": getattr(entry, "updated_at", None) or None,
        "Session": entry.session_id,
        "Namespace": entry.namespace if entry.namespace != "default" else None,
        "Importance": None if entry.importance is None else f"{entry.importance:g}",
        "Agent": entry.agent_alias or entry.agent_id,
        "Kind": getattr(entry, "kind", None),
        "Pinned": "yes" if getattr(entry, "pinned", False) else None,
        "Superseded by": entry.superseded_by,
    }
    for label, value in fields.items():
        if value is not None:
            output.say(f"{label}: {value}")
    output.say()
    output.say_text(entry.content)


@anybody
def list_(
    ctx: typer.Context,
    category: Category = None,
    session_id: SessionId = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="At most so many.")] = 50,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Skip the first N.")] = 0,
    agent: AgentAlias = None,
    agent_id: AgentId = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """List entries, a page at a time."""
    with opened(ctx, backend) as (this, memory):
        owner = one_agent(agent, agent_id)
        page = memory.page(category_of(category), session_id, agent=owner, limit=limit, offset=offset)
        name = memory.name
    if json:
        output.say_json({"entries": [entry.to_json() for entry in page.entries], "total": page.total})
        return
    if not page.entries:
        this.note("no entries" if page.total == 0 else f"no entries at offset {offset}; there are {page.total}")
        return
    last = offset + len(page.entries)
    output.say(f"Entries {offset + 1}–{last} of {page.total} in {name}:")
    _say_entries(page.entries)
    if last < page.total:
        this.note(f"more with --offset {last}")


def _say_entries(entries: Sequence[Entry]) -> None:
    for entry in entries:
        _say_entry(entry, whole=False)


def _say_entry(entry: Entry, *, whole: bool) -> None:
    score = f" (score {entry.score:.3g})" if whole and entry.score is not None else ""
    output.say(f"- {entry.key} [{entry.category}]{score}")
    if not whole:
        output.say_text(output.one_line(entry.content, 80), "    ")
        return
    output.say_text(entry.content, "    ")


# Where what a term gave came from, in the words of an explanation.
_SOURCES = {
    "row": "its own",
    "previous": "the line before",
    "next": "the line after",
    "second previous": "two lines before",
    "second next": "two lines after",
}


def _say_explanation(why: Mapping[str, Any]) -> None:
    for share in why["terms"]:
        source = _SOURCES.get(share["source"], share["source"])
        output.say(f"    + {share['points']:.3f}  {share['term']} ({source}, idf {share['idf']:.3g})")
    if why["session"]:
        output.say(f"    + {why['session']:.3f}  its session")
    for name, factor in why["factors"].items():
        output.say(f"    × {factor:.3g}  {name}")
