"""Packages on disk, a typed config for a temporary home, and a probe that compiles nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from zeroclaw_cli.config.model import Config, Location, PluginsConfig, Security, SignatureMode
from zeroclaw_cli.plugins.model import Manifest, Package, ProbeReport, Trial
from zeroclaw_cli.plugins.publisher_keys import public_key_hex, write_private_key
from zeroclaw_cli.plugins.signature import sign

WASM = b"\0asm\x0d\0\x01\0"
# Of no published key, since those are trusted nowhere.
SEED = hashlib.sha256(b"a publisher in the tests").digest()
OTHER_SEED = hashlib.sha256(b"another publisher in the tests").digest()
PUBLIC = public_key_hex(SEED)
# As `plugin sign --key -` reads it: PKCS#8 in hex.
SIGNING_KEY = write_private_key(SEED).hex()
SKILL_TEXT = "---\nname: greet\ndescription: Says hello\n---\nHello.\n"


def config_in(home: Path, **plugins: Any) -> Config:
    """A config whose files are under ``home``; nothing of it exists yet. ``plugins`` sets fields of the section."""
    location = Location(home / "config", home / "config" / "data", "the test")
    return Config(location=location, plugins=PluginsConfig(plugins_dir=home / "config" / "plugins", **plugins))


def with_mode(config: Config, mode: SignatureMode, *trusted: str, revoked: tuple[str, ...] = ()) -> Config:
    security = Security(mode, trusted, revoked)
    return replace(config, plugins=replace(config.plugins, security=security))


def manifest_text(name: str, **fields: Any) -> str:
    """The text of a manifest; a field of None is left out, a table is written last."""
    import tomlkit

    merged: dict[str, Any] = {
        "name": name,
        "version": "1.0.0",
        "description": f"The package {name}",
        "wasm_path": f"{name}.wasm",
        "capabilities": ["memory"],
    } | fields
    return tomlkit.dumps({key: value for key, value in merged.items() if value is not None})


def write_package(
    folder: Path,
    name: str,
    *,
    component: bytes | None = None,
    skills: dict[str, str] | None = None,
    signed_by: bytes | None = None,
    **fields: Any,
) -> Path:
    """Write a package called ``name`` into ``folder`` (created) and return ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    text = manifest_text(name, **fields)
    if signed_by is not None:
        text = sign(text, signed_by)
    (folder / "manifest.toml").write_text(text, encoding="utf-8")
    wasm_path = fields.get("wasm_path", f"{name}.wasm")
    if wasm_path is not None:
        target = folder / wasm_path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(WASM + name.encode() if component is None else component)
    for path, content in (skills or {}).items():
        target = folder / "skills" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    return folder


def tree(folder: Path) -> dict[str, bytes | str | None]:
    """Every path below ``folder``: bytes of a file, the target of a link, None for a directory."""
    found: dict[str, bytes | str | None] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


@dataclass
class FakeProbe:
    """Reports what it was told to and keeps the bytes that it was shown."""

    report: ProbeReport = field(default_factory=lambda: ProbeReport((), (), ()))
    capabilities: tuple[str, ...] = ("health-check",)
    failure: Callable[[], Exception] | None = None
    seen: list[bytes] = field(default_factory=list)
    rehearsal: Callable[[Package, bytes], Trial] = lambda *_: Trial()
    rehearsed: list[bytes] = field(default_factory=list)

    def probe(self, component: bytes, manifest: Manifest) -> ProbeReport:
        self.seen.append(component)
        if self.failure is not None:
            raise self.failure()
        return self.report

    def load(self, component: bytes, manifest: Manifest) -> tuple[str, ...]:
        self.seen.append(component)
        return self.capabilities

    def rehearse(self, package: Package, component: bytes) -> Trial:
        self.rehearsed.append(component)
        return self.rehearsal(package, component)
