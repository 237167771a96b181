"""A command that is killed leaves the config before or the config after."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from zeroclaw_cli.config.edit import set_value
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Location

_WRITER = """
import sys
from pathlib import Path
from zeroclaw_cli.config.edit import set_value
from zeroclaw_cli.config.model import Location
folder = Path(sys.argv[1])
location = Location(folder, folder / "data", "test")
set_value(location, {}, "memory.provider", "one")
print("ready", flush=True)
while True:
    for text in ("one", "two"):
        set_value(location, {}, "memory.provider", text)
"""


def _kill_once(folder: Path, seconds: float) -> None:
    child = subprocess.Popen([sys.executable, "-c", _WRITER, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(seconds)
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()


@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=pytest.mark.reliability)])
def test_a_killed_writer_leaves_the_config_before_or_after(tmp_path: Path, rounds: int) -> None:
    location = Location(tmp_path, tmp_path / "data", "test")
    location.config_file.write_text("# mine\n[other]\nkey = 1\n")
    chance = random.Random(rounds)
    for _ in range(rounds):
        _kill_once(tmp_path, 0.1 + chance.random() / 5)
        config = load(str(tmp_path), {})
        assert config.memory.provider in ("one", "two")
        assert "# mine\n[other]\nkey = 1\n" in location.config_file.read_text()
        set_value(location, {}, "memory.provider", "three")
        assert not list(tmp_path.glob("*.tmp"))
