"""What is enabled: participation, adapter bindings and the active strategy (specs/memory-kernel.md §6, §8)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import parsing
from zeroclaw_cli.kernel.catalog import Listeners, MemoryCatalog, RegisteredStrategy
from zeroclaw_cli.kernel.clock import stamp, utc_now
from zeroclaw_cli.kernel.components import (
    CatalogSnapshot,
    Participation,
    SystemDescriptor,
    TopologyDefinition,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.contracts import Dispose
from zeroclaw_cli.kernel.json_safe import freeze
from zeroclaw_cli.kernel.limits import CHANNELS
from zeroclaw_cli.kernel.participation import Picture


class TopologyManager:
    """The topology of one runtime graph. Thread-safe; shares the catalog's lock.

    ``initial`` is checked as :meth:`replace` does.
    """

    def __init__(
        self,
        catalog: MemoryCatalog,
        initial: TopologyDefinition | Mapping[str, Any],
        *,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.catalog = catalog
        self._now = now
        self._listeners: Listeners[TopologySnapshot] = Listeners()
        self._picture: Picture | None = None
        definition = parsing.topology_definition(initial)
        moment = stamp(now())
        with catalog.lock:
            check_available(definition, catalog.snapshot())
            self._snapshot = _snapshot(definition, 1, catalog.generation, moment)
            self._unfollow = catalog.follow(self._reconcile, lambda: stamp(now()))

    def snapshot(self) -> TopologySnapshot:
        with self.catalog.lock:
            return self._snapshot

    def descriptor(self) -> SystemDescriptor:
        """Catalog and topology as of one moment."""
        return self.picture().descriptor

    def picture(self) -> Picture:
        """The descriptor with its look-ups; one object as long as nothing changes."""
        with self.catalog.lock:
            if self._picture is None:
                self._picture = Picture(SystemDescriptor(self.catalog.snapshot(), self._snapshot))
            return self._picture

    def active(self) -> tuple[Picture, RegisteredStrategy | None]:
        """The picture and the strategy that it names, as of one moment."""
        with self.catalog.lock:
            picture = self.picture()
            return picture, self.catalog.strategy(picture.strategy_id)

    def generations(self) -> tuple[int, int]:
        """The counters of catalog and topology as of one moment."""
        with self.catalog.lock:
            return self.catalog.generation, self._snapshot.generation

    def replace(self, definition: TopologyDefinition | Mapping[str, Any]) -> TopologySnapshot:
        """Put another definition in force. A refused one changes nothing.

        Raises KernelFailure ``invalid-id``, ``invalid-mode``, ``duplicate-id``, ``strategy-unavailable``,
        ``layer-unavailable`` or ``adapter-unavailable``.
        """
        parsed = parsing.topology_definition(definition)
        moment = stamp(self._now())
        with self.catalog.lock:
            check_available(parsed, self.catalog.snapshot())
            snapshot = self._put(parsed, moment)
        self._listeners.notify(snapshot)
        return snapshot

    def restore(
        self, before: TopologySnapshot, *, layer_ids: Collection[str] = (), adapter_ids: Collection[str] = ()
    ) -> TopologySnapshot:
        """Put back what ``before`` said of layers and adapters that were unregistered and are registered again: the
        entries of ``layer_ids``, the bindings of ``adapter_ids``, and the places of all.

        What else changed since ``before`` stays, and so does the strategy, registered or not. Nothing is refused: what
        the catalog does not have is left out.
        """
        moment = stamp(self._now())
        with self.catalog.lock:
            back = restored(self._snapshot.definition, before, layer_ids, adapter_ids)
            snapshot = self._put(reconciled(back, self.catalog.snapshot()), moment)
        self._listeners.notify(snapshot)
        return snapshot

    def configure_layer(
        self,
        layer_id: str,
        *,
        enabled: bool | None = None,
        participation: Participation | Mapping[str, str] | None = None,
        adapter_ids: Sequence[str] | None = None,
    ) -> TopologySnapshot:
        """Change one layer; what is None stays. A mapping of participation may name some channels only.

        Raises as :meth:`replace`.
        """
        id_ = parsing.component_id(layer_id, "layer id")
        what = f"layer {id_}"
        if isinstance(participation, Participation):
            participation = participation.to_json()
        if not isinstance(participation, Mapping | None):
            raise KernelFailure("invalid-mode", f"participation of {what} must be a mapping from channels to modes")
        modes = freeze(dict(participation or {}), f"participation of {what}")
        if not frozenset(CHANNELS).issuperset(modes):
            raise KernelFailure("invalid-mode", f"participation of {what} has the channels {', '.join(CHANNELS)}")
        bound = None if adapter_ids is None else parsing.adapter_ids(adapter_ids, what)
        moment = stamp(self._now())
        with self.catalog.lock:
            layers = list(self._snapshot.layers)
            place = next((i for i, layer in enumerate(layers) if layer.id == id_), None)
            if place is None:
                raise _unavailable("layer", id_)
            layer = layers[place]
            layers[place] = parsing.topology_layer(
                TopologyLayer(
                    id_,
                    layer.enabled if enabled is None else enabled,
                    parsing.participation(layer.participation.to_json() | modes, what),
                    layer.adapter_ids if bound is None else bound,
                )
            )
            definition = replace(self._snapshot.definition, layers=tuple(layers))
            _check_adapters(layers[place], {adapter.id for adapter in self.catalog.snapshot().adapters})
            snapshot = self._put(definition, moment)
        self._listeners.notify(snapshot)
        return snapshot

    def subscribe(self, listener: Callable[[TopologySnapshot], Any]) -> Dispose:
        """Hear of every change after it happened, on the thread that made it; later generations may arrive earlier."""
        return self._listeners.subscribe(listener)

    def dispose(self) -> None:
        """Follow the catalog no longer; harmless when repeated."""
        self._unfollow()

    def _put(self, definition: TopologyDefinition, moment: str) -> TopologySnapshot:
        self._snapshot = _snapshot(definition, self._snapshot.generation + 1, self.catalog.generation, moment)
        self._picture = None
        return self._snapshot

    def _reconcile(self, moment: str) -> Callable[[], None]:
        snapshot = self._put(reconciled(self._snapshot.definition, self.catalog.snapshot()), moment)
        return lambda: self._listeners.notify(snapshot)


def reconciled(definition: TopologyDefinition, catalog: CatalogSnapshot) -> TopologyDefinition:
    """``definition`` brought in line with a changed catalog: gone layers and adapters leave it, new layers are
    appended as disabled candidates, and everything else stays."""
    layers = {layer.id for layer in catalog.layers}
    adapters = {adapter.id for adapter in catalog.adapters}
    kept = [
        layer
        if adapters.issuperset(layer.adapter_ids)
        else replace(layer, adapter_ids=tuple(id_ for id_ in layer.adapter_ids if id_ in adapters))
        for layer in definition.layers
        if layer.id in layers
    ]
    configured = {layer.id for layer in kept}
    kept += [TopologyLayer(layer.id) for layer in catalog.layers if layer.id not in configured]
    return replace(definition, layers=tuple(kept))


def restored(
    now: TopologyDefinition, before: TopologySnapshot, layer_ids: Collection[str], adapter_ids: Collection[str]
) -> TopologyDefinition:
    """``now`` with the entries of ``layer_ids``, the bindings of ``adapter_ids`` and the order of ``before``."""
    old = {layer.id: layer for layer in before.layers}
    places = {id_: place for place, id_ in enumerate(old)}
    layers: list[TopologyLayer] = []
    for layer in now.layers:
        known = old.get(layer.id)
        if known is None:
            layers.append(layer)
        elif layer.id in layer_ids:
            layers.append(parsing.topology_layer(known))
        else:
            bound = [id_ for id_ in known.adapter_ids if id_ in adapter_ids or id_ in layer.adapter_ids]
            bound += [id_ for id_ in layer.adapter_ids if id_ not in bound]
            layers.append(replace(layer, adapter_ids=tuple(bound)))
    layers.sort(key=lambda layer: places.get(layer.id, len(places)))
    return replace(now, layers=tuple(layers))


def check_available(definition: TopologyDefinition, catalog: CatalogSnapshot) -> None:
    """Raise KernelFailure ``strategy-unavailable``, ``layer-unavailable`` or ``adapter-unavailable`` for the first
    thing that the definition names and the catalog lacks."""
    if all(strategy.id != definition.strategy_id for strategy in catalog.strategies):
        raise _unavailable("strategy", definition.strategy_id)
    layers = {layer.id for layer in catalog.layers}
    adapters = {adapter.id for adapter in catalog.adapters}
    for layer in definition.layers:
        if layer.id not in layers:
            raise _unavailable("layer", layer.id)
    for layer in definition.layers:
        _check_adapters(layer, adapters)


def _check_adapters(layer: TopologyLayer, adapters: set[str]) -> None:
    for adapter_id in layer.adapter_ids:
        if adapter_id not in adapters:
            raise _unavailable("adapter", adapter_id)


def _unavailable(kind: str, id_: str) -> KernelFailure:
    return KernelFailure(
        f"{kind}-unavailable",
        f"there is no {kind} {id_}",
        hint=f"register the {kind} first, or take it out of the topology",
        details={"id": id_},
    )


def _snapshot(definition: TopologyDefinition, generation: int, catalog: int, moment: str) -> TopologySnapshot:
    return TopologySnapshot(definition.id, definition.strategy_id, definition.layers, generation, catalog, moment)
