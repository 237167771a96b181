"""A memory plugin in Python, for componentize-py: ids from random numbers, times from a clock."""

# The bindings `wit_world` exist only while the component is built.
# mypy: ignore-errors

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.memory import (
    AgentFilter,
    AgentFilter_All,
    ExportFilter,
    MemoryCapabilities,
    MemoryCategory,
    MemoryCategory_Custom,
    MemoryEntry,
    ProceduralMessage,
)
from wit_world.imports import logging

ROWS: dict[tuple[str, str | None], MemoryEntry] = {}
ALIASES: dict[str, str] = {}


class PluginInfo(exports.PluginInfo):
    def plugin_name(self) -> str:
        return "python-guest"

    def plugin_version(self) -> str:
        return "0.1.0"


class Memory(exports.Memory):
    def name(self) -> str:
        return "python-guest"

    def get_memory_capabilities(self) -> MemoryCapabilities:
        everything = MemoryCapabilities(0)
        for capability in MemoryCapabilities:
            everything |= capability
        return everything

    def health_check(self) -> bool:
        return True

    def count(self) -> int:
        return len(ROWS)

    def store_entry(self, key: str, content: str, category: MemoryCategory, session_id: str | None) -> None:
        put(key, content, category, session_id)

    def store_with_metadata(
        self,
        key: str,
        content: str,
        category: MemoryCategory,
        session_id: str | None,
        namespace: str | None,
        importance: float | None,
    ) -> None:
        put(key, content, category, session_id, namespace, importance)

    def store_with_agent(
        self,
        key: str,
        content: str,
        category: MemoryCategory,
        session_id: str | None,
        namespace: str | None,
        importance: float | None,
        agent_id: str | None,
    ) -> None:
        put(key, content, category, session_id, namespace, importance, agent_id)

    def store_procedural(self, messages: list[ProceduralMessage], session_id: str | None) -> None:
        for message in messages:
            speaker = message.role if message.name is None else f"{message.role} ({message.name})"
            key = f"procedural-{uuid.uuid4()}"
            put(key, f"{speaker}: {message.content}", MemoryCategory_Custom("procedural"), session_id)

    def recall(
        self, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[MemoryEntry]:
        return search(query, limit, session_id, since, until, lambda row: True)

    def recall_for_agents(
        self,
        agents: AgentFilter,
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[MemoryEntry]:
        def is_meant(row: MemoryEntry) -> bool:
            return isinstance(agents, AgentFilter_All) or row.agent_id in agents.value

        return search(query, limit, session_id, since, until, is_meant)

    def recall_namespaced(
        self, namespace: str, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[MemoryEntry]:
        return search(query, limit, session_id, since, until, lambda row: row.namespace == namespace)

    def get(self, key: str) -> MemoryEntry | None:
        return ROWS.get((key, None)) or next((row for row in newest_first() if row.key == key), None)

    def get_for_agent(self, key: str, agent_id: str) -> MemoryEntry | None:
        return ROWS.get((key, agent_id))

    def list_entries(self, category: MemoryCategory | None, session_id: str | None) -> list[MemoryEntry]:
        return [
            row for row in newest_first() if category in (None, row.category) and session_id in (None, row.session_id)
        ]

    def export_entries(self, filter: ExportFilter) -> list[MemoryEntry]:
        found = [row for row in newest_first() if in_period(row, filter.since, filter.until)]
        return [
            row
            for row in reversed(found)
            if filter.namespace in (None, row.namespace)
            and filter.session_id in (None, row.session_id)
            and filter.category in (None, row.category)
        ]

    def forget(self, key: str) -> bool:
        return purge(lambda row: row.key == key) > 0

    def forget_for_agent(self, key: str, agent_id: str) -> bool:
        return ROWS.pop((key, agent_id), None) is not None

    def purge_namespace(self, namespace: str) -> int:
        return purge(lambda row: row.namespace == namespace)

    def purge_session(self, session_id: str) -> int:
        return purge(lambda row: row.session_id == session_id)

    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
        return purge(lambda row: row.session_id == session_id and row.agent_id == agent_id)

    def purge_agent(self, agent_alias: str) -> int:
        agent_id = ALIASES.get(agent_alias)
        return 0 if agent_id is None else purge(lambda row: row.agent_id == agent_id)

    def reindex(self) -> int:
        return len(ROWS)

    def ensure_agent_uuid(self, alias: str) -> str:
        agent_id = ALIASES.setdefault(alias, str(uuid.uuid4()))
        for row in ROWS.values():
            if row.agent_id == agent_id:
                row.agent_alias = alias
        return agent_id


def put(
    key: str,
    content: str,
    category: MemoryCategory,
    session_id: str | None,
    namespace: str | None = None,
    importance: float | None = None,
    agent_id: str | None = None,
) -> None:
    replaced = ROWS.pop((key, agent_id), None)
    ROWS[key, agent_id] = MemoryEntry(
        id=str(uuid.uuid4()) if replaced is None else replaced.id,
        key=key,
        content=content,
        category=category,
        timestamp=datetime.now(UTC).isoformat(timespec="microseconds"),
        session_id=session_id,
        score=None,
        namespace="default" if namespace is None else namespace,
        importance=importance,
        superseded_by=None,
        agent_alias=next((alias for alias, known in ALIASES.items() if known == agent_id), None),
        agent_id=agent_id,
    )
    logging.log_record(
        logging.LogLevel.DEBUG,
        logging.PluginEvent(
            function_name="app.put",
            action=logging.PluginAction.WRITE,
            outcome=logging.PluginOutcome.SUCCESS,
            duration_ms=None,
            attrs=json.dumps({"rows": len(ROWS)}),
            message="stored one row",
        ),
    )


def purge(is_meant: Callable[[MemoryEntry], bool]) -> int:
    meant = [identity for identity, row in ROWS.items() if is_meant(row)]
    for identity in meant:
        del ROWS[identity]
    return len(meant)


def newest_first() -> Iterator[MemoryEntry]:
    # Sorting is stable, so rows of one instant stay in the order of their writes, which the dictionary keeps.
    rows = sorted(ROWS.values(), key=lambda row: row.timestamp)
    return reversed(rows)


def instant(name: str, text: str) -> datetime:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise Err(f"{name} is not an RFC 3339 time: {text}")
    return parsed


def in_period(row: MemoryEntry, since: str | None, until: str | None) -> bool:
    at = datetime.fromisoformat(row.timestamp)
    return (since is None or earliest(since) <= at) and (until is None or at <= instant("until", until))


def earliest(since: str) -> datetime:
    """Rounded up to the microseconds of a row; parsing cuts off what is smaller."""
    has_more = re.search(r"[.,]\d{6}0*[1-9]", since) is not None
    return instant("since", since) + timedelta(microseconds=has_more)


def search(
    query: str,
    limit: int,
    session_id: str | None,
    since: str | None,
    until: str | None,
    is_meant: Callable[[MemoryEntry], bool],
) -> list[MemoryEntry]:
    for name, bound in (("since", since), ("until", until)):
        if bound is not None:
            instant(name, bound)
    terms = [] if query.strip() in ("", "*") else query.casefold().split()
    found = []
    for row in newest_first():
        if not is_meant(row) or session_id not in (None, row.session_id) or not in_period(row, since, until):
            continue
        text = f"{row.key} {row.content}".casefold()
        hits = sum(term in text for term in terms)
        if hits or not terms:
            found.append(scored(row, hits / len(terms) if terms else None))
    if terms:
        found.sort(key=lambda row: -row.score)
    return found[:limit]


def scored(row: MemoryEntry, score: float | None) -> MemoryEntry:
    return MemoryEntry(**(vars(row) | {"score": score}))
