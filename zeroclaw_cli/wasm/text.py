"""Guest text made safe to show: one line, no control characters, bounded in length."""

from __future__ import annotations

from zeroclaw_cli.memory.text import escape


def escaped(text: str, limit: int = 2_000) -> str:
    """``text`` (from a guest) on one line without control or invisible characters, at most ``limit`` characters of it.

    What is unsafe is shown as ``\\n``, ``\\x1b`` or ``\\u202e``; a cut text ends with ``…``.
    """
    shown = escape(text[:limit])
    return shown + "…" if len(text) > limit else shown
