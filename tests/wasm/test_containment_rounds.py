"""Nothing grows, however often guests misbehave."""

from __future__ import annotations

import gc
import os
import threading
import time
from pathlib import Path

import pytest

from tests.wasm.helpers import opened
from zeroclaw_cli.config.model import Durability
from zeroclaw_cli.errors import ZeroclawError
from zeroclaw_cli.wasm.hostcalls import RawHost

FAULTY = (
    "trap", "trap_at_start", "trap_in_capabilities", "recurse", "hog", "exit", "sleep", "bad_utf8", "bad_pointer",
    "bad_category", "log_large", "log_escapes", "err", "odd_texts", "spin", "http", "stale_log",
)  # fmt: skip


def one_round(home: Path) -> None:
    for guest in FAULTY:
        try:
            with opened(guest, home / guest, durability=Durability.NONE, call_fuel=200_000) as memory:
                for call in (
                    lambda: memory.store("k", "v", "core", None),
                    lambda: memory.recall("v", 3, None, None, None),
                    lambda: memory.count(),
                ):
                    try:
                        call()
                    except ZeroclawError as error:
                        assert error.message.isprintable()
        except ZeroclawError as error:
            assert error.message.isprintable()


def resident() -> int:
    """Resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.parametrize("rounds", [12, pytest.param(200, marks=pytest.mark.reliability)])
def test_rounds_of_faulty_guests_leave_nothing_behind(rounds: int, tmp_path: Path) -> None:
    for _ in range(3):
        one_round(tmp_path)
    gc.collect()
    before = resident(), open_files(), len(RawHost._instances)
    for _ in range(rounds):
        one_round(tmp_path)
    gc.collect()
    deadline = time.monotonic() + 2
    while len(RawHost._instances) > before[2] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(RawHost._instances) == before[2]
    assert open_files() <= before[1] + 1
    assert resident() - before[0] < 20
    assert sum(thread.name == "zeroclaw-guest" for thread in threading.enumerate()) <= 1
