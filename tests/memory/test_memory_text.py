from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.memory.text import counted, escape


def test_what_joins_letters_and_emoji_stays() -> None:
    assert escape("👩\u200d🚀 می\u200cخواهم") == "👩\u200d🚀 می\u200cخواهم"


def test_what_is_kept_stays_and_the_rest_is_escaped() -> None:
    assert escape("a\n\tb\x1b[2J\u202e", keep="\n\t") == "a\n\tb\\x1b[2J\\u202e"


@given(st.text())
def test_escaped_text_has_no_control_and_can_be_encoded(text: str) -> None:
    shown = escape(text)
    assert not any(ord(character) < 0x20 or 0x7F <= ord(character) <= 0x9F for character in shown)
    assert shown.encode().decode() == shown


def test_counts_agree_with_their_noun() -> None:
    assert (counted(1, "record"), counted(0, "record"), counted(2_000, "record")) == (
        "1 record",
        "0 records",
        "2,000 records",
    )
