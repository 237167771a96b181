"""The README's commands, as written and in its order: one script from an empty home."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import zeroclaw_cli
from tests.support.command import PROGRAM, Home

pytestmark = pytest.mark.slow
ROOT = Path(zeroclaw_cli.__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def console_script() -> str:
    blocks = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert lines, "no block of commands was found"
    assert all(line.startswith("$ ") for line in lines), "a line of a block is not a command"
    return "".join(f"echo '$' {number} >&2\n{line[2:]}\n" for number, line in enumerate(lines, start=1))


def run(home: Home, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = home.env({"PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"})
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env=env,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_commands_run_in_their_order(home: Home) -> None:
    script = console_script()
    done = run(home, script, home.path)
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"


def test_the_path_of_c_ends_at_an_installed_plugin(home: Home, tmp_path: Path) -> None:
    if shutil.which("wasm-tools", path=str(PROGRAM.parent)) is None:
        if os.environ.get("CI"):
            pytest.fail("the extra c-guests is not installed")
        pytest.skip("the extra c-guests is not installed")
    found = re.search(r"^\*\*C\*\*.*?^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found is not None
    (tmp_path / "zeroclaw_cli").symlink_to(ROOT / "zeroclaw_cli")
    home.ok("config", "set", "plugins.enabled", "true")
    done = run(home, found.group(1).replace("python -m", f"{sys.executable} -m"), tmp_path)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "mine v0.1.0" in home.ok("plugin", "list").stdout
    recalled = home.ok("memory", "recall", "tea", "--backend", "plugin.mine")
    assert "green tea" in recalled.stdout
