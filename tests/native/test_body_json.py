"""A body as JSON: no more than the grammar, and its strings as readers are given them (§10, §11, §15)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.native.body_json import RepeatedKey, json_strings, load

TEXTS = st.text(max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def strings_of(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in strings_of(item)]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *strings_of(item))]
    return []


@given(VALUES, st.booleans())
def test_the_strings_of_json_are_all_its_keys_and_texts(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert json_strings(text) == strings_of(value)
    assert json_strings(f"\n{text}\n\n{text}\n") == 2 * strings_of(value)


@pytest.mark.parametrize("text", ["", "tea", '[x] he said "system: down"', '{"a": "b"', '"a" and "b"'])
def test_a_text_that_is_no_json_has_no_strings(text: str) -> None:
    assert json_strings(text) == []


@pytest.mark.parametrize(
    "text", ['{"n": ' + "1" * 5_000 + ', "a": "\\u0062"}', '{"n": NaN, "a": "b"}', '\ufeff{"n": 1, "a": "b"}']
)
def test_what_some_reader_takes_for_json_is_json_here(text: str) -> None:
    assert json_strings(text) == ["n", "a", "b"]


def test_what_is_nested_too_deeply_for_one_reader_is_read_all_the_same() -> None:
    assert json_strings("[" * 50_000 + '"\\u0062"') == ["b"]


@pytest.mark.parametrize(
    "body", [b"NaN", b"[Infinity]", b'{"a": -Infinity}', b"{", b"\xff", '{"a": 1}'.encode("utf-16")]
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):
        load(body)


def test_a_repeated_key_and_a_number_out_of_range_are_refused_where_they_matter() -> None:
    assert load(b'{"a": 1, "a": 2}') == {"a": 2}
    with pytest.raises(RepeatedKey):
        load(b'[{"a": 1, "a": 2}]', unique=True)
    assert load(b"1e999") == float("inf")
    with pytest.raises(ValueError):
        load(b"1e999", finite=True)
