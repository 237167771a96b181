"""The files that a person names, to be read or written, and stdin for ``-``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.arguments import file_argument, path_argument
from zeroclaw_cli.cli.session import Session, session
from zeroclaw_cli.errors import UsageError


def text_or_stdin(ctx: typer.Context, value: Any) -> Any:
    """The text of an argument or option; for ``-`` that of stdin, without its last line end.

    Raises UsageError as :func:`stdin_text`.
    """
    return stdin_text(session(ctx)).removesuffix("\n").removesuffix("\r") if value == "-" else value


def stdin_text(this: Session) -> str:
    """All of stdin; a person at a terminal is told that it is read.

    Raises UsageError when another argument of the line has read it, or when it is not UTF-8.
    """
    if this.stdin_is_read:
        raise UsageError("only one text can be read from stdin", hint="write the others in full")
    this.stdin_is_read = True
    if sys.stdin.isatty():
        output.talk("reading from the terminal; end with Ctrl-D")
    return read_text("-", "stdin")


def read_text(source: str, name: str) -> str:
    """The UTF-8 text of the file ``source``, or of stdin for ``-``; ``name`` is the argument that names it.

    Raises UsageError when it is not UTF-8, and OSError when the file cannot be read.
    """
    try:
        return read_bytes(source, name).decode("utf-8")
    except UnicodeDecodeError as error:
        where = "stdin" if source == "-" else source
        raise UsageError(f"{where} is not UTF-8 text (byte {error.start})", hint="convert it to UTF-8") from None


def read_bytes(source: str, name: str) -> bytes:
    """The bytes of the file ``source``, or of stdin for ``-``. Raises OSError when the file cannot be read."""
    return sys.stdin.buffer.read() if source == "-" else path_argument(source, name).read_bytes()


def output_file(this: Session, text: str, name: str) -> Path:
    """The file ``text`` of the option ``name``, to be written. Raises UsageError for stdin, for a folder, and for a
    place of this program's own files."""
    return output_place(this, file_argument(text, name), name)


def output_place(this: Session, path: Path, name: str) -> Path:
    """``path`` of the argument or option ``name``, where something is to be made or changed. Raises UsageError for a
    place of this program's own files."""
    from zeroclaw_cli.operations.own_files import require_other_place

    require_other_place(this.config(), path, name)
    return path


def signing_key(source: str | None, variable: str) -> bytes:
    """The private key in the file ``source`` (``-``: stdin), else in the environment's ``variable``.

    Raises UsageError when neither names one.
    """
    import os

    if source is not None:
        return read_bytes(source, "--key")
    text = os.environ.get(variable)
    if not text:
        raise UsageError("no signing key is named", hint=f"pass --key FILE (- for stdin), or set {variable}")
    return text.encode()
