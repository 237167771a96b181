"""Nested dicts and lists, as a TOML reader returns them, addressed by names and indexes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

Address = tuple[str | int, ...]


class NotATable(Exception):
    """A name on the way of an address belongs to a value that has no members."""


def put(data: Any, address: Address, value: Any) -> None:
    """Set ``value`` at ``address`` inside nested dicts and lists; an index one past the end appends.

    Raises NotATable when something on the way is neither.
    """
    for part, following in pairwise(address):
        if not _takes(data, part):
            raise NotATable
        if isinstance(part, str):
            data.setdefault(part, [] if isinstance(following, int) else {})
        data = data[part]
    if not _takes(data, address[-1]):
        raise NotATable
    if isinstance(data, list) and address[-1] == len(data):
        data.append(value)
    else:
        data[address[-1]] = value


def _takes(data: Any, part: str | int) -> bool:
    return type(data) is (list if isinstance(part, int) else dict)


def drop(data: Any, address: Address) -> None:
    """Delete what is at ``address`` inside nested dicts and lists."""
    for part in address[:-1]:
        data = data[part]
    del data[address[-1]]


def lookup(data: Any, address: Address) -> Any:
    """What is at ``address``, or None."""
    for part in address:
        try:
            data = data[part] if _takes(data, part) else None
        except LookupError:
            return None
    return data


def prune_implied(expected: Any, actual: Any, address: Address) -> None:
    """Drop those empty tables above ``address`` from ``expected`` that ``actual`` does not have either."""
    for length in range(len(address) - 1, 0, -1):
        above = address[:length]
        if lookup(actual, above) is not None or lookup(expected, above) not in ({}, []):
            return
        drop(expected, above)


def plain(value: Any) -> Any:
    """``value`` as a TOML reader would return it."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def same(one: Any, other: Any) -> bool:
    """Equality that knows types apart (1, 1.0, true) and holds nan equal to nan."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)
