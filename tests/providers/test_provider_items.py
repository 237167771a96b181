from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.providers.items import TAGGED, read_tags, row_of, timestamp_of, write_tags
from zeroclaw_cli.providers.memory_map import read_map

MAP = read_map(
    {
        "list": {"tool": "t", "items": "items"},
        "fields": {
            "key": "fact_id",
            "category": "category",
            "timestamp": "at",
            "importance": "weight",
            "metadata": ["tags"],
        },
        "categories": {"user": "user_pref", "*": "general"},
    }
)


@given(st.dictionaries(st.sampled_from(TAGGED), st.text(min_size=1)))
def test_what_tags_carry_comes_back(values: dict[str, str]) -> None:
    written = write_tags(dict(values))
    assert read_tags(written) == values
    assert read_tags([] if written is None else written.split(",")) == values


def test_tags_of_others_are_left_alone() -> None:
    assert read_tags("tea, zc-key:ada, zc-colour:red, zc-key:second") == {"key": "ada"}
    assert read_tags(7) == {}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("2026-03-01 12:00:00", "2026-03-01T12:00:00Z"),
        ("2026-03-01T12:00:00.25", "2026-03-01T12:00:00.25Z"),
        ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00Z"),
        (0, "1970-01-01T00:00:00Z"),
        (1.5, "1970-01-01T00:00:01.5Z"),
        (True, ""),
        ("yesterday", ""),
        (None, ""),
        (10**30, ""),
        (float("nan"), ""),
        (float("inf"), ""),
    ],
)
def test_a_time_of_a_provider_is_rfc_3339_in_utc_or_nothing(value: object, text: str) -> None:
    assert timestamp_of(value) == text


def test_an_item_becomes_an_entry_under_the_key_that_its_tags_carry() -> None:
    row = row_of({"fact_id": 7, "content": "green", "category": "user_pref", "tags": "a,zc-key:tea", "weight": 1}, MAP)
    assert row.id == "7"
    assert (row.entry.id, row.entry.key, row.entry.content) == ("7", "tea", "green")
    assert (row.entry.category, row.entry.importance, row.entry.namespace) == ("user", 1.0, "default")


@given(
    st.dictionaries(
        st.sampled_from(["fact_id", "content", "category", "tags", "weight", "at"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    )
)
def test_no_item_is_too_strange_to_read(item: dict[str, object]) -> None:
    entry = row_of(item, MAP).entry
    assert all(isinstance(text, str) for text in (entry.id, entry.key, entry.content, entry.category, entry.timestamp))
