"""The manager: one external provider beside the built-in memory, and every hook of a conversation.

specs/memory-providers.md §8, §9. Plugins import this module as ``agent.memory_manager``. A provider that fails, hangs
or answers nonsense costs its own contribution and nothing else.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli.providers.background import Background, Kind, state_of
from zeroclaw_cli.providers.base import RecallStatus
from zeroclaw_cli.providers.ends import detached
from zeroclaw_cli.providers.fencing import (
    SYSTEM_BLOCK_CHARS,
    StreamingContextScrubber,
    build_memory_context_block,
    cut,
    neutralize_tags,
    sanitize_context,
    scrub_output,
    with_context,
)
from zeroclaw_cli.providers.messages import Messages, flatten_content
from zeroclaw_cli.providers.mirroring import writes_of
from zeroclaw_cli.providers.prefetch import (
    DEFAULT_MAX_CHARS,
    DEFAULT_TIMEOUT_S,
    ExpandedText,
    Prefetcher,
    typed_text,
    usable,
)
from zeroclaw_cli.providers.redaction import Redactor, Snapshot
from zeroclaw_cli.providers.seats import BUILTIN, Answer, Seat, plain_text, shut_down
from zeroclaw_cli.providers.signatures import call_memory_write
from zeroclaw_cli.providers.tools import (
    RESERVED_TOOLS,
    error_result,
    inject_memory_provider_tools,
    normalize_tool_schema,
    result_text,
    usable_schemas,
)

__all__ = [
    "ExpandedText",
    "MemoryManager",
    "StreamingContextScrubber",
    "build_memory_context_block",
    "inject_memory_provider_tools",
    "neutralize_tags",
    "normalize_tool_schema",
    "sanitize_context",
    "scrub_output",
    "with_context",
]

_log: Final = logging.getLogger(__name__)
DRAIN_S: Final = 5.0
SHUTDOWN_S: Final = 5.0
# What a command waits before it ends, so that a session that was just begun anew is not lost (P-36).
EXIT_FLUSH_S: Final = 10.0


class MemoryManager:
    """Providers in the order in which they were added, of which at most one is not ``builtin``.

    ``external_prefetch_timeout`` is in seconds, ``prefetch_max_chars`` is what one provider may put into a prompt.
    ``redactor`` makes the copies that providers get; without one only keys in their issuers' forms are redacted.
    ``reserved_tools`` are names of the host's own tools. ``vibeos_home`` is handed to ``initialize``, and is what
    ``get_vibeos_home()`` answers inside a provider; by default it is the home of the process. Raises ValueError for a
    time-out or a size that is not positive.

    Hooks run on the thread of the caller, except ``prefetch`` of the external provider, ``sync_turn``,
    ``queue_prefetch`` and a session boundary. No method raises because of a provider; KeyboardInterrupt passes.
    """

    def __init__(
        self,
        *,
        external_prefetch_timeout: float | None = None,
        prefetch_max_chars: int = DEFAULT_MAX_CHARS,
        redactor: Redactor | None = None,
        reserved_tools: Iterable[str] = RESERVED_TOOLS,
        vibeos_home: Path | str | None = None,
    ) -> None:
        timeout = DEFAULT_TIMEOUT_S if external_prefetch_timeout is None else float(external_prefetch_timeout)
        # A NaN is not positive either.
        if not timeout > 0:
            raise ValueError(f"external_prefetch_timeout must be positive, and is {timeout:g}")
        if prefetch_max_chars < 1:
            raise ValueError(f"prefetch_max_chars must be positive, and is {prefetch_max_chars}")
        self.tools_withheld = False
        self._timeout = timeout
        self._max_chars = prefetch_max_chars
        self._redactor = Redactor() if redactor is None else redactor
        self._reserved = frozenset(reserved_tools)
        self._home = None if vibeos_home is None else Path(vibeos_home)
        self._seats: list[Seat] = []
        self._tools: dict[str, Seat] = {}
        self._prefetchers: dict[str, Prefetcher] = {}
        self._background = Background()
        self._ending = threading.Lock()
        self._ended = False

    # Registration

    def add_provider(self, provider: Any, *, plugin: bool = False) -> bool:
        """Add ``provider``; whether it was added. A warning says why it was not, and then nothing has changed.

        ``plugin`` is for what came out of a plugin: it may not call itself ``builtin`` (P-13).
        """
        seat = self._seat_for(provider)
        if seat is None:
            return False
        if self._ended:
            _log.warning("Memory is shut down; memory provider '%s' is not added", seat.name)
            return False
        if plugin and not seat.external:
            _log.warning("A plugin's memory provider calls itself '%s'; it is not added", BUILTIN)
            return False
        other = self._external
        if seat.external and other is not None:
            _log.warning(
                "Memory provider '%s' is not added: '%s' is active, and only one may be; memory.provider says which",
                seat.name,
                other.name,
            )
            return False
        schemas = self._schemas(seat)
        if schemas is None:
            return False
        seat.home = self._home
        self._seats.append(seat)
        if seat.external:
            self._prefetchers[seat.name] = Prefetcher(seat, self._timeout)
        for schema in schemas:
            self._route(schema["name"], seat)
        return True

    @property
    def providers(self) -> list[Any]:
        """The providers in order, as a list of the caller's own."""
        return [seat.provider for seat in self._seats]

    def get_provider(self, name: str) -> Any:
        """The first provider that was added under ``name``, or None."""
        return next((seat.provider for seat in self._seats if seat.name == name), None)

    @property
    def degraded(self) -> dict[str, str]:
        """Providers that did not start, and why, in one line each."""
        return {seat.name: seat.degraded for seat in self._seats if seat.degraded is not None}

    def initialize_all(self, session_id: str, **kwargs: Any) -> None:
        """Start every provider, in order. One that fails is degraded: no tools, no hooks, one line for the user.

        ``vibeos_home``, ``hermes_home`` and ``platform`` are added; values that are None or ``""`` are left out. The
        line goes to ``warning_callback`` if there is one, and into :attr:`degraded`.
        """
        if self._ended:
            _log.warning("Memory is shut down; it is not started again")
            return
        known = {name: value for name, value in kwargs.items() if value is not None and value != ""}
        home = Path(known.get("vibeos_home") or known.get("hermes_home") or self._home or _home_of_the_process())
        self._home = home
        known |= {"vibeos_home": str(home), "hermes_home": str(home), "platform": known.get("platform", "cli")}
        for seat in self._seats:
            seat.home = home
            seat.degraded = seat.call("initialize", session_id=session_id, **known).error
            if seat.degraded is not None:
                _tell(known.get("warning_callback"), seat)

    def failure(self, hook: str) -> str | None:
        """Why the latest call of ``hook`` of the external provider failed, in one line; None when it did not."""
        seat = self._external
        return None if seat is None else seat.failure(hook)

    # System prompt and tools

    def build_system_prompt(self) -> str:
        """The providers' blocks, each sanitised and cut to 4,000 characters, joined by blank lines (P-45)."""
        blocks = []
        for seat in self._active:
            if seat.external and self.tools_withheld:
                continue
            answer = seat.call("system_prompt_block")
            if (text := plain_text(answer.value)) is not None:
                clean = self._redactor.without_known(sanitize_context(text))
                blocks.append(cut(clean, SYSTEM_BLOCK_CHARS))
        return "\n\n".join(block for block in blocks if block.strip())

    def get_all_tool_schemas(self) -> list[dict[str, Any]]:
        """Every tool that can be called, once, as ``{"name", "description", "parameters"}``.

        Providers are asked anew: one that only knows its tools after ``initialize`` gets them routed here.
        """
        found: dict[str, dict[str, Any]] = {}
        for seat in self._active:
            for schema in self._schemas(seat) or ():
                name = schema["name"]
                if name not in found and self._route(name, seat, silently=True):
                    found[name] = schema
        return list(found.values())

    def get_all_tool_names(self) -> set[str]:
        """The names of the tools that can be called."""
        return {name for name, seat in self._tools.items() if self._is_active(seat)}

    def has_tool(self, name: str) -> bool:
        """Whether a provider serves the tool ``name``."""
        seat = self._tools.get(name)
        return seat is not None and self._is_active(seat)

    def handle_tool_call(self, tool_name: str, args: Mapping[str, Any] | None, **kwargs: Any) -> str:
        """The answer of the provider that serves the tool, as JSON text: ``{"error": …}`` when it fails."""
        seat = self._tools.get(tool_name) if isinstance(tool_name, str) else None
        if seat is None or not self._is_active(seat):
            return error_result(f"No memory provider handles tool '{tool_name}'")
        if args is not None and not isinstance(args, Mapping):
            return error_result(f"Memory tool '{tool_name}' failed: the arguments are not an object")
        answer = seat.call_tool(tool_name, self._redactor.value(dict(args or {})), kwargs)
        if answer.error is not None:
            return error_result(f"Memory tool '{tool_name}' failed: {answer.error}")
        text = result_text(answer.value)
        if text is not None:
            text = self._redactor.without_known(text)
        if text is None:
            kind = type(answer.value).__name__
            seat.complain("handle_tool_call", f"'{tool_name}' returned {kind}, which is not JSON")
            return error_result(f"Memory tool '{tool_name}' failed: it returned {kind}, which is not JSON")
        return text

    # A turn

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        """Tell every provider that a turn begins."""
        for seat in self._active:
            seat.call("on_turn_start", turn_number, self._redactor.value(message), **self._redactor.value(kwargs))

    def prefetch_all(self, query: str, *, session_id: str = "", within_s: float | None = None) -> str:
        """What the providers know for ``query``, in order, joined by blank lines; for the fence, once per turn.

        ``within_s`` may make the external provider's time shorter.
        """
        asked = self._outgoing_query(query)
        if not asked:
            return ""
        found = []
        for seat in self._active:
            prefetcher = self._prefetchers.get(seat.name)
            if prefetcher is None:
                answer = seat.call("prefetch", asked, session_id=session_id)
            else:
                answer = prefetcher.ask(asked, session_id, within_s)
            found.append(usable(seat, answer, self._redactor.without_known, self._max_chars))
        return "\n\n".join(text for text in found if text)

    def recall_statuses(self) -> list[RecallStatus]:
        """What the latest prefetch brought, of the providers that say so."""
        answers = [seat.call("recall_status").value for seat in self._active]
        return [status for status in answers if issubclass(type(status), RecallStatus)]

    def queue_prefetch_all(self, query: str, *, session_id: str = "") -> None:
        """Let the providers prepare the next turn, in the background."""
        seats = self._active
        asked = typed_text(query)
        if not asked or not seats:
            return

        def queue() -> None:
            outgoing = self._redactor.text(asked)
            for seat in seats:
                seat.call("queue_prefetch", outgoing, session_id=session_id)

        self._submit(queue, "prefetch")

    def sync_all(
        self,
        user_content: Any,
        assistant_content: Any,
        *,
        session_id: str = "",
        messages: Messages | None = None,
    ) -> None:
        """Give a completed turn to the providers, in the background and in order; returns at once (P-31).

        The contents are text, or lists of parts whose text counts. Nothing happens when either is empty.
        """
        seats = self._active
        asked, answered = typed_text(flatten_content(user_content)), flatten_content(assistant_content)
        if not seats or not asked or not answered.strip():
            return
        # Now, since the transcript goes on changing; redaction can wait.
        kept = None if messages is None else Snapshot(list(messages))

        def sync() -> None:
            user = self._redactor.text(asked)
            assistant = self._redactor.text(scrub_output(answered))
            if not user.strip() or not assistant.strip():
                return
            transcript = None if kept is None else kept.thaw()
            for seat in seats:
                own = {} if transcript is None else {"messages": self._redactor.value(transcript)}
                seat.call("sync_turn", user, assistant, session_id=session_id, **own)

        self._submit(sync, "write")

    def flush_pending(self, timeout: float | None = None) -> bool:
        """Wait until everything that was queued so far has run; False if that takes longer than ``timeout`` seconds."""
        return self._background.flush(timeout)

    # Boundaries of a session

    def on_session_end(self, messages: Messages) -> None:
        """Tell every provider that the conversation is over; not at the end of a turn."""
        for seat in self._active:
            self._end(seat, messages)

    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        """Tell every provider that the session has another id from now on; nothing without an id."""
        if not new_session_id:
            return
        for seat in self._active:
            self._switch(seat, new_session_id, parent_session_id, reset=reset, rewound=rewound, **kwargs)

    def commit_session_boundary_async(
        self,
        messages: Messages,
        *,
        new_session_id: str,
        parent_session_id: str = "",
        reason: str = "new_session",
    ) -> None:
        """In the background: the end of the conversation and after it, whatever became of that, the switch."""
        seats = self._active
        if not seats:
            return
        kept = Snapshot(list(messages or ()))

        def cross() -> None:
            transcript = kept.thaw()
            for seat in seats:
                self._end(seat, transcript)
            if new_session_id:
                for seat in seats:
                    self._switch(seat, new_session_id, parent_session_id, reset=True, reason=reason)

        self._submit(cross, "write")

    def on_pre_compress(self, messages: Messages) -> str:
        """What the providers want to keep of messages that will be summarised, sanitised, joined by blank lines."""
        texts = [
            plain_text(seat.call("on_pre_compress", self._redactor.value(list(messages or ()))).value)
            for seat in self._active
        ]
        found = (self._redactor.without_known(sanitize_context(text)) for text in texts if text)
        return "\n\n".join(text for text in found if text.strip())

    # Other hooks

    def on_memory_write(
        self, action: str, target: str, content: str, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Tell the external provider that the built-in memory changed."""
        seat = self._external
        if seat is not None and self._is_active(seat):
            text, own = self._redactor.value(content), self._redactor.value(dict(metadata or {}))
            seat.guard("on_memory_write", lambda hook: call_memory_write(hook, action, target, text, own))

    def notify_memory_tool_write(
        self,
        tool_result: Any,
        tool_args: Any,
        *,
        build_metadata: Callable[[], Mapping[str, Any] | None] | None = None,
    ) -> None:
        """Mirror what a call of the built-in memory's tool changed, if it did (P-30)."""
        if self._external is None:
            return
        for write in writes_of(tool_result, tool_args, build_metadata):
            self.on_memory_write(write.action, write.target, write.content, write.metadata)

    def on_delegation(self, task: str, result: str, *, child_session_id: str = "", **kwargs: Any) -> None:
        """Tell every provider that a sub-agent has finished."""
        for seat in self._active:
            own = self._redactor.value({"task": task, "result": result})
            extra = self._redactor.value(kwargs)
            seat.call("on_delegation", own["task"], own["result"], child_session_id=child_session_id, **extra)

    # The end

    def shutdown_all(self, *, drain_s: float = DRAIN_S, each_s: float = SHUTDOWN_S) -> None:
        """Let queued work run for ``drain_s`` seconds, then shut the providers down in reverse order, ``each_s`` each.

        Afterwards nothing reaches a provider any more. Calling it again does nothing.
        """
        with self._ending:
            if self._ended:
                return
            self._ended = True
        try:
            self._drain(drain_s)
        finally:
            for seat in reversed(self._seats):
                shut_down(seat, each_s)

    def _drain(self, seconds: float) -> None:
        drain = self._background.close(seconds)
        if drain.status == "timed_out":
            _log.warning(
                "Memory did not finish within %g s; not begun: %d turns, %d prefetches; still running: %d",
                seconds,
                drain.abandoned_writes,
                drain.abandoned_prefetches,
                drain.active_tasks,
            )

    @property
    def shutdown_drain_state(self) -> dict[str, Any]:
        """``status`` (not_started, draining, drained, timed_out) and what was left: ``abandoned_writes``,
        ``abandoned_prefetches``, ``active_tasks``."""
        return state_of(self._background.drain)

    # Inside

    @property
    def _active(self) -> list[Seat]:
        return [seat for seat in self._seats if self._is_active(seat)]

    def _is_active(self, seat: Seat) -> bool:
        return not self._ended and seat.degraded is None

    @property
    def _external(self) -> Seat | None:
        return next((seat for seat in self._seats if seat.external), None)

    def _seat_for(self, provider: Any) -> Seat | None:
        unnamed = Seat(provider, f"<{type(provider).__name__}>", self._redactor)
        # Taken once: a name that changes must not change what the provider may do.
        name = plain_text(unnamed.guard("name", lambda value: value).value)
        if not name or not name.strip() or not name.isprintable():
            _log.warning("A memory provider of class %s has no usable name; not added", type(provider).__name__)
            return None
        return Seat(provider, name, self._redactor)

    def _schemas(self, seat: Seat) -> list[dict[str, Any]] | None:
        def read(get: Callable[[], Any]) -> list[dict[str, Any]]:
            return list(usable_schemas(get(), seat.name))

        answer = seat.guard("get_tool_schemas", read, missing=Answer([]))
        return None if answer.error is not None else answer.value

    def _route(self, name: str, seat: Seat, *, silently: bool = False) -> bool:
        """Route the tool ``name`` to ``seat`` unless it is taken; whether it is that provider's now."""
        if name in self._reserved:
            if not silently:
                _log.warning("Memory provider '%s' tool '%s' has the name of a host tool; ignored", seat.name, name)
            return False
        owner = self._tools.setdefault(name, seat)
        if owner is not seat and not silently:
            _log.warning("Memory tool '%s' is already '%s''s; that of '%s' is ignored", name, owner.name, seat.name)
        return owner is seat

    def _outgoing_query(self, query: Any) -> str:
        asked = typed_text(query)
        return self._redactor.text(asked) if asked and self._active else ""

    def _submit(self, work: Callable[[], object], kind: Kind) -> None:
        self._background.submit(detached(work), kind)

    def _end(self, seat: Seat, messages: Messages) -> None:
        seat.call("on_session_end", self._redactor.value(list(messages or ())))

    def _switch(self, seat: Seat, new_id: str, parent_id: str, /, *, reset: bool, **more: Any) -> None:
        extra = self._redactor.value({name: value for name, value in more.items() if name != "rewound" or value})
        seat.call("on_session_switch", new_id, parent_session_id=parent_id, reset=reset, **extra)


def _tell(warn: Any, seat: Seat) -> None:
    if not callable(warn):
        return
    try:
        warn(f"memory provider '{seat.name}' did not start and is not used: {seat.degraded}")
    except Exception as error:  # noqa: BLE001 - the host's own callback; the log has the line too
        _log.warning("The warning callback failed: %s", type(error).__name__)


def _home_of_the_process() -> Path:
    from zeroclaw_cli.providers.home import get_vibeos_home

    return get_vibeos_home()
