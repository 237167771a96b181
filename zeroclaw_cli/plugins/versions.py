"""Which of two versions is newer. A manifest may give any text as its version (specs/zeroclaw.md §1.1)."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final

_IDENTIFIERS: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION: Final = re.compile(
    rf"[vV]?(?P<release>[0-9]+(?:\.[0-9]+)*)(?:-(?P<pre>{_IDENTIFIERS}))?(?:\+{_IDENTIFIERS})?", re.ASCII
)


def compare(first: str, second: str) -> int | None:
    """Negative, zero or positive as ``first`` is older than ``second``, of the same rank, or newer; None when that
    cannot be told.

    Versions are compared as Semantic Versioning ranks them: numbers from the left, a missing one counts as 0; a
    pre-release (``-rc.1``) comes before its release; what follows ``+`` does not matter. Any other text has no rank,
    except that it equals itself.
    """
    if first == second:
        return 0
    one, other = _VERSION.fullmatch(first), _VERSION.fullmatch(second)
    if one is None or other is None:
        return None
    for left, right in zip_longest(one["release"].split("."), other["release"].split("."), fillvalue="0"):
        if (order := _numbers(left, right)) != 0:
            return order
    return _pre_releases(one["pre"], other["pre"])


def _pre_releases(first: str | None, second: str | None) -> int:
    if first is None or second is None:
        return (first is None) - (second is None)
    for left, right in zip_longest(first.split("."), second.split(".")):
        if left is None or right is None:
            return -1 if left is None else 1
        if left.isdigit() and right.isdigit():
            order = _numbers(left, right)
        elif left.isdigit() or right.isdigit():
            order = -1 if left.isdigit() else 1
        else:
            order = (left > right) - (left < right)
        if order:
            return order
    return 0


def _numbers(first: str, second: str) -> int:
    # As texts: a number of thousands of digits is a valid version and no valid int.
    one, other = ((len(text), text) for text in (first.lstrip("0"), second.lstrip("0")))
    return (one > other) - (one < other)
