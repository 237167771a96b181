"""The simplest correct ``Memory``: a dictionary. It is the model that other backends are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from zeroclaw_cli.errors import NotSupported
from zeroclaw_cli.memory.base import MemoryBase
from zeroclaw_cli.memory.protocol import count_by_category
from zeroclaw_cli.memory.times import instant, rfc3339
from zeroclaw_cli.memory.types import Capability, Entry, ExportFilter, ProceduralMessage, Stats


class DictMemory(MemoryBase):
    """Keeps rows by (key, agent_id) in the order of their last store; each store is one second later."""

    def __init__(self, capabilities: frozenset[Capability] = frozenset(Capability)) -> None:
        self.rows: dict[tuple[str, str | None], Entry] = {}
        self.capabilities = capabilities
        self.aliases: dict[str, str] = {}
        self.warnings: list[str] = []
        self.clock = 1_700_000_000

    @property
    def name(self) -> str:
        return "dict"

    def store(self, key: str, content: str, category: str, session_id: str | None) -> None:
        self.store_with_agent(key, content, category, session_id, None, None, None)

    def store_with_agent(
        self,
        key: str,
        content: str,
        category: str,
        session_id: str | None,
        namespace: str | None,
        importance: float | None,
        agent_id: str | None,
    ) -> None:
        self.clock += 1
        self.rows.pop((key, agent_id), None)
        self.rows[key, agent_id] = Entry(
            id=f"id-{self.clock}",
            key=key,
            content=content,
            category=category,
            timestamp=rfc3339(self.clock),
            session_id=session_id,
            namespace=namespace or "default",
            importance=importance,
            agent_id=agent_id,
        )

    def store_with_metadata(
        self,
        key: str,
        content: str,
        category: str,
        session_id: str | None,
        namespace: str | None,
        importance: float | None,
    ) -> None:
        self.store_with_agent(key, content, category, session_id, namespace, importance, None)

    def store_procedural(self, messages: Sequence[ProceduralMessage], session_id: str | None) -> None:
        for message in messages:
            self.store(f"procedural-{self.clock}", message.content, "procedural", session_id)

    def _recall(
        self,
        keep: Callable[[Entry], bool],
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[Entry]:
        wanted = query.strip().lower()
        return [
            row
            for row in reversed(self.rows.values())
            if keep(row)
            and (wanted in {"", "*"} or any(word in row.content.lower() for word in wanted.split()))
            and (session_id is None or row.session_id in {None, session_id})
            and (since is None or instant(row.timestamp) >= instant(since))
            and (until is None or instant(row.timestamp) <= instant(until))
        ][:limit]

    def recall(
        self, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        return self._recall(lambda _: True, query, limit, session_id, since, until)

    def recall_for_agents(
        self,
        agents: Sequence[str],
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[Entry]:
        return self._recall(lambda row: not agents or row.agent_id in agents, query, limit, session_id, since, until)

    def recall_namespaced(
        self, namespace: str, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        return self._recall(lambda row: row.namespace == namespace, query, limit, session_id, since, until)

    def get(self, key: str) -> Entry | None:
        return next((row for row in reversed(self.rows.values()) if row.key == key), None)

    def get_for_agent(self, key: str, agent_id: str) -> Entry | None:
        return self.rows.get((key, agent_id))

    def list_entries(self, category: str | None, session_id: str | None) -> list[Entry]:
        return [
            row
            for row in self.rows.values()
            if (category is None or row.category == category) and (session_id is None or row.session_id == session_id)
        ]

    def export_entries(self, filter: ExportFilter) -> list[Entry]:
        rows = self._recall(
            lambda row: (
                filter.namespace in {None, row.namespace}
                and filter.category in {None, row.category}
                and filter.session_id in {None, row.session_id}
            ),
            "",
            len(self.rows),
            None,
            filter.since,
            filter.until,
        )
        return rows[::-1]

    def forget(self, key: str) -> bool:
        return self._drop(lambda row: row.key == key) > 0

    def forget_for_agent(self, key: str, agent_id: str) -> bool:
        return self.rows.pop((key, agent_id), None) is not None

    def _drop(self, gone: Callable[[Entry], bool]) -> int:
        before = len(self.rows)
        self.rows = {place: row for place, row in self.rows.items() if not gone(row)}
        return before - len(self.rows)

    def purge_namespace(self, namespace: str) -> int:
        return self._drop(lambda row: row.namespace == namespace)

    def purge_session(self, session_id: str) -> int:
        return self._drop(lambda row: row.session_id == session_id)

    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
        return self._drop(lambda row: row.session_id == session_id and row.agent_id == agent_id)

    def purge_agent(self, agent_alias: str) -> int:
        return self._drop(lambda row: row.agent_id == self.aliases.get(agent_alias, ""))

    def count(self) -> int:
        return len(self.rows)

    def health_check(self) -> bool:
        return True

    def reindex(self) -> int:
        return len(self.rows)

    def ensure_agent_uuid(self, alias: str) -> str:
        return self.aliases.setdefault(alias, f"uuid-{alias}")

    def compact(self, *, allow_loss: bool = False) -> tuple[int, int]:
        raise NotSupported("dict keeps no journal that could be compacted")

    def agent_id_of(self, alias: str) -> str:
        return self.aliases.get(alias, f"uuid-{alias}")

    def import_entry(self, entry: Entry) -> None:
        self.rows.pop((entry.key, entry.agent_id), None)
        self.rows[entry.key, entry.agent_id] = replace(entry, score=None)

    def stats(self) -> Stats:
        return Stats("dict", True, self.count(), count_by_category(self.rows.values()), tuple(self.capabilities), {})

    def take_warnings(self) -> list[str]:
        taken, self.warnings = self.warnings, []
        return taken

    def close(self) -> None:
        pass

    def __enter__(self) -> DictMemory:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()
