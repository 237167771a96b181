"""Writing the example package out, and what the package says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tomli

from tests.support.guests import component
from zeroclaw_cli.examples import NOTES, materialise

COMPONENT_HEADER = bytes.fromhex("0061736d0d000100")


def test_the_package_is_written_whole(tmp_path: Path) -> None:
    folder = materialise(tmp_path / "new" / "notes")
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.toml", "notes.wasm"]
    assert (folder / "notes.wasm").read_bytes() == component("notes")
    assert (folder / "notes.wasm").read_bytes().startswith(COMPONENT_HEADER)
    manifest = tomli.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    assert (manifest["name"], manifest["wasm_path"]) == ("notes", "notes.wasm")
    assert (manifest["capabilities"], manifest["permissions"]) == (["memory"], [])


def test_a_package_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    folder = materialise(tmp_path / "notes")
    (folder / "manifest.toml").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        materialise(folder)
    assert (folder / "manifest.toml").read_text(encoding="utf-8") == "mine"


def test_the_component_and_the_manifest_agree_on_name_and_version() -> None:
    manifest = tomli.loads((NOTES / "manifest.toml").read_text(encoding="utf-8"))
    source = (NOTES / "src" / "exports.c").read_text(encoding="utf-8")
    said = dict(re.findall(r'plugin_(name|version)\(void\) \{ return plain\(TEXT\("(.*)"\)\)', source))
    assert said == {"name": manifest["name"], "version": manifest["version"]}


def test_no_binary_is_kept() -> None:
    for path in NOTES.rglob("*"):
        assert path.is_dir() or path.suffix in {".c", ".h", ".wit", ".wat", ".toml", ".md"}, path
