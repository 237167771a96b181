"""What a purge removes beside entries: the documents of an agent, and the recorded turns of an agent or a session."""

from __future__ import annotations

from collections.abc import Callable

from zeroclaw_cli.memory.types import Purged
from zeroclaw_cli.native.audit import AuditSink
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.documents import SqliteDocuments
from zeroclaw_cli.native.owners import document_scopes
from zeroclaw_cli.native.paths import in_threads
from zeroclaw_cli.native.safety import PromptWriteGuard
from zeroclaw_cli.native.scope import OF_SCOPE, DocumentPath, Scope
from zeroclaw_cli.native.service import NativeDocuments
from zeroclaw_cli.native.settings import NativeSettings


def purge_agent(store: Store, scope: Scope, alias: str, remove_entries: Callable[[], int]) -> Purged:
    """Remove what an agent of the user and project of ``scope`` has: with its entries every document and turn, earlier
    versions (also those of documents forgotten before), and what was counted and reported of its turns."""

    def remove_all() -> int:
        with store.write() as transaction:
            for table in ("turn_counters", "curation_reports"):
                key = (scope.tenant, scope.user, alias, scope.project)
                transaction.execute(f"DELETE FROM {table} WHERE {OF_SCOPE}", key)  # noqa: S608 - names of ours
        return remove_entries()

    return _purge(store, scope, remove_all, lambda agent: agent == alias, lambda path: True)


def purge_session(
    store: Store, scope: Scope, session: str, owns: Callable[[str], bool], remove_entries: Callable[[], int]
) -> Purged:
    """Remove the entries of a session, and its recorded turns of every agent for which ``owns`` is true. No agent is
    the empty text."""

    def is_turn(path: str) -> bool:
        return in_threads(path) and path.split("/")[1:2] == [session]

    return _purge(store, scope, remove_entries, owns, is_turn)


def _purge(
    store: Store,
    scope: Scope,
    remove_entries: Callable[[], int],
    owns: Callable[[str], bool],
    chosen: Callable[[str], bool],
) -> Purged:
    sink = AuditSink(store)
    repository = SqliteDocuments(store, guard=PromptWriteGuard(sink=sink), sink=sink)
    gone: list[DocumentPath] = []
    with store.write():
        entries = remove_entries()
        for of_agent in document_scopes(store, scope, forgotten=True):
            if owns(of_agent.agent):
                paths = {*repository.list_paths(of_agent, of_agent), *repository.forgotten_paths(of_agent, of_agent)}
                gone += [DocumentPath(of_agent, path) for path in sorted(filter(chosen, paths))]
        for path in gone:
            repository.delete(path.scope, path, with_history=True)
    for path in gone:
        # Shares the store of the memory, which closes it.
        NativeDocuments(store, path.scope, NativeSettings(mirror="off")).forget_mirrored(path, with_history=True)
    turns = sum(in_threads(path.relative) for path in gone)
    return Purged(entries, len(gone) - turns, turns)
