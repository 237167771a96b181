"""Times as the store keeps them: ``YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ``, thirty characters that sort as instants do."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from zeroclaw_cli.memory.times import instant, rfc3339

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_HOUR: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:", re.ASCII)
_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:[0-5]\d:[0-5]\d\.\d{9}Z", re.ASCII)
_MINUTES: Final = {f"{minute:02d}:": minute * 60_000_000 for minute in range(60)}
_SECONDS: Final = frozenset(f"{second:02d}" for second in range(60))
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def now_stamp() -> str:
    """The present."""
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    return f"{_to_second(seconds)}.{nanoseconds:09d}Z"


def stamp(text: str) -> str:
    """The stamp of an RFC 3339 text. Raises ValueError, one line."""
    # Nearly every time has one of these two forms, and most are of an hour that has come before.
    if text[-1:] == "Z" and text[17:19] in _SECONDS and text[14:17] in _MINUTES and _hour(text[:14]) is not None:
        if len(text) == 20:
            return f"{text[:19]}.000000000Z"
        fraction = text[20:-1]
        if text[19] == "." and len(fraction) <= 9 and fraction.isascii() and fraction.isdecimal():
            return f"{text[:19]}.{fraction:0<9}Z"
    seconds, nanoseconds = instant(text)
    return f"{rfc3339(seconds)[:19]}.{nanoseconds:09d}Z"


def shown(stamp_text: str) -> str:
    """A stamp as RFC 3339 with no more digits of a second than it needs."""
    fraction = stamp_text[20:29].rstrip("0")
    return f"{stamp_text[:19]}.{fraction}Z" if fraction else f"{stamp_text[:19]}Z"


def is_stamp(value: object) -> bool:
    """Whether a value is a stamp: a time as the store keeps it."""
    return isinstance(value, str) and _STAMP.fullmatch(value) is not None and _hour(value[:14]) is not None


def microseconds(stamp_text: str) -> int:
    """A stamp as whole microseconds since 1970: the order of rows within a session."""
    hour = _hour(stamp_text[:14])
    if hour is None:
        raise ValueError(f"'{stamp_text}' is not a stamp")
    return hour + _MINUTES[stamp_text[14:17]] + int(stamp_text[17:19] + stamp_text[20:26])


@lru_cache(maxsize=4096)
def _hour(text: str) -> int | None:
    """Microseconds from 1970 to an hour ``YYYY-MM-DDTHH:``; None for what is none."""
    if _HOUR.fullmatch(text) is None:
        return None
    try:
        return (datetime.fromisoformat(f"{text}00+00:00") - _EPOCH) // _MICROSECOND
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def date_words(hour: str) -> tuple[str, ...]:
    """The words of the date at ``hour`` (a stamp's first thirteen characters), local and as written (UTC), each once:
    ``("8", "may", "2023", "monday")``."""
    moment = datetime.strptime(hour, "%Y-%m-%dT%H").replace(tzinfo=UTC)
    words: dict[str, None] = {}
    for day in (moment, _local(moment)):
        words.update(dict.fromkeys((str(day.day), _MONTHS[day.month - 1], str(day.year), _WEEKDAYS[day.weekday()])))
    return tuple(words)


def _local(moment: datetime) -> datetime:
    try:
        return moment.astimezone()
    except (OverflowError, ValueError, OSError):
        return moment


@lru_cache(maxsize=64)
def _to_second(seconds: int) -> str:
    return rfc3339(seconds)[:19]
