"""The contract of documents: UTF-8 texts at relative paths, the profile, and the context block of a turn.

What the built-in store keeps beside its entries (specs/native-memory.md §1, §5–§8, §11–§14). Every value is frozen;
every failure is a :class:`~zeroclaw_cli.errors.DocumentFailure`, whose ``reason`` is stable, or one of the store's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from zeroclaw_cli.memory.types import Lane

WriteStatus = Literal["written", "patched", "cleared", "conflict"]
Role = Literal["user", "assistant", "system", "tool"]
# A file is its last segment, a folder `name/` or, when opened, `{"name/": [children]}`.
TreeNode: TypeAlias = "str | dict[str, list[TreeNode]]"


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is read; ``content_hash`` is ``sha256:`` and 64 hex digits of its bytes;
    the times are RFC 3339, empty where they are not known."""

    path: str
    content: str
    word_count: int
    content_hash: str
    created_at: str = field(default="", compare=False, repr=False)
    updated_at: str = field(default="", compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "content": self.content,
            "word_count": self.word_count,
            "content_hash": self.content_hash,
        }


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """One write (specs/native-memory.md §6): a patch when ``old_string`` is given, else an append, else a plain write.

    ``target`` is an alias (``memory``, ``heartbeat``, ``bootstrap``, ``daily_log``) or a path. ``metadata`` is merged
    over what the document has, null removing a key. ``expected_content_hash`` makes a plain write conditional.
    """

    target: str = "daily_log"
    content: str | None = None
    append: bool = True
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool = False
    metadata: Mapping[str, Any] | None = None
    timezone: str | None = None
    expected_content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What a write did. Fields that its mode does not have are None. ``conflict`` means that nothing was written."""

    status: WriteStatus
    path: str
    append: bool | None = None
    content_length: int | None = None
    replacements: int | None = None
    content_hash: str | None = None
    message: str | None = None

    def to_json(self) -> dict[str, Any]:
        names = ("status", "path", "append", "content_length", "replacements", "content_hash", "message")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One document: its best part (at most 8,192 bytes), and its score, 1.0 for the first."""

    content: str
    score: float
    path: str

    def to_json(self) -> dict[str, Any]:
        return {"content": self.content, "score": self.score, "path": self.path, "is_hybrid_match": False}


@dataclass(frozen=True, slots=True)
class SearchResult:
    query: str
    results: tuple[SearchHit, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "query": self.query,
            "results": [hit.to_json() for hit in self.results],
            "result_count": len(self.results),
            "search_scope": "reborn_internal_persistent_memory",
            "external_services_searched": False,
        }


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier text of a document. ``number`` counts from 1; ``at`` is RFC 3339; ``size`` is in bytes."""

    number: int
    content_hash: str
    changed_by: str
    at: str
    size: int

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "content_hash": self.content_hash,
            "changed_by": self.changed_by,
            "at": self.at,
            "size": self.size,
        }


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What ``forget`` removed: whether the document was there, and how many versions and transcripts went with it."""

    path: str
    forgotten: bool
    versions: int = 0
    transcripts: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "forgotten": self.forgotten,
            "versions": self.versions,
            "transcripts": list(self.transcripts),
        }


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """One message of a finished turn; ``name`` is the tool's or the speaker's."""

    role: Role
    content: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a finished turn: the run that it has, and how many of its messages were kept. ``reason`` says why
    nothing was; None when something was."""

    run: str
    messages: int = 0
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"recorded": self.reason is None, "run": self.run, "messages": self.messages, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class ContextSnippet:
    """One line of the block: a stable reference, the lane it came from, the document (or entry), its text, and the day
    of that text (``YYYY-MM-DD``, empty when it is not known)."""

    reference: str
    lane: Lane
    path: str
    text: str
    date: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "reference": self.reference,
            "lane": self.lane,
            "path": self.path,
            "text": self.text,
            "date": self.date or None,
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A snippet that was not shown: ``reason`` is ``scope``, ``empty``, ``unsafe`` or ``budget``."""

    reference: str
    lane: Lane
    path: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        return {"reference": self.reference, "lane": self.lane, "path": self.path, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Degradation:
    """A lane that could not answer, which is not the same as one with nothing to say."""

    lane: Lane
    kind: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        return {"lane": self.lane, "kind": self.kind, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """What a prompt would get: ``text`` (empty when there is nothing), its snippets, and what was left out;
    then the ``provider`` that adds to it, and its fenced text (empty when it adds nothing)."""

    text: str = ""
    snippets: tuple[ContextSnippet, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    degradations: tuple[Degradation, ...] = ()
    provider: str | None = None
    provider_text: str = ""

    @property
    def whole(self) -> str:
        """The text, and after it that of the provider."""
        return "\n\n".join(filter(None, (self.text, self.provider_text)))

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "text": self.text,
            "snippets": [snippet.to_json() for snippet in self.snippets],
            "left_out": [item.to_json() for item in self.left_out],
            "degradations": [item.to_json() for item in self.degradations],
        }
        if self.provider is not None:
            body["provider"] = {"name": self.provider, "text": self.provider_text}
        return body


@dataclass(frozen=True, slots=True)
class CurationPlan:
    """What one pass of scheduled curation would be given. ``due`` says whether the last turn starts it: every turn
    whose number is a multiple of ``interval_turns`` does.

    ``standing`` is the standing document as it is, None when there is none.
    """

    enabled: bool
    interval_turns: int
    turns: int
    due: bool
    prompt: str
    tools: tuple[str, ...]
    max_model_calls: int
    standing: Document | None = None

    @property
    def next_due(self) -> int:
        """The number of the next turn that starts a pass."""
        return (self.turns // self.interval_turns + 1) * self.interval_turns

    def to_json(self) -> dict[str, Any]:
        return {
            "enabled": self.enabled,
            "interval_turns": self.interval_turns,
            "turns": self.turns,
            "due": self.due,
            "max_model_calls": self.max_model_calls,
            "tools": list(self.tools),
            "prompt": self.prompt,
            "standing": None if self.standing is None else self.standing.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of the user; ``others`` are fields that this program does not set itself."""

    timezone: str | None = None
    locale: str | None = None
    location: str | None = None
    others: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        known = {"timezone": self.timezone, "locale": self.locale, "location": self.location}
        return {**self.others, **{name: value for name, value in known.items() if value is not None}}


class Documents(Protocol):
    """The documents of one scope, opened; a context manager that ``close`` ends. For one thread at a time."""

    def read(self, path: str) -> Document:
        """The document at ``path``; raises DocumentNotFound or DocumentInput."""
        ...

    def write(self, request: WriteRequest) -> WriteResult: ...
    def create(self, path: str, content: str) -> WriteResult:
        """Write a document that must not be there yet; the result is ``conflict`` when it is."""
        ...

    def archive(self, path: str) -> str:
        """Move a document below ``archive/``; its path there. Raises DocumentInput or DocumentNotFound."""
        ...

    def search(self, query: str, limit: int = 5, *, thread_id: str | None = None) -> SearchResult:
        """The best document parts for ``query``, at most ``limit`` (1 to 20) of them."""
        ...

    def tree(self, path: str = "", depth: int = 1) -> list[TreeNode]: ...
    def paths(self) -> list[str]:
        """Every document path of the scope, by code point."""
        ...

    def versions(self, path: str) -> list[Version]:
        """The archived texts of ``path``, newest first."""
        ...

    def read_version(self, path: str, number: int) -> str: ...
    def forget(self, path: str, *, with_history: bool = False) -> Forgotten: ...
    def profile(self) -> Profile: ...
    def set_profile(
        self, *, timezone: str | None = None, locale: str | None = None, location: str | None = None
    ) -> Profile: ...
    def context(self, query: str, *, thread_id: str | None = None, max_snippets: int = 8) -> ContextBlock:
        """The fenced block that a prompt would get for ``query``."""
        ...

    def record(self, messages: Sequence[TurnMessage], *, thread_id: str, run_id: str) -> Recorded:
        """Keep one finished turn. Recording a run again replaces its transcript.

        With a blank ``run_id`` the messages are a conversation so far, or its last part: those after the last recorded
        one of the thread are kept, and the run gets an id of its own; a repeat changes nothing.
        """
        ...

    def curation_plan(self) -> CurationPlan: ...
    def reindex(self) -> int: ...
    def take_warnings(self) -> list[str]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Documents: ...
    def __exit__(self, *exc: Any) -> None: ...


class Turns(Protocol):
    """What an agent's hooks ask: the context before a turn, and to keep it afterwards."""

    def context(self, query: str, *, thread_id: str | None = None, max_snippets: int = 8) -> ContextBlock: ...
    def record(self, messages: Sequence[TurnMessage], *, thread_id: str, run_id: str) -> Recorded: ...


class NotingDocuments(Documents, Protocol):
    """Documents that note which recorded turns a provider is owed."""

    @property
    def agent(self) -> str:
        """The agent whose they are; empty: nobody's."""
        ...

    @property
    def project(self) -> str:
        """The project that they are of; empty: none."""
        ...

    def record(
        self, messages: Sequence[TurnMessage], *, thread_id: str, run_id: str, receiver: str | None = None
    ) -> Recorded:
        """As :class:`Documents` says; ``receiver`` is a provider that is to be given the turn afterwards."""
        ...

    def owed(
        self, receiver: str, messages: Sequence[TurnMessage], *, thread_id: str
    ) -> list[tuple[str, list[TurnMessage]]]:
        """The recorded runs among ``messages`` that ``receiver`` has not been given, oldest first."""
        ...

    def settle(self, receiver: str, run: str, *, thread_id: str) -> None:
        """Note that ``receiver`` was given the turn ``run``, or is not to be."""
        ...
