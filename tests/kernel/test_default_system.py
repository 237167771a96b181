from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.graphs import Clock, Ids, asking
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.contracts import AdapterDescriptor, Participation, Plan
from zeroclaw_cli.kernel.default_system import DEFAULT_LAYERS, DEFAULT_TOPOLOGY, default_three_tier
from zeroclaw_cli.kernel.kernel import MemoryKernel
from zeroclaw_cli.kernel.limits import CAPABILITIES
from zeroclaw_cli.kernel.topology import TopologyManager

ALL = ["runtime", "documents", "memory-spaces"]
# Which layers a request reaches by default, from the table of specs/memory-kernel.md §11.
ROUTES = {
    "status": ALL,
    "project": ALL,
    "recall": ["documents", "memory-spaces"],
    "search": ["documents", "memory-spaces"],
    "read": ALL,
    "browse": ["documents", "memory-spaces"],
    "write": ALL,
    "archive": ["documents"],
    "graph": ["memory-spaces"],
    "related": ["memory-spaces"],
    "link": ["memory-spaces"],
    "forget": ["memory-spaces"],
    "maintain": ALL,
    "export": ALL,
    "import": ALL,
}


class System:
    def __init__(self) -> None:
        self.catalog = MemoryCatalog()
        self.dispose = default_three_tier(self.catalog, {})
        self.topology = TopologyManager(self.catalog, DEFAULT_TOPOLOGY, now=Clock())
        self.kernel = MemoryKernel(self.catalog, self.topology, now=Clock(), new_id=Ids())


def layers_of(plan: Plan) -> list[str]:
    return [step.layer_id for step in plan.steps]


def adapter(id_: str, capabilities: tuple[str, ...] = CAPABILITIES) -> AdapterDescriptor:
    return AdapterDescriptor(id_, id_, "A store", "local", ("global",), capabilities)


def test_registering_the_default_system_brings_a_new_catalog_to_four() -> None:
    system = System()
    assert system.catalog.generation == 4
    system.dispose()
    system.dispose()
    assert system.catalog.generation == 8
    assert system.catalog.snapshot().layers == ()


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("trigger", ["manual", "automatic", "system"])
def test_the_default_routes_are_those_of_the_table(capability: str, trigger: str) -> None:
    plan = System().kernel.plan(asking(capability, trigger=trigger))
    assert layers_of(plan) == ROUTES[capability]
    assert all(step.adapter_id is None and step.input == {"query": "what was decided"} for step in plan.steps)


def test_the_order_is_that_of_the_topology_and_not_of_the_catalog() -> None:
    system = System()
    body: dict[str, Any] = DEFAULT_TOPOLOGY.to_json()
    body["layers"] = list(reversed(body["layers"]))
    system.topology.replace(body)
    assert layers_of(system.kernel.plan(asking("status"))) == list(reversed(ALL))


def test_candidates_narrow_the_route_and_an_empty_list_means_no_layer() -> None:
    kernel = System().kernel
    assert layers_of(kernel.plan(asking("write", candidate_layer_ids=("documents",)))) == ["documents"]
    with pytest.raises(KernelFailure) as caught:
        kernel.plan(asking("write", candidate_layer_ids=()))
    assert caught.value.code == "no-steps"


def test_a_layer_that_refuses_the_trigger_is_passed_over() -> None:
    system = System()
    system.topology.configure_layer("documents", participation=Participation(recall="manual"))
    assert layers_of(system.kernel.plan(asking("recall", trigger="automatic"))) == ["memory-spaces"]
    assert layers_of(system.kernel.plan(asking("recall"))) == ["documents", "memory-spaces"]


def test_a_disabled_layer_is_passed_over() -> None:
    system = System()
    system.topology.configure_layer("memory-spaces", enabled=False)
    assert layers_of(system.kernel.plan(asking("recall"))) == ["documents"]


def test_bound_adapters_get_one_step_each_and_the_request_may_choose_among_them() -> None:
    system = System()
    for id_ in ("first-store", "second-store"):
        system.catalog.register_adapter(adapter(id_))
    system.topology.configure_layer("memory-spaces", adapter_ids=("second-store", "first-store"))
    request = asking("recall", candidate_layer_ids=("memory-spaces",))
    assert [step.adapter_id for step in system.kernel.plan(request).steps] == ["second-store", "first-store"]
    one = asking("recall", candidate_layer_ids=("memory-spaces",), adapter_ids=("first-store",))
    assert [step.adapter_id for step in system.kernel.plan(one).steps] == ["first-store"]
    none = asking("recall", candidate_layer_ids=("memory-spaces",), adapter_ids=("other-store",))
    assert [step.adapter_id for step in system.kernel.plan(none).steps] == [None]


def test_a_bound_adapter_that_cannot_do_it_is_passed_over_unless_none_can() -> None:
    system = System()
    system.catalog.register_adapter(adapter("whole"))
    system.catalog.register_adapter(adapter("simple", ("recall", "write")))
    request = asking("maintain", candidate_layer_ids=("memory-spaces",))
    system.topology.configure_layer("memory-spaces", adapter_ids=("simple", "whole"))
    assert [step.adapter_id for step in system.kernel.plan(request).steps] == ["whole"]
    system.topology.configure_layer("memory-spaces", adapter_ids=("simple",))
    with pytest.raises(KernelFailure, match="adapter simple does not do maintain") as caught:
        system.kernel.plan(request)
    assert caught.value.code == "adapter-unsupported"
    assert caught.value.hint is not None and "(simple)" in caught.value.hint


def test_a_second_default_system_leaves_nothing_of_itself_behind() -> None:
    system = System()
    with pytest.raises(KernelFailure) as caught:
        default_three_tier(system.catalog, {})
    assert caught.value.code == "duplicate-id"
    assert [layer.id for layer in system.catalog.snapshot().layers] == ALL


def test_the_layers_are_described_within_the_limits() -> None:
    catalog = MemoryCatalog()
    for layer in DEFAULT_LAYERS:
        catalog.register_layer(layer)
    assert [layer.order for layer in catalog.snapshot().layers] == [100, 200, 300]
