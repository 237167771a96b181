"""The native store against bare SQLite on the same rows, in one run: only the ratios mean something.

Run: ``python tests/bench/bench_native.py [--entries N…]`` (100,000 by default; with several numbers also how recall and
get grow from the first to the others). Figures to reach at 100,000: recall p50 at most 1.5 and p95 at most 3 times
plain FTS5 ``bm25()`` with limit 200; get at most 1.2 times a bare lookup; stores with a commit each at least 0.6,
import at least 0.4 of bare ones; a recall as a whole process at most 14 times ``python -c pass`` on 10,000 entries.
From 100,000 to 1,000,000 recall and get grow no more than n log n does.

The bare import is what somebody would write who wants to find the same rows again by key and by word, and nothing else:
``executemany`` into a table with its primary key and into an FTS5 table of key and content, with the tokenizer of the
store, in transactions of as many rows as the import has. Beside it stands the share of the full-text table alone, which
finds no row by its key.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from math import log
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.clock import fastest, took
from tests.support.conversations import Corpus, make
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.native.memory import NativeMemory, open_memory
from zeroclaw_cli.native.schema import TOKENIZER
from zeroclaw_cli.native.segment import query_terms
from zeroclaw_cli.operations.transfer import import_entries, json_lines, read_rows

ROWS_A_PAIR = 28 * 21
SINGLE_STORES = 300
LOOKUPS = 3_000
ROUNDS = 5
IMPORT_ROUNDS = 3
BATCH = 10_000
MANY = 200_000

RECALL = """
import sys
from pathlib import Path
from zeroclaw_cli.native.memory import open_memory
with open_memory(Path(sys.argv[1])) as memory:
    print(len(memory.recall(sys.argv[2], 10, None, None, None)))
"""


def bare_store(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f'CREATE VIRTUAL TABLE f USING fts5 (key, content, tokenize = "{TOKENIZER}")')
    connection.execute(
        "CREATE TABLE t (key TEXT PRIMARY KEY, id, content, category, created, session, namespace, importance, "
        "superseded, agent, kind, pinned, updated)"
    )
    return connection


def bare_import(connection: sqlite3.Connection, entries: Sequence[Entry], *, table: bool = True) -> None:
    for start in range(0, len(entries), BATCH):
        batch = entries[start : start + BATCH]
        connection.execute("BEGIN")
        if table:
            connection.executemany(
                "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (row.key, str(n), row.content, row.category, row.timestamp, row.session_id, "default", None, None,
                     "", None, 0, row.timestamp)
                    for n, row in enumerate(batch, start)
                ],
            )  # fmt: skip
        connection.executemany("INSERT INTO f (key, content) VALUES (?, ?)", [(row.key, row.content) for row in batch])
        connection.execute("COMMIT")


def imports(entries: Sequence[Entry]) -> None:
    """In turns, each into a new store; the fastest of each, since what else the machine does only slows down."""
    times: dict[str, list[float]] = {"ours": [], "bare": [], "full text": []}
    for _ in range(IMPORT_ROUNDS if len(entries) <= MANY else 1):
        with tempfile.TemporaryDirectory() as folder:
            for name, whole in (("bare", True), ("full text", False)):
                bare = bare_store(Path(folder) / f"{name}.db")
                times[name].append(took(lambda bare=bare, whole=whole: bare_import(bare, entries, table=whole)))  # type: ignore[misc]
                bare.close()
            memory = open_memory(Path(folder))
            times["ours"].append(took(lambda memory=memory: memory.import_entries(entries)))  # type: ignore[misc]
            memory.close()
    ours = min(times["ours"])
    compare_rates("import", ours, min(times["bare"]), "at least 0.4")
    compare_rates("import, of the full text alone", ours, min(times["full text"]), "")


def whole_import(entries: Sequence[Entry]) -> None:
    """From the JSON Lines of an export, as the command reads them."""
    with tempfile.TemporaryDirectory() as folder, open_memory(Path(folder)) as memory:
        text = "\n".join(json_lines(entries))
        reading = took(lambda: read_rows(text, source="bench"))
        rows = read_rows(text, source="bench")
        storing = took(lambda: import_entries(memory, rows.entries, OnConflict.REPLACE))
    each = 1e6 / len(entries)
    print(f"{'import from JSON Lines':34} read {reading * each:10.2f} us    store {storing * each:10.2f} us   a row")


def compare(name: str, ours: float, bare: float, figure: str) -> None:
    print(f"{name:34} ours {ours * 1e3:10.3f} ms   bare {bare * 1e3:10.3f} ms   ratio {ours / bare:6.2f}   {figure}")


def compare_rates(name: str, ours: float, bare: float, figure: str) -> None:
    print(f"{name:34} ours {ours:10.2f} s    bare {bare:10.2f} s    share {bare / ours:6.2f}   {figure}")


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)]


def recall(memory: NativeMemory, bare: sqlite3.Connection, name: str, queries: Sequence[str]) -> dict[str, float]:
    ours, plain = [], []
    for query in queries:
        match = " OR ".join(term.literal for term in query_terms(query))
        sql = "SELECT key, content, bm25(f) FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT 200"
        plain.append(fastest(lambda sql=sql, match=match: bare.execute(sql, (match,)).fetchall()))  # type: ignore[misc]
        ours.append(fastest(lambda query=query: memory.recall(query, 10, None, None, None)))  # type: ignore[misc]
    for label, share, most in (("p50", 0.5, 1.5), ("p95", 0.95, 3.0)):
        compare(f"recall {name} {label}", percentile(ours, share), percentile(plain, share), f"at most {most}")
    return {f"recall {name} p50": percentile(ours, 0.5), f"recall {name} p95": percentile(ours, 0.95)}


def lookups(memory: NativeMemory, bare: sqlite3.Connection, keys: Sequence[str]) -> float:
    def plain() -> None:
        for key in keys:
            bare.execute("SELECT * FROM t WHERE key = ?", (key,)).fetchone()

    def ours() -> None:
        for key in keys:
            memory.get(key)

    times = [(fastest(ours, 1), fastest(plain, 1)) for _ in range(3 * ROUNDS)]
    mine, theirs = min(time for time, _ in times), min(time for _, time in times)
    compare("get", mine / len(keys), theirs / len(keys), "at most 1.2")
    return mine / len(keys)


def single_stores(memory: NativeMemory, bare: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """In turns, because a disk's mood lasts longer than a commit."""
    ours, plain = [], []
    for number, entry in enumerate(entries):

        def insert(number: int = number, entry: Entry = entry) -> None:
            bare.execute("BEGIN IMMEDIATE")
            bare.execute("INSERT INTO f (key, content) VALUES (?, ?)", (f"new-{number}", entry.content))
            bare.execute("COMMIT")

        def store(number: int = number, entry: Entry = entry) -> None:
            memory.store(f"new-{number}", entry.content, "conversation", "new")

        plain.append(took(insert))
        ours.append(took(store))
    compare_rates("stores with a commit each", sum(ours), sum(plain), "at least 0.6")


def processes(entries: Sequence[Entry], query: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with open_memory(Path(folder)) as memory:
            memory.import_entries(entries)
        words = [sys.executable, "-c", RECALL, folder, query]
        ours = statistics.median(
            took(lambda: subprocess.run(words, check=True, capture_output=True)) for _ in range(11)
        )
        words_of_nothing = [sys.executable, "-c", "pass"]
        bare = statistics.median(took(lambda: subprocess.run(words_of_nothing, check=True)) for _ in range(11))
    compare("recall as a process (room alone)", ours, bare, "at most 14 for the command")


def run(corpus: Corpus, rows: int) -> dict[str, float]:
    """Seconds of what is to grow no worse than n log n."""
    entries = corpus.entries[:rows]
    print(f"{len(entries):,} entries")
    imports(entries)
    if rows <= MANY:
        whole_import(entries)
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        bare = bare_store(Path(folder) / "bare.db")
        bare_import(bare, entries)
        memory = open_memory(Path(folder))
        memory.import_entries(entries)
        queries = [question.text for question in dice.sample(corpus.questions, 60)]
        times = recall(memory, bare, "questions", queries)
        pairs = [" ".join(dice.sample(dice.choice(entries).content.split(), 2)) for _ in range(60)]
        times |= recall(memory, bare, "two words", [pair for pair in pairs if query_terms(pair)])
        times["get"] = lookups(memory, bare, [dice.choice(entries).key for _ in range(LOOKUPS)])
        single_stores(memory, bare, dice.sample(entries, SINGLE_STORES))
        memory.close()
        bare.close()
    processes(entries[:10_000], queries[0])
    return times


def show_growth(few: int, many: int, before: dict[str, float], after: dict[str, float]) -> None:
    expected = many * log(many) / (few * log(few))
    print(f"from {few:,} to {many:,} entries; n log n grows {expected:.1f} times")
    for name, seconds in before.items():
        print(f"{name:34} grows {after[name] / seconds:6.2f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description="The native store against bare SQLite on the same rows.")
    parser.add_argument("--entries", type=int, nargs="+", default=[100_000], metavar="N")
    sizes: list[int] = parser.parse_args().entries
    corpus = make(1, pairs=max(sizes) // ROWS_A_PAIR + 1)
    found = [run(corpus, rows) for rows in sizes]
    for rows, times in zip(sizes[1:], found[1:], strict=True):
        show_growth(sizes[0], rows, found[0], times)


if __name__ == "__main__":
    main()
