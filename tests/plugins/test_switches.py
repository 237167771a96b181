from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.support.packages import SEED, config_in, write_package
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import ConfigError, NotFound, PluginNotFound, ValidationFailed
from zeroclaw_cli.plugins import switches
from zeroclaw_cli.plugins.publisher_keys import public_key_hex

KEY = public_key_hex(SEED)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def reloaded(config: Config) -> Config:
    return load(str(config.location.config_dir), {})


def test_disabling_and_enabling_is_idempotent_and_kept(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    off = switches.set_enabled(config, "p", enabled=False)
    assert (off.changed, off.config.plugins.disabled) == (True, ("p",))
    assert reloaded(config).plugins.disabled == ("p",)
    assert not switches.set_enabled(reloaded(config), "p", enabled=False).changed
    on = switches.set_enabled(reloaded(config), "p", enabled=True)
    assert (on.changed, on.config.plugins.disabled) == (True, ())
    assert reloaded(config).plugins.disabled == ()
    assert not switches.set_enabled(reloaded(config), "p", enabled=True).changed


def test_a_switch_needs_an_installed_package_and_creates_nothing_without(config: Config, tmp_path: Path) -> None:
    with pytest.raises(PluginNotFound):
        switches.set_enabled(config, "p", enabled=False)
    assert not any(tmp_path.iterdir())


def test_a_change_keeps_what_another_command_wrote_meanwhile(config: Config) -> None:
    for name in ("p", "q"):
        write_package(config.plugins.plugins_dir / name, name)
    switches.set_enabled(config, "p", enabled=False)
    switches.set_enabled(config, "q", enabled=False)
    assert reloaded(config).plugins.disabled == ("p", "q")


def test_a_list_that_the_environment_sets_is_not_written_to_the_file(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    overridden = dataclasses.replace(config, overridden={("plugins", "disabled"): "ZEROCLAW_plugins__disabled"})
    with pytest.raises(ConfigError, match="ZEROCLAW_plugins__disabled"):
        switches.set_enabled(overridden, "p", enabled=False)
    assert not config.location.config_file.exists()


def test_keys_are_trusted_once_whatever_their_case(config: Config) -> None:
    assert switches.trust_add(config, f" {KEY.upper()} ") == switches.Trust((KEY,), (), changed=True)
    assert not switches.trust_add(reloaded(config), KEY).changed
    assert switches.trust_list(reloaded(config)).trusted == (KEY,)
    assert switches.trust_remove(reloaded(config), KEY.upper()).trusted == ()
    assert reloaded(config).plugins.security.trusted_publisher_keys == ()


def test_a_key_that_is_no_key_can_be_removed_but_not_added(config: Config) -> None:
    with pytest.raises(ValidationFailed, match="has 2 hex digits"):
        switches.trust_add(config, "ab")
    config.location.config_dir.mkdir(parents=True)
    config.location.config_file.write_text(
        'schema_version = 3\n[plugins.security]\ntrusted_publisher_keys = ["0xAB"]\n'
    )
    assert switches.trust_remove(reloaded(config), "0xab").trusted == ()


def test_removing_a_key_that_is_not_trusted_is_not_found(config: Config, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        switches.trust_remove(config, KEY)
    assert not any(tmp_path.iterdir())


def test_a_revoked_key_is_not_trusted_until_it_is_no_longer_revoked(config: Config) -> None:
    security = dataclasses.replace(config.plugins.security, revoked_publisher_keys=(f" {KEY.upper()} ",))
    config = dataclasses.replace(config, plugins=dataclasses.replace(config.plugins, security=security))
    with pytest.raises(ValidationFailed, match="is revoked"):
        switches.trust_add(config, KEY)
    assert not config.location.config_file.exists()
