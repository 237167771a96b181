"""Calling code where the stack is almost used up."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def with_frames(left: int, use: Callable[[], _T]) -> _T:
    """What ``use`` returns when it is called with room for only ``left`` more frames."""

    def descend(levels: int) -> _T:
        return use() if levels <= 0 else descend(levels - 1)

    depth = 0
    while _has_frame(depth):
        depth += 1
    return descend(sys.getrecursionlimit() - depth - left)


def _has_frame(depth: int) -> bool:
    try:
        sys._getframe(depth + 1)
    except ValueError:
        return False
    return True
