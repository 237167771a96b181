"""The runtime graph of a config over its real stores: nothing reaches a store except through the kernel."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.config.backend_name import NATIVE, parse_backend
from zeroclaw_cli.errors import KernelFailure, NotSupported, ZeroclawError
from zeroclaw_cli.kernel.contracts import Layer, MemorySource, Strategy
from zeroclaw_cli.kernel.guards_shipped import NoAutomaticForget
from zeroclaw_cli.kernel.limits import BUILT_IN_LAYERS, DOCUMENTS, MEMORY_SPACES, RUNTIME
from zeroclaw_cli.kernel.receipt_log import ReceiptLog, receipts_path
from zeroclaw_cli.kernel.redaction import Secrets
from zeroclaw_cli.kernel.runtime import Parts, RuntimeGraph, build_graph
from zeroclaw_cli.kernel.strategies import strategies_path
from zeroclaw_cli.kernel.surface import Surface
from zeroclaw_cli.kernel.topology_config import PATH, ConfiguredTopology, read_topology
from zeroclaw_cli.kernel.trigger import trigger_of
from zeroclaw_cli.layers import stores
from zeroclaw_cli.layers.calls import Opened, entry_calls
from zeroclaw_cli.layers.document_calls import DocumentsPool, StandingMemory, document_calls, runtime_calls
from zeroclaw_cli.layers.memory import LayeredMemory
from zeroclaw_cli.layers.sources import (
    StandingSource,
    documents_source,
    entries_source,
    provider_source,
    spaces_source,
)
from zeroclaw_cli.layers.stores import Candidate
from zeroclaw_cli.memory.protocol import Memory

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.kernel.strategies.selection import Selection
    from zeroclaw_cli.wasm.host import HostOptions

OpenStore = Callable[["Config", str, "HostOptions"], Memory]
"""Opens one store by name; it refuses the layers themselves."""

TURN_VARIABLE: Final = "ZEROCLAW_TURN"


def open_layers(config: Config, options: HostOptions, open_store: OpenStore) -> LayeredMemory:
    """The layers of a config, for one command or host; nothing is opened before the first request.

    ``open_store`` opens one of their stores. Raises at the first use KernelFailure of the topology.
    """
    system = LayerSystem(config, options, open_store)
    return LayeredMemory(system.surface, system.close)


class LayerSystem:
    """The runtime graph of a config, built when it is first asked for something. Not for several threads at once.

    ``every``: what is installed and not in the topology is there too, as disabled candidates, and every card is true as
    to all that a store does.
    """

    def __init__(
        self,
        config: Config,
        options: HostOptions,
        open_store: OpenStore,
        environ: Mapping[str, str] | None = None,
        *,
        every: bool = False,
    ) -> None:
        env = os.environ if environ is None else environ
        self.config = config
        self.surface = Surface(
            self.graph,
            trigger_of(env),
            ReceiptLog(receipts_path(config.location.data_dir)),
            self._note_outcome,
        )
        self.configured: ConfiguredTopology | None = None
        """A topology in the place of the config's."""
        self.candidates: list[Candidate] = []
        self.standing: StandingSource | None = None
        self._options = options
        self._open_store = open_store
        self._every = every
        self._turn = env.get(TURN_VARIABLE) or uuid.uuid4().hex
        self._graph: RuntimeGraph | None = None
        self._asked_plugins = False
        self._selection: Selection | None = None

    def graph(self, capability: str = "status") -> RuntimeGraph:
        """The graph, whose cards are true as to ``capability``. Raises KernelFailure and StrategiesDamaged."""
        asks = self._every or capability in stores.OF_SOME_PLUGINS.values()
        if self._graph is None or (asks and not self._asked_plugins):
            if self._graph is not None:
                self._graph.close()
                self._graph = None
            self._graph = self._build(ask_plugins=asks)
            self._asked_plugins = asks
        return self._graph

    def close(self) -> None:
        """End what was opened. Raises NotDurable when a provider did not finish what it was given."""
        graph, self._graph = self._graph, None
        if graph is not None:
            graph.close()

    def _build(self, *, ask_plugins: bool) -> RuntimeGraph:
        configured = self.configured or read_topology(self.config.memory.topology)
        selection = self._select(configured.strategy_id)
        if selection is not None:
            configured = replace(configured, strategy_id=selection.ref.id)
        self.candidates = stores.candidates(self.config, configured, every=self._every)
        assembly = _Assembly(self, configured, selection, ask_plugins=ask_plugins)
        try:
            graph = build_graph(configured, assembly.parts(), self.config.memory.kernel, self.surface.keep)
        except KernelFailure as failure:
            assembly.close()
            raise stores.why_not(failure, self.candidates) from None
        except BaseException:
            assembly.close()
            raise
        for warning in (*graph.built.warnings, *assembly.warnings):
            self.surface.warn(warning)
        return graph

    def _select(self, strategy_id: str) -> Selection | None:
        """The promoted strategy that plans this turn; None where nothing was ever promoted."""
        data_dir = self.config.location.data_dir
        self._selection = None
        if strategies_path(data_dir).is_dir():
            from zeroclaw_cli.kernel.strategies.selection import active_strategy

            self._selection = active_strategy(data_dir, strategy_id, self._turn)
        return self._selection

    def _note_outcome(self, failed: bool) -> None:
        if self._selection is not None and self._selection.canary is not None:
            from zeroclaw_cli.kernel.strategies.selection import note_outcome

            reason = note_outcome(self.config.location.data_dir, self._selection, failed=failed)
            if reason is not None:
                self.surface.warn(reason)


class _Assembly:
    """The parts of a graph over the real stores, and what is opened of them."""

    def __init__(
        self, system: LayerSystem, configured: ConfiguredTopology, selection: Selection | None, *, ask_plugins: bool
    ) -> None:
        self._system = system
        self._config = system.config
        self._options = system._options
        self._configured = configured
        self._selection = selection
        self._ask_plugins = ask_plugins
        self._opened: list[Callable[[], None]] = [] if selection is None else [selection.close]
        self._stores: dict[str, Opened[Memory]] = {}
        self._secrets = Secrets()
        self.warnings: list[str] = []

    def close(self) -> None:
        """End everything; the first failure is raised when all were tried."""
        problems: list[BaseException] = []
        while self._opened:
            try:
                self._opened.pop()()
            except Exception as error:  # noqa: BLE001 - the others are ended all the same
                problems.append(error)
        if problems:
            raise problems[0]

    def parts(self) -> Parts:
        config = self._config
        usable = {found.id: found for found in self._system.candidates if found.reason is None}
        self._require_one_store()
        open_native = partial(self._system._open_store, config, NATIVE, self._options)
        max_wake = config.memory.kernel.max_wake_characters
        native = self._keep(Opened(open_native))
        pool = self._keep(Opened(lambda: DocumentsPool(open_native(), max_wake)))
        standing = self._keep(Opened(lambda: StandingMemory(DocumentsPool(open_native(), max_wake))))
        self._stores[NATIVE] = native
        source = self._system.standing = StandingSource(standing)
        bound = [found for id_, found in usable.items() if id_ in self._bound()]
        adapters = [stores.native_adapter()]
        adapters += [stores.adapter_of(found, self._does(found, asked=found in bound)) for found in usable.values()]
        spaces = self._spaces()
        own, sources, taking_part = self._own_layers(usable)
        serving = {
            id_: native if id_ == NATIVE else self._store(usable[id_]) for id_ in spaces if id_ in (NATIVE, *usable)
        }
        secrets = tuple(dict.fromkeys(_secrets(config, [*bound, *taking_part])))
        for secret in secrets:
            self._secrets.add(secret)
        by_adapter: dict[str | None, Opened[Memory]] = {None: native, **self._stores_of(bound), NATIVE: native}
        return Parts(
            executors={
                RUNTIME: runtime_calls(standing),
                DOCUMENTS: document_calls(pool),
                MEMORY_SPACES: entry_calls(by_adapter),
            },
            layers=own,
            adapters=tuple(adapters),
            strategies=self._strategies(),
            sources=(source, documents_source(pool), spaces_source(serving or {NATIVE: native}), *sources),
            guards=() if config.memory.kernel.automatic_forget else (NoAutomaticForget(),),
            secrets=secrets,
            entry_layers=(MEMORY_SPACES, *(layer.descriptor.id for layer in own)),
            close=self.close,
        )

    def _strategies(self) -> tuple[Strategy, ...]:
        found = None if self._selection is None else self._selection.strategy
        return () if found is None else (found,)

    def _keep(self, opened: Opened[Any]) -> Opened[Any]:
        self._opened.append(opened.close)
        return opened

    def _bound(self) -> set[str]:
        return {id_ for layer in self._configured.layers if layer.enabled for id_ in layer.adapter_ids}

    def _spaces(self) -> Sequence[str]:
        layer = self._configured.layer(MEMORY_SPACES)
        return () if layer is None else layer.adapter_ids

    def _stores_of(self, found: Sequence[Candidate]) -> dict[str | None, Opened[Memory]]:
        return {candidate.id: self._store(candidate) for candidate in found}

    def _store(self, candidate: Candidate) -> Opened[Memory]:
        store = self._stores.get(candidate.backend)
        if store is None:
            store = self._keep(Opened(partial(self._open, candidate)))
            self._stores[candidate.backend] = store
        return store

    def _open(self, candidate: Candidate) -> Memory:
        if candidate.problem is not None:
            raise NotSupported(f"{candidate.id} cannot be used: {candidate.problem}")
        return self._system._open_store(self._config, candidate.backend, self._options)

    def _does(self, candidate: Candidate, *, asked: bool) -> tuple[str, ...]:
        """What a store does; one that takes part is asked itself where its kind does not tell."""
        if not asked or (candidate.kind == "plugin" and not self._ask_plugins):
            return stores.capabilities(candidate, None)
        try:
            with self._store(candidate).use() as memory:
                return stores.capabilities(candidate, memory)
        except ZeroclawError:
            # Its steps will fail and say why.
            return stores.capabilities(candidate, None)

    def _require_one_store(self) -> None:
        for layer in self._configured.layers:
            if layer.enabled and layer.adapter_ids and layer.id != MEMORY_SPACES:
                raise KernelFailure(
                    "adapter-unavailable",
                    f"{PATH}.layers.{layer.id}.adapter_ids: the layer {layer.id} has one store, and no adapters",
                    hint=f"`zeroclaw config unset {PATH}.layers.{layer.id}.adapter_ids`; further stores are bound to "
                    f"{MEMORY_SPACES}",
                    details={"path": f"{PATH}.layers.{layer.id}.adapter_ids"},
                )

    def _own_layers(
        self, usable: Mapping[str, Candidate]
    ) -> tuple[tuple[Layer, ...], list[MemorySource], list[Candidate]]:
        """The layers that are stores of their own, their sources, and the stores."""
        chosen = self._chosen(usable)
        layers, sources = [], list[MemorySource]()
        for number, (id_, (candidate, enabled)) in enumerate(chosen.items()):
            does = self._does(candidate, asked=enabled)
            store = self._stores[NATIVE] if parse_backend(candidate.backend).is_native else self._store(candidate)
            descriptor = stores.layer_of(id_, candidate, does, number)
            layers.append(Layer(descriptor, entry_calls({None: store})))
            if enabled:
                self._warn_of_two(id_, store)
            if "project" in does:
                provider = candidate.kind == "provider"
                redact = self._secrets.redact
                sources.append(provider_source(id_, store, redact) if provider else entries_source(id_, store))
        return tuple(layers), sources, [candidate for candidate, _ in chosen.values()]

    def _chosen(self, usable: Mapping[str, Candidate]) -> dict[str, tuple[Candidate, bool]]:
        """The stores that are layers of their own, and whether they are enabled, by the layer's id: those of a
        ``backend``, then those of the same name."""
        chosen: dict[str, tuple[Candidate, bool]] = {}
        for layer in self._configured.layers:
            if layer.backend is None:
                continue
            if layer.id in BUILT_IN_LAYERS:
                raise KernelFailure(
                    "invalid-topology",
                    f"{PATH}.layers.{layer.id}.backend: a built-in layer is bound to nothing else",
                    hint=f"bind further stores with {PATH}.layers.{MEMORY_SPACES}.adapter_ids",
                    details={"id": layer.id, "path": f"{PATH}.layers.{layer.id}.backend"},
                )
            if not layer.enabled and not stores.can_be_bound(layer.backend):
                continue
            candidate = stores.bound_candidate(layer.id, layer.backend, self._system.candidates)
            if candidate.problem is not None and layer.enabled:
                raise KernelFailure(
                    "layer-unavailable",
                    f"{PATH}.layers.{layer.id}: {layer.backend} cannot be used: {candidate.problem}",
                    hint=f"`zeroclaw memory layers disable {layer.id}` keeps the settings",
                    details={"id": layer.id, "path": f"{PATH}.layers.{layer.id}", "backend": layer.backend},
                )
            if candidate.missing:
                continue
            chosen[layer.id] = (candidate, layer.enabled)
        for id_, candidate in usable.items():
            configured = self._configured.layer(id_)
            if id_ not in BUILT_IN_LAYERS:
                chosen.setdefault(id_, (candidate, configured is not None and configured.enabled))
        return chosen

    def _warn_of_two(self, layer_id: str, store: Opened[Memory]) -> None:
        spaces = self._configured.layer(MEMORY_SPACES)
        if spaces is not None and not spaces.enabled:
            return
        for id_ in self._spaces() or (NATIVE,):
            backend = (
                NATIVE
                if id_ == NATIVE
                else next(
                    (found.backend for found in self._system.candidates if found.id == id_ and found.reason is None),
                    None,
                )
            )
            if backend is not None and self._stores.get(backend) is store:
                self.warnings.append(
                    f"what {backend} holds is found and counted twice: {layer_id} and {MEMORY_SPACES} both have it; "
                    f"`zeroclaw memory layers disable {layer_id}` leaves one"
                )


def _secrets(config: Config, found: Sequence[Candidate]) -> list[str]:
    """Values that no error text of a receipt may show: those of the environment file where a provider takes part."""
    if all(candidate.kind != "provider" for candidate in found):
        return []
    from zeroclaw_cli.providers import env_file
    from zeroclaw_cli.providers.redaction import secrets_of

    try:
        return [value for value in secrets_of(env_file.read(config.location.config_dir)) if value]
    except ZeroclawError:
        return []
