from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.packages import write_package
from zeroclaw_cli.errors import ComponentMissing, InvalidManifest, LinkRefused, ManifestIo
from zeroclaw_cli.plugins import payload


def test_a_component_in_a_folder_is_found_under_its_path(tmp_path: Path) -> None:
    write_package(tmp_path / "p", "p", wasm_path="./lib/p.wasm")
    assert payload.locate_component(tmp_path / "p", "./lib/p.wasm") == tmp_path / "p" / "lib" / "p.wasm"


def test_a_missing_component_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ComponentMissing) as caught:
        payload.locate_component(tmp_path, "lib/p.wasm")
    assert str(tmp_path / "lib") in caught.value.message
    assert caught.value.hint is not None


def test_a_file_where_a_folder_must_be_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / "lib").write_bytes(b"")
    with pytest.raises(ComponentMissing):
        payload.locate_component(tmp_path, "lib/p.wasm")


def test_a_link_at_the_component_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real.wasm").write_bytes(b"x")
    (tmp_path / "p.wasm").symlink_to("real.wasm")
    with pytest.raises(LinkRefused):
        payload.locate_component(tmp_path, "p.wasm")


def test_a_link_at_a_folder_above_the_component_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "p.wasm").write_bytes(b"x")
    (tmp_path / "lib").symlink_to("real")
    with pytest.raises(LinkRefused):
        payload.locate_component(tmp_path, "lib/p.wasm")


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.wasm")
    (tmp_path / "d.wasm").mkdir()
    for name in ("p.wasm", "d.wasm"):
        with pytest.raises(ManifestIo):
            payload.locate_component(tmp_path, name)


def test_the_manifest_is_not_its_own_component(tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text("")
    with pytest.raises(InvalidManifest):
        payload.locate_component(tmp_path, "./manifest.toml")


def test_reading_follows_no_link_even_when_one_appears_after_the_look(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "p.wasm").write_bytes(b"x")
    (tmp_path / "lib").symlink_to("real")
    (tmp_path / "p.wasm").symlink_to("real/p.wasm")
    for path in ("lib/p.wasm", "p.wasm"):
        with pytest.raises(ManifestIo):
            payload.read_file(tmp_path, path)
    assert payload.read_file(tmp_path, "real/p.wasm") == b"x"
