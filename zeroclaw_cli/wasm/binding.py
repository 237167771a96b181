"""wasmtime-py's C interface, for the modules that convert values by layout.

:mod:`abi`, :mod:`generic` and :mod:`hostcalls` are made of it, from their callbacks to their structures, and need it
when they are imported; :func:`zeroclaw_cli.wasm.codec.call_factory` and its like import them when a guest is run.
Nothing else may import them at module level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wasmtime import WasmtimeError


def capi() -> Any:
    """The ctypes declarations of the engine's C interface."""
    from wasmtime import _ffi

    return _ffi


def engine_error() -> type[WasmtimeError]:
    """The one exception of the engine."""
    from wasmtime import WasmtimeError

    return WasmtimeError


def tagged_types() -> tuple[Any, Any]:
    """wasmtime-py's classes of records and of tagged variants."""
    from wasmtime.component import Record, Variant

    return Record, Variant
