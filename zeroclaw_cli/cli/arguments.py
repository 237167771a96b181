"""Arguments that several commands take."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from zeroclaw_cli.errors import UsageError


def not_blank(param: typer.CallbackParam, value: Any) -> Any:
    """``value`` of an option that says whose memory is meant, one text or several.

    Raises UsageError for a blank one, as an empty variable of a script gives it: without the option, or with a name
    that nothing has, the command would act on another memory than the one that was meant.
    """
    texts = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(text, str) and not text.strip() for text in texts):
        raise UsageError(f"{param.opts[0]} is blank", hint="give it a name, or leave the option out")
    return value


# Options of commands that act on entries and documents of the built-in store alike.
Thread = Annotated[
    str | None,
    typer.Option(
        "--thread", metavar="T", help="The current conversation; includes what was said in it.", callback=not_blank
    ),
]
WithHistory = Annotated[
    bool,
    typer.Option("--with-history", help="Also its versions, edited copies and transcripts (built-in store)."),
]
DocumentPath = Annotated[str, typer.Argument(metavar="PATH", help="The document's path, for instance MEMORY.md.")]


def path_argument(text: str, name: str) -> Path:
    """The path that a person wrote for ``name``: a leading ``~`` or ``~/`` is expanded, ``~user`` is not.

    Raises UsageError when it is empty.
    """
    from zeroclaw_cli.config.locations import expand_user

    if not text.strip():
        raise UsageError(f"{name} is empty", hint="name a path")
    return Path(expand_user(text, os.environ))


def output_argument(text: str, name: str) -> Path:
    """As :func:`path_argument`, for what is written: ``-`` is refused, since no file of that name is meant."""
    if text == "-":
        raise UsageError(f"{name} - would be stdout, and this is not written there", hint="name a file; ./- is one too")
    return path_argument(text, name)


def file_argument(text: str, name: str) -> Path:
    """As :func:`output_argument`, for a file to be written: also refuses a folder."""
    path = output_argument(text, name)
    if not path.name or path.is_dir():
        raise UsageError(f"{name} {text} is a folder", hint="name a file in it")
    return path
