from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.wasm.helpers import opened
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.wasm.host import LogRecord
from zeroclaw_cli.wasm.logfile import LogFile, log_path, read_log

RECORD = LogRecord("warn", "f\x1b[2J", "note", "failure", 7, '{"a": 1}', "two\nlines \u202e é")


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_a_record_is_one_line_of_ascii_json(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log.jsonl")
    log.append([RECORD, RECORD])
    log.append([])
    log.close()
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600
    assert b"\x1b" not in log.path.read_bytes()
    first, second = lines(log.path)
    assert first == second
    instant(str(first.pop("at")))
    assert first == {
        "level": "warn",
        "function": "f\x1b[2J",
        "action": "note",
        "outcome": "failure",
        "duration_ms": 7,
        "attrs": '{"a": 1}',
        "message": "two\nlines \u202e é",
    }


def test_a_full_log_is_rotated_and_one_old_file_is_kept(tmp_path: Path) -> None:
    log, other = (LogFile(tmp_path / "log.jsonl", max_bytes=600) for _ in range(2))
    for _ in range(20):
        log.append([RECORD])
        other.append([RECORD])
    log.close()
    other.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.jsonl", "log.jsonl.1"]
    assert all(path.stat().st_size < 1_500 for path in tmp_path.iterdir())
    assert all(len(lines(path)) > 0 for path in tmp_path.iterdir())


def test_of_more_than_fills_a_file_the_newest_records_are_kept(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log.jsonl", max_bytes=4_000)
    log.append([replace(RECORD, message=f"{number} " + "\0" * 100) for number in range(100)])
    assert log.path.stat().st_size <= 4_000
    kept = [int(str(line["message"]).split()[0]) for line in lines(log.path)]
    assert kept == list(range(100 - len(kept), 100))
    assert len(kept) > 3
    log.append([replace(RECORD, message="x" * 9_000)])
    log.close()
    assert lines(log.path)[-1]["message"] == "x" * 9_000, "a record that is larger than a file is kept all the same"


def test_without_a_folder_of_the_plugin_nothing_is_written(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "no" / "log.jsonl")
    log.append([RECORD])
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_written_fails_nothing(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").mkdir()
    LogFile(tmp_path / "log.jsonl").append([RECORD])
    (tmp_path / "target").write_text("")
    (tmp_path / "linked.jsonl").symlink_to(tmp_path / "target")
    LogFile(tmp_path / "linked.jsonl").append([RECORD])
    assert (tmp_path / "target").read_text() == ""


@pytest.mark.parametrize("guest", ["notes", "log_escapes"])
def test_what_a_guest_logs_is_kept_beside_its_journal(guest: str, tmp_path: Path) -> None:
    path = log_path(tmp_path / "config" / "data", "guest")
    with opened(guest, tmp_path) as memory:
        memory.count()
        assert not path.exists()
        memory.store("k", "v", "core", None)
        memory.store("k", "v", "core", None)
    assert len(lines(path)) >= 2


def test_a_line_that_is_no_record_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    bad = [b"[" * 100_000, b"nonsense", b"[]", b"\xff", b'"text"']
    path.write_bytes(b"\n".join([*bad, b'{"level": "info"}', b'{"cut sho']))
    assert list(read_log(path)) == [{"level": "info"}]
