"""Questions on a terminal: one line each, where Esc, Ctrl-C and the end of the input give up.

The terminal itself edits the line. Esc is made a second end of a line (``VEOL``), so that it is seen at once without a
line editor of our own.
"""

from __future__ import annotations

import codecs
import os
import select
import sys
import termios
from collections.abc import Mapping, Sequence
from typing import Any, Final

from zeroclaw_cli.cli import output
from zeroclaw_cli.providers.setup.answers import Cancelled, Choice

_ESC: Final = b"\x1b"
# What a key such as an arrow sends after its Esc follows at once.
_SEQUENCE_S: Final = 0.05
_LOCAL_FLAGS: Final = 3
_CHARACTERS: Final = 6


class TerminalAnswers:
    """A person at the terminal of stdin and stderr; only for use where :func:`output.can_ask`."""

    def choose(self, question: str, choices: Sequence[Choice], preselected: int) -> int:
        for number, choice in enumerate(choices, start=1):
            hint = f"  ({choice.hint})" if choice.hint else ""
            output.talk(f"  {number}. {choice.label}{hint}")
        while True:
            answer = self.ask(question, str(preselected + 1))
            index = _index_of(answer, choices)
            if index is not None:
                return index
            output.talk(f"type a number from 1 to {len(choices)}, or one of the words")

    def ask(self, question: str, default: str) -> str:
        shown = f" [{default}]" if default else ""
        return _read_line(f"{question}{shown}: ").strip() or default

    def ask_secret(self, question: str) -> str:
        return _read_line(f"{question}: ", hidden=True)

    def confirm(self, question: str, *, default: bool) -> bool:
        while True:
            answer = _read_line(f"{question} {'[Y/n]' if default else '[y/N]'} ").strip().lower()
            if not answer:
                return default
            if answer in {"y", "yes", "n", "no"}:
                return answer.startswith("y")
            output.talk("type y or n")


def _index_of(answer: str, choices: Sequence[Choice]) -> int | None:
    for index, choice in enumerate(choices):
        if answer == choice.label:
            return index
    if answer.isdecimal() and 1 <= int(answer) <= len(choices):
        return int(answer) - 1
    return None


def _read_line(prompt: str, *, hidden: bool = False) -> str:
    """A line of the terminal without its end. Raises Cancelled for Esc and for the end of the input."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    wanted = _attributes(before, hidden=hidden)
    try:
        # What was typed before a secret is asked for was echoed: it is not taken for the secret.
        termios.tcsetattr(descriptor, termios.TCSAFLUSH if hidden else termios.TCSADRAIN, wanted)
        while True:
            output.ask(prompt)
            line = _line_bytes(descriptor)
            if not line.endswith(_ESC):
                if hidden:
                    output.talk("")
                return _decoded(line)
            output.talk("")
            if not _drop_sequence(descriptor, wanted):
                raise Cancelled
            output.talk("the line cannot be edited with that key; type it again")
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _attributes(before: list[Any], *, hidden: bool) -> list[Any]:
    flags = before[_LOCAL_FLAGS] | termios.ICANON | termios.ISIG
    flags = flags & ~termios.ECHO if hidden else flags | termios.ECHO
    return _with(before, flags, {termios.VEOL: _ESC})


def _with(before: list[Any], flags: int, characters: Mapping[int, bytes | int]) -> list[Any]:
    attributes = list(before)
    attributes[_LOCAL_FLAGS] = flags
    attributes[_CHARACTERS] = [characters.get(index, old) for index, old in enumerate(before[_CHARACTERS])]
    return attributes


def _line_bytes(descriptor: int) -> bytes:
    # Not sys.stdin: it would wait for a line feed after an Esc.
    line = b""
    while not line.endswith((b"\n", _ESC)):
        part = os.read(descriptor, 4096)
        if not part:
            if line:
                return line
            output.talk("")
            raise Cancelled
        line += part
    return line


def _drop_sequence(descriptor: int, wanted: list[Any]) -> bool:
    """Whether the Esc was the first byte of a key's sequence, whose rest is thrown away."""
    flags = wanted[_LOCAL_FLAGS] & ~(termios.ICANON | termios.ECHO)
    raw = _with(wanted, flags, {termios.VMIN: 1, termios.VTIME: 0})
    termios.tcsetattr(descriptor, termios.TCSADRAIN, raw)
    try:
        found = False
        while select.select([descriptor], [], [], _SEQUENCE_S)[0]:
            rest = os.read(descriptor, 64)
            if not rest:
                break
            found = True
        return found
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, wanted)


def _decoded(line: bytes) -> str:
    encoding = sys.stdin.encoding or "utf-8"
    # What is not text stays recognisable as such, and no field takes it.
    text = codecs.decode(line, encoding, "surrogateescape")
    return text.removesuffix("\n").removesuffix("\r")
