"""``config init``: what could be set, as comments, beside what is set (cli.md, config)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from zeroclaw_cli.config import toml_text
from zeroclaw_cli.config.build import default_of
from zeroclaw_cli.config.editor import Editor, opened
from zeroclaw_cli.config.model import Location
from zeroclaw_cli.config.paths import names_of
from zeroclaw_cli.config.schema import FIELDS, TABLES, Field, is_wildcard, near_misses
from zeroclaw_cli.errors import ConfigDamaged, PathNotFound

_EXAMPLES = {"int": "1", "string": '""', "string[]": "[]", "bool": "false", "word": '""'}


@dataclass(frozen=True, slots=True)
class InitResult:
    """``written``: tables that got comments; ``skipped``: tables that could get none; ``changed``: the file did."""

    written: tuple[str, ...]
    skipped: tuple[str, ...]
    changed: bool


def init_sections(location: Location, env: Mapping[str, str], section: str | None = None) -> InitResult:
    """Add a commented template of ``section`` and the tables below it, or of everything that is ours.

    A key that is set, or stands in a comment already, is left alone. Raises PathNotFound for a section that is not
    ours, ConfigDamaged when the one asked for is malformed.
    """
    tables = _tables(section)
    written, skipped = [], []
    with opened(location, env) as editor:
        for table in tables:
            names = tuple(table.split("."))
            try:
                editor.check_section(names)
            except ConfigDamaged:
                if section is not None:
                    raise
                skipped.append(table)
                continue
            lines = _missing(editor, table)
            if not lines:
                continue
            if not editor.document.can_hold_comments(names):
                skipped.append(table)
                continue
            has_header = editor.document.has_header(names)
            editor.document.add_comment_lines(names, lines if has_header else [f"# {TABLES[table]}", *lines])
            written.append(table)
        changed, _ = editor.commit()
    return InitResult(tuple(written), tuple(skipped), changed)


def _tables(section: str | None) -> list[str]:
    with_fields = [table for table in TABLES if _fields(table)]
    if section is None:
        return with_fields
    name = ".".join(names_of(section))
    found = [table for table in with_fields if table == name or table.startswith(f"{name}.")]
    if not found:
        close = near_misses(name, with_fields)
        hint = f"did you mean {' or '.join(close)}?" if close else f"use one of {', '.join(with_fields)}"
        raise PathNotFound(f"unknown section {section!r}", hint=hint, path=section)
    return found


def _fields(table: str) -> list[Field]:
    return [
        field
        for field in FIELDS
        if field.stored and ".".join(field.path[:-1]) == table and not any(map(is_wildcard, field.path))
    ]


def _missing(editor: Editor, table: str) -> list[str]:
    lines = []
    body = editor.document.body_text(tuple(table.split(".")))
    for field in _fields(table):
        name = field.path[-1]
        if editor.document.get(field.path) is None and not re.search(
            rf"^[ \t]*#[# \t]*{name}[ \t]*=", body, re.MULTILINE
        ):
            lines += [f"# {field.help}{_choices(field)}", f"# {name} = {_example(field, editor.location)}"]
    return lines


def _example(field: Field, location: Location) -> str:
    default = default_of(field, location)
    return _EXAMPLES[field.kind] if default is None else toml_text.render(default)


def _choices(field: Field) -> str:
    return f" One of {', '.join(field.words)}." if field.words else ""
