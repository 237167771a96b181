from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from threading import Event
from typing import Any

import pytest

from tests.kernel.graphs import FunctionStrategy, adapter_descriptor, asking, layer_descriptor, one_step_each
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.contracts import (
    CatalogSnapshot,
    Participation,
    Proposal,
    Request,
    StepProposal,
    StrategyContext,
    StrategyDescriptor,
    SystemDescriptor,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.default_system import DEFAULT_STRATEGY, DefaultStrategy
from zeroclaw_cli.kernel.limits import CAPABILITIES
from zeroclaw_cli.kernel.replay import ReplayReport, replay_cases, replay_strategy
from zeroclaw_cli.kernel.replay_cases import CATEGORIES, ReplayCase, read_case, read_cases
from zeroclaw_cli.kernel.strategy_plugin import StrategyPlugin, define_strategy_plugin

ROUTER = StrategyDescriptor("router", "2", "Router", "For tests", ("placement",), True)
LAYERS = ("documents", "memory-spaces")


def manifest(**changes: Any) -> dict[str, Any]:
    permissions = {
        "layerIds": list(LAYERS),
        "adapterIds": ["shelf"],
        "capabilities": ["recall", "write"],
        "maxSteps": 4,
    }
    return {
        "apiVersion": "dsh-mnemon/v1alpha1",
        "kind": "MemoryStrategyPlugin",
        "metadata": {"id": "router", "version": "2", "label": "Router", "description": "For tests"},
        "permissions": permissions | changes,
    }


def system(**entries: TopologyLayer) -> SystemDescriptor:
    """Two layers on every channel; entries by layer id with _ for - replace theirs."""
    layers = tuple(
        entries.get(id_.replace("-", "_"), TopologyLayer(id_, True, Participation.all("automatic"))) for id_ in LAYERS
    )
    catalog = CatalogSnapshot(
        4, tuple(map(layer_descriptor, LAYERS)), (adapter_descriptor("box"), adapter_descriptor("shelf")), (ROUTER,)
    )
    return SystemDescriptor(catalog, TopologySnapshot("t", "router", layers, 1, 4, "2026-01-01T00:00:00.000Z"))


def route(request: Request, context: StrategyContext) -> Proposal:
    """A well-behaved strategy: enabled granted layers that the request accepts, by the shelf where it is bound."""
    steps = [
        StepProposal(layer.id, request.capability, "shelf" if "shelf" in layer.adapter_ids else None, request.input)
        for layer in context.topology.layers
        if layer.id in LAYERS
        and layer.enabled
        and (request.candidate_layer_ids is None or layer.id in request.candidate_layer_ids)
    ]
    return Proposal("router", "2", "as routed", tuple(steps))


def plugin(propose: Callable[[Request, StrategyContext], Any] = route, **permissions: Any) -> StrategyPlugin:
    return define_strategy_plugin(manifest(**permissions), FunctionStrategy(propose, ROUTER))


def case(name: str = "a case", category: str = "normal-routing", **changes: Any) -> ReplayCase:
    body: dict[str, Any] = {
        "name": name,
        "category": category,
        "request": asking("recall").to_json(),
        "descriptor": system().to_json(),
        "expect": {"steps": [{"layerId": "documents"}, {"layerId": "memory-spaces"}]},
    }
    return read_case(body | changes)


def golden() -> list[ReplayCase]:
    manual = TopologyLayer("documents", True, Participation.all("manual"))
    shelved = TopologyLayer("documents", True, Participation.all("automatic"), ("box",))
    return [
        case("both layers"),
        case(
            "a disabled layer is left out",
            "disabled-layer",
            descriptor=system(documents=TopologyLayer("documents")).to_json(),
            expect={"steps": [{"layerId": "memory-spaces"}]},
        ),
        case(
            "a manual layer refuses an automatic trigger",
            "trigger-boundary",
            request=asking("recall", trigger="automatic").to_json(),
            descriptor=system(documents=manual).to_json(),
            expect={"error": "participation-denied"},
        ),
        case(
            "without the shelf its layer goes without an adapter",
            "missing-adapter",
            descriptor=system(documents=shelved).to_json(),
        ),
        case(
            "one step is allowed",
            "budget-ceiling",
            request=asking("recall").to_json() | {"budget": {"maxSteps": 1}},
            expect={"error": "budget-exceeded"},
        ),
        case(
            "what is not granted",
            "escape",
            request=asking("forget").to_json(),
            expect={"error": "permission-capability"},
        ),
    ]


def failures(report: ReplayReport) -> dict[str, str | None]:
    return {result.name: result.detail for result in report.failed}


# replay_strategy


@dataclass
class Checked:
    request: Any
    descriptor: Any
    seen: list[Any] = field(default_factory=list)
    complaint: Exception | None = None

    def check(self, proposal: Any) -> None:
        self.seen.append(proposal)
        if self.complaint is not None:
            raise self.complaint


def test_each_case_is_proposed_for_and_then_checked() -> None:
    first, second = Checked(asking("recall"), system()), Checked(asking("write").to_json(), system().to_json())
    strategy = FunctionStrategy(route, ROUTER)
    assert replay_strategy(strategy, [first, second]) == 2
    assert [step.layer_id for step in first.seen[0].steps] == list(LAYERS)
    assert second.seen[0].steps[0].capability == "write"
    assert strategy.calls == 2


def test_the_first_failure_propagates_and_ends_the_replay() -> None:
    cases = [
        Checked(asking(), system()),
        Checked(asking(), system(), complaint=AssertionError("not so")),
        Checked(asking(), system()),
    ]
    with pytest.raises(AssertionError, match="not so"):
        replay_strategy(FunctionStrategy(route, ROUTER), cases)
    assert [len(case.seen) for case in cases] == [1, 1, 0]
    with pytest.raises(ZeroDivisionError):
        replay_strategy(FunctionStrategy(lambda request, context: 1 / 0, ROUTER), cases)


def test_a_proposal_of_no_steps_passes_a_replay_and_no_permission_is_asked() -> None:
    one = Checked(asking("forget"), system())
    assert replay_strategy(FunctionStrategy(lambda *_: Proposal("router", "2", "", ()), ROUTER), [one]) == 1
    assert one.seen[0].steps == ()


# Reading cases


def line(**changes: Any) -> str:
    body: dict[str, Any] = {
        "name": "a",
        "category": "escape",
        "request": asking().to_json(),
        "descriptor": system().to_json(),
        "expect": {"error": "no-steps"},
    }
    return json.dumps(body | changes, ensure_ascii=False)


def test_a_file_of_cases_is_read_line_by_line() -> None:
    text = "\ufeff" + line(name=" first ") + "\r\n\n   \n" + line(name="second\u2028") + "\n"
    assert [found.name for found in read_cases(text)] == ["first", "second"]
    assert read_cases("") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ("[" * 200_000, "line 2"),
        ('{"name": NaN}', "nan"),
        ('{"name": "a", "name": "b"}', "occurs twice"),
        (line(extra=1), "unknown key 'extra'"),
        (line(name=" "), "name must be text"),
        (line(name="x" * 201), "name must be text"),
        (line(category="other"), "must be one of: normal-routing"),
        (line(category=[]), "must be one of"),
        (line(request=[]), "request must be an object"),
        (line(descriptor=None), "descriptor must be an object"),
        (line(descriptor={"catalog": {}}), "topology"),
        (line(expect={}), "either steps or error"),
        (line(expect={"error": "x", "steps": []}), "either steps or error"),
        (line(expect={"error": "No Steps"}), "error code"),
        (line(expect={"steps": []}), "no-steps"),
        (line(expect={"steps": [{}]}), "layerId"),
        (line(expect={"steps": [{"layerId": "a", "capability": "dream"}]}), "is not a capability"),
        (line(expect={"steps": [{"layerId": "a", "adapterId": 7}]}), "adapterId"),
        (line(expect={"steps": [{"layerId": "a", "adapter": "x"}]}), "unknown key 'adapter'"),
        (line(name="first"), "already"),
    ],
)
def test_a_line_that_is_no_case_is_named(text: str, words: str) -> None:
    with pytest.raises(KernelFailure, match=words) as caught:
        read_cases(line(name="first") + "\n" + text, "cases.jsonl")
    assert caught.value.code == "invalid-case"
    assert "line 2 of cases.jsonl" in caught.value.message
    assert "\n" not in caught.value.message


# The runner


def test_a_strategy_that_keeps_the_rules_passes_with_the_shipped_escapes() -> None:
    report = replay_cases(plugin(), golden())
    assert failures(report) == {} and report.missing == () and report.ok
    own = [result for result in report.results if not result.shipped]
    assert [result.name for result in own] == [found.name for found in golden()]
    assert {result.category for result in report.results if result.shipped} == {"escape"}
    body = report.to_json()
    assert json.loads(json.dumps(body)) == body
    assert body["passed"] == len(report.results) and body["failed"] == 0


def test_the_default_strategy_passes_on_its_own_layers() -> None:
    body = manifest(layerIds=["runtime", *LAYERS], capabilities=list(CAPABILITIES), maxSteps=100)
    body["metadata"] |= {"id": DEFAULT_STRATEGY.id, "version": DEFAULT_STRATEGY.version}
    report = replay_cases(define_strategy_plugin(body, DefaultStrategy()), [case()])
    assert failures(report) == {}


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_without_a_case_of_its_own_is_missing(category: str) -> None:
    report = replay_cases(plugin(), [found for found in golden() if found.category != category])
    assert report.missing == (category,) and not report.ok and report.failed == ()


def test_without_cases_every_category_is_missing() -> None:
    assert replay_cases(plugin(), []).missing == CATEGORIES


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        ({"steps": [{"layerId": "documents"}]}, "expected the steps documents; got documents recall"),
        ({"steps": [{"layerId": "memory-spaces"}, {"layerId": "documents"}]}, "expected the steps"),
        ({"steps": [{"layerId": "documents", "capability": "write"}, {"layerId": "memory-spaces"}]}, "write"),
        ({"steps": [{"layerId": "documents", "adapterId": "shelf"}, {"layerId": "memory-spaces"}]}, "by shelf"),
        ({"steps": [{"layerId": "documents", "input": None}, {"layerId": "memory-spaces"}]}, "expected the steps"),
        ({"steps": [{"layerId": "documents", "input": {"q": 1}}, {"layerId": "memory-spaces"}]}, '"q":1'),
        ({"error": "no-steps"}, "expected the error no-steps, got documents"),
    ],
)
def test_a_case_that_comes_out_differently_says_how(expect: dict[str, Any], words: str) -> None:
    [(name, detail)] = failures(replay_cases(plugin(), [case(expect=expect)])).items()
    assert name == "a case" and detail is not None and words in detail


def test_an_expected_input_is_the_requests_when_it_is_not_named() -> None:
    given = {"query": "what was decided"}
    named = {"steps": [{"layerId": "documents", "input": given}, {"layerId": "memory-spaces", "input": given}]}
    assert failures(replay_cases(plugin(), [case(expect=named)])) == {}

    def rewriting(request: Request, context: StrategyContext) -> Proposal:
        steps = route(request, context).steps
        return Proposal("router", "2", "rewritten", tuple(replace(step, input={"query": "else"}) for step in steps))

    assert list(failures(replay_cases(plugin(rewriting), [case()]))) == ["a case"]

    def dropping(request: Request, context: StrategyContext) -> Proposal:
        steps = route(request, context).steps
        return Proposal("router", "2", "bare", tuple(replace(step, input=None) for step in steps))

    assert failures(replay_cases(plugin(dropping), [case()])) == {}


def test_an_error_where_steps_were_expected_says_which() -> None:
    other = case(request=asking("forget").to_json())
    [detail] = failures(replay_cases(plugin(), [other])).values()
    assert detail is not None and "expected steps, got permission-capability" in detail


def test_a_case_may_be_about_a_request_that_is_refused() -> None:
    bad = case(request={"operation": "x"}, expect={"error": "invalid-request"})
    assert failures(replay_cases(plugin(), [bad])) == {}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"request": asking("recall", candidate_layer_ids=()).to_json()}, "no-steps"),
        ({"descriptor": system(documents=TopologyLayer("documents")).to_json()}, "layer-disabled"),
    ],
)
def test_the_dry_plan_has_the_kernels_rules(changes: dict[str, Any], code: str) -> None:
    def always(request: Request, context: StrategyContext) -> Proposal:
        steps = () if request.candidate_layer_ids == () else (StepProposal("documents", request.capability),)
        return Proposal("router", "2", "always", steps)

    report = replay_cases(plugin(always), [case(expect={"error": code}, **changes)])
    assert failures(report) == {}


def test_a_strategy_that_answers_differently_each_time_fails() -> None:
    numbers = count()

    def fickle(request: Request, context: StrategyContext) -> Proposal:
        found = route(request, context)
        return replace(found, reason=f"attempt {next(numbers)}")

    report = replay_cases(plugin(fickle), [case()])
    assert "not deterministic" in str(failures(report)["a case"])


def test_a_strategy_that_remembers_the_case_before_fails() -> None:
    last: list[str] = [""]

    def remembering(request: Request, context: StrategyContext) -> Proposal:
        found = replace(route(request, context), reason=f"after {last[0]}")
        last[0] = request.operation
        return found

    cases = [case(f"case {name}", request=asking(operation=name).to_json()) for name in ("a", "b", "c")]
    # Asked twice in a row each would answer alike but for the first time.
    assert len(failures(replay_cases(plugin(remembering), cases))) >= 2


def test_a_strategy_that_is_refused_differently_each_time_fails() -> None:
    numbers = count()

    def fickle(request: Request, context: StrategyContext) -> Proposal:
        return replace(route(request, context), steps=()) if next(numbers) % 2 else route(request, context)

    assert "not deterministic" in str(failures(replay_cases(plugin(fickle), [case()]))["a case"])


def test_a_strategy_that_raises_exits_or_returns_nonsense_fails_with_what_it_did() -> None:
    def raising(request: Request, context: StrategyContext) -> Any:
        raise SystemExit("enough") if request.operation == "exit" else ValueError("no idea")

    cases = [case("raises"), case("exits", request=asking(operation="exit").to_json())]
    found = failures(replay_cases(plugin(raising), cases))
    assert "strategy-error" in str(found["raises"]) and "no idea" in str(found["raises"])
    assert "enough" in str(found["exits"])
    [detail] = failures(replay_cases(plugin(lambda *_: None, capabilities=["recall"], layerIds=[]), [case()])).values()
    assert "strategy-error" in str(detail)


def test_a_strategy_that_takes_too_long_is_not_waited_for() -> None:
    end = Event()

    def slow(request: Request, context: StrategyContext) -> Proposal:
        if request.operation == "slow":
            end.wait()
        return route(request, context)

    slow_case = case("slow", request=asking(operation="slow").to_json())
    found = replay_cases(plugin(slow), [slow_case], proposal_s=0.1).results[0]
    assert (found.name, found.ok, found.code) == ("slow", False, "strategy-timeout")
    assert "0.1 s" in str(found.detail)
    end.set()
    assert failures(replay_cases(plugin(slow), [slow_case], proposal_s=30)) == {}


def test_a_time_limit_of_the_strategys_own_is_reported_as_one() -> None:
    def limited(request: Request, context: StrategyContext) -> Proposal:
        raise KernelFailure("strategy-timeout", "its process took too long")

    found = replay_cases(plugin(limited), [case(expect={"error": "strategy-timeout"})])
    assert "a case" not in failures(found)


# The shipped escapes


ESCAPES = {
    "a layer that is not granted": "permission-layer",
    "an adapter that is not granted": "permission-adapter",
    "another granted capability": "capability-changed",
    "a capability that is not granted": "permission-capability",
    "more steps than granted": "permission-steps",
    "more steps than the request allows": "budget-exceeded",
    "no steps": "no-steps",
    "a layer outside the request": "layer-outside-request",
    "the name of another strategy": "proposal-identity",
    "another version of itself": "proposal-identity",
    "an input that is not JSON": "json-unsafe",
    "an input that holds itself": "json-unsafe",
    "a change of the request": "strategy-error",
    "an exception": "strategy-error",
    "an exit": "strategy-error",
    "something that is not a proposal": "strategy-error",
    "no answer in time": "strategy-timeout",
}


def test_every_forged_escape_is_stopped_by_exactly_its_rule() -> None:
    report = replay_cases(plugin(), [])
    forged = {
        result.name.removeprefix("forged: "): result.code
        for result in report.results
        if result.name.startswith("forged: ")
    }
    assert forged == ESCAPES


@pytest.mark.parametrize(
    "permissions",
    [
        {"maxSteps": 1},
        {"maxSteps": 100, "capabilities": list(CAPABILITIES)},
        {"adapterIds": []},
        {"layerIds": ["unlisted-layer"], "adapterIds": ["unlisted-adapter"], "capabilities": ["status"]},
    ],
)
def test_the_escapes_fit_whatever_a_manifest_grants(permissions: dict[str, Any]) -> None:
    assert failures(replay_cases(plugin(**permissions), [])) == {}


@pytest.mark.parametrize("permissions", [{"layerIds": []}, {"capabilities": []}])
def test_a_manifest_that_grants_nothing_leaves_nothing_to_escape_with(permissions: dict[str, Any]) -> None:
    assert replay_cases(plugin(**permissions), []).results == ()


def test_a_strategy_that_is_tempted_too_far_and_told_so_passes_with_a_note() -> None:
    greedy = FunctionStrategy(
        lambda request, context: replace(one_step_each(request, context), strategy_id="router", strategy_version="2"),
        ROUTER,
    )
    report = replay_cases(define_strategy_plugin(manifest(), greedy), [case()])
    assert failures(report) == {}
    notes = [str(result.detail) for result in report.results if result.name.startswith("tempted to recall")]
    assert len(notes) == 1 and "permission-layer" in notes[0]


@pytest.mark.parametrize("propose", [lambda *_: 1 / 0, lambda *_: Proposal("other", "2", "spoof", ())])
def test_a_strategy_that_misbehaves_when_tempted_fails(propose: Any) -> None:
    assert any(name.startswith("tempted") for name in failures(replay_cases(plugin(propose), [])))
