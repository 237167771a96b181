"""The config contract of a package: its ``config_schema`` and what an operator's values become under it.

specs/zeroclaw.md §1.7 (the twelve rules) and §1.8 (typed values).
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from zeroclaw_cli.config.toml_read import describe_path, walk
from zeroclaw_cli.errors import InvalidConfigSchema, ValidationFailed
from zeroclaw_cli.memory.text import display
from zeroclaw_cli.plugins.model import Manifest, Permission, PluginCapability

MAX_SCHEMA_BYTES = 65_536
MAX_SCHEMA_DEPTH = 32
MAX_REF_HOPS = 33

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = ("string", "boolean", "integer", "number", "array", "object")
_PYTHON_TYPES: Mapping[str, Any] = {
    "boolean": bool,
    "integer": int,
    "number": int | float,
    "array": list,
    "object": dict,
}
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_ONE_SCHEMA = (
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_SCHEMA_ARRAYS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMA_MAPS = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_REMEDY = (
    'add below the root keys of manifest.toml a table [config_schema] with type = "object" and '
    'additionalProperties = false, and for each key a table [config_schema.properties.<key>] with type = "string"; '
    "or take config_read out of permissions"
)

_NOT_SERVED = (
    "take config_read out of permissions and config_schema out of manifest.toml; only a tool or a channel receives its "
    "config"
)

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class TypedConfig:
    """Validated values: ``public`` is the object that a guest receives, from which ``secrets`` are left out."""

    public: Mapping[str, Any]
    secrets: Mapping[str, str]


class _Finding(Exception):
    """One broken rule: what, and what to do."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


def check_config_contract(manifest: Manifest) -> tuple[str, ...]:
    """Check the rules of specs/zeroclaw.md §1.7 in order and return hints for the author.

    Raises InvalidConfigSchema, which names the package and the first rule that is broken.
    """
    asked = manifest.granted(Permission.CONFIG_READ)
    schema = manifest.config_schema
    served = manifest.has(PluginCapability.TOOL) or manifest.has(PluginCapability.CHANNEL)
    try:
        if asked and schema is None:
            raise _Finding(
                "the permission config_read requires a config_schema",
                _REMEDY if served else _NOT_SERVED,
            )
        if schema is None:
            return ()
        if not asked:
            raise _Finding(
                "config_schema is there, but the permission config_read is not requested",
                'add "config_read" to permissions, or remove config_schema',
            )
        for rule in _RULES:
            rule(schema)
        if not served and any(_is_secret(declared) for declared in schema["properties"].values()):
            raise _Finding(
                "x-secret needs the capability tool or channel, the others cannot receive a secret",
                "remove the properties marked x-secret",
            )
    except _Finding as finding:
        raise InvalidConfigSchema(
            f"invalid manifest: package {manifest.name!r}: {finding.problem}", hint=finding.hint
        ) from None
    if served:
        return ()
    return (f"package {manifest.name!r} asks for config_read: {_NOT_SERVED}",)


def _check_size_and_nodes(schema: Mapping[str, Any]) -> None:
    """Rules 2 and 3."""
    try:
        size = len(json.dumps(schema, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))
    except RecursionError:
        size = 0  # The walk below refuses it.
    if size > MAX_SCHEMA_BYTES:
        raise _Finding(
            f"config_schema has {size} bytes as JSON, more than {MAX_SCHEMA_BYTES}", "shorten the descriptions"
        )
    for path, value in walk(schema):
        finding = _node_finding(path, value)
        if finding is not None:
            raise _Finding(f"{_where(path)} {finding[0]}", finding[1])


def _node_finding(path: _Path, value: Any) -> tuple[str, str] | None:
    if len(path) > MAX_SCHEMA_DEPTH:
        return f"is nested deeper than {MAX_SCHEMA_DEPTH} levels", "flatten the schema"
    if not path or path[-1] not in ("$id", *_REFERENCES):
        return None
    if path[-1] == "$id":
        return "is not allowed", "remove $id, or rename a property of that name"
    if not isinstance(value, str) or value == "#" or value.startswith("#/"):
        return None
    if value.startswith("#"):
        return f"is the anchor {value!r}, which is not supported", "refer by #/$defs/…"
    return f"is {value!r}, which is not local", "refer to #/$defs/… of this schema"


def _check_secret_placement(schema: Mapping[str, Any]) -> None:
    """Rule 4."""
    for path, sub in _positions(schema):
        if "x-secret" not in sub:
            continue
        if len(path) != 2 or path[0] != "properties":
            raise _Finding(
                f"{_where(path)}: x-secret is allowed on a direct property of the root alone",
                "move the secret to a property of its own under config_schema.properties",
            )
        if sub["x-secret"] is not True:
            raise _Finding(f"{_where(path)}: x-secret must be true", "write x-secret = true, or remove it")


def _check_root(schema: Mapping[str, Any]) -> None:
    """Rules 5–8."""
    if schema.get("type") != "object":
        raise _Finding('config_schema.type must be the string "object"', 'write type = "object"')
    if schema.get("additionalProperties") is not False:
        raise _Finding(
            "config_schema.additionalProperties must be there and false", "write additionalProperties = false"
        )
    for keyword in ("patternProperties", "propertyNames", "unevaluatedProperties"):
        if keyword in schema:
            raise _Finding(f"config_schema.{keyword} is not allowed at the root", "list the keys under properties")
    dialect = schema.get("$schema")
    if isinstance(dialect, str) and dialect != _DIALECT:
        raise _Finding(f"config_schema.$schema is {dialect!r}", f'remove it, or write "$schema" = "{_DIALECT}"')


def _check_compiles(schema: Mapping[str, Any]) -> None:
    """Rule 9: valid keywords under Draft 2020-12, patterns of the dialect, references that lead somewhere."""
    from jsonschema import Draft202012Validator, SchemaError

    readable = _with_python_patterns(schema)
    try:
        Draft202012Validator.check_schema(readable)
    except SchemaError as error:
        raise _Finding(
            f"{_where(tuple(error.absolute_path))}: {_one_line(error.message)}",
            "correct the keyword as JSON Schema Draft 2020-12 defines it",
        ) from None
    for path, sub in _positions(schema):
        for keyword in ("$ref", "$dynamicRef"):
            reference = sub.get(keyword)
            if isinstance(reference, str) and not isinstance(_resolve(schema, reference), bool | dict):
                raise _Finding(f"{_where(path)}: {keyword} {reference!r} leads nowhere", "correct the reference")


def _check_properties(schema: Mapping[str, Any]) -> None:
    """Rules 10 and 11."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        raise _Finding("config_schema.properties must be a table", "add [config_schema.properties], it may be empty")
    for name, declared in properties.items():
        kind = _type_of(schema, declared)
        if kind is None:
            raise _Finding(
                f"{_where(('properties', name))} has no single supported type", f"give it one of {', '.join(_TYPES)}"
            )
        if _is_secret(declared) and kind != "string":
            raise _Finding(f"{_where(('properties', name))}: a secret must be a string", 'write type = "string"')


_RULES: tuple[Callable[[Mapping[str, Any]], None], ...] = (
    _check_size_and_nodes,
    _check_secret_placement,
    _check_root,
    _check_compiles,
    _check_properties,
)


def typed_config(manifest: Manifest, values: Mapping[str, str]) -> TypedConfig:
    """The operator's ``values`` (strings, as stored) as the object that ``manifest`` declares, secrets apart.

    Raises ValidationFailed for values that do not fit; the message names the schema's path and never a value or an
    undeclared key. Raises InvalidConfigSchema for a manifest whose contract is broken. specs/zeroclaw.md §1.8.
    """
    check_config_contract(manifest)
    schema = manifest.config_schema
    if schema is None:
        if values:
            raise _invalid_config(manifest, "values are set, but the package declares no config_schema")
        return TypedConfig({}, {})
    properties: Mapping[str, Any] = schema["properties"]
    if not values.keys() <= properties.keys():
        raise _invalid_config(manifest, "a key is set that config_schema does not declare")
    typed = {}
    for name, text in values.items():
        kind = _type_of(schema, properties[name])
        assert kind is not None
        try:
            typed[name] = _parse_value(kind, text)
        except (ValueError, RecursionError):
            raise _invalid_config(manifest, f"{_where(('properties', name))}: the value is no {kind}") from None
    _validate(manifest, schema, typed)
    secrets = {name: value for name, value in typed.items() if _is_secret(properties[name])}
    return TypedConfig({name: value for name, value in typed.items() if name not in secrets}, secrets)


def _validate(manifest: Manifest, schema: Mapping[str, Any], typed: Mapping[str, Any]) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    try:
        error = best_match(Draft202012Validator(_with_python_patterns(schema)).iter_errors(typed))
    except RecursionError:
        raise _invalid_config(manifest, "config_schema refers to itself without end") from None
    if error is not None:
        path = _where(tuple(error.absolute_schema_path))
        missing = ""
        if error.validator == "required":
            required = [name for name in error.validator_value if name not in error.instance]
            missing = f" ({', '.join(map(repr, required))} is missing)"
        raise _invalid_config(manifest, f"{path} does not hold{missing}")


def _invalid_config(manifest: Manifest, problem: str) -> ValidationFailed:
    return ValidationFailed(
        f"invalid plugin config: package {manifest.name!r}: {problem}",
        hint=f"`zeroclaw plugin info {manifest.name}` shows the keys; "
        "set them with `zeroclaw config set plugins.entries.<instance key>.config.<key>`",
    )


def _parse_value(kind: str, text: str) -> Any:
    """``text`` as a value of ``kind``; raises ValueError when it is not one."""
    if kind == "string":
        return text
    if kind == "boolean" and text.strip(" \t\r\n") not in ("true", "false"):
        raise ValueError
    if kind == "integer" and not re.fullmatch(r"[ \t\r\n]*-?(0|[1-9][0-9]{0,19})[ \t\r\n]*", text):
        raise ValueError
    value = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(value, _PYTHON_TYPES[kind]) or (kind in ("integer", "number") and isinstance(value, bool)):
        raise ValueError
    if kind == "integer" and not -(2**63) <= value < 2**64:
        raise ValueError
    if any(isinstance(member, float) and not math.isfinite(member) for _, member in walk(value)):
        raise ValueError
    return value


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)


def _positions(schema: Mapping[str, Any]) -> Iterator[tuple[_Path, dict[str, Any]]]:
    """Every object at a schema position of ``schema``, itself first, with its path."""
    stack: list[tuple[_Path, Any]] = [((), schema)]
    while stack:
        path, sub = stack.pop()
        if not isinstance(sub, dict):
            continue
        yield path, sub
        members: list[tuple[_Path, Any]] = [((*path, key), sub[key]) for key in _ONE_SCHEMA if key in sub]
        for key in _SCHEMA_ARRAYS:
            if isinstance(sub.get(key), list):
                members += [((*path, key, index), member) for index, member in enumerate(sub[key])]
        for key in _SCHEMA_MAPS:
            if isinstance(sub.get(key), dict):
                members += [((*path, key, name), member) for name, member in sub[key].items()]
        stack.extend(reversed(members))


def _with_python_patterns(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of ``schema`` whose patterns are written for Python's engine; raises _Finding for one outside the
    dialect."""
    readable = copy.deepcopy(dict(schema))
    for path, sub in _positions(readable):
        if isinstance(sub.get("pattern"), str):
            sub["pattern"] = _python_pattern((*path, "pattern"), sub["pattern"])
        named = sub.get("patternProperties")
        if isinstance(named, dict):
            sub["patternProperties"] = {
                _python_pattern((*path, "patternProperties"), pattern): member for pattern, member in named.items()
            }
    return readable


def _python_pattern(path: _Path, pattern: str) -> str:
    from zeroclaw_cli.plugins.patterns import to_python

    try:
        return to_python(pattern)
    except ValueError as error:
        raise _Finding(
            f"{_where(path)}: the pattern {_one_line(repr(pattern))} is not usable: {error}",
            "write it without look-around, back-references and large repetitions; use maxLength for lengths",
        ) from None


def _type_of(schema: Mapping[str, Any], declared: Any) -> str | None:
    """The one supported type of a property, its own or that of what it refers to; None when there is none."""
    for _ in range(MAX_REF_HOPS + 1):
        if not isinstance(declared, dict):
            return None
        if "type" in declared:
            kind = declared["type"]
            return kind if isinstance(kind, str) and kind in _TYPES else None
        reference = declared.get("$ref")
        if not isinstance(reference, str):
            return None
        declared = _resolve(schema, reference)
    return None


def _resolve(schema: Mapping[str, Any], reference: str) -> Any:
    """What the local JSON Pointer ``reference`` leads to inside ``schema``, or None."""
    from urllib.parse import unquote

    current: Any = schema
    for token in unquote(reference.removeprefix("#")).split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(current, dict) and token in current:
            current = current[token]
        elif isinstance(current, list) and re.fullmatch(r"0|[1-9][0-9]{0,8}", token) and int(token) < len(current):
            current = current[int(token)]
        else:
            return None
    return dict(current) if isinstance(current, Mapping) else current


def _is_secret(declared: Any) -> bool:
    return isinstance(declared, dict) and declared.get("x-secret") is True


def _where(path: _Path) -> str:
    return describe_path(("config_schema", *path))


def _one_line(text: str) -> str:
    return display(" ".join(text.split()), 200)
