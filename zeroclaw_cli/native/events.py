"""What the store tells its auditors: events without any text, query or path (specs/native-memory.md §10.3, §18)."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from zeroclaw_cli.memory.measures import content_hash
from zeroclaw_cli.native.scope import Scope

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the store.

    ``kind`` is ``document_written``, ``document_indexed``, ``document_deleted``, ``search_performed``, or one of the
    safety check's ``checked``, ``warned``, ``rejected``, ``bypass_allowed``.
    ``path_hash`` is the ``sha256:`` hash of the relative path; ``data`` holds counts, codes and flags alone.
    """

    kind: str
    scope: Scope
    source: str = "native"
    status: str = "ok"
    path_hash: str = ""
    audit_context: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        tenant, user, agent, project = self.scope.key
        return {
            "kind": self.kind,
            "tenant": tenant,
            "user": user,
            "agent": agent,
            "project": project,
            "source": self.source,
            "status": self.status,
            "path_hash": self.path_hash,
            "audit_context": self.audit_context,
            **self.data,
        }


class EventSink(Protocol):
    """Keeps events. ``transaction`` is the open write transaction of the store, or None outside of one."""

    def record(self, event: Event, transaction: sqlite3.Connection | None) -> None: ...


def path_hash(relative: str) -> str:
    """What an event says about a path: the hash of its text."""
    return content_hash(relative.encode("utf-8", "surrogatepass"))


def record_best_effort(sink: EventSink | None, event: Event, transaction: sqlite3.Connection | None = None) -> bool:
    """Record ``event``; whether that succeeded. A failing sink is logged and changes nothing else."""
    if sink is None:
        return False
    try:
        sink.record(event, transaction)
    except Exception as error:  # noqa: BLE001 - whatever a sink raises, the operation goes on
        _log.debug("an event of kind %s was not recorded: %s", event.kind, type(error).__name__)
        return False
    return True
