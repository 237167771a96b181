"""A built-in store that is damaged or lost, as a person meets it."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.command import Home

# Processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow


@pytest.fixture
def store(home: Home) -> Path:
    home.ok("memory", "store", "tea", "green")
    return home.config_dir / "data" / "memory" / "native.db"


def checks(home: Home, *words: str, code: int) -> dict[str, str]:
    done = home.fails(code, "doctor", "--json", *words)
    return {check["id"]: check["state"] for check in done.json()["checks"]}


def test_a_restore_in_passing_is_told_even_when_quiet(home: Home, store: Path) -> None:
    store.write_bytes(b"")
    done = home.ok("-q", "memory", "get", "tea", "--json")
    assert done.json()["content"] == "green"
    assert done.stderr.startswith("warning: the memory store ")
    assert "which holds 1 entry and 0 documents" in done.stderr
    assert str(store) + ".damaged-" in done.stderr
    assert home.ok("-q", "memory", "get", "tea").stderr == ""


def test_doctor_tells_of_a_lost_store_and_mends_it(home: Home, store: Path) -> None:
    for lose in (lambda: store.write_bytes(b""), store.unlink):
        lose()
        assert checks(home, code=5)["native"] == "error"
        assert "which holds 1 entry" in home.ok("doctor", "--fix").stdout
        assert checks(home, code=0)["native"] == "ok"
    assert checks(home, code=0)["native.damaged"] == "warning"


def test_a_damaged_file_beside_the_store_is_named_until_it_is_gone(home: Home, store: Path) -> None:
    store.write_bytes(b"no database")
    home.ok("memory", "count")
    (kept,) = [file for file in store.parent.glob("native.db.damaged-*") if file.suffix != ".db-wal"]
    assert str(kept) in home.ok("memory", "stats").stderr
    assert f"{kept} was set aside" in home.ok("doctor").stdout
    kept.unlink()
    assert home.ok("memory", "stats").stderr == ""
    assert "native.damaged" not in checks(home, code=0)


def test_fix_does_not_claim_what_it_did_not_mend(home: Home, store: Path) -> None:
    store.unlink()
    store.mkdir()
    done = home.fails(5, "doctor", "--fix")
    assert "is a folder" in done.stdout
    assert "; mended" not in done.stdout


def test_a_pipe_in_the_place_of_the_store_hangs_nothing(home: Home, store: Path) -> None:
    store.unlink()
    os.mkfifo(store)
    for words in (["memory", "count"], ["memory", "store", "k", "x"], ["doctor"], ["memory", "backup"]):
        assert "is not a regular file" in "".join(home.run(*words, timeout=20).stderr + home.run(*words).stdout)
        assert home.run(*words).code == 5


def test_a_store_that_is_lost_with_its_backups_takes_a_backup_from_elsewhere(
    home: Home, store: Path, tmp_path: Path
) -> None:
    file = tmp_path / "memory.zip"
    home.ok("memory", "backup", "--out", file)
    for copy in (store.parent / "backups").glob("*.db"):
        copy.write_bytes(b"")
    store.unlink()
    home.fails(5, "memory", "count")
    home.ok("memory", "restore", file)
    assert home.ok("memory", "count").stdout == "1\n"


def test_a_newer_backup_of_the_users_and_the_mirror_are_taken(home: Home, store: Path) -> None:
    home.ok("memory", "store", "coffee", "black")
    made = home.ok("memory", "backup", "--json").json()["file"]
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "written after the backup")
    store.write_bytes(os.urandom(50_000))
    done = home.ok("memory", "list", "--json")
    assert done.json()["total"] == 2
    assert done.stderr.startswith("warning: the memory store ")
    assert f"the built-in store of {made}, which holds 2 entries" in done.stderr
    assert "1 document with what was written later came back from the mirror" in done.stderr
    read = home.ok("memory", "doc", "read", "MEMORY.md")
    assert (read.stdout, read.stderr) == ("written after the backup\n", "")
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "more")
    assert home.ok("memory", "doc", "read", "MEMORY.md").stdout == "written after the backup\nmore\n"
    assert [file.name for file in (store.parent / "mirror").rglob("*%~edited*")] == []


def test_without_a_backup_the_documents_of_the_mirror_come_back(home: Home, store: Path) -> None:
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "Ada drinks tea")
    shutil.rmtree(store.parent / "backups")
    store.write_bytes(os.urandom(50_000))
    assert "keeps every entry that can be read" in home.fails(5, "doctor").stdout
    done = home.ok("-q", "memory", "doc", "read", "MEMORY.md", "--json")
    assert done.json()["content"] == "Ada drinks tea\n"
    assert "every entry and recorded turn is lost" in done.stderr
    assert home.ok("memory", "count").stdout == "0\n"


def test_commands_at_once_find_the_same_store_and_one_of_them_tells(home: Home, store: Path) -> None:
    for number in range(20):
        home.ok("memory", "doc", "write", "--target", f"n{number}.md", "--content", "tea")
    store.write_bytes(os.urandom(50_000))
    commands = [("doc", "read", "n7.md"), ("get", "tea"), ("doc", "tree"), ("store", "k", "x"), ("context", "tea")]
    with ThreadPoolExecutor(len(commands)) as pool:
        done = list(pool.map(lambda words: home.ok("memory", *words, "--json"), commands))
    assert sum("warning: the memory store " in one.stderr for one in done) == 1
    assert done[0].json()["content"] == "tea\n"
    assert done[1].json()["content"] == "green"
    assert len(done[2].json()) == 20
    assert done[4].json()["snippets"]
    assert len(list(store.parent.glob("native.db.damaged-*"))) == 1
