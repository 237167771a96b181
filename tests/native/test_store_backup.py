"""A copy of the store and bringing one back (specs/native-memory.md §22.4)."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from zeroclaw_cli.errors import Busy, MemoryFailure, SourceNotFound, StoreDamaged, UsageError
from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.native.backup import _replace_pages, backup, restore
from zeroclaw_cli.native.memory import NativeMemory
from zeroclaw_cli.native.opening import open_documents, open_store
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.service import NativeDocuments
from zeroclaw_cli.native.settings import MirrorMode, NativeSettings

OFF = NativeSettings(mirror="off")


def filled(data: Path, text: str = "Ada drinks tea") -> None:
    with open_documents(data, Scope(), OFF) as documents:
        documents.write(WriteRequest("memory", text, append=False))
        NativeMemory(documents.store, Scope()).store("zoo", "a walrus", "core", None)


def save(documents: NativeDocuments, text: str, target: str = "memory") -> None:
    documents.write(WriteRequest(target, text, append=False))


def standing(documents: NativeDocuments) -> str:
    return documents.read("MEMORY.md").content


def test_a_copy_holds_documents_and_entries_and_brings_them_back(tmp_path: Path) -> None:
    filled(tmp_path / "data")
    copy = tmp_path / "copy.db"
    with open_store(tmp_path / "data") as store:
        made = backup(store, copy)
    assert (made.documents, made.entries, made.size) == (1, 1, copy.stat().st_size)
    assert copy.stat().st_mode & 0o777 == 0o600
    with open_store(tmp_path / "other") as store:
        assert restore(store, copy).documents == 1
    with open_documents(tmp_path / "other", Scope(), OFF) as documents:
        assert standing(documents) == "Ada drinks tea"
        assert [hit.path for hit in documents.search("tea").results] == ["MEMORY.md"]
        entry = NativeMemory(documents.store, Scope()).get("zoo")
        assert entry is not None and entry.content == "a walrus"


def test_a_copy_needs_nothing_beside_it(tmp_path: Path) -> None:
    filled(tmp_path / "data")
    folder = tmp_path / "copies"
    folder.mkdir()
    with open_store(tmp_path / "data") as store:
        backup(store, folder / "copy.db")
    connection = sqlite3.connect(folder / "copy.db")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert [path.name for path in folder.iterdir()] == ["copy.db"]


def test_a_copy_of_a_store_that_is_not_there_is_empty_and_creates_none(tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        assert backup(store, tmp_path / "copy.db").documents == 0
    assert not (tmp_path / "data").exists()


def test_a_copy_replaces_a_file_at_the_end_or_not_at_all(tmp_path: Path) -> None:
    filled(tmp_path / "data")
    copy = tmp_path / "copy.db"
    copy.write_text("older")
    with open_store(tmp_path / "data") as store:
        with pytest.raises(MemoryFailure):
            backup(store, tmp_path / "nowhere" / "copy.db")
        (tmp_path / "folder").mkdir()
        with pytest.raises(MemoryFailure):
            backup(store, tmp_path / "folder")
        assert copy.read_text() == "older"
        backup(store, copy)
    assert list(tmp_path.rglob("*.tmp")) == []


@pytest.mark.parametrize("mirror", ["export", "sync"])
def test_no_later_file_of_the_mirror_overwrites_what_a_restore_brought(tmp_path: Path, mirror: MirrorMode) -> None:
    settings = NativeSettings(mirror=mirror)
    file = tmp_path / "memory" / "mirror" / "_none" / "_none" / "MEMORY.md"
    with open_documents(tmp_path, Scope(), settings) as documents:
        save(documents, "old")
        backup(documents.store, tmp_path / "copy.db")
        save(documents, "later")
        save(documents, "later too", "notes/a.md")
    with open_store(tmp_path) as store:
        restore(store, tmp_path / "copy.db")
    # As where the command was killed before it renewed the mirror.
    for _ in range(2):
        with open_documents(tmp_path, Scope(), settings) as documents:
            assert standing(documents) == "old"
            assert documents.paths() == ["MEMORY.md"]
            assert documents.take_warnings() == []
    with open_documents(tmp_path, Scope(), settings) as documents:
        documents.export_mirror()
    assert file.read_text() == "old"
    assert not (file.parent / "notes").exists()


def test_what_was_there_is_kept_beside_the_store(tmp_path: Path) -> None:
    filled(tmp_path / "data", "tea")
    with open_store(tmp_path / "data") as store:
        backup(store, tmp_path / "copy.db")
    filled(tmp_path / "data", "coffee")
    with open_store(tmp_path / "data") as store:
        before = restore(store, tmp_path / "copy.db").replaced
    with open_documents(tmp_path / "data", Scope(), OFF) as documents:
        assert standing(documents) == "tea"
    assert before is not None
    assert before.parent == tmp_path / "data" / "memory"
    with open_store(tmp_path / "third") as store:
        restore(store, before)
    with open_documents(tmp_path / "third", Scope(), OFF) as documents:
        assert standing(documents) == "coffee"


def test_an_open_reader_sees_the_restored_store(tmp_path: Path) -> None:
    filled(tmp_path / "data", "tea")
    with open_documents(tmp_path / "data", Scope(), OFF) as reader:
        with open_store(tmp_path / "data") as store:
            backup(store, tmp_path / "copy.db")
        reader.write(WriteRequest("memory", "coffee", append=False))
        with open_store(tmp_path / "data") as store:
            restore(store, tmp_path / "copy.db")
        assert standing(reader) == "tea"
        assert reader.search("coffee").results == ()
        reader.write(WriteRequest("memory", "mate"))
        assert standing(reader) == "tea\nmate\n"


def test_a_copy_is_of_one_moment_while_others_write(tmp_path: Path) -> None:
    filled(tmp_path / "data")
    stop = threading.Event()

    def keep_writing() -> None:
        with open_documents(tmp_path / "data", Scope(), OFF) as documents:
            number = 0
            while not stop.is_set():
                documents.write(WriteRequest("a.md", f"number {number}", append=False))
                documents.write(WriteRequest("b.md", f"number {number}", append=False))
                number += 1

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        with open_store(tmp_path / "data") as store:
            for number in range(5):
                backup(store, tmp_path / f"copy{number}.db")
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        with sqlite3.connect(tmp_path / f"copy{number}.db") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            bodies = dict(connection.execute("SELECT path, body FROM documents WHERE path <> 'MEMORY.md'").fetchall())
        connection.close()
        counts = {path: int(body.split()[1]) for path, body in bodies.items()}
        assert counts.get("b.md", -1) in (counts.get("a.md", -1), counts.get("a.md", -1) - 1)


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\x00" + b"\x00" * 5_000])
def test_what_is_no_copy_changes_nothing(tmp_path: Path, content: bytes) -> None:
    filled(tmp_path / "data")
    source = tmp_path / "copy.db"
    source.write_bytes(content)
    with open_store(tmp_path / "data") as store, pytest.raises(StoreDamaged) as caught:
        restore(store, source)
    assert str(source) in caught.value.message
    assert source.read_bytes() == content
    with open_documents(tmp_path / "data", Scope(), OFF) as documents:
        assert standing(documents) == "Ada drinks tea"


def test_a_damaged_copy_and_one_from_the_future_are_refused(tmp_path: Path) -> None:
    filled(tmp_path / "data")
    copy = tmp_path / "copy.db"
    with open_store(tmp_path / "data") as store:
        backup(store, copy)
    whole = copy.read_bytes()
    copy.write_bytes(whole[:8_192] + b"\xa5" * 20_000 + whole[28_192:])
    with open_store(tmp_path / "data") as store, pytest.raises(StoreDamaged):
        restore(store, copy)
    copy.write_bytes(whole)
    with sqlite3.connect(copy) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with open_store(tmp_path / "data") as store, pytest.raises(MemoryFailure, match="newer version"):
        restore(store, copy)
    with open_store(tmp_path / "data") as store, pytest.raises(SourceNotFound):
        restore(store, tmp_path / "nowhere.db")


def test_a_damaged_store_without_backups_is_replaced_and_kept_aside(tmp_path: Path) -> None:
    filled(tmp_path / "data")
    with open_store(tmp_path / "data") as store:
        backup(store, tmp_path / "copy.db")
    memory = tmp_path / "data" / "memory"
    for daily in (memory / "backups").glob("*.db"):
        daily.unlink()
    (memory / "native.db").write_bytes(b"rubbish" * 1_000)
    with open_store(tmp_path / "data") as store:
        restore(store, tmp_path / "copy.db")
    with open_documents(tmp_path / "data", Scope(), OFF) as documents:
        assert standing(documents) == "Ada drinks tea"
    (aside,) = memory.glob("native.db.damaged-*")
    assert aside.read_bytes() == b"rubbish" * 1_000


def test_a_store_is_no_copy_of_itself(tmp_path: Path) -> None:
    filled(tmp_path / "data")
    (tmp_path / "link.db").symlink_to(tmp_path / "data" / "memory" / "native.db")
    with open_store(tmp_path / "data") as store:
        for out in (store.path, tmp_path / "link.db"):
            with pytest.raises(UsageError):
                backup(store, out)


def test_a_restore_waits_for_writers_only_so_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path / "data", "tea")
    with open_store(tmp_path / "data") as store:
        backup(store, tmp_path / "copy.db")
    filled(tmp_path / "data", "coffee")
    monkeypatch.setattr("zeroclaw_cli.native.backup._WAIT_S", 0.2)
    monkeypatch.setattr("zeroclaw_cli.native.backup._BUSY_S", 0.1)
    other = sqlite3.connect(tmp_path / "data" / "memory" / "native.db", isolation_level=None)
    with open_store(tmp_path / "data") as store:
        # The restore's own check of writability comes before; the writer begins after it.
        copy = sqlite3.connect(tmp_path / "copy.db")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy):
            _replace_pages(copy, store)
        other.execute("ROLLBACK")
        other.close()
        copy.close()
    with open_documents(tmp_path / "data", Scope(), OFF) as documents:
        assert standing(documents) == "coffee"
