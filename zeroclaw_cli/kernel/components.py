"""Descriptors of what is registered and of what is enabled (specs/memory-kernel.md §4).

Everything is a frozen value. ``to_json`` gives the wire form: camelCase keys, and a key for an optional field only when
it has a value. :mod:`zeroclaw_cli.kernel.parsing` reads and validates it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from zeroclaw_cli.kernel.json_safe import Json


@dataclass(frozen=True, slots=True)
class ExtensionDescriptor:
    id: str
    version: str
    label: str
    description: str

    def to_json(self) -> dict[str, Json]:
        return {"id": self.id, "version": self.version, "label": self.label, "description": self.description}


@dataclass(frozen=True, slots=True)
class LayerDescriptor:
    """One kind of memory. ``role`` is an id, ``order`` a finite number, ``capabilities`` a non-empty tuple."""

    id: str
    label: str
    description: str
    role: str
    order: float
    capabilities: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "label": self.label,
            "description": self.description,
            "role": self.role,
            "order": self.order,
            "capabilities": list(self.capabilities),
        }


@dataclass(frozen=True, slots=True)
class AdapterDescriptor:
    """The card of one outside store. ``locality`` and ``scopes`` are words of §2."""

    id: str
    label: str
    description: str
    locality: str
    scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    config_namespace: str | None = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {
            "id": self.id,
            "label": self.label,
            "description": self.description,
            "locality": self.locality,
            "scopes": list(self.scopes),
            "capabilities": list(self.capabilities),
        }
        if self.config_namespace is not None:
            body["configNamespace"] = self.config_namespace
        return body


@dataclass(frozen=True, slots=True)
class StrategyDescriptor:
    id: str
    version: str
    label: str
    description: str
    hooks: tuple[str, ...]
    deterministic: bool

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "version": self.version,
            "label": self.label,
            "description": self.description,
            "hooks": list(self.hooks),
            "deterministic": self.deterministic,
        }


@dataclass(frozen=True, slots=True)
class CatalogSnapshot:
    """What is registered: layers by (order, id), the others by id."""

    generation: int
    layers: tuple[LayerDescriptor, ...]
    adapters: tuple[AdapterDescriptor, ...]
    strategies: tuple[StrategyDescriptor, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "generation": self.generation,
            "layers": [layer.to_json() for layer in self.layers],
            "adapters": [adapter.to_json() for adapter in self.adapters],
            "strategies": [strategy.to_json() for strategy in self.strategies],
        }

    def copied(self) -> CatalogSnapshot:
        """An equal one that shares no object which could be changed by force."""
        return CatalogSnapshot(
            self.generation,
            tuple(map(replace, self.layers)),
            tuple(map(replace, self.adapters)),
            tuple(map(replace, self.strategies)),
        )


@dataclass(frozen=True, slots=True)
class Participation:
    """The mode of each channel: ``off``, ``manual`` or ``automatic``."""

    recall: str = "manual"
    write: str = "manual"
    projection: str = "manual"
    maintenance: str = "manual"

    def mode(self, channel: str) -> str:
        mode: str = getattr(self, channel)
        return mode

    @classmethod
    def all(cls, mode: str) -> Participation:
        """Every channel in the same mode."""
        return cls(mode, mode, mode, mode)

    def to_json(self) -> dict[str, Json]:
        return {
            "recall": self.recall,
            "write": self.write,
            "projection": self.projection,
            "maintenance": self.maintenance,
        }


@dataclass(frozen=True, slots=True)
class TopologyLayer:
    id: str
    enabled: bool = False
    participation: Participation = Participation()
    adapter_ids: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "enabled": self.enabled,
            "participation": self.participation.to_json(),
            "adapterIds": list(self.adapter_ids),
        }


@dataclass(frozen=True, slots=True)
class TopologyDefinition:
    """What is enabled and how it takes part; the order of the layers has a meaning."""

    id: str
    strategy_id: str
    layers: tuple[TopologyLayer, ...]

    def to_json(self) -> dict[str, Json]:
        return {"id": self.id, "strategyId": self.strategy_id, "layers": [layer.to_json() for layer in self.layers]}


@dataclass(frozen=True, slots=True)
class TopologySnapshot:
    id: str
    strategy_id: str
    layers: tuple[TopologyLayer, ...]
    generation: int
    catalog_generation: int
    created_at: str

    @property
    def definition(self) -> TopologyDefinition:
        return TopologyDefinition(self.id, self.strategy_id, self.layers)

    def copied(self) -> TopologySnapshot:
        """As :meth:`CatalogSnapshot.copied`."""
        layers = tuple(replace(layer, participation=replace(layer.participation)) for layer in self.layers)
        return replace(self, layers=layers)

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "strategyId": self.strategy_id,
            "layers": [layer.to_json() for layer in self.layers],
            "generation": self.generation,
            "catalogGeneration": self.catalog_generation,
            "createdAt": self.created_at,
        }


@dataclass(frozen=True, slots=True)
class SystemDescriptor:
    """The frozen picture that one request is planned against; catalog and topology of one moment."""

    catalog: CatalogSnapshot
    topology: TopologySnapshot

    def to_json(self) -> dict[str, Json]:
        return {"catalog": self.catalog.to_json(), "topology": self.topology.to_json()}


StrategyContext = SystemDescriptor
"""What ``propose`` gets beside the request: ``catalog`` and ``topology``."""
