from __future__ import annotations

import hashlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.wasm.clocks import Present, Served, Serving
from zeroclaw_cli.wasm.host_functions import SHADOWED, HostRefusal, HostState
from zeroclaw_cli.wasm.logs import LogQueue

SERVING = Serving(1_700_000_000_123_456_789, 42, b"0123456789abcdef")


def test_the_wall_clock_stands_still_during_a_call() -> None:
    served = Served(SERVING)
    assert [served.wall() for _ in range(3)] == [(1_700_000_000, 123_456_789)] * 3


def test_the_monotonic_clock_advances_with_every_reading() -> None:
    served = Served(SERVING)
    assert [served.monotonic() for _ in range(3)] == [42, 1_042, 2_042]


def test_random_bytes_are_sha512_over_seed_and_block_number() -> None:
    # Recorded histories depend on this very stream.
    expected = b"".join(hashlib.sha512(SERVING.seed + number.to_bytes(8, "little")).digest() for number in range(3))
    assert Served(SERVING).random_bytes(150) == expected[:150]


@given(st.lists(st.integers(0, 200), max_size=12))
def test_the_stream_does_not_depend_on_how_it_is_cut(counts: list[int]) -> None:
    piecewise = Served(SERVING)
    assert b"".join(map(piecewise.random_bytes, counts)) == Served(SERVING).random_bytes(sum(counts))


def test_the_same_serving_gives_the_same_everything_again() -> None:
    served = Served(SERVING)
    first = (served.wall(), served.monotonic(), served.random_bytes(9), served.random_u64())
    served.begin(SERVING)
    assert (served.wall(), served.monotonic(), served.random_bytes(9), served.random_u64()) == first


def test_a_time_before_1970_is_served_as_1970() -> None:
    assert Served(Serving(-5, 0, b"")).wall() == (0, 0)


def test_new_calls_get_the_present_and_seeds_of_their_own() -> None:
    present = Present()
    before = time.time_ns()
    first, second = present.serving(), present.serving()
    assert before <= first.wall_ns <= second.wall_ns <= time.time_ns()
    assert first.mono_ns < second.mono_ns
    assert len(first.seed) == 16
    assert first.seed != second.seed


def test_a_given_time_stands_in_for_the_present() -> None:
    assert Present().serving(7).wall_ns == 7


def test_the_monotonic_clock_goes_on_from_the_last_record() -> None:
    present = Present()
    present.rebase(10**15)
    assert 10**15 < present.serving().mono_ns < 10**15 + 10**10


def test_more_random_bytes_than_anybody_needs_are_refused() -> None:
    state = HostState(Served(SERVING), LogQueue())
    for interface, name in (
        ("wasi:random/random", "get-random-bytes"),
        ("wasi:random/insecure", "get-insecure-random-bytes"),
    ):
        function = SHADOWED[interface][name]
        assert len(function.action(state, 65_536)) == 65_536
        with pytest.raises(HostRefusal):
            function.action(state, 65_537)
