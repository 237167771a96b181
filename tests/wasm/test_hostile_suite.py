"""Whatever a guest does, its call ends in time, with the outcome of the table, and the host goes on."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.guests import FAULTS, GUESTS
from tests.wasm.helpers import keys, opened, rows
from tests.wasm.hostile_suite import SUITE, Hostile, guest_bytes, recall, store
from zeroclaw_cli.config.model import Durability
from zeroclaw_cli.errors import CallTimeout, ZeroclawError
from zeroclaw_cli.wasm.memory import WasmMemory

# Guests of tests/guests/ that do nothing wrong.
HONEST = {"plain", "partial", "no_clock", "random", "hostile"}
GRACE_MS = 250


def test_the_suite_has_every_guest_that_misbehaves() -> None:
    present = {case.guest for case in SUITE}
    assert present >= {*FAULTS, *(path.stem for path in GUESTS.glob("*.wat"))} - HONEST
    assert len(present) >= 30


@pytest.mark.parametrize("case", SUITE, ids=lambda case: case.name)
def test_a_hostile_guest_has_its_outcome_and_nothing_else(case: Hostile, tmp_path: Path) -> None:
    if case.call is None:
        with pytest.raises(ZeroclawError) as caught:
            opened(guest_bytes(case.guest), tmp_path, **case.limits)
        check_error(case, caught.value)
        assert not (tmp_path / "config").exists(), "a plugin that does not open leaves nothing"
        return
    with opened(guest_bytes(case.guest), tmp_path, **case.limits) as memory:
        remembers = remember(memory)
        for _ in range(2):
            if case.error is None:
                assert case.holds(case.call(memory))
            else:
                with pytest.raises(ZeroclawError) as caught:
                    case.call(memory)
                check_error(case, caught.value)
        assert all(warning.isprintable() for warning in memory.take_warnings())
        if remembers:
            assert memory.count() >= 1, "what was acknowledged before is still there"


def check_error(case: Hostile, error: ZeroclawError) -> None:
    assert case.error is not None and type(error) is case.error
    assert case.text in error.message
    assert error.message.isprintable()
    assert error.hint or case.guest in {"err", "fs"}, "a guest's own words are its own"


def remember(memory: WasmMemory) -> bool:
    """Store something by the one way in which no fault is; False for a guest that takes nothing."""
    try:
        memory.store_with_agent("before", "v", "core", None, None, None, None)
    except ZeroclawError:
        return False
    return True


TIME_WASTERS = [
    *(case for case in SUITE if case.wastes_time),
    *(case for case in SUITE if case.guest in {"recurse", "recurse_at_start", "hog", "sleep", "liar_large"}),
    *(case for case in SUITE if case.guest in {"liar_many", "liar_huge", "liar_giant"}),
    *(case for case in SUITE if case.guest in {"fill", "fill_in_pieces", "log_huge"}),
]


@pytest.mark.parametrize("case", TIME_WASTERS, ids=lambda case: case.name)
def test_every_call_ends_with_its_time_whatever_the_guest_does(case: Hostile, tmp_path: Path) -> None:
    limits = {**case.limits, "call_timeout_ms": 300, "call_fuel": 10**15}
    best = min(seconds(replace(case, limits=limits), tmp_path / str(attempt)) for attempt in range(3))
    assert best < 0.3 + GRACE_MS / 1_000


def seconds(case: Hostile, home: Path) -> float:
    """How long the call took, or the opening that did not succeed. A busy machine makes any one of them late."""
    guest = guest_bytes(case.guest)
    memory = None
    started = time.monotonic()
    try:
        memory = opened(guest, home, durability=Durability.NONE, **case.limits)
        started = time.monotonic()
        assert case.call is not None, "a guest that wastes time when it starts has not opened"
        case.call(memory)
    except ZeroclawError as error:
        if isinstance(error, CallTimeout):
            assert "did not end within 300 ms" in error.message
            assert error.path == "plugins.limits.call_timeout_ms"
    took = time.monotonic() - started
    if memory is not None:
        memory.close()
    return took


@pytest.mark.slow
def test_after_the_whole_suite_an_honest_guest_works(tmp_path: Path) -> None:
    for number, case in enumerate(SUITE):
        try:
            with opened(guest_bytes(case.guest), tmp_path / str(number), **case.limits) as memory:
                if case.call is not None:
                    case.call(memory)
        except ZeroclawError:
            pass
    with opened("notes", tmp_path / "notes") as memory:
        store(memory)
        assert keys(recall(memory)) == ["k"]
        assert len(rows(memory)) == 1
