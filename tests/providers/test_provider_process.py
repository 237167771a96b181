"""What provider code may do to the process, tried in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from zeroclaw_cli.providers.streams import provider_output

GUARD = "from zeroclaw_cli.providers import process\nfrom zeroclaw_cli.providers.streams import provider_output\n"


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", GUARD + code], capture_output=True, text=True, timeout=60, check=False)


def test_os_exit_of_a_provider_is_an_exception_and_that_of_the_host_is_none() -> None:
    with provider_output(), pytest.raises(SystemExit, match="7"):
        os._exit(7)
    done = run("import os\nwith provider_output(): pass\nos._exit(4)\n")
    assert done.returncode == 4


def test_a_child_that_a_provider_forks_and_lets_come_back_is_no_second_host() -> None:
    done = run(
        "import os, sys\n"
        "with provider_output():\n"
        "    child = os.fork()\n"
        "if child: os.waitpid(child, 0)\n"
        "sys.stdout.write('once\\n')\n"
    )
    assert (done.returncode, done.stdout) == (0, "once\n")


def test_a_child_that_a_provider_forks_may_end_as_it_wants() -> None:
    done = run(
        "import os\n"
        "with provider_output():\n"
        "    child = os.fork()\n"
        "    if not child: os._exit(9)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert done.stdout == "9\n"


LOOP = "threading.Thread(target=lambda: [time.sleep(0.1) for _ in range(1000)]).start()"
HANDLER = "atexit.register(time.sleep, 100)"
EXECUTOR = "ThreadPoolExecutor().submit(time.sleep, 100)"


@pytest.mark.parametrize("what", [LOOP, HANDLER, EXECUTOR])
def test_what_goes_on_after_the_command_is_given_up_after_a_while(what: str) -> None:
    began = time.monotonic()
    done = run(
        "import atexit, sys, threading, time\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "process.GRACE_S = 0.5\n"
        "process.ran('mem')\n"
        f"with provider_output(): {what}\n"
        "print('done')\n"
        "process.end_within(3)\n"
        "sys.exit(3)\n"
    )
    assert (done.returncode, done.stdout) == (3, "done\n")
    assert done.stderr == "warning: something of memory provider 'mem' still runs after 0.5 seconds and is given up\n"
    assert time.monotonic() - began < 30


def test_a_thread_that_ends_in_time_is_waited_for() -> None:
    done = run(
        "import os, sys, threading, time\n"
        "def work():\n    time.sleep(0.3)\n    os.write(1, b'kept')\n"
        "with provider_output(): threading.Thread(target=work).start()\n"
        "process.end_within(0)\n"
        "sys.exit(0)\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "kept", "")


def test_without_provider_code_nothing_is_watched() -> None:
    done = run("import threading\nprocess.end_within(3)\nprint(threading.active_count())\n")
    assert (done.returncode, done.stdout) == (0, "1\n")


def test_a_command_of_the_providers_own_may_go_on() -> None:
    done = run(
        "import sys, threading, time\n"
        "process.GRACE_S = 0.1\n"
        "with provider_output(): threading.Thread(target=lambda: [time.sleep(1), print('served')]).start()\n"
        "process.go_on()\n"
        "process.end_within(0)\n"
        "sys.exit(0)\n"
    )
    assert (done.returncode, "given up" in done.stderr) == (0, False)
    assert "served" in done.stderr + done.stdout
