"""Extensions, applied to every live runtime graph or to none (specs/memory-kernel.md §13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Condition, get_ident
from typing import Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.attachment import Extension, GraphAttachment, captured, undo_all
from zeroclaw_cli.kernel.catalog import MemoryCatalog, duplicate
from zeroclaw_cli.kernel.components import ExtensionDescriptor
from zeroclaw_cli.kernel.contracts import Dispose
from zeroclaw_cli.kernel.roles import MemoryExtension

_PATIENCE_S: Final = 30.0


class MemoryBoot:
    """The extension host. One change at a time; a listener that wants another from inside one is refused."""

    def __init__(self) -> None:
        # Not held during a change, which calls the clocks and listeners of the graphs.
        self._idle = Condition()
        self._changing: int | None = None
        self._extensions: dict[str, Extension] = {}
        self._graphs: list[GraphAttachment] = []

    def register(self, extension: MemoryExtension) -> Dispose:
        """Apply ``extension`` to every live graph and to those that come; what is returned unloads it again.

        Whatever fails leaves every graph with the components it had. Raises KernelFailure ``duplicate-id``,
        ``invalid-id``, ``invalid-descriptor``, ``json-unsafe``, ``layer-unavailable`` for a source without its layer,
        ``source-missing`` or ``boot-busy``; an ExceptionGroup when undoing failed too.

        Unloading raises KernelFailure ``layer-unavailable`` when another extension has a source for one of its layers,
        and ``source-missing`` when a graph would be left without a source that it needs; then the extension is in
        every graph as before, and unloading can be tried again. After it succeeded it does nothing.
        """
        found = captured(extension)
        with self._change():
            self._refuse_duplicates(found)
            applied: list[GraphAttachment] = []
            try:
                for graph in self._live():
                    graph.apply(found)
                    applied.append(graph)
                    graph.require_sources()
            except BaseException as error:
                undo_all(
                    error,
                    f"undoing extension {found.id}",
                    [partial(graph.remove, found) for graph in reversed(applied)],
                )
                raise
            with self._idle:
                self._extensions[found.id] = found

        def dispose() -> None:
            with self._change():
                if self._extensions.get(found.id) is found:
                    self._unload(found)

        return dispose

    def attach(self, catalog: MemoryCatalog) -> GraphAttachment:
        """Apply the layers, adapters and strategies of every extension to the catalog of a new graph.

        Guards and sources follow when the graph's kernel and turn views are bound. Raises as :meth:`register`, with
        nothing left in the catalog; ValueError for a catalog that is attached already.
        """
        with self._change():
            if any(graph.catalog is catalog for graph in self._graphs):
                raise ValueError("the catalog is attached already")
            graph = GraphAttachment(catalog, tuple(self._extensions.values()), self._change, self._detach)
            self._graphs.append(graph)
            return graph

    def descriptors(self) -> tuple[ExtensionDescriptor, ...]:
        """What is registered, in the order of registration."""
        with self._idle:
            return tuple(extension.descriptor for extension in self._extensions.values())

    def _unload(self, extension: Extension) -> None:
        self._refuse_dependants(extension)
        touched: list[Callable[[], None]] = []
        try:
            for graph in self._live():
                touched.append(graph.remembered(extension))
                graph.remove(extension)
                graph.require_sources()
        except BaseException as error:
            undo_all(error, f"restoring extension {extension.id}", reversed(touched))
            raise
        with self._idle:
            del self._extensions[extension.id]

    def _live(self) -> list[GraphAttachment]:
        # Those that are being built last: they refuse nothing, so that a refusal finds them untouched.
        return sorted((graph for graph in self._graphs if graph.live), key=lambda graph: not graph.complete)

    def _detach(self, graph: GraphAttachment) -> None:
        self._graphs = [known for known in self._graphs if known is not graph]

    def _refuse_duplicates(self, found: Extension) -> None:
        known = [("extension", id_) for id_ in self._extensions]
        known += [name for extension in self._extensions.values() for name in extension.names]
        for kind, id_ in (("extension", found.id), *found.names):
            if (kind, id_) in known:
                raise duplicate(kind, id_)
            known.append((kind, id_))

    def _refuse_dependants(self, going: Extension) -> None:
        """Without the layers of ``going`` no graph could be built that the sources of others are bound in."""
        layers = {layer.descriptor.id for layer in going.layers}
        dependants = {
            extension.id: lost
            for extension in self._extensions.values()
            if extension is not going
            and (lost := [source.layer_id for source in extension.sources if source.layer_id in layers])
        }
        if dependants:
            told = "; ".join(f"extension {id_} has a source for {', '.join(lost)}" for id_, lost in dependants.items())
            raise KernelFailure(
                "layer-unavailable",
                f"extension {going.id} cannot be unloaded: {told}",
                hint=f"unload first: {', '.join(dependants)}",
                details={"extensionId": going.id, "dependants": list(dependants)},
            )

    @contextmanager
    def _change(self) -> Iterator[None]:
        with self._idle:
            if self._changing == get_ident():
                raise KernelFailure(
                    "boot-busy",
                    "extensions cannot be changed from inside such a change",
                    hint="do it when the change is over",
                )
            if not self._idle.wait_for(lambda: self._changing is None, _PATIENCE_S):
                raise KernelFailure(
                    "boot-busy",
                    "another change of extensions did not end",
                    hint="a listener or a clock that waits for another change holds it up",
                )
            self._changing = get_ident()
        try:
            yield
        finally:
            with self._idle:
                self._changing = None
                self._idle.notify()
