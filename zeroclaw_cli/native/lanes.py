"""The two lanes that bring memory into a turn (specs/native-memory.md §13, §14).

Long-term: the standing document, then what the question finds among the documents and entries. Short-term: transcripts
and conversation entries of the running thread alone. Both give raw text, but for what only the rest of its document
shows to be a credential.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Final, TypeVar

from zeroclaw_cli.errors import DocumentArgument, DocumentFailure, DocumentInput, ZeroclawError
from zeroclaw_cli.memory.documents import Degradation
from zeroclaw_cli.memory.measures import CUT_MARK, byte_length, is_blank, lines_of
from zeroclaw_cli.memory.types import Lane
from zeroclaw_cli.native.matching import how_many, window
from zeroclaw_cli.native.paths import STANDING, THREADS, in_threads
from zeroclaw_cli.native.provider import LaneRequest, LaneResult, Snippet
from zeroclaw_cli.native.repository import Hit, Query, Repository
from zeroclaw_cli.native.scope import DocumentPath, Invocation, Scope
from zeroclaw_cli.native.secrets import redact, redact_part
from zeroclaw_cli.native.segment import query_terms
from zeroclaw_cli.native.standing import CHUNK_BYTES, MAX_CHUNKS, Curated, curate, judged, pack

_log: Final = logging.getLogger(__name__)
_LEAST_CANDIDATES: Final = 64
_CANDIDATES_PER_SNIPPET: Final = 8
# How many snippets the standing document gets among the hits, so that it leaves room for others.
_STANDING_HITS: Final = 2
# Scores of which the lower one is at least this share of the best of its group are near-equal.
NEAR: Final = 0.95
_T = TypeVar("_T")


def read_long_term(repository: Repository, invocation: Invocation, request: LaneRequest) -> LaneResult:
    """The standing lines (whatever the query), then hits up to ``max_snippets``.

    A query that is blank, or a search that fails, costs the hits alone.
    """
    if request.disabled:
        return LaneResult()
    scope = invocation.scope
    standing = _standing_text(repository, scope)
    curated = curate(standing, min(request.max_snippets, MAX_CHUNKS))
    snippets = [Snippet(scope, STANDING, chunk, standing=True) for chunk in curated.chunks]
    remaining = request.max_snippets - len(snippets)
    if remaining <= 0:
        return LaneResult(tuple(snippets))
    if is_blank(request.query):
        return LaneResult(tuple(snippets), (Degradation("long_term", "input", "empty_query"),))
    query = Query(request.query, limit=_over_fetch(request), candidates=_over_fetch(request), entries="durable")
    try:
        hits = _ranked(repository.search(scope, scope, query), scope)
    except ZeroclawError as error:
        return LaneResult(tuple(snippets), (degradation("long_term", error),))
    for hit in hits:
        if len(snippets) >= request.max_snippets:
            break
        snippets += _durable_snippets(repository, hit, curated, standing, request.query)
    return LaneResult(tuple(snippets[: request.max_snippets]))


def read_short_term(repository: Repository, invocation: Invocation, request: LaneRequest) -> LaneResult:
    """Transcripts and conversation entries of the invocation's thread; nothing without one.

    Raises DocumentInput ``empty_query`` for a blank query, and what the search raises.
    """
    thread = invocation.thread_id
    if request.disabled or not thread:
        return LaneResult()
    if is_blank(request.query):
        raise DocumentArgument("empty_query", "the short-term lane needs a query", hint="give the latest user message")
    scope = invocation.scope
    most = _over_fetch(request)
    query = Query(request.query, limit=most, candidates=most, threads="only", thread_id=thread, entries="thread")
    hits = [hit for hit in _ranked(repository.search(scope, scope, query), scope) if _is_of_thread(hit, thread)]
    return LaneResult(tuple(_snippet(repository, hit) for hit in hits[: request.max_snippets]))


def _over_fetch(request: LaneRequest) -> int:
    return candidates(request.max_snippets)


def candidates(snippets: int) -> int:
    """How many hits a lane looks at for so many snippets."""
    return max(_CANDIDATES_PER_SNIPPET * snippets, _LEAST_CANDIDATES)


def _standing_text(repository: Repository, scope: Scope) -> str:
    try:
        stored = repository.read(scope, DocumentPath(scope, STANDING))
        return "" if stored is None else stored.body.decode("utf-8")
    except (ZeroclawError, UnicodeDecodeError) as error:
        _log.debug("the standing document is not readable: %s", type(error).__name__)
        return ""


def _ranked(hits: Iterable[Hit], scope: Scope) -> list[Hit]:
    usable = [hit for hit in hits if hit.path.scope == scope and isfinite(hit.score)]
    usable.sort(key=lambda hit: (-hit.score, hit.path.relative))
    return newest_first(usable, lambda hit: (hit.rank[0], hit.at))


def newest_first(found: Sequence[_T], rank_and_time: Callable[[_T], tuple[float, str]]) -> list[_T]:
    """What was found, best first, with near-equal ones newest first. A rank is a negative score."""
    ordered: list[_T] = []
    group: list[tuple[str, _T]] = []
    best = 0.0
    for item in found:
        rank, at = rank_and_time(item)
        if group and not rank <= best * NEAR:
            ordered += _newest(group)
            group.clear()
        if not group:
            best = rank
        group.append((at[:10], item))
    return ordered + _newest(group)


def _newest(group: list[tuple[str, _T]]) -> list[_T]:
    return [item for _, item in sorted(group, key=lambda pair: pair[0], reverse=True)]


def day_of(at: str) -> str:
    """The day of an RFC 3339 time, ``YYYY-MM-DD``."""
    return at[:10]


def _is_of_thread(hit: Hit, thread: str) -> bool:
    if hit.is_entry:
        return True
    parts = hit.path.relative.split("/")
    return len(parts) > 2 and parts[0].lower() == THREADS and parts[1] == thread


def _durable_snippets(repository: Repository, hit: Hit, curated: Curated, standing: str, query: str) -> list[Snippet]:
    if not hit.is_entry and in_threads(hit.path.relative):
        return []
    if hit.is_entry or hit.path.relative != STANDING:
        return [_snippet(repository, hit)]
    # Its last change says nothing of the day of one of its lines.
    return [Snippet(hit.path.scope, STANDING, text) for text in unseen_lines(standing, curated, query)]


def _snippet(repository: Repository, hit: Hit) -> Snippet:
    return Snippet(hit.path.scope, hit.path.relative, text_of(repository, hit), date=day_of(hit.at), shared=hit.shared)


def text_of(repository: Repository, hit: Hit) -> str:
    """An entry as it is; a part of a document as it may leave it: what only the text before or after it shows to be a
    credential is gone.

    A document that is one part alone is left to the host, who sees as much of it.
    """
    if hit.is_entry:
        return hit.text
    try:
        stored = repository.read(hit.path.scope, hit.path)
    except ZeroclawError as error:
        _log.debug("the document of a part is not readable: %s", type(error).__name__)
        return redact(hit.text)
    whole = "" if stored is None else stored.body.decode("utf-8", "replace")
    return hit.text if hit.text == whole else redact_part(hit.text, whole)


def unseen_lines(standing: str, curated: Curated, query: str) -> list[str]:
    """What of the standing document answers ``query`` and is in no curated chunk, as at most two texts.

    Nothing when all of it is in the chunks. Each text has at most 400 bytes, its lines joined by ``; ``; lines with
    more of the query's terms come first. Without this, what is saved after the first 1,600 bytes would be invisible in
    both halves of the lane.
    """
    if not curated.truncated and not curated.cut:
        return []
    wanted = query_terms(query)
    lines_left = ((line, safe) for line, safe in judged(lines_of(standing)) if line not in curated.shown)
    scored = ((how_many(line, wanted), line) for line, safe in lines_left if safe)
    best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
    lines = dict.fromkeys(_about(line, query) for _, line in best)
    unseen = [line for line in lines if not any(line in chunk for chunk in curated.chunks)]
    return [text for text, _ in pack(unseen, _STANDING_HITS)]


def _about(line: str, query: str) -> str:
    """A line that is too long, cut to where it answers the query."""
    return line if byte_length(line) <= CHUNK_BYTES else window(line, query, CHUNK_BYTES - len(CUT_MARK)) + CUT_MARK


def degradation(lane: Lane, error: Exception) -> Degradation:
    """What a host is told of a lane that failed: whether the request or the provider was at fault, and why."""
    kind = "input" if isinstance(error, DocumentInput) else "unavailable"
    if isinstance(error, DocumentFailure):
        return Degradation(lane, kind, error.reason)
    return Degradation(lane, kind, error.code if isinstance(error, ZeroclawError) else "failed")
