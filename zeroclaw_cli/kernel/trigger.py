"""The trigger of a command's requests (specs/memory-kernel.md §8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

AGENT_VARIABLE: Final = "ZEROCLAW_AGENT"


def trigger_of(environ: Mapping[str, str]) -> str:
    """``automatic`` for a process that an agent started, ``manual`` for a person's."""
    return "automatic" if environ.get(AGENT_VARIABLE) else "manual"
