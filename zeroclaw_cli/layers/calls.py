"""What the layers execute: the calls of a request, carried out by the operations over the store of a step
(specs/memory-kernel.md §18).

A request's ``input`` names its ``call``; every call belongs to one capability, and a step of another one does not run
it. Without a name a call is the capability's usual one. Outputs are JSON: rows as cli.md shows them, and beside them
``warnings`` and ``dropped`` for what was not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Final, Generic, Protocol, TypeVar

from zeroclaw_cli.errors import DocumentNotFound, KernelFailure, MemoryFailure, NotSupported, UsageError
from zeroclaw_cli.kernel.contracts import ExecutionContext, PlanStep, TopologySnapshot
from zeroclaw_cli.kernel.json_safe import thaw
from zeroclaw_cli.kernel.limits import RUNTIME
from zeroclaw_cli.kernel.participation import refusal_of
from zeroclaw_cli.layers.entry_rows import rows_of
from zeroclaw_cli.layers.pinned_writes import change_pinned_rows, changes_a_pinned_row
from zeroclaw_cli.memory.arrival import check_arrival
from zeroclaw_cli.memory.base import rows_of_key
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.requests import (
    NO_AGENT,
    Agent,
    PromptRequest,
    PurgeTarget,
    Recalled,
    RecallRequest,
    StoreRequest,
)
from zeroclaw_cli.memory.types import Entry, ExportFilter, ProceduralMessage, importance_of

_CLOSE_WAIT_S: Final = 1.0
_MOST_RANKED: Final = 10_000
# Of these, that something is not there is an answer.
_READING: Final = frozenset({"read", "browse", "search", "recall"})


class Store(Protocol):
    """A store that is opened: it warns, and it ends."""

    def take_warnings(self) -> list[str]: ...
    def close(self) -> None: ...


S = TypeVar("S", bound=Store)


class Opened(Generic[S]):
    """A store that its first use opens, for one caller at a time, whatever its thread."""

    def __init__(self, open_store: Callable[[], S]) -> None:
        self._open = open_store
        self._lock = Lock()
        self._store: S | None = None
        self._closed = False

    @contextmanager
    def use(self) -> Iterator[S]:
        with self._lock:
            if self._closed:
                raise MemoryFailure("the memory was closed before this step began")
            if self._store is None:
                self._store = self._open()
            yield self._store

    def close(self) -> None:
        """End the store. One that still works after its deadline ends with the process."""
        if not self._lock.acquire(timeout=_CLOSE_WAIT_S):
            self._closed = True
            return
        try:
            self._closed = True
            store, self._store = self._store, None
            if store is not None:
                store.close()
        finally:
            self._lock.release()


@dataclass(frozen=True, slots=True)
class Asked:
    """What one step asks of a store: the names in its input, the layer and adapter that are asked, the trigger, and the
    topology that the plan was made for."""

    input: Mapping[str, Any]
    step: PlanStep
    trigger: str
    topology: TopologySnapshot

    def text(self, name: str) -> str:
        value = self.input.get(name)
        if not isinstance(value, str):
            raise UsageError(f"the input has no text under {name}", hint=f'pass {{"{name}": "…"}}')
        return value

    def maybe(self, name: str) -> str | None:
        return None if self.input.get(name) is None else self.text(name)

    def number(self, name: str, default: int) -> int:
        value = self.input.get(name, default)
        if type(value) is not int or value < 0:
            raise UsageError(f"{name} in the input is not a count", hint="pass a whole number of at least 0")
        return value

    def flag(self, name: str) -> bool:
        return self.input.get(name) is True

    def rows(self, name: str) -> list[dict[str, Any]]:
        value = self.input.get(name)
        if not isinstance(value, tuple | list) or not all(isinstance(row, Mapping) for row in value):
            raise UsageError(f"the input has no list of objects under {name}")
        return [thaw(row) for row in value]

    def agent(self) -> Agent:
        return agent_of(self.input.get("agent"))

    def prompt(self) -> PromptRequest:
        """What a prompt is asked for."""
        return PromptRequest(
            self.maybe("query") or "",
            self.maybe("thread"),
            self.maybe("agent"),
            self.maybe("project"),
            self.number("limit", 8),
        )

    def protect_standing(self, changes: Callable[[], bool]) -> None:
        """Raise KernelFailure when the write ``changes`` what every prompt gets and the layer of that does not accept
        it: no other layer's permission takes the place of its own (§8)."""
        refusal = refusal_of(self.topology, RUNTIME, self.step.capability, self.trigger)
        if refusal is not None and changes():
            raise KernelFailure(
                refusal.code,
                f"this would change what every prompt gets, and {refusal.message}",
                hint=refusal.hint,
                details=refusal.details,
            )


def agent_of(value: object) -> Agent:
    """The agent that a request names: nothing, an alias, or an object with ``alias`` or ``id``."""
    if value is None:
        return NO_AGENT
    if isinstance(value, str):
        return Agent(alias=value)
    if isinstance(value, Mapping):
        alias, id_ = value.get("alias"), value.get("id")
        if isinstance(alias, str) and id_ is None:
            return Agent(alias=alias)
        if isinstance(id_, str) and alias is None:
            return Agent(id=id_)
    raise UsageError("the input's agent is neither an alias nor an id", hint='pass {"alias": "…"} or {"id": "…"}')


class Calls(Generic[S]):
    """An executor over stores by adapter id; None is the store of a layer without adapters."""

    def __init__(
        self,
        calls: Mapping[str, tuple[str, Callable[[S, Asked], Any]]],
        usual: Mapping[str, str],
        stores: Mapping[str | None, Opened[S]],
    ) -> None:
        self._calls = calls
        self._usual = usual
        self._stores = stores

    def __call__(self, step: PlanStep, context: ExecutionContext) -> Any:
        given = step.input if isinstance(step.input, Mapping) else {}
        name = given.get("call") or self._usual.get(step.capability, "")
        found = self._calls.get(name)
        if found is None or found[0] != step.capability:
            what = f"the call {name}" if name else step.capability
            raise NotSupported(
                f"the layer {step.layer_id} does not have {what}",
                hint="another layer may (`zeroclaw memory layers`), or one store past the layers (--backend)",
            )
        asked = Asked(given, step, context.request.trigger, context.topology)
        with self._store(step, context).use() as store:
            try:
                output = found[1](store, asked)
            except DocumentNotFound as error:
                if step.capability not in _READING:
                    raise
                output = {"not_found": {"reason": error.reason, "message": error.message, "hint": error.hint}}
            finally:
                # Also when it fails: a loss is one whatever comes after it.
                for line in store.take_warnings():
                    context.warn(line)
        return output

    def _store(self, step: PlanStep, context: ExecutionContext) -> Opened[S]:
        store = self._stores.get(step.adapter_id)
        if store is None:
            raise NotSupported(
                f"the layer {step.layer_id} has no store for the adapter {step.adapter_id or '(none)'}",
                hint="`zeroclaw memory layers` shows what is bound to it",
            )
        bound = next((layer.adapter_ids for layer in context.topology.layers if layer.id == step.layer_id), ())
        if step.adapter_id is None and (bound or context.request.adapter_ids):
            raise NotSupported(
                f"the layer {step.layer_id} keeps its memories in {', '.join(bound) or 'no adapter'}, "
                "and this step names none of them",
                hint="name an adapter that is bound to it",
            )
        return store


# Entries


def _store(memory: Memory, asked: Asked) -> Any:
    request = _request(asked, pinned=asked.input.get("pinned"))
    asked.protect_standing(lambda: changes_a_pinned_row(memory, request))
    memory.save(request)
    return {"stored": True, **_kept(memory)}


def pin(memory: Memory, asked: Asked) -> Any:
    """What is stored in the layer of the standing memories is pinned."""
    memory.save(_request(asked, pinned=True))
    return {"stored": True}


def _request(asked: Asked, *, pinned: object) -> StoreRequest:
    try:
        importance = importance_of(asked.input.get("importance"))
    except ValueError as error:
        raise UsageError(str(error), hint="pass a number such as 0.8") from None
    return StoreRequest(
        key=asked.text("key"),
        content=asked.text("content"),
        category=asked.maybe("category"),
        session_id=asked.maybe("session_id"),
        namespace=asked.maybe("namespace"),
        importance=importance,
        agent=asked.agent(),
        kind=asked.maybe("kind"),
        pinned=pinned if isinstance(pinned, bool) else None,
        replace=asked.flag("replace"),
    )


def _kept(memory: Memory) -> dict[str, Any]:
    """What a store that cannot keep everything says of its last write."""
    dropped = getattr(memory, "dropped", ())
    handed_over = getattr(memory, "handed_over", False)
    return {
        **({"dropped": list(dropped)} if dropped else {}),
        **({"accepted": True, "durable": False} if handed_over else {}),
    }


def _store_procedural(memory: Memory, asked: Asked) -> Any:
    messages = [ProceduralMessage(row["role"], row["content"], row.get("name")) for row in asked.rows("messages")]
    memory.store_procedural(messages, asked.maybe("session_id"))
    return {"stored": True, "messages": len(messages)}


def import_rows(memory: Memory, asked: Asked) -> Any:
    from zeroclaw_cli.native.entries import NativeEntry

    entries: list[Entry] = []
    for row in asked.rows("entries"):
        try:
            entry: Entry = NativeEntry.from_json(row)
        except ValueError as error:
            raise UsageError(f"the input's entries: {error}") from None
        entries.append(entry)
    entries = memory.with_own_agents(entries)
    if memory.imports_at_once:
        over = not asked.flag("keep")
        asked.protect_standing(lambda: change_pinned_rows(memory, entries, over=over))
        return {"imported": memory.import_entries(entries, over=over)}
    dropped: dict[str, None] = {}
    for entry in entries:
        memory.import_entry(entry)
        dropped |= dict.fromkeys(_unknown_to_plugins(entry)) | dict.fromkeys(getattr(memory, "dropped", ()))
    check_arrival(memory, entries)
    return {"imported": len(entries), **_kept(memory), **({"dropped": sorted(dropped)} if dropped else {})}


def _unknown_to_plugins(entry: Entry) -> Iterator[str]:
    if getattr(entry, "kind", None):
        yield "kind"
    if getattr(entry, "pinned", False):
        yield "pinned"
    if entry.superseded_by:
        yield "superseded_by"


def _recall(memory: Memory, asked: Asked) -> Any:
    agents = asked.input.get("agents") or ()
    request = RecallRequest(
        query=asked.maybe("query") or "",
        limit=asked.number("limit", 10),
        session_id=asked.maybe("session_id"),
        since=asked.maybe("since"),
        until=asked.maybe("until"),
        namespace=asked.maybe("namespace"),
        agents=tuple(map(agent_of, agents)),
    )
    explain = asked.flag("explain")
    found = _entries_alone(lambda most: memory.find(replace(request, limit=most), explain=explain), request.limit)
    output: dict[str, Any] = {"entries": rows_of(found.entries)}
    if found.maybe_hidden:
        output["maybe_hidden"] = True
    if found.explanations is not None:
        output["explanations"] = [None if why is None else thaw(why) for why in found.explanations]
    return output


def _context(memory: Memory, asked: Asked) -> Any:
    return memory.for_prompt(asked.prompt()).to_json()


def _entries_alone(ask: Callable[[int], Recalled], limit: int) -> Recalled:
    """The entries of a recall. The built-in store ranks its documents among them, which are another layer's."""
    most = limit
    while True:
        found = ask(most)
        kept = [place for place, entry in enumerate(found.entries) if not _is_document(entry)]
        if len(kept) == len(found.entries):
            return found
        if len(kept) >= limit or len(found.entries) < most or most >= _MOST_RANKED:
            break
        most = min(4 * most, _MOST_RANKED)
    kept = kept[:limit]
    return Recalled(
        [found.entries[place] for place in kept],
        found.maybe_hidden,
        None if found.explanations is None else tuple(found.explanations[place] for place in kept),
    )


def _is_document(entry: Entry) -> bool:
    return entry.category == "document" and entry.id.startswith("document:")


def _get(memory: Memory, asked: Asked) -> Any:
    key, agent = asked.text("key"), asked.agent()
    if asked.flag("by_start"):
        entry, keys = memory.look_up(key, agent)
        if entry is None:
            return {"entry": None, "keys": keys}
        return {"entry" if entry.key == key else "started": entry.to_json()}
    agent_id = agent.resolve(memory)
    found = memory.get(key) if agent_id is None else memory.get_for_agent(key, agent_id)
    return {"entry": None if found is None else found.to_json()}


def _agent_id(memory: Memory, asked: Asked) -> Any:
    return {"agent_id": asked.agent().resolve(memory)}


def _ensure_agent(memory: Memory, asked: Asked) -> Any:
    return {"agent_id": asked.agent().ensure(memory)}


def _list(memory: Memory, asked: Asked) -> Any:
    most = asked.number("limit", 1 << 62)
    page = memory.page(asked.maybe("category"), asked.maybe("session_id"), agent=asked.agent(), limit=most)
    return {"entries": rows_of(page.entries), "total": page.total}


def _select(memory: Memory, asked: Asked) -> Any:
    found, near = rows_of_key(memory.list_entries(asked.maybe("category"), None), asked.maybe("key"))
    return {"entries": rows_of(found), "keys": near}


def _forget(memory: Memory, asked: Asked) -> Any:
    from zeroclaw_cli.errors import EntryNotFound

    agent = asked.agent()
    _require_manual(asked, agent)
    try:
        gone = memory.take(asked.text("key"), agent, with_history=asked.flag("with_history"))
    except EntryNotFound:
        return {"rows": 0}
    return {"rows": gone.rows, "agents": list(gone.agents), "transcripts": list(gone.transcripts)}


def _purge(memory: Memory, asked: Asked) -> Any:
    agent = asked.agent()
    _require_manual(asked, agent)
    target = PurgeTarget(asked.maybe("namespace"), asked.maybe("session_id"), agent)
    return memory.purge(target).to_json()


def _clear(memory: Memory, asked: Asked) -> Any:
    _require_manual(asked, NO_AGENT)
    wanted = {
        (row.get("key"), row.get("agent_id"))
        for row in asked.rows("rows")
        if row.get("layer") in (None, asked.step.layer_id) and row.get("adapter") == asked.step.adapter_id
    }
    selected = [row for row in memory.list_entries(None, None) if (row.key, row.agent_id) in wanted] if wanted else []
    return {"deleted": memory.clear(selected).deleted if selected else 0}


def _require_manual(asked: Asked, agent: Agent) -> None:
    if agent == NO_AGENT and asked.trigger != "manual":
        raise NotSupported(
            "this would forget the rows of every agent, which only a person may",
            hint="name the agent whose memory it is (--agent)",
        )


def _count(memory: Memory, asked: Asked) -> Any:
    return {"count": memory.count()}


def health(memory: Memory, asked: Asked) -> Any:
    """Whether a store is sound or, with ``usable``, whether it can be used, which takes no full look at it."""
    if asked.flag("usable"):
        memory.require_usable()
        return {"healthy": True}
    return {"healthy": memory.health_check()}


def _stats(memory: Memory, asked: Asked) -> Any:
    found = memory.stats()
    return {
        "healthy": found.healthy,
        "count": found.total,
        "categories": dict(found.categories),
        "capabilities": [str(capability) for capability in found.capabilities],
    }


def _export(memory: Memory, asked: Asked) -> Any:
    wanted = ExportFilter(*(asked.maybe(name) for name in ("namespace", "session_id", "category", "since", "until")))
    return {"entries": rows_of(memory.export_entries(wanted))}


def reindex(memory: Memory, asked: Asked) -> Any:
    return {"reindexed": memory.reindex()}


def _no_links(memory: Memory, asked: Asked) -> Any:
    raise NotSupported(
        f"the stores of the layer {asked.step.layer_id} keep no links between memories, so it has no "
        f"{asked.step.capability}",
        hint="`zeroclaw memory recall` finds memories by what they say",
    )


ENTRY_CALLS: Final[Mapping[str, tuple[str, Callable[[Memory, Asked], Any]]]] = {
    "store": ("write", _store),
    "store-procedural": ("write", _store_procedural),
    "ensure-agent": ("write", _ensure_agent),
    "import": ("import", import_rows),
    "recall": ("recall", _recall),
    "context": ("recall", _context),
    "search": ("search", _recall),
    "get": ("read", _get),
    "agent-id": ("read", _agent_id),
    "list": ("browse", _list),
    "select": ("browse", _select),
    "forget": ("forget", _forget),
    "purge": ("forget", _purge),
    "clear": ("forget", _clear),
    "count": ("status", _count),
    "health": ("status", health),
    "stats": ("status", _stats),
    "export": ("export", _export),
    "reindex": ("maintain", reindex),
    "graph": ("graph", _no_links),
    "related": ("related", _no_links),
    "link": ("link", _no_links),
}
ENTRY_USUAL: Final[Mapping[str, str]] = {
    "write": "store",
    "read": "get",
    "browse": "list",
    "status": "health",
    "maintain": "reindex",
    **{name: name for name in ("recall", "search", "forget", "export", "import", "graph", "related", "link")},
}


def entry_calls(stores: Mapping[str | None, Opened[Memory]]) -> Calls[Memory]:
    """The executor of a layer that keeps entries in these stores, by adapter id."""
    return Calls(ENTRY_CALLS, ENTRY_USUAL, stores)
