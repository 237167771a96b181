from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.packages import OTHER_SEED, PUBLIC, SEED
from zeroclaw_cli.config.model import Security, SignatureMode
from zeroclaw_cli.errors import (
    InvalidManifest,
    Refused,
    SecretError,
    SignatureInvalid,
    UnsignedPlugin,
    UntrustedPublisher,
)
from zeroclaw_cli.plugins import base64url, publisher_keys, signature
from zeroclaw_cli.plugins.canonical import canonical_bytes, insert_signature
from zeroclaw_cli.plugins.manifest import parse_manifest
from zeroclaw_cli.plugins.model import Manifest, SignatureState, SignatureVerdict

# How long one example takes says more about the load of the machine than about the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

VECTORS = json.loads((Path(__file__).parent / "signature_vectors.json").read_text(encoding="utf-8"))
# That of the vectors, which is published and so trusted nowhere.
VECTOR_SEED = bytes(range(32))
VECTOR_KEY = publisher_keys.public_key_hex(VECTOR_SEED)
KEY = PUBLIC
TEXT = 'name = "vec"\nversion = "1.0.0"\nwasm_path = "vec.wasm"\ncapabilities = ["memory"]\n'
SIGNED = signature.sign(TEXT, SEED)
DIGEST = "0" * 64


def parse(text: str) -> Manifest:
    return parse_manifest(text.encode(), source=Path("manifest.toml"))


def strict(*trusted: str, revoked: tuple[str, ...] = ()) -> Security:
    return Security(SignatureMode.STRICT, trusted, revoked)


def verify(text: str, security: Security | None = None) -> SignatureVerdict:
    return signature.verify(parse(text), security or strict(KEY))


# Vectors.


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['id']} {vector['what']}")
def test_the_test_key_makes_the_signatures_of_the_specification(vector: dict[str, str]) -> None:
    signed = publisher_keys.sign_bytes(canonical_bytes(vector["manifest"]), VECTOR_SEED)
    assert base64url.encode(signed) == vector["sig"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['id']} {vector['what']}")
def test_a_vector_verifies_with_the_real_signature_and_key_in_it(vector: dict[str, str]) -> None:
    inserted = insert_signature(vector["manifest"], vector["sig"], VECTOR_KEY)
    replaced = vector["manifest"].replace('"SIG"', f'"{vector["sig"]}"').replace('"KEY"', f'"{VECTOR_KEY}"')
    texts = [inserted]
    if "SIG" in vector["manifest"] and "KEY" in vector["manifest"]:
        texts.append(replaced)
    for text in texts:
        assert canonical_bytes(text) == vector["canonical"].encode()
        assert signature.signature_problem(text, vector["sig"], VECTOR_KEY) is None
        verdict = verify(text, strict(VECTOR_KEY))
        assert (verdict.state, "published test key" in str(verdict.reason)) == (SignatureState.UNTRUSTED, True)


# The order of verification.


def test_nothing_is_looked_at_under_mode_disabled() -> None:
    security = Security(SignatureMode.DISABLED, (), (KEY,))
    assert verify(SIGNED, security) == SignatureVerdict(SignatureState.UNCHECKED, KEY)
    assert verify(TEXT, security) == SignatureVerdict(SignatureState.UNCHECKED, None)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("", "the manifest has no signature and publisher_key"),
        ('signature = "S"\n', "the manifest has no publisher_key"),
        (f'publisher_key = "{KEY}"\n', "the manifest has no signature"),
    ],
)
def test_either_field_absent_is_unsigned(lines: str, reason: str) -> None:
    verdict = verify(TEXT + lines)
    assert (verdict.state, verdict.reason) == (SignatureState.UNSIGNED, reason)


def test_empty_strings_are_present_and_hence_not_unsigned() -> None:
    assert verify(TEXT + 'signature = ""\npublisher_key = ""\n').state is SignatureState.UNTRUSTED
    assert verify(TEXT + f'signature = ""\npublisher_key = "{KEY}"\n').state is SignatureState.INVALID
    assert verify(TEXT + 'signature = ""\npublisher_key = ""\n', strict("")).state is SignatureState.INVALID


def test_trust_is_judged_before_anything_is_decoded() -> None:
    text = TEXT + 'signature = "?"\npublisher_key = "nonsense"\n'
    assert verify(text).state is SignatureState.UNTRUSTED
    trusted = verify(text, strict("nonsense"))
    assert (trusted.state, trusted.reason) == (SignatureState.INVALID, "publisher_key is not hex")


@pytest.mark.parametrize("written", [KEY, KEY.upper(), f"  {KEY}\\n"])
@pytest.mark.parametrize("listed", [KEY, KEY.upper(), f"\t{KEY} "])
def test_keys_are_compared_trimmed_and_in_lower_case(written: str, listed: str) -> None:
    text = SIGNED.replace(KEY, written)
    assert verify(text, strict(listed)).state is SignatureState.VALID
    verdict = verify(text, strict(listed, revoked=(listed,)))
    assert (verdict.state, verdict.reason) == (SignatureState.UNTRUSTED, "the publisher's key is revoked")


def test_the_key_is_reported_as_written() -> None:
    assert verify(SIGNED.replace(KEY, f" {KEY.upper()}")).publisher_key == f" {KEY.upper()}"


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (KEY[:-1], "publisher_key has 63 hex digits instead of 64"),
        (KEY + "00", "publisher_key has 66 hex digits instead of 64"),
        ("0x" + KEY, "publisher_key begins with 0x"),
        (KEY[:-1] + "g", "publisher_key is not hex"),
        (KEY[:30] + "  " + KEY[32:], "publisher_key is not hex"),
    ],
)
def test_a_trusted_key_that_is_no_key_is_invalid(key: str, reason: str) -> None:
    verdict = verify(SIGNED.replace(KEY, key), strict(key))
    assert (verdict.state, verdict.reason) == (SignatureState.INVALID, reason)


def _signature_of(text: str) -> str:
    written = parse(text).signature
    assert written is not None
    return written


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda s: s + "==", "signature is not base64url without padding"),
        (lambda s: " " + s, "signature is not base64url without padding"),
        (lambda s: "+" + s[1:], "signature is not base64url without padding"),
        (lambda s: s[:-1] + "h", "signature is not base64url without padding"),
        (lambda s: s[:-2], "signature has 63 bytes instead of 64"),
        (lambda s: s + "A", "signature has 65 bytes instead of 64"),
        (lambda s: ("B" if s[0] == "A" else "A") + s[1:], "the manifest is not what the publisher signed"),
    ],
)
def test_a_signature_that_is_not_the_exact_one_is_invalid(change: object, reason: str) -> None:
    old = _signature_of(SIGNED)
    assert callable(change)
    verdict = verify(SIGNED.replace(old, change(old)))
    assert (verdict.state, verdict.reason) == (SignatureState.INVALID, reason)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("1.0.0", "1.0.1"),
        lambda text: text.replace("name =", "name  ="),
        lambda text: "# c\n" + text,
        lambda text: text + "x = 1\n",
        lambda text: text.replace("signature =", "# c\nx = 1\nsignature ="),
    ],
)
def test_a_changed_manifest_is_invalid(change: object) -> None:
    assert callable(change)
    assert verify(change(SIGNED)).reason == "the manifest is not what the publisher signed"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text + "\n \n",
        lambda text: text.replace("signature =", "# c\n'signature'="),
    ],
)
def test_changes_outside_the_canonical_bytes_do_not_matter(change: object) -> None:
    assert callable(change)
    assert verify(change(SIGNED)).state is SignatureState.VALID


def test_the_key_of_another_publisher_does_not_verify() -> None:
    other = publisher_keys.public_key_hex(OTHER_SEED)
    assert verify(SIGNED.replace(KEY, other), strict(other)).state is SignatureState.INVALID


# What the signature covers.


@pytest.mark.parametrize("state", list(SignatureState))
@pytest.mark.parametrize(
    ("wasm", "skills", "has_component", "has_skills"), list(itertools.product([False, True], repeat=4))
)
def test_every_payload_needs_a_digest_inside_a_valid_signature(
    state: SignatureState, wasm: bool, skills: bool, has_component: bool, has_skills: bool
) -> None:
    lines = (f'wasm_sha256 = "{DIGEST}"\n' if wasm else "") + (f'skills_sha256 = "{DIGEST}"\n' if skills else "")
    expected = state is SignatureState.VALID
    if has_component and not wasm:
        expected = False
    if has_skills and not skills:
        expected = False
    assert signature.covers(parse(TEXT + lines), has_component, has_skills, state) is expected


# The matrix.

REFUSALS: dict[SignatureState, type[Refused]] = {
    SignatureState.UNSIGNED: UnsignedPlugin,
    SignatureState.UNTRUSTED: UntrustedPublisher,
    SignatureState.INVALID: SignatureInvalid,
    SignatureState.UNCHECKED: SignatureInvalid,
}


@pytest.mark.parametrize("state", list(SignatureState))
def test_the_matrix_of_modes_and_states(state: SignatureState) -> None:
    verdict = SignatureVerdict(state, KEY, reason="because")
    manifest = parse(TEXT)
    assert signature.enforce(verdict, manifest, SignatureMode.DISABLED) == ()
    if state is SignatureState.VALID:
        assert signature.enforce(verdict, manifest, SignatureMode.PERMISSIVE) == ()
        assert signature.enforce(verdict, manifest, SignatureMode.STRICT) == ()
        return
    with pytest.raises(Refused) as caught:
        signature.enforce(verdict, manifest, SignatureMode.STRICT)
    assert type(caught.value) is REFUSALS[state]
    assert caught.value.exit_code == 4
    assert "'vec'" in caught.value.message
    assert signature.enforce(verdict, manifest, SignatureMode.PERMISSIVE) == (caught.value.message,)


def _refusal(text: str, security: Security) -> Refused:
    manifest = parse(text)
    with pytest.raises(Refused) as caught:
        signature.enforce(signature.verify(manifest, security), manifest, security.signature_mode)
    assert "\n" not in caught.value.message
    assert "\n" not in (caught.value.hint or "")
    return caught.value


PERMISSIVE = "zeroclaw config set plugins.security.signature_mode permissive"


def test_an_unsigned_plugin_is_refused_with_the_command_that_admits_it() -> None:
    error = _refusal(TEXT, strict())
    assert error.message == (
        "plugin 'vec' is not signed, so it cannot be verified: the manifest has no signature and publisher_key"
    )
    assert error.hint is not None
    assert error.hint.endswith(PERMISSIVE)


def test_an_untrusted_publisher_is_named_with_the_commands_that_trust_it() -> None:
    error = _refusal(SIGNED.replace(KEY, KEY.upper()), strict())
    assert KEY.upper() in error.message
    assert error.hint is not None
    for command in (
        f"zeroclaw plugin trust add {KEY} ",
        f"zeroclaw config set plugins.security.trusted_publisher_keys '[\"{KEY}\"]'",
        PERMISSIVE,
    ):
        assert command in error.hint


def test_a_key_that_cannot_be_trusted_is_not_offered_for_trust() -> None:
    error = _refusal(TEXT + 'signature = "S"\npublisher_key = "x; rm -rf \\n\\u001b[2J"\n', strict())
    assert error.hint is not None
    assert "trust add" not in error.hint
    assert "rm -rf" not in error.hint
    assert "\x1b" not in error.message


def test_a_revoked_key_is_not_offered_for_trust() -> None:
    error = _refusal(SIGNED, strict(KEY, revoked=(KEY,)))
    assert isinstance(error, UntrustedPublisher)
    assert "revoked" in error.message
    assert error.hint is not None
    assert "trust add" not in error.hint
    assert PERMISSIVE not in error.hint


def test_an_invalid_signature_says_why() -> None:
    error = _refusal(SIGNED.replace("1.0.0", "1.0.1"), strict(KEY))
    assert isinstance(error, SignatureInvalid)
    assert error.message == (
        f"invalid plugin signature: plugin 'vec', publisher '{KEY}': the manifest is not what the publisher signed"
    )


# Signing.


def test_signing_again_with_another_key_replaces_the_pair() -> None:
    again = signature.sign(SIGNED, OTHER_SEED)
    assert again.count("signature") == again.count("publisher_key") == 1
    assert verify(again, strict(publisher_keys.public_key_hex(OTHER_SEED))).state is SignatureState.VALID
    assert signature.sign(again, SEED) == SIGNED


def test_a_manifest_that_hosts_may_render_in_different_ways_is_not_signed() -> None:
    for text in (TEXT + "x.a = 1\ny = 1\nx.b = 1\n", TEXT + "x.a = 1\n'x'.b = 1\n"):
        with pytest.raises(InvalidManifest, match="cannot be signed"):
            signature.sign(text, SEED)


def test_what_is_no_toml_and_what_is_no_seed_are_refused() -> None:
    with pytest.raises(InvalidManifest):
        signature.sign("a", SEED)
    with pytest.raises(SecretError):
        signature.sign(TEXT, SEED[:-1])


_COMMENTS = st.lists(st.sampled_from(["\n", "  \n", "# c\n", "\t# signature = 1\r\n"]), max_size=2).map("".join)
_EXTRA = st.sampled_from(["", "x.a = 1\nx.b = {y = 1,\n}\n", "note = '''\n# \u2028'''\n", 'z = """\r\n"""\r\n'])
_TABLES = st.sampled_from(["", "[t]\nsignature = 1\n", "[[t]]\n[[t]]\na.b = 1\n", "[signature2]"])


@UNTIMED
@given(st.tuples(_COMMENTS, st.just(TEXT), _COMMENTS, _EXTRA, _COMMENTS, _TABLES).map("".join), st.binary(
    min_size=32, max_size=32
))  # fmt: skip
def test_whatever_is_signed_verifies_and_keeps_its_canonical_bytes(text: str, seed: bytes) -> None:
    signed = signature.sign(text, seed)
    assert canonical_bytes(signed) == canonical_bytes(text)
    found = parse(signed)
    assert signature.signature_problem(signed, str(found.signature), str(found.publisher_key)) is None
    assert signature.sign(signed, seed) == signed
