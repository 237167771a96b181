"""The search of documents as a tool or a person asks for it (specs/native-memory.md §8)."""

from __future__ import annotations

from typing import Final

from zeroclaw_cli.errors import DocumentArgument
from zeroclaw_cli.memory.documents import SearchHit, SearchResult
from zeroclaw_cli.memory.measures import is_blank
from zeroclaw_cli.native.repository import Query, Repository
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.snippets import bounded

MAX_LIMIT: Final = 20
_LEAST_CANDIDATES: Final = 20


def search(
    repository: Repository,
    scope: Scope,
    query: str,
    limit: int,
    *,
    thread_id: str | None = None,
    all_threads: bool = False,
) -> SearchResult:
    """At most ``limit`` (1 to 20) documents, each with its best part of at most 8,192 bytes.

    Transcripts of ``thread_id`` are found, those of other threads only with ``all_threads``. Raises DocumentInput
    ``empty_query``, or DocumentOperation ``search_unsupported``.
    """
    wanted = query.strip()
    if is_blank(wanted):
        raise DocumentArgument("empty_query", "there is nothing to search for", hint="give some words as query")
    most = min(max(limit, 1), MAX_LIMIT)
    hits = repository.search(
        scope,
        scope,
        Query(
            wanted,
            limit=most,
            candidates=max(most, _LEAST_CANDIDATES),
            threads="all" if all_threads else "own",
            thread_id=thread_id,
        ),
    )
    found = tuple(SearchHit(bounded(hit.text, wanted), hit.score, hit.path.relative) for hit in hits)
    return SearchResult(wanted, found)
