"""How long commands take to start, as ratios to ``python -c pass`` of the same run.

Run: ``python tests/bench/bench_start.py``.
Figures to reach: --version 1.6, config get 12, plugin list 12 (50 packages), memory recall 14 (10,000 entries).
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.command import PROGRAM, Home
from tests.support.guests import package

ROUNDS = 15


def milliseconds(command: list[str], home: Home) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, env=home.env(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - start) * 1_000)
    return statistics.median(times)


def entries(number: int) -> str:
    """An export of ``number`` entries, each fiftieth about green tea."""
    words = [f"word{index}" for index in range(997)]
    return "".join(
        json.dumps(
            {
                "key": f"k{index}",
                "content": " ".join(words[(index * 7 + place * 31) % 997] for place in range(12))
                + (" green tea" if index % 50 == 0 else ""),
                "session_id": f"s{index // 20}",
                "category": "daily",
            }
        )
        + "\n"
        for index in range(number)
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.ok("config", "set", "plugins.enabled", "true")
        for number in range(50):
            source = package(Path(folder) / "sources" / str(number), f"package-{number:02d}", "plain")
            home.ok("plugin", "install", source)
        home.ok("memory", "import", "-", stdin=entries(10_000))
        base = milliseconds([sys.executable, "-c", "pass"], home)
        print(f"python -c pass: {base:.1f} ms")
        for words in (
            ["--version"],
            ["config", "get", "plugins.enabled"],
            ["plugin", "list"],
            ["plugin", "list", "--json"],
            ["memory", "recall", "green tea"],
            ["memory", "recall", "green tea", "--json"],
        ):
            took = milliseconds([str(PROGRAM), *words], home)
            print(f"zeroclaw {' '.join(words)}: {took:.1f} ms, ratio {took / base:.2f}")


if __name__ == "__main__":
    main()
