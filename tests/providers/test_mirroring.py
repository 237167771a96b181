from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.manager_providers import Recorder
from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.mirroring import MemoryWrite, target_of, writes_of

ADD = {"action": "add", "content": "likes tea"}
DONE = {"success": True}


@pytest.mark.parametrize(
    ("category", "target"),
    [("user", "user"), ("user_pref", "user"), ("core", "memory"), ("users", "memory"), ("", "memory")],
)
def test_an_entry_about_the_user_goes_to_the_user(category: str, target: str) -> None:
    assert target_of(category) == target


@pytest.mark.parametrize(
    "result",
    [
        {"success": 1},
        {"success": "true"},
        {"success": False},
        {},
        {"success": True, "staged": True},
        "done",
        "[]",
        '{"success": 1}',
        "{" * 10**5,
        None,
        b'{"success": true}',
        ["success"],
    ],
)
def test_only_a_write_that_was_made_is_mirrored(result: Any) -> None:
    assert writes_of(result, ADD) == []


@pytest.mark.parametrize(
    "result", [DONE, json.dumps(DONE), {"success": True, "staged": False}, {"success": True, "staged": 1}]
)
def test_a_write_that_was_made_is_mirrored(result: Any) -> None:
    assert writes_of(result, ADD) == [MemoryWrite("add", "memory", "likes tea", {})]


def test_a_list_of_operations_counts_instead_of_the_single_one() -> None:
    built = []

    def build() -> dict[str, Any]:
        built.append(1)
        return {"session_id": "s", "number": len(built)}

    arguments = {
        "action": "add",
        "content": "ignored",
        "target": "user",
        "operations": [
            {"action": "replace", "old_text": "coffee", "content": "tea"},
            {"action": "read", "content": "no change"},
            "nonsense",
            {"action": "remove", "old_text": "milk", "target": "memory"},
            {"action": ["add"]},
        ],
    }
    assert writes_of(DONE, arguments, build) == [
        MemoryWrite("replace", "user", "tea", {"session_id": "s", "number": 1, "old_text": "coffee"}),
        MemoryWrite("remove", "memory", "", {"session_id": "s", "number": 2, "old_text": "milk"}),
    ]
    assert writes_of(DONE, {**ADD, "operations": []}) == [MemoryWrite("add", "memory", "likes tea", {})]


@pytest.mark.parametrize("arguments", [None, [], "add", {"action": "read"}, {"action": None}, {}])
def test_arguments_that_are_no_write_are_ignored(arguments: Any) -> None:
    assert writes_of(DONE, arguments) == []


def test_metadata_that_cannot_be_built_does_not_lose_the_write() -> None:
    def fail() -> dict[str, Any]:
        raise RuntimeError("no session")

    assert writes_of(DONE, ADD, fail) == [MemoryWrite("add", "memory", "likes tea", {})]
    assert writes_of(DONE, ADD, lambda: None) == [MemoryWrite("add", "memory", "likes tea", {})]


def test_only_the_external_provider_hears_of_the_writes_of_the_built_in_one() -> None:
    manager, builtin, external = MemoryManager(), Recorder("builtin"), Recorder("ext")
    manager.add_provider(builtin)
    manager.notify_memory_tool_write(DONE, ADD)
    manager.add_provider(external)
    manager.notify_memory_tool_write(DONE, ADD, build_metadata=lambda: {"platform": "cli"})
    manager.notify_memory_tool_write({"success": False}, ADD)
    assert builtin.of("on_memory_write") == []
    assert external.of("on_memory_write") == [
        ("on_memory_write", ("add", "memory", "likes tea", {"platform": "cli"}), {})
    ]
