"""Host functions called with other types than they have: refused as an engine error, whatever the types."""

from __future__ import annotations

import pytest
from wasmtime import Store, WasiConfig, WasmtimeError, wat2wasm
from wasmtime.component import Component

from zeroclaw_cli.wasm import codec, generic, world
from zeroclaw_cli.wasm.clocks import Served, Serving
from zeroclaw_cli.wasm.component import LoadedComponent
from zeroclaw_cli.wasm.engine import engine
from zeroclaw_cli.wasm.host_functions import SHADOWED, HostState
from zeroclaw_cli.wasm.linker import linker_for
from zeroclaw_cli.wasm.logs import LogQueue

# A component that calls one imported function and returns nothing. The memory serves strings and lists.
CALLER = """(component
  (import "{instance}" (instance $i (export "{name}" (func {type}))))
  (core module $libc (memory (export "mem") 2)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
  (core instance $libc (instantiate $libc))
  (core func $f (canon lower (func $i "{name}")
    (memory (core memory $libc "mem")) (realloc (core func $libc "realloc"))))
  (core module $m (import "h" "f" (func $f {core}))
    (func (export "go") {push} call $f {drop}))
  (core instance $m (instantiate $m (with "h" (instance (export "f" (func $f))))))
  (func (export "go") (canon lift (core func $m "go"))))"""

# Component type, core type, what is pushed, what is dropped.
TYPES = {
    "nothing": ("", "", "", ""),
    "u64": ("(result u64)", "(result i64)", "", "drop"),
    "string": ("(result string)", "(param i32)", "i32.const 0", ""),
    "u64 to u64": ('(param "x" u64) (result u64)', "(param i64) (result i64)", "i64.const 7", "drop"),
    "u64 to nothing": ('(param "x" u64)', "(param i64)", "i64.const 7", ""),
    "string to bytes": (
        '(param "x" string) (result (list u8))', "(param i32 i32 i32)", "i32.const 0 i32.const 0 i32.const 16", "",
    ),
    "bytes": ("(result (list u8))", "(param i32)", "i32.const 16", ""),
    "pair": ("(result (tuple u64 u64))", "(param i32)", "i32.const 16", ""),
}  # fmt: skip


def call(instance: str, name: str, types: str, *, generic_host: bool) -> tuple[WasmtimeError | None, LogQueue]:
    kind, core, push, drop = TYPES[types]
    text = CALLER.format(instance=instance, name=name, type=kind, core=core, push=push, drop=drop)
    component = Component(engine(), wat2wasm(text))
    loaded = LoadedComponent(component, "", world.imported_functions(component), ())
    logs = LogQueue()
    state = HostState(Served(Serving(1, 2, b"seed")), logs)
    host = generic.GenericHost(state) if generic_host else codec.host(state)
    with Store(engine()) as store:
        store.set_wasi(WasiConfig())
        store.set_fuel(10**9)
        store.set_epoch_deadline(10**6)
        with linker_for(loaded, host) as linker:
            guest = linker.instantiate(store, component)
        go = guest.get_func(store, "go")
        assert go is not None
        try:
            go(store)
        except WasmtimeError as error:
            return error, logs
        finally:
            host.close()
    return None, logs


FITTING = {
    ("wasi:clocks/monotonic-clock", "now"): "u64",
    ("wasi:clocks/monotonic-clock", "resolution"): "u64",
    ("wasi:random/random", "get-random-u64"): "u64",
    ("wasi:random/insecure", "get-insecure-random-u64"): "u64",
    ("wasi:random/insecure-seed", "insecure-seed"): "pair",
    ("wasi:random/insecure-seed", "get-insecure-seed"): "pair",
}
EVERY = [(interface, name) for interface, functions in SHADOWED.items() for name in functions]


@pytest.mark.parametrize("types", list(TYPES))
@pytest.mark.parametrize(("interface", "name"), EVERY)
def test_a_host_function_of_another_type_is_an_error_of_the_engine(interface: str, name: str, types: str) -> None:
    error, _ = call(f"{interface}@0.2.0", name, types, generic_host=False)
    assert (error is None) == (FITTING.get((interface, name)) == types)


@pytest.mark.parametrize(("interface", "name"), list(FITTING))
def test_the_generic_host_serves_the_same_functions(interface: str, name: str) -> None:
    error, _ = call(f"{interface}@0.2.0", name, FITTING[interface, name], generic_host=True)
    assert error is None


@pytest.mark.parametrize("generic_host", [False, True])
def test_waiting_for_a_clock_is_refused(generic_host: bool) -> None:
    for name in ("subscribe-duration", "subscribe-instant"):
        error, _ = call("wasi:clocks/monotonic-clock@0.2.3", name, "u64 to u64", generic_host=generic_host)
        assert "a plugin may not wait for a clock" in str(error)


def test_an_unknown_function_of_a_shadowed_interface_is_refused_when_called() -> None:
    error, _ = call("wasi:clocks/wall-clock@0.2.0", "brand-new", "u64", generic_host=False)
    assert "does not know the function" in str(error)


@pytest.mark.parametrize("types", list(TYPES))
def test_a_log_function_of_another_type_does_not_log_and_does_not_crash(types: str) -> None:
    _, logs = call(world.LOGGING, "log-record", types, generic_host=False)
    assert logs.drain() == ([], 0)
