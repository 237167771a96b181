"""What a memory provider is: the class that plugins derive from (specs/memory-providers.md §5).

Plugins import this module as ``agent.memory_provider``.
"""

# ruff: noqa: B027 - a hook that is not overridden does nothing
from __future__ import annotations

import contextvars
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

INDICATOR_GLYPH: Final = "\N{BRAIN}"

# What follows the words may be no letter and no digit, so that "k8s" is a question.
_TRIVIAL: Final = re.compile(
    r"(?:y(?:es|eah|ep)?|n(?:o|ope|ah)?|ok(?:ay)?|k|sure|cool|nice|great|done|next|lgtm|thanks|thx|thank\s+you|continue"
    r"|proceed|go\s+ahead|do\s+it|got\s+it|hi|hey|hello|yo|sup)[\W_]*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class RecallStatus:
    """What the latest ``prefetch`` brought, for an indicator: whose it is, how many memories (0: unknown), its sign."""

    provider_label: str
    count: int
    glyph: str = INDICATOR_GLYPH


def is_trivial_prompt(text: str | None) -> bool:
    """Whether ``text`` asks memory for nothing: blank, a slash command, or a bare greeting or acknowledgement."""
    asked = (text or "").strip()
    return not asked or asked.startswith("/") or _TRIVIAL.fullmatch(asked) is not None


def spawn_context_thread(
    target: Callable[..., Any],
    *,
    name: str | None = None,
    daemon: bool = True,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
) -> threading.Thread:
    """A thread, not yet started, that runs ``target`` under a copy of the caller's context variables.

    A provider that works in threads of its own makes them so: the home of the profile goes with the work.
    """
    context = contextvars.copy_context()
    keywords = dict(kwargs or {})

    def run() -> None:
        context.run(target, *args, **keywords)

    return threading.Thread(target=run, name=name, daemon=daemon)


class MemoryProvider(ABC):
    """A memory beside the built-in one. The first four members are required, every other one has a default.

    The host calls from the agent's thread, except ``prefetch`` (a daemon thread for each call) and ``sync_turn``,
    ``queue_prefetch`` and the two hooks of a session boundary (one background worker, in order). These calls may come
    at the same time, so what they share needs a lock. All data lies under the ``vibeos_home`` that is handed over.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The provider's short name, as in ``memory.provider``; ``builtin`` is the host's own."""

    @abstractmethod
    def is_available(self) -> bool:
        """Whether it could work now, from config, environment and installed modules, without network."""

    @abstractmethod
    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Get ready, once, before any other hook.

        ``kwargs`` always hold ``vibeos_home`` (str) and ``platform``; where known ``agent_context`` (``primary``,
        ``subagent``, ``cron`` or ``flush``; write for ``primary`` alone), ``agent_identity``, ``user_id`` and more.
        """

    @abstractmethod
    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Tools for the model as ``{"name", "description", "parameters"}``; asked for before ``initialize`` too."""

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """The answer to a call of one of its tools, as JSON text."""
        raise NotImplementedError(f"provider '{self.name}' does not serve the tool '{tool_name}'")

    def get_config_schema(self) -> list[dict[str, Any]]:
        """The fields that setup asks for (specs/memory-providers.md §10)."""
        return []

    def save_config(self, values: dict[str, Any], vibeos_home: str) -> None:
        """Keep what setup was answered, secrets apart. Not overridden, the host keeps the values in its own config."""

    def unavailable_reason(self) -> str:
        """Why ``is_available`` is false, in one line."""
        return ""

    def backup_paths(self) -> list[str]:
        """Absolute paths outside the home that a backup should hold; works without ``initialize`` and network."""
        return []

    def system_prompt_block(self) -> str:
        """Static text for the system prompt: how to use this memory, never what it remembers."""
        return ""

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        """A turn begins; ``kwargs`` may hold ``remaining_tokens``, ``model``, ``platform`` and ``tool_count``."""

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """What is worth knowing for ``query``, before the model is called; the host waits for a limited time."""
        return ""

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        """A turn has ended: prepare what the next ``prefetch`` may want."""

    def recall_status(self) -> RecallStatus | None:
        """What the latest ``prefetch`` brought, None when it brought nothing."""
        return None

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        """Keep a finished turn. It should not block: slow work belongs on a daemon thread, joined for 5 s at most."""

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """A conversation is over, with all its messages; the end of a turn is not the end of a session."""

    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        """The session's id changes and the process lives on; ``kwargs`` may hold a ``reason``."""

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        """Old messages are about to be summarised: what the summary should not lose."""
        return ""

    def on_memory_write(self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None) -> None:
        """The built-in memory changed: ``action`` add, replace or remove; ``target`` memory or user."""

    def on_delegation(self, task: str, result: str, *, child_session_id: str = "", **kwargs: Any) -> None:
        """A sub-agent of this agent has finished."""

    def shutdown(self) -> None:
        """Let go of everything; the host waits for a limited time."""
