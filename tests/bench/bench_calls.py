"""What a call into a guest costs, and what it leaves behind, as ratios of one run.

Run: ``python tests/bench/bench_calls.py``. Figures to reach with the C guest: recall of 1,000 entries at least 10 times
faster than the binding's own conversion and at most 6 times the same call freed without decoding; store-with-agent at
least 2 times faster than with the binding's own conversion; 10,000 recalls of 100 entries let the process grow by at
most 5 MB.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.clock import fastest
from tests.wasm.test_values import Guest

RECALLS = 10_000


def fill(guest: Guest, count: int) -> None:
    for number in range(count):
        guest.fast("store-with-agent", f"key{number}", "content " * 6, "core", "session", None, 0.5, "agent")


def recalling() -> None:
    guest = Guest("notes")
    fill(guest, 1_000)
    query = ("recall", "", 1_000, None, None, None)
    fast = fastest(lambda: guest.fast(*query), 15)
    generic = fastest(lambda: guest.slow(*query), 3)
    floor = fastest(lambda: guest.fast(*query, most=0), 15)
    print(
        f"recall of 1,000: {fast * 1000:.1f} ms, {generic / fast:.1f} times faster than the binding's conversion, "
        f"{fast / floor:.1f} times the call without decoding"
    )
    guest.close()


def storing() -> None:
    fast, generic = Guest("notes"), Guest("notes", generic_host=True)
    row = ("store-with-agent", "key", "content", "core", None, None, 0.5, "agent")
    quick = fastest(lambda: [fast.fast(*row) for _ in range(300)], 9)
    slow = fastest(lambda: [generic.slow(*row) for _ in range(300)], 3)
    print(
        f"store-with-agent: {quick / 300 * 1e6:.0f} us, {slow / quick:.1f} times faster than the binding's conversion"
    )
    fast.close()
    generic.close()


def resident() -> float:
    """Resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def leaking() -> None:
    if not Path("/proc/self/statm").exists():
        print("growth: not measured, there is no /proc here")
        return
    guest = Guest("notes")
    fill(guest, 100)
    for _ in range(500):
        guest.fast("recall", "", 100, None, None, None)
    gc.collect()
    before = resident()
    for _ in range(RECALLS):
        guest.fast("recall", "", 100, None, None, None)
    gc.collect()
    print(f"{RECALLS:,} recalls of 100 entries: the process grew by {resident() - before:.1f} MB")
    guest.close()


if __name__ == "__main__":
    recalling()
    storing()
    leaking()
