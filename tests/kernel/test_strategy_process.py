from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.artefacts import PROPOSE, system
from tests.kernel.graphs import asking
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.components import StrategyDescriptor
from zeroclaw_cli.kernel.strategies.process import MAX_ANSWER, PythonStrategy, StrategyProcess

DESCRIPTOR = StrategyDescriptor("coded", "3", "Coded", "By code", (), True)


def body(*lines: str) -> str:
    return "def propose(request, context):\n" + "".join(f"    {line}\n" for line in lines)


@contextmanager
def process(source: str, **limits: Any) -> Iterator[StrategyProcess]:
    found = StrategyProcess(source, **limits)
    try:
        yield found
    finally:
        found.close()


def answer(source: str, request: str = '{"a":[1],"b":{}}', **limits: Any) -> Any:
    with process(source, **limits) as found:
        return found.propose(request, "{}")


def failure(source: str, **limits: Any) -> KernelFailure:
    with pytest.raises(KernelFailure) as caught:
        answer(source, **limits)
    return caught.value


def pid_of(process: StrategyProcess) -> int:
    assert process._running is not None
    return process._running._process.pid


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # Whoever inherits an orphan need not have looked after it yet.
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_request_goes_in_and_a_proposal_comes_out() -> None:
    assert answer(body("return [request, context, 'ü\\U0001f600']")) == [{"a": [1], "b": {}}, {}, "ü😀"]


def test_one_process_answers_many_requests() -> None:
    with process(body("return request")) as found:
        for number in range(50):
            assert found.propose(f'{{"n":{number}}}', "{}") == {"n": number}


def test_a_large_request_passes() -> None:
    text = "x" * 900_000
    assert answer(body("return len(request['text'])"), f'{{"text":"{text}"}}') == len(text)


def test_what_it_prints_reaches_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    lines = ("import sys", "print('out')", "print('err', file=sys.stderr)", "return sys.stdin.read()")
    assert answer(body(*lines)) == ""
    assert capfd.readouterr() == ("", "")


def test_it_gets_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    found = answer(body("import os, sys", "return [dict(os.environ), sys.path, os.getcwd()]"))
    assert "s3cret" not in str(found)
    assert "/somewhere" not in str(found)
    assert found[0].keys() <= {"LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}
    assert found[2] == "/"


def test_only_the_standard_library_is_there() -> None:
    assert answer(body("import re, json, datetime, random, collections, dataclasses, typing", "return 1")) == 1
    for name in ("zeroclaw_cli", "tomli", "strategy"):
        assert "ModuleNotFoundError" in failure(body(f"import {name}", "return 1")).message


@pytest.mark.parametrize(
    "line",
    [
        "open('/etc/hostname').read()",
        "open('/tmp/zeroclaw-strategy', 'w')",
        "import os; os.open('/etc/hostname', os.O_RDONLY)",
        "import os; os.listdir('/')",
        "import os; os.scandir('/')",
        "import os; os.remove('/tmp/zeroclaw-strategy')",
        "import os; os.fork()",
        "import os; os.system('true')",
        "import os; os.execv('/bin/true', ['true'])",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "import os; os.kill(os.getppid(), 9)",
        "import subprocess; subprocess.run(['true'])",
        "import _posixsubprocess",
        "import multiprocessing; multiprocessing.Process(target=print).start()",
        "import socket; socket.socket()",
        "import ctypes",
        "import pathlib; pathlib.Path('/etc/hostname').read_text()",
    ],
)
def test_files_processes_and_the_network_are_refused(line: str) -> None:
    found = failure(body(line, "return 1"))
    assert found.code == "strategy-error"
    assert "PermissionError" in found.message or "ModuleNotFoundError" in found.message, found.message
    assert not Path("/tmp/zeroclaw-strategy").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("raise ValueError('no good')", "ValueError: no good"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise SystemExit(0)", "SystemExit"),
        ("return {1: 2}", "keys must be text"),
        ("return {'a': {1, 2}}", "is not JSON"),
        ("return float('inf')", "is not JSON"),
        ("return '\\ud800'", "is not JSON"),
        ("return object()", "is not JSON"),
        ("x = []; x.append(x); return x", "nested too deep"),
        ("return propose(request, context)", "RecursionError"),
        ("request['c'] = 1", "frozen"),
        ("request['b']['c'] = 1", "frozen"),
        ("del request['a']", "frozen"),
        ("request['a'].append(2)", "AttributeError"),
        ("context.update(x=1)", "frozen"),
        ("import os; os._exit(1)", "ended its process"),
        ("return bytearray(3 * 1024 ** 3)", "MemoryError"),
    ],
)
def test_whatever_it_does_is_one_line(line: str, said: str) -> None:
    if "3 * 1024" in line and sys.platform == "darwin":
        pytest.skip("macOS holds no limit of memory")
    found = failure(body(line))
    assert found.code == "strategy-error"
    assert said in found.message
    assert "\n" not in found.message


def test_an_exception_that_raises_when_it_is_looked_at() -> None:
    source = "class E(Exception):\n    def __str__(self): raise RuntimeError\n" + body("raise E()")
    assert failure(source).message == "E"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def propose(", "SyntaxError"),
        ("x = 1\n", "defines no propose"),
        ("propose = 1\n", "defines no propose"),
        ("raise RuntimeError('at load')\n", "RuntimeError: at load"),
        ("import os; os._exit(0)\n", "ended its process"),
        ("\0", "SyntaxError"),
    ],
)
def test_a_module_that_does_not_load_is_told(source: str, said: str) -> None:
    assert said in failure(source).message


def test_a_late_proposal_is_ended_with_its_process() -> None:
    with process(body("while True: pass"), proposal_s=0.3) as found:
        found_pid: list[int] = []
        original = found._started

        def started() -> Any:
            running = original()
            found_pid.append(running._process.pid)
            return running

        found._started = started  # type: ignore[method-assign]
        began = time.monotonic()
        with pytest.raises(KernelFailure) as caught:
            found.propose("{}", "{}")
        assert caught.value.code == "strategy-timeout"
        assert time.monotonic() - began < 30
        assert is_gone(found_pid[0])


def test_a_late_start_is_ended() -> None:
    assert failure("while True: pass\n", start_s=0.5).code == "strategy-timeout"


def test_a_sleeping_strategy_is_ended() -> None:
    assert failure(body("import time; time.sleep(60)"), proposal_s=0.2).code == "strategy-timeout"


def test_an_answer_that_is_too_long_is_refused() -> None:
    found = failure(body(f"return 'x' * {MAX_ANSWER}"))
    assert str(MAX_ANSWER) in found.message


def test_an_answer_that_never_ends_is_refused_by_its_size_or_its_time() -> None:
    # The pipe of the answers is the last descriptor; whoever finds it can write, but not without limit.
    lines = (
        "import os",
        "for fd in range(3, 10):",
        "    try:",
        "        while True: os.write(fd, b'x' * 65536)",
        "    except OSError: pass",
    )
    found = failure(body(*lines), proposal_s=10)
    assert found.code in ("strategy-error", "strategy-timeout")


def test_an_answer_to_no_question_is_none() -> None:
    lines = (
        "import os",
        "for fd in range(3, 10):",
        '    try: os.write(fd, b\'{"proposal": 1, "number": 2}\\n\')',
        "    except OSError: pass",
        "return 2",
    )
    with process(body(*lines)) as found:
        # It may forge its own answer, but not the one to the next request.
        assert found.propose("{}", "{}") == 1
        with pytest.raises(KernelFailure, match="was not asked"):
            found.propose("{}", "{}")
        assert found.propose("{}", "{}") == 1


def test_after_a_failure_another_process_answers() -> None:
    source = "import os\n" + body("if request.get('die'): os._exit(1)", "return os.getpid()")
    with process(source) as found:
        first = found.propose("{}", "{}")
        with pytest.raises(KernelFailure):
            found.propose('{"die":true}', "{}")
        second = found.propose("{}", "{}")
    assert first != second
    assert is_gone(first)
    assert is_gone(second)


def test_an_exception_keeps_the_process() -> None:
    source = "import os\n" + body("if request.get('fail'): raise ValueError", "return os.getpid()")
    with process(source) as found:
        first = found.propose("{}", "{}")
        with pytest.raises(KernelFailure):
            found.propose('{"fail":true}', "{}")
        assert found.propose("{}", "{}") == first


def test_closing_ends_the_process_and_may_be_repeated() -> None:
    with process(PROPOSE) as found:
        found.propose("{}", "{}")
        pid = pid_of(found)
        found.close()
        found.close()
        assert is_gone(pid)


def test_a_process_that_nobody_closed_ends_with_its_object() -> None:
    found = StrategyProcess(PROPOSE)
    found.propose("{}", "{}")
    pid = pid_of(found)
    del found
    assert is_gone(pid)


def coded(source: str, **changes: Any) -> PythonStrategy:
    return PythonStrategy(DESCRIPTOR, source, **changes)


def test_who_it_is_need_not_be_said_but_must_be_right() -> None:
    strategy = coded(PROPOSE)
    found = strategy.propose(asking(), system())
    assert (found.strategy_id, found.strategy_version, found.reason) == ("coded", "3", "as it is")
    strategy.close()
    spoofed = coded(body("return {'strategyId': 'other', 'reason': 'x', 'steps': []}"))
    assert spoofed.propose(asking(), system()).strategy_id == "other"
    spoofed.close()


def test_what_is_no_proposal_is_an_error() -> None:
    strategy = coded(body("return 7"))
    with pytest.raises(KernelFailure) as caught:
        strategy.propose(asking(), system())
    assert caught.value.code == "strategy-error"
    strategy.close()


def test_processes_take_turns() -> None:
    strategy = coded("import os\n" + body("return {'reason': str(os.getpid()), 'steps': []}"), processes=2)
    pids = [strategy.propose(asking(), system()).reason for _ in range(4)]
    strategy.close()
    assert len(set(pids)) == 2
    assert pids[:2] == pids[2:]


def test_one_that_is_always_late_is_given_up() -> None:
    strategy = coded(body("while True: pass"), proposal_s=0.1, most_timeouts=2)
    began = time.monotonic()
    for _ in range(20):
        with pytest.raises(KernelFailure) as caught:
            strategy.propose(asking(), system())
        assert caught.value.code == "strategy-timeout"
    assert time.monotonic() - began < 20
    strategy.close()


PARENT = """
import time
from zeroclaw_cli.kernel.strategies.process import StrategyProcess

source = "n = []\\ndef propose(r, c):\\n    n.append(1)\\n    while len(n) > 1: pass\\n"
found = StrategyProcess(source, proposal_s=2)
found.propose("{}", "{}")
print(found._running._process.pid, flush=True)
if BUSY:
    found.propose("{}", "{}")
time.sleep(60)
"""


@pytest.mark.parametrize("busy", [False, True])
def test_it_ends_when_whoever_started_it_was_killed(busy: bool) -> None:
    program = PARENT.replace("BUSY", str(busy))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.kill()
    ends = time.monotonic() + 60
    while not is_gone(child):
        assert time.monotonic() < ends
        time.sleep(0.1)
