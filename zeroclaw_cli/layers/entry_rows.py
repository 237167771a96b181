"""Entries as they cross the kernel: rows of JSON, and back (specs/memory-kernel.md §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import Any, Final, TypeVar

from zeroclaw_cli.kernel.answers import Answer
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Entry

T = TypeVar("T")
E = TypeVar("E", bound=Entry)


@dataclass(frozen=True, slots=True)
class LayeredEntry(Entry):
    """An entry and where it came from: ``layer``, and ``adapter`` where the layer has several stores. The three fields
    before are those of the built-in store."""

    kind: str | None = None
    pinned: bool = False
    updated_at: str = ""
    layer: str = ""
    adapter: str | None = None

    def to_json(self) -> dict[str, Any]:
        body = {name: getattr(self, name) for name in _FIELDS}
        if self.adapter is None:
            del body["adapter"]
        return body


_FIELDS: Final = tuple(field.name for field in fields(LayeredEntry))
_OF_A_ROW: Final = _FIELDS[: _FIELDS.index("layer")]
_DEFAULTS: Final[Mapping[str, Any]] = {"kind": None, "pinned": False, "updated_at": ""}


def rows_of(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Entries as JSON-safe rows."""
    return [entry.to_json() for entry in entries]


def entry_of(row: Mapping[str, Any], layer: str, adapter: str | None) -> LayeredEntry:
    """The entry of a row that a step of this layer and adapter gave."""
    values: dict[str, Any] = {name: row[name] if name in row else _DEFAULTS[name] for name in _OF_A_ROW}
    return LayeredEntry(layer=layer, adapter=adapter, **values)


def entries_of(answer: Answer, key: str = "entries") -> list[LayeredEntry]:
    """The entries that a step gave."""
    return [entry_of(row, answer.layer_id, answer.adapter_id) for row in answer.output.get(key, ())]


def in_turns(lists: Sequence[Sequence[T]], limit: int | None = None) -> list[T]:
    """The first of each list, then the second of each, and so on: scores of different stores do not compare."""
    if len(lists) == 1:
        return list(lists[0][:limit])
    missing = object()
    found = [item for rank in zip_longest(*lists, fillvalue=missing) for item in rank if item is not missing]
    return found[:limit]  # type: ignore[return-value]


def newest_first(entries: Iterable[E]) -> list[E]:
    return sorted(entries, key=lambda entry: moment(entry.timestamp), reverse=True)


def moment(timestamp: str) -> tuple[int, int]:
    """The instant of an entry, the beginning of time for one without."""
    try:
        return instant(timestamp)
    except ValueError:
        return (0, 0)
