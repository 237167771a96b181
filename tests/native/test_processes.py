"""Several processes on one store, and processes that are killed: nothing lost, no lock error, nothing half done."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from zeroclaw_cli.errors import MemoryFailure
from zeroclaw_cli.native import examination
from zeroclaw_cli.native.db import database_path
from zeroclaw_cli.native.memory import open_memory

WRITER = """
import sys
from pathlib import Path
from zeroclaw_cli.native.memory import open_memory
home, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with open_memory(home) as memory:
    for number in range(count):
        memory.store(f"{name}-{number}", f"Ada: green tea {number} of {name}", "daily", f"s{number % 5}")
    assert not memory.take_warnings()
"""

READER = """
import sys, time
from pathlib import Path
from zeroclaw_cli.native.memory import open_memory
home, seconds = Path(sys.argv[1]), float(sys.argv[2])
end, before = time.monotonic() + seconds, 0
with open_memory(home) as memory:
    while time.monotonic() < end:
        found = memory.recall("green tea", 20, None, None, None)
        assert all("green tea" in entry.content for entry in found)
        now = memory.count()
        assert now >= before, (now, before)
        before = now
"""

# Prints each key once it is kept, until it is killed.
ENDLESS = """
import sys
from pathlib import Path
from zeroclaw_cli.native.memory import open_memory
home, name = Path(sys.argv[1]), sys.argv[2]
with open_memory(home) as memory:
    for number in range(100_000):
        memory.store(f"{name}-{number}", f"green tea {number}", "daily", "s")
        if number % 3 == 0 and number:
            memory.forget(f"{name}-{number - 1}")
            print(f"-{name}-{number - 1}", flush=True)
        print(f"+{name}-{number}", flush=True)
"""


def start(script: str, *words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *(str(word) for word in words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=900)
    assert process.returncode == 0, errors
    return output


def forked(action: Callable[[], object]) -> int:
    """Start ``action`` in a forked child, whose exit code says whether it succeeded; gives its process id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        finally:
            os._exit(status)
    return child


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_parent_and_children_of_a_fork_each_open_the_store_for_themselves(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.store("before", "x", "daily", None)
        assert memory.count() == 1
        parents = list(memory.store_file._connections)

        def in_child(name: str) -> None:
            for number in range(50):
                memory.store(f"{name}-{number}", "x", "daily", None)
                assert memory.get(f"{name}-{number}") is not None
            assert not set(map(id, parents)) & set(map(id, memory.store_file._connections))
            memory.close()

        children = [forked(partial(in_child, name)) for name in ("a", "b")]
        for number in range(50):
            memory.store(f"p-{number}", "x", "daily", None)
        assert [ended(child) for child in children] == [0, 0]
        assert memory.count() == 1 + 3 * 50


def test_a_transaction_at_the_moment_of_a_fork_is_the_parents_alone(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.store("before", "x", "daily", None)
        block = memory.store_file.write()

        def in_child() -> None:
            with pytest.raises(MemoryFailure, match="is closed"):
                block.__exit__(None, None, None)
            with pytest.raises(MemoryFailure, match="is closed"):
                memory.count()

        block.__enter__().execute("UPDATE entries SET content = 'new'")
        assert ended(forked(in_child)) == 0
        with open_memory(tmp_path) as other:
            assert [row.content for row in other.list_entries(None, None)] == ["x"]
        block.__exit__(None, None, None)
        assert [row.content for row in memory.list_entries(None, None)] == ["new"]


def beside_each_other(home: Path, writers: int, count: int, readers: int, seconds: float) -> None:
    running = [start(WRITER, home, f"w{number}", count) for number in range(writers)]
    running += [start(READER, home, seconds) for _ in range(readers)]
    for process in running:
        finish(process)
    with open_memory(home) as memory:
        assert memory.count() == writers * count
        assert {entry.key for entry in memory.list_entries(None, None)} == {
            f"w{number}-{row}" for number in range(writers) for row in range(count)
        }
        with memory.store_file.write() as transaction:
            transaction.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')")
            indexed = transaction.execute("SELECT sum(chunks) FROM index_totals").fetchone()[0]
        assert indexed == writers * count
    assert examination.is_sound(database_path(home))


def test_writers_and_readers_lose_nothing_and_meet_no_lock(tmp_path: Path) -> None:
    beside_each_other(tmp_path, writers=3, count=25, readers=1, seconds=1.0)


@pytest.mark.reliability
def test_eight_writers_of_500_beside_four_readers(tmp_path: Path) -> None:
    beside_each_other(tmp_path, writers=8, count=500, readers=4, seconds=20.0)


def kill_at_any_time(home: Path, name: str, wait: float) -> None:
    """Start an endless writer, kill it, and compare what it said with what is there."""
    process = start(ENDLESS, home, name)
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline()
    time.sleep(wait)
    os.kill(process.pid, signal.SIGKILL)
    # Not `communicate`, which would pass over what the first line's reading has buffered.
    rest = process.stdout.read()
    process.wait()
    process.stdout.close()
    process.stderr.close()
    said = [first.strip(), *rest.split("\n")[:-1]]
    kept: set[str] = set()
    gone: set[str] = set()
    for line in said:
        (kept if line[0] == "+" else gone).add(line[1:])
    with open_memory(home) as memory:
        present = {entry.key for entry in memory.list_entries(None, None) if entry.key.startswith(name)}
        assert kept - gone <= present | {f"{name}-{len(kept) - 1}"}
        assert gone.isdisjoint(present)
        # One more store and one more forget may have been kept without being said.
        assert len(present - kept) <= 1
        found = {entry.key for entry in memory.recall("green tea", 100_000, None, None, None)}
        assert present <= found
        assert memory.take_warnings() == []


def test_a_writer_killed_at_any_time_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    kill_at_any_time(tmp_path, "w", 0.15)


@pytest.mark.reliability
def test_many_killed_writers_one_after_the_other(tmp_path: Path) -> None:
    waits = random.Random(7)
    for turn in range(40):
        kill_at_any_time(tmp_path, f"w{turn}", waits.uniform(0.0, 0.4))
    assert examination.is_sound(database_path(tmp_path))


def test_processes_that_create_the_store_together_make_one(tmp_path: Path) -> None:
    for process in [start(WRITER, tmp_path, f"w{number}", 1) for number in range(4)]:
        finish(process)
    with open_memory(tmp_path) as memory:
        assert memory.count() == 4
