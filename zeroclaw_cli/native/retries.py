"""Repeating a write while the document changes under it (specs/native-memory.md §5)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from zeroclaw_cli.errors import DocumentConflict, DocumentOperation

ATTEMPTS: Final = 8
_BACK_OFF_S: Final = 0.002
_T = TypeVar("_T")


def with_retries(attempt: Callable[[], _T]) -> _T:
    """What ``attempt`` returns; repeated up to 8 times while the document changes under it.

    Raises DocumentOperation ``conflict_retries`` when it never settles.
    """
    for number in range(ATTEMPTS):
        if number:
            time.sleep(_BACK_OFF_S * number)
        try:
            return attempt()
        except DocumentConflict:
            continue
    raise DocumentOperation(
        "conflict_retries", "the document kept changing while it was written", hint="try again in a moment"
    )
