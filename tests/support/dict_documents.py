"""The protocol of a document store over plain dictionaries: a second implementation that the shared tests run on."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from zeroclaw_cli.errors import DocumentInput, DocumentOperation
from zeroclaw_cli.memory.documents import Version
from zeroclaw_cli.memory.export_rows import PastText
from zeroclaw_cli.memory.measures import content_hash
from zeroclaw_cli.native import metadata, profile
from zeroclaw_cli.native.body_schema import check_schema
from zeroclaw_cli.native.capabilities import Capabilities
from zeroclaw_cli.native.chunking import chunk
from zeroclaw_cli.native.paths import ancestors, check_document_path, config_candidates, in_threads
from zeroclaw_cli.native.repository import (
    MAX_BODY_BYTES,
    Change,
    Expect,
    HashConflict,
    Hit,
    Query,
    Stored,
    WriteOptions,
    Written,
)
from zeroclaw_cli.native.safety import PromptWriteGuard, Rejection, WriteCheck
from zeroclaw_cli.native.scope import DocumentPath, Scope, authorise

_WORD = re.compile(r"\w+")

_PLAIN = WriteOptions()


@dataclass
class _Kept:
    body: bytes
    sidecar: dict[str, object] | None = None
    chunks: list[str] = field(default_factory=list)
    versions: dict[int, bytes] = field(default_factory=dict)


class DictDocuments:
    def __init__(
        self,
        *,
        guard: PromptWriteGuard | None = None,
        keep_versions: int = 50,
        capabilities: Capabilities | None = None,
    ) -> None:
        self.guard = guard or PromptWriteGuard()
        self.keep_versions = keep_versions
        self.capabilities = capabilities or Capabilities()
        self._kept: dict[tuple[Scope, str], _Kept] = {}
        self._past: dict[tuple[Scope, str], dict[int, bytes]] = {}
        self._lock = threading.RLock()

    def read(self, context: Scope, path: DocumentPath) -> Stored | None:
        authorise(context, path.scope)
        kept = self._kept.get((path.scope, path.relative))
        return None if kept is None else self._stored(path, kept)

    @staticmethod
    def _stored(path: DocumentPath, kept: _Kept) -> Stored:
        return Stored(path, kept.body, content_hash(kept.body), kept.sidecar)

    def update(
        self,
        context: Scope,
        path: DocumentPath,
        change: Change,
        *,
        expect: Expect | str = Expect.ANYTHING,
        options: WriteOptions = _PLAIN,
    ) -> Written:
        authorise(context, path.scope)
        check_document_path(path.relative)
        with self._lock:
            try:
                return self._update(path, change, expect, options)
            except Rejection as rejection:
                self.guard.record_rejection(rejection)
                raise

    def _update(self, path: DocumentPath, change: Change, expect: Expect | str, options: WriteOptions) -> Written:
        key = (path.scope, path.relative)
        kept = self._kept.get(key)
        present = None if kept is None else self._stored(path, kept)
        current = "" if present is None else present.content_hash
        _check_expected(current, expect)
        body = change(present)
        if len(body) > MAX_BODY_BYTES:
            raise DocumentInput("too_large", "too large")
        if kept is None:
            self._check_place(path)
        sidecar = None if kept is None else kept.sidecar
        if options.overlay is not None:
            sidecar = metadata.overlay(sidecar or {}, options.overlay)
            metadata.encode(sidecar)
        decided = metadata.effective(sidecar or {}, self._folder(path))
        check_schema(body, decided.schema)
        profile.check_body(path, body)
        self.guard.check(
            WriteCheck(
                path.scope,
                path.relative,
                options.operation,
                body.decode("utf-8", "replace"),
                None if present is None else present.body.decode("utf-8", "replace"),
                current or None,
                allowance=options.allowance,
            )
        )
        archived = None
        if kept is None:
            kept = self._kept[key] = _Kept(body, versions=self._past.pop(key, {}))
        elif kept.body != body:
            if not decided.skip_versioning:
                archived = self._archive(kept)
            kept.body = body
        _merge(kept.versions, options.history)
        kept.sidecar = None if sidecar is None else dict(sidecar)
        kept.chunks = [] if decided.skip_indexing else chunk(body.decode("utf-8", "replace"))
        if options.overlay is not None:
            self.clear_unindexed(path.scope, path)
        return Written(content_hash(body), len(body), current != content_hash(body), archived)

    def _archive(self, kept: _Kept) -> int | None:
        latest = max(kept.versions, default=0)
        if not kept.body or kept.versions.get(latest) == kept.body or self.keep_versions <= 0:
            return None
        kept.versions[latest + 1] = kept.body
        for number in [n for n in kept.versions if n <= latest + 1 - self.keep_versions]:
            del kept.versions[number]
        return latest + 1

    def _check_place(self, path: DocumentPath) -> None:
        names = {name for scope, name in self._kept if scope == path.scope}
        below = any(name.startswith(f"{path.relative}/") for name in names)
        if below or names.intersection(ancestors(path.relative)):
            raise DocumentOperation("path_conflict", "a document and a folder of one name")

    def _folder(self, path: DocumentPath) -> dict[str, object] | None:
        for candidate in config_candidates(path.relative):
            kept = self._kept.get((path.scope, candidate))
            if kept is not None and kept.sidecar is not None:
                return kept.sidecar
        return None

    def delete(
        self,
        context: Scope,
        path: DocumentPath,
        *,
        with_history: bool = False,
        expect: Expect | str = Expect.ANYTHING,
    ) -> tuple[bool, int]:
        authorise(context, path.scope)
        key = (path.scope, path.relative)
        _check_expected(content_hash(self._kept[key].body) if key in self._kept else "", expect)
        kept = self._kept.pop(key, None)
        versions = {**self._past.pop(key, {}), **({} if kept is None else kept.versions)}
        if not with_history and versions:
            self._past[key] = versions
        return kept is not None, len(versions) if with_history else 0

    def list_paths(self, context: Scope, scope: Scope) -> list[str]:
        authorise(context, scope)
        return sorted(name for owner, name in self._kept if owner == scope)

    def search(self, context: Scope, scope: Scope, query: Query) -> list[Hit]:
        authorise(context, scope)
        if query.vector or not query.full_text or not self.capabilities.full_text_search:
            raise DocumentOperation("search_unsupported", "no such search")
        words = {word for word in query.text.lower().split() if word.isalnum()}
        found = []
        for (owner, name), kept in self._kept.items():
            if owner != scope or not self._searched(name, query):
                continue
            scores = [(sum(word in words for word in _WORD.findall(part.lower())), part) for part in kept.chunks]
            best = max(scores, default=(0, ""), key=lambda pair: pair[0])
            if best[0]:
                found.append((-best[0], name, best[1]))
        ranked = enumerate(sorted(found)[: max(query.limit, 1)], start=1)
        hits = [
            Hit(DocumentPath(scope, name), text, 61 / (60 + place), rank=(float(count), 0, place))
            for place, (count, name, text) in ranked
        ]
        return [hit for hit in hits if hit.score >= query.min_score]

    @staticmethod
    def _searched(name: str, query: Query) -> bool:
        if query.given == "entries":
            return False
        own = bool(query.thread_id) and name.startswith(f"threads/{query.thread_id}/")
        if in_threads(name):
            return query.threads == "all" or (own and query.threads in ("own", "only"))
        return query.threads != "only"

    def versions(self, context: Scope, path: DocumentPath) -> list[Version]:
        authorise(context, path.scope)
        key = (path.scope, path.relative)
        kept = self._kept.get(key)
        versions = {**self._past.get(key, {}), **({} if kept is None else kept.versions)}
        return [
            Version(number, content_hash(body), path.scope.changed_by, "2026-01-01T00:00:00Z", len(body))
            for number, body in sorted(versions.items(), reverse=True)
        ]

    def read_version(self, context: Scope, path: DocumentPath, number: int) -> bytes | None:
        authorise(context, path.scope)
        key = (path.scope, path.relative)
        kept = self._kept.get(key)
        return {**self._past.get(key, {}), **({} if kept is None else kept.versions)}.get(number)

    def forgotten_paths(self, context: Scope, scope: Scope) -> list[str]:
        authorise(context, scope)
        return sorted(name for (owner, name), versions in self._past.items() if owner == scope and versions)

    def bring_history(self, context: Scope, path: DocumentPath, history: Sequence[PastText]) -> int:
        authorise(context, path.scope)
        key = (path.scope, path.relative)
        kept = self._kept.get(key)
        return _merge(self._past.setdefault(key, {}) if kept is None else kept.versions, history)

    def chunks(self, context: Scope, path: DocumentPath) -> list[str]:
        authorise(context, path.scope)
        kept = self._kept.get((path.scope, path.relative))
        return [] if kept is None else list(kept.chunks)

    def replace_chunks(self, context: Scope, path: DocumentPath, content_hash: str, chunks: Sequence[str]) -> bool:
        present = self.read(context, path)
        if present is None or present.content_hash != content_hash:
            return False
        kept = self._kept[path.scope, path.relative]
        if chunks and metadata.effective(kept.sidecar or {}, self._folder(path)).skip_indexing:
            return False
        kept.chunks = list(chunks)
        return True

    def clear_unindexed(self, context: Scope, path: DocumentPath) -> int:
        authorise(context, path.scope)
        if (path.scope, path.relative) not in self._kept:
            return 0
        folder, _, name = path.relative.rpartition("/")
        prefix = f"{folder}/" if folder else ""
        cleared = 0
        for (scope, other), kept in self._kept.items():
            governed = other == path.relative or (name == ".config" and other.startswith(prefix))
            if scope != path.scope or not governed or not kept.chunks:
                continue
            if metadata.effective(kept.sidecar or {}, self._folder(DocumentPath(scope, other))).skip_indexing:
                kept.chunks = []
                cleared += 1
        return cleared

    def reindex(self, context: Scope, scope: Scope) -> int:
        paths = self.list_paths(context, scope)
        for name in paths:
            path = DocumentPath(scope, name)
            kept = self._kept[scope, name]
            skipped = metadata.effective(kept.sidecar or {}, self._folder(path)).skip_indexing
            kept.chunks = [] if skipped else chunk(kept.body.decode("utf-8", "replace"))
        return len(paths)


def _merge(versions: dict[int, bytes], history: Sequence[PastText]) -> int:
    added = [text for text in history if text.body not in versions.values()]
    for text in added:
        versions[text.number if text.number not in versions else max(versions) + 1] = text.body
    return len(added)


def _check_expected(current: str, expect: Expect | str) -> None:
    if (expect is Expect.ABSENT and current) or (isinstance(expect, str) and (not current or expect != current)):
        raise HashConflict(current)
