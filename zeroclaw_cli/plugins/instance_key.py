"""Instance keys: the name under which one use of a package keeps its config and data (specs/zeroclaw.md §3.6)."""

from __future__ import annotations

import json
import unicodedata

from zeroclaw_cli.config.values import is_package_name
from zeroclaw_cli.errors import InvalidInstanceId
from zeroclaw_cli.plugins import base64url
from zeroclaw_cli.plugins.model import PluginCapability

_PREFIX = "zpi1_"


def instance_key(package: str, capability: str, binding: str) -> str:
    """The key ``zpi1_…`` of ``package`` serving ``capability`` under ``binding``; it never contains a ``.``.

    Raises InvalidInstanceId for a package that is not a slug, an unknown capability, and a binding that is empty or
    holds control characters.
    """
    problem = _problem(package, capability, binding)
    if problem is not None:
        raise InvalidInstanceId(f"invalid plugin instance identity: {problem[0]}", hint=problem[1])
    identity = json.dumps([package, str(capability), binding], ensure_ascii=False, separators=(",", ":"))
    return _PREFIX + base64url.encode(identity.encode("utf-8"))


def parse_instance_key(key: str) -> tuple[str, str, str] | None:
    """(package, capability, binding) of ``key``, or None for text that :func:`instance_key` never returns."""
    if not key.startswith(_PREFIX):
        return None
    data = base64url.decode(key[len(_PREFIX) :])
    if data is None:
        return None
    try:
        identity = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not (isinstance(identity, list) and len(identity) == 3 and all(isinstance(part, str) for part in identity)):
        return None
    package, capability, binding = identity
    if _problem(package, capability, binding) is not None or instance_key(package, capability, binding) != key:
        return None
    return package, capability, binding


def _problem(package: str, capability: str, binding: str) -> tuple[str, str] | None:
    """What is wrong with an identity and what to do, or None."""
    if not is_package_name(package):
        return f"{package!r} is not a package name", "use the package's name as `zeroclaw plugin list` shows it"
    if capability not in tuple(PluginCapability):
        words = ", ".join(PluginCapability)
        return f"{capability!r} is not a capability", f"use one of {words}"
    if not binding:
        return "the binding is empty", "name the binding, for instance the package's own name"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in binding):
        return f"the binding {binding!r} holds control characters", "use printable characters only"
    return None
