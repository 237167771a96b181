"""Registration, duplicates and disposal: specs/memory-kernel.md §5, §6."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.kernel.graphs import (
    FunctionGuard,
    FunctionStrategy,
    Graph,
    adapter_descriptor,
    asking,
    layer_descriptor,
    one_step_each,
)
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.contracts import CatalogSnapshot, Dispose, Layer, LayerDescriptor, StrategyDescriptor

Register = Callable[[Graph, str], Dispose]


def strategy(id_: str) -> FunctionStrategy:
    return FunctionStrategy(one_step_each, StrategyDescriptor(id_, "1", "Test", "For tests", (), True))


REGISTER: dict[str, Register] = {
    "layer": lambda graph, id_: graph.catalog.register_layer(layer_descriptor(id_)),
    "adapter": lambda graph, id_: graph.catalog.register_adapter(adapter_descriptor(id_)),
    "strategy": lambda graph, id_: graph.catalog.register_strategy(strategy(id_)),
    "guard": lambda graph, id_: graph.kernel.register_guard(FunctionGuard(id_)),
}


@pytest.mark.parametrize("kind", REGISTER)
def test_a_second_registration_under_one_id_is_refused_and_counts_nothing(kind: str) -> None:
    graph = Graph()
    register = REGISTER[kind]
    register(graph, "mine")
    before = graph.kernel.generations()
    with pytest.raises(KernelFailure) as caught:
        register(graph, " mine ")
    assert caught.value.code == "duplicate-id"
    assert caught.value.details == {"id": "mine", "kind": kind}
    assert caught.value.message == f"there is already {'an' if kind == 'adapter' else 'a'} {kind} mine"
    assert graph.kernel.generations() == before


@pytest.mark.parametrize("kind", REGISTER)
def test_an_invalid_id_is_refused_and_counts_nothing(kind: str) -> None:
    graph = Graph()
    before = graph.kernel.generations()
    with pytest.raises(KernelFailure) as caught:
        REGISTER[kind](graph, "Not-Kebab")
    assert caught.value.code == "invalid-id"
    assert graph.kernel.generations() == before


def test_the_namespaces_are_separate() -> None:
    graph = Graph()
    for register in REGISTER.values():
        register(graph, "same")
    found = graph.catalog.snapshot()
    assert graph.catalog.layer("same") is not None
    assert "same" in {adapter.id for adapter in found.adapters}
    assert "same" in {strategy.id for strategy in found.strategies}
    assert graph.kernel.generations().guard == 1


@pytest.mark.parametrize("kind", REGISTER)
def test_disposing_twice_is_harmless_and_a_stale_disposer_is_inert(kind: str) -> None:
    graph = Graph()
    register = REGISTER[kind]
    first = register(graph, "mine")
    first()
    after = graph.kernel.generations()
    first()
    assert graph.kernel.generations() == after
    register(graph, "mine")
    after = graph.kernel.generations()
    first()
    assert graph.kernel.generations() == after
    with pytest.raises(KernelFailure) as caught:
        register(graph, "mine")
    assert caught.value.code == "duplicate-id"


def test_the_catalog_starts_at_0_and_every_change_is_one_step() -> None:
    catalog = MemoryCatalog()
    assert catalog.generation == catalog.snapshot().generation == 0
    disposers = [
        catalog.register_layer(layer_descriptor("a")),
        catalog.register_adapter(adapter_descriptor("a")),
        catalog.register_strategy(strategy("a")),
    ]
    assert catalog.generation == 3
    for dispose in disposers:
        dispose()
    assert catalog.generation == 6
    assert catalog.snapshot() == CatalogSnapshot(6, (), (), ())


def test_three_layers_and_a_strategy_bring_a_new_catalog_to_4() -> None:
    assert Graph().catalog.generation == 4


def test_layers_are_listed_by_order_and_id_and_the_rest_by_id() -> None:
    catalog = MemoryCatalog()
    for id_, order in (("b", 2), ("a", 2), ("c", 1.5), ("d", -1)):
        catalog.register_layer(layer_descriptor(id_, order=order))
        catalog.register_adapter(adapter_descriptor(id_))
        catalog.register_strategy(strategy(id_))
    snapshot = catalog.snapshot()
    assert [layer.id for layer in snapshot.layers] == ["d", "c", "a", "b"]
    assert [adapter.id for adapter in snapshot.adapters] == ["a", "b", "c", "d"]
    assert [found.id for found in snapshot.strategies] == ["a", "b", "c", "d"]
    assert catalog.snapshot() is snapshot


def test_a_descriptor_is_copied() -> None:
    capabilities: Any = ["read"]
    catalog = MemoryCatalog()
    catalog.register_layer(LayerDescriptor(" a ", " A ", "d", "role", 1, capabilities))
    capabilities.append("write")
    assert catalog.snapshot().layers == (LayerDescriptor("a", "A", "d", "role", 1, ("read",)),)


def test_registration_captures_the_callable_of_that_moment() -> None:
    @dataclass
    class Mutable:
        descriptor: Any
        execute: Any = None
        propose: Any = None
        id: str = "guard"
        decide: Any = None

    def never(*_: object) -> Any:
        raise AssertionError("replaced after the registration")

    graph = Graph()
    layer = Mutable(layer_descriptor("other"), execute=lambda step, context: "captured")
    chosen = Mutable(strategy("other").descriptor, propose=lambda r, c: one_step_each(r, c))
    guard = Mutable(None, decide=lambda r, c: {"kind": "allow"})
    graph.catalog.register_layer(layer)  # type: ignore[arg-type]
    graph.catalog.register_strategy(chosen)
    graph.kernel.register_guard(guard)
    layer.execute = chosen.propose = guard.decide = never
    registered = graph.catalog.layer("other")
    assert registered is not None and registered.execute is not None
    assert registered.execute(None, None) == "captured"  # type: ignore[arg-type]
    found = graph.catalog.strategy("other")
    assert found is not None and found.propose is not never
    assert graph.kernel.run(asking()).status == "succeeded"


def test_what_cannot_be_called_is_no_executor_strategy_or_guard() -> None:
    graph = Graph()

    class Nothing:
        id = "nothing"
        descriptor = strategy("nothing").descriptor

    attempts: list[Callable[[], object]] = [
        lambda: graph.catalog.register_layer(Layer(layer_descriptor("x"), "run")),  # type: ignore[arg-type]
        lambda: graph.catalog.register_strategy(Nothing()),  # type: ignore[arg-type]
        lambda: graph.kernel.register_guard(Nothing()),  # type: ignore[arg-type]
        lambda: graph.catalog.register_layer("x"),  # type: ignore[arg-type]
    ]
    for attempt in attempts:
        with pytest.raises(KernelFailure) as caught:
            attempt()
        assert caught.value.code == "invalid-descriptor"


def test_listeners_hear_of_each_change_without_a_lock_and_one_that_fails_stops_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    catalog = MemoryCatalog()
    heard: list[int] = []

    def broken(snapshot: CatalogSnapshot) -> None:
        raise RuntimeError("broken listener")

    def registering(snapshot: CatalogSnapshot) -> None:
        heard.append(snapshot.generation)
        if snapshot.generation == 1:
            catalog.register_adapter(adapter_descriptor("from-a-listener"))

    catalog.subscribe(broken)
    unsubscribe = catalog.subscribe(registering)
    dispose = catalog.register_layer(layer_descriptor("a"))
    assert heard == [1, 2]
    assert "broken listener" in caplog.text
    unsubscribe()
    unsubscribe()
    dispose()
    assert heard == [1, 2]


def test_a_listener_that_exits_stops_nobody_and_an_interruption_leaves_no_registration_without_its_disposer() -> None:
    catalog = MemoryCatalog()
    heard: list[int] = []

    def leaving(snapshot: CatalogSnapshot) -> None:
        raise SystemExit(1)

    catalog.subscribe(leaving)
    catalog.subscribe(lambda snapshot: heard.append(snapshot.generation))
    catalog.register_adapter(adapter_descriptor("one"))
    assert heard == [1]

    def interrupted(snapshot: CatalogSnapshot) -> None:
        if snapshot.generation == 2:
            raise KeyboardInterrupt

    catalog.subscribe(interrupted)
    with pytest.raises(KeyboardInterrupt):
        catalog.register_adapter(adapter_descriptor("two"))
    assert [adapter.id for adapter in catalog.snapshot().adapters] == ["one"]
    assert catalog.generation == 3
