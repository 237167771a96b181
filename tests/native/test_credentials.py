"""Which texts are credentials, and that none shows when a text is cut (specs/native-memory.md §12 step 4, §13)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zeroclaw_cli.memory.documents import TurnMessage
from zeroclaw_cli.native.admission import build
from zeroclaw_cli.native.chunking import chunk
from zeroclaw_cli.native.provider import LaneResult, Snippet
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.secrets import REDACTED, has_credential, lines_with_credentials, redact, redact_part
from zeroclaw_cli.native.standing import curate
from zeroclaw_cli.native.transcripts import body_of

SECRET = "hunter2xyz"
KEY_LINES = [f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{number}" for number in range(26)]
KEY = "\n".join(["-----BEGIN PRIVATE KEY-----", *KEY_LINES, "-----END PRIVATE KEY-----"])


@pytest.mark.parametrize(
    "text",
    [
        "password is: #",
        "Password is now: #",
        "the password was: #",
        "the password is still #",
        "password is as follows: #",
        "the password is the following = #",
        "password was changed to #",
        "the password is now set to #",
        "DB_PASSWORD=#",
        "export DB_PASSWORD='#'",
        "my_password: #",
        "dbPassword: #",
        "aws_secret_access_key=#",
        "--api-key=#",
        "**password**: #",
        "**Password:** #",
        "__password__: #",
        "`password`: #",
        "`password`: `#`",
        "- *API key*: `#`",
        "`DB_PASSWORD=#`",
        "password    =    #",
        "PASSWORD            = #",
        "password\u00a0:\u00a0#",
        "password：#",
        "password => '#'",
        "password == #",
        "pass phrase: #",
        '{"password": "#", "user": "ada"}',
        '{"api_key" : "#"}',
        "password: '#",
        "password: password: #",
        "Server=db;Password=#;User=ada",
        "| password | # |",
        "password - #",
        "API key – #",
        "**Authorization:** Bearer #",
        "Authorization = Basic #",
    ],
)
def test_a_value_is_redacted_however_its_label_is_written(text: str) -> None:
    redacted = redact(text.replace("#", SECRET))
    assert SECRET not in redacted
    assert REDACTED in redacted
    assert redact(redacted) == redacted
    assert has_credential(text.replace("#", SECRET))


def test_what_stands_beside_a_credential_stays() -> None:
    assert redact('{"password":12345,"user":"ada"}') == f'{{"password":{REDACTED},"user":"ada"}}'
    assert redact("Server=db;Password=abc1;User=ada;") == f"Server=db;Password={REDACTED};User=ada;"
    assert redact("| password | abc123 | ada |") == f"| password | {REDACTED} | ada |"
    assert redact("my password is abc1, and my dog is Bo") == f"my password is {REDACTED}, and my dog is Bo"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("password=ab,cdef1", f"password={REDACTED}"),
        ("password: it's;me", f"password: {REDACTED}"),
        ('"password": "x\\"y1z", "a": 1', f'"password": {REDACTED}, "a": 1'),
        ("password: " + "x1" * 5_000, f"password: {REDACTED}"),
        ("sk-" + "a1" * 5_000, REDACTED),
        ("authorization: bearer " + "x1" * 5_000, f"authorization: bearer {REDACTED}"),
    ],
)
def test_no_end_of_a_value_is_left(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "password_hint: my first dog",
        "password_length = 12",
        "Passwords: see vault",
        "password - required",
        "API key - see the handbook",
        "| user | password | notes |",
        "| password | API key |",
        "the api key is required for: login",
        "the password was changed to something else",
        "the password is set",
        "the password is now in the safe",
        "the password is still valid",
        "nopassword: true",
        "PWD=/home/ada",
    ],
)
def test_what_only_speaks_of_a_credential_is_kept(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'password:"' * 20_000,
        "password is " + "now " * 50_000,
        "password is now set to " * 10_000,
        "password: " + 'a"' * 100_000,
        "password: " + ("," + "a" * 39) * 5_000,
        ("password" + " " * 40) * 5_000,
        'password:"' + '\\"' * 100_000,
        "password: `" * 20_000,
        "password | " * 20_000,
        "password - " + "a" * 200_000,
        "password" + "*" * 200_000,
        "aA" * 200_000,
        "authorization: " * 20_000,
    ],
)
def test_a_scan_stays_linear(text: str) -> None:
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 5


# Cut texts


CREDENTIALS = {
    "a label and its value": (["password:", SECRET], {SECRET}),
    "words between them": (["password", "is", "now", "set", "to", SECRET], {SECRET}),
    "a quoted value": (["secret", "key", "=", '"alpha1', "beta2", 'gamma3"'], {"alpha1", "beta2", "gamma3"}),
    "a header": (["Authorization:", "Bearer", SECRET], {SECRET}),
    "a key": (KEY.split(), set(KEY_LINES)),
}


@pytest.mark.parametrize("name", CREDENTIALS)
@pytest.mark.parametrize("border", [680, 800])
def test_no_part_of_a_document_shows_a_credential_that_its_border_cuts(name: str, border: int) -> None:
    credential, secrets = CREDENTIALS[name]
    for shift in range(len(credential) + 1):
        words = [f"w{number}" for number in range(1_500)]
        words[border - shift : border - shift] = credential
        for separator in (" ", "\n"):
            whole = separator.join(words)
            for part in chunk(whole):
                shown = redact_part(part, whole)
                assert not any(secret in shown for secret in secrets)
                assert all(word in shown.split() for word in part.split() if word.startswith("w"))


def test_a_part_that_is_not_in_its_document_is_redacted_by_itself() -> None:
    assert redact_part(f"my password is {SECRET}", "something else") == f"my password is {REDACTED}"


@given(st.integers(0, 900), st.integers(0, 900), st.sampled_from(sorted(CREDENTIALS)), st.sampled_from([" ", "\n"]))
@settings(deadline=None)
def test_no_window_of_a_snippet_shows_a_credential(before: int, after: int, name: str, separator: str) -> None:
    credential, secrets = CREDENTIALS[name]
    text = separator.join(["f" * before, KEY if name == "a key" else " ".join(credential), "zebra talk", "g" * after])
    block = build(Scope(), LaneResult((Snippet(Scope(), "a.md", text),)), LaneResult(), query="zebra")
    assert "zebra" in block.text
    assert not any(secret in block.text for secret in secrets)


def test_a_value_on_the_line_below_its_label_is_hidden_where_lines_are_chosen() -> None:
    text = "\n".join([*(f"line {number} of a log" for number in range(60)), "password:", f"{SECRET} of the zebra"])
    block = build(Scope(), LaneResult((Snippet(Scope(), "a.md", text),)), LaneResult(), query="zebra")
    assert "zebra" in block.text
    assert SECRET not in block.text


def test_a_label_that_control_characters_hide_is_one_in_a_long_text_too() -> None:
    text = f"{'filler ' * 90}pass\x07wo\trd: {SECRET} and then we talk of a zebra {'filler ' * 90}"
    block = build(Scope(), LaneResult((Snippet(Scope(), "a.md", text),)), LaneResult(), query="zebra")
    assert "zebra" in block.text
    assert SECRET not in block.text


def test_a_marker_whose_words_a_tab_parts_is_one() -> None:
    for text in ("act\tas a zebra", "act\tas a zebra " + "filler " * 90):
        block = build(Scope(), LaneResult((Snippet(Scope(), "a.md", text),)), LaneResult(), query="zebra")
        assert [item.reason for item in block.left_out] == ["unsafe"]


def test_standing_lines_below_a_label_or_inside_of_a_key_are_dropped() -> None:
    text = f"Ada drinks tea\nWi-Fi password:\n{SECRET}\n{KEY}\nBob drinks coffee\n"
    curated = curate(text, 4)
    assert curated.chunks == ("Ada drinks tea; Wi-Fi password:; Bob drinks coffee",)
    assert curated.dropped == len(KEY_LINES) + 3


@pytest.mark.parametrize(
    "line",
    [
        "- A PEM file starts with `-----BEGIN PRIVATE KEY-----`; the scanner greps for that.",
        "-----BEGIN PRIVATE KEY-----",
        "- -----BEGIN RSA PRIVATE KEY----- and -----END RSA PRIVATE KEY----- mark it",
        "-----BEGIN PRIVATE KEY----- internationalization",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    ],
)
def test_a_header_that_is_only_spoken_of_takes_nothing_away(line: str) -> None:
    text = f"Ada drinks tea\n{line}\nBob drinks coffee\nEve drinks water"
    assert redact(text) == text
    assert not any(lines_with_credentials(text.split("\n")))
    assert body_of([TurnMessage("user", text)]) == f"## user\n{text}\n"


KEYS = {
    "plain": KEY,
    "without an end": KEY.rpartition("\n")[0],
    "short with an end": "-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----",
    "encrypted": KEY.replace("-\nM", "-\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\nM", 1),
    "escaped": KEY.replace("\n", "\\n"),
    "escaped twice": KEY.replace("\n", "\\\\n"),
    "with carriage returns": KEY.replace("\n", "\r\n"),
    "quoted": KEY.replace("\n", "\n> "),
    "joined in code": KEY.replace("\n", '\\n"\n    "'),
    "with a short last line": f"{KEY.rpartition(chr(10))[0]}\nab+=",
    "of another program": KEY.replace("KEY-", "KEY BLOCK-").replace("PRIVATE", "PGP PRIVATE"),
}


@pytest.mark.parametrize("name", KEYS)
def test_a_key_ends_where_its_material_ends(name: str) -> None:
    text = f"Ada drinks tea\n{KEYS[name]}\nBob drinks coffee\nEve drinks water"
    assert redact(text) == f"Ada drinks tea\n{REDACTED}\nBob drinks coffee\nEve drinks water"
    flags = list(lines_with_credentials(text.split("\n")))
    assert flags == [False, *[True] * (len(flags) - 3), False, False]


def test_a_key_without_an_end_does_not_take_all_that_follows() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", *("x" * 100 for _ in range(300))]
    flags = list(lines_with_credentials(lines))
    assert flags == sorted(flags, reverse=True)
    assert 190 < sum(flags) < 210
