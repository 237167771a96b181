"""What the system refuses is told with its cause, the path, and what to do; it is never called damage."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.guests import package
from zeroclaw_cli.os_errors import failure, remedy

# The superuser reads every file, unless it is told not to.
_AS_OTHERS = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


@pytest.fixture
def bound(home: Home) -> Home:
    if _AS_OTHERS and shutil.which("setpriv") is None:
        pytest.skip("no setpriv, and the superuser reads every file")
    home.prefix = _AS_OTHERS
    return home


def forbidden(home: Home, path: Path, *words: str) -> str:
    """The error of a command while nobody may use ``path``, in one line with its hint."""
    mode = path.stat().st_mode & 0o777
    path.chmod(0)
    try:
        error = home.fails(1, *words, "--json").error()
    finally:
        path.chmod(mode)
    assert "damaged" not in f"{error['message']} {error['hint']}"
    assert "Permission denied" in error["message"]
    return str(error["hint"])


def test_a_file_that_may_not_be_read_is_not_called_damaged(bound: Home, tmp_path: Path) -> None:
    bound.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    bound.ok("config", "set", "plugins.enabled", "true")
    bound.ok("memory", "store", "k", "v", "--backend", "plugin.notes")
    data = bound.config_dir / "data" / "plugins"
    for path, *words in (
        (data / "notes" / "owner.toml", "memory", "recall", "v", "--backend", "plugin.notes"),
        (data / "notes", "memory", "recall", "v", "--backend", "plugin.notes"),
        (data / "notes" / "journal.db", "memory", "store", "k", "v", "--backend", "plugin.notes"),
        (bound.config_dir / "plugins.lock", "plugin", "list"),
        (bound.config_file, "config", "get", "memory.backend"),
    ):
        assert str(path) in forbidden(bound, path, *words)


def test_the_built_in_store_says_what_the_system_refused_and_doctor_says_the_same(bound: Home) -> None:
    bound.ok("memory", "store", "k", "v")
    store = bound.config_dir / "data" / "memory" / "native.db"
    for path in (store, store.parent):
        for words in (("memory", "recall", "v"), ("memory", "store", "l", "w")):
            assert forbidden(bound, path, *words) == f"give yourself access to {path}; `ls -ld` shows who has it"
    store.chmod(0)
    checks = {check["id"]: check for check in bound.run("doctor", "--json").json()["checks"]}
    assert checks["native"]["detail"].endswith("Permission denied")
    assert str(store) in checks["native"]["hint"]


def test_a_backup_that_cannot_read_names_what_it_cannot_read(bound: Home, tmp_path: Path) -> None:
    bound.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    bound.ok("config", "set", "plugins.enabled", "true")
    bound.ok("memory", "store", "k", "v", "--backend", "plugin.notes")
    folder = bound.config_dir / "data" / "plugins" / "notes"
    assert str(folder) in forbidden(bound, folder, "memory", "backup", "--out", "all.zip")
    assert not (bound.path / "all.zip").exists()


def test_the_cause_and_the_remedy_fit_what_stands_in_the_way(home: Home, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    (tmp_path / "loop").symlink_to("loop")
    for source, cause, hint in (
        (tmp_path / "file" / "a.jsonl", "Not a directory", f"{tmp_path / 'file'} is not a folder"),
        (tmp_path, "Is a directory", "it is a folder; name a file"),
        (tmp_path / "loop", "Too many levels of symbolic links", "symbolic link"),
        (tmp_path / ("x" * 300), "File name too long", "use a shorter name"),
        (tmp_path / "missing", "No such file or directory", "check that the path exists"),
        (tmp_path / "no" / "file", "No such file or directory", f"there is no folder {tmp_path / 'no'}; make it"),
    ):
        error = home.fails(1, "memory", "import", source, "--json").error()
        assert error["message"] == f"{source}: {cause}"
        assert hint in error["hint"]


def test_a_backup_names_its_own_file_and_what_stands_in_its_way(home: Home, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    (tmp_path / "loop").symlink_to("loop")
    home.ok("memory", "store", "k", "v")
    out = tmp_path / "file" / "all.zip"
    error = home.fails(1, "memory", "backup", "--out", out, "--json").error()
    assert error["message"] == f"the backup {out} was not written: Not a directory"
    assert error["hint"].startswith(f"{tmp_path / 'file'} is not a folder")
    error = home.fails(1, "memory", "backup", "--out", tmp_path / "loop", "--json").error()
    assert error["message"] == f"{tmp_path / 'loop'}: Too many levels of symbolic links"
    assert (tmp_path / "loop").is_symlink()


def test_a_full_disk_is_to_be_emptied_and_no_other_folder_is_offered(tmp_path: Path) -> None:
    import errno
    import sqlite3

    from zeroclaw_cli.os_errors import of_sqlite

    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert remedy(full, tmp_path / "new" / "file").startswith(f"free some space on the disk that holds {tmp_path}")
    assert failure(full, tmp_path).message == f"{tmp_path}: No space left on device"
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    assert of_sqlite(error, tmp_path / "native.db").errno == errno.ENOSPC


@pytest.fixture
def disk(home: Home, tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, on which the config folder is."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], check=False)
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here")
    home.environment["ZEROCLAW_CONFIG_DIR"] = str(disk)
    yield disk
    subprocess.run(["umount", str(disk)], check=False)


def fill(disk: Path) -> None:
    with pytest.raises(OSError, match="No space"), (disk / "filler").open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass


@pytest.mark.slow
def test_on_a_full_disk_everything_is_read_and_nothing_is_half_written(home: Home, disk: Path, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("memory", "store", "k", "a text", "--backend", "plugin.notes")
    before = (disk / "config.toml").read_bytes()
    fill(disk)
    for words in (["plugin", "list"], ["plugin", "info", "notes"], ["config", "list"]):
        home.ok(*words)
    found = home.ok("memory", "recall", "text", "--backend", "plugin.notes", "--json").json()
    assert [row["key"] for row in found["entries"]] == ["k"]
    for words in (
        ["memory", "store", "l", "more", "--backend", "plugin.notes"],
        ["config", "set", "memory.native.project", "p"],
    ):
        error = home.fails(1, *words, "--json").error()
        assert "No space left on device" in error["message"]
        assert error["hint"].startswith(f"free some space on the disk that holds {disk}")
    assert (disk / "config.toml").read_bytes() == before
    (disk / "filler").unlink()
    home.ok("memory", "store", "k", "a text", "--backend", "native")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    error = home.fails(1, "memory", "store", "l", "more", "--backend", "native", "--json").error()
    assert "Read-only file system" in error["message"]
    assert "mounted read-only" in error["hint"]


_IN_THE_LOG = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("UPDATE entries SET importance = 0.5")
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["get", "k"], ["recall", "text"], ["context", "text"], ["export"], ["wake"]], ids=str
)
def test_a_full_disk_is_read_where_a_killed_process_left_the_last_write_in_the_log(
    home: Home, disk: Path, words: list[str]
) -> None:
    home.ok("memory", "store", "k", "a text")
    home.ok("memory", "doc", "write", "--target", "MEMORY.md", "--content", "a text")
    store = disk / "data" / "memory" / "native.db"
    subprocess.run([sys.executable, "-c", _IN_THE_LOG, str(store)], check=True)
    assert store.with_name("native.db-wal").stat().st_size > 0
    store.with_name("native.db-shm").unlink()
    fill(disk)
    assert "text" in home.ok("memory", *words).stdout
    assert home.ok("memory", "get", "k", "--json").json()["importance"] == 0.5


@pytest.mark.parametrize("backend", ["native", "layers"])
def test_a_context_from_a_store_that_cannot_be_read_is_not_an_empty_one(home: Home, backend: str) -> None:
    home.ok("memory", "store", "k", "a text", "--backend", "native")
    with closing(sqlite3.connect(home.config_dir / "data" / "memory" / "native.db")) as connection:
        connection.execute("PRAGMA user_version = 3")
    done = home.fails(1, "memory", "context", "text", "--backend", backend)
    assert "was made by a newer version of this program" in done.stderr
    assert "no relevant memories" not in done.stderr


@pytest.mark.slow
def test_doctor_goes_on_where_it_may_not_look(bound: Home) -> None:
    bound.ok("memory", "store", "tea", "green")
    data = bound.config_dir / "data"
    for folder in (data, data / "memory"):
        folder.chmod(0)
        try:
            findings = bound.fails(1, "doctor", "--json").json()["checks"]
        finally:
            folder.chmod(0o700)
        (native,) = [finding for finding in findings if finding["id"] == "native"]
        assert "Permission denied" in native["detail"], folder
        assert findings[-1]["id"] == "cache", folder


def test_a_store_that_is_gone_is_not_empty_while_its_backups_cannot_be_listed(bound: Home) -> None:
    bound.ok("memory", "store", "tea", "green")
    folder = bound.config_dir / "data" / "memory"
    (folder / "native.db").unlink()
    (folder / "backups").chmod(0)
    try:
        for words in (("list",), ("store", "k", "v")):
            error = bound.fails(1, "memory", *words, "--json").error()
            assert str(folder / "backups") in f"{error['message']} {error['hint']}"
    finally:
        (folder / "backups").chmod(0o700)
    assert bound.ok("memory", "get", "tea", "--json").json()["content"] == "green"
