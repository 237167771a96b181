"""The provider beside the built-in store follows what every command does there: nothing that is gone returns by it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.command import Home

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow


@pytest.fixture
def home(home: Home) -> Home:
    home.ok("memory", "setup", "notebook", "--yes")
    return home


def heard(home: Home) -> list[str]:
    """The texts of the provider's notes."""
    return sorted(line.split("  ", 3)[3] for line in home.ok("notebook", "list", "--limit", "100").stdout.splitlines())


def lines(*keys: str) -> str:
    row = {"timestamp": "2026-01-01T00:00:00Z", "namespace": "bulk", "category": "core"}
    return "".join(json.dumps({"id": key, "key": key, "content": f"text of {key}", **row}) + "\n" for key in keys)


def test_a_forgotten_entry_takes_its_own_note_and_no_other(home: Home) -> None:
    home.ok("memory", "store", "a", "tea")
    home.ok("memory", "store", "b", "Ada drinks green tea.")
    home.ok("memory", "store", "c", "tea")
    home.ok("memory", "forget", "a")
    assert heard(home) == ["Ada drinks green tea.", "tea"]


REMOVALS: dict[str, Callable[[Home], object]] = {
    "forget": lambda home: home.ok("memory", "forget", "a"),
    "purge": lambda home: home.ok("memory", "purge", "--session", "s", "--yes"),
    "clear": lambda home: home.ok("memory", "clear", "--category", "gone", "--yes"),
    "store over it": lambda home: home.ok("memory", "store", "a", "text of b"),
    "import over it": lambda home: home.ok("memory", "import", "-", stdin=lines("a")),
}


@pytest.mark.parametrize("remove", REMOVALS.values(), ids=REMOVALS)
def test_what_a_command_removes_is_gone_from_the_provider(home: Home, remove: Callable[[Home], object]) -> None:
    home.ok("memory", "store", "a", "the old secret", "--session", "s", "--category", "gone")
    home.ok("memory", "store", "b", "stays")
    remove(home)
    assert "the old secret" not in "".join(heard(home))
    assert "stays" in heard(home)
    assert "the old secret" not in home.ok("memory", "context", "what is the old secret").stdout


def test_no_line_of_a_document_survives_in_the_provider(home: Home) -> None:
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "likes tea\n\nlives in Graz")
    home.ok("memory", "doc", "write", "--target", "memory", "--old", "tea", "--new", "coffee")
    assert heard(home) == ["likes coffee", "lives in Graz"]
    home.ok("memory", "doc", "write", "--target", "memory", "--replace", "--content", "lives in Linz")
    assert heard(home) == ["lives in Linz"]
    home.ok("memory", "doc", "archive", "MEMORY.md")
    home.ok("memory", "doc", "forget", "archive/MEMORY.md")
    assert heard(home) == []
    home.ok("memory", "doc", "write", "--target", "bootstrap.md", "--content", "x", "--agent", "ada")
    home.ok("memory", "doc", "write", "--target", "bootstrap.md", "--content", "y")
    home.ok("memory", "doc", "forget", "bootstrap.md")
    assert heard(home) == ["x"]


def test_the_profile_is_heard_as_it_is_now(home: Home) -> None:
    home.ok("memory", "profile", "set", "--timezone", "Europe/Vienna", "--location", "Graz")
    home.ok("memory", "profile", "set", "--location", "Linz")
    assert heard(home) == ["timezone: Europe/Vienna location: Linz"]


def test_an_import_and_a_copy_reach_the_provider(home: Home) -> None:
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "likes tea")
    everything = home.ok("memory", "export", "--all").stdout.replace("likes tea", "likes coffee")
    home.ok("memory", "import", "-", stdin=everything + lines("a", "b"))
    assert heard(home) == ["likes coffee", "text of a", "text of b"]
    home.ok("memory", "purge", "--namespace", "bulk", "--yes")
    home.ok("config", "set", "memory.provider", "")
    home.ok("memory", "import", "-", "--backend", "provider.notebook", stdin=lines("own"))
    home.ok("config", "set", "memory.provider", "notebook")
    home.ok("memory", "copy", "--from", "provider.notebook", "--to", "native")
    assert heard(home).count("text of own") == 2


def test_what_is_gone_while_the_provider_cannot_be_used_is_one_warning(home: Home) -> None:
    home.ok("memory", "store", "a", "tea")
    home.ok("config", "set", "memory.provider", "nothere")
    assert "still has" not in home.ok("memory", "store", "b", "x").stderr
    for words in (("forget", "a"), ("clear", "--yes")):
        (line,) = home.ok("memory", *words).stderr.splitlines()
        assert line.startswith("warning: memory provider 'nothere' is not used: ")
        assert "it still has what is gone here" in line


def test_turns_that_cannot_be_taken_back_are_told(home: Home) -> None:
    turn = '[{"role": "user", "content": "my password hint is a dog"}, {"role": "assistant", "content": "I see"}]'
    home.ok("memory", "record", "-", "--thread", "t", "--run", "r", stdin=turn)
    done = home.ok("memory", "doc", "forget", "threads/t/r.md")
    assert "memory provider 'notebook' keeps the turns that it was given" in done.stderr


def test_a_sub_agents_additions_stay_from_the_provider_and_its_removals_do_not(home: Home) -> None:
    agent = {"ZEROCLAW_AGENT": "1"}
    home.ok("memory", "store", "a", "tea")
    home.ok("memory", "store", "b", "hers", env=agent)
    assert heard(home) == ["tea"]
    home.ok("memory", "store", "a", "coffee", env=agent)
    assert heard(home) == []
