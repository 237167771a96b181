"""``plugin update``, ``outdated`` and ``rollback`` as a person and as a script meet them, with real components."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import PROGRAM, Home
from tests.support.guests import package, without_importance
from tests.support.packages import SKILL_TEXT, tree, write_package
from zeroclaw_cli.plugins.instance_key import instance_key

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

SCHEMA: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": {"token": {"type": "string"}}}
TOOL: dict[str, Any] = {
    "capabilities": ["tool"],
    "permissions": ["config_read"],
    "config_schema": SCHEMA,
    "component": b"\0asm\x0d\0\x01\0",
}
DIFFERS = "replaying the journal of notes gave other results than when it was written for 1 record"


def release(sources: Path, guest: str, version: str, name: str = "notes", **fields: Any) -> Path:
    """Make ``sources/name`` this version of the package, nothing of what was there staying."""
    if (sources / name).exists():
        shutil.rmtree(sources / name)
    return package(sources, name, guest, version=version, **fields)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return tmp_path / "sources"


@pytest.fixture
def notes(home: Home, sources: Path) -> Home:
    """A home whose memory is the package notes v0.1.0, installed from ``sources/notes``."""
    home.ok("plugin", "install", release(sources, "notes", "0.1.0"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    return home


def keys(home: Home) -> set[str]:
    return {entry["key"] for entry in home.ok("memory", "list", "--json").json()["entries"]}


def everything(home: Home) -> dict[str, bytes | str | None]:
    return tree(home.config_dir)


def test_what_is_remembered_survives_an_update_and_its_rollback_and_what_differs_is_said(
    notes: Home, sources: Path
) -> None:
    notes.ok("memory", "store", "before", "the blue boat", "--agent", "ada")
    notes.ok("memory", "store", "precious", "the gold boat", "--importance", "0.5")
    config = notes.config_file.read_text()
    (release(sources, "notes", "0.2.0") / "notes.wasm").write_bytes(without_importance())
    change = {"name": "notes", "from": "0.1.0", "to": "0.2.0", "warnings": []}
    outdated = notes.ok("plugin", "outdated", "--json").json()
    assert outdated == {"updated": [change], "current": [], "failed": []}

    refused = notes.fails(1, "plugin", "update", "notes", "--json").json()["failed"][0]
    assert "1 of 2 entries is not there (first: 'precious')" in refused["reason"]
    assert notes.ok("plugin", "info", "notes", "--json").json()["version"] == "0.1.0"

    done = notes.ok("plugin", "install", sources / "notes", "--replace")
    assert DIFFERS in done.stderr
    assert "nothing is lost from the journal; 1 record is not carried out by this version" in done.stderr
    assert "1 of 2 entries is not there (first: 'precious')" in done.stderr
    assert notes.config_file.read_text() == config
    assert notes.ok("plugin", "info", "notes", "--json").json()["version"] == "0.2.0"
    assert keys(notes) == {"before"}
    notes.ok("memory", "store", "after", "the red boat")

    back = notes.ok("plugin", "rollback", "notes", "--json").json()
    assert [(item["from"], item["to"]) for item in back["updated"]] == [("0.2.0", "0.1.0")]
    assert (back["current"], back["failed"]) == ([], [])
    assert keys(notes) == {"before", "after", "precious"}
    found = notes.ok("memory", "recall", "boat", "--agent", "ada", "--json")
    assert [entry["key"] for entry in found.json()["entries"]] == ["before"]
    assert DIFFERS not in found.stderr
    notes.ok("plugin", "verify", "notes")


def test_what_a_person_reads(notes: Home, sources: Path) -> None:
    done = notes.ok("plugin", "outdated")
    assert (done.stdout, done.stderr) == ("", "every package is current\n")
    assert notes.ok("plugin", "update", "notes").stdout == "notes v0.1.0 is current.\n"
    release(sources, "notes", "0.2.0")
    assert notes.ok("plugin", "outdated").stdout == "Outdated: notes v0.1.0 to v0.2.0.\n"
    done = notes.ok("plugin", "update", "notes", "--dry-run")
    assert (done.stdout, done.stderr) == ("Would update notes v0.1.0 to v0.2.0.\n", "")
    done = notes.ok("plugin", "update", "notes")
    assert done.stdout == "Updated notes v0.1.0 to v0.2.0.\n"
    assert done.stderr == "undo it: zeroclaw plugin rollback notes\n"
    done = notes.ok("plugin", "rollback", "notes")
    assert done.stdout == "Rolled back notes v0.2.0 to v0.1.0.\n"
    assert done.stderr == "undo it: zeroclaw plugin rollback notes\n"


def test_a_version_that_refuses_what_is_remembered_is_refused_also_on_a_dry_run(notes: Home, sources: Path) -> None:
    notes.ok("memory", "store", "k", "text", "--importance", "0.5")
    (release(sources, "notes", "0.2.0") / "notes.wasm").write_bytes(without_importance())
    before = everything(notes)
    for words in (("--all", "--dry-run"), ("notes",)):
        body = notes.fails(1, "plugin", "update", *words, "--json").json()
        assert "1 of 1 entry is not there (first: 'k')" in body["failed"][0]["reason"]
        assert "--replace" in body["failed"][0]["hint"]
        assert everything(notes) == before


def test_a_version_that_gives_an_agent_another_id_is_taken_only_by_replace_and_said_so(
    notes: Home, sources: Path
) -> None:
    notes.ok("memory", "store", "k", "text", "--agent", "bob")
    source = release(sources, "plain", "0.2.0")
    before = everything(notes)
    hidden = "agent 'bob' has another id in this version; what it stored is not reached with --agent bob"
    (failed,) = notes.fails(1, "plugin", "update", "notes", "--json").json()["failed"]
    assert hidden in failed["reason"]
    assert f"zeroclaw plugin install {source} --replace" in failed["hint"]
    assert everything(notes) == before

    done = notes.ok("plugin", "install", source, "--replace")
    assert f"warning: {hidden}" in done.stderr.splitlines()
    assert "warning: `zeroclaw plugin rollback notes` brings v0.1.0 back" in done.stderr.splitlines()
    assert hidden in notes.ok("memory", "list").stderr
    notes.ok("plugin", "rollback", "notes")
    found = notes.ok("memory", "recall", "text", "--agent", "bob", "--json").json()
    assert [entry["key"] for entry in found["entries"]] == ["k"]


def test_a_version_that_cannot_replay_the_journal_is_not_taken(notes: Home, sources: Path) -> None:
    notes.ok("memory", "store", "k", "text")
    source = release(sources, "trap", "0.2.0")
    before = everything(notes)
    done = notes.fails(1, "plugin", "update", "notes")
    assert done.stdout == ""
    assert done.stderr.startswith("error: notes: notes v0.2.0 does not work on what notes remembers: record 1 ")
    assert f"hint: v0.1.0 stays; to put the other in its place all the same: zeroclaw plugin install {source}" in (
        done.stderr
    )
    assert everything(notes) == before
    assert keys(notes) == {"k"}

    notes.ok("plugin", "install", source, "--replace")
    notes.fails(5, "memory", "list")
    notes.ok("plugin", "rollback", "notes")
    assert keys(notes) == {"k"}


def test_a_component_that_does_not_fit_is_not_taken(notes: Home, sources: Path) -> None:
    release(sources, "http", "0.2.0")
    before = everything(notes)
    (failed,) = notes.fails(4, "plugin", "update", "notes", "--json").json()["failed"]
    assert (failed["name"], failed["code"], bool(failed["hint"])) == ("notes", "import_not_granted", True)
    assert everything(notes) == before


def test_a_plugin_that_may_not_run_is_not_run_by_an_update(notes: Home, sources: Path) -> None:
    notes.ok("memory", "store", "k", "text")
    notes.ok("config", "set", "plugins.enabled", "false")
    release(sources, "trap", "0.2.0")
    notes.ok("plugin", "update", "notes")
    notes.ok("plugin", "rollback", "notes")
    notes.ok("config", "set", "plugins.enabled", "true")
    assert keys(notes) == {"k"}


def test_among_all_one_that_fails_stops_no_other(home: Home, sources: Path) -> None:
    for name in ("first", "gone", "last", "same"):
        home.ok("plugin", "install", write_package(sources / name, name, **TOOL))
    key = instance_key("first", "tool", "first")
    home.ok("config", "set", f"plugins.entries.{key}.config.token", "s3cret", "--no-interactive")
    config = home.config_file.read_text()
    for name in ("first", "last"):
        write_package(sources / name, name, version="2", **TOOL)
    shutil.rmtree(sources / "gone")
    done = home.fails(3, "plugin", "update", "--all")
    assert done.stdout.splitlines() == [
        "Updated first v1.0.0 to v2.",
        "Updated last v1.0.0 to v2.",
        "same v1.0.0 is current.",
    ]
    lines = done.stderr.splitlines()
    assert lines[0].startswith("error: gone: what gone was installed from is gone: ")
    assert lines[1].startswith("hint: ")
    assert lines[2:] == [f"undo it: zeroclaw plugin rollback {name}" for name in ("first", "last")]
    assert home.config_file.read_text() == config
    write_package(sources / "same", "same", version="0.9", **TOOL)
    body = home.fails(4, "plugin", "update", "--all", "--json").json()
    assert set(body) == {"updated", "current", "failed"}
    assert body["updated"] == []
    assert body["current"] == [{"name": "first", "version": "2"}, {"name": "last", "version": "2"}]
    assert [(failed["name"], failed["code"]) for failed in body["failed"]] == [
        ("gone", "source_not_found"),
        ("same", "downgrade"),
    ]
    assert all(set(failed) == {"name", "code", "reason", "hint"} for failed in body["failed"])
    done = home.ok("plugin", "update", "same", "--allow-downgrade")
    assert done.stdout == "Updated same v1.0.0 to v0.9.\n"


@pytest.mark.parametrize(
    ("words", "text"),
    [([], "nothing is named to be updated"), (["notes", "--all"], "NAME and --all exclude each other")],
)
def test_what_is_to_be_updated_must_be_said(home: Home, words: list[str], text: str) -> None:
    error = home.fails(2, "plugin", "update", *words, "--json").error()
    assert (error["code"], error["message"]) == ("usage", text)
    assert "NAME" in error["hint"]
    assert "--all" in error["hint"]


def test_what_is_not_there_is_exit_3_and_creates_nothing(home: Home) -> None:
    for words in (["update", "missing"], ["rollback", "missing"]):
        error = home.fails(3, "plugin", *words, "--json").error()
        assert error["code"] == "plugin_not_found"
    for command in (["update", "--all"], ["outdated"]):
        done = home.ok("plugin", *command)
        assert (done.stdout, "no plugins are installed" in done.stderr) == ("", True)
        assert home.ok("plugin", *command, "--json").json() == {"updated": [], "current": [], "failed": []}
    assert not any(home.path.iterdir())


def test_nothing_to_roll_back_is_exit_3(home: Home, sources: Path) -> None:
    home.ok("plugin", "install", write_package(sources / "t", "t", **TOOL))
    error = home.fails(3, "plugin", "rollback", "t", "--json").error()
    assert error["message"] == "no previous version of t is kept"
    assert "zeroclaw plugin install DIR --replace" in error["hint"]


def test_what_a_manifest_says_cannot_command_the_terminal(home: Home, sources: Path) -> None:
    home.ok("plugin", "install", write_package(sources / "t", "t", **TOOL))
    write_package(sources / "t", "t", version="2\x1b[2J", **TOOL)
    done = home.fails(4, "plugin", "update", "t")
    assert "\x1b" not in done.stdout + done.stderr
    done = home.ok("plugin", "update", "t", "--allow-downgrade")
    assert "\x1b" not in done.stdout + done.stderr


def test_hints_carry_the_config_folder_of_the_run(home: Home, sources: Path, tmp_path: Path) -> None:
    here = ("--config-dir", tmp_path / "elsewhere")
    home.ok(*here, "plugin", "install", write_package(sources / "t", "t", **TOOL))
    write_package(sources / "t", "t", version="2", **TOOL)
    note = home.ok(*here, "plugin", "update", "--all").stderr
    assert note == f"undo it: zeroclaw --config-dir {tmp_path / 'elsewhere'} plugin rollback t\n"


@pytest.mark.reliability
def test_a_killed_update_or_rollback_leaves_one_whole_version_that_can_be_undone(home: Home, sources: Path) -> None:
    chance = random.Random(0)
    skills = {"s/SKILL.md": SKILL_TEXT} | {f"s/{number}.txt": "x" * number for number in range(20)}
    fields = TOOL | {"capabilities": ["tool", "skill"], "skills": skills}
    home.ok("plugin", "install", write_package(sources / "t", "t", version="1", **fields))
    write_package(sources / "t", "t", version="2", **fields)
    start = time.perf_counter()
    # Started as those that are killed.
    subprocess.run([str(PROGRAM), "plugin", "update", "t"], env=home.env(), check=True, capture_output=True)
    takes = time.perf_counter() - start
    seen = {"2"}
    for _ in range(40):
        installed = home.ok("plugin", "list", "--json").json()["plugins"][0]["version"]
        command = ["rollback", "t"] if installed == "2" else ["update", "t"]
        process = subprocess.Popen(
            [str(PROGRAM), "plugin", *command],
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
        home.ok("plugin", "verify", "t")
        before = plugin["version"]
        for _ in range(2):
            (undone,) = home.ok("plugin", "rollback", "t", "--json").json()["updated"]
            assert {undone["from"], undone["to"]} == {"1", "2"}
        assert undone["to"] == before
    assert seen == {"1", "2"}
    folder = home.config_dir / "plugins"
    assert {path.name for path in folder.iterdir()} == {".lock", ".previous", "t"}
    assert len(list((folder / ".previous").iterdir())) == 1
