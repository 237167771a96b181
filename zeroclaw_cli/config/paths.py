"""Dotted paths as people type them (specs/zeroclaw.md §5.3).

Segments are separated by dots; one that holds a dot is quoted, ``plugins.entries."a.b".egress_hosts``. In the last
segment ``-`` may stand for ``_``, unless it is a new key of a provider. An element of ``plugins.entries`` is addressed
by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Any, NamedTuple

from zeroclaw_cli.config.schema import (
    TABLES,
    TRIE,
    WILDCARD,
    Field,
    Path,
    find,
    format_path,
    is_ours,
    is_wildcard,
    known_paths,
    near_misses,
    same_last_name,
)
from zeroclaw_cli.config.values import alias_problem
from zeroclaw_cli.errors import PathNotFound, ValidationFailed

_ENTRIES = ("plugins", "entries")
_PROVIDERS = ("memory", "providers")
_KEY_PREFIX = "zpi1_"


class Target(NamedTuple):
    """A field at a concrete path. ``new_alias`` is the path of the table that does not exist yet, or None."""

    path: Path
    field: Field
    new_alias: Path | None = None

    @property
    def name(self) -> str:
        return format_path(self.path)


def split_path(text: str) -> tuple[tuple[str, bool], ...]:
    """The segments of ``text``, each with whether it was quoted. Raises PathNotFound for an empty or unclosed one."""
    segments = []
    position = 0
    while True:
        if text[position : position + 1] in {'"', "'"}:
            segment, position = _quoted(text, position)
            quoted = True
        else:
            end = text.find(".", position)
            end = len(text) if end < 0 else end
            segment, position, quoted = text[position:end], end, False
        if not segment:
            raise PathNotFound(
                f"{text!r} has an empty segment", hint="`zeroclaw config list` shows every path", path=text
            )
        segments.append((segment, quoted))
        if position == len(text):
            return tuple(segments)
        if text[position] != ".":
            raise PathNotFound(
                f"{text!r}: a dot must follow the closing quote", hint='write plugins.entries."a.b".config', path=text
            )
        position += 1


def names_of(text: str) -> Path:
    """The names in ``text``, a dotted path. Raises PathNotFound as :func:`split_path`."""
    return tuple(name for name, _ in split_path(text))


def _quoted(text: str, start: int) -> tuple[str, int]:
    """The quoted segment at ``start`` and the offset behind its closing quote."""
    quote = text[start]
    letters: list[str] = []
    position = start + 1
    while position < len(text):
        char = text[position]
        if char == quote:
            return "".join(letters), position + 1
        if char == "\\" and quote == '"' and text[position + 1 : position + 2] in ('"', "\\"):
            position += 1
            char = text[position]
        letters.append(char)
        position += 1
    raise PathNotFound(f"{text!r} has a quote that is not closed", hint=f"add the closing {quote}", path=text)


def resolve(text: str, values: Mapping[Path, Any], *, create: bool = False) -> Target:
    """The field that ``text`` names among ``values``.

    ``create`` allows an alias that does not exist yet where one may be made. Raises PathNotFound, or ValidationFailed
    for an alias that breaks the rules for new names.
    """
    segments = split_path(text)
    path = tuple(segment for segment, _ in segments)
    if not segments[-1][1]:
        path = _with_last(path, values)
    field = find(path)
    if not isinstance(field, Field):
        raise _unknown(text, path, values)
    return Target(path, field, _new_alias(text, path, field, values, create))


def resolve_alias(text: str) -> Path | None:
    """The path of a named table that ``text`` names, such as ``plugins.entries.<name>``, in use or not; else None."""
    path = names_of(text)
    above = find(path[:-1])
    if not isinstance(above, dict) or path[-1] in above or not isinstance(above.get(WILDCARD), dict):
        return None
    return path


def _with_last(path: Path, values: Mapping[Path, Any]) -> Path:
    """``path`` with ``_`` for ``-`` in its last segment, unless the segment exists as it was typed, or is a provider's
    key that does not exist with ``_``: how these are called is the provider's affair."""
    changed = (*path[:-1], path[-1].replace("-", "_"))
    if path in values and changed not in values:
        return path
    above = find(path[:-1])
    if not isinstance(above, dict) or path[-1] in above:
        return changed
    is_alias = isinstance(above.get(WILDCARD), dict)
    return path if is_alias or (path[:2] == _PROVIDERS and changed not in values) else changed


def _new_alias(text: str, path: Path, field: Field, values: Mapping[Path, Any], create: bool) -> Path | None:
    new = None
    for length, segment in enumerate(field.path, start=1):
        place = path[:length]
        if not is_wildcard(segment) or any(other[:length] == place for other in values):
            continue
        # The last wildcard of a path names a value, not a table: it may always be asked for.
        is_table = length < len(path)
        if is_table and not (create and _may_create(place)):
            raise _missing_alias(text, place, values)
        problem = alias_problem(field.path[:length], place[-1])
        if create and problem is not None:
            raise ValidationFailed(f"{format_path(place)}: {problem}", hint="choose another name", path=text)
        new = new or (place if is_table else None)
    return new


def _may_create(alias: Path) -> bool:
    return alias[:2] != _ENTRIES or alias[2].startswith(_KEY_PREFIX)


def _missing_alias(text: str, alias: Path, values: Mapping[Path, Any]) -> PathNotFound:
    known = list(dict.fromkeys(path[len(alias) - 1] for path in values if path[: len(alias) - 1] == alias[:-1]))
    close = near_misses(alias[-1], known)
    if close:
        hint = f"did you mean {format_path((*alias[:-1], close[0]))}?"
    elif alias[:2] == _ENTRIES:
        hint = (
            "entries are named by instance keys (zpi1_…): `zeroclaw plugin info NAME` shows those of a package,"
            " `zeroclaw config list -f plugins.entries` those that exist"
        )
    else:
        hint = f"`zeroclaw config list -f {quote(format_path(alias[:-1]))}` shows what exists"
    return PathNotFound(f"unknown property {text!r}: there is no {format_path(alias)}", hint=hint, path=text)


def _unknown(text: str, path: Path, values: Mapping[Path, Any]) -> PathNotFound:
    name = format_path(path)
    if isinstance(find(path), dict) or name in TABLES:
        return PathNotFound(
            f"{text!r} is a table, not a property",
            hint=f"`zeroclaw config list -f {quote(name)}` shows what is in it",
            path=text,
        )
    above = find(path[:-1]) if len(path) > 1 else None
    if isinstance(above, Field):
        return PathNotFound(f"unknown property {text!r}: {format_path(path[:-1])} is a value", path=text, hint=None)
    known = [format_path(place) for place, field in known_paths(values) if field.stored]
    if is_ours(path) or len(path) == 1:
        close = near_misses(name, known) or same_last_name(name, known)
    else:
        close = near_misses(name, known, cutoff=0.85)
    if close:
        return PathNotFound(f"unknown property {text!r}", hint=f"did you mean {' or '.join(close)}?", path=text)
    if not is_ours(path):
        sections = ", ".join(name for name in TRIE if name != "channels") + ", channels.plugin"
        return PathNotFound(
            f"unknown property {text!r}",
            hint=f"the section is not ours: this program knows {sections}; edit the rest with `zeroclaw config edit`",
            path=text,
        )
    table = next((part for part in _above(path) if part in TABLES), path[0])
    return PathNotFound(
        f"unknown property {text!r}", hint=f"`zeroclaw config list -f {table}` shows what exists", path=text
    )


def _above(path: Path) -> list[str]:
    return [format_path(path[:length]) for length in range(len(path) - 1, 0, -1)]
