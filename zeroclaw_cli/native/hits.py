"""What a search is told and what it gives: parts of the index, hits, and how each score came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from zeroclaw_cli.native.index import Span

CACHED_ROWS: Final = 20_000
FIELDS: Final = "id, session, at, length, traits, weight, body, label, dates, speaker"

# A row as it is read: the fields above in their order.
Row = tuple[int, int | None, int, float, int, float, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """Rows to search: ids in ``span`` for which ``condition`` holds, an SQL expression with ``{id}`` for the row's id
    and ``?`` for ``parameters``; empty for every row. Rows that are not ``given`` count in the scores of the others,
    and are not hits themselves."""

    span: Span
    condition: str = ""
    parameters: tuple[Any, ...] = ()
    given: bool = True


@dataclass(frozen=True, slots=True)
class TermShare:
    """What one term gave a row: points, and whose occurrence it was: ``row``, or the place of the neighbour it came
    from (``previous``, ``next``, ``second previous``, ``second next``)."""

    term: str
    points: float
    source: str
    idf: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a score came about: (sum of the terms' points + the session's points) × the product of the factors."""

    terms: tuple[TermShare, ...]
    session: float
    factors: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        return {
            "terms": [
                {"term": share.term, "points": share.points, "source": share.source, "idf": share.idf}
                for share in self.terms
            ],
            "session": self.session,
            "factors": dict(self.factors),
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """A found row: the id of its chunk, its score (greater is better, above 0), and the microsecond of its creation."""

    chunk: int
    score: float
    at: int


class Cache:
    """What was read from an index, kept until its next change: rows, who stands beside whom, how frequent terms are.

    ``generation`` is any value that another state of the index does not have. Not for several threads at once.
    """

    def __init__(self) -> None:
        self._generation: object = None
        self.rows: dict[int, Row] = {}
        self.near: dict[int, tuple[list[int], list[int]]] = {}
        self.frequencies: dict[tuple[str, int, int], int] = {}

    def of(self, generation: object) -> Cache:
        """The cache, empty if it is of another generation or has grown too large."""
        if generation != self._generation or len(self.rows) > CACHED_ROWS or len(self.near) > CACHED_ROWS:
            self.rows, self.near, self.frequencies = {}, {}, {}
        self._generation = generation
        return self
