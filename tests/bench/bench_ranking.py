"""How often the evidence is among the first rows, against stock FTS5 on the same conversations.

Run: ``python tests/bench/bench_ranking.py``. Figure to reach: any@10 at least 12 points above plain FTS5. The corpus is
made by a seed; no constant of the ranking was fitted to it.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.conversations import Corpus, Question, make
from zeroclaw_cli.native import scoring
from zeroclaw_cli.native.memory import open_memory
from zeroclaw_cli.native.segment import query_terms

Search = Callable[[str], list[str]]
CUTS = (1, 5, 10)


def plain(corpus: Corpus) -> Search:
    """Stock ``bm25()``, porter, stop words, terms joined by OR, over the whole text with its speaker."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(key UNINDEXED, content, tokenize = 'porter unicode61')")
    connection.executemany("INSERT INTO f VALUES (?, ?)", [(row.key, row.content) for row in corpus.entries])

    def search(query: str) -> list[str]:
        match = " OR ".join(term.literal for term in query_terms(query))
        rows = connection.execute("SELECT key FROM f WHERE f MATCH ? ORDER BY bm25(f), rowid LIMIT 10", (match,))
        return [key for (key,) in rows]

    return search


def shares(search: Search, questions: tuple[Question, ...]) -> list[float]:
    """any@1, any@5 and any@10 in percent."""
    found = [0] * len(CUTS)
    for question in questions:
        keys = search(question.text)
        for place, cut in enumerate(CUTS):
            found[place] += not question.evidence.isdisjoint(keys[:cut])
    return [100 * count / len(questions) for count in found]


def show(name: str, figures: list[float]) -> None:
    print(f"{name:28}" + "".join(f"  any@{cut} {value:5.1f}" for cut, value in zip(CUTS, figures, strict=True)))


def main() -> None:
    for seed in (1, 2, 3):
        corpus = make(seed)
        print(f"seed {seed}: {len(corpus.entries)} rows, {len(corpus.questions)} questions")
        base = shares(plain(corpus), corpus.questions)
        show("plain FTS5", base)
        with tempfile.TemporaryDirectory() as folder, open_memory(Path(folder)) as memory:
            memory.import_entries(corpus.entries)

            def search(query: str) -> list[str]:
                return [entry.key for entry in memory.recall(query, 10, None, None, None)]

            whole = shares(search, corpus.questions)
            show("whole store", whole)
            limit, scoring.WHOLE_STORE_ROWS = scoring.WHOLE_STORE_ROWS, 0  # type: ignore[misc]
            show("two stages", shares(search, corpus.questions))
            scoring.WHOLE_STORE_ROWS = limit  # type: ignore[misc]
        print(f"any@10 above plain FTS5: {whole[2] - base[2]:+.1f} points")


if __name__ == "__main__":
    main()
