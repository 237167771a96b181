from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.kernel.strategies.canary import Canary

DIGEST = "ab" * 32


def canary(percent: int = 5, digest: str = DIGEST) -> Canary:
    return Canary("mine", "1", digest, percent, "2026-03-01T12:00:00.000Z")


def after(outcomes: list[bool]) -> Canary:
    found = canary()
    for failed in outcomes:
        found = found.after(failed=failed)
    return found


@given(st.text(max_size=40), st.integers(1, 100))
def test_a_turn_always_gets_the_same_answer_and_keeps_it_when_the_share_grows(turn: str, percent: int) -> None:
    taken = canary(percent).takes(turn)
    assert canary(percent).takes(turn) == taken
    if taken:
        assert all(canary(larger).takes(turn) for larger in range(percent, 101))


def test_every_turn_is_taken_at_100_percent() -> None:
    assert all(canary(100).takes(f"turn-{number}") for number in range(1_000))


def test_about_the_share_of_the_turns_is_taken() -> None:
    taken = sum(canary(5).takes(f"turn-{number}") for number in range(20_000))
    assert 800 < taken < 1_200


def test_two_canaries_take_different_turns() -> None:
    turns = [f"turn-{number}" for number in range(2_000)]
    first = {turn for turn in turns if canary(10).takes(turn)}
    second = {turn for turn in turns if canary(10, "cd" * 32).takes(turn)}
    assert len(first & second) < len(first) / 2


def test_the_hash_does_not_change_between_versions() -> None:
    assert [number for number in range(100) if canary(5).takes(f"turn-{number}")] == [2, 29, 83]


def test_nothing_is_judged_before_20_plans() -> None:
    assert after([True] * 19).verdict is None
    assert after([True] * 20).verdict == "20 of 20 canary plans failed, more than 5 %"


def test_5_percent_is_tolerated_and_more_is_not() -> None:
    assert after([True] + [False] * 19).verdict is None
    assert after([True] * 2 + [False] * 18).verdict is not None
    assert after([True] * 5 + [False] * 95).verdict is None
    assert after([True] * 6 + [False] * 94).verdict is not None
    assert after([False] * 1_000).verdict is None


@given(st.lists(st.booleans(), max_size=60))
def test_the_verdict_is_the_rule(outcomes: list[bool]) -> None:
    found = after(outcomes)
    assert (found.plans, found.failed) == (len(outcomes), sum(outcomes))
    expected = len(outcomes) >= 20 and sum(outcomes) / len(outcomes) > 0.05
    assert (found.verdict is not None) == expected
