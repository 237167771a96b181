"""Descriptors, topologies, requests and proposals from what a package hands in (specs/memory-kernel.md §2, §4).

Each function takes the dataclass or its wire form (a mapping with camelCase keys), checks everything, and gives the
dataclass with frozen, trimmed and deduplicated values. Nothing of what was handed in is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, Final, NamedTuple

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits
from zeroclaw_cli.kernel.components import (
    AdapterDescriptor,
    CatalogSnapshot,
    LayerDescriptor,
    Participation,
    StrategyDescriptor,
    SystemDescriptor,
    TopologyDefinition,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.json_safe import Json, freeze, freeze_measured, kind_name
from zeroclaw_cli.kernel.operations import Budget, Proposal, Request, Scope, StepProposal

_ATTRIBUTE: Final = {
    "configNamespace": "config_namespace",
    "strategyId": "strategy_id",
    "strategyVersion": "strategy_version",
    "adapterIds": "adapter_ids",
    "adapterId": "adapter_id",
    "layerId": "layer_id",
    "candidateLayerIds": "candidate_layer_ids",
    "workspaceId": "workspace_id",
    "sessionId": "session_id",
    "agentId": "agent_id",
    "maxSteps": "max_steps",
    "maxResults": "max_results",
    "maxTokens": "max_tokens",
    "timeoutMs": "timeout_ms",
    "catalogGeneration": "catalog_generation",
    "createdAt": "created_at",
}
_INVALID: Final = "invalid-descriptor"


def raw_fields(value: object, kind: type[Any], names: tuple[str, ...], what: str, code: str) -> dict[str, Any]:
    """The named fields of a ``kind`` or of a mapping, as they are; those that are absent or None are left out."""
    if isinstance(value, kind):
        return {name: item for name in names if (item := getattr(value, _ATTRIBUTE.get(name, name), None)) is not None}
    if isinstance(value, Mapping):
        return {name: item for name in names if (item := value.get(name)) is not None}
    raise KernelFailure(
        code,
        f"{what} is a {kind_name(value)}",
        hint=f"pass a {kind.__name__} or a mapping with its camelCase fields",
    )


def component_id(value: object, what: str) -> str:
    """``value`` trimmed, if it is a component id; KernelFailure ``invalid-id`` otherwise."""
    text = value.strip() if type(value) is str else None
    if text is None or limits.ID.fullmatch(text) is None:
        shown = freeze(value, f"the {what}") if value is not None else None
        raise KernelFailure(
            "invalid-id",
            f"{shown!r:.200} is no {what}",
            hint="use 1 to 128 of a-z, 0-9 and '-', beginning with a letter",
        )
    return text


def _text(body: Mapping[str, Json], name: str, limit: int, what: str, code: str = _INVALID) -> str:
    value = body.get(name)
    text = value.strip() if type(value) is str else ""
    if not 1 <= len(text) <= limit:
        raise KernelFailure(code, f"{name} of {what} must be text of 1 to {limit} characters")
    return text


def _word(body: Mapping[str, Json], name: str, words: tuple[str, ...], what: str, code: str = _INVALID) -> str:
    value = body.get(name)
    text = value.strip() if type(value) is str else value
    if type(text) is not str or text not in words:
        raise KernelFailure(
            code, f"{name} of {what} is {value!r:.100}", hint=f"use one of: {', '.join(words)}", details={"field": name}
        )
    return text


def _sequence(body: Mapping[str, Json], name: str, what: str, code: str = _INVALID) -> tuple[Json, ...]:
    value = body.get(name, ())
    if type(value) is not tuple:
        raise KernelFailure(code, f"{name} of {what} must be a list")
    return value


def _words(body: Mapping[str, Json], name: str, words: tuple[str, ...], what: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(_word({name: item}, name, words, what) for item in _sequence(body, name, what)),
    )


def _flag(body: Mapping[str, Json], name: str, what: str, code: str = _INVALID) -> bool:
    value = body.get(name)
    if type(value) is not bool:
        raise KernelFailure(code, f"{name} of {what} must be true or false")
    return value


def _counter(body: Mapping[str, Json], name: str, what: str) -> int:
    value = body.get(name, 0)
    if type(value) is not int or value < 0:
        raise KernelFailure(_INVALID, f"{name} of {what} must be an integer from 0")
    return value


def _titles(body: Mapping[str, Json], what: str) -> tuple[str, str]:
    return (
        _text(body, "label", limits.MAX_LABEL, what),
        _text(body, "description", limits.MAX_DESCRIPTION, what),
    )


def layer_descriptor(value: LayerDescriptor | Mapping[str, Any]) -> LayerDescriptor:
    """Raises KernelFailure ``invalid-id``, ``invalid-descriptor`` or ``json-unsafe``, as the next two do."""
    names = ("id", "label", "description", "role", "order", "capabilities")
    body = freeze(raw_fields(value, LayerDescriptor, names, "the layer descriptor", _INVALID), "layer")
    id_ = component_id(body.get("id"), "layer id")
    what = f"layer {id_}"
    label, description = _titles(body, what)
    role = component_id(body.get("role"), "layer role")
    order = body.get("order")
    if type(order) not in (int, float) or not _orderable(order):
        raise KernelFailure(_INVALID, f"order of {what} must be a finite number")
    capabilities = _words(body, "capabilities", limits.CAPABILITIES, what)
    if not capabilities:
        raise KernelFailure(_INVALID, f"{what} declares no capability")
    return LayerDescriptor(id_, label, description, role, order, capabilities)


def _orderable(order: Any) -> bool:
    try:
        return isfinite(order)
    except OverflowError:
        return False


def adapter_descriptor(value: AdapterDescriptor | Mapping[str, Any]) -> AdapterDescriptor:
    names = ("id", "label", "description", "locality", "scopes", "capabilities", "configNamespace")
    body = freeze(raw_fields(value, AdapterDescriptor, names, "the adapter descriptor", _INVALID), "adapter")
    id_ = component_id(body.get("id"), "adapter id")
    what = f"adapter {id_}"
    label, description = _titles(body, what)
    namespace = body.get("configNamespace")
    return AdapterDescriptor(
        id_,
        label,
        description,
        _word(body, "locality", limits.LOCALITIES, what),
        _words(body, "scopes", limits.ADAPTER_SCOPES, what),
        _words(body, "capabilities", limits.CAPABILITIES, what),
        None if namespace is None else component_id(namespace, "configuration namespace"),
    )


def strategy_descriptor(value: StrategyDescriptor | Mapping[str, Any]) -> StrategyDescriptor:
    names = ("id", "version", "label", "description", "hooks", "deterministic")
    body = freeze(raw_fields(value, StrategyDescriptor, names, "the strategy descriptor", _INVALID), "strategy")
    id_ = component_id(body.get("id"), "strategy id")
    what = f"strategy {id_}"
    version = _text(body, "version", limits.MAX_VERSION, what)
    return StrategyDescriptor(
        id_,
        version,
        *_titles(body, what),
        _words(body, "hooks", limits.STRATEGY_HOOKS, what),
        _flag(body, "deterministic", what),
    )


def participation(value: Participation | Mapping[str, Any], what: str) -> Participation:
    """All four channels with a mode each; KernelFailure ``invalid-mode`` otherwise."""
    body = freeze(raw_fields(value, Participation, limits.CHANNELS, f"participation of {what}", "invalid-mode"), what)
    return Participation(
        *(_word(body, channel, limits.MODES, f"participation of {what}", "invalid-mode") for channel in limits.CHANNELS)
    )


def adapter_ids(value: object, what: str) -> tuple[str, ...]:
    """Adapter ids without repetitions, in order; KernelFailure ``invalid-id``."""
    found = _sequence({"adapterIds": freeze(value, "adapterIds")}, "adapterIds", what, "invalid-id")
    return tuple(dict.fromkeys(component_id(item, "adapter id") for item in found))


def _items(value: object, what: str, code: str) -> Iterable[Any]:
    if not isinstance(value, list | tuple):
        raise KernelFailure(code, f"{what} must be a list")
    return list(value)


def topology_layer(value: TopologyLayer | Mapping[str, Any]) -> TopologyLayer:
    """Raises KernelFailure ``invalid-id`` or ``invalid-mode``."""
    names = ("id", "enabled", "participation", "adapterIds")
    raw = raw_fields(value, TopologyLayer, names, "the topology layer", "invalid-mode")
    id_ = component_id(raw.get("id"), "layer id")
    what = f"layer {id_}"
    return TopologyLayer(
        id_,
        _flag(raw, "enabled", what, "invalid-mode"),
        participation(raw.get("participation", {}), what),
        adapter_ids(raw.get("adapterIds", ()), what),
    )


def topology_definition(value: TopologyDefinition | Mapping[str, Any]) -> TopologyDefinition:
    """A definition of the right shape, whatever the catalog holds: KernelFailure ``invalid-id``, ``invalid-mode`` or
    ``duplicate-id``."""
    raw = raw_fields(value, TopologyDefinition, ("id", "strategyId", "layers"), "the topology", "invalid-id")
    id_ = component_id(raw.get("id"), "topology id")
    strategy_id = component_id(raw.get("strategyId"), "strategy id")
    layers = tuple(topology_layer(layer) for layer in _items(raw.get("layers", ()), "layers", "invalid-id"))
    seen: set[str] = set()
    for layer in layers:
        if layer.id in seen:
            raise KernelFailure("duplicate-id", f"the topology names layer {layer.id} twice", details={"id": layer.id})
        seen.add(layer.id)
    return TopologyDefinition(id_, strategy_id, layers)


def system_descriptor(value: SystemDescriptor | Mapping[str, Any]) -> SystemDescriptor:
    """A picture of a system from its wire form, for replay; the order of catalog and topology stays."""
    raw = raw_fields(value, SystemDescriptor, ("catalog", "topology"), "the descriptor", _INVALID)
    names = ("generation", "layers", "adapters", "strategies")
    found = raw_fields(raw.get("catalog"), CatalogSnapshot, names, "the catalog", _INVALID)
    catalog = CatalogSnapshot(
        _counter(found, "generation", "the catalog"),
        tuple(map(layer_descriptor, _items(found.get("layers", ()), "layers", _INVALID))),
        tuple(map(adapter_descriptor, _items(found.get("adapters", ()), "adapters", _INVALID))),
        tuple(map(strategy_descriptor, _items(found.get("strategies", ()), "strategies", _INVALID))),
    )
    fields = ("id", "strategyId", "layers", "generation", "catalogGeneration", "createdAt")
    found = raw_fields(raw.get("topology"), TopologySnapshot, fields, "the topology", _INVALID)
    definition = topology_definition({name: found.get(name) for name in ("id", "strategyId", "layers")})
    return SystemDescriptor(
        catalog,
        TopologySnapshot(
            definition.id,
            definition.strategy_id,
            definition.layers,
            _counter(found, "generation", "the topology"),
            _counter(found, "catalogGeneration", "the topology"),
            str(freeze(found.get("createdAt", ""), "createdAt")),
        ),
    )


_REQUEST: Final = (
    "operation",
    "capability",
    "trigger",
    "scope",
    "candidateLayerIds",
    "adapterIds",
    "budget",
    "input",
)
_SCOPE: Final = ("storage", "workspaceId", "sessionId", "agentId")
_BUDGET: Final = {
    "maxSteps": limits.MAX_STEPS,
    "maxResults": limits.MAX_RESULTS,
    "maxTokens": limits.MAX_TOKENS,
    "timeoutMs": limits.MAX_TIMEOUT_MS,
}
_BUDGET_NAMES: Final = tuple(_BUDGET)


class MeasuredRequest(NamedTuple):
    """A normalised request and how many levels of JSON lie below its root."""

    request: Request
    height: int

    @property
    def input_height(self) -> int:
        """How many levels lie below the root of the input; one too many at most, and only for a flat one."""
        return self.height - 1


def measured_request(value: Request | Mapping[str, Any]) -> MeasuredRequest:
    """The normalised request (§4): trimmed, deduplicated, copied and frozen; unknown keys of the scope are dropped.

    Raises KernelFailure ``invalid-request``, ``invalid-budget`` or ``json-unsafe``.
    """
    quick = _quickly(value) if type(value) is Request else None
    if quick is not None:
        return quick
    if isinstance(value, Mapping):
        _known(value, _REQUEST, "the request", "invalid-request")
    raw = raw_fields(value, Request, _REQUEST, "the request", "invalid-request")
    if "scope" in raw:
        raw["scope"] = raw_fields(raw["scope"], Scope, _SCOPE, "scope of the request", "invalid-request")
    if "budget" in raw:
        if isinstance(raw["budget"], Mapping):
            _known(raw["budget"], _BUDGET_NAMES, "the budget", "invalid-budget")
        raw["budget"] = raw_fields(raw["budget"], Budget, _BUDGET_NAMES, "budget of the request", "invalid-budget")
    body, height = freeze_measured(raw, "request")
    request = Request(
        _text(body, "operation", limits.MAX_OPERATION, "the request", "invalid-request"),
        _word(body, "capability", limits.CAPABILITIES, "the request", "invalid-request"),
        _word(body, "trigger", limits.TRIGGERS, "the request", "invalid-request"),
        _scope(body.get("scope", {})),
        _request_ids(body, "candidateLayerIds"),
        _request_ids(body, "adapterIds"),
        _budget(body["budget"]) if "budget" in body else None,
        body.get("input"),
    )
    return MeasuredRequest(request, height)


def _quickly(value: Request) -> MeasuredRequest | None:
    """The normalised request when every field is plainly in order as it is; None when that needs a closer look."""
    operation, capability, trigger, scope = value.operation, value.capability, value.trigger, value.scope
    candidates, adapters, budget = value.candidate_layer_ids, value.adapter_ids, value.budget
    if (
        not _plain(operation, limits.MAX_OPERATION)
        or type(capability) is not str
        or capability not in limits.CAPABILITIES
        or type(trigger) is not str
        or trigger not in limits.TRIGGERS
        or type(scope) is not Scope
        or not (candidates is None or _plain_ids(candidates))
        or not (adapters is None or _plain_ids(adapters))
    ):
        return None
    place = _quick_scope(scope)
    if place is None:
        return None
    if budget is not None:
        if type(budget) is not Budget:
            return None
        budget = Budget(budget.max_steps, budget.max_results, budget.max_tokens, budget.timeout_ms)
        for name, most in _BUDGET.items():
            number = getattr(budget, _ATTRIBUTE[name])
            if number is not None and (type(number) is not int or not 1 <= number <= most):
                return None
    try:
        # One level lower than what it is frozen alone as: it lies below the root of the request.
        frozen, height = freeze_measured(value.input, max_depth=limits.MAX_DEPTH - 1)
    except KernelFailure:
        return None
    return MeasuredRequest(
        Request(operation, capability, trigger, place, candidates, adapters, budget, frozen),
        max(2, 1 + height),
    )


def _plain(text: object, most: int) -> bool:
    """Whether ``text`` is ASCII without space around it, of 1 to ``most`` characters."""
    return type(text) is str and text.isascii() and 1 <= len(text) <= most and text == text.strip()


def _plain_ids(ids: object) -> bool:
    return (
        type(ids) is tuple
        and len(ids) <= limits.MAX_REQUEST_IDS
        and all(_plain(id_, limits.MAX_REQUEST_ID) for id_ in ids)
        and len({*ids}) == len(ids)
    )


def _quick_scope(value: Scope) -> Scope | None:
    scope = Scope(value.storage, value.workspace_id, value.session_id, value.agent_id)
    good = (
        type(scope.storage) is str
        and scope.storage in limits.STORAGES
        and (scope.workspace_id is None or _plain(scope.workspace_id, limits.MAX_WORKSPACE_ID))
        and (scope.session_id is None or _plain(scope.session_id, limits.MAX_SESSION_ID))
        and (scope.agent_id is None or _plain(scope.agent_id, limits.MAX_AGENT_ID))
    )
    return scope if good else None


def normalise_request(value: Request | Mapping[str, Any]) -> Request:
    """The request of :func:`measured_request` alone."""
    return measured_request(value).request


def _known(value: Mapping[str, Any], names: tuple[str, ...], what: str, code: str) -> None:
    for key in value:
        if key not in names:
            raise KernelFailure(code, f"{what} has the unknown key {key!r:.100}", hint=f"use: {', '.join(names)}")


def _scope(body: Mapping[str, Json]) -> Scope:
    code = "invalid-request"
    what = "the request's scope"
    return Scope(
        _word(body, "storage", limits.STORAGES, what, code),
        _text(body, "workspaceId", limits.MAX_WORKSPACE_ID, what, code) if "workspaceId" in body else None,
        _text(body, "sessionId", limits.MAX_SESSION_ID, what, code) if "sessionId" in body else None,
        _text(body, "agentId", limits.MAX_AGENT_ID, what, code) if "agentId" in body else None,
    )


def normalise_scope(value: Scope | Mapping[str, Any]) -> Scope:
    """A scope by itself, trimmed; KernelFailure ``invalid-request`` or ``json-unsafe``."""
    return _scope(freeze(raw_fields(value, Scope, _SCOPE, "the scope", "invalid-request"), "scope"))


def _request_ids(body: Mapping[str, Json], name: str) -> tuple[str, ...] | None:
    if name not in body:
        return None
    ids: dict[str, None] = {}
    for item in _sequence(body, name, "the request", "invalid-request"):
        text = item.strip() if type(item) is str else ""
        if not 1 <= len(text) <= limits.MAX_REQUEST_ID:
            raise KernelFailure(
                "invalid-request", f"{name} of the request must hold ids of 1 to {limits.MAX_REQUEST_ID} characters"
            )
        ids[text] = None
    if len(ids) > limits.MAX_REQUEST_IDS:
        raise KernelFailure("invalid-request", f"{name} of the request holds more than {limits.MAX_REQUEST_IDS} ids")
    return tuple(ids)


def _budget(body: Mapping[str, Json]) -> Budget:
    for name, value in body.items():
        if type(value) is not int or not 1 <= value <= _BUDGET[name]:
            raise KernelFailure(
                "invalid-budget",
                f"{name} of the budget must be an integer from 1 to {_BUDGET[name]}",
                details={"field": name},
            )
    return Budget(body.get("maxSteps"), body.get("maxResults"), body.get("maxTokens"), body.get("timeoutMs"))


def proposal(value: Proposal | Mapping[str, Any]) -> Proposal:
    """A proposal of the right shape, from its wire form or as a strategy returned it; only its inputs are not checked.

    Raises KernelFailure ``strategy-error``.
    """
    code = "strategy-error"
    names = ("strategyId", "strategyVersion", "reason", "steps")
    raw = raw_fields(value, Proposal, names, "the proposal", code)
    for name in names[:2]:
        if type(raw.get(name)) is not str:
            raise KernelFailure(code, f"{name} of the proposal must be text")
    steps = _items(raw.get("steps", ()), "steps of the proposal", code)
    return Proposal(raw["strategyId"], raw["strategyVersion"], raw.get("reason", ""), tuple(map(_step, steps)))


def _step(value: object) -> StepProposal:
    code = "strategy-error"
    if type(value) is StepProposal:
        layer_id, capability = getattr(value, "layer_id", None), getattr(value, "capability", None)
        adapter_id = getattr(value, "adapter_id", None)
        if type(layer_id) is str and type(capability) is str and (adapter_id is None or type(adapter_id) is str):
            return StepProposal(layer_id, capability, adapter_id, getattr(value, "input", None))
    raw = raw_fields(value, StepProposal, ("layerId", "capability", "adapterId", "input"), "a step", code)
    for name in ("layerId", "capability", "adapterId"):
        if type(raw.get(name, "" if name == "adapterId" else None)) is not str:
            raise KernelFailure(code, f"{name} of a step must be text")
    return StepProposal(raw["layerId"], raw["capability"], raw.get("adapterId"), raw.get("input"))
