"""Signals while a guest runs, and the clock that ends its calls."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.support.guests import ROOT
from tests.wasm.helpers import keys, opened, rows
from zeroclaw_cli.errors import CallTimeout, MemoryFailure
from zeroclaw_cli.wasm.ticker import Ticker, ticker


class Terminated(Exception):
    pass


@pytest.fixture
def handlers() -> Iterator[dict[int, Any]]:
    """Handlers that raise, as a command line installs them; whatever a call does, they must be there afterwards."""

    def terminate(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    raising: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: terminate,
        signal.SIGHUP: terminate,
    }
    before = {number: signal.signal(number, handler) for number, handler in raising.items()}
    yield raising
    for number, handler in before.items():
        signal.signal(number, handler)


def soon(number: int) -> None:
    """Send a signal to this process in a tenth of a second."""
    threading.Timer(0.1, os.kill, (os.getpid(), number)).start()


ENDLESS: dict[str, Any] = {"call_fuel": 2**60, "call_timeout_ms": 20_000}


@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated), (signal.SIGHUP, Terminated)]
)
@pytest.mark.parametrize(
    ("guest", "call"),
    [
        ("spin_in_store", lambda memory: memory.store("k", "v", "core", None)),
        ("flood", lambda memory: memory.store("k", "v", "core", None)),
        ("spin", lambda memory: memory.recall("v", 5, None, None, None)),
    ],
)
def test_a_signal_ends_a_running_call_long_before_its_deadline(
    guest: str,
    call: Callable[[Any], Any],
    number: int,
    error: type[BaseException],
    tmp_path: Path,
    handlers: dict[int, Any],
) -> None:
    with opened(guest, tmp_path, **ENDLESS) as memory:
        memory.store_with_agent("before", "v", "core", None, None, None, None)
        soon(number)
        started = time.monotonic()
        with pytest.raises(error):
            call(memory)
        assert 0.05 < time.monotonic() - started < ENDLESS["call_timeout_ms"] / 2_000
        assert {number: signal.getsignal(number) for number in handlers} == handlers
        assert signal.set_wakeup_fd(-1) == -1
        assert keys(rows(memory)) == ["before"], "the journal is intact"
        memory.store_with_agent("after", "v", "core", None, None, None, None)
        assert memory.count() == 2


def test_a_signal_during_a_replay_ends_the_opening(tmp_path: Path, handlers: dict[int, Any]) -> None:
    with opened("plain", tmp_path) as memory:
        memory.store("k", "v", "core", None)
    soon(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        opened("spin_in_store", tmp_path, **ENDLESS)
    with opened("plain", tmp_path) as memory:
        assert memory.count() == 1


def test_a_wakeup_descriptor_of_the_program_is_put_back_and_told(tmp_path: Path, handlers: dict[int, Any]) -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    os.set_blocking(read, False)
    previous = signal.set_wakeup_fd(write)
    try:
        with opened("spin_in_store", tmp_path, **ENDLESS) as memory:
            soon(signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                memory.store("k", "v", "core", None)
        assert os.read(read, 10) == bytes([signal.SIGINT])
    finally:
        assert signal.set_wakeup_fd(previous) == write
        os.close(read)
        os.close(write)


def test_limits_as_large_as_they_can_be_do_not_stop_a_signal(tmp_path: Path, handlers: dict[int, Any]) -> None:
    largest = 2**64 - 1
    with opened(
        "spin", tmp_path, call_fuel=largest, call_timeout_ms=largest, max_memory_mb=largest, max_table_elements=largest,
        max_instances=largest, max_result_entries=largest,
    ) as memory:  # fmt: skip
        memory.store("k", "v", "core", None)
        soon(signal.SIGINT)
        # No deadline of these limits ever ends the call: it returns by the signal or not at all.
        with pytest.raises(KeyboardInterrupt):
            memory.recall("v", 5, None, None, None)
        assert keys(rows(memory)) == ["k"]


def test_an_ignored_signal_stays_ignored(tmp_path: Path, handlers: dict[int, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with opened("spin_in_store", tmp_path, call_fuel=2**60, call_timeout_ms=400) as memory:
        soon(signal.SIGINT)
        with pytest.raises(CallTimeout):
            memory.store("k", "v", "core", None)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_timeout_on_one_thread_does_not_end_the_calls_of_another(tmp_path: Path) -> None:
    measured: dict[int, float] = {}

    def run(home: Path, timeout_ms: int) -> None:
        with opened("spin_in_store", home, call_fuel=2**60, call_timeout_ms=timeout_ms) as memory:
            started = time.monotonic()
            with pytest.raises(CallTimeout):
                memory.store("k", "v", "core", None)
            measured[timeout_ms] = time.monotonic() - started

    threads = [threading.Thread(target=run, args=(tmp_path / str(ms), ms)) for ms in (100, 600)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0.05 < measured[100] < measured[600]
    assert measured[600] > 0.5


def test_the_ticker_sleeps_when_nothing_runs() -> None:
    clock = Ticker()
    clock.begin(1.0)
    clock.end()
    deadline = time.monotonic() + 5
    while clock._awake and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not clock._awake
    clock.begin(1.0)
    assert clock._awake
    clock.end()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_process_has_a_ticker_of_its_own(tmp_path: Path) -> None:
    # Compiling needs the engine's threads, which a child does not inherit; what is compiled can be loaded.
    opened("spin_in_store", tmp_path).close()
    assert ticker()._process == os.getpid()
    child = os.fork()
    if child == 0:
        status = 1
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        try:
            with opened("spin_in_store", tmp_path / "child", call_fuel=2**60, call_timeout_ms=200) as memory:
                try:
                    memory.store("k", "v", "core", None)
                except CallTimeout:
                    status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(("max_memory_mb", "apart"), [(256, False), (257, True)])
def test_a_guest_that_may_fill_much_memory_at_once_runs_where_it_can_be_left(
    max_memory_mb: int, apart: bool, tmp_path: Path
) -> None:
    before = set(threading.enumerate())
    with opened("plain", tmp_path, max_memory_mb=max_memory_mb) as memory:
        memory.store("k", "v", "core", None)
        started = [thread for thread in set(threading.enumerate()) - before if thread.name == "zeroclaw-guest"]
    assert len(started) == apart


_RECURSE = """
import sys
from pathlib import Path
from tests.wasm.helpers import opened
from zeroclaw_cli.errors import Trap
with opened("recurse", Path(sys.argv[1])) as memory:
    memory.store("k", "v", "core", None)
    try:
        memory.recall("v", 5, None, None, None)
    except Trap as error:
        print(error.message)
"""


@pytest.mark.parametrize("stack_kib", [256, 8192])
def test_a_guest_that_recurses_does_not_end_a_process_with_a_small_stack(stack_kib: int, tmp_path: Path) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    done = subprocess.run(
        [sys.executable, "-c", _RECURSE, str(tmp_path)],
        cwd=ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack_kib * 1024, most)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "memory.recall trapped: wasm trap: call stack exhausted\n"


def test_with_small_thread_stacks_every_call_runs_on_a_thread_of_the_instance(tmp_path: Path) -> None:
    before, earlier = set(threading.enumerate()), threading.stack_size(512 * 1024)
    try:
        with opened("plain", tmp_path) as memory:
            memory.store("k", "v", "core", None)
            started = [thread for thread in set(threading.enumerate()) - before if thread.name == "zeroclaw-guest"]
    finally:
        chosen = threading.stack_size(earlier)
    assert chosen == 512 * 1024, "the program's choice is kept"
    assert len(started) == 1


def test_a_child_process_has_a_thread_of_its_own_for_the_guest(tmp_path: Path) -> None:
    with opened("plain", tmp_path) as memory:
        memory.store("k", "v", "core", None)
        assert keys(memory.recall("v", 5, None, None, None)) == ["k"]
        child = os.fork()
        if child == 0:
            # Without the thread the recall would wait forever.
            signal.alarm(20)
            found = keys(memory.recall("v", 5, None, None, None))
            memory.close()
            os._exit(found != ["k"])
        assert os.waitpid(child, 0)[1] == 0
        assert keys(memory.recall("v", 5, None, None, None)) == ["k"]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_memory_that_another_thread_used_at_the_fork_is_an_error_in_the_child(tmp_path: Path) -> None:
    with opened("spin_in_store", tmp_path, call_fuel=2**60, call_timeout_ms=1_000) as memory:
        memory.store_with_agent("before", "v", "core", None, None, None, None)

        def spin() -> None:
            with pytest.raises(CallTimeout):
                memory.store("k", "v", "core", None)

        thread = threading.Thread(target=spin)
        thread.start()
        time.sleep(0.3)
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            status = 1
            try:
                memory.count()
            except MemoryFailure as error:
                status = "was in use by another thread" not in error.message
                memory.close()
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        thread.join()
        assert memory.count() == 1


def test_a_call_that_begins_while_others_are_being_ended_is_not_ended_with_them() -> None:
    clock, steps, started = Ticker(), [], threading.Event()
    pass_deadlines = clock._pass_deadlines

    def slowly() -> None:
        started.set()
        time.sleep(0.2)
        pass_deadlines()
        steps.append("ended the others")

    clock._pass_deadlines = slowly  # type: ignore[method-assign]
    clock.begin(0.1)
    ending = threading.Thread(target=clock.kick)
    ending.start()
    assert started.wait(5)
    clock.begin(0.1)
    steps.append("began")
    ending.join()
    assert steps == ["ended the others", "began"]


def test_a_signal_that_came_in_a_call_ends_no_later_one() -> None:
    clock = Ticker()
    clock.arm()
    clock.disarm(drain=False)
    ended: list[int] = []
    clock._pass_deadlines = lambda: ended.append(1)  # type: ignore[method-assign]
    os.write(clock.wakeup_fd, bytes([signal.SIGINT]))
    time.sleep(0.1)
    assert ended == []
    clock.arm()
    os.write(clock.wakeup_fd, bytes([signal.SIGINT]))
    deadline = time.monotonic() + 5
    while not ended and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ended == [1]


def test_a_deadline_that_comes_early_is_a_deadline_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened("spin_in_store", tmp_path, call_fuel=2**60, call_timeout_ms=20_000) as memory:
        begin = Ticker.begin

        def early(self: Ticker, timeout_s: float) -> int:
            begin(self, timeout_s)
            return 5

        monkeypatch.setattr(Ticker, "begin", early)
        with pytest.raises(CallTimeout):
            memory.store("k", "v", "core", None)
