"""The JSON Schema (Draft 2020-12) of our sections, made from the table of fields."""

from __future__ import annotations

from typing import Any

from zeroclaw_cli.config.paths import names_of
from zeroclaw_cli.config.schema import FIELDS, TABLES, TRIE, WILDCARD, Field, Kind, Path, Trie, find, near_misses
from zeroclaw_cli.errors import PathNotFound

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TYPES: dict[Kind, dict[str, Any]] = {
    Kind.BOOL: {"type": "boolean"},
    Kind.INT: {"type": "integer"},
    Kind.FLOAT: {"type": "number"},
    Kind.STRING: {"type": "string"},
    Kind.WORD: {"type": "string"},
    Kind.STRINGS: {"type": "array", "items": {"type": "string"}},
    Kind.FREE: {},
}


def json_schema(path: str | None = None) -> dict[str, Any]:
    """The schema of the whole file, or of what the dotted ``path`` names. Raises PathNotFound.

    Keys that are not ours are allowed everywhere, since the file is shared.
    """
    if path is None:
        return {"$schema": _DIALECT, "title": "config.toml of zeroclaw", **_table((), TRIE)}
    names = names_of(path)
    node = find(names) or find((*names[:-1], names[-1].replace("-", "_")))
    if node is None:
        close = near_misses(path, [*TABLES, *(field.name for field in FIELDS)])
        hint = f"did you mean {' or '.join(close)}?" if close else "`zeroclaw config schema` shows everything"
        raise PathNotFound(f"unknown property {path!r}", hint=hint, path=path)
    schema = _field(node) if isinstance(node, Field) else _of_table(names, node)
    return {"$schema": _DIALECT, "title": path, **schema}


def _of_table(path: Path, node: Trie) -> dict[str, Any]:
    if path == ("plugins", "entries"):
        return {
            "type": "array",
            **_described(path),
            "items": {**_table((*path, WILDCARD), node[WILDCARD]), "required": ["name"]},
        }
    return _table(path, node)


def _table(path: Path, node: Trie) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", **_described(path)}
    fixed = {name: below for name, below in node.items() if name != WILDCARD}
    if fixed:
        schema["properties"] = {name: _node((*path, name), below) for name, below in fixed.items()}
    if WILDCARD in node:
        schema["additionalProperties"] = _node((*path, WILDCARD), node[WILDCARD])
    return schema


def _node(path: Path, node: Field | Trie) -> dict[str, Any]:
    return _field(node) if isinstance(node, Field) else _of_table(path, node)


def _described(path: Path) -> dict[str, Any]:
    text = TABLES.get(".".join(path))
    return {"description": text} if text else {}


def _field(field: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {**_TYPES[field.kind], "description": field.help}
    if field.words:
        schema["enum"] = list(field.words)
    if field.default is not None:
        schema["default"] = list(field.default) if isinstance(field.default, tuple) else field.default
    if field.minimum is not None:
        schema["minimum"] = field.minimum
    elif field.positive:
        schema["exclusiveMinimum"] = 0
    if field.maximum is not None:
        schema["maximum"] = field.maximum
    if field.secret:
        schema["writeOnly"] = True
    return schema
