from __future__ import annotations

import pytest

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.wasm.fallbacks import exported, in_namespace, of_agent


def entry(key: str, timestamp: str = "2026-01-01T00:00:00Z", namespace: str = "default") -> Entry:
    return Entry("id", key, "content", "core", timestamp, namespace=namespace, agent_id="a")


EARLY = entry("early", "2026-01-01T00:00:00+02:00")  # 22:00 the day before, in UTC
LATE = entry("late", "2025-12-31T23:30:00Z", "other")
UNDATED = entry("undated", "yesterday")


def keys(*entries: Entry, keep: ExportFilter) -> list[str]:
    return [found.key for found in exported(entries, keep)]


def test_an_entry_of_another_agent_is_none() -> None:
    assert of_agent(EARLY, "a") is EARLY
    assert of_agent(EARLY, "b") is None
    assert of_agent(None, "a") is None


def test_recall_in_a_namespace_filters_and_then_cuts() -> None:
    rows = [entry("1", namespace="x"), entry("2"), entry("3", namespace="x"), entry("4", namespace="x")]
    assert [row.key for row in in_namespace(rows, "x", 2)] == ["1", "3"]


def test_an_export_is_sorted_by_instant_not_by_text() -> None:
    assert keys(LATE, EARLY, keep=ExportFilter()) == ["early", "late"]


def test_bounds_are_inclusive_instants() -> None:
    assert keys(EARLY, LATE, keep=ExportFilter(since="2025-12-31T23:30:00.000Z")) == ["late"]
    assert keys(EARLY, LATE, keep=ExportFilter(until="2025-12-31T22:00:00Z")) == ["early"]
    assert keys(EARLY, LATE, keep=ExportFilter(since="2026-01-01T00:00:00Z")) == []


def test_an_undated_entry_is_last_and_within_no_bound() -> None:
    assert keys(UNDATED, LATE, keep=ExportFilter()) == ["late", "undated"]
    assert keys(UNDATED, LATE, keep=ExportFilter(since="1970-01-01T00:00:00Z")) == ["late"]


def test_equal_times_keep_their_order() -> None:
    assert keys(entry("b"), entry("a"), keep=ExportFilter()) == ["b", "a"]


def test_the_namespace_is_compared_exactly() -> None:
    assert keys(EARLY, LATE, keep=ExportFilter(namespace="other")) == ["late"]


@pytest.mark.parametrize("name", ["since", "until"])
def test_a_malformed_bound_is_named(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        exported([EARLY], ExportFilter(**{name: "soon"}))
