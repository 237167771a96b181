from __future__ import annotations

import os

import pytest

from tests.support.command import Home


def test_the_demo_installs_inspects_stores_and_recalls_in_processes_of_their_own(home: Home) -> None:
    done = home.ok("demo", "--json").json()
    assert done["ok"]
    commands = [step["command"] for step in done["steps"]]
    assert commands[0].startswith("zeroclaw plugin install ")
    assert any(command.startswith("zeroclaw memory store ") for command in commands)
    recall = next(step for step in done["steps"] if step["command"].startswith("zeroclaw memory recall "))
    assert "Ada drinks green tea." in recall["stdout"].splitlines()[1]
    hidden = next(step for step in done["steps"] if step["command"] == "zeroclaw plugin list --all")
    assert "unsigned" in hidden["stdout"]


def test_the_demo_prints_each_command_that_it_runs(home: Home) -> None:
    shown = home.ok("demo").stdout
    assert "$ zeroclaw plugin list\n" in shown
    assert "$ zeroclaw memory recall 'what tea does Ada drink'\n" in shown


@pytest.mark.slow
def test_the_demo_leaves_the_home_and_the_temporary_folder_as_they_were(home: Home) -> None:
    temporary = home.path / "tmp"
    temporary.mkdir()
    home.ok("demo", env={"TMPDIR": str(temporary), "ZEROCLAW_plugins__enabled": "false"})
    assert list(temporary.iterdir()) == []
    assert not home.config_dir.exists()


@pytest.mark.slow
def test_a_kept_demo_can_be_used_further(home: Home) -> None:
    temporary = home.path / "tmp"
    temporary.mkdir()
    done = home.ok("demo", "--keep", env={"TMPDIR": str(temporary)})
    folder = done.stderr.rsplit("--config-dir ", 1)[1].split()[0]
    assert os.fspath(temporary) in folder
    assert home.ok("--config-dir", folder, "memory", "count").stdout == "2\n"
