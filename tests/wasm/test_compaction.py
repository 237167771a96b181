from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.guests import without_importance
from tests.wasm.helpers import config, journal_file, keys, opened, rows
from zeroclaw_cli.config.model import Durability
from zeroclaw_cli.errors import Busy, CompactionRefused, MemoryFailure, NotSupported, Trap
from zeroclaw_cli.memory.types import Entry, ProceduralMessage
from zeroclaw_cli.wasm import compaction
from zeroclaw_cli.wasm.clocks import Serving
from zeroclaw_cli.wasm.differences import Differences
from zeroclaw_cli.wasm.inventory import journal_stats
from zeroclaw_cli.wasm.journal import Journal
from zeroclaw_cli.wasm.memory import WasmMemory
from zeroclaw_cli.wasm.records import Record
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome


def records(home: Path) -> int:
    found: int = journal_stats(config(home), "guest")["records"]
    return found


def without_ids(entries: Iterable[Entry]) -> list[Entry]:
    return [replace(entry, id="") for entry in entries]


def live_a_life(memory: WasmMemory) -> None:
    """Entries of every kind, many of them replaced, forgotten or purged."""
    ada = memory.ensure_agent_uuid("ada")
    for number in range(60):
        memory.store_with_agent(f"k{number % 7}", f"text {number}", "core", "s", "kitchen", number / 100, ada)
        memory.store(f"k{number % 5}", f"plain {number}", "my own", None)
        memory.store(f"gone{number}", "a secret to forget", "daily", "t")
    memory.ensure_agent_uuid("bob")
    memory.purge_session("t")
    memory.forget("k3")
    memory.store_procedural([ProceduralMessage("user", "how?", "ada"), ProceduralMessage("assistant", "so")], "p")
    memory.import_entry(
        Entry("", "old", "v", "core", "2001-02-03T04:05:06.789Z", None, None, "n", None, None, None, ada)
    )
    memory.reindex()
    memory.take_warnings()


def test_a_compacted_journal_gives_the_same_memory(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        live_a_life(memory)
        kept = rows(memory)
        ids = {alias: memory.ensure_agent_uuid(alias) for alias in ("ada", "bob")}
        before, after = memory.compact()
        assert (before, after) == (189, 2 + len(kept))
        assert without_ids(rows(memory)) == without_ids(kept)
        (warning,) = memory.take_warnings()
        assert warning == (
            f"the journal of guest was compacted from 189 records to {after}, and the plugin gave its entries new ids"
        )
        memory.store("next", "v", "core", None)
        assert memory.forget("next")
    with opened("notes", tmp_path) as memory:
        assert without_ids(rows(memory)) == without_ids(kept)
        assert {alias: memory.ensure_agent_uuid(alias) for alias in ids} == ids
        assert {entry.agent_alias for entry in rows(memory) if entry.agent_id} == {"ada"}
        assert memory.take_warnings() == []
        assert memory.compact() == (after + 4, after)
        assert memory.take_warnings() == [], "the ids are the same from now on"
    assert records(tmp_path) == after


def test_forgotten_text_is_gone_from_the_disk(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        live_a_life(memory)
        size = journal_stats(config(tmp_path), "guest")["bytes"]
        memory.compact()
        for file in journal_file(tmp_path).parent.glob("journal.db*"):
            assert b"a secret to forget" not in file.read_bytes()
        assert journal_stats(config(tmp_path), "guest")["bytes"] < size / 2


def test_a_guest_with_random_ids_keeps_its_times(tmp_path: Path) -> None:
    with opened("random", tmp_path) as memory:
        for number in range(20):
            memory.store_with_agent(f"k{number % 4}", f"text {number}", "core", None, None, None, f"a{number % 2}")
        kept = rows(memory)
        assert memory.compact() == (20, len(kept))
        assert without_ids(rows(memory)) == without_ids(kept)
    with opened("random", tmp_path) as memory:
        assert without_ids(rows(memory)) == without_ids(kept)
        assert memory.take_warnings() == []


def test_other_processes_notice(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as first, opened("notes", tmp_path) as second:
        for number in range(10):
            first.store("k", f"text {number}", "core", None)
        assert second.count() == 1
        assert first.compact() == (10, 1)
        second.store("l", "v", "core", None)
        assert rows(first) == rows(second)
        assert keys(rows(first)) == ["k", "l"]
        assert second.compact() == (2, 2)
        assert rows(first) == rows(second)


def test_an_empty_memory_has_an_empty_journal(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        assert memory.compact() == (0, 0)
    assert not (tmp_path / "config").exists()
    with opened("notes", tmp_path) as memory:
        memory.store("k", "v", "core", None)
        memory.forget("k")
        assert memory.compact() == (2, 0)
        assert memory.count() == 0
        memory.store("k", "v", "core", None)
    with opened("notes", tmp_path) as memory:
        assert keys(rows(memory)) == ["k"]


@pytest.mark.parametrize("durability", [Durability.NONE, Durability.GUEST])
def test_without_a_journal_there_is_nothing_to_compact(durability: Durability, tmp_path: Path) -> None:
    with opened("notes", tmp_path, durability=durability) as memory, pytest.raises(NotSupported, match="no journal"):
        memory.compact()


# ------------------------------------------------------------------------------------------------------- losses


def refused(memory: WasmMemory, home: Path, what: str) -> None:
    """The compaction is refused because of ``what``, and everything is as it was."""
    kept, before = rows(memory), records(home)
    with pytest.raises(CompactionRefused, match=what) as caught:
        memory.compact()
    assert "the journal is as it was" in (caught.value.hint or "")
    assert rows(memory) == kept
    assert records(home) == before


def test_a_guest_without_a_clock_loses_its_times_only_when_told_to(tmp_path: Path) -> None:
    with opened("no_clock", tmp_path) as memory:
        memory.store("gone", "v", "core", None)
        memory.forget("gone")
        memory.store("k", "v", "core", None)
        kept = rows(memory)
        with pytest.raises(CompactionRefused, match="does not read the host's clock"):
            memory.compact()
        assert rows(memory) == kept
        assert memory.compact(allow_loss=True) == (3, 1)
        (found,) = rows(memory)
        assert (found.key, found.content) == ("k", "v")


class Changed:
    """Lets every export of the plugin that is opened next come out otherwise than it is."""

    def __init__(self, patch: pytest.MonkeyPatch, *changes: object) -> None:
        self.changes = list(changes)
        real = compaction._exported

        def exported(*arguments: object) -> list[Entry]:
            entries: list[Entry] = real(*arguments)  # type: ignore[arg-type]
            change = self.changes.pop(0) if self.changes else None
            return entries if change is None else change(entries)  # type: ignore[operator]

        patch.setattr(compaction, "_exported", exported)


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("content", "other", "the content of the entry 'k0' would change from 'v' to 'other'"),
        ("timestamp", "2020-01-01T00:00:00Z", "the timestamp of the entry 'k0' would change from "),
        ("importance", 0.5, "the importance of the entry 'k0' would change from 'None' to '0.5'"),
        ("agent_alias", "ada", "the agent_alias of the entry 'k0'"),
        ("key", "renamed", "the entry 'k0' would be lost"),
    ],
)
def test_what_would_come_out_otherwise_is_named_and_nothing_is_lost(
    field: str, value: object, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened("notes", tmp_path) as memory:
        for number in range(3):
            memory.store(f"k{number}", "v", "core", None)
        Changed(monkeypatch, None, lambda entries: [replace(entries[0], **{field: value}), *entries[1:]])
        refused(memory, tmp_path, what)


def test_an_entry_more_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store("k", "v", "core", None)
        Changed(monkeypatch, None, lambda entries: entries * 2)
        refused(memory, tmp_path, "2 entries would come out of 1")


def test_a_reference_to_an_id_is_not_lost_unless_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store("k", "v", "core", None)

        def pointing(entries: list[Entry]) -> list[Entry]:
            return [replace(entry, superseded_by="note-7") for entry in entries]

        Changed(monkeypatch, pointing)
        refused(memory, tmp_path, "'k' is superseded by another")
        Changed(monkeypatch, pointing)
        assert memory.compact(allow_loss=True) == (1, 1)


@pytest.mark.parametrize("timestamp", ["", "last Tuesday", "1969-12-31T23:59:59Z"])
def test_a_time_that_no_clock_shows_is_named(timestamp: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store("k", "v", "core", None)
        Changed(monkeypatch, lambda entries: [replace(entry, timestamp=timestamp) for entry in entries])
        refused(memory, tmp_path, "which no clock can show")


def test_procedures_that_the_export_hides_are_not_lost_unless_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def visible(entries: list[Entry]) -> list[Entry]:
        return [entry for entry in entries if entry.category != "procedural"]

    with opened("notes", tmp_path) as memory:
        memory.store("k", "v", "core", None)
        memory.store_procedural([ProceduralMessage("user", "how?")], None)
        Changed(monkeypatch, visible)
        refused(memory, tmp_path, "the plugin's export shows none of them")
        Changed(monkeypatch, visible)
        assert memory.compact(allow_loss=True) == (2, 1)


def test_an_agent_that_would_get_another_id_is_named(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store_with_agent("k", "v", "core", None, None, None, memory.ensure_agent_uuid("ada"))
        with closing(sqlite3.connect(journal_file(tmp_path), isolation_level=None)) as connection:
            connection.execute("UPDATE records SET digest = x'00' WHERE function = 'ensure-agent-uuid'")
        refused(memory, tmp_path, "answers ensure-agent-uuid of 'ada' otherwise")


def store_what_only_one_version_takes(home: Path, count: int = 30) -> None:
    with opened("notes", home) as memory:
        memory.store_with_metadata("precious", "acknowledged", "core", None, None, 0.5)
    with opened(without_importance(), home) as memory:
        for _ in range(count):
            memory.store("k", "v", "core", None)


def test_what_this_version_does_not_carry_out_is_not_compacted_away_unless_told_to(tmp_path: Path) -> None:
    store_what_only_one_version_takes(tmp_path, 1)
    with opened(without_importance(), tmp_path) as memory:
        (warning,) = memory.take_warnings()
        assert warning.endswith("nothing is lost from the journal; 1 record is not carried out by this version")
        refused(memory, tmp_path, "1 record of the journal is not carried out .* of 'precious'")
        with pytest.raises(CompactionRefused) as caught:
            memory.compact()
        assert "zeroclaw plugin rollback guest" in (caught.value.hint or "")
        assert "is then gone for good" in (caught.value.hint or "")
    with opened("notes", tmp_path) as memory:
        assert keys(rows(memory)) == ["k", "precious"], "the version that stored it has it"
    with opened(without_importance(), tmp_path) as memory:
        assert memory.compact(allow_loss=True) == (2, 1)
    with opened("notes", tmp_path) as memory:
        assert keys(rows(memory)) == ["k"]


def test_what_another_version_purged_is_not_brought_back_by_compacting(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store("secret", "v", "core", "s")
        memory.purge_session("s")
        memory.store("k", "v", "core", None)
    with opened("random", tmp_path) as memory:
        refused(memory, tmp_path, r"not carried out .*\(first: record 2, purge-session of 's'\)")
    with opened("notes", tmp_path) as memory:
        assert keys(rows(memory)) == ["k"]


def test_an_error_that_reads_otherwise_is_no_loss() -> None:
    differences = Differences()
    record = Record(1, FUNCTIONS["forget"], ("k",), ok=False, digest=b"", serving=Serving(0, 0, b""))
    differences.note(record, Outcome(False, "in other words"))
    assert (differences.total, differences.loss()) == (1, None)
    differences.note(record, Outcome(True, True))
    assert "record 1, forget of 'k'" in (differences.loss() or "")


def test_a_past_whose_results_differed_can_be_compacted_when_told_to(tmp_path: Path) -> None:
    with opened("random", tmp_path) as memory:
        memory.store("k", "v", "core", None)
    with closing(sqlite3.connect(journal_file(tmp_path), isolation_level=None)) as connection:
        connection.execute("UPDATE records SET digest = x'00'")
    with opened("random", tmp_path) as memory:
        assert "gave other results" in memory.take_warnings()[0]
        refused(memory, tmp_path, "not carried out by this version of the plugin as acknowledged")
        assert memory.compact(allow_loss=True) == (1, 1)
    with opened("random", tmp_path) as memory:
        assert memory.take_warnings() == []


def test_a_new_past_that_does_not_replay_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroclaw_cli.wasm.instance import Instance

    with opened("notes", tmp_path) as memory:
        memory.store("k", "v", "core", None)

        def failing(*_: object) -> None:
            raise MemoryFailure("memory.store-with-agent trapped", hint="raise the limit", path="plugins.limits.x")

        with monkeypatch.context() as patch:
            patch.setattr(Instance, "run", failing)
            with pytest.raises(CompactionRefused, match="does not carry out what would be its new journal") as caught:
                memory.compact()
        assert (caught.value.hint, caught.value.path) == (
            "the journal is as it was; raise the limit",
            "plugins.limits.x",
        )
        assert keys(rows(memory)) == ["k"]
        assert records(tmp_path) == 1


def test_what_was_stored_under_larger_limits_is_compacted_and_replayed_under_them(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store("k", "x" * 1_000_000, "core", None)
    for _ in range(2):
        with opened("notes", tmp_path, call_fuel=100_000) as memory:
            with pytest.raises(Trap, match="fuel"):
                memory.store("l", "x" * 1_000_000, "core", None)
            assert memory.compact() == (1, 1)
            assert keys(rows(memory)) == ["k"]


def test_an_export_over_the_limit_is_an_error_that_names_the_key(tmp_path: Path) -> None:
    with opened("notes", tmp_path, max_result_entries=2) as memory:
        for number in range(3):
            memory.store(f"k{number}", "v", "core", None)
        with pytest.raises(MemoryFailure) as caught:
            memory.compact()
        assert caught.value.path == "plugins.limits.max_result_entries"
        assert memory.count() == 3
    assert records(tmp_path) == 3


# ---------------------------------------------------------------------------------------------------- automatic


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "_MIN_RECORDS", 20)


def store_often(home: Path, guest: str = "notes", count: int = 30, live: int = 2) -> list[str]:
    """Stores so often under so few keys, closes, and gives the warnings of the closing."""
    memory = opened(guest, home)
    for number in range(count):
        memory.store(f"k{number % live}", "v", "core", None)
    memory.take_warnings()
    memory.close()
    return memory.take_warnings()


@pytest.mark.usefixtures("small")
def test_a_mostly_dead_journal_is_compacted_when_it_is_closed(tmp_path: Path) -> None:
    assert store_often(tmp_path) == []
    assert records(tmp_path) == 2
    with opened("notes", tmp_path) as memory:
        assert keys(rows(memory)) == ["k0", "k1"]


@pytest.mark.usefixtures("small")
def test_what_this_version_does_not_carry_out_outlives_the_automatic_compaction(tmp_path: Path) -> None:
    store_what_only_one_version_takes(tmp_path)
    assert records(tmp_path) == 31
    with opened("notes", tmp_path) as memory:
        assert keys(rows(memory)) == ["k", "precious"]


@pytest.mark.usefixtures("small")
def test_an_automatic_compaction_that_would_lose_something_is_put_off_aloud(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store_with_metadata("precious", "acknowledged", "core", None, None, 0.5)
    memory = opened(without_importance(), tmp_path)
    for _ in range(30):
        memory.store("k", "v", "core", None)
    memory.take_warnings()
    memory.close()
    (warning,) = memory.take_warnings()
    assert "was not compacted: compacting would lose something: 1 record of the journal is not carried out" in warning


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("count", "live"), [(20, 2), (30, 8)])
def test_a_journal_that_is_short_or_mostly_alive_stays(count: int, live: int, tmp_path: Path) -> None:
    assert store_often(tmp_path, count=count, live=live) == []
    assert records(tmp_path) == count


@pytest.mark.usefixtures("small")
def test_reading_compacts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(compaction, "_MIN_RECORDS", 1_000)
        store_often(tmp_path)
    with opened("notes", tmp_path) as memory:
        assert memory.count() == 2
    assert records(tmp_path) == 30


@pytest.mark.usefixtures("small")
def test_whoever_failed_is_not_kept_waiting(tmp_path: Path) -> None:
    with pytest.raises(KeyError), opened("notes", tmp_path) as memory:
        for _ in range(30):
            memory.store("k", "v", "core", None)
        raise KeyError
    assert records(tmp_path) == 30


@pytest.mark.usefixtures("small")
def test_what_would_lose_something_is_told_once_until_the_journal_has_doubled(tmp_path: Path) -> None:
    (warning,) = store_often(tmp_path, "plain")
    assert warning.startswith("the journal of guest has 30 records for 2 entries and was not compacted: ")
    assert "does not read the host's clock" in warning
    assert "`zeroclaw memory compact --backend plugin.guest`" in warning
    assert store_often(tmp_path, "plain", count=29) == []
    assert records(tmp_path) == 59
    assert len(store_often(tmp_path, "plain", count=2)) == 1
    assert records(tmp_path) == 61


@pytest.mark.usefixtures("small")
def test_what_takes_too_long_is_left_to_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroclaw_cli.wasm import journal

    monkeypatch.setattr(journal, "_CHUNK", 1)
    monkeypatch.setattr(compaction, "_BUDGET_S", -1.0)
    (warning,) = store_often(tmp_path)
    assert "it takes too long to do so in passing" in warning
    assert records(tmp_path) == 30
    with opened("notes", tmp_path) as memory:
        assert memory.compact() == (30, 2)


@pytest.mark.usefixtures("small")
def test_another_writer_is_not_waited_for(tmp_path: Path) -> None:
    memory = opened("notes", tmp_path)
    for _ in range(30):
        memory.store("k", "v", "core", None)
    other = Journal(journal_file(tmp_path))
    with other.writing(0):
        memory.close()
    other.close()
    assert memory.take_warnings() == []
    assert records(tmp_path) == 30


def test_a_busy_journal_is_waited_for_when_it_was_asked_for(tmp_path: Path) -> None:
    with opened("notes", tmp_path, call_timeout_ms=100) as memory:
        memory.store("k", "v", "core", None)
        other = Journal(journal_file(tmp_path))
        with pytest.MonkeyPatch.context() as patch, other.writing(0):
            patch.setattr(compaction, "EXTRA_WAIT_S", 0.05)
            with pytest.raises(Busy):
                memory.compact()
        other.close()


@pytest.mark.usefixtures("small")
def test_a_guest_that_writes_files_is_not_replayed_in_passing(tmp_path: Path) -> None:
    memory = opened("notes", tmp_path, permissions=["file_write"])
    for _ in range(30):
        memory.store("k", "v", "core", None)
    memory.close()
    assert records(tmp_path) == 30


# ------------------------------------------------------------------------------------------------------ aliases


def test_naming_an_agent_again_does_not_lengthen_the_journal(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        ids = {memory.ensure_agent_uuid("ada") for _ in range(5)}
        assert len(ids) == 1
        memory.store_with_agent("k", "v", "core", None, None, None, ids.pop())
    for _ in range(3):
        with opened("notes", tmp_path) as memory:
            memory.ensure_agent_uuid("ada")
    assert records(tmp_path) == 2


def test_an_agent_that_may_have_been_given_up_is_ensured_again(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.ensure_agent_uuid("ada")
        memory.purge_agent("ada")
        memory.ensure_agent_uuid("ada")
        memory.ensure_agent_uuid("ada")
        assert memory.stats().journal["records"] == 3


def test_an_alias_of_another_process_needs_no_record_either(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as first, opened("notes", tmp_path) as second:
        assert first.ensure_agent_uuid("ada") == second.ensure_agent_uuid("ada")
        assert second.stats().journal["records"] == 1
        first.forget("nothing")
        second.ensure_agent_uuid("ada")
        assert first.stats().journal["records"] == 3
