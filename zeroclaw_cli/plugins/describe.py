"""The JSON shapes of packages (cli.md, PLUGIN)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from zeroclaw_cli.config.model import Config
from zeroclaw_cli.plugins.bindings import config_keys
from zeroclaw_cli.plugins.gates import activity
from zeroclaw_cli.plugins.model import Package, SignatureVerdict


def plugin_json(config: Config, package: Package) -> dict[str, Any]:
    """PLUGIN: the object that every command prints about an installed package."""
    manifest = package.manifest
    gates = activity(config, manifest)
    active = any(gate.active for gate in gates)
    return {
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "author": manifest.author,
        "capabilities": [str(capability) for capability in manifest.capabilities],
        "permissions": [str(permission) for permission in manifest.permissions],
        "directory": str(package.directory),
        "wasm_path": None if package.component is None else str(package.component),
        "signature": signature_json(package.signature),
        "active": active,
        "inactive_reason": None if active else _together(gate.reason for gate in gates if gate.reason),
        "activity": [
            {"capability": str(gate.capability), "active": gate.active, "reason": gate.reason} for gate in gates
        ],
        "locked": package.lock is not None,
        "sha256": {"manifest": package.digests.manifest, "component": package.digests.component},
        "config_keys": [key.to_json() for key in config_keys(config, manifest)],
    }


def _together(reasons: Iterable[str]) -> str:
    """The reasons of several capabilities in one line, each obstacle once."""
    return "; ".join(dict.fromkeys(part for reason in reasons for part in reason.split("; ")))


def signature_json(verdict: SignatureVerdict) -> dict[str, Any]:
    """The ``signature`` object of PLUGIN."""
    return {
        "state": str(verdict.state),
        "publisher_key": verdict.publisher_key,
        "covers_component": verdict.covers_component,
    }
