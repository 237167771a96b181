"""What an author writes: executors, layers, strategies, guards and receipt sinks (specs/memory-kernel.md §4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from zeroclaw_cli.kernel.cancel import CancelToken
from zeroclaw_cli.kernel.components import (
    LayerDescriptor,
    StrategyContext,
    StrategyDescriptor,
    SystemDescriptor,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.operations import Allow, Deny, PlanStep, Proposal, Receipt, Request

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.answers import Gathered
    from zeroclaw_cli.memory.documents import ContextBlock


def _unheard(line: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """What an executor gets beside its step; ``request`` is the authorised copy. ``warn`` takes a line that the person
    must hear of even when the step fails, whose output then says nothing."""

    plan_id: str
    topology: TopologySnapshot
    request: Request
    cancel: CancelToken
    warn: Callable[[str], None] = _unheard


class Executor(Protocol):
    """Does one step on a backend and returns JSON-safe output, or raises. Runs in a worker thread; polls ``cancel``."""

    def __call__(self, step: PlanStep, context: ExecutionContext, /) -> Json: ...


@runtime_checkable
class PromptHost(Protocol):
    """An executor that also decides what of the layers' answers may enter a prompt (specs/native-memory.md §12)."""

    def admit(self, gathered: Gathered) -> ContextBlock: ...


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer as it is registered. Without ``execute`` it can be planned, and its steps fail."""

    descriptor: LayerDescriptor
    execute: Executor | None = None


class Strategy(Protocol):
    """Proposes steps from the request and frozen descriptions alone."""

    @property
    def descriptor(self) -> StrategyDescriptor: ...
    def propose(self, request: Request, context: StrategyContext, /) -> Proposal: ...


@dataclass(frozen=True, slots=True)
class GuardContext:
    descriptor: SystemDescriptor


class Guard(Protocol):
    """Allows or denies a request before planning."""

    @property
    def id(self) -> str: ...
    def decide(self, request: Request, context: GuardContext, /) -> Allow | Deny: ...


ReceiptSink: TypeAlias = Callable[[Receipt], Any]
