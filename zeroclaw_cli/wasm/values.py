"""How a call of a guest is converted: the interface of the fast and of the generic conversion, and its limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from zeroclaw_cli.wasm.host_functions import HostFunction, HostState
from zeroclaw_cli.wasm.signatures import Function, Outcome

if TYPE_CHECKING:
    from zeroclaw_cli.wasm.guest_memory import GuestMemory

# A longer string is refused: of a guest before it is copied, for a guest before the call.
MAX_STRING_BYTES: Final = 16 * 1024 * 1024


class TooManyEntries(Exception):
    """A list of entries is longer than the caller takes; ``count`` is its length."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


class StringTooLarge(Exception):
    """A string of the guest is longer than :data:`MAX_STRING_BYTES`; ``key`` is that of the entry that it belongs to,
    None where it belongs to none or the key is that long itself."""

    def __init__(self, key: str | None = None) -> None:
        super().__init__(key)
        self.key = key


class DecodingTimeout(Exception):
    """The guest's answer was not read before the call's deadline."""


class Call(Protocol):
    """One exported function, ready to be called.

    Takes the arguments in the forms of :mod:`zeroclaw_cli.wasm.signatures`, how many entries to take at most
    (``cut``: leave out the rest; else a longer list raises TooManyEntries), and the monotonic second at which decoding
    stops. Raises WasmtimeError when the guest did not return, StringTooLarge and DecodingTimeout.
    """

    def __call__(self, arguments: Sequence[Any], most: int, *, cut: bool, deadline: float) -> Outcome: ...


CallFactory = Callable[[Any, Function], Call]


class Host(Protocol):
    """Defines host functions in a linker instance of wasmtime-py, for one instance of a guest."""

    def define_log(self, linker_instance: Any, name: str) -> None: ...
    def define(self, linker_instance: Any, name: str, function: HostFunction) -> None: ...
    def close(self) -> None: ...


def host(state: HostState) -> Host:
    """What defines the host functions of one instance, fast or generic as in :func:`call_factory`."""
    from zeroclaw_cli.wasm import abi, generic, hostcalls

    return hostcalls.RawHost(state) if abi.SUPPORTED else generic.GenericHost(state)


def guest_memory(limit: int) -> GuestMemory:
    """The account of one instance's memories, which are ``limit`` bytes together at most."""
    from zeroclaw_cli.wasm.guest_memory import GuestMemory

    return GuestMemory(limit)


def call_factory(store: Any) -> CallFactory:
    """What makes a :class:`Call` of an exported function in ``store``: the fast conversion where the binding's
    structures are laid out as it expects, else the generic one."""
    from zeroclaw_cli.wasm import abi, generic

    if abi.SUPPORTED:
        scratch = abi.Scratch()
        context = store._context()
        return lambda function, shape: abi.Caller(function, context, scratch, shape)
    return lambda function, shape: generic.Caller(function, store, shape)
