"""What the layers recall for a prompt, and the one block that is made of it (specs/native-memory.md §12, §13, §14;
specs/memory-kernel.md §12).

The layers give raw snippets as rows: ``lane``, ``path`` and ``text``, and where the built-in store ranked them the
``rank`` of the hit (native/repository.py). What of them enters the prompt is decided here, by the rules of the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Literal

from zeroclaw_cli.backends import as_native
from zeroclaw_cli.kernel.entry_rows import in_turns
from zeroclaw_cli.kernel.layered_context import Gathered
from zeroclaw_cli.kernel.limits import DOCUMENTS
from zeroclaw_cli.kernel.surface import Answer
from zeroclaw_cli.memory.documents import ContextBlock, Degradation, Lane
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.requests import Agent, RecallRequest
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.operations.layer_calls import Asked

if TYPE_CHECKING:
    from zeroclaw_cli.native.provider import Snippet
    from zeroclaw_cli.native.repository import Query, Repository
    from zeroclaw_cli.native.scope import Scope
    from zeroclaw_cli.native.service import NativeDocuments

# How many entries another store is asked for.
_ASKED_PER_SNIPPET: Final = 8
_MOST_ASKED: Final = 1_000
_CONVERSATION: Final = "conversation"


# What a layer gives


def of_documents(documents: NativeDocuments, asked: Asked) -> dict[str, Any]:
    """The documents that answer, and the transcripts of the thread. A row of ``MEMORY.md`` says that it answers too."""
    from zeroclaw_cli.errors import DocumentFailure
    from zeroclaw_cli.native.paths import STANDING

    with suppress(DocumentFailure):
        # Reading takes over what was edited in a mirror that is synced.
        documents.read(STANDING)
    found = list(_ranked(documents.repository, documents.scope, asked, "documents"))
    return {"snippets": found, "project": documents.scope.project}


def of_entries(memory: Memory, asked: Asked) -> dict[str, Any]:
    """The entries that answer: of the built-in store as its lanes have them, of another one as it recalls them."""
    native = as_native(memory)
    if native is None:
        return _recalled(memory, asked)
    from zeroclaw_cli.native.documents import SqliteDocuments
    from zeroclaw_cli.native.scope import Scope

    project = asked.maybe("project")
    scope = Scope(agent=asked.maybe("agent") or "", project=native.scope.project if project is None else project)
    repository = SqliteDocuments(native.store_file, guard=native.guard())
    return {
        "snippets": list(_ranked(repository, scope, asked, "entries")),
        "project": scope.project,
    }


def _ranked(
    repository: Repository, scope: Scope, asked: Asked, given: Literal["documents", "entries"]
) -> Iterator[dict[str, Any]]:
    """Rows of both lanes. Documents and entries are ranked among each other, so that the ranks of two layers compare;
    what another layer holds uses up no place."""
    from zeroclaw_cli.native.lanes import candidates, text_of
    from zeroclaw_cli.native.repository import Query

    query, thread, most = asked.maybe("query") or "", asked.maybe("thread"), asked.number("limit", 8)
    if not query.strip():
        return
    number = candidates(most)
    looked_for = Query(query, limit=number, candidates=number, given=given)
    lanes: list[tuple[Lane, Query]] = [("long_term", replace(looked_for, entries="durable"))]
    if thread:
        in_thread = replace(looked_for, threads="only", thread_id=thread, entries="thread")
        lanes.append(("short_term", in_thread))
    for lane, wanted in lanes:
        hits = [hit for hit in repository.search(scope, scope, wanted) if isfinite(hit.rank[0])]
        # One more than there is room for: the standing document may have nothing left to say.
        for hit in hits[: most + 1]:
            text = text_of(repository, hit)
            about = {"rank": list(hit.rank), "at": hit.at, "shared": hit.shared}
            yield {"lane": lane, "path": hit.path.relative, "text": text, **about}


def _recalled(memory: Memory, asked: Asked) -> dict[str, Any]:
    """The entries of another store: those of the agent, or of none, as the lanes of the built-in store have them.

    Such a store knows of no lanes, so what has no part in the prompt may come before what has. Then more is asked for,
    and if the most that is asked of a store is too little, it is told.
    """
    query, thread, agent = asked.maybe("query") or "", asked.maybe("thread"), asked.maybe("agent")
    most = asked.number("limit", 8)
    if not query.strip() or most <= 0:
        return {"snippets": []}
    agents = () if agent is None else (Agent(alias=agent),)
    number = min(_ASKED_PER_SNIPPET * most, _MOST_ASKED)
    while True:
        found = memory.find(RecallRequest(query, number, agents=agents)).entries
        kept = [entry for entry in found if entry.superseded_by is None and (agent is not None or not entry.agent_id)]
        lanes = [(lane, entry) for entry in kept if (lane := _lane_of(entry, thread))]
        more = len(found) >= number and len(lanes) < most
        if not more or number >= _MOST_ASKED:
            break
        number = _MOST_ASKED
    rows = [{"lane": lane, "path": entry.key, "text": entry.content} for lane, entry in lanes[:most]]
    if not more:
        return {"snippets": rows}
    told = f"{memory.name} was asked for {number:,} entries for the prompt; more may belong in it"
    return {"snippets": rows, "warnings": [told]}


def _lane_of(entry: Entry, thread: str | None) -> Lane | None:
    """Of conversations those of the running thread alone have a part in a prompt."""
    if entry.category != _CONVERSATION:
        return "long_term"
    return "short_term" if thread and entry.session_id == thread else None


# What a prompt gets


def block(gathered: Gathered) -> ContextBlock:
    """The block of what the layers gave: the standing document first, then what the built-in store ranked, then what
    the other layers recalled, in turns."""
    from zeroclaw_cli.native.admission import build
    from zeroclaw_cli.native.provider import LaneResult
    from zeroclaw_cli.native.scope import Scope

    asked = gathered.asked
    # The project of the config, where none was named, is what the built-in store says that it is.
    projects = (answer.output["project"] for answer in gathered.answers if "project" in answer.output)
    scope = Scope(agent=asked.agent or "", project=next(projects, asked.project or ""))
    failures = [*gathered.degradations, *_unasked(gathered)]
    lanes = {
        lane: LaneResult(
            tuple(_snippets(gathered, scope, lane)), tuple(failed for failed in failures if failed.lane == lane)
        )
        for lane in ("long_term", "short_term")
    }
    return build(scope, lanes["long_term"], lanes["short_term"], query=asked.query, max_snippets=asked.max_snippets)


def _unasked(gathered: Gathered) -> Iterator[Degradation]:
    """Without a message there is nothing to look for."""
    if not gathered.asked.query.strip():
        yield Degradation("long_term", "input", "empty_query")
        if gathered.asked.thread_id:
            yield Degradation("short_term", "input", "empty_query")


def _snippets(gathered: Gathered, scope: Scope, lane: str) -> Iterator[Snippet]:
    from zeroclaw_cli.native.lanes import newest_first
    from zeroclaw_cli.native.paths import STANDING
    from zeroclaw_cli.native.provider import Snippet
    from zeroclaw_cli.native.standing import MAX_CHUNKS, Curated, curate

    most = gathered.asked.max_snippets
    curated = Curated()
    if lane == "long_term" and gathered.standing:
        curated = curate(gathered.standing, min(most, MAX_CHUNKS))
        yield from (Snippet(scope, STANDING, chunk, standing=True) for chunk in curated.chunks)
    ranked: dict[str, Mapping[str, Any]] = {}
    others = []
    for answer in gathered.answers:
        rows = [row for row in answer.output.get("snippets", ()) if row["lane"] == lane]
        # Two layers may be bound to one store.
        ranked |= {row["path"]: row for row in rows if "rank" in row}
        others.append([_of_layer(answer, row, gathered, scope) for row in rows if "rank" not in row])
    best = newest_first(
        sorted(ranked.values(), key=lambda row: tuple(row["rank"])), lambda row: (row["rank"][0], row["at"])
    )
    if curated.chunks and all(answer.layer_id != DOCUMENTS for answer in gathered.answers):
        # Nobody looked where in the ranking the standing document is.
        best.insert(0, {"path": STANDING})
    found = [snippet for row in best for snippet in _of_store(row, gathered, curated, scope)]
    yield from found[: max(most - len(curated.chunks), 0)]
    yield from in_turns(others) if others else ()


def _of_store(row: Mapping[str, Any], gathered: Gathered, curated: Any, scope: Scope) -> Iterable[Snippet]:
    from zeroclaw_cli.native.lanes import day_of, unseen_lines
    from zeroclaw_cli.native.paths import STANDING
    from zeroclaw_cli.native.provider import Snippet

    if row["path"] != STANDING:
        date = day_of(row["at"])
        return [Snippet(scope, row["path"], row["text"], date=date, shared=row["shared"])]
    if gathered.standing is None:
        # It belongs to the runtime layer, which has no part in this prompt.
        return ()
    return [Snippet(scope, STANDING, text) for text in unseen_lines(gathered.standing, curated, gathered.asked.query)]


def _of_layer(answer: Answer, row: Mapping[str, Any], gathered: Gathered, scope: Scope) -> Snippet:
    from zeroclaw_cli.native.provider import Snippet

    place = answer.layer_id if answer.adapter_id is None else f"{answer.layer_id}/{answer.adapter_id}"
    return Snippet(scope, f"{place}/{row['path']}", gathered.redact(row["text"]))
