from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.graphs import adapter_descriptor, layer_descriptor
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.contracts import Participation, TopologyLayer
from zeroclaw_cli.kernel.default_system import DEFAULT_LAYERS, DEFAULT_TOPOLOGY, default_three_tier
from zeroclaw_cli.kernel.topology_config import Built, adapter_problem, build_topology, read_topology, require_sources

AUTOMATIC = Participation.all("automatic")


def catalog() -> MemoryCatalog:
    found = MemoryCatalog()
    default_three_tier(found, {})
    for id_ in ("episodic", "another"):
        found.register_layer(layer_descriptor(id_, order=400))
    found.register_adapter(adapter_descriptor("my-store"))
    return found


def built(table: dict[str, Any]) -> Built:
    return build_topology(read_topology(table), catalog().snapshot())


def layer(table: dict[str, Any], id_: str) -> TopologyLayer:
    return next(found for found in built(table).definition.layers if found.id == id_)


def failure(table: dict[str, Any]) -> KernelFailure:
    with pytest.raises(KernelFailure) as caught:
        built(table)
    return caught.value


def test_without_a_topology_there_is_the_default_one_and_other_layers_are_disabled_candidates() -> None:
    found = built({})
    assert found.definition.id == DEFAULT_TOPOLOGY.id
    assert found.definition.layers[:3] == DEFAULT_TOPOLOGY.layers
    assert found.definition.layers[3:] == (TopologyLayer("another"), TopologyLayer("episodic"))


def test_the_defaults_come_first_and_other_configured_layers_in_the_order_of_the_file() -> None:
    found = built({"layers": {"episodic": {}, "documents": {"enabled": False}, "another": {}}})
    assert [item.id for item in found.definition.layers] == [
        "runtime",
        "documents",
        "memory-spaces",
        "episodic",
        "another",
    ]


def test_a_configured_layer_is_enabled_and_automatic_even_by_an_empty_table() -> None:
    assert layer({"layers": {"episodic": {}}}, "episodic") == TopologyLayer("episodic", True, AUTOMATIC)
    table: dict[str, Any] = {"layers": {"episodic": {"participation": {}}}}
    assert layer(table, "episodic") == TopologyLayer("episodic", True, AUTOMATIC)


def test_a_channel_that_participation_does_not_name_is_automatic() -> None:
    table = {"layers": {"episodic": {"participation": {"projection": "off"}, "adapter_ids": ["my-store", "my-store"]}}}
    assert layer(table, "episodic") == TopologyLayer(
        "episodic", True, Participation("automatic", "automatic", "off", "automatic"), ("my-store",)
    )


def test_a_disabled_layer_that_is_not_there_is_kept_with_a_warning_and_an_enabled_one_is_an_error() -> None:
    found = built({"layers": {"gone": {"enabled": False}}})
    assert "gone" not in {item.id for item in found.definition.layers}
    (warning,) = found.warnings
    assert "memory.topology.layers.gone" in warning
    error = failure({"layers": {"gone": {}}})
    assert error.code == "layer-unavailable"
    assert "memory.topology.layers.gone" in error.message


@pytest.mark.parametrize(
    ("table", "code", "path"),
    [
        ({"ids": "x"}, "invalid-topology", "memory.topology.ids"),
        ({"id": "No"}, "invalid-id", "memory.topology.id"),
        ({"strategy_id": 3}, "invalid-id", "memory.topology.strategy_id"),
        ({"strategy_id": "unknown"}, "strategy-unavailable", "memory.topology.strategy_id"),
        ({"layers": []}, "invalid-topology", "memory.topology.layers"),
        ({"layers": {"No": {}}}, "invalid-id", "memory.topology.layers.No"),
        ({"layers": {"episodic": True}}, "invalid-topology", "memory.topology.layers.episodic"),
        ({"layers": {"episodic": {"on": True}}}, "invalid-topology", "memory.topology.layers.episodic.on"),
        ({"layers": {"episodic": {"enabled": 1}}}, "invalid-topology", "memory.topology.layers.episodic.enabled"),
        ({"layers": {"episodic": {"backend": ""}}}, "invalid-topology", "memory.topology.layers.episodic.backend"),
        (
            {"layers": {"episodic": {"participation": "off"}}},
            "invalid-topology",
            "memory.topology.layers.episodic.participation",
        ),
        (
            {"layers": {"episodic": {"participation": {"recall": "on"}}}},
            "invalid-mode",
            "memory.topology.layers.episodic.participation.recall",
        ),
        (
            {"layers": {"episodic": {"participation": {"read": "off"}}}},
            "invalid-topology",
            "memory.topology.layers.episodic.participation.read",
        ),
        (
            {"layers": {"episodic": {"adapter_ids": ["No"]}}},
            "invalid-id",
            "memory.topology.layers.episodic.adapter_ids",
        ),
        (
            {"layers": {"episodic": {"adapter_ids": ["other"]}}},
            "adapter-unavailable",
            "memory.topology.layers.episodic.adapter_ids",
        ),
    ],
)
def test_what_the_file_says_wrong_is_named_by_its_path(table: dict[str, Any], code: str, path: str) -> None:
    error = failure(table)
    assert error.code == code
    assert path in error.message
    assert (error.details or {}).get("path") == path
    assert error.hint


def test_at_most_sixty_four_layers_are_configured() -> None:
    tables = {f"layer-{number}": {"enabled": False} for number in range(64)}
    assert len(built({"layers": tables}).ignored) == 64
    error = failure({"layers": {**tables, "one-more": {"enabled": False}}})
    assert error.code == "invalid-topology"


def test_an_enabled_layer_that_projects_needs_a_source_and_the_remedies_are_named() -> None:
    found = built({"layers": {"episodic": {}}}).definition
    descriptors = catalog().snapshot().layers
    with pytest.raises(KernelFailure) as caught:
        require_sources(found, descriptors, [item.id for item in DEFAULT_LAYERS])
    assert caught.value.code == "source-missing"
    assert "episodic" in caught.value.message
    assert "participation.projection manual" in (caught.value.hint or "")
    require_sources(found, descriptors, [*(item.id for item in DEFAULT_LAYERS), "episodic"])
    manual = built({"layers": {"episodic": {"participation": {"projection": "manual"}}}}).definition
    require_sources(manual, descriptors, [item.id for item in DEFAULT_LAYERS])


@pytest.mark.parametrize(("name", "good"), [("notes", True), ("a-b", True), ("Notes", False), ("no.tes", False)])
def test_a_name_that_is_no_id_is_refused_and_not_rewritten(name: str, good: bool) -> None:
    assert (adapter_problem(name) is None) is good


def test_the_id_of_a_layer_is_taken_as_it_is_written() -> None:
    error = failure({"layers": {" episodic": {}}})
    assert error.code == "invalid-id"
    assert (error.details or {})["path"] == "memory.topology.layers. episodic"
