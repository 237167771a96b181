"""Which function serves which request, selection and paging (cli.md, memory)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.dict_memory import DictMemory
from zeroclaw_cli.errors import EntryNotFound, NotSupported, UsageError
from zeroclaw_cli.memory.base import entry_of
from zeroclaw_cli.memory.requests import Agent, Cleared, PurgeTarget, RecallRequest, StoreRequest, category_word
from zeroclaw_cli.memory.types import Entry


class Recording(DictMemory):
    """Remembers which functions were called."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        if name in {"store", "store_with_agent", "recall", "recall_for_agents", "recall_namespaced"}:
            self.calls.append(name)
        return super().__getattribute__(name)


@pytest.fixture
def memory() -> Recording:
    return Recording()


@pytest.mark.parametrize(
    ("request_", "function"),
    [
        (StoreRequest("k", "c"), "store"),
        (StoreRequest("k", "c", session_id="s"), "store"),
        (StoreRequest("k", "c", namespace="n"), "store_with_agent"),
        (StoreRequest("k", "c", importance=0.0), "store_with_agent"),
        (StoreRequest("k", "c", agent=Agent(id="a")), "store_with_agent"),
        (StoreRequest("k", "c", agent=Agent(alias="ada")), "store_with_agent"),
    ],
)
def test_store_takes_the_function_that_loses_nothing(memory: Recording, request_: StoreRequest, function: str) -> None:
    memory.save(request_)
    assert memory.calls[0] == function


def test_an_alias_is_resolved_and_an_id_is_not(memory: Recording) -> None:
    memory.save(StoreRequest("k", "c", agent=Agent(alias="ada")))
    memory.save(StoreRequest("k", "c", agent=Agent(id="ada")))
    assert {row.agent_id for row in memory.rows.values()} == {"uuid-ada", "ada"}


def test_an_empty_key_is_refused(memory: Recording) -> None:
    with pytest.raises(UsageError, match="key is empty"):
        memory.save(StoreRequest("", "c"))
    assert memory.rows == {}


@pytest.mark.parametrize(
    ("request_", "function"),
    [
        (RecallRequest("q"), "recall"),
        (RecallRequest("q", namespace="n"), "recall_namespaced"),
        (RecallRequest("q", agents=(Agent(id="a"),)), "recall_for_agents"),
        (RecallRequest("q", namespace="n", agents=(Agent(id="a"),)), "recall_for_agents"),
    ],
)
def test_recall_takes_the_function_that_fits(memory: Recording, request_: RecallRequest, function: str) -> None:
    memory.find(request_)
    assert memory.calls == [function]


def test_recall_by_agent_and_namespace_asks_for_more_and_warns_when_rows_may_be_hidden(memory: Recording) -> None:
    for number in range(50):
        memory.store_with_agent(f"k{number}", "green", "core", None, "n" if number < 3 else "other", None, "a")
    request = RecallRequest("green", limit=10, namespace="n", agents=(Agent(id="a"),))
    found = memory.find(request)
    assert found.entries == []
    assert found.maybe_hidden
    wider = memory.find(RecallRequest("green", limit=20, namespace="n", agents=(Agent(id="a"),)))
    assert [entry.key for entry in wider.entries] == ["k2", "k1", "k0"]
    assert not wider.maybe_hidden


def test_recall_never_gives_more_than_the_limit() -> None:
    class TooMany(DictMemory):
        def recall(self, *_: Any) -> list[Entry]:
            return list(self.rows.values())

    memory = TooMany()
    for number in range(5):
        memory.store(f"k{number}", "x", "core", None)
    assert len(memory.find(RecallRequest("x", limit=2)).entries) == 2


def test_get_takes_the_exact_key_before_a_longer_one(memory: Recording) -> None:
    memory.store("tea", "exact", "core", None)
    memory.store("teapot", "longer", "core", None)
    assert entry_of(memory, "tea", Agent()).content == "exact"


def test_get_takes_the_only_key_that_starts_so(memory: Recording) -> None:
    memory.store("teapot", "longer", "core", None)
    assert entry_of(memory, "tea", Agent(), by_start=True).key == "teapot"


def test_get_names_the_keys_when_several_start_so(memory: Recording) -> None:
    memory.store("teapot", "x", "core", None)
    memory.store("teacup", "x", "core", None)
    with pytest.raises(EntryNotFound) as caught:
        entry_of(memory, "tea", Agent())
    assert caught.value.hint is not None
    assert "teacup, teapot" in caught.value.hint


def test_get_of_an_agent_never_gives_anothers_row(memory: Recording) -> None:
    memory.store_with_agent("tea", "of a", "core", None, None, None, "a")
    with pytest.raises(EntryNotFound):
        entry_of(memory, "tea", Agent(id="b"))
    with pytest.raises(EntryNotFound):
        entry_of(memory, "te", Agent(id="b"))


def test_an_empty_key_is_the_start_of_nothing(memory: Recording) -> None:
    memory.store("tea", "x", "core", None)
    with pytest.raises(EntryNotFound):
        entry_of(memory, "", Agent())


def test_a_page_knows_the_whole_lists_size(memory: Recording) -> None:
    for number in range(7):
        memory.store(f"k{number}", "x", "core", None)
    page = memory.page(None, None, limit=3, offset=6)
    assert [entry.key for entry in page.entries] == ["k6"]
    assert page.total == 7


def test_forget_of_what_is_not_there_is_an_error(memory: Recording) -> None:
    with pytest.raises(EntryNotFound):
        memory.take("tea", Agent(), with_history=False)


def test_history_that_a_backend_does_not_keep_cannot_be_promised_away(memory: Recording) -> None:
    memory.store("tea", "x", "core", None)
    with pytest.raises(NotSupported):
        memory.take("tea", Agent(), with_history=True)
    assert memory.count() == 1


@pytest.mark.parametrize(
    "target",
    [
        {},
        {"namespace": "n", "session_id": "s"},
        {"namespace": "n", "agent": Agent(alias="a")},
    ],
)
def test_a_purge_names_exactly_one_target(target: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        PurgeTarget(**target)


def test_each_purge_goes_to_its_function(memory: Recording) -> None:
    ada = memory.ensure_agent_uuid("ada")
    for key, session, namespace, agent in [
        ("a", "s1", "n1", None),
        ("b", "s2", "n2", ada),
        ("c", "s2", "n2", "other"),
        ("d", "s3", "n3", ada),
    ]:
        memory.store_with_agent(key, "x", "core", session, namespace, None, agent)
    assert memory.purge(PurgeTarget(namespace="n1")).entries == 1
    assert memory.purge(PurgeTarget(session_id="s2", agent=Agent(alias="ada"))).entries == 1
    assert memory.purge(PurgeTarget(session_id="s2")).entries == 1
    assert memory.purge(PurgeTarget(agent=Agent(alias="ada"))).entries == 1
    assert memory.count() == 0


def test_an_agents_memory_is_purged_by_alias_not_id(memory: Recording) -> None:
    with pytest.raises(UsageError, match="alias"):
        memory.purge(PurgeTarget(agent=Agent(id="x")))


def test_clear_counts_what_is_really_gone(memory: Recording) -> None:
    memory.store("a", "x", "daily", None)
    memory.store("b", "x", "core", None)
    memory.store_with_agent("a", "x", "daily", None, None, None, "agent")
    selected = memory.select(None, "daily")
    assert memory.clear(selected) == Cleared(2, 2)
    assert [row.key for row in memory.rows.values()] == ["b"]


def test_what_only_the_built_in_store_keeps_is_refused_by_others(memory: Recording) -> None:
    for request_ in (StoreRequest("k", "c", kind="fact"), StoreRequest("k", "c", pinned=True)):
        with pytest.raises(NotSupported, match="does not support --kind"):
            memory.save(request_)
    with pytest.raises(NotSupported, match="explain its ranking"):
        memory.find(RecallRequest("q"), explain=True)
    assert memory.rows == {}


def test_clear_reports_survivors() -> None:
    class Stubborn(DictMemory):
        def forget(self, key: str) -> bool:
            return True

    memory = Stubborn()
    memory.store("a", "x", "core", None)
    selected = memory.select(None, None)
    assert memory.clear(selected) == Cleared(0, 1)


def test_clear_never_takes_a_row_that_was_not_selected(memory: Recording) -> None:
    memory.store("a", "mine", "daily", None)
    memory.store_with_agent("a", "another agent's, another category", "core", None, None, None, "agent")
    selected = memory.select(None, "daily")
    assert memory.clear(selected) == Cleared(0, 1)
    assert memory.count() == 2


def test_clear_by_key_takes_the_exact_key_alone(memory: Recording) -> None:
    memory.store("tea", "x", "core", None)
    memory.store("teapot", "x", "core", None)
    assert [row.key for row in memory.select("tea", None)] == ["tea"]
    with pytest.raises(EntryNotFound) as refused:
        memory.select("teap", None)
    assert refused.value.hint == "keys that start with it: teapot"


@pytest.mark.parametrize(
    ("text", "word"), [("Core", "core"), ("  Daily ", "daily"), ("Shopping List", "shopping list")]
)
def test_a_category_is_trimmed_and_in_lower_case(text: str, word: str) -> None:
    assert category_word(text) == word


def test_an_empty_category_is_refused() -> None:
    with pytest.raises(UsageError):
        category_word("  ")
