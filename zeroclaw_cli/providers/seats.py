"""One provider in the manager: every call into it, and what is known of it (specs/memory-providers.md §8, P-22)."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CoroutineType
from typing import Any, Final, NamedTuple

from zeroclaw_cli.memory.text import display
from zeroclaw_cli.providers.base import spawn_context_thread
from zeroclaw_cli.providers.ends import detached, ends_the_host
from zeroclaw_cli.providers.redaction import Redactor
from zeroclaw_cli.providers.signatures import accepted
from zeroclaw_cli.providers.streams import provider_output

_log: Final = logging.getLogger(__name__)
BUILTIN: Final = "builtin"
_REASON_CHARS: Final = 500
# So much of an exception's text is looked at: a provider may put anything into it. Half of it may be shown, since a
# secret at the end may be cut in two.
_EXAMINED_CHARS: Final = 20_000
# Failures that a user must see each time; of any other hook the first one, and tool calls are errors.
_ALWAYS_WARNED: Final = frozenset(
    {"sync_turn", "system_prompt_block", "get_tool_schemas", "initialize", "on_session_end", "shutdown"}
)
_WITH_TRACEBACK: Final = frozenset({"on_session_end"})
_TOOL_HOOK: Final = "handle_tool_call"


class Answer(NamedTuple):
    """What a hook returned; ``error`` is why there is nothing, in one line, or None."""

    value: Any = None
    error: str | None = None


class Seat:
    """A provider that was added, under the name that it had then.

    ``degraded`` is why it did not start; until it does, its hooks are not called and its tools are not there.
    """

    def __init__(self, provider: Any, name: str, redactor: Redactor) -> None:
        self.provider = provider
        self.name = name
        self.degraded: str | None = None
        # The home that get_vibeos_home() answers during its calls; None: what the caller's context says.
        self.home: Path | None = None
        self._redactor = redactor
        self._failed: set[str] = set()
        # Why the latest call of a hook failed; a hook whose latest call succeeded is not there.
        self._last_errors: dict[str, str] = {}

    @property
    def external(self) -> bool:
        return self.name != BUILTIN

    def call(self, hook: str, /, *args: Any, **keywords: Any) -> Answer:
        """Call ``hook`` with those of ``keywords`` that it takes. A missing hook does nothing (P-20).

        Never raises, except KeyboardInterrupt and what ends the host itself, on the thread of the caller.
        """
        return self.guard(hook, lambda method: method(*args, **accepted(method, len(args), keywords)))

    def call_tool(self, name: str, args: dict[str, Any], keywords: dict[str, Any]) -> Answer:
        """Let it handle a call of its tool ``name``."""
        return self.guard(
            _TOOL_HOOK,
            lambda method: method(name, args, **accepted(method, 2, keywords)),
            missing=Answer(error="the provider handles no tool calls"),
        )

    def guard(self, hook: str, use: Callable[[Callable[..., Any]], Any], *, missing: Answer | None = None) -> Answer:
        """As :meth:`call`, where ``use`` makes the call itself; ``missing`` answers for a hook that is not there."""
        try:
            with self._inside():
                method = getattr(self.provider, hook, None)
                answer = (missing or Answer()) if method is None else Answer(_finished(use(method)))
            self._last_errors.pop(hook, None)
            return answer
        except BaseException as error:
            if ends_the_host(error):
                raise
            return Answer(error=self._report(hook, error))

    @contextmanager
    def _inside(self) -> Iterator[None]:
        if self.home is None:
            with provider_output():
                yield
            return
        from zeroclaw_cli.providers.home import using_home

        with using_home(self.home), provider_output():
            yield

    def failure(self, hook: str) -> str | None:
        """Why the latest call of ``hook`` failed, in one line; None when it did not."""
        return self._last_errors.get(hook)

    def failed(self, hook: str, reason: str) -> None:
        """Remember that the latest call of ``hook`` failed."""
        self._last_errors[hook] = reason

    def complain(self, hook: str, reason: str) -> None:
        """Log that ``hook`` failed, which is not an exception, at the level of that hook."""
        self.failed(hook, reason)
        _log.log(self._level(hook), "Memory provider '%s' %s failed: %s", self.name, hook, reason, extra={"hook": hook})

    def _report(self, hook: str, error: BaseException) -> str:
        reason = describe(error, self._redactor.secretless)
        if hook in _WITH_TRACEBACK:
            shown = self._redactor.secretless(_traceback(error))
            self.failed(hook, reason)
            _log.warning("Memory provider '%s' %s failed: %s\n%s", self.name, hook, reason, shown)
        else:
            self.complain(hook, reason)
        return reason

    def _level(self, hook: str) -> int:
        first = hook not in self._failed
        self._failed.add(hook)
        if hook == _TOOL_HOOK:
            return logging.ERROR
        return logging.WARNING if first or hook in _ALWAYS_WARNED else logging.DEBUG


def describe(error: BaseException, clean: Callable[[str], str]) -> str:
    """What ``error`` says, after ``clean``, in one bounded line that is safe to show; its class if it says nothing."""
    if isinstance(error, SystemExit):
        return f"it wants to end the process ({type(error).__name__})"
    try:
        text = clean(" ".join(str(error)[:_EXAMINED_CHARS].split()))[: _EXAMINED_CHARS // 2]
    except BaseException:  # noqa: BLE001 - a provider's own class may fail to be shown
        text = ""
    return display(text, _REASON_CHARS) if text else type(error).__name__


def shut_down(seat: Seat, limit: float) -> None:
    """Call ``shutdown`` and wait for it for ``limit`` seconds, on a thread that may go on after that."""
    thread = spawn_context_thread(detached(lambda: seat.call("shutdown")), name=f"memory-shutdown-{seat.name}")
    try:
        thread.start()
    except RuntimeError:
        seat.call("shutdown")
        return
    thread.join(limit)
    if thread.is_alive():
        seat.complain("shutdown", f"it took longer than {limit:g} s")


def plain_text(value: Any) -> str | None:
    """``value`` as an exact ``str``, None if it is not text: a subclass could do anything when it is used."""
    # isinstance would ask the object itself for its class.
    return str.__str__(value) if issubclass(type(value), str) else None


def _finished(value: Any) -> Any:
    if type(value) is CoroutineType:
        value.close()
        raise TypeError("it is a coroutine, and hooks are called without an event loop")
    return value


def _traceback(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error)).rstrip()
    except Exception:  # noqa: BLE001 - as in describe
        return type(error).__name__
