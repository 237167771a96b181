from __future__ import annotations

import os
import pwd
import sys
from pathlib import Path

import pytest

from zeroclaw_cli.config.locations import expand_user, locate
from zeroclaw_cli.errors import UsageError


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(sys, "platform", "linux")
    return {"HOME": str(tmp_path)}


def test_the_default_is_below_the_home(tmp_path: Path, env: dict[str, str]) -> None:
    location, warnings = locate(None, env)
    assert location.config_dir == tmp_path / ".zeroclaw"
    assert location.config_file == tmp_path / ".zeroclaw" / "config.toml"
    assert location.data_dir == tmp_path / ".zeroclaw" / "data"
    assert warnings == ()
    assert list(tmp_path.iterdir()) == []


def test_the_option_wins_over_every_variable_without_a_warning(tmp_path: Path, env: dict[str, str]) -> None:
    env |= {"ZEROCLAW_CONFIG_DIR": "/a", "ZEROCLAW_DATA_DIR": "/b", "VIBEOS_HOME": "/c"}
    location, warnings = locate("~/mine", env)
    assert (location.config_dir, location.data_dir) == (tmp_path / "mine", tmp_path / "mine" / "data")
    assert warnings == ()


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_option_is_an_error_of_the_command_line(text: str, env: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="--config-dir is empty"):
        locate(text, env)


def test_the_config_dir_variable_is_trimmed_and_its_tilde_expanded(tmp_path: Path, env: dict[str, str]) -> None:
    location, _ = locate(None, env | {"ZEROCLAW_CONFIG_DIR": "  ~/x \n"})
    assert location.config_dir == tmp_path / "x"
    assert location.source == "ZEROCLAW_CONFIG_DIR"


def test_a_blank_variable_counts_as_unset(tmp_path: Path, env: dict[str, str]) -> None:
    location, _ = locate(None, env | {"ZEROCLAW_CONFIG_DIR": " ", "ZEROCLAW_DATA_DIR": ""})
    assert location.config_dir == tmp_path / ".zeroclaw"


def test_a_relative_directory_is_made_absolute(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert locate("here", env)[0].config_dir == tmp_path / "here"


def test_a_data_dir_with_a_config_is_a_config_dir(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "config.toml").touch()
    location, _ = locate(None, env | {"ZEROCLAW_DATA_DIR": str(tmp_path / "data")})
    assert (location.config_dir, location.data_dir) == (tmp_path / "data", tmp_path / "data" / "data")


def test_a_data_dir_beside_a_zeroclaw_folder_belongs_to_it(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / ".zeroclaw").mkdir()
    (tmp_path / ".zeroclaw" / "config.toml").touch()
    location, _ = locate(None, env | {"ZEROCLAW_DATA_DIR": str(tmp_path / "store")})
    assert (location.config_dir, location.data_dir) == (tmp_path / ".zeroclaw", tmp_path / "store")


@pytest.mark.parametrize("name", ["data", "workspace"])
def test_a_data_dir_of_a_known_name_has_its_config_beside_it(name: str, tmp_path: Path, env: dict[str, str]) -> None:
    location, _ = locate(None, env | {"ZEROCLAW_DATA_DIR": str(tmp_path / name)})
    assert (location.config_dir, location.data_dir) == (tmp_path / ".zeroclaw", tmp_path / name)


def test_any_other_data_dir_holds_its_config(tmp_path: Path, env: dict[str, str]) -> None:
    location, _ = locate(None, env | {"ZEROCLAW_DATA_DIR": str(tmp_path / "store")})
    assert (location.config_dir, location.data_dir) == (tmp_path / "store", tmp_path / "store" / "data")


def test_the_workspace_variable_works_and_is_deprecated(tmp_path: Path, env: dict[str, str]) -> None:
    location, warnings = locate(None, env | {"ZEROCLAW_WORKSPACE": str(tmp_path / "workspace")})
    assert location.data_dir == tmp_path / "workspace"
    assert warnings == ("ZEROCLAW_WORKSPACE is deprecated; set ZEROCLAW_DATA_DIR or ZEROCLAW_CONFIG_DIR instead",)


def test_the_stronger_of_two_variables_wins_with_a_warning(env: dict[str, str]) -> None:
    location, warnings = locate(None, env | {"ZEROCLAW_CONFIG_DIR": "/a", "ZEROCLAW_DATA_DIR": "/b"})
    assert location.config_dir == Path("/a")
    assert warnings == ("ZEROCLAW_CONFIG_DIR wins over ZEROCLAW_DATA_DIR; unset ZEROCLAW_DATA_DIR",)
    location, warnings = locate(None, env | {"ZEROCLAW_DATA_DIR": "/b/c", "ZEROCLAW_WORKSPACE": "/d"})
    assert location.config_dir == Path("/b/c")
    assert "ZEROCLAW_DATA_DIR wins over ZEROCLAW_WORKSPACE" in warnings[0]


def test_vibeos_home_ranks_just_above_the_home(tmp_path: Path, env: dict[str, str]) -> None:
    assert locate(None, env | {"VIBEOS_HOME": "~/v"})[0].config_dir == tmp_path / "v"
    location, warnings = locate(None, env | {"VIBEOS_HOME": "/v", "ZEROCLAW_DATA_DIR": "/d"})
    assert (location.config_dir, warnings) == (Path("/d"), ())


def test_homebrew_ranks_above_vibeos_home_on_macos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "brew" / "var" / "zeroclaw"
    folder.mkdir(parents=True)
    env = {"HOME": str(tmp_path), "HOMEBREW_PREFIX": str(tmp_path / "brew"), "VIBEOS_HOME": "/v"}
    monkeypatch.setattr(sys, "platform", "darwin")
    assert locate(None, env)[0].config_dir == folder
    monkeypatch.setattr(sys, "platform", "linux")
    assert locate(None, env)[0].config_dir == Path("/v")


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("~", "/home/me"),
        ("~/a/b", "/home/me/a/b"),
        ("~me/a", "~me/a"),
        ("a/~/b", "a/~/b"),
        ("~~", "~~"),
        ("", ""),
    ],
)
def test_only_a_leading_tilde_alone_is_expanded(text: str, expanded: str) -> None:
    assert expand_user(text, {"HOME": "/home/me"}) == expanded


def test_a_home_of_the_root_does_not_double_the_slash() -> None:
    assert expand_user("~/a", {"HOME": "/"}) == "/a"
    assert expand_user("~", {"HOME": "/"}) == "/"


@pytest.mark.parametrize("env", [{}, {"HOME": ""}])
def test_without_home_the_account_database_is_asked(env: dict[str, str]) -> None:
    assert expand_user("~/a", env) == pwd.getpwuid(os.getuid()).pw_dir.rstrip("/") + "/a"


def test_without_any_home_the_tilde_is_literal_with_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_uid: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.chdir(tmp_path)
    location, warnings = locate(None, {})
    assert location.config_dir == tmp_path / "~" / ".zeroclaw"
    assert warnings == ("the home directory is unknown, so ~/.zeroclaw is taken literally; set HOME",)
