"""What the layers recall for a prompt, and the one block that is made of it (specs/native-memory.md §12, §13, §14;
specs/memory-kernel.md §12).

The layers give raw snippets as rows: ``lane``, ``path`` and ``text``, and where the built-in store ranked them the
``rank`` of the hit (native/repository.py). What of them enters the prompt is decided here, by the rules of the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.kernel.answers import Answer, Gathered
from zeroclaw_cli.kernel.limits import DOCUMENTS
from zeroclaw_cli.layers.entry_rows import in_turns
from zeroclaw_cli.memory.documents import ContextBlock, Degradation

if TYPE_CHECKING:
    from zeroclaw_cli.native.provider import Snippet
    from zeroclaw_cli.native.scope import Scope


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
    return build(scope, lanes["long_term"], lanes["short_term"], query=asked.query, max_snippets=asked.limit)


def _unasked(gathered: Gathered) -> Iterator[Degradation]:
    """Without a message there is nothing to look for."""
    if not gathered.asked.query.strip():
        yield Degradation("long_term", "input", "empty_query")
        if gathered.asked.thread:
            yield Degradation("short_term", "input", "empty_query")


def _snippets(gathered: Gathered, scope: Scope, lane: str) -> Iterator[Snippet]:
    from zeroclaw_cli.native.lanes import newest_first
    from zeroclaw_cli.native.paths import STANDING
    from zeroclaw_cli.native.provider import Snippet
    from zeroclaw_cli.native.standing import MAX_CHUNKS, Curated, curate

    most = gathered.asked.limit
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
