from __future__ import annotations

import stat
from pathlib import Path

import pytest

from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.migrate import migrate
from zeroclaw_cli.config.model import Location
from zeroclaw_cli.errors import ConfigDamaged, SchemaVersion


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location(tmp_path, tmp_path / "data", "test")


def test_an_older_schema_is_restamped_after_a_backup(location: Location) -> None:
    before = "# mine\nschema_version = 2 # old\n[x]\ny = 1\n"
    location.config_file.write_text(before)
    result = migrate(location)
    assert location.config_file.read_text() == before.replace("= 2", "= 3")
    assert result.backup == location.config_dir / "config.toml.v2.bak"
    assert result.backup.read_text() == before
    assert stat.S_IMODE(result.backup.stat().st_mode) == 0o600
    assert (result.from_version, result.to_version, result.remaining) == (2, 3, ())


def test_an_earlier_backup_is_kept(location: Location) -> None:
    (location.config_dir / "config.toml.v2.bak").write_text("earlier")
    location.config_file.write_text("schema_version = 2\n")
    assert migrate(location).backup == location.config_dir / "config.toml.v2.bak.2"
    assert (location.config_dir / "config.toml.v2.bak").read_text() == "earlier"


@pytest.mark.parametrize("text", ["schema_version = 3\n", "schema_version = 3\n[x]\ny=1"])
def test_a_present_file_is_left_alone(location: Location, text: str) -> None:
    location.config_file.write_text(text)
    result = migrate(location)
    assert (result.backup, result.done, result.remaining) == (None, (), ())
    assert location.config_file.read_text() == text


def test_without_a_file_there_is_nothing_to_migrate(location: Location) -> None:
    assert migrate(location).done == ()
    assert not location.config_file.exists()


@pytest.mark.parametrize("version", ['"3"', "true", "2.0"])
def test_a_version_that_is_no_integer_is_mended(location: Location, version: str) -> None:
    location.config_file.write_text(f"schema_version = {version}\n")
    assert migrate(location).from_version is None
    assert location.config_file.read_text() == "schema_version = 3\n"


def test_a_newer_schema_is_refused(location: Location) -> None:
    location.config_file.write_text("schema_version = 4\n")
    with pytest.raises(SchemaVersion):
        migrate(location)
    assert location.config_file.read_text() == "schema_version = 4\n"


def test_a_file_that_does_not_parse_is_refused(location: Location) -> None:
    location.config_file.write_text("[x\n")
    with pytest.raises(ConfigDamaged):
        migrate(location)


def test_a_legacy_table_of_entries_becomes_an_array_and_keeps_its_comments(location: Location) -> None:
    location.config_file.write_text(
        """schema_version = 3

[plugins]
enabled = true

# all of them
[plugins.entries]

# the first
[plugins.entries.squads] # here
egress_hosts = ["x.org"] # why

# its values
[plugins.entries.squads.config]
vault_index = 0 # zero
on = true
ratio = 1.5
list = [1, "a"]

[plugins.entries."b.c".config]
k = "v"

# after
[x]
"""
    )
    result = migrate(location)
    assert (
        location.config_file.read_text()
        == """schema_version = 3

[plugins]
enabled = true

# all of them

# the first
[[plugins.entries]] # here
name = "squads"
egress_hosts = ["x.org"] # why

# its values
[plugins.entries.config]
vault_index = "0" # zero
on = "true"
ratio = "1.5"
list = "[1,\\"a\\"]"

[[plugins.entries]]
name = "b.c"

[plugins.entries.config]
k = "v"

# after
[x]
"""
    )
    assert result.remaining == ()
    assert result.backup == location.config_dir / "config.toml.v3.bak"
    assert [entry.name for entry in load(str(location.config_dir), {}).plugins.entries] == ["squads", "b.c"]


@pytest.mark.parametrize(
    "text",
    [
        "plugins.entries.a.config.k = 'v'\n",
        "[plugins]\nentries = { a = { config = { k = 'v' } } }\n",
        "[plugins.entries]\na.config.k = 'v'\n",
        "[plugins.entries]\na = { name = 'a', config = { k = 'v' } }\n",
        "[plugins.entries.a]\nname = 'a'\nconfig.k = 'v'",
        "[plugins.entries.a]",
    ],
)
def test_every_way_to_write_the_legacy_table_is_converted(location: Location, text: str) -> None:
    location.config_file.write_text(text)
    assert migrate(location).remaining == ()
    (entry,) = load(str(location.config_dir), {}).plugins.entries
    assert entry.name == "a"
    assert entry.config == ({"k": "v"} if "k" in text else {})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[plugins.entries.a]\ntoken = 'v'\n", "plugins.entries.a.token has no place in an entry"),
        ("[plugins.entries]\na = 1\n", "plugins.entries.a is not a table"),
        ("[plugins.entries.a]\nname = 'b'\n", "plugins.entries.a.name is another name"),
        ("[plugins.entries]\na.config.k = 'v' # keep me\n", "comments might be lost"),
        ("[[plugins.entries]]\nname = 'a'\nconfig.k = 07:32:00\n", "plugins.entries.a.config.k must be a string"),
        ("[[plugins.entries]]\nname = 'a'\nconfig.k = inf\n", "plugins.entries.a.config.k must be a string"),
        ("[plugins]\nenabled = 3\n", "line 2: plugins.enabled must be true or false"),
    ],
)
def test_what_cannot_be_converted_is_left_and_named(location: Location, text: str, reason: str) -> None:
    location.config_file.write_text("schema_version = 3\n" + text)
    result = migrate(location)
    assert any(reason in line.replace("line 3", "line 2") for line in result.remaining)
    assert location.config_file.read_text() == "schema_version = 3\n" + text
    assert result.backup is None
