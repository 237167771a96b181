"""Memory providers for the tests that every provider must pass: the native one over two stores, and a smaller one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.dict_documents import DictDocuments
from zeroclaw_cli.errors import DocumentInput
from zeroclaw_cli.native import profile, tools
from zeroclaw_cli.native.audit import AuditSink
from zeroclaw_cli.native.documents import SqliteDocuments
from zeroclaw_cli.native.manifest import Bundle, load_bundle, native_bundle, parse_manifest
from zeroclaw_cli.native.native_provider import NativeProvider
from zeroclaw_cli.native.opening import open_store
from zeroclaw_cli.native.provider import BareProvider, LaneRequest, LaneResult, MemoryProvider, Snippet
from zeroclaw_cli.native.repository import Repository
from zeroclaw_cli.native.safety import PromptWriteGuard
from zeroclaw_cli.native.scope import Invocation, Scope
from zeroclaw_cli.native.search import search
from zeroclaw_cli.native.tree import read, tree
from zeroclaw_cli.native.write import write


class NullSink:
    def record(self, event: object, transaction: object) -> None:
        pass


def safe_guard() -> PromptWriteGuard:
    return PromptWriteGuard(sink=NullSink())


@dataclass(frozen=True)
class Facts(BareProvider):
    """A provider of another kind: it knows facts as lines, gives the newest, and keeps no transcripts.

    Its tools have the usual ids; a write can only append.
    """

    repository: Repository = field(default_factory=lambda: DictDocuments(guard=safe_guard()))

    @property
    def served_tools(self) -> frozenset[str]:
        return frozenset(tools.TOOL_IDS)

    def call_tool(self, tool_id: str, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        scope = invocation.scope
        if tool_id == tools.READ:
            return read(self.repository, scope, tools.parse_read(arguments)).to_json()
        if tool_id == tools.TREE:
            return tree(self.repository, scope, *tools.parse_tree(arguments))
        if tool_id == tools.SEARCH:
            return search(self.repository, scope, *tools.parse_search(arguments), all_threads=True).to_json()
        if tool_id == tools.PROFILE_SET:
            profile.profile_set(self.repository, scope, profile.parse_fields(arguments))
            return {"status": "ok"}
        request = tools.parse_write(arguments)
        if request.old_string is not None or not request.append:
            raise DocumentInput("append_only", "this provider can only add")
        return write(self.repository, scope, request).to_json()

    def read_long_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult:
        if request.disabled:
            return LaneResult()
        scope = invocation.scope
        lines = [
            (path, line)
            for path in self.repository.list_paths(scope, scope)
            for line in read(self.repository, scope, path).content.splitlines()
        ]
        newest = lines[::-1][: request.max_snippets]
        return LaneResult(tuple(Snippet(scope, path, line) for path, line in newest))

    def profile_read(self, invocation: Invocation) -> bytes | None:
        return profile.profile_read(self.repository, invocation.scope)


@dataclass(frozen=True)
class Backend:
    """A provider with its bundle, and how to make a fresh one."""

    name: str
    bundle: Bundle
    fresh: Callable[[Path], Any]

    def declares(self, hook: str) -> bool:
        return hook in self.bundle.manifest.lifecycle


@contextmanager
def _native_sqlite(folder: Path) -> Iterator[MemoryProvider]:
    with open_store(folder) as store:
        sink = AuditSink(store)
        yield NativeProvider(SqliteDocuments(store, guard=PromptWriteGuard(sink=sink), sink=sink))


@contextmanager
def _native_dict(folder: Path) -> Iterator[MemoryProvider]:
    yield NativeProvider(DictDocuments(guard=safe_guard()))


@contextmanager
def _facts(folder: Path) -> Iterator[MemoryProvider]:
    yield Facts()


def facts_document() -> dict[str, Any]:
    """The manifest of the smaller provider: the native one's tools, two hooks, no guidance, no scheduled pass."""
    import tomli

    from zeroclaw_cli.native.manifest import _packaged_assets

    document: dict[str, Any] = tomli.loads(_packaged_assets()["manifest.toml"])
    document["id"] = "mem0.local.memory"
    document["runtime"]["service"] = "mem0_memory_provider"
    document["memory"] = {"lifecycle": ["read_long_term", "profile_read"]}
    return document


def facts_bundle() -> Bundle:
    manifest = parse_manifest(facts_document(), bundled=True, services=["mem0_memory_provider"])
    return load_bundle(manifest, native_bundle().assets)


def backends() -> list[Backend]:
    return [
        Backend("native-sqlite", native_bundle(), _native_sqlite),
        Backend("native-dict", native_bundle(), _native_dict),
        Backend("facts", facts_bundle(), _facts),
    ]


def seed(provider: MemoryProvider, invocation: Invocation, request: Mapping[str, Any]) -> Any:
    """Write through the provider's own tool."""
    return provider.call_tool(tools.WRITE, request, invocation)


def invocation(thread: str | None = "t1", **parts: str) -> Invocation:
    return Invocation(
        Scope(**{"tenant": "acme", "user": "ada", "agent": "helper", "project": "garden", **parts}), thread
    )
