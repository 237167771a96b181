from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zeroclaw_cli.errors import InvalidInstanceId
from zeroclaw_cli.plugins import base64url
from zeroclaw_cli.plugins.instance_key import instance_key, parse_instance_key

# How long one example takes says more about the load of the machine than about the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

VECTORS = [
    (
        ("messaging.plugin", "channel", "primary.東京"),
        "zpi1_WyJtZXNzYWdpbmcucGx1Z2luIiwiY2hhbm5lbCIsInByaW1hcnku5p2x5LqsIl0",
    ),
    (("my-plugin", "tool", "my-plugin"), "zpi1_WyJteS1wbHVnaW4iLCJ0b29sIiwibXktcGx1Z2luIl0"),
    (("my-plugin", "memory", "my-plugin"), "zpi1_WyJteS1wbHVnaW4iLCJtZW1vcnkiLCJteS1wbHVnaW4iXQ"),
    (("chat", "channel", "ops"), "zpi1_WyJjaGF0IiwiY2hhbm5lbCIsIm9wcyJd"),
    (("chat", "channel", 'a"b\\c'), "zpi1_WyJjaGF0IiwiY2hhbm5lbCIsImFcImJcXGMiXQ"),
]


@pytest.mark.parametrize(("identity", "key"), VECTORS)
def test_the_vectors_of_the_specification_hold_both_ways(identity: tuple[str, str, str], key: str) -> None:
    assert instance_key(*identity) == key
    assert parse_instance_key(key) == identity


@pytest.mark.parametrize(
    ("package", "capability", "binding", "problem"),
    [
        ("Bad", "tool", "b", "'Bad' is not a package name"),
        ("a\n", "tool", "b", "is not a package name"),
        ("a", "Tool", "b", "'Tool' is not a capability"),
        ("a", "tool", "", "the binding is empty"),
        ("a", "tool", "x\u0085", "holds control characters"),
        ("a", "tool", "x\n", "holds control characters"),
        ("a", "tool", "\ud800", "holds control characters"),
    ],
)
def test_an_identity_that_breaks_a_rule_is_named(package: str, capability: str, binding: str, problem: str) -> None:
    with pytest.raises(InvalidInstanceId, match=problem) as caught:
        instance_key(package, capability, binding)
    assert caught.value.hint
    assert "\n" not in caught.value.message


def _encoded(value: object, **options: object) -> str:
    return "zpi1_" + base64url.encode(json.dumps(value, **options).encode())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "key",
    [
        "my-plugin",
        "zpi1_",
        "zpi1_????",
        "zpi1_" + base64url.encode(b"\xff"),
        "zpi1_" + base64url.encode(b"[" * 100_000),
        _encoded(["chat", "channel"]),
        _encoded(["chat", "channel", 1]),
        _encoded(["chat", "Channel", "ops"], separators=(",", ":")),
        _encoded(["chat", "channel", "ops"]),
        _encoded(["chat", "channel", "東"], separators=(",", ":")),
        VECTORS[3][1] + "=",
    ],
)
def test_text_that_is_no_key_or_another_spelling_of_one_is_not_parsed(key: str) -> None:
    assert parse_instance_key(key) is None


@UNTIMED
@given(
    st.from_regex(r"[a-z0-9]([a-z0-9._-]{0,20}[a-z0-9])?", fullmatch=True),
    st.sampled_from(["tool", "channel", "memory", "observer", "skill"]),
    st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1),
)
def test_every_identity_comes_back_from_its_key(package: str, capability: str, binding: str) -> None:
    key = instance_key(package, capability, binding)
    assert "." not in key
    assert parse_instance_key(key) == (package, capability, binding)


@UNTIMED
@given(st.text())
def test_arbitrary_text_never_breaks_the_parser(text: str) -> None:
    assert parse_instance_key("zpi1_" + text) is None or instance_key(*parse_instance_key("zpi1_" + text) or ("",) * 3)
