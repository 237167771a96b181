from __future__ import annotations

from typing import Any

import pytest

from tests.support.manager_providers import Recorder
from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.messages import flatten_content
from zeroclaw_cli.providers.turns import finish_turn, switch_session


@pytest.fixture
def provider() -> Recorder:
    return Recorder("ext")


@pytest.fixture
def manager(provider: Recorder) -> MemoryManager:
    manager = MemoryManager()
    manager.add_provider(provider)
    return manager


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("tea", "tea"),
        (["a", {"type": "text", "text": "b"}, {"type": "image_url"}, {"text": None}, {"text": "c"}, ""], "a\nb\nc"),
        ([], ""),
        (None, ""),
        (3, ""),
        ({"text": "x"}, ""),
    ],
)
def test_content_of_several_parts_is_their_text_joined_by_newlines(content: Any, text: str) -> None:
    assert flatten_content(content) == text


def test_a_completed_turn_is_synced_and_then_the_next_one_prepared(manager: MemoryManager, provider: Recorder) -> None:
    assert finish_turn(manager, [{"text": "what"}, {"text": "tea"}], "green", session_id="s", messages=[])
    assert manager.flush_pending(5)
    assert provider.calls == [
        ("sync_turn", ("what\ntea", "green"), {"session_id": "s", "messages": []}),
        ("queue_prefetch", ("what\ntea",), {"session_id": "s"}),
    ]
    manager.shutdown_all()


@pytest.mark.parametrize(
    ("user", "assistant", "interrupted"),
    [
        ("tea?", "green", True),
        ("tea?", " ", False),
        ("", "green", False),
        ([], "green", False),
        ("/new", "done", False),
    ],
)
def test_a_turn_that_is_not_complete_is_neither_synced_nor_queued(
    manager: MemoryManager, provider: Recorder, user: Any, assistant: str, interrupted: bool
) -> None:
    assert not finish_turn(manager, user, assistant, interrupted=interrupted)
    assert manager.flush_pending(5)
    assert provider.calls == []


def test_a_new_session_with_a_history_ends_the_old_one_first(manager: MemoryManager, provider: Recorder) -> None:
    switch_session(manager, "new_session", "n", parent_session_id="p", messages=[{"role": "user"}])
    assert manager.flush_pending(5)
    assert provider.calls == [
        ("on_session_end", ([{"role": "user"}],), {}),
        ("on_session_switch", ("n",), {"parent_session_id": "p", "reset": True, "reason": "new_session"}),
    ]
    manager.shutdown_all()


@pytest.mark.parametrize(
    ("why", "keywords"),
    [
        ("new_session", {"parent_session_id": "p", "reset": True, "reason": "new_session"}),
        ("resume", {"parent_session_id": "p", "reset": False, "reason": "resume"}),
        ("branch", {"parent_session_id": "p", "reset": False, "reason": "branch"}),
        ("compression", {"parent_session_id": "p", "reset": False, "reason": "compression"}),
        ("undo", {"parent_session_id": "p", "reset": False, "rewound": True}),
    ],
)
def test_every_switch_says_what_it_is(
    manager: MemoryManager, provider: Recorder, why: Any, keywords: dict[str, Any]
) -> None:
    switch_session(manager, why, "n", parent_session_id="p")
    assert provider.calls == [("on_session_switch", ("n",), keywords)]
