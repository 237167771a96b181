"""A store of more than ten thousand entries, as the installed command answers from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import Home

pytestmark = pytest.mark.slow

ROWS = 12_000


@pytest.fixture
def large(home: Home, tmp_path: Path) -> Home:
    file = tmp_path / "rows.jsonl"
    rows = (
        {
            "key": f"k{number}",
            "content": f"row {number} tea {'filler' if number % 40 else 'zebra'}",
            "category": "daily",
            "timestamp": "2023-05-08T10:00:00Z",
            "session_id": "s1",
        }
        for number in range(ROWS)
    )
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    home.ok("memory", "import", str(file))
    options = ("--agent", "ana", "--namespace", "kitchen", "--session", "T9")
    home.ok("memory", "store", "five", "Ana drinks tea at five", "--category", "daily", *options)
    home.ok("memory", "store", "six", "Bob drinks tea at six", "--category", "conversation", "--session", "T9")
    return home


def test_a_selection_is_searched_by_every_term_and_as_far_as_is_asked(large: Home) -> None:
    for query in ("tea", "tea zebra"):
        for options in (("--agent", "ana"), ("--namespace", "kitchen"), ("--since", "2024-01-01", "--agent", "ana")):
            entries = large.ok("memory", "recall", query, *options, "--json").json()["entries"]
            assert [entry["key"] for entry in entries] == ["five"]
        entries = large.ok("memory", "recall", query, "--session", "T9", "--json").json()["entries"]
        assert sorted(entry["key"] for entry in entries) == ["five", "six"]
    assert len(large.ok("memory", "recall", "tea", "--limit", "1000", "--json").json()["entries"]) == 1_000
    # A prompt also gets what belongs to nobody: there the rows that have every term come first.
    assert "Ana drinks tea at five" in large.ok("memory", "context", "drinks tea", "--agent", "ana").stdout
    assert "Bob drinks tea at six" in large.ok("memory", "context", "drinks tea", "--thread", "T9").stdout
