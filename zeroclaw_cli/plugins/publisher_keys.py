"""Ed25519 keys of publishers: their texts, and the PKCS#8 files that hold a private one (specs/zeroclaw.md §4.1)."""

from __future__ import annotations

import binascii
import re

from zeroclaw_cli.config.publisher_key import comparable_key, key_problem
from zeroclaw_cli.errors import SecretError

SEED_BYTES = 32

# The layouts differ in what stands around the seed and around the embedded public key; (before, between) each.
_WITHOUT_PUBLIC = bytes.fromhex("302e020100300506032b657004220420")
_LAYOUTS = (
    (bytes.fromhex("3051020101300506032b657004220420"), bytes.fromhex("812100")),
    (bytes.fromhex("3053020101300506032b657004220420"), bytes.fromhex("a123032100")),
)
_HINT = "give the file that `zeroclaw plugin keygen` wrote, or a PKCS#8 Ed25519 key as DER, PEM or hex"


def normalise_public_key(text: str) -> str | None:
    """A public key as 64 lower-case hex digits, or None when ``text`` (any case, blanks around it) is none that can be
    trusted."""
    return comparable_key(text) if key_problem(text) is None else None


def load_private_key(data: bytes) -> bytes:
    """The 32-byte seed in ``data``: PKCS#8 DER in any of its three layouts, or PEM or hex of it.

    A bare 32-byte number is refused, since a public key looks the same and signing with it would give the key away.
    Raises SecretError for anything else and when the embedded public key is not the seed's; no message holds key bytes.
    """
    der = _unwrap(data)
    if len(der) == SEED_BYTES:
        raise SecretError("32 bare bytes may be a public key and are not taken as a private one", hint=_HINT)
    if len(der) == 48 and der.startswith(_WITHOUT_PUBLIC):
        return der[16:]
    for before, between in _LAYOUTS:
        if len(der) == 48 + len(between) + 32 and der.startswith(before) and der[48:-32] == between:
            seed, public = der[16:48], der[-32:]
            if public_key_hex(seed) != public.hex():
                raise SecretError("the private key is damaged: its public key is not that of its seed", hint=_HINT)
            return seed
    raise SecretError("the private key is not in a known layout", hint=_HINT)


def load_signing_key(data: bytes) -> bytes:
    """:func:`load_private_key` for a signature that is to count somewhere. Raises SecretError also for a published
    key."""
    seed = load_private_key(data)
    problem = key_problem(public_key_hex(seed))
    if problem is not None:
        raise SecretError(
            f"the signing key {problem}", hint="make a key of your own: zeroclaw plugin keygen --out publisher.key"
        )
    return seed


def write_private_key(seed: bytes) -> bytes:
    """PKCS#8 DER version 2 of ``seed`` with its public key, 83 bytes, which strict readers ask for."""
    before, between = _LAYOUTS[0]
    return before + _checked(seed) + between + bytes.fromhex(public_key_hex(seed))


def public_key_hex(seed: bytes) -> str:
    """The public key of the 32-byte ``seed``, 64 lower-case hex digits. Raises SecretError for another length."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(_checked(seed)).public_key().public_bytes_raw().hex()


def sign_bytes(data: bytes, seed: bytes) -> bytes:
    """The 64-byte Ed25519 signature of ``data`` by the 32-byte ``seed``. Raises SecretError for another length."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(_checked(seed)).sign(data)


def verify_bytes(data: bytes, signature: bytes, public_key: bytes) -> bool:
    """Whether ``signature`` (64 bytes) of ``data`` was made by the private half of ``public_key`` (32 bytes)."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _checked(seed: bytes) -> bytes:
    if len(seed) != SEED_BYTES:
        raise SecretError(f"the private key has {len(seed)} bytes instead of {SEED_BYTES}", hint=_HINT)
    return seed


def _unwrap(data: bytes) -> bytes:
    """DER, or a bare seed, out of PEM, hex or DER."""
    stripped = data.strip()
    if stripped.startswith(b"-----BEGIN"):
        return _from_pem(stripped)
    if re.fullmatch(rb"(?:[0-9a-fA-F]{2})+", stripped):
        return bytes.fromhex(stripped.decode("ascii"))
    return data


def _from_pem(text: bytes) -> bytes:
    begin, _, rest = text.partition(b"\n")
    label = begin.strip()
    if label != b"-----BEGIN PRIVATE KEY-----":
        kind = label.strip(b"-").decode("ascii", "replace").removeprefix("BEGIN ").lower()
        raise SecretError(f"the PEM file holds {kind!r}, not an unencrypted private key", hint=_HINT)
    body, end, _ = rest.partition(b"-----END PRIVATE KEY-----")
    try:
        if not end:
            raise ValueError
        return binascii.a2b_base64(b"".join(body.split()), strict_mode=True)
    except ValueError:
        raise SecretError("the PEM file is cut short or damaged", hint=_HINT) from None
