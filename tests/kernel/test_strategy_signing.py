from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.kernel.artefacts import folder
from zeroclaw_cli.config.model import Security, SignatureMode
from zeroclaw_cli.errors import SecretError, SignatureInvalid, UntrustedPublisher
from zeroclaw_cli.kernel.strategies import signing
from zeroclaw_cli.kernel.strategies.artefact import read_artefact
from zeroclaw_cli.plugins import base64url, publisher_keys

SEED = hashlib.sha256(b"a publisher in the tests").digest()
KEY = publisher_keys.write_private_key(SEED)
PUBLIC = publisher_keys.public_key_hex(SEED)
TRUSTING = Security(SignatureMode.DISABLED, (PUBLIC.upper(),))


def test_what_a_trusted_publisher_signed_verifies(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    before = read_artefact(directory).digest
    assert signing.sign(directory, KEY) == PUBLIC
    artefact = read_artefact(directory)
    assert artefact.digest == before
    assert signing.verify(artefact, TRUSTING) == PUBLIC
    text = (directory / "strategy.sig").read_bytes()
    assert signing.sign(directory, KEY) == PUBLIC
    assert (directory / "strategy.sig").read_bytes() == text


def test_the_signature_may_be_in_another_file(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    signing.sign(directory, KEY)
    data = (directory / "strategy.sig").read_bytes()
    (directory / "strategy.sig").unlink()
    artefact = read_artefact(directory)
    with pytest.raises(SignatureInvalid, match="not signed"):
        signing.verify(artefact, TRUSTING)
    assert signing.verify(artefact, TRUSTING, data) == PUBLIC


def test_a_changed_strategy_is_not_what_was_signed(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    signing.sign(directory, KEY)
    (directory / "rules.toml").write_text((directory / "rules.toml").read_text() + "\n")
    with pytest.raises(SignatureInvalid, match="is not what"):
        signing.verify(read_artefact(directory), TRUSTING)


def test_a_signature_of_the_bare_digest_is_none(tmp_path: Path) -> None:
    artefact = read_artefact(folder(tmp_path))
    made = base64url.encode(publisher_keys.sign_bytes(artefact.digest.encode(), SEED))
    data = f'publisher_key = "{PUBLIC}"\nsignature = "{made}"\n'.encode()
    with pytest.raises(SignatureInvalid):
        signing.verify(artefact, TRUSTING, data)


def test_unknown_and_revoked_publishers_are_refused_whatever_the_signature_mode(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    signing.sign(directory, KEY)
    artefact = read_artefact(directory)
    for security in (Security(), replace(TRUSTING, revoked_publisher_keys=(PUBLIC,))):
        with pytest.raises(UntrustedPublisher) as caught:
            signing.verify(artefact, security)
        assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[",
        b"x = 1",
        f'publisher_key = "{PUBLIC}"'.encode(),
        f'publisher_key = "{PUBLIC}"\nsignature = "AA"'.encode(),
        f'publisher_key = "{PUBLIC}"\nsignature = 1'.encode(),
        f'publisher_key = "zz"\nsignature = "{"A" * 86}"'.encode(),
        f'publisher_key = "{PUBLIC}"\nsignature = "{"A" * 86}"\nx = 1'.encode(),
        f'publisher_key = "{PUBLIC}"\nsignature = "{"A" * 86}"'.encode() + b" " * 5_000,
    ],
)
def test_what_is_no_signature_is_one_line(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SignatureInvalid, match="not a signature of a strategy") as caught:
        signing.verify(read_artefact(folder(tmp_path)), TRUSTING, data)
    assert caught.value.hint


def test_a_key_that_is_none_signs_nothing(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    with pytest.raises(SecretError):
        signing.sign(directory, b"nonsense")
    assert not (directory / "strategy.sig").exists()
