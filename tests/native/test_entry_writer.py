from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.native.entries import NativeEntry
from zeroclaw_cli.native.memory import NativeMemory, open_memory

SAID = ("Ada: green tea?", "Привет, мир", "note: 茶が好き", "a\0b", "", "Rosa Luz：hola", "one 2 three", "x: y\nz")
ENTRIES = st.builds(
    NativeEntry,
    id=st.just(""),
    key=st.sampled_from(["a", "b", "a\0b", "c", "d"]),
    content=st.sampled_from(SAID),
    category=st.sampled_from(["daily", "conversation"]),
    timestamp=st.sampled_from(["2023-05-08T12:00:00Z", "2023-05-08T12:00:00.5Z", "2024-01-01T00:00:00+02:00"]),
    session_id=st.sampled_from([None, "s", "s\0t", "t"]),
    namespace=st.sampled_from(["default", "work"]),
    importance=st.sampled_from([None, 0.0, 1.0]),
    superseded_by=st.sampled_from([None, None, "other"]),
    agent_id=st.sampled_from([None, "agent"]),
)


def content_of(memory: NativeMemory) -> list[list[tuple[Any, ...]]]:
    """What is stored and what the index knows of it, without what differs from run to run."""
    with memory.store_file.write() as transaction:
        transaction.execute("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
    queries = (
        "SELECT key, agent, content, category, session_id, namespace, importance, created_at, superseded_by FROM "
        "entries ORDER BY key, agent",
        "SELECT e.key, e.agent, s.name, c.at, c.length, c.traits, c.weight, c.body, c.label, c.dates, c.speaker FROM "
        "chunks c JOIN entries e ON e.number = c.id & 17592186044415 LEFT JOIN sessions s ON s.number = c.session "
        "ORDER BY e.key, e.agent",
        "SELECT name, chunks, round(length, 6) FROM sessions ORDER BY name",
        "SELECT kind, chunks, round(length, 6), sessions, round(session_length, 6) FROM index_totals ORDER BY kind",
    )
    return [memory.store_file.query(sql) for sql in queries]


@given(st.lists(ENTRIES, min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_an_import_leaves_what_storing_one_by_one_leaves(
    tmp_path_factory: pytest.TempPathFactory, entries: Sequence[Entry]
) -> None:
    folder = tmp_path_factory.mktemp("both")
    with open_memory(folder / "import") as together, open_memory(folder / "single") as single:
        together.import_entries(entries)
        for entry in entries:
            single.import_entry(entry)
        assert content_of(together) == content_of(single)


def test_a_batch_of_new_and_known_keys_stores_both(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.import_entries([Entry("", f"k{n}", "old", "daily", "", "s") for n in range(100)])
        memory.import_entries([Entry("", f"k{n}", "new", "daily", "", "t") for n in range(50, 1_500)])
        assert memory.count() == 1_500
        assert len(memory.recall("old", 2_000, None, None, None)) == 50
        assert len(memory.recall("new", 2_000, None, None, None)) == 1_450
        content_of(memory)


def test_keys_that_differ_after_a_nul_are_two_keys(tmp_path: Path) -> None:
    rows = [Entry("", key, key, "daily", "", f"s{key}") for key in ("a", "a\0b", "a\0c")]
    with open_memory(tmp_path) as memory:
        memory.import_entries(rows)
        memory.import_entries(rows)
        assert memory.count() == 3


@pytest.mark.parametrize("importance", [float("inf"), float("nan")])
def test_an_exported_row_is_read_fast_but_not_blindly(importance: float) -> None:
    row = NativeEntry("i", "k", "c", "core", "2023-05-08T12:00:00Z", importance=0.5, updated_at="x").to_json()
    assert NativeEntry.from_json(row).importance == 0.5
    assert NativeEntry.from_json(row | {"category": "", "namespace": ""}).category == "core"
    assert NativeEntry.from_json(row | {"importance": 1}).importance == 1.0
    with pytest.raises(ValueError, match="importance"):
        NativeEntry.from_json(row | {"importance": importance})
    with pytest.raises(ValueError, match="pinned"):
        NativeEntry.from_json(row | {"pinned": 1})
