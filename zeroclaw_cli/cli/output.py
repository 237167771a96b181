"""What reaches a person or a pipe: stdout is data, stderr is talk.

This is the one door. Any part of a line may be a stranger's text (of a manifest, a guest, a provider, a file, an
entry), so every line is made safe here and nowhere else: it cannot move the cursor, reorder or hide text, or begin a
line of its own. The commands that a line of ours names are made to act on the config folder of this run, in text and
in JSON.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.text import escape, escape_json, shortened

if TYPE_CHECKING:
    from zeroclaw_cli.wasm.host import LogRecord

# Longer is not a line for a person: JSON has it all.
_LONGEST_LINE: Final = 10_000
_LONGEST_TALK: Final = 2_000
# What is beneath these keys of a JSON document is talk of ours; everything else is data, which stays as it is.
_TALK: Final = frozenset(
    [
        "detail",
        "details",
        "error",
        "hint",
        "hints",
        "inactive_reason",
        "left",
        "message",
        "notes",
        "problem",
        "problems",
        "reason",
        "remedy",
        "warning",
        "warnings",
    ]
)


def one_line(text: str, width: int | None = None) -> str:
    """The first line of ``text``, made safe, cut to ``width`` characters with ``...``."""
    lines = text.strip().splitlines()
    line = escape(lines[0] if lines else "")
    if width is not None and len(line) > width:
        line = line[: max(width - 3, 0)] + "..."
    return line


def say(text: str = "") -> None:
    """One line for a person on stdout."""
    _write_line(shortened(escape(commands_here(text)), _LONGEST_LINE))


def say_text(text: str, indent: str = "") -> None:
    """A text of several lines on stdout, each behind ``indent``: what was asked for, not a sentence of ours."""
    for line in escape(text, keep="\n\t").split("\n"):
        _write_line(indent + line)


def say_value(text: str) -> None:
    """A value on stdout: exact where a program reads it, safe on a terminal."""
    if is_terminal():
        say_text(text)
    else:
        _write_line(text)


def _write_line(line: str) -> None:
    # Characters that the encoding lacks are escaped.
    try:
        sys.stdout.write(line + "\n")
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


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
    # The lines of an export or a log are data alone.
    value = value if line else _with_commands(value)
    sys.stdout.write(_json_text(value, line=line) + "\n")


def talk_json(value: Any) -> None:
    """``value`` as one line of JSON on stderr."""
    _write_talk(_json_text(_with_commands(value), line=True))


def _json_text(value: Any, *, line: bool = False) -> str:
    """``value`` as JSON text: one that the terminal's encoding can carry, and that is safe to show."""
    import json

    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    text = json.dumps(
        value,
        ensure_ascii=encoding != "utf8",
        indent=None if line else 2,
        separators=(",", ":") if line else None,
        allow_nan=False,
    )
    return text if text.isascii() and "\x7f" not in text else escape_json(text)


def _with_commands(value: Any, *, talk: bool = False) -> Any:
    if not _config_dir_option:
        return value
    if isinstance(value, str):
        return commands_here(value) if talk else value
    if isinstance(value, dict):
        return {key: _with_commands(item, talk=talk or key in _TALK) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_commands(item, talk=talk) for item in value]
    return value


def talk(text: str) -> None:
    """One line on stderr, after what stdout was given before it."""
    _write_talk(shortened(escape(commands_here(text)), _LONGEST_TALK))


def _write_talk(line: str, end: str = "\n") -> None:
    sys.stdout.flush()
    encoding = sys.stderr.encoding or "ascii"
    sys.stderr.write(line.encode(encoding, "backslashreplace").decode(encoding) + end)
    sys.stderr.flush()


def ask(question: str) -> None:
    """A question on stderr, whose answer is typed behind it."""
    _write_talk(shortened(escape(commands_here(question)), _LONGEST_TALK), end="")


def is_terminal() -> bool:
    """Whether stdout is read by a person."""
    return sys.stdout.isatty()


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, no_color: bool) -> None:
    """A table for a person's terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for column in columns:
        grid.add_column(column, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(escape(commands_here(cell))) for cell in row))
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
    # In backquotes the command of a provider as well.
    named = r"(?<![\w./-])zeroclaw (?=(?:plugin|memory|config|strategy|doctor|mcp)\b)|(?<=`)zeroclaw (?=[a-z])"
    return re.sub(named, lambda _: f"zeroclaw{_config_dir_option} ", text)


def can_ask() -> bool:
    """Whether a question would reach a person."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str, *, option: str) -> bool:
    """Ask a yes-or-no question on the terminal. Without one raises UsageError that names ``option``."""
    if not can_ask():
        raise UsageError(f"{question} — there is no terminal to ask on", hint=f"pass {option} to answer yes")
    ask(f"{question} [y/N] ")
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
    """One log record of a guest on stderr, for ``-v``."""
    talk(f"{record.level}: {record.function}: {record.message}")
