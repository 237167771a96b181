"""``strategy.sig``: a publisher's word for exactly the files of an artefact (specs/memory-kernel.md §15)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zeroclaw_cli import fsio
from zeroclaw_cli.config.model import Security
from zeroclaw_cli.config.publisher_key import comparable_key, distrust, form_problem, is_revoked, key_problem
from zeroclaw_cli.errors import SignatureInvalid, UntrustedPublisher
from zeroclaw_cli.kernel.strategies.artefact import SIGNATURE, Artefact, read_artefact
from zeroclaw_cli.plugins import base64url, publisher_keys

_KEYS: Final = frozenset({"publisher_key", "signature"})
_MOST_BYTES: Final = 4_096


def sign(directory: Path, key: bytes) -> str:
    """Write ``strategy.sig`` of the artefact in ``directory`` with a private ``key``; gives the public key.

    An older signature is replaced. Raises what reading an artefact raises, SecretError for a key that is none, OSError.
    """
    artefact = read_artefact(directory)
    seed = publisher_keys.load_signing_key(key)
    public_key = publisher_keys.public_key_hex(seed)
    signature = base64url.encode(publisher_keys.sign_bytes(_message(artefact), seed))
    text = f'publisher_key = "{public_key}"\nsignature = "{signature}"\n'
    fsio.atomic_write(directory / SIGNATURE, text.encode("ascii"), mode=0o644)
    return public_key


def verify(artefact: Artefact, security: Security, signature: bytes | None = None) -> str:
    """The trusted publisher's key (64 hex digits) that signed ``artefact``; ``signature`` is the content of another
    file than its own.

    Raises UntrustedPublisher and SignatureInvalid. ``plugins.security.signature_mode`` has no say: here a signature
    stands for a person's yes.
    """
    data = artefact.signature if signature is None else signature
    if data is None:
        raise SignatureInvalid(f"{artefact.directory} is not signed", hint="`zeroclaw strategy sign DIR` signs it")
    key, found = _parsed(data)
    compared = comparable_key(key)
    reason = distrust(compared, security)
    if reason is not None:
        hint = f"if you trust this publisher: zeroclaw plugin trust add {compared}"
        if is_revoked(compared, security) or key_problem(compared) is not None:
            hint = "do not use it"
        raise UntrustedPublisher(f"the strategy is signed by {compared}, but {reason}", hint=hint)
    if not publisher_keys.verify_bytes(_message(artefact), found, bytes.fromhex(compared)):
        raise SignatureInvalid(
            f"{artefact.directory} is not what {compared} signed",
            hint="get it again from its publisher, or approve it yourself",
        )
    return compared


def _message(artefact: Artefact) -> bytes:
    # Said to be for a strategy, so that no signature of something else can be passed off as one.
    return f"zeroclaw-strategy v1\n{artefact.digest}\n".encode("ascii")


def _parsed(data: bytes) -> tuple[str, bytes]:
    from zeroclaw_cli.config.toml_read import load_toml

    try:
        document = load_toml(data.decode("utf-8")) if len(data) <= _MOST_BYTES else {}
    except ValueError:
        document = {}
    key, text = document.get("publisher_key"), document.get("signature")
    signature = base64url.decode(text) if type(text) is str else None
    malformed = set(document) != _KEYS or type(key) is not str or form_problem(key) is not None
    if malformed or signature is None or len(signature) != 64:
        raise SignatureInvalid(
            f"{SIGNATURE} is not a signature of a strategy", hint="`zeroclaw strategy sign DIR --key FILE` writes one"
        )
    return str(key), signature
