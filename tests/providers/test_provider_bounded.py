from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterator

import pytest

from zeroclaw_cli.providers import bounded
from zeroclaw_cli.providers.bounded import Late, call
from zeroclaw_cli.providers.ends import apart, detached, ends_the_host


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    bounded._idle.clear()
    yield
    bounded._idle.clear()


def test_one_call_after_the_other_runs_on_the_same_thread() -> None:
    threads = {call(threading.current_thread, 5) for _ in range(5)}
    assert len(threads) == 1
    assert threading.current_thread() not in threads


def test_a_late_call_is_given_up_and_its_thread_is_used_again_when_it_came_back() -> None:
    go, began = threading.Event(), list[threading.Thread]()

    def hang() -> None:
        began.append(threading.current_thread())
        go.wait()

    with pytest.raises(Late):
        call(hang, 0.05)
    other = call(threading.current_thread, 5)
    assert other is not began[0]
    go.set()
    for _ in range(200):
        if len(bounded._idle) == 2:
            break
        threading.Event().wait(0.01)
    assert call(threading.current_thread, 5) is began[0]


def test_what_is_raised_is_raised_here_and_never_as_an_interrupt() -> None:
    def fail(error: BaseException) -> None:
        raise error

    with pytest.raises(KeyError, match="tea"):
        call(lambda: fail(KeyError("tea")), 5)
    for error in (KeyboardInterrupt(), SystemExit(0), GeneratorExit()):
        with pytest.raises(RuntimeError, match=type(error).__name__):
            call(lambda error=error: fail(error), 5)  # type: ignore[misc]


def test_the_context_of_the_caller_goes_with_the_call_and_changes_of_it_do_not_come_back() -> None:
    variable = contextvars.ContextVar("variable", default="none")
    variable.set("mine")

    def change() -> str:
        before = variable.get()
        variable.set("theirs")
        return before

    assert (call(change, 5), variable.get()) == ("mine", "mine")
    assert contextvars.Context().run(lambda: call(variable.get, 5)) == "none"


def test_a_call_within_a_call_is_made_at_once() -> None:
    outer, inner = call(lambda: (threading.current_thread(), call(threading.current_thread, 5)), 5)
    assert outer is inner


def test_a_thread_that_is_started_from_there_is_no_daemon_by_itself() -> None:
    assert not call(lambda: threading.Thread(target=int).daemon, 5)
    # The thread itself does not hold the process.
    worker = call(threading.current_thread, 5)
    assert worker not in [thread for thread in threading.enumerate() if getattr(thread, "_daemonic", None) is False]
    with pytest.raises(RuntimeError):
        worker.daemon = False


def test_many_callers_do_not_wait_for_each_other() -> None:
    both = threading.Barrier(2, timeout=5)
    done = []
    threads = [threading.Thread(target=lambda: done.append(call(both.wait, 5))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 1]


class _Terminated(BaseException):
    __module__ = "zeroclaw_cli.cli.app"


@pytest.mark.parametrize(
    ("error", "ends"),
    [(KeyboardInterrupt(), True), (_Terminated(), True), (SystemExit(), False), (GeneratorExit(), False)],
)
def test_only_a_signal_ends_the_host_and_none_on_a_thread_of_its_own(error: BaseException, ends: bool) -> None:
    assert ends_the_host(error) is ends
    with apart():
        assert not ends_the_host(error)
    assert ends_the_host(error) is ends
    seen: list[bool] = []
    contextvars.copy_context().run(detached(lambda: seen.append(ends_the_host(error))))
    assert seen == [False]


def test_an_error_of_the_host_does_not_end_it() -> None:
    assert not ends_the_host(RuntimeError())
