"""What an import does with a row that is there already."""

from __future__ import annotations

from enum import StrEnum


class OnConflict(StrEnum):
    """What to do with a row whose (key, agent), or whose document path, is there already."""

    REPLACE = "replace"
    KEEP = "keep"
    ERROR = "error"
