"""What the memory commands do, over any ``Memory``: which function serves which request, selection, paging.

The rules are those of cli.md, memory. Recall is in ``recall``, export and import in ``transfer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.backends import as_layered, as_native
from zeroclaw_cli.errors import EntryNotFound, NotSupported, UsageError
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Entry, Purged
from zeroclaw_cli.operations.agents import NO_AGENT, Agent

if TYPE_CHECKING:
    from zeroclaw_cli.native.memory import NativeMemory


DEFAULT_CATEGORY: Final = "core"


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """What to store. A part that is None stays as the row of this key and agent has it, unless ``replace`` says that
    the new row is made anew."""

    key: str
    content: str
    category: str | None = None
    session_id: str | None = None
    namespace: str | None = None
    importance: float | None = None
    agent: Agent = NO_AGENT
    kind: str | None = None
    pinned: bool | None = None
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list, and how many entries the whole list has."""

    entries: list[Entry]
    total: int


@dataclass(frozen=True, slots=True)
class Cleared:
    """How many of the selected entries are gone."""

    deleted: int
    selected: int


def category_word(text: str) -> str:
    """A category as a person types it: trimmed and in lower case. Raises UsageError when nothing is left."""
    word = text.strip().lower()
    if not word:
        raise UsageError("the category is empty", hint="write core, daily, conversation or a word of your own")
    return word


def store(memory: Memory, request: StoreRequest) -> None:
    """Store one entry through the function that loses nothing of it, nor of the row that it replaces."""
    if not request.key:
        raise UsageError("the key is empty", hint="give the entry a key of at least one character")
    if request.namespace is not None and not request.namespace.strip():
        raise UsageError("the namespace is blank", hint="leave it out for the namespace default")
    layered = as_layered(memory)
    if layered is not None:
        layered.put({**_fields(request), "agent": request.agent.to_json()})
        return
    native = as_native(memory)
    agent_id = request.agent.ensure(memory)
    if native is not None:
        _store_native(native, request, agent_id)
        return
    if request.kind is not None or request.pinned is not None:
        raise NotSupported(
            f"{memory.name} does not support --kind or --pinned",
            hint="leave out --kind and --pinned; the built-in store keeps them (--backend native)",
        )
    old = None if request.replace else row_of(memory, request.key, agent_id)
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
        memory.store(*about)
    else:
        memory.store_with_agent(*about, request.namespace, request.importance, agent_id)


def _fields(request: StoreRequest) -> dict[str, Any]:
    return {field.name: getattr(request, field.name) for field in fields(request)}


def _store_native(native: NativeMemory, request: StoreRequest, agent_id: str | None) -> None:
    if request.replace:
        native.store_with_agent(
            request.key,
            request.content,
            request.category or DEFAULT_CATEGORY,
            request.session_id,
            request.namespace,
            request.importance,
            agent_id,
            kind=request.kind,
            pinned=bool(request.pinned),
        )
        return
    from zeroclaw_cli.native.entry_writing import Revision

    native.revise(
        Revision(
            request.key,
            request.content,
            agent_id,
            request.category,
            request.session_id,
            request.namespace,
            request.importance,
            request.kind,
            request.pinned,
        )
    )


def row_of(memory: Memory, key: str, agent_id: str | None) -> Entry | None:
    """The row of exactly this key and agent; for None that of no agent. None too where a backend reads no row."""
    try:
        return _read_row(memory, key, agent_id)
    except NotSupported:
        return None


def _read_row(memory: Memory, key: str, agent_id: str | None) -> Entry | None:
    if agent_id is not None:
        return memory.get_for_agent(key, agent_id)
    found = memory.get(key)
    if found is None or found.agent_id is None:
        return found
    # `get` gives the newest row of any agent, behind which an older one of none may be.
    rows = memory.list_entries(None, None)
    return next((row for row in rows if row.key == key and row.agent_id is None), None)


def _unusual(namespace: str) -> str | None:
    return None if namespace in {"", DEFAULT_NAMESPACE} else namespace


def get(memory: Memory, key: str, agent: Agent, *, by_start: bool = False) -> Entry:
    """The entry of exactly ``key``; with ``by_start`` else the only one whose key starts with it.

    Raises EntryNotFound otherwise, which names the keys that start with ``key``.
    """
    entry, keys = _look_up(memory, key, agent)
    if entry is not None and (by_start or entry.key == key):
        return entry
    raise _no_such_key(memory, key, keys if entry is None else [entry.key])


def _look_up(memory: Memory, key: str, agent: Agent) -> tuple[Entry | None, list[str]]:
    layered = as_layered(memory)
    if layered is not None:
        return layered.look_up(key, agent.to_json(), by_start=True)
    return look_up(memory, key, agent)


def look_up(memory: Memory, key: str, agent: Agent) -> tuple[Entry | None, list[str]]:
    """The entry of exactly ``key``, else the only one whose key starts with it; else the keys that do."""
    agent_id = agent.resolve(memory)
    found = memory.get(key) if agent_id is None else memory.get_for_agent(key, agent_id)
    if found is not None:
        return found, []
    rows = [row for row in _starting_with(memory, key) if agent_id is None or row.agent_id == agent_id]
    keys = sorted({row.key for row in rows})
    return (rows[-1], []) if len(keys) == 1 else (None, keys)


def list_page(
    memory: Memory,
    category: str | None,
    session_id: str | None,
    *,
    limit: int,
    offset: int,
    agent: Agent = NO_AGENT,
) -> Page:
    """Entries ``offset`` to ``offset + limit`` of the backend's list (of one agent), and how many there are."""
    layered = as_layered(memory)
    if layered is not None:
        entries, total = layered.page(category, session_id, agent=agent.to_json(), limit=limit, offset=offset)
        return Page(list(entries), total)
    native, agent_id = as_native(memory), agent.resolve(memory)
    if native is not None:
        return Page(*native.page(category, session_id, agent_id=agent_id, limit=limit, offset=offset))
    rows = memory.list_entries(category, session_id)
    if agent_id is not None:
        rows = [entry for entry in rows if entry.agent_id == agent_id]
    return Page(rows[offset : offset + limit], len(rows))


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many rows of the key are gone, of which agents (by alias, else id; empty for none; only where the backend
    tells), and the paths of the transcripts that went with them."""

    rows: int
    agents: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()


def forget(memory: Memory, key: str, agent: Agent, *, with_history: bool) -> Forgotten:
    """Forget the rows of ``key``, or that of one agent. Raises EntryNotFound when there is nothing.

    ``with_history`` removes the transcripts that quote them too, in the same transaction; NotSupported where a backend
    keeps none.
    """
    layered = as_layered(memory)
    if layered is not None:
        rows, agents, paths = layered.take(key, agent.to_json(), with_history=with_history)
        if not rows:
            raise _no_such_key(memory, key, _near(memory, key, agent))
        return Forgotten(rows, agents, paths)
    native, agent_id = as_native(memory), agent.resolve(memory)
    if native is None:
        if with_history:
            raise NotSupported(
                f"{memory.name} keeps no history that could be forgotten with an entry",
                hint="leave out --with-history; a plugin's journal drops forgotten text when it is compacted",
            )
        return Forgotten(_forget(memory, key, agent))
    with native.store_file.write() if native.store_file.exists() else nullcontext():
        gone = native.take(key, agent_id)
        if not gone:
            raise _no_such_key(memory, key, _near(memory, key, agent))
        transcripts: tuple[str, ...] = ()
        if with_history:
            from zeroclaw_cli.operations.history import forget_transcripts

            transcripts = forget_transcripts(native, [row.content for row in gone])
    return Forgotten(len(gone), tuple(row.agent_alias or row.agent_id or "" for row in gone), transcripts)


def _forget(memory: Memory, key: str, agent: Agent) -> int:
    """How many rows of a plugin are gone. Raises EntryNotFound when there was none."""
    agent_id = agent.resolve(memory)
    if agent_id is not None:
        forgotten, rows = memory.forget_for_agent(key, agent_id), 1
    else:
        # The world's `forget` says whether, not how many.
        before = _count(memory)
        forgotten = memory.forget(key)
        rows = 1 if before is None else max(before - memory.count(), 1)
    if not forgotten:
        raise _no_such_key(memory, key, _near(memory, key, agent))
    return rows


def _count(memory: Memory) -> int | None:
    """How many rows there are; None for a backend that forgets and does not count."""
    try:
        return memory.count()
    except NotSupported:
        return None


@dataclass(frozen=True, slots=True)
class PurgeTarget:
    """What a purge removes: one namespace, one session (of one agent), or one agent."""

    namespace: str | None = None
    session_id: str | None = None
    agent: Agent = NO_AGENT

    def check(self) -> None:
        """Raises UsageError unless exactly one target is named."""
        named = self.agent != NO_AGENT
        if self.namespace is not None and (self.session_id is not None or named):
            raise UsageError("--namespace goes alone", hint="purge by namespace, by session, or by agent")
        if self.namespace is None and self.session_id is None and not named:
            raise UsageError(
                "nothing to purge is named", hint="pass --namespace N, --session S (with --agent A), or --agent A"
            )

    def takes(self) -> str:
        """What is deleted of the target, in words, for a question."""
        if self.namespace is not None:
            return "every entry"
        return "every entry, document and recorded turn" if self.session_id is None else "every entry and recorded turn"

    def describe(self) -> str:
        """The target in words, for a question."""
        agent = self.agent.alias or self.agent.id
        if self.namespace is not None:
            return f"namespace {self.namespace}"
        if self.session_id is None:
            return f"agent {agent}"
        return f"session {self.session_id}" + (f" of agent {agent}" if agent else "")


def purge(memory: Memory, target: PurgeTarget) -> Purged:
    """Remove what ``target`` names; returns how many entries, documents and recorded turns are gone.

    Raises UsageError when it names nothing or too much, and NotSupported for what the backend does not purge.
    """
    target.check()
    layered = as_layered(memory)
    if layered is not None:
        return layered.purge(target.namespace, target.session_id, target.agent.to_json())
    native = as_native(memory)
    if target.namespace is not None:
        return Purged(memory.purge_namespace(target.namespace))
    if target.session_id is None:
        if target.agent.alias is None:
            raise UsageError("an agent's memory is purged by its alias", hint="pass --agent ALIAS, not --agent-id")
        alias = target.agent.alias
        return native.purge_all_of(alias) if native is not None else Purged(memory.purge_agent(alias))
    agent_id = target.agent.resolve(memory)
    if native is not None:
        return native.purge_turns(target.session_id, agent_id)
    if agent_id is None:
        return Purged(memory.purge_session(target.session_id))
    return Purged(memory.purge_session_for_agent(target.session_id, agent_id))


def select_to_clear(memory: Memory, key: str | None, category: str | None) -> list[Entry]:
    """The entries that a clear would forget: those of exactly one key, of one category, of both, or all.

    Raises EntryNotFound when a key is named and nothing has it.
    """
    selected: Sequence[Entry]
    layered = as_layered(memory)
    if layered is not None:
        selected, near = layered.select(key, category)
    else:
        selected, near = rows_of_key(memory.list_entries(category, None), key)
    if key is not None and not selected:
        raise _no_such_key(memory, key, near)
    return list(selected)


def rows_of_key(rows: Sequence[Entry], key: str | None) -> tuple[Sequence[Entry], list[str]]:
    """Those of ``rows`` with exactly this key, all for None; where none has it, the keys that start with it."""
    if key is None:
        return rows, []
    exact = [row for row in rows if row.key == key]
    return exact, [] if exact else sorted({row.key for row in rows if key and row.key.startswith(key)})


def clear(memory: Memory, selected: Sequence[Entry]) -> Cleared:
    """Forget each selected entry and count those that are really gone.

    The world forgets a row that has no agent only together with every other row of its key. When such a row was not
    selected, both stay: losing a memory that nobody named would be worse than keeping one too many. The built-in store
    forgets exactly what was selected, in one transaction.
    """
    layered = as_layered(memory)
    if layered is not None:
        return Cleared(layered.clear(selected), len(selected))
    chosen = {(row.key, row.agent_id) for row in selected}
    native = as_native(memory)
    if native is None:
        _clear_by_key(memory, chosen)
    elif chosen:
        with native.store_file.write():
            for key, agent_id in chosen:
                native.forget_for_agent(key, agent_id or "")
    left = {(row.key, row.agent_id) for row in memory.list_entries(None, None)}
    survivors = sum((row.key, row.agent_id) in left for row in selected)
    return Cleared(len(selected) - survivors, len(selected))


def _clear_by_key(memory: Memory, chosen: set[tuple[str, str | None]]) -> None:
    bystanders = {row.key for row in memory.list_entries(None, None) if (row.key, row.agent_id) not in chosen}
    rows = [(key, agent_id) for key, agent_id in chosen if agent_id is not None or key not in bystanders]
    rows.sort(key=lambda row: (row[0], row[1] or ""))
    together = getattr(memory, "forget_rows", None)
    if together is not None:
        together(rows)
        return
    for key, agent_id in rows:
        if agent_id is None:
            memory.forget(key)
        else:
            memory.forget_for_agent(key, agent_id)


def _starting_with(memory: Memory, key: str) -> list[Entry]:
    native = as_native(memory)
    if native is not None:
        return native.starting_with(key) if key else []
    return [row for row in memory.list_entries(None, None) if key and row.key.startswith(key)]


def _near(memory: Memory, key: str, agent: Agent) -> list[str]:
    """The keys that start with ``key``, which no entry has; none where the backend cannot tell."""
    try:
        entry, keys = _look_up(memory, key, agent)
    except NotSupported:
        return []
    return keys if entry is None else [entry.key]


def _no_such_key(memory: Memory, key: str, near: Sequence[str]) -> EntryNotFound:
    hint = f"`zeroclaw memory list --backend {memory.name}` shows what it has"
    if near:
        hint = f"keys that start with it: {', '.join(near[:5])}{', …' if len(near) > 5 else ''}"
    return EntryNotFound(f"{memory.name} has no entry '{key}'", hint=hint)
