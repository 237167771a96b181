"""Seconds that a call takes, for the benchmarks, which compare figures of one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def took(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def fastest(call: Callable[[], object], rounds: int = 5) -> float:
    """Of some rounds the one that was disturbed least."""
    return min(took(call) for _ in range(rounds))


def usual(call: Callable[[], object], rounds: int) -> float:
    """The median of some rounds."""
    return statistics.median(took(call) for _ in range(rounds))
