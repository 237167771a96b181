"""The clocks and the randomness that a guest is served, so that a call can be replayed (design.md, decision 1).

During one call the wall clock stands still, the monotonic clock advances by one microsecond with every reading, and
all random bytes come from the call's seed. A call's inputs are then its arguments and one :class:`Serving`, which the
journal records. The same holds for the start of an instance, which is served once under the seed and the clocks of the
instance's birth.
"""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from typing import Final

from zeroclaw_cli.memory.times import instant

SEED_BYTES: Final = 16
_STEP_NS: Final = 1_000
_U64: Final = (1 << 64) - 1
# What the journal's columns and the world's wall clock (from 1970 on) both hold.
_NS_LIMIT: Final = 1 << 63


@dataclass(frozen=True, slots=True)
class Serving:
    """What one call is served: wall clock in nanoseconds since 1970 (UTC), monotonic clock in nanoseconds since the
    birth of the instance's journal, and a seed of 16 bytes."""

    wall_ns: int
    mono_ns: int
    seed: bytes


class Served:
    """The clocks and random bytes of the call that runs, as the host functions of the guest read them."""

    def __init__(self, serving: Serving) -> None:
        self.begin(serving)

    def begin(self, serving: Serving) -> None:
        """Serve ``serving`` from now on."""
        self._serving = serving
        self._readings = 0
        self._blocks = 0
        self._rest = b""

    def wall(self) -> tuple[int, int]:
        """Seconds since 1970 and nanoseconds below a second."""
        return divmod(max(0, self._serving.wall_ns), 1_000_000_000)

    def monotonic(self) -> int:
        """Nanoseconds; later readings of one call are larger."""
        self._readings += 1
        return (self._serving.mono_ns + (self._readings - 1) * _STEP_NS) & _U64

    def random_bytes(self, count: int) -> bytes:
        """The next ``count`` bytes: SHA-512 over the seed and a block number (8 bytes, little-endian), block by
        block. Recorded histories depend on this rule."""
        while len(self._rest) < count:
            number = self._blocks.to_bytes(8, "little")
            self._rest += hashlib.sha512(self._serving.seed + number).digest()
            self._blocks += 1
        given, self._rest = self._rest[:count], self._rest[count:]
        return given

    def random_u64(self) -> int:
        return int.from_bytes(self.random_bytes(8), "little")


class Present:
    """Makes the :class:`Serving` of new calls from the real clocks and the system's randomness.

    The monotonic clock goes on from the last recorded reading, since the system's own restarts with the machine.
    """

    def __init__(self) -> None:
        self.rebase(0)

    def rebase(self, mono_ns: int) -> None:
        """Go on from ``mono_ns``, the monotonic clock of the last recorded call."""
        self._base_ns = mono_ns
        self._since_ns = time.monotonic_ns()

    def serving(self, wall_ns: int | None = None) -> Serving:
        """What a call is served now; ``wall_ns`` stands in for the wall clock."""
        return Serving(
            time.time_ns() if wall_ns is None else wall_ns,
            self._base_ns + time.monotonic_ns() - self._since_ns + 1,
            os.urandom(SEED_BYTES),
        )


def clock_of(timestamp: str) -> int | None:
    """An RFC 3339 text as the wall clock that shows it, in nanoseconds since 1970; None for another text, and for a
    time before 1970 or after 2262."""
    try:
        seconds, nanoseconds = instant(timestamp)
    except ValueError:
        return None
    at = seconds * 1_000_000_000 + nanoseconds
    return at if 0 <= at < _NS_LIMIT else None
