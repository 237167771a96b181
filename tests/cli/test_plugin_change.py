"""``plugin install``, ``remove``, ``enable``, ``disable`` and ``migrate`` as a person and as a script meet them."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.support.command import PROGRAM, Home
from tests.support.guests import component, package
from tests.support.packages import OTHER_SEED, SEED, SKILL_TEXT, write_package
from zeroclaw_cli.plugins.instance_key import instance_key

# Processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

SCHEMA: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": {"token": {"type": "string"}}}
TOOL: dict[str, Any] = {"capabilities": ["tool"], "permissions": ["config_read"], "config_schema": SCHEMA}


def tool(folder: Path, name: str = "tools", **fields: Any) -> Path:
    """A tool package with a schema; of a tool's component only its header is looked at."""
    return write_package(folder, name, component=b"\0asm\x0d\0\x01\0", **TOOL | fields)


def test_a_memory_package_is_installed_and_the_next_commands_are_named(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path, "notes", "plain")
    done = home.ok("plugin", "install", source)
    assert done.stdout == f"Installed notes v0.1.0 from {source}.\n"
    assert done.stderr.splitlines() == [
        "next: zeroclaw config set plugins.enabled true",
        "next: zeroclaw config set memory.backend plugin.notes",
        "next: zeroclaw memory store KEY TEXT --backend plugin.notes",
        "next: zeroclaw memory recall QUERY --backend plugin.notes",
    ]
    assert home.ok("-q", "plugin", "install", source).stderr == ""


def test_the_named_commands_work_as_they_stand(home: Home, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path, "notes", "plain"))
    refused = home.fails(4, "memory", "store", "k", "text", "--backend", "plugin.notes")
    assert "zeroclaw config set plugins.enabled true" in refused.stderr
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    home.ok("memory", "store", "k", "the blue boat")
    assert "the blue boat" in home.ok("memory", "recall", "boat").stdout
    info = home.ok("plugin", "info", "notes", "--json").json()
    assert info["active"] is True
    assert info["data"]["records"] == 1
    assert info["data"]["size"] > 0


def test_a_relative_path_is_named_as_typed(home: Home) -> None:
    tool(home.path / "src")
    assert home.ok("plugin", "install", "./src").stdout.startswith("Installed tools v1.0.0 from ./src.\n")
    assert home.ok("plugin", "install", "~/src").stdout.startswith("tools v1.0.0 is installed already")


def test_the_json_of_install_has_exactly_the_keys_of_the_contract(home: Home, tmp_path: Path) -> None:
    source = tool(tmp_path / "src")
    key = {"capability": "tool", "key": instance_key("tools", "tool", "tools")}
    body = home.ok("plugin", "install", source, "--json").json()
    assert set(body) == {"installed", "config_keys", "changed"}
    assert (body["config_keys"], body["changed"]) == ([key], True)
    assert body["installed"]["locked"] is True
    again = home.ok("plugin", "install", source, "--json", "--yes").json()
    assert again == body | {"changed": False}
    tool(source, version="2.0.0")
    error = home.fails(1, "plugin", "install", source, "--json").error()
    assert (error["code"], "--replace" in error["hint"]) == ("already_installed", True)
    replaced = home.ok("plugin", "install", source, "--json", "--replace").json()
    assert (replaced["changed"], replaced["installed"]["version"]) == (True, "2.0.0")


def test_the_config_key_of_a_tool_is_printed_with_its_recipe(home: Home, tmp_path: Path) -> None:
    key = instance_key("tools", "tool", "tools")
    done = home.ok("plugin", "install", tool(tmp_path / "src"))
    assert f"Config key: plugins.entries.{key}\n" in done.stdout
    assert f"next: zeroclaw config set plugins.entries.{key}.config.PROPERTY VALUE" in done.stderr
    home.ok("config", "set", f"plugins.entries.{key}.config.token", "s3cret", "--no-interactive")


def test_a_malformed_plugins_section_is_a_warning_and_the_package_is_installed(home: Home, tmp_path: Path) -> None:
    home.config_dir.mkdir()
    text = "schema_version = 3\n[plugins]\nenabled = true\n[plugins.entries]\nnotes = 1\n"
    home.config_file.write_text(text)
    done = home.ok("plugin", "install", tool(tmp_path / "src"))
    assert "warning: the package is installed, but its config entry" in done.stderr
    assert home.config_file.read_text() == text
    assert home.ok("plugin", "list").stdout.startswith("tools ")


def test_a_dry_run_says_what_would_happen_and_creates_nothing(home: Home, tmp_path: Path) -> None:
    source = tool(tmp_path / "src")
    done = home.ok("plugin", "install", source, "--dry-run")
    assert done.stdout == f"Would install tools v1.0.0 from {source}.\n"
    assert home.ok("plugin", "install", source, "--dry-run", "--json").json()["dry_run"] is True
    assert not any(home.path.iterdir())
    home.ok("plugin", "install", source)
    tool(source, version="2")
    assert "Would replace v1.0.0 by tools v2" in home.ok("plugin", "install", source, "--dry-run", "--replace").stdout


@pytest.mark.parametrize(
    ("source", "code", "kind"),
    [
        ("./nowhere", 3, "source_not_found"),
        ("https://example.org/x.zip", 1, "source_not_supported"),
        ("somewhere@1.0", 1, "source_not_supported"),
    ],
)
def test_a_source_that_leads_nowhere_is_one_line_with_a_hint_and_creates_nothing(
    home: Home, source: str, code: int, kind: str
) -> None:
    error = home.fails(code, "plugin", "install", source, "--json").error()
    assert (error["code"], bool(error["hint"])) == (kind, True)
    assert not any(home.path.iterdir())


@pytest.mark.parametrize(
    ("guest", "code", "kind"),
    [("http", 4, "import_not_granted"), ("stale_export", 1, "component_invalid"), (None, 1, "component_invalid")],
)
def test_a_component_that_does_not_fit_is_not_installed(
    home: Home, tmp_path: Path, guest: str | None, code: int, kind: str
) -> None:
    content = b"no component" if guest is None else component(guest)
    source = write_package(tmp_path / "src", "notes", component=content)
    error = home.fails(code, "plugin", "install", source, "--json").error()
    assert (error["code"], bool(error["hint"])) == (kind, True)
    assert not home.config_dir.exists()


def test_removing_names_what_stays_and_purging_takes_it(home: Home, tmp_path: Path) -> None:
    source = tool(tmp_path / "src")
    home.ok("plugin", "install", source)
    body = home.ok("plugin", "remove", "tools", "--json").json()
    key = instance_key("tools", "tool", "tools")
    assert body == {"removed": "tools", "left": [f"config: plugins.entries.{key}"]}
    home.ok("plugin", "install", source)
    assert home.ok("plugin", "remove", "tools", "--purge-config").stdout == "Removed tools.\n"
    assert key not in home.config_file.read_text()
    assert home.ok("plugin", "list", "--json").json() == {"plugins": [], "skipped": []}
    home.fails(3, "plugin", "remove", "tools")


def with_data(home: Home) -> Path:
    write_package(home.config_dir / "plugins" / "notes", "notes")
    data = home.config_dir / "data" / "plugins" / "notes"
    data.mkdir(parents=True)
    (data / "journal.db").write_bytes(b"remembered")
    return data


def test_purging_data_without_a_terminal_needs_yes(home: Home) -> None:
    data = with_data(home)
    done = home.fails(2, "plugin", "remove", "notes", "--purge-data")
    assert "--yes" in done.stderr
    assert (data / "journal.db").exists()
    assert home.ok("plugin", "remove", "notes", "--purge-data", "--yes").stdout == "Removed notes.\n"
    assert not data.exists()


@pytest.mark.parametrize(("answer", "gone"), [("n", False), ("y", True)])
def test_purging_data_asks_on_a_terminal(home: Home, answer: str, gone: bool) -> None:
    data = with_data(home)
    child = pexpect.spawn(str(PROGRAM), ["plugin", "remove", "notes", "--purge-data"], env=home.env())
    child.expect_exact("[y/N] ")
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == (0 if gone else 1)
    assert data.exists() is not gone
    assert (home.config_dir / "plugins" / "notes").exists() is not gone


def test_a_skipped_package_is_removed_by_its_directory(home: Home) -> None:
    write_package(home.config_dir / "plugins" / "dir", "notes", capabilities=[])
    assert home.ok("plugin", "remove", "dir", "--json").json() == {"removed": "dir", "left": []}


def test_enabling_and_disabling_print_the_plugin(home: Home) -> None:
    write_package(home.config_dir / "plugins" / "notes", "notes")
    assert home.ok("plugin", "disable", "notes").stdout == "notes is disabled now.\n"
    assert home.ok("plugin", "disable", "notes").stdout == "notes is disabled already.\n"
    body = home.ok("plugin", "enable", "notes", "--json").json()
    assert (body["name"], "disabled" in body["inactive_reason"]) == ("notes", False)
    home.fails(3, "plugin", "disable", "missing")


def test_migrating_moves_and_counts(home: Home) -> None:
    assert home.ok("plugin", "migrate").stdout == "Nothing to migrate.\n"
    assert not any(home.path.iterdir())
    legacy = home.config_dir / "workspace" / "plugins"
    write_package(legacy / "notes", "notes")
    write_package(legacy / "kept", "kept")
    (home.config_dir / "plugins" / "kept").mkdir(parents=True)
    body = home.ok("plugin", "migrate", "--json").json()
    target = home.config_dir / "plugins"
    assert body == {
        "migrated": [{"from": str(legacy), "to": str(target), "count": 1, "moved": ["notes"], "skipped": ["kept"]}],
        "total": 1,
    }
    write_package(legacy / "more", "more")
    done = home.ok("plugin", "migrate")
    assert done.stdout == f"Moved 1 from {legacy} to {target}.\n"
    assert f"warning: {legacy}/kept stays" in done.stderr


def test_another_publisher_does_not_get_the_data(home: Home, tmp_path: Path) -> None:
    home.ok("config", "set", "plugins.enabled", "true")
    old = write_package(tmp_path / "old", "notes", component=component("plain"), signed_by=SEED)
    home.ok("plugin", "install", old)
    home.ok("memory", "store", "k", "secret", "--backend", "plugin.notes")
    new = write_package(tmp_path / "new", "notes", component=component("plain"), signed_by=OTHER_SEED, version="2")
    error = home.fails(4, "plugin", "install", new, "--replace", "--json").error()
    assert error["code"] == "data_owner"
    home.ok("plugin", "remove", "notes")
    done = home.ok("plugin", "install", new)
    assert "adopt-data" in done.stderr
    home.fails(4, "memory", "get", "k", "--backend", "plugin.notes")
    adopted = home.ok("plugin", "adopt-data", "notes", "--json").json()
    assert set(adopted) == {"adopted", "data", "owner", "previous", "changed"}
    assert "secret" in home.ok("memory", "get", "k", "--backend", "plugin.notes").stdout


@pytest.mark.reliability
def test_a_killed_replacement_leaves_one_whole_version(home: Home, tmp_path: Path) -> None:
    chance = random.Random(0)
    skills = {"s/SKILL.md": SKILL_TEXT} | {f"s/{number}.txt": "x" * number for number in range(20)}
    sources = {
        version: tool(tmp_path / version, version=version, skills=skills, capabilities=["tool", "skill"])
        for version in ("1", "2")
    }
    home.ok("plugin", "install", sources["1"])
    start = time.perf_counter()
    # Started as those that are killed.
    replace = [str(PROGRAM), "plugin", "install", str(sources["2"]), "--replace"]
    subprocess.run(replace, env=home.env(), check=True, capture_output=True)
    takes = time.perf_counter() - start
    seen = set()
    for turn in range(60):
        version = "12"[turn % 2]
        process = subprocess.Popen(
            [str(PROGRAM), "plugin", "install", str(sources[version]), "--replace"],
            env=home.env(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(takes * chance.uniform(0.3, 1.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        body = home.ok("plugin", "list", "--json").json()
        assert body["skipped"] == []
        (plugin,) = body["plugins"]
        assert plugin["locked"] is True
        seen.add(plugin["version"])
        home.ok("plugin", "verify", "tools")
    home.ok("plugin", "install", sources["1"], "--replace")
    names = {path.name for path in (home.config_dir / "plugins").iterdir()}
    assert names == {".lock", ".previous", "tools"}
    assert len(list((home.config_dir / "plugins" / ".previous").iterdir())) == 1
    assert seen == {"1", "2"}


def test_two_installs_at_once_both_succeed(home: Home, tmp_path: Path) -> None:
    names = [f"tool-{number}" for number in range(4)]
    processes = [
        subprocess.Popen(
            [str(PROGRAM), "plugin", "install", str(tool(tmp_path / name, name))],
            env=home.env(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for name in names
    ]
    for process in processes:
        _, stderr = process.communicate()
        assert process.returncode == 0, stderr
    body = home.ok("plugin", "list", "--json").json()
    assert [(plugin["name"], plugin["locked"]) for plugin in body["plugins"]] == [(name, True) for name in names]
    assert len(home.config_file.read_text().split("[[plugins.entries]]")) == 1 + len(names)


def test_an_entry_named_in_the_old_way_is_warned_about_by_install_and_info(home: Home, tmp_path: Path) -> None:
    source = tool(tmp_path / "src")
    home.config_dir.mkdir(mode=0o700)
    home.config_file.write_text('schema_version = 3\n[[plugins.entries]]\nname = "tools"\nconfig = { token = "s" }\n')
    key = instance_key("tools", "tool", "tools")
    warning = (
        "warning: plugins.entries.tools bears the name of the package and is not consulted: "
        f"rename it to plugins.entries.{key} with `zeroclaw config edit`"
    )
    for words in (["install", source], ["install", source, "--json"], ["info", "tools"], ["info", "tools", "--json"]):
        assert home.ok("plugin", *words).stderr.splitlines().count(warning) == 1
    assert warning not in home.ok("-q", "plugin", "info", "tools").stderr
    home.ok("config", "unset", "plugins.entries.tools")
    assert "warning" not in home.ok("plugin", "info", "tools").stderr
