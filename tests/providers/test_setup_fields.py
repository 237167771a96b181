from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zeroclaw_cli.errors import ProviderBroken
from zeroclaw_cli.providers.env_file import key_problem
from zeroclaw_cli.providers.setup.fields import BadValue, Field, hint_of, read_schema, same, show, variable_for


def one(**descriptor: Any) -> Field:
    return read_schema("p", [{"key": "k", **descriptor}]).fields[0]


def test_only_the_key_is_required_and_describes_itself() -> None:
    assert one() == Field("k", "k")


@pytest.mark.parametrize(
    ("raw", "wrong"),
    [
        ({}, "it is not a list"),
        ("fields", "it is not a list"),
        ([{}], "field 1 has no key"),
        ([{"key": ""}], "field 1 has no key"),
        (["key"], "field 1 has no key"),
        ([{"key": "a"}, {"key": "a"}], "the key 'a' is there twice"),
        ([{"key": "a", "choices": "x"}], "field 'a': choices must be a list"),
        ([{"key": "a", "choices": [[]]}], "field 'a': a choice is not text"),
        ([{"key": "a", "when": ["b"]}], "field 'a': when must map keys to answers"),
    ],
)
def test_a_schema_that_cannot_be_asked_is_refused_naming_the_field(raw: Any, wrong: str) -> None:
    with pytest.raises(ProviderBroken, match=re.escape(wrong)):
        read_schema("p", raw)


def test_details_that_make_no_sense_are_problems_and_are_ignored() -> None:
    schema = read_schema(
        "p",
        [
            {"key": "a", "type": "colour", "minimum": "x", "step": 0, "required": "yes"},
            {"key": "b", "type": "integer", "default": "many", "when": {"z": 1}},
            {"key": "c", "default_from": {"field": "a"}, "description": 3},
        ],
    )
    assert [field.key for field in schema.fields] == ["a", "b", "c"]
    assert schema.fields[0].required
    assert schema.fields[1].default is None
    assert set(schema.problems) == {
        "field 'a': its type must be text, integer, number or boolean",
        "field 'a': required is not true or false",
        "field 'a': minimum is not a number",
        "field 'a': step is not more than 0",
        "field 'b': when names 'z', which is not asked before it",
        "field 'b': its default must be an integer",
        "field 'c': description is not a text",
        "field 'c': default_from has no field or no map",
    }


def test_a_secret_written_as_a_text_is_still_a_secret() -> None:
    assert one(secret="true").secret
    assert one(secret="required").secret
    assert not one(secret="false").secret


@pytest.mark.parametrize("text", ["true", "True", "yes", "on", "1", "Y"])
def test_a_boolean_becomes_a_real_bool(text: str) -> None:
    assert one(type="boolean").parse(text) is True


@pytest.mark.parametrize("text", ["false", "FALSE", "no", "off", "0", "n"])
def test_the_text_false_is_false(text: str) -> None:
    assert one(type="boolean").parse(text) is False


def test_a_default_of_true_makes_an_untyped_field_a_boolean() -> None:
    assert one(default=False).parse("yes") is True


@pytest.mark.parametrize(
    ("descriptor", "text", "wrong"),
    [
        ({"type": "boolean"}, "maybe", "must be true or false"),
        ({"type": "integer"}, "1.5", "must be an integer"),
        ({"type": "integer"}, "9223372036854775808", "must be an integer"),
        ({"type": "integer"}, "１２", "must be an integer"),
        ({"type": "number"}, "nan", "must be a number"),
        ({"type": "number"}, "1e999", "must be a number"),
        ({"type": "integer", "minimum": 1}, "0", "must be at least 1"),
        ({"type": "integer", "maximum": 30}, "31", "must be at most 30"),
        ({"type": "number", "minimum": 0, "step": 0.1}, "0.25", "must be a multiple of 0.1"),
        ({"type": "integer", "minimum": 1, "step": 2}, "4", "must be a multiple of 2 above 1"),
        ({"choices": ["eu", "us"]}, "asia", "must be one of eu, us"),
        ({}, "two\nlines", "holds a line break"),
        ({"secret": True}, "a\x00b", "holds a line break or another character"),
        ({}, "\udcff", "holds a line break or another character"),
    ],
)
def test_an_answer_that_the_field_does_not_take_says_why(descriptor: dict[str, Any], text: str, wrong: str) -> None:
    with pytest.raises(BadValue, match=re.escape(wrong)):
        one(**descriptor).parse(text)


def test_a_refused_secret_is_never_repeated() -> None:
    with pytest.raises(BadValue) as refused:
        one(secret=True).parse("hunter2\nhunter2")
    assert "hunter2" not in str(refused.value)


def test_numbers_in_range_are_taken() -> None:
    field = one(type="number", minimum=0, maximum=1, step=0.1)
    assert [field.parse(text) for text in ("0", "0.3", "1", ".7")] == [0, 0.3, 1, 0.7]


def test_a_choice_keeps_the_type_of_the_schema() -> None:
    field = one(choices=[1, True, "x"])
    assert [field.parse(text) for text in ("1", "true", "x")] == [1, True, "x"]


def test_joiners_of_real_scripts_are_text() -> None:
    assert one().parse("می\u200cخواهم") == "می\u200cخواهم"


def test_when_needs_all_answers_and_knows_texts_for_booleans() -> None:
    fields = read_schema(
        "p", [{"key": "a"}, {"key": "b", "type": "boolean"}, {"key": "c", "when": {"a": "x", "b": "true"}}]
    ).fields
    field = fields[2]
    assert field.applies({"a": "x", "b": True})
    assert not field.applies({"a": "x", "b": False})
    assert not field.applies({"a": "x"})
    assert not field.applies({"a": None, "b": True})


def test_default_from_takes_the_default_of_the_answer_or_the_plain_one() -> None:
    fields = read_schema(
        "p",
        [
            {"key": "host"},
            {
                "key": "port",
                "type": "integer",
                "default": 1,
                "default_from": {"field": "host", "map": {"local": 80, "bad": "x"}},
            },
        ],
    ).fields
    assert fields[1].default_for({"host": "local"}) == 80
    assert fields[1].default_for({"host": "bad"}) == 1
    assert fields[1].default_for({}) == 1


def test_a_secret_has_a_variable_and_no_default() -> None:
    field = read_schema("my-provider", [{"key": "api key", "secret": True, "default": "abc"}]).fields[0]
    assert field.env_var == "MY_PROVIDER_API_KEY"
    assert field.default is None


@given(st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True), st.text(min_size=1))
def test_a_made_up_variable_is_always_one(provider: str, key: str) -> None:
    name = variable_for(provider, key)
    assert re.fullmatch(r"[A-Z_][A-Z0-9_]*", name)


def test_a_made_up_variable_of_an_ordinary_provider_may_be_set() -> None:
    assert key_problem(variable_for("mem0", "api_key")) is None


@pytest.mark.parametrize(
    ("descriptors", "hint"),
    [
        ([], "no setup needed"),
        ([{"key": "a"}], "local"),
        ([{"key": "a", "secret": True}], "requires API key"),
        ([{"key": "a"}, {"key": "b", "secret": True}], "API key / local"),
    ],
)
def test_the_hint_says_what_setup_wants(descriptors: list[dict[str, Any]], hint: str) -> None:
    assert hint_of(read_schema("p", descriptors).fields) == hint


SCALARS = st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.text(st.characters(codec="utf-8")))


@given(st.one_of(SCALARS, st.floats(allow_nan=False, allow_infinity=False)))
def test_a_value_is_the_same_as_its_own_text(value: Any) -> None:
    assert same(value, show(value)) or isinstance(value, bool)
    assert same(value, value)


JSON = st.recursive(
    st.one_of(st.none(), SCALARS, st.floats()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
OF_TEXT = ("description", "env_var", "url", "type")
NAMES = st.sampled_from(
    [*OF_TEXT, "secret", "required", "default", "choices", "minimum", "maximum", "step", "when", "default_from"]
)


@example(raw=[{"key": "k", "when": {"\n": None}}])
@given(raw=st.lists(st.dictionaries(NAMES, JSON, max_size=8).map(lambda item: {"key": "k", **item}), max_size=1))
def test_any_descriptor_is_read_or_refused_in_one_line(raw: list[dict[str, Any]]) -> None:
    try:
        schema = read_schema("p", raw)
    except ProviderBroken as broken:
        assert "\n" not in broken.message
        return
    for field in schema.fields:
        if field.default is not None:
            assert field.accept(field.default) == field.default


@given(st.text(), st.sampled_from(["text", "integer", "number", "boolean"]))
def test_any_answer_is_taken_or_refused(text: str, kind: str) -> None:
    field = one(type=kind)
    try:
        value = field.parse(text)
    except BadValue:
        return
    assert field.accept(value) == value
    assert field.parse(show(value)) == value
