"""Overrides by the environment (specs/zeroclaw.md §5.4): ``ZEROCLAW_plugins__enabled=true``.

The part after ``ZEROCLAW_`` is lower case with ``__`` between the names of a path. Values are parsed as ``config set``
parses them, live in memory for this run, and are never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zeroclaw_cli.config.build import KEY_LISTS
from zeroclaw_cli.config.permissions import require_permitted_override
from zeroclaw_cli.config.schema import Field, Path, find, format_path, is_ours, known_paths, near_misses
from zeroclaw_cli.config.values import alias_problem, as_config_error, clears, parse
from zeroclaw_cli.errors import ConfigError, UnknownOverride, ValidationFailed

_PREFIX = "ZEROCLAW_"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")


def apply_overrides(values: dict[Path, Any], env: Mapping[str, str]) -> tuple[dict[Path, str], tuple[str, ...]]:
    """Put every override of ``env`` into ``values``.

    Returns path to variable for those applied, and the variables that name a section which is not ours. Raises
    UnknownOverride for one that names no field of our sections, what ``values.parse`` raises for a bad value, and
    Refused for one that an agent may not set.
    """
    applied: dict[Path, str] = {}
    ignored = []
    for variable in sorted(env):
        tail = variable.removeprefix(_PREFIX)
        if tail == variable or not tail or not _LETTERS.issuperset(tail):
            continue
        path = tuple(tail.split("__"))
        if not is_ours(path):
            ignored.append(variable)
            continue
        field = _field(variable, path, values)
        value = None if clears(field, env[variable]) else _parsed(variable, field, path, env[variable])
        require_permitted_override(env, values, path, value)
        if value is None:
            values.pop(path, None)
        else:
            values[path] = value
        applied[path] = variable
    return applied, tuple(ignored)


def _parsed(variable: str, field: Field, path: Path, text: str) -> Any:
    try:
        value = parse(field, format_path(path), text)
        for item in value if path in KEY_LISTS else ():
            problem = KEY_LISTS[path](item)
            if problem is not None:
                raise ValidationFailed(f"{format_path(path)}: {item!r} {problem}", path=format_path(path))
        return value
    except ConfigError as error:
        wrong = as_config_error(error, variable)
        wrong.hint = f"correct the environment variable {variable}, or `unset {variable}`"
        raise wrong from None


def _field(variable: str, path: Path, values: Mapping[Path, Any]) -> Field:
    field = find(path)
    if isinstance(field, Field) and "" not in path and field.stored and _alias_exists(field, path, values):
        return field
    if path == ("schema_version",):
        raise UnknownOverride(
            f"{variable}: schema_version cannot be overridden", hint=f"`unset {variable}`", path="schema_version"
        )
    names = ["__".join(known) for known, known_field in known_paths(values) if known_field.stored]
    close = near_misses("__".join(path), [name for name in names if _LETTERS.issuperset(name)])
    meant = " or ".join(_PREFIX + name for name in close)
    hint = f"did you mean {meant}?" if close else "`zeroclaw config schema` shows every path."
    raise UnknownOverride(
        f"{variable} names no config field", hint=f"{hint} Otherwise `unset {variable}`", path=".".join(path)
    )


def _alias_exists(field: Field, path: Path, values: Mapping[Path, Any]) -> bool:
    """Whether the aliases in ``path`` are there or, except under plugins.entries, may be made."""
    for index, segment in enumerate(field.path[:-1]):
        if segment.startswith("<"):
            known = any(other[: index + 1] == path[: index + 1] for other in values)
            entries = path[:index] == ("plugins", "entries")
            if not known and (entries or alias_problem(field.path[: index + 1], path[index]) is not None):
                return False
    return True
