from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.kernel.viewing import TextSource, Viewed
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.contracts import Scope
from zeroclaw_cli.kernel.delegation import Delegation, recall_ids

PARENT = Scope("workspace", workspace_id="/project", agent_id="parent")
CHILD = Scope("workspace", workspace_id="/project", agent_id="child")


def code_of(action: Callable[[], Any]) -> str:
    with pytest.raises(KernelFailure) as caught:
        action()
    return caught.value.code


def system(**options: Any) -> Viewed:
    return Viewed(
        TextSource("documents", state={"documentIds": ["d1", "d2"]}),
        TextSource("memory-spaces", state={"memoryBodyIds": ["m1"]}),
        **options,
    )


def outlive(viewed: Viewed) -> None:
    """Change the store and publish until every view that is not kept is gone."""
    for _ in range(40):
        viewed.runtime.revision += "+"
        viewed.views.publish(PARENT)


def test_a_child_keeps_the_parents_view_beyond_the_parents_turn_and_its_newer_views() -> None:
    viewed = system()
    parent = viewed.views.begin_turn("parent-1", PARENT)
    delegation = Delegation(viewed.views, "parent-1")
    assert (delegation.view_id, delegation.scope, delegation.views) == (parent.view_id, PARENT, viewed.views)
    viewed.views.end_turn("parent-1")
    viewed.sources["documents"].state = {"documentIds": ["d3"]}
    viewed.graph.topology.configure_layer("documents", enabled=False)
    outlive(viewed)
    viewed.views.begin_turn("parent-2", PARENT)
    first = delegation.begin_turn("child-1", CHILD)
    assert first.view_id == parent.view_id and first.scope == CHILD
    assert recall_ids(viewed.views, "child-1", "documents") == ("d1", "d2")
    viewed.views.end_turn("child-1")
    assert delegation.begin_turn("child-2", CHILD).view_id == parent.view_id


def test_after_the_release_a_child_begins_no_turn_and_a_running_one_ends_in_peace() -> None:
    viewed = system()
    viewed.views.begin_turn("parent", PARENT)
    delegation, other = Delegation(viewed.views, "parent"), Delegation(viewed.views, "parent")
    viewed.views.end_turn("parent")
    delegation.begin_turn("child", CHILD)
    delegation.release()
    delegation.release()
    assert not delegation.live
    assert code_of(lambda: delegation.begin_turn("late", CHILD)) == "no-delegation"
    # Another delegation of the same view does not lend its authority, and lost none by the second release.
    assert other.begin_turn("sibling", CHILD).view_id == other.view_id
    viewed.views.end_turn("sibling")
    other.release()
    outlive(viewed)
    assert recall_ids(viewed.views, "child", "memory-spaces") == ("m1",)
    viewed.views.end_turn("child")
    outlive(viewed)
    assert code_of(lambda: viewed.views.wake(delegation.view_id)) == "view-unknown"


def test_a_view_that_nobody_retains_cannot_be_pinned_by_its_id() -> None:
    viewed = system()
    parent = viewed.views.begin_turn("parent", PARENT)
    assert code_of(lambda: viewed.views.pin_turn("child", parent.view_id, CHILD)) == "no-delegation"
    assert code_of(lambda: viewed.views.pin_turn("child", "view-none", CHILD)) == "view-unknown"
    assert code_of(lambda: viewed.views.pin_turn("child", 7, CHILD)) == "view-unknown"  # type: ignore[arg-type]
    assert code_of(lambda: viewed.views.retain_view("view-none")) == "view-unknown"
    assert code_of(lambda: Delegation(viewed.views, "no-such-turn")) == "no-turn"


def test_a_pinned_turn_changes_neither_scope_nor_view() -> None:
    viewed = system()
    first = viewed.views.begin_turn("parent", PARENT).view_id
    viewed.views.retain_view(first)
    viewed.runtime.revision = "2"
    second = viewed.views.publish(PARENT).id
    viewed.views.retain_view(second)
    child = viewed.views.pin_turn("child", first, CHILD)
    assert viewed.views.pin_turn("child", first, CHILD) is child
    assert viewed.views.begin_turn("child", CHILD) is child
    assert code_of(lambda: viewed.views.pin_turn("child", first, PARENT)) == "turn-scope-changed"
    assert code_of(lambda: viewed.views.pin_turn("child", second, CHILD)) == "turn-view-changed"
    assert viewed.views.turn("child") is child


def test_two_turns_of_one_agent_do_not_exclude_each_other() -> None:
    viewed = system()
    user = viewed.views.begin_turn("user", PARENT)
    delegation = Delegation(viewed.views, "user")
    review = delegation.begin_turn("review", PARENT)
    assert review.view_id == user.view_id
    viewed.views.end_turn("review")
    assert viewed.views.turn("user") is user
    viewed.views.end_turn("user")
    assert delegation.begin_turn("review-2", PARENT).view_id == user.view_id


def test_a_recall_reads_what_its_turn_is_pinned_to_and_nothing_else() -> None:
    viewed = system()
    viewed.views.begin_turn("turn", PARENT)
    viewed.sources["documents"].state = {"documentIds": ["d1", "d2", "d3"]}
    viewed.views.publish(PARENT)
    assert recall_ids(viewed.views, "turn", "documents") == ("d1", "d2")
    assert recall_ids(viewed.views, "turn", "documents", ["d2", "d2"]) == ("d2",)
    assert recall_ids(viewed.views, "turn", "documents", []) == ()
    with pytest.raises(KernelFailure, match="d3") as caught:
        recall_ids(viewed.views, "turn", "documents", ["d1", "d3"])
    assert caught.value.code == "recall-outside-view"
    assert caught.value.details == {"layerId": "documents", "outside": ["d3"]}
    strange: Any = [["d1"], None, "d1"]
    assert code_of(lambda: recall_ids(viewed.views, "turn", "documents", strange)) == "recall-outside-view"
    viewed.views.end_turn("turn")
    assert code_of(lambda: recall_ids(viewed.views, "turn", "documents")) == "no-turn"


def test_a_source_that_the_wake_omitted_keeps_its_authority() -> None:
    viewed = system(max_cover_characters=0)
    viewed.views.begin_turn("turn", PARENT)
    assert recall_ids(viewed.views, "turn", "documents", ["d1"]) == ("d1",)


def test_a_layer_without_a_list_of_ids_allows_none() -> None:
    viewed = Viewed(TextSource("documents", state={"documentIds": "d1"}), TextSource("memory-spaces", state=["m1"]))
    viewed.views.begin_turn("turn", PARENT)
    for layer_id in ("runtime", "documents", "memory-spaces", "absent"):
        assert recall_ids(viewed.views, "turn", layer_id) == ()
        assert code_of(partial(recall_ids, viewed.views, "turn", layer_id, ["m1"])) == "recall-outside-view"


def test_another_layer_names_the_key_of_its_list() -> None:
    viewed = Viewed(TextSource("runtime", state={"noteIds": ["n1", 7]}))
    viewed.views.begin_turn("turn", PARENT)
    assert recall_ids(viewed.views, "turn", "runtime", key="noteIds") == ("n1",)
    assert recall_ids(viewed.views, "turn", "runtime") == ()


def test_a_clock_that_releases_while_a_child_is_pinned_does_not_wait_for_itself() -> None:
    viewed = system()
    viewed.views.begin_turn("parent", PARENT)
    delegation = Delegation(viewed.views, "parent")
    clock = viewed.views._now

    def releasing() -> Any:
        delegation.release()
        return clock()

    viewed.views._now = releasing
    with pytest.raises(KernelFailure) as caught:
        delegation.begin_turn("child", CHILD)
    assert caught.value.code == "no-delegation"
