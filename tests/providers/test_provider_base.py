from __future__ import annotations

import contextvars
import inspect

import pytest

from tests.support.manager_providers import Recorder
from zeroclaw_cli.providers import base
from zeroclaw_cli.providers.base import MemoryProvider, RecallStatus, is_trivial_prompt, spawn_context_thread

ABSTRACT = {"name", "is_available", "initialize", "get_tool_schemas"}


class Smallest(MemoryProvider):
    @property
    def name(self) -> str:
        return "smallest"

    def is_available(self) -> bool:
        return True

    def initialize(self, session_id: str, **kwargs: object) -> None:
        pass

    def get_tool_schemas(self) -> list[dict[str, object]]:
        return []


def test_four_members_are_required_and_no_other() -> None:
    assert MemoryProvider.__abstractmethods__ == ABSTRACT
    for missing in ABSTRACT:
        members = {name: getattr(Smallest, name) for name in ABSTRACT - {missing}}
        with pytest.raises(TypeError, match=missing):
            type("Half", (MemoryProvider,), members)()


def test_every_other_hook_has_its_default() -> None:
    provider = Smallest()
    assert provider.get_config_schema() == []
    assert provider.backup_paths() == []
    assert provider.system_prompt_block() == provider.prefetch("q") == provider.on_pre_compress([]) == ""
    assert provider.unavailable_reason() == ""
    assert provider.recall_status() is None
    provider.save_config({}, "/home")
    provider.queue_prefetch("q", session_id="s")
    provider.sync_turn("u", "a", session_id="s", messages=[])
    provider.on_turn_start(1, "m", model="x")
    provider.on_session_end([])
    provider.on_session_switch("n", parent_session_id="p", reset=True, rewound=False, reason="new_session")
    provider.on_memory_write("add", "memory", "c", {"k": 1})
    provider.on_delegation("t", "r", child_session_id="c", more=1)
    provider.shutdown()
    with pytest.raises(NotImplementedError, match="'smallest' does not serve the tool 'x'"):
        provider.handle_tool_call("x", {})


def test_the_members_are_those_of_the_contract() -> None:
    signatures = {
        "initialize": "(self, session_id, **kwargs)",
        "handle_tool_call": "(self, tool_name, args, **kwargs)",
        "save_config": "(self, values, vibeos_home)",
        "prefetch": "(self, query, *, session_id='')",
        "queue_prefetch": "(self, query, *, session_id='')",
        "sync_turn": "(self, user_content, assistant_content, *, session_id='', messages=None)",
        "on_turn_start": "(self, turn_number, message, **kwargs)",
        "on_session_end": "(self, messages)",
        "on_session_switch": ("(self, new_session_id, *, parent_session_id='', reset=False, rewound=False, **kwargs)"),
        "on_pre_compress": "(self, messages)",
        "on_memory_write": "(self, action, target, content, metadata=None)",
        "on_delegation": "(self, task, result, *, child_session_id='', **kwargs)",
    }
    for name, expected in signatures.items():
        signature = inspect.signature(getattr(MemoryProvider, name))
        bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
        assert str(signature.replace(parameters=bare, return_annotation=signature.empty)) == expected
    # Honoured where a provider has them, and so no part of the class.
    assert not hasattr(MemoryProvider, "post_setup")
    assert not hasattr(MemoryProvider, "get_status_config")


@pytest.mark.parametrize(
    "text", [None, "", "  \n", "/new", "/skill do it", "hi!", "OK.", "thanks :)", "go  ahead", "K"]
)
def test_what_asks_for_nothing_is_trivial(text: str | None) -> None:
    assert is_trivial_prompt(text)


@pytest.mark.parametrize("text", ["k8s", "note", "hi there", "yolo", "no problem with tea", "who?", "7", "continued"])
def test_a_word_that_only_begins_like_a_greeting_is_no_greeting(text: str) -> None:
    assert not is_trivial_prompt(text)


def test_a_context_thread_is_not_started_and_sees_the_callers_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="outside")
    seen: list[object] = []
    variable.set("inside")
    thread = spawn_context_thread(
        lambda *args, **kwargs: seen.append((variable.get(), args, kwargs)), name="own", args=(1,), kwargs={"a": 2}
    )
    variable.set("later")
    assert not thread.is_alive()
    assert thread.daemon
    assert thread.name == "own"
    thread.start()
    thread.join()
    assert seen == [("inside", (1,), {"a": 2})]


def test_the_status_of_a_recall_has_a_sign_of_its_own_by_default() -> None:
    assert RecallStatus("Mine", 2) == RecallStatus("Mine", 2, base.INDICATOR_GLYPH)


def test_the_recorder_of_the_tests_is_a_provider() -> None:
    assert isinstance(Recorder(), MemoryProvider)
