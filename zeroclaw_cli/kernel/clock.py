"""The clock and ids of the kernel; both can be replaced where it is made."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)


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
