"""The documents of one scope, opened for a command or an agent: what ``memory doc``, ``profile``, ``context`` and
``record`` call (design.md, decision 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Any, Final

from zeroclaw_cli.errors import DocumentInput, DocumentNotFound, ZeroclawError, explain
from zeroclaw_cli.memory.documents import (
    ContextBlock,
    CurationPlan,
    Document,
    Forgotten,
    Profile,
    Recorded,
    SearchResult,
    TreeNode,
    TurnMessage,
    Version,
    WriteRequest,
    WriteResult,
)
from zeroclaw_cli.native import curation, profile, recorded
from zeroclaw_cli.native.audit import AuditSink
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.documents import SqliteDocuments
from zeroclaw_cli.native.host import Host
from zeroclaw_cli.native.manifest import native_bundle
from zeroclaw_cli.native.mirror import Mirror, Synced, mirror_of
from zeroclaw_cli.native.native_provider import NativeProvider
from zeroclaw_cli.native.paths import STANDING, check_not_reserved, check_readable, in_threads
from zeroclaw_cli.native.provider import RecordRequest
from zeroclaw_cli.native.repository import Expect, HashConflict, WriteOptions
from zeroclaw_cli.native.repository import write as write_document
from zeroclaw_cli.native.safety import PromptWriteGuard
from zeroclaw_cli.native.scope import DocumentPath, Invocation, Scope
from zeroclaw_cli.native.search import search
from zeroclaw_cli.native.settings import NativeSettings
from zeroclaw_cli.native.transcripts import quotes_of, transcript_path, why_not_recorded
from zeroclaw_cli.native.tree import read, tree
from zeroclaw_cli.native.write import not_found, write

ARCHIVE: Final = "archive"
_LATER: Final = "the next write of the document updates it; `zeroclaw config set memory.native.mirror off` keeps none"
# Why an edited file of the mirror stays as it is.
_REASONS: Final = {
    "conflict": "a conflict: its document changed too; the edited text is kept beside it",
    "not_utf8": "it is not UTF-8 text",
    "empty_content": "it is blank; `zeroclaw memory doc forget` removes a document",
    "io": "it cannot be read or written",
}
_MOST_ARCHIVED: Final = 1_000


class NativeDocuments:
    """Implements :class:`~zeroclaw_cli.memory.documents.Documents` over a store that it owns and closes."""

    def __init__(self, store: Store, scope: Scope, settings: NativeSettings) -> None:
        self.store = store
        self.scope = scope
        self.settings = settings
        sink = AuditSink(store)
        # Forgetting looks into a mirror that is kept no longer, too.
        self._mirror = Mirror(store, mirror_of(store.path))
        self.repository = SqliteDocuments(
            store,
            guard=PromptWriteGuard(sink=sink, extra_paths=settings.protected_paths),
            sink=sink,
            keep_versions=settings.keep_versions,
            after_commit=None if settings.mirror == "off" else self._export,
            after_delete=self.forget_mirrored,
        )
        self.provider = NativeProvider(self.repository, search_threads=settings.search_threads)
        self._host: Host | None = None
        self._synced = settings.mirror != "sync"

    @property
    def agent(self) -> str:
        return self.scope.agent

    @property
    def project(self) -> str:
        return self.scope.project

    @property
    def host(self) -> Host:
        """The host's side of the native provider: tools, lanes, guidance."""
        if self._host is None:
            self._host = Host(native_bundle(), self.provider)
        return self._host

    def read(self, path: str) -> Document:
        self._sync_once()
        return read(self.repository, self.scope, path)

    def write(self, request: WriteRequest) -> WriteResult:
        self._sync_once()
        return write(self.repository, self.scope, request, source="cli")

    def create(self, path: str, content: str) -> WriteResult:
        """Write a document that must not be there yet; the result is ``conflict`` when it is."""
        self._sync_once()
        check_not_reserved(path)
        where = DocumentPath(self.scope, path)
        body = content.encode("utf-8")
        try:
            options = WriteOptions(source="cli")
            written = write_document(self.repository, self.scope, where, body, expect=Expect.ABSENT, options=options)
        except HashConflict as conflict:
            return WriteResult("conflict", path, content_hash=conflict.current, message=conflict.message)
        return WriteResult("written", path, append=False, content_length=len(body), content_hash=written.content_hash)

    def archive(self, path: str) -> str:
        """Move a document below ``archive/``; its path there. What is there already under that path stays.

        The copy is written first, so that an interruption leaves two documents and never none. Raises DocumentInput
        for what cannot be archived, DocumentNotFound, HashConflict when somebody changes the document meanwhile.
        """
        found = self.read(path)
        check_not_reserved(path)
        if path.startswith(f"{ARCHIVE}/"):
            raise DocumentInput("archived", f"'{path}' is below {ARCHIVE}/ already", hint="nothing was changed")
        stem, dot, ending = path.rpartition(".")
        stem, ending = (path, "") if not dot or "/" in ending else (stem, dot + ending)
        stored = self.repository.read(self.scope, DocumentPath(self.scope, path))
        overlay = None if stored is None else stored.metadata
        for number in range(1, _MOST_ARCHIVED):
            place = f"{ARCHIVE}/{stem}{'' if number == 1 else f'-{number}'}{ending}"
            where = DocumentPath(self.scope, place)
            present = self.repository.read(self.scope, where)
            if present is not None and present.content_hash != found.content_hash:
                continue
            if present is None:
                options = WriteOptions(overlay=overlay, source="archive")
                write_document(
                    self.repository,
                    self.scope,
                    where,
                    found.content.encode("utf-8"),
                    expect=Expect.ABSENT,
                    options=options,
                )
            self.repository.delete(self.scope, DocumentPath(self.scope, path), expect=found.content_hash)
            return place
        raise DocumentInput(
            "archive_full", f"{ARCHIVE}/ has too many documents of this name", hint="archive it under another name"
        )

    def search(self, query: str, limit: int = 5, *, thread_id: str | None = None) -> SearchResult:
        self._sync_once()
        return search(
            self.repository,
            self.scope,
            query,
            limit,
            thread_id=thread_id,
            all_threads=self.settings.search_threads,
        )

    def tree(self, path: str = "", depth: int = 1) -> list[TreeNode]:
        return tree(self.repository, self.scope, path, depth)

    def paths(self) -> list[str]:
        return self.repository.list_paths(self.scope, self.scope)

    def versions(self, path: str) -> list[Version]:
        """Newest first. Raises DocumentNotFound where neither a document nor a version of one is."""
        check_readable(path)
        where = DocumentPath(self.scope, path)
        found = self.repository.versions(self.scope, where)
        if not found and self.repository.read(self.scope, where) is None:
            raise not_found(path)
        return found

    def read_version(self, path: str, number: int) -> str:
        """The text of one version. Raises DocumentNotFound."""
        check_readable(path)
        body = self.repository.read_version(self.scope, DocumentPath(self.scope, path), number)
        if body is None:
            raise DocumentNotFound(
                "no_version",
                f"'{path}' has no version {number}",
                hint=f"see `zeroclaw memory doc versions {quote(path)}`",
            )
        return body.decode("utf-8", "replace")

    def forget(self, path: str, *, with_history: bool = False) -> Forgotten:
        """Remove a document: its text, metadata, parts for search and mirrored file. ``with_history`` removes its
        versions too, what was put aside of it in the mirror, and the transcripts that quote one of its lines."""
        check_readable(path)
        where = DocumentPath(self.scope, path)
        edited = self._mirror.edited_files(where) if with_history else []
        known = self.repository.read(self.scope, where) is not None or self.repository.versions(self.scope, where)
        if not known and not edited:
            return Forgotten(path, forgotten=False)
        quoting = self._transcripts_quoting(where) if with_history else []
        there, removed = self.repository.delete(self.scope, where, with_history=with_history)
        if not there and not removed and not edited:
            return Forgotten(path, forgotten=False)
        for transcript in quoting:
            self.repository.delete(self.scope, DocumentPath(self.scope, transcript), with_history=True)
        return Forgotten(path, forgotten=True, versions=removed, transcripts=tuple(quoting))

    def profile(self) -> Profile:
        """The user's profile. Raises DocumentOperation ``corrupt_profile``."""
        return profile.profile_get(self.repository, self.scope)

    def set_profile(
        self, *, timezone: str | None = None, locale: str | None = None, location: str | None = None
    ) -> Profile:
        given = {"timezone": timezone, "locale": locale, "location": location}
        fields = profile.parse_fields({name: value for name, value in given.items() if value is not None})
        profile.profile_set(self.repository, self.scope, fields)
        return self.profile()

    def context(self, query: str, *, thread_id: str | None = None, max_snippets: int = 8) -> ContextBlock:
        self._sync_once()
        with self.store.read():
            # A lane that fails is left out, but what nobody could read is no empty memory.
            pass
        return self.host.context(self._invocation(thread_id), query, max_snippets=max_snippets)

    def record(
        self, messages: Sequence[TurnMessage], *, thread_id: str, run_id: str, receiver: str | None = None
    ) -> Recorded:
        """Keep one finished turn and count it; ``receiver`` is a provider that is to be given it afterwards, which
        :meth:`owed` tells. Raises DocumentInput for an id that is invalid."""
        run = run_id if run_id.strip() else recorded.run_id(thread_id, messages)
        reason = why_not_recorded(messages, thread_id=thread_id)
        if reason is not None:
            return Recorded(run, reason=reason)
        transcript = DocumentPath(self.scope, transcript_path(thread_id, run))
        with self.store.write() as transaction:
            thread = recorded.Thread(transaction, self.scope, thread_id)
            is_new = self.repository.read(self.scope, transcript) is None
            if not run_id.strip():
                messages = messages[thread.unrecorded(messages) :]
                if not messages or not is_new:
                    return Recorded(run, reason="every message is recorded already")
                reason = why_not_recorded(messages, thread_id=thread_id)
                if reason is not None:
                    return Recorded(run, reason=f"of what is new, {reason}")
            thread.add(messages)
            self.provider.record_interaction(self._invocation(thread_id), RecordRequest(messages, run))
            if is_new:
                curation.count_turn(self.store, self.scope, self.settings.curation_interval_turns)
            if receiver is not None:
                recorded.Owed(transaction, self.scope, thread_id, receiver).add(run, messages)
        return Recorded(run, len(messages))

    def owed(
        self, receiver: str, messages: Sequence[TurnMessage], *, thread_id: str
    ) -> list[tuple[str, list[TurnMessage]]]:
        """The recorded runs among ``messages`` that ``receiver`` has not been given, oldest first; one that was
        forgotten since is owed no more."""
        if not self.store.exists():
            return []
        found = []
        with self.store.write() as transaction:
            owed = recorded.Owed(transaction, self.scope, thread_id, receiver)
            for run, turn in owed.among(messages):
                if self.repository.read(self.scope, DocumentPath(self.scope, transcript_path(thread_id, run))) is None:
                    owed.settle(run)
                else:
                    found.append((run, turn))
        return found

    def settle(self, receiver: str, run: str, *, thread_id: str) -> None:
        """Note that ``receiver`` was given the turn ``run``, or is not to be."""
        with self.store.write() as transaction:
            recorded.Owed(transaction, self.scope, thread_id, receiver).settle(run)

    def curation_plan(self) -> CurationPlan:
        standing: Document | None
        try:
            standing = self.read(STANDING)
        except DocumentNotFound:
            standing = None
        return curation.plan(
            native_bundle(),
            self.store,
            self.scope,
            interval_turns=self.settings.curation_interval_turns,
            standing=standing,
        )

    def reindex(self) -> int:
        return self.repository.reindex(self.scope, self.scope)

    def sync_mirror(self) -> Synced:
        """Take over edits of the mirror's files. Raises DocumentInput when the mirror is not two-way."""
        if self.settings.mirror != "sync":
            raise DocumentInput(
                "mirror_not_synced",
                "the Markdown mirror is not set to take edits over",
                hint="zeroclaw config set memory.native.mirror sync",
            )
        return self._mirror.sync(self.repository, self.scope)

    def export_mirror(self) -> int:
        """Write every document's file of the mirror anew; how many there are (0 without a mirror)."""
        return 0 if self.settings.mirror == "off" else self._mirror.export_all(self.repository, self.scope)

    def take_warnings(self) -> list[str]:
        return self.store.take_warnings()

    def close(self) -> None:
        if self._host is not None:
            self._host.close()
        self.store.close()

    def __enter__(self) -> NativeDocuments:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def _invocation(self, thread_id: str | None = None) -> Invocation:
        return Invocation(self.scope, thread_id)

    def _export(self, path: DocumentPath) -> None:
        with self._told_of_mirror(path, "updated", _LATER):
            self._mirror.export(self.repository, path)

    @contextmanager
    def _told_of_mirror(self, path: DocumentPath, what: str, remedy: str) -> Iterator[None]:
        """What goes wrong with the mirror is a warning: the store is right without it."""
        try:
            yield
        except TimeoutError:
            why = "another process keeps the mirror"
        except OSError as error:
            why = f"{error.strerror or error}; see that the file can be written"
        except ZeroclawError as error:
            why = explain(error)
        else:
            return
        self.store.warn(f"the Markdown copy {self._mirror.file_of(path)} was not {what}: {why}; {remedy}")

    def forget_mirrored(self, path: DocumentPath, with_history: bool) -> None:
        """Remove the mirrored file of a document that was forgotten, after the transaction that forgot it."""
        left: list[Path] = []
        with self._told_of_mirror(path, "removed", "delete it; it may hold forgotten text"):
            left = self._mirror.remove(self.repository, path, with_edited=with_history)
        if left:
            files = ", ".join(map(str, left))
            self.store.warn(
                f"what somebody wrote into the mirror's file of '{path.relative}' is left in {files}; delete it, or "
                "forget the document with --with-history"
            )

    def _sync_once(self) -> None:
        if self._synced:
            return
        self._synced = True
        for path, reason in self.sync_mirror().conflicts:
            why = _REASONS.get(reason, reason)
            self.store.warn(f"the edited file of '{path}' in the mirror was not taken over: {why}")

    def _transcripts_quoting(self, where: DocumentPath) -> list[str]:
        stored = self.repository.read(self.scope, where)
        if stored is None or in_threads(where.relative):
            return []
        quotes = quotes_of(stored.body.decode("utf-8", "replace"))
        found = []
        for path in self.paths():
            if in_threads(path) and quotes:
                transcript = self.repository.read(self.scope, DocumentPath(self.scope, path))
                body = "" if transcript is None else transcript.body.decode("utf-8", "replace")
                if any(quote in body for quote in quotes):
                    found.append(path)
        return found
