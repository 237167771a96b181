from __future__ import annotations

from functools import cmp_to_key
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.plugins.versions import compare

# The example of Semantic Versioning 2.0.0 §11, with its neighbours.
ASCENDING = (
    "0.9",
    "1.0.0-0",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2",
    "1.10.0",
    "2",
    "2024.11.30",
    "9" * 5000,
)


def test_versions_rank_as_semantic_versioning_says() -> None:
    for older, newer in combinations(ASCENDING, 2):
        assert (compare(older, newer) or 0) < 0 < (compare(newer, older) or 0), (older[:20], newer[:20])


@pytest.mark.parametrize(
    ("first", "second"),
    [("1.0", "1.0.0"), ("v1.2.3", "1.2.3"), ("1.0+a", "1.0+b"), ("01.0", "1.0"), ("nightly", "nightly"), ("", "")],
)
def test_versions_of_the_same_rank(first: str, second: str) -> None:
    assert compare(first, second) == compare(second, first) == 0


@pytest.mark.parametrize("text", ["nightly", "", "1.0rc1", "1.", ".1", "1..2", "1-", "1-a..b", "1.0 ", "1\n", "¹", "٣"])
def test_a_text_that_is_no_version_has_no_rank(text: str) -> None:
    assert compare(text, "1.0") is None
    assert compare("1.0", text) is None


_NUMBERS = st.lists(st.integers(0, 12).map(str), min_size=1, max_size=3).map(".".join)
_IDENTIFIERS = st.lists(st.sampled_from(["0", "1", "10", "a", "b", "a-1"]), min_size=1, max_size=3).map(".".join)
_VERSIONS = st.builds(
    lambda release, pre: release if pre is None else f"{release}-{pre}", _NUMBERS, st.none() | _IDENTIFIERS
)


def order(first: str, second: str) -> int:
    return compare(first, second) or 0


@given(st.lists(_VERSIONS, min_size=3, max_size=3))
def test_the_order_is_total(found: list[str]) -> None:
    ranked = sorted(found, key=cmp_to_key(order))
    assert all((compare(a, b) or 0) <= 0 for a, b in combinations(ranked, 2))
    assert all((compare(a, b) or 0) == -(compare(b, a) or 0) for a, b in pairwise(found))
