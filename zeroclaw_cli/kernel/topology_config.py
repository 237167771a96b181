"""``memory.topology`` of the config as a topology (specs/memory-kernel.md §16)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits, parsing
from zeroclaw_cli.kernel.components import (
    CatalogSnapshot,
    LayerDescriptor,
    Participation,
    TopologyDefinition,
    TopologyLayer,
)
from zeroclaw_cli.kernel.json_safe import printable
from zeroclaw_cli.kernel.limits import BUILT_IN_LAYERS, CHANNELS, DEFAULT_STRATEGY_ID, DEFAULT_TOPOLOGY_ID

PATH: Final = "memory.topology"
_INVALID: Final = "invalid-topology"
_ROOT: Final = frozenset({"id", "strategy_id", "layers"})
_LAYER: Final = frozenset({"enabled", "participation", "adapter_ids", "backend"})


@dataclass(frozen=True, slots=True)
class ConfiguredLayer:
    """One table of ``memory.topology.layers``. ``participation`` is None when the table has none, which means that
    every channel is automatic; ``backend`` is what the layer is bound to, as written."""

    id: str
    enabled: bool = True
    participation: Participation | None = None
    adapter_ids: tuple[str, ...] = ()
    backend: str | None = None

    def layer(self) -> TopologyLayer:
        return TopologyLayer(
            self.id, self.enabled, self.participation or Participation.all("automatic"), self.adapter_ids
        )


@dataclass(frozen=True, slots=True)
class ConfiguredTopology:
    """``memory.topology`` as it is written; layers in the order of the file."""

    id: str = DEFAULT_TOPOLOGY_ID
    strategy_id: str = DEFAULT_STRATEGY_ID
    layers: tuple[ConfiguredLayer, ...] = ()

    def layer(self, layer_id: str) -> ConfiguredLayer | None:
        return next((layer for layer in self.layers if layer.id == layer_id), None)


@dataclass(frozen=True, slots=True)
class Built:
    """The topology for one catalog. ``ignored`` are disabled layers of the file that the catalog does not have."""

    definition: TopologyDefinition
    ignored: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(
            f"{PATH}.layers.{id_} is kept and ignored: it is disabled, and no such layer is there"
            for id_ in self.ignored
        )


def read_topology(table: Mapping[str, Any]) -> ConfiguredTopology:
    """The table ``memory.topology``, empty for the defaults.

    Raises KernelFailure ``invalid-topology`` for an unknown key, a wrong type or more than 64 layers, ``invalid-id``
    and ``invalid-mode``; each names the path.
    """
    _require_known(table, _ROOT, PATH)
    tables = _table(table.get("layers", {}), f"{PATH}.layers")
    if len(tables) > limits.MAX_CONFIGURED_LAYERS:
        raise _invalid(f"{len(tables)} layers are more than {limits.MAX_CONFIGURED_LAYERS}", f"{PATH}.layers")
    return ConfiguredTopology(
        _component(table.get("id", DEFAULT_TOPOLOGY_ID), f"{PATH}.id"),
        _component(table.get("strategy_id", DEFAULT_STRATEGY_ID), f"{PATH}.strategy_id"),
        tuple(_layer(id_, tables[id_]) for id_ in tables),
    )


def build_topology(configured: ConfiguredTopology, catalog: CatalogSnapshot) -> Built:
    """The default layers first, then the other configured ones in the order of the file, then what else the catalog
    has, as disabled candidates.

    Raises KernelFailure ``layer-unavailable`` for an enabled layer that the catalog lacks, ``strategy-unavailable``
    and ``adapter-unavailable``; each names the path and what to do.
    """
    _require_strategy(configured, catalog)
    available = {layer.id for layer in catalog.layers}
    adapters = {adapter.id for adapter in catalog.adapters}
    named = [layer.id for layer in configured.layers if layer.id not in BUILT_IN_LAYERS]
    layers, ignored = [], []
    for id_ in (*BUILT_IN_LAYERS, *named):
        found = configured.layer(id_) or ConfiguredLayer(id_)
        if id_ in available:
            _require_adapters(found, adapters)
            layers.append(found.layer())
        elif found.enabled and configured.layer(id_) is not None:
            raise KernelFailure(
                "layer-unavailable",
                f"{PATH}.layers.{id_}: there is no layer {id_}",
                hint=f"`zeroclaw memory layers` lists those that there are; `zeroclaw memory layers disable {id_}` "
                "keeps the settings",
                details={"id": id_, "path": f"{PATH}.layers.{id_}"},
            )
        elif configured.layer(id_) is not None:
            ignored.append(id_)
    mentioned = {layer.id for layer in layers}
    layers += [TopologyLayer(layer.id) for layer in catalog.layers if layer.id not in mentioned]
    return Built(TopologyDefinition(configured.id, configured.strategy_id, tuple(layers)), tuple(ignored))


def require_sources(definition: TopologyDefinition, layers: Iterable[LayerDescriptor], sources: Iterable[str]) -> None:
    """Raise KernelFailure ``source-missing`` for an enabled layer with automatic projection that declares ``project``
    and has no source (§12, §16); the two remedies are named."""
    projecting = {layer.id for layer in layers if "project" in layer.capabilities}
    ready = frozenset(sources)
    for layer in definition.layers:
        automatic = layer.enabled and layer.participation.projection == "automatic"
        if automatic and layer.id in projecting and layer.id not in ready:
            key = f"{PATH}.layers.{layer.id}.participation.projection"
            raise KernelFailure(
                "source-missing",
                f"layer {layer.id} projects into every prompt and has no source",
                hint=f"add a source to its extension, or `zeroclaw config set {key} manual`",
                details={"layerId": layer.id, "path": key},
            )


def adapter_problem(name: str) -> str | None:
    """Why a backend of this name cannot be an adapter: its name is not an id, and is not rewritten (§18)."""
    if limits.ID.fullmatch(name) is not None:
        return None
    return f"'{printable(name, 128)}' is not a layer id: use 1 to 128 of a-z, 0-9 and '-', beginning with a letter"


def _layer(id_: str, raw: object) -> ConfiguredLayer:
    path = f"{PATH}.layers.{printable(id_, 128)}"
    if _component(id_, path) != id_:
        raise KernelFailure(
            "invalid-id", f"{path}: an id has no whitespace around it", hint="take it away", details={"path": path}
        )
    table = _table(raw, path)
    _require_known(table, _LAYER, path)
    enabled = table.get("enabled", True)
    if type(enabled) is not bool:
        raise _invalid("must be true or false", f"{path}.enabled")
    backend = table.get("backend")
    if backend is not None and (type(backend) is not str or not backend.strip()):
        raise _invalid("must be the name of a backend", f"{path}.backend")
    return ConfiguredLayer(
        id_, enabled, _participation(table, path), _adapters(table.get("adapter_ids", ()), path), backend
    )


def _participation(table: Mapping[str, Any], path: str) -> Participation | None:
    if "participation" not in table:
        return None
    where = f"{path}.participation"
    modes = _table(table["participation"], where)
    _require_known(modes, frozenset(CHANNELS), where)
    if not modes:
        # An empty table leaves a layer as it is without one.
        return None
    for channel, mode in modes.items():
        if mode not in limits.MODES:
            raise KernelFailure(
                "invalid-mode",
                f"{where}.{channel} is {mode!r:.100}",
                hint=f"use one of: {', '.join(limits.MODES)}",
                details={"path": f"{where}.{channel}"},
            )
    return Participation(**{channel: str(modes.get(channel, "automatic")) for channel in CHANNELS})


def _adapters(raw: object, path: str) -> tuple[str, ...]:
    try:
        return parsing.adapter_ids(list(raw) if isinstance(raw, list | tuple) else raw, path)
    except KernelFailure as failure:
        where = f"{path}.adapter_ids"
        raise KernelFailure(
            failure.code, f"{where}: {failure.message}", hint=failure.hint, details={"path": where}
        ) from None


def _component(value: object, path: str) -> str:
    try:
        return parsing.component_id(value, "id")
    except KernelFailure as failure:
        raise KernelFailure(
            failure.code, f"{path}: {failure.message}", hint=failure.hint, details={"path": path}
        ) from None


def _require_strategy(configured: ConfiguredTopology, catalog: CatalogSnapshot) -> None:
    if all(strategy.id != configured.strategy_id for strategy in catalog.strategies):
        known = ", ".join(strategy.id for strategy in catalog.strategies) or "none"
        raise KernelFailure(
            "strategy-unavailable",
            f"{PATH}.strategy_id: there is no strategy {configured.strategy_id}",
            hint=f"there are: {known}; `zeroclaw strategy promote DIR` installs one",
            details={"id": configured.strategy_id, "path": f"{PATH}.strategy_id"},
        )


def _require_adapters(layer: ConfiguredLayer, adapters: set[str]) -> None:
    for id_ in layer.adapter_ids:
        if id_ not in adapters:
            where = f"{PATH}.layers.{layer.id}.adapter_ids"
            raise KernelFailure(
                "adapter-unavailable",
                f"{where}: there is no adapter {id_}",
                hint=f"there are: {', '.join(sorted(adapters)) or 'none'}",
                details={"id": id_, "path": where},
            )


def _table(value: object, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _invalid("must be a table", path)
    return value


def _require_known(table: Mapping[str, Any], known: frozenset[str], path: str) -> None:
    unknown = [key for key in table if key not in known]
    if unknown:
        where = f"{path}.{printable(str(unknown[0]), 128)}"
        raise _invalid(f"is not a key; there are {', '.join(sorted(known))}", where)


def _invalid(what: str, path: str) -> KernelFailure:
    return KernelFailure(
        _INVALID, f"{path} {what}", hint="correct it with `zeroclaw config edit`", details={"path": path}
    )
