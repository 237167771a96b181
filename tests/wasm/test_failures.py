from __future__ import annotations

import pytest

from zeroclaw_cli.config.model import Limits
from zeroclaw_cli.errors import InstantiationFailed, ResultTooLarge, Trap
from zeroclaw_cli.plugins.instance_key import instance_key
from zeroclaw_cli.wasm.failures import answer_refused, call_failed, causes, is_interruption, start_failed, timed_out
from zeroclaw_cli.wasm.limits import PluginLimits
from zeroclaw_cli.wasm.values import StringTooLarge, TooManyEntries

GLOBAL = PluginLimits(Limits(), "zpi1_key", frozenset())
OWN = PluginLimits(Limits(call_fuel=5), "zpi1_key", frozenset({"call_fuel"}))

TRAP = """error while executing at wasm backtrace:
    0:     0x5f - m!<wasm function 0>

Caused by:
    wasm trap: all fuel consumed by WebAssembly
"""
CHAIN = """component imports instance `wasi:http/types@0.2.0`, but a matching implementation was not found in the linker

Caused by:
    0: instance export `outgoing-request` has the wrong type
    1: resource implementation is missing
"""


def test_the_backtrace_of_a_guest_is_no_cause() -> None:
    assert causes(TRAP) == ["wasm trap: all fuel consumed by WebAssembly"]


def test_the_whole_chain_is_kept() -> None:
    assert causes(CHAIN) == [
        "component imports instance `wasi:http/types@0.2.0`, but a matching implementation was not found in the linker",
        "instance export `outgoing-request` has the wrong type",
        "resource implementation is missing",
    ]


def test_names_of_the_guests_choosing_decide_nothing() -> None:
    text = """error while executing at wasm backtrace:
    0:     0x5f - m!wasm trap: interrupt
    1:     0x5f - m!all fuel consumed

Caused by:
    wasm trap: wasm `unreachable` instruction executed
"""
    assert not is_interruption(Exception(text))
    assert call_failed("recall", Exception(text), GLOBAL).path is None
    assert is_interruption(Exception(text.replace("wasm `unreachable` instruction executed", "interrupt")))


def test_frames_among_the_causes_are_no_causes() -> None:
    text = """failed

Caused by:
    0: error while executing at wasm backtrace:
           0:     0x5f - m!<wasm function 0>
    1: a reason - with a dash
"""
    assert causes(text) == ["failed", "a reason - with a dash"]


def test_a_single_line_is_its_own_cause() -> None:
    assert causes("invalid utf-8 sequence") == ["invalid utf-8 sequence"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("store-entry", "memory.store-entry trapped: wasm trap: boom"),
        ("recall-for-agents", "memory.recall-for-agents trapped: wasm trap: boom"),
        ("get-memory-capabilities", "memory.get-memory-capabilities failed: wasm trap: boom"),
        ("health-check", "memory.health-check failed: wasm trap: boom"),
    ],
)
def test_a_trap_names_its_context(function: str, message: str) -> None:
    assert call_failed(function, Exception("wasm trap: boom"), GLOBAL).message == message


def test_a_limit_names_the_key_that_raises_it() -> None:
    error = call_failed("recall", Exception(TRAP), GLOBAL)
    assert isinstance(error, Trap)
    assert error.path == "plugins.limits.call_fuel"
    assert error.hint == f"if the plugin may have more: {GLOBAL.raise_hint('call_fuel')}"


def test_a_limit_of_the_plugins_own_names_that_key() -> None:
    error = call_failed("recall", Exception(TRAP), OWN)
    assert error.path == "plugins.entries.zpi1_key.limits.call_fuel"
    assert error.hint is not None and "config set plugins.entries.zpi1_key.limits.call_fuel 10" in error.hint


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("memory minimum size of 17 pages exceeds memory limits", "max_memory_mb"),
        ("table minimum size of 1 elements exceeds table limits", "max_table_elements"),
        ("resource limit exceeded: instance count too high at 65", "max_instances"),
    ],
)
def test_a_component_over_the_limits_does_not_start_and_names_the_key(text: str, key: str) -> None:
    error = start_failed(Exception(text), GLOBAL)
    assert isinstance(error, InstantiationFailed)
    assert error.message == f"failed to instantiate memory plugin: {text}"
    assert error.path == f"plugins.limits.{key}"


def test_a_process_without_room_for_a_memory_is_told_which_limit_that_is() -> None:
    error = start_failed(Exception("mmap failed to reserve 0x104000000 bytes: Cannot allocate memory"), GLOBAL)
    assert error.hint is not None and "ulimit -v" in error.hint


def test_a_failed_start_keeps_the_chain_and_points_at_the_wit() -> None:
    error = start_failed(Exception(CHAIN), GLOBAL)
    assert error.message.endswith("has the wrong type: resource implementation is missing")
    assert error.hint is not None and "WIT may be outdated" in error.hint


def test_too_much_data_is_not_a_trap() -> None:
    text = "too much data is being copied: fuel allocated for hostcalls has been exhausted"
    assert isinstance(call_failed("recall", Exception(text), GLOBAL), ResultTooLarge)


def test_answers_that_are_refused_name_what_to_do() -> None:
    many = answer_refused("list-entries", TooManyEntries(1_234_567), GLOBAL)
    assert many.message == "memory.list-entries returned 1,234,567 entries, more than 200,000"
    assert many.path == "plugins.limits.max_result_entries"
    assert many.hint is not None and "filter" in many.hint
    recalled = answer_refused("recall-for-agents", TooManyEntries(1_234_567), GLOBAL)
    assert recalled.hint is not None and "a smaller --limit" in recalled.hint
    nameless = answer_refused("get", StringTooLarge(), GLOBAL)
    assert "16 MiB" in nameless.message
    assert nameless.hint is not None and "zeroclaw memory get KEY" in nameless.hint


@pytest.mark.parametrize(
    ("key", "shown", "word"),
    [
        ("plain", "plain", "plain"),
        ("two words", "two words", "'two words'"),
        ("-x", "-x", "KEY"),
        ("a\x1b[2J", "a\\x1b[2J", "KEY"),
        ("k" * 1_000, f"{'k' * 99}…{'k' * 99}", "KEY"),
    ],
)
def test_an_entry_with_a_text_that_is_too_large_is_named_with_the_way_out(key: str, shown: str, word: str) -> None:
    own = PluginLimits(Limits(), instance_key("notes", "memory", "notes"), frozenset())
    error = answer_refused("list-entries", StringTooLarge(key), own)
    assert error.message.endswith(f"in the entry '{shown}'")
    assert error.hint is not None and f"`zeroclaw memory forget {word} --backend plugin.notes`" in error.hint
    assert error.details == ({"key": key} if len(key) < 1_000 else None)


def test_a_limit_is_named_where_it_holds_and_where_else_it_can_be_set() -> None:
    own = "plugins.entries.zpi1_key.limits.call_fuel"
    assert GLOBAL.raise_hint("call_fuel") == (
        f"zeroclaw config set plugins.limits.call_fuel 2000000000 (for this plugin alone: {own})"
    )
    assert OWN.raise_hint("call_fuel") == (
        f"zeroclaw config set {own} 10 (plugins.limits.call_fuel is for the plugins without one of their own)"
    )


def test_a_deadline_is_named_in_milliseconds() -> None:
    error = timed_out("memory.recall", GLOBAL, 30_000)
    assert error.message == "memory.recall did not end within 30000 ms"
    assert error.hint is not None and "zeroclaw config set plugins.limits.call_timeout_ms 60000" in error.hint


def test_guest_text_in_an_engine_error_is_escaped() -> None:
    assert "\x1b" not in call_failed("recall", Exception("bad \x1b[31m"), GLOBAL).message
