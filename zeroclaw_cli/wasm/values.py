"""How a call of a guest is converted: the interface of the fast and of the generic conversion, and its limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from zeroclaw_cli.wasm.host_functions import HostFunction
from zeroclaw_cli.wasm.signatures import Function, Outcome

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
