"""Changes of single values and of the plugin entries (specs/zeroclaw.md §5.3; §3.5 seeding)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from typing import Any

from zeroclaw_cli.config import values as value_rules
from zeroclaw_cli.config.build import default_of
from zeroclaw_cli.config.editor import Editor, Rule, opened
from zeroclaw_cli.config.env import apply_overrides
from zeroclaw_cli.config.load import read_text
from zeroclaw_cli.config.model import Config, Location
from zeroclaw_cli.config.paths import Target, names_of, resolve, resolve_alias
from zeroclaw_cli.config.permissions import is_agent
from zeroclaw_cli.config.schema import format_path, is_wildcard
from zeroclaw_cli.config.secrets import LEGACY, SEALED, SecretBox
from zeroclaw_cli.config.store import ensure_config_file, locked
from zeroclaw_cli.errors import ConfigDamaged, ConfigError, ValidationFailed

__all__ = [
    "Change",
    "Rule",
    "editable_text",
    "ensure_config_file",
    "purge_entry",
    "replace_text",
    "seed_entry",
    "set_string_list",
    "set_value",
    "target_of",
    "unset_value",
]

_ENTRIES = ("plugins", "entries")


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one path. ``value`` is as ``config get`` shows it, None for a secret; ``populated`` whether the
    file holds a value now; ``changed`` whether the file changed."""

    path: str
    value: str | None
    secret: bool
    populated: bool
    changed: bool
    warnings: tuple[str, ...] = ()


def target_of(config: Config, path: str, *, create: bool = False) -> Target:
    """The field that ``path`` names; ``create`` allows a new alias.

    Raises PathNotFound, and ConfigDamaged for a path of a malformed section.
    """
    names = names_of(path)
    for section, text in config.malformed.items():
        if names[: section.count(".") + 1] == tuple(section.split(".")):
            raise ConfigDamaged(
                text, hint="correct it with `zeroclaw config edit` or `zeroclaw config migrate`", path=path
            )
    return resolve(path, config.values, create=create)


def set_value(
    location: Location,
    env: Mapping[str, str],
    path: str,
    text: str,
    *,
    comment: str | None = None,
    rules: Sequence[Rule] = (),
    approved: bool = False,
) -> Change:
    """Set ``path`` to the value of ``text``; a value equal to the default removes the key.

    A secret is encrypted. ``comment`` replaces the comment lines above the key, an empty one removes them. Raises
    PathNotFound, ValueTypeMismatch, ValidationFailed, SchemaVersion or ConfigDamaged, the file untouched; and Refused
    for what an agent may not change, unless it was ``approved``.
    """
    with opened(location, env) as editor:
        target = writable_target(editor, path)
        field = target.field
        if value_rules.clears(field, text):
            value = None
        else:
            value = value_rules.parse(field, target.name, text)
            value_rules.require_writable(field, target.name, value)
        lines = _comment_text(target, comment)
        written = assign(editor, target, value, env)
        warnings: tuple[str, ...] = ()
        if lines is not None and written:
            editor.document.comment(editor.address(target.path), lines)
        elif lines:
            warnings = (f"{target.name} has its default and is not written, so the comment is not kept",)
        changed, found = editor.commit(rules, approved=approved)
        return _change(target, value, changed, warnings + found)


def unset_value(location: Location, env: Mapping[str, str], path: str, *, rules: Sequence[Rule] = ()) -> Change:
    """Remove ``path``, a value or a named table such as ``plugins.entries.<name>``; not an error when it is absent."""
    with opened(location, env) as editor:
        editor.check_section(names_of(path))
        alias = resolve_alias(path)
        if alias is not None:
            if any(other[: len(alias)] == alias for other in editor.values):
                editor.document.remove(editor.address(alias))
            changed, warnings = editor.commit(rules)
            return Change(format_path(alias), None, False, False, changed, warnings)
        target = resolve(path, editor.values, create=True)
        _require_stored(target)
        if target.new_alias is None:
            remove(editor, target)
        changed, warnings = editor.commit(rules)
        value = None if target.field.secret else default_of(target.field, location)
        return _change(target, value, changed, warnings)


def writable_target(editor: Editor, path: str) -> Target:
    """The field that ``path`` names for a change, in a section that is not malformed."""
    editor.check_section(names_of(path))
    target = resolve(path, editor.values, create=True)
    _require_stored(target)
    return target


def assign(editor: Editor, target: Target, value: Any, env: Mapping[str, str]) -> bool:
    """Put ``value`` (None removes) into the document; False when the key is left out as its default."""
    field = target.field
    if field.secret:
        if value == "":
            raise ValidationFailed(
                f"{target.name}: an empty secret is not stored",
                hint=f"`zeroclaw config unset {quote(target.name)}`",
                path=target.name,
            )
        box = SecretBox(editor.location, encrypt=encrypts(editor, env), may_make_key=not _holds_sealed(editor, target))
        value = box.seal(value)
    if value is None or (value == default_of(field, editor.location) and not _would_vanish(editor, target)):
        if target.new_alias is None:
            remove(editor, target)
        return False
    if target.path[:2] == _ENTRIES and target.path[2] not in _entry_names(editor):
        editor.document.append_table(_ENTRIES, {"name": target.path[2]})
    address = editor.address(target.path)
    if not _equals(editor.document.get(address), value):
        editor.document.set(address, value)
    return True


def _holds_sealed(editor: Editor, target: Target) -> bool:
    """Whether the document holds a sealed value besides the one that is being set."""
    return any(
        isinstance(value, str) and value.startswith((SEALED, LEGACY)) and path != target.path
        for path, value in editor.values.items()
    )


def remove(editor: Editor, target: Target) -> None:
    """Take the key out of the document, and the named table that it leaves empty."""
    if editor.document.get(editor.address(target.path)) is None:
        return
    editor.document.remove(editor.address(target.path))
    for length in range(len(target.path) - 1, 0, -1):
        table = target.path[:length]
        if is_wildcard(target.field.path[length - 1]) and table[:2] != _ENTRIES:
            # An empty table of a layer or a channel would still declare it.
            if editor.document.get(table) == {}:
                editor.document.remove(table)
            return


def encrypts(editor: Editor, env: Mapping[str, str]) -> bool:
    """Whether secrets that are written in this run are encrypted."""
    effective = dict(editor.values)
    apply_overrides(effective, env)
    return bool(effective.get(("secrets", "encrypt"), True))


def seed_entry(config: Config, key: str, env: Mapping[str, str] | None = None) -> bool:
    """Append an empty ``[[plugins.entries]]`` named ``key``; False when it is there already.

    Raises ConfigDamaged when the file or its ``[plugins]`` section is malformed, SchemaVersion for another schema.
    """
    with opened(config.location, os.environ if env is None else env) as editor:
        editor.check_section(_ENTRIES)
        if key in _entry_names(editor):
            return False
        editor.document.append_table(_ENTRIES, {"name": key})
        editor.commit()
        return True


def purge_entry(config: Config, key: str, env: Mapping[str, str] | None = None) -> bool:
    """Remove every ``[[plugins.entries]]`` named ``key``; False when there is none. Raises as :func:`seed_entry`."""
    with opened(config.location, os.environ if env is None else env) as editor:
        editor.check_section(_ENTRIES)
        if key not in _entry_names(editor):
            return False
        while key in _entry_names(editor):
            editor.document.remove(editor.address((*_ENTRIES, key)))
        editor.commit()
        return True


def set_string_list(config: Config, path: str, values: Sequence[str], env: Mapping[str, str] | None = None) -> None:
    """Set the list at ``path``, for instance ``plugins.disabled``; an empty one removes the key.

    Raises as :func:`set_value`.
    """
    environment = os.environ if env is None else env
    with opened(config.location, environment) as editor:
        target = writable_target(editor, path)
        assign(editor, target, value_rules.from_json(target.field, target.name, list(values)), environment)
        editor.commit()


def editable_text(location: Location, env: Mapping[str, str]) -> str:
    """The text of the file, to be edited as a whole; a damaged file too. Raises SchemaVersion for another schema."""
    text = read_text(location.config_file)
    with suppress(ConfigDamaged):
        Editor(location, env, text).check_version()
    return text


def replace_text(
    location: Location, env: Mapping[str, str], before: str, text: str, *, rules: Sequence[Rule] = ()
) -> tuple[bool, tuple[str, ...]]:
    """Replace the whole text of the file, which was ``before`` and may be damaged, by an edited one.

    Returns whether it changed, and warnings. Raises ConfigDamaged when ``text`` is not TOML, ValidationFailed for
    problems that ``before`` did not have, ConfigError when the file is no longer ``before``.
    """
    with locked(location):
        if read_text(location.config_file) != before:
            raise ConfigError(
                f"{location.config_file} was changed by another program meanwhile",
                hint="run `zeroclaw config edit` again",
            )
        try:
            editor = Editor(location, env, before)
        except ConfigDamaged:
            if is_agent(env):
                # What it held, a policy perhaps, cannot be compared with what an agent would put there.
                raise
            # There is nothing to compare with: what is wrong in the new text counts as new.
            editor = Editor(location, env, "", on_disk=before)
        editor.replace(text)
        editor.check_version()
        return editor.commit(rules)


def _require_stored(target: Target) -> None:
    if target.field.stored:
        return
    hint = (
        "`zeroclaw config migrate` changes it"
        if target.path == ("schema_version",)
        else "the name is the address of the entry; unset the entry and set the values of another"
    )
    raise ValidationFailed(f"{target.name} cannot be set", hint=hint, path=target.name)


def _comment_text(target: Target, comment: str | None) -> str | None:
    if comment is None:
        return None
    if any(not char.isprintable() and char not in "\t\n\r" for char in comment):
        raise ValidationFailed(
            f"the comment for {target.name} holds control characters", hint="write it in plain text", path=target.name
        )
    return comment


def _would_vanish(editor: Editor, target: Target) -> bool:
    """Whether leaving the key out would leave out the named table that it stands in."""
    for length, segment in enumerate(target.field.path[:-1], start=1):
        table = target.path[:length]
        if is_wildcard(segment) and table[:2] != _ENTRIES:
            return set(editor.document.get(table) or ()) <= {target.path[-1]}
    return False


def _equals(present: Any, value: Any) -> bool:
    present = tuple(present) if isinstance(present, list) else present
    return type(present) is type(value) and bool(present == value)


def _entry_names(editor: Editor) -> list[str]:
    return [entry["name"] for entry in editor.document.data.get("plugins", {}).get("entries", [])]


def _change(target: Target, value: Any, changed: bool, warnings: tuple[str, ...]) -> Change:
    if target.field.secret:
        return Change(target.name, None, True, value is not None, changed, warnings)
    return Change(target.name, value_rules.show(value), False, value is not None, changed, warnings)
