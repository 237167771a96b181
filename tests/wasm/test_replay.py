from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.wasm.helpers import config, journal_file, keys, opened, rows
from zeroclaw_cli.errors import CallTimeout, JournalDamaged, MemoryFailure, Trap
from zeroclaw_cli.memory.types import ProceduralMessage
from zeroclaw_cli.wasm import replay as replay_module
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.inventory import journal_stats
from zeroclaw_cli.wasm.journal import Journal


def fill(home: Path, guest: str, count: int = 5) -> None:
    with opened(guest, home) as memory:
        for number in range(count):
            memory.store_with_agent(f"k{number}", f"text {number}", "core", "s", "n", 0.5, f"a{number % 2}")


@pytest.mark.parametrize("guest", ["notes", "plain", "random"])
def test_memory_survives_the_process_to_the_last_byte(guest: str, tmp_path: Path) -> None:
    with opened(guest, tmp_path) as memory:
        for number in range(20):
            memory.store_with_agent(f"k{number}", f"text {number}", "core", "s", None, None, f"a{number % 3}")
        memory.store("plain", "text", "daily", None)
        memory.forget("k3")
        memory.forget_for_agent("k4", "a1")
        memory.store_procedural([ProceduralMessage("user", "how?", "ada")], "s")
        memory.ensure_agent_uuid("ada")
        memory.reindex()
        kept = rows(memory)
    for _ in range(2):
        with opened(guest, tmp_path) as memory:
            assert rows(memory) == kept
            assert memory.take_warnings() == []


def test_ids_and_times_of_a_random_guest_come_out_equal_and_go_on_unequal(tmp_path: Path) -> None:
    with opened("random", tmp_path) as memory:
        memory.store("a", "v", "core", None)
        first = rows(memory)
    with opened("random", tmp_path) as memory:
        assert rows(memory) == first
        memory.store("b", "v", "core", None)
        assert len({entry.id for entry in rows(memory)}) == 2


def test_a_guest_error_is_recorded_and_replayed(tmp_path: Path) -> None:
    with opened("err", tmp_path) as memory:
        for _ in range(2):
            with pytest.raises(MemoryFailure):
                memory.store("k", "v", "core", None)
    assert journal_stats(config(tmp_path), "guest")["records"] == 2
    with opened("err", tmp_path) as memory:
        assert memory.take_warnings() == []


def test_a_call_that_trapped_is_not_recorded_and_its_half_work_is_undone(tmp_path: Path) -> None:
    with opened("trap", tmp_path) as memory:
        memory.store_with_agent("before", "v", "core", None, None, None, None)
        with pytest.raises(Trap):
            memory.store("half", "v", "core", None)
        assert keys(rows(memory)) == ["before"]
    assert journal_stats(config(tmp_path), "guest")["records"] == 1


def test_reads_are_not_recorded(tmp_path: Path) -> None:
    fill(tmp_path, "notes", 2)
    with opened("notes", tmp_path) as memory:
        memory.recall("text", 5, None, None, None)
        memory.count()
        memory.health_check()
    assert journal_stats(config(tmp_path), "guest")["records"] == 2


def test_two_open_memories_see_each_others_writes_at_once(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as first, opened("notes", tmp_path) as second:
        assert second.count() == 0
        first.store("a", "from the first", "core", None)
        assert keys(rows(second)) == ["a"]
        second.store("b", "from the second", "core", None)
        first.store("c", "from the first", "core", None)
        assert rows(first) == rows(second)
        assert keys(rows(first)) == ["a", "b", "c"]
        assert len({entry.id for entry in rows(first)}) == 3, "the guests agree on what comes next"


def test_an_instance_that_was_there_before_the_journal_takes_its_birth(tmp_path: Path) -> None:
    with opened("random", tmp_path) as first, opened("random", tmp_path) as second:
        second.count()
        first.store("a", "v", "core", None)
        second.store("b", "v", "core", None)
        kept = rows(second)
        assert rows(first) == kept
    with opened("random", tmp_path) as third:
        assert rows(third) == kept
        assert third.take_warnings() == []


def test_a_memory_whose_journal_is_purged_says_so_until_it_is_opened_again(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store("a", "v", "core", None)
        shutil.rmtree(journal_file(tmp_path).parent)
        for use in (memory.count, lambda: memory.store("b", "v", "core", None), memory.count):
            with pytest.raises(JournalDamaged, match="was removed while this memory was open") as caught:
                use()
            assert caught.value.exit_code == 5
            assert "open the memory again" in (caught.value.hint or "")
        assert not journal_file(tmp_path).parent.exists(), "nothing is begun in its place"
    with opened("notes", tmp_path) as memory:
        assert memory.count() == 0
        memory.store("b", "v", "core", None)
        assert keys(rows(memory)) == ["b"]


def test_records_that_are_missing_in_the_middle_are_damage(tmp_path: Path) -> None:
    fill(tmp_path, "notes", 5)
    tamper(tmp_path, "DELETE FROM records WHERE number IN (2, 3)")
    with pytest.raises(JournalDamaged, match="records are missing after record 1"):
        opened("notes", tmp_path)


def tamper(home: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(journal_file(home), isolation_level=None)) as connection:
        connection.execute(statement, values)


def test_results_that_differ_are_reported_and_nothing_is_lost(tmp_path: Path) -> None:
    fill(tmp_path, "notes", 3)
    tamper(tmp_path, "UPDATE records SET digest = x'00' WHERE number >= 2")
    with opened("notes", tmp_path) as memory:
        assert memory.count() == 3
        (warning,) = memory.take_warnings()
        assert "for 2 records (first: record 2, store-with-agent); nothing is lost" in warning
    assert journal_stats(config(tmp_path), "guest")["records"] == 3


def test_another_version_of_the_plugin_replays_the_old_journal(tmp_path: Path) -> None:
    fill(tmp_path, "notes", 4)
    with opened("plain", tmp_path) as memory:
        assert memory.count() == 4


def test_a_record_that_no_longer_completes_stops_the_opening_and_is_named(tmp_path: Path) -> None:
    with opened("plain", tmp_path) as memory:
        memory.store_with_agent("fine", "v", "core", None, None, None, None)
        memory.store("trouble", "v", "core", None)
    with pytest.raises(JournalDamaged) as caught:
        opened("trap", tmp_path)
    assert caught.value.exit_code == 5
    assert caught.value.message.startswith("record 2 (store-entry) of the journal ")
    assert "wasm trap: " in caught.value.message
    hint = caught.value.hint or ""
    assert "zeroclaw plugin install DIR --replace" in hint
    assert "--purge-data" in hint
    with opened("plain", tmp_path) as memory:
        assert memory.count() == 2, "the journal is as it was"


def test_replay_runs_under_the_larger_of_recorded_and_present_limits(tmp_path: Path) -> None:
    fill(tmp_path, "notes", 3)
    with opened("notes", tmp_path, call_fuel=20_000) as memory:
        assert memory.count() == 3
        with pytest.raises(Trap, match="fuel"):
            memory.recall("text " * 2_000, 5, None, None, None)


def test_a_record_that_needs_more_than_all_limits_stops_the_opening(tmp_path: Path) -> None:
    with opened("plain", tmp_path) as memory:
        memory.store("k", "v", "core", None)
    with pytest.raises(JournalDamaged, match="record 1") as caught:
        opened("spin_in_store", tmp_path, call_fuel=10_000_000)
    assert caught.value.path == "plugins.limits.call_fuel"
    # The limit in force was the recorded one.
    assert "zeroclaw config set plugins.limits.call_fuel 2000000000" in (caught.value.hint or "")
    assert "zeroclaw plugin rollback guest" in (caught.value.hint or "")


def test_the_imported_time_is_replayed(tmp_path: Path) -> None:
    from zeroclaw_cli.memory.types import Entry

    with opened("notes", tmp_path) as memory:
        memory.import_entry(Entry("", "k", "v", "core", "2001-02-03T04:05:06Z"))
        memory.store("new", "v", "core", None)
        kept = rows(memory)
    assert kept[0].timestamp.startswith("2001-02-03T04:05:06")
    with opened("notes", tmp_path) as memory:
        assert rows(memory) == kept


def test_a_long_replay_tells_of_itself_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, "plain", 1_200)
    monkeypatch.setattr(replay_module, "_PROGRESS_AFTER_S", 0.0)
    lines: list[str] = []
    with opened("plain", tmp_path, options=HostOptions(progress=lines.append)) as memory:
        assert memory.count() == 1_200
    (line,) = lines
    assert line.startswith("replaying 1,200 records of the plugin guest")
    assert "zeroclaw memory copy --from plugin.guest --to native" in line


def test_the_inventory_tells_length_size_and_the_last_replay(tmp_path: Path) -> None:
    assert journal_stats(config(tmp_path), "guest") == {}
    assert not (tmp_path / "config").exists()
    fill(tmp_path, "notes", 3)
    first = journal_stats(config(tmp_path), "guest")
    assert first["records"] == 3
    assert first["bytes"] > 0
    assert first["last_replay_ms"] is None
    with opened("notes", tmp_path) as memory:
        memory.store("k", "v", "core", None)
        stats = memory.stats()
        assert stats.journal["records"] == 4
        assert stats.journal["live"] == stats.total == 4
        assert stats.journal["last_replay_ms"] >= 0
    assert journal_stats(config(tmp_path), "guest")["last_replay_ms"] is not None


def test_a_slow_replay_of_a_reader_is_noted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def noted() -> object:
        return journal_stats(config(tmp_path), "guest")["last_replay_ms"]

    def read(took: int) -> None:
        with opened("notes", tmp_path) as memory:
            memory.count()
            assert memory._live is not None
            memory._live._unsaved_replay_ms = took

    fill(tmp_path, "notes", 3)
    read(40)
    assert noted() is None, "a quick one is not worth a write"
    for took, kept in ((1_500, 1_500), (1_600, 1_500), (9_000, 9_000), (1_200, 1_200)):
        read(took)
        assert noted() == kept
    with closing(Journal(journal_file(tmp_path))) as other, other.writing(1.0):
        read(9_000)
    assert noted() == 1_200, "another writer is not waited for"


def test_a_call_that_ran_out_of_time_is_undone(tmp_path: Path) -> None:
    with opened("spin_in_store", tmp_path, call_timeout_ms=100, call_fuel=10**15) as memory:
        memory.store_with_agent("before", "v", "core", None, None, None, None)
        with pytest.raises(CallTimeout):
            memory.store("k", "v", "core", None)
        assert keys(rows(memory)) == ["before"]


def test_a_commit_that_fails_undoes_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroclaw_cli.wasm.journal import Writer

    with opened("notes", tmp_path) as memory:
        memory.store("before", "v", "core", None)

        def full(*_: object) -> int:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(Writer, "append", full)
            with pytest.raises(MemoryFailure, match="No space left"):
                memory.store("lost", "v", "core", None)
        assert keys(rows(memory)) == ["before"]
        memory.store("after", "v", "core", None)
        assert keys(rows(memory)) == ["after", "before"]


def test_an_import_keeps_one_instance_for_all_its_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroclaw_cli.memory.conflicts import OnConflict
    from zeroclaw_cli.memory.types import Entry
    from zeroclaw_cli.operations.transfer import import_entries
    from zeroclaw_cli.wasm.instance import Instance

    starts = []

    def counting(*arguments: Any) -> Any:
        starts.append(arguments)
        return Instance(*arguments)

    monkeypatch.setattr(replay_module, "Instance", counting)
    entries = [Entry("", f"k{number}", "v", "core", "2001-02-03T04:05:06Z") for number in range(50)]
    with opened("notes", tmp_path) as memory:
        assert import_entries(memory, entries, OnConflict.KEEP).imported == 50
    assert len(starts) == 1
