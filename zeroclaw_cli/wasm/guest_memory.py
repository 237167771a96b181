"""The linear memories of guests, which the host makes and counts itself.

The engine limits each memory alone and never tells how large one is; here the memories of an instance have one sum,
which is held to one limit. And nothing ends an instruction: one that fills memory which nothing has touched yet waits
for every page of it, and that took up to a second for 256 MiB where this was measured. On the caller's thread, where a
guest cannot be left behind, memory beyond the first :data:`_UNTOUCHED_BYTES` is therefore touched when it is granted,
piece by piece, as long as the call has time. A guest whose time is over meanwhile gets no more, and whatever it answers
then is not taken. An attempt to get more takes some microseconds, far more than its fuel tells: a guest that does
nothing else runs into its time first.

Import it where a guest is run, not before (:mod:`zeroclaw_cli.wasm.binding`).
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from zeroclaw_cli.wasm import binding

ffi: Final = binding.capi()
EngineError: Final = binding.engine_error()

_UNTOUCHED_BYTES: Final = 32 * 1024 * 1024
# A page fault takes from half a microsecond to some ten, so this takes 10 ms at most.
_PIECE_BYTES: Final = 4 * 1024 * 1024
_NOTHING: Final = 0
_USABLE: Final = mmap.PROT_READ | mmap.PROT_WRITE
# Linux has pages of 2 MiB for whoever asks, with a five-hundredth of the faults. Memory that is asked for in pieces as
# large as these is about to be used.
_LARGE_BYTES: Final = 4 * 1024 * 1024
_HUGE_PAGES: Final = getattr(mmap, "MADV_HUGEPAGE", None)


class Deadline(Protocol):
    """What a running call is told: the monotonic second by which it must be over, and whether it was given up."""

    deadline: float
    cancelled: bool


class GuestMemory:
    """The memories of one instance: together at most ``limit`` bytes, now ``size`` bytes.

    ``patient`` says that the guest runs where it can be left behind. ``out_of_time`` tells that memory was refused
    because the time of the call was over.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.patient = False
        self.out_of_time = False
        self._call: Deadline | None = None
        self._untouched = 0

    def begin(self, call: Deadline) -> None:
        """Go by the deadline of ``call`` from now on."""
        self._call = call
        self.out_of_time = False

    def make(self, start: Callable[[], Any]) -> Any:
        """The result of ``start``; the memories that the engine asks for meanwhile are of this instance."""
        _here.of = self
        try:
            return start()
        finally:
            _here.of = None

    def grant(self, address: int, size: int) -> bool:
        """Make ``size`` bytes at ``address`` usable, if they may be had."""
        if self.size + size > self.limit or _protect(address, size, _USABLE) != 0:
            return False
        if size >= _LARGE_BYTES and _HUGE_PAGES is not None:
            _advise(address, size, _HUGE_PAGES)
        if not self._touched(address, size):
            _protect(address, size, _NOTHING)
            _advise(address, size, mmap.MADV_DONTNEED)
            return False
        self.size += size
        return True

    def _touched(self, address: int, size: int) -> bool:
        if self.patient or self._untouched + size <= _UNTOUCHED_BYTES:
            self._untouched += size
            return True
        for start in range(0, size, _PIECE_BYTES):
            if self._call is not None and (self._call.cancelled or time.monotonic() > self._call.deadline):
                self.out_of_time = True
                return False
            ctypes.memset(address + start, 0, min(_PIECE_BYTES, size - start))
        return True


def set_creator(config: Any) -> None:
    """Have engines of the binding's ``config`` make their memories here."""
    creator = ffi.wasmtime_memory_creator_t()
    creator.new_memory = _new_memory
    ffi.wasmtime_config_host_memory_creator_set(config.ptr(), ctypes.byref(creator))
    # It lays the data of a memory over a file, which only the engine's own memories can have.
    ffi.wasmtime_config_memory_init_cow_set(config.ptr(), False)


class _Here(threading.local):
    of: GuestMemory | None = None


@dataclass(slots=True)
class _Memory:
    """One memory: where it lies, how much of that is in use, how large it may grow there, and what is mapped."""

    owner: GuestMemory | None
    address: int
    size: int
    capacity: int
    mapped: int

    def grow(self, size: int) -> bool:
        more = size - self.size
        if size > self.capacity:
            return False
        at = self.address + self.size
        if more > 0 and not (self.owner.grant(at, more) if self.owner else _protect(at, more, _USABLE) == 0):
            return False
        self.size = size
        return True


_here: Final = _Here()
_memories: Final[dict[int, _Memory]] = {}
_numbers: Final = itertools.count(1)

_libc: Final = ctypes.CDLL(None, use_errno=True)
_map: Final = _libc.mmap
_map.restype = ctypes.c_void_p
_map.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_unmap: Final = _libc.munmap
_unmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_protect: Final = _libc.mprotect
_protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_advise: Final = _libc.madvise
_advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_FAILED: Final = ctypes.c_void_p(-1).value
_MAP: Final = mmap.MAP_PRIVATE | mmap.MAP_ANON | (0x4000 if sys.platform == "linux" else 0)  # MAP_NORESERVE


def _refused(text: str) -> int:
    """An error of the engine that the engine owns, as the number a callback returns."""
    return ctypes.cast(EngineError(text)._consume(), ctypes.c_void_p).value or 0


@ffi.wasmtime_new_memory_callback_t  # type: ignore[untyped-decorator]
def _new_memory(_env: Any, _type: Any, minimum: int, maximum: int, reserved: int, guard: int, made: Any) -> int:
    try:
        owner = _here.of
        if owner is not None and owner.size + minimum > owner.limit:
            return _refused("the sum of the minimum sizes of its memories exceeds memory limits")
        most = maximum if owner is None else min(maximum, owner.limit)
        capacity = _whole_pages(max(reserved, minimum, most if reserved == 0 else 0))
        address = _map(None, capacity + guard, _NOTHING, _MAP, -1, 0)
        if address == _FAILED:
            return _refused(f"mmap failed to reserve {capacity + guard:#x} bytes")
        memory = _Memory(owner, address, 0, capacity, capacity + guard)
        if not memory.grow(minimum):
            _unmap(address, memory.mapped)
            return _refused("mmap failed to commit the minimum size of a memory")
        number = next(_numbers)
        _memories[number] = memory
        native = made[0]
        native.env = number
        native.get_memory = _get_memory
        native.grow_memory = _grow_memory
        native.finalizer = _free_memory
    except BaseException:  # noqa: BLE001 - no exception leaves a callback
        return _refused("the host failed to make a memory")
    return 0


@ffi.wasmtime_memory_get_callback_t  # type: ignore[untyped-decorator]
def _get_memory(number: int, size: Any, capacity: Any) -> int:
    memory = _memories[number]
    size[0] = memory.size
    capacity[0] = memory.capacity
    return memory.address


@ffi.wasmtime_memory_grow_callback_t  # type: ignore[untyped-decorator]
def _grow_memory(number: int, size: int) -> int:
    try:
        return 0 if _memories[number].grow(size) else _refused("no more memory")
    except BaseException:  # noqa: BLE001 - as above
        return _refused("the host failed to grow a memory")


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _free_memory(number: int) -> None:
    memory = _memories.pop(number)
    if memory.owner is not None:
        memory.owner.size -= memory.size
    _unmap(memory.address, memory.mapped)


def _whole_pages(size: int) -> int:
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


# A store that is freed when the interpreter ends still calls them.
for _callback in (_new_memory, _get_memory, _grow_memory, _free_memory):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_callback))
