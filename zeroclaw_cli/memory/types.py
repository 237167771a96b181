"""Entry types of every memory backend: specs/zeroclaw.md §7.

Everything here is a frozen value. Text is ``str``, counts and limits are ``int`` (unsigned 64-bit in the world),
scores and importances are ``float``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from math import isfinite
from typing import Any, Final, Literal, TypeAlias

DEFAULT_NAMESPACE: Final = "default"
# What is known of old, and what belongs to the running thread.
Lane: TypeAlias = Literal["long_term", "short_term"]
BUILT_IN_CATEGORIES: Final = frozenset({"core", "daily", "conversation"})


class Capability(StrEnum):
    """The eleven optional capabilities, in the bit order of ``memory-capabilities``."""

    GET_FOR_AGENT = "get-for-agent"
    PURGE_NAMESPACE = "purge-namespace"
    PURGE_SESSION = "purge-session"
    PURGE_SESSION_FOR_AGENT = "purge-session-for-agent"
    PURGE_AGENT = "purge-agent"
    REINDEX = "reindex"
    STORE_PROCEDURAL = "store-procedural"
    ENSURE_AGENT_UUID = "ensure-agent-uuid"
    RECALL_NAMESPACED = "recall-namespaced"
    EXPORT_ENTRIES = "export-entries"
    STORE_WITH_METADATA = "store-with-metadata"


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory row. ``category`` is ``core``, ``daily``, ``conversation`` or the text of a custom category;
    ``timestamp`` is the RFC 3339 text that the backend gave."""

    id: str
    key: str
    content: str
    category: str
    timestamp: str
    session_id: str | None = None
    score: float | None = None
    namespace: str = DEFAULT_NAMESPACE
    importance: float | None = None
    superseded_by: str | None = None
    agent_alias: str | None = None
    agent_id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The twelve fields in the order of the world, as cli.md prints them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Entry:
        """An entry from a row of an export; unknown fields are ignored.

        Raises ValueError (one line, names the field) when a field is missing or of the wrong type.
        """
        for name in ("key", "content"):
            if not isinstance(row.get(name), str):
                raise ValueError(f"{name} must be a string")
        for name in ("id", "category", "timestamp", "namespace"):
            if row.get(name) is not None and not isinstance(row[name], str):
                raise ValueError(f"{name} must be a string")
        for name in ("session_id", "superseded_by", "agent_alias", "agent_id"):
            if row.get(name) is not None and not isinstance(row[name], str):
                raise ValueError(f"{name} must be a string or null")
        score = row.get("score")
        if score is not None and not _is_finite_number(score):
            raise ValueError("score must be a finite number or null")
        return cls(
            id=row.get("id") or "",
            key=row["key"],
            content=row["content"],
            category=row.get("category") or "core",
            timestamp=row.get("timestamp") or "",
            session_id=row.get("session_id"),
            score=None if row.get("score") is None else float(row["score"]),
            namespace=row.get("namespace") or DEFAULT_NAMESPACE,
            importance=importance_of(row.get("importance")),
            superseded_by=row.get("superseded_by"),
            agent_alias=row.get("agent_alias"),
            agent_id=row.get("agent_id"),
        )


def importance_of(value: object) -> float | None:
    """An importance as every backend keeps it: a number from 0 to 1, None for none. Raises ValueError, one line."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("importance must be a number from 0 to 1")
    return float(value)


def _is_finite_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False


@dataclass(frozen=True, slots=True)
class ExportFilter:
    """What an export keeps; None keeps everything. ``since`` and ``until`` are inclusive RFC 3339 texts."""

    namespace: str | None = None
    session_id: str | None = None
    category: str | None = None
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Purged:
    """How much a purge removed. Documents and recorded turns are 0 for a backend that keeps none."""

    entries: int = 0
    documents: int = 0
    turns: int = 0

    def to_json(self) -> dict[str, int]:
        return {"deleted": self.entries, "documents": self.documents, "turns": self.turns}


@dataclass(frozen=True, slots=True)
class ProceduralMessage:
    """One message of a procedure: who said it, what, and the speaker's name if any."""

    role: str
    content: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """What ``memory stats`` shows. ``journal`` is empty for a backend that keeps none."""

    backend: str
    healthy: bool
    total: int
    categories: Mapping[str, int]
    capabilities: tuple[Capability, ...]
    journal: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {
            "backend": self.backend,
            "healthy": self.healthy,
            "total": self.total,
            "categories": dict(self.categories),
            "capabilities": [str(c) for c in self.capabilities],
            "journal": dict(self.journal),
        }
