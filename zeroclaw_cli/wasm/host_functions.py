"""What the host serves to a guest under WASI's names: clocks and randomness that can be recorded and replayed.

These are plain functions of an instance's state; :mod:`zeroclaw_cli.wasm.hostcalls` (and, where the binding's
structures do not fit, :mod:`zeroclaw_cli.wasm.generic`) makes them callable from the engine. They stand in for the
engine's own interfaces of the same names, whole interface by whole interface (specs/wasm-host.md §8).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from zeroclaw_cli.wasm.clocks import Served
from zeroclaw_cli.wasm.logs import LogQueue

# Room for the seed of any hash table or key; a guest that wants more asks again.
_MOST_RANDOM_BYTES: Final = 65_536
_RESOLUTION_NS: Final = 1_000


class HostRefusal(Exception):
    """The host says no; the text ends the guest's call as an error of the engine (design.md, decision 5)."""


class HostState:
    """What the host functions of one instance act on. ``number`` names the instance to the engine's callbacks."""

    _numbers = itertools.count(1)

    def __init__(self, served: Served, logs: LogQueue) -> None:
        self.served = served
        self.logs = logs
        self.number = next(self._numbers)


@dataclass(frozen=True, slots=True)
class HostFunction:
    """``action`` takes the state and at most one u64 (``takes_number``) and gives what ``result`` says: ``time`` is
    (seconds, nanoseconds) as a record, ``pair`` two u64 as a tuple, ``octets`` bytes."""

    action: Callable[..., Any]
    result: Literal["time", "u64", "pair", "octets"]
    takes_number: bool = False


def _random_bytes(state: HostState, count: int) -> bytes:
    if count > _MOST_RANDOM_BYTES:
        raise HostRefusal(f"a plugin gets at most {_MOST_RANDOM_BYTES:,} random bytes at once")
    return state.served.random_bytes(count)


def _refuse_waiting(_state: HostState, _count: int) -> int:
    # Sleeping in the host is the one thing that neither fuel nor epochs end.
    raise HostRefusal("a plugin may not wait for a clock")


_RANDOM_BYTES = HostFunction(_random_bytes, "octets", takes_number=True)
_RANDOM_U64 = HostFunction(lambda state: state.served.random_u64(), "u64")
_SEED = HostFunction(lambda state: (state.served.random_u64(), state.served.random_u64()), "pair")
_WAIT = HostFunction(_refuse_waiting, "u64", takes_number=True)


def _refuse_unknown(_state: HostState) -> int:
    raise HostRefusal("this host does not know the function")


# Stands for a function that a shadowed interface does not have here.
UNKNOWN: Final = HostFunction(_refuse_unknown, "u64")

# Interfaces of WASI 0.2 without their version, and their functions.
SHADOWED: Final[Mapping[str, Mapping[str, HostFunction]]] = {
    "wasi:clocks/wall-clock": {
        "now": HostFunction(lambda state: state.served.wall(), "time"),
        "resolution": HostFunction(lambda _: (0, _RESOLUTION_NS), "time"),
    },
    "wasi:clocks/monotonic-clock": {
        "now": HostFunction(lambda state: state.served.monotonic(), "u64"),
        "resolution": HostFunction(lambda _: _RESOLUTION_NS, "u64"),
        "subscribe-instant": _WAIT,
        "subscribe-duration": _WAIT,
    },
    "wasi:random/random": {"get-random-bytes": _RANDOM_BYTES, "get-random-u64": _RANDOM_U64},
    "wasi:random/insecure": {"get-insecure-random-bytes": _RANDOM_BYTES, "get-insecure-random-u64": _RANDOM_U64},
    "wasi:random/insecure-seed": {"insecure-seed": _SEED, "get-insecure-seed": _SEED},
}
