from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from tests.kernel.graphs import TEST_STRATEGY, FunctionStrategy, Graph, asking, one_step_each, proposing
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.contracts import Proposal, Request, StepProposal, StrategyContext
from zeroclaw_cli.kernel.strategy_plugin import define_strategy_plugin, read_manifest

MANIFEST: dict[str, Any] = {
    "apiVersion": "dsh-mnemon/v1alpha1",
    "kind": "MemoryStrategyPlugin",
    "metadata": {"id": "test-strategy", "version": "1", "label": "Test", "description": "For tests"},
    "permissions": {
        "layerIds": ["documents", "memory-spaces", "documents"],
        "adapterIds": ["own-store"],
        "capabilities": ["recall", "search", "recall"],
        "maxSteps": 2,
    },
}


def changed(path: str, value: object) -> dict[str, Any]:
    manifest = copy.deepcopy(MANIFEST)
    *parents, last = path.split(".")
    place = manifest
    for name in parents:
        place = place[name]
    place[last] = value
    return manifest


def code_of(call: Any) -> str:
    with pytest.raises(KernelFailure) as caught:
        call()
    return caught.value.code


def wrapped(function: Any, manifest: dict[str, Any] = MANIFEST) -> Any:
    return define_strategy_plugin(manifest, FunctionStrategy(function)).strategy


def test_a_manifest_keeps_the_order_of_its_lists_without_duplicates() -> None:
    found = read_manifest(MANIFEST)
    assert found.permissions.layer_ids == ("documents", "memory-spaces")
    assert found.permissions.capabilities == ("recall", "search")
    assert found.warnings == ()
    assert read_manifest(found.to_json()) == found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("apiVersion", "dsh-mnemon/v1"),
        ("apiVersion", None),
        ("kind", "Strategy"),
        ("extra", 1),
        ("metadata", []),
        ("metadata.id", ""),
        ("metadata.version", ""),
        ("metadata.label", "x" * 101),
        ("metadata.description", 5),
        ("metadata.author", "x"),
        ("permissions", None),
        ("permissions.network", True),
        ("permissions.layerIds", "documents"),
        ("permissions.layerIds", [1]),
        ("permissions.capabilities", ["recall", "remember"]),
        ("permissions.maxSteps", 0),
        ("permissions.maxSteps", 101),
        ("permissions.maxSteps", True),
        ("permissions.maxSteps", 1.0),
        ("permissions.maxSteps", None),
    ],
)
def test_what_is_no_manifest_is_refused(path: str, value: object) -> None:
    assert code_of(lambda: read_manifest(changed(path, value))) == "invalid-manifest"


@pytest.mark.parametrize("path", ["metadata.id", "permissions.layerIds", "permissions.adapterIds"])
def test_an_id_that_is_none_is_refused(path: str) -> None:
    value: object = "No-Id" if path == "metadata.id" else ["No-Id"]
    assert code_of(lambda: read_manifest(changed(path, value))) == "invalid-id"


@pytest.mark.parametrize(("path", "value"), [("metadata.id", "other"), ("metadata.version", "2")])
def test_a_manifest_for_another_strategy_is_refused(path: str, value: str) -> None:
    strategy = FunctionStrategy(one_step_each)
    assert code_of(lambda: define_strategy_plugin(changed(path, value), strategy)) == "invalid-manifest"


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("metadata.id", "test-", "ends with '-'"),
        ("metadata.id", "te--st", "has '--'"),
        ("permissions.layerIds", [], "permissions.layerIds is empty"),
        ("permissions.capabilities", [], "permissions.capabilities is empty"),
    ],
)
def test_what_is_allowed_and_useless_is_a_warning(path: str, value: object, says: str) -> None:
    (warning,) = read_manifest(changed(path, value)).warnings
    assert says in warning


def test_a_request_for_another_capability_never_reaches_the_strategy() -> None:
    inner = FunctionStrategy(one_step_each)
    strategy = define_strategy_plugin(MANIFEST, inner).strategy
    descriptor = Graph().kernel.descriptor()
    assert code_of(lambda: strategy.propose(asking("write"), descriptor)) == "permission-capability"
    assert inner.calls == 0


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([StepProposal("documents", "recall")] * 3, "permission-steps"),
        ([StepProposal("runtime", "recall")], "permission-layer"),
        ([StepProposal("documents", "read")], "permission-capability"),
        ([StepProposal("documents", "recall", "other-store")], "permission-adapter"),
        # A step that breaks several permissions is refused for its layer first.
        ([StepProposal("runtime", "read", "other-store")], "permission-layer"),
    ],
)
def test_a_step_beyond_the_permissions_is_refused(steps: list[StepProposal], code: str) -> None:
    strategy = wrapped(proposing(*steps))
    assert code_of(lambda: strategy.propose(asking(), Graph().kernel.descriptor())) == code


def test_without_adapters_no_adapter_may_be_named() -> None:
    strategy = wrapped(
        proposing(StepProposal("documents", "recall", "own-store")), changed("permissions.adapterIds", [])
    )
    assert code_of(lambda: strategy.propose(asking(), Graph().kernel.descriptor())) == "permission-adapter"


def test_no_steps_pass_the_wrapper_and_fail_in_the_kernel() -> None:
    graph = Graph()
    strategy = wrapped(proposing())
    assert strategy.propose(asking(), graph.kernel.descriptor()).steps == ()
    graph.dispose_strategy()
    graph.catalog.register_strategy(strategy)
    assert code_of(lambda: graph.kernel.plan(asking())) == "no-steps"


def test_the_callable_is_captured_when_the_plugin_is_defined() -> None:
    inner = FunctionStrategy(proposing(StepProposal("documents", "recall")))
    strategy = define_strategy_plugin(MANIFEST, inner).strategy

    def replaced(request: Request, context: StrategyContext) -> Proposal:
        raise AssertionError("this came later")

    inner.propose = replaced  # type: ignore[method-assign]
    assert len(strategy.propose(asking(), Graph().kernel.descriptor()).steps) == 1


def test_the_kernel_checks_a_wrapped_strategy_as_any_other() -> None:
    graph = Graph(modes="off")
    graph.dispose_strategy()
    graph.catalog.register_strategy(wrapped(proposing(StepProposal("documents", "recall"))))
    assert code_of(lambda: graph.kernel.plan(asking())) == "participation-denied"
    assert code_of(lambda: graph.kernel.plan(asking("write"))) == "permission-capability"


def test_what_a_wrapped_strategy_returns_must_be_a_proposal() -> None:
    descriptor = Graph().kernel.descriptor()
    assert code_of(lambda: wrapped(lambda request, context: None).propose(asking(), descriptor)) == "strategy-error"


def test_the_smaller_of_manifest_and_budget_limits_the_steps() -> None:
    graph = Graph()
    graph.dispose_strategy()
    graph.catalog.register_strategy(wrapped(proposing(*[StepProposal("documents", "recall")] * 2)))
    request = asking()
    assert len(graph.kernel.plan(request).steps) == 2
    from zeroclaw_cli.kernel.contracts import Budget

    assert code_of(lambda: graph.kernel.plan(replace(request, budget=Budget(max_steps=1)))) == "budget-exceeded"


def test_a_descriptor_that_is_none_is_refused() -> None:
    broken = FunctionStrategy(one_step_each, replace(TEST_STRATEGY, hooks=("dancing",)))
    assert code_of(lambda: define_strategy_plugin(MANIFEST, broken)) == "invalid-descriptor"


def test_a_manifest_that_was_made_by_hand_is_read_too_and_not_shared() -> None:
    found = read_manifest(MANIFEST)
    odd: Any
    for odd in (0, 101, True, 1.5):
        odd = replace(found, permissions=replace(found.permissions, max_steps=odd))
        with pytest.raises(KernelFailure) as caught:
            define_strategy_plugin(odd, FunctionStrategy(one_step_each))
        assert caught.value.code == "invalid-manifest"
    plugin = define_strategy_plugin(found, FunctionStrategy(one_step_each))
    object.__setattr__(found.permissions, "layer_ids", ("everything",))
    assert plugin.strategy.permissions == read_manifest(MANIFEST).permissions
