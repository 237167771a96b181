from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.dict_memory import DictMemory
from zeroclaw_cli.errors import GuestError, NotSupported, TransferIncomplete
from zeroclaw_cli.memory.arrival import check_arrival
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.types import Entry
from zeroclaw_cli.operations.transfer import import_entries

ROWS = [Entry("", f"k{number}", f"text {number}", "core", "2026-01-02T03:04:05Z") for number in range(5)]


class Dropping(DictMemory):
    """Answers that it stored every entry and keeps each second one."""

    stored = 0

    def import_entry(self, entry: Entry) -> None:
        self.stored += 1
        if self.stored % 2:
            super().import_entry(entry)


class Undated(DictMemory):
    def import_entry(self, entry: Entry) -> None:
        super().import_entry(replace(entry, timestamp="2030-01-01T00:00:00Z"))


class Garbling(DictMemory):
    def import_entry(self, entry: Entry) -> None:
        super().import_entry(replace(entry, content="otherwise"))


class Blind(DictMemory):
    error: Exception = NotSupported("no list")

    def list_entries(self, category: str | None, session_id: str | None) -> list[Entry]:
        raise self.error


def test_a_memory_that_drops_rows_is_told_on_with_what_arrived() -> None:
    with pytest.raises(TransferIncomplete, match="keeps 3 of 5 entries; not there: 'k1', 'k3'") as caught:
        import_entries(Dropping(), ROWS, OnConflict.REPLACE)
    assert (caught.value.exit_code, caught.value.details) == (1, {"imported": 3})


def test_another_time_or_text_is_a_warning() -> None:
    assert import_entries(DictMemory(), ROWS, OnConflict.REPLACE).warnings == ()
    (time,) = import_entries(Undated(), ROWS, OnConflict.REPLACE).warnings
    assert "keeps another time of 5 entries" in time
    (text,) = import_entries(Garbling(), ROWS, OnConflict.REPLACE).warnings
    assert "keeps another text of 5 entries: 'k0', 'k1', 'k2' and 2 more" in text


def test_of_two_rows_with_one_key_the_last_counts() -> None:
    twice = [*ROWS, replace(ROWS[0], content="newer")]
    assert import_entries(DictMemory(), twice, OnConflict.REPLACE).warnings == ()


def test_a_memory_that_cannot_list_says_so_and_one_that_fails_is_an_error() -> None:
    (line,) = check_arrival(Blind(), ROWS)
    assert "not checked whether they arrived" in line
    failing = Blind()
    failing.error = GuestError("broken")
    with pytest.raises(TransferIncomplete, match="cannot list them: broken"):
        check_arrival(failing, ROWS)
