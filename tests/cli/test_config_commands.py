from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.packages import PUBLIC

KEY = "zpi1_WyJteS1wbHVnaW4iLCJ0b29sIiwibXktcGx1Z2luIl0"
SECRET = f"plugins.entries.{KEY}.config.api_key"
STAMP = "schema_version = 3\n"


def write(home: Home, text: str) -> None:
    home.config_dir.mkdir(exist_ok=True)
    home.config_file.write_text(text)


@pytest.mark.parametrize(
    "words",
    [
        ("config", "get", "plugins.enabled"),
        ("config", "list"),
        ("config", "path"),
        ("config", "schema"),
        ("config", "get", "plugins.nothing"),
    ],
)
def test_a_reading_command_creates_nothing(home: Home, words: tuple[str, ...]) -> None:
    home.run(*words)
    assert list(home.path.iterdir()) == []


def test_get_prints_the_bare_value(home: Home) -> None:
    assert home.ok("config", "get", "plugins.enabled").stdout == "false\n"
    assert home.ok("config", "get", "plugins.security.signature-mode").stdout == "disabled\n"
    assert home.ok("config", "get", "plugins.limits.call_timeout_ms").stdout == "30000\n"
    assert home.ok("config", "get", "plugins.disabled").stdout == "[]\n"
    assert home.ok("config", "get", "plugins.plugins_dir").stdout == f"{home.config_dir}/plugins\n"
    assert home.ok("config", "get", "memory.native.curation_interval_turns").stdout == "<unset>\n"


def test_the_json_value_is_always_a_string(home: Home) -> None:
    for path, value in (("plugins.enabled", "false"), ("plugins.max_plugins", "50"), ("plugins.disabled", "[]")):
        assert home.ok("config", "get", path, "--json").json() == {"path": path, "value": value}


def test_set_then_get(home: Home) -> None:
    done = home.ok("config", "set", "plugins.limits.call-fuel", "7")
    assert (done.stdout, done.stderr) == ("plugins.limits.call_fuel updated.\n", "")
    assert home.ok("config", "get", "plugins.limits.call_fuel").stdout == "7\n"
    assert home.config_file.read_text() == STAMP + "\n[plugins.limits]\ncall_fuel = 7\n"
    assert stat.S_IMODE(home.config_file.stat().st_mode) == 0o600
    done = home.ok("config", "set", "plugins.disabled", "a, b", "--json")
    assert done.json() == {"path": "plugins.disabled", "value": '["a", "b"]'}


def test_set_of_a_comment(home: Home) -> None:
    home.ok("config", "set", "plugins.enabled", "true", "--comment", "for work")
    assert "# for work\nenabled = true\n" in home.config_file.read_text()


def test_a_negative_number_reaches_its_check(home: Home) -> None:
    done = home.fails(1, "config", "set", "plugins.limits.call_fuel", "-5")
    assert "must be greater than 0, not -5" in done.stderr


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("memory.native.project", "a/b", "may not contain"),
        ("memory.native.project", "   ", "is blank"),
        ("memory.native.project", "..", "may not be '..'"),
        ("memory.native.protected_paths", "notes/own.md, /etc/x", "'/etc/x' protects nothing"),
        ("memory.native.protected_paths", "notes/", "'notes/' protects nothing"),
        ("memory.provider", "A b", "is not a provider name"),
        ("memory.provider", "plugin", "is a reserved word"),
        ("memory.provider", "memory.disabled", 'memory.backend = "none"'),
    ],
)
def test_what_no_memory_can_be_opened_with_is_not_set(home: Home, path: str, value: str, words: str) -> None:
    home.ok("config", "set", "memory.native.keep_versions", "7")
    before = home.config_file.read_bytes()
    error = home.fails(1, "config", "set", path, value, "--json").error()
    assert (error["code"], error["path"]) == ("validation_failed", path)
    assert words in error["message"]
    name = path.replace(".", "/")
    shown = value.split(", ") if path.endswith("paths") else value
    patch = json.dumps([{"op": "add", "path": f"/{name}", "value": shown}])
    assert home.fails(1, "config", "patch", "--json", stdin=patch).error()["code"] == "validation_failed"
    assert home.config_file.read_bytes() == before


def test_a_bad_project_can_be_unset_and_forbids_no_other_change(home: Home) -> None:
    home.config_dir.mkdir()
    home.config_file.write_text('schema_version = 3\n[memory.native]\nproject = "a/b"\n')
    home.ok("config", "set", "memory.native.mirror", "off")
    home.ok("config", "unset", "memory.native.project")
    home.ok("memory", "store", "k", "x")


def test_the_id_of_the_built_in_store_is_no_provider_wherever_one_is_looked_for(home: Home) -> None:
    done = home.ok("config", "set", "memory.provider", "ironclaw.memory")
    assert "means the built-in store" in done.stderr
    for words in (["memory", "store", "k", "x"], ["memory", "list"], ["memory", "status"], ["memory", "providers"]):
        assert home.ok(*words).stderr.count("warning: ") == 1
    checks = home.ok("doctor", "--json").json()["checks"]
    assert [check["id"] for check in checks if "ironclaw" in check["detail"]] == ["config"]
    assert home.ok("memory", "status", "--json").json()["provider"] is None
    home.ok("memory", "off")
    assert home.ok("memory", "list").stderr == ""


def test_a_mistyped_option_is_no_value(home: Home) -> None:
    assert "no such option: --commnet" in home.fails(2, "config", "set", "memory.native.project", "--commnet").stderr
    home.ok("config", "set", "memory.native.project", "--", "--x")
    assert home.ok("config", "get", "memory.native.project").stdout == "--x\n"


@pytest.mark.parametrize(
    ("path", "value", "code", "message"),
    [
        ("plugins.enabledd", "true", "path_not_found", "unknown property 'plugins.enabledd'"),
        ("plugins..enabled", "true", "path_not_found", "empty segment"),
        ("plugins.limits", "3", "path_not_found", "'plugins.limits' is a table"),
        ("autonomy.level", "full", "path_not_found", "unknown property"),
        ("plugins.enabled", "yes", "value_type_mismatch", "'yes' is not a boolean"),
        ("plugins.max_plugins", "1_000", "value_type_mismatch", "'1_000' is not an integer"),
        ("plugins.disabled", "[a, b]", "value_type_mismatch", "begins with ["),
        ("plugins.security.signature_mode", "loose", "validation_failed", "one of disabled, permissive, strict"),
        ("plugins.plugins_dir", "p", "validation_failed", "is relative"),
        ("memory.backend", "markdown", "validation_failed", "belongs to the other program"),
        ("schema_version", "2", "validation_failed", "cannot be set"),
        ("plugins.entries.zpi1_abc.config.k", "v", "validation_failed", "is not an instance key"),
    ],
)
def test_a_refused_set_says_why_and_leaves_the_file(home: Home, path: str, value: str, code: str, message: str) -> None:
    write(home, "# mine\n")
    done = home.fails(1, "config", "set", path, value, "--no-interactive", "--json")
    error = done.error()
    assert (error["code"], done.stdout) == (code, "")
    assert message in error["message"]
    assert error["path"]
    assert error["hint"]
    assert home.config_file.read_text() == "# mine\n"
    plain = home.fails(1, "config", "set", path, value, "--no-interactive").stderr.splitlines()
    assert [line.partition(":")[0] for line in plain] == ["error", "hint"]


def test_a_missing_value_is_an_error_of_the_command_line(home: Home) -> None:
    assert "no value for plugins.enabled" in home.fails(2, "config", "set", "plugins.enabled").stderr


def test_a_typo_is_met_with_the_nearest_name(home: Home) -> None:
    done = home.fails(1, "config", "get", "plugins.security.signature_mod")
    assert "hint: did you mean plugins.security.signature_mode?" in done.stderr
    done = home.fails(1, "config", "get", "plugins.limits")
    assert "`zeroclaw config list -f plugins.limits`" in done.stderr


def test_a_secret_comes_from_stdin_and_is_never_shown(home: Home) -> None:
    done = home.ok("config", "set", SECRET, "-", stdin="hunter2\n")
    assert done.stderr == "received 7 characters\n"
    assert done.stdout == f"{SECRET} updated.\n"
    assert home.ok("config", "get", SECRET).stdout == f"{SECRET} is set\n"
    assert home.ok("config", "get", SECRET, "--json").json() == {"path": SECRET, "populated": True}
    listed = home.ok("config", "list").stdout + home.ok("config", "list", "--json").stdout
    assert "****" in listed
    assert "hunter2" not in listed + home.config_file.read_text()
    assert "enc2:" not in listed


def test_a_secret_of_many_lines_is_taken_whole(home: Home) -> None:
    done = home.ok("config", "set", SECRET, "-", stdin="-----BEGIN\nabc\n-----END\n")
    assert done.stderr == "received 23 characters\n"


def test_a_secret_that_is_not_utf_8_is_refused(home: Home) -> None:
    done = home.run("config", "set", SECRET, "-", stdin=b"\xff\xfe")
    assert (done.code, "not UTF-8" in done.stderr) == (2, True)
    assert not home.config_file.exists()


def test_a_plugins_dir_among_the_packages_data_is_refused(home: Home) -> None:
    place = home.config_dir / "data" / "plugins"
    done = home.fails(1, "config", "set", "plugins.plugins_dir", str(place), "--json")
    assert (done.error()["code"], done.error()["path"]) == ("validation_failed", "plugins.plugins_dir")
    assert not home.config_file.exists()


def test_a_secret_is_taken_from_the_line_only_when_that_is_asked_for(home: Home) -> None:
    done = home.fails(2, "config", "set", SECRET, "hunter2")
    assert "the value on the command line is ignored" in done.stderr
    assert "--no-interactive" in done.stderr
    assert "hunter2" not in done.stderr
    assert not home.config_file.exists()
    assert home.ok("config", "set", SECRET, "hunter2", "--no-interactive", "--json").json() == {
        "path": SECRET,
        "populated": True,
    }
    assert "no value for the secret" in home.fails(2, "config", "set", SECRET, "--no-interactive").stderr


@pytest.mark.parametrize("stdin", ["", "\n"])
def test_an_empty_secret_is_refused(home: Home, stdin: str) -> None:
    done = home.fails(1, "config", "set", SECRET, "-", "--json", stdin=stdin)
    assert done.error()["code"] == "validation_failed"


def test_unset_is_fine_when_absent(home: Home) -> None:
    assert home.ok("config", "unset", "plugins.enabled").stdout == "plugins.enabled unset.\n"
    home.ok("config", "set", "plugins.enabled", "true")
    done = home.ok("config", "unset", "plugins.enabled", "--json")
    assert done.json() == {"path": "plugins.enabled", "value": "false"}
    home.ok("config", "set", SECRET, "x", "--no-interactive")
    assert home.ok("config", "unset", SECRET, "--json").json() == {"path": SECRET, "populated": False}
    home.ok("config", "unset", f"plugins.entries.{KEY}")
    assert "[[plugins.entries]]" not in home.config_file.read_text()


def test_list_marks_what_the_environment_sets(home: Home) -> None:
    home.ok("config", "set", SECRET, "x", "--no-interactive")
    env = {"ZEROCLAW_plugins__enabled": "true", "LC_ALL": "C.UTF-8"}
    lines = home.ok("config", "list", env=env).stdout.splitlines()
    assert lines[0] == "💉 set by the environment   🔒 secret"
    assert f"💉{'plugins.enabled':<45} = {'true':<20} (bool)" in lines
    assert f"  {'plugins.auto_discover':<45} = {'false':<20} (bool)" in lines
    assert f"  {SECRET:<45} = {'****':<20} (string) 🔒" in lines
    assert "[plugins.security]" in lines


def test_list_in_json(home: Home) -> None:
    home.ok("config", "set", SECRET, "x", "--no-interactive")
    home.ok("config", "set", "plugins.max_plugins", "3")
    document = home.ok("config", "list", "--json", env={"ZEROCLAW_plugins__enabled": "true"}).json()
    assert list(document) == ["values"]
    values = {item["path"]: item for item in document["values"]}
    assert values["plugins.enabled"] == {
        "path": "plugins.enabled",
        "value": "true",
        "type": "bool",
        "default": "false",
        "source": "env",
    }
    assert values["plugins.max_plugins"]["source"] == "file"
    assert values[SECRET] == {"path": SECRET, "populated": True, "type": "string", "default": None, "source": "file"}


def test_list_is_cut_by_a_prefix_and_to_secrets(home: Home) -> None:
    home.ok("config", "set", SECRET, "x", "--no-interactive")
    found = home.ok("config", "list", "-f", "plugins.limits", "--json").json()["values"]
    assert {item["path"].rpartition(".")[0] for item in found} == {"plugins.limits"}
    assert [item["path"] for item in home.ok("config", "list", "--secrets", "--json").json()["values"]] == [SECRET]
    assert "no path begins with nothing" in home.ok("config", "list", "-f", "nothing").stderr


def test_path_says_where_the_file_is_even_if_it_is_damaged(home: Home) -> None:
    write(home, "[x\n")
    assert home.ok("config", "path").stdout == f"{home.config_file}\n"
    document = home.ok("--config-dir", "~/other", "config", "path", "--json").json()
    assert document == {
        "path": f"{home.path}/other/config.toml",
        "config_dir": f"{home.path}/other",
        "data_dir": f"{home.path}/other/data",
        "source": "--config-dir",
        "exists": False,
    }


def test_a_damaged_file_ends_with_5_and_the_line(home: Home) -> None:
    write(home, "a = 1\n[x\n")
    for words in (
        ("config", "get", "plugins.enabled"),
        ("config", "set", "plugins.enabled", "true"),
        ("config", "list"),
    ):
        done = home.fails(5, *words)
        assert f"error: {home.config_file}: line 2, column 3: " in done.stderr
        assert "hint: correct it with `zeroclaw config edit`" in done.stderr
    assert home.config_file.read_text() == "a = 1\n[x\n"


def test_a_malformed_section_warns_on_every_command_and_is_not_rewritten(home: Home) -> None:
    before = "[plugins.entries]\nx = 1\n"
    write(home, before)
    done = home.ok("config", "get", "plugins.enabled")
    assert done.stdout == "false\n"
    assert f"warning: {home.config_file}: line 1: plugins.entries must be an array of tables" in done.stderr
    assert home.ok("-q", "config", "get", "plugins.enabled").stderr == ""
    done = home.fails(5, "config", "set", "plugins.enabled", "true", "--json")
    assert done.error()["code"] == "config_damaged"
    assert home.config_file.read_text() == before


def test_an_unknown_override_stops_every_command(home: Home) -> None:
    done = home.fails(1, "config", "get", "plugins.enabled", "--json", env={"ZEROCLAW_plugins__enabeld": "true"})
    assert done.error()["code"] == "unknown_override"
    assert "ZEROCLAW_plugins__enabled" in (done.error()["hint"] or "")


def test_overrides_of_the_other_program_are_named_under_v_alone(home: Home) -> None:
    env = {"ZEROCLAW_autonomy__level": "full"}
    assert home.ok("config", "get", "plugins.enabled", env=env).stderr == ""
    assert "ZEROCLAW_autonomy__level" in home.ok("-v", "config", "get", "plugins.enabled", env=env).stderr


def test_set_warns_that_the_environment_overrides_it(home: Home) -> None:
    env = {"ZEROCLAW_plugins__enabled": "false"}
    done = home.ok("config", "set", "plugins.enabled", "true", env=env)
    assert "warning: ZEROCLAW_plugins__enabled in the environment overrides plugins.enabled" in done.stderr
    assert "enabled = true" in home.config_file.read_text()


def test_schema_prints_json_schema(home: Home) -> None:
    assert home.ok("config", "schema").json()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert home.ok("config", "schema", "--path", "plugins.enabled").json()["type"] == "boolean"
    assert home.fails(1, "config", "schema", "--path", "x", "--json").error()["code"] == "path_not_found"


def test_init_writes_a_template_once(home: Home) -> None:
    done = home.ok("config", "init", "secrets")
    assert done.stdout == f"[secrets] written to {home.config_file}\n"
    assert "# encrypt = true\n" in home.config_file.read_text()
    assert home.ok("config", "init", "secrets", "--json").json() == {"written": [], "skipped": [], "changed": False}
    assert home.ok("config", "init", "secrets").stdout == "nothing to add\n"


def test_migrate_restamps_and_names_what_is_left(home: Home) -> None:
    write(home, "schema_version = 2\n")
    assert "config migrate" in home.fails(1, "config", "set", "plugins.enabled", "true").stderr
    done = home.ok("config", "migrate")
    assert done.stdout.splitlines() == [
        "schema_version is 3 now; keys of other programs were not changed",
        f"the old file is {home.config_file}.v2.bak",
    ]
    assert home.ok("config", "migrate").stdout == "nothing to migrate\n"
    write(home, STAMP + "[plugins.entries.a]\ntoken = 'x'\n")
    done = home.fails(1, "config", "migrate", "--json")
    assert "has no place in an entry" in done.json()["remaining"][0]
    assert "warning: not converted: plugins.entries is a table" in done.stderr


def test_patch_from_stdin_and_from_a_file(home: Home) -> None:
    operations = [
        {"op": "replace", "path": "/plugins/enabled", "value": True},
        {"op": "add", "path": f"/plugins/entries/{KEY}/config/k", "value": "hunter2"},
    ]
    done = home.ok("config", "patch", "--json", stdin=json.dumps(operations))
    assert done.json() == {
        "applied": 2,
        "paths": ["plugins.enabled", f"plugins.entries.{KEY}.config.k"],
        "changed": True,
    }
    assert "hunter2" not in home.config_file.read_text()
    (home.path / "patch.json").write_text('[{"op": "remove", "path": "/plugins/enabled"}]')
    assert home.ok("config", "patch", "~/patch.json").stdout == "plugins.enabled updated.\n"
    assert home.ok("config", "get", "plugins.enabled").stdout == "false\n"


def test_a_bad_patch_applies_nothing(home: Home) -> None:
    write(home, "# mine\n")
    good, bad = (
        '{"op": "add", "path": "/plugins/enabled", "value": true}',
        '{"op": "add", "path": "/memory/backend", "value": 3}',
    )
    text = f"[{good}, {bad}]"
    assert home.fails(1, "config", "patch", "-", "--json", stdin=text).error()["code"] == "value_type_mismatch"
    assert home.fails(2, "config", "patch", "--json", stdin="{").error()["code"] == "usage"
    assert "missing.json" in home.fails(1, "config", "patch", "missing.json").stderr
    assert home.config_file.read_text() == "# mine\n"


def test_the_rest_of_the_file_stays_byte_for_byte(home: Home) -> None:
    before = (
        b"\xef\xbb\xbf# top\r\nschema_version = 3\r\n\r\n[autonomy] # theirs\r\n\tlevel='full'\r\n\r\n"
        b"[plugins]\r\n  enabled = false # not yet\r\n\r\n# end"
    )
    home.config_dir.mkdir()
    home.config_file.write_bytes(before)
    home.ok("config", "set", "plugins.enabled", "true")
    assert home.config_file.read_bytes() == before.replace(b"= false", b"= true")
    home.ok("config", "set", "plugins.auto_discover", "true")
    home.ok("config", "unset", "plugins.auto_discover")
    assert home.config_file.read_bytes() == before.replace(b"= false", b"= true")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser writes everywhere")
def test_a_read_only_home_is_read_with_the_defaults(home: Home) -> None:
    home.path.chmod(0o500)
    assert home.ok("config", "get", "plugins.enabled").stdout == "false\n"
    assert "Permission denied" in home.fails(1, "config", "set", "plugins.enabled", "true").stderr
    home.path.chmod(0o700)


def test_an_empty_config_dir_is_an_error_of_the_command_line(home: Home) -> None:
    assert "--config-dir is empty" in home.fails(2, "--config-dir", "", "config", "path").stderr


def test_one_command_uses_the_folder_of_its_option(home: Home, tmp_path: Path) -> None:
    home.ok("--config-dir", tmp_path / "mine", "config", "set", "plugins.enabled", "true")
    assert (tmp_path / "mine" / "config.toml").exists()
    assert not home.config_dir.exists()


def test_get_imports_nothing_heavy(home: Home) -> None:
    done = home.ok("config", "set", "plugins.max_plugins", "3")
    words = [sys.executable, "-X", "importtime", "-m", "zeroclaw_cli", "config", "get", "plugins.max_plugins"]
    done_get = subprocess.run(words, env=home.env(), capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done_get.stderr.splitlines()}
    assert (done.code, done_get.stdout) == (0, "3\n")
    assert "tomli" in loaded
    assert not loaded & {
        "tomlkit",
        "rich",
        "cryptography",
        "jsonschema",
        "filelock",
        "wasmtime",
        "platformdirs",
    }
    assert "zeroclaw_cli.config.document" not in done_get.stderr


def test_no_editor_is_started_where_nobody_can_type(home: Home) -> None:
    done = home.run("config", "edit", timeout=20)
    assert done.code == 2
    assert "there is no terminal" in done.stderr
    assert not home.config_file.exists()


UNKNOWN = {"ZEROCLAW_memory__bogus": "1"}


@pytest.mark.parametrize(
    "words", [["list"], ["get", "plugins.enabled"], ["set", "plugins.enabled", "true"], ["init"], ["migrate"]]
)
def test_a_command_that_needs_the_config_stops_at_an_unknown_override(home: Home, words: list[str]) -> None:
    error = home.fails(1, "config", *words, "--json", env=UNKNOWN).error()
    assert error["code"] == "unknown_override"
    assert "`zeroclaw config schema` shows every path" in error["hint"]
    assert not home.config_file.exists()


def test_what_shows_and_mends_the_file_works_under_an_unknown_override(home: Home) -> None:
    assert home.ok("config", "path", env=UNKNOWN).stdout == f"{home.config_file}\n"
    assert home.ok("config", "schema", env=UNKNOWN).json()["$schema"].startswith("https://json-schema.org/")
    home.config_dir.mkdir()
    home.config_file.write_text("[plugins]\nenabled = false\n")
    done = home.ok("config", "edit", env={**UNKNOWN, "EDITOR": "sed -i s/false/true/"})
    assert "warning: ZEROCLAW_memory__bogus names no config field: other commands refuse to run" in done.stderr
    assert "enabled = true" in home.config_file.read_text()


def test_a_damaged_file_is_named_before_an_override(home: Home) -> None:
    home.config_dir.mkdir()
    home.config_file.write_text("[[[\n")
    for word in ("init", "migrate"):
        assert home.fails(5, "config", word, "--json", env=UNKNOWN).error()["code"] == "config_damaged"


OTHER = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660d"


def test_comments_between_the_keys_survive_trust_add_and_trust_remove(home: Home) -> None:
    lines = [
        "schema_version = 3\r",
        "[plugins.security]\r",
        "trusted_publisher_keys = [ # whom we trust",
        "  # the people upstairs\r",
        f'  "{PUBLIC}", # Ada',
        "  # those of the summer",
        "]",
        "",
    ]
    home.config_dir.mkdir(mode=0o700)
    home.config_file.write_bytes("\n".join(lines).encode())
    home.ok("plugin", "trust", "add", OTHER)
    added = [*lines[:5], f'  "{OTHER}",', *lines[5:]]
    assert home.config_file.read_bytes() == "\n".join(added).encode()
    home.ok("plugin", "trust", "remove", PUBLIC)
    assert home.config_file.read_bytes() == "\n".join([*added[:4], *added[5:]]).encode()
