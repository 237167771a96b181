"""The receipts that a data directory keeps."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from zeroclaw_cli.errors import StoreDamaged
from zeroclaw_cli.kernel import receipt_log
from zeroclaw_cli.kernel.json_safe import freeze
from zeroclaw_cli.kernel.operations import Receipt, ReceiptStep, Request, Scope
from zeroclaw_cli.kernel.receipt_log import ReceiptLog, receipts_path, requests_of

SECRET = "the user's diary"


def receipt(number: int, *, capability: str = "write", output: Any = None, error: str | None = None) -> Receipt:
    status = "succeeded" if error is None else "failed"
    step = ReceiptStep("p:1", "memory-spaces", status, "t", "t", None, freeze(output), error)
    return Receipt(
        f"receipt-{number}", "p", "t", 1, 4, 0, "s", "1", "memory.store", capability, status, "t", "t", (step,)
    )


@pytest.fixture
def log(tmp_path: Path) -> ReceiptLog:
    return ReceiptLog(receipts_path(tmp_path))


def test_the_newest_receipt_comes_first(log: ReceiptLog) -> None:
    for number in range(5):
        log.append(receipt(number))
    assert [item.receipt["id"] for item in log.read(3)] == ["receipt-4", "receipt-3", "receipt-2"]
    assert len(log.read()) == 5


def test_no_content_of_an_output_or_an_input_is_kept(log: ReceiptLog) -> None:
    output = {"entries": [{"content": SECRET}], "total": 1, "stored": True, "text": SECRET, "dropped": ["session"]}
    request = Request("memory.store", "write", "manual", Scope(), input={"call": "store", "content": SECRET})
    log.append(receipt(1, output=output), request)
    text = log.path.read_text("utf-8")
    assert SECRET not in text
    (kept,) = log.read()
    assert kept.receipt["steps"][0]["output"] == {"entries": 1, "total": 1, "stored": True, "dropped": ["session"]}
    assert kept.request is not None and kept.request["input"] == {"call": "store"}
    assert requests_of([kept]) == [kept.request]


def test_a_reading_operation_makes_no_folder(log: ReceiptLog) -> None:
    log.append(receipt(1, capability="recall"))
    assert not log.path.parent.exists()
    log.append(receipt(2))
    log.append(receipt(3, capability="recall"))
    assert [item.receipt["id"] for item in log.read()] == ["receipt-3", "receipt-2"]


def test_the_log_is_private(log: ReceiptLog) -> None:
    log.append(receipt(1))
    assert log.path.stat().st_mode & 0o777 == 0o600


def test_the_log_is_bounded_and_keeps_the_newest(log: ReceiptLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipt_log, "MAX_BYTES", 20_000)
    for number in range(300):
        log.append(receipt(number))
        assert log.path.stat().st_size <= 20_000
    found = [item.receipt["id"] for item in log.read()]
    assert found[0] == "receipt-299"
    assert found == [f"receipt-{number}" for number in range(299, 299 - len(found), -1)]


def test_a_line_that_was_cut_off_is_passed_over(log: ReceiptLog) -> None:
    log.append(receipt(1))
    with log.path.open("ab") as file:
        file.write(b'{"receipt": {"id": "ha\n[1]\n\xff\n')
    log.append(receipt(2))
    assert [item.receipt["id"] for item in log.read()] == ["receipt-2", "receipt-1"]


def test_a_huge_error_makes_no_huge_line(log: ReceiptLog) -> None:
    log.append(receipt(1, error="x" * 100_000))
    assert log.path.stat().st_size < receipt_log.MAX_LINE
    assert log.read()[0].receipt["id"] == "receipt-1"


def test_a_log_that_cannot_be_written_costs_no_operation(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("a file is where the folder should be")
    assert ReceiptLog(receipts_path(tmp_path)).append(receipt(1)) is not None


@pytest.mark.parametrize("most", [receipt_log.MAX_BYTES, 60_000])
def test_writers_at_the_same_time_lose_no_receipt(log: ReceiptLog, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    log.append(receipt(0))
    monkeypatch.setattr(receipt_log, "MAX_BYTES", most)

    def write(first: int) -> None:
        for number in range(first, first + 50):
            ReceiptLog(log.path).append(receipt(number))

    threads = [threading.Thread(target=write, args=(1 + 50 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = log.path.read_bytes().splitlines()
    assert all(json.loads(line) for line in lines)
    kept = [item.receipt["id"] for item in log.read()]
    assert len(set(kept)) == len(kept) == len(lines)
    if most == 60_000:
        assert most // 2 - len(lines[0]) <= log.path.stat().st_size <= most
    else:
        assert set(kept) == {f"receipt-{number}" for number in range(201)}


@pytest.mark.parametrize(
    "line",
    [
        b"garbage",
        b"\xff\xfe",
        b"[]",
        b'{"receipt": {}}',
        b'{"receipt": {"id": 1, "operation": 2, "steps": 5}}',
        b'{"half',
        b"[" * 100_000,
    ],
)
def test_what_is_no_receipt_is_passed_over(log: ReceiptLog, line: bytes) -> None:
    log.append(receipt(1))
    with log.path.open("ab") as file:
        file.write(line)
    # The line of a process that was killed takes no other one with it.
    log.append(receipt(2))
    assert [item.receipt["id"] for item in log.read()] == ["receipt-2", "receipt-1"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("id", 1), ("finishedAt", None), ("steps", [3]), ("steps", {}), ("steps", [{"layerId": "a", "status": 1}])],
)
def test_a_receipt_that_was_edited_by_hand_is_passed_over(log: ReceiptLog, name: str, value: Any) -> None:
    log.append(receipt(1))
    body = json.loads(log.path.read_bytes())
    body["receipt"][name] = value
    log.path.write_text(json.dumps(body) + "\n")
    assert log.read() == []


def test_a_log_that_something_else_filled_is_shortened_to_its_receipts(
    log: ReceiptLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipt_log, "MAX_BYTES", 10_000)
    log.append(receipt(1))
    with log.path.open("ab") as file:
        file.write(b"x" * 100_000)
    log.append(receipt(2))
    assert [item.receipt["id"] for item in log.read()] == ["receipt-2"]
    assert log.path.stat().st_size < 1_000


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_keeps_no_receipt_and_holds_nobody_up(log: ReceiptLog, make: Any) -> None:
    log.path.parent.mkdir(parents=True)
    make(log.path)
    assert str(log.path) in (log.append(receipt(1)) or "")
    with pytest.raises(StoreDamaged, match="not a regular file"):
        log.read()


@pytest.mark.parametrize("target", ["nowhere/receipts.jsonl", "elsewhere.jsonl"])
def test_a_link_is_not_followed_and_what_is_written_says_so(log: ReceiptLog, tmp_path: Path, target: str) -> None:
    log.path.parent.mkdir(parents=True)
    log.path.symlink_to(tmp_path / target)
    for capability in ("write", "recall"):
        assert "symbolic link" in (log.append(receipt(1, capability=capability)) or "")
    assert not (tmp_path / target).exists()
    with pytest.raises(StoreDamaged, match="symbolic link"):
        log.read()


def test_a_log_of_somebody_elses_is_untouched_behind_a_link(log: ReceiptLog, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("mine")
    log.path.parent.mkdir(parents=True)
    log.path.symlink_to(other)
    assert log.append(receipt(1)) is not None
    assert other.read_text() == "mine"


def test_a_written_receipt_that_has_no_place_is_never_passed_over_in_silence(
    log: ReceiptLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipt_log, "make_private_dir", lambda path: None)
    assert "No such file" in (log.append(receipt(1)) or "")
    assert log.append(receipt(1, capability="recall")) is None
