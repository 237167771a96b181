"""Random histories of a memory plugin against a dict, across restarts and faults."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.wasm.helpers import opened
from zeroclaw_cli.memory.types import Entry, ExportFilter

texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)
few_keys = st.sampled_from(["a", "b", "naïve", "", "k 1"])
agents = st.none() | st.sampled_from(["x", "y"])
sessions = st.none() | st.sampled_from(["s1", "s2"])
namespaces = st.none() | st.sampled_from(["default", "kitchen"])
categories = st.sampled_from(["core", "daily", "my own"])
Row = tuple[str, str, str | None, str, float | None]


class PluginMemory(RuleBasedStateMachine):
    """``two`` opened memories of one journal, used in turn, must always agree with the model."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="zeroclaw-model-"))
        self.two = [opened("notes", self.home), opened("notes", self.home)]
        self.rows: dict[tuple[str, str | None], Row] = {}

    @rule(
        key=few_keys, content=texts, category=categories, session=sessions, namespace=namespaces, agent=agents,
        importance=st.none() | st.floats(0, 1), which=st.integers(0, 1),
    )  # fmt: skip
    def store(
        self,
        key: str,
        content: str,
        category: str,
        session: str | None,
        namespace: str | None,
        agent: str | None,
        importance: float | None,
        which: int,
    ) -> None:
        self.two[which].store_with_agent(key, content, category, session, namespace, importance, agent)
        self.rows[key, agent] = (content, category, session, namespace or "default", importance)

    @rule(key=few_keys, content=texts, category=categories, session=sessions, which=st.integers(0, 1))
    def store_plainly(self, key: str, content: str, category: str, session: str | None, which: int) -> None:
        self.two[which].store(key, content, category, session)
        self.rows[key, None] = (content, category, session, "default", None)

    @rule(key=few_keys, which=st.integers(0, 1))
    def forget(self, key: str, which: int) -> None:
        owners = [row for row in self.rows if row[0] == key]
        assert self.two[which].forget(key) == bool(owners)
        for row in owners:
            del self.rows[row]

    @rule(key=few_keys, agent=st.sampled_from(["x", "y"]), which=st.integers(0, 1))
    def forget_for_agent(self, key: str, agent: str, which: int) -> None:
        assert self.two[which].forget_for_agent(key, agent) == (self.rows.pop((key, agent), None) is not None)

    @rule(session=st.sampled_from(["s1", "s2"]), which=st.integers(0, 1))
    def purge_session(self, session: str, which: int) -> None:
        gone = [row for row, value in self.rows.items() if value[2] == session]
        assert self.two[which].purge_session(session) == len(gone)
        for row in gone:
            del self.rows[row]

    @rule(namespace=st.sampled_from(["default", "kitchen"]), which=st.integers(0, 1))
    def purge_namespace(self, namespace: str, which: int) -> None:
        gone = [row for row, value in self.rows.items() if value[3] == namespace]
        assert self.two[which].purge_namespace(namespace) == len(gone)
        for row in gone:
            del self.rows[row]

    @rule(which=st.integers(0, 1))
    def restart(self, which: int) -> None:
        before = sorted(self.two[1 - which].list_entries(None, None), key=_identity)
        self.two[which].close()
        self.two[which] = opened("notes", self.home)
        assert sorted(self.two[which].list_entries(None, None), key=_identity) == before

    @rule(which=st.integers(0, 1))
    def lose_the_instance(self, which: int) -> None:
        live = self.two[which]._live
        assert live is not None
        live.discard()

    @precondition(lambda self: self.rows)
    @rule(which=st.integers(0, 1), data=st.data())
    def get(self, which: int, data: st.DataObject) -> None:
        key, agent = data.draw(st.sampled_from(sorted(self.rows, key=repr)))
        found = self.two[which].get(key)
        assert found is not None and (key, found.agent_id) in self.rows
        if agent is not None:
            own = self.two[which].get_for_agent(key, agent)
            assert own is not None and _row(own) == self.rows[key, agent]

    @invariant()
    def agree(self) -> None:
        for memory in self.two:
            found = memory.list_entries(None, None)
            assert {(entry.key, entry.agent_id): _row(entry) for entry in found} == self.rows
            assert memory.count() == len(self.rows) == len(found)
            assert memory.take_warnings() == []
        exported = self.two[0].export_entries(ExportFilter(category="core"))
        assert len(exported) == sum(row[1] == "core" for row in self.rows.values())

    def teardown(self) -> None:
        for memory in self.two:
            memory.close()
        shutil.rmtree(self.home)


def _identity(entry: Entry) -> tuple[str, str]:
    return entry.key, entry.agent_id or ""


def _row(entry: Entry) -> Row:
    return entry.content, entry.category, entry.session_id, entry.namespace, entry.importance


TestPluginMemory = PluginMemory.TestCase
TestPluginMemory.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
