from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zeroclaw_cli.plugins.patterns import to_python

# How long one example takes says more about the load of the machine than about the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    "pattern",
    [
        r"^[\s\S]{0,200}$",
        "",
        "a",
        "^[a-z]+(?:-[a-z]+)*$",
        "(?<year>[0-9]{4})",
        "(?P<year>[0-9]{4})",
        "(?i)abc",
        r"[(?=]",
        r"[\](?!]",
        r"[](?=]",
        r"\(?=",
        r"\\(?:a)",
        r"[\1]",
        "a{500}",
        "(a{10}b{50}){10}",
        "(a){500}",
        "((a)){500}b{500}",
        "(a{1}){500}",
        "(a{0}){500}",
        "a{2}?",
        r"\/",
        "a{x}",
        "[[]",
    ],
)
def test_this_is_in_the_dialect(pattern: str) -> None:
    assert re.compile(to_python(pattern))


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"^[\s\S]{0,1000}$", "repeats up to 1000 times"),
        (r"^[\s\S]{0,8000}$", "repeats up to 8000 times"),
        ("a{501,}", "repeats up to 501 times"),
        ("(a{30}){30}", "repeats up to 900 times"),
        ("((?:ab{30}c)+d){30}", "repeats up to 900 times"),
        ("a{30}{30}", "repeats up to 900 times"),
        ("a{99999999999999999999}", "repeats more than"),
        (r"(a)\1", "back-reference"),
        (r"(?<n>a)\k<n>", "back-reference"),
        ("(?P<n>a)(?P=n)", "back-reference"),
        ("(?=a)", "look-ahead"),
        ("a(?!b)", "look-ahead"),
        (r"\((?=a)\)", "look-ahead"),
        ("(?<=a)b", "look-behind"),
        ("(?<!a)b", "look-behind"),
        ("(?>a)", "atomic group"),
        ("(a)?(?(1)b)", "conditional group"),
        ("a++", "possessive"),
        ("a{2}+", "possessive"),
        ("[[:alpha:]]", "named character class"),
        ("[a-z&&[b]]", "set operations"),
        ("[a--b]", "set operations"),
        (r"\p{L}", "not a pattern that this host can read"),
        ("[a", "a character class is not closed"),
        ("(a", "not a pattern that this host can read"),
        ("a)", "not a pattern that this host can read"),
        ("a)(b", "not a pattern that this host can read"),
        ("*", "not a pattern that this host can read"),
        ("(" * 5000 + ")" * 5000, "not a pattern that this host can read"),
        ("\\", "not a pattern that this host can read"),
    ],
)
def test_this_is_outside_the_dialect(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        to_python(pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^a$", "a", True),
        ("^a$", "a\n", False),
        (r"^[$]$", "$", True),
        (r"^\$$", "$", True),
        (r"^\d$", "٣", False),
        (r"^\w$", "é", False),
        ("(?i)^A$", "a", True),
        ("(?<n>a)b", "ab", True),
        (r"^a\z", "a", True),
        ("b", "abc", True),
        ("^[[|]$", "[", True),
        ("^[[|]$", "|", True),
        (r"^[\[\\[]$", "\\", True),
        (r"^[^[]$", "[", False),
    ],
)
def test_a_pattern_means_what_json_schema_means(pattern: str, text: str, matches: bool) -> None:
    assert (re.search(to_python(pattern), text) is not None) is matches


def test_patterns_can_be_joined_by_alternation() -> None:
    assert re.search("|".join(map(to_python, ["^a$", "(?i)^b$"])), "B")


@UNTIMED
@given(st.text(max_size=20) | st.text(alphabet="ab()[]{}^$*+?\\|,:<>=!#P13k", max_size=20))
def test_arbitrary_text_is_translated_or_refused_with_a_reason(pattern: str) -> None:
    try:
        translated = to_python(pattern)
    except ValueError as error:
        assert str(error)
    else:
        assert re.compile(translated)
