"""The guard that keeps forgetting with a person."""

from __future__ import annotations

import pytest

from tests.kernel.graphs import Graph, asking
from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.guards_shipped import NoAutomaticForget
from zeroclaw_cli.kernel.limits import CAPABILITIES, TRIGGERS
from zeroclaw_cli.kernel.trigger import trigger_of


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("trigger", TRIGGERS)
def test_only_forgetting_without_a_person_is_denied(capability: str, trigger: str) -> None:
    graph = Graph()
    graph.kernel.register_guard(NoAutomaticForget())
    request = asking(capability=capability, trigger=trigger)
    if capability == "forget" and trigger != "manual":
        with pytest.raises(KernelFailure) as refused:
            graph.kernel.plan(request)
        assert refused.value.code == "guard-denied"
        assert (refused.value.details or {})["guardId"] == "no-automatic-forget"
    else:
        graph.kernel.plan(request)


@pytest.mark.parametrize(
    ("environ", "trigger"), [({}, "manual"), ({"ZEROCLAW_AGENT": ""}, "manual"), ({"ZEROCLAW_AGENT": "a"}, "automatic")]
)
def test_a_process_that_an_agent_started_is_automatic(environ: dict[str, str], trigger: str) -> None:
    assert trigger_of(environ) == trigger
