"""What every store of documents must do: R1 to R11 of specs/native-memory.md §20, on SQLite and on dictionaries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.dict_documents import DictDocuments
from zeroclaw_cli.errors import DocumentConflict, DocumentFailure
from zeroclaw_cli.memory.measures import content_hash
from zeroclaw_cli.native.capabilities import Capabilities
from zeroclaw_cli.native.documents import SqliteDocuments
from zeroclaw_cli.native.opening import open_store
from zeroclaw_cli.native.repository import Expect, HashConflict, Query, Repository, WriteOptions, write
from zeroclaw_cli.native.safety import PromptWriteGuard
from zeroclaw_cli.native.scope import DocumentPath, Scope

HOME = Scope(agent="ada", project="garden")
OTHERS = [
    replace(HOME, tenant="other"),
    replace(HOME, user="other"),
    replace(HOME, agent="other"),
    replace(HOME, project="other"),
    replace(HOME, agent=""),
    replace(HOME, project=""),
]


@pytest.fixture(params=["sqlite", "dict"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Repository]:
    if request.param == "dict":
        yield DictDocuments()
        return
    with open_store(tmp_path) as store:
        yield SqliteDocuments(store, guard=PromptWriteGuard())


def at(path: str, scope: Scope = HOME) -> DocumentPath:
    return DocumentPath(scope, path)


def put(repository: Repository, path: str, text: str, scope: Scope = HOME, **metadata: object) -> None:
    options = WriteOptions(overlay=metadata) if metadata else WriteOptions()
    write(repository, scope, at(path, scope), text.encode(), options=options)


def body(repository: Repository, path: str, scope: Scope = HOME) -> bytes | None:
    stored = repository.read(scope, at(path, scope))
    return None if stored is None else stored.body


def refused(reason: str, act: Callable[[], object]) -> None:
    with pytest.raises(DocumentFailure) as caught:
        act()
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "data", [b"", b"tea", b"a\r\nb\n", "naïve 抹茶 🧠\x00".encode(), b"\xff\xfe no text", b"x" * 100_000]
)
def test_r1_bytes_written_are_bytes_read(repository: Repository, data: bytes) -> None:
    written = write(repository, HOME, at("notes/a.bin"), data)
    stored = repository.read(HOME, at("notes/a.bin"))
    assert stored is not None
    assert stored.body == data
    assert stored.content_hash == written.content_hash == content_hash(data)


def test_r1_a_missing_document_reads_as_none(repository: Repository) -> None:
    assert repository.read(HOME, at("nothing.md")) is None


@pytest.mark.parametrize("other", OTHERS, ids=lambda scope: "/".join(scope.key))
def test_r2_another_scope_sees_nothing_at_the_same_path(repository: Repository, other: Scope) -> None:
    put(repository, "a.md", "mine")
    assert body(repository, "a.md", other) is None
    put(repository, "a.md", "theirs", other)
    assert body(repository, "a.md") == b"mine"
    assert body(repository, "a.md", other) == b"theirs"


@pytest.mark.parametrize("other", OTHERS, ids=lambda scope: "/".join(scope.key))
def test_r3_a_list_has_the_scopes_own_paths_alone(repository: Repository, other: Scope) -> None:
    put(repository, "mine/a.md", "x")
    put(repository, "theirs/b.md", "x", other)
    assert repository.list_paths(HOME, HOME) == ["mine/a.md"]
    assert repository.list_paths(other, other) == ["theirs/b.md"]


@pytest.mark.parametrize("other", OTHERS, ids=lambda scope: "/".join(scope.key))
def test_r4_a_search_finds_the_scopes_own_documents_alone(repository: Repository, other: Scope) -> None:
    put(repository, "mine/a.md", "common walrus")
    put(repository, "theirs/b.md", "common narwhal", other)
    found = repository.search(HOME, HOME, Query("common walrus narwhal"))
    assert [(hit.path, hit.text, hit.score) for hit in found] == [(at("mine/a.md"), "common walrus", 1.0)]
    elsewhere = repository.search(other, other, Query("common walrus narwhal"))
    assert [hit.path for hit in elsewhere] == [at("theirs/b.md", other)]


def test_hits_below_the_least_score_are_left_out(repository: Repository) -> None:
    for number in range(5):
        put(repository, f"{number}.md", "walrus")
    assert len(repository.search(HOME, HOME, Query("walrus", min_score=61 / 63))) == 3
    assert len(repository.search(HOME, HOME, Query("walrus", limit=0))) == 1


def test_r5_a_store_without_search_says_so() -> None:
    blind = DictDocuments(capabilities=Capabilities(full_text_search=False))
    put(blind, "a.md", "tea")
    refused("search_unsupported", lambda: blind.search(HOME, HOME, Query("tea")))


def test_r5_sqlite_without_full_text_says_so_and_still_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeroclaw_cli.native.document_index.has_full_text", lambda _: False)
    with open_store(tmp_path) as store:
        repository = SqliteDocuments(store, guard=PromptWriteGuard())
        put(repository, "a.md", "tea")
        assert body(repository, "a.md") == b"tea"
        refused("search_unsupported", lambda: repository.search(HOME, HOME, Query("tea")))


@pytest.mark.parametrize("query", [Query("tea", vector=True), Query("tea", full_text=False)])
def test_r5_vectors_are_refused(repository: Repository, query: Query) -> None:
    put(repository, "a.md", "tea")
    refused("search_unsupported", lambda: repository.search(HOME, HOME, query))


def test_r6_the_right_hash_writes_and_a_wrong_one_changes_nothing(repository: Repository) -> None:
    put(repository, "a.md", "one")
    write(repository, HOME, at("a.md"), b"two", expect=content_hash(b"one"))
    with pytest.raises(HashConflict) as caught:
        write(repository, HOME, at("a.md"), b"three", expect=content_hash(b"one"))
    assert caught.value.current == content_hash(b"two")
    assert body(repository, "a.md") == b"two"


def test_r6_expecting_no_document_creates_once(repository: Repository) -> None:
    write(repository, HOME, at("a.md"), b"one", expect=Expect.ABSENT)
    with pytest.raises(DocumentConflict):
        write(repository, HOME, at("a.md"), b"two", expect=Expect.ABSENT)
    assert body(repository, "a.md") == b"one"


@pytest.mark.parametrize("expected", [content_hash(b""), content_hash(b"x"), ""])
def test_r6_an_absent_document_meets_no_hash(repository: Repository, expected: str) -> None:
    with pytest.raises(HashConflict) as caught:
        write(repository, HOME, at("a.md"), b"one", expect=expected)
    assert caught.value.current == ""
    assert body(repository, "a.md") is None


def test_r6_of_many_writers_with_one_hash_exactly_one_wins(repository: Repository) -> None:
    put(repository, "a.md", "start")
    outcomes: list[str] = []

    def contend(number: int) -> None:
        try:
            write(repository, HOME, at("a.md"), f"writer {number}".encode(), expect=content_hash(b"start"))
            outcomes.append(f"writer {number}")
        except HashConflict:
            pass

    threads = [threading.Thread(target=contend, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 1
    assert body(repository, "a.md") == outcomes[0].encode()


@pytest.mark.parametrize(("first", "second"), [("a", "a/b"), ("a", "a/b/c.md"), ("a/b", "a"), ("x/y/z.md", "x/y")])
def test_r7_a_document_is_no_folder_and_a_folder_no_document(repository: Repository, first: str, second: str) -> None:
    put(repository, first, "here first")
    refused("path_conflict", lambda: put(repository, second, "x"))
    assert repository.list_paths(HOME, HOME) == [first]


def test_r7_names_that_only_begin_alike_are_no_conflict(repository: Repository) -> None:
    for path in ("a/b", "a.md", "a0", "a-b", "A", "a!x/y"):
        put(repository, path, "x")
    assert len(repository.list_paths(HOME, HOME)) == 6


def test_r7_another_scope_has_no_say(repository: Repository) -> None:
    put(repository, "a", "x", OTHERS[0])
    put(repository, "a/b", "x")
    assert body(repository, "a/b") == b"x"


def texts_of_versions(repository: Repository, path: str) -> dict[int, bytes | None]:
    found = repository.versions(HOME, at(path))
    return {version.number: repository.read_version(HOME, at(path), version.number) for version in found}


def test_r8_a_change_archives_what_was_there(repository: Repository) -> None:
    for text in ("one", "two", "three"):
        put(repository, "a.md", text)
    assert texts_of_versions(repository, "a.md") == {2: b"two", 1: b"one"}
    newest = repository.versions(HOME, at("a.md"))[0]
    assert newest.content_hash == content_hash(b"two")
    assert newest.changed_by == "tenant:local:user:default:agent:ada:project:garden"


def test_r8_nothing_is_archived_when_identical_or_empty_before_or_told_not_to(repository: Repository) -> None:
    put(repository, "same.md", "one")
    put(repository, "same.md", "one")
    put(repository, "empty.md", "")
    put(repository, "empty.md", "one")
    put(repository, "quiet.md", "one", skip_versioning=True)
    put(repository, "quiet.md", "two")
    for path in ("same.md", "empty.md", "quiet.md"):
        assert texts_of_versions(repository, path) == {}


def test_r8_the_same_text_is_not_archived_twice_in_a_row(repository: Repository) -> None:
    put(repository, "a.md", "one")
    put(repository, "a.md", "two")
    put(repository, "a.md", "one")
    put(repository, "a.md", "two")
    put(repository, "a.md", "three", skip_versioning=True)
    assert texts_of_versions(repository, "a.md") == {1: b"one", 2: b"two", 3: b"one"}


def test_r8_fifty_versions_are_kept(repository: Repository) -> None:
    for number in range(60):
        put(repository, "a.md", f"text {number}")
    kept = texts_of_versions(repository, "a.md")
    assert list(kept) == list(range(59, 9, -1))
    assert kept[59] == b"text 58"


def test_what_changed_meanwhile_is_not_deleted(repository: Repository) -> None:
    put(repository, "a.md", "old")
    read = content_hash(b"old")
    put(repository, "a.md", "new")
    with pytest.raises(HashConflict):
        repository.delete(HOME, at("a.md"), expect=read)
    assert body(repository, "a.md") == b"new"
    assert repository.delete(HOME, at("a.md"), expect=content_hash(b"new")) == (True, 0)


def test_r8_a_forgotten_documents_versions_come_back_with_its_path(repository: Repository) -> None:
    put(repository, "a.md", "one")
    put(repository, "a.md", "two")
    assert repository.delete(HOME, at("a.md")) == (True, 0)
    assert texts_of_versions(repository, "a.md") == {1: b"one"}
    put(repository, "a.md", "three")
    put(repository, "a.md", "four")
    assert texts_of_versions(repository, "a.md") == {1: b"one", 2: b"three"}
    assert repository.delete(HOME, at("a.md"), with_history=True) == (True, 2)
    assert texts_of_versions(repository, "a.md") == {}
    assert repository.delete(HOME, at("a.md"), with_history=True) == (False, 0)


def test_r8_history_can_be_forgotten_after_its_document(repository: Repository) -> None:
    put(repository, "a.md", "one")
    put(repository, "a.md", "two")
    repository.delete(HOME, at("a.md"))
    assert repository.delete(HOME, at("a.md"), with_history=True) == (False, 1)
    assert texts_of_versions(repository, "a.md") == {}


def test_r9_a_list_shows_no_sidecars_and_is_complete_beyond_1024(repository: Repository) -> None:
    for number in range(1_100):
        put(repository, f"many/{number:04d}.md", "")
    put(repository, "many/0000.md", "with metadata", tag="x")
    put(repository, "many/0000.md", "and a version")
    assert repository.list_paths(HOME, HOME) == [f"many/{number:04d}.md" for number in range(1_100)]


def test_r9_a_list_is_in_the_order_of_code_points(repository: Repository) -> None:
    names = ["a", "B", "é", "z", "\uffee", "\U0001f9e0", "a b", "a-b"]
    for name in names:
        put(repository, f"{name}.md", "")
    assert repository.list_paths(HOME, HOME) == sorted(f"{name}.md" for name in names)


def test_r10_skipping_the_index_clears_the_document(repository: Repository) -> None:
    put(repository, "a.md", "tea")
    assert repository.chunks(HOME, at("a.md")) == ["tea"]
    put(repository, "a.md", "tea", skip_indexing=True)
    assert repository.chunks(HOME, at("a.md")) == []
    assert repository.search(HOME, HOME, Query("tea")) == []


def test_r10_a_folders_config_clears_what_is_in_it_unless_overridden(repository: Repository) -> None:
    put(repository, "notes/a.md", "tea")
    put(repository, "notes/deep/b.md", "tea")
    put(repository, "notes/kept.md", "tea", skip_indexing=False)
    put(repository, "notes/open/.config", "config", skip_indexing=False)
    put(repository, "notes/open/c.md", "tea")
    put(repository, "elsewhere.md", "tea")
    put(repository, "notes/.config", "config", skip_indexing=True)
    found = {hit.path.relative for hit in repository.search(HOME, HOME, Query("tea", limit=20))}
    assert found == {"notes/kept.md", "notes/open/c.md", "elsewhere.md"}


def test_r10_a_config_governs_what_is_written_later(repository: Repository) -> None:
    put(repository, "notes/.config", "config", skip_indexing=True, skip_versioning=True)
    put(repository, "notes/a.md", "tea")
    put(repository, "notes/a.md", "more tea")
    assert repository.chunks(HOME, at("notes/a.md")) == []
    assert repository.versions(HOME, at("notes/a.md")) == []


def test_r10_the_nearest_config_wins_alone(repository: Repository) -> None:
    put(repository, ".config", "config", skip_indexing=True)
    put(repository, "notes/.config", "config", skip_versioning=True)
    put(repository, "notes/a.md", "tea")
    assert repository.chunks(HOME, at("notes/a.md")) == ["tea"]


def test_r10_a_config_without_a_sidecar_is_no_config(repository: Repository) -> None:
    put(repository, ".config", "config", skip_indexing=True)
    put(repository, "notes/.config", '{"skip_indexing": false}')
    put(repository, "notes/a.md", "tea")
    assert repository.chunks(HOME, at("notes/a.md")) == []


def test_r10_a_missing_config_clears_nothing(repository: Repository) -> None:
    put(repository, "notes/a.md", "tea")
    assert repository.clear_unindexed(HOME, at("notes/.config")) == 0
    assert repository.chunks(HOME, at("notes/a.md")) == ["tea"]


def test_r10_turning_the_index_on_again_waits_for_the_next_write_or_reindex(repository: Repository) -> None:
    put(repository, "notes/.config", "config", skip_indexing=True)
    put(repository, "notes/a.md", "tea")
    put(repository, "notes/b.md", "tea")
    put(repository, "notes/.config", "config", skip_indexing=None)
    assert repository.search(HOME, HOME, Query("tea")) == []
    put(repository, "notes/a.md", "tea")
    assert [hit.path.relative for hit in repository.search(HOME, HOME, Query("tea"))] == ["notes/a.md"]
    assert repository.reindex(HOME, HOME) == 3
    assert len(repository.search(HOME, HOME, Query("tea"))) == 2


def test_r11_chunks_are_replaced_for_the_hash_that_was_chunked_alone(repository: Repository) -> None:
    put(repository, "a.md", "tea")
    stale = content_hash(b"tea")
    assert repository.replace_chunks(HOME, at("a.md"), stale, ["green tea", "black tea"])
    assert repository.chunks(HOME, at("a.md")) == ["green tea", "black tea"]
    put(repository, "a.md", "coffee")
    assert not repository.replace_chunks(HOME, at("a.md"), stale, ["tea"])
    assert repository.chunks(HOME, at("a.md")) == ["coffee"]


def test_r11_a_missing_document_and_one_that_skips_the_index_get_no_chunks(repository: Repository) -> None:
    assert not repository.replace_chunks(HOME, at("none.md"), content_hash(b""), ["tea"])
    put(repository, "a.md", "tea", skip_indexing=True)
    assert not repository.replace_chunks(HOME, at("a.md"), content_hash(b"tea"), ["tea"])
    assert repository.search(HOME, HOME, Query("tea")) == []


def test_r11_no_chunks_clear_them(repository: Repository) -> None:
    put(repository, "a.md", "tea")
    assert repository.replace_chunks(HOME, at("a.md"), content_hash(b"tea"), [])
    assert repository.chunks(HOME, at("a.md")) == []
    assert repository.search(HOME, HOME, Query("tea")) == []


def test_s8_a_scope_that_is_not_the_callers_is_refused_everywhere(repository: Repository) -> None:
    put(repository, "a.md", "tea", OTHERS[0])
    foreign = at("a.md", OTHERS[0])
    attempts: list[Callable[[], object]] = [
        lambda: repository.read(HOME, foreign),
        lambda: write(repository, HOME, foreign, b"x"),
        lambda: repository.update(HOME, foreign, lambda _: b"x"),
        lambda: repository.delete(HOME, foreign),
        lambda: repository.list_paths(HOME, OTHERS[0]),
        lambda: repository.search(HOME, OTHERS[0], Query("tea")),
        lambda: repository.versions(HOME, foreign),
        lambda: repository.read_version(HOME, foreign, 1),
        lambda: repository.chunks(HOME, foreign),
        lambda: repository.replace_chunks(HOME, foreign, content_hash(b"tea"), []),
        lambda: repository.clear_unindexed(HOME, foreign),
        lambda: repository.reindex(HOME, OTHERS[0]),
    ]
    for attempt in attempts:
        refused("scope_mismatch", attempt)
    assert body(repository, "a.md", OTHERS[0]) == b"tea"


@pytest.mark.parametrize("size", [1_048_577, 2_000_000])
def test_a_body_beyond_a_mebibyte_is_refused(repository: Repository, size: int) -> None:
    refused("too_large", lambda: write(repository, HOME, at("a.md"), b"x" * size))
    assert body(repository, "a.md") is None
    write(repository, HOME, at("a.md"), b"x" * 1_048_576)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "a/b", "b", ".config", "b/c"]), st.binary(max_size=8)), max_size=12))
def test_both_stores_do_the_same_with_any_history(history: list[tuple[str, bytes]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder)) as store:
        stores: list[Repository] = [SqliteDocuments(store, guard=PromptWriteGuard()), DictDocuments()]
        for path, data in history:
            seen = set()
            for repository in stores:
                try:
                    seen.add(repr(write(repository, HOME, at(path), data)))
                except DocumentFailure as failure:
                    seen.add(failure.reason)
            assert len(seen) == 1
        listed = [repository.list_paths(HOME, HOME) for repository in stores]
        assert listed[0] == listed[1]
        for path in listed[0]:
            assert body(stores[0], path) == body(stores[1], path)
            assert texts_of_versions(stores[0], path) == texts_of_versions(stores[1], path)
