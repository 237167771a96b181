"""What is damaged is said and has a way out that works; what was done in part is never told as done."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.guests import package

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

NOTES = ("--backend", "plugin.notes")


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    rows = [f'{{"key": "k{number}", "content": "text {number} {"lorem " * 40}"}}' for number in range(30)]
    home.ok("memory", "import", "-", stdin="\n".join(rows))
    return home


def data(home: Home) -> Path:
    return home.config_dir / "data" / "plugins" / "notes"


def keys(home: Home) -> set[str]:
    return {entry["key"] for entry in home.ok("memory", "list", "--json").json()["entries"]}


def cut_in_its_last_page(journal: Path) -> None:
    os.truncate(journal, journal.stat().st_size - 3_768)


def without_its_newest_records(journal: Path) -> None:
    with closing(sqlite3.connect(journal, isolation_level=None)) as connection:
        connection.execute("DELETE FROM records WHERE number > 3")


def without_its_first_page(journal: Path) -> None:
    journal.write_bytes(bytes(4096) + journal.read_bytes()[4096:])


@pytest.mark.parametrize(
    ("damage", "comes_back_by_itself"),
    [(cut_in_its_last_page, False), (without_its_newest_records, False), (without_its_first_page, True)],
)
def test_a_damaged_journal_refuses_reading_and_writing_alike_until_it_is_repaired(
    notes: Home, damage: Callable[[Path], None], comes_back_by_itself: bool
) -> None:
    damage(data(notes) / "journal.db")
    for words in (("count",), ("store", "new", "text"), ("list",), ("backup", "--out", "out.zip")):
        error = notes.fails(5, "memory", *words, "--json").error()
        assert error["code"] == "journal_damaged"
        assert "doctor --fix" in error["hint"]
    notes.fails(5, "doctor")
    notes.ok("doctor", "--fix")
    assert [path.name for path in data(notes).glob("journal.damaged-*.db")]
    if comes_back_by_itself:
        assert len(keys(notes)) == 30
    else:
        assert keys(notes) == set()
        (held,) = data(notes).glob("recovered-*.jsonl")
        notes.ok("memory", "import", held, *NOTES)
        assert keys(notes)
    notes.ok("memory", "store", "new", "text")
    assert "new" in keys(notes)
    assert "journal.damaged-" in notes.ok("doctor").stdout


def test_what_was_forgotten_does_not_come_back_with_a_repair(notes: Home) -> None:
    notes.ok("memory", "forget", "k7")
    without_its_first_page(data(notes) / "journal.db")
    notes.ok("doctor", "--fix")
    assert keys(notes) == {f"k{number}" for number in range(30)} - {"k7"}


def test_a_backup_comes_back_over_a_damaged_journal(notes: Home, tmp_path: Path) -> None:
    notes.ok("memory", "backup", "--out", tmp_path / "memory.zip")
    cut_in_its_last_page(data(notes) / "journal.db")
    notes.ok("memory", "restore", tmp_path / "memory.zip")
    assert len(keys(notes)) == 30


def an_empty_folder(place: Path) -> None:
    place.mkdir()


def a_folder_without_a_table(place: Path) -> None:
    place.mkdir()
    (place / "native.db").write_text("text")


def a_file(place: Path) -> None:
    place.write_text("text")


def test_what_is_left_of_a_restore_stands_in_no_commands_way(home: Home) -> None:
    home.ok("memory", "store", "tea", "green")
    for leave in (an_empty_folder, a_folder_without_a_table, a_file):
        leave(home.config_dir / "data" / ".restore")
        assert home.ok("memory", "get", "tea", "--json").json()["content"] == "green"
        assert not (home.config_dir / "data" / ".restore").exists()
    left = home.config_dir / "data" / ".restore-012345"
    left.mkdir()
    home.ok("doctor", "--fix")
    assert not left.exists()


def test_a_pipe_in_the_place_of_a_log_or_journal_is_not_waited_for(notes: Home) -> None:
    for name, code in (("log.jsonl", 0), ("journal.db", 5)):
        (data(notes) / name).unlink(missing_ok=True)
        os.mkfifo(data(notes) / name)
        assert notes.run("memory", "store", "k", "text", timeout=60).code == code
        notes.run("plugin", "logs", "notes", timeout=60)


def test_a_file_or_a_dead_link_in_the_place_of_a_folder_is_no_empty_memory(home: Home, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "unmounted")
    for place in ("file", "link", "file/below"):
        for words in (("memory", "count"), ("memory", "store", "k", "text"), ("plugin", "list")):
            error = home.fails(5, "--config-dir", tmp_path / place, *words, "--json").error()
            assert str(tmp_path / place) in error["message"]


def test_data_whose_package_is_gone_is_named_and_deleted(notes: Home) -> None:
    notes.ok("plugin", "remove", "notes")
    error = notes.fails(3, "plugin", "remove", "notes", "--json").error()
    assert "--purge-data" in error["hint"]
    notes.ok("plugin", "remove", "notes", "--purge-data", "--yes")
    assert not data(notes).exists()
    notes.fails(3, "plugin", "remove", "notes", "--purge-data", "--yes")


def test_what_cannot_be_read_of_another_programs_memory_is_said_and_the_rest_imported(
    home: Home, tmp_path: Path
) -> None:
    file = tmp_path / "theirs" / "memory" / "brain.db"
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE memories (key TEXT, content TEXT, created_at, importance)")
        for number in range(200):
            row = (f"k{number}", "text " * 40, "2026-01-02 03:04:05", 0.7)
            connection.execute("INSERT INTO memories VALUES (?, ?, ?, ?)", row)
        connection.execute("UPDATE memories SET content = CAST(x'ff' AS TEXT) WHERE key = 'k0'")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    done = home.ok("memory", "import", "--from-zeroclaw", tmp_path / "theirs", "--json")
    assert done.json() == {"imported": 200, "skipped": 0}
    assert "not UTF-8" in done.stderr
    entry = home.ok("memory", "get", "k9", "--json").json()
    assert (entry["timestamp"], entry["importance"]) == ("2026-01-02T03:04:05Z", 0.7)
    content = bytearray(file.read_bytes())
    content[4096 * (pages // 2) : 4096 * (pages // 2 + 1)] = bytes(4096)
    file.write_bytes(content)
    partial = home.fails(1, "memory", "import", "--from-zeroclaw", tmp_path / "theirs", "--json")
    assert partial.error()["code"] == "transfer_incomplete"
    assert 100 < partial.json()["imported"] < 200


def test_a_config_that_is_a_link_to_nothing_does_not_fall_back_to_the_defaults(home: Home, tmp_path: Path) -> None:
    home.ok("config", "set", "plugins.security.signature_mode", "strict")
    home.config_file.rename(tmp_path / "real.toml")
    home.config_file.symlink_to(tmp_path / "real.toml")
    assert home.ok("config", "get", "plugins.security.signature_mode").stdout == "strict\n"
    (tmp_path / "real.toml").rename(tmp_path / "away.toml")
    for words in (
        ["config", "get", "plugins.security.signature_mode"],
        ["config", "set", "memory.native.project", "p"],
        ["plugin", "list"],
        ["memory", "list"],
        ["doctor"],
    ):
        done = home.fails(5, *words)
        assert f"is a link to {tmp_path / 'real.toml'}, which is not there" in done.stdout + done.stderr, words
    assert not (tmp_path / "real.toml").exists()
