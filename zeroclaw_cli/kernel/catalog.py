"""What is registered: layers, adapters and strategies (specs/memory-kernel.md §5, §6)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import RLock
from typing import Any, Final, Generic, TypeAlias, TypeVar

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import parsing
from zeroclaw_cli.kernel.clock import stamp, utc_now
from zeroclaw_cli.kernel.components import (
    AdapterDescriptor,
    CatalogSnapshot,
    LayerDescriptor,
    StrategyContext,
    StrategyDescriptor,
)
from zeroclaw_cli.kernel.contracts import Dispose
from zeroclaw_cli.kernel.operations import Request
from zeroclaw_cli.kernel.roles import Executor, Layer, Strategy

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")

Moment: TypeAlias = Callable[[], str]
Reconcile: TypeAlias = Callable[[str], Callable[[], None]]
"""Brings a topology up to date at a moment, under the lock, and gives what to call when the lock is free again."""


@dataclass(frozen=True, slots=True)
class RegisteredStrategy:
    """A strategy whose callable was captured when it was registered."""

    descriptor: StrategyDescriptor
    propose: Callable[[Request, StrategyContext], Any]


class Listeners(Generic[T]):
    """Callables that hear of changes, outside every lock. One that raises is logged and the rest are still called."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._listeners: dict[object, Callable[[T], Any]] = {}

    def subscribe(self, listener: Callable[[T], Any]) -> Dispose:
        key = object()
        with self._lock:
            self._listeners[key] = listener

        def dispose() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return dispose

    def notify(self, value: T) -> None:
        with self._lock:
            listeners = tuple(self._listeners.values())
        for listener in listeners:
            try:
                listener(value)
            except KeyboardInterrupt:
                raise
            except BaseException:  # noqa: BLE001 - what a listener does is its own affair
                _log.exception("a listener failed")


class Registrations(Generic[T]):
    """One namespace of components by id. The caller holds the lock."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._items: dict[str, tuple[object, T]] = {}

    def add(self, id_: str, item: T) -> object:
        """Add under a free id and give the mark that removes exactly this registration."""
        if id_ in self._items:
            raise duplicate(self._what, id_)
        mark = object()
        self._items[id_] = (mark, item)
        return mark

    def remove(self, id_: str, mark: object) -> bool:
        """Remove the registration that ``mark`` belongs to; False when it is gone, whoever has the id now."""
        found = self._items.get(id_)
        if found is None or found[0] is not mark:
            return False
        del self._items[id_]
        return True

    def get(self, id_: str) -> T | None:
        found = self._items.get(id_)
        return None if found is None else found[1]

    def values(self) -> list[T]:
        return [item for _, item in self._items.values()]


def duplicate(kind: str, id_: str) -> KernelFailure:
    """The error for an id that another component of its kind has."""
    return KernelFailure(
        "duplicate-id",
        f"there is already {'an' if kind[0] in 'ae' else 'a'} {kind} {id_}",
        hint="unload the other one, or use another id",
        details={"id": id_, "kind": kind},
    )


def registered_layer(layer: Layer | LayerDescriptor | Mapping[str, Any], execute: Executor | None = None) -> Layer:
    """``layer`` checked, with ``execute`` or else its own of this moment. Raises KernelFailure ``invalid-id``,
    ``invalid-descriptor`` or ``json-unsafe``, as :func:`registered_strategy` does."""
    described: Any = layer
    if not isinstance(layer, LayerDescriptor | Mapping):
        described = getattr(layer, "descriptor", layer)
        execute = execute if execute is not None else getattr(layer, "execute", None)
    descriptor = parsing.layer_descriptor(described)
    if execute is not None and not callable(execute):
        raise KernelFailure("invalid-descriptor", f"execute of layer {descriptor.id} cannot be called")
    return Layer(descriptor, execute)


def registered_strategy(strategy: Strategy) -> RegisteredStrategy:
    """``strategy`` checked, its ``propose`` captured."""
    descriptor = parsing.strategy_descriptor(getattr(strategy, "descriptor", None) or {})
    propose = getattr(strategy, "propose", None)
    if not callable(propose):
        raise KernelFailure("invalid-descriptor", f"strategy {descriptor.id} has no propose")
    return RegisteredStrategy(descriptor, propose)


class MemoryCatalog:
    """The registered components of one runtime graph. Thread-safe.

    ``lock`` also guards the topology built on this catalog, so that both are seen as of one moment. Nothing foreign is
    called while it is held.
    """

    def __init__(self) -> None:
        self.lock: Final = RLock()
        self._generation = 0
        self._layers: Registrations[Layer] = Registrations("layer")
        self._adapters: Registrations[AdapterDescriptor] = Registrations("adapter")
        self._strategies: Registrations[RegisteredStrategy] = Registrations("strategy")
        self._snapshot: CatalogSnapshot | None = None
        self._listeners: Listeners[CatalogSnapshot] = Listeners()
        self._followers: dict[object, tuple[Reconcile, Moment]] = {}

    def register_layer(
        self, layer: Layer | LayerDescriptor | Mapping[str, Any], execute: Executor | None = None
    ) -> Dispose:
        """Register a layer, with its executor if it has one. Raises KernelFailure ``duplicate-id``, ``invalid-id``,
        ``invalid-descriptor`` or ``json-unsafe``."""
        found = registered_layer(layer, execute)
        return self._register(self._layers, found.descriptor.id, found)

    def register_adapter(self, adapter: AdapterDescriptor | Mapping[str, Any]) -> Dispose:
        """Register the card of an outside store. Raises as :meth:`register_layer`."""
        descriptor = parsing.adapter_descriptor(getattr(adapter, "descriptor", adapter))
        return self._register(self._adapters, descriptor.id, descriptor)

    def register_strategy(self, strategy: Strategy) -> Dispose:
        """Register a strategy with its ``propose`` of this moment. Raises as :meth:`register_layer`."""
        found = registered_strategy(strategy)
        return self._register(self._strategies, found.descriptor.id, found)

    def layer(self, id_: str) -> Layer | None:
        with self.lock:
            return self._layers.get(id_)

    def adapter(self, id_: str) -> AdapterDescriptor | None:
        with self.lock:
            return self._adapters.get(id_)

    def strategy(self, id_: str) -> RegisteredStrategy | None:
        with self.lock:
            return self._strategies.get(id_)

    @property
    def generation(self) -> int:
        with self.lock:
            return self._generation

    def snapshot(self) -> CatalogSnapshot:
        """What is registered now: layers by (order, id), the others by id."""
        with self.lock:
            if self._snapshot is None:
                self._snapshot = CatalogSnapshot(
                    self._generation,
                    tuple(sorted((item.descriptor for item in self._layers.values()), key=lambda d: (d.order, d.id))),
                    tuple(sorted(self._adapters.values(), key=lambda d: d.id)),
                    tuple(sorted((item.descriptor for item in self._strategies.values()), key=lambda d: d.id)),
                )
            return self._snapshot

    def subscribe(self, listener: Callable[[CatalogSnapshot], Any]) -> Dispose:
        """Hear of every change after it happened, on the thread that made it; later generations may arrive earlier."""
        return self._listeners.subscribe(listener)

    def follow(self, reconcile: Reconcile, now: Moment) -> Dispose:
        """For a topology of this catalog: ``reconcile`` runs at every change; ``now`` gives the time as text, and is
        asked before the lock is taken and anything changed."""
        key = object()
        with self.lock:
            self._followers[key] = (reconcile, now)

        def dispose() -> None:
            with self.lock:
                self._followers.pop(key, None)

        return dispose

    def _register(self, registrations: Registrations[T], id_: str, item: T) -> Dispose:
        moments = self._moments()
        with self.lock:
            mark = registrations.add(id_, item)
            announce = self._changed(moments)

        def dispose() -> None:
            moments = self._moments()
            with self.lock:
                if not registrations.remove(id_, mark):
                    return
                announce = self._changed(moments)
            announce()

        try:
            announce()
        except BaseException:
            # Nobody would ever get the disposer.
            dispose()
            raise
        return dispose

    def _moments(self) -> dict[object, str]:
        with self.lock:
            followers = list(self._followers.items())
        return {key: now() for key, (_, now) in followers}

    def _changed(self, moments: Mapping[object, str]) -> Callable[[], None]:
        """Advance the generation and bring the topologies along; what is returned tells the listeners."""
        self._generation += 1
        self._snapshot = None
        followers = [reconcile(moments.get(key) or stamp(utc_now())) for key, (reconcile, _) in self._followers.items()]
        snapshot = self.snapshot()

        def announce() -> None:
            self._listeners.notify(snapshot)
            for follower in followers:
                follower()

        return announce
