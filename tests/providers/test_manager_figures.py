"""The figures that a turn may rely on: how long a provider can delay it, and that no turn is lost."""

from __future__ import annotations

import threading
import time

import pytest

from tests.support.manager_providers import Recorder
from zeroclaw_cli.providers import manager as manager_module
from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.prefetch import Prefetcher
from zeroclaw_cli.providers.seats import Seat

TURNS = 1_000
MESSAGES = [{"role": "user", "content": f"message {number}", "parts": [{"text": "x" * 200}]} for number in range(20)]


def test_a_thousand_turns_never_block_the_caller_and_none_is_lost_within_the_drain_time() -> None:
    gate = threading.Event()
    provider = Recorder("ext", sync_turn=lambda *_, **__: gate.wait(60))
    manager = MemoryManager()
    manager.add_provider(provider)
    delays = []
    for number in range(TURNS):
        begin = time.perf_counter()
        manager.sync_all(f"turn {number}", "answer", messages=MESSAGES)
        manager.queue_prefetch_all(f"turn {number}")
        delays.append(time.perf_counter() - begin)
    # The provider is blocked in the first turn all the time. A stalled machine may disturb a few of the thousand.
    assert len(provider.of("sync_turn")) == 1
    delays.sort()
    assert delays[int(TURNS * 0.99)] < 0.05, delays[-20:]
    gate.set()
    begin = time.perf_counter()
    manager.shutdown_all()
    assert time.perf_counter() - begin < 15
    assert manager.shutdown_drain_state["status"] == "drained"
    assert [args[0] for _, args, _ in provider.of("sync_turn")] == [f"turn {number}" for number in range(TURNS)]


def test_a_provider_that_hangs_in_prefetch_delays_one_turn_by_the_limit_and_the_next_ones_not_at_all() -> None:
    limit, gate = 0.5, threading.Event()
    manager = MemoryManager(external_prefetch_timeout=limit)
    manager.add_provider(Recorder("ext", prefetch=lambda *_, **__: gate.wait(60)))
    delays = []
    for number in range(100):
        begin = time.perf_counter()
        assert manager.prefetch_all(f"query {number}") == ""
        delays.append(time.perf_counter() - begin)
    gate.set()
    assert limit <= delays[0] < limit + 2
    assert sorted(delays[1:])[90] < 0.05


def test_the_limit_of_a_prefetch_is_eight_seconds_unless_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    class Watched(Prefetcher):
        def __init__(self, seat: Seat, timeout: float) -> None:
            limits.append(timeout)
            super().__init__(seat, timeout)

    monkeypatch.setattr(manager_module, "Prefetcher", Watched)
    for manager in (MemoryManager(), MemoryManager(external_prefetch_timeout=0.25)):
        manager.add_provider(Recorder("ext"))
    assert limits == [8.0, 0.25]
