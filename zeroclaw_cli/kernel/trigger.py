"""The trigger of a command's requests (specs/memory-kernel.md §8)."""

from __future__ import annotations

from collections.abc import Mapping

from zeroclaw_cli.config.permissions import is_agent


def trigger_of(environ: Mapping[str, str]) -> str:
    """``automatic`` for a process that an agent started, ``manual`` for a person's."""
    return "automatic" if is_agent(environ) else "manual"
