"""JSON-safety: what may cross a boundary, frozen copies, canonical text and digests (specs/memory-kernel.md §3).

A value is None, bool, int, finite float, str, list or tuple, or dict with str keys, of exactly these types. Frozen,
lists become tuples and dicts become :class:`FrozenDict`, which both ``json.dumps`` and ``==`` take as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from math import isfinite
from typing import Any, Final, NoReturn, TypeAlias

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.limits import MAX_DEPTH, MAX_KEY, MAX_VALUES
from zeroclaw_cli.memory.text import display

Json: TypeAlias = Any
"""None, bool, int, finite float, str, a sequence of Json, or a mapping from str to Json."""

_NoneType = type(None)
_TEXT: Final = {str}
_SCALAR: Final = frozenset({str, bool, _NoneType, int, float})
# Python writes no longer integer as text.
_LARGEST: Final = 10**4300
_LARGE: Final = 2**64
_is_ascii: Final = str.isascii


def kind_name(value: object) -> str:
    """The name of the type of ``value``."""
    return printable(type(value).__name__, 100)


class FrozenDict(dict[str, Any]):
    """A dict that refuses to change; ``copy()`` and ``|`` give ordinary dicts. :func:`frozen_dict` makes one."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping is frozen; change a copy of it")

    # It would change one that is there.
    __init__ = _refuse
    __setitem__ = _refuse
    __delitem__ = _refuse
    __ior__ = _refuse
    clear = _refuse
    pop = _refuse
    popitem = _refuse
    setdefault = _refuse
    update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], FrozenDict], tuple[dict[str, Any]]]:
        return frozen_dict, (dict(self),)


_new: Final = dict.__new__
_fill: Final = dict.update


def frozen_dict(value: dict[str, Any]) -> FrozenDict:
    """A frozen copy of ``value``, whose values stay as they are."""
    frozen: FrozenDict = _new(FrozenDict)
    _fill(frozen, value)
    return frozen


class _UnsafeError(Exception):
    """What is wrong; the path is gathered from the inside out while the exception passes."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path: list[str] = []

    def where(self, root: str) -> str:
        return root + "".join(reversed(self.path))


class _Freezer:
    __slots__ = ("good_keys", "max_depth", "max_key", "seen")

    def __init__(self, max_depth: int, max_key: int) -> None:
        self.max_depth = max_depth
        self.max_key = max_key
        self.good_keys: set[tuple[str, ...]] = set()
        # A shared part is copied once however often it occurs. The original is kept so that its id stays its own.
        self.seen: dict[int, tuple[Any, Any, int, int]] = {}

    def container(self, value: Any, depth: int) -> tuple[Any, int, int]:
        """The frozen copy of a list, tuple or dict at ``depth``, its height, and how many values it is written as."""
        known = self.seen.get(id(value))
        if known is not None:
            if depth + known[2] > self.max_depth:
                raise _UnsafeError(f"is nested deeper than {self.max_depth} levels")
            return known[1:]
        kind = type(value)
        frozen: Any
        if kind is dict or kind is FrozenDict:
            # The copy is what is looked at: another thread may change the original meanwhile.
            frozen = frozen_dict(value)
            self.keys(frozen)
            height, size = self.members(frozen, frozen.items(), frozen.values(), depth)
        elif kind is list or kind is tuple:
            items = list(value)
            height, size = self.members(items, enumerate(items), items, depth)
            frozen = tuple(items)
        else:
            raise _UnsafeError(f"is of type {kind_name(value)}, which JSON does not have")
        self.seen[id(value)] = (value, frozen, height, size)
        return frozen, height, size

    def keys(self, mapping: FrozenDict) -> None:
        if not mapping:
            return
        if {*map(type, mapping)} != _TEXT:
            odd = next(key for key in mapping if type(key) is not str)
            raise _UnsafeError(f"has a key of type {kind_name(odd)}; keys must be text")
        # Rows have the same keys again and again.
        names = tuple(mapping)
        if names in self.good_keys:
            return
        if max(map(len, names)) > self.max_key:
            raise _UnsafeError(f"has a key of more than {self.max_key} characters")
        for key in names:
            if not key.isascii():
                _text(key, "has a key that")
        self.good_keys.add(names)

    def members(
        self, into: Any, items: Iterable[tuple[Any, Any]], values: Iterable[Any], depth: int
    ) -> tuple[int, int]:
        """Check the scalars among ``values`` and put frozen copies of the containers into ``into``."""
        kinds = {*map(type, values)}
        if not kinds:
            return 0, 1
        # What holds itself ends here as well.
        if depth + 1 > self.max_depth:
            raise _UnsafeError(f"is nested deeper than {self.max_depth} levels, or holds itself")
        if kinds <= _SCALAR:
            if not _harmless(kinds, values):
                self.scalars(items)
            return 1, 1 + len(into)
        height, size = 0, 1
        put: Callable[[Any, Any, Any], None] = dict.__setitem__ if type(into) is FrozenDict else list.__setitem__
        deeper = depth + 2 <= self.max_depth
        # A dict may have its values replaced while it is walked, only not its keys.
        for key, value in items:
            try:
                if type(value) in _SCALAR:
                    _scalar(value)
                    size += 1
                elif deeper and type(value) is dict and (row := self.row(value)) is not None:
                    put(into, key, row)
                    height = max(height, 1)
                    size += 1 + len(row)
                else:
                    frozen, inner, count = self.container(value, depth + 1)
                    put(into, key, frozen)
                    height = max(height, inner)
                    size += count
            except _UnsafeError as error:
                error.path.append(_step(key))
                raise
        if size > MAX_VALUES:
            raise _UnsafeError(f"is written as more than {MAX_VALUES} values")
        return height + 1, size

    def row(self, value: dict[str, Any]) -> FrozenDict | None:
        """The frozen copy of a dict with the keys of one before and nothing but plain scalars; None for any other."""
        frozen = frozen_dict(value)
        if {*map(type, frozen)} != _TEXT or tuple(frozen) not in self.good_keys:
            return None
        for item in frozen.values():
            kind = type(item)
            if kind is str:
                if not item.isascii() and not _writable(item):
                    return None
            elif kind is float:
                if not isfinite(item):
                    return None
            elif kind is int:
                if not -_LARGE < item < _LARGE:
                    return None
            elif item is not None and kind is not bool:
                return None
        return frozen

    def scalars(self, items: Iterable[tuple[Any, Any]]) -> None:
        for key, value in items:
            try:
                _scalar(value)
            except _UnsafeError as error:
                error.path.append(_step(key))
                raise


def _harmless(kinds: set[type], values: Iterable[Any]) -> bool:
    """Whether scalars of these kinds are all fine at a glance; the others need a closer look."""
    if str in kinds and not all(map(_is_ascii, [value for value in values if type(value) is str])):
        return False
    if float in kinds and not all(map(isfinite, [value for value in values if type(value) is float])):
        return False
    return int not in kinds or all(-_LARGE < value < _LARGE for value in values if type(value) is int)


def _step(key: object) -> str:
    return f"[{key}]" if type(key) is int else f".{key}"


def _scalar(value: Any) -> None:
    kind = type(value)
    if kind is str:
        if not value.isascii():
            _text(value, "is text that")
    elif kind is int:
        if not -_LARGEST < value < _LARGEST:
            raise _UnsafeError("is an integer of more than 4300 digits")
    elif kind is float:
        if not isfinite(value):
            raise _UnsafeError(f"is {value!r}, which JSON does not have")
    elif kind is not bool and kind is not _NoneType:
        raise _UnsafeError(f"is of type {kind_name(value)}, which JSON does not have")


def _writable(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _text(value: str, what: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _UnsafeError(f"{what} UTF-8 cannot write: a lone surrogate at position {error.start}") from None


def freeze_measured(
    value: Json, name: str = "value", *, max_depth: int = MAX_DEPTH, max_key: int = MAX_KEY
) -> tuple[Json, int]:
    """The deep-frozen copy of ``value``, and its height: how many levels lie below its root.

    ``name`` is what an error calls the root. Raises KernelFailure ``json-unsafe`` that names the place.
    """
    try:
        if type(value) in _SCALAR:
            _scalar(value)
            return value, 0
        frozen, height, _ = _Freezer(max_depth, max_key).container(value, 0)
    except _UnsafeError as error:
        place = error.where(name)
        raise KernelFailure(
            "json-unsafe",
            f"{printable(place)} {printable(error.reason)}",
            hint="pass None, bool, int, finite float, str, list and dict with text keys",
            details={"path": printable(place)},
        ) from None
    return frozen, height


def freeze(value: Json, name: str = "value", *, max_depth: int = MAX_DEPTH, max_key: int = MAX_KEY) -> Json:
    """The deep-frozen copy of ``value``; KernelFailure ``json-unsafe`` when it is not JSON-safe (§3)."""
    return freeze_measured(value, name, max_depth=max_depth, max_key=max_key)[0]


def printable(text: str, limit: int = 300) -> str:
    """``text`` as one safe line of at most ``limit`` characters, for messages and details."""
    return display(text, limit)


# What is written was frozen before, so it holds no cycle.
_encode = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


def canonical(value: Json) -> str:
    """The canonical text of a JSON-safe value: sorted keys, no spaces, non-ASCII kept."""
    return _encode(value)


def digest(value: Json) -> str:
    """The lower-case hexadecimal SHA-256 of the canonical text of a JSON-safe value."""
    return sha256(_encode(value).encode("utf-8")).hexdigest()


def thaw(value: Json) -> Json:
    """An ordinary copy of a frozen value: tuples become lists, mappings become dicts."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [thaw(item) for item in value]
    return value
