"""Signing of a package by its publisher (design.md, decision 2; specs/zeroclaw.md §4)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from zeroclaw_cli import fsio
from zeroclaw_cli.errors import KeyExists, PluginError, SourceNotFound
from zeroclaw_cli.plugins import canonical, payload, publisher_keys, signature, skills
from zeroclaw_cli.plugins.manifest import parse_manifest, read_manifest
from zeroclaw_cli.plugins.model import Manifest, PluginCapability


@dataclass(frozen=True, slots=True)
class NewKey:
    """A written private key: its file, and the public key as 64 hex digits."""

    path: Path
    public_key: str


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed manifest: its file, the publisher's public key, and the payload digests inside the signed bytes."""

    manifest: Path
    name: str
    public_key: str
    wasm_sha256: str | None
    skills_sha256: str | None


def generate_key(path: Path) -> NewKey:
    """Write a new private key (PKCS#8, mode 0600) to ``path``.

    Raises KeyExists, and OSError when it cannot be written.
    """
    seed = os.urandom(32)
    try:
        fsio.write_new(path, publisher_keys.write_private_key(seed))
    except FileExistsError:
        raise KeyExists(f"{path} exists and a key is never replaced", hint="name another file") from None
    return NewKey(path, publisher_keys.public_key_hex(seed))


def sign_package(directory: Path, key: bytes) -> Signed:
    """Write the payloads' digests into the manifest of ``directory``, sign it, check the result, and replace the file.

    ``key`` is a private key in any form that ``publisher_keys.load_signing_key`` reads. Nothing else of the package is
    changed. Raises SourceNotFound, what reading a manifest raises, and InvalidManifest for one that cannot be signed.
    """
    path = directory / "manifest.toml"
    if not path.is_file():
        raise SourceNotFound(f"{directory} has no manifest.toml", hint="name the folder of a package")
    manifest = read_manifest(path)
    digests = _payload_digests(directory, manifest)
    seed = publisher_keys.load_signing_key(key)
    text = signature.sign(canonical.set_root_strings(manifest.text, digests), seed)
    signed = parse_manifest(text.encode(), source=path)
    if any(getattr(signed, name) != value for name, value in digests.items()):
        raise PluginError(f"{path} does not read back as it was signed", hint="report this with the manifest")
    fsio.atomic_write(path, text.encode(), mode=path.stat().st_mode & 0o777)
    return Signed(
        manifest=path,
        name=manifest.name,
        public_key=publisher_keys.public_key_hex(seed),
        wasm_sha256=digests.get("wasm_sha256"),
        skills_sha256=digests.get("skills_sha256"),
    )


def _payload_digests(directory: Path, manifest: Manifest) -> dict[str, str]:
    digests = {}
    if manifest.wasm_path is not None:
        payload.locate_component(directory, manifest.wasm_path)
        digests["wasm_sha256"] = skills.sha256_hex(payload.read_file(directory, manifest.wasm_path))
    if manifest.has(PluginCapability.SKILL):
        skills.check_skills(directory)
        digests["skills_sha256"] = skills.skills_sha256(directory)
    return digests
