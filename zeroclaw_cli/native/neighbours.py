"""Who stands beside whom in a session, and how much a row inherits from where (specs/recall-ranking.md)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from zeroclaw_cli.native.hits import Cache, Row
from zeroclaw_cli.native.segment import HAS_QUESTION

AFTER: Final = 0.65
AFTER_QUESTION: Final = 0.975
BEFORE: Final = 0.5
SECOND_AFTER: Final = 0.25
SECOND_BEFORE: Final = 0.15


class Neighbours:
    """The order of the rows of some sessions, as far as it was looked up."""

    def __init__(self, connection: sqlite3.Connection, cache: Cache) -> None:
        self._connection = connection
        self._cache = cache
        self.after: dict[int, int] = {}
        self.before: dict[int, int] = {}

    def heirs(self, rows: Mapping[int, Row], giver: int) -> list[tuple[int, float]]:
        """Those of ``rows`` that inherit from a row, and how much of what it has."""
        found = []
        after = self.after.get(giver)
        if after is not None:
            if after in rows:
                found.append((after, AFTER_QUESTION if rows[giver][4] & HAS_QUESTION else AFTER))
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

    def givers(self, rows: Mapping[int, Row], heir: int) -> list[tuple[int, float, str]]:
        """The row itself and its neighbours among ``rows``: id, how much of what it has the row inherits, its place."""
        found = [(heir, 1.0, "row")]
        for way, name in ((self.before, "previous"), (self.after, "next")):
            giver, place = way.get(heir), name
            for _ in range(2):
                if giver is None:
                    break
                if giver in rows:
                    found.append((giver, dict(self.heirs(rows, giver)).get(heir, 0.0), place))
                giver, place = way.get(giver), f"second {name}"
        return found

    def of_sessions(self, sessions: set[int], matched: Sequence[Row]) -> set[int]:
        """The rows at most two places from one that matched, after whole sessions were read in their order."""
        previous: tuple[int, int] = (0, 0)
        for pair in self._connection.execute(_IN_ORDER, (json.dumps(list(sessions)),)):
            if previous[0] == pair[0]:
                self._link(previous[1], pair[1])
            previous = pair
        near: set[int] = set()
        for row in matched:
            for way in (self.before, self.after):
                first = way.get(row[0])
                if first is not None:
                    near.add(first)
                    if (second := way.get(first)) is not None:
                        near.add(second)
        return near

    def beside(self, matched: Sequence[Row]) -> set[int]:
        """The rows at most two places from one that matched, each looked up by itself: for large stores."""
        near: set[int] = set()
        known = self._cache.near
        for row in matched:
            number = row[0]
            beside = known.get(number)
            if beside is None:
                place = (row[1], row[2], number)
                beside = known[number] = (
                    [found for (found,) in self._connection.execute(_TWO_BEFORE, place)],
                    [found for (found,) in self._connection.execute(_TWO_AFTER, place)],
                )
            last = number
            for found in beside[0]:
                self._link(found, last)
                last = found
            last = number
            for found in beside[1]:
                self._link(last, found)
                last = found
            near.update(beside[0], beside[1])
        return near

    def _link(self, first: int, second: int) -> None:
        self.after[first] = second
        self.before[second] = first


_TWO_AFTER: Final = "SELECT id FROM chunks WHERE session = ? AND (at, id) > (?, ?) ORDER BY at, id LIMIT 2"
_TWO_BEFORE: Final = "SELECT id FROM chunks WHERE session = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT 2"
_IN_ORDER: Final = (
    "SELECT session, id FROM chunks WHERE session IN (SELECT value FROM json_each(?)) ORDER BY session, at, id"
)
