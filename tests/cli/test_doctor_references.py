"""``zeroclaw doctor``: whether the parts of a home agree with each other, by the installed command."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Home
from tests.support.guests import package

# Processes each.
pytestmark = pytest.mark.slow


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    return home


def checks(home: Home, id_: str, *words: str, code: int = 0, **more: Any) -> list[dict[str, str]]:
    done = home.run("doctor", "--json", *words, **more)
    assert done.code == code, done
    return [check for check in done.json()["checks"] if check["id"] == id_]


def the(home: Home, id_: str, *words: str, code: int = 0, **more: Any) -> dict[str, str]:
    (found,) = checks(home, id_, *words, code=code, **more)
    return found


def test_a_lock_entry_without_a_folder_is_taken_out_by_fix(notes: Home) -> None:
    shutil.rmtree(notes.config_dir / "plugins" / "notes")
    found = the(notes, "plugins.lock")
    assert (found["state"], "notes v0.1.0" in found["detail"]) == ("warning", True)
    assert the(notes, "plugins.lock", "--fix")["state"] == "ok"
    assert "notes" not in (notes.config_dir / "plugins.lock").read_text()
    assert checks(notes, "plugins.lock") == []


def test_folders_that_keep_a_package_from_being_installed(notes: Home) -> None:
    plugins = notes.config_dir / "plugins"
    for name in ("empty", "full", ".hidden"):
        (plugins / name).mkdir()
    (plugins / "full" / "file").touch()
    found = checks(notes, "plugins.folder")
    assert [(item["state"], item["detail"].split()[0]) for item in found] == [
        ("warning", str(plugins / "empty")),
        ("warning", str(plugins / "full")),
    ]
    notes.ok("doctor", "--fix")
    assert [(plugins / name).exists() for name in ("empty", "full", ".hidden")] == [False, True, True]


def test_a_link_that_leads_nowhere_is_an_error(notes: Home) -> None:
    (notes.config_dir / "plugins" / "gone").symlink_to("/nowhere/at/all")
    found = the(notes, "links", code=1)
    assert "/nowhere/at/all" in found["detail"]


def test_data_whose_package_is_gone_and_names_of_packages_that_are_not_there(notes: Home) -> None:
    data = notes.config_dir / "data" / "plugins" / "other"
    data.mkdir(parents=True, mode=0o700)
    found = the(notes, "plugins.data")
    assert (str(data) in found["detail"], "plugin remove other --purge-data" in found["hint"]) == (True, True)
    with notes.config_file.open("a") as file:
        file.write('[plugins]\ndisabled = ["nope"]\n[channels.plugin.chat]\npackage = "talk"\nenabled = true\n')
    details = " ".join(item["detail"] for item in checks(notes, "plugins.config"))
    assert ("nope" in details, "talk" in details) == (True, True)


def test_a_key_file_that_does_not_open_the_encrypted_values(home: Home) -> None:
    home.config_dir.mkdir(mode=0o700)
    home.config_file.touch(mode=0o600)
    home.config_file.write_text("[[plugins.entries]]\nname = 'notes'\n")
    home.ok("config", "set", "plugins.entries.notes.config.token", "-", stdin="a secret")
    assert checks(home, "secrets") == []
    key = home.config_dir / ".secret_key"
    right = key.read_text()
    key.write_text("ab" * 32)
    found = the(home, "secrets", code=1)
    assert ("plugins.entries.notes.config.token" in found["detail"], "a secret" in found["detail"]) == (True, False)
    key.write_text("no key")
    the(home, "secrets", code=5)
    key.unlink()
    the(home, "secrets", code=1)
    key.write_text(right)
    assert checks(home, "secrets") == []


def test_stores_and_folders_that_others_may_use_are_mended(home: Home) -> None:
    home.ok("memory", "store", "k", "v")
    store = home.config_dir / "data" / "memory" / "native.db"
    store.chmod(0o644)
    store.parent.chmod(0o777)
    found = checks(home, "config.mode")
    assert [str(path) in item["detail"] for path, item in zip((store, store.parent), found, strict=True)] == [True] * 2
    home.ok("doctor", "--fix")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (store, store.parent)] == [0o600, 0o755]
    assert checks(home, "config.mode") == []


def test_files_of_the_program_that_are_not_as_they_were_installed(home: Home, tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "zeroclaw_cli-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zeroclaw-cli\nVersion: 0.1.0\n")
    nothing = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
    record = f"zeroclaw_cli_data/a,sha256={nothing},0\nzeroclaw_cli/native/gone.md,sha256={nothing},0\n"
    (info / "RECORD").write_text(record)
    found = the(home, "program", code=1, env={"PYTHONPATH": str(site)})
    assert ("zeroclaw_cli/native/gone.md" in found["detail"], "reinstall" in found["hint"]) == (True, True)
    (info / "RECORD").write_text("")
    assert checks(home, "program", env={"PYTHONPATH": str(site)}) == []
