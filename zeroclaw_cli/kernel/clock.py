"""The clock and ids of the kernel; both can be replaced where it is made."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from time import time_ns


def utc_now() -> datetime:
    return datetime.now(UTC)


# The second that was last written, and its text.
_last: tuple[int, str] = (0, "1970-01-01T00:00:00.")


def utc_stamp() -> str:
    """``stamp(utc_now())``, without writing date and time anew within a second."""
    global _last
    seconds, milliseconds = divmod(time_ns() // 1_000_000, 1_000)
    known, text = _last
    if known != seconds:
        text = stamp(datetime.fromtimestamp(seconds, UTC))[:-4]
        _last = seconds, text
    return f"{text}{milliseconds:03}Z"


def stamp(moment: datetime) -> str:
    """RFC 3339 in UTC with milliseconds and ``Z``. ``moment`` has a time zone."""
    if moment.tzinfo is not UTC:
        if moment.tzinfo is None:
            raise ValueError("the clock gave a time without a time zone")
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"


def random_id() -> str:
    """32 hexadecimal digits that nobody can guess."""
    return os.urandom(16).hex()
