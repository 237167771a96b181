"""A guest that a real toolchain built, with all of WASI in its imports, runs in the world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.raw_guest import GuestErr, RawGuest, keys
from zeroclaw_cli.memory.types import Capability

pytestmark = pytest.mark.slow
MEMORY = 256 << 20


@pytest.fixture
def guest(python_guest: Path) -> RawGuest:
    return RawGuest(python_guest.read_bytes(), memory_bytes=MEMORY)


def test_it_is_of_the_world_and_has_everything(guest: RawGuest) -> None:
    assert guest.raw("get-memory-capabilities") == {str(capability) for capability in Capability}
    assert guest.raw("health-check") is True
    assert "zeroclaw:plugin/logging@0.1.0" in guest.imports()


def test_rows_are_stored_found_and_removed(guest: RawGuest) -> None:
    guest.store_entry("wifi", "the password is hunter2", "home", "s")
    guest.store_with_agent("plan", "buy milk", namespace="work", importance=0.5, agent_id="a1")
    assert keys(guest.recall("PASSWORD")) == ["wifi"]
    assert sorted(keys(guest.recall("*"))) == ["plan", "wifi"]
    assert keys(guest.recall_namespaced("work", "")) == ["plan"]
    assert keys(guest.recall_for_agents(["a1"], "")) == ["plan"]
    assert guest.recall_for_agents([], "") == []
    assert guest.call("get", "wifi")["category"] == "home"
    assert len(guest.export_entries()) == 2
    assert guest.call("purge-session", "s") == 1
    assert guest.call("forget", "plan") is True
    assert guest.call("count") == 0
    assert [event["action"] for _, event in guest.logs] == ["write", "write"]


def test_an_err_of_the_guest_leaves_it_usable(guest: RawGuest) -> None:
    with pytest.raises(GuestErr, match=r"^since is not an RFC 3339 time: yesterday$"):
        guest.recall("q", since="yesterday")
    assert guest.call("count") == 0


def test_two_instances_that_are_served_alike_become_alike(python_guest: Path) -> None:
    exports: list[list[dict[str, Any]]] = []
    for _ in range(2):
        guest = RawGuest(python_guest.read_bytes(), memory_bytes=MEMORY)
        guest.random.last = 17
        for place in range(5):
            guest.clock.seconds += 1
            guest.store_entry(f"k{place}", "x")
        guest.call("ensure-agent-uuid", "coder")
        exports.append(guest.export_entries())
    assert exports[0] == exports[1]
    assert exports[0][0]["timestamp"] == "2026-01-31T12:00:01.000000+00:00"
