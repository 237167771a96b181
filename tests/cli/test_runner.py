"""The runner of the tests: a command that is forked from a process with the imports done is the installed command."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.command import Home


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("memory", "store", "k", "-"),
        ("memory", "get", "none", "--json"),
        ("memory", "list", "--limit", "\udcff"),
        ("plugin", "list", "--json"),
        ("no-such-command",),
    ],
)
def test_a_forked_command_says_what_the_installed_one_says(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(name: str) -> tuple[int, str, str]:
        home = Home(tmp_path / name / "home")
        home.path.mkdir(parents=True, mode=0o700)
        done = home.run(*words, stdin="é\n" * 100_000 if words[-1] == "-" else None)
        return done.code, done.stdout.replace(str(home.path), "~"), done.stderr.replace(str(home.path), "~")

    forked = run("forked")
    monkeypatch.setenv("ZEROCLAW_TEST_COLD", "1")
    assert forked == run("installed")


def test_a_command_that_does_not_end_is_killed_with_its_time(home: Home) -> None:
    editor = home.path / "editor.sh"
    editor.write_text("#!/bin/sh\nexec sleep 20 >/dev/null 2>&1\n")
    editor.chmod(0o700)
    home.ok("config", "init")
    with pytest.raises(subprocess.TimeoutExpired):
        home.run("config", "edit", env={"EDITOR": str(editor)}, timeout=0.5)
    home.ok("config", "list")
