"""Every guest that misbehaves, with the outcome that it must have. :data:`SUITE` is the table.

Most are the faults of tests/guests/. Some are the well-behaved guest ``plain`` with one more core module in it, written
here, and some are not components at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.support.guests import component, guest_text
from zeroclaw_cli.errors import (
    ComponentInvalid,
    GuestError,
    ImportNotGranted,
    InstantiationFailed,
    PrecompiledRefused,
    ResultTooLarge,
    Trap,
    ZeroclawError,
)
from zeroclaw_cli.wasm.memory import WasmMemory

Call = Callable[[WasmMemory], Any]

# Core modules to be instantiated with the guest.
MODULES = {
    "memory_beyond_the_limit": "(memory 20000)",
    "table_beyond_the_limit": "(table 2000000 funcref)",
    "grow_memory_at_start": """
        (memory 1)
        (func $f (loop (drop (memory.grow (i32.const 16))) (br 0)))
        (start $f)""",
    "grow_table_at_start": """
        (table 1 funcref)
        (func $f (loop (drop (table.grow (ref.null func) (i32.const 999))) (br 0)))
        (start $f)""",
    "recurse_at_start": "(func $f (call $f)) (start $f)",
    "memories_beyond_the_limit": "(memory 1000)",
    "many_memories": "(memory 1)",
}


def extended(module: str, instances: int = 1) -> bytes:
    """The guest ``plain`` with the core module in it, instantiated as often."""
    from wasmtime import wat2wasm

    text = guest_text("plain").rstrip()
    assert text.endswith(")")
    return bytes(wat2wasm(f"{text[:-1]} (core module $m {module}) {'(core instance (instantiate $m))' * instances})"))


def _deep_type() -> bytes:
    """An import whose type has sixty levels."""
    from wasmtime import wat2wasm

    types = "".join(f"(type $t{level} (list $t{level - 1}))" for level in range(1, 60))
    function = '(export "log-record" (func (param "x" $t59)))'
    instance = f"(instance (type $t0 (list u8)) {types} {function})"
    return bytes(wat2wasm(f'(component (import "zeroclaw:plugin/logging@0.1.0" {instance}))'))


@cache
def guest_bytes(name: str) -> bytes:
    """The bytes that the guest ``name`` of the table is opened from."""
    match name:
        case "nothing_at_all":
            return b""
        case "half_a_component":
            return component("plain")[:2_000]
        case "core_module":
            return bytes.fromhex("0061736d01000000")
        case "machine_code":
            return b"\x7fELF" + bytes(64)
        case "assembly_text":
            return guest_text("plain").encode()
        case "deep_type":
            return _deep_type()
        case "many_instances":
            return extended("", 1_000)
        case "memories_beyond_the_limit":
            return extended(MODULES[name], 3)
        case "many_memories":
            return extended(MODULES[name], 4)
    return extended(MODULES[name]) if name in MODULES else component(name)


def store(memory: WasmMemory) -> None:
    memory.store("k", "v", "core", None)


def recall(memory: WasmMemory) -> Any:
    return memory.recall("v", 5, None, None, None)


def get(memory: WasmMemory) -> Any:
    return memory.get("k")


def listing(memory: WasmMemory) -> Any:
    return memory.list_entries(None, None)


def health(memory: WasmMemory) -> Any:
    return memory.health_check()


def store_and_get(memory: WasmMemory) -> Any:
    store(memory)
    return get(memory)


@dataclass(frozen=True)
class Hostile:
    """One guest: what is done (``call``; None: it does not even open) and what comes of it: ``error`` with ``text``
    in its message, or, where the call returns, what ``holds`` is true of.

    ``limits`` are those that the guest runs under. ``wastes_time``: what it does would last forever.
    """

    guest: str
    call: Call | None
    error: type[ZeroclawError] | None = None
    text: str = ""
    holds: Callable[[Any], bool] = lambda _: True
    limits: Mapping[str, Any] = field(default_factory=dict)
    wastes_time: bool = False

    @property
    def name(self) -> str:
        return self.guest if self.call is None else f"{self.guest}-{self.call.__name__}"


FUEL = {"call_fuel": 50_000_000}
# Each attempt to get more memory takes microseconds.
LITTLE_FUEL = {"call_fuel": 2_000_000}
FEW = {"max_result_entries": 1_000}
PAIR = {"max_instances": 10}
FOREVER = "all fuel consumed"
FORGED = r"\x1b[31mno \x07luck\x1b[0m\nerror: forged"

SUITE = (
    # What is not a component, or not of this world: refused before anything of it runs.
    Hostile("nothing_at_all", None, ComponentInvalid, "is empty"),
    Hostile("half_a_component", None, ComponentInvalid, "failed to load WASM component"),
    Hostile("core_module", None, ComponentInvalid, "is a core WebAssembly module"),
    Hostile("assembly_text", None, ComponentInvalid, "is WebAssembly text"),
    Hostile("machine_code", None, PrecompiledRefused, "precompiled machine code"),
    Hostile("deep_type", None, ComponentInvalid, "levels"),
    Hostile("stale_log", None, ComponentInvalid, "logging@0.1.0#log-record"),
    Hostile("stale_export", None, ComponentInvalid, "memory@0.1.0#recall"),
    Hostile("missing_export", None, ComponentInvalid, "memory@0.1.0#forget-for-agent is missing"),
    Hostile("http", None, ImportNotGranted, "wasi:http/types@0.2.0, which no permission grants"),
    Hostile("unknown_import", None, ImportNotGranted, "acme:net/raw@1.0.0, which no permission grants"),
    # What does not start.
    Hostile("trap_at_start", None, InstantiationFailed, "wasm trap: "),
    Hostile("spin_at_start", None, InstantiationFailed, FOREVER, limits=FUEL, wastes_time=True),
    Hostile("recurse_at_start", None, InstantiationFailed, "call stack exhausted"),
    Hostile("memory_beyond_the_limit", None, InstantiationFailed, "exceeds memory limits"),
    Hostile("memories_beyond_the_limit", None, InstantiationFailed, "the sum of the", limits={"max_memory_mb": 150}),
    Hostile("many_memories", None, InstantiationFailed, "memory count too high at 5"),
    Hostile("table_beyond_the_limit", None, InstantiationFailed, "exceeds table limits"),
    Hostile("many_instances", None, InstantiationFailed, "instance count too high", limits=PAIR),
    Hostile("grow_memory_at_start", None, InstantiationFailed, FOREVER, limits=LITTLE_FUEL, wastes_time=True),
    Hostile("grow_table_at_start", None, InstantiationFailed, FOREVER, limits=FUEL, wastes_time=True),
    Hostile("trap_in_capabilities", None, Trap, "memory.get-memory-capabilities failed: "),
    # What breaks off a call.
    Hostile("trap", store, Trap, "memory.store-entry trapped: wasm trap: wasm `unreachable` instruction executed"),
    Hostile("trap_in_health", health, holds=lambda healthy: healthy is False),
    Hostile("exit", store, Trap, "memory.store-entry trapped: the plugin exited with code"),
    Hostile("spin", recall, Trap, "memory.recall trapped: wasm trap: all fuel", limits=FUEL, wastes_time=True),
    Hostile("spin_in_store", store, Trap, "memory.store-entry trapped: wasm trap: all", limits=FUEL, wastes_time=True),
    Hostile("sleep", recall, Trap, "memory.recall trapped: a plugin may not wait for a clock"),
    Hostile("recurse", recall, Trap, "memory.recall trapped: wasm trap: "),
    Hostile("hog", recall, Trap, "memory.recall trapped: wasm trap: "),
    Hostile("hog_and_spin", recall, Trap, FOREVER, limits=LITTLE_FUEL, wastes_time=True),
    Hostile("fill", store),
    Hostile("fill_in_pieces", store),
    # What floods or forges.
    Hostile("flood", store, Trap, FOREVER, limits={"call_fuel": 1_000_000}, wastes_time=True),
    Hostile("log_large", store),
    Hostile("log_huge", store, Trap, "memory.store-entry trapped: the plugin passed the host more data at once"),
    Hostile("log_escapes", store),
    Hostile("err", store, GuestError, FORGED),
    Hostile("err", recall, GuestError, FORGED),
    # What returns more than it was asked for, or what is not a value of its type.
    Hostile("liar_many", recall, holds=lambda found: len(found) == 5),
    Hostile("liar_many", listing, ResultTooLarge, "more than 1,000", limits=FEW),
    Hostile("liar_large", recall, holds=lambda found: len(found) == 5),
    Hostile("liar_huge", recall, ResultTooLarge, "memory.recall returned a text of more than 16 MiB"),
    Hostile("liar_huge", get, ResultTooLarge, "memory.get returned a text of more than 16 MiB"),
    Hostile("liar_giant", get, ResultTooLarge, "memory.get returned a text of more than 16 MiB"),
    Hostile("bad_utf8", store_and_get, Trap, "memory.get trapped: invalid utf-8"),
    Hostile("bad_pointer", store_and_get, Trap, "memory.get trapped: "),
    Hostile("bad_category", store_and_get, Trap, "memory.get trapped: discriminant"),
    Hostile("odd_numbers", store_and_get, holds=lambda entry: entry.score is entry.importance is None),
    Hostile("odd_texts", store_and_get, holds=lambda entry: entry.timestamp == "last Tuesday"),
    # What reaches for files that it was not given.
    Hostile("fs", store, GuestError, "opens no folder to this plugin"),
)
