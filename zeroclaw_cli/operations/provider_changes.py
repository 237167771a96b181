"""What a memory provider is told of commands that change many rows at once.

Such a command may be refused in part, or interrupted. So what changed is read off the store, before and after, and the
provider is told of that, row by row. It has a limited time for all of them: a provider that takes a moment for each row
must not hold a command for minutes. What it was not told of is a warning.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from zeroclaw_cli.errors import ZeroclawError
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Entry, ExportFilter
from zeroclaw_cli.native.paths import PROFILE, in_threads
from zeroclaw_cli.operations.notified_provider import NotifiedProvider, warn_when_interrupted
from zeroclaw_cli.providers.mirroring import MEMORY_TARGET, USER_TARGET, target_of

# What all rows of one command may take together; each of them has the time of a hook at most.
MOST_S: Final = 30.0

# What is unlike in two of them is a change: the text, the target, and what goes with it.
_Told: TypeAlias = "tuple[str, str, dict[str, Any]]"
Snapshot: TypeAlias = "dict[tuple[str, ...], _Told]"


@dataclass(frozen=True, slots=True)
class Change:
    """One call of ``on_memory_write``."""

    action: str
    target: str
    content: str
    metadata: Mapping[str, Any]


@contextmanager
def watched(provider: NotifiedProvider, look: Callable[[], Snapshot], *, gone_alone: bool = False) -> Iterator[None]:
    """Tell the provider what the block changed of that which ``look`` sees, or with ``gone_alone`` what it removed."""
    compare = _gone if gone_alone else _changes
    before = look()
    with warn_when_interrupted(provider):
        try:
            yield
        except Exception:
            # What was done before it failed is kept; where that cannot be read, the failure of the command says more.
            with suppress(ZeroclawError):
                tell(provider, list(compare(before, look())))
            raise
        found = list(compare(before, look()))
    tell(provider, found)


def tell(provider: NotifiedProvider, changes: list[Change], *, within_s: float = MOST_S) -> None:
    """Let the provider hear of the changes, the removals first, for ``within_s`` seconds; a warning says of how many it
    did not hear, and why, also when it is interrupted."""
    changes.sort(key=lambda change: change.action == "add")
    end = time.monotonic() + within_s
    untold: list[Change] = []
    reason = ""
    told = 0
    try:
        for change in changes:
            left = end - time.monotonic()
            if left <= 0:
                reason = reason or f"telling it took longer than {within_s:g} seconds"
                break
            failure = provider.hand_over(change.action, change.target, change.content, change.metadata, within_s=left)
            told += 1
            if failure is not None:
                untold.append(change)
                reason = reason or failure
    except BaseException:
        provider.warn(_untold(provider.name, [*untold, *changes[told:]], len(changes), "it was interrupted"))
        raise
    untold += changes[told:]
    if untold:
        hint = provider.removal_hint if any(change.action != "add" for change in untold) else ""
        provider.warn(_untold(provider.name, untold, len(changes), reason) + (f" ({hint})" if hint else ""))


def _untold(name: str, untold: Sequence[Change], total: int, reason: str) -> str:
    gone = sum(change.action != "add" for change in untold)
    still = f"; it still has {gone:,} that are gone here, and may bring them back" if gone else ""
    return f"memory provider '{name}' was not told of {len(untold):,} of {counted(total, 'change')}{still}: {reason}"


def _changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    for identity, (target, content, metadata) in before.items():
        if identity not in after:
            yield Change("remove", target, content, metadata)
    for identity, (target, content, metadata) in after.items():
        old = before.get(identity)
        if old is None:
            yield Change("add", target, content, metadata)
        elif old != (target, content, metadata):
            yield Change("replace", target, content, {**metadata, "old_text": old[1]})


def _gone(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """What is there no longer, each a removal."""
    for identity, (target, content, metadata) in before.items():
        new = after.get(identity)
        # Of the same text it could take the entry that it has itself.
        if new is None or new[1] != content:
            yield Change("remove", target, content, metadata)


def entries_of(stores: Iterable[Memory], keys: Collection[str] | None = None) -> Snapshot:
    """The entries of the stores, of these keys or all."""
    return {
        ("entry", store.project, row.key, row.agent_id or ""): (
            target_of(row.category),
            row.content,
            about_row(row, store.project),
        )
        for store in stores
        for row in _rows(store, keys)
    }


def _rows(store: Memory, keys: Collection[str] | None) -> Iterable[Entry]:
    if keys is None:
        return store.list_entries(None, None)
    (only,) = keys if len(keys) == 1 else (None,)
    found = store.list_entries(None, None) if only is None else store.starting_with(only)
    return (row for row in found if row.key in keys)


def documents_of(memory: Memory, paths: Collection[str] | None = None) -> Snapshot:
    """The documents of every agent and project, at these paths or all; transcripts are given as turns instead."""
    found: Snapshot = {}
    for one in memory.export_documents(ExportFilter())[0]:
        path, content = one.row.path, one.row.content
        if content is not None and (paths is None or path in paths) and not in_threads(path):
            project = memory.project if one.project is None else one.project
            about = {"path": path, "agent": one.agent or None, "project": project or None}
            found["document", project, one.agent or "", path] = (target_of_document(path), content, about)
    return found


def about_row(row: Entry, project: str) -> dict[str, Any]:
    """What a provider is told of a row of the built-in store beside its text; None for what it has none of."""
    return {
        "key": row.key,
        "category": row.category,
        "session_id": row.session_id,
        "namespace": None if row.namespace == DEFAULT_NAMESPACE else row.namespace,
        "importance": row.importance,
        "agent": row.agent_alias or row.agent_id,
        "project": project or None,
    }


def target_of_document(path: str) -> str:
    """The target, ``user`` or ``memory``, of the document at ``path``."""

    return USER_TARGET if path == PROFILE else MEMORY_TARGET
