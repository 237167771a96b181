from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.packages import OTHER_SEED, SEED, FakeProbe, config_in, write_package
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import HistoryDamaged
from zeroclaw_cli.plugins import history
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.plugins.manifest import read_manifest
from zeroclaw_cli.plugins.model import Manifest
from zeroclaw_cli.plugins.remove import remove


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def manifest(tmp_path: Path, version: str, seed: bytes | None = None) -> Manifest:
    return read_manifest(write_package(tmp_path / "made", "p", version=version, signed_by=seed) / "manifest.toml")


def put(config: Config, tmp_path: Path, version: str, *, replace: bool = False) -> tuple[str, ...]:
    source = write_package(tmp_path / version, "p", version=version)
    return install(config, str(source), probe=FakeProbe(), replace=replace).warnings


def test_the_highest_version_is_kept_by_publisher_and_name(config: Config, tmp_path: Path) -> None:
    for version, seed in (("1.9", None), ("1.10", None), ("1.2", None), ("3", SEED), ("nightly", OTHER_SEED)):
        assert history.note(config, manifest(tmp_path, version, seed), lower=False) is None
    for seed, highest in ((None, "1.10"), (SEED, "3"), (OTHER_SEED, "nightly")):
        assert history.highest(config, manifest(tmp_path, "0", seed)) == highest
    assert history.path_of(config).stat().st_mode & 0o777 == 0o600


def test_the_history_outlives_the_package_and_is_lowered_only_on_purpose(config: Config, tmp_path: Path) -> None:
    put(config, tmp_path, "2")
    remove(config, "p", purge_config=True, purge_data=True)
    put(config, tmp_path, "1")
    assert history.highest(config, manifest(tmp_path, "0")) == "2"
    put(config, tmp_path, "3", replace=True)
    put(config, tmp_path, "1.5", replace=True)
    assert history.highest(config, manifest(tmp_path, "0")) == "1.5"


def test_reading_creates_nothing(config: Config, tmp_path: Path) -> None:
    assert history.highest(config, manifest(tmp_path, "1")) is None
    assert not config.location.config_dir.exists()


@pytest.mark.parametrize(
    "text",
    [
        "version = ",
        "version = 2\n",
        "version = true\n",
        'version = 1\npackage = "x"\n',
        'version = 1\n[[package]]\nname = "p"\npublisher = "unsigned"\n',
        'version = 1\n[[package]]\nname = "p"\npublisher = "unsigned"\nhighest = 1\n',
        b"version = 1 # \xff\n",
    ],
)
def test_a_damaged_history_is_named_with_the_repair_and_stops_no_install(
    config: Config, tmp_path: Path, text: str | bytes
) -> None:
    path = history.path_of(config)
    path.parent.mkdir(parents=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = path.read_bytes()
    with pytest.raises(HistoryDamaged) as caught:
        history.highest(config, manifest(tmp_path, "1"))
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message
    assert "mv " in (caught.value.hint or "")
    (warning,) = put(config, tmp_path, "1")
    assert "was not recorded" in warning
    assert path.read_bytes() == before


def test_a_history_that_is_no_file_is_damage(config: Config, tmp_path: Path) -> None:
    history.path_of(config).parent.mkdir(parents=True)
    os.mkfifo(history.path_of(config))
    with pytest.raises(HistoryDamaged):
        history.highest(config, manifest(tmp_path, "1"))
