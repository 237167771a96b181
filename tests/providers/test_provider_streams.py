from __future__ import annotations

import contextlib
import io
import logging
import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.manager_providers import Recorder
from zeroclaw_cli.providers.base import MemoryProvider, spawn_context_thread
from zeroclaw_cli.providers.manager import MemoryManager
from zeroclaw_cli.providers.streams import own_stdout, provider_output, runs_provider_code


def test_what_a_provider_prints_is_talk(capsys: pytest.CaptureFixture[str]) -> None:
    print("before")
    with provider_output():
        print("flood")
        sys.stdout.writelines(["a", "b\n"])
        sys.stdout.flush()
    print("after")
    out, err = capsys.readouterr()
    assert out == "before\nafter\n"
    assert err == "flood\nab\n"


def test_threads_that_provider_code_starts_print_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    def shout(word: str) -> None:
        print(word)

    def start_another() -> None:
        inner = threading.Thread(target=shout, args=("grandchild",))
        inner.start()
        inner.join()

    with provider_output():
        threads = [
            threading.Thread(target=shout, args=("plain",)),
            threading.Thread(target=start_another),
            spawn_context_thread(lambda: shout("context")),
        ]
        with ThreadPoolExecutor(1) as pool:
            pool.submit(shout, "pool").result()
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join()
    own = threading.Thread(target=shout, args=("host",))
    own.start()
    own.join()
    out, err = capsys.readouterr()
    assert out == "host\n"
    assert sorted(err.split()) == ["context", "grandchild", "plain", "pool"]


def test_the_host_prints_while_a_provider_floods_in_another_thread(capsys: pytest.CaptureFixture[str]) -> None:
    flooding, done = threading.Event(), threading.Event()

    def flood(query: str, **_: object) -> str:
        print("flood")
        flooding.set()
        while not done.wait(0.001):
            print("flood")
        return ""

    manager = MemoryManager(external_prefetch_timeout=0.05)
    manager.add_provider(Recorder(prefetch=flood))
    assert manager.prefetch_all("what is tea") == ""
    assert flooding.is_set()
    for number in range(200):
        print(number)
    done.set()
    manager.shutdown_all()
    out, err = capsys.readouterr()
    assert out == "".join(f"{number}\n" for number in range(200))
    assert set(err.split()) == {"flood"}


def test_every_hook_of_the_manager_is_kept_off_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    hooks = [name for name in vars(Recorder) if name in vars(MemoryProvider) and name not in {"name", "is_available"}]
    hooks = [name for name in hooks if not name.startswith("_")]

    def shout(hook: str) -> object:
        def do(*_: object, **__: object) -> object:
            print(hook)
            return [{"name": "shout"}] if hook == "get_tool_schemas" else "{}"

        return do

    manager = MemoryManager()
    manager.add_provider(Recorder(**{hook: shout(hook) for hook in hooks}))  # type: ignore[arg-type]
    manager.initialize_all("s", vibeos_home="/h")
    manager.build_system_prompt()
    manager.handle_tool_call("shout", {})
    manager.on_turn_start(1, "m")
    manager.prefetch_all("what is tea")
    manager.sync_all("u", "a")
    manager.queue_prefetch_all("what is tea")
    manager.on_pre_compress([])
    manager.on_memory_write("add", "memory", "c")
    manager.on_delegation("t", "r")
    manager.commit_session_boundary_async([], new_session_id="n")
    manager.shutdown_all()
    out, err = capsys.readouterr()
    assert out == ""
    assert set(err.split()) == set(hooks)


def test_a_callers_own_redirection_goes_on_working(capsys: pytest.CaptureFixture[str]) -> None:
    taken = io.StringIO()
    with contextlib.redirect_stdout(taken):
        print("one")
        with provider_output():
            print("flood")
        print("two")
    print("three")
    assert taken.getvalue() == "one\ntwo\n"
    out, err = capsys.readouterr()
    assert (out, err) == ("three\n", "flood\n")


def test_a_provider_cannot_close_or_replace_the_streams_of_a_command(capfd: pytest.CaptureFixture[str]) -> None:
    with own_stdout():
        with provider_output():
            sys.stdout.close()
            sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
            print("wrapped", flush=True)
        print("host")
        with provider_output():
            logging.getLogger().addHandler(logging.StreamHandler(sys.stdout))
        handler = logging.getLogger().handlers[-1]
        logging.getLogger("zeroclaw_test").warning("logged")
        logging.getLogger().removeHandler(handler)
        sys.stderr.write("talk\n")
    out, err = capfd.readouterr()
    assert out == "host\n"
    assert {"wrapped", "logged", "talk"} <= set(err.split())


SCRIPT = """
    import os, subprocess, sys, threading, ctypes
    from zeroclaw_cli.providers.streams import own_stdout, provider_output
    with own_stdout(), own_stdout():
        print("one")
        with provider_output():
            os.write(1, b"raw\\n")
            subprocess.run([sys.executable, "-c", "print('child')"], check=True)
            print("python")
            sys.__stdout__.write("original\\n"); sys.__stdout__.flush()
            thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
            ctypes.CDLL(None).puts(b"c"); ctypes.CDLL(None).fflush(None)
        print("two", flush=True)
    print("three", flush=True)
    os.write(1, b"four\\n")
"""


def test_a_command_has_its_descriptor_to_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "one\ntwo\nthree\nfour\n", done.stderr
    assert sorted(done.stderr.split()) == ["c", "child", "original", "python", "raw", "thread"]


def test_a_provider_that_still_runs_when_the_command_prints_its_data_cannot_spoil_it() -> None:
    script = textwrap.dedent("""
        import os, threading
        from zeroclaw_cli.providers.manager import MemoryManager
        from zeroclaw_cli.providers.streams import own_stdout

        class Flood:
            name = "flood"
            def initialize(self, session_id): pass
            def get_tool_schemas(self): return []
            def prefetch(self, query):
                begun.set()
                while True:
                    print("flood", flush=True); os.write(1, b"raw\\n")

        begun = threading.Event()
        with own_stdout():
            manager = MemoryManager(external_prefetch_timeout=0.05)
            manager.add_provider(Flood())
            manager.prefetch_all("what is tea")
            begun.wait()
        for number in range(1000):
            print(number)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "".join(f"{number}\n" for number in range(1000)))
    assert "flood" in done.stderr
    assert "Fatal" not in done.stderr


def test_a_flood_that_nobody_reads_does_not_hold_the_end_of_the_command_up() -> None:
    script = textwrap.dedent("""
        import threading, time
        from zeroclaw_cli.providers.streams import own_stdout, provider_output

        def flood():
            with provider_output():
                while True:
                    print("flood" * 1000)

        with own_stdout():
            threading.Thread(target=flood, daemon=True).start()
            time.sleep(0.3)
        print("data")
    """)
    reader, writer = os.pipe()
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=writer, text=True, timeout=60, check=False
    )
    os.close(writer)
    os.close(reader)
    assert (done.returncode, done.stdout) == (0, "data\n")


def test_stdout_is_given_back_when_no_provider_runs_any_more() -> None:
    script = textwrap.dedent("""
        import os, threading
        from zeroclaw_cli.providers.streams import own_stdout, provider_output

        gate = threading.Event()
        with own_stdout():
            with provider_output():
                thread = threading.Thread(target=gate.wait)
                thread.start()
            print("one")
        os.write(1, b"talk\\n")
        gate.set()
        thread.join()
        with own_stdout():
            print("two")
        os.write(1, b"three\\n")
        print("four")
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("one\ntwo\nthree\nfour\n", "talk\n")


def test_a_command_without_stderr_does_not_print_either() -> None:
    script = (
        "import sys; sys.stderr = None\n"
        "from zeroclaw_cli.providers.streams import own_stdout, provider_output\n"
        "with own_stdout():\n"
        "    with provider_output(): print('flood'); sys.stdout.flush()\n"
        "    print('host')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "host\n", "")


def test_a_closed_pipe_is_seen_by_the_command_and_not_by_the_provider() -> None:
    script = textwrap.dedent("""
        import sys
        from zeroclaw_cli.providers.streams import own_stdout, provider_output
        try:
            with own_stdout():
                with provider_output(): print("flood")
                print("x" * 100_000, flush=True)
        except BrokenPipeError:
            sys.stderr.write("closed")
    """)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    os.close(writer)
    assert done.stderr == "flood\nclosed"


def test_what_runs_on_after_a_command_does_not_take_the_next_ones_stream(capsys: pytest.CaptureFixture[str]) -> None:
    gate = threading.Event()
    before = sys.stdout
    with own_stdout(), provider_output():
        thread = threading.Thread(target=gate.wait)
        thread.start()
    sys.stdout = taken = io.StringIO()
    try:
        with provider_output():
            print("flood")
        print("mine")
    finally:
        sys.stdout = before
        gate.set()
        thread.join()
    assert taken.getvalue() == "mine\n"


def test_the_mark_of_provider_code_ends_with_the_call() -> None:
    assert not runs_provider_code()
    with provider_output():
        assert runs_provider_code()
        with provider_output():
            assert runs_provider_code()
        assert runs_provider_code()
    assert not runs_provider_code()


def test_the_router_answers_for_the_stream_that_it_stands_for(capsys: pytest.CaptureFixture[str]) -> None:
    own = sys.stdout
    with provider_output():
        assert sys.stdout.fileno() == 2
        assert sys.stdout.writable()
        assert not sys.stdout.readable()
        assert not sys.stdout.seekable()
        assert not sys.stdout.isatty()
        assert sys.stdout.encoding
        sys.stdout.reconfigure(encoding="latin-1")  # type: ignore[union-attr]
        assert not sys.stdout.closed
    assert sys.stdout.encoding == own.encoding
    with pytest.raises(TypeError):
        sys.stdout.write(b"bytes")  # type: ignore[arg-type]
