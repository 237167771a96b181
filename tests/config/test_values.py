from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.config.build import host_problem
from zeroclaw_cli.config.publisher_key import key_problem
from zeroclaw_cli.config.schema import FIELDS, Decides, Field, Kind
from zeroclaw_cli.config.toml_text import key, quote, render
from zeroclaw_cli.config.values import from_json, is_package_name, parse, require_writable, show
from zeroclaw_cli.errors import ConfigError, ValidationFailed, ValueTypeMismatch

BY_NAME = {field.name: field for field in FIELDS}


def field(name: str) -> Field:
    return BY_NAME[name]


def of_kind(kind: Kind, **rest: Any) -> Field:
    return Field(("a", "b"), kind, None, "", Decides.ANYBODY, **rest)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
def test_a_boolean_is_one_of_two_words(text: str, value: bool) -> None:
    assert parse(of_kind(Kind.BOOL), "a.b", text) is value


@pytest.mark.parametrize("text", ["True", "1", "yes", " true", "true ", "", "0", "TRUE"])
def test_any_other_boolean_is_refused_with_both_words_named(text: str) -> None:
    with pytest.raises(ValueTypeMismatch) as caught:
        parse(of_kind(Kind.BOOL), "a.b", text)
    assert repr(text) in caught.value.message
    assert "`true` or `false`" in (caught.value.hint or "")
    assert caught.value.path == "a.b"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("+7", 7),
        ("-7", -7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_an_integer_is_an_optional_sign_and_digits(text: str, value: int) -> None:
    assert parse(of_kind(Kind.INT), "a.b", text) == value


@pytest.mark.parametrize(
    "text", ["1_000", "1.0", " 1", "1 ", "", "+", "0x1F", "1e3", "٣", "9223372036854775808", "1" * 5000, "--1", "NaN"]
)
def test_any_other_integer_is_refused(text: str) -> None:
    with pytest.raises(ValueTypeMismatch):
        parse(of_kind(Kind.INT), "a.b", text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2.5", 2.5), ("5.", 5.0), (".5", 0.5), ("1e3", 1000.0), ("-1.5E-2", -0.015), ("+3", 3.0)],
)
def test_a_float_is_written_as_the_other_program_reads_it(text: str, value: float) -> None:
    assert parse(of_kind(Kind.FLOAT), "a.b", text) == value


@pytest.mark.parametrize("text", ["", ".", "1_0", "0x1", " 1", "1e", "e3", "1,5", "infinit"])
def test_any_other_float_is_refused(text: str) -> None:
    with pytest.raises(ValueTypeMismatch):
        parse(of_kind(Kind.FLOAT), "a.b", text)


@pytest.mark.parametrize("text", ["inf", "-Infinity", "NaN"])
def test_a_float_that_is_no_finite_number_is_out_of_range(text: str) -> None:
    with pytest.raises(ValidationFailed, match="finite"):
        parse(of_kind(Kind.FLOAT), "a.b", text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_string_is_taken_verbatim(text: str) -> None:
    assert parse(of_kind(Kind.STRING), "a.b", text) == text


def test_a_text_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(ValueTypeMismatch, match="UTF-8"):
        parse(of_kind(Kind.STRING), "a.b", "a\udcff")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["a", "b"]', ("a", "b")),
        ('["a, b", "", "<unset>"]', ("a, b",)),
        ("[]", ()),
        ("a, b ,c", ("a", "b", "c")),
        ("a,,<unset>, ", ("a",)),
        ("", ()),
        ("a]", ("a]",)),
    ],
)
def test_a_list_is_json_or_items_with_commas(text: str, value: tuple[str, ...]) -> None:
    assert parse(of_kind(Kind.STRINGS), "a.b", text) == value


@pytest.mark.parametrize("text", ["[a, b]", '["a"', "[1]", '["a", null]', '[["a"]]', " [a", "[" * 10_000])
def test_a_text_that_begins_like_an_array_must_be_one(text: str) -> None:
    with pytest.raises(ValueTypeMismatch, match="not a JSON array of strings"):
        parse(of_kind(Kind.STRINGS), "a.b", text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8080", 8080),
        ("true", True),
        ("1.5", 1.5),
        ('"8080"', "8080"),
        ("plain text", "plain text"),
        ("", ""),
        ('{"a": 1, "b": null, "c": {"d": null}}', {"a": 1, "c": {}}),
        ("[1, null, 2]", [1, 2]),
        ("[broken", "[broken"),
        ("null", "null"),
        ("NaN", "NaN"),
    ],
)
def test_a_free_value_is_json_or_text(text: str, value: Any) -> None:
    assert parse(of_kind(Kind.FREE), "a.b", text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.STRINGS, '["\\ud800"]'),
        (Kind.FREE, '"\\ud800"'),
        (Kind.FREE, '{"a": ["\\udfff"]}'),
        (Kind.FREE, '{"\\ud800": 1}'),
    ],
)
def test_half_a_character_in_json_is_refused(kind: Kind, text: str) -> None:
    with pytest.raises(ValueTypeMismatch, match="not UTF-8"):
        parse(of_kind(kind), "a.b", text)
    with pytest.raises(ValueTypeMismatch, match="not UTF-8"):
        from_json(of_kind(kind), "a.b", json.loads(text))


@pytest.mark.parametrize("depth", [65, 200, 800])
def test_a_free_value_that_nests_too_deep_is_refused(depth: int) -> None:
    with pytest.raises(ValueTypeMismatch, match="deeper than 64 levels"):
        parse(of_kind(Kind.FREE), "a.b", "[" * depth + "1" + "]" * depth)


@pytest.mark.parametrize(("open_", "close"), [("[", "]"), ('{"a": ', "}")])
def test_64_levels_of_a_free_value_are_kept(open_: str, close: str) -> None:
    value = parse(of_kind(Kind.FREE), "a.b", open_ * 64 + "1" + close * 64)
    assert show(value).count("1") == 1


def test_a_free_integer_beyond_64_bits_is_refused() -> None:
    with pytest.raises(ValueTypeMismatch, match="64 bits"):
        parse(of_kind(Kind.FREE), "a.b", "9223372036854775808")


@pytest.mark.parametrize("limit", [name for name in BY_NAME if ".limits." in name])
@pytest.mark.parametrize("text", ["0", "-1"])
def test_a_limit_is_greater_than_0(limit: str, text: str) -> None:
    with pytest.raises(ValidationFailed, match="greater than 0"):
        parse(field(limit), limit, text)


def test_an_unknown_signature_mode_is_refused_with_the_words() -> None:
    with pytest.raises(ValidationFailed, match="disabled, permissive, strict"):
        parse(field("plugins.security.signature_mode"), "plugins.security.signature_mode", "strict ")


@pytest.mark.parametrize(
    "text",
    ["", "native", "NATIVE", "layers", "postgres", "none", "sqlite", "plugin.a.b", "Plugin.notes", "provider.my-one"],
)
def test_a_backend_that_may_be_written(text: str) -> None:
    require_writable(field("memory.backend"), "memory.backend", text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("markdown", "the other program"),
        ("lucid", "the other program"),
        ("qdrant.main", "the other program"),
        ("native.x", "is not a backend"),
        ("plugin", "is not a package name"),
        ("plugin.", "is not a package name"),
        ("plugin.Notes", "is not a package name"),
        ("provider.", "is not a provider name"),
        ("nativ", "is not a backend"),
        (" native", "is not a backend"),
    ],
)
def test_a_backend_that_is_never_written(text: str, reason: str) -> None:
    with pytest.raises(ValidationFailed, match=reason) as caught:
        require_writable(field("memory.backend"), "memory.backend", text)
    assert "plugin.<package>" in (caught.value.hint or "")


@pytest.mark.parametrize("text", ["plugins", "./p", "", "~user/p", "~x"])
def test_a_relative_plugins_dir_is_never_written(text: str) -> None:
    with pytest.raises(ValidationFailed, match="relative"):
        require_writable(field("plugins.plugins_dir"), "plugins.plugins_dir", text)


@pytest.mark.parametrize("text", ["/p", "~/p", "~"])
def test_an_absolute_plugins_dir_is_written(text: str) -> None:
    require_writable(field("plugins.plugins_dir"), "plugins.plugins_dir", text)


@pytest.mark.parametrize("text", ["a", "9", "a.b", "a--b", "a..b", "gmail_push", "a" * 128])
def test_a_package_name(text: str) -> None:
    assert is_package_name(text)


@pytest.mark.parametrize("text", ["A", "-a", "a-", "a.", "a/b", "..", "", "a b", "é", "a\n", "a" * 129])
def test_no_package_name(text: str) -> None:
    assert not is_package_name(text)


@pytest.mark.parametrize(
    "text", ["example.org", "*.example.org", "*.local", "localhost", "10.0.0.1", "a_b.example", "A.B"]
)
def test_an_egress_host(text: str) -> None:
    assert host_problem(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "*",
        "*.",
        "a.*",
        "**.a",
        "a:80",
        "[::1]",
        "https://a",
        "a/b",
        "",
        ".a",
        "a.",
        "a..b",
        "-a.b",
        "a-.b",
        "é.org",
        "a b",
        "x" * 64,
        ".".join(["a" * 60] * 5),
    ],
)
def test_no_egress_host(text: str) -> None:
    assert host_problem(text) is not None


PUBLISHED = "is a published test key, so anybody can sign with it"
SMALL_ORDER = "is a point of small order, so anybody can sign with it"


@pytest.mark.parametrize("text", ["ab" * 32, " " + "AB" * 32 + "\n"])
def test_a_publisher_key(text: str) -> None:
    assert key_problem(text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ab", "has 2 hex digits instead of 64"),
        ("0x" + "ab" * 32, "begins with 0x"),
        ("zz" * 32, "is not hex"),
        ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", PUBLISHED),
        ("03A107BFF3CE10BE1D70DD18E74BC09967E4D6309BA50D5F1DDC8664125531B8", PUBLISHED),
        ("00" * 32, SMALL_ORDER),
        ("01" + "00" * 30 + "80", SMALL_ORDER),
        ("ec" + "ff" * 30 + "7f", SMALL_ORDER),
        ("ee" + "ff" * 30 + "7f", SMALL_ORDER),
        ("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", SMALL_ORDER),
        ("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa", SMALL_ORDER),
    ],
)
def test_no_publisher_key(text: str, reason: str) -> None:
    assert key_problem(text) == reason


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("plugins.enabled", 1),
        ("plugins.enabled", "true"),
        ("plugins.max_plugins", True),
        ("plugins.max_plugins", 1.0),
        ("plugins.max_plugins", 2**63),
        ("plugins.disabled", "a"),
        ("plugins.disabled", ["a", 1]),
        ("memory.backend", None),
        ("memory.providers_host.prefetch_timeout_s", True),
    ],
)
def test_a_json_value_of_another_type_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueTypeMismatch):
        from_json(field(name), name, value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "<unset>"),
        ("a b", "a b"),
        ("", ""),
        (True, "true"),
        (30000, "30000"),
        (("a",), '["a"]'),
        (8.0, "8.0"),
        ({}, "{}"),
    ],
)
def test_a_value_is_shown_bare_or_in_its_toml_form(value: Any, text: str) -> None:
    assert show(value) == text


TOML = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.text(st.characters(exclude_categories=["Cs"])),
        st.datetimes(),
        st.dates(),
        st.times(),
    ),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)),
    max_leaves=8,
)


@given(TOML)
def test_rendered_toml_reads_back_as_the_same_value(value: Any) -> None:
    import tomli

    assert tomli.loads(f"a = {render(value)}") == {"a": value}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_key_and_a_string_read_back_as_the_same_text(text: str) -> None:
    import tomli

    assert tomli.loads(f"{key(text)} = {quote(text)}") == {text: text}


def test_every_kind_has_an_error_of_the_family() -> None:
    for described in FIELDS:
        if described.kind in (Kind.BOOL, Kind.INT, Kind.FLOAT):
            with pytest.raises(ConfigError):
                parse(described, described.name, "no such value")
