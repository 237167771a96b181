from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from zeroclaw_cli.errors import Busy
from zeroclaw_cli.wasm.write_lock import WriteLock


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "guest" / "journal.db"


@pytest.fixture
def lock(journal: Path) -> Iterator[WriteLock]:
    made = WriteLock(journal)
    yield made
    made.close()


@pytest.fixture
def other(journal: Path) -> Iterator[WriteLock]:
    made = WriteLock(journal)
    yield made
    made.close()


def test_one_has_it_at_a_time_and_a_waiter_is_told_who(lock: WriteLock, other: WriteLock) -> None:
    lock.acquire(1.0)
    with pytest.raises(Busy, match=f"the memory of guest is being written by process {os.getpid()}"):
        other.acquire(0.02)
    lock.release()
    other.acquire(0.02)
    with pytest.raises(Busy):
        lock.acquire(0)


def test_the_file_stays_open_between_the_turns(lock: WriteLock) -> None:
    lock.acquire(1.0)
    first = lock._fd
    lock.release()
    lock.acquire(1.0)
    assert lock._fd == first is not None


def test_a_removed_lock_file_is_made_again(lock: WriteLock, other: WriteLock, journal: Path) -> None:
    lock.acquire(1.0)
    lock.release()
    (journal.parent / "journal.lock").unlink()
    other.acquire(1.0)
    with pytest.raises(Busy):
        lock.acquire(0)
    assert stat.S_IMODE((journal.parent / "journal.lock").stat().st_mode) == 0o600


def test_a_lock_whose_folder_was_moved_away_is_none_of_the_new_folder(
    lock: WriteLock, other: WriteLock, journal: Path
) -> None:
    lock.acquire(1.0)
    lock.release()
    journal.parent.rename(journal.parent.with_name("moved"))
    other.acquire(1.0)
    with pytest.raises(Busy):
        lock.acquire(0)


def test_a_folder_is_made_only_where_it_may_be(lock: WriteLock, journal: Path) -> None:
    with pytest.raises(FileNotFoundError):
        lock.acquire(1.0, make_folder=False)
    assert not journal.parent.exists()
    lock.acquire(1.0)
    assert stat.S_IMODE(journal.parent.stat().st_mode) == 0o700


def test_a_holder_that_left_garbage_is_another_process(lock: WriteLock, other: WriteLock, journal: Path) -> None:
    lock.acquire(1.0)
    (journal.parent / "journal.lock").write_bytes(b"\xff\xfe")
    with pytest.raises(Busy, match="another process"):
        other.acquire(0)


def test_a_forked_child_neither_has_nor_gives_back_its_parents_lock(lock: WriteLock, other: WriteLock) -> None:
    lock.acquire(1.0)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            lock.release()
            try:
                lock.acquire(0.02)
            except Busy:
                status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with pytest.raises(Busy):
        other.acquire(0)


def test_a_child_that_inherited_it_does_not_keep_it_taken(lock: WriteLock, other: WriteLock) -> None:
    read, write = os.pipe()
    lock.acquire(1.0)
    child = os.fork()
    if child == 0:
        os.close(write)
        os.read(read, 1)
        os._exit(0)
    os.close(read)
    lock.release()
    other.acquire(0)
    os.close(write)
    os.waitpid(child, 0)


def test_a_child_does_not_keep_what_its_parent_held_when_it_died(journal: Path, other: WriteLock) -> None:
    read, write = os.pipe()
    held = WriteLock(journal)
    held.acquire(1.0)
    child = os.fork()
    if child == 0:
        os.close(write)
        os.read(read, 1)
        os._exit(0)
    os.close(read)
    # As a kill of the parent does: nobody gives the lock back by name.
    held.close()
    other.acquire(1.0)
    os.close(write)
    os.waitpid(child, 0)
