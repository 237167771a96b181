"""Triggers, modes and channels: specs/memory-kernel.md §8."""

from __future__ import annotations

import pytest

from tests.kernel.graphs import Graph, asking, layer_descriptor
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.contracts import Participation
from zeroclaw_cli.kernel.limits import CAPABILITIES, CHANNEL_OF, CHANNELS, MODES, TRIGGERS

ALLOWED = {
    ("manual", "manual"),
    ("automatic", "manual"),
    ("automatic", "automatic"),
    ("automatic", "system"),
}
CHANNEL = {
    "status": "maintenance",
    "project": "projection",
    "recall": "recall",
    "search": "recall",
    "read": "recall",
    "browse": "recall",
    "write": "write",
    "archive": "write",
    "graph": "recall",
    "related": "recall",
    "link": "write",
    "forget": "write",
    "maintain": "maintenance",
    "export": "maintenance",
    "import": "write",
}


def test_every_capability_belongs_to_its_channel() -> None:
    assert dict(CHANNEL_OF) == CHANNEL


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("mode", MODES)
def test_a_plan_is_issued_exactly_when_mode_and_trigger_allow_it(mode: str, trigger: str, capability: str) -> None:
    graph = Graph()
    # Every other channel says the contrary, so that only the right one can decide.
    allowed = (mode, trigger) in ALLOWED
    contrary = "off" if allowed else "automatic"
    participation = dict.fromkeys(CHANNELS, contrary) | {CHANNEL[capability]: mode}
    for id_ in ("runtime", "memory-spaces"):
        graph.topology.configure_layer(id_, enabled=False)
    graph.topology.configure_layer("documents", participation=participation)
    request = asking(capability, trigger=trigger)
    decision = graph.kernel.participation("documents", capability, trigger)
    assert (decision.allowed, decision.channel, decision.mode) == (allowed, CHANNEL[capability], mode)
    assert graph.kernel.allows("documents", capability, trigger) is allowed
    if allowed:
        assert decision.reason is None
        assert graph.kernel.assert_participation("documents", capability, trigger) == decision
        assert [step.participation for step in graph.kernel.plan(request).steps] == [CHANNEL[capability]]
        return
    assert decision.reason
    for refused in (
        lambda: graph.kernel.plan(request),
        lambda: graph.kernel.assert_participation("documents", capability, trigger),
    ):
        with pytest.raises(KernelFailure) as caught:
            refused()
        assert caught.value.code == "participation-denied"


def test_the_decision_follows_the_rules_in_order() -> None:
    graph = Graph()
    graph.catalog.register_layer(layer_descriptor("small", ("read",)))
    decide = graph.kernel.participation
    codes = [decide("nowhere", "read", "manual").code, decide("small", "write", "manual").code]
    graph.topology.configure_layer("small", enabled=True)
    codes += [decide("small", "write", "manual").code, decide("small", "read", "system").code]
    assert codes == ["layer-unavailable", "layer-disabled", "capability-unsupported", "participation-denied"]
    assert decide("nowhere", "read", "manual").to_json() == {
        "allowed": False,
        "layerId": "nowhere",
        "capability": "read",
        "trigger": "manual",
        "channel": "recall",
        "mode": "off",
        "reason": "there is no layer nowhere",
    }


@pytest.mark.parametrize(
    ("capability", "trigger"), [("fly", "manual"), ("read", "cron"), (None, "manual"), ("read", [])]
)
def test_unknown_words_are_an_invalid_request(capability: str, trigger: str) -> None:
    for ask in (Graph().kernel.participation, Graph().kernel.allows, Graph().kernel.assert_participation):
        with pytest.raises(KernelFailure) as caught:
            ask("documents", capability, trigger)
        assert caught.value.code == "invalid-request"
    with pytest.raises(KernelFailure) as caught:
        Graph().kernel.participation(["documents"], "read", "manual")  # type: ignore[arg-type]
    assert caught.value.code == "invalid-request"


def test_a_disabled_layer_refuses_everything_and_stays_listed() -> None:
    graph = Graph()
    graph.topology.configure_layer("documents", enabled=False, participation=Participation.all("automatic"))
    assert not any(graph.kernel.allows("documents", capability, "manual") for capability in CAPABILITIES)
    assert "documents" in [layer.id for layer in graph.kernel.descriptor().topology.layers]


class Text(str):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    "arguments", [(Text("x"), "recall", "manual"), ("x", Text("y"), "manual"), ("x", "recall", Text("z"))]
)
def test_only_plain_text_is_asked_about(arguments: tuple[str, str, str]) -> None:
    with pytest.raises(KernelFailure) as caught:
        Graph().kernel.participation(*arguments)
    assert caught.value.code == "invalid-request"
