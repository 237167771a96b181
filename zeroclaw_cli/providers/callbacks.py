"""Whom a provider may say something to while it starts: a person at a terminal (specs/memory-providers.md §5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from zeroclaw_cli.providers.shown import shown
from zeroclaw_cli.providers.streams import runs_provider_code

Say = Callable[[str], None]
_said: Final[dict[str, Say]] = {}


def listen(*, warning: Say, status: Say) -> None:
    """Let what providers say from now on be heard: their warnings, and what they are doing."""
    _said.update(warning_callback=_guarded(warning), status_callback=_guarded(status))


def given() -> dict[str, Any]:
    """The callbacks that ``initialize`` gets: ``warning_callback`` and ``status_callback``, none without a listener."""
    return dict(_said)


def _guarded(say: Say) -> Say:
    def heard(text: str) -> None:
        # What the host itself would say of a provider that does not start, whoever started it says.
        if runs_provider_code() and issubclass(type(text), str):
            say(shown(str.__str__(text)))

    return heard
