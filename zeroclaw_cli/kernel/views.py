"""The data of sources, turn views and wakes (specs/memory-kernel.md §4, §12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.operations import Scope


@dataclass(frozen=True, slots=True)
class SourceContext:
    """What a source is snapshotted under."""

    catalog_generation: int
    topology_generation: int
    guard_generation: int
    scope: Scope | None = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {
            "catalogGeneration": self.catalog_generation,
            "topologyGeneration": self.topology_generation,
            "guardGeneration": self.guard_generation,
        }
        if self.scope is not None:
            body["scope"] = self.scope.to_json()
        return body


@dataclass(frozen=True, slots=True)
class SourceSnapshot:
    """What a source gives: ``wake`` for the prompt, ``state`` for the host alone."""

    revision: str
    wake: str
    state: Json = None

    def to_json(self) -> dict[str, Json]:
        body: dict[str, Json] = {"revision": self.revision, "wake": self.wake}
        if self.state is not None:
            body["state"] = self.state
        return body


@dataclass(frozen=True, slots=True)
class ViewSource:
    """One source in a turn view; its state stays on the host."""

    layer_id: str
    revision: str
    mode: str
    digest: str
    wake: str

    def to_json(self) -> dict[str, Json]:
        return {
            "layerId": self.layer_id,
            "revision": self.revision,
            "mode": self.mode,
            "digest": self.digest,
            "wake": self.wake,
        }


@dataclass(frozen=True, slots=True)
class TurnView:
    """``id`` is ``view-`` and the first 24 digits of ``digest``."""

    id: str
    created_at: str
    topology_id: str
    catalog_generation: int
    topology_generation: int
    guard_generation: int
    sources: tuple[ViewSource, ...]
    digest: str

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "createdAt": self.created_at,
            "topologyId": self.topology_id,
            "catalogGeneration": self.catalog_generation,
            "topologyGeneration": self.topology_generation,
            "guardGeneration": self.guard_generation,
            "sources": [source.to_json() for source in self.sources],
            "digest": self.digest,
        }


@dataclass(frozen=True, slots=True)
class WakeSection:
    layer_id: str
    mode: str
    text: str

    def to_json(self) -> dict[str, Json]:
        return {"layerId": self.layer_id, "mode": self.mode, "text": self.text}


@dataclass(frozen=True, slots=True)
class Wake:
    view_id: str
    view_digest: str
    text: str
    sections: tuple[WakeSection, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "viewId": self.view_id,
            "viewDigest": self.view_digest,
            "text": self.text,
            "sections": [section.to_json() for section in self.sections],
        }


@dataclass(frozen=True, slots=True)
class TurnContext:
    turn_id: str
    view_id: str
    view_digest: str
    scope: Scope
    started_at: str

    def to_json(self) -> dict[str, Json]:
        return {
            "turnId": self.turn_id,
            "viewId": self.view_id,
            "viewDigest": self.view_digest,
            "scope": self.scope.to_json(),
            "startedAt": self.started_at,
        }


class MemorySource(Protocol):
    """The query-independent snapshot of one layer; ``mode`` is ``eager`` or ``routed``."""

    @property
    def layer_id(self) -> str: ...
    @property
    def mode(self) -> str: ...
    def snapshot(self, context: SourceContext, /) -> SourceSnapshot: ...
