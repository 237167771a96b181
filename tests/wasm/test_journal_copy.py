from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.wasm.helpers import journal_file, opened
from zeroclaw_cli.errors import JournalDamaged
from zeroclaw_cli.wasm.journal_copy import check_copy, copy_journal


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of a journal with one record."""
    with opened("notes", tmp_path) as memory:
        memory.store("k", "v", "core", None)
    out = tmp_path / "copy.db"
    copy_journal(journal_file(tmp_path), out)
    return out


def refused(copy: Path) -> str | None:
    with pytest.raises(JournalDamaged) as caught:
        check_copy(copy)
    return caught.value.hint


def test_a_sound_copy_passes(copy: Path) -> None:
    check_copy(copy)


def cut_short(copy: Path) -> None:
    os.truncate(copy, copy.stat().st_size // 2)


def no_database(copy: Path) -> None:
    copy.write_bytes(b"no database at all" * 100)


def without_a_birth(copy: Path) -> None:
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("DELETE FROM meta")


@pytest.mark.parametrize("damage", [cut_short, no_database, without_a_birth])
def test_a_damaged_copy_asks_for_another_and_never_to_empty_the_journal_in_use(
    copy: Path, damage: Callable[[Path], None]
) -> None:
    damage(copy)
    assert refused(copy) == "choose another copy"


def test_a_copy_of_a_later_format_asks_for_a_later_version(copy: Path) -> None:
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert "update zeroclaw" in (refused(copy) or "")
