"""A provider as ``ProviderMemory`` uses it."""

from __future__ import annotations

from typing import Any, Protocol


class Served(Protocol):
    """A provider as this memory uses it; each call raises ProviderFailed when the provider does."""

    name: str

    def begin(self, session_id: str | None, agent: str | None) -> None:
        """Make it ready for this session and agent. Raises NotSupported when it is ready for another agent."""

    def has(self, hook: str) -> bool:
        """Whether the provider does something of its own in this hook."""

    def is_available(self) -> bool: ...
    def call_tool(self, name: str, arguments: dict[str, Any]) -> object:
        """The reply of a tool, as a value of JSON."""

    def hand_over(self, action: str, target: str, content: str, metadata: dict[str, Any]) -> None: ...
    def prefetch(self, query: str, session_id: str | None) -> str: ...
    def prompt_block(self) -> str: ...
    def close(self) -> None:
        """End it. Raises NotDurable when what it was given did not drain."""
