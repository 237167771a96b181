"""What the journal costs, as ratios of one run.

Run: ``python tests/bench/bench_journal.py [FOLDER]``; FOLDER is on the disk that is measured, by default the folder for
temporary files. Figures to reach: opening 10,000 recorded stores at most 3 times the same calls on a warm instance
without a journal; a durable store at most a plain insert and commit (WAL, ``synchronous=FULL``) and 1.2 times the bare
guest call. While others use the disk a commit takes ten times as long and tells nothing; a folder in memory, such as
/dev/shm, shows what is left of the host's own work.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.clock import took
from tests.support.command import PROGRAM, Home
from tests.support.guests import package
from tests.wasm.helpers import opened
from zeroclaw_cli.config.model import Durability, Limits
from zeroclaw_cli.wasm.clocks import SEED_BYTES, Serving
from zeroclaw_cli.wasm.journal import Journal
from zeroclaw_cli.wasm.memory import WasmMemory
from zeroclaw_cli.wasm.records import Record, result_digest
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome

RECORDED = 10_000
LIVE = (100, 1_000, 10_000, 100_000)
CONTENT = "green tea is made of leaves that were steamed, not left to wither"


def record_stores(file: Path, count: int) -> None:
    """Append ``count`` stores to the journal ``file``, as if each had been made; the keys are all different."""
    now = time.time_ns()
    digest = result_digest(Outcome(True, None))
    journal = Journal(file)
    with journal.writing(5) as writer:
        if journal.head() is None:
            writer.begin(Serving(now, 0, os.urandom(SEED_BYTES)))
        for number in range(count):
            arguments = (f"key{number}", f"{CONTENT} {number}", "core", None)
            serving = Serving(now + number * 1_000_000, number + 1, os.urandom(SEED_BYTES))
            writer.add(Record(0, FUNCTIONS["store-entry"], arguments, True, digest, serving), Limits())
    journal.close()


def opening(root: Path) -> None:
    def call() -> float:
        with opened("notes", root, durability=Durability.NONE) as memory:
            started = time.perf_counter()
            for number in range(RECORDED):
                memory.store(f"key{number}", f"{CONTENT} {number}", "core", None)
            return time.perf_counter() - started

    journal = root / "config" / "data" / "plugins" / "guest" / "journal.db"
    record_stores(journal, RECORDED)
    calls = min(call() for _ in range(3))
    replay = min(took(lambda: opened("notes", root).close()) for _ in range(3))
    print(
        f"opening {RECORDED:,} recorded stores: {replay * 1000:.0f} ms, "
        f"{replay / calls:.2f} of the same calls on a warm instance without a journal ({calls * 1000:.0f} ms)"
    )


def recalling(root: Path) -> None:
    home = Home(root)
    home.ok("plugin", "install", package(root / "source", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    home.ok("memory", "count")
    base = wall([sys.executable, "-c", "pass"], home, 9)
    print(f"`zeroclaw memory recall tea` as a process (`python -c pass` takes {base:.3f} s):")
    print(f"{'live entries':>14} {'seconds':>9} {'ratio':>7}")
    journal = home.config_dir / "data" / "plugins" / "notes" / "journal.db"
    for count in LIVE:
        for file in journal.parent.glob("journal.db*"):
            file.unlink()
        record_stores(journal, count)
        took = wall([str(PROGRAM), "-q", "memory", "recall", "tea"], home, 5 if count < 50_000 else 3)
        print(f"{count:>14,} {took:>9.3f} {took / base:>7.1f}")


def wall(command: list[str], home: Home, rounds: int) -> float:
    def run() -> None:
        subprocess.run(command, env=home.env(), stdout=subprocess.DEVNULL, check=True)

    return min(took(run) for _ in range(rounds))


def storing(root: Path) -> None:
    """Each of the three in turn, again and again, since a disk has moods."""
    connection = sqlite3.connect(root / "plain.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c BLOB, d INTEGER, e INTEGER)")

    def insert(key: str) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows (a, b, c, d, e) VALUES (?, ?, ?, ?, ?)", (key, CONTENT, b"x" * 48, 1, 2))
        connection.execute("COMMIT")

    def store(memory: WasmMemory, key: str) -> None:
        memory.store(key, CONTENT, "core", None)

    with (
        opened("notes", root / "bare", durability=Durability.NONE) as bare,
        opened("notes", root / "durable") as durable,
    ):
        times: dict[str, list[float]] = {"insert": [], "bare": [], "durable": []}
        for number in range(600):
            key = f"key{number}"
            times["insert"].append(took(partial(insert, key)))
            times["bare"].append(took(partial(store, bare, key)))
            times["durable"].append(took(partial(store, durable, key)))
    connection.close()
    insert_s, bare_s, durable_s = (statistics.median(found[100:]) for found in times.values())
    allowed = insert_s + 1.2 * bare_s
    print(
        f"a durable store: {durable_s * 1e6:.0f} us, {durable_s / allowed:.2f} of what it may take: insert and commit "
        f"{insert_s * 1e6:.0f} us, and 1.2 times the bare call of {bare_s * 1e6:.0f} us"
    )


def main(folder: str | None) -> None:
    for measure in (opening, storing, recalling):
        with tempfile.TemporaryDirectory(dir=folder) as root:
            measure(Path(root))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
