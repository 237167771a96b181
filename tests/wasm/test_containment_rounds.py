"""Nothing grows, however often guests misbehave."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
import time
from pathlib import Path

import pytest

from tests.wasm.helpers import opened
from tests.wasm.hostile_suite import SUITE, guest_bytes, store
from zeroclaw_cli.config.model import Durability
from zeroclaw_cli.errors import ZeroclawError
from zeroclaw_cli.wasm.hostcalls import RawHost
from zeroclaw_cli.wasm.memory import WasmMemory


def one_round(home: Path) -> None:
    """The whole suite once. How long a guest could go on does not matter here, so those that would get little fuel."""
    for case in SUITE:
        limits = {**case.limits, "call_fuel": 200_000} if case.wastes_time else case.limits
        try:
            with opened(guest_bytes(case.guest), home / case.name, durability=Durability.NONE, **limits) as memory:
                for call in (case.call, store, count):
                    try:
                        if call is not None:
                            call(memory)
                    except ZeroclawError as error:
                        assert error.message.isprintable()
        except ZeroclawError as error:
            assert error.message.isprintable()


def count(memory: WasmMemory) -> None:
    memory.count()


def resident() -> int:
    """Resident memory of this process in MiB, without what was freed and is kept for the next allocation: answers of
    some hundred megabytes come and go in these rounds."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.parametrize(
    "rounds", [pytest.param(6, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.reliability)]
)
def test_rounds_of_faulty_guests_leave_nothing_behind(rounds: int, tmp_path: Path) -> None:
    for _ in range(3):
        one_round(tmp_path)
    gc.collect()
    before = open_files(), len(RawHost._instances)
    sizes = []
    for _ in range(rounds):
        one_round(tmp_path)
        sizes.append(resident())
    gc.collect()
    deadline = time.monotonic() + 2
    while len(RawHost._instances) > before[1] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(RawHost._instances) <= before[1]
    assert open_files() <= before[0] + 1
    # The allocator keeps some tens of MiB back and gives them up again rounds later, so what tells is the lowest size
    # of many rounds: a leak lifts that, too. The first rounds only show how much is kept back once.
    if rounds >= 60:
        settled = sizes[rounds // 10 :]
        third = len(settled) // 3
        assert min(settled[-third:]) - min(settled[:third]) < 20, sizes
    assert sum(thread.name == "zeroclaw-guest" for thread in threading.enumerate()) <= 1
