"""What doctor says of one thing that it looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from zeroclaw_cli.errors import Damaged, ZeroclawError


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: its id, how it is, and what mends it. ``damage``: state on disk is damaged."""

    id: str
    state: State
    detail: str
    hint: str | None = None
    damage: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding that ``--fix`` can mend."""

    finding: Finding
    # Returns what there is to say of it beside that it is mended; raises when it is not.
    mend: Callable[[], str | None]


def failed(what: str, error: ZeroclawError) -> Finding:
    """The finding that ``what`` ends in ``error``."""
    return Finding(what, State.ERROR, error.message, error.hint, damage=isinstance(error, Damaged))
