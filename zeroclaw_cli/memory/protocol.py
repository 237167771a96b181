"""The ``Memory`` protocol: what every backend can be asked.

The first 23 members are the functions of the world ``memory-plugin`` (specs/zeroclaw.md §7) in Python's spelling; the
rest belongs to the host: requests, which every door asks, and what is around them. A backend that lacks an optional
capability falls back as specs/zeroclaw.md §7.1 says or raises :class:`~zeroclaw_cli.errors.NotSupported`; a failing
operation raises a :class:`~zeroclaw_cli.errors.MemoryFailure`. A lossy step is not an error: it adds a line to what
``take_warnings`` returns.

Rows are keyed by (key, agent_id). ``since`` and ``until`` are inclusive RFC 3339 texts; ``limit`` is the most entries
to return; an empty query or ``*`` means the most recent first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

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
from zeroclaw_cli.memory.types import (
    DEFAULT_NAMESPACE,
    Capability,
    Entry,
    ExportFilter,
    ProceduralMessage,
    Purged,
    Stats,
)

if TYPE_CHECKING:
    from zeroclaw_cli.memory.conflicts import OnConflict
    from zeroclaw_cli.memory.documents import Documents
    from zeroclaw_cli.memory.export_rows import OwnedDocument, Rows


class Memory(Protocol):
    """One opened memory backend; a context manager that ``close`` ends. Not for use from several threads at once."""

    @property
    def name(self) -> str:
        """The backend's name as ``memory.backend`` spells it, for instance ``plugin.notes``."""
        ...

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The optional capabilities that the backend itself has."""
        ...

    def store(self, key: str, content: str, category: str, session_id: str | None) -> None: ...
    def store_with_agent(
        self,
        key: str,
        content: str,
        category: str,
        session_id: str | None,
        namespace: str | None,
        importance: float | None,
        agent_id: str | None,
    ) -> None: ...
    def store_with_metadata(
        self,
        key: str,
        content: str,
        category: str,
        session_id: str | None,
        namespace: str | None,
        importance: float | None,
    ) -> None: ...
    def store_procedural(self, messages: Sequence[ProceduralMessage], session_id: str | None) -> None: ...

    def recall(
        self, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]: ...
    def recall_for_agents(
        self,
        agents: Sequence[str],
        query: str,
        limit: int,
        session_id: str | None,
        since: str | None,
        until: str | None,
    ) -> list[Entry]:
        """Recall among the rows of these agent ids; an empty sequence means every agent."""
        ...

    def recall_namespaced(
        self, namespace: str, query: str, limit: int, session_id: str | None, since: str | None, until: str | None
    ) -> list[Entry]: ...

    def get(self, key: str) -> Entry | None: ...
    def get_for_agent(self, key: str, agent_id: str) -> Entry | None: ...
    def list_entries(self, category: str | None, session_id: str | None) -> list[Entry]: ...
    def export_entries(self, filter: ExportFilter) -> list[Entry]:
        """Every entry that the filter keeps, oldest first."""
        ...

    def forget(self, key: str) -> bool:
        """Remove all rows of ``key``; True when there was one."""
        ...

    def forget_for_agent(self, key: str, agent_id: str) -> bool: ...
    def purge_namespace(self, namespace: str) -> int: ...
    def purge_session(self, session_id: str) -> int: ...
    def purge_session_for_agent(self, session_id: str, agent_id: str) -> int: ...
    def purge_agent(self, agent_alias: str) -> int: ...
    def count(self) -> int: ...
    def health_check(self) -> bool:
        """Whether the backend says that it can work; raises what keeps it from being asked."""
        ...

    def reindex(self) -> int: ...
    def ensure_agent_uuid(self, alias: str) -> str: ...
    def agent_id_of(self, alias: str) -> str:
        """The id that ``ensure_agent_uuid`` gives for ``alias``; nothing is kept, so a reading command may ask."""
        ...

    def compact(self, *, allow_loss: bool = False) -> tuple[int, int]:
        """Rewrite the backend's journal as short as what it holds; gives the number of records before and after.

        Raises NotSupported for a backend that keeps no journal, and CompactionRefused when entries would not come out
        equal, ids and scores aside. With ``allow_loss`` other timestamps and the like do not matter.
        """
        ...

    # Requests: what the commands, the layers and programs ask. ``base.MemoryBase`` serves them by the functions above.

    def save(self, request: StoreRequest) -> None:
        """Store one entry; what the request does not name stays as the row of its key and agent has it."""
        ...

    def find(self, request: RecallRequest, *, explain: bool = False) -> Recalled:
        """Recall by text, time, session, namespace and agents together; with ``explain`` how each score came about,
        or NotSupported (specs/recall-ranking.md)."""
        ...

    def row_of(self, key: str, agent_id: str | None) -> Entry | None:
        """The row of exactly this key and agent; for None that of no agent. None too where it cannot be read."""
        ...

    def look_up(self, key: str, agent: Agent = NO_AGENT) -> tuple[Entry | None, list[str]]:
        """The entry of exactly ``key``, else the only one whose key starts with it; else the keys that do."""
        ...

    def starting_with(self, key: str) -> list[Entry]:
        """The entries whose key begins with ``key``, in the order of ``list_entries``; none for an empty key."""
        ...

    def page(
        self,
        category: str | None,
        session_id: str | None,
        *,
        agent: Agent = NO_AGENT,
        limit: int | None = None,
        offset: int = 0,
    ) -> Page:
        """Entries ``offset`` to ``offset + limit`` of the backend's list (of one agent), and how many there are."""
        ...

    def take(self, key: str, agent: Agent = NO_AGENT, *, with_history: bool = False) -> Forgotten:
        """Forget the rows of ``key``, or that of one agent, and say what is gone. Raises EntryNotFound."""
        ...

    def purge(self, target: PurgeTarget) -> Purged:
        """Remove what ``target`` names; returns how many entries, documents and recorded turns are gone."""
        ...

    def select(self, key: str | None, category: str | None) -> list[Entry]:
        """The entries that a clear would forget. Raises EntryNotFound when a key is named and nothing has it."""
        ...

    def clear(self, selected: Sequence[Entry]) -> Cleared:
        """Forget exactly these entries, and count those that are really gone."""
        ...

    def forget_rows(self, chosen: Iterable[tuple[str, str | None]]) -> None:
        """Forget the row of each key and agent; every row of a key for None."""
        ...

    def require_usable(self) -> None:
        """Raise what keeps the memory from being used, without a full look at a large store."""
        ...

    @property
    def imports_at_once(self) -> bool:
        """Whether ``import_entries`` keeps all that it is given or nothing of it, every field, and counts what it
        stored. Otherwise entries are imported one by one, and what arrived is read back."""
        ...

    def import_entries(self, entries: Sequence[Entry], *, over: bool = True) -> int:
        """Store entries under their own timestamps; how many were stored. Without ``over`` a row that is there already
        stays, where the backend can tell."""
        ...

    def with_own_agents(self, entries: Sequence[Entry]) -> list[Entry]:
        """Entries from elsewhere under the ids that their agents have here."""
        ...

    def identity(self, entry: Entry) -> tuple[str, str | None]:
        """What makes an entry of elsewhere the same as one that is here."""
        ...

    def import_target(self) -> list[Entry]:
        """The entries that an import may meet."""
        ...

    def import_entry(self, entry: Entry) -> None:
        """Store ``entry`` under its own timestamp where the backend can; what cannot be kept is a warning."""
        ...

    # Projects, documents, prompts

    @property
    def project(self) -> str:
        """The project whose rows these are; empty: none."""
        ...

    @property
    def keeps_documents(self) -> bool:
        """Whether there are documents, a profile and transcripts."""
        ...

    @property
    def keeps_projects(self) -> bool:
        """Whether entries belong to projects, which ``in_project`` reaches."""
        ...

    def projects(self) -> list[str]:
        """The projects that hold entries, by name; none is the empty one."""
        ...

    def in_project(self, project: str) -> Memory:
        """The rows of another project, in the same opened store, which this memory closes."""
        ...

    def documents(self, agent: str | None = None, project: str | None = None) -> Documents:
        """The documents of an agent (None: of no agent) and a project (None: the present one; empty: none), in the
        same opened store, which this memory closes. Raises NotSupported, and DocumentInput for a name of no scope."""
        ...

    def export_documents(self, wanted: ExportFilter) -> tuple[list[OwnedDocument], list[str]]:
        """Every document of the user, of all agents and projects, and what no export can hold, one line each. Of
        ``wanted`` only the times hold."""
        ...

    def import_documents(self, documents: Sequence[OwnedDocument], on_conflict: OnConflict) -> tuple[int, list[str]]:
        """Store documents, each under its owner; how many, and why the others were left out. Under ``error`` Conflict
        is raised before anything is stored when one is there already."""
        ...

    def category_counts(self, agent: str | None, project: str | None) -> Mapping[str, int] | None:
        """How many entries of each category an agent (its alias) has, or nobody for None; None where the backend does
        not tell what it holds."""
        ...

    def pinned(self, agent: str | None, project: str | None) -> list[Entry]:
        """The pinned entries of an agent (its alias), or of nobody for None, in the order they were stored."""
        ...

    def for_prompt(self, request: PromptRequest) -> PromptRows:
        """The entries that may enter a prompt, as raw rows."""
        ...

    def documents_for_prompt(self, request: PromptRequest) -> PromptRows:
        """The documents that may enter a prompt, and the transcripts of its thread, as raw rows."""
        ...

    def together(self, rows: Rows | None = None, *, source: str | None = None) -> AbstractContextManager[None]:
        """Around a command that changes many rows, those of an import or any: whoever watches the memory is told at
        its end. ``source`` names the backend that the rows come from."""
        ...

    def stats(self) -> Stats: ...
    def take_warnings(self) -> list[str]:
        """The warnings gathered since the last call, each one line, and forget them."""
        ...

    def close(self) -> None: ...
    def __enter__(self) -> Memory: ...
    def __exit__(self, *exc: Any) -> None: ...


def recall_in_namespace(
    memory: Memory,
    namespace: str,
    agents: Sequence[str],
    query: str,
    limit: int,
    session_id: str | None,
    since: str | None,
    until: str | None,
) -> tuple[list[Entry], bool]:
    """Recall by agents and namespace together, which no function of the world does (cli.md).

    Asks ``recall_for_agents`` for 4 × the limit (at most 1,000), keeps the namespace, and returns at most ``limit``
    entries and whether the filter may have hidden rows.
    """
    asked = max(limit, min(4 * limit, 1_000))
    found = memory.recall_for_agents(agents, query, asked, session_id, since, until)
    kept = [entry for entry in found if entry.namespace == namespace]
    return kept[:limit], len(found) >= asked and len(kept) < limit


def count_by_category(entries: Iterable[Entry]) -> dict[str, int]:
    """How many entries each category has, the largest first, ties by name."""
    counts: dict[str, int] = {}
    for entry in entries:
        counts[entry.category] = counts.get(entry.category, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


__all__ = ["DEFAULT_NAMESPACE", "Memory", "count_by_category", "recall_in_namespace"]
