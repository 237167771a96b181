from __future__ import annotations

from pathlib import Path

from tests.wasm.helpers import opened
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.native.memory import open_memory
from zeroclaw_cli.operations.transfer import import_entries


def row(key: str, alias: str | None, agent: str | None) -> Entry:
    return Entry("", key, "v", "core", "2026-01-01T00:00:00Z", agent_alias=alias, agent_id=agent)


def test_entries_of_a_named_agent_come_to_a_plugin_under_the_id_that_it_gives_the_agent(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        rows = [row("a", "bob", "foreign"), row("b", "bob", "other"), row("c", None, "foreign"), row("d", "bob", None)]
        done = import_entries(memory, rows, OnConflict.REPLACE)
        assert (done.imported, done.warnings) == (4, ())
        own = memory.agent_id_of("bob")
        assert {entry.agent_id for entry in memory.list_entries(None, None)} == {own}
        assert len(memory.recall_for_agents([own], "", 10, None, None, None)) == 4


def test_an_id_without_an_alias_is_kept_and_told_once(tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        done = import_entries(memory, [row("a", None, "foreign"), row("b", None, "foreign")], OnConflict.REPLACE)
        (warning,) = done.warnings
        assert warning.startswith("2 imported rows with an agent's id and no alias")
        assert "--agent-id" in warning
        assert {entry.agent_id for entry in memory.list_entries(None, None)} == {"foreign"}


def test_an_alias_survives_from_plugin_to_plugin_to_the_built_in_store(tmp_path: Path) -> None:
    with opened("random", tmp_path / "first") as first, opened("plain", tmp_path / "second") as second:
        first.store_with_agent("k", "v", "core", None, None, None, first.ensure_agent_uuid("bob"))
        import_entries(second, first.export_entries(ExportFilter()), OnConflict.REPLACE)
        with open_memory(tmp_path / "native") as native:
            import_entries(native, second.export_entries(ExportFilter()), OnConflict.REPLACE)
            (found,) = native.list_entries(None, None)
            assert (found.agent_alias, found.agent_id) == ("bob", native.agent_id_of("bob"))


def test_a_guest_that_names_no_alias_is_told_by_the_ids_that_it_gave(tmp_path: Path) -> None:
    with opened("partial", tmp_path) as memory:
        memory.store_with_agent("k", "v", "core", None, None, None, memory.ensure_agent_uuid("bob"))
    with opened("partial", tmp_path) as memory:
        assert [entry.agent_alias for entry in memory.export_entries(ExportFilter())] == ["bob"]
