"""The built-in store, the layers over it, a plugin and a dictionary answer the same requests alike."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.support.dict_memory import DictMemory
from tests.support.packages import config_in
from tests.wasm.helpers import opened as opened_plugin
from zeroclaw_cli.backends import open_memory
from zeroclaw_cli.errors import EntryNotFound
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.requests import NO_AGENT, Agent, PurgeTarget, RecallRequest, StoreRequest
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.wasm.host import HostOptions

KEYS = st.sampled_from(["tea", "teapot", "tea time", "Käse", "k"])
WORDS = st.lists(st.sampled_from(["zebra", "apple", "river", "quiet", "stone"]), min_size=1, max_size=4).map(" ".join)
AGENTS = st.sampled_from([NO_AGENT, Agent(alias="ada"), Agent(alias="bob")])
SESSIONS = st.none() | st.sampled_from(["s1", "s2"])
CATEGORIES = st.none() | st.sampled_from(["core", "daily", "conversation", "my own"])
NAMESPACES = st.none() | st.sampled_from(["default", "kitchen"])
IMPORTANCES = st.none() | st.sampled_from([0.0, 0.5, 1.0])

Row = tuple[str, str | None, str, str, str | None, str, float | None]


class SameAnswers(RuleBasedStateMachine):
    """``model`` says what is right; ``ordered`` also list in the order of the last store."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="zeroclaw-same-"))
        self.model = DictMemory()
        native, layered = config_in(self.home / "native"), config_in(self.home / "layers")
        layered = replace(layered, memory=replace(layered.memory, backend="layers"))
        self.ordered: list[Memory] = [
            open_memory(native, "native", HostOptions()),
            open_memory(layered, "layers", HostOptions()),
        ]
        self.others: list[Memory] = [*self.ordered, opened_plugin("notes", self.home / "plugin")]

    @rule(
        key=KEYS, content=WORDS, category=CATEGORIES, session=SESSIONS, namespace=NAMESPACES, importance=IMPORTANCES,
        agent=AGENTS, whole=st.booleans(),
    )  # fmt: skip
    def save(
        self,
        key: str,
        content: str,
        category: str | None,
        session: str | None,
        namespace: str | None,
        importance: float | None,
        agent: Agent,
        whole: bool,
    ) -> None:
        request = StoreRequest(key, content, category, session, namespace, importance, agent, replace=whole)
        self.same(lambda memory: memory.save(request))

    @rule(key=KEYS, agent=AGENTS)
    def take(self, key: str, agent: Agent) -> None:
        self.same(lambda memory: memory.take(key, agent).rows)

    @rule(key=st.none() | KEYS, category=CATEGORIES)
    def clear(self, key: str | None, category: str | None) -> None:
        if key is not None or category is not None:
            selected = _found(lambda: sorted(map(_whose(self.model), self.model.select(key, category)), key=repr))
            for memory in self.others:
                assert _found(lambda: sorted(map(_whose(memory), memory.select(key, category)), key=repr)) == selected  # noqa: B023
            if isinstance(selected, list) and self._a_plugin_can_clear(selected):
                self.same(lambda memory: memory.clear(memory.select(key, category)))

    def _a_plugin_can_clear(self, selected: Sequence[tuple[str, str | None]]) -> bool:
        """The world forgets nobody's row only together with every other row of its key."""
        chosen = set(selected)
        left = {row.key for row in self.model.rows.values() if (row.key, _alias(self.model, row)) not in chosen}
        return not any(key in left for key, agent in chosen if agent is None)

    @rule(
        gone=st.one_of(
            st.sampled_from(["default", "kitchen"]).map(lambda name: PurgeTarget(name)),
            st.tuples(st.sampled_from(["s1", "s2"]), AGENTS).map(lambda both: PurgeTarget(None, *both)),
            st.sampled_from(["ada", "bob"]).map(lambda alias: PurgeTarget(agent=Agent(alias=alias))),
        )
    )
    def purge(self, gone: PurgeTarget) -> None:
        self.same(lambda memory: memory.purge(gone))

    @rule(key=KEYS | st.sampled_from(["te", "teap", "x"]), agent=AGENTS)
    def look_up(self, key: str, agent: Agent) -> None:
        def ask(memory: Memory) -> object:
            entry, keys = memory.look_up(key, agent)
            return None if entry is None else entry.key, keys

        self.same(ask)

    @rule(
        category=CATEGORIES, session=SESSIONS, agent=AGENTS, limit=st.none() | st.integers(0, 4), skip=st.integers(0, 4)
    )
    def page(self, category: str | None, session: str | None, agent: Agent, limit: int | None, skip: int) -> None:
        def ask(memory: Memory) -> object:
            found = memory.page(category, session, agent=agent, limit=limit, offset=skip)
            return [_row(memory, entry) for entry in found.entries], found.total

        wanted = ask(self.model)
        for memory in self.ordered:
            assert ask(memory) == wanted, memory.name

    @rule(word=st.sampled_from(["zebra", "stone", "", "*"]), session=SESSIONS, agent=AGENTS, namespace=NAMESPACES)
    def find(self, word: str, session: str | None, agent: Agent, namespace: str | None) -> None:
        agents = () if agent == NO_AGENT else (agent,)
        request = RecallRequest(word, 100, session, namespace=namespace, agents=agents)

        def ask(memory: Memory) -> list[Row]:
            found = memory.find(request).entries
            return sorted((_row(memory, entry) for entry in found if word in ("", "*") or _has(entry, word)), key=repr)

        wanted = ask(self.model)
        for memory in self.ordered:
            assert ask(memory) == wanted, memory.name
        for memory in self.others:
            # Whether rows of no session come too is the affair of a plugin.
            assert [row for row in ask(memory) if session is None or row[4]] == [
                row for row in wanted if session is None or row[4]
            ], memory.name

    @rule()
    def newest_first(self) -> None:
        request = RecallRequest("", 3)
        wanted = [_whose(self.model)(entry) for entry in self.model.find(request).entries]
        for memory in self.ordered:
            assert [_whose(memory)(entry) for entry in memory.find(request).entries] == wanted, memory.name

    @invariant()
    def hold_the_same(self) -> None:
        wanted = {(entry.key, _alias(self.model, entry)): _row(self.model, entry) for entry in self.model.rows.values()}
        for memory in self.others:
            found = memory.list_entries(None, None)
            rows = {(entry.key, _alias(memory, entry)): _row(memory, entry) for entry in found}
            assert rows == wanted, memory.name
            assert memory.count() == len(wanted) == len(found), memory.name
            assert memory.take_warnings() == [], memory.name
            exported = memory.export_entries(ExportFilter(category="core"))
            assert len(exported) == sum(entry.category == "core" for entry in self.model.rows.values()), memory.name

    def same(self, ask: Callable[[Memory], object]) -> None:
        wanted = _found(lambda: ask(self.model))
        for memory in self.others:
            assert _found(lambda: ask(memory)) == wanted, memory.name  # noqa: B023

    def teardown(self) -> None:
        for memory in self.others:
            memory.close()
        shutil.rmtree(self.home)


def _found(ask: Callable[[], object]) -> object:
    try:
        return ask()
    except EntryNotFound:
        return "not found"


def _has(entry: Entry, word: str) -> bool:
    return word in entry.content.split()


def _alias(memory: Memory, entry: Entry) -> str | None:
    if entry.agent_id is None:
        return None
    return entry.agent_alias or next(
        (alias for alias in ("ada", "bob") if memory.agent_id_of(alias) == entry.agent_id), entry.agent_id
    )


def _whose(memory: Memory) -> Callable[[Entry], tuple[str, str | None]]:
    return lambda entry: (entry.key, _alias(memory, entry))


def _row(memory: Memory, entry: Entry) -> Row:
    whose = _alias(memory, entry)
    return (entry.key, whose, entry.content, entry.category, entry.session_id, entry.namespace, entry.importance)


TestSameAnswers = SameAnswers.TestCase
TestSameAnswers.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
