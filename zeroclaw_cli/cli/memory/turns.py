"""``memory context``, ``record`` and ``curate``: what an agent's hooks call (design.md, decision 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.arguments import Thread, not_blank
from zeroclaw_cli.cli.inputs import read_text, text_or_stdin
from zeroclaw_cli.cli.memory.common import (
    Backend,
    Owner,
    Project,
    opened_documents,
    opened_turns,
    thread_of,
)
from zeroclaw_cli.cli.session import Json, Session
from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.text import counted

if TYPE_CHECKING:
    from zeroclaw_cli.memory.documents import ContextBlock, CurationPlan, Degradation

# Why a snippet that was found is not in the block.
_REASONS = {
    "budget": "no room is left",
    "unsafe": "it reads like an instruction to a model",
    "empty": "nothing is left of it",
    "scope": "it belongs to somebody else",
}


def add(group: typer.Typer) -> None:
    group.command("context")(context)
    group.command("record")(record)
    group.command("curate")(curate)


@anybody
def context(
    ctx: typer.Context,
    query: Annotated[
        str,
        typer.Argument(
            metavar="[QUERY|-]", help="The latest message of the user; - for stdin.", callback=text_or_stdin
        ),
    ] = "",
    thread: Thread = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="At most so many snippets.")] = 8,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Print the block of remembered text that a prompt would get."""
    thread = thread_of(thread)
    with opened_turns(ctx, backend, agent, project) as (this, turns):
        found = turns.context(query, thread_id=thread, max_snippets=limit)
        # Without a question there is nothing to search for, which is not a failure.
        failed = [lane for lane in found.degradations if query.strip() or lane.reason != "empty_query"]
        if json:
            output.say_json(found.to_json())
        elif found.whole:
            output.say_text(found.whole)
        elif not failed:
            this.note("no relevant memories")
        if not json:
            _say_what_is_missing(this, found, failed)
        if failed and not found.whole:
            # Nothing was found, but not everything was read.
            raise typer.Exit(1)


@anybody
def record(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help='The turn as JSON: [{"role": "user", "content": "…"}, …].')
    ],
    thread: Annotated[
        str,
        typer.Option("--thread", metavar="T", help="The conversation that it belongs to.", callback=not_blank),
    ],
    run: Annotated[
        str,
        typer.Option(
            "--run",
            metavar="R",
            help="The turn's id; recording it again replaces it. Without one, what is new in the thread is kept.",
        ),
    ] = "",
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Keep one finished turn; returns when it is kept.

    Without --run the file may hold the whole conversation each time: the messages after the last recorded one of the
    thread are kept, and a repeat changes nothing.
    """
    from zeroclaw_cli.memory.chat import parse_messages
    from zeroclaw_cli.native.transcripts import check_name

    messages = parse_messages(_json(read_text(file, "FILE"), "stdin" if file == "-" else file))
    check_name("thread", thread)
    if run.strip():
        check_name("run", run)
    with opened_turns(ctx, backend, agent, project) as (this, turns):
        kept = turns.record(messages, thread_id=thread, run_id=run)
        if json:
            output.say_json(kept.to_json())
        elif kept.reason is None:
            output.say(f"Recorded the turn {kept.run} of thread {thread}: {counted(kept.messages, 'message')}.")
        else:
            this.note(f"nothing was recorded: {kept.reason}")


@anybody
def curate(
    ctx: typer.Context,
    plan: Annotated[bool, typer.Option("--plan", help="Show what a curation pass would be given.")] = False,
    agent: Owner = None,
    project: Project = None,
    backend: Backend = None,
    json: Json = False,
) -> None:
    """Show what a pass that tidies MEMORY.md would be given.

    A host with a model runs the pass.
    """
    if not plan:
        raise UsageError("curation needs a model, and this program runs none", hint="--plan shows its input")
    with opened_documents(ctx, backend, agent, project) as (_, documents):
        found = documents.curation_plan()
    if json:
        output.say_json(found.to_json())
    else:
        _say_plan(found)


def _say_what_is_missing(this: Session, block: ContextBlock, failed: Sequence[Degradation]) -> None:
    for item in block.left_out:
        this.note(f"left out ({item.lane}): {item.path}, because {_REASONS.get(item.reason, item.reason)}")
    for lane in failed:
        this.warn(f"the {lane.lane} lane did not answer: {lane.reason}")


def _say_plan(found: CurationPlan) -> None:
    enabled = "enabled" if found.enabled else "off (memory.native.curation_interval_turns enables it)"
    output.say(f"Curation: {enabled}")
    output.say(f"Turns: {found.turns}, a pass every {found.interval_turns}; due: {'yes' if found.due else 'no'}")
    if found.enabled:
        left = found.next_due - found.turns
        output.say(f"Next: after turn {found.next_due}, which is {counted(left, 'turn')} away")
    output.say(f"Model calls: at most {found.max_model_calls}")
    output.say(f"Tools: {', '.join(found.tools)}")
    if found.standing is None:
        output.say("Document: MEMORY.md does not exist")
    else:
        output.say(f"Document: MEMORY.md, {counted(found.standing.word_count, 'word')}, {found.standing.content_hash}")
    output.say()
    output.say_text(found.prompt.rstrip("\n"))


def _json(text: str, source: str) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{source} is not JSON: {error}", hint='give a list such as [{"role": "user", "content": "hello"}, …]'
        ) from None
