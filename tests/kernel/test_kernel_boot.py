from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.kernel.graphs import (
    TEST_STRATEGY,
    Clock,
    FunctionGuard,
    FunctionStrategy,
    adapter_descriptor,
    asking,
    layer_descriptor,
    one_step_each,
)
from tests.kernel.viewing import TextSource, extension_descriptor
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.boot import MemoryBoot
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.contracts import (
    Dispose,
    Layer,
    MemoryExtension,
    Participation,
    TopologyDefinition,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.kernel import MemoryKernel
from zeroclaw_cli.kernel.topology import TopologyManager
from zeroclaw_cli.kernel.turn_views import TurnViewManager

AUTOMATIC = Participation.all("automatic")


class FailingClock(Clock):
    """Raises from the look on that ``fail_after`` more looks lead to, for ``times`` looks."""

    def __init__(self) -> None:
        super().__init__()
        self.fail_after: int | None = None
        self.times = 0

    def __call__(self) -> datetime:
        if self.fail_after is not None:
            if self.fail_after <= 0 and self.times > 0:
                self.times -= 1
                raise OSError("the clock stopped")
            self.fail_after -= 1
        return super().__call__()

    def fail(self, after: int = 0, times: int = 1_000) -> None:
        self.fail_after, self.times = after, times


class Built:
    """A graph with one own layer ``base``, which has no source to need, and everything bound to ``boot``."""

    def __init__(self, boot: MemoryBoot, *layers: TopologyLayer) -> None:
        self.clock = FailingClock()
        self.catalog = MemoryCatalog()
        self.catalog.register_layer(Layer(layer_descriptor("base", ("recall", "write")), lambda step, context: {}))
        self.catalog.register_strategy(FunctionStrategy(one_step_each))
        self.attachment = boot.attach(self.catalog)
        definition = TopologyDefinition("built", "test-strategy", (TopologyLayer("base", True, AUTOMATIC), *layers))
        self.topology = TopologyManager(self.catalog, definition, now=self.clock)
        self.kernel = MemoryKernel(self.catalog, self.topology, now=self.clock)
        self.attachment.bind_kernel(self.kernel)
        self.views = TurnViewManager(self.kernel, now=self.clock)
        self.attachment.bind_turn_views(self.views)

    def components(self) -> dict[str, list[str]]:
        return components(self.catalog, self.kernel, self.views)

    def entries(self) -> dict[str, TopologyLayer]:
        return {layer.id: layer for layer in self.topology.snapshot().layers}

    def order(self) -> list[str]:
        return list(self.entries())


def components(
    catalog: MemoryCatalog, kernel: MemoryKernel | None = None, views: TurnViewManager | None = None
) -> dict[str, list[str]]:
    found = catalog.snapshot()
    return {
        "layers": sorted(layer.id for layer in found.layers),
        "adapters": sorted(adapter.id for adapter in found.adapters),
        "strategies": sorted(strategy.id for strategy in found.strategies),
        "guards": [] if kernel is None else [guard.id for guard in kernel._guards.values()],
        "sources": [] if views is None else sorted(source.layer_id for source in views._sources.values()),
    }


BASE: dict[str, list[str]] = {
    "layers": ["base"],
    "adapters": [],
    "strategies": ["test-strategy"],
    "guards": [],
    "sources": [],
}


def extension(id_: str = "notes", **changes: Any) -> MemoryExtension:
    """An extension with one component of each kind, all named after it."""
    found = MemoryExtension(
        extension_descriptor(id_),
        (Layer(layer_descriptor(id_), lambda step, context: {"from": id_}),),
        (adapter_descriptor(f"{id_}-store"),),
        (FunctionStrategy(one_step_each, replace(TEST_STRATEGY, id=f"{id_}-strategy")),),
        (TextSource(id_),),
        (FunctionGuard(f"{id_}-guard"),),
    )
    return replace(found, **changes)


def whole(id_: str = "notes") -> dict[str, list[str]]:
    return {
        "layers": sorted(["base", id_]),
        "adapters": [f"{id_}-store"],
        "strategies": sorted([f"{id_}-strategy", "test-strategy"]),
        "guards": [f"{id_}-guard"],
        "sources": [id_],
    }


def code_of(action: Callable[[], Any]) -> str:
    with pytest.raises(KernelFailure) as caught:
        action()
    return caught.value.code


# Registering


def test_an_extension_is_applied_to_every_live_graph_and_unloaded_from_every_one() -> None:
    boot = MemoryBoot()
    graphs = [Built(boot) for _ in range(3)]
    dispose = boot.register(extension())
    assert [graph.components() for graph in graphs] == [whole()] * 3
    assert [found.id for found in boot.descriptors()] == ["notes"]
    dispose()
    dispose()
    assert [graph.components() for graph in graphs] == [BASE] * 3
    assert boot.descriptors() == ()


def test_a_new_layer_is_a_disabled_candidate_and_can_be_used_when_it_is_enabled() -> None:
    boot = MemoryBoot()
    graph = Built(boot)
    boot.register(extension())
    assert graph.entries()["notes"] == TopologyLayer("notes", False, Participation.all("manual"))
    graph.topology.configure_layer("notes", enabled=True)
    receipt = graph.kernel.run(asking("recall", candidate_layer_ids=("notes",)))
    assert [step.output for step in receipt.steps] == [{"from": "notes"}]


def test_a_layer_that_is_unloaded_and_loaded_again_comes_back_disabled() -> None:
    boot = MemoryBoot()
    graph = Built(boot)
    dispose = boot.register(extension())
    graph.topology.configure_layer("notes", enabled=True, participation=AUTOMATIC)
    dispose()
    boot.register(extension())
    assert graph.entries()["notes"] == TopologyLayer("notes", False, Participation.all("manual"))


def test_a_graph_that_comes_later_gets_every_extension() -> None:
    boot = MemoryBoot()
    boot.register(extension("one"))
    boot.register(extension("two"))
    graph = Built(boot, TopologyLayer("two", True, AUTOMATIC, ("two-store",)))
    assert graph.components()["layers"] == ["base", "one", "two"]
    assert graph.components()["guards"] == ["one-guard", "two-guard"]
    assert graph.entries()["two"].enabled
    assert [source.layer_id for source in graph.views.publish().sources] == ["two"]


def test_callables_are_captured_when_the_extension_is_registered() -> None:
    boot = MemoryBoot()
    guard, source = FunctionGuard("notes-guard"), TextSource("notes")
    boot.register(extension(guards=(guard,), sources=(source,)))
    guard.decide = lambda request, context: 1 / 0  # type: ignore[method-assign]
    source.snapshot = lambda context: 1 / 0  # type: ignore[method-assign]
    graph = Built(boot, TopologyLayer("notes", True, AUTOMATIC))
    graph.kernel.plan(asking("recall"))
    assert len(graph.views.publish().sources) == 1


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"descriptor": None}, "invalid-id"),
        ({"descriptor": replace(extension_descriptor("notes"), id="Notes")}, "invalid-id"),
        ({"descriptor": replace(extension_descriptor("notes"), version=" ")}, "invalid-descriptor"),
        ({"descriptor": replace(extension_descriptor("notes"), label="x" * 101)}, "invalid-descriptor"),
        ({"descriptor": replace(extension_descriptor("notes"), description="")}, "invalid-descriptor"),
        ({"layers": "none"}, "invalid-descriptor"),
        ({"layers": (object(),)}, "invalid-descriptor"),
        ({"layers": (Layer(layer_descriptor("notes"), 7),)}, "invalid-descriptor"),  # type: ignore[arg-type]
        ({"layers": (layer_descriptor("notes"),) * 2}, "duplicate-id"),
        ({"adapters": (adapter_descriptor("Store"),)}, "invalid-id"),
        ({"strategies": (object(),)}, "invalid-id"),
        ({"guards": (object(),)}, "invalid-id"),
        ({"sources": (TextSource("notes", "sometimes"),)}, "invalid-descriptor"),
        ({"sources": (TextSource("notes"), TextSource("notes"))}, "duplicate-id"),
        ({"sources": (TextSource("elsewhere"),)}, "layer-unavailable"),
        ({"layers": (layer_descriptor("base"),)}, "duplicate-id"),
        ({"strategies": (FunctionStrategy(one_step_each),)}, "duplicate-id"),
    ],
)
def test_a_refused_extension_leaves_every_graph_as_it_was(changes: dict[str, Any], code: str) -> None:
    boot = MemoryBoot()
    graphs = [Built(boot), Built(boot)]
    assert code_of(lambda: boot.register(extension(**changes))) == code
    assert [graph.components() for graph in graphs] == [BASE] * 2
    assert [graph.order() for graph in graphs] == [["base"]] * 2
    assert boot.descriptors() == ()


def test_ids_that_another_extension_has_are_refused_even_without_a_graph() -> None:
    boot = MemoryBoot()
    boot.register(extension("one"))
    assert code_of(lambda: boot.register(extension("one"))) == "duplicate-id"
    assert code_of(lambda: boot.register(extension("two", guards=(FunctionGuard("one-guard"),)))) == "duplicate-id"
    # A layer and a strategy may share an id.
    boot.register(extension("one-strategy"))
    Built(boot)


def test_a_failure_in_a_later_graph_undoes_the_earlier_ones() -> None:
    boot = MemoryBoot()
    graphs = [Built(boot) for _ in range(3)]
    graphs[2].kernel.register_guard(FunctionGuard("notes-guard"))
    before = [graph.catalog.generation for graph in graphs]
    assert code_of(lambda: boot.register(extension())) == "duplicate-id"
    assert [graph.components() for graph in graphs[:2]] == [BASE] * 2
    assert graphs[2].components() == BASE | {"guards": ["notes-guard"]}
    assert boot.descriptors() == ()
    # The counters tell that something was there; they never go back.
    assert all(graph.catalog.generation > then for graph, then in zip(graphs, before, strict=True))


def test_a_graph_that_is_not_ready_after_registering_refuses_it_everywhere() -> None:
    boot = MemoryBoot()
    graphs = [Built(boot), Built(boot)]
    graphs[1].catalog.register_layer(layer_descriptor("bare"))
    graphs[1].topology.configure_layer("bare", enabled=True, participation=AUTOMATIC)
    assert code_of(lambda: boot.register(extension())) == "source-missing"
    assert graphs[0].components() == BASE
    assert graphs[1].components() == BASE | {"layers": ["bare", "base"]}
    # One that brings the source is what such a graph waits for.
    graphs[0].attachment.dispose()
    boot.register(MemoryExtension(extension_descriptor("remedy"), sources=(TextSource("bare"),)))
    boot.register(extension())


def test_when_undoing_fails_as_well_both_errors_are_raised_and_a_transient_one_is_not_left() -> None:
    boot = MemoryBoot()
    graphs = [Built(boot), Built(boot)]
    graphs[1].kernel.register_guard(FunctionGuard("notes-guard"))
    # Registering looks at the clock three times before the guard is refused: layer, adapter, strategy.
    graphs[0].clock.fail(after=3)
    with pytest.raises(ExceptionGroup) as caught:
        boot.register(extension())
    kinds = [getattr(error, "code", type(error).__name__) for error in caught.value.exceptions]
    assert kinds[0] == "duplicate-id" and len(kinds) == 2
    assert boot.descriptors() == ()
    graphs[0].clock.fail_after = None
    graphs[0].attachment.dispose()
    assert graphs[0].components() == BASE


# Unloading


def supplier(id_: str = "supplier") -> MemoryExtension:
    """An extension that has the source of another's layer, and a layer and an adapter of its own."""
    return MemoryExtension(
        extension_descriptor(id_),
        layers=(Layer(layer_descriptor(f"{id_}-layer", ("recall",))),),
        adapters=(adapter_descriptor("shelf"), adapter_descriptor("box")),
        sources=(TextSource("notes"),),
    )


def test_an_unload_that_would_leave_a_layer_without_its_source_is_rejected_with_everything_as_before() -> None:
    boot = MemoryBoot()
    graphs = [Built(boot) for _ in range(3)]
    dispose_layer = boot.register(extension(sources=()))
    dispose = boot.register(supplier())
    for graph in graphs:
        graph.topology.configure_layer("supplier-layer", enabled=True, participation={"recall": "automatic"})
        graph.topology.configure_layer("base", adapter_ids=["shelf", "notes-store", "box"])
        body: dict[str, Any] = graph.topology.snapshot().definition.to_json()
        body["layers"] = [body["layers"][2], body["layers"][0], body["layers"][1]]
        graph.topology.replace(body)
    graphs[1].topology.configure_layer("notes", enabled=True, participation=AUTOMATIC)
    before = [(graph.components(), graph.topology.snapshot().definition) for graph in graphs]
    assert graphs[0].order() == ["supplier-layer", "base", "notes"]
    assert code_of(dispose) == "source-missing"
    assert [(graph.components(), graph.topology.snapshot().definition) for graph in graphs] == before
    assert [found.id for found in boot.descriptors()] == ["notes", "supplier"]
    graphs[1].views.publish()
    # The disposer stays usable.
    assert code_of(dispose) == "source-missing"
    graphs[1].topology.configure_layer("notes", enabled=False)
    dispose()
    assert all("supplier-layer" not in graph.order() for graph in graphs)
    dispose_layer()
    assert [graph.components() for graph in graphs] == [BASE] * 3


def test_layer_and_source_of_one_extension_go_together() -> None:
    boot = MemoryBoot()
    graph = Built(boot)
    dispose = boot.register(extension())
    graph.topology.configure_layer("notes", enabled=True, participation=AUTOMATIC)
    graph.views.publish()
    dispose()
    assert graph.components() == BASE


@pytest.mark.parametrize("graphs", [0, 2])
def test_an_extension_stays_as_long_as_anothers_source_is_for_its_layer(graphs: int) -> None:
    boot = MemoryBoot()
    dispose_layer = boot.register(extension(sources=()))
    dispose = boot.register(supplier())
    live = [Built(boot) for _ in range(graphs)]
    before = [(graph.components(), graph.topology.snapshot(), graph.catalog.generation) for graph in live]
    with pytest.raises(KernelFailure, match="extension supplier has a source for notes") as caught:
        dispose_layer()
    assert caught.value.code == "layer-unavailable"
    assert caught.value.details == {"extensionId": "notes", "dependants": ["supplier"]}
    # Not one graph was touched, and others can be built.
    assert [(graph.components(), graph.topology.snapshot(), graph.catalog.generation) for graph in live] == before
    assert [found.id for found in boot.descriptors()] == ["notes", "supplier"]
    Built(boot)
    dispose()
    dispose_layer()
    assert [graph.components() for graph in (*live, Built(boot))] == [BASE] * (graphs + 1)


def test_restoring_keeps_what_others_changed_meanwhile_and_a_strategy_that_is_gone() -> None:
    boot = MemoryBoot()
    graph = Built(boot)
    boot.register(extension(sources=()))
    dispose = boot.register(supplier())
    dispose_strategy = boot.register(
        MemoryExtension(
            extension_descriptor("router"),
            strategies=(FunctionStrategy(one_step_each, replace(TEST_STRATEGY, id="router")),),
        )
    )
    graph.topology.replace(replace(graph.topology.snapshot().definition, strategy_id="router"))
    dispose_strategy()
    graph.topology.configure_layer("notes", enabled=True, participation=AUTOMATIC)
    graph.topology.configure_layer("supplier-layer", enabled=True)
    graph.topology.configure_layer("base", adapter_ids=["box"])

    def meanwhile(snapshot: TopologySnapshot) -> None:
        if all(layer.id != "supplier-layer" for layer in snapshot.layers):
            undo()
            graph.topology.configure_layer("base", participation={"write": "off"})

    undo = graph.topology.subscribe(meanwhile)
    assert code_of(dispose) == "source-missing"
    entries = graph.entries()
    assert entries["supplier-layer"].enabled
    assert entries["base"] == TopologyLayer("base", True, replace(AUTOMATIC, write="off"), ("box",))
    assert graph.topology.snapshot().strategy_id == "router"
    assert graph.components()["strategies"] == ["notes-strategy", "test-strategy"]
    assert code_of(lambda: graph.kernel.plan(asking("recall"))) == "strategy-unavailable"


def test_when_restoring_fails_as_well_both_errors_are_raised_and_unloading_can_be_tried_again() -> None:
    boot = MemoryBoot()
    graphs = [Built(boot), Built(boot)]
    boot.register(extension(sources=()))
    dispose = boot.register(supplier())
    graphs[1].topology.configure_layer("notes", enabled=True, participation=AUTOMATIC)
    # Unloading looks three times: two adapters, one layer.
    graphs[0].clock.fail(after=3)
    with pytest.raises(ExceptionGroup) as caught:
        dispose()
    assert [getattr(error, "code", type(error).__name__) for error in caught.value.exceptions] == [
        "source-missing",
        "OSError",
    ]
    # No half of it is left in the graph that could not be restored.
    assert graphs[0].components() == whole() | {"sources": []}
    assert "supplier-layer" in graphs[1].components()["layers"]
    assert [found.id for found in boot.descriptors()] == ["notes", "supplier"]
    graphs[0].clock.fail_after = None
    graphs[1].topology.configure_layer("notes", enabled=False)
    dispose()
    assert [graph.components() for graph in graphs] == [whole() | {"sources": []}] * 2


def test_a_removal_that_fails_for_a_moment_is_restored() -> None:
    boot = MemoryBoot()
    graphs = [Built(boot), Built(boot)]
    dispose = boot.register(extension())
    before = [(graph.components(), graph.topology.snapshot().definition) for graph in graphs]
    graphs[1].clock.fail(after=1, times=1)
    with pytest.raises(OSError, match="clock"):
        dispose()
    assert [(graph.components(), graph.topology.snapshot().definition) for graph in graphs] == before
    dispose()
    assert [graph.components() for graph in graphs] == [BASE] * 2


# Attachments


def test_guards_and_sources_follow_when_kernel_and_views_are_bound() -> None:
    boot = MemoryBoot()
    boot.register(extension("one"))
    catalog = MemoryCatalog()
    catalog.register_strategy(FunctionStrategy(one_step_each))
    attachment = boot.attach(catalog)
    assert attachment.live and not attachment.complete
    # What is registered while a graph is built reaches it as well.
    dispose = boot.register(extension("two"))
    boot.register(extension("three"))
    dispose()
    kernel = MemoryKernel(catalog, TopologyManager(catalog, TopologyDefinition("built", "test-strategy", ())))
    assert components(catalog, kernel)["guards"] == []
    attachment.bind_kernel(kernel)
    assert components(catalog, kernel)["guards"] == ["one-guard", "three-guard"]
    views = TurnViewManager(kernel)
    attachment.bind_turn_views(views)
    assert attachment.complete
    assert components(catalog, kernel, views)["sources"] == ["one", "three"]


def test_a_graph_is_bound_once_and_to_what_belongs_to_it() -> None:
    boot = MemoryBoot()
    graph, other = Built(boot), Built(boot)
    assert code_of(lambda: graph.attachment.bind_kernel(graph.kernel)) == "already-bound"
    assert code_of(lambda: graph.attachment.bind_turn_views(graph.views)) == "already-bound"
    catalog = MemoryCatalog()
    attachment = boot.attach(catalog)
    with pytest.raises(ValueError, match="another catalog"):
        attachment.bind_kernel(other.kernel)
    with pytest.raises(ValueError, match="bind the kernel"):
        attachment.bind_turn_views(other.views)
    with pytest.raises(ValueError, match="attached already"):
        boot.attach(catalog)
    attachment.release()
    attachment.release()
    assert code_of(lambda: attachment.bind_kernel(other.kernel)) == "attachment-released"
    assert code_of(lambda: attachment.bind_turn_views(other.views)) == "attachment-released"


def test_a_released_graph_keeps_what_it_has_until_it_is_disposed() -> None:
    boot = MemoryBoot()
    old = Built(boot)
    dispose = boot.register(extension("one"))
    turn = old.views.begin_turn("turn", {"storage": "global"})
    old.attachment.release()
    new = Built(boot)
    boot.register(extension("two"))
    dispose()
    assert new.components()["layers"] == ["base", "two"]
    assert old.components() == whole("one")
    assert old.views.wake(turn.view_id).view_id == turn.view_id
    assert old.kernel.plan(asking("recall", candidate_layer_ids=("base",))).steps
    old.attachment.dispose()
    old.attachment.dispose()
    assert old.components() == BASE
    assert new.components()["layers"] == ["base", "two"]


def test_a_graph_that_cannot_be_attached_keeps_nothing_and_is_not_live() -> None:
    boot = MemoryBoot()
    boot.register(extension("one"))
    boot.register(extension("two"))
    serving = Built(boot)
    catalog = MemoryCatalog()
    catalog.register_layer(layer_descriptor("two"))
    assert code_of(lambda: boot.attach(catalog)) == "duplicate-id"
    assert components(catalog)["layers"] == ["two"]
    boot.register(extension("three"))
    assert components(catalog)["layers"] == ["two"]
    assert serving.components()["layers"] == ["base", "one", "three", "two"]


@pytest.mark.parametrize("at", ["kernel", "views", "readiness"])
def test_a_bind_that_fails_ends_the_attachment_and_leaves_the_serving_graph(at: str) -> None:
    boot = MemoryBoot()
    serving = Built(boot)
    boot.register(extension("one"))
    boot.register(extension("two"))
    before = serving.components()
    catalog = MemoryCatalog()
    catalog.register_strategy(FunctionStrategy(one_step_each))
    catalog.register_layer(layer_descriptor("bare"))
    attachment = boot.attach(catalog)
    entry = TopologyLayer("bare", at == "readiness", AUTOMATIC)
    kernel = MemoryKernel(catalog, TopologyManager(catalog, TopologyDefinition("built", "test-strategy", (entry,))))
    views = TurnViewManager(kernel)

    def bind() -> None:
        if at == "kernel":
            kernel.register_guard(FunctionGuard("two-guard"))
        attachment.bind_kernel(kernel)
        if at == "views":
            views.register_source(TextSource("two"))
        attachment.bind_turn_views(views)

    assert code_of(bind) == ("source-missing" if at == "readiness" else "duplicate-id")
    assert not attachment.live
    assert components(catalog, kernel, views) == {
        "layers": ["bare"],
        "adapters": [],
        "strategies": ["test-strategy"],
        "guards": ["two-guard"] if at == "kernel" else [],
        "sources": ["two"] if at == "views" else [],
    }
    assert serving.components() == before
    boot.register(extension("three"))
    assert components(catalog)["layers"] == ["bare"]
    assert code_of(lambda: attachment.bind_kernel(kernel)) == "attachment-released"


def test_a_source_whose_layer_another_extension_brings_is_bound_after_all_layers() -> None:
    boot = MemoryBoot()
    boot.register(supplier())
    boot.register(extension(sources=()))
    graph = Built(boot, TopologyLayer("notes", True, AUTOMATIC))
    assert [source.layer_id for source in graph.views.publish().sources] == ["notes"]


# Threads


def test_a_listener_that_changes_extensions_from_inside_a_change_is_refused() -> None:
    boot = MemoryBoot()
    graph = Built(boot)
    codes: list[str] = []

    def changing(snapshot: object) -> None:
        with pytest.raises(KernelFailure, match="from inside such a change") as caught:
            boot.register(extension("two"))
        codes.append(caught.value.code)

    graph.catalog.subscribe(changing)
    seen: list[int] = []

    def look(snapshot: object) -> None:
        thread = threading.Thread(target=lambda: seen.append(len(boot.descriptors())))
        thread.start()
        thread.join(30)

    graph.catalog.subscribe(look)
    boot.register(extension("one"))
    # Layer, adapter and strategy.
    assert codes == ["boot-busy"] * 3
    assert seen == [0] * 3


def test_threads_that_register_and_unload_at_once_leave_whole_extensions() -> None:
    boot = MemoryBoot()
    graphs = [Built(boot), Built(boot)]
    errors: list[BaseException] = []

    def work(id_: str, keep: bool) -> None:
        try:
            for _ in range(5):
                boot.register(extension(id_))()
            if keep:
                boot.register(extension(id_))
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"x{number}", number % 2 == 0)) for number in range(4)]
    for thread in threads:
        thread.start()
    attached = Built(boot)
    for thread in threads:
        thread.join(60)
    assert errors == []
    for graph in (*graphs, attached):
        assert graph.components()["layers"] == ["base", "x0", "x2"]
        assert graph.components()["sources"] == ["x0", "x2"]
        assert sorted(graph.components()["guards"]) == ["x0-guard", "x2-guard"]


# Histories


class Boots(RuleBasedStateMachine):
    """Up to three graphs and extensions that get into each other's way; each change happens wholly or not at all.

    ``p`` has a layer and its source, ``q`` a layer without one, ``r`` the source of ``q``'s layer, and ``s`` an adapter
    and the guard id of ``p``.
    """

    KINDS = ("p", "q", "r", "s")

    def __init__(self) -> None:
        super().__init__()
        self.boot = MemoryBoot()
        self.graphs: list[Built] = []
        self.disposers: dict[str, Dispose] = {}
        self.stale: list[Dispose] = []

    def made(self, id_: str) -> MemoryExtension:
        descriptor = extension_descriptor(id_)
        if id_ == "p":
            layer, guard = layer_descriptor("p-layer"), FunctionGuard("shared")
            return MemoryExtension(descriptor, (Layer(layer),), (), (), (TextSource("p-layer"),), (guard,))
        if id_ == "q":
            return MemoryExtension(descriptor, (Layer(layer_descriptor("q-layer")),), (adapter_descriptor("shelf"),))
        if id_ == "r":
            return MemoryExtension(descriptor, sources=(TextSource("q-layer"),))
        return MemoryExtension(descriptor, adapters=(adapter_descriptor("box"),), guards=(FunctionGuard("shared"),))

    def state(self) -> list[Any]:
        return [(graph.components(), graph.topology.snapshot().definition) for graph in self.graphs]

    def attempt(self, change: Callable[[], Any]) -> Any:
        """What ``change`` gives; when it is refused, every graph is as before."""
        before, known = self.state(), self.boot.descriptors()
        try:
            return change()
        except KernelFailure as failure:
            assert failure.code in ("duplicate-id", "layer-unavailable", "source-missing")
            assert self.state() == before
            assert self.boot.descriptors() == known
            return None

    @precondition(lambda self: len(self.graphs) < 3)
    @rule()
    def build(self) -> None:
        try:
            self.graphs.append(Built(self.boot))
        except KernelFailure as failure:
            # The source of a layer whose extension was unloaded.
            assert failure.code == "layer-unavailable"
            assert "r" in self.disposers and "q" not in self.disposers

    @precondition(lambda self: self.graphs)
    @rule(place=st.integers(0, 2))
    def retire(self, place: int) -> None:
        graph = self.graphs.pop(place % len(self.graphs))
        graph.attachment.release()
        frozen = graph.components()
        for id_ in self.KINDS:
            if id_ not in self.disposers:
                dispose = self.attempt(lambda id_=id_: self.boot.register(self.made(id_)))  # type: ignore[misc]
                if dispose is not None:
                    self.attempt(dispose)
                    if id_ in [found.id for found in self.boot.descriptors()]:
                        self.disposers[id_] = dispose
        assert graph.components() == frozen
        graph.attachment.dispose()
        assert graph.components() == BASE

    @rule(id_=st.sampled_from(KINDS))
    def register(self, id_: str) -> None:
        dispose = self.attempt(lambda: self.boot.register(self.made(id_)))
        if dispose is not None:
            assert id_ not in self.disposers
            self.disposers[id_] = dispose

    @precondition(lambda self: self.disposers)
    @rule(place=st.integers(0, 3))
    def unload(self, place: int) -> None:
        id_ = sorted(self.disposers)[place % len(self.disposers)]
        self.attempt(self.disposers[id_])
        if id_ not in [found.id for found in self.boot.descriptors()]:
            self.stale.append(self.disposers.pop(id_))

    @precondition(lambda self: self.graphs)
    @rule(place=st.integers(0, 2), enabled=st.booleans(), mode=st.sampled_from(["manual", "automatic"]))
    def configure(self, place: int, enabled: bool, mode: str) -> None:
        graph = self.graphs[place % len(self.graphs)]
        for id_ in ("q-layer", "p-layer"):
            if id_ not in graph.order():
                continue
            ready = enabled and mode == "automatic" and id_ not in graph.components()["sources"]
            if not ready:
                adapters = graph.components()["adapters"]
                graph.topology.configure_layer(
                    id_, enabled=enabled, participation={"projection": mode}, adapter_ids=adapters
                )

    @rule()
    def call_what_is_stale(self) -> None:
        before = self.state()
        for dispose in self.stale:
            dispose()
        assert self.state() == before

    @invariant()
    def every_graph_has_every_extension_whole(self) -> None:
        known = set(self.disposers)
        for graph in self.graphs:
            found = graph.components()
            assert found["layers"] == sorted(
                {"base"} | ({"p-layer"} if "p" in known else set()) | ({"q-layer"} if "q" in known else set())
            )
            assert found["adapters"] == sorted(
                ({"shelf"} if "q" in known else set()) | ({"box"} if "s" in known else set())
            )
            assert found["guards"] == (["shared"] if known & {"p", "s"} else [])
            assert found["sources"] == sorted(
                ({"p-layer"} if "p" in known else set()) | ({"q-layer"} if "r" in known else set())
            )
            graph.views.assert_sources_ready()
            graph.views.publish()


TestBoots = Boots.TestCase
TestBoots.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


def test_a_change_that_does_not_end_holds_up_another_for_a_while_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("zeroclaw_cli.kernel.boot._PATIENCE_S", 0.05)
    boot = MemoryBoot()
    graph = Built(boot)
    codes: list[str] = []

    def waiting(snapshot: object) -> None:
        thread = threading.Thread(target=lambda: codes.append(code_of(lambda: boot.register(extension("two")))))
        thread.start()
        thread.join(30)

    dispose = graph.catalog.subscribe(waiting)
    boot.register(extension("one"))
    dispose()
    assert codes == ["boot-busy"] * 3
    boot.register(extension("two"))
