"""Topologies and their counter: specs/memory-kernel.md §6."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.graphs import LAYERS, Graph, adapter_descriptor, altered, definition, layer_descriptor
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.contracts import Participation, TopologyLayer, TopologySnapshot
from zeroclaw_cli.kernel.topology import TopologyManager


def layers(graph: Graph) -> dict[str, TopologyLayer]:
    return {layer.id: layer for layer in graph.topology.snapshot().layers}


def test_the_first_definition_is_generation_1() -> None:
    snapshot = Graph().topology.snapshot()
    assert (snapshot.generation, snapshot.catalog_generation) == (1, 4)
    assert snapshot.definition == definition()
    assert snapshot.created_at == "2026-03-01T12:00:01.000Z"


def test_replacing_reconfiguring_and_catalog_changes_are_one_step_each() -> None:
    graph = Graph()
    graph.topology.replace(definition("manual"))
    assert graph.kernel.generations() == (4, 2, 0)
    graph.topology.configure_layer("documents", enabled=False)
    assert graph.kernel.generations() == (4, 3, 0)
    dispose = graph.catalog.register_adapter(adapter_descriptor("store"))
    assert graph.kernel.generations() == (5, 4, 0)
    assert graph.topology.snapshot().catalog_generation == 5
    dispose()
    assert graph.kernel.generations() == (6, 5, 0)


def broken(**changes: Any) -> Any:
    return altered(definition(), **changes)


ONE = TopologyLayer("documents", True, Participation.all("automatic"))
BAD: dict[str, tuple[Any, str]] = {
    "id": (broken(id="Bad Id"), "invalid-id"),
    "strategy id": (broken(strategy_id=""), "invalid-id"),
    "layer id": (broken(layers=(altered(ONE, id="UPPER"),)), "invalid-id"),
    "adapter id": (broken(layers=(altered(ONE, adapter_ids=("no good",)),)), "invalid-id"),
    "mode": (broken(layers=(altered(ONE, participation=Participation("sometimes")),)), "invalid-mode"),
    "channel missing": (
        broken().to_json() | {"layers": [{"id": "documents", "enabled": True, "participation": {"recall": "off"}}]},
        "invalid-mode",
    ),
    "enabled": (broken(layers=(altered(ONE, enabled=1),)), "invalid-mode"),
    "twice": (broken(layers=(ONE, ONE)), "duplicate-id"),
    "strategy": (broken(strategy_id="nobody"), "strategy-unavailable"),
    "layer": (broken(layers=(altered(ONE, id="nowhere"),)), "layer-unavailable"),
    "adapter": (broken(layers=(altered(ONE, adapter_ids=("nothing",)),)), "adapter-unavailable"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_refused_definition_changes_neither_state_nor_counter(name: str) -> None:
    graph = Graph()
    bad, code = BAD[name]
    before, counters = graph.topology.snapshot(), graph.kernel.generations()
    with pytest.raises(KernelFailure) as caught:
        graph.topology.replace(bad)
    assert caught.value.code == code
    assert graph.topology.snapshot() is before
    assert graph.kernel.generations() == counters
    with pytest.raises(KernelFailure) as caught:
        TopologyManager(graph.catalog, bad)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"layer_id": "nowhere"}, "layer-unavailable"),
        ({"layer_id": "NO"}, "invalid-id"),
        ({"layer_id": "documents", "participation": {"recall": "often"}}, "invalid-mode"),
        ({"layer_id": "documents", "participation": {"speech": "off"}}, "invalid-mode"),
        ({"layer_id": "documents", "participation": ["recall"]}, "invalid-mode"),
        ({"layer_id": "documents", "enabled": "yes"}, "invalid-mode"),
        ({"layer_id": "documents", "adapter_ids": ["nothing"]}, "adapter-unavailable"),
        ({"layer_id": "documents", "adapter_ids": "store"}, "invalid-id"),
    ],
)
def test_a_refused_reconfiguration_changes_nothing(arguments: dict[str, Any], code: str) -> None:
    graph = Graph()
    before = graph.topology.snapshot()
    with pytest.raises(KernelFailure) as caught:
        graph.topology.configure_layer(**arguments)
    assert caught.value.code == code
    assert graph.topology.snapshot() is before


def test_a_reconfiguration_keeps_what_it_does_not_name() -> None:
    graph = Graph()
    graph.catalog.register_adapter(adapter_descriptor("store"))
    graph.topology.configure_layer("documents", participation={"write": "off"}, adapter_ids=["store", "store"])
    snapshot = graph.topology.configure_layer("documents", enabled=False)
    assert [layer.id for layer in snapshot.layers] == list(LAYERS)
    assert layers(graph)["documents"] == TopologyLayer(
        "documents", False, Participation("automatic", "off", "automatic", "automatic"), ("store",)
    )


def test_a_new_layer_becomes_a_disabled_candidate_with_manual_channels() -> None:
    graph = Graph()
    graph.catalog.register_layer(layer_descriptor("episodic", order=-1))
    assert graph.topology.snapshot().layers[-1] == TopologyLayer("episodic", False, Participation.all("manual"), ())
    assert [layer.id for layer in graph.topology.snapshot().layers[:3]] == list(LAYERS)


def test_a_layer_that_left_comes_back_disabled_and_the_others_keep_their_settings() -> None:
    graph = Graph()
    graph.topology.configure_layer("runtime", participation={"recall": "manual"})
    graph.dispose_layer["documents"]()
    assert list(layers(graph)) == ["runtime", "memory-spaces"]
    graph.catalog.register_layer(layer_descriptor("documents"))
    found = layers(graph)
    assert list(found) == ["runtime", "memory-spaces", "documents"]
    assert found["documents"] == TopologyLayer("documents", False, Participation.all("manual"), ())
    assert found["runtime"].participation.recall == "manual"


def test_an_adapter_that_left_is_dropped_from_every_binding() -> None:
    graph = Graph()
    dispose = graph.catalog.register_adapter(adapter_descriptor("store"))
    graph.catalog.register_adapter(adapter_descriptor("other"))
    graph.topology.configure_layer("documents", adapter_ids=["store", "other"])
    dispose()
    assert layers(graph)["documents"].adapter_ids == ("other",)


def test_the_strategy_id_is_kept_when_the_strategy_left() -> None:
    graph = Graph()
    graph.dispose_strategy()
    assert graph.topology.snapshot().strategy_id == "test-strategy"


def test_the_picture_is_of_one_moment_and_is_kept_while_nothing_changes() -> None:
    graph = Graph()
    first = graph.kernel.descriptor()
    assert graph.kernel.descriptor() is first
    graph.catalog.register_adapter(adapter_descriptor("store"))
    second = graph.kernel.descriptor()
    assert second.catalog.generation == second.topology.catalog_generation == 5
    assert first.catalog.generation == first.topology.catalog_generation == 4


def test_listeners_hear_of_every_change_until_the_manager_is_disposed() -> None:
    graph = Graph()
    heard: list[TopologySnapshot] = []
    graph.topology.subscribe(heard.append)
    graph.topology.configure_layer("runtime", enabled=False)
    graph.catalog.register_adapter(adapter_descriptor("store"))
    assert [snapshot.generation for snapshot in heard] == [2, 3]
    graph.topology.dispose()
    graph.topology.dispose()
    graph.catalog.register_adapter(adapter_descriptor("other"))
    assert len(heard) == 2


def test_the_clock_is_read_without_the_lock() -> None:
    """A clock is foreign code: one that looks at the catalog from another thread must not wait for ever."""
    from threading import Thread

    graph = Graph()

    def clock() -> Any:
        looks = Thread(target=graph.catalog.snapshot)
        looks.start()
        looks.join(5)
        assert not looks.is_alive()
        return graph.clock()

    manager = TopologyManager(graph.catalog, definition(), now=clock)
    manager.replace(definition("off"))
    manager.configure_layer("runtime", enabled=False)
    dispose = graph.catalog.register_adapter(adapter_descriptor("store"))
    dispose()
    assert manager.snapshot().generation == 5


def test_restoring_needs_no_strategy_and_leaves_out_what_is_not_registered() -> None:
    graph = Graph()
    dispose = graph.catalog.register_adapter(adapter_descriptor("store"))
    graph.topology.configure_layer("runtime", adapter_ids=["store"])
    graph.topology.configure_layer("documents", participation={"recall": "off"}, adapter_ids=["store"])
    before = graph.topology.snapshot()
    graph.dispose_layer["documents"]()
    dispose()
    graph.dispose_strategy()
    graph.topology.configure_layer("memory-spaces", enabled=False)
    graph.catalog.register_layer(layer_descriptor("documents"))
    generation = graph.topology.snapshot().generation
    after = graph.topology.restore(before, layer_ids={"documents"}, adapter_ids={"store"})
    assert after == graph.topology.snapshot()
    assert after.generation == generation + 1
    assert after.strategy_id == "test-strategy"
    assert [layer.id for layer in after.layers] == list(LAYERS)
    assert after.layers[1] == altered(before.layers[1], adapter_ids=())
    assert after.layers[0].adapter_ids == ()
    assert not after.layers[2].enabled
    graph.catalog.register_adapter(adapter_descriptor("store"))
    again = graph.topology.restore(before, layer_ids={"documents"}, adapter_ids={"store"})
    assert again.layers[:2] == before.layers[:2]
    assert not again.layers[2].enabled


def test_a_clock_that_fails_leaves_catalog_and_topology_together() -> None:
    graph = Graph()

    def clock() -> Any:
        raise OSError("no time")

    dispose = graph.catalog.register_adapter(adapter_descriptor("store"))
    graph.topology._now = clock
    with pytest.raises(OSError, match="no time"):
        graph.topology.replace(definition("off"))
    graph.catalog.follow(lambda moment: lambda: None, clock)
    for change in (dispose, lambda: graph.catalog.register_adapter(adapter_descriptor("other"))):
        with pytest.raises(OSError, match="no time"):
            change()
    descriptor = graph.kernel.descriptor()
    assert [adapter.id for adapter in descriptor.catalog.adapters] == ["store"]
    assert descriptor.catalog.generation == descriptor.topology.catalog_generation == 5
