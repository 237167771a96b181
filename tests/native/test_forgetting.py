from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from zeroclaw_cli.memory.documents import WriteRequest
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.native.forgetting import Cleaner, is_marked
from zeroclaw_cli.native.memory import NativeMemory, open_memory
from zeroclaw_cli.native.opening import open_documents
from zeroclaw_cli.native.scope import Scope

SECRET = "xylophonequartz"
SPEAKER = "Zebediahqua"


def filled(data: Path) -> NativeMemory:
    """An index of a large segment, which holds the secrets, and some small ones that will be merged long before it."""
    memory = open_memory(data)
    secrets = [
        Entry("", f"{SECRET}{n}", f"{SPEAKER}: the code is {SECRET} {n}", "conversation", "", f"s{SECRET}{n}")
        for n in (10, 30)
    ]
    notes = [
        Entry("", f"k{n}", f"an ordinary note of tea number {n}", "conversation", "", "talk") for n in range(4_000)
    ]
    memory.import_entries([*notes[:2_000], *secrets, *notes[2_000:]])
    for number in range(20):
        memory.store(f"l{number}", f"another note of rain {number}", "conversation", "talk")
    return memory


def holding(data: Path, *texts: str) -> list[str]:
    """The files of the store in which one of the texts stands, in any case; those of copies apart."""
    # The index leaves out what a word has in common with the word before it.
    wanted = [text.lower().encode()[3:] for text in texts]
    files = [file for file in (data / "memory").iterdir() if file.is_file()]
    return [file.name for file in files if any(text in file.read_bytes().lower() for text in wanted)]


def test_the_words_of_a_forgotten_entry_are_in_no_file_of_the_open_store(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        assert holding(tmp_path, SECRET)
        assert memory.forget(f"{SECRET}10")
        assert memory.forget(f"{SECRET}30")
        # The second one comes before the cleaning is due again.
        memory.store_file._cleaner.clean(memory.store_file._open_writer())
        assert holding(tmp_path, SECRET, SPEAKER) == []
        assert [entry.key for entry in memory.recall("k10", 1, None, None, None)] == ["k10"]
    assert holding(tmp_path, SECRET, SPEAKER) == []


def test_the_first_forgetting_is_cleaned_up_at_once_and_the_rest_at_the_end(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        memory.forget(f"{SECRET}10")
        assert holding(tmp_path, f"{SECRET}10") == []
        memory.store_file._cleaner._quiet_until = float("inf")
        memory.purge_session(f"s{SECRET}30")
        assert holding(tmp_path, SECRET)
    assert holding(tmp_path, SECRET, SPEAKER) == []


def test_what_a_killed_process_left_is_cleaned_up_by_the_next_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with filled(tmp_path / "killed") as memory, monkeypatch.context() as patched:
        patched.setattr(Cleaner, "clean", lambda *_: None)
        memory.forget(f"{SECRET}10")
        memory.forget(f"{SECRET}30")
        # What a kill at this moment would leave.
        shutil.copytree(tmp_path / "killed", tmp_path / "left")
    assert holding(tmp_path / "left", SECRET)
    with open_memory(tmp_path / "left") as later:
        later.store("k", "x", "daily", None)
        assert holding(tmp_path / "left", SECRET, SPEAKER) == []


def test_a_speaker_who_still_speaks_is_kept(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        memory.forget(f"{SECRET}10")
        assert memory.store_file.query("SELECT count(*) FROM speakers WHERE name LIKE '%zebediahqua%'") == [(1,)]


def test_the_words_of_a_forgotten_document_are_in_no_file(tmp_path: Path) -> None:
    filled(tmp_path).close()
    with open_documents(tmp_path, Scope()) as documents:
        documents.write(WriteRequest("notes/a.md", f"the word {SECRET}doc", append=False))
        documents.forget("notes/a.md", with_history=True)
        assert holding(tmp_path, f"{SECRET}doc") == []


def test_a_cleaning_that_another_writer_prevents_is_left_for_later(tmp_path: Path) -> None:
    with filled(tmp_path) as memory:
        memory.store_file._cleaner._quiet_until = float("inf")
        memory.forget(f"{SECRET}10")
        writer = memory.store_file._open_writer()
        writer.execute("PRAGMA busy_timeout = 0")
        other = sqlite3.connect(memory.store_file.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        memory.store_file._cleaner.clean(writer)
        assert is_marked(writer)
        other.execute("ROLLBACK")
        other.close()
        memory.store_file._cleaner.clean(writer)
        assert not is_marked(writer)


def test_a_reader_in_the_middle_of_a_question_is_waited_for_only_shortly_and_its_log_later(tmp_path: Path) -> None:
    with filled(tmp_path) as memory, open_memory(tmp_path) as other:
        with other.store_file.read() as reading:
            assert reading.execute("SELECT count(*) FROM entries").fetchone()
            assert memory.forget(f"{SECRET}10")
            writer = memory.store_file._open_writer()
            assert writer.execute("PRAGMA busy_timeout").fetchone() == (5_000,)
            assert is_marked(writer), "the log still holds it"
        memory.store_file._cleaner._quiet_until = 0
        memory.store("k", "x", "daily", None)
        assert holding(tmp_path, f"{SECRET}10") == []
        assert not is_marked(writer)


@pytest.mark.slow
def test_a_kill_at_any_step_of_the_cleaning_leaves_a_mark_or_nothing(tmp_path: Path) -> None:
    steps: list[Path] = []

    def copy(_statement: str) -> None:
        steps.append(tmp_path / f"step{len(steps)}")
        shutil.copytree(tmp_path / "killed" / "memory", steps[-1] / "memory")

    with filled(tmp_path / "killed") as memory:
        memory.store_file._cleaner._quiet_until = float("inf")
        memory.purge_session(f"s{SECRET}10")
        memory.purge_session(f"s{SECRET}30")
        writer = memory.store_file._open_writer()
        writer.set_trace_callback(copy)
        memory.store_file._cleaner.clean(writer)
        writer.set_trace_callback(None)
        copy("")
    assert len(steps) > 8
    for number, step in enumerate(steps):
        with open_memory(step) as later:
            later.store("k", "x", "daily", None)
            assert holding(step, SECRET, SPEAKER) == [], number
            assert not is_marked(later.store_file._open_writer())


def test_what_is_forgotten_while_the_log_is_emptied_keeps_its_mark(tmp_path: Path) -> None:
    with filled(tmp_path) as memory, open_memory(tmp_path) as other:
        memory.store_file._cleaner._quiet_until = other.store_file._cleaner._quiet_until = float("inf")
        memory.forget(f"{SECRET}10")
        writer = memory.store_file._open_writer()

        def forget_meanwhile(statement: str) -> None:
            if "DELETE FROM schema_meta" in statement:
                writer.set_trace_callback(None)
                other.forget(f"{SECRET}30")

        writer.set_trace_callback(forget_meanwhile)
        memory.store_file._cleaner.clean(writer)
        assert is_marked(writer)
    assert holding(tmp_path, SECRET, SPEAKER) == []
