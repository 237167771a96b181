from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.memory.times import instant, rfc3339
from zeroclaw_cli.native.stamps import date_words, microseconds, now_stamp, shown, stamp

INSTANTS = st.tuples(st.integers(-62_135_596_800, 253_402_300_799), st.integers(0, 999_999_999))


@given(INSTANTS)
def test_a_stamp_keeps_the_instant(moment: tuple[int, int]) -> None:
    made = stamp(rfc3339(*moment))
    assert len(made) == 30
    assert instant(made) == moment
    assert shown(made) == rfc3339(*moment)


@given(INSTANTS, INSTANTS)
def test_stamps_sort_as_instants_do(one: tuple[int, int], other: tuple[int, int]) -> None:
    assert (stamp(rfc3339(*one)) < stamp(rfc3339(*other))) == (one < other)


@given(INSTANTS)
def test_microseconds_are_whole_and_in_order(moment: tuple[int, int]) -> None:
    assert microseconds(stamp(rfc3339(*moment))) == moment[0] * 1_000_000 + moment[1] // 1_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023-05-08T10:00:00Z", "2023-05-08T10:00:00.000000000Z"),
        ("2023-05-08T10:00:00.5Z", "2023-05-08T10:00:00.500000000Z"),
        ("2023-05-08t10:00:00z", "2023-05-08T10:00:00.000000000Z"),
        ("2023-05-08 10:00:00+02:00", "2023-05-08T08:00:00.000000000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000000Z"),
        ("2023-05-08T10:00:00.1234567891Z", "2023-05-08T10:00:00.123456789Z"),
    ],
)
def test_every_form_of_rfc3339_is_read(text: str, expected: str) -> None:
    assert stamp(text) == expected


@pytest.mark.parametrize(
    "text", ["", "2023-05-08", "2023-05-08T10:00Z", "2023-02-30T10:00:00Z", "20230508T100000Z", "2023-05-08T10:00:00"]
)
def test_what_is_no_rfc3339_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="time"):
        stamp(text)


def test_now_is_now() -> None:
    assert abs(instant(now_stamp())[0] - datetime.now(UTC).timestamp()) < 60


def test_date_words_are_local_and_as_written_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        date_words.cache_clear()
        assert date_words("2023-05-08T12") == ("8", "may", "2023", "monday", "9", "tuesday")
    finally:
        monkeypatch.undo()
        time.tzset()
        date_words.cache_clear()


def test_the_first_and_the_last_day_have_words() -> None:
    assert "1" in date_words("0001-01-01T00")
    assert "9999" in date_words("9999-12-31T23")


@pytest.mark.parametrize(
    "bad", ["2023-W01-1T12:00:00Z", "2023-05-08T12:60:00Z", "2023-05-08T24:00:00Z", "2023-5-008T12:00:00Z"]
)
def test_what_only_looks_like_a_time_is_none(bad: str) -> None:
    with pytest.raises(ValueError, match="time"):
        stamp(bad)


def test_microseconds_of_what_is_no_stamp_are_refused() -> None:
    with pytest.raises(ValueError, match="stamp"):
        microseconds("2023-W01-1T12:00:00.000000000Z")
