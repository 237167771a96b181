"""Descriptors of what is registered and of what is enabled (specs/memory-kernel.md §4).

Everything is a frozen value; :mod:`zeroclaw_cli.kernel.parsing` reads and validates the wire form.
"""

from __future__ import annotations

from dataclasses import dataclass

from zeroclaw_cli.kernel.wire import Wire


@dataclass(frozen=True, slots=True)
class LayerDescriptor(Wire):
    """One kind of memory. ``role`` is an id, ``order`` a finite number, ``capabilities`` a non-empty tuple."""

    id: str
    label: str
    description: str
    role: str
    order: float
    capabilities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AdapterDescriptor(Wire):
    """The card of one outside store. ``locality`` and ``scopes`` are words of §2."""

    id: str
    label: str
    description: str
    locality: str
    scopes: tuple[str, ...]
    capabilities: tuple[str, ...]
    config_namespace: str | None = None


@dataclass(frozen=True, slots=True)
class StrategyDescriptor(Wire):
    id: str
    version: str
    label: str
    description: str
    hooks: tuple[str, ...]
    deterministic: bool


@dataclass(frozen=True, slots=True)
class CatalogSnapshot(Wire):
    """What is registered: layers by (order, id), the others by id."""

    generation: int
    layers: tuple[LayerDescriptor, ...]
    adapters: tuple[AdapterDescriptor, ...]
    strategies: tuple[StrategyDescriptor, ...]


@dataclass(frozen=True, slots=True)
class Participation(Wire):
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


@dataclass(frozen=True, slots=True)
class TopologyLayer(Wire):
    id: str
    enabled: bool = False
    participation: Participation = Participation()
    adapter_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TopologyDefinition(Wire):
    """What is enabled and how it takes part; the order of the layers has a meaning."""

    id: str
    strategy_id: str
    layers: tuple[TopologyLayer, ...]


@dataclass(frozen=True, slots=True)
class TopologySnapshot(Wire):
    id: str
    strategy_id: str
    layers: tuple[TopologyLayer, ...]
    generation: int
    catalog_generation: int
    created_at: str

    @property
    def definition(self) -> TopologyDefinition:
        return TopologyDefinition(self.id, self.strategy_id, self.layers)


@dataclass(frozen=True, slots=True)
class SystemDescriptor(Wire):
    """The frozen picture that one request is planned against; catalog and topology of one moment."""

    catalog: CatalogSnapshot
    topology: TopologySnapshot


StrategyContext = SystemDescriptor
"""What ``propose`` gets beside the request: ``catalog`` and ``topology``."""
