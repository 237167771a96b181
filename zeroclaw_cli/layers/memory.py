"""``LayeredMemory``: the layers behind the ``Memory`` protocol, and what the memory commands ask besides.

Every member is one request to the kernel. A row is identified by (layer, adapter, key, agent); without a layer that is
named, all layers that keep entries are asked, and one is written to (specs/memory-kernel.md §11, §18).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import EntryNotFound, MemoryFailure, NotSupported
from zeroclaw_cli.kernel.answers import Answer
from zeroclaw_cli.kernel.limits import MEMORY_SPACES
from zeroclaw_cli.kernel.surface import Surface, place_of, scope_of
from zeroclaw_cli.layers.entry_rows import LayeredEntry, entries_of, entry_of, in_turns, moment, newest_first, rows_of
from zeroclaw_cli.memory.base import MemoryBase, near_keys, no_such_key
from zeroclaw_cli.memory.conflicts import OnConflict
from zeroclaw_cli.memory.export_rows import OwnedDocument
from zeroclaw_cli.memory.requests import (
    NO_AGENT,
    Agent,
    Cleared,
    Forgotten,
    Page,
    PurgeTarget,
    Recalled,
    RecallRequest,
    StoreRequest,
)
from zeroclaw_cli.memory.types import Capability, Entry, ExportFilter, ProceduralMessage, Purged, Stats

if TYPE_CHECKING:
    from zeroclaw_cli.layers.documents import LayeredDocuments

NAME: Final = "layers"


class LayeredMemory(MemoryBase):
    """What a host or a command asks of the layers. ``close`` ends the graph that ``surface`` opened."""

    imports_at_once = keeps_documents = True

    def __init__(self, surface: Surface, close: Callable[[], None]) -> None:
        self.surface = surface
        self._close = close

    @property
    def name(self) -> str:
        return NAME

    @property
    def capabilities(self) -> frozenset[Capability]:
        """All of them: what a layer lacks, its step says."""
        return frozenset(Capability)

    def __enter__(self) -> LayeredMemory:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def close(self) -> None:
        self._close()

    def take_warnings(self) -> list[str]:
        return self.surface.take_warnings()

    def documents(
        self, agent: str | None = None, project: str | None = None, *, close: Callable[[], None] = lambda: None
    ) -> LayeredDocuments:
        """The documents of an agent and project, asked through the same surface, which ``close`` may end with them."""
        from zeroclaw_cli.layers.documents import LayeredDocuments

        return LayeredDocuments(self.surface, close, agent, project)

    def export_documents(self, wanted: ExportFilter) -> tuple[list[OwnedDocument], list[str]]:
        rows = self.documents().export_rows(wanted.since, wanted.until)
        return [OwnedDocument.from_json(row) for row in rows], []

    def import_documents(self, documents: Sequence[OwnedDocument], on_conflict: OnConflict) -> tuple[int, list[str]]:
        return self.documents().import_rows([item.to_json() for item in documents], on_conflict.value), []

    # Storing

    def store(self, key: str, content: str, category: str, session_id: str | None) -> None:
        self.save(StoreRequest(key, content, category, session_id, replace=True))

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
        owner = Agent(id=agent_id) if agent_id else NO_AGENT
        self.save(StoreRequest(key, content, category, session_id, namespace, importance, owner, replace=True))

    def save(self, request: StoreRequest) -> None:
        row = {field.name: getattr(request, field.name) for field in fields(request)}
        row["agent"] = request.agent.to_json()
        (answer,) = self.surface.ask_entries("write", "store", row, scope_of(request.session_id, _name(request.agent)))
        self._tell_dropped(answer)

    def store_procedural(self, messages: Sequence[ProceduralMessage], session_id: str | None) -> None:
        rows = [{"role": item.role, "content": item.content, "name": item.name} for item in messages]
        self.surface.ask_entries(
            "write", "store-procedural", {"messages": rows, "session_id": session_id}, scope_of(session_id)
        )

    def with_own_agents(self, entries: Sequence[Entry]) -> list[Entry]:
        """The entries as they are: each layer has its own ids of agents."""
        return list(entries)

    def identity(self, entry: Entry) -> tuple[str, str | None]:
        return entry.key, entry.agent_alias or entry.agent_id

    def import_target(self) -> list[Entry]:
        """The entries of the layer that an import writes to."""
        target = self.surface.layer or MEMORY_SPACES
        return [row for row in self.list_entries(None, None) if getattr(row, "layer", target) == target]

    def import_entry(self, entry: Entry) -> None:
        self.import_entries([entry])

    def import_entries(self, entries: Sequence[Entry], *, over: bool = True) -> int:
        """Store entries under their own timestamps, all of them or up to the first that fails; how many were stored.

        Without ``over`` a row that is there already stays, where the store can tell.
        """
        asked = {"entries": [_plain(entry) for entry in entries], "keep": True if not over else None}
        (answer,) = self.surface.ask_entries("import", "import", asked)
        self._tell_dropped(answer)
        return int(answer.output["imported"])

    # Finding

    def recall(
        self, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        return self.find(RecallRequest(query, limit, session_id, since, until)).entries

    def recall_for_agents(
        self,
        agents: Sequence[str],
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[Entry]:
        chosen = tuple(Agent(id=agent) for agent in agents)
        return self.find(RecallRequest(query, limit, session_id, since, until, agents=chosen)).entries

    def recall_namespaced(
        self, namespace: str, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        return self.find(RecallRequest(query, limit, session_id, since, until, namespace)).entries

    def find(self, request: RecallRequest, *, explain: bool = False) -> Recalled:
        agents, limit = request.agents, request.limit
        scope = scope_of(request.session_id, _name(agents[0]) if len(agents) == 1 else None)
        asked = {field.name: getattr(request, field.name) for field in fields(request)}
        asked |= {"agents": [agent.to_json() for agent in agents] or None, "explain": explain or None}
        blank = request.query.strip() in ("", "*")
        if blank or explain or request.session_id is not None or request.namespace is not None:
            # Documents have neither session nor namespace, are never the latest memories, and do not explain.
            answers = self.surface.ask_entries("recall", "recall", asked, scope)
        else:
            answers = self.surface.ask_any("recall", "recall", asked, scope)
        hidden = any(answer.output.get("maybe_hidden") for answer in answers)
        found = [entries_of(answer) for answer in answers]
        if blank and len(found) > 1:
            return Recalled(list(newest_first(entry for part in found for entry in part)[:limit]), hidden)
        if not explain:
            return Recalled(list(in_turns(found, limit)), hidden)
        reasons = [
            list(answer.output.get("explanations") or (None,) * len(part))
            for answer, part in zip(answers, found, strict=True)
        ]
        return Recalled(list(in_turns(found, limit)), hidden, tuple(in_turns(reasons, limit)))

    def get(self, key: str) -> LayeredEntry | None:
        return self._look_up(key)[0]

    def get_for_agent(self, key: str, agent_id: str) -> LayeredEntry | None:
        return self._look_up(key, Agent(id=agent_id))[0]

    def look_up(self, key: str, agent: Agent = NO_AGENT) -> tuple[Entry | None, list[str]]:
        """As the protocol says. Raises EntryNotFound where one layer is named that has none."""
        return self._look_up(key, agent, by_start=True)

    def _look_up(
        self, key: str, agent: Agent = NO_AGENT, *, by_start: bool = False
    ) -> tuple[LayeredEntry | None, list[str]]:
        asked = {"key": key, "agent": agent.to_json(), "by_start": by_start or None}
        answers = self.surface.ask_entries("read", "get", asked, scope_of(None, _name(agent)))
        for name in ("entry", "started"):
            found = [
                entry_of(row, answer.layer_id, answer.adapter_id)
                for answer in answers
                if (row := answer.output.get(name))
            ]
            if name == "entry" and found:
                return found[0], []
            keys = sorted(
                {entry.key for entry in found} | {near for answer in answers for near in answer.output.get("keys", ())}
            )
            if name == "started" and len(keys) == 1 and found:
                return found[0], []
        if by_start and not keys:
            self._require_any_layer(key)
        return None, keys

    def list_entries(self, category: str | None, session_id: str | None) -> list[Entry]:
        return list(self.page(category, session_id).entries)

    def page(
        self,
        category: str | None,
        session_id: str | None,
        *,
        agent: Agent = NO_AGENT,
        limit: int | None = None,
        offset: int = 0,
    ) -> Page:
        """A part of the rows of every layer, one layer after the other, and how many there are."""
        asked = {
            "category": category,
            "session_id": session_id,
            "agent": agent.to_json(),
            "limit": None if limit is None else limit + offset,
        }
        answers = self.surface.ask_entries("browse", "list", asked, scope_of(session_id, _name(agent)))
        rows = [(row, answer) for answer in answers for row in answer.output.get("entries", ())]
        chosen = rows[offset:] if limit is None else rows[offset : offset + limit]
        entries = [entry_of(row, answer.layer_id, answer.adapter_id) for row, answer in chosen]
        return Page(entries, sum(int(answer.output.get("total", 0)) for answer in answers))

    def select(self, key: str | None, category: str | None) -> list[Entry]:
        answers = self.surface.ask_entries("browse", "select", {"key": key, "category": category})
        found = [entry for answer in answers for entry in entries_of(answer)]
        if key is not None and not found:
            raise no_such_key(self, key, sorted({key for answer in answers for key in answer.output.get("keys", ())}))
        return list(found)

    def export_entries(self, filter: ExportFilter) -> list[Entry]:
        asked = {
            "namespace": filter.namespace,
            "session_id": filter.session_id,
            "category": filter.category,
            "since": filter.since,
            "until": filter.until,
        }
        answers = self.surface.ask_entries("export", "export", asked, scope_of(filter.session_id))
        found = [entry for answer in answers for entry in entries_of(answer)]
        return list(found) if len(answers) == 1 else sorted(found, key=lambda entry: moment(entry.timestamp))

    # Forgetting

    def forget(self, key: str) -> bool:
        return self._take(key, NO_AGENT).rows > 0

    def forget_for_agent(self, key: str, agent_id: str) -> bool:
        return self._take(key, Agent(id=agent_id)).rows > 0

    def take(self, key: str, agent: Agent = NO_AGENT, *, with_history: bool = False) -> Forgotten:
        """Forget the rows of ``key`` in every layer; raises EntryNotFound where none has any."""
        gone = self._take(key, agent, with_history=with_history)
        if not gone.rows:
            raise no_such_key(self, key, near_keys(self, key, agent))
        return gone

    def _take(self, key: str, agent: Agent, *, with_history: bool = False) -> Forgotten:
        asked = {"key": key, "agent": agent.to_json(), "with_history": with_history or None}
        answers = self.surface.ask_entries("forget", "forget", asked, scope_of(None, _name(agent)))
        rows = sum(int(answer.output["rows"]) for answer in answers)
        if not rows:
            self._require_any_layer(key)
        return Forgotten(
            rows,
            tuple(name for answer in answers for name in answer.output.get("agents", ())),
            tuple(path for answer in answers for path in answer.output.get("transcripts", ())),
        )

    def clear(self, selected: Sequence[Entry]) -> Cleared:
        """Forget exactly these rows, each in its layer; how many are gone."""
        if not selected:
            return Cleared(0, 0)
        rows = [
            {
                "key": entry.key,
                "agent_id": entry.agent_id,
                "layer": getattr(entry, "layer", None),
                "adapter": getattr(entry, "adapter", None),
            }
            for entry in selected
        ]
        answers = self.surface.ask_entries("forget", "clear", {"rows": rows})
        return Cleared(sum(int(answer.output["deleted"]) for answer in answers), len(selected))

    def purge_namespace(self, namespace: str) -> int:
        return self.purge(PurgeTarget(namespace)).entries

    def purge_session(self, session_id: str) -> int:
        return self.purge(PurgeTarget(session_id=session_id)).entries

    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
        return self.purge(PurgeTarget(session_id=session_id, agent=Agent(id=agent_id))).entries

    def purge_agent(self, agent_alias: str) -> int:
        return self.purge(PurgeTarget(agent=Agent(alias=agent_alias))).entries

    def purge(self, target: PurgeTarget) -> Purged:
        asked = {"namespace": target.namespace, "session_id": target.session_id, "agent": target.agent.to_json()}
        answers = self.surface.ask_entries("forget", "purge", asked, scope_of(target.session_id, _name(target.agent)))
        counts = [[int(answer.output[name]) for answer in answers] for name in ("deleted", "documents", "turns")]
        return Purged(*map(sum, counts))

    # About

    def count(self) -> int:
        return sum(int(answer.output["count"]) for answer in self.surface.ask_entries("status", "count", {}))

    def health_check(self) -> bool:
        return self._is_healthy({})

    def require_usable(self) -> None:
        """Raise what keeps every layer from being used; one that cannot be is a warning. All of a store is looked at
        by :meth:`health_check` only."""
        if not self._is_healthy({"usable": True}):
            raise MemoryFailure("a layer says that it is not healthy", hint="`zeroclaw memory health` looks into it")

    def _is_healthy(self, asked: Mapping[str, Any]) -> bool:
        return all(answer.output["healthy"] is True for answer in self.surface.ask_any("status", "health", asked))

    def stats(self) -> Stats:
        answers = self.surface.ask_entries("status", "stats", {})
        categories: dict[str, int] = {}
        for answer in answers:
            for category, number in answer.output["categories"].items():
                categories[category] = categories.get(category, 0) + number
        return Stats(
            NAME,
            all(answer.output["healthy"] is True for answer in answers),
            sum(int(answer.output["count"]) for answer in answers),
            dict(sorted(categories.items(), key=lambda item: (-item[1], item[0]))),
            tuple(
                capability
                for capability in Capability
                if any(str(capability) in answer.output["capabilities"] for answer in answers)
            ),
            {},
        )

    def reindex(self) -> int:
        return sum(int(answer.output["reindexed"]) for answer in self.surface.ask_entries("maintain", "reindex", {}))

    def ensure_agent_uuid(self, alias: str) -> str:
        (answer,) = self.surface.ask_entries(
            "write", "ensure-agent", {"agent": {"alias": alias}}, scope_of(None, alias)
        )
        return str(answer.output["agent_id"])

    def agent_id_of(self, alias: str) -> str:
        """The id that the first layer gives; others may know the agent under another one, so rather name the alias."""
        answers = self.surface.ask_entries("read", "agent-id", {"agent": {"alias": alias}}, scope_of(None, alias))
        return str(answers[0].output["agent_id"])

    def compact(self, *, allow_loss: bool = False) -> tuple[int, int]:
        raise NotSupported(
            "the layers have no journal of their own, and a plugin's is compacted alone",
            hint="`zeroclaw memory compact --backend plugin.NAME` compacts that of a plugin",
        )

    def _require_any_layer(self, key: str) -> None:
        """Raise EntryNotFound that names the one layer that was asked for ``key``, if one was."""
        layer = self.surface.layer
        if layer is not None:
            raise EntryNotFound(
                f"the layer {layer} has no entry '{key}'", hint="leave out --layer, and every layer is asked"
            )

    def _tell_dropped(self, answer: Answer) -> None:
        dropped = answer.output.get("dropped")
        if dropped:
            self.surface.warn(f"{place_of(answer.layer_id, answer.adapter_id)} does not keep: {', '.join(dropped)}")
        if answer.output.get("durable") is False:
            place = place_of(answer.layer_id, answer.adapter_id)
            self.surface.warn(f"{place} accepted the entry but does not confirm that it was saved")


def _name(agent: Agent) -> str | None:
    return agent.alias or agent.id


def _plain(entry: Entry) -> dict[str, Any]:
    (row,) = rows_of([entry])
    row.pop("layer", None)
    row.pop("adapter", None)
    return row
