"""The exact limits of specs/memory-kernel.md §2 on descriptors and requests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.kernel.graphs import adapter_descriptor, altered, asking, layer_descriptor
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits, parsing
from zeroclaw_cli.kernel.contracts import Budget, Proposal, Request, Scope, StrategyDescriptor
from zeroclaw_cli.kernel.json_safe import FrozenDict
from zeroclaw_cli.kernel.parsing import measured_request

STRATEGY = StrategyDescriptor("some", "1", "Some", "Some strategy", ("placement",), True)
REQUEST: dict[str, Any] = asking(scope=Scope(), input=None).to_json()


def code_of(function: Any, *arguments: Any) -> str:
    with pytest.raises(KernelFailure) as caught:
        function(*arguments)
    return str(caught.value.code)


def test_there_are_fifteen_capabilities_each_with_a_channel() -> None:
    assert len(limits.CAPABILITIES) == len(set(limits.CAPABILITIES)) == 15
    assert set(limits.CHANNEL_OF) == set(limits.CAPABILITIES)
    assert set(limits.CHANNEL_OF.values()) == set(limits.CHANNELS)
    assert set(limits.MUTATING) == {"write", "archive", "link", "forget", "maintain", "import"}


@pytest.mark.parametrize("good", ["a", "a-", "a--b", "a1", " kebab-case ", "x" * 128])
def test_an_id_is_trimmed_and_matched_in_full(good: str) -> None:
    assert parsing.component_id(good, "id") == good.strip()


@pytest.mark.parametrize(
    "bad", ["", " ", "A", "1a", "-a", "a_b", "a b", "é", "a\nb", "x" * 129, "a.b", None, 1, True, ["a"]]
)
def test_what_is_no_id_is_refused_in_every_namespace(bad: Any) -> None:
    assert code_of(parsing.component_id, bad, "id") == "invalid-id"
    assert code_of(parsing.layer_descriptor, altered(layer_descriptor("a"), id=bad)) == "invalid-id"
    assert code_of(parsing.layer_descriptor, altered(layer_descriptor("a"), role=bad)) == "invalid-id"
    assert code_of(parsing.adapter_descriptor, altered(adapter_descriptor("a"), id=bad)) == "invalid-id"
    assert code_of(parsing.strategy_descriptor, altered(STRATEGY, id=bad)) == "invalid-id"
    if bad is not None:
        broken = altered(adapter_descriptor("a"), config_namespace=bad)
        assert code_of(parsing.adapter_descriptor, broken) == "invalid-id"


@pytest.mark.parametrize(("field", "limit"), [("label", 100), ("description", 500), ("version", 100)])
def test_titles_have_1_to_their_limit_of_characters_after_trimming(field: str, limit: int) -> None:
    for parse, value in ((parsing.strategy_descriptor, STRATEGY),):
        parsed: Any = parse(altered(value, **{field: "  " + "é" * limit + " "}))
        assert getattr(parsed, field) == "é" * limit
        for bad in ("", "  ", "é" * (limit + 1), 5, None):
            assert code_of(parse, altered(value, **{field: bad})) == "invalid-descriptor"


def test_words_are_from_the_lists_and_repetitions_are_dropped() -> None:
    parsed = parsing.layer_descriptor(altered(layer_descriptor("a"), capabilities=("read", "write", "read")))
    assert parsed.capabilities == ("read", "write")
    for bad in ((), ("read", "fly"), "read", (1,)):
        assert code_of(parsing.layer_descriptor, altered(layer_descriptor("a"), capabilities=bad)) == (
            "invalid-descriptor"
        )
    for field, bad_word in (("locality", "moon"), ("scopes", ("everywhere",)), ("capabilities", ("fly",))):
        broken = altered(adapter_descriptor("a"), **{field: bad_word})
        assert code_of(parsing.adapter_descriptor, broken) == "invalid-descriptor"
    assert code_of(parsing.strategy_descriptor, altered(STRATEGY, hooks=("magic",))) == "invalid-descriptor"
    assert code_of(parsing.strategy_descriptor, altered(STRATEGY, deterministic=1)) == "invalid-descriptor"


def test_the_order_of_a_layer_is_a_finite_number_and_no_bool() -> None:
    assert parsing.layer_descriptor(altered(layer_descriptor("a"), order=-1.5)).order == -1.5
    assert code_of(parsing.layer_descriptor, altered(layer_descriptor("a"), order=True)) == "invalid-descriptor"
    assert code_of(parsing.layer_descriptor, altered(layer_descriptor("a"), order=10**400)) == "invalid-descriptor"
    assert code_of(parsing.layer_descriptor, altered(layer_descriptor("a"), order=float("nan"))) == "json-unsafe"


def test_a_descriptor_keeps_only_its_own_fields_and_reads_its_wire_form() -> None:
    for parse, value in (
        (parsing.layer_descriptor, layer_descriptor("a")),
        (parsing.adapter_descriptor, altered(adapter_descriptor("a"), config_namespace="space")),
        (parsing.strategy_descriptor, STRATEGY),
    ):
        assert parse(value.to_json() | {"secret": object()}) == value


def test_what_is_not_json_in_a_descriptor_is_refused() -> None:
    assert code_of(parsing.layer_descriptor, altered(layer_descriptor("a"), label=b"x")) == "json-unsafe"
    assert code_of(parsing.layer_descriptor, object()) == "invalid-descriptor"


@pytest.mark.parametrize("given", [Request, dict], ids=["dataclass", "wire form"])
def test_a_request_is_trimmed_deduplicated_copied_and_frozen(given: type) -> None:
    source = {"query": ["x"]}
    request: Any = Request(
        "  op ",
        "recall",
        " manual ",
        Scope("workspace", " /p ", "s", "a"),
        ("b", " a ", "b"),
        ("y", "x", "y"),
        Budget(1, 2, 3, 4),
        source,
    )
    if given is dict:
        request = request.to_json()
        request["scope"]["unknown"] = "dropped"
    parsed = parsing.normalise_request(request)
    source["query"].append("y")
    assert parsed == Request(
        "op",
        "recall",
        "manual",
        Scope("workspace", "/p", "s", "a"),
        ("b", "a"),
        ("y", "x"),
        Budget(1, 2, 3, 4),
        {"query": ("x",)},
    )
    assert type(parsed.input) is FrozenDict


def test_an_explicitly_empty_list_of_candidates_stays_one() -> None:
    assert parsing.normalise_request(asking(candidate_layer_ids=())).candidate_layer_ids == ()
    assert parsing.normalise_request(asking()).candidate_layer_ids is None


@pytest.mark.parametrize(("field", "limit"), [("workspaceId", 2000), ("sessionId", 300), ("agentId", 300)])
def test_scope_ids_have_1_to_their_limit_of_characters_when_present(field: str, limit: int) -> None:
    parsed = parsing.normalise_request(REQUEST | {"scope": {"storage": "custom", field: "x" * limit}})
    assert parsed.scope.to_json() == {"storage": "custom", field: "x" * limit}
    for bad in ("", " ", "x" * (limit + 1), 1):
        request = REQUEST | {"scope": {"storage": "custom", field: bad}}
        assert code_of(parsing.normalise_request, request) == "invalid-request"


@pytest.mark.parametrize(
    "change",
    [
        {"operation": ""},
        {"operation": "x" * 201},
        {"operation": None},
        {"operation": 3},
        {"capability": "fly"},
        {"capability": None},
        {"trigger": "cron"},
        {"trigger": True},
        {"scope": {}},
        {"scope": {"storage": "provider-owned"}},
        {"scope": "global"},
        {"scope": None},
        {"candidateLayerIds": "documents"},
        {"candidateLayerIds": [""]},
        {"candidateLayerIds": ["x" * 129]},
        {"candidateLayerIds": [1]},
        {"candidateLayerIds": [f"x{i}" for i in range(1001)]},
        {"adapterIds": [f"x{i}" for i in range(1001)]},
        {"candidatLayerIds": ["documents"]},
    ],
)
def test_a_request_that_breaks_a_rule_is_invalid(change: dict[str, Any]) -> None:
    assert code_of(parsing.normalise_request, REQUEST | change) == "invalid-request"


def test_what_is_no_request_is_invalid() -> None:
    assert code_of(parsing.normalise_request, "recall") == "invalid-request"
    assert code_of(parsing.normalise_request, None) == "invalid-request"


def test_a_thousand_ids_are_counted_after_repetitions_are_dropped() -> None:
    ids = [f"x{i}" for i in range(1000)] * 2
    parsed = parsing.normalise_request(REQUEST | {"candidateLayerIds": ids, "operation": "x" * 200})
    assert parsed.candidate_layer_ids == tuple(ids[:1000])


@pytest.mark.parametrize(
    ("field", "limit"),
    [("maxSteps", 100), ("maxResults", 10_000), ("maxTokens", 10_000_000), ("timeoutMs", 3_600_000)],
)
def test_budgets_are_integers_from_1_to_their_limit(field: str, limit: int) -> None:
    for good in (1, limit):
        parsed = parsing.normalise_request(REQUEST | {"budget": {field: good}})
        assert parsed.budget is not None and parsed.budget.to_json() == {field: good}
    for bad in (0, -1, limit + 1, True, 1.0, "1"):
        assert code_of(parsing.normalise_request, REQUEST | {"budget": {field: bad}}) == "invalid-budget"


def test_a_budget_of_another_shape_is_invalid() -> None:
    shapes: list[Any] = [[], 5, {"maxStep": 3}]
    for bad in shapes:
        assert code_of(parsing.normalise_request, REQUEST | {"budget": bad}) == "invalid-budget"
    assert parsing.normalise_request(REQUEST | {"budget": {}}).budget == Budget()


def test_what_is_not_json_in_a_request_is_unsafe() -> None:
    for change in ({"input": {1}}, {"operation": b"x"}, {"candidateLayerIds": {"a"}}, {"budget": {"maxSteps": {1}}}):
        assert code_of(parsing.normalise_request, REQUEST | change) == "json-unsafe"


def test_the_root_of_a_request_is_depth_0() -> None:
    value: Any = "leaf"
    for _ in range(63):
        value = [value]
    parsing.normalise_request(REQUEST | {"input": value})
    assert code_of(parsing.normalise_request, REQUEST | {"input": [value]}) == "json-unsafe"


def test_a_system_descriptor_reads_its_wire_form() -> None:
    from tests.kernel.graphs import Graph

    graph = Graph()
    graph.catalog.register_adapter(adapter_descriptor("store"))
    graph.topology.configure_layer("documents", adapter_ids=["store"], participation={"write": "off"})
    descriptor = graph.kernel.descriptor()
    assert parsing.system_descriptor(descriptor.to_json()) == descriptor
    assert code_of(parsing.system_descriptor, {"catalog": {}, "topology": None}) == "invalid-descriptor"


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "x",
        {},
        {"strategyId": 1, "strategyVersion": "1", "reason": "r", "steps": []},
        {"strategyId": "a", "strategyVersion": "1", "reason": "r", "steps": "none"},
        {"strategyId": "a", "strategyVersion": "1", "reason": "r", "steps": [None]},
        {"strategyId": "a", "strategyVersion": "1", "reason": "r", "steps": [{"layerId": ["x"], "capability": "read"}]},
        {"strategyId": "a", "strategyVersion": "1", "reason": "r", "steps": [{"layerId": "x"}]},
        {"strategyId": "a", "strategyVersion": "1", "steps": [{"layerId": "x", "capability": "read", "adapterId": 1}]},
    ],
)
def test_a_proposal_of_another_shape_is_an_error_of_the_strategy(bad: Any) -> None:
    assert code_of(parsing.proposal, bad) == "strategy-error"


def test_a_proposal_reads_its_wire_form() -> None:
    wire = {
        "strategyId": "a",
        "strategyVersion": "1",
        "reason": "r",
        "steps": [{"layerId": "x", "capability": "read", "adapterId": "y", "input": {"z": 1}}],
    }
    assert parsing.proposal(wire).to_json() == wire
    assert isinstance(parsing.proposal(wire), Proposal)


class Text(str):
    pass


PLAIN = Request(
    "memory.recall",
    "recall",
    "manual",
    Scope("workspace", "/p", "s", "a"),
    ("one", "two"),
    ("x",),
    Budget(1, 2, 3, 4),
    {"a": [1, {"b": 2}]},
)
SPACED = {"operation": " memory.recall ", "capability": "recall\n", "trigger": "\tmanual"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        (SPACED, {}),
        ({"scope": Scope(" workspace ", " /p ", " s", "a ")}, {}),
        ({"operation": " memory.recall\n"}, {}),
        ({"scope": Scope("workspace", "/p ", "s", "a")}, {}),
        ({"scope": Scope("workspace", "/p", " s", "a")}, {}),
        ({"scope": Scope("workspace", "/p", "s", "\ta")}, {}),
        ({"candidate_layer_ids": ("one", " two")}, {}),
        ({"candidate_layer_ids": ("one", " two", "one")}, {}),
        ({"candidate_layer_ids": ("one", "two", "one")}, {}),
        ({"candidate_layer_ids": ["one", "two"]}, {}),
        ({"adapter_ids": ("x", "x")}, {}),
        ({"candidate_layer_ids": ()}, {"candidate_layer_ids": ()}),
        ({"operation": "é" * 200}, {"operation": "é" * 200}),
        ({"operation": "o" * 200}, {"operation": "o" * 200}),
        ({"scope": Scope("custom", "p" * 2000, "s" * 300, "a" * 300)},) * 2,
        ({"candidate_layer_ids": tuple(f"l{n}" for n in range(1000))},) * 2,
        ({"budget": Budget(100, 10_000, 10_000_000, 3_600_000)},) * 2,
        ({"budget": None, "input": None},) * 2,
    ],
)
def test_a_request_that_is_in_order_and_one_that_needs_trimming_come_out_alike(
    changes: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = measured_request(replace(PLAIN, **changes))
    assert found.request == replace(PLAIN, **({"input": {"a": (1, {"b": 2})}} | expected))
    wired = measured_request(found.request.to_json())
    assert (wired.request, wired.height) == (found.request, found.height)
    assert found.request.scope is not PLAIN.scope
    assert found.request.budget is None or found.request.budget is not PLAIN.budget


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"operation": ""}, "invalid-request"),
        ({"operation": "o" * 201}, "invalid-request"),
        ({"operation": Text("recall")}, "json-unsafe"),
        ({"operation": "\ud800"}, "json-unsafe"),
        ({"capability": "fly"}, "invalid-request"),
        ({"capability": Text("recall")}, "json-unsafe"),
        ({"trigger": "never"}, "invalid-request"),
        ({"trigger": Text("manual")}, "json-unsafe"),
        ({"scope": Scope("nowhere")}, "invalid-request"),
        ({"scope": Scope("custom", "")}, "invalid-request"),
        ({"scope": Scope("custom", "p" * 2001)}, "invalid-request"),
        ({"scope": Scope("custom", None, "s" * 301)}, "invalid-request"),
        ({"scope": Scope("custom", None, None, "a" * 301)}, "invalid-request"),
        ({"scope": Scope("custom", Text("p"))}, "json-unsafe"),
        ({"candidate_layer_ids": ("",)}, "invalid-request"),
        ({"candidate_layer_ids": ("l" * 129,)}, "invalid-request"),
        ({"candidate_layer_ids": tuple(f"l{n}" for n in range(1001))}, "invalid-request"),
        ({"adapter_ids": (5,)}, "invalid-request"),
        ({"adapter_ids": (Text("x"),)}, "json-unsafe"),
        ({"budget": Budget(101)}, "invalid-budget"),
        ({"budget": Budget(0)}, "invalid-budget"),
        ({"budget": Budget(True)}, "invalid-budget"),
        ({"budget": Budget(None, 10_001)}, "invalid-budget"),
        ({"budget": Budget(None, None, 10_000_001)}, "invalid-budget"),
        ({"budget": Budget(None, None, None, 3_600_001)}, "invalid-budget"),
        ({"input": float("nan")}, "json-unsafe"),
    ],
)
def test_a_request_that_is_not_in_order_is_refused_in_both_forms(changes: dict[str, Any], code: str) -> None:
    odd = replace(PLAIN, **changes)
    for form in (odd, odd.to_json()):
        with pytest.raises(KernelFailure) as caught:
            measured_request(form)
        assert caught.value.code == code


def test_an_input_may_have_63_levels_since_it_lies_in_the_request() -> None:
    deep: Any = "leaf"
    for _ in range(63):
        deep = [deep]
    for form in (replace(PLAIN, input=deep), PLAIN.to_json() | {"input": deep}):
        assert measured_request(form).height == 64
    for form in (replace(PLAIN, input=[deep]), PLAIN.to_json() | {"input": [deep]}):
        with pytest.raises(KernelFailure) as caught:
            measured_request(form)
        assert caught.value.code == "json-unsafe"
        assert caught.value.message.startswith("request.input")
