"""Each guest of tests/guests/ misbehaves in the way that its name says and in no other, on the raw engine."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import tomli
import wasmtime

from tests.support.guests import FAULTS, GUESTS, component, guest_names, guest_text, package
from tests.support.raw_guest import MEMORY as INTERFACE
from tests.support.raw_guest import GuestErr, RawGuest, compiled, engine, keys

FUEL = 200_000_000
MEMORY = 64 << 20


def start(name: str) -> RawGuest:
    return RawGuest(component(name), memory_bytes=MEMORY, fuel=FUEL)


def started_with_a_row(name: str) -> RawGuest:
    guest = start(name)
    guest.store_with_agent("k", "content")
    return guest


@pytest.mark.parametrize("name", guest_names())
def test_every_guest_is_a_component(name: str) -> None:
    assert component(name)[:8] == bytes.fromhex("0061736d0d000100")


def test_every_fault_is_one_that_the_source_knows() -> None:
    source = (GUESTS / "src" / "chosen_fault.c").read_text(encoding="utf-8")
    listed = source.split("known[] = {")[1].split("}")[0]
    assert {word.strip().strip('"') for word in listed.split(",")} == {"none", *FAULTS}


def test_a_fault_that_the_source_does_not_know_does_not_start() -> None:
    text = guest_text("hostile").replace("FAULT:none", "FAULT:nine")
    with pytest.raises(wasmtime.WasmtimeError, match="unreachable"):
        RawGuest(bytes(wasmtime.wat2wasm(text)))


@pytest.mark.parametrize("name", ["plain", "hostile", "random"])
def test_the_small_memory_works_without_optional_functions(name: str) -> None:
    guest = start(name)
    assert guest.raw("get-memory-capabilities") == set()
    guest.store_entry("a", "red", "todo", "s")
    guest.store_with_agent("a", "blue", agent_id="a1")
    guest.store_entry("b", "red and blue")
    assert guest.call("count") == 3
    assert keys(guest.recall("red")) == ["b", "a"]
    assert keys(guest.recall("*", 1)) == ["b"]
    assert keys(guest.recall_for_agents(["a1"], "")) == ["a"]
    assert guest.recall_for_agents([], "") == []
    assert keys(guest.list_entries("todo", "s")) == ["a"]
    assert guest.call("forget-for-agent", "a", "a1") is True
    assert guest.call("forget", "a") is True
    assert keys(guest.list_entries()) == ["b"]


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_optional_functions_that_are_not_there_say_so(name: str) -> None:
    guest = start(name)
    calls: dict[str, tuple[object, ...]] = {
        "get-for-agent": ("k", "a"),
        "purge-namespace": ("n",),
        "purge-session": ("s",),
        "purge-session-for-agent": ("s", "a"),
        "purge-agent": ("a",),
        "reindex": (),
        "ensure-agent-uuid": ("a",),
        "store-procedural": ([], None),
        "recall-namespaced": ("n", "q", 1, None, None, None),
    }
    for function, arguments in calls.items():
        with pytest.raises(GuestErr, match=r"^not-supported$"):
            guest.call(function, *arguments)
    with pytest.raises(GuestErr, match=r"^not-supported$"):
        guest.export_entries()


def test_the_partial_guest_has_four_optional_functions_and_no_others() -> None:
    guest = start("partial")
    assert guest.raw("get-memory-capabilities") == {
        "get-for-agent",
        "purge-namespace",
        "ensure-agent-uuid",
        "export-entries",
    }
    guest.store_with_agent("k", "c", agent_id=guest.call("ensure-agent-uuid", "coder"))
    assert keys(guest.export_entries()) == ["k"]
    for refused in ("purge-session", "purge-agent"):
        with pytest.raises(GuestErr, match=r"^not-supported$"):
            guest.call(refused, "x")


@pytest.mark.parametrize("name", ["plain", "partial", "no_clock", "hostile"])
def test_guests_without_a_clock_import_nothing_of_wasi(name: str) -> None:
    assert start(name).imports() == ["zeroclaw:plugin/logging@0.1.0", "zeroclaw:plugin/types@0.1.0"]


def test_what_random_stores_follows_from_the_numbers_and_the_clock_that_it_is_served() -> None:
    rows = []
    for _ in range(2):
        guest = start("random")
        guest.random.last = 41
        guest.clock.seconds += 7
        guest.store_entry("k", "c")
        rows.append(guest.call("get", "k"))
    assert rows[0] == rows[1]
    assert rows[0]["id"] == "42"
    assert rows[0]["timestamp"] == "2026-01-31T12:00:07.000000000Z"


def test_err_answers_every_function_with_a_text_that_would_command_a_terminal() -> None:
    guest = start("err")
    assert len(guest.raw("get-memory-capabilities")) == 11
    for call in (lambda: guest.store_entry("k", "c"), lambda: guest.recall("q"), lambda: guest.call("reindex")):
        with pytest.raises(GuestErr) as refused:
            call()
        assert str(refused.value) == "\x1b[31mno \x07luck\x1b[0m\nerror: forged"


@pytest.mark.parametrize(
    ("name", "function", "arguments", "message"),
    [
        ("trap", "store-entry", ("k", "c", None, None), "unreachable"),
        ("trap_in_capabilities", "get-memory-capabilities", (), "unreachable"),
        ("trap_in_health", "health-check", (), "unreachable"),
        ("spin", "recall", ("q", 1, None, None, None), "all fuel consumed"),
        ("spin_in_store", "store-entry", ("k", "c", None, None), "all fuel consumed"),
        ("recurse", "recall", ("q", 1, None, None, None), "call stack exhausted"),
        ("hog", "recall", ("q", 1, None, None, None), "unreachable"),
        ("hog_and_spin", "recall", ("q", 1, None, None, None), "all fuel consumed"),
        ("sleep", "recall", ("q", 1, None, None, None), "a guest may not sleep"),
        ("bad_utf8", "get", ("k",), "invalid utf-8"),
        ("bad_pointer", "get", ("k",), "out of bounds"),
        ("bad_category", "get", ("k",), "discriminant 9 out of range"),
    ],
)
def test_a_guest_that_breaks_a_call_works_until_then(
    name: str, function: str, arguments: tuple[object, ...], message: str
) -> None:
    guest = started_with_a_row(name)
    assert guest.call("count") == 1
    given = [wasmtime.component.Variant("core") if place == 2 and function == "store-entry" else argument
             for place, argument in enumerate(arguments)]  # fmt: skip
    with pytest.raises(wasmtime.WasmtimeError, match=message):
        guest.raw(function, *given)


@pytest.mark.parametrize(
    ("name", "message"), [("trap_at_start", "unreachable"), ("spin_at_start", "all fuel consumed")]
)
def test_a_guest_that_breaks_its_start_never_runs(name: str, message: str) -> None:
    with pytest.raises(wasmtime.WasmtimeError, match=message):
        start(name)


def test_exit_ends_only_itself() -> None:
    guest = started_with_a_row("exit")
    with pytest.raises(wasmtime.ExitTrap) as ended:
        guest.store_entry("k", "c")
    assert ended.value.code == 0


def test_liars_return_more_than_they_were_asked_for() -> None:
    assert [len(entry["content"]) for entry in start("liar_large").recall("q", 3)] == [1 << 20] * 3
    assert [len(entry["content"]) for entry in start("liar_huge").recall("q", 3)] == [17 << 20]
    assert len(start("liar_huge").call("get", "k")["content"]) == 17 << 20


@pytest.mark.slow
def test_liar_many_returns_a_hundred_thousand_entries() -> None:
    assert len(start("liar_many").raw("recall", "q", 1, None, None, None)) == 100_000


def test_too_many_large_results_are_refused_by_the_engine() -> None:
    with pytest.raises(wasmtime.WasmtimeError, match="too much data is being copied"):
        start("liar_large").recall("q", 400)


def test_odd_values_pass_the_engine() -> None:
    row = started_with_a_row("odd_numbers").call("get", "k")
    assert math.isnan(row["score"])
    assert row["importance"] == math.inf
    row = started_with_a_row("odd_texts").call("get", "k")
    assert (row["id"], row["key"], row["timestamp"]) == ("", "\x1b[2Jkey\r\n", "last Tuesday")
    assert "\0" in row["content"]


def test_loud_guests_log_what_they_should_not() -> None:
    guest = start("log_large")
    guest.store_entry("k", "c")
    assert [len(event["message"]) for _, event in guest.logs[:2]] == [1 << 20, len("after the large one")]
    guest = start("log_escapes")
    guest.store_entry("k", "c")
    assert guest.logs[0][1]["message"] == "\x1b[31mred\x1b[0m\nerror: forged"


def test_a_flood_does_not_stop_by_itself() -> None:
    guest = start("flood")
    guest.store.set_fuel(300_000)
    with pytest.raises(wasmtime.WasmtimeError, match="all fuel consumed"):
        guest.store_entry("k", "c")
    assert len(guest.logs) > 2_000


@pytest.mark.parametrize(
    ("name", "imported"),
    [
        ("http", "wasi:http/types@0.2.0"),
        ("unknown_import", "acme:net/raw@1.0.0"),
        ("fs", "wasi:filesystem/preopens@0.2.0"),
        ("sleep", "wasi:clocks/monotonic-clock@0.2.0"),
        ("exit", "wasi:cli/exit@0.2.0"),
    ],
)
def test_imports_are_visible_without_running(name: str, imported: str) -> None:
    assert imported in compiled(component(name)).type.imports(engine())


@pytest.mark.parametrize("name", ["http", "unknown_import"])
def test_a_guest_whose_import_is_not_served_does_not_start(name: str) -> None:
    with pytest.raises(wasmtime.WasmtimeError, match=r"implementation is missing|was not found in the linker"):
        start(name)


def test_fs_keeps_files_in_the_folder_that_it_is_given(tmp_path: Path) -> None:
    guest = start("fs")
    with pytest.raises(GuestErr, match=r"^the host opens no folder to this plugin$"):
        guest.store_entry("k", "c")
    guest = RawGuest(component("fs"), folder=tmp_path)
    guest.store_entry("note.txt", "on disk")
    assert (tmp_path / "note.txt").read_text(encoding="utf-8") == "on disk"
    assert guest.call("get", "note.txt")["content"] == "on disk"
    assert guest.call("get", "../elsewhere") is None
    with pytest.raises(GuestErr, match=r"^the file cannot be opened for writing$"):
        guest.store_entry("../elsewhere", "c")


def parameters_of_functions(name: str) -> dict[str, int]:
    """How many parameters each function of the guest's memory has."""
    interface: Any = compiled(component(name)).type.exports(engine())[INTERFACE].ty
    functions = interface.exports(engine()).items()
    return {function: len(list(item.ty.params)) for function, item in functions if hasattr(item.ty, "params")}


def test_stale_guests_differ_from_the_world_in_one_function() -> None:
    world = parameters_of_functions("plain")
    without = {name: count for name, count in world.items() if name != "forget-for-agent"}
    assert len(world) == 23
    assert parameters_of_functions("stale_export") == world | {"recall": 4}
    assert parameters_of_functions("missing_export") == without
    assert parameters_of_functions("stale_log") == world


def test_a_package_can_be_written_around_any_guest(tmp_path: Path) -> None:
    folder = package(tmp_path, "mine", "plain", permissions=["file_read"], description=None, wasm_path="bin/it.wasm")
    manifest = tomli.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    assert folder == tmp_path / "mine"
    assert (manifest["name"], manifest["permissions"]) == ("mine", ["file_read"])
    assert "description" not in manifest
    assert (folder / "bin" / "it.wasm").read_bytes() == component("plain")
