"""What the built-in store has for a prompt, as raw ranked rows; the host decides what of them enters it
(specs/native-memory.md §13, §14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import Literal

from zeroclaw_cli.memory.requests import PromptRequest, PromptRow
from zeroclaw_cli.memory.types import Lane
from zeroclaw_cli.native.lanes import candidates, text_of
from zeroclaw_cli.native.repository import Query, Repository
from zeroclaw_cli.native.scope import Scope


def ranked_rows(
    repository: Repository, scope: Scope, request: PromptRequest, given: Literal["documents", "entries"]
) -> Iterator[PromptRow]:
    """Rows of both lanes. Documents and entries are ranked among each other, so that the ranks of two layers compare;
    what another layer holds uses up no place."""
    if not request.query.strip():
        return
    number = candidates(request.limit)
    looked_for = Query(request.query, limit=number, candidates=number, given=given)
    lanes: list[tuple[Lane, Query]] = [("long_term", replace(looked_for, entries="durable"))]
    if request.thread:
        in_thread = replace(looked_for, threads="only", thread_id=request.thread, entries="thread")
        lanes.append(("short_term", in_thread))
    for lane, wanted in lanes:
        hits = [hit for hit in repository.search(scope, scope, wanted) if isfinite(hit.rank[0])]
        # One more than there is room for: the standing document may have nothing left to say.
        for hit in hits[: request.limit + 1]:
            text = text_of(repository, hit)
            yield PromptRow(lane, hit.path.relative, text, tuple(hit.rank), hit.at, hit.shared)
