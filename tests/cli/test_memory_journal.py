"""A plugin's journal as a person meets it: compaction, replaced plugins, who keeps the books, the log."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import PROGRAM, Home
from tests.support.guests import package

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    return home


def data(home: Home, name: str = "notes") -> Path:
    return home.config_dir / "data" / "plugins" / name


def listed(home: Home) -> Any:
    return home.ok("memory", "list", "--json").json()


def fill(home: Home) -> None:
    rows = [{"key": f"k{number % 3}", "content": f"text {number}"} for number in range(12)]
    home.ok("memory", "import", "-", stdin="\n".join(map(json.dumps, rows)))


# ------------------------------------------------------------------------------------------------------ compact


def test_compact_says_how_many_records_there_were_and_are(notes: Home) -> None:
    fill(notes)
    notes.ok("memory", "store", "k0", "text", "--agent", "ada")
    before = [{**entry, "id": None} for entry in listed(notes)["entries"]]
    assert notes.ok("memory", "compact", "--json").json() == {"before": 14, "after": 5}
    assert [{**entry, "id": None} for entry in listed(notes)["entries"]] == before
    assert notes.ok("memory", "compact").stdout == "Compacted the journal from 5 records to 5.\n"
    assert notes.ok("memory", "stats", "--json").json()["journal"]["records"] == 5


def test_compact_is_refused_where_it_would_lose_something(home: Home, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path / "sources", "plain", "plain"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.plain")
    fill(home)
    before = listed(home)
    error = home.fails(1, "memory", "compact", "--json").error()
    assert error["code"] == "compaction_refused"
    assert "does not read the host's clock" in error["message"]
    assert "zeroclaw memory compact --allow-loss" in error["hint"]
    assert listed(home) == before
    assert home.ok("memory", "compact", "--allow-loss", "--json").json() == {"before": 12, "after": 3}


def test_without_a_journal_compact_says_why_not(notes: Home) -> None:
    notes.ok("config", "set", "memory.plugin.durability", "none")
    assert notes.fails(1, "memory", "compact", "--json").error()["code"] == "not_supported"


def test_a_mostly_dead_journal_is_compacted_in_passing(notes: Home) -> None:
    rows = [json.dumps({"key": f"k{number % 10}", "content": f"text {number}"}) for number in range(1_001)]
    notes.ok("memory", "import", "-", stdin="\n".join(rows))
    assert notes.ok("memory", "stats", "--json").json()["journal"]["records"] == 10
    assert notes.ok("memory", "count").stdout == "10\n"


def test_naming_an_agent_does_not_lengthen_the_journal(notes: Home) -> None:
    notes.ok("memory", "store", "k", "text", "--agent", "ada")
    for _ in range(3):
        assert notes.ok("memory", "recall", "text", "--agent", "ada", "--json").json()["entries"]
    assert notes.ok("memory", "stats", "--json").json()["journal"]["records"] == 2


# ------------------------------------------------------------------------------------------ length and duration


def test_stats_and_doctor_show_length_and_last_replay(notes: Home) -> None:
    fill(notes)
    notes.ok("memory", "store", "next", "text")
    journal = notes.ok("memory", "stats", "--json").json()["journal"]
    assert journal["records"] == 13
    assert journal["live"] == 4
    assert isinstance(journal["last_replay_ms"], int)
    assert "records 13" in notes.ok("memory", "stats").stdout
    checks = {check["id"]: check for check in notes.ok("doctor", "--json").json()["checks"]}
    assert checks["journal.notes"]["detail"].startswith("13 records, ")
    assert "last replay " in checks["journal.notes"]["detail"]


# -------------------------------------------------------------------------------------------- another version


def test_another_version_replays_the_journal_says_what_differs_and_can_be_undone(notes: Home, tmp_path: Path) -> None:
    notes.ok("memory", "store", "k", "text", "--agent", "ada")
    notes.ok("memory", "store", "l", "more text")
    before = listed(notes)
    recalled = notes.ok("memory", "recall", "text", "--agent", "ada", "--json").stdout
    other = package(tmp_path / "other", "notes", "plain", version="0.1.1")
    assert "for 1 record (first: record 1, ensure" in notes.ok("plugin", "install", other, "--replace").stderr
    done = notes.ok("memory", "list", "--json")
    assert {entry["key"] for entry in done.json()["entries"]} == {"k", "l"}
    assert "for 1 record (first: record 1, ensure-agent-uuid); nothing is lost" in done.stderr
    notes.ok("plugin", "install", tmp_path / "sources" / "notes", "--replace")
    assert listed(notes) == before
    assert notes.ok("memory", "recall", "text", "--agent", "ada", "--json").stdout == recalled


def test_a_version_that_cannot_replay_the_journal_is_told_and_undone(notes: Home, tmp_path: Path) -> None:
    notes.ok("memory", "store", "k", "text")
    before = listed(notes)
    done = notes.ok("plugin", "install", package(tmp_path / "other", "notes", "trap", version="0.1.1"), "--replace")
    assert "warning: notes v0.1.1 does not work on what notes remembers: record 1 (store-entry)" in done.stderr
    assert "`zeroclaw plugin rollback notes` brings v0.1.0 back" in done.stderr
    error = notes.fails(5, "memory", "list", "--json").error()
    assert "record 1 (store-entry)" in error["message"]
    assert "zeroclaw plugin install DIR --replace" in error["hint"]
    notes.ok("plugin", "install", tmp_path / "sources" / "notes", "--replace")
    assert listed(notes) == before


# --------------------------------------------------------------------------------------------- who keeps the books


def with_files(home: Home, folder: Path, *permissions: str) -> None:
    """The package `books`, whose guest keeps its entries in files, with these permissions."""
    source = package(folder / "-".join(["books", *permissions]), "books", "fs", permissions=list(permissions))
    home.ok("plugin", "install", source, "--replace")
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.books")


@pytest.mark.slow
def test_a_guest_that_keeps_its_own_books_needs_no_journal(home: Home, tmp_path: Path) -> None:
    with_files(home, tmp_path, "file_write")
    home.ok("config", "set", "memory.plugin.durability", "guest")
    done = home.ok("memory", "store", "book", "kept in a file")
    assert done.stderr == ""
    assert home.ok("memory", "get", "book", "--json").json()["content"] == "kept in a file"
    assert (data(home, "books") / "files" / "book").read_text() == "kept in a file"
    assert not (data(home, "books") / "journal.db").exists()
    assert home.ok("memory", "stats", "--json").json()["journal"] == {}

    with_files(home, tmp_path, "file_read")
    assert home.ok("memory", "get", "book", "--json").json()["content"] == "kept in a file"
    assert "opened for writing" in home.fails(1, "memory", "store", "book", "changed").stderr
    assert (data(home, "books") / "files" / "book").read_text() == "kept in a file"

    with_files(home, tmp_path)
    assert "no folder" in home.fails(1, "memory", "store", "book", "changed").stderr
    home.fails(3, "memory", "get", "book")


@pytest.mark.slow
def test_a_guest_cannot_leave_its_folder(home: Home, tmp_path: Path) -> None:
    with_files(home, tmp_path, "file_write")
    home.ok("config", "set", "memory.plugin.durability", "guest")
    home.ok("memory", "store", "book", "text")
    (data(home, "books") / "files" / "link").symlink_to(home.path)
    (data(home, "books") / "files" / "file-link").symlink_to(home.config_file)
    for path in ("../outside", "link/outside", "/data/../outside", "file-link", str(home.path / "outside")):
        home.fails(1, "memory", "store", path, "text")
        home.fails(3, "memory", "get", path)
    assert not list(home.path.rglob("outside"))


def test_the_quota_is_told_after_the_call_that_exceeded_it(home: Home, tmp_path: Path) -> None:
    with_files(home, tmp_path, "file_write")
    home.ok("config", "set", "plugins.limits.max_data_mb", "1")
    error = home.fails(1, "memory", "store", "book", "-", "--json", stdin="x" * 1_100_000).error()
    assert error["path"] == "plugins.limits.max_data_mb"
    assert "was carried out and made them grow" in error["message"]
    assert "no call that writes is made" in home.fails(1, "memory", "store", "book", "small").stderr
    home.ok("memory", "get", "book")


def test_without_durability_nothing_outlives_the_command(notes: Home) -> None:
    notes.ok("config", "set", "memory.plugin.durability", "none")
    notes.ok("memory", "store", "k", "text")
    assert notes.ok("memory", "count").stdout == "0\n"
    assert not (data(notes) / "journal.db").exists()


# ------------------------------------------------------------------------------------------------------- the log


def test_logs_are_json_lines_oldest_first_with_those_before_the_rotation(notes: Home) -> None:
    assert notes.ok("plugin", "logs", "notes").stdout == ""
    notes.ok("memory", "store", "a", "text")
    (data(notes) / "log.jsonl").rename(data(notes) / "log.jsonl.1")
    notes.ok("memory", "store", "b", "text")
    with (data(notes) / "log.jsonl").open("a") as log:
        log.write('{"cut short')
    records = [json.loads(line) for line in notes.ok("plugin", "logs", "notes").stdout.splitlines()]
    assert [record["action"] for record in records] == ["write", "write"]
    assert records[0]["at"] < records[1]["at"]
    assert set(records[0]) == {
        "at", "level", "function", "action", "outcome", "duration_ms", "attrs", "message",
    }  # fmt: skip


def test_what_a_guest_logs_commands_no_terminal(home: Home, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path, "loud", "log_escapes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("memory", "store", "k", "v", "--backend", "plugin.loud")
    done = home.ok("plugin", "logs", "loud")
    assert done.stdout.isascii() and "\x1b" not in done.stdout
    assert json.loads(done.stdout.splitlines()[0])["message"] == "\x1b[31mred\x1b[0m\nerror: forged"


def test_logs_of_no_package_are_not_found(notes: Home) -> None:
    assert notes.fails(3, "plugin", "logs", "nots", "--json").error()["code"] == "plugin_not_found"
    notes.fails(3, "plugin", "logs", "../notes")


def test_follow_goes_on_and_ends_with_an_interruption(notes: Home) -> None:
    notes.ok("memory", "store", "a", "text")
    process = subprocess.Popen(
        [str(PROGRAM), "plugin", "logs", "notes", "--follow"],
        env=notes.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    # Reading waits for as long as the process lives.
    patience = threading.Timer(60, process.kill)
    patience.start()
    with process.stdout, process.stderr:
        assert json.loads(process.stdout.readline())["action"] == "write"
        notes.ok("memory", "store", "a", "other text")
        assert json.loads(process.stdout.readline())["action"] == "write"
        (data(notes) / "log.jsonl").rename(data(notes) / "log.jsonl.1")
        notes.ok("memory", "store", "b", "text")
        assert json.loads(process.stdout.readline())["action"] == "write"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        patience.cancel()
        assert "Traceback" not in process.stderr.read()


# ------------------------------------------------------------------------------------------------------- imports


def test_imports_beyond_what_a_component_needs_are_shown(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path, "books", "fs")
    checks = {check["id"]: check for check in home.ok("plugin", "check", source, "--json").json()["checks"]}
    found = checks["component-imports"]
    assert found["ok"] is True
    assert "wasi:filesystem/preopens@0.2.0 (without the permission file_read)" in found["hint"]
    home.ok("plugin", "install", source)
    load = home.ok("plugin", "info", "books", "--load", "--json").json()["load"]
    assert set(load["denied"]) == {"wasi:filesystem/preopens@0.2.0", "wasi:filesystem/types@0.2.0"}
    assert "Denied: wasi:filesystem/" in home.ok("plugin", "info", "books", "--load").stdout
    granted = package(tmp_path / "granted", "books", "fs", permissions=["file_read"])
    checks = {check["id"]: check for check in home.ok("plugin", "check", granted, "--json").json()["checks"]}
    assert checks["component-imports"]["hint"] is None
