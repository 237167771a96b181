"""Random histories of the example plugin against a dictionary."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.support.guests import component
from tests.support.raw_guest import RawGuest

texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)
few = st.sampled_from(["a", "b", "c", "ä", ""])
sessions = st.none() | st.sampled_from(["s", "t"])
namespaces = st.none() | st.sampled_from(["n", "m", "default"])
agents = st.none() | st.sampled_from(["a1", "a2", ""])
categories = st.sampled_from(["core", "daily", "conversation", "todo", "misc"])
Row = dict[str, Any]


def facts(row: Row) -> Row:
    """What a dictionary can know of a row."""
    return {name: value for name, value in row.items() if name not in ("id", "timestamp", "score")}


def in_any_order(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["key"], row["agent-id"] is not None, row["agent-id"] or ""))


class Notes(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.guest = RawGuest(component("notes"), memory_bytes=8 << 20)
        self.rows: dict[tuple[str, str | None], Row] = {}

    @rule(
        key=few,
        content=texts | st.integers(0, 70_000).map("x".__mul__),
        category=categories,
        session=sessions,
        namespace=namespaces,
        importance=st.none() | st.floats(0, 1),
        agent=agents,
        step=st.integers(-3, 5),
    )
    def store(
        self,
        key: str,
        content: str,
        category: str,
        session: str | None,
        namespace: str | None,
        importance: float | None,
        agent: str | None,
        step: int,
    ) -> None:
        self.guest.clock.seconds += step
        self.guest.store_with_agent(key, content, category, session, namespace, importance, agent)
        self.rows.pop((key, agent), None)
        self.rows[key, agent] = {
            "key": key,
            "content": content,
            "category": category,
            "session-id": session,
            "namespace": "default" if namespace is None else namespace,
            "importance": importance,
            "superseded-by": None,
            "agent-alias": None,
            "agent-id": agent,
        }

    @rule(key=few)
    def forget(self, key: str) -> None:
        assert self.guest.call("forget", key) is bool(self.drop(lambda row: row["key"] == key))

    @rule(key=few, agent=st.sampled_from(["a1", "a2", ""]))
    def forget_for_agent(self, key: str, agent: str) -> None:
        dropped = self.drop(lambda row: (row["key"], row["agent-id"]) == (key, agent))
        assert self.guest.call("forget-for-agent", key, agent) is bool(dropped)

    @rule(namespace=st.sampled_from(["n", "m", "default", "nowhere"]))
    def purge_namespace(self, namespace: str) -> None:
        dropped = self.drop(lambda row: row["namespace"] == namespace)
        assert self.guest.call("purge-namespace", namespace) == dropped

    @rule(session=st.sampled_from(["s", "t", "u"]))
    def purge_session(self, session: str) -> None:
        assert self.guest.call("purge-session", session) == self.drop(lambda row: row["session-id"] == session)

    @rule(session=st.sampled_from(["s", "t"]), agent=st.sampled_from(["a1", "a2", ""]))
    def purge_session_for_agent(self, session: str, agent: str) -> None:
        dropped = self.drop(lambda row: (row["session-id"], row["agent-id"]) == (session, agent))
        assert self.guest.call("purge-session-for-agent", session, agent) == dropped

    @rule()
    def reindex(self) -> None:
        assert self.guest.call("reindex") == len(self.rows)

    @rule(key=few, agent=st.sampled_from(["a1", "a2", ""]))
    def get(self, key: str, agent: str) -> None:
        row = self.guest.call("get-for-agent", key, agent)
        assert (row and facts(row)) == self.rows.get((key, agent))
        any_row = self.guest.call("get", key)
        candidates = [row for row in self.rows.values() if row["key"] == key]
        assert facts(any_row) in candidates if candidates else any_row is None

    @rule(category=st.none() | categories, session=sessions)
    def list_some(self, category: str | None, session: str | None) -> None:
        expected = [
            row
            for row in self.rows.values()
            if category in (None, row["category"]) and session in (None, row["session-id"])
        ]
        listed = [facts(row) for row in self.guest.list_entries(category, session)]
        assert in_any_order(listed) == in_any_order(expected)

    @invariant()
    def the_guest_holds_what_the_dictionary_holds(self) -> None:
        exported = self.guest.export_entries()
        assert in_any_order([facts(row) for row in exported]) == in_any_order(list(self.rows.values()))
        assert self.guest.call("count") == len(self.rows)
        assert self.guest.raw("health-check") is True
        stamps = [row["timestamp"] for row in exported]
        assert stamps == sorted(stamps)
        newest_first = self.guest.recall("", 2**32)
        assert [row["id"] for row in newest_first] == [row["id"] for row in exported][::-1]
        assert len({row["id"] for row in exported}) == len(exported)

    def drop(self, is_meant: Any) -> int:
        """Removes the rows that are meant from the dictionary; how many there were."""
        meant = [identity for identity, row in self.rows.items() if is_meant(row)]
        for identity in meant:
            del self.rows[identity]
        return len(meant)


Notes.TestCase.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestNotesHistory = Notes.TestCase
