from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.wasm.test_journal import append, records
from zeroclaw_cli.wasm.journal import Journal

ROOM = 512 * 1024


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "plugins" / "guest" / "journal.db")
    yield made
    made.close()


def log_of(journal: Journal) -> Path:
    return journal.path.with_name("journal.db-wal")


def log_size(journal: Journal) -> int:
    return log_of(journal).stat().st_size


def numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def test_a_journal_that_is_written_once_has_no_room_in_its_log(journal: Journal) -> None:
    append(journal, *numbers(7))
    assert log_size(journal) < 100_000


def test_who_writes_on_writes_over_zeros(journal: Journal) -> None:
    append(journal, *numbers(8))
    before = log_size(journal)
    assert before > ROOM
    append(journal, *numbers(60))
    assert log_size(journal) == before, "no commit makes the file longer"
    assert journal.count() == 68


def test_the_room_has_an_end(journal: Journal) -> None:
    append(journal, *numbers(1_500))
    assert log_size(journal) < 6_000_000
    assert journal.count() == 1_500


def test_a_log_with_room_is_read_as_far_as_it_goes_by_who_comes_after_a_crash(journal: Journal, tmp_path: Path) -> None:
    append(journal, *numbers(20))
    # What is on the disk at this moment is what a crash leaves.
    shutil.copytree(journal.path.parent, tmp_path / "crashed")
    (tmp_path / "crashed" / "journal.db-shm").unlink()
    with closing(Journal(tmp_path / "crashed" / "journal.db")) as after:
        assert [record.arguments for record in records(after)] == [(number,) for number in numbers(20)]
        append(after, "next")
        assert after.count() == 21


def test_a_log_of_zeros_alone_is_an_empty_log(journal: Journal, tmp_path: Path) -> None:
    append(journal, *numbers(3))
    journal.close()
    log_of(journal).write_bytes(bytes(ROOM))
    assert journal.count() == 3
    append(journal, "next")
    assert journal.count() == 4


def test_without_room_on_the_disk_the_log_is_as_it_was(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def half(fd: int, data: Any) -> int:
        return real(fd, data[: len(data) // 2])

    append(journal, *numbers(7))
    before = log_size(journal)
    monkeypatch.setattr("zeroclaw_cli.wasm.journal_file.os.write", half)
    append(journal, *numbers(20))
    assert log_size(journal) < before + 30 * 8_192
    assert journal.count() == 27


def test_after_a_rewrite_there_is_room_again(journal: Journal) -> None:
    append(journal, *numbers(10))
    head = journal.head()
    assert head is not None
    with journal.writing(1.0) as writer:
        writer.restart(head.birth)
    assert log_size(journal) == 0
    append(journal, *numbers(140))
    assert log_size(journal) > ROOM
    assert journal.count() == 140
