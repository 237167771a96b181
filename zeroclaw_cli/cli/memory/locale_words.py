"""Arguments under a locale that is not UTF-8.

Where the locale knows ASCII alone (``LC_ALL=C`` without Python's UTF-8 mode), Python hands every other byte of the
command line over as half of a surrogate pair, which no text that is stored may hold. What is remembered is UTF-8
everywhere, so the words of the memory commands are read as that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import typer

from zeroclaw_cli.errors import UsageError

# Their bytes may be any, and stay what they are.
_PATHS: Final = frozenset({"file", "out", "from_zeroclaw", "from_hermes"})


def read_as_utf8(group: typer.Typer) -> None:
    """Let every command of ``group``, and of the groups in it, take its words as UTF-8."""
    for command in group.registered_commands:
        assert command.callback is not None, "a command has a function"
        command.callback = _with_utf8_words(command.callback)
    for inner in group.registered_groups:
        assert inner.typer_instance is not None, "a group has commands"
        read_as_utf8(inner.typer_instance)


def _with_utf8_words(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(**words: Any) -> Any:
        return function(**{name: _decoded(value, name) for name, value in words.items()})

    return call


def _decoded(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_decoded(item, name) for item in value]
    if type(value) is not str or value.isascii() or name in _PATHS:
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        try:
            return os.fsencode(value).decode("utf-8")
        except UnicodeError:
            raise UsageError(
                f"the {name.removesuffix('_').replace('_', ' ')} on the command line is not UTF-8 text",
                hint="pass it as UTF-8; a content may also come on stdin",
            ) from None
    return value
