from __future__ import annotations

import contextvars
import logging
import threading
import time
from typing import Any

import pytest

from tests.support.manager_providers import FAILURES, Recorder, raising
from zeroclaw_cli.providers.fencing import CUT_MARK
from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.prefetch import ExpandedText, typed_text

LIMIT = 0.1
QUERY = "what is tea"


class Gate:
    """A prefetch that hangs until it is opened, and counts how many hang at once."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.lock = threading.Lock()
        self.inside = 0
        self.most = 0

    def __call__(self, query: str, **_: Any) -> str:
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.open.wait(30)
        with self.lock:
            self.inside -= 1
        return f"about {query}"


def manager_of(*providers: Recorder, **options: Any) -> MemoryManager:
    manager = MemoryManager(**{"external_prefetch_timeout": LIMIT, **options})
    for provider in providers:
        assert manager.add_provider(provider)
    return manager


@pytest.mark.parametrize("timeout", [0, -1, -0.5, float("nan"), float("-inf")])
def test_a_limit_that_is_not_positive_is_refused(timeout: float) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        MemoryManager(external_prefetch_timeout=timeout)
    with pytest.raises(ValueError, match="must be positive"):
        MemoryManager(prefetch_max_chars=0)


@pytest.mark.parametrize("text", ["", "  \n", "/new", " /reset ", None, 3, [], {"text": "x"}, ExpandedText("body", "")])
def test_what_the_user_did_not_say_is_not_asked(text: Any) -> None:
    provider = Recorder("ext", prefetch=lambda *_, **__: "found")
    manager = manager_of(provider)
    assert manager.prefetch_all(text) == ""
    manager.queue_prefetch_all(text)
    manager.sync_all(text, "answer")
    assert manager.flush_pending(5)
    assert provider.calls == []


def test_ordinary_text_passes_unchanged_and_an_expansion_is_what_was_typed() -> None:
    for text in ("what is tea?", "  spaced ", "/usr/bin is missing", "/remember the milk", "[IMPORTANT] note"):
        assert typed_text(text) == text
    assert typed_text(ExpandedText("the whole body of a skill", "for tea")) == "for tea"
    assert typed_text(ExpandedText("the whole body of a skill", "/skill")) == ""


def test_results_are_joined_in_order_and_blank_ones_left_out() -> None:
    builtin, external = (
        Recorder("builtin", prefetch=lambda *_, **__: "own"),
        Recorder("ext", prefetch=lambda *_, **__: "theirs"),
    )
    assert manager_of(builtin, external).prefetch_all(QUERY, session_id="s") == "own\n\ntheirs"
    assert external.of("prefetch") == [("prefetch", (QUERY,), {"session_id": "s"})]
    builtin.behaviour["prefetch"] = lambda *_, **__: " \n "
    assert manager_of(builtin, external).prefetch_all(QUERY) == "theirs"


def test_the_built_in_one_runs_inline_and_the_external_one_on_a_daemon_thread() -> None:
    builtin, external = Recorder("builtin"), Recorder("ext")
    manager_of(builtin, external).prefetch_all(QUERY)
    assert builtin.threads["prefetch"] == threading.current_thread().name
    assert external.threads["prefetch"] == "memory-prefetch-ext"


def test_a_prefetch_that_hangs_delays_a_turn_by_the_limit_and_contributes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gate = Gate()
    manager = manager_of(Recorder("builtin", prefetch=lambda *_, **__: "own"), Recorder("ext", prefetch=gate))
    begin = time.monotonic()
    assert manager.prefetch_all(QUERY) == "own"
    took = time.monotonic() - begin
    assert LIMIT <= took < LIMIT + 2
    assert "Memory provider 'ext' prefetch took longer than 0.1 s" in caplog.text
    assert caplog.records[-1].levelno == logging.WARNING
    gate.open.set()


def test_a_provider_that_hangs_is_skipped_until_it_returns_and_its_old_answer_is_dropped() -> None:
    gate = Gate()
    provider = Recorder("ext", prefetch=gate)
    manager = manager_of(provider)
    assert manager.prefetch_all("first") == ""
    begin = time.monotonic()
    for _ in range(20):
        assert manager.prefetch_all("second") == ""
    assert time.monotonic() - begin < 20 * LIMIT
    assert len(provider.calls) == gate.most == 1
    gate.open.set()
    deadline = time.monotonic() + 10
    while (answer := manager.prefetch_all("third")) == "" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert answer == "about third"
    assert gate.most == 1


def test_at_most_one_prefetch_of_a_provider_runs_whoever_asks() -> None:
    gate = Gate()
    manager = manager_of(Recorder("ext", prefetch=gate))
    callers = [threading.Thread(target=manager.prefetch_all, args=(QUERY,)) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    gate.open.set()
    assert gate.most == 1


@pytest.mark.parametrize("error", [*FAILURES, KeyboardInterrupt()], ids=lambda error: type(error).__name__)
def test_a_prefetch_that_raises_contributes_nothing(error: BaseException) -> None:
    provider = Recorder("ext", prefetch=raising(error))
    manager = manager_of(provider)
    assert manager.prefetch_all(QUERY) == ""
    provider.behaviour["prefetch"] = lambda *_, **__: "again"
    assert manager.prefetch_all(QUERY) == "again"


@pytest.mark.parametrize("value", [3, b"x", ["x"], object()])
def test_a_prefetch_that_returns_no_text_contributes_nothing(value: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert manager_of(Recorder("ext", prefetch=lambda *_, **__: value)).prefetch_all(QUERY) == ""
    assert "and not text" in caplog.text


def test_text_of_a_class_of_its_own_is_taken_as_plain_text() -> None:
    class Trap(str):
        def strip(self, *_: Any) -> str:
            raise RuntimeError("trap")

        __len__ = __add__ = __str__ = strip  # type: ignore[assignment]

    found = manager_of(Recorder("ext", prefetch=lambda *_, **__: Trap("found"))).prefetch_all(QUERY)
    assert type(found) is str
    assert found == "found"


def test_a_long_answer_is_cut_at_the_end_of_a_line_with_a_visible_mark() -> None:
    text = "\n".join(f"fact number {number}" for number in range(2_000))
    found = manager_of(Recorder("ext", prefetch=lambda *_, **__: text)).prefetch_all(QUERY)
    assert 9_900 < len(found) <= 10_000
    lines = found.split("\n")
    assert lines[-1] == CUT_MARK
    assert lines[:-1] == text.split("\n")[: len(lines) - 1]
    short = manager_of(Recorder("ext", prefetch=lambda *_, **__: text), prefetch_max_chars=100).prefetch_all(QUERY)
    assert len(short) <= 100


def test_a_prefetch_sees_the_context_of_the_caller() -> None:
    profile: contextvars.ContextVar[str] = contextvars.ContextVar("profile_of_test")
    profile.set("mine")
    assert manager_of(Recorder("ext", prefetch=lambda *_, **__: profile.get())).prefetch_all(QUERY) == "mine"


def test_a_query_leaves_without_secrets_and_without_recalled_memory() -> None:
    provider = Recorder("ext")
    manager_of(provider).prefetch_all("tea? sk-" + "a1" * 20 + "\n<memory-context>\nold\n</memory-context>")
    assert provider.of("prefetch")[0][1] == ("tea? [redacted]\n",)


def test_no_thread_is_to_be_had_and_the_turn_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    manager = manager_of(Recorder("ext", prefetch=lambda *_, **__: "found"))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        assert manager.prefetch_all(QUERY) == ""
    assert manager.prefetch_all(QUERY) == "found"


@pytest.mark.parametrize("timeout", [1e10, float("inf")])
def test_a_limit_that_no_clock_knows_is_the_longest_that_it_knows(timeout: float) -> None:
    manager = MemoryManager(external_prefetch_timeout=timeout)
    manager.add_provider(Recorder("mem", prefetch=lambda query, **k: f"about {query}"))
    manager.initialize_all("s")
    assert manager.prefetch_all("tea") == "about tea"
