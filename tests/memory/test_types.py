from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.memory.types import Capability, Entry

OPTIONAL_TEXT = st.none() | st.text()
OPTIONAL_NUMBER = st.none() | st.floats(allow_nan=False, allow_infinity=False)
ENTRIES = st.builds(
    Entry,
    id=st.text(),
    key=st.text(),
    content=st.text(),
    category=st.text(min_size=1),
    timestamp=st.text(),
    session_id=OPTIONAL_TEXT,
    score=OPTIONAL_NUMBER,
    namespace=st.text(min_size=1),
    importance=st.none() | st.floats(0, 1),
    superseded_by=OPTIONAL_TEXT,
    agent_alias=OPTIONAL_TEXT,
    agent_id=OPTIONAL_TEXT,
)


@given(ENTRIES)
def test_an_entry_survives_its_json(entry: Entry) -> None:
    assert Entry.from_json(json.loads(json.dumps(entry.to_json()))) == entry


def test_an_entry_has_the_twelve_fields_of_the_world_in_their_order() -> None:
    entry = Entry("1", "k", "c", "core", "t")
    assert list(entry.to_json()) == [
        "id",
        "key",
        "content",
        "category",
        "timestamp",
        "session_id",
        "score",
        "namespace",
        "importance",
        "superseded_by",
        "agent_alias",
        "agent_id",
    ]


def test_a_row_needs_only_key_and_content_and_may_have_more_fields() -> None:
    assert Entry.from_json({"key": "k", "content": "c", "kind": "note", "pinned": True}) == Entry(
        "", "k", "c", "core", ""
    )


@pytest.mark.parametrize(
    ("field", "row"),
    [
        ("key", {"content": "c"}),
        ("content", {"key": "k"}),
        ("key", {"key": 1, "content": "c"}),
        ("category", {"key": "k", "content": "c", "category": 1}),
        ("session_id", {"key": "k", "content": "c", "session_id": 1}),
        ("importance", {"key": "k", "content": "c", "importance": "high"}),
        ("importance", {"key": "k", "content": "c", "importance": True}),
        ("importance", {"key": "k", "content": "c", "importance": 10**400}),
        ("score", {"key": "k", "content": "c", "score": float("nan")}),
    ],
)
def test_a_wrong_field_is_named(field: str, row: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=field):
        Entry.from_json(row)


def test_there_are_eleven_capabilities_in_bit_order() -> None:
    assert [str(capability) for capability in Capability] == [
        "get-for-agent",
        "purge-namespace",
        "purge-session",
        "purge-session-for-agent",
        "purge-agent",
        "reindex",
        "store-procedural",
        "ensure-agent-uuid",
        "recall-namespaced",
        "export-entries",
        "store-with-metadata",
    ]
