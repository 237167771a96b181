from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.signatures import accepted, call_memory_write


class Duck:
    """Has only what it must, and whatever hooks it is given, as they are written."""

    name = "duck"

    def __init__(self, **hooks: Callable[..., Any]) -> None:
        for name, hook in hooks.items():
            setattr(self, name, hook)

    def is_available(self) -> bool:
        return True

    def initialize(self, session_id: str) -> None:
        pass

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return [{"name": "duck_tool", "parameters": {}}]


def manager_of(**hooks: Callable[..., Any]) -> MemoryManager:
    manager = MemoryManager()
    assert manager.add_provider(Duck(**hooks))
    return manager


def synced(hook: Callable[..., Any], messages: list[dict[str, Any]] | None) -> None:
    manager = manager_of(sync_turn=hook)
    manager.sync_all("asked", "answered", session_id="s", messages=messages)
    assert manager.flush_pending(5)
    manager.shutdown_all()


def test_sync_turn_gets_messages_only_where_it_takes_them() -> None:
    seen: list[Any] = []

    def old(user: str, assistant: str, *, session_id: str = "") -> None:
        seen.append((user, assistant, session_id))

    def new(user: str, assistant: str, *, session_id: str = "", messages: Any = "none") -> None:
        seen.append((user, assistant, session_id, messages))

    def open_(user: str, assistant: str, **kwargs: Any) -> None:
        seen.append((user, assistant, kwargs))

    def oldest(user: str, assistant: str) -> None:
        seen.append((user, assistant))

    for hook in (old, new, open_, oldest):
        synced(hook, [{"role": "user"}])
    synced(new, None)
    assert seen == [
        ("asked", "answered", "s"),
        ("asked", "answered", "s", [{"role": "user"}]),
        ("asked", "answered", {"session_id": "s", "messages": [{"role": "user"}]}),
        ("asked", "answered"),
        ("asked", "answered", "s", "none"),
    ]


class NotInspectable:
    """A callable whose signature cannot be read."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @property
    def __signature__(self) -> Any:
        raise RuntimeError("not yours")

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.seen.append((args, kwargs))


def test_a_hook_that_cannot_be_inspected_gets_everything() -> None:
    hook = NotInspectable()
    synced(hook, [])
    call_memory_write(hook, "add", "memory", "c", {"k": 1})
    assert hook.seen == [
        (("asked", "answered"), {"session_id": "s", "messages": []}),
        (("add", "memory", "c"), {"metadata": {"k": 1}}),
    ]


def test_metadata_of_a_memory_write_goes_by_name_or_fourth_or_not_at_all() -> None:
    seen: list[Any] = []

    def by_name(action: str, target: str, content: str, metadata: Any = None) -> None:
        seen.append(("name", metadata))

    def keyword_only(action: str, target: str, content: str, *, metadata: Any = None) -> None:
        seen.append(("keyword", metadata))

    def open_(action: str, target: str, content: str, **kwargs: Any) -> None:
        seen.append(("open", kwargs))

    def fourth(action: str, target: str, content: str, extra: Any) -> None:
        seen.append(("fourth", extra))

    def positional(action: str, target: str, content: str, metadata: Any, /) -> None:
        seen.append(("positional", metadata))

    def three(action: str, target: str, content: str) -> None:
        seen.append(("three",))

    def rest(action: str, target: str, content: str, *rest: Any) -> None:
        seen.append(("rest", rest))

    for hook in (by_name, keyword_only, open_, fourth, positional, three, rest):
        manager_of(on_memory_write=hook).on_memory_write("add", "user", "c", {"k": 1})
    assert seen == [
        ("name", {"k": 1}),
        ("keyword", {"k": 1}),
        ("open", {"metadata": {"k": 1}}),
        ("fourth", {"k": 1}),
        ("positional", {"k": 1}),
        ("three",),
        ("rest", ()),
    ]


def test_each_memory_write_has_a_copy_of_the_metadata() -> None:
    given = {"k": {"deep": 1}}

    def spoil(action: str, target: str, content: str, metadata: dict[str, Any]) -> None:
        metadata["k"]["deep"] = 2

    manager_of(on_memory_write=spoil).on_memory_write("add", "user", "c", given)
    assert given == {"k": {"deep": 1}}


def test_keywords_that_a_hook_does_not_take_are_dropped() -> None:
    seen: dict[str, Any] = {}

    def initialize(session_id: str, vibeos_home: str) -> None:
        seen["initialize"] = (session_id, vibeos_home)

    def on_turn_start(turn_number: int, message: str, model: str = "") -> None:
        seen["on_turn_start"] = (turn_number, message, model)

    def on_session_switch(new_session_id: str, reset: bool = False) -> None:
        seen["on_session_switch"] = (new_session_id, reset)

    def on_delegation(task: str, result: str) -> None:
        seen["on_delegation"] = (task, result)

    def prefetch(query: str) -> str:
        seen["prefetch"] = query
        return "found"

    def queue_prefetch(query: str) -> None:
        seen["queue_prefetch"] = query

    def handle_tool_call(tool_name: str, args: dict[str, Any]) -> str:
        seen["handle_tool_call"] = (tool_name, args)
        return "{}"

    manager = manager_of(
        initialize=initialize,
        on_turn_start=on_turn_start,
        on_session_switch=on_session_switch,
        on_delegation=on_delegation,
        prefetch=prefetch,
        queue_prefetch=queue_prefetch,
        handle_tool_call=handle_tool_call,
    )
    manager.initialize_all("s", vibeos_home="/h", user_id="u")
    manager.on_turn_start(1, "m", model="x", tool_count=3)
    manager.on_session_switch("n", parent_session_id="p", reset=True, reason="new_session")
    manager.on_delegation("t", "r", child_session_id="c", cost=1)
    assert manager.prefetch_all("what is tea", session_id="s") == "found"
    manager.queue_prefetch_all("what is tea", session_id="s")
    assert manager.handle_tool_call("duck_tool", {"a": 1}, session_id="s") == "{}"
    assert manager.flush_pending(5)
    manager.shutdown_all()
    assert seen == {
        "initialize": ("s", "/h"),
        "on_turn_start": (1, "m", "x"),
        "on_session_switch": ("n", True),
        "on_delegation": ("t", "r"),
        "prefetch": "what is tea",
        "queue_prefetch": "what is tea",
        "handle_tool_call": ("duck_tool", {"a": 1}),
    }


def test_a_hook_that_raises_type_error_runs_once(caplog: pytest.LogCaptureFixture) -> None:
    calls = []

    def on_delegation(task: str, result: str, **kwargs: Any) -> None:
        calls.append(task)
        raise TypeError("unexpected keyword argument 'child_session_id'")

    with caplog.at_level(logging.WARNING):
        manager_of(on_delegation=on_delegation).on_delegation("t", "r")
    assert calls == ["t"]
    assert "Memory provider 'duck' on_delegation failed: unexpected keyword argument" in caplog.text


def test_an_object_without_optional_hooks_is_one_whose_hooks_do_nothing(caplog: pytest.LogCaptureFixture) -> None:
    manager = manager_of()
    with caplog.at_level(logging.DEBUG):
        manager.initialize_all("s")
        manager.on_turn_start(1, "m")
        assert manager.prefetch_all("what is tea") == manager.build_system_prompt() == manager.on_pre_compress([]) == ""
        manager.sync_all("u", "a")
        manager.queue_prefetch_all("what is tea")
        manager.on_memory_write("add", "memory", "c")
        manager.on_session_switch("n")
        manager.on_delegation("t", "r")
        manager.on_session_end([])
        manager.shutdown_all()
    assert "failed" not in caplog.text
    assert manager.degraded == {}


def test_a_keyword_that_a_positional_argument_already_fills_is_not_passed_again() -> None:
    def odd(session_id: str) -> None: ...

    assert accepted(odd, 1, {"session_id": "s"}) == {}
    assert accepted(odd, 0, {"session_id": "s"}) == {"session_id": "s"}


def test_a_decorated_hook_is_inspected_as_what_it_wraps() -> None:
    def bare(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    @bare
    def prefetch(query: str) -> str:
        return query

    assert manager_of(prefetch=prefetch).prefetch_all("what is tea", session_id="s") == "what is tea"
