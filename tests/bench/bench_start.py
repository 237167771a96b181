"""How long commands take to start, as ratios to ``python -c pass`` of the same run.

Run: ``python tests/bench/bench_start.py``.
Figures to reach: --version 1.6, config get 12, plugin list 12 (50 packages).
"""

from __future__ import annotations

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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.ok("config", "set", "plugins.enabled", "true")
        for number in range(50):
            source = package(Path(folder) / "sources" / str(number), f"package-{number:02d}", "plain")
            home.ok("plugin", "install", source)
        base = milliseconds([sys.executable, "-c", "pass"], home)
        print(f"python -c pass: {base:.1f} ms")
        for words in (
            ["--version"],
            ["config", "get", "plugins.enabled"],
            ["plugin", "list"],
            ["plugin", "list", "--json"],
        ):
            took = milliseconds([str(PROGRAM), *words], home)
            print(f"zeroclaw {' '.join(words)}: {took:.1f} ms, ratio {took / base:.2f}")


if __name__ == "__main__":
    main()
