"""``plugin list`` and ``plugin info`` as a person and as a script meet them."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run
from typing import Any

import pexpect
import pytest

from tests.support.command import PROGRAM, Home
from tests.support.guests import package
from tests.support.packages import SEED, SKILL_TEXT, tree, write_package
from zeroclaw_cli.plugins.publisher_keys import public_key_hex

PLUGIN = {
    "name",
    "version",
    "description",
    "author",
    "capabilities",
    "permissions",
    "directory",
    "wasm_path",
    "signature",
    "active",
    "inactive_reason",
    "activity",
    "locked",
    "sha256",
    "config_keys",
}
INFO = PLUGIN | {"installed_at", "source", "skills", "data"}
SKIPPED = {"directory", "name", "code", "reason", "hint"}
SCHEMA: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": {"token": {"type": "string"}}}


def installed(home: Home, name: str, **fields: Any) -> Path:
    """A package put into the plugins folder by hand."""
    return write_package(home.config_dir / "plugins" / name, name, **fields)


def check_plugin(body: dict[str, Any], keys: set[str]) -> None:
    assert set(body) == keys
    assert set(body["signature"]) == {"state", "publisher_key", "covers_component"}
    assert set(body["sha256"]) == {"manifest", "component"}
    for gate in body["activity"]:
        assert set(gate) == {"capability", "active", "reason"}
    for key in body["config_keys"]:
        assert set(key) == {"capability", "key"}


def test_an_empty_home_lists_nothing_says_what_to_do_and_stays_empty(home: Home) -> None:
    done = home.ok("plugin", "list")
    assert done.stdout == ""
    assert done.stderr == "no plugins are installed; `zeroclaw plugin install DIR` installs one\n"
    assert home.ok("plugin", "list", "--json").json() == {"plugins": [], "skipped": []}
    assert not any(home.path.iterdir())


def test_piped_output_is_one_plain_line_a_package_sorted_by_name(home: Home) -> None:
    installed(home, "zeta", description=None)
    installed(home, "alpha", description="First one\nsecond line")
    before = tree(home.path)
    done = home.ok("plugin", "list")
    assert done.stdout == "alpha v1.0.0 — First one\nzeta v1.0.0 — (no description)\n"
    assert done.stderr == ""
    assert tree(home.path) == before


def test_what_is_skipped_is_counted_and_shown_with_reason_and_remedy(home: Home) -> None:
    installed(home, "good")
    installed(home, "bad", permissions=["config_read"])
    plain = home.ok("plugin", "list")
    assert plain.stdout == "good v1.0.0 — The package good\n"
    assert "1 skipped: bad (config-schema); `zeroclaw plugin list --all` says why" in plain.stderr
    everything = home.ok("plugin", "list", "--all")
    lines = everything.stdout.splitlines()
    assert lines[1].startswith("bad skipped (config-schema) — ")
    assert lines[2].startswith("  hint: ")
    body = home.ok("plugin", "list", "--json").json()
    assert [skipped["code"] for skipped in body["skipped"]] == ["config-schema"]
    assert set(body["skipped"][0]) == SKIPPED


def test_strict_mode_hides_an_unsigned_plugin_and_says_so(home: Home) -> None:
    installed(home, "notes")
    home.ok("config", "set", "plugins.security.signature_mode", "strict")
    done = home.ok("plugin", "list")
    assert done.stdout == ""
    assert "1 skipped" in done.stderr
    error = home.fails(4, "plugin", "info", "notes", "--json").error()
    assert error["code"] == "unsigned_plugin"
    assert "signature_mode permissive" in error["hint"]
    assert home.ok("plugin", "list", "--json").json()["skipped"][0]["code"] == "unsigned"


def test_permissive_mode_shows_it_with_a_warning(home: Home) -> None:
    installed(home, "notes")
    home.ok("config", "set", "plugins.security.signature_mode", "permissive")
    done = home.ok("plugin", "list")
    assert done.stdout.startswith("notes ")
    assert done.stderr.startswith("warning: plugin 'notes' is not signed")
    assert home.ok("-q", "plugin", "list").stderr == ""


def test_a_terminal_gets_a_table(home: Home) -> None:
    installed(home, "notes")
    installed(home, "broken", capabilities=[])
    child = pexpect.spawn(
        str(PROGRAM),
        ["plugin", "list", "--all"],
        env=home.env({"TERM": "xterm", "COLUMNS": "160"}),
        dimensions=(40, 160),
    )
    child.expect(pexpect.EOF)
    text = child.before.decode()
    for word in ("Name", "Version", "Capabilities", "Signature", "Active", "Description", "unchecked", "What to do"):
        assert word in text
    assert "notes v1.0.0 —" not in text


def test_control_characters_of_a_manifest_never_reach_the_terminal(home: Home) -> None:
    installed(home, "notes", description="\x1b[31mred\x07", author="\x9bA", version="1\x1b[0m")
    for words in (("plugin", "list"), ("plugin", "info", "notes")):
        done = home.ok(*words)
        assert "\x1b" not in done.stdout
        assert "\x9b" not in done.stdout
        assert "\\x1b[31mred\\x07" in done.stdout


def test_the_json_of_list_and_info_has_exactly_the_keys_of_the_contract(home: Home, tmp_path: Path) -> None:
    digest = "1" * 64
    installed(home, "memories")
    fields: dict[str, Any] = {
        "capabilities": ["tool", "skill"],
        "permissions": ["env_read"],
        "config_schema": SCHEMA,
        "skills": {"greet/SKILL.md": SKILL_TEXT},
        "author": "me",
    }
    home.ok("plugin", "install", write_package(tmp_path / "src", "tools", component=COMPONENT, **fields))
    installed(home, "bad", wasm_sha256=digest)
    body = home.ok("plugin", "list", "--json").json()
    assert set(body) == {"plugins", "skipped"}
    for plugin in body["plugins"]:
        check_plugin(plugin, PLUGIN)
    assert [set(skipped) for skipped in body["skipped"]] == [SKIPPED]
    info = home.ok("plugin", "info", "tools", "--json").json()
    check_plugin(info, INFO)
    assert info["permissions"] == ["config_read"]
    assert info["skills"] == ["greet"]
    assert info["source"] == str(tmp_path / "src")
    assert [key["capability"] for key in info["config_keys"]] == ["tool"]
    assert info["locked"] is True
    assert home.ok("plugin", "info", "memories", "--json").json()["locked"] is False


# The smallest component there is: its header and nothing else.
COMPONENT = b"\0asm\x0d\0\x01\0"


def test_info_says_everything_in_the_words_of_the_contract(home: Home) -> None:
    folder = installed(home, "notes", author="Me", permissions=["websocket_client"], signed_by=SEED)
    home.ok("config", "set", "plugins.security.signature_mode", "strict")
    home.ok("plugin", "trust", "add", public_key_hex(SEED))
    text = home.ok("plugin", "info", "notes").stdout
    assert text.startswith("notes v1.0.0\nThe package notes\nAuthor: Me\n")
    for line in (
        "Capabilities: [Memory]",
        "Permissions: [WebSocketClient]",
        f"Signature: valid, publisher {public_key_hex(SEED)}, covers the manifest only",
        f"WASM: {folder / 'notes.wasm'}",
        "Locked: no — zeroclaw plugin verify notes --accept",
    ):
        assert f"{line}\n" in text
    assert "Active: no — plugins.enabled is false: zeroclaw config set plugins.enabled true" in text


def test_active_follows_the_switches_and_the_chosen_backend(home: Home) -> None:
    installed(home, "notes")
    assert home.ok("plugin", "info", "notes", "--json").json()["active"] is False
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    body = home.ok("plugin", "info", "notes", "--json").json()
    assert (body["active"], body["inactive_reason"]) == (True, None)
    home.ok("plugin", "disable", "notes")
    assert "zeroclaw plugin enable notes" in home.ok("plugin", "info", "notes", "--json").json()["inactive_reason"]


def test_an_unknown_name_exits_3_with_the_nearest_and_creates_nothing(home: Home) -> None:
    error = home.fails(3, "plugin", "info", "notes", "--json").error()
    assert (error["code"], error["message"]) == ("plugin_not_found", "plugin not found: notes")
    assert not any(home.path.iterdir())
    installed(home, "notebook")
    assert "did you mean notebook?" in home.fails(3, "plugin", "info", "notbook").stderr


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"capabilities": []}, 1), ({"permissions": ["config_read"]}, 1), ({"wasm_sha256": "0" * 64}, 4)],
)
def test_info_of_a_skipped_package_ends_with_the_code_of_its_reason(
    home: Home, fields: dict[str, Any], code: int
) -> None:
    installed(home, "notes", **fields)
    done = home.fails(code, "plugin", "info", "notes")
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "\nhint: " in done.stderr


def test_load_opens_the_component(home: Home, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path, "notes", "partial"))
    body = home.ok("plugin", "info", "notes", "--load", "--json").json()
    check_plugin(body, INFO | {"load"})
    assert set(body["load"]) == {"imports", "ungranted", "denied", "differences", "capabilities"}
    assert any(name.startswith("zeroclaw:plugin/logging") for name in body["load"]["imports"])
    assert body["load"]["capabilities"]
    assert "Imports: " in home.ok("plugin", "info", "notes", "--load").stdout


def test_legacy_folders_are_noted_on_stderr(home: Home) -> None:
    write_package(home.config_dir / "workspace" / "plugins" / "old", "old")
    done = home.ok("plugin", "list")
    assert done.stdout == ""
    assert f"{home.config_dir}/workspace/plugins" in done.stderr
    assert "zeroclaw plugin migrate" in done.stderr


def test_a_damaged_lock_exits_5_and_says_how_to_repair_it(home: Home) -> None:
    installed(home, "notes")
    (home.config_dir / "plugins.lock").write_text("damaged")
    error = home.fails(5, "plugin", "list", "--json").error()
    assert error["code"] == "lock_damaged"
    assert "--accept" in error["hint"]
    (home.config_dir / "plugins.lock").unlink()
    home.run("plugin", "verify", "--all", "--accept")
    assert home.ok("plugin", "info", "notes", "--json").json()["locked"] is True


def test_a_plain_list_imports_nothing_that_it_does_not_use(home: Home, tmp_path: Path) -> None:
    fields: dict[str, Any] = {"capabilities": ["tool"], "permissions": ["config_read"], "config_schema": SCHEMA}
    home.ok("plugin", "install", write_package(tmp_path / "src", "tools", component=COMPONENT, **fields))
    installed(home, "notes")
    program = (
        "import sys; sys.argv = ['zeroclaw', 'plugin', 'list']\n"
        "from zeroclaw_cli.entry import main\n"
        "assert main() == 0\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\n"
    )
    done = run([sys.executable, "-c", program], env=home.env(), capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 2
    loaded = set(done.stderr.splitlines())
    unwanted = {"wasmtime", "cryptography", "tomlkit", "rich", "jsonschema", "filelock", "platformdirs", "yaml"}
    assert loaded & unwanted == set()
    assert "zeroclaw_cli.plugins.discovery" in loaded
