"""Which words after the name of a credential are its value, and which only speak of it (§12 step 4)."""

from __future__ import annotations

import time

import pytest

from zeroclaw_cli.native.secrets import REDACTED, has_credential, is_parted, redact

ORDINARY = [
    # Sentences.
    "The production API key is obtained from Ana on request.",
    "The password is handled by 1Password.",
    "The access key is scoped to the billing bucket in Frankfurt.",
    "The password is Bob's.",
    "The password was Ana's idea.",
    "The password is set to expire in 30 days.",
    "The password is case-sensitive.",
    "The password is 128 bits long",
    "The client secret is valid for 90 days.",
    "The passphrase is four words from the list.",
    "The API key is read-only.",
    "The access token is JWT.",
    "The access token is sent in the X-Auth header.",
    "The private key is ~/.ssh/id_ed25519",
    "API key: see the handbook",
    "API key: N/A",
    "passphrase: optional",
    "passphrase: in the safe",
    "password: 8-64 characters",
    # Code.
    "`def login(user, password: str) -> bool`",
    "`api_key: str | None = None`",
    "api_key: Optional[str] = None",
    "password: string; user: string",
    '{"type": "object", "password": "string"}',
    '{"password": null}',
    "password: null",
    "if password == other.password:",
    "password === user.hash",
    "password != confirm",
    'password=os.environ["DB_PASSWORD"]',
    "Client(api_key=settings.key)",
    'api_key = os.getenv("API_KEY")',
    "password: getpass.getpass()",
    "password = input('Password: ')",
    "login(password=password)",
    "private key: /etc/ssl/private/key.pem",
    # What is filled in elsewhere.
    "password: ${DB_PASSWORD}",
    "password: $DB_PASSWORD",
    "password=$(pass show db)",
    'password: "{{ vault_db }}"',
    "password: <your password>",
    "password: !vault |",
    "password: TBD",
    "password: '***'",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer tokens go in the header",
    "postgres://ada:${PASS}@db/x",
    # Cells.
    "| password | varchar(255) |",
    "| password | sha256 |",
    "| Password | 12+chars |",
    "| password | 90days |",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_a_sentence_or_code_about_a_credential_is_kept(text: str) -> None:
    assert redact(text) == text
    assert not has_credential(text)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Deploy passphrase: correct horse battery staple", f"Deploy passphrase: {REDACTED}"),
        ("passphrase = the-quick brown fox; Bob drinks tea", f"passphrase = {REDACTED}; Bob drinks tea"),
        ("passphrase: a big cat\nBob", f"passphrase: {REDACTED}\nBob"),
        ("Wifi password: one two three", f"Wifi password: {REDACTED}"),
        ("Wifi password: old\nBob", f"Wifi password: {REDACTED}\nBob"),
        ("password: Swordfish", f"password: {REDACTED}"),
        ("password=changeme", f"password={REDACTED}"),
        ("password: P@ss.word1", f"password: {REDACTED}"),
        ("password: $ecret1!", f"password: {REDACTED}"),
        ("password: x7(k9", f"password: {REDACTED}"),
        ("password='os.environ'", f"password={REDACTED}"),
        ("The password is swordfish.", f"The password is {REDACTED}"),
        ("The password is hunter2 for the wiki", f"The password is {REDACTED} for the wiki"),
        ("The password is abcDEF!x now", f"The password is {REDACTED} now"),
        ('api_key: str = "abc123xyz"', f"api_key: str = {REDACTED}"),
        ("api_key: str | None = 'abc123xyz'", f"api_key: str | None = {REDACTED}"),
        ("if password == 'hunter2x':", f"if password == {REDACTED}:"),
        ("f(password=g(api_key=abc123xyz))", f"f(password=g(api_key={REDACTED}"),
    ],
)
def test_a_value_is_one_whatever_words_it_is_made_of(text: str, redacted: str) -> None:
    assert redact(text) == redacted
    assert redact(redacted) == redacted


@pytest.mark.parametrize(
    ("label", "value", "parted"),
    [
        ("GitHub password:", "hunter2xyz", True),
        ("**Password:**", "`hunter2xyz`", True),
        ("Authorization:", "Bearer hunter2xyz", True),
        ("GitHub password:", "ask Ana for it", False),
        ("GitHub password:", "Swordfish", False),
        ("API key:", "settings.key2", False),
        ("Notes:", "password: hunter2xyz", False),
    ],
)
def test_a_value_below_its_label_has_letters_and_digits(label: str, value: str, parted: bool) -> None:
    assert is_parted(label, value) == parted


@pytest.mark.parametrize(
    "text",
    [
        "passphrase: " * 50_000,
        "passphrase: a b " * 30_000,
        "password: one two three " * 30_000,
        "api_key: str" + " | str" * 50_000,
        "api_key: str " * 30_000,
        "api_key=f(" * 50_000,
        "password: <a" * 30_000,
        "password: a.b" * 30_000,
        "password == " * 30_000,
        "-----BEGIN PRIVATE KEY-----\n" * 20_000,
        ("-----BEGIN PRIVATE KEY-----" + "Comment:" * 60) * 1_000,
        "-----BEGIN PRIVATE KEY-----" + "\n" * 200_000 + "A" * 200_000,
        ("-----BEGIN PRIVATE KEY-----" + "AbC1 " * 60) * 1_000,
    ],
)
def test_judging_stays_linear(text: str) -> None:
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 5
