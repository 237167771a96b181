"""``<home>/.env``, where the secrets of providers are (specs/memory-providers.md P-38, P-47).

The file is read as dotenv readers do: ``KEY=value`` with ``export`` before it, quotes of both kinds, comments. Nothing
is expanded. No value is ever part of an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import Busy, ValidationFailed, ZeroclawError

FILE: Final = ".env"
_LOCK: Final = ".env.lock"
_LOCK_TIMEOUT_S: Final = 30.0
_BOM: Final = "\ufeff"
_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What decides which programs run and which code is loaded, what belongs to other programs, and what is our own.
_DENIED: Final = frozenset(
    {"PATH", "HOME", "SHELL", "EDITOR", "VISUAL", "PAGER", "BROWSER", "ENV", "BASH_ENV", "IFS", "TMPDIR"}
    | {"NODE_OPTIONS", "NODE_PATH", "PERL5LIB", "PERL5OPT", "RUBYLIB", "RUBYOPT", "JAVA_TOOL_OPTIONS"}
)
_DENIED_PREFIXES: Final = (
    "LD_",
    "DYLD_",
    "PYTHON",
    "GIT_",
    "PIP_",
    "UV_",
    "VIBEOS_",
    "HERMES_",
    "ZEROCLAW_",
    "_ZEROCLAW_",
)
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:@%+,=-]+")

_BLANKS: Final = re.compile(r"[^\S\r\n]*")
_EXPORT: Final = re.compile(r"export[^\S\r\n]+")
_NAME: Final = re.compile(r"[^=\#\s]+")
_SINGLE: Final = re.compile(r"'((?:\\'|[^'])*)'")
_DOUBLE: Final = re.compile(r'"((?:\\"|[^"])*)"')
_UNQUOTED: Final = re.compile(r"[^\r\n]*")
_COMMENT: Final = re.compile(r"[^\S\r\n]+#.*|[^\S\r\n]+$")
# What may stand behind a quoted value.
_REST: Final = re.compile(r"[^\S\r\n]*(?:#[^\r\n]*)?(?=\r|\n|\Z)")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_ESCAPES: Final[Mapping[str, str]] = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Binding:
    """A line with a key: where all of it is, and where its value is with its quotes; ``value`` None without ``=``."""

    key: str
    value: str | None
    start: int
    end: int
    value_start: int
    value_end: int


def key_problem(key: str) -> str | None:
    """Why ``key`` may not be set in the file, as the end of a sentence that begins with it; else None."""
    if _KEY.fullmatch(key) is None:
        return "is not a valid variable name: letters, digits and _, not beginning with a digit"
    if key.upper() in _DENIED or key.upper().startswith(_DENIED_PREFIXES):
        return "is a variable that is not a provider's to set"
    return None


def path_of(home: Path) -> Path:
    """Where the file of ``home`` is."""
    return home / FILE


def read(home: Path) -> dict[str, str]:
    """The variables of the file, without those that it may not set; empty when there is no file.

    Raises ZeroclawError when it is not text, leads out of the home, or cannot be read.
    """
    found = {binding.key: binding.value for binding in _bindings(_text(home))}
    return {key: value for key, value in found.items() if value is not None and key_problem(key) is None}


# Variable -> value, as load() set it in the environment of the process.
_loaded: Final[dict[str, str]] = {}
# The variables that the files named which load() has read.
_named: Final[set[str]] = set()


def values_in_use() -> dict[str, str]:
    """The variables that :func:`load` has met in any file, with the values that the process has for them now."""
    return {key: os.environ[key] for key in sorted(_named) if key in os.environ}


def load(home: Path, environ: MutableMapping[str, str] | None = None) -> tuple[str, ...]:
    """Put the file's variables into ``environ`` (None: the environment of the process), where it lacks them; returns
    their names. Raises as :func:`read`.

    A process has one environment for all homes: what an earlier call brought into it, perhaps from another home, is
    taken out first, so that it does not win over this home's file.
    """
    values = {key: value for key, value in read(home).items() if "\0" not in value}
    _named.update(values)
    if environ is not None and environ is not os.environ:
        added = {key: value for key, value in values.items() if key not in environ}
        environ.update(added)
        return tuple(sorted(added))
    for key, value in _loaded.items():
        if os.environ.get(key) == value:
            del os.environ[key]
    _loaded.clear()
    for key, value in values.items():
        if key not in os.environ:
            os.environ[key] = _loaded[key] = value
    return tuple(sorted(_loaded))


def update(home: Path, changes: Mapping[str, str | None]) -> None:
    """Set the variables in ``changes``, None removes one; every other line stays as it is.

    The file is replaced as a whole and readable by the user alone. Raises ValidationFailed for a key or a value that
    it may not hold, ZeroclawError for a file that cannot be edited; the file is untouched then.
    """
    for key, value in changes.items():
        _require_valid(key, value)
    fsio.make_private_dir(home)
    try:
        with fsio.file_lock(home / _LOCK, timeout_s=_LOCK_TIMEOUT_S):
            _take_away_remains(home)
            before = _text(home)
            after = _changed(before, changes)
            if after != before or not path_of(home).exists():
                _write(home, after)
            else:
                path_of(home).chmod(0o600)
    except TimeoutError:
        raise Busy(
            f"another command has been changing {path_of(home)} for {_LOCK_TIMEOUT_S:g} seconds",
            hint="try again when it has ended",
        ) from None


def quoted(value: str) -> str:
    """``value`` as it stands behind ``=``, so that a dotenv reader gets it back."""
    if _PLAIN.fullmatch(value):
        return value
    if "'" not in value and "\\" not in value:
        return f"'{value}'"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _require_valid(key: str, value: str | None) -> None:
    wrong = key_problem(key)
    if wrong is not None:
        raise ValidationFailed(f"'{key}' {wrong}", hint="use a name of the provider's own, such as MYPROVIDER_API_KEY")
    if value is not None and any(character in value for character in "\r\n\0"):
        raise ValidationFailed(
            f"the value for {key} holds a line break or a NUL character", hint="give it as one line of text"
        )
    if value is not None:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise ValidationFailed(f"the value for {key} is not Unicode text", hint="give whole characters") from None


def _text(home: Path) -> str:
    path = path_of(home)
    if path.is_symlink() and not path.resolve().is_relative_to(home.resolve()):
        raise ZeroclawError(
            f"{path} is a symbolic link out of the home, to {path.resolve()}", hint="put the file itself in its place"
        )
    try:
        return fsio.read_regular(path.resolve() if path.is_symlink() else path).decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ZeroclawError(f"{path} is not UTF-8: byte {error.start}", hint="save it as UTF-8") from None
    except OSError as error:
        raise ZeroclawError(
            f"{path} cannot be read: {error.strerror or error}", hint="make it a file that you may read"
        ) from None


def _take_away_remains(home: Path) -> None:
    """Remove what a process that was killed while it wrote has left; the lock says that nobody writes now."""
    for file in home.glob(f".{FILE}.*.tmp"):
        with suppress(OSError):
            file.unlink()


def _write(home: Path, text: str) -> None:
    fsio.atomic_write(path_of(home), text.encode("utf-8"), mode=0o600)


def _changed(text: str, changes: Mapping[str, str | None]) -> str:
    parts: list[str] = []
    position = 0
    done: set[str] = set()
    for binding in _bindings(text):
        if binding.key not in changes:
            continue
        value = changes[binding.key]
        if value is None or binding.key in done:
            parts.append(text[position : binding.start])
            position = binding.end
            continue
        done.add(binding.key)
        assignment = quoted(value) if binding.value is not None else f"={quoted(value)}"
        parts += [text[position : binding.value_start], assignment]
        position = binding.value_end
    parts.append(text[position:])
    result = "".join(parts)
    newline = "\r\n" if "\r\n" in text else "\n"
    for key, value in changes.items():
        if value is not None and key not in done:
            if result.strip(_BOM) and not result.endswith(("\n", "\r")):
                result += newline
            result += f"{key}={quoted(value)}{newline}"
    return result


def _bindings(text: str) -> Iterator[_Binding]:
    """The lines of ``text`` that have a key, in their order; a quoted value may take several lines."""
    position = len(_BOM) if text.startswith(_BOM) else 0
    while position < len(text):
        start = position
        binding = _binding(text, start)
        if binding is None:
            position = _end_of_line(text, start)
        else:
            yield binding
            position = binding.end
        if position == start:
            return


def _binding(text: str, start: int) -> _Binding | None:
    position = _skip(_BLANKS, text, start)
    position = _skip(_EXPORT, text, position)
    name = _NAME.match(text, position)
    if name is None:
        return None
    after_name = name.end()
    equals = _skip(_BLANKS, text, after_name)
    if not text.startswith("=", equals):
        end = _end_of_line(text, after_name)
        rest = text[after_name:end].strip()
        if rest and not rest.startswith("#"):
            return None
        return _Binding(name[0], None, start, end, after_name, after_name)
    begin = _skip(_BLANKS, text, equals + 1)
    found = _value(text, begin, blank_before=begin > equals + 1)
    if found is None:
        return None
    value, after = found
    return _Binding(name[0], value, start, _end_of_line(text, after), begin, after)


def _value(text: str, begin: int, *, blank_before: bool) -> tuple[str, int] | None:
    """The value that begins at ``begin`` and where it ends; None when its quotes are not those of a value."""
    first = text[begin : begin + 1]
    if first in ("'", '"'):
        match = (_SINGLE if first == "'" else _DOUBLE).match(text, begin)
        if match is None or _REST.match(text, match.end()) is None:
            return None
        if first == "'":
            return re.sub(r"\\([\\'])", r"\1", match[1]), match.end()
        return re.sub(r"\\([\\'\"abfnrtv])", lambda part: _ESCAPES.get(part[1], part[1]), match[1]), match.end()
    bare = _UNQUOTED.match(text, begin)
    assert bare is not None
    if blank_before and first == "#":
        return "", begin
    comment = _COMMENT.search(bare[0])
    length = len(bare[0]) if comment is None else comment.start()
    return bare[0][:length], begin + length


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _end_of_line(text: str, position: int) -> int:
    match = _LINE.match(text, position)
    assert match is not None
    return match.end()
