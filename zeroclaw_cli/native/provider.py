"""The hooks of a memory provider, and what they exchange with the host (specs/native-memory.md §1, §12–§14).

A provider ranks and scopes and returns raw snippets; the host alone makes text for a model of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from zeroclaw_cli.errors import DocumentUnavailable, UndeclaredCapability
from zeroclaw_cli.memory.documents import Degradation, TurnMessage
from zeroclaw_cli.native.scope import Invocation, Scope

DISABLED_PROFILES: Final = frozenset({"memory_disabled", "memory-disabled", "disabled_context", "context_disabled"})


@dataclass(frozen=True, slots=True)
class LaneRequest:
    """What the host asks of a lane: the latest user message, and how many snippets at most.

    ``context_profile`` names the profile of the prompt; some switch memory off.
    """

    query: str
    max_snippets: int = 8
    context_profile: str = ""

    @property
    def disabled(self) -> bool:
        return self.max_snippets <= 0 or self.context_profile in DISABLED_PROFILES


@dataclass(frozen=True, slots=True)
class Snippet:
    """A raw piece of memory: whose it is, where it stands, and its text. ``standing`` marks the curated ones, ``date``
    is the day of the text (``YYYY-MM-DD``, empty when it is not known), and ``shared`` says that no agent owns it where
    an agent asked."""

    scope: Scope
    relative_path: str
    text: str
    standing: bool = False
    date: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class LaneResult:
    """The snippets of a lane, best first, and what it had to go without."""

    snippets: tuple[Snippet, ...] = ()
    degradations: tuple[Degradation, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """One finished turn. ``metadata`` is the host's and is not kept by the native provider."""

    messages: Sequence[TurnMessage]
    turn_run_id: str | None
    metadata: Mapping[str, Any] | None = None


class MemoryProvider(Protocol):
    """What a host can ask of a bound provider. Every call carries its invocation."""

    @property
    def served_tools(self) -> frozenset[str]: ...
    def call_tool(self, tool_id: str, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        """The JSON-like output of one tool. Raises a DocumentFailure."""
        ...

    def read_long_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult: ...
    def read_short_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult: ...
    def record_interaction(self, invocation: Invocation, request: RecordRequest) -> bool: ...
    def profile_read(self, invocation: Invocation) -> bytes | None: ...


class BareProvider:
    """A provider that serves nothing: lanes are unavailable and nothing is recorded. Others override what they have."""

    @property
    def served_tools(self) -> frozenset[str]:
        return frozenset()

    def call_tool(self, tool_id: str, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        raise UndeclaredCapability("unserved_capability", f"this memory provider does not serve '{tool_id}'")

    def read_long_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult:
        raise _unavailable("read_long_term")

    def read_short_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult:
        raise _unavailable("read_short_term")

    def record_interaction(self, invocation: Invocation, request: RecordRequest) -> bool:
        return False

    def profile_read(self, invocation: Invocation) -> bytes | None:
        raise _unavailable("profile_read")


def _unavailable(hook: str) -> DocumentUnavailable:
    return DocumentUnavailable("hook_unavailable", f"this memory provider has no {hook}")
