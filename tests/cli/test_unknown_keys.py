"""Keys of config.toml that no setting has: the installed command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.guests import package
from zeroclaw_cli.config.build import read_sections
from zeroclaw_cli.config.schema import format_path
from zeroclaw_cli.config.toml_read import load_toml

SLIPS = {
    '[plugins.securty]\nsignature_mode = "strict"\n': "plugins.securty",
    '[plugins.security]\nsignature_mod = "strict"\n': "plugins.security.signature_mod",
    "[plugins.security.strict]\nx = 1\n": "plugins.security.strict",
    '[plugin.security]\nsignature_mode = "strict"\n': "plugin.security",
    '[Plugins.Security]\nsignature_mode = "strict"\n': "Plugins.Security",
    '[security]\nsignature-mode = "strict"\n': "security.signature-mode",
    'trusted_publisher_key = ["x"]\n': "trusted_publisher_key",
    # A mistake elsewhere in the section does not hide the slip.
    '[plugins]\nauto_discover = "yes"\nrevoked_publisher_keyz = []\n': "plugins.revoked_publisher_keyz",
}


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    return home


def with_lines(home: Home, text: str) -> None:
    lines = "" if "[plugins]" in text else "\n[plugins]\nenabled = true\n"
    # What stands before the first section is of the root.
    home.config_file.write_text(f"schema_version = 3\n{text}{lines}")


@pytest.mark.slow
def test_what_may_be_a_rule_of_the_policy_keeps_packages_from_loading(notes: Home) -> None:
    for text, name in SLIPS.items():
        with_lines(notes, text)
        done = notes.fails(4, "memory", "count", "--backend", "plugin.notes", "--json")
        assert (done.error()["code"], name in done.error()["message"]) == ("policy_unclear", True), text


@pytest.mark.parametrize("text", SLIPS)
def test_a_slip_of_a_security_setting_is_told_from_other_unknown_keys(text: str) -> None:
    reading = read_sections(load_toml(text))
    assert [format_path(path) for path in reading.slips] == [SLIPS[text]]
    assert read_sections(load_toml("[plugins]\nfoo = 1\n[security]\nmode = 1\n[plugin]\nx = 1\n")).slips == ()


def test_every_way_to_load_a_package_is_closed(notes: Home, tmp_path: Path) -> None:
    with_lines(notes, next(iter(SLIPS)))
    other = package(tmp_path / "others", "other", "notes")
    for words in (
        ("plugin", "info", "notes", "--load"),
        ("plugin", "install", other),
        ("plugin", "install", other, "--replace"),
        ("memory", "copy", "--from", "native", "--to", "plugin.notes"),
    ):
        done = notes.fails(4, *words, "--json")
        assert "plugins.securty" in done.error()["message"], words
    listed = notes.ok("plugin", "list", "--json").json()
    assert listed["plugins"] == []
    assert [skipped["code"] for skipped in listed["skipped"]] == ["policy-unclear"]
    notes.fails(1, "plugin", "verify", "--all")
    # What runs no package still works, and the package can be removed.
    notes.ok("memory", "count")
    notes.ok("plugin", "remove", "notes")


def test_doctor_names_each_key_and_a_slip_is_an_error(notes: Home) -> None:
    with_lines(notes, "[plugins.securty]\nx = 1\n[memory.native]\nmiror = 'off'\n[secrets]\nfoo = 1\n")
    done = notes.fails(1, "doctor", "--json").json()
    found = {check["detail"].split()[0]: check for check in done["checks"] if check["id"] == "config.unknown"}
    states = {name: check["state"] for name, check in found.items()}
    assert states == {"plugins.securty": "error", "memory.native.miror": "warning", "secrets.foo": "warning"}
    assert "memory.native.mirror" in found["memory.native.miror"]["hint"]
    assert all("zeroclaw config edit" in check["hint"] for check in found.values())


def test_a_command_warns_once_of_the_sections_that_it_uses(home: Home) -> None:
    home.config_dir.mkdir()
    home.config_file.write_text("[memory]\nauto_save = true\nhygiene = 1\n[secrets]\nfoo = 1\n[channels.x]\ny = 1\n")
    done = home.ok("memory", "count")
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: ")
    assert all(word in line for word in ("memory.auto_save", "memory.hygiene", "zeroclaw doctor"))
    assert "secrets.foo" in home.ok("plugin", "list").stderr
    assert home.ok("config", "get", "memory.backend").stderr == ""
    assert home.ok("-q", "memory", "count").stderr == ""


def test_other_programs_sections_and_values_are_no_concern(home: Home) -> None:
    home.config_dir.mkdir()
    home.config_file.write_text(
        "[gateway]\nport = 1\n[security.sandbox]\nkind = 1\n[plugin]\nx = 1\n[channels.telegram]\ntoken = ''\n"
        "[memory.providers.mem0]\nanything = 1\n[memory.topology.layers.documents]\nenabled = true\n"
        "[[plugins.entries]]\nname = 'a'\n[plugins.entries.config]\nsignature_mode = 'x'\n"
    )
    checks = home.ok("doctor", "--json").json()["checks"]
    assert [check for check in checks if check["id"] == "config.unknown"] == []
    assert home.ok("memory", "count").stderr == ""


def test_an_edit_that_brings_an_unknown_key_says_so(home: Home, tmp_path: Path) -> None:
    editor = tmp_path / "edit.py"
    editor.write_text("import sys\nopen(sys.argv[1], 'a').write('[plugins.securty]\\nx = 1\\n')\n")
    done = home.ok("config", "edit", env={"VISUAL": f"{sys.executable} {editor}"})
    assert "plugins.securty is unknown" in done.stderr
