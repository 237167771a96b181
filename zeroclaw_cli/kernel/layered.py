"""``LayeredMemory``: the layers behind the ``Memory`` protocol, and what the memory commands ask besides.

Every member is one request to the kernel. A row is identified by (layer, adapter, key, agent); without a layer that is
named, all layers that keep entries are asked, and one is written to (specs/memory-kernel.md §11, §18).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import EntryNotFound, MemoryFailure, NotSupported
from zeroclaw_cli.kernel.entry_rows import LayeredEntry, entries_of, entry_of, in_turns, moment, newest_first, rows_of
from zeroclaw_cli.kernel.surface import Answer, Surface, place_of, scope_of
from zeroclaw_cli.memory.types import Capability, Entry, ExportFilter, ProceduralMessage, Purged, Stats

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.layered_documents import LayeredDocuments

NAME: Final = "layers"
AgentName = Mapping[str, str]
"""An agent as a request names it: ``{"alias": …}`` or ``{"id": …}``."""


class LayeredMemory:
    """What a host or a command asks of the layers. ``close`` ends the graph that ``surface`` opened."""

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

    def documents(self, agent: str | None = None, project: str | None = None) -> LayeredDocuments:
        """The documents of an agent and project, asked through the same surface; this memory closes it."""
        from zeroclaw_cli.kernel.layered_documents import LayeredDocuments

        return LayeredDocuments(self.surface, lambda: None, agent, project)

    # Storing

    def store(self, key: str, content: str, category: str, session_id: str | None) -> None:
        self.put({"key": key, "content": content, "category": category, "session_id": session_id, "replace": True})

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
        self.put(
            {
                "key": key,
                "content": content,
                "category": category,
                "session_id": session_id,
                "namespace": namespace,
                "importance": importance,
                "agent": _agent(agent_id),
                "replace": True,
            }
        )

    def put(self, row: Mapping[str, Any]) -> None:
        """Store one row: ``key``, ``content``, and of ``category``, ``session_id``, ``namespace``, ``importance``,
        ``agent``, ``kind``, ``pinned`` what is known; what is not named stays, unless ``replace`` is true."""
        (answer,) = self.surface.ask_entries(
            "write", "store", row, scope_of(row.get("session_id"), _name(row.get("agent")))
        )
        self._tell_dropped(answer)

    def store_procedural(self, messages: Sequence[ProceduralMessage], session_id: str | None) -> None:
        rows = [{"role": item.role, "content": item.content, "name": item.name} for item in messages]
        self.surface.ask_entries(
            "write", "store-procedural", {"messages": rows, "session_id": session_id}, scope_of(session_id)
        )

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
        return list(
            self.find({"query": query, "limit": limit, "session_id": session_id, "since": since, "until": until})[0]
        )

    def recall_for_agents(
        self,
        agents: Sequence[str],
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[Entry]:
        named = [{"id": agent} for agent in agents] or None
        asked = {
            "query": query,
            "limit": limit,
            "session_id": session_id,
            "since": since,
            "until": until,
            "agents": named,
        }
        return list(self.find(asked)[0])

    def recall_namespaced(
        self, namespace: str, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        asked = {"query": query, "limit": limit, "session_id": session_id, "since": since, "until": until}
        return list(self.find({**asked, "namespace": namespace})[0])

    def find(self, asked: Mapping[str, Any]) -> tuple[list[LayeredEntry], bool, list[Any] | None]:
        """What matches, at most ``limit``; whether a filter may have hidden rows; how the scores came about, with
        ``explain``. Beside it ``query``, ``session_id``, ``since``, ``until``, ``namespace`` and ``agents``."""
        agents: Sequence[AgentName] = asked.get("agents") or ()
        scope = scope_of(asked.get("session_id"), _name(agents[0]) if len(agents) == 1 else None)
        narrow = any(asked.get(name) is not None for name in ("session_id", "namespace"))
        blank = str(asked.get("query", "")).strip() in ("", "*")
        if narrow or blank or asked.get("explain"):
            # Documents have neither session nor namespace, are never the latest memories, and do not explain.
            answers = self.surface.ask_entries("recall", "recall", asked, scope)
        else:
            answers = self.surface.ask_any("recall", "recall", asked, scope)
        limit = int(asked["limit"])
        hidden = any(answer.output.get("maybe_hidden") for answer in answers)
        found = [entries_of(answer) for answer in answers]
        if blank and len(found) > 1:
            return newest_first(entry for part in found for entry in part)[:limit], hidden, None
        if not asked.get("explain"):
            return in_turns(found, limit), hidden, None
        reasons = [
            list(answer.output.get("explanations") or (None,) * len(part))
            for answer, part in zip(answers, found, strict=True)
        ]
        return in_turns(found, limit), hidden, in_turns(reasons, limit)

    def get(self, key: str) -> LayeredEntry | None:
        return self.look_up(key)[0]

    def get_for_agent(self, key: str, agent_id: str) -> LayeredEntry | None:
        return self.look_up(key, {"id": agent_id})[0]

    def look_up(
        self, key: str, agent: AgentName | None = None, *, by_start: bool = False
    ) -> tuple[LayeredEntry | None, list[str]]:
        """The entry of ``key``; with ``by_start`` also the only one whose key starts so, else the keys that do.

        Raises EntryNotFound with ``by_start`` where one layer is named that has none.
        """
        answers = self.surface.ask_entries(
            "read", "get", {"key": key, "agent": agent, "by_start": by_start or None}, scope_of(None, _name(agent))
        )
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
        return list(self.page(category, session_id)[0])

    def page(
        self,
        category: str | None,
        session_id: str | None,
        *,
        agent: AgentName | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[list[LayeredEntry], int]:
        """A part of the rows of every layer, one layer after the other, and how many there are."""
        asked = {
            "category": category,
            "session_id": session_id,
            "agent": agent,
            "limit": None if limit is None else limit + offset,
        }
        answers = self.surface.ask_entries("browse", "list", asked, scope_of(session_id, _name(agent)))
        rows = [(row, answer) for answer in answers for row in answer.output.get("entries", ())]
        chosen = rows[offset:] if limit is None else rows[offset : offset + limit]
        entries = [entry_of(row, answer.layer_id, answer.adapter_id) for row, answer in chosen]
        return entries, sum(int(answer.output.get("total", 0)) for answer in answers)

    def select(self, key: str | None, category: str | None) -> tuple[list[LayeredEntry], list[str]]:
        """The rows that a clear would forget: all, or those of exactly ``key``; without one, the keys that start so."""
        answers = self.surface.ask_entries("browse", "select", {"key": key, "category": category})
        found = [entry for answer in answers for entry in entries_of(answer)]
        near = {key for answer in answers for key in answer.output.get("keys", ())}
        return found, [] if found else sorted(near)

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
        return self.take(key)[0] > 0

    def forget_for_agent(self, key: str, agent_id: str) -> bool:
        return self.take(key, {"id": agent_id})[0] > 0

    def take(
        self, key: str, agent: AgentName | None = None, *, with_history: bool = False
    ) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
        """Forget the rows of ``key`` in every layer: how many there were, whose, and the transcripts that went too.

        Raises EntryNotFound where one layer is named that has none.
        """
        asked = {"key": key, "agent": agent, "with_history": with_history or None}
        answers = self.surface.ask_entries("forget", "forget", asked, scope_of(None, _name(agent)))
        rows = sum(int(answer.output["rows"]) for answer in answers)
        if not rows:
            self._require_any_layer(key)
        return (
            rows,
            tuple(name for answer in answers for name in answer.output.get("agents", ())),
            tuple(path for answer in answers for path in answer.output.get("transcripts", ())),
        )

    def clear(self, selected: Iterable[LayeredEntry | Entry]) -> int:
        """Forget exactly these rows, each in its layer; how many are gone."""
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
        return sum(int(answer.output["deleted"]) for answer in answers)

    def purge_namespace(self, namespace: str) -> int:
        return self._purge({"namespace": namespace}).entries

    def purge_session(self, session_id: str) -> int:
        return self._purge({"session_id": session_id}).entries

    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
        return self._purge({"session_id": session_id, "agent": {"id": agent_id}}).entries

    def purge_agent(self, agent_alias: str) -> int:
        return self._purge({"agent": {"alias": agent_alias}}).entries

    def purge(self, namespace: str | None, session_id: str | None, agent: AgentName | None) -> Purged:
        return self._purge({"namespace": namespace, "session_id": session_id, "agent": agent})

    def _purge(self, target: Mapping[str, Any]) -> Purged:
        scope = scope_of(target.get("session_id"), _name(target.get("agent")))
        answers = self.surface.ask_entries("forget", "purge", target, scope)
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
            self.surface.warn(
                f"{place_of(answer.layer_id, answer.adapter_id)} took the entry; whether it keeps it, it does not tell"
            )


def _agent(agent_id: str | None) -> AgentName | None:
    return None if not agent_id else {"id": agent_id}


def _name(agent: AgentName | None) -> str | None:
    return None if not agent else agent.get("alias") or agent.get("id")


def _plain(entry: Entry) -> dict[str, Any]:
    (row,) = rows_of([entry])
    row.pop("layer", None)
    row.pop("adapter", None)
    return row
