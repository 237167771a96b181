from __future__ import annotations

import contextvars
import logging
import subprocess
import sys
import threading
import time
from functools import partial

import pytest

from zeroclaw_cli.providers.background import Background, Drain, Kind

profile: contextvars.ContextVar[str] = contextvars.ContextVar("profile", default="none")


def running() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def test_no_thread_runs_before_there_is_something_to_do() -> None:
    worker = Background("lazy-worker")
    assert worker.flush(0)
    assert worker.close(1) == Drain("drained")
    assert "lazy-worker" not in running()


def test_tasks_run_one_at_a_time_in_their_order() -> None:
    worker, done = Background("ordered"), []
    at_once, most = threading.Semaphore(1), []

    def task(number: int) -> None:
        most.append(at_once.acquire(blocking=False))
        time.sleep(0.0005)
        done.append(number)
        at_once.release()

    for number in range(100):
        assert worker.submit(partial(task, number), "write")
    assert worker.flush(10)
    assert done == list(range(100))
    assert all(most)
    worker.close(1)


def test_a_task_sees_the_context_that_it_was_submitted_in() -> None:
    worker, seen = Background(), []
    for name in ("a", "b"):
        profile.set(name)
        worker.submit(lambda: seen.append(profile.get()), "write")
    profile.set("later")
    assert worker.flush(5)
    assert seen == ["a", "b"]
    worker.close(1)


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), KeyboardInterrupt()])
def test_a_task_that_raises_does_not_end_the_worker(error: BaseException) -> None:
    def fail() -> None:
        raise error

    worker, seen = Background(), []
    worker.submit(fail, "write")
    worker.submit(lambda: seen.append(1), "write")
    assert worker.flush(5)
    assert seen == [1]
    worker.close(1)


def test_a_flush_waits_for_what_was_queued_before_it_and_no_longer() -> None:
    worker, gate, seen = Background(), threading.Event(), []
    worker.submit(lambda: seen.append(1), "write")
    assert worker.flush(5)
    worker.submit(gate.wait, "write")
    begin = time.monotonic()
    assert not worker.flush(0.05)
    assert time.monotonic() - begin < 5
    gate.set()
    assert worker.flush(5)
    worker.close(1)


def test_a_task_that_flushes_its_own_worker_is_told_no_and_does_not_hang() -> None:
    worker: Background = Background()
    answers: list[bool] = []
    worker.submit(lambda: answers.append(worker.flush()), "write")
    assert worker.flush(5)
    assert answers == [False]
    worker.close(1)


def test_a_closed_worker_rejects_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    worker = Background()
    worker.close(1)
    with caplog.at_level(logging.WARNING):
        assert not worker.submit(lambda: None, "prefetch")
    assert "a late prefetch task is rejected" in caplog.text


def test_closing_lets_queued_work_run() -> None:
    worker, seen = Background(), []

    def task(number: int) -> None:
        time.sleep(0.001)
        seen.append(number)

    for number in range(50):
        worker.submit(partial(task, number), "write")
    assert worker.close(10) == Drain("drained")
    assert seen == list(range(50))


def test_closing_drops_what_has_not_begun_in_time_and_counts_it() -> None:
    worker, gate, begun = Background(), threading.Event(), threading.Event()
    seen: list[int] = []
    kinds: list[Kind] = ["write", "prefetch", "write"]

    def hang() -> None:
        begun.set()
        gate.wait()

    worker.submit(hang, "write")
    assert begun.wait(5)
    for kind in kinds:
        worker.submit(lambda: seen.append(1), kind)
    assert worker.drain == Drain("not_started")
    assert worker.close(0.05) == Drain("timed_out", 2, 1, 1)
    assert worker.close(0.05) == worker.drain == Drain("timed_out", 2, 1, 1)
    assert not worker.flush(5)
    gate.set()
    time.sleep(0.05)
    assert seen == []


def test_a_hanging_task_does_not_hold_the_interpreter() -> None:
    script = (
        "import threading\n"
        "from zeroclaw_cli.providers.background import Background\n"
        "worker = Background(); worker.submit(threading.Event().wait, 'write'); print(worker.close(0.05).status)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (0, "timed_out\n")


def test_work_is_done_by_the_caller_where_no_thread_is_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    worker, seen = Background(), []
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert worker.submit(lambda: seen.append(threading.current_thread()), "write")
    assert seen == [threading.current_thread()]
    assert worker.close(1) == Drain("drained")
