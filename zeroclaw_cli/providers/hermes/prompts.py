"""``hermes_cli.memory_setup``, ``hermes_cli.secret_prompt`` and ``hermes_cli.curses_ui``: questions of a provider that
sets itself up.

They are asked line by line on the terminal of the command. Where nobody can be asked, stdin is at its end.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

__all__ = [
    "_CANCELLED",
    "_curses_select",
    "_print_cancelled_setup",
    "_prompt",
    "_write_env_vars",
    "cmd_setup_provider",
    "curses_radiolist",
    "masked_secret_prompt",
]

_CANCELLED: Final = -1


def masked_secret_prompt(prompt: str, *, mask: str = "*") -> str:
    """One line that is not shown; ``mask`` makes no difference, since nothing is shown of it.

    Raises EOFError at the end of stdin, KeyboardInterrupt.
    """
    if sys.stdin.isatty():
        import getpass

        return getpass.getpass(prompt)
    _say(prompt)
    return _line()


def curses_radiolist(
    title: str,
    items: Sequence[str],
    selected: int = 0,
    *,
    cancel_returns: int | None = None,
    description: str | None = None,
    searchable: bool = False,
) -> int:
    """The index of the item that is chosen by its number; ``selected`` for a blank line and a number of no item.

    ``cancel_returns`` (``selected`` for None) when the answer is missing or not a number. ``searchable`` changes
    nothing.
    """
    _say("\n".join(filter(None, ("", f"  {title}", description))) + "\n")
    for index, item in enumerate(items):
        _say(f"  {'*' if index == selected else ' '} {index + 1}. {item}\n")
    _say(f"  Number [{selected + 1}]: ")
    try:
        answer = _line().strip()
        chosen = int(answer) - 1 if answer else selected
    except (EOFError, KeyboardInterrupt, ValueError):
        return selected if cancel_returns is None else cancel_returns
    return chosen if 0 <= chosen < len(items) else selected


def _curses_select(
    title: str, items: Sequence[tuple[str, str]], default: int = 0, *, cancel_returns: int | None = None
) -> int:
    """As :func:`curses_radiolist`, for pairs of a label and what describes it."""
    labels = [f"{label} - {words}" if words else label for label, words in items]
    return curses_radiolist(title, labels, selected=default, cancel_returns=cancel_returns)


def _prompt(label: str, default: str | None = None, secret: bool = False) -> str:
    """One line of text, ``default`` (empty for None) when it is blank; a ``secret`` is not shown."""
    question = f"  {label} [{default}]: " if default else f"  {label}: "
    if secret:
        return masked_secret_prompt(question) or default or ""
    _say(question)
    return sys.stdin.readline().strip() or default or ""


def _print_cancelled_setup() -> None:
    """Say that setup ends with nothing changed."""
    _say("\n  Setup was cancelled; nothing was saved.\n\n")


def _write_env_vars(env_path: Path, env_writes: Mapping[str, str]) -> None:
    """Set the variables ``env_writes`` in the ``.env`` of the folder that holds ``env_path``. Raises OSError, and what
    the ``.env`` refuses."""
    from zeroclaw_cli.providers import env_file

    env_file.update(Path(env_path).parent, dict(env_writes))


def cmd_setup_provider(provider_name: str) -> None:
    """Say which command sets up ``provider_name``."""
    _say(f"  `zeroclaw memory setup {provider_name}` sets it up.\n")


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError("there is nobody to ask")
    return line.removesuffix("\n").removesuffix("\r")
