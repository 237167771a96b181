"""A tenth of the campaign of damage to the native store."""

from __future__ import annotations

import pytest

from tests.campaigns.damage_native import run


@pytest.mark.reliability
def test_no_damage_leaves_a_store_unusable_loses_readable_rows_or_brings_forgotten_ones_back() -> None:
    for kind, found in run(seed=7, share=0.1).items():
        assert found.trials > 0, kind
        assert (found.unusable, found.lost, found.back, found.unsaid) == (0, 0, 0, 0), (kind, found.notes)
