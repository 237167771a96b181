"""``ProviderMemory``: a provider behind the ``Memory`` protocol (specs/memory-providers.md §15).

A provider is a set of conversation hooks and no database. With a map of its tools it serves entries as far as these
tools go; without one an entry is handed over and recall is one text. What cannot be mapped raises NotSupported, and
what is lost on the way is a warning: nothing is pretended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final, Never

from zeroclaw_cli.errors import NotDurable, NotSupported, ProviderFailed, ResultTooLarge, UsageError
from zeroclaw_cli.memory.base import MemoryBase
from zeroclaw_cli.memory.protocol import count_by_category
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Capability, Entry, ExportFilter, ProceduralMessage, Stats
from zeroclaw_cli.providers.items import TAGGED, Row, moment_of, now, row_of, write_tags
from zeroclaw_cli.providers.memory_map import Call, MapError, MemoryMap, look_up
from zeroclaw_cli.providers.mirroring import target_of
from zeroclaw_cli.providers.served import Served
from zeroclaw_cli.providers.shown import shown_line

_MOST_ASKED: Final = 1_000
_LONGEST_ERROR: Final = 500


class ProviderMemory(MemoryBase):
    """One provider as a memory. ``mapping`` is the checked map of its tools, or None; ``output`` is closed last."""

    def __init__(
        self, served: Served, mapping: MemoryMap | None, most_entries: int, output: ExitStack | None = None
    ) -> None:
        self._served = served
        self._map = mapping
        self._most_entries = most_entries
        self._output = ExitStack() if output is None else output
        self._warnings: dict[str, None] = {}
        # Of the last entry that was stored: the fields that the provider does not keep, and whether it was only told.
        self.dropped: tuple[str, ...] = ()
        self.handed_over = False

    @property
    def name(self) -> str:
        return f"provider.{self._served.name}"

    @property
    def operations(self) -> frozenset[str]:
        """What can be asked of it: of ``store``, ``recall``, ``list``, ``forget`` and ``prompt``."""
        found = set() if self._map is None else set(self._map.calls)
        for operation, hook in (
            ("store", "on_memory_write"),
            ("recall", "prefetch"),
            ("prompt", "system_prompt_block"),
        ):
            if self._served.has(hook):
                found.add(operation)
        return frozenset(found)

    def prompt_block(self) -> str:
        """What it wants to have in every prompt; empty for nothing."""
        return self._served.prompt_block()

    @property
    def capabilities(self) -> frozenset[Capability]:
        """None of the optional ones: each of them promises more than tools of a model can keep."""
        return frozenset()

    def store(self, key: str, content: str, category: str, session_id: str | None) -> None:
        self.store_with_agent(key, content, category, session_id, None, None, None)

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
        self._store(
            Entry("", key, content, category, "", session_id, None, namespace or "", importance, agent_id=agent_id)
        )

    def import_entry(self, entry: Entry) -> None:
        namespace = "" if entry.namespace == DEFAULT_NAMESPACE else entry.namespace
        self._store(
            Entry(
                "",
                entry.key,
                entry.content,
                entry.category,
                entry.timestamp,
                entry.session_id,
                None,
                namespace,
                entry.importance,
                agent_id=entry.agent_id,
            )
        )

    def store_procedural(self, messages: Sequence[ProceduralMessage], session_id: str | None) -> None:
        self._refuse("store a procedure", "`zeroclaw memory record` hands it finished turns")

    def recall(
        self, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        return self._recall(query, limit, session_id, since, until, None)

    def recall_for_agents(
        self,
        agents: Sequence[str],
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[Entry]:
        if not agents:
            return self.recall(query, limit, session_id, since, until)
        if self._reads("agent"):
            wanted = frozenset(agents)
            return self._recall(query, limit, session_id, since, until, lambda entry: entry.agent_id in wanted)
        if len(agents) > 1:
            self._refuse("recall for several agents", "it serves one agent at a time; name one")
        self._begin(session_id, agents[0])
        return self.recall(query, limit, session_id, since, until)

    def recall_namespaced(
        self, namespace: str, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        if not self._reads("namespace"):
            self._refuse("recall within a namespace", "leave out --namespace")
        return self._recall(query, limit, session_id, since, until, lambda entry: entry.namespace == namespace)

    def get(self, key: str) -> Entry | None:
        rows = self._rows_of(key, self._list("get an entry by its key"))
        return rows[-1].entry if rows else None

    def get_for_agent(self, key: str, agent_id: str) -> Entry | None:
        self._require_agents("get an entry of one agent")
        rows = [row for row in self._rows_of(key, self._list("get an entry")) if row.entry.agent_id == agent_id]
        return rows[-1].entry if rows else None

    def list_entries(self, category: str | None, session_id: str | None) -> list[Entry]:
        rows = self._list("list its entries", category, session_id)
        return [row.entry for row in rows]

    def export_entries(self, filter: ExportFilter) -> list[Entry]:
        entries = [row.entry for row in self._list("export its entries", filter.category, filter.session_id)]
        if filter.namespace is not None and not self._reads("namespace"):
            self._refuse("export one namespace", "leave out --namespace")
        entries = [entry for entry in entries if filter.namespace in (None, entry.namespace)]
        entries = self._between(entries, filter.since, filter.until)
        lost = [name for name in ("timestamp", "session", "namespace", "importance", "agent") if not self._reads(name)]
        if lost:
            self._warn(f"{self.name} does not tell the {', '.join(lost)} of its entries, so the export has none")
        return sorted(entries, key=moment_of)

    def forget(self, key: str) -> bool:
        return self._forget(key, _of_agent(None))

    def forget_for_agent(self, key: str, agent_id: str) -> bool:
        self._require_agents("forget an entry of one agent")
        return self._forget(key, _of_agent(agent_id))

    def purge_namespace(self, namespace: str) -> int:
        self._refuse("purge a namespace", "`zeroclaw memory forget KEY` forgets single entries")

    def purge_session(self, session_id: str) -> int:
        self._refuse("purge a session", "`zeroclaw memory forget KEY` forgets single entries")

    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
        self._refuse("purge a session", "`zeroclaw memory forget KEY` forgets single entries")

    def purge_agent(self, agent_alias: str) -> int:
        self._refuse("purge an agent", "`zeroclaw memory forget KEY` forgets single entries")

    def count(self) -> int:
        """How many entries it has, or lists where it does not tell."""
        call = self._call("list", "count its entries")
        self._begin(None, None)
        reply = self._ask(call, {"limit": self._most_entries + 1})
        total = None if call.total is None else look_up(reply, call.total)
        if isinstance(total, int) and not isinstance(total, bool):
            return total
        self._warn(f"{self.name} does not report a total; counted the entries it lists")
        return len(self._rows(call, reply))

    def health_check(self) -> bool:
        return self._served.is_available()

    def reindex(self) -> int:
        self._refuse("rebuild an index", "its index is its own affair")

    def ensure_agent_uuid(self, alias: str) -> str:
        return self.agent_id_of(alias)

    def agent_id_of(self, alias: str) -> str:
        """The alias itself: a provider knows an agent by its name (``agent_identity``)."""
        return alias

    def compact(self, *, allow_loss: bool = False) -> tuple[int, int]:
        self._refuse("compact a journal", "it keeps none of the host's")

    def stats(self) -> Stats:
        healthy = self.health_check()
        entries = self.list_entries(None, None)
        return Stats(self.name, healthy, self.count(), count_by_category(entries), (), {})

    def take_warnings(self) -> list[str]:
        taken = list(self._warnings)
        self._warnings.clear()
        return taken

    def close(self) -> None:
        with self._output:
            self._served.close()

    def __enter__(self) -> ProviderMemory:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc: Any) -> None:
        try:
            self.close()
        except NotDurable:
            # What went wrong first is what the person must hear of.
            if kind is None:
                raise

    # Storing.

    def _store(self, entry: Entry) -> None:
        self.dropped, self.handed_over = (), False
        if self._map is None or "store" not in self._map.calls:
            self._hand_over(entry)
            return
        call = self._map.calls["store"]
        self._begin(entry.session_id, None if call.names("agent") else entry.agent_id)
        tagged = self._tagged(self._map, call, entry)
        before = self._held(entry) if "key" in tagged else frozenset()
        values = {
            "key": entry.key,
            "content": entry.content,
            "category": self._map.category_there(entry.category),
            "session": entry.session_id,
            "namespace": entry.namespace or None,
            "importance": entry.importance,
            "agent": entry.agent_id,
            "timestamp": entry.timestamp or None,
            "tags": write_tags(tagged),
        }
        reply = self._ask(call, values)
        new = None if call.result is None else look_up(reply, call.result)
        if call.result is not None and new is None:
            raise ProviderFailed(
                f"{self.name}: the reply of {call.tool} has no '{call.result}', so it is not known to be stored",
                hint="the map of the provider's tools (zeroclaw_memory_map) does not fit its version",
            )
        if "key" in tagged:
            self._drop_replaced(entry, before, None if new is None else str(new))
        elif not call.names("key"):
            known = "" if new is None else f"; it calls it {new}"
            self._warn(f"{self.name} keeps no keys: '{entry.key}' is not the entry's key there{known}")
        self._warn_of_loss(call, entry, tagged)

    def _hand_over(self, entry: Entry) -> None:
        if not self._served.has("on_memory_write"):
            self._refuse("be handed an entry", "it learns from finished turns: `zeroclaw memory record`")
        self._begin(entry.session_id, entry.agent_id)
        metadata: dict[str, Any] = {
            "key": entry.key,
            "category": entry.category,
            "session_id": entry.session_id,
            "namespace": entry.namespace or None,
            "importance": entry.importance,
            "agent": entry.agent_id,
            "timestamp": entry.timestamp or None,
        }
        given = {name: value for name, value in metadata.items() if value is not None}
        self._served.hand_over("add", target_of(entry.category), entry.content, given)
        self.handed_over = True
        self._warn(f"{self.name} accepted the entry but does not confirm that it was saved")

    def _tagged(self, found: MemoryMap, call: Call, entry: Entry) -> dict[str, str | None]:
        """What of ``entry`` goes into its tags, since the provider has no field for it."""
        if not (call.names("tags") and self._reads_tags(found)):
            return {}
        values = {
            "key": entry.key,
            "category": None if found.keeps_category(entry.category) else entry.category,
            "namespace": entry.namespace or None,
            "session": entry.session_id,
        }
        return {name: values[name] for name in TAGGED if not call.names(name) or name == "category"}

    def _held(self, entry: Entry) -> frozenset[str]:
        """What the provider calls the rows of this key and agent, when it lists and forgets."""
        if self._map is None or not {"list", "forget"} <= set(self._map.calls):
            return frozenset()
        rows = self._rows_of(entry.key, self._list("list"))
        apart = self._reads("agent")
        return frozenset(row.id for row in rows if not apart or row.entry.agent_id == entry.agent_id)

    def _drop_replaced(self, entry: Entry, before: frozenset[str], new: str | None) -> None:
        if not before:
            return
        # A provider that knows the text already gives the row that is there; then nothing was replaced.
        added = self._held(entry) - before if new is None else {new} - before
        if not added:
            return
        call = self._call("forget", "forget an entry")
        for row in sorted(before):
            self._ask(call, {"key": row})

    def _warn_of_loss(self, call: Call, entry: Entry, tagged: Mapping[str, str | None]) -> None:
        given = {
            "session": entry.session_id,
            "namespace": entry.namespace or None,
            "importance": entry.importance,
            "timestamp": entry.timestamp or None,
        }
        lost = [
            name for name, value in given.items() if value is not None and name not in tagged and not call.names(name)
        ]
        if self._map is not None and not self._map.keeps_category(entry.category) and "category" not in tagged:
            lost.insert(0, "category")
        self.dropped = tuple(lost)
        if lost:
            self._warn(f"{self.name} does not keep the {', '.join(lost)} of an entry")

    # Reading.

    def _recall(
        self,
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
        keep: Callable[[Entry], bool] | None,
    ) -> list[Entry]:
        blank = query.strip() in ("", "*")
        if self._map is None or "recall" not in self._map.calls:
            return self._prefetched(query, session_id, since, until, blank=blank)
        if blank:
            found = [row.entry for row in self._list("recall without a question", None, session_id)]
            found = sorted(found, key=moment_of, reverse=True) if self._reads("timestamp") else found
            narrowed = False
        else:
            call = self._map.calls["recall"]
            self._begin(session_id, None)
            narrowed = keep is not None or session_id is not None or since is not None or until is not None
            asked = max(limit, min(4 * limit, _MOST_ASKED)) if narrowed else limit
            values = {"query": query, "limit": asked, "session": session_id, "since": since, "until": until}
            found = [row.entry for row in self._rows(call, self._ask(call, values))]
            narrowed = narrowed and len(found) >= asked
            if session_id is not None:
                found = self._of_session(found, session_id)
        found = self._between(found, since, until)
        kept = [entry for entry in found if keep is None or keep(entry)]
        if narrowed and len(kept) < limit:
            self._warn(f"{self.name} was asked for {counted(asked, 'entry', 'entries')}; more may have matched")
        return kept[:limit]

    def _prefetched(
        self, query: str, session_id: str | None, since: str | None, until: str | None, *, blank: bool
    ) -> list[Entry]:
        if not self._served.has("prefetch"):
            self._refuse("recall", "it has neither a map of its tools nor a prefetch")
        if blank:
            self._refuse("recall without a question", "ask it something")
        if since is not None or until is not None:
            self._refuse("recall by time", "leave out --since and --until")
        self._begin(session_id, None)
        text = self._served.prefetch(query, session_id)
        if not text.strip():
            return []
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return [Entry(f"prefetch:{digest[:12]}", f"prefetch:{digest[:12]}", text, "recalled", now(), session_id)]

    def _list(self, doing: str, category: str | None = None, session_id: str | None = None) -> list[Row]:
        call = self._call("list", doing)
        self._begin(session_id, None)
        there = None
        if category is not None and self._map is not None and self._map.keeps_category(category):
            there = self._map.category_there(category)
        values = {"limit": self._most_entries + 1, "category": there, "session": session_id}
        reply = self._ask(call, values)
        rows = self._rows(call, reply)
        if len(rows) > self._most_entries:
            raise ResultTooLarge(
                f"{self.name} lists more than {self._most_entries:,} entries",
                hint="raise plugins.limits.max_result_entries, or ask for fewer with --category or --session",
            )
        total = None if call.total is None else look_up(reply, call.total)
        if isinstance(total, int) and total > len(rows) and category is None and session_id is None:
            self._warn(f"{self.name} lists {len(rows):,} of its {total:,} entries; the others are not seen here")
        if session_id is not None:
            kept = {id(entry) for entry in self._of_session([row.entry for row in rows], session_id)}
            rows = [row for row in rows if id(row.entry) in kept]
        return [row for row in rows if category in (None, row.entry.category)]

    def _rows(self, call: Call, reply: object) -> list[Row]:
        assert self._map is not None and call.result is not None
        items = look_up(reply, call.result)
        if not isinstance(items, list):
            raise ProviderFailed(
                f"{self.name}: the reply of {call.tool} has no list at '{call.result}'",
                hint="the map of the provider's tools (zeroclaw_memory_map) does not fit its version",
            )
        return [row_of(item, self._map) for item in items if isinstance(item, Mapping)]

    def _rows_of(self, key: str, rows: Iterable[Row]) -> list[Row]:
        rows = list(rows)
        return [row for row in rows if row.entry.key == key] or [row for row in rows if row.id == key]

    def _of_session(self, entries: list[Entry], session_id: str) -> list[Entry]:
        if not self._reads("session"):
            self._refuse("tell the sessions of its entries apart", "leave out --session")
        return [entry for entry in entries if entry.session_id == session_id]

    def _between(self, entries: list[Entry], since: str | None, until: str | None) -> list[Entry]:
        if since is None and until is None:
            return entries
        if not self._reads("timestamp"):
            self._refuse("filter by time", "leave out --since and --until")
        first = None if since is None else instant(since)
        last = None if until is None else instant(until)
        dated = [(instant(entry.timestamp), entry) for entry in entries if entry.timestamp]
        return [entry for at, entry in dated if (first is None or at >= first) and (last is None or at <= last)]

    # Forgetting.

    def forget_rows(self, chosen: Iterable[tuple[str, str | None]]) -> None:
        """Forget the rows of these keys and agents, as :meth:`forget_for_agent` does, and :meth:`forget` of a key
        without an agent, each as it was when the first of them is forgotten: one listing serves them all."""
        if self._map is None or not {"list", "forget"} <= set(self._map.calls):
            for key, agent_id in chosen:
                self._forget(key, _of_agent(agent_id))
            return
        by_key: dict[str, list[Row]] = {}
        by_id: dict[str, list[Row]] = {}
        for row in self._list("list"):
            by_key.setdefault(row.entry.key, []).append(row)
            by_id.setdefault(row.id, []).append(row)
        for key, agent_id in chosen:
            if agent_id is not None:
                self._require_agents("forget an entry of one agent")
            keep = _of_agent(agent_id)
            listed = by_key.get(key) or by_id.get(key, [])
            self._forget(key, keep, list(listed))
            listed[:] = [row for row in listed if not keep(row.entry)]

    def _forget(self, key: str, keep: Callable[[Entry], bool], listed: list[Row] | None = None) -> bool:
        call = self._call("forget", "forget an entry")
        if self._map is not None and "list" in self._map.calls:
            rows = self._rows_of(key, self._list("list")) if listed is None else listed
            names = [(row.id, row.entry.agent_id) for row in rows if keep(row.entry)]
        else:
            names = [(key, None)]
            self._begin(None, None)
        gone = False
        for name, agent in names:
            reply = self._ask(call, {"key": name, "agent": agent})
            gone = (call.result is None or bool(look_up(reply, call.result))) or gone
        if gone and call.result is None:
            self._warn(f"{self.name} does not confirm deletions: unverified")
        return gone

    # The provider.

    def _begin(self, session_id: str | None, agent: str | None) -> None:
        if agent is not None:
            self._warn(
                f"{self.name} was told that it serves agent {agent}; whether it keeps agents apart is its affair"
            )
        self._served.begin(session_id, agent)

    def _call(self, operation: str, doing: str) -> Call:
        if self._map is None or operation not in self._map.calls:
            self._refuse(doing, "the built-in store can (--backend native); `zeroclaw memory status` shows what it has")
        return self._map.calls[operation]

    def _ask(self, call: Call, values: Mapping[str, Any]) -> object:
        try:
            arguments = call.arguments(values)
        except MapError as error:
            raise UsageError(
                f"{self.name}: {error}", hint="name an entry by what `zeroclaw memory list` shows"
            ) from None
        reply = self._served.call_tool(call.tool, arguments)
        if isinstance(reply, Mapping) and reply.get("error"):
            raise ProviderFailed(f"{self.name}: {call.tool}: {shown_line(reply['error'], _LONGEST_ERROR)}")
        return reply

    def _reads(self, name: str) -> bool:
        """Whether the provider's items tell this field of an entry."""
        if self._map is None:
            return False
        call = self._map.calls.get("store")
        tagged = name in TAGGED and call is not None and call.names("tags") and self._reads_tags(self._map)
        return name in self._map.fields or tagged

    def _reads_tags(self, found: MemoryMap) -> bool:
        return "tags" in found.fields or "tags" in found.metadata

    def _require_agents(self, doing: str) -> None:
        if not self._reads("agent"):
            self._refuse(doing, "it serves one agent at a time; leave out --agent")

    def _warn(self, line: str) -> None:
        self._warnings[line] = None

    def _refuse(self, doing: str, hint: str) -> Never:
        raise NotSupported(f"{self.name} cannot {doing}", hint=hint)


def _of_agent(agent_id: str | None) -> Callable[[Entry], bool]:
    """Whether an entry is one of the agent; every entry is one of None."""
    return lambda entry: agent_id is None or entry.agent_id == agent_id
