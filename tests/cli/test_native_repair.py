"""A damaged built-in store is repaired from itself, then from its backups, and what was forgotten stays forgotten."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.guests import package

PAGE = 4096


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with 20 entries: the daily backup holds the first, `secret` was forgotten since."""
    home = Home(tmp_path_factory.mktemp("repair"))
    rows = [json.dumps({"key": f"k{number:02d}", "content": f"fact <{number}> = [tea]"}) for number in range(18)]
    home.ok("memory", "store", "secret", "the first entry")
    home.ok("memory", "import", "-", stdin="\n".join(rows))
    home.ok("memory", "store", "last", "the last entry")
    home.ok("memory", "forget", "secret")
    return home.path


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Home:
    shutil.copytree(template, tmp_path / "home")
    return Home(tmp_path / "home")


def store_of(home: Home) -> Path:
    return home.config_dir / "data" / "memory" / "native.db"


def execute(home: Home, *statements: str) -> None:
    with closing(sqlite3.connect(store_of(home), isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)


def root_of(home: Home, name: str) -> int:
    with closing(sqlite3.connect(store_of(home))) as connection:
        return int(connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0])


def overwrite_page(home: Home, number: int, data: bytes = bytes(PAGE)) -> None:
    with store_of(home).open("r+b") as file:
        file.seek((number - 1) * PAGE)
        file.write(data)


def keys(home: Home) -> set[str]:
    return {entry["key"] for entry in home.ok("memory", "list", "--limit", "100", "--json").json()["entries"]}


def check(home: Home, *, kept: int = 19) -> None:
    """Whatever the damage was: after at most one failing command all is there, found and sound."""
    first = home.run("memory", "recall", "tea", "--limit", "50", "--json")
    assert first.code in (0, 5), first.stderr
    home.ok("doctor", "--fix")
    assert len(keys(home)) == kept
    assert "secret" not in keys(home)
    assert len(home.ok("memory", "recall", "tea", "--limit", "50", "--json").json()["entries"]) == 18
    assert home.ok("memory", "store", "new", "written afterwards").code == 0
    assert home.ok("memory", "health", "--json").json() == {"healthy": True}


INDEX_DAMAGE: dict[str, Callable[[Home], None]] = {
    "a page of an index is zeroed": lambda home: overwrite_page(home, root_of(home, "entries_recent")),
    "the page of the parts is zeroed": lambda home: overwrite_page(home, root_of(home, "chunks")),
    "the page of the sizes is zeroed": lambda home: overwrite_page(home, root_of(home, "chunks_fts_docsize")),
    "page 1 is zeroed": lambda home: overwrite_page(home, 1),
    "an index table is dropped": lambda home: execute(home, "DROP TABLE index_totals"),
    "the full-text index is dropped": lambda home: execute(home, "DROP TABLE chunks_fts"),
    "its blocks are deleted": lambda home: execute(home, "DELETE FROM chunks_fts_data"),
    "its blocks are garbage": lambda home: execute(home, "UPDATE chunks_fts_data SET block = x'a5a5a5a5' WHERE id > 1"),
    "its list of terms is deleted": lambda home: execute(home, "DELETE FROM chunks_fts_idx"),
    "the schema has another text": lambda home: execute(
        home, "UPDATE sqlite_master SET sql = replace(sql, 'content TEXT', 'con\u00f6 TEXT') WHERE name = 'entries'"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", INDEX_DAMAGE)
def test_nothing_is_lost_and_nothing_comes_back_where_every_row_can_be_read(home: Home, kind: str) -> None:
    INDEX_DAMAGE[kind](home)
    check(home)


@pytest.mark.parametrize("kind", ["its blocks are deleted", "its list of terms is deleted", "its blocks are garbage"])
def test_doctor_and_health_look_into_the_search_index(home: Home, kind: str) -> None:
    INDEX_DAMAGE[kind](home)
    assert "native.db is damaged" in home.fails(5, "doctor").stdout
    done = home.run("memory", "health", "--json")
    # What opening finds is repaired at once, and said.
    assert '"healthy": true' not in done.stdout or "the search index of" in done.stderr


def test_what_is_missing_comes_from_the_backup_and_the_repair_is_told_once(home: Home) -> None:
    store_of(home).write_bytes(b"x")
    done = home.ok("memory", "list", "--json")
    assert [entry["key"] for entry in done.json()["entries"]] == []
    assert "which holds 0 entries" in done.stderr
    assert "what was stored after that is lost" in done.stderr
    assert "native.db" not in home.ok("memory", "list").stderr


@pytest.mark.slow
def test_a_file_that_is_cut_off_anywhere_is_no_empty_store(home: Home) -> None:
    size = store_of(home).stat().st_size
    data = store_of(home).read_bytes()
    for length in (1, 99, PAGE - 1, size // 2, size - PAGE, size - 1):
        store_of(home).write_bytes(data[:length])
        done = home.ok("memory", "store", "new", "x")
        assert "warning: the memory store" in done.stderr, length
        assert "secret" not in keys(home)


def test_one_bad_row_is_left_out_named_and_can_be_forgotten(home: Home) -> None:
    execute(home, "UPDATE entries SET content = CAST(x'66ff66' AS TEXT) WHERE key = 'k03'")
    done = home.ok("memory", "list", "--limit", "100", "--json")
    assert len(done.json()["entries"]) == 18
    assert "1 entry left out" in done.stderr
    assert "'k03'" in done.stderr
    found = home.ok("memory", "recall", "tea", "--limit", "50", "--json")
    assert len(found.json()["entries"]) == 17
    assert "'k03'" in found.stderr
    export = home.fails(5, "memory", "export")
    assert len(export.stdout.splitlines()) == 18
    assert "not complete" in export.stderr
    assert "k03" in home.fails(5, "memory", "get", "k03").stderr
    assert "the entry 'k03'" in home.fails(5, "doctor").stdout
    home.ok("memory", "forget", "k03")
    assert home.ok("memory", "export").stderr == ""
    home.ok("doctor")


@pytest.mark.slow
def test_what_shows_the_layers_repairs_a_damaged_store_in_the_same_command(home: Home) -> None:
    before = store_of(home).read_bytes()
    for words in (["wake"], ["plan", "recall"]):
        for number in (4, 13, 22):
            store_of(home).write_bytes(before)
            overwrite_page(home, number)
            assert "was damaged" in home.ok("memory", *words).stderr, (words, number)


@pytest.mark.slow
def test_a_copy_without_a_bad_row_says_that_it_is_not_complete(home: Home, tmp_path: Path) -> None:
    execute(home, "UPDATE entries SET content = CAST(x'66ff66' AS TEXT) WHERE key = 'k03'")
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    done = home.fails(5, "memory", "copy", "--from", "native", "--to", "plugin.notes", "--json")
    assert done.json() == {"copied": 18}
    assert "not complete" in done.stderr
    assert home.ok("memory", "count", "--backend", "plugin.notes").stdout == "18\n"


@pytest.mark.slow
def test_one_bad_row_keeps_nobody_from_the_others(home: Home) -> None:
    execute(home, "UPDATE entries SET content = CAST(x'74ff61' AS TEXT) WHERE key = 'k03'")
    for words in (("wake",), ("plan", "recall"), ("status",), ("status", "--backend", "layers")):
        home.ok("memory", *words)
    said = home.fails(1, "memory", "health")
    assert "'k03'" in said.stderr
    assert "doctor --fix" in said.stderr
    for backend in ("native", "layers"):
        exported = home.fails(5, "memory", "export", "--backend", backend)
        assert len(exported.stdout.splitlines()) == 18


@pytest.mark.slow
def test_only_doctor_and_health_look_at_all_of_a_large_store(home: Home, tmp_path: Path) -> None:
    rows = [json.dumps({"key": f"k{number}", "content": f"fact {number} " * 200}) for number in range(400)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows), "utf-8")
    home.ok("memory", "import", tmp_path / "rows.jsonl")
    execute(home, "UPDATE index_totals SET chunks = chunks + 1")
    for backend in ("native", "layers"):
        home.ok("memory", "status", "--backend", backend)
        home.fails(1, "memory", "health", "--backend", backend)
    home.ok("memory", "wake")
    home.fails(5, "doctor")


def test_a_bad_row_is_mended_by_storing_it_again(home: Home) -> None:
    execute(home, "UPDATE entries SET content = CAST(x'66ff66' AS TEXT) WHERE key = 'k03'")
    home.ok("memory", "store", "k03", "another cup of tea")
    assert home.ok("memory", "get", "k03", "--json").json()["content"] == "another cup of tea"
    home.ok("doctor")


def test_an_entry_whose_key_is_bad_is_forgotten_by_the_name_that_is_shown(home: Home) -> None:
    execute(home, "UPDATE entries SET key = CAST(x'6bff34' AS TEXT) WHERE key = 'k04'")
    assert "'k\ufffd4'" in home.ok("memory", "list").stderr
    home.ok("memory", "forget", "k\ufffd4")
    assert home.ok("memory", "list").stderr == ""


def test_doctor_takes_the_text_of_a_bad_row_from_the_backup(home: Home) -> None:
    shutil.rmtree(store_of(home).parent / "backups")
    home.ok("memory", "store", "one", "more")
    execute(home, "UPDATE entries SET content = CAST(x'66ff66' AS TEXT) WHERE key = 'k05'")
    assert "mended" in home.ok("doctor", "--fix").stdout
    assert home.ok("memory", "get", "k05", "--json").json()["content"] == "fact <5> = [tea]"
    assert len(keys(home)) == 20


def test_an_emptied_table_is_damage(home: Home) -> None:
    shutil.rmtree(store_of(home).parent / "backups")
    home.ok("memory", "store", "one", "more")
    execute(home, "PRAGMA secure_delete = ON", "DELETE FROM entries")
    done = home.ok("memory", "count", "--json")
    assert done.json() == {"count": 20}
    assert "the backup native-" in done.stderr


def test_a_person_brings_a_forgotten_entry_back_with_restore_and_it_stays(home: Home) -> None:
    (copy,) = (store_of(home).parent / "backups").glob("native-*.db")
    kept = shutil.copyfile(copy, home.path / "kept.db")
    home.ok("memory", "restore", kept)
    assert "secret" in keys(home)
    home.ok("memory", "store", "new", "x")
    store_of(home).write_bytes(b"")
    assert "secret" in keys(home)


def test_the_copy_of_a_wrong_year_is_not_taken_for_the_newest(home: Home) -> None:
    folder = store_of(home).parent / "backups"
    (old,) = folder.glob("native-*.db")
    wrong = old.rename(old.with_name("native-20361130T120000Z" + old.name[23:]))
    os.utime(wrong, (2_100_000_000, 2_100_000_000))
    home.ok("memory", "store", "new", "written with the right clock")
    store_of(home).write_bytes(b"")
    assert {"new", "last", "k01"} <= keys(home)


def test_a_config_folder_that_is_a_file_is_no_empty_memory(home: Home) -> None:
    file = home.path / "file"
    file.write_text("x")
    (home.path / "other" / "data").mkdir(parents=True)
    (home.path / "other" / "data" / "memory").write_text("x")
    for folder in (file, home.path / "other"):
        done = home.run("--config-dir", folder, "memory", "count")
        assert done.code != 0
        assert "is not a folder" in done.stderr or "not a directory" in done.stderr.lower(), done.stderr


def test_a_copy_is_made_before_many_rows_are_purged(home: Home) -> None:
    rows = [json.dumps({"key": f"n{number}", "content": "x", "namespace": "old"}) for number in range(150)]
    home.ok("memory", "import", "-", stdin="\n".join(rows))
    folder = store_of(home).parent / "backups"
    for copy in folder.glob("native-*.db"):
        os.utime(copy, (copy.stat().st_mtime - 7200,) * 2)
    before = len(list(folder.glob("native-*.db")))
    home.ok("memory", "purge", "--namespace", "old", "--yes")
    assert len(list(folder.glob("native-*.db"))) == before + 1


FULL = """
set -e
mount -t tmpfs -o size=3m,mode=700 tmpfs "$1"
cp -a "$2/." "$1/"
dd if=/dev/zero of="$1/filler" bs=4096 2>/dev/null || true
shift 2
exec "$@"
"""


def test_a_full_disk_reads_as_a_read_only_folder_does(home: Home, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    alone = ["unshare", "--mount", "--map-root-user"] if os.geteuid() else ["unshare", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    program = Path(sys.executable).with_name("zeroclaw")
    script = f"{program} memory list --limit 100 && {program} memory recall first --json; {program} memory store k v"
    done = subprocess.run(
        [*alone, "sh", "-c", FULL, "sh", str(disk), str(home.path), "sh", "-c", script],
        env=home.env({"HOME": str(disk)}),
        capture_output=True,
        text=True,
        check=False,
    )
    if "mount:" in done.stderr:
        pytest.skip("this machine lets nobody mount a small disk")
    assert "k05" in done.stdout, done.stderr
    assert '"entries": [' in done.stdout, done.stderr
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "hint: free some space" in done.stderr
