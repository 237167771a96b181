from __future__ import annotations

from zeroclaw_cli.wasm.host import LogRecord
from zeroclaw_cli.wasm.logs import CALLS_PER_FRAME, MAX_RECORD_BYTES, LogQueue

RECORD = LogRecord("info", "f", "note", None, None, None, "hello")


def offer(queue: LogQueue, size: int) -> bool:
    if not queue.admits(size):
        return False
    queue.put(RECORD, size)
    return True


def test_a_call_may_log_a_thousand_times() -> None:
    queue = LogQueue()
    queue.begin()
    assert sum(offer(queue, 10) for _ in range(CALLS_PER_FRAME + 50)) == CALLS_PER_FRAME
    records, dropped = queue.drain()
    assert (len(records), dropped) == (CALLS_PER_FRAME, 50)
    queue.begin()
    assert offer(queue, 10)


def test_records_over_64_kib_are_dropped() -> None:
    queue = LogQueue()
    assert offer(queue, MAX_RECORD_BYTES)
    assert not offer(queue, MAX_RECORD_BYTES + 1)
    assert queue.drain() == ([RECORD], 1)


def test_the_queue_is_bounded_in_records_and_bytes() -> None:
    queue = LogQueue()
    taken = 0
    for _ in range(3):
        queue.begin()
        taken += sum(offer(queue, 10) for _ in range(900))
    assert taken == 1_024
    queue.drain()
    queue.begin()
    assert sum(offer(queue, 65_536) for _ in range(200)) == 128


def test_a_muted_queue_takes_and_counts_nothing() -> None:
    queue = LogQueue()
    queue.muted = True
    assert not offer(queue, 1)
    assert queue.drain() == ([], 0)


def test_draining_empties_the_queue() -> None:
    queue = LogQueue()
    offer(queue, 1)
    queue.drain()
    assert queue.drain() == ([], 0)
