from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.graphs import adapter_descriptor, asking, layer_descriptor
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.components import (
    CatalogSnapshot,
    Participation,
    StrategyDescriptor,
    SystemDescriptor,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.limits import CAPABILITIES, STORAGES, TRIGGERS
from zeroclaw_cli.kernel.operations import Budget, Request, Scope
from zeroclaw_cli.kernel.planning import dry_plan
from zeroclaw_cli.kernel.strategies.rules import RulesStrategy, When, read_rules, refusals, remarks
from zeroclaw_cli.kernel.strategy_plugin import Permissions

DESCRIPTOR = StrategyDescriptor("ruled", "1", "Ruled", "By rules", ("placement",), True)


def system(**layers: TopologyLayer) -> SystemDescriptor:
    entries = layers or {
        "documents": TopologyLayer("documents", True, Participation.all("automatic")),
        "memory-spaces": TopologyLayer("memory-spaces", True, Participation.all("automatic"), ("one", "two")),
    }
    found = {layer.id: layer for layer in entries.values()}
    catalog = CatalogSnapshot(
        1,
        tuple(layer_descriptor(id_) for id_ in found),
        (adapter_descriptor("one"), adapter_descriptor("two", ["recall"])),
        (DESCRIPTOR,),
    )
    return SystemDescriptor(catalog, TopologySnapshot("t", "ruled", tuple(found.values()), 1, 1, "now"))


def steps(
    text: str, request: Request, descriptor: SystemDescriptor | None = None, granted: tuple[str, ...] = ()
) -> list[str]:
    """What the rules propose, as ``layer`` or ``layer/adapter``; every step holds the kernel's rules, and names an
    adapter where the layer has some."""
    picture = descriptor or system()
    found = RulesStrategy(DESCRIPTOR, read_rules(text), granted).propose(request, picture)
    bound = {layer.id: layer.adapter_ids for layer in picture.topology.layers}
    assert not any(step.adapter_id is None and bound[step.layer_id] for step in found.steps)
    if found.steps:
        dry_plan(picture, request, found, DESCRIPTOR)
    return [step.layer_id + (f"/{step.adapter_id}" if step.adapter_id else "") for step in found.steps]


BOTH = '[[rule]]\nlayers = ["memory-spaces", "documents"]\n'


def test_the_first_rule_that_holds_is_used() -> None:
    text = '[[rule]]\nwhen = { capability = "read" }\nlayers = ["documents"]\n' + BOTH
    assert steps(text, asking("read")) == ["documents"]
    assert steps(text, asking("recall")) == ["memory-spaces/one", "memory-spaces/two", "documents"]


def test_no_rule_means_no_steps_and_a_reason() -> None:
    text = '[[rule]]\nwhen = { capability = "read" }\nlayers = ["documents"]\n'
    found = RulesStrategy(DESCRIPTOR, read_rules(text)).propose(asking("recall"), system())
    assert found.steps == ()
    assert found.reason == "no rule is for this request"


@pytest.mark.parametrize(
    ("when", "request_", "holds"),
    [
        ('trigger = "manual"', asking(trigger="manual"), True),
        ('trigger = "manual"', asking(trigger="system"), False),
        ('trigger = ["system", "automatic"]', asking(trigger="system"), True),
        ('storage = "global"', asking(scope=Scope("global")), True),
        ('storage = "global"', asking(scope=Scope("workspace")), False),
        ("budget = { max_results = 5 }", asking(budget=Budget(max_results=5)), True),
        ("budget = { max_results = 5 }", asking(budget=Budget(max_results=6)), False),
        ("budget = { max_results = 5 }", asking(budget=Budget(max_steps=1)), False),
        ("budget = { max_results = 5 }", asking(), False),
        ("budget = { max_tokens = 9, timeout_ms = 9 }", asking(budget=Budget(max_tokens=9, timeout_ms=1)), True),
        ("budget = { max_tokens = 9, timeout_ms = 9 }", asking(budget=Budget(max_tokens=9)), False),
    ],
)
def test_conditions(when: str, request_: Request, holds: bool) -> None:
    text = f'[[rule]]\nwhen = {{ {when} }}\nlayers = ["documents"]\n'
    assert steps(text, request_) == (["documents"] if holds else [])


def test_a_layer_that_cannot_or_may_not_gets_no_step() -> None:
    entry = system().topology.layers[0]
    for changed in (
        replace(entry, enabled=False),
        replace(entry, participation=Participation.all("off")),
        replace(entry, participation=Participation(recall="manual")),
    ):
        request = asking(trigger="automatic")
        other = replace(system().topology.layers[1], adapter_ids=())
        assert steps(BOTH, request, system(a=changed, b=other)) == ["memory-spaces"]
    assert steps('[[rule]]\nlayers = ["elsewhere", "documents"]\n', asking()) == ["documents"]
    assert steps(BOTH, asking(candidate_layer_ids=("documents",))) == ["documents"]


def test_adapters_get_a_step_where_they_are_bound_and_can() -> None:
    both = '[[rule]]\nlayers = ["documents", "memory-spaces"]\nadapters = ["two", "one", "three"]\n'
    assert steps(both, asking("recall")) == ["memory-spaces/two", "memory-spaces/one"]
    assert steps(both, asking("write")) == ["memory-spaces/one"]
    own = both + "own_store = true\n"
    assert steps(own, asking("write")) == ["documents", "memory-spaces/one"]


def test_a_rule_without_adapters_reaches_those_that_are_bound_and_can() -> None:
    assert steps(BOTH, asking("recall")) == ["memory-spaces/one", "memory-spaces/two", "documents"]
    assert steps(BOTH, asking("write")) == ["memory-spaces/one", "documents"]
    assert steps(BOTH, asking("recall", adapter_ids=("two",))) == ["memory-spaces/two", "documents"]
    unable = replace(system().topology.layers[1], adapter_ids=("two",))
    assert steps(BOTH, asking("write"), system(a=unable)) == []


def test_a_rule_without_adapters_names_of_the_bound_ones_those_that_are_granted() -> None:
    assert steps(BOTH, asking("recall"), granted=("two", "three")) == ["memory-spaces/two", "documents"]
    # Not one of them: the manifest refuses what is named, and no step goes past the adapters.
    assert steps(BOTH, asking("write"), granted=("two",)) == ["memory-spaces/one", "documents"]
    named = BOTH + 'adapters = ["one"]\n'
    assert steps(named, asking("recall"), granted=("two",)) == ["memory-spaces/one"]


def test_a_request_that_names_adapters_gets_those_and_nothing_beside() -> None:
    own = '[[rule]]\nlayers = ["memory-spaces"]\nadapters = ["one", "two"]\nown_store = true\n'
    assert steps(own, asking(adapter_ids=("one",))) == ["memory-spaces/one"]
    assert steps(own, asking(adapter_ids=())) == []


def test_max_steps_of_a_rule_cuts_it_and_the_input_goes_along() -> None:
    text = BOTH + 'max_steps = 1\nreason = " why "\n'
    found = RulesStrategy(DESCRIPTOR, read_rules(text)).propose(asking(), system())
    assert [(step.layer_id, step.adapter_id) for step in found.steps] == [("memory-spaces", "one")]
    assert found.steps[0].input == asking().input
    assert found.reason == "why"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "rule"),
        ("rule = 1", "rule"),
        ("x = 1", ""),
        ("[[rule]]\n", "rule 1.layers"),
        ("[[rule]]\nlayers = []\n", "rule 1.layers"),
        ('[[rule]]\nlayers = "documents"\n', "rule 1.layers"),
        ('[[rule]]\nlayers = ["Documents"]\n', "rule 1.layers"),
        ("[[rule]]\nlayers = [1]\n", "rule 1.layers"),
        (BOTH + "adapter = []\n", "rule 1"),
        (BOTH + 'adapters = ["_"]\n', "rule 1.adapters"),
        (BOTH + 'own_store = "yes"\n', "rule 1.own_store"),
        (BOTH + "own_store = false\n", "rule 1.own_store"),
        (BOTH + "max_steps = 0\n", "rule 1.max_steps"),
        (BOTH + "max_steps = 101\n", "rule 1.max_steps"),
        (BOTH + "max_steps = true\n", "rule 1.max_steps"),
        (BOTH + 'reason = " "\n', "rule 1.reason"),
        (BOTH + "when = 1\n", "rule 1.when"),
        (BOTH + "when = { scope = 1 }\n", "rule 1.when"),
        (BOTH + 'when = { capability = "remember" }\n', "rule 1.when.capability"),
        (BOTH + "when = { capability = [] }\n", "rule 1.when.capability"),
        (BOTH + BOTH + "when = { trigger = 1 }\n", "rule 2.when.trigger"),
        (BOTH + "when = { budget = { maxSteps = 1 } }\n", "rule 1.when.budget"),
        (BOTH + "when = { budget = { max_steps = 101 } }\n", "rule 1.when.budget.max_steps"),
        ("[[rule]\n", ""),
    ],
)
def test_what_is_wrong_names_the_rule_and_the_key(text: str, place: str) -> None:
    with pytest.raises(KernelFailure) as caught:
        read_rules(text)
    assert caught.value.code == "invalid-rules"
    assert caught.value.details == {"field": place}
    assert "\n" not in caught.value.message


GRANTED = Permissions(("documents", "memory-spaces"), ("one",), ("recall",), 2)


def test_what_is_not_granted_is_told() -> None:
    text = '[[rule]]\nlayers = ["documents", "runtime"]\nadapters = ["two"]\n'
    assert refusals(read_rules(text), GRANTED) == ["rule 1 names the layer runtime", "rule 1 names the adapter two"]
    assert refusals(read_rules(BOTH), GRANTED) == []


def test_what_was_probably_not_meant_is_told() -> None:
    text = BOTH + '[[rule]]\nwhen = { capability = ["recall", "write"] }\nlayers = ["documents"]\n'
    assert remarks(read_rules(text), GRANTED) == [
        "rule 2 is never reached: rule 1 takes all of its requests",
        "rule 2 is for write, which permissions.capabilities does not grant",
    ]
    narrow = Permissions(("documents", "memory-spaces"), ("one", "two"), ("recall",), 3)
    assert remarks(read_rules(BOTH), narrow) == ["rule 1 can propose 4 steps, and maxSteps is 3"]
    assert remarks(read_rules(BOTH + 'adapters = ["one"]\n'), narrow) == ["granted but used by no rule: two"]


words = st.none() | st.frozensets(st.sampled_from(CAPABILITIES), min_size=1, max_size=4)
conditions = st.builds(
    When,
    words,
    st.none() | st.frozensets(st.sampled_from(TRIGGERS), min_size=1),
    st.none() | st.frozensets(st.sampled_from(STORAGES), min_size=1),
    st.dictionaries(st.sampled_from(["max_steps", "max_results"]), st.integers(1, 3)),
)
requests = st.builds(
    lambda capability, trigger, storage, budget: asking(
        capability, trigger=trigger, scope=Scope(storage), budget=budget
    ),
    st.sampled_from(CAPABILITIES),
    st.sampled_from(TRIGGERS),
    st.sampled_from(STORAGES),
    st.none() | st.builds(Budget, st.none() | st.integers(1, 4), st.none() | st.integers(1, 4)),
)


@given(conditions, conditions, requests)
def test_a_rule_that_covers_another_holds_wherever_that_does(one: When, other: When, request_: Request) -> None:
    if one.covers(other) and other.holds(request_):
        assert one.holds(request_)


layer_ids = st.sampled_from(["documents", "memory-spaces", "elsewhere"])
tables = st.fixed_dictionaries(
    {"layers": st.lists(layer_ids, min_size=1, max_size=3)},
    optional={
        "adapters": st.lists(st.sampled_from(["one", "two", "three"]), min_size=1, max_size=3),
        "max_steps": st.integers(1, 3),
        "when": st.fixed_dictionaries({}, optional={"trigger": st.sampled_from(TRIGGERS)}),
    },
)
entries = st.builds(
    lambda enabled, mode: TopologyLayer("documents", enabled, Participation.all(mode)),
    st.booleans(),
    st.sampled_from(["off", "manual", "automatic"]),
)
topologies = st.builds(
    lambda one, other: system(a=one, b=replace(other, id="memory-spaces", adapter_ids=("one", "two"))),
    entries,
    entries,
)


@given(st.lists(tables, min_size=1, max_size=3), requests, topologies)
def test_every_proposal_of_rules_holds_the_kernels_rules(
    rules: list[dict[str, Any]], request_: Request, descriptor: SystemDescriptor
) -> None:
    from zeroclaw_cli.config.toml_text import render

    text = "".join(
        "[[rule]]\n" + "".join(f"{key} = {render(value)}\n" for key, value in rule.items()) for rule in rules
    )
    request_ = replace(request_, budget=None)
    steps(text, request_, descriptor)
