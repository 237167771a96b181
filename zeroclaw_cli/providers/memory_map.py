"""How a provider's tools serve operations on entries: ``zeroclaw_memory_map`` (specs/memory-providers.md §15).

A map is data: per operation a tool, a template of its arguments, and where its reply has the result; beside them how
the fields of an entry are called in the provider's items. It is read and checked as a whole before it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

OPERATIONS: Final = ("store", "recall", "list", "forget")
# What a template may name. `tags` carries what the provider has no field for, as `zc-key:<key>`.
_OF_AN_ENTRY: Final = frozenset(
    {"content", "category", "key", "session", "namespace", "importance", "agent", "timestamp", "tags"}
)
VARIABLES: Final = _OF_AN_ENTRY | {"query", "limit", "since", "until"}
# The fields of an entry that a provider's item may have; `metadata` is a list of further names.
FIELDS: Final = _OF_AN_ENTRY | {"id", "score"}
_REFERENCE: Final = re.compile(r"\$(?P<name>[a-z_]+)(?::(?P<kind>int|float|str))?(?P<optional>\?)?\Z")
_REQUIRED_RESULT: Final = {"recall": "items", "list": "items", "forget": "ok"}
_KEYS: Final = frozenset({"tool", "args", "id", "items", "ok", "total"})
_DROP: Final = object()


class MapError(ValueError):
    """A map that cannot be used; the text names the place and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One operation: the tool, the template of its arguments, and the path of its result in the reply (or None).
    ``total`` is the path of how many items there are in all, where the reply says it."""

    tool: str
    args: Mapping[str, Any]
    result: str | None = None
    total: str | None = None

    def names(self, variable: str) -> bool:
        """Whether the arguments carry this variable."""
        return any(found["name"] == variable for found in _references(self.args))

    def arguments(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The template with ``values`` put in; what is None is dropped where ``?`` allows it, else passed as null.

        Raises MapError when a value is not of the kind that the template asks for.
        """
        filled = _fill(self.args, values)
        assert isinstance(filled, dict)
        return filled


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """A checked map. ``fields`` gives the provider's name of an entry's field, ``metadata`` what else an item has."""

    calls: Mapping[str, Call]
    fields: Mapping[str, str]
    metadata: tuple[str, ...] = ()
    categories: Mapping[str, str] = field(default_factory=dict)

    def category_there(self, category: str) -> str:
        """The provider's word for a category of ours."""
        return self.categories.get(category, self.categories.get("*", category))

    def category_here(self, category: str) -> str:
        """Our word for a category of the provider: the first that maps to it, else its own."""
        for ours, theirs in self.categories.items():
            if theirs == category and ours != "*":
                return ours
        return category

    def keeps_category(self, category: str) -> bool:
        """Whether the provider's word for it leads back to the same category."""
        return self.category_here(self.category_there(category)) == category


def read_map(raw: object) -> MemoryMap:
    """The map in a value of ``plugin.yaml``. Raises MapError for an unknown operation, key, variable or field."""
    table = _mapping(raw, "zeroclaw_memory_map")
    unknown = [str(key) for key in table if key not in {*OPERATIONS, "fields", "categories"}]
    if unknown:
        raise MapError(f"'{unknown[0]}' is none of {', '.join(OPERATIONS)}, fields, categories")
    fields = _mapping(table.get("fields", {}), "fields")
    calls = {name: _call(name, table[name]) for name in OPERATIONS if name in table}
    if not calls:
        raise MapError("it maps no operation")
    if ("recall" in calls or "list" in calls) and not {"key", "id"} & set(fields):
        raise MapError("fields: key or id is required to identify items")
    return MemoryMap(calls, _fields(fields), _metadata(fields), _categories(table.get("categories", {})))


def check_tools(found: MemoryMap, tools: frozenset[str]) -> None:
    """Raises MapError for an operation whose tool the provider does not have."""
    for name, call in found.calls.items():
        if call.tool not in tools:
            raise MapError(f"{name}: the provider has no tool '{call.tool}'")


def look_up(reply: object, path: str) -> object:
    """The value at a dotted path of a reply; None where there is none."""
    for part in path.split("."):
        if not isinstance(reply, Mapping):
            return None
        reply = reply.get(part)
    return reply


def _call(name: str, raw: object) -> Call:
    table = _mapping(raw, name)
    unknown = [str(key) for key in table if key not in _KEYS]
    if unknown:
        raise MapError(f"{name}: '{unknown[0]}' is none of tool, args, id, items, ok, total")
    tool = table.get("tool")
    if not isinstance(tool, str) or not tool:
        raise MapError(f"{name}: tool must be the name of a tool")
    args = _mapping(table.get("args", {}), f"{name}.args")
    for reference in _references(args, f"{name}.args"):
        if reference["name"] not in VARIABLES:
            raise MapError(f"{name}.args: ${reference['name']} is not a field of an entry or a call")
    result = _REQUIRED_RESULT.get(name, "id")
    path = table.get(result)
    if path is not None and (not isinstance(path, str) or not path):
        raise MapError(f"{name}: {result} must be the path of a value in the reply")
    if path is None and name in ("recall", "list"):
        raise MapError(f"{name}: items must say where the reply has them")
    total = table.get("total")
    if total is not None and (name != "list" or not isinstance(total, str) or not total):
        raise MapError(f"{name}: total belongs to list and is the path of a number in the reply")
    return Call(tool, args, path, total)


def _fields(table: Mapping[str, Any]) -> dict[str, str]:
    named: dict[str, str] = {}
    for ours, theirs in table.items():
        if ours == "metadata":
            continue
        if ours not in FIELDS:
            raise MapError(f"fields: '{ours}' is not a field of an entry")
        if not isinstance(theirs, str) or not theirs:
            raise MapError(f"fields.{ours} must be a name in the provider's items")
        named[ours] = theirs
    named.setdefault("content", "content")
    return named


def _metadata(table: Mapping[str, Any]) -> tuple[str, ...]:
    raw = table.get("metadata", [])
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        raise MapError("fields.metadata must be a list of names")
    return tuple(raw)


def _categories(raw: object) -> dict[str, str]:
    table = _mapping(raw, "categories")
    if not all(isinstance(ours, str) and isinstance(theirs, str) for ours, theirs in table.items()):
        raise MapError("categories must map words to words")
    return dict(table)


def _mapping(raw: object, where: str) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping) or not all(isinstance(key, str) for key in raw):
        raise MapError(f"{where} must be a table")
    return raw


def _references(template: object, where: str = "") -> Iterator[re.Match[str]]:
    if isinstance(template, str) and template.startswith("$"):
        found = _REFERENCE.match(template)
        if found is None:
            raise MapError(f"{where}: '{template}' is not $name, $name? or $name:int")
        yield found
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from _references(value, where)
    elif isinstance(template, list):
        for value in template:
            yield from _references(value, where)


def _fill(template: object, values: Mapping[str, Any]) -> object:
    if isinstance(template, str) and template.startswith("$"):
        found = _REFERENCE.match(template)
        assert found is not None, "a template is checked before it is used"
        value = values.get(found["name"])
        if value is None:
            return _DROP if found["optional"] else None
        return _of_kind(value, found["kind"], found["name"])
    if isinstance(template, Mapping):
        filled = {key: _fill(value, values) for key, value in template.items()}
        return {key: value for key, value in filled.items() if value is not _DROP}
    if isinstance(template, list):
        return [value for value in (_fill(item, values) for item in template) if value is not _DROP]
    return template


def _of_kind(value: object, kind: str | None, name: str) -> object:
    try:
        match kind:
            case "int":
                return int(str(value))
            case "float":
                return float(str(value))
            case "str":
                return str(value)
            case _:
                return value
    except ValueError:
        raise MapError(f"{name} '{value}' is not the number that the provider wants") from None
