"""Rounds of the hostile suite in a process of their own, and what the process holds after each.

``python -m tests.wasm.rounds 200`` prints one JSON line a round. Run it with ``PYTHONMALLOC=malloc``: then the C
library's count of bytes in use covers Python's objects as well as the engine's. The resident size says little, since
the allocator keeps some hundred megabytes back after an answer of that size and gives them up again rounds later.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from tests.wasm.helpers import opened
from tests.wasm.hostile_suite import SUITE, guest_bytes, store
from zeroclaw_cli.config.model import Durability
from zeroclaw_cli.errors import ZeroclawError
from zeroclaw_cli.wasm.hostcalls import RawHost
from zeroclaw_cli.wasm.memory import WasmMemory

_DYING_S = 2.0


class Held(NamedTuple):
    """What a process holds: bytes in use of its heaps, and counts."""

    used: int
    mappings: int
    files: int
    instances: int
    threads: int


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    ]  # fmt: skip


def measurable() -> bool:
    """Whether the C library tells the bytes in use and the system what is mapped."""
    return hasattr(ctypes.CDLL(None), "mallinfo2") and Path("/proc/self/maps").exists()


def held() -> Held:
    """What this process holds now, once instances that are being closed on their threads are gone."""
    gc.collect()
    deadline = time.monotonic() + _DYING_S
    while RawHost._instances and time.monotonic() < deadline:
        time.sleep(0.01)
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    heaps = mallinfo()
    return Held(
        used=heaps.uordblks + heaps.hblkhd,
        mappings=len(Path("/proc/self/maps").read_text().splitlines()),
        files=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        instances=len(RawHost._instances),
        threads=sum(thread.name == "zeroclaw-guest" for thread in threading.enumerate()),
    )


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


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        for _ in range(rounds):
            one_round(Path(home))
            print(json.dumps(held()._asdict()), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
