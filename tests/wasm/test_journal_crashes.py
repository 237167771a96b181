"""Processes that die or write at the same time: no acknowledged record is lost, no half record is kept."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.wasm.helpers import config, keys, opened, rows
from zeroclaw_cli.wasm.inventory import journal_stats

ROOT = Path(__file__).parents[2]


def start(home: Path, prefix: str, count: int, death: str = "never", guest: str = "notes") -> subprocess.Popen[str]:
    # A folder of components for all tests of a run, see the conftest; the child finds it in the environment.
    return subprocess.Popen(
        [sys.executable, "-m", "tests.wasm.crashing", str(home), guest, prefix, str(count), death],
        cwd=ROOT,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        stdout=subprocess.PIPE,
        text=True,
    )


def acknowledged(process: subprocess.Popen[str]) -> list[str]:
    """What the process said that was not read before, once it has ended."""
    assert process.stdout is not None
    with process.stdout:
        said = process.stdout.read().split()
    process.wait(timeout=60)
    return said


@pytest.mark.parametrize(
    ("death", "kept"), [("before-call", 2), ("after-call", 2), ("after-append", 2), ("after-commit", 3)]
)
def test_a_killed_process_leaves_the_state_before_or_after_its_call(death: str, kept: int, tmp_path: Path) -> None:
    process = start(tmp_path, "k", 3, death)
    told = acknowledged(process)
    assert process.returncode == -signal.SIGKILL
    with opened("notes", tmp_path) as memory:
        assert keys(rows(memory)) == [f"k{number}" for number in range(kept)]
        assert set(told) <= set(keys(rows(memory)))
        assert memory.take_warnings() == []
        # The lock went with the process.
        memory.store("next", "v", "core", None)
        assert memory.count() == kept + 1


def test_a_process_killed_in_its_very_first_call_leaves_no_memory(tmp_path: Path) -> None:
    acknowledged(start(tmp_path, "k", 1, "after-append"))
    assert journal_stats(config(tmp_path), "guest") == {}
    with opened("notes", tmp_path) as memory:
        assert memory.count() == 0
        memory.store("k", "v", "core", None)
    with opened("notes", tmp_path) as memory:
        assert memory.count() == 1


def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    each = 15
    writers = [start(tmp_path, prefix, each, guest="random") for prefix in ("a", "b", "c")]
    with opened("random", tmp_path) as reader:
        seen = 0
        while any(writer.poll() is None for writer in writers):
            count = reader.count()
            assert count >= seen, "a reader never goes back in time"
            seen = count
            time.sleep(0.01)
        told = [key for writer in writers for key in acknowledged(writer)]
        assert len(told) == 3 * each
        assert keys(rows(reader)) == sorted(told)
        live = rows(reader)
    with opened("random", tmp_path) as memory:
        assert rows(memory) == live
        assert memory.take_warnings() == []


@pytest.mark.reliability
@pytest.mark.parametrize("round_number", range(20))
def test_a_process_killed_at_any_time_loses_nothing_that_it_acknowledged(round_number: int, tmp_path: Path) -> None:
    chance = random.Random(round_number)
    told: list[str] = []
    for life in range(4):
        process = start(tmp_path, f"{life}-", 10_000)
        assert process.stdout is not None
        process.stdout.readline()
        told.append(f"{life}-0")
        time.sleep(chance.uniform(0, 0.15))
        process.kill()
        told += acknowledged(process)
    with opened("notes", tmp_path) as memory:
        found = set(keys(rows(memory)))
        assert set(told) <= found
        assert len(found) <= len(told) + 4, "at most the call that was under way each time"
        assert memory.take_warnings() == []


STEPS = ("before-rewriting", "after-deleting", "after-adding", "before-commit", "before-shrinking", "after-shrinking")


@pytest.mark.parametrize("death", STEPS)
def test_a_process_killed_while_it_compacts_leaves_the_old_journal_or_the_new(death: str, tmp_path: Path) -> None:
    with opened("notes", tmp_path) as memory:
        for number in range(30):
            memory.store(f"k{number % 3}", f"text {number}", "core", None)
        kept = rows(memory)
        process = start(tmp_path, "compact", 0, death)
        assert acknowledged(process) == []
        assert process.returncode == -signal.SIGKILL
        assert rows(memory) == kept, "who has it open sees the same"
    expected = 3 if death.endswith("shrinking") else 30
    assert journal_stats(config(tmp_path), "guest")["records"] == expected
    with opened("notes", tmp_path) as memory:
        assert rows(memory) == kept
        assert memory.take_warnings() == []
        assert memory.compact() == (expected, 3)
        assert rows(memory) == kept


@pytest.mark.reliability
@pytest.mark.parametrize("round_number", range(10))
def test_a_process_killed_at_any_time_of_a_compaction_loses_nothing(round_number: int, tmp_path: Path) -> None:
    chance = random.Random(round_number)
    with opened("notes", tmp_path) as memory:
        for number in range(400):
            memory.store(f"k{number % 100}", f"text {number}", "core", None)
        kept = {(entry.key, entry.content, entry.timestamp) for entry in rows(memory)}
    for _ in range(4):
        process = start(tmp_path, "compact", 0)
        time.sleep(chance.uniform(0.1, 0.5))
        process.kill()
        acknowledged(process)
        with opened("notes", tmp_path) as memory:
            assert {(entry.key, entry.content, entry.timestamp) for entry in rows(memory)} == kept
            assert memory.take_warnings() == []
    assert journal_stats(config(tmp_path), "guest")["records"] in {400, 100}


@pytest.mark.reliability
def test_writers_readers_and_compactions_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    with opened("random", tmp_path) as memory:
        memory.store("first", "v", "core", None)
    writers = [start(tmp_path, prefix, 150, guest="random") for prefix in ("a", "b")]
    with opened("random", tmp_path) as memory:
        seen = 0
        while any(writer.poll() is None for writer in writers):
            memory.compact()
            count = memory.count()
            assert count >= seen, "a reader never goes back in time"
            seen = count
            time.sleep(0.05)
        told = [key for writer in writers for key in acknowledged(writer)]
        assert len(told) == 300
        assert keys(rows(memory)) == sorted([*told, "first"])
        live = rows(memory)
    with opened("random", tmp_path) as memory:
        assert rows(memory) == live
