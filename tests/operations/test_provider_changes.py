from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.packages import config_in
from zeroclaw_cli.backends import open_memory
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.operations.notified_provider import NotifiedProvider
from zeroclaw_cli.operations.notifying import notifying
from zeroclaw_cli.operations.provider_changes import Change, tell
from zeroclaw_cli.wasm.host import HostOptions


class Listener(NotifiedProvider):
    """Takes ``pause`` seconds for each row, and fails for the texts in ``bad``."""

    name = "slow"
    listens = True
    removal_hint = ""

    def __init__(self, pause: float = 0.0, bad: frozenset[str] = frozenset()) -> None:
        self._pause = pause
        self._bad = bad
        self._warnings = {}
        self.heard: list[str] = []
        self.stops_at = ""

    def hand_over(self, action: str, target: str, content: str, metadata: Any, **limit: Any) -> str | None:
        assert limit.get("within_s", 1) > 0
        time.sleep(self._pause)
        if content == self.stops_at:
            raise KeyboardInterrupt
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


def test_an_interruption_while_it_is_told_says_how_much_it_was_not_told() -> None:
    listener = Listener(bad=frozenset({"row 0"}))
    listener.stops_at = "row 2"
    with pytest.raises(KeyboardInterrupt):
        tell(listener, changes(5))
    assert listener.take_warnings() == [
        "memory provider 'slow' was not told of 4 of 5 changes; it still has 4 that are gone here, and may bring them "
        "back: it was interrupted"
    ]


def test_an_interruption_while_it_is_told_of_one_change_is_a_warning() -> None:
    listener = Listener()
    listener.stops_at = "row"
    with pytest.raises(KeyboardInterrupt):
        listener.wrote("remove", "memory", "row", {})
    assert listener.take_warnings() == [
        "memory provider 'slow' was not told what changed before the interruption: it may still have what is gone here"
    ]


@pytest.mark.parametrize("within_s", [0.0, 60.0])
def test_what_it_still_has_comes_with_the_command_that_removes_it(within_s: float) -> None:
    listener = Listener(bad=frozenset({"row 0"}))
    listener.removal_hint = "`forget` it there"
    tell(listener, changes(1), within_s=within_s)
    (warning,) = listener.take_warnings()
    assert warning.endswith(" (`forget` it there)")
    tell(listener, changes(1, "add"), within_s=within_s)
    (warning,) = listener.take_warnings()
    assert "forget" not in warning


@pytest.fixture
def native(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(config_in(tmp_path), "native", HostOptions()) as memory:
        yield memory


def test_a_provider_hears_of_its_own_entries_only_what_they_replace(native: Memory) -> None:
    for key, text in (("same", "tea"), ("changed", "old")):
        native.store(key, text, "core", None)
    listener = Listener()
    with notifying(native, listener).together(source="provider.slow"):
        native.store("same", "tea", "daily", None)
        native.store("changed", "new", "core", None)
        native.store("added", "its own", "core", None)
    assert listener.heard == ["remove old"]
    with notifying(native, listener).together(source="plugin.other"):
        native.store("more", "from elsewhere", "core", None)
    assert listener.heard == ["remove old", "add from elsewhere"]
