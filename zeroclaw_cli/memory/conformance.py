"""What every memory backend must do, as plain functions over a factory of fresh backends (specs/zeroclaw.md §7).

No test framework is needed: ``run_cases`` gives a result per case, and a case fails with what it expected and saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Literal

from zeroclaw_cli.errors import NotSupported, ZeroclawError
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Capability, Entry, ExportFilter, ProceduralMessage

Factory = Callable[[], AbstractContextManager[Memory]]


class CaseFailed(Exception):
    """A backend that did not do what a case expects; the text says what was expected and what was seen."""


@dataclass(frozen=True, slots=True)
class Case:
    """One rule: its stable id, the optional capability that it needs, and the check on a fresh backend."""

    id: str
    needs: Capability | None
    check: Callable[[Memory], None]


@dataclass(frozen=True, slots=True)
class CaseResult:
    id: str
    outcome: Literal["passed", "failed", "skipped"]
    detail: str | None = None


def run_cases(factory: Factory, *, may_refuse: bool = False) -> Iterator[CaseResult]:
    """Run every case on a backend of its own; a case whose capability the backend lacks is skipped.

    With ``may_refuse`` a case is skipped as well when the backend answers that it does not have an operation: the
    level of a Python provider, which need not have them all but may pretend none (specs/memory-providers.md §15).
    """
    for case in CASES:
        try:
            with factory() as memory:
                if case.needs is not None and case.needs not in memory.capabilities:
                    yield CaseResult(case.id, "skipped", f"the backend does not have {case.needs}")
                    continue
                case.check(memory)
        except CaseFailed as failure:
            yield CaseResult(case.id, "failed", str(failure))
        except NotSupported as error:
            yield CaseResult(case.id, "skipped" if may_refuse else "failed", f"{error.code}: {error.message}")
        except ZeroclawError as error:
            yield CaseResult(case.id, "failed", f"{error.code}: {error.message}")
        else:
            yield CaseResult(case.id, "passed")


def _expect(seen: object, expected: object, what: str) -> None:
    if seen != expected:
        raise CaseFailed(f"{what}: expected {expected!r}, saw {seen!r}")


def _keys(entries: list[Entry]) -> list[str]:
    return [entry.key for entry in entries]


def _store_three(memory: Memory) -> None:
    memory.store("tea", "Ada drinks green tea", "core", "s1")
    memory.store("dog", "the dog is called Byron", "daily", "s2")
    memory.store("list", "buy green apples", "shopping", None)


def _a_new_memory_is_empty(memory: Memory) -> None:
    _expect(memory.count(), 0, "count of a new memory")
    _expect(memory.list_entries(None, None), [], "list of a new memory")
    _expect(memory.recall("anything", 10, None, None, None), [], "recall in a new memory")
    _expect(memory.get("tea"), None, "get in a new memory")


def _a_new_memory_is_healthy(memory: Memory) -> None:
    _expect(memory.health_check(), True, "health")


def _a_stored_entry_comes_back_whole(memory: Memory) -> None:
    memory.store("tea", "Ada drinks green tea\nwith ☂ and 抹茶", "core", "s1")
    entry = memory.get("tea")
    if entry is None:
        raise CaseFailed("get after store: the entry is not there")
    _expect(
        (entry.key, entry.content, entry.category, entry.session_id, entry.namespace, entry.agent_id),
        ("tea", "Ada drinks green tea\nwith ☂ and 抹茶", "core", "s1", "default", None),
        "the stored entry",
    )
    try:
        instant(entry.timestamp)
    except ValueError as error:
        raise CaseFailed(f"the entry's timestamp: {error}") from None


def _a_custom_category_keeps_its_text(memory: Memory) -> None:
    memory.store("list", "buy apples", "shopping list", None)
    _expect([entry.category for entry in memory.list_entries("shopping list", None)], ["shopping list"], "category")


def _storing_a_key_again_replaces_its_row(memory: Memory) -> None:
    memory.store("tea", "green", "core", None)
    memory.store("tea", "black", "core", None)
    _expect(memory.count(), 1, "count after storing a key twice")
    entry = memory.get("tea")
    _expect(entry and entry.content, "black", "content after storing a key twice")


def _rows_are_keyed_by_key_and_agent(memory: Memory) -> None:
    memory.store_with_agent("tea", "nobody's", "core", None, None, None, None)
    memory.store_with_agent("tea", "of a", "core", None, None, None, "agent-a")
    memory.store_with_agent("tea", "of b", "core", None, None, None, "agent-b")
    _expect(memory.count(), 3, "count of one key with three owners")
    _expect(
        sorted((entry.agent_id or "", entry.content) for entry in memory.list_entries(None, None)),
        [("", "nobody's"), ("agent-a", "of a"), ("agent-b", "of b")],
        "rows of one key",
    )


def _store_with_agent_loses_nothing(memory: Memory) -> None:
    memory.store_with_agent("tea", "green", "daily", "s1", "kitchen", 0.75, "agent-a")
    rows = memory.list_entries(None, None)
    _expect(
        [(row.category, row.session_id, row.namespace, row.importance, row.agent_id) for row in rows],
        [("daily", "s1", "kitchen", 0.75, "agent-a")],
        "the stored row",
    )


def _list_filters_by_category_and_session(memory: Memory) -> None:
    _store_three(memory)
    _expect(sorted(_keys(memory.list_entries(None, None))), ["dog", "list", "tea"], "whole list")
    _expect(_keys(memory.list_entries("daily", None)), ["dog"], "list of a category")
    _expect(_keys(memory.list_entries("shopping", None)), ["list"], "list of a custom category")
    _expect(_keys(memory.list_entries(None, "s1")), ["tea"], "list of a session")
    _expect(_keys(memory.list_entries("core", "s2")), [], "list of a category and another session")


def _recall_finds_by_content(memory: Memory) -> None:
    _store_three(memory)
    _expect(_keys(memory.recall("Byron", 10, None, None, None)), ["dog"], "recall of a word")


def _recall_respects_its_limit(memory: Memory) -> None:
    for number in range(8):
        memory.store(f"k{number}", f"green thing {number}", "core", None)
    found = memory.recall("green", 3, None, None, None)
    if len(found) > 3:
        raise CaseFailed(f"recall with limit 3 gave {len(found)} entries")
    _expect(len(memory.recall("", 5, None, None, None)), 5, "recall of everything with limit 5")


def _recall_filters_by_session(memory: Memory) -> None:
    _store_three(memory)
    memory.store("mint", "green mint", "core", "s2")
    found = _keys(memory.recall("green", 10, "s1", None, None))
    # Whether rows of no session come too is the backend's own affair.
    _expect([key for key in found if key != "list"], ["tea"], "recall in a session")


def _an_empty_query_gives_the_most_recent_first(memory: Memory) -> None:
    for number in range(4):
        memory.store(f"k{number}", f"thing {number}", "core", None)
    for query in ("", "*", "  * "):
        _expect(_keys(memory.recall(query, 2, None, None, None)), ["k3", "k2"], f"recall of {query!r}")


def _recall_bounds_are_inclusive_instants(memory: Memory) -> None:
    memory.store("tea", "green tea", "core", None)
    entry = memory.get("tea")
    if entry is None:
        raise CaseFailed("get after store: the entry is not there")
    at = entry.timestamp
    _expect(_keys(memory.recall("tea", 10, None, at, at)), ["tea"], "recall from and until the entry's own time")
    _expect(_keys(memory.recall("tea", 10, None, "2999-01-01T00:00:00Z", None)), [], "recall from far later")
    _expect(_keys(memory.recall("tea", 10, None, None, "1970-01-01T00:00:00+01:00")), [], "recall until far earlier")


def _recall_for_agents_keeps_to_them(memory: Memory) -> None:
    for agent in ("a", "b", "c"):
        memory.store_with_agent(f"tea-{agent}", "green tea", "core", None, None, None, agent)
    memory.store("tea", "green tea", "core", None)
    found = memory.recall_for_agents(["a", "c"], "green", 10, None, None, None)
    _expect(sorted(_keys(found)), ["tea-a", "tea-c"], "recall for two agents")
    everyone = memory.recall_for_agents([], "green", 10, None, None, None)
    _expect(len(everyone), 4, "recall for no named agent, which means every row")


def _get_for_agent_gives_that_row(memory: Memory) -> None:
    memory.store_with_agent("tea", "of a", "core", None, None, None, "a")
    found = memory.get_for_agent("tea", "a")
    _expect(found and found.content, "of a", "get for the owner")
    _expect(memory.get_for_agent("tea", "b"), None, "get for another agent")


def _get_for_agent_tells_owners_apart(memory: Memory) -> None:
    for agent in ("a", "b"):
        memory.store_with_agent("tea", f"of {agent}", "core", None, None, None, agent)
    for agent in ("a", "b"):
        found = memory.get_for_agent("tea", agent)
        _expect(found and found.content, f"of {agent}", f"get for {agent}")


def _forget_removes_every_row_of_a_key(memory: Memory) -> None:
    memory.store("tea", "x", "core", None)
    memory.store_with_agent("tea", "y", "core", None, None, None, "a")
    memory.store("dog", "z", "core", None)
    _expect(memory.forget("tea"), True, "forget of a key that is there")
    _expect(memory.forget("tea"), False, "forget of a key that is gone")
    _expect(_keys(memory.list_entries(None, None)), ["dog"], "list after forget")


def _forget_for_agent_removes_one_row(memory: Memory) -> None:
    for agent in ("a", "b"):
        memory.store_with_agent("tea", "x", "core", None, None, None, agent)
    _expect(memory.forget_for_agent("tea", "a"), True, "forget for the owner")
    _expect(memory.forget_for_agent("tea", "a"), False, "forget for the owner again")
    _expect([row.agent_id for row in memory.list_entries(None, None)], ["b"], "rows left")


def _purge_namespace_takes_only_it(memory: Memory) -> None:
    memory.store_with_agent("a", "x", "core", None, "kitchen", None, None)
    memory.store_with_agent("b", "x", "kitchen", None, "garden", None, None)
    _expect(memory.purge_namespace("kitchen"), 1, "how many a purge of a namespace removed")
    _expect(_keys(memory.list_entries(None, None)), ["b"], "rows left")


def _purge_session_takes_only_it(memory: Memory) -> None:
    _store_three(memory)
    _expect(memory.purge_session("s1"), 1, "how many a purge of a session removed")
    _expect(sorted(_keys(memory.list_entries(None, None))), ["dog", "list"], "rows left")


def _purge_session_for_agent_takes_only_the_agents_rows(memory: Memory) -> None:
    for agent in ("a", "b"):
        memory.store_with_agent("tea", "x", "core", "s1", None, None, agent)
    _expect(memory.purge_session_for_agent("s1", "a"), 1, "how many were removed")
    _expect([row.agent_id for row in memory.list_entries(None, None)], ["b"], "rows left")


def _an_alias_has_one_stable_id(memory: Memory) -> None:
    first = memory.ensure_agent_uuid("ada")
    if not first:
        raise CaseFailed("the id of an alias is empty")
    _expect(memory.ensure_agent_uuid("ada"), first, "the id of the same alias")
    if memory.ensure_agent_uuid("bob") == first:
        raise CaseFailed("two aliases have the same id")


def _purge_agent_takes_an_alias(memory: Memory) -> None:
    ada = memory.ensure_agent_uuid("ada")
    memory.store_with_agent("tea", "x", "core", None, None, None, ada)
    memory.store("dog", "x", "core", None)
    _expect(memory.purge_agent("ada"), 1, "how many a purge of an agent removed")
    _expect(_keys(memory.list_entries(None, None)), ["dog"], "rows left")


def _reindex_changes_no_entry(memory: Memory) -> None:
    _store_three(memory)
    before = memory.list_entries(None, None)
    memory.reindex()
    _expect(memory.list_entries(None, None), before, "list after reindex")


def _store_procedural_succeeds(memory: Memory) -> None:
    memory.store_procedural([ProceduralMessage("user", "how?"), ProceduralMessage("tool", "so", "search")], "s1")


def _recall_namespaced_keeps_to_it(memory: Memory) -> None:
    memory.store_with_agent("a", "green", "core", None, "kitchen", None, None)
    memory.store_with_agent("b", "green", "core", None, "garden", None, None)
    found = memory.recall_namespaced("kitchen", "green", 10, None, None, None)
    _expect(_keys(found), ["a"], "recall in a namespace")


def _store_with_metadata_keeps_it(memory: Memory) -> None:
    memory.store_with_metadata("tea", "green", "core", None, "kitchen", 0.5)
    _expect(
        [(row.namespace, row.importance) for row in memory.list_entries(None, None)], [("kitchen", 0.5)], "the metadata"
    )


def _export_is_oldest_first_and_filtered(memory: Memory) -> None:
    _store_three(memory)
    _expect(_keys(memory.export_entries(ExportFilter())), ["tea", "dog", "list"], "export")
    _expect(_keys(memory.export_entries(ExportFilter(category="daily"))), ["dog"], "export of a category")
    _expect(_keys(memory.export_entries(ExportFilter(session_id="s1"))), ["tea"], "export of a session")
    _expect(_keys(memory.export_entries(ExportFilter(namespace="other"))), [], "export of another namespace")
    _expect(_keys(memory.export_entries(ExportFilter(since="2999-01-01T00:00:00Z"))), [], "export from far later")


def _what_is_missing_says_so(memory: Memory) -> None:
    attempts: dict[Capability, Callable[[], object]] = {
        Capability.PURGE_NAMESPACE: lambda: memory.purge_namespace("n"),
        Capability.PURGE_SESSION: lambda: memory.purge_session("s"),
        Capability.PURGE_SESSION_FOR_AGENT: lambda: memory.purge_session_for_agent("s", "a"),
        Capability.PURGE_AGENT: lambda: memory.purge_agent("a"),
    }
    for capability, attempt in attempts.items():
        if capability in memory.capabilities:
            continue
        try:
            attempt()
        except NotSupported:
            continue
        raise CaseFailed(f"{capability} is not declared, yet nothing says that it is not supported")


def _texts_of_any_script_survive(memory: Memory) -> None:
    text = "naïve \u0301 𝒳 \U0001f9e0 مرحبا 記憶 '\"\\ %_ \t\r\n; DROP"
    memory.store(text, text, text, text)
    rows = memory.list_entries(text, text)
    _expect([(row.key, row.content) for row in rows], [(text, text)], "a text of many scripts")


def _long_texts_survive(memory: Memory) -> None:
    text = "word " * 20_000
    memory.store("long", text, "core", None)
    entry = memory.get("long")
    _expect(entry and len(entry.content), len(text), "length of a long text")


CASES: Final[tuple[Case, ...]] = (
    Case("new-is-empty", None, _a_new_memory_is_empty),
    Case("new-is-healthy", None, _a_new_memory_is_healthy),
    Case("store-get", None, _a_stored_entry_comes_back_whole),
    Case("custom-category", None, _a_custom_category_keeps_its_text),
    Case("store-replaces", None, _storing_a_key_again_replaces_its_row),
    Case("key-and-agent", None, _rows_are_keyed_by_key_and_agent),
    Case("store-with-agent", None, _store_with_agent_loses_nothing),
    Case("list-filters", None, _list_filters_by_category_and_session),
    Case("recall-content", None, _recall_finds_by_content),
    Case("recall-limit", None, _recall_respects_its_limit),
    Case("recall-session", None, _recall_filters_by_session),
    Case("recall-empty-query", None, _an_empty_query_gives_the_most_recent_first),
    Case("recall-bounds", None, _recall_bounds_are_inclusive_instants),
    Case("recall-for-agents", None, _recall_for_agents_keeps_to_them),
    Case("get-for-agent", None, _get_for_agent_gives_that_row),
    Case("get-for-agent-owners", Capability.GET_FOR_AGENT, _get_for_agent_tells_owners_apart),
    Case("forget", None, _forget_removes_every_row_of_a_key),
    Case("forget-for-agent", None, _forget_for_agent_removes_one_row),
    Case("purge-namespace", Capability.PURGE_NAMESPACE, _purge_namespace_takes_only_it),
    Case("purge-session", Capability.PURGE_SESSION, _purge_session_takes_only_it),
    Case(
        "purge-session-for-agent",
        Capability.PURGE_SESSION_FOR_AGENT,
        _purge_session_for_agent_takes_only_the_agents_rows,
    ),
    Case("ensure-agent-uuid", None, _an_alias_has_one_stable_id),
    Case("purge-agent", Capability.PURGE_AGENT, _purge_agent_takes_an_alias),
    Case("reindex", None, _reindex_changes_no_entry),
    Case("store-procedural", None, _store_procedural_succeeds),
    Case("recall-namespaced", None, _recall_namespaced_keeps_to_it),
    Case("store-with-metadata", Capability.STORE_WITH_METADATA, _store_with_metadata_keeps_it),
    Case("export", None, _export_is_oldest_first_and_filtered),
    Case("not-supported", None, _what_is_missing_says_so),
    Case("any-script", None, _texts_of_any_script_survive),
    Case("long-text", None, _long_texts_survive),
)
