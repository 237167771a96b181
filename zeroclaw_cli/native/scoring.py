"""The scores of the rows that answer a question (specs/recall-ranking.md).

Own BM25 over the fields of a row; per term a row inherits part of what the rows beside it in its session have; the
whole session counts a little, and a row without one gets what the sessions get on average; then factors. Where some
rows have every term by themselves, the scores of all others are scaled down to stay below theirs. Small stores are
scored whole. In large ones FTS5 picks the candidates, and they and their neighbours are scored. The constants are those
of the specification.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from itertools import islice, pairwise
from math import fsum, log
from typing import Final, NamedTuple, TypeVar

from zeroclaw_cli.native.hits import FIELDS, Cache, Explanation, Hit, Part, Row, TermShare
from zeroclaw_cli.native.index import MAX_PARTS, TOTALS_IN_SPAN, Span, whole_of
from zeroclaw_cli.native.neighbours import AFTER, AFTER_QUESTION, Neighbours
from zeroclaw_cli.native.segment import (
    DATE_WEIGHT,
    HAS_NUMBER,
    HAS_QUESTION,
    HAS_TIME,
    LABEL_WEIGHT,
    ONLY_ASKS,
    QueryTerm,
)

# Above this many rows FTS5 picks the candidates.
WHOLE_STORE_ROWS: Final = 10_000
CANDIDATES: Final = 200
LIGHT_SHARE: Final = 0.5
# With no more rows than this it pays to ask where all of them are, instead of looking at every neighbour.
SCATTERED_ROWS: Final = 1_000

K1: Final = 0.9
B: Final = 0.2
GAIN: Final = K1 + 1.0
SESSION_SHARE: Final = 0.3
SESSION_GAIN: Final = 2.2
SPEAKER_FACTOR: Final = 1.5
ONLY_ASKS_FACTOR: Final = 0.9
# The specification names no number for the preference; this is the step of the one beside it, upwards.
PREFERRED_FACTOR: Final = 1.1
# The most that a term which a row and its session have can be worth, in units of its idf.
_BEYOND: Final = GAIN + SESSION_SHARE * SESSION_GAIN
# A row that has nothing of the question but its speaker comes after every row that has more.
SPEAKER_ALONE: Final = 0.001


# How far below the last row that has every term by itself the best of the others is kept.
BELOW_WHOLE: Final = 0.999


# What rows are sorted by, and the id of the row.
_Place = TypeVar("_Place", tuple[float, int], tuple[float, int, int])


class _Totals(NamedTuple):
    rows: int
    average_length: float
    average_session: float


class Scorer:
    """One question on its way: candidates, what they have, what they inherit, factors.

    A neighbour is looked at only where it can matter: what a session could score at most is known from its candidates,
    and a session that stays below the best rows so far is left as it is.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        parts: Sequence[Part],
        terms: Sequence[QueryTerm],
        query: str,
        limit: int,
        cache: Cache,
        *,
        owners: int = 0,
    ) -> None:
        self.connection = connection
        self.parts = parts
        self.cache = cache
        self.limit = limit
        self.owners = owners
        # Where the hits are, if not everywhere.
        self.given: list[Span] | None = None
        if not all(part.given for part in parts):
            self.given = [part.span for part in parts if part.given]
        self.conditional = any(part.condition for part in parts)
        self.totals = self._sum_totals()
        # How many rows of a part FTS5 picks in a large store: never fewer than are asked for.
        self.most = min(max(CANDIDATES, limit), self.totals.rows)
        self.large = self.totals.rows > WHOLE_STORE_ROWS
        self.terms, self.frequencies = self._matching(terms)
        # Whether the store knows every term of the question: without, no row has them all.
        self.all_known = len(self.terms) == len(terms)
        everywhere = max([self.totals.rows, *self.frequencies])
        self.idf = [log(1.0 + (everywhere - found + 0.5) / (found + 0.5)) for found in self.frequencies]
        self.preferred = _preferred_traits(query)
        self.rows: dict[int, Row] = {}
        self.neighbours = Neighbours(connection, cache)
        # Per term: the saturated frequency of each row that has it, and the weighted count of each session.
        self.own: list[dict[int, float]] = [{} for _ in self.terms]
        self.of_session: list[dict[int, float]] = [{} for _ in self.terms]
        self.session_points: dict[int, float] = {}
        self.average_points = 0.0
        # The rows that have every term by themselves, and the factor of all others.
        self.whole: set[int] = set()
        self.others_factor = 1.0
        self.lengths: dict[int, float] = {}
        self.speakers: frozenset[str] = frozenset()

    def hits(self) -> list[Hit]:
        """The best rows, best first, and all that tie with the last of them; of ``owners`` the best row of each."""
        if not self.terms:
            return []
        candidates = self._candidates()
        self.speakers = self._named_speakers(candidates)
        self._count(candidates)
        self.whole = self._having_all()
        sessions = self._sessions()
        if sessions and not self._is_filled():
            self._widen(self._worth_widening(sessions))
        return self._best(self._scores())

    # What is searched

    def _sum_totals(self) -> _Totals:
        rows, length, sessions, session_length = 0, 0.0, 0, 0.0
        for part in self.parts:
            for found in self.connection.execute(
                f"SELECT chunks, length, sessions, session_length FROM index_totals WHERE {TOTALS_IN_SPAN}",  # noqa: S608
                (part.span.first, part.span.last),
            ):
                rows, length = rows + found[0], length + found[1]
                sessions, session_length = sessions + found[2], session_length + found[3]
        return _Totals(rows, length / rows if rows else 1.0, session_length / sessions if sessions else 1.0)

    def _matching(self, terms: Sequence[QueryTerm]) -> tuple[list[QueryTerm], list[int]]:
        """The terms that some row has, the rarest first, and how many rows have each."""
        pairs = [(term, found) for term in terms if (found := self._frequency(term.literal))]
        pairs.sort(key=lambda pair: pair[1])
        return [term for term, _ in pairs], [found for _, found in pairs]

    def _decisive(self) -> Sequence[QueryTerm]:
        """The terms by which a large store picks its candidates: without the most frequent ones, when together they
        weigh less than half of any other, and enough rows have one of the others.

        They cost the most, and what they add does not lift a row among the first candidates. They count in the scores.
        """
        for kept in range(1, len(self.terms)):
            light = fsum(self.idf[kept:]) <= LIGHT_SHARE * self.idf[kept - 1]
            if light and self.frequencies[kept - 1] >= self.most:
                return self.terms[:kept]
        return self.terms

    def _frequency(self, expression: str, most: int = -1) -> int:
        """How many rows match, conditions aside; with ``most``, no more than that are counted in each part."""
        total = 0
        for part in self.parts:
            place = (f"{most} {expression}", part.span.first, part.span.last)
            found = self.cache.frequencies.get(place)
            if found is None:
                found = self.cache.frequencies[place] = self._counted(expression, part, most)
            total += found
        return total

    def _counted(self, expression: str, part: Part, most: int) -> int:
        sql = (
            "SELECT count(*) FROM (SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)"
        )
        return int(self.connection.execute(sql, (expression, part.span.first, part.span.last, most)).fetchone()[0])

    # Which rows are scored

    def _candidates(self) -> list[Row]:
        whole = _any_of(self.terms)
        narrow = self._narrowed() if self.large else whole
        if self.large and self.all_known and len(self.terms) > 1:
            every = " AND ".join(term.literal for term in self.terms)
            for part in self.parts:
                self._match(part, every)
        for part in self.parts:
            found = self._match(part, narrow)
            # It was narrowed by the frequencies of all spans together, which tell nothing of the rows of one of them,
            # or that a condition selects.
            if narrow != whole and found < self.most and (part.condition or len(self.parts) > 1):
                self._match(part, whole)
        if narrow != whole and len(self.rows) < self.limit:
            for part in self.parts:
                self._match(part, whole)
        return list(self.rows.values())

    def _narrowed(self) -> str:
        """What a large store is asked first: less than every row with any term where others decide who comes first."""
        expression = _any_of(self._decisive())
        # Rows that have nothing of the question but their speaker would be as many as that speaker's rows.
        spoken = f"speaker : ({expression})"
        if self._may_be_spoken() and self._frequency(spoken, self.most + 1) > self.most:
            without = f"{{body label dates}} : ({expression})"
            return without if self._frequency(without, 1) else expression
        return expression

    def _match(self, part: Part, expression: str) -> int:
        """Read the rows of a part that match and for which its condition holds, in a large store the best by
        ``bm25()``; gives how many."""
        matching = (
            f"FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid BETWEEN ? AND ?{_condition(part, 'chunks_fts.rowid')}"
        )
        bounds = (expression, part.span.first, part.span.last, *part.parameters)
        if not self.large:
            return len(self._read(f"SELECT rowid AS found {matching}", bounds))
        cost = f"bm25(chunks_fts, 1.0, {LABEL_WEIGHT}, {DATE_WEIGHT}, 0.0)"
        best = self._read(f"SELECT rowid AS found {matching} ORDER BY {cost} LIMIT {self.most}", bounds)
        if self.owners and len(best) >= self.most and len({whole_of(row[0]) for row in best}) < self.owners:
            # The best rows are the parts of a few documents: the best one of each document, then. The inner limit
            # keeps the costs where SQLite can tell them.
            costs = f"SELECT rowid AS found, {cost} AS cost {matching} LIMIT -1"
            each = f"SELECT found, min(cost) AS least FROM ({costs}) GROUP BY found & {-MAX_PARTS}"  # noqa: S608
            self._read(f"SELECT found FROM ({each}) ORDER BY least LIMIT {self.most}", bounds)  # noqa: S608
        return len(best)

    def _read(self, chosen: str, bounds: Sequence[object]) -> list[Row]:
        """Read the rows that ``chosen`` names, which looks at the index alone."""
        sql = f"SELECT {FIELDS} FROM ({chosen}) JOIN chunks ON chunks.id = found"  # noqa: S608
        found: list[Row] = self.connection.execute(sql, bounds).fetchall()
        self._add(found)
        return found

    def _may_be_spoken(self) -> bool:
        """Whether a term of the question is part of the name of somebody who speaks in the store."""
        patterns = [term.pattern for term in self.terms]
        names = self.connection.execute("SELECT name FROM speakers")
        return any(pattern in name for (name,) in names for pattern in patterns)

    def _add(self, found: Iterable[Row]) -> None:
        self.rows.update({row[0]: row for row in found})

    def _fetch(self, ids: Iterable[int]) -> list[Row]:
        """Read rows that are not there yet, those for which the conditions hold."""
        before = len(self.rows)
        wanted = [found for found in ids if found not in self.rows]
        if not self.conditional:
            # Rows of other scopes are never beside ours, so what is known can be taken as it is.
            known = self.cache.rows
            self.rows.update({found: known[found] for found in wanted if found in known})
            wanted = [found for found in wanted if found not in known]
        for part in self.parts if wanted else ():
            condition = _condition(part, "chunks.id")
            sql = (
                f"SELECT {FIELDS} FROM chunks WHERE id IN (SELECT value FROM json_each(?)) "  # noqa: S608
                f"AND id BETWEEN ? AND ?{condition}"
            )
            bounds = (json.dumps(wanted), part.span.first, part.span.last, *part.parameters)
            self._add(self.connection.execute(sql, bounds))
        read = list(islice(self.rows.values(), before, None))
        self.cache.rows.update({row[0]: row for row in read})
        return read

    def _named_speakers(self, candidates: Sequence[Row]) -> frozenset[str]:
        """The speakers whom the question names by a term; a word that heads one row only is a heading, no speaker."""
        rows_of: dict[str, int] = {}
        for row in candidates:
            if row[9]:
                rows_of[row[9]] = rows_of.get(row[9], 0) + 1
        patterns = [term.pattern for term in self.terms]
        named = [speaker for speaker in rows_of if any(pattern in speaker for pattern in patterns)]
        return frozenset(speaker for speaker in named if rows_of[speaker] > 1 or (self.large and self._speaks(speaker)))

    def _speaks(self, speaker: str) -> bool:
        """Whether more than one row is headed by a name: with conditions, of the rows that they select."""
        expression, found = f'speaker : "{speaker.strip()}"', 0
        for part in self.parts:
            condition = _condition(part, "chunks_fts.rowid")
            sql = f"SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid BETWEEN ? AND ?{condition} LIMIT 2"  # noqa: S608
            bounds = (expression, part.span.first, part.span.last, *part.parameters)
            found += len(self.connection.execute(sql, bounds).fetchall())
        return found > 1

    # What they have

    def _count(self, rows: Sequence[Row]) -> None:
        """The saturated frequency of each term in each row that has it, and its count in each session."""
        base, scale = K1 * (1.0 - B), K1 * B / (self.totals.average_length or 1.0)
        looked_for = list(zip([term.pattern for term in self.terms], self.own, self.of_session, strict=True))
        for number, session, _, length, _, _, body, label, dates, speaker in rows:
            heading = "" if speaker in self.speakers else speaker
            everything = f"{body}{label}{dates}{heading}"
            for pattern, own, of_session in looked_for:
                if pattern in everything:
                    count = body.count(pattern) + LABEL_WEIGHT * label.count(pattern)
                    count += DATE_WEIGHT * dates.count(pattern) + heading.count(pattern)
                    own[number] = GAIN * count / (count + base + scale * length)
                    if session is not None:
                        of_session[session] = of_session.get(session, 0.0) + count

    def _having_all(self) -> set[int]:
        """The rows that have every term by themselves; that its speaker has the name counts where it has more."""
        if not self.all_known:
            return set()
        found: set[int] | None = None
        for term, own in zip(self.terms, self.own, strict=True):
            spoken = {speaker for speaker in self.speakers if term.pattern in speaker} if len(self.terms) > 1 else set()
            if found is None:
                found = set(own)
                if spoken:
                    found.update(number for number, row in self.rows.items() if row[9] in spoken)
            else:
                found = {number for number in found if number in own or self.rows[number][9] in spoken}
            if not found:
                return found
        assert found is not None
        return {number for number in found if any(number in own for own in self.own)}

    def _is_filled(self) -> bool:
        """Whether the rows that have every term fill all places, so that it need not be known what others inherit."""
        if self.owners or len(self.whole) < self.limit:
            return False
        return self.given is None or len(self._chosen([(0.0, number) for number in self.whole])) >= self.limit

    def _sessions(self) -> set[int]:
        """The sessions in which something was found, with their lengths read."""
        sessions = {row[1] for row in self.rows.values() if row[1] is not None}
        for sql, sign in ((_SESSION_LENGTHS, 1), (_DOCUMENT_LENGTHS, -1)):
            chosen = [session for session in sessions if session * sign > 0]
            if chosen:
                self.lengths.update(self.connection.execute(sql, (json.dumps(chosen),)).fetchall())
        return sessions

    def _scores(self) -> dict[int, float]:
        """The sum of what each row has and inherits, with its session's share, before the factors."""
        scores: dict[int, float] = {}
        for idf, own in zip(self.idf, self.own, strict=True):
            best = own
            if self.neighbours.after:
                best = dict(own)
                for giver, value in own.items():
                    for heir, share in self.neighbours.heirs(self.rows, giver):
                        if share * value > best.get(heir, 0.0):
                            best[heir] = share * value
            for number, value in best.items():
                scores[number] = scores.get(number, 0.0) + idf * value
        self._add_sessions(scores)
        if self.speakers:
            alone = SPEAKER_ALONE * max(self.idf)
            for number, row in self.rows.items():
                if number not in scores and row[9] in self.speakers:
                    scores[number] = alone
        return scores

    def _add_sessions(self, scores: dict[int, float]) -> None:
        average = self.totals.average_session or 1.0
        points: dict[int, float] = {}
        for idf, counts in zip(self.idf, self.of_session, strict=True):
            for session, count in counts.items():
                scale = 1.2 * (0.25 + 0.75 * self.lengths.get(session, 0.0) / average)
                points[session] = points.get(session, 0.0) + SESSION_SHARE * idf * SESSION_GAIN * count / (
                    count + scale
                )
        self.session_points = points
        self.average_points = fsum(points.values()) / len(points) if points else 0.0
        if points:
            rows, average = self.rows, self.average_points
            for number in scores:
                place = rows[number][1]
                scores[number] += average if place is None else points.get(place, 0.0)

    # What their neighbours have

    def _worth_widening(self, sessions: set[int]) -> set[int]:
        """The sessions that with their neighbours may have a row among the best."""
        if self.large and sum(self.frequencies) > SCATTERED_ROWS:
            return sessions
        scores = self._scores()
        finals = self._chosen([(-score * self._factor(self.rows[number]), number) for number, score in scores.items()])
        wanted = self.owners or self.limit
        threshold = -nsmallest(wanted, finals)[-1][0] if len(finals) >= wanted else 0.0
        if threshold <= 0.0:
            return sessions
        highest = (SPEAKER_FACTOR if len(self.speakers) == 1 else 1.0) * (PREFERRED_FACTOR if self.preferred else 1.0)
        least, points = threshold / highest, self.session_points
        return {session for session, value in self._most(sessions).items() if value + points.get(session, 0.0) >= least}

    def _most(self, sessions: set[int]) -> dict[int, float]:
        """What a row that is none of the candidates, or has more than they show, could have in each session at most.

        A term that has rows outside of the candidates may be in a neighbour only in the sessions where it is; one that
        has none can only come from the candidates of the session itself.
        """
        most = dict.fromkeys(sessions, 0.0)
        kinds = dict.fromkeys(sessions, 0)
        asked = {row[1] for row in self.rows.values() if row[4] & HAS_QUESTION}
        for term, idf, own, frequency in zip(self.terms, self.idf, self.own, self.frequencies, strict=True):
            unseen: dict[int, int] = {}
            if len(own) < frequency:
                unseen = self._sessions_with(term)
            strongest: dict[int, float] = {}
            for number, value in own.items():
                session = self.rows[number][1]
                if session is not None:
                    strongest[session] = max(value, strongest.get(session, 0.0))
                    if session in unseen:
                        unseen[session] -= 1
            for session, value in strongest.items():
                most[session] += idf * value
                kinds[session] += 1
            for session, left in unseen.items():
                if left and session in most:
                    # Whatever is left may have more of the term than the candidates, and beside others.
                    most[session] += idf * (_BEYOND - strongest.get(session, 0.0))
                    kinds[session] += 2
        # With one term alone the candidates have what they have, and a neighbour has less.
        shares = {session: AFTER_QUESTION if session in asked else AFTER for session in sessions}
        return {session: value * (shares[session] if kinds[session] == 1 else 1.0) for session, value in most.items()}

    def _sessions_with(self, term: QueryTerm) -> dict[int, int]:
        """How many rows of each session have a term."""
        found: dict[int, int] = {}
        for part in self.parts:
            bounds = (term.literal, part.span.first, part.span.last)
            for (session,) in self.connection.execute(_SESSIONS_WITH, bounds):
                found[session] = found.get(session, 0) + 1
        return found

    def _widen(self, sessions: set[int]) -> None:
        """Read the neighbours of the candidates in these sessions and count what they have."""
        if not sessions:
            return
        matched = [row for row in self.rows.values() if row[1] in sessions]
        near = self.neighbours.beside(matched) if self.large else self.neighbours.of_sessions(sessions, matched)
        self._count(self._fetch(near))

    # What it comes to

    def _factor(self, row: Row) -> float:
        factor, traits = row[5], row[4]
        if len(self.speakers) == 1 and row[9] in self.speakers:
            factor *= SPEAKER_FACTOR
        if traits & self.preferred:
            factor *= PREFERRED_FACTOR
        if traits & ONLY_ASKS:
            factor *= ONLY_ASKS_FACTOR
        return factor

    def _best(self, scores: dict[int, float]) -> list[Hit]:
        rows = self.rows
        usual = not self.preferred and len(self.speakers) != 1
        order = []
        for number, score in scores.items():
            row = rows[number]
            plain = usual and not row[4] & ONLY_ASKS
            order.append((-score * (row[5] if plain else self._factor(row)), -row[2], number))
        order = self._whole_first(self._chosen(order))
        if self.owners:
            order = nsmallest(self.owners, order)
        elif len(order) > self.limit:
            last = nsmallest(self.limit, order)[-1]
            # Rows of one score and one time are told apart by their keys, which are not known here.
            order = [place for place in order if place[:2] <= last[:2]]
        order.sort()
        return [Hit(number, -score, -at) for score, at, number in order]

    def _whole_first(self, order: list[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
        """The places with all others scaled below the rows that have every term by themselves."""
        least = max((place[0] for place in order if place[-1] in self.whole), default=0.0)
        best = min((place[0] for place in order if place[-1] not in self.whole), default=0.0)
        if not least or best > least * BELOW_WHOLE:
            return order
        self.others_factor = factor = BELOW_WHOLE * least / best
        return [place if place[-1] in self.whole else (place[0] * factor, *place[1:]) for place in order]

    def _chosen(self, order: list[_Place]) -> list[_Place]:
        """The places (ids last) of rows that may be hits: those that are given, the first of each owner if need be."""
        if self.given is not None:
            spans = [(span.first, span.last) for span in self.given]
            order = [place for place in order if any(first <= place[-1] <= last for first, last in spans)]
        if not self.owners:
            return order
        firsts: dict[int, _Place] = {}
        for place in order:
            whole = whole_of(place[-1])
            if whole not in firsts or place < firsts[whole]:
                firsts[whole] = place
        return list(firsts.values())

    def explain(self, chunk: int) -> Explanation:
        """How the score of a hit came about; after ``hits``."""
        row = self.rows[chunk]
        near = self.neighbours.givers(self.rows, chunk)
        shares = []
        for term, idf, own in zip(self.terms, self.idf, self.own, strict=True):
            offers = [(own.get(giver, 0.0) * share, source) for giver, share, source in near]
            value, source = max(offers, key=lambda offer: offer[0])
            if value > 0.0:
                shares.append(TermShare(term.text, idf * value, source, idf))
        factors = {"importance": row[5]}
        if len(self.speakers) == 1 and row[9] in self.speakers:
            factors["speaker"] = SPEAKER_FACTOR
        if row[4] & self.preferred:
            factors["fits the question"] = PREFERRED_FACTOR
        if row[4] & ONLY_ASKS:
            factors["only asks"] = ONLY_ASKS_FACTOR
        if self.others_factor != 1.0 and chunk not in self.whole:
            factors["others have every term"] = self.others_factor
        if not shares:
            strongest = max(self.idf)
            alone = TermShare(row[9].strip(), SPEAKER_ALONE * strongest, "speaker", strongest)
            return Explanation((alone,), 0.0, factors)
        session = self.average_points if row[1] is None else self.session_points.get(row[1], 0.0)
        return Explanation(tuple(shares), session, factors)


_SESSIONS_WITH: Final = (
    "SELECT session FROM chunks_fts JOIN chunks ON chunks.id = chunks_fts.rowid WHERE chunks_fts MATCH ? "
    "AND chunks_fts.rowid BETWEEN ? AND ? AND session IS NOT NULL"
)
_SESSION_LENGTHS: Final = "SELECT number, length FROM sessions WHERE number IN (SELECT value FROM json_each(?))"
# A document is a session under a negative number, of which only its chunks know the length.
_DOCUMENT_LENGTHS: Final = (
    "SELECT session, sum(length) FROM chunks WHERE session IN (SELECT value FROM json_each(?)) GROUP BY session"
)


def _any_of(terms: Sequence[QueryTerm]) -> str:
    return " OR ".join(term.literal for term in terms)


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
