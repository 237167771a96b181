"""Slips that must not lift a policy, orphan a secret or send a person to the wrong place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Home
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import SignatureMode

KEY = "zpi1_WyJub3RlcyIsIm1lbW9yeSIsIm5vdGVzIl0"


@pytest.mark.parametrize("text", ["[[plugins]]\nenabled = true\n", "plugins = 5\n", 'plugins = "on"\n'])
def test_plugins_that_is_no_table_is_strict(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    config = load(str(tmp_path), {"HOME": str(tmp_path)})
    assert config.plugins.security.signature_mode is SignatureMode.STRICT
    assert "strict" in " ".join(config.warnings)


def test_a_lost_key_is_damage_and_never_replaced_while_values_need_it(home: Home) -> None:
    home.ok("config", "set", f"plugins.entries.{KEY}.config.a", "1", "--no-interactive")
    (home.config_dir / ".secret_key").unlink()
    before = home.config_file.read_bytes()
    done = home.fails(5, "config", "set", f"plugins.entries.{KEY}.config.b", "2", "--no-interactive")
    assert "is missing, and the config holds values that were sealed with it" in done.stderr
    assert home.config_file.read_bytes() == before
    assert not (home.config_dir / ".secret_key").exists()


def test_the_only_sealed_value_may_be_set_again_under_a_new_key(home: Home) -> None:
    home.ok("config", "set", f"plugins.entries.{KEY}.config.a", "1", "--no-interactive")
    (home.config_dir / ".secret_key").unlink()
    home.ok("config", "set", f"plugins.entries.{KEY}.config.a", "2", "--no-interactive")


def test_a_bad_override_names_its_variable(home: Home) -> None:
    done = home.fails(1, "plugin", "list", env={"ZEROCLAW_plugins__enabled": "TRUE"})
    assert "hint: correct the environment variable ZEROCLAW_plugins__enabled" in done.stderr


def test_the_end_of_the_terminal_is_no_value(home: Home) -> None:
    pexpect = pytest.importorskip("pexpect")
    from tests.support.command import PROGRAM

    child = pexpect.spawn(
        str(PROGRAM),
        ["config", "set", f"plugins.entries.{KEY}.config.token"],
        env=home.env(),
        encoding="utf-8",
        timeout=30,
    )
    child.expect("token: ")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert "Traceback" not in child.before
    assert "no value was given" in child.before
    assert child.exitstatus == 2
