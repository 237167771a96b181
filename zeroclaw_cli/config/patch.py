"""``config patch``: RFC 6902 operations on config fields, all or nothing (specs/zeroclaw.md §5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from zeroclaw_cli.config.build import default_of
from zeroclaw_cli.config.edit import assign, remove, writable_target
from zeroclaw_cli.config.editor import Editor, Rule, opened
from zeroclaw_cli.config.model import Location
from zeroclaw_cli.config.paths import Target, resolve_alias
from zeroclaw_cli.config.schema import Field, Kind, Path, find, format_path, is_wildcard
from zeroclaw_cli.config.values import from_json, require_writable
from zeroclaw_cli.errors import PathNotFound, UsageError, ValidationFailed, ValueTypeMismatch

_ENTRIES = ("plugins", "entries")
_VERBS = ("add", "replace", "remove", "test")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; ``pointer`` is the JSON Pointer as names."""

    verb: str
    pointer: Path
    value: Any


@dataclass(frozen=True, slots=True)
class PatchResult:
    """``applied`` operations; the paths that they named, each once; whether the file changed."""

    applied: int
    paths: tuple[str, ...]
    changed: bool
    warnings: tuple[str, ...]


def read_operations(text: str) -> tuple[Operation, ...]:
    """The operations of a JSON Patch document. Raises UsageError with what is wrong with it."""
    import json

    hint = 'for instance [{"op": "replace", "path": "/plugins/enabled", "value": true}]'
    try:
        document = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the patch is not JSON: {error}", hint=hint) from None
    except RecursionError:
        raise UsageError("the patch nests too deeply", hint=hint) from None
    if not isinstance(document, list):
        raise UsageError("the patch is not an array of operations", hint=hint)
    return tuple(_operation(number, item) for number, item in enumerate(document, start=1))


def _operation(number: int, item: Any) -> Operation:
    verb = item.get("op") if isinstance(item, dict) else None
    if verb not in _VERBS:
        shown = f"has the op {verb!r}" if isinstance(verb, str) else "has no op"
        raise UsageError(f"operation {number} {shown}", hint=f"use one of {', '.join(_VERBS)}")
    pointer = item.get("path")
    if not isinstance(pointer, str) or not pointer.startswith("/"):
        raise UsageError(f"operation {number} has no path", hint="write a JSON Pointer, for instance /plugins/enabled")
    if verb != "remove" and "value" not in item:
        raise UsageError(f"operation {number} has no value", hint='add "value"')
    if any("\ud800" <= char <= "\udfff" for char in pointer):
        raise UsageError(f"the path of operation {number} is not Unicode", hint="write whole characters")
    names = tuple(name.replace("~1", "/").replace("~0", "~") for name in pointer[1:].split("/"))
    return Operation(verb, names, item.get("value"))


def apply_patch(
    location: Location, env: Mapping[str, str], operations: Sequence[Operation], *, rules: Sequence[Rule] = ()
) -> PatchResult:
    """Apply ``operations`` in order and write once. Raises the first thing that is wrong, the file untouched."""
    with opened(location, env) as editor:
        paths: dict[str, None] = {}
        for operation in operations:
            for path in _apply(editor, env, operation):
                paths[path] = None
            editor.refresh()
        changed, warnings = editor.commit(rules)
    return PatchResult(len(operations), tuple(paths), changed, warnings)


def _apply(editor: Editor, env: Mapping[str, str], operation: Operation) -> list[str]:
    path = operation.pointer
    if operation.verb in ("add", "replace") and isinstance(operation.value, dict):
        table = _table(path, operation)
        if table is not None:
            return _assign_table(editor, env, table, operation.value)
    if operation.verb == "remove" and resolve_alias(format_path(path)) is not None:
        return [_remove_table(editor, path)]
    above = find(path[:-1])
    if isinstance(above, Field) and above.kind is Kind.STRINGS:
        return [_edit_list(editor, env, operation)]
    target = writable_target(editor, format_path(path))
    if operation.verb == "test":
        _test(editor, target, operation.value)
    elif operation.verb == "remove" or (operation.value is None and target.field.optional):
        _require_present(editor, target, "leave it out")
        remove(editor, target)
    else:
        if operation.verb == "replace":
            _require_present(editor, target, "write add instead of replace")
        _assign(editor, env, target, operation.value)
    return [target.name]


def _remove_table(editor: Editor, table: Path) -> str:
    """Remove a named table, such as ``plugins.entries.<name>``."""
    editor.check_section(table)
    name = format_path(table)
    if not any(path[: len(table)] == table for path in editor.values) and table[:2] != _ENTRIES:
        raise PathNotFound(f"there is no {name} to remove", hint="leave it out", path=name)
    editor.document.remove(editor.address(table))
    return name


def _require_present(editor: Editor, target: Target, hint: str) -> None:
    """A fixed field is always there, with its default; a named one only when it is set."""
    if any(map(is_wildcard, target.field.path)) and target.field.default is None and target.path not in editor.values:
        raise PathNotFound(f"there is no {target.name}", hint=hint, path=target.name)
    if target.new_alias is not None:
        name = format_path(target.new_alias)
        raise PathNotFound(f"there is no {name}", hint=hint, path=target.name)


def _assign(editor: Editor, env: Mapping[str, str], target: Target, value: Any) -> None:
    checked = from_json(target.field, target.name, value)
    require_writable(target.field, target.name, checked)
    assign(editor, target, checked, env)


def _table(path: Path, operation: Operation) -> Path | None:
    """The table that an object is meant for; ``-`` after plugins.entries stands for the object's own name."""
    if path == (*_ENTRIES, "-"):
        name = operation.value.get("name")
        if not isinstance(name, str):
            raise ValueTypeMismatch(
                "an entry of plugins.entries needs a name", hint='add "name": "zpi1_…"', path="plugins.entries"
            )
        return (*_ENTRIES, name)
    return path if isinstance(find(path), dict) else None


def _assign_table(editor: Editor, env: Mapping[str, str], table: Path, value: Mapping[str, Any]) -> list[str]:
    paths = []
    if table[:2] == _ENTRIES and len(table) == 3:
        value = {name: item for name, item in value.items() if (name, item) != ("name", table[2])}
        editor.check_section(table)
        if table not in {path[:3] for path in editor.values}:
            writable_target(editor, format_path((*table, "egress_hosts")))
            editor.document.append_table(_ENTRIES, {"name": table[2]})
            editor.refresh()
        paths.append(format_path(table))
    for name, item in value.items():
        path = (*table, name)
        if isinstance(item, dict) and isinstance(find(path), dict):
            paths += _assign_table(editor, env, path, item)
        else:
            target = writable_target(editor, format_path(path))
            _assign(editor, env, target, item)
            paths.append(target.name)
        editor.refresh()
    return paths


def _edit_list(editor: Editor, env: Mapping[str, str], operation: Operation) -> str:
    """Change one element of an array of strings; the last name of the pointer is its index, or ``-`` for the end."""
    target = writable_target(editor, format_path(operation.pointer[:-1]))
    items = list(_present(editor, target) or ())
    index = _index(target, operation, len(items))
    match operation.verb:
        case "add":
            items.insert(index, operation.value)
        case "replace":
            items[index] = operation.value
        case "remove":
            del items[index]
        case _:
            if items[index] != operation.value:
                raise _failed(target)
    if operation.verb != "test":
        _assign(editor, env, target, items)
    return target.name


def _index(target: Target, operation: Operation, size: int) -> int:
    name = operation.pointer[-1]
    if name == "-" and operation.verb == "add":
        return size
    digits = name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") and len(name) < 10
    if not digits or int(name) >= size + (operation.verb == "add"):
        raise PathNotFound(
            f"{target.name} has {size} elements, and no element {name}",
            hint="count from 0, or write - to add at the end",
            path=target.name,
        )
    return int(name)


def _test(editor: Editor, target: Target, value: Any) -> None:
    if target.field.secret:
        raise ValidationFailed(
            f"{target.name} is a secret and cannot be tested", hint="remove the test operation", path=target.name
        )
    present = _present(editor, target)
    wanted = tuple(value) if isinstance(value, list) and target.field.kind is Kind.STRINGS else value
    if not _is_equal(present, wanted):
        raise _failed(target)


def _is_equal(one: Any, other: Any) -> bool:
    """Equality as RFC 6902 has it: numbers by value, whatever their spelling, and never a boolean."""
    numbers = (int, float)
    if type(one) in numbers and type(other) in numbers:
        return bool(one == other)
    return type(one) is type(other) and bool(one == other)


def _present(editor: Editor, target: Target) -> Any:
    return editor.values.get(target.path, default_of(target.field, editor.location))


def _failed(target: Target) -> ValidationFailed:
    return ValidationFailed(
        f"the test of {target.name} failed: it has another value",
        hint=f"`zeroclaw config get {quote(target.name)}` shows it",
        path=target.name,
    )
