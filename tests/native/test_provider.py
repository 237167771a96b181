"""What every memory provider must do: P1 to P7 of specs/native-memory.md §20.

A case that needs a hook runs on the providers that declare it; a last test holds that nothing else is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory_providers import Backend, backends, invocation, seed
from zeroclaw_cli.errors import DocumentFailure, DocumentUnavailable
from zeroclaw_cli.memory.documents import TurnMessage
from zeroclaw_cli.native import tools
from zeroclaw_cli.native.provider import (
    DISABLED_PROFILES,
    BareProvider,
    LaneRequest,
    LaneResult,
    MemoryProvider,
    RecordRequest,
)
from zeroclaw_cli.native.scope import Invocation

ALL = backends()
LANES = ("read_long_term", "read_short_term")
Case = Callable[[MemoryProvider, Backend], None]
CASES: list[tuple[Case, frozenset[str]]] = []


def case(*needs: str) -> Callable[[Case], Case]:
    def register(function: Case) -> Case:
        CASES.append((function, frozenset(needs)))
        return function

    return register


def lane(provider: MemoryProvider, name: str, where: Invocation, query: str = "walrus", **parts: Any) -> LaneResult:
    result: LaneResult = getattr(provider, name)(where, LaneRequest(query, **parts))
    return result


def texts(result: LaneResult) -> str:
    return "\n".join(snippet.text for snippet in result.snippets)


def record(provider: MemoryProvider, where: Invocation, text: str, run: str | None = "r1") -> bool:
    return provider.record_interaction(where, RecordRequest([TurnMessage("user", text)], run))


def search(provider: MemoryProvider, where: Invocation, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = provider.call_tool(tools.SEARCH, {"query": query}, where)["results"]
    return found


@case("read_long_term")
def p1_a_fact_is_seen_in_its_scope_and_in_another_thread_of_it(provider: MemoryProvider, backend: Backend) -> None:
    seed(provider, invocation(), {"target": "memory", "content": "the walrus is called Wally"})
    for thread in ("t1", "t2", None):
        assert "Wally" in texts(lane(provider, "read_long_term", invocation(thread)))
        assert search(provider, invocation(thread), "walrus")
        assert provider.call_tool(tools.TREE, {}, invocation(thread)) == ["MEMORY.md"]


@case("read_long_term")
def p1_a_fact_is_not_seen_where_one_part_of_the_scope_differs(provider: MemoryProvider, backend: Backend) -> None:
    seed(provider, invocation(), {"target": "memory", "content": "the walrus is called Wally"})
    assert search(provider, invocation(), "walrus")
    for part in ("tenant", "user", "agent", "project"):
        other = invocation(**{part: "other"})
        assert lane(provider, "read_long_term", other).snippets == ()
        assert search(provider, other, "walrus") == []
        assert provider.call_tool(tools.TREE, {}, other) == []
        with pytest.raises(DocumentFailure) as caught:
            provider.call_tool(tools.READ, {"path": "MEMORY.md"}, other)
        assert caught.value.kind == "not_found"


@case("profile_read")
def p1_a_profile_is_the_users_whatever_the_agent_or_project(provider: MemoryProvider, backend: Backend) -> None:
    assert provider.profile_read(invocation()) is None
    provider.call_tool(tools.PROFILE_SET, {"locale": "de-AT"}, invocation())
    for other in (invocation(agent="other"), invocation(project="other")):
        assert b"de-AT" in (provider.profile_read(other) or b"")
    for other in (invocation(user="other"), invocation(tenant="other")):
        assert provider.profile_read(other) is None


@case(*LANES, "record_interaction")
def p2_the_lanes_share_nothing(provider: MemoryProvider, backend: Backend) -> None:
    seed(provider, invocation(), {"target": "memory", "content": "the walrus is called Wally"})
    seed(provider, invocation(), {"target": "notes/zoo.md", "content": "a walrus eats clams", "append": False})
    record(provider, invocation(), "I saw the walrus today")
    long_term = {snippet.relative_path for snippet in lane(provider, "read_long_term", invocation()).snippets}
    short_term = {snippet.relative_path for snippet in lane(provider, "read_short_term", invocation()).snippets}
    assert long_term == {"MEMORY.md", "notes/zoo.md"}
    assert short_term == {"threads/t1/r1.md"}


@case(*LANES, "record_interaction")
def p3_a_recorded_turn_is_found_by_its_threads_short_lane_alone(provider: MemoryProvider, backend: Backend) -> None:
    assert record(provider, invocation("t1"), "the walrus sang")
    assert "sang" in texts(lane(provider, "read_short_term", invocation("t1")))
    for thread in ("t2", "T1", "t", "t11", None):
        assert lane(provider, "read_short_term", invocation(thread)).snippets == ()
    for thread in ("t1", "t2", None):
        assert lane(provider, "read_long_term", invocation(thread)).snippets == ()
    assert lane(provider, "read_short_term", invocation("t1", user="other")).snippets == ()


@case()
def p4_what_is_not_declared_is_unavailable_and_records_nothing(provider: MemoryProvider, backend: Backend) -> None:
    for hook in LANES:
        if not backend.declares(hook):
            with pytest.raises(DocumentUnavailable) as caught:
                lane(provider, hook, invocation())
            assert caught.value.kind == "unavailable"
    if not backend.declares("record_interaction"):
        assert record(provider, invocation(), "the walrus sang") is False


@case("read_long_term")
def p5_a_disabled_profile_and_no_snippets_give_nothing(provider: MemoryProvider, backend: Backend) -> None:
    seed(provider, invocation(), {"target": "memory", "content": "the walrus is called Wally"})
    assert lane(provider, "read_long_term", invocation()).snippets
    for profile in DISABLED_PROFILES:
        assert lane(provider, "read_long_term", invocation(), context_profile=profile) == LaneResult()
    assert lane(provider, "read_long_term", invocation(), max_snippets=0) == LaneResult()
    assert lane(provider, "read_long_term", invocation(), context_profile="Memory_Disabled").snippets


@case("read_short_term", "record_interaction")
def p5_the_short_lane_is_disabled_alike(provider: MemoryProvider, backend: Backend) -> None:
    record(provider, invocation(), "the walrus sang")
    assert lane(provider, "read_short_term", invocation()).snippets
    for profile in DISABLED_PROFILES:
        assert lane(provider, "read_short_term", invocation(), context_profile=profile) == LaneResult()
    assert lane(provider, "read_short_term", invocation(), max_snippets=0) == LaneResult()


@case()
def p6_unknown_keys_are_ignored_by_four_tools_and_refused_by_the_profile(
    provider: MemoryProvider, backend: Backend
) -> None:
    where = invocation()
    extra = {"description": "habitual", "path_hint": 3}
    seed(provider, where, {"target": "notes/a.md", "content": "walrus", **extra})
    assert provider.call_tool(tools.READ, {"path": "notes/a.md", **extra}, where)["content"] == "walrus\n"
    assert provider.call_tool(tools.SEARCH, {"query": "walrus", **extra}, where)["result_count"] == 1
    assert provider.call_tool(tools.TREE, extra, where) == ["notes/"]
    with pytest.raises(DocumentFailure) as caught:
        provider.call_tool(tools.PROFILE_SET, {"locale": "de", **extra}, where)
    assert (caught.value.kind, caught.value.reason) == ("input", "unknown_field")
    assert provider.profile_read(where) is None


@case()
def p6_wrongly_typed_optional_values_have_their_defaults(provider: MemoryProvider, backend: Backend) -> None:
    where = invocation()
    wrong = {"append": "yes", "replace_all": 1, "old_string": 5, "timezone": [], "metadata": "none"}
    seed(provider, where, {"target": "notes/a.md", "content": "one walrus", **wrong})
    seed(provider, where, {"target": "notes/a.md", "content": "two walruses", **wrong})
    read = provider.call_tool(tools.READ, {"path": "notes/a.md"}, where)
    assert read["content"] == "one walrus\ntwo walruses\n"
    limits: list[Any] = ["3", -1, 0.5, None, True, [], 10**30]
    for limit in limits:
        assert provider.call_tool(tools.SEARCH, {"query": "walrus", "limit": limit}, where)["result_count"] == 1
    depths: list[Any] = ["3", -1, 0.5, None, True, []]
    for depth in depths:
        assert provider.call_tool(tools.TREE, {"depth": depth}, where) == ["notes/"]


@case()
def p6_wrongly_typed_required_values_are_refused(provider: MemoryProvider, backend: Backend) -> None:
    where = invocation()
    attempts: list[tuple[str, dict[str, Any], str]] = [
        (tools.READ, {}, "bad_path"),
        (tools.READ, {"path": ""}, "bad_path"),
        (tools.READ, {"path": 3}, "bad_path"),
        (tools.READ, {"path": "a.md", "version": None}, "versions_not_supported"),
        (tools.READ, {"path": "a.md", "list_versions": True}, "versions_not_supported"),
        (tools.WRITE, {"target": 3, "content": "x"}, "bad_target"),
        (tools.WRITE, {"target": "a.md", "content": 3}, "empty_content"),
        (tools.WRITE, {"target": "a.md", "content": "x", "expected_content_hash": 3}, "bad_expected_hash"),
        (tools.SEARCH, {}, "empty_query"),
        (tools.SEARCH, {"query": "  ", "q": 3, "text": ""}, "empty_query"),
        (tools.TREE, {"path": 3}, "bad_path"),
        (tools.PROFILE_SET, {}, "empty_profile"),
        (tools.PROFILE_SET, {"locale": None}, "bad_locale"),
        (tools.PROFILE_SET, {"timezone": 3}, "bad_timezone"),
    ]
    for tool, arguments, reason in attempts:
        with pytest.raises(DocumentFailure) as caught:
            provider.call_tool(tool, arguments, where)
        assert (caught.value.kind, caught.value.reason) == ("input", reason), (tool, arguments)
    assert provider.call_tool(tools.TREE, {}, where) == []


@case()
def p6_the_first_query_name_that_says_something_counts(provider: MemoryProvider, backend: Backend) -> None:
    where = invocation()
    seed(provider, where, {"target": "notes/a.md", "content": "walrus"})
    for arguments in ({"q": " walrus "}, {"query": " ", "text": "walrus"}, {"pattern": "walrus", "query": None}):
        assert provider.call_tool(tools.SEARCH, arguments, where)["query"] == "walrus"


@case()
def p7_a_search_result_is_bounded_and_keeps_the_contexts_of_exact_matches(
    provider: MemoryProvider, backend: Backend
) -> None:
    where = invocation()
    filler = "antidisestablishmentarianism " * 40
    text = "".join(f"{filler}marker {number} blue walrus end{number} " for number in range(12))
    assert len(text.encode()) > 12_000
    seed(provider, where, {"target": "notes/a.md", "content": text})
    content = search(provider, where, "blue walrus")[0]["content"]
    assert len(content.encode()) <= 8_192
    shown = [number for number in range(12) if f"marker {number} blue walrus end{number}" in content]
    assert shown == list(range(12))
    assert "\n…\n" in content


@contextmanager
def running(backend: Backend, folder: Path) -> Iterator[MemoryProvider]:
    with backend.fresh(folder) as provider:
        yield provider


@pytest.mark.parametrize("backend", ALL, ids=lambda backend: backend.name)
@pytest.mark.parametrize(("check", "needs"), CASES, ids=[check.__name__ for check, _ in CASES])
def test_every_provider(check: Case, needs: frozenset[str], backend: Backend, tmp_path: Path) -> None:
    missing = sorted(hook for hook in needs if not backend.declares(hook))
    if missing:
        pytest.skip(f"{backend.name} does not declare {', '.join(missing)}")
    with running(backend, tmp_path) as provider:
        check(provider, backend)


def test_only_what_a_manifest_does_not_declare_is_skipped() -> None:
    skipped = {
        (backend.name, check.__name__)
        for backend in ALL
        for check, needs in CASES
        if not all(map(backend.declares, needs))
    }
    undeclared = {
        backend.name: {*LANES, "record_interaction", "profile_read"} - backend.bundle.manifest.lifecycle
        for backend in ALL
    }
    expected = {
        (backend.name, check.__name__) for backend in ALL for check, needs in CASES if needs & undeclared[backend.name]
    }
    assert skipped == expected
    assert undeclared == {
        "native-sqlite": set(),
        "native-dict": set(),
        "facts": {"read_short_term", "record_interaction"},
    }
    covered = {check.__name__[:2] for check, _ in CASES}
    assert covered == {f"p{number}" for number in range(1, 8)}


def test_p4_a_provider_that_implements_nothing_has_the_defaults() -> None:
    bare = BareProvider()
    for hook in LANES:
        with pytest.raises(DocumentUnavailable):
            lane(bare, hook, invocation())
    with pytest.raises(DocumentUnavailable):
        bare.profile_read(invocation())
    assert record(bare, invocation(), "x") is False
    assert bare.served_tools == frozenset()
