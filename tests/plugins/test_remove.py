from __future__ import annotations

import dataclasses
import errno
from pathlib import Path
from typing import Any

import pytest

from tests.support.packages import FakeProbe, config_in, tree, write_package
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Config, MemoryConfig
from zeroclaw_cli.errors import Ambiguous, PluginError, PluginNotFound
from zeroclaw_cli.kernel.limits import BUILT_IN_LAYERS
from zeroclaw_cli.plugins import discovery, lock, owner, remove
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.plugins.instance_key import instance_key
from zeroclaw_cli.plugins.remove import RemoveResult

SCHEMA = {"type": "object", "additionalProperties": False, "properties": {}}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def take(config: Config, name: str, *, purge_config: bool = False, purge_data: bool = False) -> RemoveResult:
    return remove.remove(config, name, purge_config=purge_config, purge_data=purge_data)


def children(config: Config) -> set[str]:
    return {path.name for path in config.plugins.plugins_dir.iterdir()} - {".lock"}


def reloaded(config: Config) -> Config:
    return load(str(config.location.config_dir), {})


def test_a_removed_package_is_gone_with_its_lock_entry(config: Config, tmp_path: Path) -> None:
    install(config, str(write_package(tmp_path / "src", "p")), probe=FakeProbe())
    install(config, str(write_package(tmp_path / "src2", "q")), probe=FakeProbe())
    result = take(config, "p")
    assert result == RemoveResult("p", config.plugins.plugins_dir / "p", ())
    assert children(config) == {"q"}
    assert set(lock.read(lock.path_of(config.location)).entries) == {"q"}


def test_the_directory_that_was_found_goes_and_not_one_that_is_called_so(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "elsewhere", "p")
    write_package(config.plugins.plugins_dir / "p", "other")
    assert take(config, "p").directory.name == "elsewhere"
    assert children(config) == {"p"}


def test_a_skipped_package_goes_by_its_directory_or_by_its_name(config: Config) -> None:
    for directory in ("one", "two"):
        write_package(config.plugins.plugins_dir / directory, f"named-{directory}", capabilities=[])
    take(config, "one")
    take(config, "named-two")
    assert children(config) == set()


def test_of_several_copies_the_name_of_the_directory_decides(config: Config) -> None:
    for directory in ("a", "b"):
        write_package(config.plugins.plugins_dir / directory, "p")
    with pytest.raises(Ambiguous) as caught:
        take(config, "p")
    assert "zeroclaw plugin remove b" in (caught.value.hint or "")
    take(config, "b")
    assert discovery.discover(config).find("p").directory.name == "a"


def test_removing_one_copy_keeps_what_both_share(config: Config) -> None:
    for directory in ("a", "b"):
        write_package(config.plugins.plugins_dir / directory, "p")
    owner.data_dir(config, "p").mkdir(parents=True)
    take(config, "b", purge_data=True, purge_config=True)
    assert owner.data_dir(config, "p").is_dir()


def test_of_a_link_only_the_link_goes(config: Config, tmp_path: Path) -> None:
    target = write_package(tmp_path / "dev", "p")
    config.plugins.plugins_dir.mkdir(parents=True)
    (config.plugins.plugins_dir / "p").symlink_to(target)
    take(config, "p")
    assert children(config) == set()
    assert set(tree(target)) == {"manifest.toml", "p.wasm"}


def test_links_inside_a_package_are_not_followed(config: Config, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    folder = write_package(config.plugins.plugins_dir / "p", "p")
    (folder / "link").symlink_to(tmp_path / "precious")
    take(config, "p")
    assert (tmp_path / "precious" / "file").exists()


@pytest.mark.parametrize("name", ["missing", "", ".", "..", "../config.toml", "/etc", "a/b", "memory", ".lock"])
def test_nothing_but_a_child_of_the_plugins_folder_can_be_removed(config: Config, name: str) -> None:
    write_package(config.plugins.plugins_dir / "memory" / "provider", "provider")
    (config.plugins.plugins_dir / ".lock").touch()
    before = tree(config.location.config_dir)
    with pytest.raises(PluginNotFound):
        take(config, name)
    assert tree(config.location.config_dir) == before


def test_a_folder_that_is_no_package_is_not_deleted(config: Config) -> None:
    (config.plugins.plugins_dir / "mine").mkdir(parents=True)
    (config.plugins.plugins_dir / "mine" / "diary").touch()
    with pytest.raises(PluginNotFound, match="holds no manifest"):
        take(config, "mine")
    assert (config.plugins.plugins_dir / "mine" / "diary").exists()


def test_what_an_interrupted_install_left_can_be_removed(config: Config, tmp_path: Path) -> None:
    install(config, str(write_package(tmp_path / "src", "p")), probe=FakeProbe())
    (config.plugins.plugins_dir / "p" / "manifest.toml").unlink()
    (config.plugins.plugins_dir / "empty").mkdir()
    write_package(config.plugins.plugins_dir / ".staging-1", "q")
    for name in (".staging-1", "empty", "p"):
        take(config, name)
    assert children(config) == set()
    assert lock.read(lock.path_of(config.location)).entries == {}


def test_an_unknown_name_in_a_missing_home_creates_nothing(config: Config, tmp_path: Path) -> None:
    with pytest.raises(PluginNotFound):
        take(config, "p")
    assert not any(tmp_path.iterdir())


def test_data_and_config_stay_and_are_named(config: Config, tmp_path: Path) -> None:
    fields: dict[str, Any] = {"capabilities": ["tool"], "permissions": ["config_read"], "config_schema": SCHEMA}
    install(config, str(write_package(tmp_path / "src", "p", **fields)), probe=FakeProbe())
    data = owner.claim(config, discovery.discover(config).find("p"))
    loaded = reloaded(config)
    loaded = dataclasses.replace(loaded, plugins=dataclasses.replace(loaded.plugins, disabled=("p",)))
    result = take(loaded, "p")
    assert result.left == (
        f"config: plugins.entries.{instance_key('p', 'tool', 'p')}",
        "config: plugins.disabled names p",
        f"data: {data}",
    )
    assert data.is_dir()


def test_purging_takes_config_entries_and_data(config: Config, tmp_path: Path) -> None:
    fields: dict[str, Any] = {"capabilities": ["tool"], "permissions": ["config_read"], "config_schema": SCHEMA}
    install(config, str(write_package(tmp_path / "src", "p", **fields)), probe=FakeProbe())
    data = owner.claim(config, discovery.discover(config).find("p"))
    result = take(reloaded(config), "p", purge_config=True, purge_data=True)
    assert (result.left, result.warnings) == ((), ())
    assert not data.exists()
    assert reloaded(config).plugins.entries == ()
    assert {path.name for path in data.parent.iterdir()} == {"digests.json", "history.toml"}


def test_a_malformed_config_does_not_stop_the_removal(config: Config, tmp_path: Path) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    config.location.config_file.write_text("broken = ")
    disabled = dataclasses.replace(config, plugins=dataclasses.replace(config.plugins, disabled=("p",)))
    result = take(disabled, "p", purge_config=True)
    assert children(config) == set()
    assert any("could not be removed" in warning for warning in result.warnings)


def test_a_backend_that_still_names_the_package_is_a_warning(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    chosen = dataclasses.replace(config, memory=MemoryConfig(backend="plugin.p"))
    assert any("memory.backend" in warning for warning in take(chosen, "p").warnings)


@pytest.mark.parametrize("name", ["a" * 300, "a" * 5000, "a/b", "..", ".", "", "/", "é" * 200])
def test_what_can_be_no_directory_is_not_found(config: Config, name: str) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    with pytest.raises(PluginNotFound):
        take(config, name)
    assert children(config) == {"p"}


def test_the_layers_that_stay_without_a_plugin_are_those_of_the_kernel() -> None:
    assert frozenset(BUILT_IN_LAYERS) == remove._BUILT_IN_LAYERS


def test_a_lock_that_cannot_be_written_is_said_and_the_same_command_finishes(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(config, str(write_package(tmp_path / "src", "p")), probe=FakeProbe())

    def full(*_: object) -> None:
        # By now the room that the package took is free.
        assert children(config) == set()
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(lock, "write", full)
        with pytest.raises(PluginError, match=r"p is removed, but .* still names it: No space left") as caught:
            take(config, "p")
    assert "run `zeroclaw plugin remove p` again" in (caught.value.hint or "")
    take(config, "p")
    assert lock.read(lock.path_of(config.location)).entries == {}
