"""What reaches a person or a pipe: stdout is data, stderr is talk.

Text that came from a guest, a manifest or a file is passed through :func:`printable` before it is shown, so that it
cannot write terminal sequences.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.text import escape

if TYPE_CHECKING:
    from zeroclaw_cli.wasm.host import LogRecord

printable = escape


def one_line(text: str, width: int | None = None) -> str:
    """The first line of ``text``, printable, cut to ``width`` characters with ``...``."""
    lines = text.strip().splitlines()
    line = printable(lines[0] if lines else "")
    if width is not None and len(line) > width:
        line = line[: max(width - 3, 0)] + "..."
    return line


def say(text: str = "") -> None:
    """One line of data on stdout. Characters that the terminal's encoding lacks are escaped."""
    try:
        sys.stdout.write(text + "\n")
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


_beside_json: Callable[[], Mapping[str, Any]] | None = None


@contextmanager
def beside_json(more: Callable[[], Mapping[str, Any]]) -> Iterator[None]:
    """Within the block every JSON document has the keys of ``more`` as well; a list is under ``result`` then."""
    global _beside_json
    before, _beside_json = _beside_json, more
    try:
        yield
    finally:
        _beside_json = before


def say_json(value: Any, *, line: bool = False) -> None:
    """``value`` as JSON on stdout: one indented document, or one compact line (JSON Lines)."""
    if _beside_json is not None and not line:
        value = {**(value if isinstance(value, dict) else {"result": value}), **_beside_json()}
    sys.stdout.write(json_text(value, line=line) + "\n")


def json_text(value: Any, *, line: bool = False) -> str:
    """``value`` as JSON text that the terminal's encoding can carry."""
    import json

    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    text = json.dumps(
        value,
        ensure_ascii=encoding != "utf8",
        indent=None if line else 2,
        separators=(",", ":") if line else None,
        allow_nan=False,
    )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=None if line else 2, separators=(",", ":") if line else None, allow_nan=False)
    return text


def talk(text: str) -> None:
    """One line on stderr, after what stdout was given before it."""
    sys.stdout.flush()
    encoding = sys.stderr.encoding or "ascii"
    sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def is_terminal() -> bool:
    """Whether stdout is read by a person."""
    return sys.stdout.isatty()


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, no_color: bool) -> None:
    """A table for a person's terminal; every cell must be printable already."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for column in columns:
        grid.add_column(column, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    Console(no_color=no_color or bool(os.environ.get("NO_COLOR")), highlight=False).print(grid)


_config_dir_option = ""


def use_config_dir(config_dir: str | None) -> None:
    """Let every command that a message names carry the ``--config-dir`` of this run."""
    global _config_dir_option
    if config_dir is None:
        _config_dir_option = ""
        return
    from shlex import quote

    _config_dir_option = f" --config-dir {quote(config_dir)}"


def commands_here(text: str) -> str:
    """``text`` with every command of ours that it names made to act on this run's config folder."""
    if not _config_dir_option or "zeroclaw " not in text:
        return text
    named = r"(?<![\w./-])zeroclaw (?=(?:plugin|memory|config|strategy|doctor|mcp)\b)"
    return re.sub(named, lambda _: f"zeroclaw{_config_dir_option} ", text)


def can_ask() -> bool:
    """Whether a question would reach a person."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str, *, option: str) -> bool:
    """Ask a yes-or-no question on the terminal. Without one raises UsageError that names ``option``."""
    if not can_ask():
        raise UsageError(f"{question} — there is no terminal to ask on", hint=f"pass {option} to answer yes")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def read_secret(prompt: str) -> str | None:
    """Read one line from the terminal without showing it, None at its end; only call when :func:`can_ask`."""
    from getpass import getpass

    try:
        return getpass(prompt)
    except EOFError:
        talk("")
        return None


def show_log_record(record: LogRecord) -> None:
    """One log record of a guest on stderr, for ``-v``; a guest's text cannot write terminal sequences."""
    talk(f"{record.level}: {printable(record.function)}: {printable(record.message)}")
