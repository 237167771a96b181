from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from zeroclaw_cli.config.publisher_key import key_problem
from zeroclaw_cli.errors import SecretError
from zeroclaw_cli.plugins import publisher_keys

SEED = bytes(range(32))
PUBLIC = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
V1 = bytes.fromhex("302e020100300506032b657004220420") + SEED
V2 = bytes.fromhex("3051020101300506032b657004220420") + SEED + bytes.fromhex("812100" + PUBLIC)
V2_OLDER = bytes.fromhex("3053020101300506032b657004220420") + SEED + bytes.fromhex("a123032100" + PUBLIC)


def _pem(der: bytes, line_end: bytes = b"\n") -> bytes:
    body = base64.b64encode(der)
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    return line_end.join([b"-----BEGIN PRIVATE KEY-----", *lines, b"-----END PRIVATE KEY-----", b""])


@pytest.mark.parametrize("der", [V1, V2, V2_OLDER], ids=["48 bytes", "83 bytes", "85 bytes"])
def test_each_layout_is_read_as_der_hex_and_pem(der: bytes) -> None:
    for data in (der, der.hex().encode(), der.hex().upper().encode() + b"\n", _pem(der), _pem(der, b"\r\n")):
        assert publisher_keys.load_private_key(data) == SEED


@pytest.mark.parametrize("bare", [SEED, SEED.hex().encode(), b"  " + SEED.hex().upper().encode() + b"\r\n"])
def test_a_bare_number_may_be_a_public_key_and_is_refused(bare: bytes) -> None:
    with pytest.raises(SecretError, match="may be a public key"):
        publisher_keys.load_private_key(bare)


def test_a_key_written_by_another_library_is_read() -> None:
    key = Ed25519PrivateKey.from_private_bytes(SEED)
    for encoding in (Encoding.DER, Encoding.PEM):
        data = key.private_bytes(encoding, PrivateFormat.PKCS8, NoEncryption())
        assert publisher_keys.load_private_key(data) == SEED


def test_the_83_byte_layout_is_written() -> None:
    assert publisher_keys.write_private_key(SEED) == V2
    assert len(V2) == 83
    assert len(V2_OLDER) == 85
    assert publisher_keys.public_key_hex(SEED) == PUBLIC


@pytest.mark.parametrize("der", [V2, V2_OLDER], ids=["83 bytes", "85 bytes"])
def test_an_embedded_public_key_of_another_seed_is_refused(der: bytes) -> None:
    with pytest.raises(SecretError, match="its public key is not that of its seed"):
        publisher_keys.load_private_key(der[:-1] + bytes([der[-1] ^ 1]))


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not in a known layout"),
        (b"hello", "not in a known layout"),
        (V1[:-1], "not in a known layout"),
        (V2 + b"\0", "not in a known layout"),
        (bytes.fromhex("302e020100300506032b657104220420") + SEED, "not in a known layout"),
        (SEED.hex().encode()[:-2], "not in a known layout"),
        (_pem(V1)[:60], "cut short or damaged"),
        (_pem(V1).replace(b"MC4C", b"M!4C"), "cut short or damaged"),
        (
            Ed25519PrivateKey.from_private_bytes(SEED)
            .public_key()
            .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
            "holds 'public key'",
        ),
        (
            Ed25519PrivateKey.from_private_bytes(SEED).private_bytes(
                Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")
            ),
            "holds 'encrypted private key'",
        ),
    ],
)
def test_what_is_no_private_key_is_refused_without_its_bytes_in_the_message(data: bytes, problem: str) -> None:
    with pytest.raises(SecretError, match=problem) as caught:
        publisher_keys.load_private_key(data)
    assert SEED.hex()[:16] not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("seed", [b"", SEED[:-1], SEED + b"\0"])
def test_a_seed_of_another_length_is_refused(seed: bytes) -> None:
    for use in (publisher_keys.public_key_hex, publisher_keys.write_private_key):
        with pytest.raises(SecretError, match="instead of 32"):
            use(seed)


TRUSTABLE = "ab" * 32


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (TRUSTABLE, TRUSTABLE),
        (f"  {TRUSTABLE.upper()}\n", TRUSTABLE),
        (PUBLIC, None),
        ("0x" + PUBLIC, None),
        (PUBLIC[:-1], None),
        (PUBLIC + "00", None),
        (PUBLIC[:-1] + "g", None),
        (PUBLIC[:32] + " " + PUBLIC[33:], None),
        ("", None),
    ],
)
def test_a_public_key_is_64_hex_digits_in_any_case_with_blanks_around(text: str, key: str | None) -> None:
    assert publisher_keys.normalise_public_key(text) == key
    assert (key_problem(text) is None) == (key is not None)
