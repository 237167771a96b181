"""The agent that a command names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.protocol import Memory


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent that a command names: an alias, which the backend resolves, or an id, which passes as it is.

    Raises UsageError when either is blank.
    """

    alias: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        for what, text in (("alias", self.alias), ("id", self.id)):
            if text is not None and not text.strip():
                raise UsageError(f"the {what} of an agent is blank", hint="name the agent, or leave it out")

    def resolve(self, memory: Memory) -> str | None:
        """The agent's id for ``memory``, or None when no agent was named. Nothing is kept."""
        if self.id is not None:
            return self.id
        return None if self.alias is None else memory.agent_id_of(self.alias)

    def ensure(self, memory: Memory) -> str | None:
        """As :meth:`resolve`, and the backend remembers the alias."""
        if self.id is not None:
            return self.id
        return None if self.alias is None else memory.ensure_agent_uuid(self.alias)

    def to_json(self) -> dict[str, str] | None:
        """As a request to the layers names it, each of which resolves an alias for itself."""
        if self.id is not None:
            return {"id": self.id}
        return None if self.alias is None else {"alias": self.alias}


NO_AGENT: Final = Agent()
