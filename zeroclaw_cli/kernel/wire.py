"""Frozen values with a wire form: camelCase keys, and a key for an optional field only when it has a value."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, NamedTuple

from zeroclaw_cli.kernel.json_safe import Json

NOT_ON_THE_WIRE = {"wire": False}
"""Metadata of a field that the wire form does not have."""


class _Field(NamedTuple):
    attribute: str
    name: str
    optional: bool
    is_json: bool


class Wire:
    """A dataclass whose fields are scalars, other wire values, tuples of either, or ``Json``, which stays as it is."""

    __slots__ = ()

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {}
        kind: Any = type(self)
        for attribute, name, optional, is_json in _fields_of(kind):
            value = getattr(self, attribute)
            if value is not None or not optional:
                body[name] = value if is_json else _wire_form(value)
        return body


@cache
def _fields_of(kind: Any) -> tuple[_Field, ...]:
    return tuple(
        _Field(field.name, camel(field.name), field.default is None, field.type == "Json")
        for field in fields(kind)
        if field.metadata != NOT_ON_THE_WIRE
    )


def _wire_form(value: Any) -> Json:
    if isinstance(value, Wire):
        return value.to_json()
    return [_wire_form(item) for item in value] if type(value) is tuple else value


@cache
def camel(name: str) -> str:
    """``layer_id`` as ``layerId``."""
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))
