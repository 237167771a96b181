from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kernel.artefacts import change, folder, line, requests_of, store_in, system, unheard
from tests.kernel.graphs import FunctionStrategy, adapter_descriptor, asking, proposing
from zeroclaw_cli.config.model import Security
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.components import SystemDescriptor
from zeroclaw_cli.kernel.default_system import DEFAULT_TOPOLOGY, DefaultStrategy, default_three_tier
from zeroclaw_cli.kernel.operations import Proposal, StepProposal
from zeroclaw_cli.kernel.strategies import pipeline
from zeroclaw_cli.kernel.strategies.artefact import Kind, read_artefact
from zeroclaw_cli.kernel.strategies.loading import load
from zeroclaw_cli.kernel.strategies.shadow import compare, read_requests
from zeroclaw_cli.kernel.strategies.template import create
from zeroclaw_cli.kernel.topology import TopologyManager

SECRET = "the secret of the cellar"


def outcome(active: Any, candidate: Any) -> str:
    report = compare([asking(input={"query": SECRET})], system(), active, candidate)
    return report.rows[0].outcome


def documents(**changes: Any) -> FunctionStrategy:
    return FunctionStrategy(proposing(StepProposal("documents", "recall", **changes)))


def refusing() -> FunctionStrategy:
    return FunctionStrategy(proposing())


def raising(error: BaseException) -> FunctionStrategy:
    def propose(request: Any, context: Any) -> Proposal:
        raise error

    return FunctionStrategy(propose)


def test_equal_steps_are_the_same_and_others_are_different() -> None:
    assert outcome(documents(), documents()) == "same"
    assert outcome(documents(), documents(input={"query": "other"})) == "different"
    spaces = FunctionStrategy(proposing(StepProposal("memory-spaces", "recall")))
    assert outcome(documents(), spaces) == "different"
    both = FunctionStrategy(proposing(StepProposal("documents", "recall"), StepProposal("memory-spaces", "recall")))
    turned = FunctionStrategy(proposing(StepProposal("memory-spaces", "recall"), StepProposal("documents", "recall")))
    assert outcome(both, turned) == "different"


def test_whose_error_it_is() -> None:
    assert outcome(documents(), refusing()) == "candidate-error"
    assert outcome(documents(), raising(RuntimeError("no"))) == "candidate-error"
    assert outcome(refusing(), documents()) == "active-error"
    assert outcome(refusing(), refusing()) == "active-error"
    assert outcome(None, documents()) == "active-error"


def test_only_a_candidate_that_fails_where_the_other_does_not_fails_the_stage() -> None:
    requests = [asking(), asking("write")]
    assert compare(requests, system(), None, documents()).ok
    assert compare(requests, system(), refusing(), refusing()).ok
    assert not compare(requests, system(), DefaultStrategy(), documents()).ok
    assert compare(requests, system(), DefaultStrategy(), DefaultStrategy()).counts == {
        "same": 2,
        "different": 0,
        "candidate-error": 0,
        "active-error": 0,
    }


def bound(*adapter_ids: str) -> SystemDescriptor:
    """The default system with stores bound to the single memories."""
    catalog = MemoryCatalog()
    default_three_tier(catalog, {})
    for id_ in adapter_ids:
        catalog.register_adapter(adapter_descriptor(id_))
    topology = TopologyManager(catalog, DEFAULT_TOPOLOGY)
    topology.configure_layer("memory-spaces", adapter_ids=adapter_ids)
    return topology.descriptor()


def test_a_step_that_names_no_adapter_where_some_are_bound_is_an_error_of_whose_it_is() -> None:
    past = FunctionStrategy(proposing(StepProposal("memory-spaces", "recall")))
    (row,) = compare([asking()], bound("native", "wnotes"), DefaultStrategy(), past).rows
    assert (row.outcome, row.candidate.code) == ("candidate-error", "adapter-missing")
    assert "memory-spaces keeps its memories in native, wnotes" in row.candidate.describe()
    assert compare([asking()], bound("native"), past, DefaultStrategy()).rows[0].outcome == "active-error"
    assert compare([asking()], bound(), DefaultStrategy(), past).rows[0].outcome == "different"


@pytest.mark.parametrize("kind", ["rules", "python"])
def test_a_new_strategy_reaches_the_stores_that_it_is_granted(tmp_path: Path, kind: Kind) -> None:
    store = store_in(tmp_path)
    artefact = read_artefact(create(tmp_path, "mine", kind, ("native", "wnotes")).directory)
    store.trust(artefact.digest)
    assert pipeline.check(store, artefact, Security(), unheard).ok(strict=True)
    assert pipeline.replay(store, artefact, unheard).ok
    asked = [asking(), asking("write", candidate_layer_ids=("memory-spaces",), adapter_ids=("native",))]
    active = DefaultStrategy()
    report = pipeline.shadowed(store, artefact, asked, bound("native", "wnotes"), active, unheard, source="cases")
    assert [row.outcome for row in report.rows] == ["same", "same"]


@pytest.mark.parametrize("kind", ["rules", "python"])
def test_a_new_strategy_that_is_granted_no_store_fails_where_some_are_bound(tmp_path: Path, kind: Kind) -> None:
    store = store_in(tmp_path)
    artefact = read_artefact(create(tmp_path, "mine", kind).directory)
    store.trust(artefact.digest)
    assert pipeline.replay(store, artefact, unheard).ok
    active = DefaultStrategy()
    report = pipeline.shadowed(store, artefact, [asking()], bound("native"), active, unheard, source="cases")
    assert not report.ok
    assert report.rows[0].candidate.code == "permission-adapter"


def test_nothing_compared_is_nothing_passed() -> None:
    assert not compare([], system(), DefaultStrategy(), DefaultStrategy()).ok


def test_what_was_asked_is_not_shown() -> None:
    report = compare([asking(input={"query": SECRET})], system(), documents(input={"query": SECRET}), documents())
    assert SECRET not in line(report.rows[0].to_json())
    assert SECRET not in report.rows[0].active.describe()


def test_both_are_asked_once_for_each_request_and_nobody_is_executed() -> None:
    active, candidate = documents(), documents()
    compare([asking()] * 3, system(), active, candidate)
    assert (active.calls, candidate.calls) == (3, 3)


def test_a_new_strategy_plans_what_the_default_one_does(tmp_path: Path) -> None:
    loaded = load(read_artefact(folder(tmp_path)))
    report = compare(requests_of(loaded.artefact), system(), DefaultStrategy(), loaded.plugin.strategy)
    assert report.ok
    assert report.counts["same"] > 4


def test_the_permissions_hold_in_the_shadow_too(tmp_path: Path) -> None:
    directory = folder(tmp_path)
    change(directory, "strategy.toml", '"documents", ', "")
    loaded = load(read_artefact(directory))
    report = compare([asking()], system(), DefaultStrategy(), loaded.plugin.strategy)
    assert report.rows[0].candidate.code == "permission-layer"


def test_requests_are_read_from_lines_and_from_cases() -> None:
    request = asking().to_json()
    text = "\ufeff" + line(request) + "\n" + line({"name": "x", "request": request})
    assert read_requests(text, "requests.jsonl") == (asking(), asking())


@pytest.mark.parametrize("text", ["{", "[]", "1", "{}", line({"request": {}}), "[" * 100_000])
def test_a_line_that_is_no_request_is_named(text: str) -> None:
    with pytest.raises(KernelFailure) as caught:
        read_requests(line(asking().to_json()) + text, "requests.jsonl")
    assert caught.value.code == "invalid-request"
    assert "requests.jsonl:2" in caught.value.message
