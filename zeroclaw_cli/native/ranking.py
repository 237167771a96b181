"""Which rows answer a question, and in what order (specs/recall-ranking.md). The work is done in ``scoring.py``."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from zeroclaw_cli.native.hits import Cache, Explanation, Hit, Part, TermShare
from zeroclaw_cli.native.schema import has_full_text
from zeroclaw_cli.native.scoring import Scorer
from zeroclaw_cli.native.segment import common_words, query_terms

__all__ = ["Cache", "Explanation", "Hit", "Part", "Ranking", "TermShare", "rank"]


class Ranking:
    """The best rows for one question, best first; rows of equal score newest first."""

    def __init__(self, hits: list[Hit], explain: Callable[[int], Explanation]) -> None:
        self.hits = hits
        self._explain = explain

    def explain(self, chunk: int) -> Explanation:
        """How the score of one of the hits came about."""
        return self._explain(chunk)


def rank(
    connection: sqlite3.Connection,
    parts: Sequence[Part],
    query: str,
    limit: int = 1_000,
    cache: Cache | None = None,
    *,
    owners: int = 0,
) -> Ranking:
    """The ``limit`` best rows of ``parts`` for ``query``, and all that tie with the last of them. With ``owners`` the
    best row of each document and entry alone, of at most so many; ``limit`` is then how many are looked at at least.

    Rows with any of its terms count, and for what they inherit their neighbours. A query of function words alone looks
    for those; nothing for one without a word.
    ``connection`` must be in one reading transaction, and ``cache`` be of the state that it sees.
    """
    terms = query_terms(query)
    if not parts or limit <= 0 or not has_full_text(connection):
        return Ranking([], _nothing_to_explain)
    if not terms:
        return _of_common_words(connection, parts, query, limit, owners)
    scorer = Scorer(connection, parts, terms, query, limit, cache or Cache(), owners=owners)
    return Ranking(scorer.hits(), scorer.explain)


def _of_common_words(
    connection: sqlite3.Connection, parts: Sequence[Part], query: str, limit: int, owners: int
) -> Ranking:
    words = common_words(query)
    if not words:
        return Ranking([], _nothing_to_explain)
    from zeroclaw_cli.native.common_words import CommonWords

    found = CommonWords(connection, parts, words)
    return Ranking(found.hits(limit, owners), found.explain)


def _nothing_to_explain(chunk: int) -> Explanation:
    raise KeyError(chunk)
