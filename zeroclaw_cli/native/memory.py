"""``NativeMemory``: the built-in store behind the ``Memory`` protocol, with all eleven optional capabilities.

Specs/native-memory.md, first block and §22; ranking: specs/recall-ranking.md. Rows of every agent are seen by a call
without an agent; ``get`` without one gives the row that was stored last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import DocumentFailure, NotSupported, StoreDamaged, UsageError, ZeroclawError
from zeroclaw_cli.memory.base import MemoryBase, alias_to_purge, cleared, near_keys, no_such_key
from zeroclaw_cli.memory.requests import (
    NO_AGENT,
    Agent,
    Cleared,
    Forgotten,
    Page,
    PromptRequest,
    PromptRows,
    PurgeTarget,
    Recalled,
    RecallRequest,
    StoreRequest,
)
from zeroclaw_cli.memory.scope_names import check_segment
from zeroclaw_cli.memory.types import (
    DEFAULT_NAMESPACE,
    Capability,
    Entry,
    ExportFilter,
    ProceduralMessage,
    Purged,
    Stats,
)
from zeroclaw_cli.native import entries as rows
from zeroclaw_cli.native import recall
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.entries import NativeEntry, NewEntry, Selection
from zeroclaw_cli.native.entry_writing import (
    CoreCheck,
    DoubtfulOnly,
    EntryWriting,
    check_values,
    imported_row,
    revised,
)
from zeroclaw_cli.native.opening import open_store
from zeroclaw_cli.native.ranking import Cache
from zeroclaw_cli.native.recall import Recalled as Ranked
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.settings import NativeSettings
from zeroclaw_cli.native.stamps import stamp

if TYPE_CHECKING:
    from zeroclaw_cli.memory.conflicts import OnConflict
    from zeroclaw_cli.memory.export_rows import OwnedDocument
    from zeroclaw_cli.native.safety import PromptWriteGuard
    from zeroclaw_cli.native.service import NativeDocuments

NAME: Final = "native"
PROCEDURAL: Final = "procedural"
CONVERSATION: Final = "conversation"
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
    return NativeMemory(open_store(data_dir, settings), Scope(project=settings.project), settings)


class NativeMemory(MemoryBase):
    """The entries of one scope in an opened store, which it owns and closes.

    ``guard`` judges what is written to the category ``core``, which a model reads every turn as it does MEMORY.md.
    """

    imports_at_once = keeps_documents = keeps_projects = True

    def __init__(
        self,
        store: Store,
        scope: Scope,
        settings: NativeSettings = NativeSettings(),  # noqa: B008 - frozen
        *,
        guard: PromptWriteGuard | None = None,
    ) -> None:
        self.store_file = store
        self._settings = settings
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

    def save(self, request: StoreRequest) -> None:
        agent_id = request.agent.ensure(self) or ""
        check_values(revised(request, agent_id, None))

        def rows_to_store() -> list[NewEntry]:
            return [revised(request, agent_id, None if request.replace else self._readable(request.key, agent_id))]

        self._put(rows_to_store)

    def _readable(self, key: str, agent_id: str) -> NativeEntry | None:
        """The row of this key and agent; one that cannot be read has nothing that could be kept."""
        try:
            return rows.find(self.store_file, self._aliases, self._place, key, agent_id)
        except StoreDamaged:
            return None

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
        for entry in entries:
            check_values(entry)
        if entries:
            self._put(lambda: entries)

    def import_entry(self, entry: Entry) -> None:
        self._import([entry])

    def import_entries(
        self,
        entries: Iterable[Entry],
        progress: Callable[[int], None] | None = None,
        *,
        batch: int = 10_000,
        over: bool = True,
    ) -> int:
        """Store many entries under their own timestamps, ``batch`` in a transaction; returns how many.

        With ``over`` false a row that is there already stays, also one that another process has stored just now.
        ``progress`` is called after each transaction with how many are durable. A failure raises and keeps what the
        transactions before have stored.
        """
        pending, total = iter(entries), 0
        while chosen := list(islice(pending, batch)):
            if total == 0:
                self.store_file.back_up_before(len(chosen))
            total += self._import(chosen, over=over)
            if progress is not None:
                progress(total)
        return total

    def with_own_agents(self, entries: Sequence[Entry]) -> list[Entry]:
        """The entries as an import stores them: an alias that is known here keeps its id, and rows that come under
        another one move to it. Of an alias that comes with several ids the first one stays."""
        named = [
            replace(entry, agent_id=self.ensure_agent_uuid(entry.agent_alias))
            if entry.agent_id is None and entry.agent_alias is not None
            else entry
            for entry in entries
        ]
        moved = self._moved(named)[0]
        return [replace(entry, agent_id=moved[entry.agent_id]) if entry.agent_id in moved else entry for entry in named]

    def _moved(self, entries: Sequence[Entry]) -> tuple[dict[str, str], dict[str, str]]:
        """The own id of each agent that has another one here, and the aliases of ids that are new."""
        known: dict[str, str] = {}
        moved: dict[str, str] = {}
        for agent, alias in dict.fromkeys((entry.agent_id, entry.agent_alias) for entry in entries):
            if agent and alias:
                own = self._known_agent(alias) or known.setdefault(alias, agent)
                if own != agent:
                    moved[agent] = own
        return moved, {agent: alias for alias, agent in known.items()}

    def _import(self, entries: Sequence[Entry], *, over: bool = True) -> int:
        moved, aliases = self._moved(entries)
        imported = [imported_row(entry, moved) for entry in entries]
        for new in imported:
            check_values(new)
        return self._put(lambda: imported, aliases, over=over)

    def _known_agent(self, alias: str) -> str | None:
        found = self.store_file.query("SELECT id FROM agents WHERE alias = ?", (alias,))
        return str(found[0][0]) if found else None

    def supersede(self, key: str, by: str, agent_id: str | None = None) -> bool:
        """Hide the row of ``key`` from recall because the entry of id ``by`` replaces it; False when there is none."""
        with self._writer() as writer:
            return writer.supersede(key, agent_id or "", by)

    def _put(
        self, make: Callable[[], Sequence[NewEntry]], aliases: dict[str, str] | None = None, *, over: bool = True
    ) -> int:
        """Store what ``make`` gives inside the transaction, where nobody else writes; returns how many."""
        check = CoreCheck(self.scope, self.guard)
        try:
            with self._writer(check) as writer:
                for agent, alias in {**(aliases or {}), **self._new_aliases}.items():
                    writer.name_agent(agent, alias)
                stored = writer.put(make(), over=over)
        except ZeroclawError as error:
            check.refused(error)
            raise
        self._new_aliases.clear()
        return stored

    def _writer(self, check: CoreCheck | None = None) -> EntryWriting:
        return EntryWriting(self.store_file, self.scope, check or CoreCheck(self.scope, self.guard))

    def guard(self) -> PromptWriteGuard:
        """What judges the texts of ``core``."""
        if self._guard is None:
            from zeroclaw_cli.native.audit import AuditSink
            from zeroclaw_cli.native.safety import PromptWriteGuard

            self._guard = PromptWriteGuard(sink=DoubtfulOnly(AuditSink(self.store_file)))
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

    def find(self, request: RecallRequest, *, explain: bool = False) -> Recalled:
        found = self.ranked(request, explain=explain)
        why = tuple(None if item.explanation is None else item.explanation.to_json() for item in found)
        return Recalled([item.entry for item in found], explanations=why if explain else None)

    def ranked(self, request: RecallRequest, *, explain: bool = True) -> list[Ranked]:
        """What :meth:`find` finds, each with how its score came about."""
        chosen = Selection(
            tuple(request.agent_ids(self)) or None,
            request.namespace,
            session_id=request.session_id,
            since=_bound(request.since),
            until=_bound(request.until),
        )
        return self._recall(request.query, request.limit, chosen, explain=explain)

    def _entries(self, query: str, limit: int, selection: Selection) -> list[Entry]:
        return [found.entry for found in self._recall(query, limit, selection, explain=False)]

    def _recall(self, query: str, limit: int, selection: Selection, *, explain: bool) -> list[Ranked]:
        most = min(max(limit, 0), _MAX_LIMIT)
        selection = replace(selection, sessionless=True)
        if query.strip() in ("", "*"):
            live = replace(selection, live_only=True)
            found = rows.select(self.store_file, self._aliases, self.scope, live, _NEWEST_FIRST, most)
            return [Ranked(entry, None) for entry in found]
        with self.store_file.read() as connection:
            cache = self._cache.of(self.store_file.generation())
            about = (self._aliases, self.scope, query, most, selection)
            warn = self.store_file.warn
            return recall.recall(connection, *about, explain=explain, cache=cache, warn=warn)

    def get(self, key: str) -> Entry | None:
        return rows.find(self.store_file, self._aliases, self._place, key)

    def get_for_agent(self, key: str, agent_id: str) -> Entry | None:
        return rows.find(self.store_file, self._aliases, self._place, key, agent_id)

    def list_entries(self, category: str | None, session_id: str | None) -> list[Entry]:
        chosen = Selection(category=category, session_id=session_id)
        return list(rows.select(self.store_file, self._aliases, self.scope, chosen, _AS_STORED))

    def page(
        self,
        category: str | None,
        session_id: str | None,
        *,
        agent: Agent = NO_AGENT,
        limit: int | None = None,
        offset: int = 0,
    ) -> Page:
        agent_id = agent.resolve(self)
        chosen = Selection(None if agent_id is None else (agent_id,), session_id=session_id, category=category)
        most, start = min(_MAX_LIMIT if limit is None else limit, _MAX_LIMIT), min(offset, _MAX_LIMIT)
        found = rows.select(self.store_file, self._aliases, self.scope, chosen, _AS_STORED, most, start)
        return Page(list(found), rows.count(self.store_file, self.scope, chosen))

    def starting_with(self, key: str) -> list[Entry]:
        chosen = Selection(key_start=key)
        return [] if not key else list(rows.select(self.store_file, self._aliases, self.scope, chosen, _AS_STORED))

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
        return bool(self._forget(key))

    def forget_for_agent(self, key: str, agent_id: str) -> bool:
        return bool(self._forget(key, agent_id))

    def take(self, key: str, agent: Agent = NO_AGENT, *, with_history: bool = False) -> Forgotten:
        agent_id = agent.resolve(self)
        with self.store_file.write() if self.store_file.exists() else nullcontext():
            gone = self._forget(key, agent_id)
            if not gone:
                raise no_such_key(self, key, near_keys(self, key, agent))
            transcripts: tuple[str, ...] = ()
            if with_history:
                from zeroclaw_cli.native.quoting import forget_transcripts

                transcripts = forget_transcripts(self.store_file, self.scope, [row.content for row in gone])
        return Forgotten(len(gone), tuple(row.agent_alias or row.agent_id or "" for row in gone), transcripts)

    def _forget(self, key: str, agent_id: str | None = None) -> list[Entry]:
        """Forget the rows of ``key``, or that of one agent; returns the entries that are gone."""
        if not self.store_file.exists():
            return []
        chosen = Selection(None if agent_id is None else (agent_id,), key=key)
        with self._writer() as writer:
            if bad := rows.with_bad_key(self.store_file, self.scope, key):
                chosen = Selection(numbers=tuple(bad))
            gone = rows.as_far_as_readable(self.store_file, self._aliases, self.scope, chosen, _AS_STORED)
            writer.remove(chosen)
        return list(gone)

    def purge_namespace(self, namespace: str) -> int:
        return self._remove(Selection(namespace=namespace))

    def purge_session(self, session_id: str) -> int:
        return self._purge_session(session_id).entries

    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int:
        return self._purge_session(session_id, agent_id).entries

    def purge_agent(self, agent_alias: str) -> int:
        return self._purge_agent(agent_alias).entries

    def purge(self, target: PurgeTarget) -> Purged:
        if target.namespace is not None:
            return Purged(self.purge_namespace(target.namespace))
        if target.session_id is None:
            return self._purge_agent(alias_to_purge(target))
        return self._purge_session(target.session_id, target.agent.resolve(self))

    def _purge_session(self, session_id: str, agent_id: str | None = None) -> Purged:
        """Remove the entries and recorded turns of a session, of every agent or of one."""
        if not self.store_file.exists():
            return Purged()
        from zeroclaw_cli.native.purging import purge_session

        chosen = Selection(None if agent_id is None else (agent_id,), session_id=session_id)

        def owns(alias: str) -> bool:
            return agent_id is None or (alias != "" and self.agent_id_of(alias) == agent_id)

        self._back_up_before(chosen)
        return purge_session(self.store_file, self.scope, session_id, owns, lambda: self._remove(chosen))

    def _purge_agent(self, agent_alias: str) -> Purged:
        """Remove the entries, documents and recorded turns of an agent."""
        if not self.store_file.exists():
            return Purged()
        from zeroclaw_cli.native.purging import purge_agent

        chosen = Selection((self.agent_id_of(agent_alias),))
        self._back_up_before(chosen)
        return purge_agent(self.store_file, self.scope, agent_alias, lambda: self._remove(chosen))

    def clear(self, selected: Sequence[Entry]) -> Cleared:
        """Forget exactly what was selected, in one transaction."""
        if not selected or not self.store_file.exists():
            return Cleared(0, len(selected))
        with self.store_file.write():
            for key, agent_id in {(row.key, row.agent_id) for row in selected}:
                self.forget_for_agent(key, agent_id or "")
        return cleared(self, selected)

    def _remove(self, selection: Selection) -> int:
        if not self.store_file.exists():
            return 0
        self._back_up_before(selection)
        with self._writer() as writer:
            return writer.remove(selection)

    def _back_up_before(self, removal: Selection) -> None:
        self.store_file.back_up_before(rows.count(self.store_file, self.scope, removal))

    # Projects, documents and prompts

    @property
    def project(self) -> str:
        return self.scope.project

    def projects(self) -> list[str]:
        from zeroclaw_cli.native.owners import entry_projects

        return entry_projects(self.store_file, self.scope)

    def in_project(self, project: str) -> NativeMemory:
        if project == self.scope.project:
            return self
        return NativeMemory(self.store_file, replace(self.scope, project=project), self._settings)

    def documents(self, agent: str | None = None, project: str | None = None) -> NativeDocuments:
        from zeroclaw_cli.native.service import NativeDocuments

        if agent is not None:
            # An absent agent is None alone: an empty one would open what every agent shares.
            check_segment("agent", agent)
        scope = replace(self.scope, agent=agent or "", project=self.scope.project if project is None else project)
        return NativeDocuments(self.store_file, scope, self._settings)

    def export_documents(self, wanted: ExportFilter) -> tuple[list[OwnedDocument], list[str]]:
        from zeroclaw_cli.native.transfer import export_all

        return export_all(self.documents(), wanted)

    def import_documents(self, documents: Sequence[OwnedDocument], on_conflict: OnConflict) -> tuple[int, list[str]]:
        from zeroclaw_cli.native.transfer import import_all

        return import_all(self.documents, documents, on_conflict)

    def category_counts(self, agent: str | None, project: str | None) -> dict[str, int]:
        scope = self.scope if project is None else replace(self.scope, project=project)
        return rows.categories(self.store_file, scope, Selection(self._owners(agent or "")))

    def pinned(self, agent: str | None, project: str | None) -> list[Entry]:
        chosen = Selection(self._owners(agent or ""), pinned=True, live_only=True)
        scope = self.scope if project is None else replace(self.scope, project=project)
        found = rows.select(self.store_file, self._aliases, scope, chosen, _AS_STORED)
        return [entry for entry in found if entry.category != CONVERSATION]

    def for_prompt(self, request: PromptRequest) -> PromptRows:
        from zeroclaw_cli.native.documents import SqliteDocuments
        from zeroclaw_cli.native.prompt_rows import ranked_rows

        project = self.scope.project if request.project is None else request.project
        scope = replace(self.scope, agent=request.agent or "", project=project)
        repository = SqliteDocuments(self.store_file, guard=self.guard())
        return PromptRows(list(ranked_rows(repository, scope, request, "entries")), project)

    def documents_for_prompt(self, request: PromptRequest) -> PromptRows:
        """As the protocol says. A row of ``MEMORY.md`` says that it answers too."""
        from zeroclaw_cli.native.paths import STANDING
        from zeroclaw_cli.native.prompt_rows import ranked_rows

        documents = self.documents(request.agent, request.project)
        with suppress(DocumentFailure):
            # Reading takes over what was edited in a mirror that is synced.
            documents.read(STANDING)
        found = ranked_rows(documents.repository, documents.scope, request, "documents")
        return PromptRows(list(found), documents.scope.project)

    def _owners(self, agent: str) -> tuple[str, ...]:
        """The ids under which rows of an agent are: an import may have brought its alias itself."""
        return (agent, self.agent_id_of(agent)) if agent else ("",)

    # About

    def count(self) -> int:
        return rows.count(self.store_file, self.scope)

    def health_check(self) -> bool:
        """Whether the whole store is sound, its search index too; warns of what is not, and raises what keeps it from
        being read."""
        from zeroclaw_cli.native.examination import Examination, examine

        self.count()
        path = self.store_file.path
        found = examine(path) if self.store_file.exists() else Examination()
        for wrong in (*found.problems, *found.bad_rows[:5]):
            self.store_file.warn(f"{path} is damaged: {wrong}; `zeroclaw doctor --fix` mends what it can")
        return found.is_sound

    def require_usable(self) -> None:
        """As the protocol says. A row that cannot be read keeps nobody from the others."""
        self.count()
        self.store_file.require_sound_if_small()

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
        # What an import brought along may have any alias; what begins here can have documents too.
        check_segment("agent", alias)
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
        categories = rows.categories(self.store_file, self.scope)
        return Stats(NAME, healthy, self.count(), categories, tuple(Capability), {})


def _bound(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return stamp(text)
    except ValueError as error:
        raise UsageError(str(error), hint="write an RFC 3339 time such as 2026-03-01T12:00:00Z") from None
