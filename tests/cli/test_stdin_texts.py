"""``-`` is stdin for every text that a command takes."""

from __future__ import annotations

from tests.support.command import Home


def test_every_command_that_takes_a_text_reads_it_from_stdin(home: Home) -> None:
    home.ok("memory", "store", "k", "-", stdin="Ada drinks green tea.\n")
    assert home.ok("memory", "get", "k", "--json").json()["content"] == "Ada drinks green tea."
    assert [row["key"] for row in home.ok("memory", "recall", "-", "--json", stdin="tea\n").json()["entries"]] == ["k"]
    assert "green tea" in home.ok("memory", "context", "-", stdin="what tea?\n").stdout
    home.ok("memory", "doc", "write", "--target", "a.md", "--content", "-", stdin="old words\n")
    assert home.ok("memory", "doc", "read", "a.md").stdout == "old words\n"
    found = home.ok("memory", "doc", "search", "-", "--json", stdin="words").json()["results"]
    assert [hit["path"] for hit in found] == ["a.md"]
    home.ok("memory", "doc", "write", "--target", "a.md", "--old", "old", "--new", "-", stdin="new\n")
    assert home.ok("memory", "doc", "read", "a.md").stdout == "new words\n"
    home.ok("memory", "profile", "set", "--location", "-", stdin="Potsdam\n")
    assert home.ok("memory", "profile", "get", "--json").json()["location"] == "Potsdam"
    home.ok("config", "set", "memory.native.project", "-", stdin="house\n")
    assert home.ok("config", "get", "memory.native.project").stdout == "house\n"


def test_stdin_is_read_for_one_text_alone(home: Home) -> None:
    words = ["--target", "a.md", "--old", "-", "--new", "-"]
    error = home.fails(2, "memory", "doc", "write", *words, "--json", stdin="x").error()
    assert "only one text" in error["message"]
    assert not home.config_dir.exists()
