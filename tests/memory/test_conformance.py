from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.dict_memory import DictMemory
from zeroclaw_cli.errors import NotSupported, Trap
from zeroclaw_cli.memory.conformance import CASES, run_cases
from zeroclaw_cli.memory.types import Capability, Entry


def test_a_correct_memory_passes_every_case() -> None:
    results = list(run_cases(DictMemory))
    assert [result for result in results if result.outcome != "passed"] == []
    assert len(results) == len(CASES)


def test_case_ids_are_unique() -> None:
    assert len({case.id for case in CASES}) == len(CASES)


def test_a_case_is_skipped_when_its_capability_is_missing() -> None:
    class Bare(DictMemory):
        def __init__(self) -> None:
            super().__init__(frozenset())

        def purge_namespace(self, namespace: str) -> int:
            raise NotSupported("purge_namespace not supported by this memory backend")

        def purge_session(self, session_id: str) -> int:
            raise NotSupported("purge_session not supported by this memory backend")

        def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
            raise NotSupported("purge_session_for_agent not supported by this memory backend")

        def purge_agent(self, agent_alias: str) -> int:
            raise NotSupported("purge_agent not supported by this memory backend")

    outcomes = {result.id: result.outcome for result in run_cases(Bare)}
    assert outcomes["purge-namespace"] == "skipped"
    assert outcomes["not-supported"] == "passed"
    assert "failed" not in outcomes.values()


def _recall_everything(self: DictMemory, *_: Any) -> list[Entry]:
    return list(self.rows.values())


def _trap(self: DictMemory, *_: Any) -> None:
    raise Trap("memory.forget trapped: unreachable")


FAULTS: list[tuple[str, dict[str, Callable[..., Any]], str]] = [
    ("ignores the limit", {"recall": _recall_everything}, "recall-limit"),
    ("forgets nothing", {"forget": lambda self, key: True}, "forget"),
    ("traps", {"forget": _trap}, "forget"),
    ("never stores", {"store_with_agent": lambda self, *_: None}, "store-get"),
    ("purges everything", {"purge_namespace": lambda self, _: self._drop(lambda row: True)}, "purge-namespace"),
    ("exports newest first", {"export_entries": lambda self, _: list(self.rows.values())[::-1]}, "export"),
    ("is unwell", {"health_check": lambda self: False}, "new-is-healthy"),
    ("gives every alias one id", {"ensure_agent_uuid": lambda self, alias: "same"}, "ensure-agent-uuid"),
]


@pytest.mark.parametrize(("what", "methods", "case"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_a_faulty_memory_fails_the_case_that_holds_the_rule(
    what: str, methods: dict[str, Callable[..., Any]], case: str
) -> None:
    faulty = type("Faulty", (DictMemory,), methods)
    results = {result.id: result for result in run_cases(faulty)}
    assert results[case].outcome == "failed", what
    assert results[case].detail


def test_not_supported_must_be_said() -> None:
    class Silent(DictMemory):
        def __init__(self) -> None:
            super().__init__(frozenset(Capability) - {Capability.PURGE_AGENT})

    outcomes = {result.id: result.outcome for result in run_cases(Silent)}
    assert outcomes["not-supported"] == "failed"
