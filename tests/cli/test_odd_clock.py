"""Commands on a machine whose clock is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Home

# Loaded by every interpreter that finds it: the clock of the process stands at a time of the test.
_CLOCK = """
import os, time
_now, _localtime, _gmtime = float(os.environ["CLOCK"]), time.localtime, time.gmtime
time.time = lambda: _now
time.localtime = lambda seconds=None: _localtime(_now if seconds is None else seconds)
time.gmtime = lambda seconds=None: _gmtime(_now if seconds is None else seconds)
"""


@pytest.mark.parametrize("clock", ["0", "315000000"], ids=["1970", "1979"])
def test_a_backup_is_made_and_restored_whatever_the_clock_says(home: Home, tmp_path: Path, clock: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(_CLOCK, "utf-8")
    env = {"PYTHONPATH": str(tmp_path), "CLOCK": clock}
    home.ok("memory", "store", "tea", "green", env=env)
    home.ok("memory", "backup", "--out", tmp_path / "all.zip", env=env)
    home.ok("memory", "forget", "tea")
    home.ok("memory", "restore", tmp_path / "all.zip", env=env)
    assert home.ok("memory", "get", "tea", "--json").json()["content"] == "green"


def test_a_restore_keeps_its_own_copy_when_the_clock_is_set_far_ahead(home: Home, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(_CLOCK, "utf-8")
    home.ok("memory", "store", "tea", "green")
    home.ok("memory", "backup", "--out", tmp_path / "all.zip")
    home.ok("memory", "forget", "tea")
    home.ok("memory", "restore", tmp_path / "all.zip", env={"PYTHONPATH": str(tmp_path), "CLOCK": "4400000000"})
    assert home.ok("memory", "get", "tea", "--json").json()["content"] == "green"
