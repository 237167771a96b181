"""Providers that misbehave as whole programs do, through the installed command: each costs one line and no more."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, Home
from tests.support.provider_plugins import PROVIDER, REGISTER, install

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

HEAD = "import os, signal, sys, threading, time\n"
TURN = '[{"role": "user", "content": "what is it"}, {"role": "assistant", "content": "tea"}]'


def provider(home: Home, body: str = "", at_import: str = "") -> None:
    home.config_dir.mkdir(mode=0o700, exist_ok=True)
    install(home.config_dir, "mem", HEAD + PROVIDER.replace("NAME", "mem") + body + at_import + REGISTER)
    home.config_file.write_text('[memory]\nprovider = "mem"\n')
    home.config_file.chmod(0o600)


AT_IMPORT = {
    "os._exit": "os._exit(0)\n",
    "sys.exit": "sys.exit(0)\n",
    "an interrupt": "raise KeyboardInterrupt\n",
    "the host's own end": "from zeroclaw_cli.cli.app import _Terminated\nraise _Terminated(15)\n",
}


@pytest.mark.parametrize("code", AT_IMPORT.values(), ids=AT_IMPORT)
def test_a_module_that_ends_the_process_is_a_warning_and_the_store_has_the_entry(home: Home, code: str) -> None:
    provider(home, at_import=code)
    done = home.ok("memory", "store", "tea", "green", "--json")
    assert done.json()["stored"] == "tea"
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: memory provider 'mem' is not used: memory provider mem does not load: ")
    assert home.fails(1, "memory", "status", "--json").json()["provider"]["problem"]["code"] == "provider_broken"


@pytest.mark.parametrize("code", ["os._exit(0)", "sys.exit(0)", "raise KeyboardInterrupt", "raise BaseException('x')"])
@pytest.mark.parametrize("hook", ["initialize(self, *a, **k)", "on_memory_write(self, *a, **k)"])
def test_a_hook_that_ends_the_process_is_one_warning(home: Home, hook: str, code: str) -> None:
    body = f"    def on_memory_write(self, *a, **k):\n        pass\n    def {hook}:\n        {code}\n"
    provider(home, body)
    done = home.ok("memory", "store", "tea", "green", "--json")
    assert done.json()["stored"] == "tea"
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("warning: memory provider 'mem': provider.mem ")


@pytest.mark.parametrize("where", ["import", "hook"])
def test_a_fork_is_no_second_command(home: Home, where: str) -> None:
    hook = "    def on_memory_write(self, *a, **k):\n        os.fork()\n"
    provider(home, hook if where == "hook" else "", "os.fork()\n" if where == "import" else "")
    done = home.ok("memory", "store", "tea", "green")
    assert (done.stdout, done.stderr) == ("Stored 'tea' in native.\n", "")


ENDLESS = "lambda: [time.sleep(1) for _ in range(600)]"
THREADS = {
    "a thread": f"threading.Thread(target={ENDLESS}).start()\n",
    "an executor": f"from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit({ENDLESS})\n",
}


@pytest.mark.parametrize("thread", THREADS.values(), ids=THREADS)
def test_a_thread_that_never_ends_holds_the_command_for_a_while_and_not_for_ever(home: Home, thread: str) -> None:
    provider(home, at_import=thread)
    began = time.monotonic()
    done = home.ok("memory", "store", "tea", "green")
    assert done.stderr == "warning: something of memory provider 'mem' still runs after 10 seconds and is given up\n"
    assert time.monotonic() - began < 40


def test_what_the_room_logs_is_a_warning_that_q_silences_and_nothing_of_it_reaches_the_terminal_raw(home: Home) -> None:
    body = "    def get_tool_schemas(self):\n        return [{'name': 'bash'}, {'name': 'x\\x1b[31m'}]\n"
    body += "    def on_memory_write(self, *a, **k):\n        raise RuntimeError('\\x1b]0;title\\x07')\n"
    provider(home, body)
    lines = home.ok("memory", "store", "tea", "green").stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("warning: ") and line.isprintable() for line in lines)
    assert home.ok("-q", "memory", "store", "tea", "black").stderr == ""


MARK = "open(os.environ['MARK'], 'w').close(); time.sleep(300)"
SWALLOWS = """open(os.environ['MARK'], 'w').close()
while True:
    try: time.sleep(300)
    except BaseException: pass
"""
# A shell that runs tests in the background lets them ignore SIGINT, and a child would inherit that.
STARTS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])
"""
MOMENTS = {
    "import": ("", SWALLOWS, ("store", "tea", "green")),
    "is_available": (f"    def is_available(self):\n        {MARK}\n", "", ("status",)),
    "initialize": (
        f"    def initialize(self, *a, **k):\n        {MARK}\n    def on_memory_write(self, *a, **k):\n        pass\n",
        "",
        ("store", "tea", "green"),
    ),
    "on_memory_write": (f"    def on_memory_write(self, *a, **k):\n        {MARK}\n", "", ("store", "tea", "green")),
    "prefetch": (f"    def prefetch(self, *a, **k):\n        {MARK}\n", "", ("context", "what is it")),
    "sync_turn": (
        f"    def sync_turn(self, *a, **k):\n        {MARK}\n",
        "",
        ("record", "-", "--thread", "t", "--run", "r"),
    ),
    "shutdown": (
        f"    def on_memory_write(self, *a, **k):\n        pass\n    def shutdown(self):\n        {MARK}\n",
        "",
        ("store", "tea", "green"),
    ),
    "post_setup": (f"    def post_setup(self, *a, **k):\n        {MARK}\n", "", ("setup", "mem")),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_ends_the_command_at_once_whatever_hangs(
    home: Home, tmp_path: Path, moment: str, number: signal.Signals
) -> None:
    body, at_import, words = MOMENTS[moment]
    provider(home, body, at_import)
    mark = tmp_path / "mark"
    with subprocess.Popen(
        [sys.executable, "-c", STARTS, PROGRAM, "memory", *words],
        env=home.env({"MARK": str(mark)}),
        cwd=home.path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        child.stdin.write(TURN)
        child.stdin.close()
        child.stdin = None
        try:
            for _ in range(600):
                if mark.exists():
                    break
                time.sleep(0.05)
            assert mark.exists()
            began = time.monotonic()
            child.send_signal(number)
            _, stderr = child.communicate(timeout=60)
        finally:
            child.kill()
    assert child.returncode == 128 + number
    assert time.monotonic() - began < 8
    told = "was not told what changed before the interruption" in stderr
    assert told is (moment in {"initialize", "on_memory_write"})
    assert "Traceback" not in stderr
