"""Which lines of a text a question is about, by the terms of the index."""

from __future__ import annotations

from typing import Final

from zeroclaw_cli.memory.measures import byte_length, lines_of, prefix_within
from zeroclaw_cli.native.segment import QueryTerm, joined, query_terms, terms

# How many characters are shown before the first place that answers.
_LEAD: Final = 40


def how_many(text: str, wanted: list[QueryTerm]) -> int:
    """How many of the terms are in ``text``."""
    if not wanted:
        return 0
    found = joined(terms(text))
    return sum(term.pattern in found for term in wanted)


def matching_lines(text: str, query: str) -> list[str]:
    """The lines of ``text`` with a term of ``query``, in order."""
    wanted = query_terms(query)
    return [line for line in lines_of(text) if how_many(line, wanted)]


def window(line: str, query: str, limit: int) -> str:
    """At most ``limit`` bytes of a long line, beginning shortly before the first place that ``query`` asks for."""
    if byte_length(line) <= limit:
        return line
    place = _first_place(line, query_terms(query))
    if byte_length(line[: place + _LEAD]) <= limit:
        return prefix_within(line, limit)
    start = max(place - _LEAD, 0)
    gap = line.find(" ", start, place)
    return prefix_within(line[start if gap < 0 else gap + 1 :], limit)


def _first_place(line: str, wanted: list[QueryTerm]) -> int:
    """Where the first of the terms stands: as it is written, else in the first word that has its stem."""
    lowered = line.lower()
    places = [place for term in wanted if (place := lowered.find(term.text)) >= 0]
    if places:
        return min(places)
    place = 0
    for word in line.split(" "):
        if how_many(word, wanted):
            return place
        place += len(word) + 1
    return 0
