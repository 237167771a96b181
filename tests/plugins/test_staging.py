"""Interrupted changes: whatever step a process dies at, the state is the one before or the one after."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.crashes import each_step
from tests.support.packages import WASM, FakeProbe, config_in, write_package
from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.plugins import discovery, lock, owner, staging
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.plugins.remove import remove


def put(config: Config, source: Path, *, replace: bool = False) -> None:
    install(config, str(source), probe=FakeProbe(), replace=replace)


def version(config: Config) -> str | None:
    """The version of the package p that is admitted and locked, None when there is none of that name at all."""
    inventory = discovery.discover(config)
    assert inventory.skipped == ()
    for package in inventory.packages:
        if package.name == "p":
            assert package.lock is not None, "it is not locked"
            assert package.lock.version == package.manifest.version
            return package.manifest.version
    return None


def leftovers(config: Config) -> list[str]:
    places = (config.plugins.plugins_dir, config.location.data_dir / "plugins")
    found = [path.name for place in places if place.is_dir() for path in place.iterdir()]
    return [name for name in found if staging.is_leftover(name)]


def test_a_first_install_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p")

    def judge(config: Config) -> None:
        assert version(config) in (None, "1.0.0")
        put(config, source)
        assert (version(config), leftovers(config)) == ("1.0.0", [])

    kinds = each_step(tmp_path, lambda config: None, lambda config: put(config, source), judge)
    assert {"rename", "fsync", "mkdir", "create"} <= kinds


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_replacement_leaves_the_old_version_or_the_new_one(tmp_path: Path, can_exchange: bool) -> None:
    old = write_package(tmp_path / "old", "p")
    new = write_package(tmp_path / "new", "p", version="2.0.0", component=WASM + b"new", wasm_path="lib/new.wasm")

    def prepare(config: Config) -> None:
        put(config, old)
        (owner.claim(config, discovery.discover(config).find("p")) / "journal.db").write_bytes(b"remembered")

    def judge(config: Config) -> None:
        found = version(config)
        if can_exchange:
            assert found in ("1.0.0", "2.0.0")
        elif found is None:
            # Only without an atomic swap the name may be missing for a moment; the next change brings it back.
            with staging.exclusive(config):
                assert version(config) == "1.0.0"
        put(config, new, replace=True)
        assert (version(config), leftovers(config)) == ("2.0.0", [])
        assert (owner.data_dir(config, "p") / "journal.db").read_bytes() == b"remembered"
        assert lock.read(lock.path_of(config.location)).pending == {}

    kinds = each_step(
        tmp_path, prepare, lambda config: put(config, new, replace=True), judge, can_exchange=can_exchange
    )
    assert "exchange" in kinds


def test_a_rejected_leftover_is_never_half_replaced(tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p")

    def prepare(config: Config) -> None:
        folder = config.plugins.plugins_dir / "p"
        folder.mkdir(parents=True)
        (folder / "manifest.toml").write_text("cut off = ")

    def judge(config: Config) -> None:
        inventory = discovery.discover(config)
        assert len(inventory.packages) + len(inventory.skipped) == 1
        put(config, source)
        assert (version(config), leftovers(config)) == ("1.0.0", [])

    each_step(tmp_path, prepare, lambda config: put(config, source), judge)


def test_a_removal_takes_the_whole_package_or_nothing(tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p")
    other = write_package(tmp_path / "other", "q")

    def prepare(config: Config) -> None:
        put(config, source)
        put(config, other)
        owner.claim(config, discovery.discover(config).find("p"))

    def act(config: Config) -> None:
        remove(config, "p", purge_config=True, purge_data=True)

    def judge(config: Config) -> None:
        assert version(config) in (None, "1.0.0")
        assert discovery.discover(config).find("q").lock is not None
        with staging.exclusive(config):
            assert leftovers(config) == []

    each_step(tmp_path, prepare, act, judge)


def test_an_error_while_staging_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = config_in(tmp_path / "home")
    real = fsio.write_new

    def full(path: Path, data: bytes, *, mode: int = 0o600) -> None:
        if path.name == "p.wasm":
            raise OSError(28, "No space left on device", str(path))
        real(path, data, mode=mode)

    monkeypatch.setattr(fsio, "write_new", full)
    with pytest.raises(OSError, match="No space left"):
        put(config, write_package(tmp_path / "src", "p"))
    assert leftovers(config) == []
    assert version(config) is None


def test_without_an_atomic_swap_a_failed_second_rename_brings_the_old_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_in(tmp_path / "home")
    put(config, write_package(tmp_path / "old", "p"))
    staged = tmp_path / "home" / "config" / "plugins" / ".staging-x"
    write_package(staged, "p", version="2")
    real = os.rename

    def failing(source: object, target: object) -> None:
        if source == staged:
            raise OSError(5, "Input/output error")
        real(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(fsio, "exchange", lambda *_: False)
    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="Input/output"):
        staging.publish(staged, config.plugins.plugins_dir / "p")
    assert version(config) == "1.0.0"


def test_what_cannot_be_deleted_is_a_warning_and_not_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = config_in(tmp_path / "home")
    put(config, write_package(tmp_path / "old", "p"))

    def refuse(directory: Path) -> None:
        raise PermissionError(13, "Permission denied", str(directory))

    monkeypatch.setattr(fsio, "remove_tree", refuse)
    result = install(config, str(write_package(tmp_path / "new", "p", version="2")), probe=FakeProbe(), replace=True)
    assert result.package.manifest.version == "2"
    assert any("could not be deleted" in warning for warning in result.warnings)
    assert version(config) == "2"
