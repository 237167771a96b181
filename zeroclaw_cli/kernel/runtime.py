"""A runtime graph put together: catalog, topology, kernel and turn views (specs/memory-kernel.md §1, §16).

What executes, what is projected and what is installed beside the default system is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from zeroclaw_cli.config.model import KernelSettings
from zeroclaw_cli.errors import LossWarning, ZeroclawError
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.components import AdapterDescriptor
from zeroclaw_cli.kernel.default_system import default_three_tier
from zeroclaw_cli.kernel.kernel import MemoryKernel
from zeroclaw_cli.kernel.operations import PlanStep, Receipt
from zeroclaw_cli.kernel.roles import ExecutionContext, Executor, Guard, Layer, PromptHost, ReceiptSink, Strategy
from zeroclaw_cli.kernel.topology import TopologyManager
from zeroclaw_cli.kernel.topology_config import Built, ConfiguredTopology, build_topology, require_sources
from zeroclaw_cli.kernel.views import MemorySource

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.turn_views import TurnViewManager


@dataclass(frozen=True, slots=True)
class Parts:
    """What a graph is made of beside the default layers and their strategy. ``executors`` are theirs, by layer id;
    ``entry_layers`` are the layers that keep entries, in the order in which they are asked."""

    executors: Mapping[str, Executor] = field(default_factory=dict)
    layers: tuple[Layer, ...] = ()
    adapters: tuple[AdapterDescriptor, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    sources: tuple[MemorySource, ...] = ()
    guards: tuple[Guard, ...] = ()
    secrets: tuple[str, ...] = ()
    entry_layers: tuple[str, ...] = ()
    close: Callable[[], None] = lambda: None


class RuntimeGraph:
    """A graph that serves. ``failures`` holds the errors of executors by step id until they are taken, ``told`` what
    executors warned of beside their outputs."""

    def __init__(
        self,
        kernel: MemoryKernel,
        built: Built,
        parts: Parts,
        settings: KernelSettings,
        failures: dict[str, ZeroclawError],
        told: list[str],
    ) -> None:
        self.kernel = kernel
        self.catalog = kernel.catalog
        self.topology = kernel.topology
        self.built = built
        self.entry_layers = parts.entry_layers
        self.failures = failures
        self._told = told
        self._parts = parts
        self._settings = settings
        self._views: TurnViewManager | None = None

    @property
    def views(self) -> TurnViewManager:
        """The turn views, which the first look makes."""
        if self._views is None:
            from zeroclaw_cli.kernel.turn_views import TurnViewManager

            self._views = TurnViewManager(
                self.kernel,
                self._parts.sources,
                max_views=self._settings.max_views,
                max_wake_characters=self._settings.max_wake_characters,
                max_cover_characters=self._settings.max_cover_characters,
                snapshot_timeout_ms=self._settings.default_timeout_ms,
            )
        return self._views

    @property
    def prompt_host(self) -> PromptHost | None:
        """Who decides what of the layers' answers may enter a prompt; None where no executor does."""
        return next((execute for execute in self._parts.executors.values() if isinstance(execute, PromptHost)), None)

    def take_warnings(self) -> list[str]:
        """What executors and sources warned of beside what they gave, without secrets; each line once."""
        told = self._told[:]
        # A step that was given up may still add to it.
        del self._told[: len(told)]
        for source in self._parts.sources:
            take: Callable[[], list[str]] | None = getattr(source, "take_warnings", None)
            told += [] if take is None else take()
        return [self.redacted(line) for line in dict.fromkeys(told)]

    def redacted(self, line: str) -> str:
        """A warning without secrets; one of a loss or of damage stays one."""
        kind = type(line) if isinstance(line, LossWarning) else str
        return kind(self.kernel.redact(line))

    def heard(self, receipt: Receipt) -> None:
        """Let the next turn view see what ``receipt`` changed."""
        if self._views is not None:
            self._views.apply(receipt)

    def close(self) -> None:
        self.topology.dispose()
        self._parts.close()


def build_graph(
    configured: ConfiguredTopology,
    parts: Parts,
    settings: KernelSettings = KernelSettings(),  # noqa: B008 - a frozen value
    receipt_sink: ReceiptSink | None = None,
) -> RuntimeGraph:
    """A graph of ``configured`` and ``parts``. Raises KernelFailure for a component that cannot be registered, for a
    topology that names what is not there, and ``source-missing``."""
    failures: dict[str, ZeroclawError] = {}
    told: list[str] = []
    catalog = MemoryCatalog()
    default_three_tier(catalog, {id_: _keeping(execute, failures, told) for id_, execute in parts.executors.items()})
    for layer in parts.layers:
        execute = None if layer.execute is None else _keeping(layer.execute, failures, told)
        catalog.register_layer(Layer(layer.descriptor, execute))
    for adapter in parts.adapters:
        catalog.register_adapter(adapter)
    for strategy in parts.strategies:
        catalog.register_strategy(strategy)
    snapshot = catalog.snapshot()
    built = build_topology(configured, snapshot)
    require_sources(built.definition, snapshot.layers, (source.layer_id for source in parts.sources))
    topology = TopologyManager(catalog, built.definition)
    kernel = MemoryKernel(catalog, topology, receipt_sink=receipt_sink, default_timeout_ms=settings.default_timeout_ms)
    for secret in parts.secrets:
        kernel.register_secret(secret)
    for guard in parts.guards:
        kernel.register_guard(guard)
    return RuntimeGraph(kernel, built, parts, settings, failures, told)


def _keeping(execute: Executor, failures: dict[str, ZeroclawError], told: list[str]) -> Executor:
    """``execute``, whose own errors and warnings are kept: a receipt has the text of an error, and a command wants its
    exit code and hint."""

    def run(step: PlanStep, context: ExecutionContext) -> object:
        try:
            return execute(step, replace(context, warn=told.append))
        except ZeroclawError as error:
            failures[step.id] = error
            raise

    return run
