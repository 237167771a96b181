from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from zeroclaw_cli.errors import Busy, LossWarning, MemoryFailure, StoreDamaged
from zeroclaw_cli.native import copies, db, examination, integrity, new_file, schema
from zeroclaw_cli.native.db import database_path
from zeroclaw_cli.native.memory import open_memory
from zeroclaw_cli.native.new_file import publish
from zeroclaw_cli.native.opening import open_store


def file_of(home: Path) -> Path:
    return database_path(home)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def filled(home: Path, count: int = 3) -> None:
    with open_memory(home) as memory:
        for number in range(count):
            memory.store(f"k{number}", f"green tea {number}", "daily", "s")


def break_pages(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(4096)
        opened.write(b"\xa5" * (file.stat().st_size - 4096))


def test_the_folder_and_the_file_are_private(tmp_path: Path) -> None:
    before = os.umask(0o000)
    try:
        filled(tmp_path / "data")
    finally:
        os.umask(before)
    folder = tmp_path / "data" / "memory"
    assert mode_of(folder) == 0o700
    assert mode_of(folder / "native.db") == 0o600
    assert mode_of(folder / "backups") == 0o700
    for backup in (folder / "backups").glob("*.db"):
        assert mode_of(backup) == 0o600


@pytest.mark.parametrize("link", [False, True])
def test_a_writer_shuts_others_out_of_a_store_that_they_could_read(tmp_path: Path, link: bool) -> None:
    filled(tmp_path)
    file = file_of(tmp_path)
    if link:
        file.rename(tmp_path / "elsewhere.db")
        file.symlink_to(tmp_path / "elsewhere.db")
    file.chmod(0o644)
    file.parent.chmod(0o755)
    with open_memory(tmp_path) as memory:
        assert memory.count() == 3
        assert (mode_of(file.parent), mode_of(file)) == (0o755, 0o644)
        memory.store("k", "x", "daily", None)
        assert mode_of(file.parent) == 0o700
        # What a link leads to is not ours alone.
        assert mode_of(file) == (0o644 if link else 0o600)
        assert link or mode_of(file.with_name("native.db-wal")) == 0o600


def test_the_writer_is_durable_and_bounded_in_waiting(tmp_path: Path) -> None:
    with open_store(tmp_path) as store, store.write() as connection:
        pragmas = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5_000}


def test_a_block_that_raises_leaves_no_trace(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        with pytest.raises(ZeroDivisionError), store.write() as connection:
            connection.execute("INSERT INTO agents VALUES ('a', 'ada')")
            raise ZeroDivisionError
        assert store.query("SELECT * FROM agents") == []


def test_a_block_inside_a_block_joins_it(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        with pytest.raises(ZeroDivisionError), store.write():
            with store.write() as inner:
                inner.execute("INSERT INTO agents VALUES ('a', 'ada')")
            raise ZeroDivisionError
        assert store.query("SELECT * FROM agents") == []


def test_a_reading_transaction_sees_one_state(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        with store.write() as connection:
            connection.execute("INSERT INTO agents VALUES ('a', 'ada')")
        with store.read() as reading:
            assert reading.execute("SELECT count(*) FROM agents").fetchone() == (1,)
            with store.write() as connection:
                connection.execute("INSERT INTO agents VALUES ('b', 'bob')")
            assert reading.execute("SELECT count(*) FROM agents").fetchone() == (1,)
        assert store.query("SELECT count(*) FROM agents") == [(2,)]


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    filled(tmp_path)
    with open_store(tmp_path) as store, pytest.raises(MemoryFailure), store.read() as connection:
        connection.execute("DELETE FROM entries")


def test_generations_tell_commits_apart(tmp_path: Path) -> None:
    with open_store(tmp_path) as store, open_store(tmp_path) as other:
        with other.write() as connection:
            connection.execute("INSERT INTO agents VALUES ('a', 'ada')")
        first = store.generation()
        assert store.generation() == first
        with other.write() as connection:
            connection.execute("INSERT INTO agents VALUES ('b', 'bob')")
        assert store.generation() != first


def test_a_writer_that_waits_too_long_says_busy_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    monkeypatch.setattr(db, "WRITE_WAIT_S", 0.0)
    monkeypatch.setattr(db, "BUSY_TIMEOUT_MS", 10)
    with open_store(tmp_path) as holder, open_memory(tmp_path) as memory:
        with holder.write(), pytest.raises(Busy, match="another process") as refused:
            memory.store("late", "x", "daily", None)
        assert refused.value.hint
        assert memory.get("late") is None
        memory.store("late", "x", "daily", None)


def test_threads_read_and_write_one_store(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:

        def work(name: str) -> None:
            for number in range(20):
                memory.store(f"{name}{number}", "tea", "daily", None)
                assert memory.get(f"{name}{number}") is not None

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert memory.count() == 80


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    filled(tmp_path)
    connection = sqlite3.connect(file_of(tmp_path))
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    with open_memory(tmp_path) as memory, pytest.raises(MemoryFailure, match="newer version") as refused:
        memory.count()
    assert refused.value.hint
    with open_memory(tmp_path) as memory, pytest.raises(MemoryFailure, match="newer version"):
        memory.store("k", "x", "daily", None)


def test_a_store_is_published_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    migrate = schema.migrate

    def watched(connection: sqlite3.Connection, found: int) -> None:
        seen.append(file_of(tmp_path).exists())
        migrate(connection, found)

    monkeypatch.setattr(schema, "migrate", watched)
    filled(tmp_path)
    assert seen == [False]
    assert not list(file_of(tmp_path).parent.glob(".native.db.*"))


def test_a_store_is_made_where_a_file_can_have_one_name_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    filled(tmp_path)
    assert not list(file_of(tmp_path).parent.glob(".native.db.*"))
    held = file_of(tmp_path).read_bytes()
    publish(file_of(tmp_path))
    assert file_of(tmp_path).read_bytes() == held
    assert not list(file_of(tmp_path).parent.glob(".native.db.*"))


def test_what_a_kill_left_of_a_store_in_the_making_is_swept_by_the_next_writer(tmp_path: Path) -> None:
    filled(tmp_path)
    folder = file_of(tmp_path).parent
    with subprocess.Popen(["/bin/true"]) as ended:
        pass
    stale = [folder / f".native.db.{ended.pid}-0123abcd.tmp{end}" for end in ("", "-journal")]
    kept = [
        folder / f".native.db.{ended.pid}-0123abce.tmp",
        folder / f".native.db.{ended.pid}-xyz.tmp",
        folder / ".other.db.1-0123abcd.tmp",
    ]
    for file in (*stale, *kept):
        file.write_bytes(b"x")
    for file in (*stale, *kept[1:]):
        os.utime(file, (1, 1))
    with open_memory(tmp_path) as memory:
        memory.count()
        assert all(file.exists() for file in stale)
        memory.store("k", "x", "daily", None)
        assert not any(file.exists() for file in stale)
        assert all(file.exists() for file in kept)


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("gone", [False, True])
def test_an_empty_or_missing_store_is_restored_from_its_backup(tmp_path: Path, gone: bool, writes: bool) -> None:
    filled(tmp_path)
    file = file_of(tmp_path)
    file.with_name("native.lock").unlink()
    file.unlink() if gone else file.write_bytes(b"")
    with open_memory(tmp_path) as memory:
        if writes:
            memory.store("new", "black tea", "daily", None)
        assert memory.count() == 3 + writes
        (warning,) = memory.take_warnings()
    assert isinstance(warning, LossWarning)
    assert ("was gone" if gone else "was empty") in warning
    assert "which holds 3 entries and 0 documents, the newest of 20" in warning
    kept = integrity.set_aside(file)
    assert [str(path) in warning for path in kept] == ([] if gone else [True])


def test_an_empty_store_without_a_backup_is_damage_and_stays(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    file.parent.mkdir(parents=True)
    file.touch()
    with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged, match="is empty and has no backup") as refused:
        memory.count()
    assert refused.value.hint
    with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged):
        memory.store("k", "x", "daily", None)
    assert file.stat().st_size == 0


def test_backups_that_are_empty_are_none(tmp_path: Path) -> None:
    filled(tmp_path)
    for copy in copies.daily(file_of(tmp_path)):
        copy.write_bytes(b"")
    file_of(tmp_path).unlink()
    with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged, match="is gone and has no backup that is sound"):
        memory.count()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_what_is_no_file_in_the_place_of_the_store_is_one_error(tmp_path: Path, kind: str) -> None:
    filled(tmp_path)
    file = file_of(tmp_path)
    file.unlink()
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(tmp_path / "elsewhere.db")
    for _ in range(2):
        with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged, match=r"is (not )?a ") as refused:
            memory.count()
        assert refused.value.hint
        with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged):
            memory.store("k", "x", "daily", None)
    assert not (tmp_path / "elsewhere.db").exists()


# Nothing is read-only for root, so root becomes nobody once everything is imported.
READ_ONLY = """
import os, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.native import examination, integrity
from zeroclaw_cli.native.memory import open_memory
home, folder_mode, unclean = Path(sys.argv[1]), int(sys.argv[2], 8), sys.argv[3] == "unclean"
writer = open_memory(home)
writer.store("k", "green tea", "daily", "s")
if not unclean:
    writer.close()
for path in home.rglob("*"):
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    if path.is_file():
        path.chmod(0o400)
(home / "memory").chmod(folder_mode)
if os.geteuid() == 0:
    os.seteuid(65534)
assert examination.is_sound(home / "memory" / "native.db")
assert not integrity.set_aside(home / "memory" / "native.db")
with open_memory(home) as memory:
    assert memory.count() == 1
    assert [entry.key for entry in memory.recall("tea", 5, None, None, None)] == ["k"]
    try:
        memory.store("k", "x", "daily", None)
    except MemoryFailure as error:
        assert "Permission denied" in error.message and error.hint
    else:
        raise AssertionError("it was written")
if os.getuid() == 0:
    os.seteuid(0)
(home / "memory").chmod(0o700)
"""


@pytest.mark.parametrize("stop", ["clean", "unclean"])
@pytest.mark.parametrize("folder_mode", ["500", "700"])
def test_a_read_only_home_can_be_read_and_refuses_writing(folder_mode: str, stop: str) -> None:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, folder, folder_mode, stop], check=False, capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr


def test_a_store_that_cannot_be_put_back_is_damage_and_not_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    file_of(tmp_path).write_bytes(b"")

    def refuse(file: Path) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(new_file, "make_empty", refuse)
    with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged, match="Read-only file system") as refused:
        memory.count()
    assert "can be written" in (refused.value.hint or "")


def test_a_link_to_an_empty_file_is_a_lost_store(tmp_path: Path) -> None:
    filled(tmp_path)
    file_of(tmp_path).unlink()
    (tmp_path / "elsewhere.db").touch()
    file_of(tmp_path).symlink_to(tmp_path / "elsewhere.db")
    with open_memory(tmp_path) as memory:
        assert memory.count() == 3


def test_a_file_in_place_of_the_folder_says_so(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("x")
    with open_memory(tmp_path) as memory, pytest.raises(MemoryFailure) as refused:
        memory.store("k", "x", "daily", None)
    assert str(tmp_path) in refused.value.message


KILLED = """
import os, signal, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zeroclaw_cli.native.memory import open_memory
memory = open_memory(Path(sys.argv[1]))
memory.store("kept", "green tea", "daily", "s")
with memory.store_file.write() as connection:
    connection.execute("INSERT INTO agents VALUES ('half', 'done')")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_loses_nothing_that_was_kept_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    with open_memory(tmp_path) as memory:
        assert memory.get("kept") is not None
        assert memory.store_file.query("SELECT * FROM agents") == []
        assert memory.take_warnings() == []


def test_a_damaged_file_is_replaced_by_the_last_good_backup_and_kept_aside(tmp_path: Path) -> None:
    filled(tmp_path)
    break_pages(file_of(tmp_path))
    integrity.suspect(file_of(tmp_path))
    with open_memory(tmp_path) as memory:
        assert memory.count() == 3
        (warning,) = memory.take_warnings()
        memory.store("k", "works again", "daily", None)
    assert "was damaged" in warning
    assert "which holds 3 entries" in warning
    (kept,) = integrity.set_aside(file_of(tmp_path))
    assert str(kept) in warning


def test_damage_that_opening_meets_is_healed_at_once(tmp_path: Path) -> None:
    filled(tmp_path)
    break_pages(file_of(tmp_path))
    with open_memory(tmp_path) as memory:
        assert len(memory.list_entries(None, None)) == 3


def test_damage_that_a_reader_meets_later_is_healed_by_the_next_opening(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(file_of(tmp_path))) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_entries_1'"
        ).fetchone()
    with file_of(tmp_path).open("r+b") as opened:
        opened.seek((root - 1) * 4096)
        opened.write(b"\xa5" * 4096)
    with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged) as refused:
        memory.get("k0")
    assert refused.value.exit_code == 5
    assert refused.value.hint
    with open_memory(tmp_path) as memory:
        assert len(memory.list_entries(None, None)) == 3


def test_what_is_no_database_is_damage(tmp_path: Path) -> None:
    filled(tmp_path)
    file_of(tmp_path).write_bytes(b"something else entirely, and long enough to be looked at")
    with open_memory(tmp_path) as memory:
        assert memory.count() == 3


def test_damage_without_a_backup_is_an_error_that_leaves_the_file(tmp_path: Path) -> None:
    filled(tmp_path)
    shutil.rmtree(file_of(tmp_path).parent / "backups")
    break_pages(file_of(tmp_path))
    integrity.suspect(file_of(tmp_path))
    data = file_of(tmp_path).read_bytes()
    for _ in range(2):
        with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged, match="no backup"):
            memory.count()
    assert file_of(tmp_path).read_bytes() == data


def test_a_damaged_backup_is_passed_over(tmp_path: Path) -> None:
    filled(tmp_path)
    folder = file_of(tmp_path).parent / "backups"
    (folder / "native-99991231T000000Z.db").write_bytes(b"no database")
    break_pages(file_of(tmp_path))
    integrity.suspect(file_of(tmp_path))
    with open_memory(tmp_path) as memory:
        assert memory.count() == 3


def test_a_damaged_index_is_built_anew(tmp_path: Path) -> None:
    filled(tmp_path)
    connection = sqlite3.connect(file_of(tmp_path))
    connection.execute("UPDATE chunks_fts_data SET block = x'00' WHERE id > 10")
    connection.commit()
    connection.close()
    with open_memory(tmp_path) as memory, pytest.raises(StoreDamaged):
        memory.recall("green", 5, None, None, None)
    with open_memory(tmp_path) as memory:
        assert len(memory.recall("green", 5, None, None, None)) == 3
        assert any("search index" in line for line in memory.take_warnings())


def test_a_store_in_use_is_not_moved_away(tmp_path: Path) -> None:
    filled(tmp_path)
    integrity.suspect(file_of(tmp_path))
    with open_memory(tmp_path) as first:
        first.count()
        break_pages(file_of(tmp_path))
        integrity.suspect(file_of(tmp_path))
        with open_memory(tmp_path) as second, pytest.raises(StoreDamaged):
            second.list_entries(None, None)
    assert list(file_of(tmp_path).parent.glob("native.db.damaged-*")) == []


def test_a_writer_takes_its_share_even_where_a_reader_found_no_lock(tmp_path: Path) -> None:
    filled(tmp_path)
    lock = file_of(tmp_path).with_name("native.lock")
    lock.unlink()
    with open_memory(tmp_path) as memory:
        assert memory.count() == 3
        assert not lock.exists()
        memory.store("k", "x", "daily", None)
        with lock.open() as opened, pytest.raises(BlockingIOError):
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_taking_a_share_late_gives_up_no_lock_of_the_reader_that_came_first(tmp_path: Path) -> None:
    filled(tmp_path)
    file = file_of(tmp_path)
    file.with_name("native.lock").unlink()
    look = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM entries').fetchone())"
    with open_memory(tmp_path) as memory:
        assert memory.count() == 3
        memory.store("k", "x", "daily", None)
        # A process that takes itself for the last one would take the log away.
        for number in range(4, 6):
            done = subprocess.run([sys.executable, "-c", look, str(file)], capture_output=True, text=True, check=True)
            assert done.stdout == f"({number},)\n"
            memory.store(f"k{number}", "x", "daily", None)


def test_a_backup_is_made_once_a_day_and_three_are_kept(tmp_path: Path) -> None:
    folder = file_of(tmp_path).parent / "backups"
    for day in range(5):
        filled(tmp_path)
        filled(tmp_path)
        backups = copies.daily(file_of(tmp_path))
        assert len(backups) == min(day + 1, 3)
        for backup in backups:
            moved = backup.with_name(f"native-2023010{day}T000000Z.db") if "2023" not in backup.name else backup
            backup.rename(moved)
            os.utime(moved, (0, 0))
    assert [file.name for file in folder.iterdir() if file.suffix == ".tmp"] == []
    assert examination.is_sound(copies.daily(file_of(tmp_path))[0])


def test_a_reading_command_makes_no_backup(tmp_path: Path) -> None:
    filled(tmp_path)
    shutil.rmtree(file_of(tmp_path).parent / "backups")
    with open_memory(tmp_path) as memory:
        memory.recall("tea", 5, None, None, None)
    assert not (file_of(tmp_path).parent / "backups").exists()


def test_a_backup_that_fails_is_a_warning(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.store("k", "x", "daily", None)
        (file_of(tmp_path).parent / "backups").write_text("in the way")
        memory.close()
        assert any("backup" in line for line in memory.take_warnings())


@pytest.mark.parametrize(("kind", "network"), [("ext4", False), ("nfs4", True), ("fuse.sshfs", True), ("cifs", True)])
def test_network_file_systems_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, network: bool
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(integrity, "_mounted_as", lambda directory: kind)
    assert (integrity.network_filesystem(tmp_path / "native.db") is not None) == network


def test_a_network_file_system_gets_no_write_ahead_log_and_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "network_filesystem", lambda path: "nfs4")
    with open_memory(tmp_path) as memory:
        memory.store("k", "green tea", "daily", None)
        with memory.store_file.write() as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert any("network" in line for line in memory.take_warnings())
        assert len(memory.recall("tea", 5, None, None, None)) == 1


def test_the_mount_of_a_directory_is_the_innermost(tmp_path: Path) -> None:
    assert integrity._mounted_as(Path("/proc")) in ("proc", None)


def test_a_store_without_full_text_search_still_keeps_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("schema", "index", "ranking"):
        monkeypatch.setattr(f"zeroclaw_cli.native.{module}.has_full_text", lambda connection: False)
    with open_memory(tmp_path) as memory:
        memory.store("k", "green tea", "daily", "s")
        assert memory.recall("tea", 5, None, None, None) == []
        assert len(memory.recall("", 5, None, None, None)) == 1
        assert memory.forget("k")
