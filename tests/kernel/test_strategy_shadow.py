from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kernel.artefacts import change, folder, line, requests_of, system
from tests.kernel.graphs import FunctionStrategy, asking, proposing
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.default_system import DefaultStrategy
from zeroclaw_cli.kernel.operations import Proposal, StepProposal
from zeroclaw_cli.kernel.strategies.artefact import read_artefact
from zeroclaw_cli.kernel.strategies.loading import load
from zeroclaw_cli.kernel.strategies.shadow import compare, read_requests

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
