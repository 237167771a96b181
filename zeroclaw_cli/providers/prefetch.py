"""Asking a provider for what is worth knowing, for a limited time (specs/memory-providers.md P-23 … P-26)."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from typing import Any, Final

from zeroclaw_cli.providers.base import spawn_context_thread
from zeroclaw_cli.providers.ends import detached
from zeroclaw_cli.providers.fencing import cut
from zeroclaw_cli.providers.seats import Answer, Seat, plain_text
from zeroclaw_cli.providers.streams import take_back

_log: Final = logging.getLogger(__name__)
DEFAULT_TIMEOUT_S: Final = 8.0
DEFAULT_MAX_CHARS: Final = 10_000

_BARE_COMMAND: Final = re.compile(r"/[A-Za-z][\w:-]*")


class ExpandedText(str):
    """A message that the host made of what the user typed: the body of a command or a skill around it.

    ``typed`` are the user's own words beside the command, ``""`` if there were none.
    """

    typed: str

    def __new__(cls, text: str, typed: str) -> ExpandedText:
        made = super().__new__(cls, text)
        made.typed = typed
        return made


def typed_text(message: Any) -> str:
    """What the user typed of ``message``; ``""`` where nothing is to be remembered or asked for.

    That is a bare command, a blank text and what is not text at all; ordinary text comes back as it is.
    """
    if isinstance(message, ExpandedText):
        message = message.typed
    text = plain_text(message)
    if text is None or not text.strip() or _BARE_COMMAND.fullmatch(text.strip()):
        return ""
    return text


class Prefetcher:
    """Runs ``prefetch`` of one external provider on a daemon thread of its own, at most one at a time."""

    def __init__(self, seat: Seat, timeout: float) -> None:
        self._seat = seat
        # What waits cannot wait longer, and infinity is longer.
        self._timeout = min(timeout, threading.TIMEOUT_MAX)
        self._starting = threading.Lock()
        # Set when the latest call has returned.
        self._returned = threading.Event()
        self._returned.set()

    def ask(self, query: str, session_id: str, within_s: float | None = None) -> Answer:
        """The answer; an empty one when it is late, or when an earlier call still has not returned. ``within_s`` may
        make the limit shorter."""
        limit = self._timeout if within_s is None else min(self._timeout, max(within_s, 0.0))
        answers: list[Answer] = []
        returned = threading.Event()

        def run() -> None:
            try:
                answers.append(self._seat.call("prefetch", query, session_id=session_id))
            finally:
                returned.set()

        with self._starting:
            if not self._returned.is_set():
                self._seat.failed("prefetch", "an earlier call still runs")
                _log.debug("Memory provider '%s' prefetch still runs; this turn goes without it", self._seat.name)
                return Answer()
            try:
                spawn_context_thread(detached(run), name=f"memory-prefetch-{self._seat.name}").start()
            except RuntimeError as error:
                self._seat.complain("prefetch", str(error))
                return Answer()
            self._returned = returned
        if returned.wait(limit):
            return answers[0] if answers else Answer()
        # A call that is late may hold the stream that it has taken.
        take_back()
        self._seat.failed("prefetch", f"it took longer than {self._timeout:g} s")
        _log.warning(
            "Memory provider '%s' prefetch took longer than %g s and is not asked again before it has returned",
            self._seat.name,
            self._timeout,
            extra={"hook": "prefetch"},
        )
        return Answer()


def usable(seat: Seat, answer: Answer, clean: Callable[[str], str], max_chars: int) -> str:
    """The text of a prefetch that goes into a prompt, after ``clean`` and cut to ``max_chars``; ``""`` for none
    (P-26)."""
    if answer.value is None:
        return ""
    text = plain_text(answer.value)
    if text is None:
        seat.complain("prefetch", f"it returned {type(answer.value).__name__} and not text")
        return ""
    return cut(clean(text), max_chars) if text.strip() else ""
