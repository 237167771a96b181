"""A guest built by a real toolchain, through the installed command: check, install, store, recall, another process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Home

pytestmark = pytest.mark.slow


@pytest.fixture
def package(python_guest: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "pynotes"
    folder.mkdir()
    (folder / "pynotes.wasm").write_bytes(python_guest.read_bytes())
    (folder / "manifest.toml").write_text(
        'name = "pynotes"\nversion = "1.0.0"\nwasm_path = "pynotes.wasm"\ncapabilities = ["memory"]\n'
    )
    return folder


def test_a_python_guest_remembers_from_one_process_to_the_next(home: Home, package: Path) -> None:
    assert home.run("plugin", "check", package, "--json", timeout=300).json()["ok"]
    installed = home.run("plugin", "install", package, timeout=300)
    assert installed.code == 0, installed.stderr
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.pynotes")
    home.ok("memory", "store", "tea", "Ada drinks green tea.", "--importance", "0.5", "--agent", "ada")
    home.ok("memory", "store", "dog", "The dog is called Byron.")
    found = home.ok("memory", "recall", "tea", "--json").json()["entries"]
    assert [(entry["key"], entry["importance"]) for entry in found] == [("tea", 0.5)]
    stats = home.ok("memory", "stats", "--json").json()
    assert (stats["total"], stats["healthy"], len(stats["capabilities"])) == (2, True, 11)
    shown = home.ok("plugin", "info", "pynotes", "--load", "--json").json()
    assert any(name.startswith("wasi:") for name in str(shown).split("'"))


def test_ids_and_times_of_a_python_guest_are_the_same_after_every_replay(home: Home, package: Path) -> None:
    home.run("plugin", "install", package, timeout=300)
    home.ok("config", "set", "plugins.enabled", "true")
    backend = ("--backend", "plugin.pynotes")
    home.ok("memory", "store", "a", "first", *backend)
    first = home.ok("memory", "list", "--json", *backend).json()["entries"]
    home.ok("memory", "store", "b", "second", *backend)
    later = home.ok("memory", "list", "--json", *backend)
    assert [entry for entry in later.json()["entries"] if entry["key"] == "a"] == first
    assert "other results" not in later.stderr
