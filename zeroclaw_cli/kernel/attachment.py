"""One runtime graph as extensions are applied to it and taken out of it (specs/memory-kernel.md §13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import parsing
from zeroclaw_cli.kernel.catalog import MemoryCatalog, RegisteredStrategy, registered_layer, registered_strategy
from zeroclaw_cli.kernel.components import (
    AdapterDescriptor,
    ExtensionDescriptor,
)
from zeroclaw_cli.kernel.contracts import Dispose
from zeroclaw_cli.kernel.kernel import MemoryKernel
from zeroclaw_cli.kernel.planning import RegisteredGuard, registered_guard
from zeroclaw_cli.kernel.roles import Layer, MemoryExtension
from zeroclaw_cli.kernel.sources import RegisteredSource, registered_source
from zeroclaw_cli.kernel.turn_views import TurnViewManager

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Extension:
    """An extension as it was when it was registered, its callables captured."""

    descriptor: ExtensionDescriptor
    layers: tuple[Layer, ...]
    adapters: tuple[AdapterDescriptor, ...]
    strategies: tuple[RegisteredStrategy, ...]
    guards: tuple[RegisteredGuard, ...]
    sources: tuple[RegisteredSource, ...]

    @property
    def id(self) -> str:
        return self.descriptor.id

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """The namespace and id of each component."""
        return (
            *(("layer", layer.descriptor.id) for layer in self.layers),
            *(("adapter", adapter.id) for adapter in self.adapters),
            *(("strategy", strategy.descriptor.id) for strategy in self.strategies),
            *(("guard", guard.id) for guard in self.guards),
            *(("source", source.layer_id) for source in self.sources),
        )


def captured(extension: MemoryExtension) -> Extension:
    """``extension`` checked and captured. Raises KernelFailure ``invalid-id``, ``invalid-descriptor`` or
    ``json-unsafe``."""
    descriptor = parsing.extension_descriptor(getattr(extension, "descriptor", None) or {})

    def each(name: str, capture: Callable[[Any], T]) -> tuple[T, ...]:
        found = getattr(extension, name, ())
        if not isinstance(found, tuple | list):
            raise KernelFailure("invalid-descriptor", f"{name} of extension {descriptor.id} must be a tuple")
        return tuple(capture(item) for item in found)

    return Extension(
        descriptor,
        each("layers", registered_layer),
        each("adapters", parsing.adapter_descriptor),
        each("strategies", registered_strategy),
        each("guards", registered_guard),
        each("sources", registered_source),
    )


class _Applied:
    """The registrations of one extension in one graph, undone from the last to the first."""

    def __init__(self) -> None:
        self._disposers: list[Dispose] = []

    def __len__(self) -> int:
        return len(self._disposers)

    def add(self, dispose: Dispose) -> None:
        self._disposers.append(dispose)

    def undo(self) -> None:
        """Undo all. What cannot be undone stays for another try, and its errors are raised when the rest is undone."""
        failures: list[BaseException] = []
        stuck: list[Dispose] = []
        while self._disposers:
            dispose = self._disposers.pop()
            try:
                dispose()
            except BaseException as error:  # noqa: BLE001 - the others are undone all the same
                failures.append(error)
                stuck.append(dispose)
        self._disposers = stuck[::-1]
        if len(failures) == 1:
            raise failures[0]
        if failures:
            raise BaseExceptionGroup("several components could not be removed", failures)


class GraphAttachment:
    """A runtime graph that gets every extension. Made by ``MemoryBoot.attach``.

    ``bind_kernel`` and then ``bind_turn_views`` complete it. A bind that fails ends the attachment, with nothing of
    any extension left in the graph. ``release`` retires it: it gets no more changes, and its registrations stay until
    ``dispose`` for what is pinned to it.
    """

    def __init__(
        self,
        catalog: MemoryCatalog,
        extensions: Iterable[Extension],
        change: Callable[[], AbstractContextManager[None]],
        detach: Callable[[GraphAttachment], None],
    ) -> None:
        self.catalog = catalog
        self._change = change
        self._detach = detach
        self._kernel: MemoryKernel | None = None
        self._views: TurnViewManager | None = None
        self._applied: dict[Extension, _Applied] = {}
        self._live = True
        try:
            for extension in extensions:
                self.apply(extension)
        except BaseException as error:
            self._clear(error)
            raise

    @property
    def live(self) -> bool:
        """Whether changes of extensions reach the graph."""
        return self._live

    @property
    def complete(self) -> bool:
        """Whether kernel and turn views are bound."""
        return self._views is not None

    def bind_kernel(self, kernel: MemoryKernel) -> None:
        """Register the guards of every extension. Raises KernelFailure ``already-bound``, ``attachment-released`` or
        ``duplicate-id``; ValueError for the kernel of another catalog."""
        with self._change():
            self._require_unbound(self._kernel, "kernel")
            if kernel.catalog is not self.catalog:
                raise ValueError("the kernel belongs to another catalog")
            self._kernel = kernel
            self._bind(_guards)

    def bind_turn_views(self, views: TurnViewManager) -> None:
        """Register the sources of every extension and see that no layer lacks one. Raises as :meth:`bind_kernel`, and
        KernelFailure ``layer-unavailable`` or ``source-missing``; ValueError for the views of another kernel."""
        with self._change():
            self._require_unbound(self._views, "turn views")
            if views.kernel is not self._kernel:
                raise ValueError("bind the kernel of these turn views first")
            self._views = views
            self._bind(_sources)

    def release(self) -> None:
        """Keep the graph as it is from now on; harmless when repeated."""
        with self._change():
            self._live = False

    def dispose(self) -> None:
        """Take every extension out of the graph and let go of it; harmless when repeated."""
        with self._change():
            self._clear(None)

    # For MemoryBoot, inside a change

    def apply(self, extension: Extension) -> None:
        """All of ``extension`` that the graph has a place for, or nothing."""
        applied = self._applied[extension] = _Applied()
        try:
            for phase in (_components, _guards, _sources):
                phase(self, extension, applied)
        except BaseException as error:
            undo_all(error, f"undoing extension {extension.id}", [lambda: self.remove(extension)])
            raise

    def remove(self, extension: Extension) -> None:
        applied = self._applied.get(extension)
        if applied is not None:
            applied.undo()
            del self._applied[extension]

    def require_sources(self) -> None:
        """Raise KernelFailure ``source-missing`` unless every layer that needs a source has one; nothing is asked of
        a graph that is being built."""
        if self._views is not None:
            self._views.assert_sources_ready()

    def remembered(self, extension: Extension) -> Callable[[], None]:
        """What puts ``extension`` back, with the topology entries and bindings that it has now."""
        topology = None if self._kernel is None else self._kernel.topology
        before = None if topology is None else topology.snapshot()
        count = len(self._applied.get(extension, ()))

        def restore() -> None:
            if len(self._applied.get(extension, ())) == count:
                return
            # What is left of a removal that failed goes first.
            self.remove(extension)
            self.apply(extension)
            if topology is not None and before is not None:
                topology.restore(
                    before,
                    layer_ids={layer.descriptor.id for layer in extension.layers},
                    adapter_ids={adapter.id for adapter in extension.adapters},
                )

        return restore

    # Inside

    def _bind(self, phase: Callable[[GraphAttachment, Extension, _Applied], None]) -> None:
        try:
            for extension, applied in self._applied.items():
                phase(self, extension, applied)
            self.require_sources()
        except BaseException as error:
            self._clear(error)
            raise

    def _clear(self, error: BaseException | None) -> None:
        self._live = False
        self._detach(self)
        undo_all(error, "taking the extensions out", [partial(self.remove, known) for known in reversed(self._applied)])

    def _require_unbound(self, bound: object, what: str) -> None:
        if not self._live:
            raise KernelFailure(
                "attachment-released", f"the graph is retired; its {what} cannot be bound", hint="attach a new graph"
            )
        if bound is not None:
            raise KernelFailure("already-bound", f"the {what} of the graph is bound already", hint="attach a new graph")

    @property
    def kernel(self) -> MemoryKernel | None:
        return self._kernel

    @property
    def views(self) -> TurnViewManager | None:
        return self._views


def _components(graph: GraphAttachment, extension: Extension, applied: _Applied) -> None:
    for layer in extension.layers:
        applied.add(graph.catalog.register_layer(layer))
    for adapter in extension.adapters:
        applied.add(graph.catalog.register_adapter(adapter))
    for strategy in extension.strategies:
        applied.add(graph.catalog.register_strategy(strategy))


def _guards(graph: GraphAttachment, extension: Extension, applied: _Applied) -> None:
    if graph.kernel is not None:
        for guard in extension.guards:
            applied.add(graph.kernel.register_guard(guard))


def _sources(graph: GraphAttachment, extension: Extension, applied: _Applied) -> None:
    if graph.views is None:
        return
    for source in extension.sources:
        if graph.catalog.layer(source.layer_id) is None:
            raise KernelFailure(
                "layer-unavailable",
                f"extension {extension.id} has a source for layer {source.layer_id}, which is not registered",
                hint="ship the layer in the same extension, or register its extension first",
                details={"id": source.layer_id, "extensionId": extension.id},
            )
        applied.add(graph.views.register_source(source))


def undo_all(error: BaseException | None, what: str, steps: Iterable[Callable[[], None]]) -> None:
    """Run every step. Raises a group of ``error`` and of what the steps raised, if any did."""
    failures: list[BaseException] = []
    for step in steps:
        try:
            step()
        except BaseException as failure:  # noqa: BLE001 - the others are undone all the same
            failures.append(failure)
    if failures:
        raise BaseExceptionGroup(f"{what} failed", failures if error is None else [error, *failures])
