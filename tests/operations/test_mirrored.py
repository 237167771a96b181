from __future__ import annotations

import time
from typing import Any

import pytest

from zeroclaw_cli.operations.beside import Beside
from zeroclaw_cli.operations.mirrored import Change, tell


class Listener(Beside):
    """Takes ``pause`` seconds for each row, and fails for the texts in ``bad``."""

    name = "slow"
    listens = True

    def __init__(self, pause: float = 0.0, bad: frozenset[str] = frozenset()) -> None:
        self._pause = pause
        self._bad = bad
        self._warnings = {}
        self.heard: list[str] = []

    def hand_over(self, action: str, target: str, content: str, metadata: Any, **limit: Any) -> str | None:
        assert limit["within_s"] > 0
        time.sleep(self._pause)
        if content in self._bad:
            return "the ink is dry"
        self.heard.append(f"{action} {content}")
        return None


def changes(number: int, action: str = "remove") -> list[Change]:
    return [Change(action, "memory", f"row {at}", {}) for at in range(number)]


def test_removals_are_told_first() -> None:
    listener = Listener()
    tell(listener, [Change("add", "memory", "new", {}), *changes(2)])
    assert listener.heard == ["remove row 0", "remove row 1", "add new"]
    assert listener.take_warnings() == []


def test_a_slow_provider_holds_a_command_for_a_limited_time_and_one_warning_says_what_it_still_has() -> None:
    listener = Listener(pause=0.02)
    began = time.monotonic()
    tell(listener, changes(1_000), within_s=0.2)
    assert time.monotonic() - began < 5
    (warning,) = listener.take_warnings()
    left = 1_000 - len(listener.heard)
    assert warning == (
        f"memory provider 'slow' was not told of {left:,} of 1,000 changes; it still has {left:,} that are gone here, "
        "and may bring them back: telling it took longer than 0.2 seconds"
    )


@pytest.mark.parametrize(("action", "still"), [("remove", True), ("add", False)])
def test_a_row_that_it_does_not_take_costs_the_others_nothing(action: str, still: bool) -> None:
    listener = Listener(bad=frozenset({"row 1"}))
    tell(listener, changes(3, action))
    assert listener.heard == [f"{action} row 0", f"{action} row 2"]
    (warning,) = listener.take_warnings()
    assert warning.startswith("memory provider 'slow' was not told of 1 of 3 changes")
    assert warning.endswith(": the ink is dry")
    assert ("still has" in warning) is still
