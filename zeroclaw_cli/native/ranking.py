"""Which rows answer a question, and in what order (specs/recall-ranking.md).

Own BM25 over the fields of a row; per term a row inherits part of what the rows beside it in its session have; the
whole session counts a little; then factors. Small stores are scored whole. In large ones FTS5 picks the candidates, and
they and their neighbours are scored. The constants are those of the specification.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any, Final, NamedTuple

from zeroclaw_cli.native.index import Span
from zeroclaw_cli.native.schema import has_full_text
from zeroclaw_cli.native.segment import (
    DATE_WEIGHT,
    HAS_NUMBER,
    HAS_QUESTION,
    HAS_TIME,
    LABEL_WEIGHT,
    ONLY_ASKS,
    QueryTerm,
    query_terms,
)

# Above this many rows FTS5 picks the candidates.
WHOLE_STORE_ROWS: Final = 10_000
CANDIDATES: Final = 200

K1: Final = 0.9
B: Final = 0.2
GAIN: Final = K1 + 1.0
AFTER: Final = 0.65
AFTER_QUESTION: Final = 0.975
BEFORE: Final = 0.5
SECOND_AFTER: Final = 0.25
SECOND_BEFORE: Final = 0.15
SESSION_SHARE: Final = 0.3
SPEAKER_FACTOR: Final = 1.5
ONLY_ASKS_FACTOR: Final = 0.9
# The specification names no number for the preference; this is the step of the one beside it, upwards.
PREFERRED_FACTOR: Final = 1.1
# A row that has nothing of the question but its speaker comes after every row that has more.
SPEAKER_ALONE: Final = 0.001

_FIELDS: Final = "id, session, at, length, traits, weight, body, label, dates, speaker"


class _Row(NamedTuple):
    id: int
    session: int | None
    at: int
    length: float
    traits: int
    weight: float
    body: str
    label: str
    dates: str
    speaker: str


@dataclass(frozen=True, slots=True)
class Part:
    """Rows to search: ids in ``span`` for which ``condition`` holds, an SQL expression with ``{id}`` for the row's id
    and ``?`` for ``parameters``; empty for every row."""

    span: Span
    condition: str = ""
    parameters: tuple[Any, ...] = ()


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


class Ranking:
    """The scored rows of one question, best first; rows of equal score newest first."""

    def __init__(self, hits: list[Hit], explain: Callable[[int], Explanation]) -> None:
        self.hits = hits
        self._explain = explain

    def explain(self, chunk: int) -> Explanation:
        """How the score of one of the hits came about."""
        return self._explain(chunk)


def rank(connection: sqlite3.Connection, parts: Sequence[Part], query: str) -> Ranking:
    """Every row of ``parts`` that answers ``query``: those with any of its terms and, for what they inherit, their
    neighbours. Nothing for a query without terms. ``connection`` must be in one reading transaction."""
    terms = query_terms(query)
    if not terms or not parts or not has_full_text(connection):
        return Ranking([], _nothing_to_explain)
    return _Scorer(connection, parts, terms, query).ranking()


def _nothing_to_explain(chunk: int) -> Explanation:
    raise KeyError(chunk)


class _Totals(NamedTuple):
    rows: int
    average_length: float
    average_session: float


class _Scorer:
    def __init__(
        self, connection: sqlite3.Connection, parts: Sequence[Part], terms: Sequence[QueryTerm], query: str
    ) -> None:
        self.connection = connection
        self.parts = parts
        self.terms = terms
        self.totals = self._sum_totals()
        self.large = self.totals.rows > WHOLE_STORE_ROWS
        self.preferred = _preferred_traits(query)
        self.rows: dict[int, _Row] = {}
        self.after: dict[int, int] = {}
        self.before: dict[int, int] = {}
        self.idf: list[float] = []
        # Per term: saturated frequency of each row that has it, and the weighted count of each session.
        self.own: list[dict[int, float]] = []
        self.of_session: list[dict[int, float]] = []
        self.session_points: dict[int, float] = {}
        self.speakers: frozenset[str] = frozenset()

    def ranking(self) -> Ranking:
        self.idf = self._inverse_frequencies()
        self._gather()
        if not self.rows:
            return Ranking([], _nothing_to_explain)
        self.speakers = self._named_speakers()
        self._count()
        scores = self._inherit()
        self._add_sessions(scores)
        hits = self._finish(scores)
        hits.sort(key=lambda hit: (-hit.score, -hit.at, hit.chunk))
        return Ranking(hits, self.explain)

    # What is searched

    def _sum_totals(self) -> _Totals:
        rows, length, sessions, session_length = 0, 0.0, 0, 0.0
        for part in self.parts:
            # The totals are kept by scope and kind, which are the high bits of an id.
            for found in self.connection.execute(
                "SELECT chunks, length, sessions, session_length FROM index_totals "
                "WHERE ((scope << 2) | kind) BETWEEN ? >> 44 AND ? >> 44",
                (part.span.first, part.span.last),
            ):
                rows, length = rows + found[0], length + found[1]
                sessions, session_length = sessions + found[2], session_length + found[3]
        return _Totals(rows, length / rows if rows else 1.0, session_length / sessions if sessions else 1.0)

    def _inverse_frequencies(self) -> list[float]:
        frequencies = []
        for term in self.terms:
            frequency = 0
            for part in self.parts:
                bounds = (term.literal, part.span.first, part.span.last)
                sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid BETWEEN ? AND ?"
                frequency += self.connection.execute(sql, bounds).fetchone()[0]
            frequencies.append(frequency)
        everywhere = max([self.totals.rows, *frequencies])
        if self.large:
            self.terms, frequencies = self._worth_matching(frequencies)
        return [log(1.0 + (everywhere - found + 0.5) / (found + 0.5)) for found in frequencies]

    def _worth_matching(self, frequencies: list[int]) -> tuple[Sequence[QueryTerm], list[int]]:
        """Without the terms that no row has, and without those of more than half of all rows when there is a rarer
        one: they cost the most and tell the least."""
        pairs = [pair for pair in zip(self.terms, frequencies, strict=True) if pair[1]]
        rarer = [pair for pair in pairs if 2 * pair[1] <= self.totals.rows]
        kept = rarer or pairs
        return [term for term, _ in kept], [found for _, found in kept]

    # Which rows are scored

    def _gather(self) -> None:
        if not self.terms:
            return
        anywhere = " OR ".join(term.literal for term in self.terms)
        if not self.large:
            self._match(anywhere, "")
            self._link_sessions()
            return
        ordered = f"ORDER BY bm25(chunks_fts, 1.0, {LABEL_WEIGHT}, {DATE_WEIGHT}, 0.0) LIMIT {CANDIDATES}"
        self._match(f"{{body label dates}} : ({anywhere})", ordered)
        if len(self.rows) < CANDIDATES:
            self._match(anywhere, ordered)
        self._link_neighbours()

    def _match(self, expression: str, order: str) -> None:
        for part in self.parts:
            condition = _condition(part, "chunks_fts.rowid")
            # The inner query reads the index alone; only what it keeps is read as rows.
            sql = (
                f"SELECT {_FIELDS} FROM (SELECT rowid AS found FROM chunks_fts WHERE chunks_fts MATCH ? "  # noqa: S608
                f"AND rowid BETWEEN ? AND ?{condition} {order}) JOIN chunks ON chunks.id = found"
            )
            bounds = (expression, part.span.first, part.span.last, *part.parameters)
            self._add(self.connection.execute(sql, bounds))

    def _fetch(self, ids: Iterable[int]) -> None:
        wanted = json.dumps([found for found in ids if found not in self.rows])
        if wanted == "[]":
            return
        for part in self.parts:
            condition = _condition(part, "chunks.id")
            sql = (
                f"SELECT {_FIELDS} FROM chunks WHERE id IN (SELECT value FROM json_each(?)) "  # noqa: S608
                f"AND id BETWEEN ? AND ?{condition}"
            )
            self._add(self.connection.execute(sql, (wanted, part.span.first, part.span.last, *part.parameters)))

    def _add(self, found: Iterable[tuple[Any, ...]]) -> None:
        rows = self.rows
        for row in found:
            rows[row[0]] = _Row._make(row)

    def _link_sessions(self) -> None:
        """Put every session that has a hit in order, and read the neighbours of the hits."""
        matched = list(self.rows.values())
        sessions = {row.session for row in matched if row.session is not None}
        if not sessions:
            return
        previous: tuple[int, int] | None = None
        for pair in self.connection.execute(
            "SELECT session, id FROM chunks WHERE session IN (SELECT value FROM json_each(?)) ORDER BY session, at, id",
            (json.dumps(list(sessions)),),
        ):
            if previous is not None and previous[0] == pair[0]:
                self._link(previous[1], pair[1])
            previous = pair
        near: set[int] = set()
        for row in matched:
            for way in (self.before, self.after):
                first = way.get(row.id)
                if first is not None:
                    near.add(first)
                    if (second := way.get(first)) is not None:
                        near.add(second)
        self._fetch(near)

    def _link_neighbours(self) -> None:
        """Read the two rows before and the two after each candidate."""
        near: set[int] = set()
        for row in list(self.rows.values()):
            if row.session is None:
                continue
            place = (row.session, row.at, row.id)
            last = row.id
            for (found,) in self.connection.execute(_TWO_AFTER, place):
                self._link(last, found)
                near.add(found)
                last = found
            last = row.id
            for (found,) in self.connection.execute(_TWO_BEFORE, place):
                self._link(found, last)
                near.add(found)
                last = found
        self._fetch(near)

    def _link(self, first: int, second: int) -> None:
        self.after[first] = second
        self.before[second] = first

    # What they have

    def _named_speakers(self) -> frozenset[str]:
        """The speakers whom the question names by a term; a word that heads one row only is a heading, no speaker."""
        patterns = [term.pattern for term in self.terms]
        rows_of: dict[str, int] = {}
        for row in self.rows.values():
            if row.speaker and any(pattern in row.speaker for pattern in patterns):
                rows_of[row.speaker] = rows_of.get(row.speaker, 0) + 1
        return frozenset(speaker for speaker, count in rows_of.items() if count > 1 or self._speaks_more(speaker))

    def _speaks_more(self, speaker: str) -> bool:
        if not self.large:
            return False
        found = 0
        for part in self.parts:
            found += len(
                self.connection.execute(
                    "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid BETWEEN ? AND ? LIMIT 2",
                    (f'speaker : "{speaker.strip()}"', part.span.first, part.span.last),
                ).fetchall()
            )
        return found > 1

    def _count(self) -> None:
        """The saturated frequency of each term in each row that has it, and its count in each session."""
        scale = B / self.totals.average_length if self.totals.average_length else 0.0
        rows = list(self.rows.values())
        for term in self.terms:
            pattern = term.pattern
            own: dict[int, float] = {}
            of_session: dict[int, float] = {}
            for number, session, _, length, _, _, body, label, dates, speaker in rows:
                count: float = body.count(pattern) if pattern in body else 0
                if pattern in label:
                    count += LABEL_WEIGHT * label.count(pattern)
                if pattern in dates:
                    count += DATE_WEIGHT * dates.count(pattern)
                if speaker and pattern in speaker and speaker not in self.speakers:
                    count += 1.0
                if count:
                    own[number] = GAIN * count / (count + K1 * (1.0 - B + scale * length))
                    if session is not None:
                        of_session[session] = of_session.get(session, 0.0) + count
            self.own.append(own)
            self.of_session.append(of_session)

    def _inherit(self) -> dict[int, float]:
        """For each row the sum over the terms of the best that it has itself or inherits."""
        scores: dict[int, float] = {}
        for idf, own in zip(self.idf, self.own, strict=True):
            best = dict(own)
            for number, value in own.items():
                for near, share in self._heirs(number):
                    if share * value > best.get(near, 0.0):
                        best[near] = share * value
            for number, value in best.items():
                scores[number] = scores.get(number, 0.0) + idf * value
        return scores

    def _heirs(self, giver: int) -> list[tuple[int, float]]:
        """The rows that inherit from a row, and how much of what it has."""
        rows, found = self.rows, []
        after = self.after.get(giver)
        if after is not None:
            if after in rows:
                found.append((after, AFTER_QUESTION if rows[giver].traits & HAS_QUESTION else AFTER))
            second = self.after.get(after)
            if second is not None and second in rows:
                found.append((second, SECOND_AFTER))
        before = self.before.get(giver)
        if before is not None:
            if before in rows:
                found.append((before, BEFORE))
            second = self.before.get(before)
            if second is not None and second in rows:
                found.append((second, SECOND_BEFORE))
        return found

    def _add_sessions(self, scores: dict[int, float]) -> None:
        sessions = {session for counts in self.of_session for session in counts}
        lengths = self._session_lengths(sessions)
        for session in sessions:
            scale = 1.2 * (0.25 + 0.75 * lengths.get(session, 0.0) / (self.totals.average_session or 1.0))
            points = 0.0
            for idf, counts in zip(self.idf, self.of_session, strict=True):
                count = counts.get(session, 0.0)
                if count:
                    points += idf * 2.2 * count / (count + scale)
            self.session_points[session] = SESSION_SHARE * points
        for number in scores:
            own_session = self.rows[number].session
            if own_session is not None:
                scores[number] += self.session_points.get(own_session, 0.0)

    def _session_lengths(self, sessions: set[int]) -> dict[int, float]:
        found: dict[int, float] = {}
        for sql, wanted in (
            ("SELECT number, length FROM sessions WHERE number IN (SELECT value FROM json_each(?))", 1),
            (
                "SELECT session, sum(length) FROM chunks WHERE session IN (SELECT value FROM json_each(?)) "
                "GROUP BY session",
                -1,
            ),
        ):
            chosen = [session for session in sessions if session * wanted > 0]
            if chosen:
                found.update(self.connection.execute(sql, (json.dumps(chosen),)).fetchall())
        return found

    # What it comes to

    def _finish(self, scores: dict[int, float]) -> list[Hit]:
        if self.speakers:
            alone = SPEAKER_ALONE * max(self.idf)
            for number, row in self.rows.items():
                if number not in scores and row.speaker in self.speakers:
                    scores[number] = alone
        hits = []
        only_speaker = next(iter(self.speakers)) if len(self.speakers) == 1 else None
        for number, score in scores.items():
            row = self.rows[number]
            factor = row.weight
            if only_speaker is not None and row.speaker == only_speaker:
                factor *= SPEAKER_FACTOR
            if row.traits & self.preferred:
                factor *= PREFERRED_FACTOR
            if row.traits & ONLY_ASKS:
                factor *= ONLY_ASKS_FACTOR
            hits.append(Hit(number, score * factor, row.at))
        return hits

    def explain(self, chunk: int) -> Explanation:
        row = self.rows[chunk]
        near = self._givers(chunk)
        shares = []
        for term, idf, own in zip(self.terms, self.idf, self.own, strict=True):
            offers = [(own.get(giver, 0.0) * share, source) for giver, share, source in near]
            value, source = max(offers, key=lambda offer: offer[0])
            if value > 0.0:
                shares.append(TermShare(term.text, idf * value, source, idf))
        factors = {"importance": row.weight}
        if len(self.speakers) == 1 and row.speaker in self.speakers:
            factors["speaker"] = SPEAKER_FACTOR
        if row.traits & self.preferred:
            factors["fits the question"] = PREFERRED_FACTOR
        if row.traits & ONLY_ASKS:
            factors["only asks"] = ONLY_ASKS_FACTOR
        if not shares and row.speaker in self.speakers:
            shares.append(TermShare(row.speaker.strip(), SPEAKER_ALONE * max(self.idf), "speaker", max(self.idf)))
            return Explanation(tuple(shares), 0.0, factors)
        session = 0.0 if row.session is None else self.session_points.get(row.session, 0.0)
        return Explanation(tuple(shares), session, factors)

    def _givers(self, heir: int) -> list[tuple[int, float, str]]:
        """The row itself and its neighbours: id, how much of what it has the row inherits, and its place."""
        found = [(heir, 1.0, "row")]
        for way, name in ((self.before, "previous"), (self.after, "next")):
            giver, place = way.get(heir), name
            for _ in range(2):
                if giver is None:
                    break
                if giver in self.rows:
                    found.append((giver, dict(self._heirs(giver)).get(heir, 0.0), place))
                giver, place = way.get(giver), f"second {name}"
        return found


_TWO_AFTER: Final = "SELECT id FROM chunks WHERE session = ?1 AND (at, id) > (?2, ?3) ORDER BY at, id LIMIT 2"
_TWO_BEFORE: Final = (
    "SELECT id FROM chunks WHERE session = ?1 AND (at, id) < (?2, ?3) ORDER BY at DESC, id DESC LIMIT 2"
)


def _condition(part: Part, id: str) -> str:
    return f" AND {part.condition.format(id=id)}" if part.condition else ""


def _preferred_traits(query: str) -> int:
    """What the rows that answer should have: a time for "when", a number for "how many", "how often" and the like."""
    words = query.casefold().split()
    found = HAS_TIME if any(word.strip("?!.,") == "when" for word in words) else 0
    pairs = pairwise(words)
    if any(first == "how" and second.strip("?!.,") in {"many", "much", "long", "often"} for first, second in pairs):
        found |= HAS_NUMBER
    return found
