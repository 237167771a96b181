from __future__ import annotations

import pytest

from zeroclaw_cli.cli.app import GROUPS
from zeroclaw_cli.providers import names


@pytest.mark.parametrize("name", ["a", "0", "holographic", "my-memory", "my_memory", "a" * 64])
def test_p05_ordinary_names_are_names(name: str) -> None:
    assert names.name_problem(name) is None


@pytest.mark.parametrize(
    "name", ["", "A", "-a", "_a", "a.b", "a/b", "a" * 65, "ä", "a\n", "../x", "a b", ".a", "a\0", "\u0430"]
)
def test_p05_other_forms_are_no_names(name: str) -> None:
    assert "is not a provider name" in (names.name_problem(name) or "")


@pytest.mark.parametrize(
    "name",
    "builtin built-in default none plugins memory native plugin layers postgres sqlite".split(),  # noqa: SIM905
)
def test_p05_words_with_a_meaning_are_reserved(name: str) -> None:
    assert "reserved" in (names.name_problem(name) or "")


def test_every_top_level_command_is_reserved() -> None:
    assert set(GROUPS) <= names.COMMANDS
    assert {"strategy", "mcp"} <= names.COMMANDS


@pytest.mark.parametrize("value", ["", " ", "none", "None", "builtin", "Built-In", "DEFAULT"])
def test_p05_these_values_mean_no_external_provider(value: str) -> None:
    assert names.chosen(value) is None


def test_another_value_is_the_name_as_written() -> None:
    assert names.chosen(" holographic ") == "holographic"


def test_p13_only_the_name_of_the_builtin_claims_it() -> None:
    assert all(map(names.claims_builtin, ["builtin", "BuiltIn ", "built-in"]))
    assert not names.claims_builtin("builtin2")
