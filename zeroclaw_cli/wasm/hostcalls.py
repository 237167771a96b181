"""The host functions as raw callbacks of the engine.

One callback exists per host function for the whole process; a number tells it which instance is calling, so that
neither callbacks nor their memory pile up with the instances. The engine does not check the types of host functions
when it links, so every callback checks what it was given and how much it may return.

A host function that refuses returns an engine error, and no exception leaves a callback: it would be lost, and the
guest would go on (design.md, decision 5).

Import it where a guest is run, not before (:mod:`zeroclaw_cli.wasm.binding`).
"""

from __future__ import annotations

import ctypes
import struct
from ctypes import string_at
from functools import cache
from typing import Any, Final

from zeroclaw_cli.wasm.abi import EngineError, Scratch, Tree, ffi
from zeroclaw_cli.wasm.host import LogRecord
from zeroclaw_cli.wasm.host_functions import HostFunction, HostRefusal, HostState

_U64: Final = 8
_RECORD: Final = 14
_ENUM: Final = 17

_get_text = struct.Struct("<8xQQ").unpack_from
_get_number = struct.Struct("<8xQ").unpack_from
# The six fields of plugin-event, each a name (16 bytes) and a value (32), see abi.
_EVENT = struct.Struct("<" + 2 * "24xQQ8x" + 3 * "24xQ16x" + "24xQQ8x")


class RawHost:
    """Defines host functions for one instance. Close it when the instance's store is gone."""

    _instances: Final[dict[int, RawHost]] = {}

    def __init__(self, state: HostState) -> None:
        self.state = state
        self.scratch = Scratch()
        self._instances[state.number] = self

    @classmethod
    def of(cls, number: int | None) -> RawHost:
        return cls._instances[number or 0]

    def close(self) -> None:
        self._instances.pop(self.state.number, None)

    def define_log(self, linker_instance: Any, name: str) -> None:
        self._define(linker_instance, name, _log_record)

    def define(self, linker_instance: Any, name: str, function: HostFunction) -> None:
        self._define(linker_instance, name, _callback(function))

    def _define(self, linker_instance: Any, name: str, callback: Any) -> None:
        data = name.encode()
        error = ffi.wasmtime_component_linker_instance_add_func(
            linker_instance.ptr(),
            ctypes.create_string_buffer(data),
            len(data),
            callback,
            self.state.number,
            _no_finalizer,
        )
        if error:
            raise EngineError._from_ptr(error)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _no_finalizer(_data: Any) -> None:
    return None


@ffi.wasmtime_component_func_callback_t  # type: ignore[untyped-decorator]
def _log_record(number: int | None, _context: Any, _type: Any, args: Any, nargs: int, _out: Any, nout: int) -> int:
    try:
        if nargs == 2 and nout == 0 and args[0].kind == _ENUM and args[1].kind == _RECORD:
            _queue_record(RawHost.of(number).state, ctypes.cast(args, ctypes.c_void_p).value or 0)
    except BaseException:  # noqa: BLE001, S110 - logging never fails the guest
        pass
    return 0


def _queue_record(state: HostState, arguments: int) -> None:
    level_size, level_at = _get_text(string_at(arguments, 24))
    fields, event = _get_text(string_at(arguments + 32, 24))
    if fields != 6:
        return
    function_size, function_at, action_size, action_at, outcome, duration, attrs, message_size, message_at = (
        _EVENT.unpack(string_at(event, _EVENT.size))
    )
    attrs_size, attrs_at = _get_text(string_at(attrs, 24)) if attrs else (0, 0)
    size = function_size + attrs_size + message_size
    if not state.logs.admits(size):
        return
    outcome_size, outcome_at = _get_text(string_at(outcome, 24)) if outcome else (0, 0)
    record = LogRecord(
        level=string_at(level_at, level_size).decode(),
        function=string_at(function_at, function_size).decode(),
        action=string_at(action_at, action_size).decode(),
        outcome=string_at(outcome_at, outcome_size).decode() if outcome else None,
        duration_ms=_get_number(string_at(duration, 16))[0] if duration else None,
        attrs=string_at(attrs_at, attrs_size).decode() if attrs else None,
        message=string_at(message_at, message_size).decode(),
    )
    state.logs.put(record, size)


@cache
def _callback(function: HostFunction) -> Any:
    """The process's one raw callback around ``function``."""
    kinds = (_U64,) if function.takes_number else ()

    def entry(number: int | None, _context: Any, _type: Any, args: Any, nargs: int, out: Any, nout: int) -> int:
        try:
            if nargs != len(kinds) or nout != 1 or any(args[i].kind != kind for i, kind in enumerate(kinds)):
                raise HostRefusal("the component imports this function with another type than WASI gives it")
            host = RawHost.of(number)
            result = function.action(host.state, *(args[i].of.u64 for i in range(nargs)))
            tree = host.scratch.place(1, lambda tree: _write(tree, function, result))
            ffi.wasmtime_component_val_clone(tree, out)
        except HostRefusal as error:
            return _as_error(str(error))
        except BaseException:  # noqa: BLE001
            return _as_error("the host function failed")
        return 0

    return ffi.wasmtime_component_func_callback_t(entry)


def _write(tree: Tree, function: HostFunction, result: Any) -> None:
    match function.result:
        case "u64":
            tree.u64(0, result)
        case "octets":
            tree.octets(0, result)
        case "pair":
            tree.u64_tuple(0, result)
        case "time":
            seconds, nanoseconds = result
            tree.record(0, (("seconds", tree.u64, seconds), ("nanoseconds", tree.u32, nanoseconds)))


def _as_error(text: str) -> int:
    """An error of the engine that the engine owns, as the number a callback returns."""
    return ctypes.cast(EngineError(text)._consume(), ctypes.c_void_p).value or 0
