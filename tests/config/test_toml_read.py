from __future__ import annotations

import pytest
import tomli
from hypothesis import example, given
from hypothesis import strategies as st

from tests.config.toml_documents import documents
from tests.support.stack import with_frames
from zeroclaw_cli.config.toml_read import BOM, describe_path, is_bare_key, load_toml, walk
from zeroclaw_cli.config.toml_text import key


@given(documents())
def test_a_document_reads_as_the_parser_reads_it(text: str) -> None:
    assert repr(load_toml(text.removeprefix(BOM))) == repr(tomli.loads(text.removeprefix(BOM)))


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_the_integers_of_64_bits_are_read(number: int) -> None:
    assert load_toml(f"a = {number}") == {"a": number}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"a = {2**63}", "the integer at a does not fit in 64 bits (at line 1)"),
        (f"a = {-(2**63) - 1}", "the integer at a does not fit in 64 bits (at line 1)"),
        (
            "[[a]]\n[[a]]\nb.c = [\n1,\n0x10000000000000000 ]",
            "the integer at a[1].b.c[1] does not fit in 64 bits (at line 3)",
        ),
        ("a = " + "9" * 5000, "an integer does not fit in 64 bits"),
        ("a = '\ud800'", "the text holds lone surrogates and is not Unicode"),
        ("a = " + "[" * 2000 + "]" * 2000, "it nests deeper than can be read"),
        ("a = " + "{a = " * 2000 + "1" + "}" * 2000, "it nests deeper than can be read"),
        (".".join("a" * 5000) + " = 1", "it nests deeper than can be read"),
        (f"[{'.'.join('a' * 600)}]\n{'.'.join('b' * 600)} = 1", "it nests deeper than can be read"),
    ],
)
def test_what_the_format_or_the_memory_cannot_hold_is_refused_in_one_line(text: str, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        load_toml(text)
    assert str(caught.value) == problem


def test_a_byte_order_mark_is_the_callers_to_drop() -> None:
    with pytest.raises(tomli.TOMLDecodeError):
        load_toml(f"{BOM}a = 1")


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_nesting_that_is_read_is_read_deep_in_the_stack_too(pair: str) -> None:
    text = "a = " + ("[" * 395 + "]" * 395 if pair == "[]" else "{a = " * 395 + "1" + "}" * 395)
    assert with_frames(80, lambda: sum(1 for _ in walk(load_toml(text)))) > 395


@given(st.text(max_size=3))
@example("")
@example("é")
@example("a-_9Z")
@example("a\n")
def test_a_bare_key_is_what_may_stand_without_quotes(text: str) -> None:
    try:
        bare = tomli.loads(f"{text}=1") == {text: 1}
    except tomli.TOMLDecodeError:
        bare = False
    assert is_bare_key(text) == bare
    assert (key(text) == text) == bare


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), "the root"),
        (("a", "b c", 0, "d"), "a.'b c'[0].d"),
        (("a\n",), "'a\\n'"),
        (("a",) * 13, ".".join("a" * 12) + "…"),
    ],
)
def test_a_path_is_described_in_one_line(path: tuple[str | int, ...], text: str) -> None:
    assert describe_path(path) == text
