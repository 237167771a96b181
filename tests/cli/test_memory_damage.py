"""A plugin's journal that is damaged, or holds what its guest cannot give back, as a person meets it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.guests import package

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

MOST = 16 * 1024 * 1024


def installed(home: Home, folder: Path, name: str, guest: str) -> Home:
    home.ok("plugin", "install", package(folder / "sources", name, guest))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", f"plugin.{name}")
    return home


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    return installed(home, tmp_path, "notes", "notes")


def tamper(home: Home, statement: str, *values: object) -> None:
    journal = home.config_dir / "data" / "plugins" / "notes" / "journal.db"
    with closing(sqlite3.connect(journal, isolation_level=None)) as connection:
        connection.execute(statement, values)


def test_a_text_that_could_not_be_read_back_is_refused_before_it_is_stored(home: Home, tmp_path: Path) -> None:
    plain = installed(home, tmp_path, "plain", "plain")
    plain.ok("memory", "store", "healthy", "text")
    error = plain.fails(2, "memory", "store", "k", "-", "--json", stdin="a" * (MOST + 1)).error()
    assert error["code"] == "usage"
    assert "16,777,217 bytes, more than the 16 MiB" in error["message"]
    assert [entry["key"] for entry in plain.ok("memory", "list", "--json").json()["entries"]] == ["healthy"]
    plain.ok("memory", "store", "largest", "-", stdin="a" * MOST)
    assert len(plain.ok("memory", "get", "largest", "--json").json()["content"]) == MOST


def test_an_entry_that_is_too_large_to_be_read_is_named_and_can_be_forgotten(home: Home, tmp_path: Path) -> None:
    liar = installed(home, tmp_path, "liar", "liar_huge")
    error = liar.fails(1, "memory", "recall", "x", "--json").error()
    assert error["code"] == "result_too_large"
    assert "zeroclaw memory " in error["hint"]


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("UPDATE limits SET call_fuel = 'abc'", ()),
        ("UPDATE records SET arguments = ?", ('["\\ud800","text","core",null]',)),
        ("UPDATE records SET arguments = ?", ("[" * 200_000,)),
        ("UPDATE records SET function = 'store-procedural', arguments = ?", ("[[[1,2,3]],null]",)),
        ("UPDATE records SET arguments = ?", ("[1]",)),
        ("DELETE FROM meta WHERE key = 'generation'", ()),
        ("DELETE FROM meta", ()),
        ("DELETE FROM limits", ()),
    ],
)
def test_a_damaged_journal_is_said_to_be_damaged_by_every_command_and_by_doctor(
    notes: Home, statement: str, values: tuple[str, ...]
) -> None:
    notes.ok("memory", "store", "k", "text")
    tamper(notes, statement, *values)
    for words in (("count",), ("list",), ("store", "l", "text"), ("stats",)):
        error = notes.fails(5, "memory", *words, "--json").error()
        assert error["code"] == "journal_damaged"
        assert "zeroclaw doctor --fix" in error["hint"]
        assert "zeroclaw memory restore FILE" in error["hint"]
    done = notes.fails(5, "doctor", "--json")
    found = {check["id"]: check for check in done.json()["checks"]}["journal.notes"]
    assert found["state"] == "error"
    assert error["message"].endswith(found["detail"])
    notes.ok("doctor", "--fix")
    notes.ok("memory", "store", "l", "text")


def test_compaction_keeps_the_limits_that_an_entry_needed(notes: Home) -> None:
    notes.ok("memory", "store", "k", "-", stdin="x" * 1_000_000)
    notes.ok("config", "set", "plugins.limits.call_fuel", "1000000")
    error = notes.fails(1, "memory", "store", "l", "-", "--json", stdin="x" * 1_000_000).error()
    assert error["path"] == "plugins.limits.call_fuel"
    assert notes.ok("memory", "compact", "--json").json() == {"before": 1, "after": 1}
    assert len(notes.ok("memory", "get", "k", "--json").json()["content"]) == 1_000_000


def test_the_key_of_a_plugins_own_limits_is_shown_taken_and_named_in_errors(notes: Home) -> None:
    (shown,) = notes.ok("plugin", "info", "notes", "--json").json()["config_keys"]
    assert shown["capability"] == "memory"
    own = f"plugins.entries.{shown['key']}.limits"
    assert f"Limits: {own} (memory)\n" in notes.ok("plugin", "info", "notes").stdout
    large = "x" * 1_000_000
    notes.ok("config", "set", "plugins.limits.call_fuel", "1000000")
    error = notes.fails(1, "memory", "store", "k", "-", "--json", stdin=large).error()
    assert (error["path"], f"{own}.call_fuel" in error["hint"]) == ("plugins.limits.call_fuel", True)
    notes.ok("config", "set", f"{own}.call_fuel", "2000000")
    error = notes.fails(1, "memory", "store", "k", "-", "--json", stdin=large).error()
    assert (error["path"], "plugins.limits.call_fuel" in error["hint"]) == (f"{own}.call_fuel", True)
    notes.ok("config", "set", f"{own}.call_fuel", "2000000000")
    notes.ok("memory", "store", "k", "-", stdin=large)


def test_reading_a_plugin_that_remembers_nothing_creates_nothing(notes: Home) -> None:
    for words in (("list",), ("count",), ("recall", "x"), ("stats",), ("health",), ("export",)):
        notes.ok("memory", *words)
    notes.fails(3, "memory", "get", "k")
    assert not (notes.config_dir / "data" / "plugins" / "notes").exists()
    notes.ok("memory", "store", "k", "text")
    assert (notes.config_dir / "data" / "plugins" / "notes" / "owner.toml").is_file()


def test_a_file_in_the_place_of_a_plugins_data_is_named(notes: Home) -> None:
    place = notes.config_dir / "data" / "plugins" / "notes"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("mine")
    for words in (("list",), ("store", "k", "text")):
        error = notes.fails(1, "memory", *words, "--json").error()
        chosen, found = error["message"].split(": ", 1)
        assert chosen == "memory.backend is plugin.notes"
        assert found == f"{place} is not a folder, and the data of notes belongs there"
    assert str(place) in notes.fails(1, "doctor").stdout
    assert place.read_text() == "mine"
