from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.guests import component
from tests.wasm.helpers import config, journal_file, keys, opened, package, rows
from zeroclaw_cli.config.model import Durability
from zeroclaw_cli.errors import (
    CallTimeout,
    MemoryFailure,
    NotSupported,
    ResultTooLarge,
    Trap,
    UsageError,
)
from zeroclaw_cli.memory.conformance import run_cases
from zeroclaw_cli.memory.types import Capability, Entry, ExportFilter, ProceduralMessage
from zeroclaw_cli.wasm.host import HostOptions, LogRecord
from zeroclaw_cli.wasm.memory import WasmMemory, open_memory


@pytest.mark.parametrize("guest", ["notes", "plain", "partial", "no_clock", "random"])
@pytest.mark.parametrize("durability", [Durability.JOURNAL, Durability.NONE])
def test_a_guest_conforms(guest: str, durability: Durability, tmp_path: Path) -> None:
    homes = iter(range(1_000))
    results = list(run_cases(lambda: opened(guest, tmp_path / str(next(homes)), durability=durability)))
    failed = [result for result in results if result.outcome == "failed"]
    # Two of the small test guests do not trim a query.
    excused = {"recall-empty-query"} if guest in {"plain", "random"} else set()
    assert [result for result in failed if result.id not in excused] == []
    assert sum(result.outcome == "passed" for result in results) >= 20


def test_its_name_is_the_packages(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        assert memory.name == "plugin.guest"
        assert memory.stats().backend == "plugin.guest"


# ------------------------------------------------------------------------------------------- before anything runs


def test_opening_and_reading_create_nothing(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        assert memory.recall("x", 5, None, None, None) == []
        assert memory.stats().journal == {}
    assert not (tmp_path / "config").exists()


# ------------------------------------------------------------------------------------------------- containment


STORE: Callable[[WasmMemory], Any] = lambda memory: memory.store("k", "v", "core", None)  # noqa: E731
RECALL: Callable[[WasmMemory], Any] = lambda memory: memory.recall("v", 5, None, None, None)  # noqa: E731


def test_a_guest_that_fails_its_health_check_is_not_healthy(tmp_path: Path) -> None:
    with opened("trap_in_health", tmp_path) as memory:
        memory.store("k", "v", "core", None)
        assert memory.health_check() is False
        assert keys(memory.list_entries(None, None)) == ["k"]


def test_more_entries_than_asked_for_are_cut_with_a_warning(tmp_path: Path) -> None:
    with opened("liar_many", tmp_path) as memory:
        assert len(memory.recall("v", 3, None, None, None)) == 3
        (warning,) = memory.take_warnings()
        assert warning.startswith("over_limit: the plugin guest returned ")
        assert warning.endswith("for a limit of 3; the first 3 were taken")


def test_a_list_over_the_limit_names_the_key(tmp_path: Path) -> None:
    with opened("notes", tmp_path, max_result_entries=2) as memory:
        for number in range(3):
            memory.store(str(number), "v", "core", None)
        calls: list[Callable[[], object]] = [
            lambda: memory.list_entries(None, None),
            lambda: memory.export_entries(ExportFilter()),
            lambda: memory.recall("", 1_000, None, None, None),
        ]
        for call in calls:
            with pytest.raises(ResultTooLarge) as caught:
                call()
            assert caught.value.path == "plugins.limits.max_result_entries"
        assert len(memory.recall("", 2, None, None, None)) == 2


def test_an_instance_that_trapped_without_a_journal_has_forgotten_and_says_so(tmp_path: Path) -> None:
    with opened("trap", tmp_path, durability=Durability.NONE) as memory:
        memory.store_with_agent("before", "v", "core", None, None, None, None)
        with pytest.raises(Trap):
            memory.store("k", "v", "core", None)
        assert memory.count() == 0
        assert memory.take_warnings() == ["the plugin guest was restarted and lost the data it kept in memory"]


@pytest.mark.parametrize("durability", [Durability.NONE, Durability.GUEST])
def test_without_a_journal_nothing_is_written(durability: Durability, tmp_path: Path) -> None:
    with opened("notes", tmp_path, durability=durability) as memory:
        memory.store("k", "v", "core", None)
        assert memory.stats().journal == {}
    assert not journal_file(tmp_path).exists()


# -------------------------------------------------------------------------------------------------------- logs


def test_log_records_go_to_the_caller_after_the_call(tmp_path: Path) -> None:
    seen: list[LogRecord] = []
    with opened("notes", tmp_path, options=HostOptions(log=seen.append)) as memory:
        memory.store("k", "v", "core", None)
        assert [record.message for record in seen] == ["stored one row"]
    seen.clear()
    with opened("notes", tmp_path, options=HostOptions(log=seen.append)) as memory:
        assert memory.count() == 1
    assert seen == [], "a replayed call says nothing again"


def test_a_flood_of_records_is_cut_and_reported(tmp_path: Path) -> None:
    seen: list[LogRecord] = []
    options = HostOptions(log=seen.append)
    with opened("flood", tmp_path, call_timeout_ms=300, options=options) as memory:
        with pytest.raises((CallTimeout, Trap)):
            memory.store("k", "v", "core", None)
        assert len(seen) == 1_000
        (warning,) = memory.take_warnings()
        assert "exceeded the limits of logging" in warning


def test_a_log_callback_that_fails_does_not_fail_the_call(tmp_path: Path) -> None:
    def broken(record: LogRecord) -> None:
        raise BrokenPipeError

    with opened("notes", tmp_path, options=HostOptions(log=broken)) as memory:
        memory.store("k", "v", "core", None)
        assert memory.count() == 1


# ------------------------------------------------------------------------------------------------- life and use


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    memory = opened("notes", tmp_path)
    memory.close()
    memory.close()
    for call in (STORE, RECALL, WasmMemory.count, WasmMemory.health_check):
        with pytest.raises(MemoryFailure, match=r"plugin\.guest is closed"):
            call(memory)


def test_calls_from_several_threads_are_serialised(tmp_path: Path) -> None:
    with opened("notes", tmp_path, durability=Durability.NONE) as memory:
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for step in range(30):
                    memory.store(f"{number}-{step}", "v", "core", None)
                    memory.recall("v", 3, None, None, None)
            except BaseException as error:  # noqa: BLE001
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert memory.count() == 120


def test_arguments_are_checked_before_the_guest_is_called(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        with pytest.raises(UsageError):
            memory.recall("q", -1, None, None, None)
        with pytest.raises(UsageError):
            memory.store_with_agent("k", "v", "core", None, None, float("nan"), None)
        with pytest.raises(UsageError):
            memory.get("\udcff")
        assert memory.count() == 0
    assert not journal_file(tmp_path).exists()


# --------------------------------------------------------------------------------------------------- fallbacks


def test_an_unset_capability_falls_back_or_says_so(tmp_path: Path) -> None:
    with opened("plain", tmp_path) as memory:
        assert memory.capabilities == frozenset()
        memory.store_with_agent("k", "of a", "core", "s", "kitchen", 0.5, "a")
        memory.store_with_metadata("m", "v", "core", None, "garden", 0.25)
        kept = memory.get("m")
        assert kept is not None
        assert (kept.namespace, kept.importance) == ("garden", 0.25), "store-with-agent loses nothing"
        assert memory.get_for_agent("k", "b") is None
        found = memory.get_for_agent("k", "a")
        assert found is not None and found.content == "of a"
        assert memory.reindex() == 0
        assert memory.ensure_agent_uuid("ada") == "ada"
        assert keys(memory.recall_namespaced("garden", "", 10, None, None, None)) == ["m"]
        assert keys(memory.export_entries(ExportFilter(namespace="kitchen"))) == ["k"]
        purges: dict[str, Callable[[], int]] = {
            "purge_namespace": lambda: memory.purge_namespace("n"),
            "purge_session": lambda: memory.purge_session("s"),
            "purge_session_for_agent": lambda: memory.purge_session_for_agent("s", "a"),
            "purge_agent": lambda: memory.purge_agent("a"),
        }
        for name, call in purges.items():
            with pytest.raises(NotSupported) as caught:
                call()
            assert caught.value.message == f"{name} not supported by this memory backend"
        assert memory.take_warnings() == []


def test_procedures_that_are_not_kept_are_a_warning_once(tmp_path: Path) -> None:
    with opened("plain", tmp_path) as memory:
        memory.store_procedural([], None)
        assert memory.take_warnings() == []
        for _ in range(2):
            memory.store_procedural([ProceduralMessage("user", "how?")], None)
        assert memory.take_warnings() == ["the plugin guest keeps no procedures; the messages were not stored"]
        assert memory.count() == 0


def test_recall_by_namespace_forwards_the_callers_limit_and_warns(tmp_path: Path) -> None:
    with opened("plain", tmp_path) as memory:
        memory.store_with_agent("wanted", "green", "core", None, "kitchen", None, None)
        for number in range(3):
            memory.store_with_agent(f"other{number}", "green", "core", None, "garden", None, None)
        assert memory.recall_namespaced("kitchen", "", 2, None, None, None) == []
        assert any("cannot recall by namespace" in line for line in memory.take_warnings())
        assert keys(memory.recall_namespaced("kitchen", "", 10, None, None, None)) == ["wanted"]
        assert memory.take_warnings() == []


def test_a_full_guest_declares_all_eleven_capabilities(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        assert memory.capabilities == frozenset(Capability)


def test_an_empty_list_of_agents_means_every_agent(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.store_with_agent("k", "v", "core", None, None, None, "a")
        assert keys(memory.recall_for_agents([], "", 5, None, None, None)) == ["k"]


# ------------------------------------------------------------------------------------------------------ import


def imported(timestamp: str) -> Entry:
    return Entry("old-id", "k", "v", "my own", timestamp, "s", 0.5, "kitchen", 0.75, "newer", None, "a")


def test_an_entry_is_imported_under_its_own_time(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.import_entry(imported("2020-02-03T04:05:06.789+01:00"))
        memory.import_entry(imported("2020-02-03T04:05:06.789+01:00"))
        (found,) = rows(memory)
        assert found.timestamp == "2020-02-03T03:05:06.789000000Z"
        assert (found.category, found.session_id, found.namespace, found.importance, found.agent_id) == (
            "my own",
            "s",
            "kitchen",
            0.75,
            "a",
        )
        assert memory.take_warnings() == [
            "the plugin guest assigns new ids to imported entries; superseded_by is not kept"
        ]
    with opened("notes", tmp_path) as memory:
        assert rows(memory) == [found]


@pytest.mark.parametrize("timestamp", ["", "yesterday", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z"])
def test_an_entry_without_a_usable_time_is_imported_under_the_present(timestamp: str, tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        memory.import_entry(imported(timestamp))
        assert rows(memory)[0].timestamp.startswith("20")
        assert any("under the present time" in line for line in memory.take_warnings())


# ----------------------------------------------------------------------------------------------- the plain call


def test_open_memory_takes_the_very_bytes(tmp_path: Path) -> None:
    with open_memory(package("other"), component("notes"), config(tmp_path), HostOptions()) as memory:
        assert memory.name == "plugin.other"


def test_statistics_of_more_entries_than_a_list_may_have_lack_the_categories_alone(tmp_path: Path) -> None:
    with opened("notes", tmp_path, max_result_entries=2) as memory:
        for number in range(3):
            memory.store(f"k{number}", "v", "core", None)
        memory.take_warnings()
        stats = memory.stats()
        assert (stats.total, stats.categories, stats.healthy) == (3, {}, True)
        assert (stats.journal["records"], stats.journal["live"]) == (3, 3)
        (warning,) = memory.take_warnings()
        assert "were not counted by category" in warning
        assert "zeroclaw config set plugins.limits.max_result_entries 4" in warning


def test_an_entry_that_was_stored_too_large_is_named_and_can_be_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened("plain", tmp_path) as memory:
        memory.store("healthy", "v", "core", None)
        with monkeypatch.context() as patch:
            # As earlier versions took it.
            patch.setattr("zeroclaw_cli.wasm.arguments.MAX_STRING_BYTES", 2**30)
            memory.store("too large", "a" * 17_000_000, "core", None)
    with opened("plain", tmp_path) as memory:
        for read in (
            lambda: memory.list_entries(None, None),
            lambda: memory.export_entries(ExportFilter()),
            lambda: memory.recall("", 5, None, None, None),
            memory.compact,
        ):
            with pytest.raises(ResultTooLarge, match="in the entry 'too large'") as caught:
                read()
            assert "`zeroclaw memory forget 'too large' --backend plugin.guest`" in (caught.value.hint or "")
        stats = memory.stats()
        assert (stats.total, stats.categories) == (2, {})
        assert memory.forget("too large")
        assert keys(rows(memory)) == ["healthy"]
        memory.compact(allow_loss=True)
        assert keys(rows(memory)) == ["healthy"]


# ------------------------------------------------------------------------------------------------- whose data it is


def claiming(home: Path, claims: list[str], *permissions: str) -> WasmMemory:
    """The guest notes, opened with a claim that is counted."""
    found = package(permissions=permissions)
    return open_memory(found, component("notes"), config(home), HostOptions(), claim=lambda: claims.append("claimed"))


def test_data_is_claimed_once_and_not_before_something_is_written(tmp_path: Path) -> None:
    claims: list[str] = []
    with claiming(tmp_path, claims) as memory:
        memory.count()
        memory.recall("x", 1, None, None, None)
        memory.stats()
        assert memory.compact() == (0, 0)
        assert claims == []
        memory.store("k", "v", "core", None)
        memory.store("l", "v", "core", None)
        assert claims == ["claimed"]
    with claiming(tmp_path, claims) as memory:
        memory.compact()
        assert claims == ["claimed"] * 2


def test_data_of_a_plugin_that_may_write_files_is_claimed_at_its_opening(tmp_path: Path) -> None:
    claims: list[str] = []
    with claiming(tmp_path, claims, "file_write") as memory:
        assert claims == ["claimed"]
        memory.store("k", "v", "core", None)
    assert claims == ["claimed"]


def test_data_that_cannot_be_claimed_is_not_written(tmp_path: Path) -> None:
    def refuse() -> None:
        raise MemoryFailure("it belongs to another")

    with open_memory(package(), component("notes"), config(tmp_path), HostOptions(), claim=refuse) as memory:
        for _ in range(2):
            with pytest.raises(MemoryFailure, match="it belongs to another"):
                memory.store("k", "v", "core", None)
        assert memory.count() == 0
    assert not (tmp_path / "config").exists()
