"""`.env` (specs/memory-providers.md P-38, P-47)."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.errors import ValidationFailed, ZeroclawError
from zeroclaw_cli.providers import env_file

LINE = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=40)


def write(home: Path, text: str) -> Path:
    file = home / ".env"
    file.write_bytes(text.encode("utf-8"))
    return file


def content(home: Path) -> str:
    return (home / ".env").read_bytes().decode("utf-8")


def test_a_missing_file_is_empty_and_is_not_made(tmp_path: Path) -> None:
    assert env_file.read(tmp_path / "home") == {}
    assert not (tmp_path / "home").exists()


def test_the_usual_forms_are_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        "\ufeff# comment\n\nPLAIN=value # comment\nexport EXPORTED = spaced value  \n"
        "SINGLE='a # \\' \\\\ b' # comment\r\n"
        'DOUBLE="line\\n\\"two\\" \\\\n"\nEMPTY=\nBARE\nHASH=#kept\nBLANKHASH= # comment\nTWICE=1\nTWICE=2\n'
        "MULTI='one\ntwo'\nDOLLAR=${HOME}\nJUNK='a'b\nnot a line\n=nothing\nLAST=x",
    )
    assert env_file.read(tmp_path) == {
        "PLAIN": "value",
        "EXPORTED": "spaced value",
        "SINGLE": "a # ' \\ b",
        "DOUBLE": 'line\n"two" \\n',
        "EMPTY": "",
        "HASH": "#kept",
        "BLANKHASH": "",
        "TWICE": "2",
        "MULTI": "one\ntwo",
        "DOLLAR": "${HOME}",
        "LAST": "x",
    }


@given(LINE)
def test_p38_a_written_value_is_read_back(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    home = tmp_path_factory.mktemp("home")
    env_file.update(home, {"ZC_A": value, "ZC_B": "b"})
    assert env_file.read(home) == {"ZC_A": value, "ZC_B": "b"}
    env_file.update(home, {"ZC_A": "other"})
    assert env_file.read(home) == {"ZC_A": "other", "ZC_B": "b"}


@pytest.mark.parametrize(
    "value", ["plain", "with space", "a'b", "a'b\"c", "#x", "x #y", "$HOME", "`id`", "é", "a\\b", ""]
)
def test_p38_a_shell_reads_the_same_value_where_no_escape_is_needed(tmp_path: Path, value: str) -> None:
    env_file.update(tmp_path, {"ZC_A": value})
    if "'" in value or "\\" in value:
        return
    done = subprocess.run(
        ["/bin/sh", "-c", '. ./.env; printf %s "$ZC_A"'], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout.decode() == value


def test_p38_other_lines_comments_and_order_are_untouched(tmp_path: Path) -> None:
    before = (
        "# head\r\nFIRST=1\r\n\r\nexport ZC_KEY = 'old' # why\r\nnonsense line\r\nZC_KEY=older\r\nLAST='x\r\ny'\r\n"
    )
    write(tmp_path, before)
    env_file.update(tmp_path, {"ZC_KEY": "new value", "ZC_NEW": "1"})
    assert content(tmp_path) == (
        "# head\r\nFIRST=1\r\n\r\nexport ZC_KEY = 'new value' # why\r\nnonsense line\r\nLAST='x\r\ny'\r\nZC_NEW=1\r\n"
    )


LINES = [
    *("A=1\n", "export B='x y'\n", "# c\n", "\n", "C\n", "  D = 2 # d\n", 'E="a\nb"\n', "junk line\n"),
    *("F='open\n", 'G="\'"\r\n', "A=2"),
]


@given(st.lists(st.sampled_from(LINES), max_size=8))
def test_a_change_of_one_key_changes_no_other(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    home = tmp_path_factory.mktemp("home")
    write(home, "".join(lines))
    before = env_file.read(home)
    env_file.update(home, {"ZC_NEW": "n w", "A": "9"})
    after = env_file.read(home)
    assert after["A"] == "9"
    assert after["ZC_NEW"] == "n w"
    assert {key: value for key, value in after.items() if key not in ("A", "ZC_NEW")} == {
        key: value for key, value in before.items() if key != "A"
    }
    text = content(home)
    env_file.update(home, {"ZC_NEW": "n w", "A": "9"})
    assert content(home) == text
    env_file.update(home, {"A": None, "ZC_NEW": None})
    assert {"A", "ZC_NEW"}.isdisjoint(env_file.read(home))


def test_a_key_without_a_value_gets_one_and_a_file_without_a_last_newline_too(tmp_path: Path) -> None:
    write(tmp_path, "ZC_A\nZC_B=1")
    env_file.update(tmp_path, {"ZC_A": "x", "ZC_C": "y"})
    assert content(tmp_path) == "ZC_A=x\nZC_B=1\nZC_C=y\n"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_p38_the_file_is_the_users_alone_from_its_first_byte(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        env_file.update(tmp_path, {"ZC_A": "1"})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600


def test_p38_the_mode_of_an_older_file_is_tightened_even_when_nothing_changes(tmp_path: Path) -> None:
    write(tmp_path, "ZC_A=1\n").chmod(0o644)
    env_file.update(tmp_path, {"ZC_A": "1"})
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "a\0b", "secret\n", "\ud800"])
def test_p38_p47_a_value_of_several_lines_is_refused_and_not_shown(tmp_path: Path, value: str) -> None:
    write(tmp_path, "KEEP=1\n")
    with pytest.raises(ValidationFailed) as caught:
        env_file.update(tmp_path, {"ZC_A": "secret" + value})
    assert "secret" not in str(caught.value.to_json())
    assert content(tmp_path) == "KEEP=1\n"


@pytest.mark.parametrize(
    "key",
    ["", "1A", "A-B", "A B", "Ä", "A\n", "PATH", "Path", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PYTHONPATH",
     "NODE_OPTIONS", "GIT_SSH_COMMAND", "SHELL", "EDITOR", "VIBEOS_HOME", "VIBEOS_ENABLE_PROJECT_PLUGINS",
     "HERMES_HOME", "ZEROCLAW_memory__provider", "ZEROCLAW_CONFIG_DIR", "_ZEROCLAW_COMPLETE", "PIP_INDEX_URL", "HOME"],
)  # fmt: skip
def test_p38_such_keys_are_neither_written_nor_read(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValidationFailed):
        env_file.update(tmp_path, {"ZC_A": "1", key: "x"})
    assert not (tmp_path / ".env").exists()
    write(tmp_path, f"{key}=x\n")
    assert env_file.read(tmp_path) == {}


def test_p38_a_link_out_of_the_home_is_refused_and_one_inside_followed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    outside = write(tmp_path, "ZC_A=1\n")
    (home / ".env").symlink_to(outside)
    for act in (lambda: env_file.read(home), lambda: env_file.update(home, {"ZC_A": "2"})):
        with pytest.raises(ZeroclawError, match="link out of the home"):
            act()
    assert outside.read_text() == "ZC_A=1\n"
    (home / ".env").unlink()
    (home / "real").write_text("ZC_A=1\n")
    (home / ".env").symlink_to("real")
    env_file.update(home, {"ZC_A": "2"})
    assert (home / ".env").is_symlink()
    assert (home / "real").read_text() == "ZC_A=2\n"


def test_what_is_no_text_file_is_one_error(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\n")
    with pytest.raises(ZeroclawError, match="not UTF-8"):
        env_file.read(tmp_path)
    (tmp_path / ".env").unlink()
    (tmp_path / ".env").mkdir()
    with pytest.raises(ZeroclawError, match="cannot be read"):
        env_file.read(tmp_path)


def test_p38_the_real_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "ZC_A=file\nZC_B=file\n")
    monkeypatch.setenv("ZC_A", "real")
    monkeypatch.delenv("ZC_B", raising=False)
    assert env_file.load(tmp_path) == ("ZC_B",)
    assert (os.environ["ZC_A"], os.environ["ZC_B"]) == ("real", "file")


def test_p54_the_secret_of_one_home_does_not_win_over_that_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ZC_A", raising=False)
    monkeypatch.delenv("ZC_B", raising=False)
    for name, text in (("one", "ZC_A=one\nZC_B=one\n"), ("two", "ZC_A=two\n")):
        (tmp_path / name).mkdir()
        write(tmp_path / name, text)
    env_file.load(tmp_path / "one")
    env_file.load(tmp_path / "two")
    assert os.environ["ZC_A"] == "two"
    assert "ZC_B" not in os.environ
    (tmp_path / "none").mkdir()
    env_file.load(tmp_path / "none")
    assert "ZC_A" not in os.environ


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    threads = [
        threading.Thread(target=env_file.update, args=(tmp_path, {f"ZC_{number}": str(number)})) for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert env_file.read(tmp_path) == {f"ZC_{number}": str(number) for number in range(8)}


WRITER = """
import sys
from pathlib import Path
from zeroclaw_cli.providers import env_file
home = Path(sys.argv[1])
print("ready", flush=True)
number = 0
while True:
    number += 1
    env_file.update(home, {"ZC_A": "x" * 5000 + str(number), "ZC_B": "x" * 5000 + str(number)})
"""


def _kill_a_writer(home: Path, after_s: float) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(home)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after_s)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    found = env_file.read(home)
    assert found.get("ZC_A") == found.get("ZC_B")
    assert found["KEEP"] == "it's kept"
    assert stat.S_IMODE((home / ".env").stat().st_mode) == 0o600
    env_file.update(home, {"ZC_A": "1", "ZC_B": "1"})
    assert sorted(path.name for path in home.iterdir()) == [".env", ".env.lock"]


def test_p38_a_killed_writer_leaves_the_file_before_or_after(tmp_path: Path) -> None:
    env_file.update(tmp_path, {"KEEP": "it's kept"})
    for number in range(4):
        _kill_a_writer(tmp_path, 0.02 + number * 0.013)


@pytest.mark.reliability
def test_many_killed_writers_leave_the_file_before_or_after(tmp_path: Path) -> None:
    env_file.update(tmp_path, {"KEEP": "it's kept"})
    for number in range(60):
        _kill_a_writer(tmp_path, number * 0.0011)
