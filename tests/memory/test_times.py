from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.memory.times import instant, parse_when, rfc3339

NOW = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)


@pytest.fixture
def new_york() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "America/New_York"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize(
    ("text", "seconds", "nanoseconds"),
    [
        ("1970-01-01T00:00:00Z", 0, 0),
        ("1970-01-01t00:00:00z", 0, 0),
        ("1970-01-01 01:00:00+01:00", 0, 0),
        ("1969-12-31T23:59:59.5Z", -1, 500_000_000),
        ("2026-03-01T12:00:00.123456789Z", 1_772_366_400, 123_456_789),
        ("2026-03-01T12:00:00.1234567891234Z", 1_772_366_400, 123_456_789),
        ("2016-12-31T23:59:60Z", 1_483_228_800, 0),
        ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
    ],
)
def test_an_rfc_3339_text_is_one_instant(text: str, seconds: int, nanoseconds: int) -> None:
    assert instant(text) == (seconds, nanoseconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-03-01",
        "2026-03-01T12:00:00",
        "2026-02-30T12:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T12:00:00+24:00",
        "2026-03-01T12:00:00+01:60",
        "2026-03-01T12:00:61Z",
        "٢٠٢٦-03-01T12:00:00Z",
        "2026-03-01T12:00:00Z\n",
    ],
)
def test_what_is_no_rfc_3339_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"time|offset"):
        instant(text)


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_and_its_text_are_one_to_one(moment: datetime) -> None:
    text = rfc3339(*instant(moment.isoformat()))
    assert instant(text) == instant(moment.isoformat())
    assert datetime.fromisoformat(text) == moment


@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.timezones()),
    st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.timezones()),
)
def test_instants_order_as_time_does_whatever_their_offsets(one: datetime, other: datetime) -> None:
    texts = [moment.astimezone(UTC).isoformat() for moment in (one, other)]
    assert (instant(texts[0]) < instant(texts[1])) == (one < other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7d", "2026-03-01T12:00:00Z"),
        ("12h", "2026-03-08T00:00:00Z"),
        ("30m", "2026-03-08T11:30:00Z"),
        ("2w", "2026-02-22T12:00:00Z"),
        (" 45s ", "2026-03-08T11:59:15Z"),
        ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00Z"),
    ],
)
def test_a_person_may_write_an_age_or_rfc_3339(text: str, expected: str) -> None:
    assert parse_when(text, now=NOW) == expected


@pytest.mark.usefixtures("new_york")
def test_a_date_is_its_local_midnight_also_across_a_change_of_clocks() -> None:
    assert parse_when("2026-03-08", now=NOW) == "2026-03-08T05:00:00Z"
    assert parse_when("2026-03-09", now=NOW) == "2026-03-09T04:00:00Z"


@pytest.mark.parametrize("text", ["", "soon", "7", "d", "-7d", "2026-13-01", "999999w", "7days", "2026-03-01T12:00"])
def test_another_time_is_refused_with_the_accepted_forms(text: str) -> None:
    with pytest.raises(ValueError, match=r"2026-03-01T12:00:00Z.*7d, 12h"):
        parse_when(text, now=NOW)


@pytest.mark.parametrize("text", ["0001-01-01", "999999w", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"])
def test_a_time_outside_the_calendar_is_told_apart_from_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"the calendar .*2026-03-01T12:00:00Z"):
        parse_when(text, now=NOW)
    with pytest.raises(ValueError, match="is not a time"):
        parse_when("2026-02-30", now=NOW)
