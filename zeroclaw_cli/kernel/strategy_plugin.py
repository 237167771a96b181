"""The manifest of a strategy and the wrapper that holds it to its permissions (specs/memory-kernel.md §10).

The wrapper only narrows: the kernel's own checks apply to a wrapped strategy unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits, parsing
from zeroclaw_cli.kernel.components import StrategyContext, StrategyDescriptor
from zeroclaw_cli.kernel.json_safe import Json, freeze, printable
from zeroclaw_cli.kernel.operations import Proposal, Request
from zeroclaw_cli.kernel.roles import Strategy

_INVALID: Final = "invalid-manifest"
_REMEDY: Final = "correct that in strategy.toml; `zeroclaw strategy new NAME` writes one that is right"
_ROOT: Final = frozenset({"apiVersion", "kind", "metadata", "permissions"})
_METADATA: Final = {
    "id": limits.MAX_REQUEST_ID,
    "version": limits.MAX_VERSION,
    "label": limits.MAX_LABEL,
    "description": limits.MAX_DESCRIPTION,
}
_PERMISSIONS: Final = frozenset({"layerIds", "adapterIds", "capabilities", "maxSteps"})


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a strategy may name in its steps, and how many steps; lists without duplicates, in the author's order."""

    layer_ids: tuple[str, ...]
    adapter_ids: tuple[str, ...]
    capabilities: tuple[str, ...]
    max_steps: int

    def to_json(self) -> dict[str, Json]:
        return {
            "layerIds": list(self.layer_ids),
            "adapterIds": list(self.adapter_ids),
            "capabilities": list(self.capabilities),
            "maxSteps": self.max_steps,
        }


@dataclass(frozen=True, slots=True)
class StrategyManifest:
    """Who a strategy is and what it may do. ``warnings`` are lines for its author."""

    id: str
    version: str
    label: str
    description: str
    permissions: Permissions
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        return {
            "apiVersion": limits.API_VERSION,
            "kind": limits.MANIFEST_KIND,
            "metadata": {
                "id": self.id,
                "version": self.version,
                "label": self.label,
                "description": self.description,
            },
            "permissions": self.permissions.to_json(),
        }


@dataclass(frozen=True, slots=True)
class PermittedStrategy:
    """A strategy behind its permissions, as an extension registers it."""

    descriptor: StrategyDescriptor
    permissions: Permissions
    inner: Callable[[Request, StrategyContext], Any]

    def propose(self, request: Request, context: StrategyContext) -> Proposal:
        """The inner proposal if it keeps to the permissions.

        Raises KernelFailure ``permission-capability``, ``permission-steps``, ``permission-layer`` or
        ``permission-adapter``, and what the inner strategy raises.
        """
        allowed = self.permissions
        if request.capability not in allowed.capabilities:
            raise self._refusal("permission-capability", "capability", request.capability)
        proposal = parsing.proposal(self.inner(request, context))
        if len(proposal.steps) > allowed.max_steps:
            raise self._refusal("permission-steps", "number of steps", str(len(proposal.steps)))
        for step in proposal.steps:
            if step.layer_id not in allowed.layer_ids:
                raise self._refusal("permission-layer", "layer", step.layer_id)
            if step.capability not in allowed.capabilities:
                raise self._refusal("permission-capability", "capability", step.capability)
            if step.adapter_id is not None and step.adapter_id not in allowed.adapter_ids:
                raise self._refusal("permission-adapter", "adapter", step.adapter_id)
        return proposal

    def _refusal(self, code: str, what: str, value: str) -> KernelFailure:
        shown = printable(value, limits.MAX_REQUEST_ID)
        return KernelFailure(
            code,
            f"strategy {self.descriptor.id} may not use the {what} {shown}",
            hint="only what its manifest grants may be used; nothing was planned",
            details={"strategyId": self.descriptor.id, "refused": shown},
        )


@dataclass(frozen=True, slots=True)
class StrategyPlugin:
    """A manifest and its wrapped strategy."""

    manifest: StrategyManifest
    strategy: PermittedStrategy


def define_strategy_plugin(manifest: StrategyManifest | Mapping[str, Any], strategy: Strategy) -> StrategyPlugin:
    """Bind ``strategy``, with its ``propose`` of this moment, to what ``manifest`` grants.

    Raises KernelFailure ``invalid-manifest`` for a manifest that is none, or whose id or version is not the
    strategy's, and what describing the strategy raises.
    """
    # One that was made by hand is read as well: its limits were never checked, and its maker keeps it.
    found = read_manifest(manifest.to_json() if isinstance(manifest, StrategyManifest) else manifest)
    descriptor = parsing.strategy_descriptor(strategy.descriptor)
    if (found.id, found.version) != (descriptor.id, descriptor.version):
        raise _invalid(
            f"it is for {found.id} {found.version}, the strategy is {descriptor.id} {descriptor.version}", "metadata"
        )
    propose = getattr(strategy, "propose", None)
    if not callable(propose):
        raise KernelFailure("invalid-descriptor", f"strategy {descriptor.id} has no propose")
    return StrategyPlugin(found, PermittedStrategy(descriptor, found.permissions, propose))


def read_manifest(value: Mapping[str, Any]) -> StrategyManifest:
    """The manifest in its wire form. Raises KernelFailure ``invalid-manifest``, ``invalid-id`` or ``json-unsafe``."""
    body = _table(freeze(value, "the manifest"), "the manifest", _ROOT)
    for name, expected in (("apiVersion", limits.API_VERSION), ("kind", limits.MANIFEST_KIND)):
        if body.get(name) != expected:
            raise _invalid(f"{name} must be {expected!r}", name)
    metadata = _table(body.get("metadata"), "metadata", frozenset(_METADATA))
    texts = {name: _text(metadata, name, limit) for name, limit in _METADATA.items()}
    id_ = parsing.component_id(texts["id"], "strategy id")
    permissions = _permissions(_table(body.get("permissions"), "permissions", _PERMISSIONS))
    warnings = (*_id_warnings(id_), *_permission_warnings(permissions))
    return StrategyManifest(id_, texts["version"], texts["label"], texts["description"], permissions, warnings)


def _permissions(body: Mapping[str, Json]) -> Permissions:
    capabilities = _list(body, "capabilities")
    unknown = [name for name in capabilities if name not in limits.CAPABILITIES]
    if unknown:
        hint = f"there are: {', '.join(limits.CAPABILITIES)}"
        raise _invalid(f"{printable(unknown[0], 100)!r} is not a capability", "permissions.capabilities", hint)
    max_steps = body.get("maxSteps")
    if type(max_steps) is not int or not 1 <= max_steps <= limits.MAX_STEPS:
        raise _invalid(f"permissions.maxSteps must be an integer from 1 to {limits.MAX_STEPS}", "permissions.maxSteps")
    ids = {name: tuple(map(_id, _list(body, name))) for name in ("layerIds", "adapterIds")}
    return Permissions(ids["layerIds"], ids["adapterIds"], capabilities, max_steps)


def _id(value: str) -> str:
    return parsing.component_id(value, "id in permissions")


def _id_warnings(id_: str) -> tuple[str, ...]:
    warnings = []
    if id_.endswith("-"):
        warnings.append(f"the id {id_} ends with '-'")
    if "--" in id_:
        warnings.append(f"the id {id_} has '--' in it")
    return tuple(warnings)


def _permission_warnings(permissions: Permissions) -> tuple[str, ...]:
    empty = [
        name
        for name, granted in (("layerIds", permissions.layer_ids), ("capabilities", permissions.capabilities))
        if not granted
    ]
    return tuple(f"permissions.{name} is empty, so the strategy can never propose a step" for name in empty)


def _table(value: Json, what: str, known: frozenset[str]) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise _invalid(f"{what} must be a table", what)
    unknown = sorted(name for name in value if name not in known)
    if unknown:
        hint = f"there are: {', '.join(sorted(known))}"
        raise _invalid(f"{what} has an unknown key '{printable(unknown[0], 100)}'", what, hint)
    return value


def _text(body: Mapping[str, Json], name: str, limit: int) -> str:
    value = body.get(name)
    text = value.strip() if type(value) is str else ""
    if not 1 <= len(text) <= limit:
        raise _invalid(f"metadata.{name} must be text of 1 to {limit} characters", f"metadata.{name}")
    return text


def _list(body: Mapping[str, Json], name: str) -> tuple[str, ...]:
    value = body.get(name, ())
    if type(value) is not tuple or not all(type(item) is str for item in value):
        raise _invalid(f"permissions.{name} must be a list of texts", f"permissions.{name}")
    return tuple(dict.fromkeys(value))


def _invalid(what: str, field: str, hint: str = _REMEDY) -> KernelFailure:
    return KernelFailure(_INVALID, f"the manifest of a strategy: {what}", hint=hint, details={"field": field})
