"""``manifest.toml``: its fields, their types and the rules of one manifest (specs/zeroclaw.md §1.1–§1.4, §1.6).

Checks 1–6 of table 1.6 happen here, in that order. The skill bundle, the signature and the config contract are judged
by their own modules, later.
"""

from __future__ import annotations

import math
import re
from enum import StrEnum
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, TypeVar

from zeroclaw_cli.config.toml_read import describe_path, load_toml, walk
from zeroclaw_cli.config.values import is_package_name, type_name
from zeroclaw_cli.errors import InvalidConfigSchema, InvalidManifest, ManifestIo, TomlParse
from zeroclaw_cli.plugins import payload
from zeroclaw_cli.plugins.model import Manifest, Permission, PluginCapability

_SHA256 = r"(?:sha256:)?([0-9a-f]{64})"
_BOM = b"\xef\xbb\xbf"
_PERMISSION_ALIASES = {"env_read": "config_read"}

_Word = TypeVar("_Word", PluginCapability, Permission)


def read_manifest(path: Path) -> Manifest:
    """The manifest in the regular file ``path``.

    Raises LinkRefused (a ManifestIo) when ``path`` is a symbolic link, ManifestIo when it cannot be read, and what
    :func:`parse_manifest` raises.
    """
    return parse_manifest(payload.read_regular(path, payload.MOST_MANIFEST_BYTES), source=path)


def parse_manifest(raw: bytes, *, source: Path) -> Manifest:
    """The manifest whose file holds the bytes ``raw``; ``source`` is the file that messages name.

    Raises ManifestIo (not UTF-8), TomlParse (not TOML, a missing field, a wrong type, an unknown word),
    InvalidManifest (a rule of checks 3–6, or a digest of another form), InvalidConfigSchema (a schema that is not
    a table or has no JSON form). specs/zeroclaw.md §1.6; design.md, decision 2.
    """
    try:
        text = raw.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ManifestIo(
            f"IO error: {source} is not UTF-8 text (byte {error.start})", hint="save the manifest as UTF-8"
        ) from None
    try:
        document = load_toml(text)
    except ValueError as error:
        raise TomlParse(f"TOML parse error: {source}: {error}", hint="correct the syntax of the manifest") from None
    fields = _Fields(document, source)
    name = fields.required_text("name")
    version = fields.required_text("version")
    description, author, wasm_path = fields.text("description"), fields.text("author"), fields.text("wasm_path")
    capabilities = fields.words("capabilities", PluginCapability, required=True)
    permissions = fields.words("permissions", Permission, aliases=_PERMISSION_ALIASES)
    signature, publisher_key = fields.text("signature"), fields.text("publisher_key")

    misplaced = _misplaced(document)
    _check_name(name, source)
    if wasm_path is not None:
        _check_wasm_path(wasm_path, source)
    if not capabilities:
        words = ", ".join(PluginCapability)
        raise _invalid(source, "capabilities is empty", f"name what the plugin provides: one or more of {words}")
    if wasm_path is None and set(capabilities) != {PluginCapability.SKILL}:
        raise _invalid(
            source,
            "wasm_path is missing",
            'add wasm_path = "<file>.wasm"; only a package whose sole capability is skill has no component',
        )
    return Manifest(
        name=name,
        version=version,
        description=description,
        author=author,
        wasm_path=wasm_path,
        capabilities=capabilities,
        permissions=permissions,
        config_schema=_config_schema(document, name, source),
        signature=signature,
        publisher_key=publisher_key,
        wasm_sha256=_digest(document, "wasm_sha256", source),
        skills_sha256=_digest(document, "skills_sha256", source),
        text=text,
        raw=raw,
        warnings=tuple(
            f"{source}: {field} stands inside [{table}] and does not sign the package; "
            "move it above the first table header"
            for field, table in misplaced.items()
        ),
        misplaced=misplaced,
    )


class _Fields:
    """Typed access to the root fields; what does not fit is a TomlParse that names file and field."""

    def __init__(self, document: dict[str, Any], source: Path) -> None:
        self._document = document
        self._source = source

    def text(self, field: str) -> str | None:
        value = self._document.get(field)
        if value is None or isinstance(value, str):
            return value
        raise self._error(f"{field} must be a string, not {type_name(value)}", f'write {field} = "…"')

    def required_text(self, field: str) -> str:
        value = self.text(field)
        if value is None:
            raise self._missing(field, f'{field} = "…"')
        return value

    def words(
        self, field: str, words: type[_Word], *, required: bool = False, aliases: dict[str, str] | None = None
    ) -> tuple[_Word, ...]:
        """The array ``field`` of words of an enumeration, in the order of the file with its repetitions."""
        values = self._document.get(field)
        if values is None:
            if required:
                raise self._missing(field, f'{field} = ["{next(iter(words))}"]')
            return ()
        if not isinstance(values, list):
            raise self._error(f"{field} must be an array, not {type_name(values)}", f'write {field} = ["…"]')
        return tuple(self._word(field, value, words, aliases or {}) for value in values)

    def _word(self, field: str, value: Any, words: type[_Word], aliases: dict[str, str]) -> _Word:
        if not isinstance(value, str):
            raise self._error(f"{field} must hold strings, not {type_name(value)}", f'write {field} = ["…"]')
        try:
            return words(aliases.get(value, value))
        except ValueError:
            hint = _known_permissions() if field == "permissions" else _nearest(value, words)
            raise self._error(f"{field} holds the unknown word {value!r}", hint) from None

    def _missing(self, field: str, example: str) -> TomlParse:
        for path, value in walk(self._document):
            if len(path) > 1 and path[-1] == field and isinstance(value, str | list):
                where = describe_path(path[:-1])
                return self._error(
                    f"the field {field} is missing; {where} holds a key of that name",
                    f"move {example} above the first table header, TOML puts what follows a header into that table",
                )
        return self._error(f"the field {field} is missing", f"add {example} above the first table header")

    def _error(self, problem: str, hint: str) -> TomlParse:
        return TomlParse(f"TOML parse error: {self._source}: {problem}", hint=hint)


def _known_permissions() -> str:
    # None is proposed: a word that grants rights is chosen for what it grants, not for how it is spelled.
    return "the words are " + "; ".join(f"{word} ({word.meaning})" for word in Permission)


def _nearest(value: str, words: type[StrEnum]) -> str:
    import difflib

    close = difflib.get_close_matches(value.lower(), list(words), n=1)
    listed = ", ".join(words)
    return f"write {close[0]}; the words are {listed}" if close else f"the words are {listed}"


def _invalid(source: Path, problem: str, hint: str) -> InvalidManifest:
    return InvalidManifest(f"invalid manifest: {source}: {problem}", hint=hint)


def _check_name(name: str, source: Path) -> None:
    if not is_package_name(name):
        shown = name if len(name) <= 140 else name[:140] + "…"
        raise _invalid(
            source,
            f"the name {shown!r} is not a package name",
            "use 1 to 128 of the characters a-z 0-9 . _ - and begin and end with a letter or digit",
        )


def _check_wasm_path(wasm_path: str, source: Path) -> None:
    """The lexical rule of specs/zeroclaw.md §1.4: the path escapes under neither the POSIX nor the Windows reading."""
    problem = None
    posix, windows = PurePosixPath(wasm_path), PureWindowsPath(wasm_path)
    if "\0" in wasm_path:
        problem = "holds a NUL character"
    elif not posix.parts or not windows.parts:
        problem = "names no file"
    elif posix.root or windows.root or windows.drive:
        problem = "is absolute"
    elif ".." in posix.parts or ".." in windows.parts:
        problem = "holds a .. segment"
    if problem is not None:
        raise _invalid(
            source,
            f"wasm_path {wasm_path!r} {problem}",
            "write the component's path relative to the manifest, inside its directory, for instance plugin.wasm",
        )


def _config_schema(document: dict[str, Any], name: str, source: Path) -> dict[str, Any] | None:
    """``config_schema`` as JSON values. Dates, times, infinities and NaN have no JSON form (specs/zeroclaw.md §1.7)."""
    if "config_schema" not in document:
        return None
    schema = document["config_schema"]
    problem = None
    if not isinstance(schema, dict):
        problem = f"config_schema must be a table, not {type_name(schema)}"
    for path, value in walk(schema):
        if isinstance(value, float) and not math.isfinite(value):
            problem = f"{describe_path(('config_schema', *path))} is {value}, which JSON cannot say"
        elif not isinstance(value, str | int | float | list | dict):
            problem = f"{describe_path(('config_schema', *path))} is {type_name(value)}, which JSON cannot say"
        if problem is not None:
            raise InvalidConfigSchema(
                f"invalid manifest: {source}: package {name!r}: {problem}",
                hint="write a JSON Schema of tables, arrays, strings, booleans and finite numbers",
            )
    return dict(schema)


def _digest(document: dict[str, Any], field: str, source: Path) -> str | None:
    """A payload's digest as 64 lower-case hex digits; the prefix ``sha256:`` is read and dropped."""
    value = document.get(field)
    if value is None:
        return None
    match = re.fullmatch(_SHA256, value) if isinstance(value, str) else None
    if match is None:
        raise _invalid(
            source,
            f"{field} is not 64 lower-case hex digits",
            "let `zeroclaw plugin sign` write it, or remove the line",
        )
    return match[1]


def _misplaced(document: dict[str, Any]) -> dict[str, str]:
    """The fields of a signature that stand inside a table, where they sign nothing, and which it is
    (specs/zeroclaw.md §1.1)."""
    found: dict[str, str] = {}
    for path, value in walk(document):
        for field in ("signature", "publisher_key"):
            if path[1:] and path[-1] == field and field not in document and isinstance(value, str):
                found.setdefault(field, describe_path(path[:-1]))
    return found
