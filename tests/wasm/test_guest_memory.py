"""The memories of guests: counted together, and touched where a guest cannot be left behind."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import Any

import pytest

from tests.wasm.helpers import opened
from tests.wasm.hostile_suite import extended, guest_bytes, store
from tests.wasm.test_values import Guest
from zeroclaw_cli.errors import CallTimeout, InstantiationFailed
from zeroclaw_cli.wasm import guest_memory
from zeroclaw_cli.wasm.guest_memory import GuestMemory
from zeroclaw_cli.wasm.runner import Control

MIB = 1024 * 1024


def memory_of(memory: Any) -> GuestMemory:
    found: GuestMemory = memory._live._instance._memory
    return found


def test_the_memories_of_one_instance_share_its_limit(tmp_path: Path) -> None:
    two = extended("(memory 1000)", 2)
    with opened(two, tmp_path, max_memory_mb=130) as memory:
        store(memory)
        assert 2_000 * 65_536 < memory_of(memory).size < 130 * MIB
        assert memory.count() == 1


def test_what_one_memory_has_another_cannot_get(tmp_path: Path) -> None:
    """The engine would let the greedy memory alone have the whole limit, beside what the guest's own has."""
    greedy = extended(
        "(memory 1) (func $f (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))) (start $f)"
    )
    with opened(greedy, tmp_path, max_memory_mb=8) as memory:
        assert memory_of(memory).size == 8 * MIB


def test_what_lies_beyond_a_memory_is_no_memory(tmp_path: Path) -> None:
    write = "(drop (memory.grow (i32.const 1))) (i32.store (i32.const 131072) (i32.const 1))"
    beyond = f"(memory 1) (func $f {write}) (start $f)"
    with pytest.raises(InstantiationFailed, match="out of bounds memory access"):
        opened(extended(beyond), tmp_path)
    last = beyond.replace("131072", "131068")
    opened(extended(last), tmp_path).close()


def test_a_64_bit_memory_is_a_memory_like_others(tmp_path: Path) -> None:
    with opened(extended("(memory i64 10)"), tmp_path) as memory:
        store(memory)
        assert memory.count() == 1


def test_what_an_instance_had_is_given_back(tmp_path: Path) -> None:
    opened("plain", tmp_path).close()
    gc.collect()
    before = len(guest_memory._memories)
    with opened("plain", tmp_path) as memory:
        assert len(guest_memory._memories) == before + 1
        account = memory_of(memory)
        store(memory)
    gc.collect()
    assert len(guest_memory._memories) == before
    assert account.size == 0


def test_an_engine_user_without_an_account_gets_memory_too() -> None:
    guest = Guest("notes")
    assert guest.fast("store-entry", "k", "v", "core", None).ok
    guest.close()


# --------------------------------------------------------------------------------------------- touching memory


@pytest.mark.parametrize("guest", ["fill", "fill_in_pieces"])
def test_a_guest_that_fills_much_memory_keeps_its_time_wherever_pages_are_slow(
    guest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces: list[int] = []

    def slow(address: int, byte: int, size: int) -> None:
        assert byte == 0
        pieces.append(size)
        time.sleep(0.03)

    monkeypatch.setattr("zeroclaw_cli.wasm.guest_memory.ctypes.memset", slow)
    with opened(guest_bytes(guest), tmp_path, call_timeout_ms=150) as memory:
        memory.store_with_agent("before", "v", "core", None, None, None, None)
        started = time.monotonic()
        with pytest.raises(CallTimeout, match=r"memory\.store-entry did not end within 150 ms"):
            store(memory)
        assert time.monotonic() - started < 0.4
        assert max(pieces) <= 4 * MIB
        assert memory.count() == 1, "what was acknowledged before is still there"


def test_a_memory_that_is_large_from_the_start_has_the_time_of_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeroclaw_cli.wasm.guest_memory.ctypes.memset", lambda *_: time.sleep(0.03))
    started = time.monotonic()
    with pytest.raises(CallTimeout, match="the start of the plugin did not end within 100 ms"):
        opened(extended("(memory 3900)"), tmp_path, call_timeout_ms=100)
    assert time.monotonic() - started < 0.6


def test_a_small_guest_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("zeroclaw_cli.wasm.guest_memory.ctypes.memset", never)
    with opened(extended("(memory 400)"), tmp_path) as memory:
        store(memory)
        assert memory_of(memory).size > 25 * MIB


def test_a_guest_with_much_memory_runs_where_it_can_be_left(tmp_path: Path) -> None:
    with opened("fill", tmp_path) as memory:
        instance: Any = memory._live and memory._live._instance
        memory.store_with_agent("before", "v", "core", None, None, None, None)
        assert instance._usual_runner() is not instance._worker
        store(memory)
        assert memory_of(memory).size > 240 * MIB
        assert instance._usual_runner() is instance._worker
        assert memory.count() == 2


def test_refused_pages_are_no_part_of_the_memory() -> None:
    account = GuestMemory(100 * MIB)
    control = Control()
    control.deadline = time.monotonic() - 1
    account.begin(control)
    memory = guest_memory._Memory(
        account, guest_memory._map(None, 100 * MIB, 0, guest_memory._MAP, -1, 0), 0, 100 * MIB, 0
    )
    try:
        assert memory.grow(32 * MIB)
        assert not memory.grow(64 * MIB)
        assert account.out_of_time
        assert (memory.size, account.size) == (32 * MIB, 32 * MIB)
        control.deadline = time.monotonic() + 60
        account.begin(control)
        assert memory.grow(64 * MIB)
        assert not account.out_of_time
        assert not memory.grow(101 * MIB), "beyond its place"
    finally:
        guest_memory._unmap(memory.address, 100 * MIB)
