"""``memory backup`` and ``restore``: every store and journal in one file, as a person runs them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.guests import package

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

PLUGIN = ("--backend", "plugin.notes")


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("memory", "store", "tea", "green")
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "Ada likes tea.")
    home.ok("memory", "store", "dog", "Byron", *PLUGIN)
    return home


def test_a_restore_brings_back_the_store_and_the_journals_together(notes: Home, tmp_path: Path) -> None:
    file = tmp_path / "memory.zip"
    made = notes.ok("memory", "backup", "--out", file, "--json").json()
    assert made == {
        "file": str(file),
        "bytes": file.stat().st_size,
        "entries": 1,
        "documents": 1,
        "plugins": ["notes"],
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    notes.ok("memory", "store", "tea", "black")
    notes.ok("memory", "doc", "forget", "MEMORY.md")
    notes.ok("memory", "store", "cat", "Ovid", *PLUGIN)
    done = notes.ok("memory", "restore", file)
    assert done.stdout == f"Restored from {file}: 1 entry and 1 document of the built-in store, plugin notes.\n"
    assert done.stderr.count("what was there before is kept in ") == 2
    assert notes.ok("memory", "get", "tea", "--json").json()["content"] == "green"
    assert notes.ok("memory", "doc", "read", "MEMORY.md").stdout == "Ada likes tea.\n"
    assert [entry["key"] for entry in notes.ok("memory", "list", *PLUGIN, "--json").json()["entries"]] == ["dog"]
    notes.ok("memory", "store", "owl", "Ada", *PLUGIN)
    assert notes.ok("memory", "count", *PLUGIN).stdout == "2\n"
    assert notes.ok("doctor").code == 0


def test_what_was_replaced_can_be_brought_back(notes: Home, tmp_path: Path) -> None:
    file = tmp_path / "memory.zip"
    notes.ok("memory", "backup", "--out", file)
    notes.ok("memory", "store", "tea", "black")
    kept = notes.ok("memory", "restore", file, "--json").json()["kept"]
    (store,) = [path for path in kept if Path(path).parent.name == "memory"]
    notes.ok("memory", "restore", store)
    assert notes.ok("memory", "get", "tea", "--json").json()["content"] == "black"


def test_a_backup_goes_to_a_machine_that_has_nothing(notes: Home, tmp_path: Path) -> None:
    file = tmp_path / "memory.zip"
    notes.ok("memory", "backup", "--out", file)
    (tmp_path / "other").mkdir()
    other = Home(tmp_path / "other")
    assert other.ok("memory", "restore", file, "--json").json()["kept"] == []
    assert other.ok("memory", "get", "tea", "--json").json()["content"] == "green"
    data = other.config_dir / "data"
    assert {path.name for path in (data / "plugins" / "notes").iterdir()} >= {"journal.db", "owner.toml"}
    assert not [path.name for path in data.iterdir() if path.name.startswith(".restore") and path.is_dir()]


def test_without_a_file_it_is_kept_in_the_data_folder(home: Home) -> None:
    home.ok("memory", "store", "tea", "green")
    file = Path(home.ok("memory", "backup", "--json").json()["file"])
    assert file.parent == home.config_dir / "data" / "backups"
    assert home.ok("memory", "restore", file).code == 0


def test_a_folder_gets_a_name_with_the_time_and_a_missing_one_is_an_error(home: Home, tmp_path: Path) -> None:
    home.ok("memory", "store", "tea", "green")
    file = Path(home.ok("memory", "backup", "--out", tmp_path, "--json").json()["file"])
    assert file.parent == tmp_path
    done = home.fails(1, "memory", "backup", "--out", tmp_path / "nowhere" / "x.zip")
    assert "was not written" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["home", file.name])


def test_a_backup_of_nothing_is_refused_and_changes_nothing(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "empty.zip"
    done = home.ok("memory", "backup", "--out", file)
    assert done.stdout.endswith("nothing is remembered yet.\n")
    home.ok("memory", "store", "tea", "green")
    refused = home.fails(1, "memory", "restore", file)
    assert "holds nothing" in refused.stderr and refused.stdout == ""
    assert home.ok("memory", "count").stdout == "1\n"
    data = home.config_dir / "data"
    assert not [path.name for path in data.iterdir() if path.name.startswith(".restore") and path.is_dir()]


def test_a_daily_backup_of_the_store_is_one_too(home: Home) -> None:
    home.ok("memory", "store", "tea", "green")
    (daily,) = (home.config_dir / "data" / "memory" / "backups").glob("native-*.db")
    home.ok("memory", "store", "dog", "Byron")
    assert home.ok("memory", "restore", daily, "--json").json()["entries"] == 1
    assert home.ok("memory", "count").stdout == "1\n"


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "other database"])
def test_a_damaged_backup_is_exit_5_and_nothing_changes(notes: Home, tmp_path: Path, damage: str) -> None:
    import sqlite3

    file = tmp_path / "memory.zip"
    notes.ok("memory", "backup", "--out", file)
    data = file.read_bytes()
    if damage == "cut":
        file.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        file.write_bytes(data[:300] + bytes([data[300] ^ 255]) + data[301:])
    elif damage == "text":
        file.write_text("no archive")
    else:
        file.unlink()
        connection = sqlite3.connect(file)
        connection.execute("CREATE TABLE t (x)")
        connection.commit()
        connection.close()
    notes.ok("memory", "store", "tea", "black")
    notes.ok("memory", "store", "cat", "Ovid", *PLUGIN)
    error = notes.fails(5, "memory", "restore", file, "--json").error()
    assert error["code"] == "store_damaged"
    assert "nothing was changed" in error["hint"]
    assert notes.ok("memory", "get", "tea", "--json").json()["content"] == "black"
    assert notes.ok("memory", "count", *PLUGIN).stdout == "2\n"
    assert notes.fails(3, "memory", "restore", tmp_path / "nowhere", "--json").error()["code"] == "source_not_found"


def test_a_damaged_store_is_replaced_by_a_backup(home: Home, tmp_path: Path) -> None:
    home.ok("memory", "store", "tea", "green")
    file = tmp_path / "memory.zip"
    home.ok("memory", "backup", "--out", file)
    store = home.config_dir / "data" / "memory" / "native.db"
    for daily in (home.config_dir / "data" / "memory" / "backups").glob("*.db"):
        daily.unlink()
    store.write_bytes(b"no database at all" * 400)
    report = home.fails(5, "doctor", "--json").json()
    (found,) = [check for check in report["checks"] if check["id"] == "native"]
    assert (found["state"], "zeroclaw memory restore FILE" in found["hint"]) == ("error", True)
    assert home.fails(5, "memory", "count", "--json").error()["code"] == "store_damaged"
    assert home.fails(5, "memory", "backup", "--json").error()["code"] == "store_damaged"
    home.ok("memory", "restore", file)
    assert home.ok("memory", "get", "tea", "--json").json()["content"] == "green"
    assert home.ok("doctor").code == 0


@pytest.mark.slow
def test_an_interrupted_restore_is_finished_by_the_next_command_or_by_doctor(notes: Home, tmp_path: Path) -> None:
    import zipfile

    file = tmp_path / "memory.zip"
    notes.ok("memory", "backup", "--out", file)
    for finish in (["memory", "count"], ["doctor", "--fix"], ["memory", "doc", "tree"]):
        notes.ok("memory", "store", "tea", "black")
        # What a restore has ready before it replaces anything.
        with zipfile.ZipFile(file) as packed:
            packed.extractall(notes.config_dir / "data" / ".restore")
        if finish[0] == "memory":
            assert "warning  restore: a restore of the memory in " in notes.ok("doctor").stdout
        notes.ok(*finish)
        assert notes.ok("memory", "get", "tea", "--json").json()["content"] == "green"


def test_doctor_shows_the_store_and_mends_a_damaged_one_from_its_daily_backup(home: Home) -> None:
    home.ok("memory", "store", "tea", "green")
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "x")
    shown = home.ok("doctor").stdout
    assert "ok       native: 1 entry, 1 document, " in shown
    assert "1 daily backup, the newest native-" in shown
    store = home.config_dir / "data" / "memory" / "native.db"
    sound = store.read_bytes()
    store.write_bytes(sound[:4096] + b"\xff" * (len(sound) - 4096))
    assert "zeroclaw doctor --fix" in home.fails(5, "doctor").stdout
    assert store.read_bytes()[:4096] == sound[:4096]
    assert "mended" in home.ok("doctor", "--fix").stdout
    assert home.ok("memory", "get", "tea", "--json").json()["content"] == "green"
    assert len(list(store.parent.glob("native.db.damaged-*"))) == 1


def test_of_what_restores_replace_the_newest_are_kept_and_doctor_shows_their_size(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "memory.zip"
    home.ok("memory", "store", "tea", "green")
    home.ok("memory", "backup", "--out", file)
    for _ in range(3):
        assert "removed" not in home.ok("memory", "restore", file).stderr
    done = home.ok("memory", "restore", file)
    assert "1 older copy of what restores replaced removed: of each store the newest 3 are kept\n" in done.stderr
    copies = list((home.config_dir / "data" / "memory").glob("before-restore-*.db"))
    assert len(copies) == 3
    size = sum(copy.stat().st_size for copy in copies)
    assert f"ok       restored: 3 copies of what restores replaced, {size:,} bytes, " in home.ok("doctor").stdout
