from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.memory.test_types import ENTRIES
from tests.support.dict_memory import DictMemory
from tests.wasm.helpers import opened
from zeroclaw_cli.errors import (
    Conflict,
    DocumentConflict,
    JournalDamaged,
    KernelFailure,
    Trap,
    UsageError,
    ZeroclawError,
)
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.native.memory import NativeMemory, open_memory
from zeroclaw_cli.operations.transfer import import_entries, json_lines, read_rows


def entry(key: str, content: str = "c", agent_id: str | None = None, **fields: str) -> Entry:
    return Entry("", key, content, "core", fields.get("timestamp", "2026-01-01T00:00:00Z"), agent_id=agent_id)


@given(
    st.lists(ENTRIES.map(lambda e: Entry(**{**e.to_json(), "key": e.key or "k", "timestamp": "2026-01-01T00:00:00Z"})))
)
def test_what_is_exported_can_be_read_again(entries: list[Entry]) -> None:
    text = "".join(line + "\n" for line in json_lines(entries))
    assert read_rows(text, source="x").entries == entries


def test_separators_of_lines_inside_a_text_do_not_split_it() -> None:
    odd = entry("k", "a\u2028b\u0085c\x0bd\x1ce")
    assert read_rows("\n".join(json_lines([odd])), source="x").entries == [odd]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 2"),
        ("[]", "JSON object"),
        ('{"key": "k"}', "content"),
        ('{"key": "", "content": "c"}', "key must not be empty"),
        ('{"key": "k", "content": "c", "timestamp": "yesterday"}', "RFC 3339"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(line: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        read_rows('{"key": "k", "content": "c"}\n' + line + "\n", source="notes.jsonl")
    assert "notes.jsonl, line 2" in caught.value.message


@pytest.mark.parametrize(
    ("on_conflict", "content", "counts"),
    [(OnConflict.REPLACE, "new", (3, 0)), (OnConflict.KEEP, "old", (2, 1))],
)
def test_a_conflict_is_by_key_and_agent(on_conflict: OnConflict, content: str, counts: tuple[int, int]) -> None:
    memory = DictMemory()
    memory.import_entry(entry("k", "old"))
    result = import_entries(memory, [entry("k", "new"), entry("k", "new", "agent"), entry("l")], on_conflict)
    assert (result.imported, result.skipped) == counts
    assert memory.rows["k", None].content == content
    assert memory.rows["k", "agent"].content == "new"


def test_under_error_the_first_conflict_stops_before_anything_is_stored() -> None:
    memory = DictMemory()
    memory.import_entry(entry("k", "old"))
    with pytest.raises(Conflict, match="'k' is already in dict"):
        import_entries(memory, [entry("a"), entry("k", "new")], OnConflict.ERROR)
    assert list(memory.rows) == [("k", None)]


@pytest.mark.parametrize(("on_conflict", "content"), [(OnConflict.REPLACE, "second"), (OnConflict.KEEP, "first")])
def test_rows_that_meet_inside_the_file_conflict_too(on_conflict: OnConflict, content: str) -> None:
    memory = DictMemory()
    import_entries(memory, [entry("k", "first"), entry("k", "second")], on_conflict)
    assert memory.rows["k", None].content == content


def test_under_error_a_file_that_meets_itself_says_so() -> None:
    with pytest.raises(Conflict, match="'k' is there twice; nothing was imported"):
        import_entries(DictMemory(), [entry("k", "first"), entry("k", "second")], OnConflict.ERROR)


@pytest.mark.parametrize("on_conflict", list(OnConflict))
def test_a_row_conflicts_under_the_id_that_its_agent_has_here(tmp_path: Path, on_conflict: OnConflict) -> None:
    def rows(memory: NativeMemory) -> list[tuple[str, str, str | None]]:
        return [(row.key, row.content, row.agent_id) for row in memory.list_entries(None, None)]

    brought = [
        Entry("", "k", "theirs", "core", "", agent_alias="ada", agent_id="foreign"),
        Entry("", "l", "theirs", "core", "", agent_alias="ada", agent_id="foreign"),
    ]
    with open_memory(tmp_path) as memory:
        own = memory.ensure_agent_uuid("ada")
        memory.store_with_agent("k", "mine", "core", None, None, None, own)
        if on_conflict is OnConflict.ERROR:
            with pytest.raises(Conflict, match="'k' is already in native"):
                import_entries(memory, brought, on_conflict)
            assert rows(memory) == [("k", "mine", own)]
            return
        done = import_entries(memory, brought, on_conflict)
        kept = on_conflict is OnConflict.KEEP
        assert (done.imported, done.skipped) == ((1, 1) if kept else (2, 0))
        assert sorted(rows(memory)) == [("k", "mine" if kept else "theirs", own), ("l", "theirs", own)]


@pytest.mark.parametrize("on_conflict", list(OnConflict))
def test_what_another_command_stores_meanwhile_is_overwritten_by_replace_alone(
    tmp_path: Path, on_conflict: OnConflict, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(tmp_path) as memory, open_memory(tmp_path) as other:
        import_batch = memory.import_entries

        def later(entries: Sequence[Entry], *, over: bool) -> int:
            other.store("k", "theirs", "daily", None)
            return import_batch(entries, over=over)

        monkeypatch.setattr(memory, "import_entries", later)
        done = import_entries(memory, [entry("k", "ours"), entry("l", "ours")], on_conflict)
        replaced = on_conflict is OnConflict.REPLACE
        assert (done.imported, done.skipped) == ((2, 0) if replaced else (1, 1))
        assert [("meanwhile" in line) for line in done.warnings] == [True] * (on_conflict is OnConflict.ERROR)
        found = memory.get("k")
        assert found is not None
        assert found.content == ("ours" if replaced else "theirs")


def test_an_alias_that_comes_with_two_ids_is_one_agent(tmp_path: Path) -> None:
    brought = [Entry("", "k", f"of {agent}", "core", "", agent_alias="ada", agent_id=agent) for agent in ("one", "two")]
    with open_memory(tmp_path) as memory:
        done = import_entries(memory, brought, OnConflict.KEEP)
        assert (done.imported, done.skipped) == (1, 1)
        assert [(row.content, row.agent_id) for row in memory.list_entries(None, None)] == [("of one", "one")]


def test_a_row_that_names_only_an_alias_gets_the_alias_id() -> None:
    memory = DictMemory()
    row = Entry("", "k", "c", "core", "", agent_alias="ada")
    import_entries(memory, [row], OnConflict.REPLACE)
    assert list(memory.rows) == [("k", "uuid-ada")]


def test_a_failure_on_the_way_says_how_far_it_came_and_how_to_go_on() -> None:
    class Full(DictMemory):
        def import_entry(self, entry: Entry) -> None:
            if len(self.rows) == 2:
                raise Trap("memory.store-with-agent trapped: unreachable", hint="look at the plugin's log")
            super().import_entry(entry)

    memory = Full()
    with pytest.raises(Trap, match=r"trapped: unreachable \(entry 3 of 5, key 'k2'\)") as caught:
        import_entries(memory, [entry(f"k{number}") for number in range(5)], OnConflict.REPLACE)
    assert caught.value.details == {"imported": 2}
    assert caught.value.hint is not None
    assert "--on-conflict keep" in caught.value.hint


@pytest.mark.parametrize(
    "error",
    [
        Trap("it trapped", path="plugins.limits.call_fuel", details={"more": 1}),
        KernelFailure("scope-denied", "the guard said no", details={"more": 1}),
        DocumentConflict("conflict", "it is another one", hint="look"),
    ],
)
def test_a_failure_on_the_way_stays_the_failure_that_it_is(error: ZeroclawError) -> None:
    class Failing(DictMemory):
        def import_entry(self, entry: Entry) -> None:
            raise error

    code, path, details = error.code, error.path, error.details or {}
    with pytest.raises(type(error), match=r"\(entry 1 of 1, key 'k'\)") as caught:
        import_entries(Failing(), [entry("k")], OnConflict.REPLACE)
    assert (caught.value.code, caught.value.path) == (code, path)
    assert caught.value.details == {**details, "imported": 0}


def test_an_import_into_a_plugin_that_another_process_gave_a_record_it_cannot_carry_out(tmp_path: Path) -> None:
    with opened("trap", tmp_path) as memory:
        with opened("notes", tmp_path) as other:
            other.store("k", "v", "core", None)
        with pytest.raises(JournalDamaged, match=r"does not replay: .*\(entry 1 of 1, key 'a'\)"):
            import_entries(memory, [entry("a")], OnConflict.REPLACE)
