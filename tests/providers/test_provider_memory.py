"""``ProviderMemory`` over providers of both levels."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from zeroclaw_cli.errors import NotSupported, ProviderFailed, ResultTooLarge, UsageError
from zeroclaw_cli.memory.conformance import run_cases
from zeroclaw_cli.memory.types import ExportFilter
from zeroclaw_cli.providers.memory import ProviderMemory
from zeroclaw_cli.providers.memory_map import MemoryMap, read_map


class Facts:
    """A provider like the one that the specification maps: numbered facts with tags, no keys of the caller's."""

    name = "facts"

    def __init__(self) -> None:
        self.facts: dict[int, dict[str, Any]] = {}
        self.begun: list[tuple[str | None, str | None]] = []
        self.asked: list[dict[str, Any]] = []
        self.last = 0

    def begin(self, session_id: str | None, agent: str | None) -> None:
        if self.begun and agent not in (None, self.begun[0][1]):
            raise NotSupported("it serves another agent")
        self.begun.append((session_id, agent))

    def has(self, hook: str) -> bool:
        return False

    def is_available(self) -> bool:
        return True

    def hand_over(self, action: str, target: str, content: str, metadata: dict[str, Any]) -> None:
        raise AssertionError("it has tools")

    def prefetch(self, query: str, session_id: str | None) -> str:
        raise AssertionError("it has tools")

    def prompt_block(self) -> str:
        raise AssertionError("it has tools")

    def close(self) -> None:
        pass

    def call_tool(self, name: str, arguments: dict[str, Any]) -> object:
        assert name == "fact_store"
        self.asked.append(arguments)
        action: Callable[[dict[str, Any]], object] = getattr(self, f"_{arguments['action']}")
        return json.loads(json.dumps(action(arguments)))

    def _add(self, args: dict[str, Any]) -> object:
        for number, fact in self.facts.items():
            if fact["content"] == args["content"]:
                return {"fact_id": number, "status": "exists"}
        self.last += 1
        self.facts[self.last] = {
            "fact_id": self.last,
            "content": args["content"],
            "category": args["category"],
            "tags": args.get("tags", ""),
            "created_at": f"2026-01-01 00:00:{self.last:02d}",
        }
        return {"fact_id": self.last, "status": "added"}

    def _search(self, args: dict[str, Any]) -> object:
        words = args["query"].lower().split()
        found = [fact for fact in self.facts.values() if any(word in fact["content"].lower() for word in words)]
        return {"results": found[: args["limit"]], "count": len(found)}

    def _list(self, args: dict[str, Any]) -> object:
        found = [fact for fact in self.facts.values() if args.get("category") in (None, fact["category"])]
        return {"facts": found[: args["limit"]], "count": len(found)}

    def _remove(self, args: dict[str, Any]) -> object:
        return {"removed": self.facts.pop(args["fact_id"], None) is not None}


class Hooks:
    """A provider with hooks alone; ``without`` names those that it leaves to the base class."""

    name = "hooks"

    def __init__(self, *without: str, recalled: str = "") -> None:
        self.without = without
        self.recalled = recalled
        self.handed: list[tuple[str, str, str, dict[str, Any]]] = []
        self.begun: list[tuple[str | None, str | None]] = []

    def begin(self, session_id: str | None, agent: str | None) -> None:
        self.begun.append((session_id, agent))

    def has(self, hook: str) -> bool:
        return hook not in self.without

    def is_available(self) -> bool:
        return True

    def call_tool(self, name: str, arguments: dict[str, Any]) -> object:
        raise AssertionError("no map names a tool")

    def hand_over(self, action: str, target: str, content: str, metadata: dict[str, Any]) -> None:
        self.handed.append((action, target, content, metadata))

    def prompt_block(self) -> str:
        return ""

    def prefetch(self, query: str, session_id: str | None) -> str:
        return self.recalled

    def close(self) -> None:
        pass


FACTS: Mapping[str, Any] = {
    "store": {
        "tool": "fact_store",
        "args": {"action": "add", "content": "$content", "category": "$category", "tags": "$tags?"},
        "id": "fact_id",
    },
    "recall": {
        "tool": "fact_store",
        "args": {"action": "search", "query": "$query", "limit": "$limit"},
        "items": "results",
    },
    "list": {
        "tool": "fact_store",
        "args": {"action": "list", "category": "$category?", "limit": "$limit"},
        "items": "facts",
    },
    "forget": {"tool": "fact_store", "args": {"action": "remove", "fact_id": "$key:int"}, "ok": "removed"},
    "fields": {
        "key": "fact_id",
        "content": "content",
        "category": "category",
        "timestamp": "created_at",
        "metadata": ["tags"],
    },
    "categories": {"core": "general", "user": "user_pref", "*": "general"},
}


def without(*names: str) -> MemoryMap:
    return read_map({name: value for name, value in FACTS.items() if name not in names})


def memory_of(facts: Facts, mapping: MemoryMap | None = None, most: int = 1_000) -> ProviderMemory:
    return ProviderMemory(facts, read_map(FACTS) if mapping is None else mapping, most)


def test_a_mapped_provider_passes_the_conformance_cases_that_it_does_not_refuse() -> None:
    results = list(run_cases(lambda: memory_of(Facts()), may_refuse=True))
    failed = {result.id: result.detail for result in results if result.outcome == "failed"}
    # It has no place for an importance or an agent, and says so at each store.
    assert set(failed) == {"store-with-agent"}, failed
    assert sum(result.outcome == "passed" for result in results) >= 17


def test_a_key_is_carried_by_a_tag_and_storing_it_again_replaces_the_entry() -> None:
    facts = Facts()
    memory = memory_of(facts)
    memory.store("tea", "green", "core", None)
    memory.store("tea", "black", "core", None)
    assert [fact["content"] for fact in facts.facts.values()] == ["black"]
    entry = memory.get("tea")
    assert entry is not None
    assert (entry.key, entry.id, entry.content) == ("tea", "2", "black")


def test_a_text_that_the_provider_has_already_is_not_removed_as_replaced() -> None:
    facts = Facts()
    memory = memory_of(facts)
    memory.store("tea", "green", "core", None)
    memory.store("tea", "green", "core", None)
    assert [fact["content"] for fact in facts.facts.values()] == ["green"]


def test_one_listing_serves_the_forgetting_of_many_rows() -> None:
    facts = Facts()
    memory = memory_of(facts)
    for key in ("a", "b", "c"):
        memory.store(key, f"text of {key}", "core", None)
    facts.asked.clear()
    memory.forget_rows([("a", None), ("2", None), ("a", None), ("missing", None)])
    assert [asked["action"] for asked in facts.asked] == ["list", "remove", "remove"]
    assert [entry.key for entry in memory.list_entries(None, None)] == ["c"]


def test_without_a_list_many_rows_are_forgotten_by_the_providers_ids() -> None:
    facts = Facts()
    memory = memory_of(facts, without("list"))
    memory.store("a", "text", "core", None)
    memory.forget_rows([("1", None)])
    assert facts.facts == {}


def test_an_entry_is_also_known_by_the_providers_own_id() -> None:
    memory = memory_of(Facts())
    memory.store("tea", "green", "core", None)
    found = memory.get("1")
    assert found is not None
    assert found.key == "tea"
    assert memory.forget("1")
    assert not memory.forget("tea")


def test_a_category_and_a_namespace_without_a_field_come_back_from_the_tags() -> None:
    memory = memory_of(Facts())
    memory.store_with_agent("tea", "green", "kitchen things", "s1", "home, sweet", None, None)
    entry = memory.get("tea")
    assert entry is not None
    assert (entry.category, entry.namespace, entry.session_id) == ("kitchen things", "home, sweet", "s1")
    assert memory.take_warnings() == []


def test_what_is_lost_is_a_warning_that_names_it() -> None:
    memory = memory_of(Facts())
    memory.store_with_agent("tea", "green", "core", None, None, 0.5, None)
    assert memory.take_warnings() == ["provider.facts does not keep the importance of an entry"]
    assert memory.take_warnings() == []


def test_without_tags_the_key_is_lost_and_the_providers_id_is_told() -> None:
    mapping = read_map(
        {**FACTS, "store": {**FACTS["store"], "args": {"action": "add", "content": "$content", "category": "x"}}}
    )
    memory = memory_of(Facts(), mapping)
    memory.store("tea", "green", "core", None)
    assert memory.take_warnings() == [
        "provider.facts keeps no keys: 'tea' is not the entry's key there; it calls it 1",
    ]


def test_an_agent_is_told_at_the_start_and_not_kept_in_the_entry() -> None:
    facts = Facts()
    memory = memory_of(facts)
    memory.store_with_agent("tea", "green", "core", "s1", None, None, memory.ensure_agent_uuid("ada"))
    assert facts.begun[0] == ("s1", "ada")
    assert "serves agent ada" in memory.take_warnings()[0]
    with pytest.raises(NotSupported, match="cannot recall for several agents"):
        memory.recall_for_agents(["ada", "bob"], "green", 10, None, None, None)
    with pytest.raises(NotSupported, match="cannot get an entry of one agent"):
        memory.get_for_agent("tea", "ada")


@pytest.mark.parametrize(
    ("missing", "attempt"),
    [
        ("list", lambda memory: memory.get("tea")),
        ("list", lambda memory: memory.count()),
        ("list", lambda memory: memory.export_entries(ExportFilter())),
        ("forget", lambda memory: memory.forget("tea")),
    ],
)
def test_an_operation_without_a_tool_is_refused(missing: str, attempt: Callable[[ProviderMemory], object]) -> None:
    with pytest.raises(NotSupported, match=r"provider\.facts cannot"):
        attempt(memory_of(Facts(), without(missing)))


def test_forgetting_without_a_list_takes_the_providers_id_and_refuses_another_word() -> None:
    memory = memory_of(Facts(), without("list"))
    memory.store("tea", "green", "core", None)
    with pytest.raises(UsageError, match="key 'tea' is not the number"):
        memory.forget("tea")
    assert memory.forget("1")


def test_an_error_in_a_reply_is_an_error() -> None:
    class Broken(Facts):
        def _search(self, args: dict[str, Any]) -> object:
            return {"error": "the disk is full"}

    with pytest.raises(ProviderFailed, match=r"provider\.facts: fact_store: the disk is full"):
        memory_of(Broken()).recall("x", 10, None, None, None)


@pytest.mark.parametrize("reply", [None, [], "x", {"results": None}, {"results": {"a": 1}}])
def test_a_reply_without_its_list_is_no_empty_answer(reply: object) -> None:
    class Other(Facts):
        def _search(self, args: dict[str, Any]) -> object:
            return reply

    with pytest.raises(ProviderFailed, match="has no list at 'results'"):
        memory_of(Other()).recall("x", 10, None, None, None)


def test_more_entries_than_the_limit_are_an_error_that_names_the_key() -> None:
    facts = Facts()
    memory = memory_of(facts, most=2)
    for number in range(3):
        memory_of(facts).store(f"k{number}", f"thing {number}", "core", None)
    with pytest.raises(ResultTooLarge) as caught:
        memory.list_entries(None, None)
    assert "plugins.limits.max_result_entries" in (caught.value.hint or "")


def test_recall_by_time_and_by_session_keeps_to_them() -> None:
    memory = memory_of(Facts())
    memory.store("a", "green tea", "core", "s1")
    memory.store("b", "green grass", "core", "s2")
    late = memory.recall("green", 10, None, "2026-01-01T00:00:02Z", None)
    assert [entry.key for entry in late] == ["b"]
    assert [entry.key for entry in memory.recall("green", 10, "s1", None, None)] == ["a"]


def test_an_empty_question_gives_the_most_recent_first() -> None:
    memory = memory_of(Facts())
    for name in ("a", "b", "c"):
        memory.store(name, f"thing {name}", "core", None)
    assert [entry.key for entry in memory.recall("", 2, None, None, None)] == ["c", "b"]


def test_a_provider_of_hooks_is_handed_the_whole_entry_and_gives_no_proof() -> None:
    hooks = Hooks()
    memory = ProviderMemory(hooks, None, 10)
    memory.store_with_agent("tea", "green", "user", "s1", "home", 0.5, "ada")
    assert hooks.handed == [
        (
            "add",
            "user",
            "green",
            {
                "key": "tea",
                "category": "user",
                "session_id": "s1",
                "namespace": "home",
                "importance": 0.5,
                "agent": "ada",
            },
        )
    ]
    assert any("accepted the entry" in warning for warning in memory.take_warnings())


def test_what_a_provider_of_hooks_recalls_is_one_entry() -> None:
    memory = ProviderMemory(Hooks(recalled="- a\n- b"), None, 10)
    (entry,) = memory.recall("tea", 10, "s1", None, None)
    assert entry.key.startswith("prefetch:")
    assert (entry.content, entry.category, entry.importance) == ("- a\n- b", "recalled", None)
    assert ProviderMemory(Hooks(recalled=" \n"), None, 10).recall("tea", 10, None, None, None) == []


@pytest.mark.parametrize(
    "attempt",
    [
        lambda memory: memory.recall("", 10, None, None, None),
        lambda memory: memory.recall("x", 10, None, "2026-01-01T00:00:00Z", None),
        lambda memory: memory.get("x"),
        lambda memory: memory.list_entries(None, None),
        lambda memory: memory.forget("x"),
        lambda memory: memory.forget_for_agent("x", "a"),
        lambda memory: memory.count(),
        lambda memory: memory.stats(),
        lambda memory: memory.export_entries(ExportFilter()),
        lambda memory: memory.purge_namespace("x"),
        lambda memory: memory.purge_session("x"),
        lambda memory: memory.purge_session_for_agent("x", "a"),
        lambda memory: memory.purge_agent("a"),
        lambda memory: memory.reindex(),
        lambda memory: memory.compact(),
        lambda memory: memory.recall_namespaced("n", "x", 10, None, None, None),
    ],
)
def test_what_hooks_cannot_do_is_not_pretended(attempt: Callable[[ProviderMemory], object]) -> None:
    with pytest.raises(NotSupported) as caught:
        attempt(ProviderMemory(Hooks(recalled="x"), None, 10))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("hook", "attempt"),
    [
        ("on_memory_write", lambda memory: memory.store("k", "x", "core", None)),
        ("prefetch", lambda memory: memory.recall("x", 10, None, None, None)),
    ],
)
def test_a_hook_that_does_nothing_is_no_success(hook: str, attempt: Callable[[ProviderMemory], object]) -> None:
    with pytest.raises(NotSupported):
        attempt(ProviderMemory(Hooks(hook), None, 10))
