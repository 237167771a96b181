"""What the layers recall for a prompt, and the one block that is made of it (specs/native-memory.md §12, §13, §14;
specs/memory-kernel.md §12).

The layers give raw snippets as rows: ``lane``, ``path`` and ``text``, and ``score`` where the built-in store ranked
them. What of them enters the prompt is decided here, by the rules of the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.backends import as_native
from zeroclaw_cli.kernel.entry_rows import in_turns
from zeroclaw_cli.kernel.layered_context import Gathered
from zeroclaw_cli.kernel.limits import DOCUMENTS
from zeroclaw_cli.kernel.surface import Answer
from zeroclaw_cli.memory.documents import ContextBlock, Degradation, Lane
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.operations import recall as recalls
from zeroclaw_cli.operations.agents import Agent
from zeroclaw_cli.operations.layer_calls import Asked

if TYPE_CHECKING:
    from zeroclaw_cli.native.provider import Snippet
    from zeroclaw_cli.native.repository import Hit, Query, Repository
    from zeroclaw_cli.native.scope import Scope
    from zeroclaw_cli.native.service import NativeDocuments

_CANDIDATES_PER_SNIPPET: Final = 8
_LEAST_CANDIDATES: Final = 64
_MOST_CANDIDATES: Final = 1_000
_CONVERSATION: Final = "conversation"


# What a layer gives


def of_documents(documents: NativeDocuments, asked: Asked) -> dict[str, Any]:
    """The documents that answer, and the transcripts of the thread. A row of ``MEMORY.md`` says that it answers too."""
    from zeroclaw_cli.errors import DocumentFailure
    from zeroclaw_cli.native.paths import STANDING, in_threads

    with suppress(DocumentFailure):
        # Reading takes over what was edited in a mirror that is synced.
        documents.read(STANDING)

    def belongs(hit: Hit, lane: Lane) -> bool:
        return not hit.is_entry and (in_threads(hit.path.relative) if lane == "short_term" else True)

    found = list(_ranked(documents.repository, documents.scope, asked, belongs))
    return {"snippets": found, "project": documents.scope.project}


def of_entries(memory: Memory, asked: Asked) -> dict[str, Any]:
    """The entries that answer: of the built-in store as its lanes have them, of another one as it recalls them."""
    native = as_native(memory)
    if native is None:
        return {"snippets": list(_recalled(memory, asked))}
    from zeroclaw_cli.native.documents import SqliteDocuments
    from zeroclaw_cli.native.scope import Scope

    project = asked.maybe("project")
    scope = Scope(agent=asked.maybe("agent") or "", project=native.scope.project if project is None else project)
    repository = SqliteDocuments(native.store_file, guard=native.guard())
    return {
        "snippets": list(_ranked(repository, scope, asked, lambda hit, lane: hit.is_entry)),
        "project": scope.project,
    }


def _ranked(
    repository: Repository, scope: Scope, asked: Asked, belongs: Callable[[Hit, Lane], bool]
) -> Iterator[dict[str, Any]]:
    """Rows of both lanes. Documents and entries are ranked among each other, so the scores of two layers compare."""
    from zeroclaw_cli.native.paths import in_threads
    from zeroclaw_cli.native.repository import Query

    query, thread, most = asked.maybe("query") or "", asked.maybe("thread"), asked.number("limit", 8)
    if not query.strip():
        return
    lanes: list[tuple[Lane, Query]] = [("long_term", Query(query, entries="durable"))]
    if thread:
        lanes.append(("short_term", Query(query, threads="only", thread_id=thread, entries="thread")))
    for lane, wanted in lanes:
        found = [hit for hit in _searched(repository, scope, wanted, most, lane, belongs) if isfinite(hit.score)]
        if lane == "long_term":
            found = [hit for hit in found if hit.is_entry or not in_threads(hit.path.relative)]
        for hit in found:
            yield {"lane": lane, "path": hit.path.relative, "text": hit.text, "score": hit.score}


def _searched(
    repository: Repository,
    scope: Scope,
    query: Query,
    most: int,
    lane: Lane,
    belongs: Callable[[Hit, Lane], bool],
) -> list[Hit]:
    """The hits of one layer. What another one holds must not use up its places, so more are looked at if need be."""
    number = max(_CANDIDATES_PER_SNIPPET * most, _LEAST_CANDIDATES)
    while True:
        hits = repository.search(scope, scope, replace(query, limit=number, candidates=number))
        kept = [hit for hit in hits if belongs(hit, lane)]
        if len(kept) > most or len(hits) < number or number >= _MOST_CANDIDATES:
            return kept
        number = _MOST_CANDIDATES


def _recalled(memory: Memory, asked: Asked) -> Iterator[dict[str, Any]]:
    """The entries of another store: those of the agent, or of none, as the lanes of the built-in store have them."""
    query, thread, agent = asked.maybe("query") or "", asked.maybe("thread"), asked.maybe("agent")
    if not query.strip():
        return
    most = min(_CANDIDATES_PER_SNIPPET * asked.number("limit", 8), _MOST_CANDIDATES)
    agents = () if agent is None else (Agent(alias=agent),)
    found = recalls.recall(memory, recalls.RecallRequest(query, most, agents=agents)).entries
    kept = [entry for entry in found if entry.superseded_by is None and (agent is not None or not entry.agent_id)]
    lanes = [(lane, entry) for entry in kept if (lane := _lane_of(entry, thread))]
    for lane, entry in lanes[: asked.number("limit", 8)]:
        yield {"lane": lane, "path": entry.key, "text": entry.content}


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
        ranked |= {row["path"]: row for row in rows if "score" in row}
        others.append([_of_layer(answer, row, gathered, scope) for row in rows if "score" not in row])
    best = sorted(ranked.values(), key=lambda row: (-row["score"], row["path"]))
    if curated.chunks and all(answer.layer_id != DOCUMENTS for answer in gathered.answers):
        # Nobody looked where in the ranking the standing document is.
        best.insert(0, {"path": STANDING})
    found = [snippet for row in best for snippet in _of_store(row, gathered, curated, scope)]
    yield from found[: max(most - len(curated.chunks), 0)]
    yield from in_turns(others) if others else ()


def _of_store(row: Mapping[str, Any], gathered: Gathered, curated: Any, scope: Scope) -> Iterable[Snippet]:
    from zeroclaw_cli.native.lanes import unseen_lines
    from zeroclaw_cli.native.paths import STANDING
    from zeroclaw_cli.native.provider import Snippet

    if row["path"] != STANDING:
        return [Snippet(scope, row["path"], row["text"])]
    if gathered.standing is None:
        # It belongs to the runtime layer, which has no part in this prompt.
        return ()
    return [Snippet(scope, STANDING, text) for text in unseen_lines(gathered.standing, curated, gathered.asked.query)]


def _of_layer(answer: Answer, row: Mapping[str, Any], gathered: Gathered, scope: Scope) -> Snippet:
    from zeroclaw_cli.native.provider import Snippet

    place = answer.layer_id if answer.adapter_id is None else f"{answer.layer_id}/{answer.adapter_id}"
    return Snippet(scope, f"{place}/{row['path']}", gathered.redact(row["text"]))
