"""How a request is served by the functions of the world, for every backend that has nothing better (cli.md, memory).

A backend inherits :class:`MemoryBase` and overrides what it can do at once: the built-in store and the layers nearly
all of it, a plugin and a provider next to nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from zeroclaw_cli.errors import EntryNotFound, MemoryFailure, NotSupported, UsageError
from zeroclaw_cli.memory.protocol import Memory, recall_in_namespace
from zeroclaw_cli.memory.requests import (
    DEFAULT_CATEGORY,
    NO_AGENT,
    Agent,
    Cleared,
    Forgotten,
    Page,
    PromptRequest,
    PromptRow,
    PromptRows,
    PurgeTarget,
    Recalled,
    RecallRequest,
    StoreRequest,
)
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Entry, ExportFilter, Lane, Purged

if TYPE_CHECKING:
    from zeroclaw_cli.memory.conflicts import OnConflict
    from zeroclaw_cli.memory.documents import Documents
    from zeroclaw_cli.memory.export_rows import OwnedDocument, Rows

# How many entries a store without lanes is asked for.
_ASKED_PER_SNIPPET: Final = 8
_MOST_ASKED: Final = 1_000
_CONVERSATION: Final = "conversation"


class MemoryBase:
    """The requests of the protocol over the functions of the world."""

    imports_at_once: ClassVar[bool] = False
    keeps_documents: ClassVar[bool] = False
    keeps_projects: ClassVar[bool] = False

    def save(self: Memory, request: StoreRequest) -> None:
        """Store one entry through the function that loses nothing of it, nor of the row that it replaces."""
        if request.kind is not None or request.pinned is not None:
            raise NotSupported(
                f"{self.name} does not support --kind or --pinned",
                hint="leave out --kind and --pinned; the built-in store keeps them (--backend native)",
            )
        agent_id = request.agent.ensure(self)
        old = None if request.replace else self.row_of(request.key, agent_id)
        if old is not None:
            request = replace(
                request,
                category=old.category if request.category is None else request.category,
                session_id=old.session_id if request.session_id is None else request.session_id,
                namespace=_unusual(old.namespace) if request.namespace is None else request.namespace,
                importance=old.importance if request.importance is None else request.importance,
            )
        about = (request.key, request.content, request.category or DEFAULT_CATEGORY, request.session_id)
        if request.namespace is None and request.importance is None and agent_id is None:
            self.store(*about)
        else:
            self.store_with_agent(*about, request.namespace, request.importance, agent_id)

    def row_of(self: Memory, key: str, agent_id: str | None) -> Entry | None:
        """The row of exactly this key and agent; for None that of no agent. None too where it cannot be read."""
        try:
            if agent_id is not None:
                return self.get_for_agent(key, agent_id)
            found = self.get(key)
            if found is None or found.agent_id is None:
                return found
            # `get` gives the newest row of any agent, behind which an older one of none may be.
            rows = self.list_entries(None, None)
        except NotSupported:
            return None
        return next((row for row in rows if row.key == key and row.agent_id is None), None)

    def find(self: Memory, request: RecallRequest, *, explain: bool = False) -> Recalled:
        """Recall through the function that fits what is asked; never more than the limit."""
        if explain:
            raise NotSupported(
                f"{self.name} does not explain its ranking",
                hint="leave out --explain; the built-in store explains itself (--backend native)",
            )
        agents = request.agent_ids(self)
        rest = (request.query, request.limit, request.session_id, request.since, request.until)
        if agents and request.namespace is not None:
            entries, maybe_hidden = recall_in_namespace(self, request.namespace, agents, *rest)
            return Recalled(entries[: request.limit], maybe_hidden)
        if agents:
            entries = self.recall_for_agents(agents, *rest)
        elif request.namespace is not None:
            entries = self.recall_namespaced(request.namespace, *rest)
        else:
            entries = self.recall(*rest)
        return Recalled(entries[: request.limit])

    def look_up(self: Memory, key: str, agent: Agent = NO_AGENT) -> tuple[Entry | None, list[str]]:
        """The entry of exactly ``key``, else the only one whose key starts with it; else the keys that do."""
        agent_id = agent.resolve(self)
        found = self.get(key) if agent_id is None else self.get_for_agent(key, agent_id)
        if found is not None:
            return found, []
        rows = [row for row in self.starting_with(key) if agent_id is None or row.agent_id == agent_id]
        keys = sorted({row.key for row in rows})
        return (rows[-1], []) if len(keys) == 1 else (None, keys)

    def starting_with(self: Memory, key: str) -> list[Entry]:
        """The entries whose key begins with ``key``, in the order of ``list_entries``; none for an empty key."""
        return [row for row in self.list_entries(None, None) if key and row.key.startswith(key)]

    def page(
        self: Memory,
        category: str | None,
        session_id: str | None,
        *,
        agent: Agent = NO_AGENT,
        limit: int | None = None,
        offset: int = 0,
    ) -> Page:
        """Entries ``offset`` to ``offset + limit`` of the backend's list (of one agent), and how many there are."""
        agent_id = agent.resolve(self)
        rows = self.list_entries(category, session_id)
        if agent_id is not None:
            rows = [entry for entry in rows if entry.agent_id == agent_id]
        return Page(rows[offset:] if limit is None else rows[offset : offset + limit], len(rows))

    def take(self: Memory, key: str, agent: Agent = NO_AGENT, *, with_history: bool = False) -> Forgotten:
        """Forget the rows of ``key``, or that of one agent. Raises EntryNotFound when there is nothing.

        ``with_history`` removes the transcripts that quote them too, in the same transaction; NotSupported where a
        backend keeps none.
        """
        if with_history:
            raise NotSupported(
                f"{self.name} keeps no history that could be forgotten with an entry",
                hint="leave out --with-history; a plugin's journal drops forgotten text when it is compacted",
            )
        agent_id = agent.resolve(self)
        if agent_id is not None:
            forgotten, rows = self.forget_for_agent(key, agent_id), 1
        else:
            # The world's `forget` says whether, not how many.
            before = _count(self)
            forgotten = self.forget(key)
            rows = 1 if before is None else max(before - self.count(), 1)
        if not forgotten:
            raise no_such_key(self, key, near_keys(self, key, agent))
        return Forgotten(rows)

    def purge(self: Memory, target: PurgeTarget) -> Purged:
        """Remove what ``target`` names; returns how many entries, documents and recorded turns are gone.

        Raises NotSupported for what the backend does not purge.
        """
        if target.namespace is not None:
            return Purged(self.purge_namespace(target.namespace))
        if target.session_id is None:
            return Purged(self.purge_agent(alias_to_purge(target)))
        agent_id = target.agent.resolve(self)
        if agent_id is None:
            return Purged(self.purge_session(target.session_id))
        return Purged(self.purge_session_for_agent(target.session_id, agent_id))

    def select(self: Memory, key: str | None, category: str | None) -> list[Entry]:
        """The entries that a clear would forget: those of exactly one key, of one category, of both, or all.

        Raises EntryNotFound when a key is named and nothing has it.
        """
        selected, near = rows_of_key(self.list_entries(category, None), key)
        if key is not None and not selected:
            raise no_such_key(self, key, near)
        return list(selected)

    def clear(self: Memory, selected: Sequence[Entry]) -> Cleared:
        """Forget each selected entry and count those that are really gone.

        The world forgets a row that has no agent only together with every other row of its key. When such a row was not
        selected, both stay: losing a memory that nobody named would be worse than keeping one too many.
        """
        if not selected:
            return Cleared(0, 0)
        chosen = {(row.key, row.agent_id) for row in selected}
        bystanders = {row.key for row in self.list_entries(None, None) if (row.key, row.agent_id) not in chosen}
        rows = [(key, agent_id) for key, agent_id in chosen if agent_id is not None or key not in bystanders]
        self.forget_rows(sorted(rows, key=lambda row: (row[0], row[1] or "")))
        return cleared(self, selected)

    def forget_rows(self: Memory, chosen: Iterable[tuple[str, str | None]]) -> None:
        """Forget the row of each key and agent; every row of a key for None."""
        for key, agent_id in chosen:
            if agent_id is None:
                self.forget(key)
            else:
                self.forget_for_agent(key, agent_id)

    def with_own_agents(self: Memory, entries: Sequence[Entry]) -> list[Entry]:
        """The entries, each with an alias under the id that this memory gives it, which is asked once for each alias.

        An id whose alias another entry tells is that alias's. An id without any stays as it is.
        """
        told = {entry.agent_id: entry.agent_alias for entry in entries if entry.agent_id and entry.agent_alias}
        own: dict[str, str] = {}
        moved = []
        for entry in entries:
            alias = entry.agent_alias or told.get(entry.agent_id or "")
            if alias:
                if alias not in own:
                    own[alias] = self.ensure_agent_uuid(alias)
                entry = replace(entry, agent_id=own[alias], agent_alias=alias)
            moved.append(entry)
        return moved

    def import_entries(self: Memory, entries: Sequence[Entry], *, over: bool = True) -> int:
        """Store entries under their own timestamps, one after the other; how many were stored."""
        for entry in entries:
            self.import_entry(entry)
        return len(entries)

    def identity(self, entry: Entry) -> tuple[str, str | None]:
        """What makes an entry of elsewhere the same as one that is here."""
        return entry.key, entry.agent_id

    def import_target(self: Memory) -> list[Entry]:
        """The entries that an import may meet."""
        return self.list_entries(None, None)

    # Projects, documents and prompts

    @property
    def project(self) -> str:
        """The project whose rows these are; empty: none."""
        return ""

    def projects(self) -> list[str]:
        """The projects that hold entries, by name; none is the empty one."""
        return []

    def in_project(self: Memory, project: str) -> Memory:
        """The rows of another project, in the same opened store. Raises NotSupported."""
        raise NotSupported(f"{self.name} keeps no projects", hint="the built-in store keeps them (--backend native)")

    def documents(self: Memory, agent: str | None = None, project: str | None = None) -> Documents:
        """The documents of an agent and a project. Raises NotSupported."""
        raise no_documents(self.name)

    def export_documents(self, wanted: ExportFilter) -> tuple[list[OwnedDocument], list[str]]:
        """Every document, and what no export can hold."""
        return [], []

    def import_documents(
        self: Memory, documents: Sequence[OwnedDocument], on_conflict: OnConflict
    ) -> tuple[int, list[str]]:
        """Store documents. Raises NotSupported."""
        raise no_documents(self.name)

    def category_counts(self: Memory, agent: str | None, project: str | None) -> Mapping[str, int] | None:
        """How many entries of each category an agent has, or nobody for None; None where the backend does not tell.

        Raises what keeps it from telling: a store that does not answer is not an empty one.
        """
        if not self.health_check():
            raise MemoryFailure(f"{self.name} does not answer", hint="`zeroclaw memory health` looks into it")
        agent_id = None if agent is None else self.agent_id_of(agent)
        try:
            rows = self.list_entries(None, None)
        except NotSupported:
            return None
        return Counter(row.category for row in rows if (row.agent_id or None) == agent_id)

    def pinned(self, agent: str | None, project: str | None) -> list[Entry]:
        """The pinned entries of an agent, or of nobody for None."""
        return []

    def for_prompt(self: Memory, request: PromptRequest) -> PromptRows:
        """The entries that answer, as the backend recalls them: those of the agent, or of none, in the lanes of the
        built-in store.

        What has no part in the prompt may come before what has. Then more is asked for, and if the most that is asked
        of a store is too little, a warning says so.
        """
        most, agent = request.limit, request.agent
        if not request.query.strip() or most <= 0:
            return PromptRows()
        agents = () if agent is None else (Agent(alias=agent),)
        number = min(_ASKED_PER_SNIPPET * most, _MOST_ASKED)
        while True:
            found = self.find(RecallRequest(request.query, number, agents=agents)).entries
            kept = [entry for entry in found if entry.superseded_by is None and (agent or not entry.agent_id)]
            lanes = [(lane, entry) for entry in kept if (lane := _lane_of(entry, request.thread))]
            more = len(found) >= number and len(lanes) < most
            if not more or number >= _MOST_ASKED:
                break
            number = _MOST_ASKED
        rows = [PromptRow(lane, entry.key, entry.content) for lane, entry in lanes[:most]]
        told = f"{self.name} was asked for {number:,} entries for the prompt; more may belong in it"
        return PromptRows(rows, warnings=(told,) if more else ())

    def documents_for_prompt(self, request: PromptRequest) -> PromptRows:
        """The documents that answer; none where none are kept."""
        return PromptRows()

    def together(self, rows: Rows | None = None, *, source: str | None = None) -> AbstractContextManager[None]:
        """Around a command that changes many rows: whoever watches the memory learns of them at its end."""
        return nullcontext()

    def require_usable(self: Memory) -> None:
        """Raise what keeps the memory from being used: what its check raises, MemoryFailure when it says no."""
        if not self.health_check():
            _, dot, package = self.name.partition("plugin.")
            raise MemoryFailure(
                f"{self.name} says that it is not healthy",
                hint=f"`zeroclaw plugin logs {package}` shows what it logged" if dot else None,
            )


def no_documents(name: str) -> NotSupported:
    """The error that the backend ``name`` keeps entries alone."""
    return NotSupported(
        f"{name} keeps entries only: no documents, profile, transcripts or context",
        hint="the built-in store keeps them: pass --backend native",
    )


def _lane_of(entry: Entry, thread: str | None) -> Lane | None:
    """Of conversations those of the running thread alone have a part in a prompt."""
    if entry.category != _CONVERSATION:
        return "long_term"
    return "short_term" if thread and entry.session_id == thread else None


def entry_of(memory: Memory, key: str, agent: Agent, *, by_start: bool = False) -> Entry:
    """The entry of exactly ``key``; with ``by_start`` else the only one whose key starts with it.

    Raises EntryNotFound otherwise, which names the keys that start with ``key``.
    """
    entry, keys = memory.look_up(key, agent)
    if entry is not None and (by_start or entry.key == key):
        return entry
    raise no_such_key(memory, key, keys if entry is None else [entry.key])


def rows_of_key(rows: Sequence[Entry], key: str | None) -> tuple[Sequence[Entry], list[str]]:
    """Those of ``rows`` with exactly this key, all for None; where none has it, the keys that start with it."""
    if key is None:
        return rows, []
    exact = [row for row in rows if row.key == key]
    return exact, [] if exact else sorted({row.key for row in rows if key and row.key.startswith(key)})


def cleared(memory: Memory, selected: Sequence[Entry]) -> Cleared:
    """How many of the selected entries are gone from ``memory``."""
    left = {(row.key, row.agent_id) for row in memory.list_entries(None, None)}
    return Cleared(sum((row.key, row.agent_id) not in left for row in selected), len(selected))


def alias_to_purge(target: PurgeTarget) -> str:
    """The alias of the agent that ``target`` names. Raises UsageError for an id."""
    if target.agent.alias is None:
        raise UsageError("an agent's memory is purged by its alias", hint="pass --agent ALIAS, not --agent-id")
    return target.agent.alias


def near_keys(memory: Memory, key: str, agent: Agent) -> list[str]:
    """The keys that start with ``key``, which no entry has; none where the backend cannot tell."""
    try:
        entry, keys = memory.look_up(key, agent)
    except NotSupported:
        return []
    return keys if entry is None else [entry.key]


def no_such_key(memory: Memory, key: str, near: Sequence[str]) -> EntryNotFound:
    """The error that there is no entry of ``key``; ``near`` are the keys that start with it."""
    hint = f"`zeroclaw memory list --backend {memory.name}` shows what it has"
    if near:
        hint = f"keys that start with it: {', '.join(near[:5])}{', …' if len(near) > 5 else ''}"
    return EntryNotFound(f"{memory.name} has no entry '{key}'", hint=hint)


def _unusual(namespace: str) -> str | None:
    return None if namespace in {"", DEFAULT_NAMESPACE} else namespace


def _count(memory: Memory) -> int | None:
    """How many rows there are; None for a backend that forgets and does not count."""
    try:
        return memory.count()
    except NotSupported:
        return None
