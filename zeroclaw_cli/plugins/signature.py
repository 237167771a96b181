"""What a manifest's signature is worth, what the policy makes of it, and signing (specs/zeroclaw.md §4).

The signature covers the manifest alone. A payload is covered through a digest inside the signed bytes (design.md,
decision 2), which :func:`covers` judges and whoever holds the payload compares.
"""

from __future__ import annotations

from zeroclaw_cli.config.model import Security, SignatureMode
from zeroclaw_cli.config.publisher_key import REVOKED, comparable_key, distrust, form_problem, key_problem
from zeroclaw_cli.errors import (
    InvalidManifest,
    PolicyUnclear,
    Refused,
    SignatureInvalid,
    UnsignedPlugin,
    UntrustedPublisher,
)
from zeroclaw_cli.plugins import base64url, publisher_keys
from zeroclaw_cli.plugins.model import Manifest, SignatureState, SignatureVerdict

_SIGNATURE_BYTES = 64


def verify(manifest: Manifest, security: Security) -> SignatureVerdict:
    """The state of the signature under ``security``, with the reason where it is not valid; raises nothing.

    Trust is judged before anything is decoded, so a malformed key that is not trusted is untrusted, not invalid. Under
    ``signature_mode = "disabled"`` nothing is looked at. ``covers_component`` is left to :func:`covers`.
    """
    key, signature = manifest.publisher_key, manifest.signature
    if security.signature_mode is SignatureMode.DISABLED:
        return SignatureVerdict(SignatureState.UNCHECKED, key)
    if key is None or signature is None:
        return SignatureVerdict(SignatureState.UNSIGNED, key, reason=unsigned_reason(manifest))
    distrusted = distrust(key, security)
    if distrusted is not None:
        return SignatureVerdict(SignatureState.UNTRUSTED, key, reason=distrusted)
    problem = signature_problem(manifest.text, signature, key)
    if problem is not None:
        return SignatureVerdict(SignatureState.INVALID, key, reason=problem)
    return SignatureVerdict(SignatureState.VALID, key)


def unsigned_reason(manifest: Manifest) -> str:
    """Which part of its signature ``manifest`` lacks, and where it stands when it is only misplaced."""
    fields = (("signature", manifest.signature), ("publisher_key", manifest.publisher_key))
    missing = [name for name, value in fields if value is None]
    reason = f"the manifest has no {' and '.join(missing)}"
    misplaced = [f"{name} stands below [{manifest.misplaced[name]}]" for name in missing if name in manifest.misplaced]
    if not misplaced:
        return reason
    return f"{reason}: {' and '.join(misplaced)}, and belongs above the first table header"


def covers(manifest: Manifest, has_component: bool, has_skills: bool, state: SignatureState) -> bool:
    """Whether every payload that the package has is covered by a valid signature (design.md, decision 2)."""
    return (
        state is SignatureState.VALID
        and (manifest.wasm_sha256 is not None or not has_component)
        and (manifest.skills_sha256 is not None or not has_skills)
    )


def require_clear(security: Security, name: str) -> None:
    """Raise PolicyUnclear when the config holds what may have been meant as a rule of this policy: what an unknown rule
    would have said of the package ``name``, nobody can tell."""
    if security.slips:
        raise PolicyUnclear(
            f"plugin {name!r} is not loaded: config.toml has the unknown {', '.join(security.slips)}, "
            "which may have been meant as a rule of plugins.security",
            hint="correct or remove it with `zeroclaw config edit`; the settings are shown by: "
            "zeroclaw config list -f plugins.security",
        )


def enforce(verdict: SignatureVerdict, manifest: Manifest, mode: SignatureMode) -> tuple[str, ...]:
    """Apply the matrix of specs/zeroclaw.md §4.4: the warnings under which the package is admitted.

    Raises UnsignedPlugin, UntrustedPublisher or SignatureInvalid under ``strict``. A verdict that was not reached is
    treated as an invalid signature wherever the mode asks for one.
    """
    if mode is SignatureMode.DISABLED or verdict.state is SignatureState.VALID:
        return ()
    refusal = _refusal(verdict, manifest)
    if mode is SignatureMode.PERMISSIVE:
        return (refusal.message,)
    raise refusal


def sign(text: str, seed: bytes) -> str:
    """The manifest ``text`` signed by the 32-byte ``seed``; an old signature is replaced, and the result was verified.

    Raises InvalidManifest for text that is not TOML or that hosts may render in different ways, SecretError for a seed
    of another length.
    """
    from zeroclaw_cli.config.toml_read import load_toml
    from zeroclaw_cli.plugins.canonical import canonical_bytes, check_signable, insert_signature

    check_signable(text)
    signature = base64url.encode(publisher_keys.sign_bytes(canonical_bytes(text), seed))
    key = publisher_keys.public_key_hex(seed)
    signed = insert_signature(text, signature, key)
    document = load_toml(signed)
    written = (document.get("signature"), document.get("publisher_key"))
    problem = signature_problem(signed, signature, key) if written == (signature, key) else "it is not where it belongs"
    if problem is not None:
        raise InvalidManifest(
            f"invalid manifest: the signature that was made does not verify: {problem}",
            hint="write the root keys as plain lines at the top of the manifest",
        )
    return signed


def signature_problem(text: str, signature: str, key: str) -> str | None:
    """Why ``signature`` by ``key`` is not one over ``text``, or None when it verifies."""
    from zeroclaw_cli.plugins.canonical import canonical_bytes

    problem = form_problem(key)
    if problem is not None:
        return f"publisher_key {problem}"
    signature_bytes = base64url.decode(signature)
    if signature_bytes is None:
        return "signature is not base64url without padding"
    if len(signature_bytes) != _SIGNATURE_BYTES:
        return f"signature has {len(signature_bytes)} bytes instead of {_SIGNATURE_BYTES}"
    try:
        canonical = canonical_bytes(text)
    except InvalidManifest as error:
        return error.message
    public_key = bytes.fromhex(comparable_key(key))
    if not publisher_keys.verify_bytes(canonical, signature_bytes, public_key):
        return "the manifest is not what the publisher signed"
    return None


def _refusal(verdict: SignatureVerdict, manifest: Manifest) -> Refused:
    name, key, reason = manifest.name, verdict.publisher_key, verdict.reason
    relax = "zeroclaw config set plugins.security.signature_mode permissive"
    if verdict.state is SignatureState.UNSIGNED:
        return UnsignedPlugin(
            f"plugin {name!r} is not signed, so it cannot be verified: {reason}",
            hint="verification is required by plugins.security.signature_mode; ask the publisher for a signed package "
            f"(or sign your own: zeroclaw plugin sign DIR --key FILE), or admit unsigned ones with a warning: {relax}",
        )
    if verdict.state is SignatureState.UNTRUSTED:
        return _untrusted(name, key or "", reason, relax)
    return SignatureInvalid(
        f"invalid plugin signature: plugin {name!r}, publisher {key!r}: {reason or 'it was not checked'}",
        hint=f"get the package again from its publisher; to admit it with a warning: {relax}",
    )


def _untrusted(name: str, key: str, reason: str | None, relax: str) -> UntrustedPublisher:
    message = f"plugin {name!r} is signed by an untrusted publisher: {key!r}: {reason}"
    public_key = publisher_keys.normalise_public_key(key)
    if reason == REVOKED:
        return UntrustedPublisher(
            message,
            hint="do not use the package; the revoked keys are shown by: "
            "zeroclaw config get plugins.security.revoked_publisher_keys",
        )
    if public_key is None:
        return UntrustedPublisher(
            message,
            hint=f"the key {key_problem(key)}, so it cannot be trusted; ask the publisher for a "
            f"correct manifest, or admit it with a warning: {relax}",
        )
    return UntrustedPublisher(
        message,
        hint=f"if you trust this publisher: zeroclaw plugin trust add {public_key} "
        f"(or set the whole list: zeroclaw config set plugins.security.trusted_publisher_keys '[\"{public_key}\"]'); "
        f"to admit it with a warning: {relax}",
    )
