"""Which lines of a text a question is about, by the terms of the index."""

from __future__ import annotations

from zeroclaw_cli.native.segment import QueryTerm, joined, query_terms, terms
from zeroclaw_cli.native.text import byte_length, lines_of, prefix_within


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
    """At most ``limit`` bytes of a long line, beginning shortly before the first word that ``query`` asks for."""
    if byte_length(line) <= limit:
        return line
    wanted = query_terms(query)
    words = line.split(" ")
    start = 0
    for number, word in enumerate(words):
        if how_many(word, wanted):
            start = max(number - 4, 0)
            break
    return prefix_within(" ".join(words[start:]), limit)
