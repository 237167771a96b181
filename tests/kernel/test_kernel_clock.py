"""Times and ids: specs/memory-kernel.md §4."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from zeroclaw_cli.kernel import clock
from zeroclaw_cli.kernel.clock import random_id, stamp, utc_now, utc_stamp


def test_a_time_is_written_in_utc_with_milliseconds_and_z() -> None:
    assert stamp(datetime(2026, 3, 1, 12, 0, 5, 6_999, UTC)) == "2026-03-01T12:00:05.006Z"
    there = timezone(timedelta(hours=-3, minutes=-30))
    assert stamp(datetime(2026, 3, 1, 22, 0, 0, 0, there)) == "2026-03-02T01:30:00.000Z"
    with pytest.raises(ValueError, match="without a time zone"):
        stamp(datetime(2026, 3, 1))


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_772_366_405_006_999_999, "2026-03-01T12:00:05.006Z"),
        (1_772_366_405_999_999_999, "2026-03-01T12:00:05.999Z"),
        (1_772_366_406_000_000_000, "2026-03-01T12:00:06.000Z"),
        (1_772_366_405_100_000_000, "2026-03-01T12:00:05.100Z"),
        (253_402_300_799_999_000_000, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_the_short_way_writes_the_same(nanoseconds: int, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "time_ns", lambda: nanoseconds)
    assert utc_stamp() == utc_stamp() == text
    assert stamp(datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC))[:19] == text[:19]


def test_now_is_now() -> None:
    assert stamp(utc_now()) <= utc_stamp() <= stamp(utc_now() + timedelta(milliseconds=1))


def test_ids_are_32_hexadecimal_digits_that_do_not_repeat() -> None:
    ids = {random_id() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert all(len(id_) == 32 and int(id_, 16) >= 0 for id_ in ids)
