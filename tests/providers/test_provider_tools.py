from __future__ import annotations

import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.manager_providers import FAILURES, Recorder, raising, tool
from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.tools import inject_memory_provider_tools, normalize_tool_schema, result_text


def manager_of(*tools: Any, **behaviour: Any) -> MemoryManager:
    manager = MemoryManager()
    assert manager.add_provider(Recorder("ext", list(tools), **behaviour))
    return manager


def test_a_wrapped_schema_is_unwrapped_once() -> None:
    assert normalize_tool_schema(tool("a")) == tool("a")
    assert normalize_tool_schema({"type": "function", "function": tool("a")}) == tool("a")
    assert normalize_tool_schema({"type": "function", "function": {"type": "function", "function": tool("a")}}) is None


@pytest.mark.parametrize("schema", [None, [], "a", {}, {"name": ""}, {"name": 3}, {"name": None}, {"type": "function"}])
def test_a_schema_without_a_name_is_none(schema: Any) -> None:
    assert normalize_tool_schema(schema) is None


@pytest.mark.parametrize(
    "schema",
    [
        None,
        3,
        {"description": "nameless"},
        tool("has space"),
        tool("é"),
        tool("x" * 65),
        tool("a.b"),
        tool("a\n"),
        tool("nan", extra=float("nan")),
        tool("set", extra={1, 2}),
        tool("memory"),
        tool("read_file"),
    ],
)
def test_a_tool_that_would_spoil_the_request_is_left_out_with_a_warning(
    schema: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        manager = manager_of(schema, tool("good-Tool_1"))
    assert manager.get_all_tool_names() == {"good-Tool_1"}
    assert [schema["name"] for schema in manager.get_all_tool_schemas()] == ["good-Tool_1"]
    assert "'ext'" in caplog.text


def test_the_first_tool_of_a_name_keeps_it(caplog: pytest.LogCaptureFixture) -> None:
    manager, first = MemoryManager(), Recorder("builtin", [tool("note")], handle_tool_call=lambda *_: '"first"')
    manager.add_provider(first)
    with caplog.at_level(logging.WARNING):
        manager.add_provider(Recorder("ext", [tool("note"), tool("other"), tool("other")]))
    assert "'note' is already 'builtin''s" in caplog.text
    assert manager.handle_tool_call("note", {}) == '"first"'
    assert [schema["name"] for schema in manager.get_all_tool_schemas()] == ["note", "other"]


def test_a_provider_cannot_offer_tools_without_end() -> None:
    def forever() -> Any:
        number = 0
        while True:
            number += 1
            yield tool(f"t{number}")

    assert len(manager_of(get_tool_schemas=forever).get_all_tool_names()) == 256


def test_schemas_are_the_hosts_own_copies() -> None:
    schema = tool("a")
    manager = manager_of(schema)
    manager.get_all_tool_schemas()[0]["parameters"]["spoiled"] = True
    assert manager.get_all_tool_schemas() == [tool("a")]


def test_a_tool_that_is_known_only_after_the_start_is_routed_when_the_list_is_built() -> None:
    provider = Recorder("ext", [], handle_tool_call=lambda *_: '{"ok": true}')
    manager = MemoryManager()
    manager.add_provider(provider)
    provider.tools = [tool("late")]
    assert not manager.has_tool("late")
    assert [schema["name"] for schema in manager.get_all_tool_schemas()] == ["late"]
    assert manager.has_tool("late")
    assert manager.handle_tool_call("late", {}) == '{"ok": true}'


def test_an_unknown_tool_is_an_error_object() -> None:
    assert json.loads(MemoryManager().handle_tool_call("nö", {})) == {"error": "No memory provider handles tool 'nö'"}
    assert "nö" in MemoryManager().handle_tool_call("nö", {})
    assert "error" in json.loads(MemoryManager().handle_tool_call(["x"], {}))  # type: ignore[arg-type]


def test_a_tool_that_raises_is_an_error_object_and_an_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    manager = manager_of(tool("t"), handle_tool_call=raising(ValueError("größe")))
    for _ in range(2):
        assert json.loads(manager.handle_tool_call("t", {})) == {"error": "Memory tool 't' failed: größe"}
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.ERROR]
    assert "Memory provider 'ext' handle_tool_call failed: größe" in caplog.text


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_a_tool_call_never_raises(error: BaseException) -> None:
    answer = json.loads(manager_of(tool("t"), handle_tool_call=raising(error)).handle_tool_call("t", {}))
    assert answer["error"].startswith("Memory tool 't' failed: ")


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ('{"ä": 1}', '{"ä": 1}'),
        ({"ä": [1]}, '{"ä": [1]}'),
        (None, "null"),
        (3, "3"),
        ("plain words", '{"result": "plain words"}'),
        ("", '{"result": ""}'),
        ("\ud83d", '{"result": "\ufffd"}'),
        (object(), None),
        (float("nan"), None),
        ({1, 2}, None),
    ],
)
def test_the_result_of_a_tool_is_json_text_or_an_error(result: Any, text: str | None) -> None:
    assert result_text(result) == text
    answer = manager_of(tool("t"), handle_tool_call=lambda *_: result).handle_tool_call("t", {})
    json.loads(answer)
    answer.encode("utf-8")
    assert ("error" in answer) == (text is None)


def test_arguments_are_a_copy_without_secrets() -> None:
    arguments = {"note": "key sk-" + "a1" * 20, "list": [1]}

    def spoil(name: str, args: dict[str, Any], **_: Any) -> str:
        args["list"].append(2)
        return json.dumps(args)

    answer = json.loads(manager_of(tool("t"), handle_tool_call=spoil).handle_tool_call("t", arguments))
    assert answer == {"note": "key [redacted]", "list": [1, 2]}
    assert arguments["list"] == [1]


@pytest.mark.parametrize("arguments", [None, {}])
def test_a_call_without_arguments_is_one_with_none(arguments: Any) -> None:
    manager = manager_of(tool("t"), handle_tool_call=lambda name, args, **_: json.dumps(args))
    assert manager.handle_tool_call("t", arguments) == "{}"


def test_arguments_that_are_no_object_are_an_error_and_never_reach_the_provider() -> None:
    manager = manager_of(tool("t"), handle_tool_call=raising(AssertionError("called")))
    assert "not an object" in manager.handle_tool_call("t", [1])  # type: ignore[arg-type]


def agent_of(manager: MemoryManager, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(**{"memory_manager": manager, "tools": [], "valid_tool_names": set(), **more})


def test_tools_are_added_to_an_agent_once() -> None:
    manager = manager_of(tool("a"), tool("b"))
    agent = agent_of(manager, tools=[{"type": "function", "function": tool("a")}], valid_tool_names={"a"})
    assert inject_memory_provider_tools(agent) == 1
    assert agent.tools[1] == {"type": "function", "function": tool("b")}
    assert agent.valid_tool_names == {"a", "b"}
    assert inject_memory_provider_tools(agent) == 0


@pytest.mark.parametrize(
    ("enabled", "disabled", "allowed"),
    [
        (None, None, True),
        (None, [], True),
        (["memory", "web"], None, True),
        (["web"], None, False),
        ([], None, False),
        (None, ["memory"], False),
        (["memory"], ["memory"], False),
        ("memory", None, True),
    ],
)
def test_tool_sets_that_exclude_memory_withhold_the_tools_and_the_prompt(
    enabled: Any, disabled: Any, allowed: bool
) -> None:
    manager = MemoryManager()
    manager.add_provider(Recorder("builtin", system_prompt_block=lambda: "own"))
    manager.add_provider(Recorder("ext", [tool("a")], system_prompt_block=lambda: "use tool a"))
    agent = agent_of(manager, enabled_toolsets=enabled, disabled_toolsets=disabled)
    assert inject_memory_provider_tools(agent) == int(allowed)
    assert len(agent.tools) == int(allowed)
    assert ("use tool a" in manager.build_system_prompt()) == allowed
    assert "own" in manager.build_system_prompt()


@pytest.mark.parametrize("missing", ["memory_manager", "tools"])
def test_an_agent_without_manager_or_tools_gets_none(missing: str) -> None:
    agent = agent_of(manager_of(tool("a")))
    delattr(agent, missing)
    assert inject_memory_provider_tools(agent) == 0


@pytest.mark.parametrize("valid", [None, [], set()])
def test_the_valid_names_of_an_agent_may_be_of_any_kind(valid: Any) -> None:
    agent = agent_of(manager_of(tool("a")), valid_tool_names=valid)
    inject_memory_provider_tools(agent)
    assert list(agent.valid_tool_names) == ["a"]
