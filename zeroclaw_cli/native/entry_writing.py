"""Writing entries: one transaction, the safety check of what a model reads every turn, and where new rows come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.errors import DocumentOperation, UsageError, ZeroclawError
from zeroclaw_cli.memory.requests import StoreRequest
from zeroclaw_cli.memory.types import DEFAULT_NAMESPACE, Entry, importance_of
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.entries import CORE, NativeEntry, NewEntry
from zeroclaw_cli.native.entry_writer import EntryWriter
from zeroclaw_cli.native.paths import STANDING
from zeroclaw_cli.native.scope import Scope
from zeroclaw_cli.native.stamps import stamp

if TYPE_CHECKING:
    import sqlite3

    from zeroclaw_cli.native.safety import PromptWriteGuard


def revised(request: StoreRequest, agent_id: str, old: NativeEntry | None) -> NewEntry:
    """The row to store in the place of ``old``, of which what the request does not name stays; without one category
    ``core``, not pinned."""
    return NewEntry(
        request.key,
        request.content,
        _first(request.category, None if old is None else old.category, CORE),
        request.session_id if old is None or request.session_id is not None else old.session_id,
        _first(request.namespace, None if old is None else old.namespace, DEFAULT_NAMESPACE),
        request.importance if old is None or request.importance is not None else old.importance,
        agent_id,
        request.kind if old is None or request.kind is not None else old.kind,
        bool(old is not None and old.pinned) if request.pinned is None else request.pinned,
    )


def _first(named: str | None, present: str | None, usual: str) -> str:
    if named is not None:
        return named
    return usual if present is None else present


class EntryWriting:
    """One write transaction and the writer of entries in it."""

    def __init__(self, store: Store, scope: Scope, check: CoreCheck) -> None:
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


class CoreCheck:
    """The safety check of what is written to ``core``."""

    def __init__(self, scope: Scope, guard: Callable[[], PromptWriteGuard]) -> None:
        self._scope = scope
        self._guard = guard

    def __call__(self, entry: NewEntry, previous: str | None, transaction: sqlite3.Connection) -> None:
        if not entry.content.strip():
            return
        from zeroclaw_cli.native.safety import EntryRejection, Rejection, WriteCheck

        check = WriteCheck(self._scope, STANDING, "write", entry.content, previous, source="entry")
        try:
            self._guard().check(check, transaction)
        except Rejection as refused:
            raise EntryRejection(refused, entry.key, entry.category, pinned=entry.pinned) from None

    def refused(self, error: ZeroclawError) -> None:
        """Tell the audit of a refusal, after its transaction is gone."""
        if not isinstance(error, DocumentOperation):
            return
        from zeroclaw_cli.native.safety import Rejection

        if isinstance(error, Rejection):
            self._guard().record_rejection(error)


class DoubtfulOnly:
    """Keeps the events of doubtful writes: one event for each clean entry would be as large as the entries."""

    def __init__(self, sink: Any) -> None:
        self._sink = sink

    def record(self, event: Any, transaction: sqlite3.Connection | None) -> None:
        if event.kind != "checked":
            self._sink.record(event, transaction)


def imported_row(entry: Entry, moved: Mapping[str, str]) -> NewEntry:
    """An entry as it is stored by an import: with its own id, times and what replaced it."""
    own = entry if isinstance(entry, NativeEntry) else None
    try:
        created = updated = stamp(entry.timestamp) if entry.timestamp else ""
        if own is None or not own.updated_at:
            updated = ""
        elif own.updated_at != own.timestamp:
            updated = stamp(own.updated_at)
    except ValueError as error:
        raise UsageError(f"the entry '{entry.key}': {error}", hint="write an RFC 3339 time") from None
    return NewEntry(
        entry.key,
        entry.content,
        entry.category,
        entry.session_id,
        entry.namespace or DEFAULT_NAMESPACE,
        entry.importance,
        moved.get(entry.agent_id, entry.agent_id) if entry.agent_id else "",
        None if own is None else own.kind,
        own is not None and own.pinned,
        created,
        updated,
        entry.id,
        entry.superseded_by,
    )


def check_values(entry: NewEntry) -> None:
    if not entry.key:
        raise UsageError("the key is empty", hint="give the entry a key of at least one character")
    if not entry.category:
        raise UsageError("the category is empty", hint="write core, daily, conversation or a word of your own")
    if not entry.namespace:
        raise UsageError("the namespace is empty", hint="leave it out for the namespace default")
    try:
        importance_of(entry.importance)
    except ValueError as error:
        raise UsageError(f"the entry '{entry.key}': {error}", hint="write a number such as 0.8") from None
