"""A skill bundle has bounds, since every install and every list walks and hashes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.packages import SKILL_TEXT, write_package
from zeroclaw_cli.plugins.skills import MOST_BYTES, MOST_DEPTH, MOST_ENTRIES


def many(skill: Path) -> None:
    for number in range(MOST_ENTRIES):
        (skill / str(number)).touch()


def deep(skill: Path) -> None:
    (skill / "/".join("d" * (MOST_DEPTH + 1))).mkdir(parents=True)


def large(skill: Path) -> None:
    with (skill / "large").open("wb") as file:
        file.truncate(MOST_BYTES + 1)


@pytest.mark.parametrize(
    ("grow", "problem"),
    [(many, "more than 2,000 files and folders"), (deep, "deeper than 16 levels"), (large, "larger than 64 MiB")],
)
def test_a_bundle_beyond_the_bounds_is_refused(
    home: Home, tmp_path: Path, grow: Callable[[Path], None], problem: str
) -> None:
    source = write_package(
        tmp_path / "mine", "mine", skills={"s/SKILL.md": SKILL_TEXT}, capabilities=["skill"], wasm_path=None
    )
    grow(source / "skills" / "s")
    error = home.fails(1, "plugin", "install", source, "--json").error()
    assert error["code"] == "invalid_manifest"
    assert problem in error["message"]
    assert not (home.config_dir / "plugins" / "mine").exists()
