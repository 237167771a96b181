"""The data of sources, turn views and wakes (specs/memory-kernel.md §4, §12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.operations import Scope
from zeroclaw_cli.kernel.wire import Wire


@dataclass(frozen=True, slots=True)
class SourceContext(Wire):
    """What a source is snapshotted under."""

    catalog_generation: int
    topology_generation: int
    guard_generation: int
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class SourceSnapshot(Wire):
    """What a source gives: ``wake`` for the prompt, ``state`` for the host alone."""

    revision: str
    wake: str
    state: Json = None


@dataclass(frozen=True, slots=True)
class ViewSource(Wire):
    """One source in a turn view; its state stays on the host."""

    layer_id: str
    revision: str
    mode: str
    digest: str
    wake: str


@dataclass(frozen=True, slots=True)
class TurnView(Wire):
    """``id`` is ``view-`` and the first 24 digits of ``digest``."""

    id: str
    created_at: str
    topology_id: str
    catalog_generation: int
    topology_generation: int
    guard_generation: int
    sources: tuple[ViewSource, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class WakeSection(Wire):
    layer_id: str
    mode: str
    text: str


@dataclass(frozen=True, slots=True)
class Wake(Wire):
    view_id: str
    view_digest: str
    text: str
    sections: tuple[WakeSection, ...]


@dataclass(frozen=True, slots=True)
class TurnContext(Wire):
    turn_id: str
    view_id: str
    view_digest: str
    scope: Scope
    started_at: str


class MemorySource(Protocol):
    """The query-independent snapshot of one layer; ``mode`` is ``eager`` or ``routed``."""

    @property
    def layer_id(self) -> str: ...
    @property
    def mode(self) -> str: ...
    def snapshot(self, context: SourceContext, /) -> SourceSnapshot: ...
