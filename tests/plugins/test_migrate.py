from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.support.packages import config_in, tree, write_package
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.plugins import discovery
from zeroclaw_cli.plugins.legacy import legacy_notes
from zeroclaw_cli.plugins.migrate import migrate


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def places(config: Config) -> tuple[Path, Path]:
    return config.location.data_dir / "plugins", config.location.config_dir / "workspace" / "plugins"


def test_nothing_to_migrate_creates_nothing(config: Config, tmp_path: Path) -> None:
    assert migrate(config) == ()
    assert legacy_notes(config) == ()
    assert not any(tmp_path.iterdir())


def test_packages_of_both_places_move_and_the_rest_stays(config: Config) -> None:
    data, workspace = places(config)
    write_package(data / "one", "one")
    (data / "p").mkdir()
    (data / "p" / "journal.db").touch()
    (data / "digests.json").write_text("{}")
    write_package(workspace / "two", "two")
    notes = legacy_notes(config)
    assert len(notes) == 2
    assert str(data) in notes[0]
    assert all(str(config.plugins.plugins_dir) in note and "zeroclaw plugin migrate" in note for note in notes)
    moves = migrate(config)
    assert [(move.source, move.target, move.moved) for move in moves] == [
        (data, config.plugins.plugins_dir, ("one",)),
        (workspace, config.plugins.plugins_dir, ("two",)),
    ]
    assert [package.name for package in discovery.discover(config).packages] == ["one", "two"]
    assert (data / "p" / "journal.db").exists()
    assert legacy_notes(config) == ()


def test_an_existing_directory_is_never_overwritten(config: Config) -> None:
    data, _ = places(config)
    write_package(data / "p", "p", version="legacy")
    (config.plugins.plugins_dir / "p").mkdir(parents=True)
    (move,) = migrate(config)
    assert (move.moved, move.skipped) == ((), ("p",))
    assert (data / "p" / "manifest.toml").exists()
    assert not any((config.plugins.plugins_dir / "p").iterdir())


def test_the_content_is_not_validated_and_links_do_not_count(config: Config, tmp_path: Path) -> None:
    data, _ = places(config)
    (data / "broken").mkdir(parents=True)
    (data / "broken" / "manifest.toml").write_text("broken = ")
    write_package(tmp_path / "dev", "dev")
    (data / "link").symlink_to(tmp_path / "dev")
    (move,) = migrate(config)
    assert move.moved == ("broken",)
    assert (data / "link").is_symlink()


def test_a_place_that_is_the_target_is_no_legacy_place(config: Config) -> None:
    data, _ = places(config)
    write_package(data / "p", "p")
    moved = replace(config, plugins=replace(config.plugins, plugins_dir=data))
    assert migrate(moved) == ()
    assert legacy_notes(moved) == ()


def test_another_file_system_is_copied_to_without_links_and_then_emptied(config: Config) -> None:
    data, _ = places(config)
    folder = write_package(data / "p", "p", wasm_path="lib/p.wasm")
    (folder / "link").symlink_to("manifest.toml")
    (folder / "run.sh").write_text("x")
    (folder / "run.sh").chmod(0o755)
    expected = tree(folder)
    del expected["link"]
    real = os.rename

    def across(source: object, target: object, **options: object) -> None:
        if str(source).startswith(str(data)) and not str(target).startswith(str(data)):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        real(source, target)  # type: ignore[arg-type]

    with patch.object(os, "rename", across):
        (move,) = migrate(config)
    assert (move.moved, move.warnings) == (("p",), ())
    assert tree(config.plugins.plugins_dir / "p") == expected
    assert (config.plugins.plugins_dir / "p" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert not folder.exists()


def test_a_legacy_folder_that_also_holds_what_a_package_remembers_stays(config: Config) -> None:
    source = write_package(places(config)[0] / "p", "p")
    (source / "owner.toml").write_text('publisher = "unsigned"\n')
    (source / "journal.db").write_text("memories")
    before = tree(source)
    (moved,) = migrate(config)
    assert (moved.moved, moved.skipped) == ((), ())
    assert "what the package p remembers" in moved.warnings[0]
    assert tree(source) == before


def test_a_legacy_folder_called_memory_does_not_become_the_folder_of_providers(config: Config) -> None:
    source = write_package(places(config)[1] / "memory", "p")
    (moved,) = migrate(config)
    assert moved.moved == ()
    assert "cannot be called so" in moved.warnings[0]
    assert source.is_dir()
    assert not (config.plugins.plugins_dir / "memory").exists()


def test_what_the_next_change_would_clear_away_is_not_moved(config: Config) -> None:
    source = write_package(places(config)[1] / ".trash-0123456789abcdef", "p")
    migrate(config)
    assert source.is_dir()
