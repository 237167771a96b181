"""What a provider returns, as plain data of the host's own.

A provider may return anything: a mapping that raises when it is walked, a text whose methods lie, an iterator without
an end. So all of it is taken apart once, where the call is guarded, and nobody else meets the provider's own classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

# More than any setting or schema has; a provider that returns more is at fault.
_MOST_ITEMS: Final = 10_000
_MAX_DEPTH: Final = 50


class NotPlain(ValueError):
    """What was returned cannot be taken apart: it is too large or nested too deep."""


def plain(value: Any, depth: int = 0) -> Any:
    """A copy of ``value`` of exact str, int, float, bool, None, list and dict; of anything else its class's name.

    Raises NotPlain, and whatever looking at the value raises.
    """
    if depth > _MAX_DEPTH:
        raise NotPlain("its result is nested too deeply")
    kind = type(value)
    if value is None or kind is bool:
        return value
    # Not isinstance, which asks the object itself.
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return int.__int__(value)
    if issubclass(kind, float):
        return float.__float__(value)
    if issubclass(kind, Mapping):
        return {plain(key, depth + 1): plain(item, depth + 1) for key, item in _bounded(value.items())}
    if issubclass(kind, (list, tuple)):
        return [plain(item, depth + 1) for item in _bounded(value)]
    return kind.__name__


def plain_texts(values: Any) -> list[str]:
    """The texts among ``values``, whatever iterable that is. Raises as :func:`plain`."""
    return [str.__str__(value) for value in _bounded(values) if issubclass(type(value), str)]


def _bounded(values: Iterable[Any]) -> list[Any]:
    found = list(islice(values, _MOST_ITEMS + 1))
    if len(found) > _MOST_ITEMS:
        raise NotPlain(f"it returns more than {_MOST_ITEMS:,} items")
    return found
