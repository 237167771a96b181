"""The provider beside the built-in store follows what every command does there: nothing that is gone returns by it."""

from __future__ import annotations

import hashlib
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
    for _ in range(2):
        home.ok("memory", "copy", "--from", "provider.notebook", "--to", "native")
    assert heard(home) == ["likes coffee", "text of own"]
    assert "text of own" in home.ok("memory", "get", "own").stdout


def test_a_part_of_a_document_that_an_older_notebook_knew_goes_with_it(home: Home) -> None:
    text = "Ada lives in Berlin."
    home.ok("config", "set", "memory.provider", "")
    home.ok("memory", "doc", "write", "--target", "memory", "--content", text)
    home.ok("config", "set", "memory.provider", "notebook")
    key = f"builtin-memory-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    home.ok("notebook", "add", text, "--key", key, "--category", "builtin-memory")
    home.ok("memory", "doc", "write", "--target", "memory", "--old", "Berlin", "--new", "Graz")
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "likes tea")
    home.ok("memory", "doc", "forget", "MEMORY.md")
    assert heard(home) == []
    assert "Berlin" not in home.ok("memory", "context", "where does Ada live").stdout


def test_a_restore_says_what_the_provider_was_not_told(home: Home) -> None:
    home.ok("memory", "store", "a", "coffee")
    home.ok("memory", "backup", "--out", "kept.zip")
    home.ok("memory", "store", "a", "tea")
    done = home.ok("memory", "restore", "kept.zip")
    assert "warning: memory provider 'notebook' is not told of a restore: it still has" in done.stderr
    home.ok("config", "set", "memory.provider", "")
    assert "provider" not in home.ok("memory", "restore", "kept.zip").stderr


UNDER_LAYERS: dict[str, tuple[list[str], bool]] = {
    "forget": (["forget", "a"], True),
    "purge": (["purge", "--session", "s", "--yes"], True),
    "purge of nothing": (["purge", "--session", "t", "--yes"], False),
    "clear": (["clear", "--yes"], True),
    "a patch": (["doc", "write", "--target", "memory", "--old", "tea", "--new", "coffee"], True),
    "a replacement": (["doc", "write", "--target", "memory", "--replace", "--content", "new"], True),
    "bootstrap": (["doc", "write", "--target", "bootstrap"], True),
    "an addition": (["doc", "write", "--target", "memory", "--content", "more"], False),
    "archive": (["doc", "archive", "MEMORY.md"], True),
    "get": (["get", "a"], False),
    "list": (["list"], False),
}


@pytest.mark.parametrize(("words", "warned"), UNDER_LAYERS.values(), ids=UNDER_LAYERS)
def test_under_the_layers_what_is_gone_and_not_told_is_one_warning(home: Home, words: list[str], warned: bool) -> None:
    home.ok("memory", "store", "a", "the old secret", "--session", "s")
    home.ok("memory", "doc", "write", "--target", "memory", "--content", "likes tea")
    home.ok("memory", "doc", "write", "--target", "bootstrap.md", "--content", "begin")
    done = home.ok("memory", *words, "--backend", "layers")
    assert done.stderr.count("memory provider 'notebook' is not told under the layers: it still has") == warned


def test_clearing_a_provider_of_many_entries_takes_seconds(home: Home) -> None:
    keys = [f"k{number}" for number in range(1_000)]
    home.ok("memory", "import", "-", "--backend", "provider.notebook", stdin=lines(*keys))
    done = home.run("memory", "clear", "--yes", "--backend", "provider.notebook", timeout=30)
    assert done.stdout.startswith("Forgot 1000 of 1000")


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
