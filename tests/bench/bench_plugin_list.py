"""How ``plugin list`` grows with what is installed, as ratios to ``python -c pass`` of the same run.

Run: ``python tests/bench/bench_plugin_list.py``. Figures to reach: 50 packages at most 12, with config schemas 18; 500
packages at most 12 times the time of 50, start-up subtracted.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.command import PROGRAM, Home
from tests.support.packages import WASM, write_package

ROUNDS = 15
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["token"],
    "properties": {
        "token": {"type": "string", "pattern": "^[a-z0-9]{4,80}$", "x-secret": True},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    },
}


def fill(home: Home, count: int, *, schemas: bool, cached: bool) -> None:
    """Put ``count`` packages into the home, each with a component of 100 kB."""
    extra: dict[str, Any] = {}
    if schemas:
        extra = {"capabilities": ["tool"], "permissions": ["config_read"], "config_schema": SCHEMA}
    for number in range(count):
        name = f"package-{number:03d}"
        component = WASM + number.to_bytes(4, "little") * 25_000
        write_package(home.config_dir / "plugins" / name, name, component=component, **extra)
    if cached:
        # The components are none, which is a finding; what matters here is that the cache is written.
        home.run("plugin", "verify", "--accept")


def milliseconds(command: list[str], home: Home) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, env=home.env(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - start) * 1_000)
    return min(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = milliseconds([sys.executable, "-c", "pass"], Home(Path(folder)))
        print(f"python -c pass: {base:.1f} ms")
        for schemas in (False, True):
            for cached in (True, False):
                took = {}
                for count in (0, 50, 500):
                    home = Home(Path(folder) / f"{schemas}-{cached}-{count}")
                    home.path.mkdir()
                    fill(home, count, schemas=schemas, cached=cached)
                    took[count] = milliseconds([str(PROGRAM), "plugin", "list"], home)
                growth = (took[500] - took[0]) / (took[50] - took[0])
                words = f"{'with' if schemas else 'without'} schemas, cache {'warm' if cached else 'absent'}"
                print(
                    f"{words}: 50 packages {took[50]:.1f} ms, ratio {took[50] / base:.1f}; 500 take {growth:.1f} times"
                )


if __name__ == "__main__":
    main()
