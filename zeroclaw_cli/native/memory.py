"""``NativeMemory``: the built-in store behind the ``Memory`` protocol, with all eleven optional capabilities.

Specs/native-memory.md, first block and §22; ranking: specs/recall-ranking.md. Rows of every agent are seen by a call
without an agent; ``get`` without one gives the row that was stored last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import DocumentOperation, NotSupported, UsageError, ZeroclawError
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Capability, Entry, ExportFilter, ProceduralMessage, Stats
from zeroclaw_cli.native import entries as rows
from zeroclaw_cli.native import recall
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.entries import EntryWriter, NewEntry, Selection
from zeroclaw_cli.native.ranking import Cache
from zeroclaw_cli.native.recall import Recalled
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.settings import NativeSettings
from zeroclaw_cli.native.stamps import stamp

if TYPE_CHECKING:
    import sqlite3

    from zeroclaw_cli.native.safety import PromptWriteGuard

NAME: Final = "native"
PROCEDURAL: Final = "procedural"
_STANDING_PATH: Final = "MEMORY.md"
# Ids of agents follow from their aliases, so that asking for one needs no writing.
_AGENTS: Final = "5a6ce5a5-8a3e-5b52-9b0e-0f2a52f6d1c7"
_NEWEST_FIRST: Final = "e.updated_at DESC, e.key"
_AS_STORED: Final = "e.updated_at, e.number"
_OLDEST_FIRST: Final = "e.created_at, e.number"
_MAX_LIMIT: Final = (1 << 63) - 1


def open_memory(data_dir: Path, settings: NativeSettings = NativeSettings()) -> NativeMemory:  # noqa: B008 - frozen
    """The native memory of a data directory, in the scope of the local user and the configured project.

    Nothing is created before the first write. Raises DocumentInput when the project makes no scope.
    """
    return NativeMemory(Store.of(data_dir), Scope(project=settings.project))


class NativeMemory:
    """The entries of one scope in an opened store, which it owns and closes.

    ``guard`` judges what is written to the category ``core``, which a model reads every turn as it does MEMORY.md.
    """

    def __init__(self, store: Store, scope: Scope, *, guard: PromptWriteGuard | None = None) -> None:
        self.store_file = store
        self.scope = rows.entries_scope(scope)
        self._guard = guard
        self._place = rows.place_of(scope)
        self._aliases = rows.Aliases(store)
        self._new_aliases: dict[str, str] = {}
        self._cache = Cache()

    @property
    def name(self) -> str:
        return NAME

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability)

    def __enter__(self) -> NativeMemory:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def close(self) -> None:
        self.store_file.close()

    def take_warnings(self) -> list[str]:
        return self.store_file.take_warnings()

    # Storing

    def store(self, key: str, content: str, category: str, session_id: str | None) -> None:
        self.put(NewEntry(key, content, category, session_id))

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
        *,
        kind: str | None = None,
        pinned: bool = False,
    ) -> None:
        namespace = DEFAULT_NAMESPACE if namespace is None else namespace
        self.put(NewEntry(key, content, category, session_id, namespace, importance, agent_id or "", kind, pinned))

    def store_procedural(self, messages: Sequence[ProceduralMessage], session_id: str | None) -> None:
        """Keep the messages of a procedure as entries of the category ``procedural``, in their order."""
        (base,) = rows.new_ids(1)
        self.put(
            *(
                NewEntry(
                    f"procedural-{base}-{number:04d}",
                    f"{message.name or message.role}: {message.content}",
                    PROCEDURAL,
                    session_id,
                    kind=message.role,
                )
                for number, message in enumerate(messages)
            )
        )

    def put(self, *entries: NewEntry) -> None:
        """Store entries in one transaction, each in the place of the row with its key and agent.

        Raises UsageError for a value that no row can hold, Rejection when a text for ``core`` is refused.
        """
        if entries:
            self._put(entries)

    def import_entry(self, entry: Entry) -> None:
        self._import([entry])

    def import_entries(
        self,
        entries: Iterable[Entry],
        progress: Callable[[int], None] | None = None,
        *,
        batch: int = 10_000,
    ) -> int:
        """Store many entries under their own timestamps, ``batch`` in a transaction; returns how many.

        ``progress`` is called after each transaction with how many are durable. A failure raises and keeps what the
        transactions before have stored.
        """
        pending, total = iter(entries), 0
        while chosen := list(islice(pending, batch)):
            self._import(chosen)
            total += len(chosen)
            if progress is not None:
                progress(total)
        return total

    def _import(self, entries: Sequence[Entry]) -> None:
        # An alias that is known here keeps its id, and the rows that come under another one move to it.
        known: dict[str, str] = {}
        moved: dict[str, str] = {}
        for agent, alias in {(entry.agent_id, entry.agent_alias) for entry in entries}:
            if agent and alias:
                own = self._known_agent(alias) or known.setdefault(alias, agent)
                if own != agent:
                    moved[agent] = own
        aliases = {agent: alias for alias, agent in known.items()}
        self._put([_imported(entry, moved) for entry in entries], aliases)

    def _known_agent(self, alias: str) -> str | None:
        found = self.store_file.query("SELECT id FROM agents WHERE alias = ?", (alias,))
        return str(found[0][0]) if found else None

    def supersede(self, key: str, by: str, agent_id: str | None = None) -> bool:
        """Hide the row of ``key`` from recall because the entry of id ``by`` replaces it; False when there is none."""
        with self._writer() as writer:
            return writer.supersede(key, agent_id or "", by)

    def _put(self, entries: Sequence[NewEntry], aliases: dict[str, str] | None = None) -> None:
        for entry in entries:
            _check_values(entry)
        check = _Check(self)
        try:
            with self._writer(check) as writer:
                for agent, alias in {**(aliases or {}), **self._new_aliases}.items():
                    writer.name_agent(agent, alias)
                writer.put(entries)
        except ZeroclawError as error:
            check.refused(error)
            raise
        self._new_aliases.clear()

    def _writer(self, check: _Check | None = None) -> _Writing:
        return _Writing(self.store_file, self.scope, check or _Check(self))

    def guard(self) -> PromptWriteGuard:
        """What judges the texts of ``core``."""
        if self._guard is None:
            from zeroclaw_cli.native.audit import AuditSink
            from zeroclaw_cli.native.safety import PromptWriteGuard

            self._guard = PromptWriteGuard(sink=_DoubtfulOnly(AuditSink(self.store_file)))
        return self._guard

    # Finding

    def recall(
        self, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        return self._entries(query, limit, Selection(session_id=session_id, since=_bound(since), until=_bound(until)))

    def recall_for_agents(
        self,
        agents: Sequence[str],
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[Entry]:
        chosen = tuple(agents) or None
        return self._entries(
            query, limit, Selection(chosen, session_id=session_id, since=_bound(since), until=_bound(until))
        )

    def recall_namespaced(
        self, namespace: str, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]:
        chosen = Selection(namespace=namespace, session_id=session_id, since=_bound(since), until=_bound(until))
        return self._entries(query, limit, chosen)

    def recall_explained(
        self,
        query: str,
        limit: int,
        *,
        agents: Sequence[str] = (),
        namespace: str | None = None,
        session_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> list[Recalled]:
        """As ``recall``, by agents and namespace together if need be, with how each score came about."""
        chosen = Selection(tuple(agents) or None, namespace, session_id, since=_bound(since), until=_bound(until))
        return self._recall(query, limit, chosen, explain=True)

    def _entries(self, query: str, limit: int, selection: Selection) -> list[Entry]:
        return [found.entry for found in self._recall(query, limit, selection, explain=False)]

    def _recall(self, query: str, limit: int, selection: Selection, *, explain: bool) -> list[Recalled]:
        most = min(max(limit, 0), _MAX_LIMIT)
        if query.strip() in ("", "*"):
            live = replace(selection, live_only=True)
            found = rows.select(self.store_file, self._aliases, self.scope, live, _NEWEST_FIRST, most)
            return [Recalled(entry, None) for entry in found]
        with self.store_file.read() as connection:
            cache = self._cache.of(self.store_file.generation())
            return recall.recall(
                connection, self._aliases, self.scope, query, most, selection, explain=explain, cache=cache
            )

    def get(self, key: str) -> Entry | None:
        return rows.find(self.store_file, self._aliases, self._place, key)

    def get_for_agent(self, key: str, agent_id: str) -> Entry | None:
        return rows.find(self.store_file, self._aliases, self._place, key, agent_id)

    def list_entries(self, category: str | None, session_id: str | None) -> list[Entry]:
        chosen = Selection(category=category, session_id=session_id)
        return list(rows.select(self.store_file, self._aliases, self.scope, chosen, _AS_STORED))

    def export_entries(self, filter: ExportFilter) -> list[Entry]:
        chosen = Selection(
            namespace=filter.namespace,
            session_id=filter.session_id,
            category=filter.category,
            since=_bound(filter.since),
            until=_bound(filter.until),
        )
        return list(rows.select(self.store_file, self._aliases, self.scope, chosen, _OLDEST_FIRST))

    # Forgetting

    def forget(self, key: str) -> bool:
        return self._remove(Selection(), key) > 0

    def forget_for_agent(self, key: str, agent_id: str) -> bool:
        return self._remove(Selection((agent_id,)), key) > 0

    def purge_namespace(self, namespace: str) -> int:
        return self._remove(Selection(namespace=namespace))

    def purge_session(self, session_id: str) -> int:
        return self._remove(Selection(session_id=session_id))

    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
        return self._remove(Selection((agent_id,), session_id=session_id))

    def purge_agent(self, agent_alias: str) -> int:
        return self._remove(Selection((self.ensure_agent_uuid(agent_alias),)))

    def _remove(self, selection: Selection, key: str | None = None) -> int:
        if not self.store_file.exists():
            return 0
        with self._writer() as writer:
            return writer.remove(selection, key)

    # About

    def count(self) -> int:
        return rows.count(self.store_file, self.scope)

    def health_check(self) -> bool:
        try:
            self.count()
        except ZeroclawError:
            return False
        return True

    def reindex(self) -> int:
        """Build the search index anew from entries and documents; returns how many entries are in it."""
        if not self.store_file.exists():
            return 0
        from zeroclaw_cli.native.reindex import rebuild

        return rebuild(self.store_file)

    def ensure_agent_uuid(self, alias: str) -> str:
        """The id of an agent, the same for an alias at all times. A new alias is kept with the next write."""
        found = self.agent_id_of(alias)
        if self._known_agent(alias) is None:
            self._new_aliases[found] = alias
        return found

    def agent_id_of(self, alias: str) -> str:
        """The id that ``ensure_agent_uuid`` gives; nothing is kept."""
        if not alias:
            raise UsageError("the alias of an agent is empty", hint="name the agent")
        found = self._known_agent(alias)
        if found is not None:
            return found
        from uuid import UUID, uuid5

        return str(uuid5(UUID(_AGENTS), alias))

    def compact(self, *, allow_loss: bool = False) -> tuple[int, int]:
        raise NotSupported(
            "the built-in store keeps no journal that could be compacted",
            hint="`zeroclaw memory compact --backend plugin.NAME` compacts that of a plugin",
        )

    def stats(self) -> Stats:
        """As the protocol says; warns of each damaged file that lies beside the store."""
        from zeroclaw_cli.native.integrity import set_aside

        for left in set_aside(self.store_file.path):
            self.store_file.warn(f"{left} was set aside as damaged; look into it, or delete it when nothing is missed")
        healthy = self.health_check()
        return Stats(
            NAME,
            healthy,
            self.count() if healthy else 0,
            rows.categories(self.store_file, self.scope) if healthy else {},
            tuple(Capability),
            {},
        )


class _Writing:
    """One write transaction and the writer of entries in it."""

    def __init__(self, store: Store, scope: Scope, check: _Check) -> None:
        self._transaction = store.write()
        self._scope = scope
        self._check = check

    def __enter__(self) -> EntryWriter:
        connection = self._transaction.__enter__()
        try:
            self._writer = EntryWriter(connection, self._scope, self._check)
        except BaseException as error:
            self._transaction.__exit__(type(error), error, error.__traceback__)
            raise
        return self._writer

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            self._writer.__exit__(kind, error, trace)
        except BaseException as failure:
            self._transaction.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._transaction.__exit__(kind, error, trace)


class _Check:
    """The safety check of what is written to ``core``."""

    def __init__(self, memory: NativeMemory) -> None:
        self._memory = memory

    def __call__(self, entry: NewEntry, previous: str | None, transaction: sqlite3.Connection) -> None:
        if not entry.content.strip():
            return
        from zeroclaw_cli.native.safety import EntryRejection, Rejection, WriteCheck

        check = WriteCheck(self._memory.scope, _STANDING_PATH, "write", entry.content, previous, source="entry")
        try:
            self._memory.guard().check(check, transaction)
        except Rejection as refused:
            raise EntryRejection(refused, entry.key, entry.category, pinned=entry.pinned) from None

    def refused(self, error: ZeroclawError) -> None:
        """Tell the audit of a refusal, after its transaction is gone."""
        if not isinstance(error, DocumentOperation):
            return
        from zeroclaw_cli.native.safety import Rejection

        if isinstance(error, Rejection):
            self._memory.guard().record_rejection(error)


class _DoubtfulOnly:
    """Keeps the events of doubtful writes: one event for each clean entry would be as large as the entries."""

    def __init__(self, sink: Any) -> None:
        self._sink = sink

    def record(self, event: Any, transaction: sqlite3.Connection | None) -> None:
        if event.kind != "checked":
            self._sink.record(event, transaction)


def _bound(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return stamp(text)
    except ValueError as error:
        raise UsageError(str(error), hint="write an RFC 3339 time such as 2026-03-01T12:00:00Z") from None


def _imported(entry: Entry, moved: Mapping[str, str]) -> NewEntry:
    """An entry as it is stored by an import: with its own id, times and what replaced it."""
    try:
        created = stamp(entry.timestamp) if entry.timestamp else ""
        updated_at = getattr(entry, "updated_at", "")
        updated = stamp(updated_at) if updated_at else ""
    except ValueError as error:
        raise UsageError(f"the entry '{entry.key}': {error}", hint="write an RFC 3339 time") from None
    return NewEntry(
        entry.key,
        entry.content,
        entry.category,
        entry.session_id,
        entry.namespace,
        entry.importance,
        moved.get(entry.agent_id, entry.agent_id) if entry.agent_id else "",
        getattr(entry, "kind", None),
        getattr(entry, "pinned", False),
        created,
        updated,
        entry.id,
        entry.superseded_by,
    )


def _check_values(entry: NewEntry) -> None:
    if not entry.key:
        raise UsageError("the key is empty", hint="give the entry a key of at least one character")
    if not entry.category:
        raise UsageError("the category is empty", hint="write core, daily, conversation or a word of your own")
    if entry.importance is not None and not isfinite(entry.importance):
        raise UsageError("the importance is no finite number", hint="write a number from 0 to 1")
