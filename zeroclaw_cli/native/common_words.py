"""Questions of function words alone, such as "The Who": the index leaves those words out, so the texts are looked at.

Rows are ranked by BM25 over the words of the question, with the constants of ``scoring``; sessions and neighbours add
nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from math import log
from typing import Final

from zeroclaw_cli.native import index
from zeroclaw_cli.native.hits import Explanation, Hit, Part, TermShare
from zeroclaw_cli.native.segment import joined, words_of

K1: Final = 0.9
GAIN: Final = K1 + 1.0

_TEXTS: Final = (
    "SELECT id, at, weight, text FROM (SELECT c.id, c.at, c.weight, coalesce(c.text, e.content) AS text "  # noqa: S608
    f"FROM chunks c LEFT JOIN entries e ON c.text IS NULL AND e.number = {index.ENTRY_OF_ID.format(id='c.id')} "
    "WHERE c.id BETWEEN ? AND ? {condition}) WHERE "
)
# A word between two characters that are not part of a word.
_HAS_WORD: Final = "' ' || lower(text) || ' ' GLOB ?"


class CommonWords:
    """One question of function words, looked up in the texts of ``parts``."""

    def __init__(self, connection: sqlite3.Connection, parts: Sequence[Part], words: Sequence[str]) -> None:
        self._words = words
        self._weights: dict[int, float] = {}
        self._counts: dict[int, list[int]] = {}
        self._at: dict[int, int] = {}
        globs = [f"*[^a-z0-9]{word}[^a-z0-9]*" for word in words]
        has_any = f"({' OR '.join([_HAS_WORD] * len(words))})"
        for part in parts:
            if part.given:
                condition = f"AND {part.condition.format(id='c.id')}" if part.condition else ""
                bounds = (part.span.first, part.span.last, *part.parameters, *globs)
                for row in connection.execute(_TEXTS.format(condition=condition) + has_any, bounds):
                    self._add(*row)
        found = len(self._counts)
        having = [sum(counts[place] > 0 for counts in self._counts.values()) for place in range(len(words))]
        self._idf = [log(1.0 + (found - number + 0.5) / (number + 0.5)) for number in having]

    def _add(self, chunk: int, at: int, weight: float, text: str) -> None:
        body = joined(words_of(text))
        counts = [body.count(f" {word} ") for word in self._words]
        if any(counts):
            self._counts[chunk], self._at[chunk], self._weights[chunk] = counts, at, weight

    def hits(self, limit: int, owners: int) -> list[Hit]:
        """The best rows, best first, with all that tie with the last of the ``limit``; of ``owners`` the best each."""
        best = sorted((Hit(chunk, self._score(chunk), self._at[chunk]) for chunk in self._counts), key=_place)
        if owners:
            firsts: dict[int, Hit] = {}
            for hit in best:
                firsts.setdefault(index.whole_of(hit.chunk), hit)
            return list(firsts.values())[:owners]
        return [hit for hit in best if _place(hit)[:2] <= _place(best[limit - 1])[:2]] if len(best) > limit else best

    def explain(self, chunk: int) -> Explanation:
        """How the score of a hit came about."""
        shares = (
            TermShare(word, idf * _gain(count), "row", idf)
            for word, idf, count in zip(self._words, self._idf, self._counts[chunk], strict=True)
            if count
        )
        return Explanation(tuple(shares), 0.0, {"importance": self._weights[chunk]})

    def _score(self, chunk: int) -> float:
        points = (idf * _gain(count) for idf, count in zip(self._idf, self._counts[chunk], strict=True))
        return self._weights[chunk] * sum(points)


def _gain(count: int) -> float:
    return GAIN * count / (count + K1)


def _place(hit: Hit) -> tuple[float, int, int]:
    return -hit.score, -hit.at, hit.chunk
