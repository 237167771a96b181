"""A command that is not there is answered with the one that does the job, never with one that destroys more."""

from __future__ import annotations

import pytest

from tests.support.command import Home
from zeroclaw_cli.cli.command_tree import TREE
from zeroclaw_cli.cli.groups import meant

DESTRUCTIVE = {"clear", "disable", "forget", "import", "off", "purge", "remove", "restore", "rollback", "unset"}


def test_the_answer_is_the_command_that_does_the_job(home: Home) -> None:
    for words, command in (
        (["memory", "remove", "tea"], "zeroclaw memory forget"),
        (["plugin", "uninstall", "notes"], "zeroclaw plugin remove"),
        (["recall", "tea"], "zeroclaw memory recall"),
        (["memory", "doc", "ls"], "zeroclaw memory doc tree"),
    ):
        error = home.fails(2, *words, "--json").error()
        assert error["code"] == "usage"
        assert error["hint"].startswith(f"use `{command}`")
    error = home.fails(2, "memory", "reset", "--json").error()
    assert error["hint"] == "`zeroclaw memory --help` lists the commands"


@pytest.mark.parametrize(
    ("group", "words", "command"),
    [
        ("memory", "add new set", "store"),
        ("memory", "rm delete remove", "forget"),
        ("memory", "search find query", "recall"),
        ("memory", "show", "get"),
        ("memory", "ls", "list"),
        ("plugin", "show", "info"),
        ("plugin", "uninstall rm delete", "remove"),
        ("plugin", "add", "install"),
        ("config", "rm delete remove", "unset"),
    ],
)
def test_the_words_of_other_programs_have_their_command_here(group: str, words: str, command: str) -> None:
    commands = TREE["commands"][group]["commands"]
    for word in words.split():
        assert meant(word, commands) == [command]


def test_no_word_is_answered_with_a_command_that_destroys_more() -> None:
    harmless = "reset clean wipe refresh repair return respond report import-all store list purify clean-up restart"
    for group in TREE["commands"].values():
        for word in harmless.split():
            if word not in group["commands"]:
                assert not DESTRUCTIVE.intersection(meant(word, group["commands"])), word
    assert meant("forgt", TREE["commands"]["memory"]["commands"]) == ["forget"]
