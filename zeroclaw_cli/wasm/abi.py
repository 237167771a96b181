"""Values between Python and the engine's C value tree, with precompiled layouts (specs/wasm-host.md §3, variant 2).

wasmtime-py walks the type of every value on every call; this module knows the shapes of the world once. Parameters
are written into one buffer that belongs to Python, which the engine copies from; results are read with ``struct`` from
the tree that the engine allocated, and freed by one native call. What the binding's structures look like is checked
when the module is imported: :data:`SUPPORTED` is False when they are not laid out as expected, and then
:mod:`zeroclaw_cli.wasm.generic` does the work.

Import it where a guest is run, not before (:mod:`zeroclaw_cli.wasm.binding`).
"""

from __future__ import annotations

import ctypes
import struct
import time
from collections.abc import Callable, Sequence
from ctypes import addressof, byref, string_at
from math import isfinite
from typing import Any, Final

from zeroclaw_cli.memory.types import BUILT_IN_CATEGORIES, Entry, ExportFilter, ProceduralMessage
from zeroclaw_cli.wasm import binding
from zeroclaw_cli.wasm.signatures import Function, Outcome
from zeroclaw_cli.wasm.values import MAX_STRING_BYTES, DecodingTimeout, StringTooLarge, TooManyEntries

ffi: Final = binding.capi()
EngineError: Final = binding.engine_error()

Value: Final = ffi.wasmtime_component_val_t
_VALUE_SIZE: Final = 32
_NAMED_SIZE: Final = 48

_BOOL: Final = 0
_U8: Final = 2
_U32: Final = 6
_U64: Final = 8
_F64: Final = 10
_STRING: Final = 12
_LIST: Final = 13
_RECORD: Final = 14
_TUPLE: Final = 15
_VARIANT: Final = 16
_ENUM: Final = 17
_OPTION: Final = 18
_RESULT: Final = 19
_FLAGS: Final = 20


def _layout_is_as_expected() -> bool:
    """Compare the binding's structures and kind numbers with what this module reads and writes."""
    try:
        union = ffi.wasmtime_component_valunion_t
        named = ffi.wasmtime_component_valrecord_entry_t
        variant = ffi.wasmtime_component_valvariant_t
        result = ffi.wasmtime_component_valresult_t
        sequence = ffi.wasmtime_component_vallist_t
        return (
            struct.pack("=H", 1) == struct.pack("<H", 1)
            and (ctypes.sizeof(Value), Value.kind.offset, Value.of.offset) == (_VALUE_SIZE, 0, 8)
            and ctypes.sizeof(union) == 24
            and (ctypes.sizeof(named), named.name.offset, named.val.offset) == (_NAMED_SIZE, 0, 16)
            and (variant.discriminant.offset, variant.val.offset) == (0, 16)
            and (result.is_ok.offset, result.val.offset) == (0, 8)
            and (ctypes.sizeof(sequence), sequence.size.offset, sequence.data.offset) == (16, 0, 8)
            and all(
                getattr(ffi, f"WASMTIME_COMPONENT_{name}").value == number
                for name, number in (
                    ("BOOL", _BOOL),
                    ("U8", _U8),
                    ("U32", _U32),
                    ("U64", _U64),
                    ("F64", _F64),
                    ("STRING", _STRING),
                    ("LIST", _LIST),
                    ("RECORD", _RECORD),
                    ("TUPLE", _TUPLE),
                    ("VARIANT", _VARIANT),
                    ("ENUM", _ENUM),
                    ("OPTION", _OPTION),
                    ("RESULT", _RESULT),
                    ("FLAGS", _FLAGS),
                )
            )
        )
    except AttributeError:
        return False


SUPPORTED: Final = _layout_is_as_expected()

# ---------------------------------------------------------------------------------------------- Python to engine

_put_sequence = struct.Struct("<B7xQQ8x").pack_into  # string, list, record, tuple, enum, flags: kind, size, address
_put_u64 = struct.Struct("<B7xQ16x").pack_into  # u64, u32, u8, bool, option: kind, number or address
_put_f64 = struct.Struct("<B7xd16x").pack_into
_put_variant = struct.Struct("<B7xQQQ").pack_into  # kind, size and address of the case's name, address of the payload
_put_name = struct.Struct("<QQ").pack_into
_BLANK: Final = bytes(_VALUE_SIZE)


class Tree:
    """A value tree in memory of our own: bytes that grow, with addresses relative to where they will lie."""

    __slots__ = ("base", "buffer")

    def __init__(self, base: int) -> None:
        self.base = base
        self.buffer = bytearray()

    def reserve(self, size: int) -> int:
        """Append ``size`` zero bytes, aligned for a value; gives their offset."""
        buffer = self.buffer
        buffer.extend(bytes(-len(buffer) % 8 + size))
        return len(buffer) - size

    def text(self, value: str) -> tuple[int, int]:
        """Append the UTF-8 bytes of ``value``; gives their number and address."""
        data = value.encode()
        address = self.base + len(self.buffer)
        self.buffer += data
        return len(data), address

    def string(self, at: int, value: str) -> None:
        _put_sequence(self.buffer, at, _STRING, *self.text(value))

    def u64(self, at: int, value: int) -> None:
        _put_u64(self.buffer, at, _U64, value)

    def u32(self, at: int, value: int) -> None:
        _put_u64(self.buffer, at, _U32, value)

    def f64(self, at: int, value: float) -> None:
        _put_f64(self.buffer, at, _F64, value)

    def category(self, at: int, value: str) -> None:
        if value in BUILT_IN_CATEGORIES:
            self.variant(at, value, None, "")
        else:
            self.variant(at, "custom", self.string, value)

    def variant(self, at: int, case: str, write: Callable[[int, Any], None] | None, payload: Any) -> None:
        inner = 0
        if write is not None:
            offset = self.reserve(_VALUE_SIZE)
            write(offset, payload)
            inner = self.base + offset
        _put_variant(self.buffer, at, _VARIANT, *self.text(case), inner)

    def option(self, at: int, write: Callable[[int, Any], None], value: Any) -> None:
        if value is None:
            _put_u64(self.buffer, at, _OPTION, 0)
            return
        inner = self.reserve(_VALUE_SIZE)
        write(inner, value)
        _put_u64(self.buffer, at, _OPTION, self.base + inner)

    def optional_string(self, at: int, value: str | None) -> None:
        self.option(at, self.string, value)

    def optional_f64(self, at: int, value: float | None) -> None:
        self.option(at, self.f64, value)

    def optional_category(self, at: int, value: str | None) -> None:
        self.option(at, self.category, value)

    def items(self, at: int, kind: int, write: Callable[[int, Any], None], values: Sequence[Any]) -> None:
        first = self.reserve(_VALUE_SIZE * len(values))
        for index, value in enumerate(values):
            write(first + index * _VALUE_SIZE, value)
        _put_sequence(self.buffer, at, kind, len(values), self.base + first)

    def strings(self, at: int, values: Sequence[str]) -> None:
        self.items(at, _LIST, self.string, values)

    def u64_tuple(self, at: int, values: Sequence[int]) -> None:
        self.items(at, _TUPLE, self.u64, values)

    def octets(self, at: int, value: bytes) -> None:
        """``list<u8>``: one value of 32 bytes for each byte."""
        first = self.reserve(0)
        self.buffer += b"".join(map(_OCTETS.__getitem__, value))
        _put_sequence(self.buffer, at, _LIST, len(value), self.base + first)

    def record(self, at: int, fields: Sequence[tuple[str, Callable[[int, Any], None], Any]]) -> None:
        first = self.reserve(_NAMED_SIZE * len(fields))
        for index, (name, write, value) in enumerate(fields):
            place = first + index * _NAMED_SIZE
            write(place + 16, value)
            _put_name(self.buffer, place, *self.text(name))
        _put_sequence(self.buffer, at, _RECORD, len(fields), self.base + first)

    def agents(self, at: int, value: Sequence[str]) -> None:
        if value:
            self.variant(at, "some", self.strings, value)
        else:
            self.variant(at, "all", None, None)

    def export_filter(self, at: int, value: ExportFilter) -> None:
        optional = self.optional_string
        self.record(
            at,
            (
                ("namespace", optional, value.namespace),
                ("session-id", optional, value.session_id),
                ("category", self.optional_category, value.category),
                ("since", optional, value.since),
                ("until", optional, value.until),
            ),
        )

    def message(self, at: int, value: ProceduralMessage) -> None:
        self.record(
            at,
            (
                ("role", self.string, value.role),
                ("content", self.string, value.content),
                ("name", self.optional_string, value.name),
            ),
        )

    def messages(self, at: int, value: Sequence[ProceduralMessage]) -> None:
        self.items(at, _LIST, self.message, value)


_OCTETS: Final = [struct.pack("<B7xB23x", _U8, octet) for octet in range(256)]

_LOWERING: Final[dict[str, Callable[[Tree, int, Any], None]]] = {
    "string": Tree.string,
    "u64": Tree.u64,
    "category": Tree.category,
    "optional-string": Tree.optional_string,
    "optional-f64": Tree.optional_f64,
    "optional-category": Tree.optional_category,
    "agents": Tree.agents,
    "export-filter": Tree.export_filter,
    "messages": Tree.messages,
}


_USUAL_BYTES: Final = 1 << 14
_MOST_KEPT_BYTES: Final = 1 << 20


class Scratch:
    """Memory for the value trees that one instance is given, kept from call to call unless it is large."""

    def __init__(self) -> None:
        self._allocate(_USUAL_BYTES)

    def _allocate(self, size: int) -> None:
        self._memory = (ctypes.c_char * size)()
        self._view = memoryview(self._memory).cast("B")
        self._size = size
        self._address = addressof(self._memory)
        self._first_value = ctypes.cast(self._memory, ctypes.POINTER(Value))

    def place(self, count: int, write: Callable[[Tree], None]) -> Any:
        """Have ``write`` fill a tree that starts with ``count`` values; gives a pointer to the first of them.

        The pointer is good until the next call of this method.
        """
        if self._size > _MOST_KEPT_BYTES:
            self._allocate(_USUAL_BYTES)
        while True:
            tree = Tree(self._address)
            tree.buffer += _BLANK * count
            write(tree)
            size = len(tree.buffer)
            if size <= self._size:
                self._view[:size] = tree.buffer
                return self._first_value
            self._allocate(1 << size.bit_length())


# ---------------------------------------------------------------------------------------------- engine to Python

_get_result = struct.Struct("<B7xB7xQ").unpack_from  # kind, is-ok, address of the payload
_get_sequence = struct.Struct("<B7xQQ").unpack_from
_get_scalar = struct.Struct("<B7xQ").unpack_from
_get_f64 = struct.Struct("<8xd").unpack_from
_get_text = struct.Struct("<8xQQ").unpack_from
# The twelve fields of memory-entry: name, kind and padding are skipped, what is left of the union is read.
_TEXT_FIELD = "24xQQ8x"
_OPTION_FIELD = "24xQ16x"
_ENTRY = struct.Struct(
    "<" + 3 * _TEXT_FIELD + "24xQQQ" + _TEXT_FIELD + 2 * _OPTION_FIELD + _TEXT_FIELD + 4 * _OPTION_FIELD
)
_CHECK_EVERY = 512
# The names of the four cases of memory-category differ in length, so the length tells the case.
_CASES: Final = {len(name): name for name in BUILT_IN_CATEGORIES}


class _Reader:
    """Reads result trees; refuses strings over the limit before copying them."""

    __slots__ = ("deadline",)

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline

    def entries(self, address: int, most: int, *, cut: bool) -> tuple[list[Entry], int]:
        """The entries of a list value, and how many the guest returned.

        Of more than ``most`` the first ``most`` when ``cut``, else TooManyEntries. DecodingTimeout past the deadline.
        """
        _, count, data = _get_sequence(string_at(address, _VALUE_SIZE))
        if count > most and not cut:
            raise TooManyEntries(count)
        taken = min(count, most)
        if not taken:
            return [], count
        found: list[Entry] = []
        for start in range(0, taken, _CHECK_EVERY):
            if time.monotonic() > self.deadline:
                raise DecodingTimeout
            stop = min(taken, start + _CHECK_EVERY)
            heads = string_at(data + start * _VALUE_SIZE, (stop - start) * _VALUE_SIZE)
            found += [self.entry(record) for _, _, record, _ in struct.iter_unpack("<QQQQ", heads)]
        return found, count

    def entry(self, record: int) -> Entry:
        (
            id_size, id_at, key_size, key_at, content_size, content_at, case_size, _, custom, time_size, time_at,
            session, score, space_size, space_at, importance, superseded, alias, agent,
        ) = _ENTRY.unpack(string_at(record, _ENTRY.size))  # fmt: skip
        if key_size > MAX_STRING_BYTES:
            raise StringTooLarge
        key = string_at(key_at, key_size).decode()
        if max(id_size, content_size, time_size, space_size) > MAX_STRING_BYTES:
            raise StringTooLarge(key)
        try:
            return Entry(
                string_at(id_at, id_size).decode(),
                key,
                string_at(content_at, content_size).decode(),
                _CASES.get(case_size) or self.text(custom),
                string_at(time_at, time_size).decode(),
                self.text(session) if session else None,
                self.number(score) if score else None,
                string_at(space_at, space_size).decode(),
                self.number(importance) if importance else None,
                self.text(superseded) if superseded else None,
                self.text(alias) if alias else None,
                self.text(agent) if agent else None,
            )
        except StringTooLarge:
            raise StringTooLarge(key) from None

    def text(self, address: int) -> str:
        size, data = _get_text(string_at(address, 24))
        if size > MAX_STRING_BYTES:
            raise StringTooLarge
        return string_at(data, size).decode()

    def number(self, address: int) -> float | None:
        """A float; None for NaN and infinities, which no JSON can show and no entry can mean."""
        value: float = _get_f64(string_at(address, 16))[0]
        return value if isfinite(value) else None

    def optional_entry(self, address: int) -> Entry | None:
        inner = _get_scalar(string_at(address, _VALUE_SIZE))[1]
        return self.entry(_get_text(string_at(inner, _VALUE_SIZE))[1]) if inner else None

    def flags(self, address: int) -> frozenset[str]:
        _, count, data = _get_sequence(string_at(address, _VALUE_SIZE))
        names = string_at(data, 16 * count) if count else b""
        return frozenset(string_at(at, size).decode() for size, at in struct.iter_unpack("<QQ", names))


class Caller:
    """Calls one exported function: wasmtime-py's ``function``, in the store of ``context``, with the instance's
    ``scratch``."""

    def __init__(self, function: Any, context: Any, scratch: Scratch, shape: Function) -> None:
        self._native = byref(function._func)
        self._function = function
        self._context = context
        self._scratch = scratch
        self._shape = shape
        self._lowering = [_LOWERING[parameter] for parameter in shape.parameters]
        self._count = len(shape.parameters)

    def __call__(self, arguments: Sequence[Any], most: int, *, cut: bool, deadline: float) -> Outcome:
        """Run the guest. ``most``: how many entries to take at most, see :meth:`_Reader.entries`; ``deadline``: the
        monotonic second at which decoding stops.

        Raises the engine's error when the guest did not return, and what the reader raises.
        """
        parameters = self._scratch.place(self._count, lambda tree: self._lower(tree, arguments))
        # The engine drops what a result held before, so it must be a fresh, empty value each time.
        result = Value()
        error = ffi.wasmtime_component_func_call(self._native, self._context, parameters, self._count, byref(result), 1)
        if error:
            raise EngineError._from_ptr(error)
        try:
            return self._decode(addressof(result), most, cut, _Reader(deadline))
        finally:
            ffi.wasmtime_component_val_delete(byref(result))

    def _lower(self, tree: Tree, arguments: Sequence[Any]) -> None:
        at = 0
        for write, argument in zip(self._lowering, arguments, strict=True):
            write(tree, at, argument)
            at += _VALUE_SIZE

    def _decode(self, address: int, most: int, cut: bool, read: _Reader) -> Outcome:
        if self._shape.fallible:
            _, is_ok, inner = _get_result(string_at(address, _VALUE_SIZE))
            if not is_ok:
                return Outcome(False, read.text(inner))
            address = inner
        match self._shape.result:
            case "entries":
                found, total = read.entries(address, most, cut=cut)
                return Outcome(True, found, total)
            case "entry":
                return Outcome(True, read.optional_entry(address))
            case "string":
                return Outcome(True, read.text(address))
            case "u64":
                return Outcome(True, _get_scalar(string_at(address, _VALUE_SIZE))[1])
            case "bool":
                return Outcome(True, bool(string_at(address, 16)[8]))
            case "flags":
                return Outcome(True, read.flags(address))
            case "unit":
                return Outcome(True, None)
