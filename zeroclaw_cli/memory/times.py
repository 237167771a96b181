"""Instants: RFC 3339 texts compared as points in time, and the times that a command line accepts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

# Seconds since 1970-01-01T00:00:00Z and nanoseconds within that second; compares as time does.
Instant = tuple[int, int]

_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_AGE: Final = re.compile(r"(\d{1,6})(s|m|h|d|w)", re.ASCII)
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)
_LAST: Final = (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)


def instant(text: str) -> Instant:
    """The instant of an RFC 3339 text: (seconds since the epoch, nanoseconds). Raises ValueError, one line."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not an RFC 3339 time such as 2026-03-01T12:00:00Z")
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    leap = second == 60
    try:
        moment = datetime(year, month, day, hour, minute, 59 if leap else second, tzinfo=UTC)
    except ValueError as error:
        raise ValueError(f"'{text}' is not a time: {error}") from None
    zone = match[8]
    offset = 0
    if zone not in "Zz":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 23 or minutes > 59:
            raise ValueError(f"'{text}' has an impossible offset from UTC")
        offset = (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)
    since_epoch = moment - _EPOCH
    seconds = since_epoch.days * 86_400 + since_epoch.seconds + (1 if leap else 0) - offset
    return seconds, int((match[7] or "0").ljust(9, "0"))


def rfc3339(seconds: int, nanoseconds: int = 0) -> str:
    """The instant as RFC 3339 in UTC, with as many digits of a second as it has. Raises ValueError out of range."""
    try:
        text = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    except OverflowError:
        raise ValueError("the time is outside the years 1 to 9999") from None
    # strftime pads no year on some systems.
    text = text.rjust(19, "0")
    fraction = f"{nanoseconds:09d}".rstrip("0")
    return f"{text}.{fraction}Z" if fraction else f"{text}Z"


def parse_when(text: str, *, now: datetime | None = None) -> str:
    """An RFC 3339 text in UTC from what a person types: RFC 3339, a date (local midnight) or an age (``7d``, ``12h``).

    ``now`` is an aware datetime, the present by default. Raises ValueError with the accepted forms.
    """
    word = text.strip()
    age = _AGE.fullmatch(word)
    try:
        if age is not None:
            moment = (now or datetime.now(UTC)) - timedelta(**{_UNITS[age[2]]: int(age[1])})
            return _from_datetime(moment)
        if _DATE.fullmatch(word) is not None:
            local = datetime.strptime(word, "%Y-%m-%d")
            try:
                return _from_datetime(local.astimezone())
            except ValueError as error:
                # At the edge of the calendar a local midnight has no counterpart elsewhere.
                raise OverflowError from error
        seconds, nanoseconds = instant(word)
        if not _FIRST <= seconds <= _LAST:
            raise OverflowError
        return rfc3339(seconds, nanoseconds)
    except OverflowError:
        problem = "lies at the edge of the calendar (years 1 to 9999) or beyond it"
    except ValueError:
        problem = "is not a time"
    raise ValueError(
        f"'{text}' {problem}; write RFC 3339 (2026-03-01T12:00:00Z), a date (2026-03-01) or an age (7d, 12h, 30m)"
    )


def _from_datetime(moment: datetime) -> str:
    since_epoch = moment - _EPOCH
    return rfc3339(since_epoch.days * 86_400 + since_epoch.seconds, since_epoch.microseconds * 1_000)
