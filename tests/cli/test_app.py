"""The frame of every command: exit codes, error shapes, start-up, signals (cli.md, Everywhere)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.support.command import PROGRAM, Home

COMMANDS = ("plugin", "memory", "config", "demo", "completion")


def test_version_is_one_line(home: Home) -> None:
    from zeroclaw_cli import __version__

    for words in (["--version"], ["-q", "--version"]):
        assert home.ok(*words).stdout == f"zeroclaw {__version__}\n"


def test_help_names_every_command(home: Home) -> None:
    for words in (["--help"], ["-h"]):
        shown = home.ok(*words).stdout
        assert all(f"  {command} " in shown for command in COMMANDS)


def test_no_command_shows_the_help_and_is_a_wrong_line(home: Home) -> None:
    done = home.fails(2)
    assert "Usage: zeroclaw" in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["plugin", "memory", "config", "completion"])
def test_a_group_without_a_command_shows_its_help(home: Home, command: str) -> None:
    done = home.fails(2, command)
    assert f"Usage: zeroclaw {command}" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["memry"], "no such command 'memry'"),
        (["plugin", "instal"], "no such command 'instal'"),
        (["memory", "list", "--limt", "3"], "no such option"),
        (["memory", "list", "--limit", "many"], "many"),
        (["memory", "get"], "missing argument"),
        (["--nonsense"], "no such option"),
    ],
)
def test_a_wrong_line_is_exit_2_with_one_error_and_a_hint(home: Home, words: list[str], message: str) -> None:
    done = home.fails(2, *words)
    lines = done.stderr.splitlines()
    assert len(lines) == 2, done.stderr
    assert lines[0].startswith("error: ")
    assert message in lines[0].lower()
    assert lines[1].startswith(("hint: run `zeroclaw", "hint: use `zeroclaw"))
    assert done.stdout == ""


@pytest.mark.parametrize("value", ["- text", "-5 degrees", "--x"])
def test_a_value_that_begins_with_a_dash_is_told_where_it_goes(home: Home, value: str) -> None:
    assert "a value that begins with - goes after --" in home.fails(2, "memory", "store", "k", value).stderr
    home.ok("memory", "store", "k", "--", value)
    assert home.ok("memory", "get", "k").stdout.count(value) == 1


def test_an_option_that_only_lacks_a_letter_is_not_taken_for_a_value(home: Home) -> None:
    assert "goes after --" not in home.fails(2, "memory", "store", "k", "v", "--categry", "core").stderr


def test_a_near_miss_is_suggested(home: Home) -> None:
    assert "memory" in home.fails(2, "memry").stderr


def test_a_wrong_line_with_json_is_an_object_with_code_usage(home: Home) -> None:
    error = home.fails(2, "memory", "get", "--json").error()
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == "usage"


def test_json_after_a_double_dash_is_text(home: Home) -> None:
    done = home.fails(3, "memory", "get", "--", "--json")
    assert done.stderr.startswith("error: ")


def test_an_error_without_a_hint_has_a_null_hint() -> None:
    from zeroclaw_cli.errors import ZeroclawError

    assert ZeroclawError("it failed").to_json() == {"code": "failed", "message": "it failed", "hint": None}


def test_a_reading_command_creates_nothing(home: Home) -> None:
    for words in (
        ["plugin", "list"],
        ["config", "list"],
        ["config", "get", "plugins.enabled"],
        ["config", "path"],
        ["plugin", "list", "--all", "--json"],
    ):
        home.ok(*words)
    assert not home.config_dir.exists()


def test_an_empty_config_dir_is_refused(home: Home) -> None:
    done = home.fails(2, "--config-dir", "", "plugin", "list")
    assert done.stderr.startswith("error: ")


def test_debug_shows_the_traceback(home: Home) -> None:
    done = subprocess.run(
        [str(PROGRAM), "memory", "get", "nothing"],
        env=home.env({"ZEROCLAW_DEBUG": "1"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-2].startswith("error: ")


def test_control_characters_of_an_argument_are_shown_escaped(home: Home) -> None:
    done = home.fails(1, "memory", "count", "--backend", "\x1b[31mred\u202e")
    assert "\x1b" not in done.stderr
    assert "\\x1b[31mred\\u202e" in done.stderr


@pytest.mark.parametrize(
    ("number", "code", "stderr"),
    [(signal.SIGTERM, 143, ""), (signal.SIGINT, 130, "error: interrupted\n")],
)
def test_a_signal_ends_the_command_quietly(home: Home, number: int, code: int, stderr: str) -> None:
    with subprocess.Popen(
        [str(PROGRAM), "memory", "store", "key", "--backend", "plugin.x"],
        env=home.env(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(1.0)
        process.send_signal(number)
        assert process.wait(10) == code
        assert process.stderr is not None
        assert process.stderr.read() == stderr


@pytest.mark.parametrize(
    ("words", "never"),
    [
        (["--version"], {"typer", "click", "typing", "json", "re", "pathlib", "dataclasses", "zeroclaw_cli.cli"}),
        (
            ["plugin", "list"],
            {"wasmtime", "cryptography", "mcp", "tomlkit", "rich", "jsonschema", "platformdirs", "filelock", "httpx"},
        ),
        (
            ["config", "get", "plugins.enabled"],
            {"wasmtime", "cryptography", "mcp", "tomlkit", "rich", "jsonschema", "platformdirs", "filelock", "httpx"},
        ),
        (["plugin", "--help"], {"wasmtime", "cryptography", "mcp", "tomlkit", "jsonschema", "sqlite3", "pydantic"}),
        (["memory", "--help"], {"wasmtime", "cryptography", "mcp", "tomlkit", "jsonschema", "sqlite3", "pydantic"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_loads_only_what_it_uses(home: Home, words: list[str], never: set[str]) -> None:
    program = (
        "import sys, json; before = set(sys.modules); sys.argv = ['zeroclaw', *json.loads(sys.argv[1])]\n"
        "from zeroclaw_cli.entry import main; main()\n"
        "print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program, json.dumps(words)],
        env={**home.env(), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(done.stderr.splitlines()[-1]))
    assert not {module for module in loaded if module in never or module.split(".")[0] in never}


def test_a_command_group_is_imported_only_when_the_line_names_it(home: Home) -> None:
    program = (
        "import sys; sys.argv = ['zeroclaw', '--config-dir', 'memory', 'config', 'path']\n"
        "from zeroclaw_cli.entry import main; main()\n"
        "print([name for name in sys.modules if name.startswith('zeroclaw_cli.cli.')], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=home.env(), capture_output=True, text=True, check=True, cwd=home.path
    )
    assert "zeroclaw_cli.cli.config" in done.stderr
    assert "zeroclaw_cli.cli.memory" not in done.stderr
    assert "zeroclaw_cli.cli.plugin" not in done.stderr


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError("too deep"), OverflowError("too large")])
def test_what_nobody_foresaw_is_one_line_and_a_traceback_only_for_who_asks(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from zeroclaw_cli.cli import app

    def fail(arguments: object) -> int:
        raise error

    monkeypatch.setattr(app, "_invoke", fail)
    assert app.run(["config", "path"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"error: an unexpected {type(error).__name__}: ")
    assert lines[1].startswith("hint: ZEROCLAW_DEBUG=1 shows where it comes from")
    assert app.run(["config", "path", "--json"]) == 1
    assert json.loads(capsys.readouterr().err)["code"] == "failed"
    monkeypatch.setenv("ZEROCLAW_DEBUG", "1")
    app.run(["config", "path"])
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_the_demo_makes_its_package_in_a_new_folder_only(home: Home) -> None:
    error = home.fails(1, "demo", "--package", home.path, "--json").error()
    assert error["message"] == f"{home.path} exists already"


def test_a_word_in_the_place_of_a_number_is_told_in_plain_words(home: Home) -> None:
    for words, told in (
        (["recall", "x", "--limit", "ten"], "'ten' is not a whole number"),
        (["list", "--offset", "2.5"], "'2.5' is not a whole number"),
        (["store", "k", "v", "--importance", "high"], "'high' is not a number"),
    ):
        message = home.fails(2, "memory", *words, "--json").error()["message"]
        assert message == f"invalid value for '{words[-2]}': {told}"
