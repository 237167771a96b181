"""The native memory provider: the five tools and the four hooks over a repository of documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from zeroclaw_cli.errors import DocumentOperation
from zeroclaw_cli.memory.measures import is_blank
from zeroclaw_cli.native import lanes, profile, tools
from zeroclaw_cli.native.paths import in_threads
from zeroclaw_cli.native.provider import BareProvider, LaneRequest, LaneResult, RecordRequest
from zeroclaw_cli.native.repository import Repository, WriteOptions
from zeroclaw_cli.native.repository import write as write_document
from zeroclaw_cli.native.scope import DocumentPath, Invocation, Scope
from zeroclaw_cli.native.search import search
from zeroclaw_cli.native.transcripts import body_of, transcript_path
from zeroclaw_cli.native.tree import read, tree
from zeroclaw_cli.native.write import utc_now, write

_SERVED: Final = frozenset(tools.TOOL_IDS)


@dataclass(frozen=True, slots=True)
class NativeProvider(BareProvider):
    """Serves every tool and hook. ``search_threads`` lets the search tool see transcripts of other threads."""

    repository: Repository
    search_threads: bool = False
    now: Callable[[], datetime] = utc_now

    @property
    def served_tools(self) -> frozenset[str]:
        return _SERVED

    def call_tool(self, tool_id: str, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        """Raises a DocumentFailure; ``unserved_capability`` for an id that is not one of the five."""
        handler = _HANDLERS.get(tool_id)
        if handler is None:
            raise DocumentOperation("unserved_capability", "the native memory provider has no such tool")
        return handler(self, arguments, invocation)

    def read_long_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult:
        return lanes.read_long_term(self.repository, invocation, request)

    def read_short_term(self, invocation: Invocation, request: LaneRequest) -> LaneResult:
        return lanes.read_short_term(self.repository, invocation, request)

    def record_interaction(self, invocation: Invocation, request: RecordRequest) -> bool:
        """Keep one turn as ``threads/<thread>/<run>.md``, in place of what the same run left before.

        False without a thread, a run id or messages. Raises DocumentInput for an id that is none.
        """
        run = request.turn_run_id or ""
        if not invocation.thread_id or is_blank(run) or not request.messages:
            return False
        path = transcript_path(invocation.thread_id, run)
        _write_transcript(self.repository, invocation.scope, path, body_of(request.messages))
        return True

    def profile_read(self, invocation: Invocation) -> bytes | None:
        return profile.profile_read(self.repository, invocation.scope)

    def _read(self, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        return read(self.repository, invocation.scope, tools.parse_read(arguments)).to_json()

    def _write(self, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        request = tools.parse_write(arguments)
        result = write(
            self.repository, invocation.scope, request, now=self.now, audit_context=invocation.correlation_id
        )
        return result.to_json()

    def _search(self, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        query, limit = tools.parse_search(arguments)
        result = search(
            self.repository,
            invocation.scope,
            query,
            limit,
            thread_id=invocation.thread_id,
            all_threads=self.search_threads,
        )
        return result.to_json()

    def _tree(self, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        path, depth = tools.parse_tree(arguments)
        return tree(self.repository, invocation.scope, path, depth)

    def _profile_set(self, arguments: Mapping[str, Any], invocation: Invocation) -> Any:
        fields = profile.parse_fields(arguments)
        profile.profile_set(self.repository, invocation.scope, fields, audit_context=invocation.correlation_id)
        return {"status": "ok"}


_HANDLERS: Final[Mapping[str, Callable[[NativeProvider, Mapping[str, Any], Invocation], Any]]] = {
    tools.READ: NativeProvider._read,
    tools.WRITE: NativeProvider._write,
    tools.SEARCH: NativeProvider._search,
    tools.TREE: NativeProvider._tree,
    tools.PROFILE_SET: NativeProvider._profile_set,
}


def _write_transcript(repository: Repository, scope: Scope, path: str, text: str) -> None:
    """The only writer of the reserved namespace; it writes nowhere else."""
    if not in_threads(path) or "/" not in path:
        raise DocumentOperation("reserved_namespace", "a transcript is written under threads/ alone")
    options = WriteOptions(source="recorder", overlay={"skip_versioning": True})
    write_document(repository, scope, DocumentPath(scope, path), text.encode("utf-8"), options=options)
