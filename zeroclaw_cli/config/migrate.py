"""``config migrate``: an older schema, and legacy plugin entries (cli.md, config; specs/zeroclaw.md §5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from zeroclaw_cli.config import toml_text
from zeroclaw_cli.config.build import read_sections
from zeroclaw_cli.config.document import Document, NotEditable
from zeroclaw_cli.config.editor import newer_schema, open_document
from zeroclaw_cli.config.load import describe_malformed, read_text
from zeroclaw_cli.config.model import Location
from zeroclaw_cli.config.schema import SCHEMA_VERSION
from zeroclaw_cli.config.store import locked, save
from zeroclaw_cli.config.toml_read import BOM
from zeroclaw_cli.config.toml_statements import Statement, statements_of
from zeroclaw_cli.config.tree_path import put, same
from zeroclaw_cli.fsio import write_new

_ENTRIES = ("plugins", "entries")
_IN_PLACE = "this change cannot be made in place, because of how the file is written"
_KNOWN = frozenset({"name", "config", "egress_hosts", "egress_allow_private", "limits"})


@dataclass(frozen=True, slots=True)
class Migration:
    """``done`` and ``remaining`` are lines for a person; ``backup`` is the copy of the old file when it changed."""

    from_version: int | None
    to_version: int
    backup: FilePath | None
    done: tuple[str, ...]
    remaining: tuple[str, ...]


def migrate(location: Location) -> Migration:
    """Bring the config file to this program's schema, after a copy of it; what cannot be converted is left and named.

    Raises ConfigDamaged for a file that is not TOML, SchemaVersion for a newer schema.
    """
    with locked(location):
        file = location.config_file
        before = read_text(file)
        document = open_document(file, before)
        version = _version(file, document.data)
        done: list[str] = []
        remaining: list[str] = []
        entries = document.get(_ENTRIES)
        if isinstance(entries, dict):
            document = _convert_table(document, entries, done, remaining)
        _convert_values(document, done, remaining)
        if version != SCHEMA_VERSION and file.exists():
            document.set(("schema_version",), SCHEMA_VERSION)
            done.append(f"schema_version is {SCHEMA_VERSION} now; keys of other programs were not changed")
        for found in read_sections(document.data).malformed.values():
            named = found.address[:2] == _ENTRIES and bool(remaining)
            if not named:
                remaining.append(describe_malformed(file, document.text, found))
        backup = None
        if document.text != before:
            backup = _back_up(file, version)
            save(location, document.text)
    return Migration(version, SCHEMA_VERSION, backup, tuple(done), tuple(remaining))


def _version(file: FilePath, data: Mapping[str, Any]) -> int | None:
    version = data.get("schema_version")
    if isinstance(version, bool) or not isinstance(version, int):
        return None
    if version > SCHEMA_VERSION:
        raise newer_schema(file, version)
    return version


def _back_up(file: FilePath, version: int | None) -> FilePath:
    """Copy the file beside itself, under a name that no earlier copy has."""
    name = f"{file.name}.v{SCHEMA_VERSION if version is None else version}.bak"
    number = 1
    backup = file.with_name(name)
    while True:
        try:
            write_new(backup, file.read_bytes())
        except FileExistsError:
            number += 1
            backup = file.with_name(f"{name}.{number}")
        else:
            return backup


def _convert_table(document: Document, entries: Mapping[str, Any], done: list[str], remaining: list[str]) -> Document:
    problems = [problem for name, entry in entries.items() if (problem := _entry_problem(name, entry)) is not None]
    if not problems:
        try:
            document = _with_array(document, entries)
        except NotEditable as error:
            problems = [error.message]
        else:
            done.append(f"plugins.entries is an array of tables now, of {', '.join(entries) or 'no entries'}")
    if problems:
        remaining.append(f"plugins.entries is a table, not an array of tables: {'; '.join(problems)}")
    return document


def _with_array(document: Document, entries: Mapping[str, Any]) -> Document:
    """``document`` with ``entries`` as an array of tables. Raises NotEditable when that would lose a comment."""
    elements = [{"name": name, **entry} for name, entry in entries.items()]
    text = document.text.removeprefix(BOM)
    found = [statement for statement in statements_of(text) if statement.address[:2] == _ENTRIES]
    if all(statement.is_header or len(statement.table) > 2 for statement in found):
        headers = [statement for statement in found if statement.is_header]
        mark = BOM if document.text.startswith(BOM) else ""
        try:
            converted = Document(mark + _with_headers(text, headers, entries))
        except ValueError:
            raise NotEditable(_IN_PLACE) from None
    else:
        converted = Document(document.text)
        converted.remove(_ENTRIES)
        if converted.text.count("#") != document.text.count("#"):
            raise NotEditable("comments might be lost", hint="make it with `zeroclaw config edit`")
        for element in elements:
            converted.append_table(_ENTRIES, element)
    expected = deepcopy(document.data)
    put(expected, _ENTRIES, elements)
    if not same(converted.data, expected):
        raise NotEditable(_IN_PLACE)
    return converted


def _with_headers(text: str, headers: Sequence[Statement], entries: Mapping[str, Any]) -> str:
    """``text`` with the headers of the entries rewritten where they stand, so that comments stay too."""
    opening = f"[[{toml_text.dotted(_ENTRIES)}]]"
    result, position = "", 0
    seen: set[str] = set()
    for header in headers:
        result += text[position : header.start]
        position = header.end
        if header.address == _ENTRIES:
            continue
        name, *inner = (part for part in header.address[2:] if isinstance(part, str))
        newline = "\r\n" if text[: header.start].endswith("\r\n") else "\n"
        named = "" if "name" in entries[name] else f"name = {toml_text.quote(name)}{newline}"
        indent, rest = text[header.start : header.head], text[header.tail : header.end]
        if not inner:
            result += indent + opening + (rest if rest.endswith("\n") else rest + newline) + named
        else:
            dotted = toml_text.dotted((*_ENTRIES, *inner))
            result += "" if name in seen else opening + newline + named + newline
            result += indent + (f"[[{dotted}]]" if header.array else f"[{dotted}]") + rest
        seen.add(name)
    return result + text[position:]


def _entry_problem(name: str, entry: Any) -> str | None:
    where = f"plugins.entries.{toml_text.key(name)}"
    if not isinstance(entry, dict):
        return f"{where} is not a table"
    unknown = sorted(set(entry) - _KNOWN)
    if unknown:
        return f"{where}.{toml_text.key(unknown[0])} has no place in an entry; its values belong below {where}.config"
    if entry.get("name", name) != name:
        return f"{where}.name is another name"
    return None


def _convert_values(document: Document, done: list[str], remaining: list[str]) -> None:
    """Turn values of an entry's ``config`` that are not strings into the text that a package is given for them."""
    entries = document.get(_ENTRIES)
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        config = entry.get("config") if isinstance(entry, dict) else None
        for key, value in config.items() if isinstance(config, dict) else ():
            if isinstance(value, str):
                continue
            path = toml_text.dotted((*_ENTRIES, str(entry.get("name", index)), "config", key))
            text = _as_text(value)
            try:
                if text is None:
                    raise NotEditable("it is a date, a time, an infinity or not a number")
                document.set((*_ENTRIES, index, "config", key), text)
            except NotEditable as error:
                remaining.append(f"{path} must be a string: {error.message}")
            else:
                done.append(f"{path} is a string now")


def _as_text(value: Any) -> str | None:
    import json

    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError):
        return None
