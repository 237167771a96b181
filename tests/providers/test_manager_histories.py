"""Random histories of a manager and its providers, some of which fail, hang or are late, against a model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.manager_providers import FAILURES, Recorder, raising, tool
from zeroclaw_cli.providers.manager import MemoryManager

PREFETCH_S = 0.02
DRAIN_S = 0.1
# What a stalled machine may add to a limit.
SLACK_S = 5.0

failures = st.sampled_from(FAILURES)
names = st.sampled_from(["builtin", "one", "two"])


class Histories(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.manager = MemoryManager(external_prefetch_timeout=PREFETCH_S)
        self.seats: list[Recorder] = []
        self.degraded: set[int] = set()
        self.owner: dict[str, Recorder] = {}
        self.gate = threading.Event()
        self.gate.set()
        self.release = threading.Event()
        # What the external provider's background hooks must have seen, in order.
        self.expected: dict[int, list[tuple[str, str]]] = {}
        self.stuck: Recorder | None = None
        self.number = 0
        self.ended = False

    def teardown(self) -> None:
        self.gate.set()
        self.release.set()

    # A model of who is asked

    def active(self) -> list[Recorder]:
        return [] if self.ended else [seat for seat in self.seats if id(seat) not in self.degraded]

    def external(self) -> Recorder | None:
        return next((seat for seat in self.seats if seat.name != "builtin"), None)

    def note(self, hook: str, mark: str) -> None:
        for seat in self.active():
            self.expected[id(seat)].append((hook, mark))

    # Rules

    @rule(name=names, tools=st.lists(st.sampled_from("abc"), max_size=3), error=st.none() | failures)
    def add(self, name: str, tools: list[str], error: BaseException | None) -> None:
        provider = Recorder(name, [tool(letter) for letter in tools])
        if error is not None:
            provider.behaviour["get_tool_schemas"] = raising(error)
        taken = name != "builtin" and self.external() is not None
        assert self.manager.add_provider(provider) == (not self.ended and not taken and error is None)
        if self.ended or taken or error is not None:
            return
        self.seats.append(provider)
        self.expected[id(provider)] = []
        for letter in tools:
            self.owner.setdefault(letter, provider)
        provider.behaviour["sync_turn"] = lambda *_, **__: self.gate.wait(30)

    @rule(error=st.none() | failures)
    def start(self, error: BaseException | None) -> None:
        for seat in self.seats:
            seat.behaviour.pop("initialize", None)
        external = self.external()
        if external is not None and error is not None:
            external.behaviour["initialize"] = raising(error)
        self.manager.initialize_all("s", vibeos_home="/h")
        if not self.ended:
            self.degraded = {id(external)} if external is not None and error is not None else set()

    @rule(
        hook=st.sampled_from(["on_turn_start", "on_delegation", "on_pre_compress", "system_prompt_block"]),
        error=failures,
    )
    def break_a_hook(self, hook: str, error: BaseException) -> None:
        for seat in self.seats[:1]:
            seat.behaviour[hook] = raising(error)

    @rule()
    def prefetch(self) -> None:
        self.number += 1
        external = self.external()
        for seat in self.seats:
            seat.behaviour["prefetch"] = lambda *_, seat=seat, **__: f"{seat.name} knows"
        begin = time.monotonic()
        found = self.manager.prefetch_all(f"query {self.number}")
        assert time.monotonic() - begin < PREFETCH_S + SLACK_S
        others = [f"{seat.name} knows" for seat in self.active() if seat is not external]
        everyone = [f"{seat.name} knows" for seat in self.active()]
        if self.stuck is not None:
            assert found == "\n\n".join(others)
        else:
            # On a stalled machine even a ready answer may be late.
            assert found in {"\n\n".join(everyone), "\n\n".join(others)}

    @precondition(lambda self: self.stuck is None and self.external() in self.active())
    @rule()
    def hang_in_prefetch(self) -> None:
        external = self.external()
        assert external is not None
        self.release = threading.Event()
        external.behaviour["prefetch"] = lambda *_, gate=self.release, **__: gate.wait(30)
        begin = time.monotonic()
        self.manager.prefetch_all("hang")
        assert time.monotonic() - begin < PREFETCH_S + SLACK_S
        self.stuck = external

    @precondition(lambda self: self.stuck is not None)
    @rule()
    def return_late(self) -> None:
        self.release.set()
        deadline = time.monotonic() + 30
        while any(thread.name.startswith("memory-prefetch") for thread in threading.enumerate()):
            assert time.monotonic() < deadline
            time.sleep(0.001)
        self.stuck = None

    @rule()
    def block_syncing(self) -> None:
        self.gate.clear()

    @rule()
    def unblock_syncing(self) -> None:
        self.gate.set()

    @rule()
    def sync(self) -> None:
        self.number += 1
        self.note("sync_turn", f"turn {self.number}")
        begin = time.monotonic()
        self.manager.sync_all(f"turn {self.number}", "answer", messages=[{"content": "x"}])
        self.manager.queue_prefetch_all(f"turn {self.number}")
        assert time.monotonic() - begin < SLACK_S
        self.note("queue_prefetch", f"turn {self.number}")

    @rule(error=st.none() | failures)
    def commit_boundary(self, error: BaseException | None) -> None:
        self.number += 1
        for seat in self.seats:
            seat.behaviour.pop("on_session_end", None)
            if error is not None:
                seat.behaviour["on_session_end"] = raising(error)
        self.manager.commit_session_boundary_async(
            [{"content": f"end {self.number}"}], new_session_id=f"s{self.number}"
        )
        self.note("on_session_end", f"end {self.number}")
        self.note("on_session_switch", f"s{self.number}")

    @rule(letter=st.sampled_from("abcd"), error=st.none() | failures)
    def call_a_tool(self, letter: str, error: BaseException | None) -> None:
        for seat in self.seats:
            answer: Callable[..., Any] = raising(error) if error else lambda *_, seat=seat, **__: f'"{seat.name}"'
            seat.behaviour["handle_tool_call"] = answer
        owner = self.owner.get(letter)
        serves = owner is not None and owner in self.active()
        assert self.manager.has_tool(letter) == serves
        text = self.manager.handle_tool_call(letter, {})
        if not serves:
            assert "No memory provider handles tool" in text
        elif error is not None:
            assert text.startswith('{"error": "Memory tool ')
        else:
            assert owner is not None
            assert text == f'"{owner.name}"'

    @rule()
    def fan_out(self) -> None:
        self.manager.on_turn_start(1, "m")
        self.manager.on_delegation("t", "r")
        self.manager.on_pre_compress([])
        self.manager.build_system_prompt()
        self.manager.on_memory_write("add", "memory", "c")

    @precondition(lambda self: self.gate.is_set())
    @rule()
    def flush(self) -> None:
        abandoned = self.manager.shutdown_drain_state["status"] == "timed_out"
        assert self.manager.flush_pending(30) == (not abandoned)
        self.check_background(complete=not abandoned)

    @precondition(lambda self: not self.ended)
    @rule()
    def shut_down(self) -> None:
        open_ = self.gate.is_set()
        if open_:
            assert self.manager.flush_pending(30)
        begin = time.monotonic()
        self.manager.shutdown_all(drain_s=DRAIN_S)
        assert time.monotonic() - begin < DRAIN_S + SLACK_S
        self.ended = True
        state = self.manager.shutdown_drain_state
        assert (state["status"] == "drained") == (
            state["abandoned_writes"] + state["abandoned_prefetches"] + state["active_tasks"] == 0
        )
        if open_:
            assert state["status"] == "drained"
        for seat in self.seats:
            assert len(seat.of("shutdown")) == 1
        self.check_background(complete=open_)

    # What always holds

    def check_background(self, *, complete: bool) -> None:
        for seat in self.seats:
            seen = [
                (hook, args[0][0]["content"] if hook == "on_session_end" else args[0])
                for hook, args, _ in list(seat.calls)
                if hook in {"sync_turn", "queue_prefetch", "on_session_end", "on_session_switch"}
            ]
            expected = self.expected[id(seat)]
            assert seen == expected if complete else seen == expected[: len(seen)]

    @invariant()
    def turns_are_in_order_and_none_is_skipped(self) -> None:
        if hasattr(self, "seats"):
            self.check_background(complete=False)

    @invariant()
    def one_external_provider_at_most(self) -> None:
        if hasattr(self, "manager"):
            assert self.manager.providers == self.seats
            assert sum(seat.name != "builtin" for seat in self.seats) <= 1
            assert set(self.manager.degraded) == {seat.name for seat in self.seats if id(seat) in self.degraded}


def settings_for(examples: int, steps: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


def test_histories_hold() -> None:
    run_state_machine_as_test(Histories, settings=settings_for(20, 25))


@pytest.mark.reliability
def test_many_histories_hold() -> None:
    run_state_machine_as_test(Histories, settings=settings_for(400, 60))
