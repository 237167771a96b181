"""Times as the store keeps them: ``YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ``, thirty characters that sort as instants do."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from zeroclaw_cli.memory.times import instant, rfc3339

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
    if len(text) == 30 and text[19] == "." and text[29] == "Z" and _is_plain(text[:20]) and text[20:29].isdecimal():
        instant(text)
        return text
    seconds, nanoseconds = instant(text)
    return f"{rfc3339(seconds)[:19]}.{nanoseconds:09d}Z"


def shown(stamp_text: str) -> str:
    """A stamp as RFC 3339 with no more digits of a second than it needs."""
    fraction = stamp_text[20:29].rstrip("0")
    return f"{stamp_text[:19]}.{fraction}Z" if fraction else f"{stamp_text[:19]}Z"


def microseconds(stamp_text: str) -> int:
    """A stamp as whole microseconds since 1970: the order of rows within a session."""
    return _seconds(stamp_text[:19]) * 1_000_000 + int(stamp_text[20:26])


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


def _is_plain(text: str) -> bool:
    return text.isascii() and text[10] == "T"


@lru_cache(maxsize=64)
def _to_second(seconds: int) -> str:
    return rfc3339(seconds)[:19]


@lru_cache(maxsize=4096)
def _seconds(to_second: str) -> int:
    return instant(to_second + "Z")[0]
