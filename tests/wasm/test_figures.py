"""Prints the ratios of the WebAssembly host; part of no verdict. Run with ``-m bench -s``."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wasmtime.component import Component

from tests.support.guests import component
from tests.wasm.helpers import opened
from tests.wasm.test_values import Guest
from zeroclaw_cli.config.model import Durability
from zeroclaw_cli.wasm.engine import engine

pytestmark = pytest.mark.bench


def best(work: Callable[[], object], rounds: int = 7) -> float:
    """The shortest time of some rounds, in seconds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def test_recall_of_a_thousand_entries_fast_and_generic() -> None:
    guest = Guest("notes")
    for number in range(1_000):
        guest.fast("store-with-agent", f"key{number}", "content " * 6, "core", "session", None, 0.5, "agent")
    fast = best(lambda: guest.fast("recall", "", 1_000, None, None, None))
    slow = best(lambda: guest.slow("recall", "", 1_000, None, None, None), 3)
    floor = best(lambda: guest.fast("recall", "", 1_000, None, None, None, most=0))
    print(f"\nrecall of 1,000: generic / fast {slow / fast:.1f}, fast / undecoded {fast / floor:.1f}")
    guest.close()


def test_storing_fast_and_generic() -> None:
    fast, slow = Guest("notes"), Guest("notes", generic_host=True)
    row = ("key", "content", "core", None, None, 0.5, "agent")
    ratio = best(lambda: [slow.slow("store-with-agent", *row) for _ in range(200)], 3) / best(
        lambda: [fast.fast("store-with-agent", *row) for _ in range(200)]
    )
    print(f"\nstore-with-agent: generic / fast {ratio:.1f}")
    fast.close()
    slow.close()


def test_opening_and_compiling(tmp_path: Path) -> None:
    data = component("notes")
    opened("notes", tmp_path).close()
    compiling = best(lambda: Component(engine(), data))
    opening = best(lambda: opened("notes", tmp_path).close())
    print(f"\ncompile / open with a warm cache {compiling / opening:.0f}")


def test_replaying_and_calling(tmp_path: Path) -> None:
    count = 10_000
    with opened("notes", tmp_path, durability=Durability.NONE) as memory:
        started = time.perf_counter()
        for number in range(count):
            memory.store(f"k{number}", "green tea", "core", None)
        calling = time.perf_counter() - started
    with opened("notes", tmp_path) as memory:
        for number in range(count):
            memory.store(f"k{number}", "green tea", "core", None)
    started = time.perf_counter()
    opened("notes", tmp_path).close()
    print(f"\nopening {count:,} records / the same calls {(time.perf_counter() - started) / calling:.2f}")
