"""Odd surroundings: closed streams, full devices, interrupts while starting, outputs that are not files."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, Home
from tests.support.guests import package


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    return home


def shell(home: Home, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line.replace("zeroclaw", f"'{PROGRAM}'")],
        env=home.env(),
        capture_output=True,
        text=True,
        check=False,
        cwd=home.path,
    )


@pytest.mark.parametrize("command", ["--version", "config list", "plugin list", "memory store k v", "doctor"])
@pytest.mark.parametrize("closing", [">&-", "<&-", "2>&-", ">&- 2>&- <&-"])
def test_a_closed_stream_changes_nothing_but_what_is_seen(notes: Home, command: str, closing: str) -> None:
    done = shell(notes, f"zeroclaw {command} {closing}")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


def test_what_a_command_opens_never_takes_the_place_of_a_closed_stream(notes: Home) -> None:
    shell(notes, "zeroclaw memory store k v >&- 2>&-")
    assert notes.ok("memory", "get", "k", "--json").json()["content"] == "v"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("command", ["--version", "config list", "memory list"])
def test_a_full_device_is_named_as_stdout(notes: Home, command: str) -> None:
    notes.ok("memory", "store", "k", "v")
    done = shell(notes, f"zeroclaw {command} > /dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith("error: stdout cannot be written: No space left on device")


def test_ctrl_c_while_starting_is_exit_130_without_a_traceback(home: Home) -> None:
    seen = set()
    for delay in (0.04, 0.07, 0.1, 0.14, 0.18, 0.25):
        with subprocess.Popen(
            [str(PROGRAM), "config", "list"],
            env=home.env(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=20)
        seen.add(process.returncode)
        # Before the program's first line runs, Python itself answers.
        if "zeroclaw_cli" in stderr:
            assert "Traceback" not in stderr, (delay, stderr)
    assert seen <= {0, 130, -signal.SIGINT, 1}


def test_a_hang_up_ends_the_command(home: Home) -> None:
    with subprocess.Popen(
        [str(PROGRAM), "memory", "store", "key", "--backend", "plugin.x"], env=home.env(), stdin=subprocess.PIPE
    ) as process:
        time.sleep(1.0)
        process.send_signal(signal.SIGHUP)
        assert process.wait(10) == 129


def test_an_export_writes_into_a_pipe_and_keeps_a_device(notes: Home, tmp_path: Path) -> None:
    notes.ok("memory", "store", "k", "v")
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    with subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE, text=True) as reader:
        notes.ok("memory", "export", "--out", fifo)
        shown, _ = reader.communicate(timeout=20)
    assert '"key":"k"' in shown
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert '"key":"k"' in shell(notes, "zeroclaw memory export --out /dev/stdout | cat").stdout
    notes.ok("memory", "export", "--out", "/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_dash_is_stdout_and_never_a_file_of_that_name(
    notes: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    notes.ok("memory", "store", "k", "v")
    assert notes.ok("memory", "export", "--out", "-").stdout == notes.ok("memory", "export").stdout != ""
    for words in (["memory", "backup"], ["plugin", "keygen"]):
        assert "--out - would be stdout" in notes.fails(2, *words, "--out", "-").stderr
    assert list(tmp_path.glob("*-*")) == []


def test_an_export_keeps_the_mode_of_a_file_and_makes_private_ones(notes: Home, tmp_path: Path) -> None:
    notes.ok("memory", "store", "k", "v")
    old = tmp_path / "old.jsonl"
    old.write_text("before")
    old.chmod(0o644)
    notes.ok("memory", "export", "--out", old)
    notes.ok("memory", "export", "--out", tmp_path / "new.jsonl")
    assert stat.S_IMODE(old.stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "new.jsonl").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["memory", "export", "--out", ""], 2),
        (["memory", "export", "--out", "/"], 2),
        (["memory", "export", "--out", "."], 2),
        (["memory", "export", "--out", "~nosuch/x"], 1),
        (["memory", "import", "~nosuch/x"], 1),
        (["memory", "import", ""], 2),
        (["plugin", "keygen", "--out", "/"], 2),
        (["plugin", "keygen", "--out", ""], 2),
        (["plugin", "sign", "X", "--key", "~nosuch/k"], 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_path_that_cannot_be_used_is_one_line(notes: Home, words: list[str], code: int) -> None:
    done = notes.run(*words)
    assert done.code in {code, 3}
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 2


def test_a_leading_tilde_is_the_home_and_of_another_user_is_a_name(notes: Home) -> None:
    notes.ok("memory", "export", "--out", "~/here.jsonl")
    assert (notes.path / "here.jsonl").exists()
    (notes.path / "~root").mkdir()
    notes.ok("memory", "export", "--out", "~root/there.jsonl")
    assert (notes.path / "~root" / "there.jsonl").exists()


@pytest.mark.parametrize(
    "line",
    [
        '{"key":' + "[" * 100_000,
        '{"key": "k", "content": "c", "importance": ' + "9" * 5_000 + "}",
        '{"key": "\\ud800", "content": "c"}',
    ],
    ids=["deep", "long number", "surrogate"],
)
def test_a_bad_line_of_an_import_keeps_nothing_and_is_named(notes: Home, line: str) -> None:
    done = notes.run("memory", "import", "-", stdin='{"key": "a", "content": "b"}\n' + line + "\n")
    assert done.code == 2
    assert done.stderr.startswith("error: stdin, line 2: ")
    assert notes.ok("memory", "count").stdout == "0\n"


def test_a_long_argument_is_not_repeated_in_full(notes: Home) -> None:
    done = notes.fails(3, "memory", "get", "x" * 100_000)
    assert len(done.stderr) < 5_000


def test_commands_in_messages_act_on_the_folder_of_this_run(home: Home, tmp_path: Path) -> None:
    done = home.fails(2, "--config-dir", tmp_path / "other dir", "memory", "count", "--backend", " ")
    assert f"zeroclaw --config-dir '{tmp_path / 'other dir'}' config set memory.backend" in done.stderr


def test_a_reading_command_with_an_agent_records_nothing(notes: Home) -> None:
    notes.ok("memory", "store", "k", "v")
    before = notes.ok("memory", "stats", "--json").json()["journal"]["records"]
    notes.run("memory", "get", "k", "--agent", "new")
    notes.ok("memory", "recall", "x", "--agent", "newer")
    assert notes.ok("memory", "stats", "--json").json()["journal"]["records"] == before


def test_importance_is_from_0_to_1(notes: Home) -> None:
    for value in ("7", "-0.1", "nan", "inf"):
        notes.fails(2, "memory", "store", "k", "v", "--importance", value)
    assert notes.ok("memory", "count").stdout == "0\n"
