from __future__ import annotations

import pytest
from wasmtime import Config, Engine, WasmtimeError, wat2wasm
from wasmtime.component import Component

from tests.support.guests import component, guest_names
from zeroclaw_cli.errors import ComponentInvalid
from zeroclaw_cli.wasm import world
from zeroclaw_cli.wasm.engine import engine
from zeroclaw_cli.wasm.signatures import FUNCTIONS

OTHER_WORLDS = {"stale_log", "stale_export", "missing_export"}


def signatures(guest: str) -> dict[str, str]:
    return world.component_signatures(Component(engine(), component(guest)))


@pytest.mark.parametrize("guest", ["notes", "plain", "random", "sleep", "fs"])
def test_a_guest_of_the_world_does_not_differ(guest: str) -> None:
    assert world.differences(signatures(guest)) == ()


def test_the_world_has_exactly_the_functions_of_the_example_guest() -> None:
    found = signatures("notes")
    assert found == dict(world.world_signatures())


def test_the_signature_table_has_the_functions_and_parameters_of_the_world() -> None:
    exported = {
        name.split("#")[1]: text
        for name, text in world.world_signatures().items()
        if name.startswith(f"export {world.MEMORY}#")
    }
    assert set(exported) == set(FUNCTIONS)
    for name, text in exported.items():
        function = FUNCTIONS[name]
        parameters = _top_level_parameters(text)
        assert len(parameters) == len(function.parameters), name
        assert function.fallible == ("->result<" in text), name
        for written, shape in zip(parameters, function.parameters, strict=True):
            assert _SHAPES[shape] == written.split(":", 1)[1].split("{")[0].split("<variant")[0], (name, shape)


_SHAPES = {
    "string": "string",
    "u64": "u64",
    "category": "variant",
    "optional-string": "option<string>",
    "optional-f64": "option<f64>",
    "optional-category": "option",
    "agents": "variant",
    "export-filter": "record",
    "messages": "list<record",
}


def _top_level_parameters(text: str) -> list[str]:
    inside = text[len("func(") : text.index(")->result") if ")->result" in text else text.index(")->")]
    found, depth, start = [], 0, 0
    for index, character in enumerate(inside):
        depth += (character in "<({") - (character in ">)}")
        if character == "," and depth == 0:
            found.append(inside[start:index])
            start = index + 1
    return [*found, inside[start:]] if inside else []


def test_a_stale_export_is_named_with_both_types() -> None:
    (line,) = world.differences(signatures("stale_export"))
    assert line.startswith("zeroclaw:plugin/memory@0.1.0#recall is ")
    assert "but the world has" in line
    assert "until:option<string>" in line
    assert "memory-entry" in line
    assert len(line) < 500


def test_a_stale_import_is_named() -> None:
    (line,) = world.differences(signatures("stale_log"))
    assert line.startswith("zeroclaw:plugin/logging@0.1.0#log-record is func(level:")


def test_a_missing_export_is_named() -> None:
    assert world.differences(signatures("missing_export")) == (
        "zeroclaw:plugin/memory@0.1.0#forget-for-agent is missing",
    )


def test_an_export_of_another_version_is_pointed_out() -> None:
    found = {name.replace("memory@0.1.0", "memory@0.2.0"): text for name, text in signatures("plain").items()}
    lines = world.differences(found)
    assert len(lines) == len(FUNCTIONS)
    assert "(the component has zeroclaw:plugin/memory@0.2.0)" in lines[0]


def test_more_exports_than_the_world_has_are_fine() -> None:
    found = signatures("plain") | {"export zeroclaw:plugin/memory@0.1.0#extra": "func()->_"}
    assert world.differences(found) == ()


def test_an_unknown_function_of_logging_is_a_difference() -> None:
    found = signatures("plain") | {"import zeroclaw:plugin/logging@0.1.0#shout": "func()->_"}
    assert world.differences(found) == (
        "zeroclaw:plugin/logging@0.1.0#shout is imported, which the world does not have",
    )


def test_every_other_guest_has_the_types_of_the_world() -> None:
    for guest in set(guest_names()) - OTHER_WORLDS - {"http", "unknown_import"}:
        if guest in {"notes", "plain", "partial", "err", "exit", "no_clock", "random", "hostile"}:
            assert world.differences(signatures(guest)) == (), guest


def test_a_type_of_endless_depth_is_refused_instead_of_walked() -> None:
    deep = "(list u8)"
    for _ in range(60):
        deep = f"(list {deep})"
    text = f"""(component (import "zeroclaw:plugin/logging@0.1.0" (instance (export "log-record"
        (func (param "x" {deep}))))))"""
    config = Config()
    config.wasm_component_model = True
    found = Component(Engine(config), wat2wasm(text))
    with pytest.raises(ComponentInvalid, match="50 levels"):
        world.component_signatures(found)


_A_FUNCTION = """(core module $m (func (export "f"))) (core instance $i (instantiate $m))
    (func $f (canon lift (core func $i "f")))"""


@pytest.mark.parametrize(
    ("direction", "before", "item", "after"),
    [
        ("import", '(import "a:b/c@1.0.0" (instance', '(export "f{}" (func))', "))"),
        ("export", _A_FUNCTION, '(export "f{}" (func $f))', ""),
    ],
)
def test_a_component_with_thousands_of_items_is_refused_before_they_are_walked(
    direction: world.Direction, before: str, item: str, after: str
) -> None:
    items = "".join(item.format(number) for number in range(2_001))
    found = Component(engine(), wat2wasm(f"(component {before} {items} {after})"))
    with pytest.raises(ComponentInvalid, match=f"the component {direction}s more than 2,000 items"):
        world._walk(found, direction)


@pytest.mark.parametrize(
    "function",
    ["(func async (result u64))", '(func (param "x" (stream u8)))', "(func (result (future)))"],
)
def test_asynchronous_types_are_no_part_of_the_engine(function: str) -> None:
    text = f"""(component (import "{world.MEMORY}" (instance (export "count" {function}))))"""
    with pytest.raises(WasmtimeError, match="async"):
        Component(engine(), wat2wasm(text))
