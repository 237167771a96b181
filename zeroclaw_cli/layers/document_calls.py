"""What the layer of documents and that of the standing memories execute (specs/memory-kernel.md §11, §18)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.errors import DocumentFailure, DocumentNotFound, NotSupported, UsageError
from zeroclaw_cli.kernel.json_safe import thaw
from zeroclaw_cli.layers.calls import Asked, Calls, Opened, agent_of, health, import_rows, pin, reindex
from zeroclaw_cli.layers.entry_rows import in_turns, moment, rows_of
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.times import instant
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.native.paths import ALIASES, STANDING

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.answers import Gathered
    from zeroclaw_cli.memory.documents import ContextBlock, Documents, SearchHit, WriteRequest
    from zeroclaw_cli.native.entries import NativeEntry

_MOST_SEARCHED: Final = 20
_CATEGORY: Final = "document"


class DocumentsPool:
    """The documents of ``memory``, each agent's and project's made once; ``max_wake`` is how many characters the wake
    may have."""

    def __init__(self, memory: Memory, max_wake: int) -> None:
        self.memory = memory
        self.max_wake = max_wake
        self._scopes: dict[tuple[str | None, str | None], Documents] = {}

    def of(self, asked: Asked) -> Documents:
        return self.scope(asked.maybe("agent"), asked.maybe("project"))

    def scope(self, agent: str | None, project: str | None) -> Documents:
        found = self._scopes.get((agent, project))
        if found is None:
            found = self._scopes[agent, project] = self.memory.documents(agent, project)
        return found

    def take_warnings(self) -> list[str]:
        return self.memory.take_warnings()

    def close(self) -> None:
        self.memory.close()


def _read(pool: DocumentsPool, asked: Asked) -> Any:
    return pool.of(asked).read(asked.text("path")).to_json()


def _version(pool: DocumentsPool, asked: Asked) -> Any:
    return {"content": pool.of(asked).read_version(asked.text("path"), asked.number("number", 1))}


def _write(pool: DocumentsPool, asked: Asked) -> Any:
    request = _write_request(asked)
    _require_standing(asked, ALIASES.get(request.target, request.target))
    documents = pool.of(asked)
    result = documents.write(request)
    warnings = list(_longer_than_the_wake(documents, pool.max_wake)) if result.path == STANDING else []
    return result.to_json() | ({"warnings": warnings} if warnings else {})


def _longer_than_the_wake(documents: Documents, limit: int) -> Iterator[str]:
    """Says at the write that the standing document is longer than the wake may be."""
    length = len(documents.read(STANDING).content)
    if length > limit:
        yield (
            f"{STANDING} has {length} characters and the wake may have {limit}, so `zeroclaw memory wake` fails; "
            "shorten it, or raise memory.kernel.max_wake_characters"
        )


def _require_standing(asked: Asked, *paths: str) -> None:
    """Raise KernelFailure where a path is that of what every prompt gets, and its layer does not accept this write."""
    asked.protect_standing(lambda: STANDING in paths)


def _write_request(asked: Asked) -> WriteRequest:
    from zeroclaw_cli.memory.documents import WriteRequest

    metadata = asked.input.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise UsageError("the input's metadata is not an object")
    return WriteRequest(
        target=asked.maybe("target") or "daily_log",
        content=asked.maybe("content"),
        append=asked.input.get("append") is not False,
        old_string=asked.maybe("old_string"),
        new_string=asked.maybe("new_string"),
        replace_all=asked.flag("replace_all"),
        metadata=None if metadata is None else thaw(metadata),
        timezone=asked.maybe("timezone"),
        expected_content_hash=asked.maybe("expected_content_hash"),
    )


def _create(pool: DocumentsPool, asked: Asked) -> Any:
    _require_standing(asked, asked.text("path"))
    return pool.of(asked).create(asked.text("path"), asked.text("content")).to_json()


def _archive(pool: DocumentsPool, asked: Asked) -> Any:
    _require_standing(asked, asked.text("path"))
    return {"archived": pool.of(asked).archive(asked.text("path"))}


def _search(pool: DocumentsPool, asked: Asked) -> Any:
    limit = max(1, min(asked.number("limit", 5), _MOST_SEARCHED))
    found = pool.of(asked).search(asked.text("query"), limit, thread_id=asked.maybe("thread"))
    return {"results": [hit.to_json() for hit in found.results]}


def _recall(pool: DocumentsPool, asked: Asked) -> Any:
    """Documents as entries: the key is the path, the content the part that answers best. They have neither session nor
    namespace; of the times that of the last change counts."""
    query = asked.maybe("query") or ""
    if query.strip() in ("", "*") or any(asked.maybe(name) is not None for name in ("session_id", "namespace")):
        return {"entries": []}
    limit = max(1, min(asked.number("limit", 10), _MOST_SEARCHED))
    within = _times(asked)
    agents = [agent_of(found) for found in asked.input.get("agents") or ()] or [asked.agent()]
    found, more = [], False
    # Documents belong to an agent by its alias, and to none by an id alone.
    for agent in agents:
        if agent.id is None:
            documents = pool.scope(agent.alias, asked.maybe("project"))
            hits = documents.search(query, limit if within is None else _MOST_SEARCHED).results
            entries = [_entry(documents, hit) for hit in hits]
            kept = [entry for entry in entries if within is None or within(entry.updated_at or entry.timestamp)]
            found.append(kept)
            more = more or (within is not None and len(hits) == _MOST_SEARCHED and len(kept) < limit)
    output: dict[str, Any] = {"entries": rows_of(in_turns(found, limit) if found else ())}
    if more:
        output["warnings"] = [f"of the documents the best {_MOST_SEARCHED} alone were looked at for these times"]
    return output


def _entry(documents: Documents, hit: SearchHit) -> NativeEntry:
    from zeroclaw_cli.native.entries import NativeEntry

    created, updated = "", ""
    with suppress(DocumentFailure):
        found = documents.read(hit.path)
        created, updated = found.created_at, found.updated_at
    return NativeEntry(
        f"{_CATEGORY}:{hit.path}", hit.path, hit.content, _CATEGORY, created, score=hit.score, updated_at=updated
    )


def _times(asked: Asked) -> Callable[[str], bool] | None:
    """Whether a time is within what is asked for; None when any is."""
    since, until = (None if (text := asked.maybe(name)) is None else instant(text) for name in ("since", "until"))
    if since is None and until is None:
        return None
    return lambda at: (since is None or moment(at) >= since) and (until is None or moment(at) <= until)


def _context(pool: DocumentsPool, asked: Asked) -> Any:
    return pool.memory.documents_for_prompt(asked.prompt()).to_json()


def _tree(pool: DocumentsPool, asked: Asked) -> Any:
    return {"nodes": pool.of(asked).tree(asked.maybe("path") or "", asked.number("depth", 1))}


def _paths(pool: DocumentsPool, asked: Asked) -> Any:
    return {"paths": pool.of(asked).paths()}


def _versions(pool: DocumentsPool, asked: Asked) -> Any:
    return {"versions": [version.to_json() for version in pool.of(asked).versions(asked.text("path"))]}


def _profile(pool: DocumentsPool, asked: Asked) -> Any:
    return {"profile": pool.of(asked).profile().to_json()}


def _set_profile(pool: DocumentsPool, asked: Asked) -> Any:
    values = {name: asked.maybe(name) for name in ("timezone", "locale", "location")}
    pool.of(asked).set_profile(**values)
    return {"written": sum(value is not None for value in values.values())}


def _record(pool: DocumentsPool, asked: Asked) -> Any:
    from zeroclaw_cli.memory.documents import TurnMessage

    messages = [TurnMessage(row["role"], row["content"], row.get("name")) for row in asked.rows("messages")]
    return pool.of(asked).record(messages, thread_id=asked.text("thread"), run_id=asked.text("run")).to_json()


def _curation(pool: DocumentsPool, asked: Asked) -> Any:
    return {"plan": pool.of(asked).curation_plan().to_json()}


def _doc_reindex(pool: DocumentsPool, asked: Asked) -> Any:
    return {"reindexed": pool.of(asked).reindex()}


def _count(pool: DocumentsPool, asked: Asked) -> Any:
    return {"count": len(pool.of(asked).paths())}


def _health(pool: DocumentsPool, asked: Asked) -> Any:
    pool.of(asked).paths()
    return {"healthy": True}


def _stats(pool: DocumentsPool, asked: Asked) -> Any:
    number = len(pool.of(asked).paths())
    return {"healthy": True, "count": number, "categories": {_CATEGORY: number} if number else {}, "capabilities": []}


def _export(pool: DocumentsPool, asked: Asked) -> Any:
    wanted = ExportFilter(since=asked.maybe("since"), until=asked.maybe("until"))
    found, warnings = pool.memory.export_documents(wanted)
    output: dict[str, Any] = {"documents": [document.to_json() for document in found]}
    return {**output, "warnings": warnings} if warnings else output


def _import_documents(pool: DocumentsPool, asked: Asked) -> Any:
    from zeroclaw_cli.memory.conflicts import OnConflict
    from zeroclaw_cli.memory.export_rows import OwnedDocument

    try:
        rows = [OwnedDocument.from_json(row) for row in asked.rows("documents")]
        on_conflict = OnConflict(asked.maybe("on_conflict") or OnConflict.REPLACE.value)
    except ValueError as error:
        raise UsageError(f"the input's documents: {error}") from None
    _require_standing(asked, *(row.row.path for row in rows))
    stored, warnings = pool.memory.import_documents(rows, on_conflict)
    return {"stored": stored, **({"warnings": warnings} if warnings else {})}


DOCUMENT_CALLS: Final[Mapping[str, tuple[str, Callable[[DocumentsPool, Asked], Any]]]] = {
    "doc-read": ("read", _read),
    "doc-version": ("read", _version),
    "profile": ("read", _profile),
    "doc-write": ("write", _write),
    "doc-create": ("write", _create),
    "record": ("write", _record),
    "profile-set": ("write", _set_profile),
    "archive": ("archive", _archive),
    "doc-search": ("search", _search),
    "recall": ("recall", _recall),
    "context": ("recall", _context),
    "doc-tree": ("browse", _tree),
    "doc-paths": ("browse", _paths),
    "doc-versions": ("browse", _versions),
    "curation-plan": ("status", _curation),
    "count": ("status", _count),
    "health": ("status", _health),
    "stats": ("status", _stats),
    "doc-reindex": ("maintain", _doc_reindex),
    "reindex": ("maintain", _doc_reindex),
    "doc-export": ("export", _export),
    "doc-import": ("import", _import_documents),
}
DOCUMENT_USUAL: Final[Mapping[str, str]] = {
    "read": "doc-read",
    "write": "doc-write",
    "archive": "archive",
    "search": "doc-search",
    "recall": "recall",
    "browse": "doc-tree",
    "status": "health",
    "maintain": "reindex",
    "export": "doc-export",
    "import": "doc-import",
}


class DocumentCalls(Calls[DocumentsPool]):
    """The executor of the layer of documents, whose store also has the rules for what may enter a prompt."""

    def admit(self, gathered: Gathered) -> ContextBlock:
        # Without the store, which a step that was given up may still hold.
        from zeroclaw_cli.layers.prompt import block

        return block(gathered)


def document_calls(pool: Opened[DocumentsPool]) -> Calls[DocumentsPool]:
    """The executor of the layer of documents."""
    return DocumentCalls(DOCUMENT_CALLS, DOCUMENT_USUAL, {None: pool})


# Runtime: the standing document and the pinned entries


class StandingMemory:
    """What every prompt should have in front of it: ``MEMORY.md`` and the pinned entries of the built-in store."""

    def __init__(self, pool: DocumentsPool) -> None:
        self.memory = pool.memory
        self.pool = pool

    def pinned(self) -> list[Entry]:
        """The pinned entries of every agent."""
        return [entry for entry in self.memory.list_entries(None, None) if getattr(entry, "pinned", False)]

    def take_warnings(self) -> list[str]:
        return self.pool.take_warnings()

    def close(self) -> None:
        self.pool.close()


def _standing_read(store: StandingMemory, asked: Asked) -> Any:
    path = asked.maybe("path") or STANDING
    if path not in (STANDING, "memory"):
        raise DocumentNotFound(
            "not_found", f"the layer runtime has the document {STANDING} alone", hint="leave out --layer"
        )
    return store.pool.of(asked).read(STANDING).to_json()


def _standing_write(store: StandingMemory, asked: Asked) -> Any:
    request = _write_request(asked)
    if asked.maybe("target") not in (None, "memory", STANDING):
        raise NotSupported(
            f"the layer runtime has the document {STANDING} alone", hint="pass --target memory, or leave out --layer"
        )
    return store.pool.of(asked).write(replace(request, target="memory")).to_json()


def _standing_get(store: StandingMemory, asked: Asked) -> Any:
    entry, keys = store.memory.look_up(asked.text("key"), asked.agent())
    if entry is None or not getattr(entry, "pinned", False):
        return {"entry": None, "keys": keys if entry is None else []}
    if entry.key != asked.text("key"):
        return {"started": entry.to_json()} if asked.flag("by_start") else {"entry": None}
    return {"entry": entry.to_json()}


def _standing_export(store: StandingMemory, asked: Asked) -> Any:
    return {"entries": rows_of(store.pinned())}


def _standing_count(store: StandingMemory, asked: Asked) -> Any:
    return {"count": len(store.pinned())}


def _standing_health(store: StandingMemory, asked: Asked) -> Any:
    return health(store.memory, asked)


def _standing_stats(store: StandingMemory, asked: Asked) -> Any:
    pinned = store.pinned()
    categories: dict[str, int] = {}
    for entry in pinned:
        categories[entry.category] = categories.get(entry.category, 0) + 1
    capabilities = map(str, store.memory.capabilities)
    return {"healthy": True, "count": len(pinned), "categories": categories, "capabilities": sorted(capabilities)}


def _pinned_import(store: StandingMemory, asked: Asked) -> Any:
    rows = [{**row, "pinned": True} for row in asked.rows("entries")]
    return import_rows(store.memory, replace(asked, input={**asked.input, "entries": rows}))


RUNTIME_CALLS: Final[Mapping[str, tuple[str, Callable[[StandingMemory, Asked], Any]]]] = {
    "doc-read": ("read", _standing_read),
    "get": ("read", _standing_get),
    "doc-write": ("write", _standing_write),
    "store": ("write", lambda store, asked: pin(store.memory, asked)),
    "count": ("status", _standing_count),
    "health": ("status", _standing_health),
    "stats": ("status", _standing_stats),
    "reindex": ("maintain", lambda store, asked: reindex(store.memory, asked)),
    "export": ("export", _standing_export),
    "import": ("import", _pinned_import),
}
RUNTIME_USUAL: Final[Mapping[str, str]] = {
    "read": "doc-read",
    "write": "doc-write",
    "status": "health",
    "maintain": "reindex",
    "export": "export",
    "import": "import",
}


def runtime_calls(store: Opened[StandingMemory]) -> Calls[StandingMemory]:
    """The executor of the layer of what every prompt gets."""
    return Calls(RUNTIME_CALLS, RUNTIME_USUAL, {None: store})
