from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns.damage_journal import campaign, failures, table


@pytest.mark.reliability
def test_a_damaged_journal_is_never_lost_silently_and_has_a_way_out(tmp_path: Path) -> None:
    found = campaign(tmp_path, seed=7, part=10)
    assert not failures(found), table(found)
