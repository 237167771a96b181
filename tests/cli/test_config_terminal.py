"""``config set`` and ``config edit`` on a real terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

from tests.support.command import PROGRAM, Home

KEY = "zpi1_WyJteS1wbHVnaW4iLCJ0b29sIiwibXktcGx1Z2luIl0"
SECRET = f"plugins.entries.{KEY}.config.api_key"
STAMP = "schema_version = 3\n"


@contextmanager
def terminal(home: Home, *words: str, env: Mapping[str, str] | None = None) -> Iterator[pexpect.spawn[str]]:
    child = pexpect.spawn(
        str(PROGRAM), list(words), env=home.env({"TERM": "dumb", **(env or {})}), encoding="utf-8", timeout=20
    )
    try:
        yield child
    finally:
        child.close(force=True)


def ends(child: pexpect.spawn[str]) -> tuple[int | None, str]:
    """The exit code and everything that was written after the last expectation."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before or ""


def editor(home: Home, script: str) -> str:
    """A command that runs the shell ``script`` with the file as ``$1``."""
    file = home.path / "my editor"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return f"'{file}' --wait"


def test_a_secret_is_asked_for_without_an_echo_and_its_receipt_is_confirmed(home: Home) -> None:
    with terminal(home, "config", "set", SECRET) as child:
        child.expect_exact(f"{SECRET}: ")
        child.sendline("hunter2")
        code, text = ends(child)
    assert code == 0
    assert "received 7 characters" in text
    assert "updated." in text
    assert "hunter2" not in text
    assert home.ok("config", "get", SECRET).stdout == f"{SECRET} is set\n"


def test_a_value_on_the_line_is_ignored_in_favour_of_the_prompt(home: Home) -> None:
    with terminal(home, "config", "set", SECRET, "on-the-line") as child:
        child.expect_exact("the value on the command line is ignored")
        child.expect_exact(f"{SECRET}: ")
        child.sendline("abc")
        code, text = ends(child)
    assert code == 0
    assert "received 3 characters" in text


def test_an_empty_answer_is_refused(home: Home) -> None:
    with terminal(home, "config", "set", SECRET) as child:
        child.expect_exact(f"{SECRET}: ")
        child.sendline("")
        code, text = ends(child)
    assert code == 1
    assert "an empty secret is not stored" in text
    assert not home.config_file.exists()


def test_an_interrupted_prompt_ends_with_130(home: Home) -> None:
    with terminal(home, "config", "set", SECRET) as child:
        child.expect_exact(f"{SECRET}: ")
        child.sendintr()
        code, text = ends(child)
    assert code == 130
    assert "Traceback" not in text
    assert not home.config_file.exists()


def test_edit_replaces_the_file_by_the_edited_copy(home: Home) -> None:
    command = editor(home, 'test "$1" = --wait; printf "[plugins]\\nenabled = true\\n" >> "$2"')
    with terminal(home, "config", "edit", env={"EDITOR": "false", "VISUAL": command}) as child:
        code, text = ends(child)
    assert (code, text.strip()) == (0, f"{home.config_file} updated.")
    assert home.config_file.read_text() == STAMP + "[plugins]\nenabled = true\n"


def test_edit_without_a_change_writes_nothing(home: Home) -> None:
    done = home.ok("config", "edit", env={"EDITOR": "true"})
    assert done.stdout == f"{home.config_file} unchanged.\n"
    assert not home.config_dir.exists()


def test_edit_offers_another_try_on_a_terminal(home: Home) -> None:
    home.ok("config", "set", "plugins.enabled", "true")
    command = editor(home, 'if grep -q "^x" "$2"; then sed -i "s/^x.*//" "$2"; else echo "x = [" >> "$2"; fi')
    with terminal(home, "config", "edit", env={"EDITOR": command}) as child:
        child.expect_exact("Edit again? [y/N] ")
        assert "config.toml: line " in (child.before or "")
        child.sendline("y")
        code, text = ends(child)
    assert code == 0
    assert "updated." in text
    assert home.config_file.read_text() == STAMP + "\n[plugins]\nenabled = true\n\n"


@pytest.mark.parametrize("answer", ["n", ""])
def test_a_declined_try_keeps_the_edited_copy(home: Home, answer: str, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    command = editor(home, 'echo "x = [" >> "$2"')
    with terminal(home, "config", "edit", env={"EDITOR": command, "TMPDIR": str(tmp_path / "tmp")}) as child:
        child.expect_exact("Edit again? [y/N] ")
        child.sendline(answer)
        code, text = ends(child)
    assert code == 5
    (copy,) = (tmp_path / "tmp").glob("*/config.toml")
    assert copy.read_text() == STAMP + "x = [\n"
    assert "your edited copy is" in text
    assert not home.config_file.exists()


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ('echo "x = [" >> "$2"', 5, "config.toml: line "),
        ('printf "[plugins]\\nenabled = 3\\n" >> "$2"', 1, "plugins.enabled must be true or false"),
        ('echo "schema_version = 4" > "$2"', 1, "schema_version 4"),
        ('printf "\\377" > "$2"', 1, "not UTF-8"),
        ("exit 3", 1, "ended with exit code 3"),
    ],
)
def test_edit_without_a_terminal_refuses_and_keeps_the_copy(
    home: Home, tmp_path: Path, script: str, code: int, message: str
) -> None:
    (tmp_path / "tmp").mkdir()
    home.config_dir.mkdir()
    home.config_file.write_text(STAMP + "# mine\n")
    env = {"EDITOR": editor(home, script), "TMPDIR": str(tmp_path / "tmp")}
    done = home.fails(code, "config", "edit", env=env)
    assert message in done.stderr
    assert home.config_file.read_text() == STAMP + "# mine\n"
    copies = list((tmp_path / "tmp").glob("*/config.toml"))
    assert len(copies) == ("exit" not in script)
    assert all(str(copy) in done.stderr for copy in copies)


def test_edit_repairs_a_damaged_file(home: Home) -> None:
    home.config_dir.mkdir()
    home.config_file.write_text("[plugins\nenabled = true\n")
    home.ok("config", "edit", env={"EDITOR": editor(home, 'sed -i "s/^.plugins$/[plugins]/" "$2"')})
    assert home.ok("config", "get", "plugins.enabled").stdout == "true\n"


def test_edit_refuses_when_the_file_was_changed_meanwhile(home: Home) -> None:
    home.ok("config", "set", "plugins.enabled", "true")
    script = f'echo "# mine" >> "$2"; echo "# theirs" >> "{home.config_file}"'
    done = home.fails(1, "config", "edit", env={"EDITOR": editor(home, script)})
    assert "was changed by another program meanwhile" in done.stderr
    assert "# theirs" in home.config_file.read_text()


@pytest.mark.parametrize(("command", "message"), [("'", "is not a command"), ("/nonexistent/editor", "does not start")])
def test_an_editor_that_cannot_run_is_an_error_of_the_command_line(home: Home, command: str, message: str) -> None:
    done = home.fails(2, "config", "edit", env={"VISUAL": command})
    assert message in done.stderr
    assert "hint: set VISUAL" in done.stderr


def test_without_any_editor_the_variables_are_named(home: Home) -> None:
    done = home.fails(2, "config", "edit", env={"PATH": str(home.path)})
    assert "hint: set VISUAL or EDITOR" in done.stderr
