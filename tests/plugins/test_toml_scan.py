from __future__ import annotations

import tomli
from hypothesis import given

from tests.config.toml_documents import documents
from tests.support.stack import with_frames
from zeroclaw_cli.config.toml_read import BOM
from zeroclaw_cli.plugins.toml_scan import Expression, Key, scan

DEEP = 395


def pieces(text: str) -> list[tuple[str, str]]:
    """The key or header and the value of each expression, as they are written."""
    found = []
    for expression in scan(text):
        value = expression.values[0] if expression.values else None
        end = expression.end if value is None else value.start
        found.append((text[expression.start : end], "" if value is None else text[value.start : value.end]))
    return found


def only(text: str) -> Expression:
    (expression,) = scan(text)
    return expression


@given(documents())
def test_the_expressions_of_a_document_meet_and_only_trivia_is_left(text: str) -> None:
    text = text.removeprefix(BOM)
    position = 0
    for expression in scan(text):
        assert expression.above == position
        assert position <= expression.start < expression.end <= expression.line_end
        for trivia in (text[position : expression.start], text[expression.end : expression.line_end]):
            assert tomli.loads(trivia) == {}
        position = expression.line_end
    assert tomli.loads(text[position:]) == {}


@given(documents())
def test_each_value_is_cut_so_that_it_reads_alone(text: str) -> None:
    text = text.removeprefix(BOM)
    for expression in scan(text):
        for value in expression.values:
            tomli.loads(f"v = {text[value.start : value.end]}")
            if value.key is not None:
                key = text[value.key_start : value.start].rstrip(" \t").removesuffix("=")
                assert ".".join(value.key.spelling) == "".join(key.split())
            if value.parent >= 0:
                holder = expression.values[value.parent]
                assert holder.start < value.key_start <= value.start < value.end < holder.end
                assert (holder.bracket, value.key is None) in (("[", True), ("{", False))


def test_a_value_ends_before_the_blanks_and_the_comment_behind_it() -> None:
    assert pieces("a = 1979-05-27 07:32:00 \t# c\n[ t ] # [x]\nb='''\n#'''''\r\nc=\"\\\"#\"") == [
        ("a = ", "1979-05-27 07:32:00"),
        ("[ t ]", ""),
        ("b=", "'''\n#'''''"),
        ("c=", '"\\"#"'),
    ]


def test_a_key_keeps_its_spelling_and_the_blanks_around_its_dots() -> None:
    assert only("'a b' .\t\"\\u0063\". d = 1").key == Key(
        ("a b", "c", "d"), ("'a b'", '"\\u0063"', "d"), (("", " "), ("\t", ""), (" ", ""))
    )
    header = only("  [[ a . b ]] # c")
    assert header.key == Key(("a", "b"), ("a", "b"), ((" ", " "), (" ", " ")))
    assert (header.is_header, header.array) == (True, True)


def test_what_is_nested_in_a_value_follows_it_in_the_order_of_the_text() -> None:
    text = "a = [1, {x.y = [], # c ]\n z = {}, }, [\n'}']]"
    values = only(text).values
    assert [(value.parent, value.bracket, text[value.key_start : value.end]) for value in values] == [
        (-1, "[", text),
        (0, "", "1"),
        (0, "{", "{x.y = [], # c ]\n z = {}, }"),
        (2, "[", "x.y = []"),
        (2, "{", "z = {}"),
        (0, "[", "[\n'}']"),
        (5, "", "'}'"),
    ]


def test_the_depth_of_a_value_costs_no_frames() -> None:
    for text in (f"a = {'[' * DEEP}{']' * DEEP}", f"a = {'{a = ' * DEEP}1{'}' * DEEP}"):
        values = with_frames(80, lambda text=text: only(text).values)  # type: ignore[misc]
        assert [value.parent for value in values] == list(range(-1, len(values) - 1))
        assert values[0].end == len(text)


def test_long_strings_and_many_members_are_passed_in_time_that_grows_with_them() -> None:
    body = "''x" * 200_000
    assert only(f"a = '''{body}'''").end == len(body) + 10
    body = '\\"x' * 200_000
    assert only(f'a = "{body}"').end == len(body) + 6
    assert len(only(f"a = [{'[],' * 100_000}]").values) == 100_001
