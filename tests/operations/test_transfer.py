from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.memory.test_types import ENTRIES
from tests.support.dict_memory import DictMemory
from zeroclaw_cli.errors import Conflict, Trap, UsageError
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.operations.conflicts import OnConflict
from zeroclaw_cli.operations.transfer import import_entries, json_lines, read_entries


def entry(key: str, content: str = "c", agent_id: str | None = None, **fields: str) -> Entry:
    return Entry("", key, content, "core", fields.get("timestamp", "2026-01-01T00:00:00Z"), agent_id=agent_id)


@given(
    st.lists(ENTRIES.map(lambda e: Entry(**{**e.to_json(), "key": e.key or "k", "timestamp": "2026-01-01T00:00:00Z"})))
)
def test_what_is_exported_can_be_read_again(entries: list[Entry]) -> None:
    text = "".join(line + "\n" for line in json_lines(entries))
    assert read_entries(text, source="x") == entries


def test_separators_of_lines_inside_a_text_do_not_split_it() -> None:
    odd = entry("k", "a\u2028b\u0085c\x0bd\x1ce")
    assert read_entries("\n".join(json_lines([odd])), source="x") == [odd]


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
        read_entries('{"key": "k", "content": "c"}\n' + line + "\n", source="notes.jsonl")
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
