"""What the provider beside the built-in store hears of commands that change many rows at once.

Such a command may be refused in part, or interrupted. So what changed is read off the store, before and after, and the
provider is told of that, row by row. It has a limited time for all of them: a provider that takes a moment for each row
must not hold a command for minutes. What it was not told of is a warning.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from zeroclaw_cli.backends import as_native
from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.errors import ZeroclawError
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.operations.beside import Beside, about_row, target_of_document, untold_when_interrupted
from zeroclaw_cli.providers.mirroring import target_of

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config
    from zeroclaw_cli.native.memory import NativeMemory
    from zeroclaw_cli.operations.transfer import Rows

# What all rows of one command may take together; each of them has the time of a hook at most.
MOST_S: Final = 30.0

# What is unlike in two of them is a change: the text, the target, and what goes with it.
_Told: TypeAlias = "tuple[str, str, dict[str, Any]]"
_ToldBy: TypeAlias = "dict[tuple[str, ...], _Told]"


@dataclass(frozen=True, slots=True)
class Change:
    """One call of ``on_memory_write``."""

    action: str
    target: str
    content: str
    metadata: Mapping[str, Any]


@contextmanager
def mirrored(
    memory: Memory,
    beside: Beside | None,
    key: str | None = None,
    *,
    source: str | None = None,
    documents: bool = False,
) -> Iterator[None]:
    """Let the provider hear what the block does to the entries of ``memory``, of ``key`` or all, and to its
    ``documents``; nothing unless that is the built-in store and the provider listens.

    ``source`` names the backend that the entries come from: a provider does not hear what it has itself, only what it
    has of the entries that were there before.
    """
    native = as_native(memory)
    if beside is None or native is None or not beside.listens:
        yield
        return
    own = source is not None and parse_backend(source).provider == beside.name

    def look() -> _ToldBy:
        return _entries([native], None if key is None else {key}) | (_own_documents(native) if documents else {})

    with _watched(beside, look, gone_alone=own):
        yield


@contextmanager
def mirrored_import(
    config: Config, backend: str | None, memory: Memory, rows: Rows, beside: Beside | None
) -> Iterator[None]:
    """As :func:`mirrored`, where the block imports ``rows``, those of other projects and documents too. ``backend`` is
    the name of ``memory``, None: that of the config."""
    native = as_native(memory)
    if beside is None or native is None or not beside.listens:
        yield
        return
    from zeroclaw_cli.operations.owned_rows import of_project

    stores = [native, *(of_project(native, project) for project in rows.elsewhere)]
    # Other commands may store meanwhile what they tell the provider of themselves.
    keys = {entry.key for entries in (rows.entries, *rows.elsewhere.values()) for entry in entries}
    paths = {document.row.path for document in rows.documents}

    def look() -> _ToldBy:
        return _entries(stores, keys) | (_documents(config, backend, paths) if paths else {})

    with _watched(beside, look):
        yield


@contextmanager
def _watched(beside: Beside, look: Callable[[], _ToldBy], *, gone_alone: bool = False) -> Iterator[None]:
    compare = _gone if gone_alone else _changes
    before = look()
    with untold_when_interrupted(beside):
        try:
            yield
        except Exception:
            # What was done before it failed is kept; where that cannot be read, the failure of the command says more.
            with suppress(ZeroclawError):
                tell(beside, list(compare(before, look())))
            raise
        found = list(compare(before, look()))
    tell(beside, found)


def tell(beside: Beside, changes: list[Change], *, within_s: float = MOST_S) -> None:
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
            failure = beside.hand_over(change.action, change.target, change.content, change.metadata, within_s=left)
            told += 1
            if failure is not None:
                untold.append(change)
                reason = reason or failure
    except BaseException:
        beside.warn(_untold(beside.name, [*untold, *changes[told:]], len(changes), "it was interrupted"))
        raise
    untold += changes[told:]
    if untold:
        hint = beside.removal_hint if any(change.action != "add" for change in untold) else ""
        beside.warn(_untold(beside.name, untold, len(changes), reason) + (f" ({hint})" if hint else ""))


def _untold(name: str, untold: Sequence[Change], total: int, reason: str) -> str:
    gone = sum(change.action != "add" for change in untold)
    still = f"; it still has {gone:,} that are gone here, and may bring them back" if gone else ""
    return f"memory provider '{name}' was not told of {len(untold):,} of {counted(total, 'change')}{still}: {reason}"


def _changes(before: _ToldBy, after: _ToldBy) -> Iterator[Change]:
    for identity, (target, content, metadata) in before.items():
        if identity not in after:
            yield Change("remove", target, content, metadata)
    for identity, (target, content, metadata) in after.items():
        old = before.get(identity)
        if old is None:
            yield Change("add", target, content, metadata)
        elif old != (target, content, metadata):
            yield Change("replace", target, content, {**metadata, "old_text": old[1]})


def _gone(before: _ToldBy, after: _ToldBy) -> Iterator[Change]:
    """What is there no longer, each a removal."""
    for identity, (target, content, metadata) in before.items():
        new = after.get(identity)
        # Of the same text it could take the entry that it has itself.
        if new is None or new[1] != content:
            yield Change("remove", target, content, metadata)


def _entries(stores: Iterable[NativeMemory], keys: set[str] | None) -> _ToldBy:
    return {
        ("entry", store.scope.project, row.key, row.agent_id or ""): (
            target_of(row.category),
            row.content,
            about_row(row, store.scope.project),
        )
        for store in stores
        for row in _rows(store, keys)
    }


def _rows(store: NativeMemory, keys: set[str] | None) -> Iterable[Entry]:
    if keys is None:
        return store.list_entries(None, None)
    (only,) = keys if len(keys) == 1 else (None,)
    found = store.list_entries(None, None) if only is None else store.starting_with(only)
    return (row for row in found if row.key in keys)


def _own_documents(native: NativeMemory) -> _ToldBy:
    from zeroclaw_cli.native.owners import document_scopes
    from zeroclaw_cli.native.paths import in_threads
    from zeroclaw_cli.native.service import NativeDocuments
    from zeroclaw_cli.native.settings import NativeSettings

    found: _ToldBy = {}
    for scope in document_scopes(native.store_file, native.scope):
        # Shares the store of the memory, which closes it.
        documents = NativeDocuments(native.store_file, scope, NativeSettings(mirror="off"))
        # Turns are given to a provider when they are recorded.
        for path in documents.paths():
            if not in_threads(path):
                about = {"path": path, "agent": scope.agent or None, "project": scope.project or None}
                told = (target_of_document(path), documents.read(path).content, about)
                found["document", scope.project, scope.agent, path] = told
    return found


def _documents(config: Config, backend: str | None, paths: set[str]) -> _ToldBy:
    from zeroclaw_cli.native.paths import THREADS
    from zeroclaw_cli.operations.owned_rows import export_documents

    found: _ToldBy = {}
    for one in export_documents(config, backend, ExportFilter()):
        path, content = one.row.path, one.row.content
        # Turns are given to a provider when they are recorded.
        if content is not None and path in paths and not path.startswith(f"{THREADS}/"):
            project = config.memory.native.project if one.project is None else one.project
            about = {"path": path, "agent": one.agent or None, "project": project or None}
            found["document", project, one.agent or "", path] = (target_of_document(path), content, about)
    return found
