"""The data and protocols of the memory kernel in one place (specs/memory-kernel.md §4, §19)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.cancel import CancelToken
from zeroclaw_cli.kernel.components import (
    AdapterDescriptor,
    CatalogSnapshot,
    LayerDescriptor,
    Participation,
    StrategyContext,
    StrategyDescriptor,
    SystemDescriptor,
    TopologyDefinition,
    TopologyLayer,
    TopologySnapshot,
)
from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.operations import (
    Allow,
    Budget,
    Decision,
    Deny,
    Plan,
    PlanStep,
    Proposal,
    Receipt,
    ReceiptStep,
    Request,
    Scope,
    StepProposal,
)
from zeroclaw_cli.kernel.roles import (
    ExecutionContext,
    Executor,
    Guard,
    GuardContext,
    Layer,
    ReceiptSink,
    Strategy,
)
from zeroclaw_cli.kernel.views import (
    MemorySource,
    SourceContext,
    SourceSnapshot,
    TurnContext,
    TurnView,
    ViewSource,
    Wake,
    WakeSection,
)

MemoryKernelError = KernelFailure
"""What the kernel raises: ``code`` is a kebab-case code of the specification, ``details`` a JSON-safe dict."""

Dispose: TypeAlias = Callable[[], None]
"""Undoes the one registration that returned it; harmless when repeated or late (§5)."""

__all__ = [
    "AdapterDescriptor",
    "Allow",
    "Budget",
    "CancelToken",
    "CatalogSnapshot",
    "Decision",
    "Deny",
    "Dispose",
    "ExecutionContext",
    "Executor",
    "Guard",
    "GuardContext",
    "Json",
    "Layer",
    "LayerDescriptor",
    "MemoryKernelError",
    "MemorySource",
    "Participation",
    "Plan",
    "PlanStep",
    "Proposal",
    "Receipt",
    "ReceiptSink",
    "ReceiptStep",
    "Request",
    "Scope",
    "SourceContext",
    "SourceSnapshot",
    "StepProposal",
    "Strategy",
    "StrategyContext",
    "StrategyDescriptor",
    "SystemDescriptor",
    "TopologyDefinition",
    "TopologyLayer",
    "TopologySnapshot",
    "TurnContext",
    "TurnView",
    "ViewSource",
    "Wake",
    "WakeSection",
]
