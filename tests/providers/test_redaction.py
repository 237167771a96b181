from __future__ import annotations

import json
import time
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.providers.redaction import REDACTED, Redactor, Snapshot, secrets_of

# Put together here, so that no scanner takes this file for a leak.
KEYS = [
    "sk-" + "a1" * 20,
    "sk-proj-" + "Ab9_" * 10,
    "sk-ant-api03-" + "x" * 40,
    "ghp_" + "A1b2" * 9,
    "github_pat_" + "A1b2" * 9,
    "glpat-" + "A1b2" * 6,
    "xoxb-" + "1234567890-abcdef",
    "AKIA" + "ABCDEFGH12345678",
    "AIza" + "b" * 35,
    "hf_" + "A1b2" * 8,
    "eyJ" + "hbGciOiJI." + "eyJ" + "zdWIiOiIx.c2lnbmF0dXJl",
    "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_the_form_of_its_issuer_does_not_leave(key: str) -> None:
    text = Redactor().text(f"use {key} for it")
    assert text == f"use {REDACTED} for it"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("API_KEY=abcd1234efgh", f"API_KEY={REDACTED}"),
        ('{"password": "hunter22222"}', f'{{"password": "{REDACTED}"}}'),
        ("Authorization: Bearer abcdefghijk", f"Authorization: Bearer {REDACTED}"),
        ("postgres://ada:s3cret@db/x", f"postgres://ada:{REDACTED}@db/x"),
    ],
)
def test_what_a_name_says_is_secret_goes_and_the_name_stays(text: str, clean: str) -> None:
    assert Redactor().text(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "my token is fine",
        "token: tokenization",
        "sk-learn is a library",
        "a task-management-tool-for-everyone-here",
        "https://example.com:8080/a@b",
        "the bearer of bad news indeed",
        "risk_assessment_of_some_long_identifier",
    ],
)
def test_ordinary_text_is_not_taken_for_a_secret(text: str) -> None:
    assert Redactor().text(text) == text


def test_a_known_secret_goes_in_every_form_that_it_may_have() -> None:
    secret = 'pa"ss\\wörd/x y'
    redactor = Redactor([secret])
    for form in (
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        "pa%22ss%5Cw%C3%B6rd%2Fx%20y",
    ):
        assert redactor.text(f"<{form}>") == f"<{REDACTED}>"


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Redactor(["abcd", "abcdefgh"]).text("abcdefgh abcd") == f"{REDACTED} {REDACTED}"


def test_values_of_the_environment_count_unless_they_are_plainly_no_secret() -> None:
    variables = {
        "ACME_API_KEY": "k3y9",
        "ACME_PASSPHRASE": "open",
        "ACME_VAULT": "blue-horse-battery",
        "ACME_MODE": "local",
        "ACME_ON": "true",
        "ACME_DIR": "/home/ada/notes",
        "ACME_URL": "http://localhost:8000/v1",
        "ACME_DB": "postgres://ada:pw123@db/x",
        "ACME_TOKEN": "abc",
    }
    assert secrets_of(variables) == ("k3y9", "open", "blue-horse-battery", "postgres://ada:pw123@db/x")


def test_a_copy_is_deep_and_the_original_is_untouched() -> None:
    key = KEYS[0]
    original: dict[str, Any] = {
        "content": [{"text": key}, (key, 1, None)],
        key: True,
        "bytes": b"x",
        "object": object(),
    }
    before = json.dumps({**original, "bytes": "", "object": ""})
    copy = Redactor().value(original)
    assert copy == {
        "content": [{"text": REDACTED}, (REDACTED, 1, None)],
        REDACTED: True,
        "bytes": b"x",
        "object": copy["object"],
    }
    copy["content"][0]["text"] = "spoiled"
    assert json.dumps({**original, "bytes": "", "object": ""}) == before


def test_fenced_memory_never_goes_to_a_provider() -> None:
    block = "<memory-context>\nold\n</memory-context>"
    for redactor in (Redactor(), Redactor(enabled=False)):
        assert redactor.value([{"content": f"tea?\n\n{block}"}]) == [{"content": "tea?\n\n"}]


def test_redaction_can_be_switched_off() -> None:
    assert Redactor([KEYS[0]], enabled=False).text(f"{KEYS[0]} x") == f"{KEYS[0]} x"


def test_what_is_nested_without_end_is_cut_and_not_followed() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "nested too deep" in repr(Redactor().value(loop))
    assert "nested too deep" in repr(Snapshot({"a": loop}).thaw())


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)


@given(plain)
def test_a_snapshot_gives_back_what_was_there(value: Any) -> None:
    assert Snapshot(value).thaw() == value


def test_a_snapshot_keeps_what_is_no_plain_data_too() -> None:
    class Level(IntEnum):
        HIGH = 3

    value = [{"level": Level.HIGH, "object": {1, 2}, "text": "x"}]
    kept = Snapshot(value)
    value[0]["text"] = "later"
    first = kept.thaw()
    assert first == [{"level": Level.HIGH, "object": {1, 2}, "text": "x"}]
    first[0]["text"] = "spoiled"
    assert kept.thaw()[0]["text"] == "x"


def test_an_object_that_cannot_be_copied_is_handed_over_itself() -> None:
    class Stubborn:
        def __deepcopy__(self, memo: object) -> object:
            raise RuntimeError("no")

    stubborn = Stubborn()
    assert Redactor().value([stubborn])[0] is stubborn


@given(st.text(max_size=200), st.text(min_size=4, max_size=20).filter(lambda text: not set(text) & set("[redacted]")))
def test_no_known_secret_is_left_in_any_text(text: str, secret: str) -> None:
    assert secret not in Redactor([secret]).secretless(f"{text}{secret}{text}")


@pytest.mark.parametrize(
    "text", ["sk-" * 10**5, "a://b:" * 10**5, "token=" * 10**5, "pass" * 10**5, "eyJaaaaaaaaa." * 10**4]
)
def test_redaction_takes_time_in_proportion_to_the_text(text: str) -> None:
    begin = time.monotonic()
    Redactor(["secret-one"]).text(text)
    assert time.monotonic() - begin < 20
