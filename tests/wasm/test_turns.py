from __future__ import annotations

import os
import threading

import pytest

from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.wasm.turns import Turns


def test_a_use_within_another_is_an_error_and_the_next_turn_is_free() -> None:
    turns = Turns("plugin.notes")
    with turns.taken(), pytest.raises(MemoryFailure, match=r"plugin\.notes was called from within"), turns.taken():
        pass
    with turns.taken():
        pass


def test_another_thread_waits_for_its_turn() -> None:
    turns, order = Turns("plugin.notes"), []

    def second() -> None:
        with turns.taken():
            order.append("second")

    thread = threading.Thread(target=second)
    with turns.taken():
        thread.start()
        thread.join(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


@pytest.mark.parametrize("in_use", [False, True])
def test_a_child_process_is_told_once_of_a_use_that_stayed_in_the_parent(
    in_use: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = Turns("plugin.notes")
    assert not turns.left_behind()
    taken = turns.taken()
    if in_use:
        taken.__enter__()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert [turns.left_behind(), turns.left_behind()] == [in_use, False]
    with turns.taken():
        pass
