from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zeroclaw_cli.errors import InvalidConfigSchema, InvalidManifest, ValidationFailed
from zeroclaw_cli.plugins.config_schema import TypedConfig, check_config_contract, typed_config
from zeroclaw_cli.plugins.manifest import parse_manifest
from zeroclaw_cli.plugins.model import Manifest, Permission, PluginCapability

# How long one example takes says more about the load of the machine than about the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

GOOD: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"url": {"type": "string"}, "token": {"type": "string", "x-secret": True}},
}


def manifest(
    schema: dict[str, Any] | None, *capabilities: PluginCapability, permissions: tuple[Permission, ...] | None = None
) -> Manifest:
    asked = (Permission.CONFIG_READ,) if permissions is None else permissions
    return Manifest(
        name="vec",
        version="1",
        description=None,
        author=None,
        wasm_path="vec.wasm",
        capabilities=capabilities or (PluginCapability.TOOL,),
        permissions=asked,
        config_schema=schema,
        signature=None,
        publisher_key=None,
        wasm_sha256=None,
        skills_sha256=None,
        text="",
        raw=b"",
    )


def good(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(GOOD), **changes}


def with_property(declared: Any, **changes: Any) -> dict[str, Any]:
    return good(properties={"p": declared}, **changes)


def accepted(schema: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    assert check_config_contract(manifest(schema)) == ()
    assert schema == before


def refused(candidate: Manifest | dict[str, Any], problem: str) -> InvalidConfigSchema:
    with pytest.raises(InvalidConfigSchema, match=problem) as caught:
        check_config_contract(candidate if isinstance(candidate, Manifest) else manifest(candidate))
    assert isinstance(caught.value, InvalidManifest)
    assert "package 'vec'" in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value


def test_a_package_without_config_has_nothing_to_check() -> None:
    assert check_config_contract(manifest(None, permissions=())) == ()


def test_a_good_schema_is_accepted() -> None:
    accepted(GOOD)
    accepted(good(properties={}))
    accepted(good(**{"$schema": "https://json-schema.org/draft/2020-12/schema"}))


# Rule 1.


def test_config_read_without_a_schema_names_the_exact_remedy() -> None:
    error = refused(manifest(None), "the permission config_read requires a config_schema")
    assert error.hint is not None
    for part in ("[config_schema]", "additionalProperties = false", "[config_schema.properties.<key>]", "permissions"):
        assert part in error.hint


def test_a_memory_package_is_told_to_ask_for_no_config() -> None:
    error = refused(manifest(None, PluginCapability.MEMORY), "the permission config_read requires a config_schema")
    assert error.hint is not None
    assert error.hint.startswith("take config_read out of permissions")


def test_the_remedy_is_a_schema_that_is_accepted() -> None:
    text = (
        'name = "vec"\nversion = "1"\nwasm_path = "x"\ncapabilities = ["tool"]\npermissions = ["env_read"]\n'
        '[config_schema]\ntype = "object"\nadditionalProperties = false\n'
        '[config_schema.properties.key]\ntype = "string"\n'
    )
    assert check_config_contract(parse_manifest(text.encode(), source=Path("m"))) == ()


def test_a_schema_without_config_read_is_refused() -> None:
    refused(manifest(GOOD, permissions=(Permission.HTTP_CLIENT,)), "config_read is not requested")
    refused(manifest({}, permissions=()), "config_read is not requested")


# Rules 2 and 3.


def test_the_size_is_that_of_compact_json_in_utf_8() -> None:
    room = 65_536 - len(b'{"type":"object","additionalProperties":false,"properties":{},"title":""}')
    title = "é" * (room // 2) + "x" * (room % 2)
    accepted(good(properties={}, title=title))
    refused(good(properties={}, title=title + "x"), "has 65537 bytes as JSON, more than 65536")


def _nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


def test_values_deeper_than_32_levels_are_refused_wherever_they_are() -> None:
    accepted(good(default=_nested(31)))
    refused(good(default=_nested(32)), "nested deeper than 32")
    refused(good(default=_nested(5000)), "nested deeper than 32")


@pytest.mark.parametrize("place", ["properties", "$defs", "default", "x-anything"])
def test_a_key_called_id_is_refused_anywhere(place: str) -> None:
    refused(good(**{place: {"$id": {"type": "string"}}}), r"\$id' is not allowed")


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef", "$recursiveRef"])
def test_references_are_local_pointers(keyword: str) -> None:
    refused(good(const={keyword: "https://x.example/s"}), "which is not local")
    refused(good(const={keyword: "other.json#/x"}), "which is not local")
    refused(good(const={keyword: "#anchor"}), "is the anchor '#anchor', which is not supported")
    accepted(good(const={keyword: "#"}))
    accepted(good(const={keyword: "#/nowhere"}))
    accepted(good(const={keyword: 1}))


# Rule 4.


@pytest.mark.parametrize(
    "schema",
    [
        good(**{"x-secret": True}),
        good(**{"$defs": {"a": {"x-secret": True}}}),
        good(allOf=[{"properties": {"a": {"x-secret": True}}}]),
        good(**{"if": {"properties": {"a": {"x-secret": True}}}}),
        with_property({"type": "object", "properties": {"a": {"type": "string", "x-secret": True}}}),
        with_property({"type": "array", "items": {"type": "string", "x-secret": True}}),
        with_property({"type": "array", "prefixItems": [{"x-secret": False}]}),
        with_property({"type": "object", "patternProperties": {"a": {"x-secret": True}}}),
    ],
)
def test_a_secret_elsewhere_than_on_a_root_property_is_refused(schema: dict[str, Any]) -> None:
    refused(schema, "x-secret is allowed on a direct property of the root alone")


@pytest.mark.parametrize("value", [False, "true", 1, None, {}])
def test_a_secret_is_marked_by_the_boolean_true(value: Any) -> None:
    refused(with_property({"type": "string", "x-secret": value}), "x-secret must be true")


def test_a_property_or_a_datum_of_that_name_is_no_mark() -> None:
    accepted(good(properties={"x-secret": {"type": "string"}}, default={"x-secret": False}))


# Rules 5–8.


@pytest.mark.parametrize("value", [None, ["object"], "string", True])
def test_the_root_type_is_the_string_object(value: Any) -> None:
    refused(good(type=value), 'type must be the string "object"')


@pytest.mark.parametrize("value", [True, {}, 0, "false"])
def test_additional_properties_are_exactly_false(value: Any) -> None:
    refused(good(additionalProperties=value), "additionalProperties must be there and false")


def test_additional_properties_are_there() -> None:
    refused({"type": "object", "properties": {}}, "additionalProperties must be there and false")


def test_keywords_that_open_the_root_are_refused_in_order_and_allowed_below_it() -> None:
    opened: dict[str, Any] = {"patternProperties": {}, "propertyNames": {}, "unevaluatedProperties": False}
    for keyword in list(opened):
        refused(good(**opened), f"config_schema.{keyword} is not allowed")
        accepted(with_property({"type": "object", keyword: opened.pop(keyword)}))


def test_another_dialect_is_refused() -> None:
    for dialect in ("http://json-schema.org/draft-07/schema#", ""):
        refused(good(**{"$schema": dialect}), r"\$schema")


# Rule 9.


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"type": "string", "minLength": -1}, r"properties.p.minLength: -1 is less than the minimum of 0"),
        ({"type": "string", "enum": "x"}, "properties.p.enum: 'x' is not of type 'array'"),
        ({"type": "strin"}, r"properties.p.type: "),
        ({"type": "object", "required": ["a", "a"]}, "non-unique"),
        ({"type": "string", "pattern": "(?=a)"}, r"properties.p.pattern: .*look-ahead"),
        ({"type": "string", "pattern": "^[\\s\\S]{0,1000}$"}, "repeats up to 1000 times"),
        ({"type": "string", "pattern": "("}, "is not usable"),
        ({"type": "object", "patternProperties": {"(a)\\1": True}}, "patternProperties: .*back-reference"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/gone"}}}, "leads nowhere"),
        ({"type": "object", "properties": {"a": {"$ref": "#/type"}}}, "leads nowhere"),
    ],
)
def test_a_schema_that_does_not_compile_is_refused(declared: Any, problem: str) -> None:
    refused(with_property(declared), problem)


def test_patterns_of_the_dialect_are_accepted() -> None:
    accepted(with_property({"type": "string", "pattern": "^[\\s\\S]{0,200}$"}))
    accepted(with_property({"type": "string", "pattern": "(?<year>\\d{4})"}))
    accepted(with_property({"type": "string", "const": {"pattern": "(?=a)"}}))


# Rules 10 and 11.


@pytest.mark.parametrize("schema", [{"type": "object", "additionalProperties": False}])
def test_properties_are_there(schema: dict[str, Any]) -> None:
    refused(schema, "properties must be a table")


@pytest.mark.parametrize("kind", ["string", "boolean", "integer", "number", "array", "object"])
def test_a_property_has_one_supported_type(kind: str) -> None:
    accepted(with_property({"type": kind}))


@pytest.mark.parametrize(
    "declared",
    [
        {},
        {"type": "null"},
        {"type": ["string"]},
        {"type": ["string", "null"]},
        {"enum": ["a"]},
        {"$ref": "#/properties/p"},
        {"$ref": "#"},
        {"$ref": "#/$defs/none"},
        {"anyOf": [{"type": "string"}]},
        True,
        False,
    ],
)
def test_a_property_of_no_or_several_types_is_refused(declared: Any) -> None:
    schema = with_property(declared, **{"$defs": {"none": {"title": "x"}}})
    if declared == {"$ref": "#"}:
        accepted(schema)
        return
    refused(schema, r"properties\.p has no single supported type")


def _chain(hops: int) -> dict[str, Any]:
    names = [f"d{number}" for number in range(hops)]
    definitions: dict[str, Any] = {name: {"$ref": f"#/$defs/{then}"} for name, then in itertools.pairwise(names)}
    definitions[names[-1]] = {"type": "string"}
    return with_property({"$ref": "#/$defs/d0"}, **{"$defs": definitions})


def test_a_reference_is_followed_33_times() -> None:
    accepted(_chain(33))
    refused(_chain(34), "no single supported type")


def test_pointers_are_unescaped() -> None:
    definitions = {"a/b~c d": {"type": "string"}, "list": [{"type": "string"}]}
    accepted(with_property({"$ref": "#/$defs/a~1b~0c%20d"}, **{"$defs": definitions | {"list": {"type": "string"}}}))


def test_a_secret_is_a_string_also_through_a_reference() -> None:
    definitions = {"s": {"type": "string"}, "n": {"type": "integer"}}
    accepted(with_property({"$ref": "#/$defs/s", "x-secret": True}, **{"$defs": definitions}))
    refused(
        with_property({"$ref": "#/$defs/n", "x-secret": True}, **{"$defs": definitions}), "a secret must be a string"
    )


# Rule 12, and hints.


@pytest.mark.parametrize("capability", [PluginCapability.MEMORY, PluginCapability.OBSERVER, PluginCapability.SKILL])
def test_a_secret_needs_a_tool_or_a_channel(capability: PluginCapability) -> None:
    refused(manifest(GOOD, capability), "x-secret needs the capability tool or channel")
    for serving in (PluginCapability.TOOL, PluginCapability.CHANNEL):
        assert check_config_contract(manifest(GOOD, capability, serving)) == ()


def test_a_memory_package_with_config_is_admitted_with_a_hint() -> None:
    (hint,) = check_config_contract(manifest(with_property({"type": "string"}), PluginCapability.MEMORY))
    assert hint == (
        "package 'vec' asks for config_read: take config_read out of permissions and config_schema out of "
        "manifest.toml; only a tool or a channel receives its config"
    )


def test_the_first_broken_rule_decides() -> None:
    """Each step breaks one more, earlier rule."""
    schema = with_property({"type": "string", "x-secret": True})
    steps: list[tuple[Callable[[], object], str]] = [
        (lambda: None, "x-secret needs"),
        (lambda: schema["properties"].update(q={"type": "null"}), "no single supported type"),
        (lambda: schema["properties"].update(r={"type": "string", "minLength": -1}), "minLength"),
        (lambda: schema.update({"$schema": "x"}), r"\$schema"),
        (lambda: schema.update(propertyNames={}), "propertyNames"),
        (lambda: schema.update(additionalProperties=True), "additionalProperties"),
        (lambda: schema.update(type="array"), "type must be"),
        (lambda: schema.update(items={"x-secret": True}), "x-secret is allowed"),
        (lambda: schema.update(default={"$ref": "x"}), "not local"),
        (lambda: schema.update(title="x" * 70_000), "bytes as JSON"),
    ]
    for step, problem in steps:
        step()
        refused(manifest(schema, PluginCapability.MEMORY), problem)


# Typed values.

TYPED = good(
    properties={
        "s": {"type": "string", "pattern": "^[a-z0-9]*$"},
        "b": {"type": "boolean"},
        "i": {"type": "integer"},
        "n": {"type": "number"},
        "a": {"type": "array", "items": {"type": "integer"}},
        "o": {"$ref": "#/$defs/o"},
        "k": {"type": "string", "x-secret": True},
    },
    **{"$defs": {"o": {"type": "object"}}},
)


def test_values_become_what_the_schema_declares_and_secrets_stand_apart() -> None:
    values = {"s": "007", "b": " true\n", "i": "18446744073709551615", "n": "-1e3", "a": "[1, 2]", "o": '{"x": null}'}
    assert typed_config(manifest(TYPED), {**values, "k": "sk-1"}) == TypedConfig(
        public={"s": "007", "b": True, "i": 2**64 - 1, "n": -1000.0, "a": [1, 2], "o": {"x": None}},
        secrets={"k": "sk-1"},
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("b", value) for value in ("TRUE", "1", "", '"true"', "null")),
        *(("i", value) for value in ("1.0", "1e3", "", "true", "0x1", "01", "+1", "1_0", "٣", "9" * 5000)),
        *(("i", str(value)) for value in (2**64, -(2**63) - 1)),
        *(("n", value) for value in ("NaN", "Infinity", "1e999", "true", '"1"', "", "1,")),
        *(("a", value) for value in ("{}", "1,2", "", "[NaN]", "[1e999]", "[" * 100_000)),
        *(("o", value) for value in ("[]", "{", "a=1", "null")),
    ],
)
def test_a_value_of_another_type_is_refused_without_showing_it(name: str, value: str) -> None:
    with pytest.raises(ValidationFailed, match=rf"config_schema\.properties\.{name}: the value is no ") as caught:
        typed_config(manifest(TYPED), {name: value})
    assert len(caught.value.message) < 120


@pytest.mark.parametrize("value", ["A-SECRET", "abc\n"])
def test_a_value_that_breaks_the_schema_is_refused_by_the_path_alone(value: str) -> None:
    with pytest.raises(ValidationFailed, match=r"config_schema\.properties\.s\.pattern does not hold") as caught:
        typed_config(manifest(TYPED), {"s": value})
    assert value not in str(caught.value.message)


def test_an_undeclared_key_is_refused_without_naming_it() -> None:
    with pytest.raises(ValidationFailed, match="a key is set that config_schema does not declare") as caught:
        typed_config(manifest(TYPED), {"sk-oops": "x"})
    assert "sk-oops" not in f"{caught.value.message}{caught.value.hint}"


def test_a_required_key_that_is_not_set_is_named() -> None:
    with pytest.raises(ValidationFailed, match=r"config_schema\.required does not hold \('url' is missing\)"):
        typed_config(manifest(good(required=["url"])), {})


def test_values_for_a_package_without_a_schema_are_refused() -> None:
    without = manifest(None, permissions=())
    assert typed_config(without, {}) == TypedConfig({}, {})
    with pytest.raises(ValidationFailed, match="declares no config_schema"):
        typed_config(without, {"a": "b"})


def test_a_schema_that_refers_to_itself_without_end_is_an_error_of_one_line() -> None:
    schema = with_property({"type": "string", "allOf": [{"$ref": "#/properties/p"}]})
    with pytest.raises(ValidationFailed, match="refers to itself without end"):
        typed_config(manifest(schema), {"p": "x"})


def test_two_patterns_of_one_table_are_evaluated_together() -> None:
    inner = {"type": "object", "patternProperties": {"(?i)^A$": {}, "^b$": {}}, "additionalProperties": False}
    assert typed_config(manifest(with_property(inner)), {"p": '{"a": 1, "b": 2}'}).public == {"p": {"a": 1, "b": 2}}
    with pytest.raises(ValidationFailed):
        typed_config(manifest(with_property(inner)), {"p": '{"B": 1}'})


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["object", "string", "#", "#/properties", "(", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "additionalProperties",
                    "$ref",
                    "x-secret",
                    "pattern",
                    "allOf",
                    "$defs",
                    "a",
                    "items",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@UNTIMED
@given(st.dictionaries(st.sampled_from(["p", "q", "$ref"]), _JSON, max_size=3), st.text(max_size=5))
def test_arbitrary_schemas_raise_nothing_but_errors_of_the_family(properties: dict[str, Any], value: str) -> None:
    candidate = manifest(good(properties=properties))
    try:
        check_config_contract(candidate)
        typed_config(candidate, dict.fromkeys(properties, value))
    except (InvalidConfigSchema, ValidationFailed) as error:
        assert "\n" not in error.message
