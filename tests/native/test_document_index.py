"""The parts of a document in the index: what an append leaves alone, and that nobody can tell."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.native.test_index import dump, is_consistent
from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.native import document_index, index, scoring
from zeroclaw_cli.native.index import IndexWriter, Kind
from zeroclaw_cli.native.memory import NativeMemory
from zeroclaw_cli.native.opening import open_documents, open_file
from zeroclaw_cli.native.repository import Hit, Query
from zeroclaw_cli.native.scope import DocumentPath, Scope
from zeroclaw_cli.native.settings import NativeSettings

PATH = DocumentPath(Scope(), "notes/log.md")
TIMES = ["2024-05-08T12:00:00.000000000Z", "2024-05-08T12:30:00.000000001Z", "2024-05-09T18:00:00.000000000Z"]
PARTS = st.lists(st.sampled_from(["green tea", "a walrus", "Ada: how much?", "抹茶"]), max_size=5)


def rounded(rows: list[list[tuple[object, ...]]]) -> list[list[tuple[object, ...]]]:
    return [
        [tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row) for row in table if any(row[2:])]
        for table in rows[:3]
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(PARTS, st.sampled_from(TIMES)), min_size=1, max_size=6))
def test_an_index_that_was_changed_is_the_one_made_anew(steps: list[tuple[list[str], str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, open_file(Path(folder) / "native.db") as store:
        with store.write() as transaction:
            # An index of documents without a single one would be damage.
            transaction.execute(
                "INSERT INTO documents (tenant, user, path, body, hash, created_at, updated_at) "
                "VALUES ('local', 'default', 'there.md', x'', '', '', '')"
            )
            document_index.replace(transaction, DocumentPath(Scope(), "other.md"), 2, ["another one"], at=TIMES[0])
        for parts, at in steps:
            with store.write() as transaction:
                document_index.replace(transaction, PATH, 1, parts, at=at)
        changed = rounded(dump(store))
        assert is_consistent(store)
        with store.write() as transaction:
            document_index.replace(transaction, PATH, 1, steps[-1][0], at=steps[-1][1], anew=True)
        assert changed == rounded(dump(store))


def test_an_append_indexes_the_last_part_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    real = IndexWriter.replace_document

    def watched(writer: IndexWriter, *args: object, **named: object) -> int:
        kept.append(int(str(named["kept"])))
        return real(writer, *args, **named)  # type: ignore[arg-type]

    with open_documents(tmp_path, Scope(), NativeSettings(mirror="off")) as documents:
        documents.write(WriteRequest("n.md", " ".join(f"w{n}" for n in range(3_000)), append=False))
        (before,) = documents.store.query("SELECT count(*) FROM chunks")
        monkeypatch.setattr(IndexWriter, "replace_document", watched)
        documents.write(WriteRequest("n.md", "a walrus eats clams"))
        assert documents.search("walrus").results[0].path == "n.md"
    assert kept == [before[0] - 1]


def test_parts_that_the_full_text_lost_come_back_with_a_reindex(tmp_path: Path) -> None:
    with open_documents(tmp_path, Scope(), NativeSettings(mirror="off")) as documents:
        documents.write(WriteRequest("n.md", "a walrus eats clams", append=False))
        with documents.store.write() as transaction:
            place = index.span(1, Kind.DOCUMENT)
            transaction.execute(
                "INSERT INTO chunks_fts (chunks_fts, rowid, body, label, dates, speaker) "
                "SELECT 'delete', id, body, label, dates, speaker FROM chunks WHERE id BETWEEN ? AND ?",
                (place.first, place.last),
            )
        with documents.store.write() as transaction:
            transaction.execute("DELETE FROM chunks")
        documents.reindex()
        assert documents.search("walrus").results[0].path == "n.md"


@pytest.mark.parametrize("large", [False, True])
def test_the_parts_of_one_document_use_up_no_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr(scoring, "WHOLE_STORE_ROWS", 0)
    with open_documents(tmp_path, Scope(), NativeSettings(mirror="off")) as documents:
        documents.write(WriteRequest("long.md", " ".join(["tea"] * 680 * 230), append=False))
        documents.write(WriteRequest("short.md", f"tea moved to Graz {' '.join(map(str, range(400)))}", append=False))
        (parts,) = documents.store.query("SELECT count(*) FROM chunks WHERE text LIKE 'tea tea%'")
        assert parts[0] > 200
        assert [hit.path for hit in documents.search("tea").results] == ["long.md", "short.md"]
        assert {snippet.path for snippet in documents.context("tea").snippets} == {"long.md", "short.md"}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.lists(st.sampled_from(["tea", "walrus", "Ada: how much?"]), min_size=1))),
    st.sampled_from(["tea", "tea walrus", "ada how much"]),
    st.booleans(),
)
def test_the_halves_of_a_search_by_their_ranks_are_the_whole(
    rows: list[tuple[bool, list[str]]], query: str, large: bool
) -> None:
    settings_ = NativeSettings(mirror="off")
    with (
        tempfile.TemporaryDirectory() as folder,
        open_documents(Path(folder), Scope(), settings_) as documents,
        NativeMemory(documents.store, Scope()) as memory,
        pytest.MonkeyPatch.context() as patch,
    ):
        for number, (is_entry, words) in enumerate(rows):
            if is_entry:
                memory.import_entries([Entry("", f"k{number}", " ".join(words), "core", "2024-05-08T12:00:00Z")])
            else:
                documents.write(WriteRequest(f"{number}.md", " ".join(words), append=False))
        if large:
            patch.setattr(scoring, "WHOLE_STORE_ROWS", 0)
            patch.setattr(scoring, "CANDIDATES", 3)
        asked = Query(query, limit=1_000, candidates=1_000, entries="durable")

        def found(given: Literal["all", "documents", "entries"], limit: int = 1_000) -> list[Hit]:
            return documents.repository.search(Scope(), Scope(), replace(asked, given=given, limit=limit))

        halves = sorted([*found("documents"), *found("entries")], key=lambda hit: hit.rank)
        whole = found("all")
        assert [(hit.path, hit.rank) for hit in halves] == [(hit.path, hit.rank) for hit in whole]
        assert not any(hit.is_entry for hit in found("documents")) and all(hit.is_entry for hit in found("entries"))
        assert [hit.path for hit in found("documents", 2)] == [hit.path for hit in whole if not hit.is_entry][:2]
