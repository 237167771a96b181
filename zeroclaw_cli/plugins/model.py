"""The values of the plugin floor: manifest, signature, package, and why a package is skipped.

specs/zeroclaw.md §1 (manifest), §2 (discovery), §4 (signature); design.md, decision 2 (digests) and cli.md (JSON).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol


class PluginCapability(StrEnum):
    TOOL = "tool"
    CHANNEL = "channel"
    MEMORY = "memory"
    OBSERVER = "observer"
    SKILL = "skill"

    @property
    def label(self) -> str:
        """The word that ``plugin info`` prints, for instance ``Tool``."""
        return self.value.title().replace("_", "")


class Permission(StrEnum):
    """``env_read`` is read as ``config_read`` and never kept."""

    HTTP_CLIENT = "http_client"
    WEBSOCKET_CLIENT = "websocket_client"
    SOCKET_CLIENT = "socket_client"
    FILE_READ = "file_read"
    FILE_WRITE = "file_write"
    CONFIG_READ = "config_read"
    MEMORY_READ = "memory_read"
    MEMORY_WRITE = "memory_write"
    STATE_READ = "state_read"
    STATE_WRITE = "state_write"

    @property
    def meaning(self) -> str:
        """What this host makes of it: whether it is granted, ignored or refused."""
        return _MEANINGS[self]

    @property
    def label(self) -> str:
        """The word that ``plugin info`` prints, for instance ``ConfigRead``."""
        return {"websocket_client": "WebSocketClient"}.get(self.value, self.value.title().replace("_", ""))


_GRANTED, _IGNORED, _REFUSED = "granted", "ignored by this host", "refused: this host gives no network"
_MEANINGS: Final[Mapping[Permission, str]] = {
    Permission.HTTP_CLIENT: _REFUSED,
    Permission.WEBSOCKET_CLIENT: _REFUSED,
    Permission.SOCKET_CLIENT: _REFUSED,
    Permission.FILE_READ: _GRANTED,
    Permission.FILE_WRITE: _GRANTED,
    Permission.CONFIG_READ: _IGNORED,
    Permission.MEMORY_READ: _IGNORED,
    Permission.MEMORY_WRITE: _IGNORED,
    Permission.STATE_READ: _IGNORED,
    Permission.STATE_WRITE: _IGNORED,
}


@dataclass(frozen=True, slots=True)
class Manifest:
    """A parsed manifest that passed checks 2–6 of specs/zeroclaw.md §1.6.

    ``text`` is the exact text (no BOM) and ``raw`` the exact bytes of the file; ``capabilities`` and ``permissions``
    are in the order and with the repetitions of the file; ``config_schema`` is the table as JSON values. ``warnings``
    are lines for the author. ``misplaced`` says of ``signature`` and ``publisher_key`` in which table they stand, where
    they sign nothing.
    """

    name: str
    version: str
    description: str | None
    author: str | None
    wasm_path: str | None
    capabilities: tuple[PluginCapability, ...]
    permissions: tuple[Permission, ...]
    config_schema: Mapping[str, Any] | None
    signature: str | None
    publisher_key: str | None
    wasm_sha256: str | None
    skills_sha256: str | None
    text: str
    raw: bytes
    warnings: tuple[str, ...] = ()
    misplaced: Mapping[str, str] = field(default_factory=dict)

    def has(self, capability: PluginCapability) -> bool:
        return capability in self.capabilities

    def granted(self, permission: Permission) -> bool:
        return permission in self.permissions


class SignatureState(StrEnum):
    VALID = "valid"
    UNSIGNED = "unsigned"
    UNTRUSTED = "untrusted"
    INVALID = "invalid"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class SignatureVerdict:
    """What the signature is worth. ``covers_component``: valid, and every payload of the package is covered by a
    digest inside the signed bytes. ``reason`` says why it is invalid."""

    state: SignatureState
    publisher_key: str | None
    covers_component: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Digests:
    """SHA-256 of the payloads, 64 lower-case hex digits; None where the package has no such payload."""

    manifest: str
    component: str | None = None
    skills: str | None = None


@dataclass(frozen=True, slots=True)
class LockEntry:
    """One ``[[package]]`` of ``plugins.lock`` (design.md)."""

    name: str
    version: str
    directory: str
    source: str
    installed_at: str
    manifest_sha256: str
    component_sha256: str | None
    skills_sha256: str | None
    publisher_key: str | None
    signature: str


@dataclass(frozen=True, slots=True)
class Package:
    """An admitted package: everything that the policy and the files say about it. Nothing in it was executed.

    ``warnings`` are all of its warnings; those of them that the policy asks for at every load are in ``policy``."""

    manifest: Manifest
    directory: Path
    component: Path | None
    skills: tuple[str, ...]
    signature: SignatureVerdict
    digests: Digests
    lock: LockEntry | None = None
    warnings: tuple[str, ...] = ()
    policy: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.manifest.name


class SkipCode(StrEnum):
    IO = "io"
    TOML = "toml"
    MANIFEST = "manifest"
    SKILLS = "skills"
    COMPONENT_MISSING = "component-missing"
    UNSIGNED = "unsigned"
    UNTRUSTED = "untrusted"
    SIGNATURE_INVALID = "signature-invalid"
    CONFIG_SCHEMA = "config-schema"
    DIGEST_MISMATCH = "digest-mismatch"
    AMBIGUOUS = "ambiguous"
    LINK = "link"
    POLICY_UNCLEAR = "policy-unclear"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A directory that is not a usable package, with the reason and the remedy. ``name`` if the manifest gave one."""

    directory: Path
    name: str | None
    code: SkipCode
    reason: str
    hint: str

    def to_json(self) -> dict[str, Any]:
        return {
            "directory": str(self.directory),
            "name": self.name,
            "code": str(self.code),
            "reason": self.reason,
            "hint": self.hint,
        }


class ImportFinding(NamedTuple):
    """An import that the host does not serve to this package: its name, and the permission that would grant it or
    None when nothing does."""

    name: str
    permission: str | None


class ProbeReport(NamedTuple):
    """What a component is, without running it: every import, those that are not granted, and how its functions differ
    from the world of the package's capability (one line a function, empty when equal).

    ``denied`` are imports beyond what the component needs: it is linked with them, since toolchains import them whether
    the program uses them or not, and they give it nothing, for want of the permission that is named (None: always)."""

    imports: tuple[str, ...]
    ungranted: tuple[ImportFinding, ...]
    differences: tuple[str, ...]
    denied: tuple[ImportFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """How a component did on what its package remembers: ``differences``, one line each, and of them
    ``hidden_agents``, one line about each agent whose entries would be out of reach. ``lost`` says which of the entries
    that the installed version shows are not there."""

    differences: tuple[str, ...] = ()
    hidden_agents: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


class ComponentProbe(Protocol):
    """Looks at a component before it may be published; implemented by the WebAssembly room (design.md, The probe)."""

    def probe(self, component: bytes, manifest: Manifest) -> ProbeReport:
        """Compile ``component`` (bytes of a .wasm) and report on it.

        Raises ComponentInvalid when the bytes are no component, PrecompiledRefused for a .cwasm that policy refuses.
        """
        ...

    def load(self, component: bytes, manifest: Manifest) -> tuple[str, ...]:
        """Instantiate it under the limits and return the names of the capabilities that it declares."""
        ...

    def rehearse(self, package: Package, component: bytes) -> Trial:
        """Try ``component`` as that of ``package`` on what the package remembers, and give what differs.
        Nothing is written. Raises what running it there raises."""
        ...
