"""Keys of our sections that no field has (specs/zeroclaw.md, decided since 0.1.0).

Another program shares config.toml and may know more keys, so an unknown one is a warning. One that may have been meant
as a rule of ``plugins.security`` is more: a policy that somebody relies on would silently not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from zeroclaw_cli.config.model import Problem
from zeroclaw_cli.config.schema import FIELDS, SECTIONS, WILDCARD, Field, Path, find, format_path, near_misses

_SECURITY: Final = ("plugins", "security")
_ENTRIES: Final = ("plugins", "entries")
_TOPOLOGY: Final = ("memory", "topology")
# A slip of the keyboard is at most so many letters.
_SLIP: Final = 2


def unknown_paths(data: Mapping[str, Any]) -> Iterator[Path]:
    """The paths in our sections of ``data``, a parsed document, that no field has and no table of fields. A value of
    the wrong type is no concern of this."""
    for name in SECTIONS:
        value = data.get(name)
        # Below channels only the plugins' are ours.
        path = (name, "plugin") if name == "channels" else (name,)
        if path != (name,):
            value = value.get(path[-1]) if isinstance(value, Mapping) else None
        yield from _unknown(value, find(path), path)


def _unknown(value: Any, node: Any, path: Path) -> Iterator[Path]:
    # The kernel has rules of its own for the keys of the topology, and refuses an unknown one.
    if path == _TOPOLOGY or isinstance(node, Field) or node is None:
        return
    if path == _ENTRIES and isinstance(value, list):
        for entry in value:
            if isinstance(entry, Mapping):
                yield from _unknown(entry, node[WILDCARD], (*path, str(entry.get("name", ""))))
    elif isinstance(value, Mapping):
        for name, item in value.items():
            below = node.get(name, node.get(WILDCARD))
            if below is None:
                yield (*path, name)
            else:
                yield from _unknown(item, below, (*path, name))


def policy_slips(data: Mapping[str, Any], unknown: Iterable[Path]) -> Iterator[Path]:
    """The paths of ``data`` that may have been meant as a setting of ``plugins.security``: what is ``unknown`` inside
    it, and an unknown section or key one or two letters from it or from one of its settings."""
    rules = _rules()
    for path in unknown:
        if path[0] == _SECURITY[0]:
            within = path[:2] == _SECURITY
            if within or any(_is_near(path[1:][-len(rule) :], rule) for rule in rules):
                yield path
    everywhere = list(_anywhere(rules))
    for path in _beside_ours(data):
        if any(_is_near(path, rule) for rule in everywhere):
            yield path


def unknown_keys(unknown: Sequence[Path], slips: Sequence[Path]) -> Iterator[Problem]:
    """A problem for each unknown key and each slip, none of which refuses a change of the config."""
    for path in slips:
        name = format_path(path)
        text = f"{name} is unknown and may have been meant as a rule of plugins.security, so no plugin is loaded"
        yield Problem(name, text, "correct or remove it with `zeroclaw config edit`", refuses=False)
    for path in unknown:
        if path not in slips:
            name = format_path(path)
            yield Problem(name, f"{name} is unknown and has no effect here", _remedy(path), refuses=False)


def section_of(problem: Problem) -> str:
    """The section that the problem of an unknown key is about."""
    name = problem.path.partition(".")[0]
    return name if name in SECTIONS else _SECURITY[0]


def _remedy(path: Path) -> str:
    table = find(path[:-1])
    names = [name for name in table if not name.startswith("<")] if isinstance(table, dict) else []
    near = near_misses(path[-1], names, cutoff=0.7)
    meant = f"did you mean {format_path((*path[:-1], near[0]))}? " if near else ""
    return f"{meant}`zeroclaw config edit` opens the file"


def _rules() -> list[Path]:
    """What a rule of the policy may be called, from ``plugins`` on: the section, its settings, and each by itself."""
    found: list[Path] = [_SECURITY[1:]]
    for field in FIELDS:
        if field.path[:2] == _SECURITY:
            found += [field.path[1:], field.path[2:]]
    return found


def _anywhere(rules: Iterable[Path]) -> Iterator[Path]:
    """The same from the root of the file on. The other program may have a section called security."""
    for rule in rules:
        yield (_SECURITY[0], *rule)
        if rule != _SECURITY[1:]:
            yield rule


def _beside_ours(data: Mapping[str, Any]) -> Iterator[Path]:
    """The keys at the root that are not ours, and the next ones in those that could be a slip of ``plugins`` or of
    ``security``."""
    for name, value in data.items():
        if name in SECTIONS:
            continue
        yield (name,)
        if isinstance(value, Mapping) and any(_distance(name, word) <= _SLIP for word in _SECURITY):
            yield from ((name, below) for below in value)


def _is_near(path: Path, rule: Path) -> bool:
    return _distance(".".join(path), ".".join(rule)) <= _SLIP


def _distance(one: str, other: str) -> int:
    """How many letters must be put in, left out or changed to make one of the other; case and ``-`` do not count. More
    than a slip is not counted to the end."""
    one, other = (text.casefold().replace("-", "_") for text in (one, other))
    if abs(len(one) - len(other)) > _SLIP:
        return _SLIP + 1
    row = list(range(len(other) + 1))
    for number, left in enumerate(one, start=1):
        before, row[0] = row[0], number
        for column, right in enumerate(other, start=1):
            before, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, before + (left != right)),
            )
        if min(row) > _SLIP:
            return _SLIP + 1
    return row[-1]
