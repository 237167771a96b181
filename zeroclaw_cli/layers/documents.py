"""``LayeredDocuments``: the layer of documents behind the ``Documents`` protocol (specs/memory-kernel.md §11, §18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import Any, Never

from zeroclaw_cli.errors import DocumentNotFound, NotSupported
from zeroclaw_cli.kernel.json_safe import thaw
from zeroclaw_cli.kernel.limits import DOCUMENTS
from zeroclaw_cli.kernel.surface import Surface, scope_of
from zeroclaw_cli.memory.documents import (
    ContextBlock,
    CurationPlan,
    Document,
    Forgotten,
    Profile,
    Recorded,
    SearchHit,
    SearchResult,
    TreeNode,
    TurnMessage,
    Version,
    WriteRequest,
    WriteResult,
)


class LayeredDocuments:
    """The documents of one agent and project, asked through ``surface``; each call is one request."""

    def __init__(self, surface: Surface, close: Callable[[], None], agent: str | None, project: str | None) -> None:
        self.surface = surface
        self._close = close
        self._agent = agent
        self._project = project

    def __enter__(self) -> LayeredDocuments:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def close(self) -> None:
        self._close()

    def take_warnings(self) -> list[str]:
        return self.surface.take_warnings()

    def read(self, path: str) -> Document:
        return Document(**self._ask("read", "doc-read", {"path": path}))

    def read_version(self, path: str, number: int) -> str:
        return str(self._ask("read", "doc-version", {"path": path, "number": number})["content"])

    def write(self, request: WriteRequest) -> WriteResult:
        values = {
            "target": request.target,
            "content": request.content,
            "append": request.append,
            "old_string": request.old_string,
            "new_string": request.new_string,
            "replace_all": request.replace_all,
            "metadata": None if request.metadata is None else dict(request.metadata),
            "timezone": request.timezone,
            "expected_content_hash": request.expected_content_hash,
        }
        return WriteResult(**self._ask("write", "doc-write", values))

    def create(self, path: str, content: str) -> WriteResult:
        """Write a document that must not be there yet; the result is ``conflict`` when it is."""
        return WriteResult(**self._ask("write", "doc-create", {"path": path, "content": content}))

    def archive(self, path: str) -> str:
        """Move a document below ``archive/``; its path there."""
        return str(self._ask("archive", "archive", {"path": path})["archived"])

    def search(self, query: str, limit: int = 5, *, thread_id: str | None = None) -> SearchResult:
        found = self._ask("search", "doc-search", {"query": query, "limit": limit, "thread": thread_id})
        return SearchResult(
            query, tuple(SearchHit(hit["content"], hit["score"], hit["path"]) for hit in found["results"])
        )

    def tree(self, path: str = "", depth: int = 1) -> list[TreeNode]:
        nodes: list[TreeNode] = thaw(self._ask("browse", "doc-tree", {"path": path, "depth": depth})["nodes"])
        return nodes

    def paths(self) -> list[str]:
        return list(self._ask("browse", "doc-paths", {})["paths"])

    def versions(self, path: str) -> list[Version]:
        return [Version(**row) for row in self._ask("browse", "doc-versions", {"path": path})["versions"]]

    def forget(self, path: str, *, with_history: bool = False) -> Forgotten:
        # Of the layers memory-spaces alone forgets, and it has no say over what another one holds (§1, §11).
        where = "".join(
            f" --{option} {quote(value)}"
            for option, value in (("agent", self._agent), ("project", self._project))
            if value
        )
        self._refuse(
            "forget a document: the layer documents archives them",
            f"`zeroclaw memory doc archive {quote(path)}{where}` moves it below archive/; a person forgets it for good "
            f"with `zeroclaw memory doc forget {quote(path)}{where} --backend native`",
        )

    def profile(self) -> Profile:
        fields: dict[str, Any] = thaw(self._ask("read", "profile", {})["profile"])
        known = {name: fields.pop(name, None) for name in ("timezone", "locale", "location")}
        return Profile(**known, others=fields)

    def set_profile(
        self, *, timezone: str | None = None, locale: str | None = None, location: str | None = None
    ) -> Profile:
        self._ask("write", "profile-set", {"timezone": timezone, "locale": locale, "location": location})
        return Profile(timezone, locale, location)

    def context(self, query: str, *, thread_id: str | None = None, max_snippets: int = 8) -> ContextBlock:
        """What a prompt would get of all layers, and why each of the others has no part in it."""
        from zeroclaw_cli.layers.context import context
        from zeroclaw_cli.memory.requests import PromptRequest

        asked = PromptRequest(query, thread_id, self._agent, self._project, max_snippets)
        return context(self.surface, asked)

    def record(self, messages: Sequence[TurnMessage], *, thread_id: str, run_id: str) -> Recorded:
        rows = [{"role": item.role, "content": item.content, "name": item.name} for item in messages]
        values = {"messages": rows, "thread": thread_id, "run": run_id}
        answer = self._ask("write", "record", values, thread_id)
        return Recorded(answer["run"], answer["messages"], answer["reason"])

    def curation_plan(self) -> CurationPlan:
        fields: dict[str, Any] = thaw(self._ask("status", "curation-plan", {})["plan"])
        standing = fields.pop("standing")
        tools = tuple(fields.pop("tools"))
        return CurationPlan(**fields, tools=tools, standing=None if standing is None else Document(**standing))

    def reindex(self) -> int:
        return int(self._ask("maintain", "doc-reindex", {})["reindexed"])

    def export_rows(self, since: str | None, until: str | None) -> list[dict[str, Any]]:
        """The documents of every agent and project, with their versions, as rows of an export."""
        return [thaw(row) for row in self._ask("export", "doc-export", {"since": since, "until": until})["documents"]]

    def import_rows(self, rows: Sequence[Mapping[str, Any]], on_conflict: str) -> int:
        """Store documents of an export, all of them or none under ``error``; how many were stored."""
        values = {"documents": [dict(row) for row in rows], "on_conflict": on_conflict}
        return int(self._ask("import", "doc-import", values)["stored"])

    def _ask(
        self, capability: str, call: str, values: Mapping[str, Any], session: str | None = None
    ) -> Mapping[str, Any]:
        given = {**values, "agent": self._agent, "project": self._project}
        answer = self.surface.ask_layer(
            DOCUMENTS, capability, call, given, scope_of(session, self._agent, self._project)
        )
        missing = answer.output.get("not_found")
        if missing is not None:
            # That it is not there is an answer, which only a caller has no use for.
            raise DocumentNotFound(missing["reason"], missing["message"], hint=missing["hint"])
        return {name: value for name, value in answer.output.items() if name != "warnings"}

    def _refuse(self, what: str, hint: str) -> Never:
        raise NotSupported(f"the layers cannot {what}", hint=hint)
