from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.native import index
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.index import EntryText, IndexWriter, Kind
from zeroclaw_cli.native.memory import open_memory
from zeroclaw_cli.native.opening import open_store
from zeroclaw_cli.native.scope import Scope

DAY = "2023-05-08T12:00:00.000000000Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def dump(store: Store) -> list[list[tuple[object, ...]]]:
    tables = ("chunks", "sessions", "index_totals", "speakers")
    return [store.query(f"SELECT * FROM {table} ORDER BY 1, 2") if table != "speakers" else store.query(
        "SELECT * FROM speakers ORDER BY 1") for table in tables]  # fmt: skip


def is_consistent(store: Store) -> bool:
    with store.write() as transaction:
        transaction.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')")
        counted = transaction.execute("SELECT count(*), coalesce(sum(length), 0) FROM chunks").fetchone()
        summed = transaction.execute("SELECT sum(chunks), sum(length) FROM index_totals").fetchone()
        sessions = transaction.execute(
            "SELECT number FROM sessions WHERE chunks <> (SELECT count(*) FROM chunks c WHERE c.session = number)"
        ).fetchall()
    return counted[0] == summed[0] and counted[1] == pytest.approx(summed[1]) and sessions == []


@given(
    st.integers(1, index.MAX_SCOPES),
    st.integers(1, 2**31 - 1),
    st.integers(0, index.MAX_PARTS - 1),
    st.sampled_from(Kind),
)
def test_an_id_tells_scope_kind_and_owner(scope: int, owner: int, part: int, kind: Kind) -> None:
    place = index.document_span(scope, kind, owner) if kind is not Kind.ENTRY else index.span(scope, kind)
    chunk = place.first + (part if kind is not Kind.ENTRY else owner)
    assert index.kind_of(chunk) is kind
    assert index.owner_of(chunk) == owner
    assert place.first <= chunk <= place.last < 2**63
    whole = index.span(scope, kind)
    assert whole.first <= chunk <= whole.last
    assert index.span(scope, Kind.ENTRY).last + 1 == index.span(scope, Kind.DOCUMENT).first


def test_a_scope_has_one_number(store: Store) -> None:
    with store.write() as transaction:
        assert index.find_scope(transaction, Scope()) is None
        first = index.ensure_scope(transaction, Scope())
        assert index.ensure_scope(transaction, Scope()) == first
        assert index.ensure_scope(transaction, Scope(agent="ada")) != first


def test_too_many_scopes_are_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MAX_SCOPES", 1)
    with pytest.raises(MemoryFailure, match="scopes"), store.write() as transaction:
        index.ensure_scope(transaction, Scope())
        index.ensure_scope(transaction, Scope(agent="ada"))


def test_replacing_a_document_leaves_only_its_new_parts(store: Store) -> None:
    with store.write() as transaction:
        transaction.execute(
            "INSERT INTO documents (tenant, user, path, body, hash, created_at, updated_at) "
            "VALUES ('local', 'default', 'there.md', x'', '', '', '')"
        )
        scope = index.ensure_scope(transaction, Scope())
        with IndexWriter(transaction) as writer:
            assert writer.replace_document(scope, Kind.DOCUMENT, 1, ["green tea", "apples"], path="a.md", at=DAY) == 2
            assert writer.replace_document(scope, Kind.DOCUMENT, 2, ["other"], path="b.md", at=DAY) == 1
        with IndexWriter(transaction) as writer:
            assert writer.replace_document(scope, Kind.DOCUMENT, 1, ["coffee"], path="a.md", at=DAY) == 1
    assert store.query("SELECT text FROM chunks ORDER BY id") == [("coffee",), ("other",)]
    assert is_consistent(store)
    with store.write() as transaction, IndexWriter(transaction) as writer:
        writer.remove_document(scope, Kind.DOCUMENT, 1)
        writer.remove_document(scope, Kind.DOCUMENT, 7)
    assert store.query("SELECT text FROM chunks") == [("other",)]
    assert is_consistent(store)


def test_a_session_ends_with_its_last_row(store: Store) -> None:
    with store.write() as transaction:
        scope = index.ensure_scope(transaction, Scope())
        with IndexWriter(transaction) as writer:
            writer.put_entries(scope, [EntryText(n, f"tea {n}", f"k{n}", "", "s", DAY, "") for n in range(1, 4)])
        with IndexWriter(transaction) as writer:
            writer.remove_entries(scope, [1, 2, 99])
        assert is_consistent(store)
        with IndexWriter(transaction) as writer:
            writer.put_entries(scope, [EntryText(4, "tea", "k4", "", "s", DAY, "")])
            writer.remove_entries(scope, [3, 4])
    assert store.query("SELECT * FROM sessions") == []
    assert is_consistent(store)


def test_sums_stay_right_through_a_history(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        for number in range(60):
            memory.store(
                f"k{number % 17}", f"Ada: green tea {number}", "daily", f"s{number % 3}" if number % 4 else None
            )
            if number % 5 == 0:
                memory.forget(f"k{number % 7}")
        memory.purge_session("s1")
        assert is_consistent(memory.store_file)


def test_reindex_gives_the_index_that_the_writes_gave_and_twice_changes_nothing(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        for number in range(30):
            memory.store_with_agent(
                f"k{number}", f"Ada: green tea {number} 抹茶", "daily", f"s{number % 3}", "n", 0.5,
                memory.ensure_agent_uuid("helper") if number % 2 else None,
            )  # fmt: skip
        before = dump(memory.store_file)
        found = memory.recall("green tea 抹茶 7", 10, None, None, None)
        assert memory.reindex() == 30
        first = dump(memory.store_file)
        assert memory.reindex() == 30
        second = dump(memory.store_file)
        assert [row[2:] for row in before[0]] == [row[2:] for row in first[0]]
        assert first[2:] == second[2:] == before[2:]
        assert memory.recall("green tea 抹茶 7", 10, None, None, None) == found
        assert is_consistent(memory.store_file)
