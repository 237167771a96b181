from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.memory.text import display, shortened


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("C:\\path", "C:\\path"),
        ("naïve 記憶 🧠", "naïve 記憶 🧠"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines\r\tx", "two\\nlines\\r\\tx"),
        ("\u202eabc\u2028", "\\u202eabc\\u2028"),
        ("\x9b1m\x7f", "\\x9b1m\\x7f"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_could_command_a_terminal_is_display(text: str, shown: str) -> None:
    assert display(text) == shown


@given(st.text())
def test_escaped_text_is_one_printable_line(text: str) -> None:
    shown = display(text)
    assert len(shown.splitlines()) <= 1
    assert shown.encode().decode() == shown
    assert "\x1b" not in shown


def test_a_long_text_is_cut() -> None:
    assert display("x" * 5_000, 10) == "xxxx…xxxx"


def test_shortened_text_keeps_both_ends() -> None:
    assert shortened("a" * 100 + "z" * 100, limit=21) == "a" * 10 + "…" + "z" * 10
    assert shortened("short") == "short"
