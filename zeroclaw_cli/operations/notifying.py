"""The built-in store with a provider that is notified of its writes: a memory, and documents, that tell it
(specs/memory-providers.md §8), and the turns of a provider that is the backend itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.errors import DocumentFailure, NotDurable, ProviderBroken, ProviderFailed
from zeroclaw_cli.memory.documents import (
    ContextBlock,
    Documents,
    Forgotten,
    NotingDocuments,
    Profile,
    Recorded,
    TurnMessage,
    WriteRequest,
    WriteResult,
)
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.requests import NO_AGENT, Agent, Cleared, PurgeTarget, StoreRequest
from zeroclaw_cli.memory.requests import Forgotten as ForgottenEntries
from zeroclaw_cli.memory.types import Entry, Purged
from zeroclaw_cli.native.paths import PROFILE, in_threads
from zeroclaw_cli.operations.notified_provider import NotifiedProvider, UnusableProvider, warn_when_interrupted
from zeroclaw_cli.operations.provider_changes import (
    Snapshot,
    about_row,
    documents_of,
    entries_of,
    target_of_document,
    watched,
)
from zeroclaw_cli.providers.mirroring import USER_TARGET, target_of

if TYPE_CHECKING:
    from zeroclaw_cli.memory.export_rows import Rows

# A target of a write that is always emptied.
BOOTSTRAP: Final = "bootstrap"


def notifying(memory: Memory, provider: NotifiedProvider) -> Memory:
    """``memory``, whose writes ``provider`` is told of."""
    return cast(Memory, _NotifyingMemory(memory, provider))


def notifying_documents(documents: NotingDocuments, provider: NotifiedProvider) -> Documents:
    """``documents``, whose writes ``provider`` is told of, to whose context it adds, and whose turns it is given."""
    return cast(Documents, _NotifyingDocuments(documents, provider))


class _NotifyingMemory:
    """What changes nothing is passed on as it is."""

    def __init__(self, memory: Memory, provider: NotifiedProvider) -> None:
        self._memory = memory
        self._provider = provider

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def save(self, request: StoreRequest) -> None:
        memory, provider = self._memory, self._provider
        old = memory.row_of(request.key, request.agent.resolve(memory))
        memory.save(request)
        new = memory.row_of(request.key, request.agent.resolve(memory))
        with warn_when_interrupted(provider):
            provider.begin(request.session_id, request.agent.alias)
        if new is not None:
            about = about_row(new, memory.project) | {"old_text": None if old is None else old.content}
            provider.wrote("add" if old is None else "replace", target_of(new.category), request.content, about)

    def take(self, key: str, agent: Agent = NO_AGENT, *, with_history: bool = False) -> ForgottenEntries:
        with self._watched(lambda: entries_of([self._memory], {key})):
            gone = self._memory.take(key, agent, with_history=with_history)
        if gone.transcripts:
            warn_of_turns(self._provider)
        return gone

    def purge(self, target: PurgeTarget) -> Purged:
        with self._watched(lambda: entries_of([self._memory]) | documents_of(self._memory)):
            gone = self._memory.purge(target)
        if gone.turns:
            warn_of_turns(self._provider)
        return gone

    def clear(self, selected: Sequence[Entry]) -> Cleared:
        with self._watched(lambda: entries_of([self._memory])):
            return self._memory.clear(selected)

    def together(self, rows: Rows | None = None, *, source: str | None = None) -> AbstractContextManager[None]:
        """Tell the provider at the end. It is not told of what it has itself (``source`` is its own backend), only of
        what it has of the entries that were there before."""
        memory = self._memory
        own = source is not None and parse_backend(source).provider == self._provider.name
        if rows is None:
            return self._watched(lambda: entries_of([memory]), gone_alone=own)
        stores = [memory, *(memory.in_project(project) for project in rows.elsewhere)]
        # Other commands may store meanwhile what they tell the provider of themselves.
        keys = {entry.key for entries in (rows.entries, *rows.elsewhere.values()) for entry in entries}
        paths = {document.row.path for document in rows.documents}
        return self._watched(lambda: entries_of(stores, keys) | (documents_of(memory, paths) if paths else {}))

    def _watched(self, look: Callable[[], Snapshot], *, gone_alone: bool = False) -> AbstractContextManager[None]:
        if not self._provider.listens:
            return nullcontext()
        return watched(self._provider, look, gone_alone=gone_alone)


class _NotifyingDocuments:
    """What changes nothing is passed on as it is."""

    def __init__(self, documents: NotingDocuments, provider: NotifiedProvider) -> None:
        self._documents = documents
        self._provider = provider

    def __getattr__(self, name: str) -> Any:
        return getattr(self._documents, name)

    def write(self, request: WriteRequest) -> WriteResult:
        from zeroclaw_cli.operations.documents import path_of

        documents = self._documents
        appends = request.append and request.old_string is None and request.target != BOOTSTRAP
        before = "" if appends else self._body(path_of(documents, request.target))
        result = documents.write(request)
        about = self._about(result.path)
        match result.status:
            case "patched":
                about |= {"old_text": request.old_string, "document_before": before}
                self._wrote("replace", request.new_string or "", about | {"document": self._body(result.path)})
            case "cleared":
                if before.strip():
                    self._wrote("remove", before, about)
            case "written" if before:
                self._wrote("replace", request.content or "", about | {"old_text": before})
            case "written":
                self._wrote("add", request.content or "", about)
        return result

    def create(self, path: str, content: str) -> WriteResult:
        result = self._documents.create(path, content)
        if result.status == "written":
            self._wrote("add", content, self._about(path))
        return result

    def archive(self, path: str) -> str:
        content = self._body(path)
        place = self._documents.archive(path)
        self._wrote("remove", content, self._about(path))
        self._wrote("add", content, self._about(place))
        return place

    def forget(self, path: str, *, with_history: bool = False) -> Forgotten:
        content = self._body(path)
        gone = self._documents.forget(path, with_history=with_history)
        if gone.forgotten and content:
            self._wrote("remove", content, self._about(path))
        if gone.transcripts or (gone.forgotten and in_threads(path)):
            warn_of_turns(self._provider)
        return gone

    def set_profile(self, **values: str | None) -> Profile:
        before = _text_of(self._documents.profile())
        profile = self._documents.set_profile(**values)
        self._provider.wrote("replace", USER_TARGET, _text_of(profile), {"path": PROFILE, "old_text": before or None})
        return profile

    def context(self, query: str, *, thread_id: str | None = None, max_snippets: int = 8) -> ContextBlock:
        self._begin(thread_id)
        block = self._documents.context(query, thread_id=thread_id, max_snippets=max_snippets)
        return with_provider(block, self._provider, query, thread_id)

    def record(self, messages: Sequence[TurnMessage], *, thread_id: str, run_id: str) -> Recorded:
        """Keep a finished turn, the built-in store first, so that a provider that fails costs nothing there.

        A turn that a provider does not get is a warning. Raises ProviderFailed and NotDurable, whose message says what
        the built-in store kept.
        """
        provider = self._provider
        self._begin(thread_id)
        receiver = provider.name if provider.keeps_new else None
        kept = self._documents.record(messages, thread_id=thread_id, run_id=run_id, receiver=receiver)
        if receiver is not None and not isinstance(provider, UnusableProvider):
            _give_owed(self._documents, provider, messages, thread=thread_id, kept=kept)
        return kept

    def _begin(self, thread_id: str | None) -> None:
        self._provider.begin(thread_id, self._documents.agent or None)

    def _wrote(self, action: Any, content: str, about: dict[str, Any]) -> None:
        self._provider.wrote(action, target_of_document(about["path"]), content, about)

    def _body(self, path: str) -> str:
        """The text of a document; empty where there is none, or none that can be read."""
        try:
            return self._documents.read(path).content
        except DocumentFailure:
            return ""

    def _about(self, path: str) -> dict[str, Any]:
        if path == PROFILE:
            return {"path": path}
        documents = self._documents
        return {"path": path, "agent": documents.agent or None, "project": documents.project or None}


class ProviderTurns:
    """The turns of a provider that is the backend itself."""

    def __init__(self, provider: NotifiedProvider, agent: str | None) -> None:
        self._provider = provider
        self._agent = agent

    def context(self, query: str, *, thread_id: str | None = None, max_snippets: int = 8) -> ContextBlock:
        self._provider.begin(thread_id, self._agent)
        return with_provider(ContextBlock(), self._provider, query, thread_id)

    def record(self, messages: Sequence[TurnMessage], *, thread_id: str, run_id: str) -> Recorded:
        """Give it a finished turn. Raises ProviderFailed and NotDurable."""
        from zeroclaw_cli.native.recorded import run_id as id_of
        from zeroclaw_cli.native.transcripts import why_not_recorded

        self._provider.begin(thread_id, self._agent)
        reason = why_not_recorded(messages, thread_id=thread_id) or self._provider.record(messages, thread_id)
        run = run_id if run_id.strip() else id_of(thread_id, messages)
        return Recorded(run, len(messages) if reason is None else 0, reason)


def with_provider(block: ContextBlock, provider: NotifiedProvider, query: str, thread_id: str | None) -> ContextBlock:
    """The block with what the provider adds to it, fenced."""
    if isinstance(provider, UnusableProvider):
        return block
    from zeroclaw_cli.providers.fencing import build_memory_context_block

    text = build_memory_context_block(provider.prefetch(query, thread_id))
    return replace(block, provider=provider.name, provider_text=text)


def _give_owed(
    documents: NotingDocuments,
    provider: NotifiedProvider,
    messages: Sequence[TurnMessage],
    *,
    thread: str,
    kept: Recorded,
) -> None:
    """Give the provider the turns among ``messages`` that the built-in store has and it has not: the present one, and
    those that it did not take when they were recorded. It is ended then, so that what it still writes is waited for."""
    answered: dict[str, str | None] = {}

    def settle() -> None:
        for run, reason in answered.items():
            documents.settle(provider.name, run, thread_id=thread)
            if reason is not None:
                provider.warn(f"memory provider '{provider.name}' was not given the turn: {reason}")
            elif run != kept.run or kept.reason is not None:
                provider.warn(f"memory provider '{provider.name}' was given the turn {run} now, which it had missed")

    finishing = False
    try:
        for run, turn in documents.owed(provider.name, messages, thread_id=thread):
            answered[run] = provider.record(turn, thread)
        finishing = True
        provider.finish()
    except ProviderBroken:
        # Why is told when it is started.
        provider.warn(f"memory provider '{provider.name}' was not given the turn: it does not start")
        return
    except (ProviderFailed, NotDurable) as error:
        if not finishing:
            # Those before the one that failed were taken.
            settle()
        error.message = f"the built-in store kept the turn, and the provider may not have kept it: {error.message}"
        error.hint = "; ".join(filter(None, (error.hint, "the same command again gives it to the provider")))
        raise
    settle()


def warn_of_turns(provider: NotifiedProvider) -> None:
    """Say that the provider keeps turns that are gone here."""
    provider.warn(
        f"memory provider '{provider.name}' keeps the turns that it was given: what is gone here may be in them"
    )


def _text_of(profile: Profile) -> str:
    return "\n".join(f"{name}: {value}" for name, value in profile.to_json().items() if isinstance(value, str))
