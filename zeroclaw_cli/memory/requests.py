"""What is asked of a memory, and what it answers (cli.md, memory).

Everything here is a frozen value that checks itself when it is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from zeroclaw_cli.errors import UsageError
from zeroclaw_cli.memory.types import Entry, Lane

DEFAULT_CATEGORY: Final = "core"


class KnowsAgents(Protocol):
    """What gives agents their ids: a memory."""

    def agent_id_of(self, alias: str) -> str: ...
    def ensure_agent_uuid(self, alias: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent that a request names: an alias, which the backend resolves, or an id, which passes as it is.

    Raises UsageError when either is blank.
    """

    alias: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        for what, text in (("alias", self.alias), ("id", self.id)):
            if text is not None and not text.strip():
                raise UsageError(f"the {what} of an agent is blank", hint="name the agent, or leave it out")

    def resolve(self, memory: KnowsAgents) -> str | None:
        """The agent's id for ``memory``, or None when no agent was named. Nothing is kept."""
        if self.id is not None:
            return self.id
        return None if self.alias is None else memory.agent_id_of(self.alias)

    def ensure(self, memory: KnowsAgents) -> str | None:
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


def category_word(text: str) -> str:
    """A category as a person types it: trimmed and in lower case. Raises UsageError when nothing is left."""
    word = text.strip().lower()
    if not word:
        raise UsageError("the category is empty", hint="write core, daily, conversation or a word of your own")
    return word


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """What to store. A part that is None stays as the row of this key and agent has it, unless ``replace`` says that
    the new row is made anew.

    Raises UsageError for an empty key or a blank namespace.
    """

    key: str
    content: str
    category: str | None = None
    session_id: str | None = None
    namespace: str | None = None
    importance: float | None = None
    agent: Agent = NO_AGENT
    kind: str | None = None
    pinned: bool | None = None
    replace: bool = False

    def __post_init__(self) -> None:
        if not self.key:
            raise UsageError("the key is empty", hint="give the entry a key of at least one character")
        if self.namespace is not None and not self.namespace.strip():
            raise UsageError("the namespace is blank", hint="leave it out for the namespace default")


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """What to recall: at most ``limit`` entries. ``since`` and ``until`` are inclusive RFC 3339 texts; an empty query
    or ``*`` means the most recent; no agents mean every agent."""

    query: str = ""
    limit: int = 10
    session_id: str | None = None
    since: str | None = None
    until: str | None = None
    namespace: str | None = None
    agents: tuple[Agent, ...] = ()

    def agent_ids(self, memory: KnowsAgents) -> list[str]:
        """The ids of its agents for ``memory``."""
        return [found for agent in self.agents if (found := agent.resolve(memory)) is not None]


@dataclass(frozen=True, slots=True)
class Recalled:
    """What recall found. ``maybe_hidden``: rows beyond what was asked of the backend may match too. ``explanations``
    has one item per entry when they were asked for: the object that ``--explain`` prints, None for an entry that no
    query chose."""

    entries: list[Entry]
    maybe_hidden: bool = False
    explanations: tuple[Mapping[str, Any] | None, ...] | None = None


class Page(NamedTuple):
    """A part of a list, and how many entries the whole list has."""

    entries: Sequence[Entry]
    total: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many rows are gone; whose they were (alias, else id, empty for nobody), where the backend tells; and the
    paths of the transcripts that went with them."""

    rows: int
    agents: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cleared:
    """How many of the selected entries are gone."""

    deleted: int
    selected: int


@dataclass(frozen=True, slots=True)
class PurgeTarget:
    """What a purge removes: one namespace, one session (of one agent), or one agent.

    Raises UsageError unless exactly one target is named.
    """

    namespace: str | None = None
    session_id: str | None = None
    agent: Agent = NO_AGENT

    def __post_init__(self) -> None:
        named = self.agent != NO_AGENT
        if self.namespace is not None and (self.session_id is not None or named):
            raise UsageError("--namespace goes alone", hint="purge by namespace, by session, or by agent")
        if self.namespace is None and self.session_id is None and not named:
            raise UsageError(
                "nothing to purge is named", hint="pass --namespace N, --session S (with --agent A), or --agent A"
            )

    def takes(self) -> str:
        """What is deleted of the target, in words, for a question."""
        if self.namespace is not None:
            return "every entry"
        return "every entry, document and recorded turn" if self.session_id is None else "every entry and recorded turn"

    def describe(self) -> str:
        """The target in words, for a question."""
        agent = self.agent.alias or self.agent.id
        if self.namespace is not None:
            return f"namespace {self.namespace}"
        if self.session_id is None:
            return f"agent {agent}"
        return f"session {self.session_id}" + (f" of agent {agent}" if agent else "")


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """What a prompt needs: the latest message of the user, the running thread, whose prompt it is (an agent's alias,
    None: nobody's), the project (None: the present one), and at most how many snippets."""

    query: str
    thread: str | None = None
    agent: str | None = None
    project: str | None = None
    limit: int = 8


@dataclass(frozen=True, slots=True)
class PromptRow:
    """A raw snippet for a prompt: its lane, the key or document that it is of, and its text. A store that ranks also
    gives the ``rank`` of the hit, the RFC 3339 time ``at``, and whether nobody's row is ``shared`` with the agent."""

    lane: Lane
    path: str
    text: str
    rank: tuple[float, ...] | None = None
    at: str = ""
    shared: bool = False

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"lane": self.lane, "path": self.path, "text": self.text}
        return row if self.rank is None else row | {"rank": list(self.rank), "at": self.at, "shared": self.shared}


@dataclass(frozen=True, slots=True)
class PromptRows:
    """What a store has for a prompt; ``project`` is the one that it looked into, None where it knows of none."""

    rows: Sequence[PromptRow] = ()
    project: str | None = None
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"snippets": [row.to_json() for row in self.rows]}
        if self.project is not None:
            body["project"] = self.project
        return body | ({"warnings": list(self.warnings)} if self.warnings else {})
