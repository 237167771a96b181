"""A Surface: it makes requests out of intentions and believes receipts alone (specs/memory-kernel.md §1, §8, §9).

The layers are chosen by the strategy; a Surface names candidates, and one target for what is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from zeroclaw_cli.errors import DocumentInput, KernelFailure, LayerNotFound, NotSupported, ZeroclawError
from zeroclaw_cli.kernel.answers import Answer
from zeroclaw_cli.kernel.json_safe import Json
from zeroclaw_cli.kernel.limits import DOCUMENTS, MAX_AGENT_ID, MAX_RESULTS, MAX_SESSION_ID, MEMORY_SPACES, MUTATING
from zeroclaw_cli.kernel.operations import Budget, Receipt, ReceiptStep, Request, Scope
from zeroclaw_cli.kernel.receipt_log import ReceiptLog
from zeroclaw_cli.kernel.runtime import RuntimeGraph

# What is done to many rows at once may take longer than a turn may wait.
BULK_TIMEOUT_MS: Final = 600_000
_BULK: Final = frozenset({"export", "import", "maintain"})
_LIMITED: Final = frozenset({"recall", "search"})
_TARGETED: Final = frozenset({"write", "import", "archive", "link"})

# What ends a request before the strategy is asked.
_BEFORE_THE_STRATEGY: Final = frozenset(
    {"invalid-request", "invalid-budget", "strategy-unavailable", "guard-denied", "guard-error", "guard-invalid"}
)
# The exit codes of errors that say something of what was asked: it is wrong, about nothing, or not allowed.
_OF_THE_REQUEST: Final = frozenset({2, 3, 4})
_NOT_ALLOWED: Final = frozenset({"layer-disabled", "participation-denied"})

OpenGraph = Callable[[str], RuntimeGraph]
"""The graph that serves a capability."""


class Surface:
    """Requests of one command. ``layer`` names the one layer that is asked; ``receipts`` are those of this command,
    and ``incomplete`` says that some step of one of them did not succeed. ``outcome`` hears of each request that the
    strategy was asked about whether its plan failed closed, or its receipt for another reason than what was asked."""

    def __init__(
        self,
        open_graph: OpenGraph,
        trigger: str,
        log: ReceiptLog | None = None,
        outcome: Callable[[bool], None] = lambda failed: None,
    ) -> None:
        self._open_graph = open_graph
        self._outcome = outcome
        self.trigger = trigger
        self.layer: str | None = None
        self.receipts: list[Receipt] = []
        self.incomplete = False
        self._log = log
        self._request: Request | None = None
        self._warnings: dict[str, None] = {}

    def keep(self, receipt: Receipt) -> None:
        """A receipt sink: what is executed is kept, whoever asked for it."""
        self.receipts.append(receipt)
        if self._log is not None:
            problem = self._log.append(receipt, self._request)
            if problem is not None and receipt.capability in MUTATING:
                self.warn(f"the receipt was not kept: {problem}")

    def take_warnings(self) -> list[str]:
        taken = list(self._warnings)
        self._warnings.clear()
        return taken

    def warn(self, line: str) -> None:
        self._warnings[line] = None

    def ask_entries(
        self, capability: str, call: str, values: Mapping[str, Json], scope: Scope | None = None
    ) -> list[Answer]:
        """Ask the layers that keep entries; for what is written the one that is the target."""
        return self._ask(capability, call, values, scope, usual_target(capability), entries=True)

    def ask_layer(
        self, layer_id: str, capability: str, call: str, values: Mapping[str, Json], scope: Scope | None = None
    ) -> Answer:
        """Ask one layer: ``layer_id``, or the one that is named."""
        return self._ask(capability, call, values, scope, layer_id)[0]

    def ask_any(
        self, capability: str, call: str, values: Mapping[str, Json], scope: Scope | None = None
    ) -> list[Answer]:
        """Ask every layer that the strategy chooses."""
        return self._ask(capability, call, values, scope, None)

    def ask_willing(
        self, capability: str, call: str, values: Mapping[str, Json], scope: Scope | None = None
    ) -> tuple[list[Answer], list[ReceiptStep]]:
        """As :meth:`ask_any`, for what goes on without a layer that fails: the answers, and the steps that gave none.
        Where no layer accepts the request nobody is asked."""
        graph = self.graph(capability)
        if self.layer is None and not any(
            graph.kernel.allows(layer.id, capability, self.trigger) for layer in graph.topology.snapshot().layers
        ):
            return [], []
        receipt = self._run(graph, capability, call, values, scope, None)
        return self._succeeded(graph, receipt), [step for step in receipt.steps if step.status != "succeeded"]

    def graph(self, capability: str) -> RuntimeGraph:
        """The graph that serves a capability."""
        return self._open_graph(capability)

    def request(
        self,
        graph: RuntimeGraph,
        capability: str,
        operation: str,
        values: Mapping[str, Json] | None,
        scope: Scope | None = None,
        candidates: Sequence[str] | None = None,
    ) -> Request:
        """The request for ``capability`` of these ``candidates``; None leaves the choice to the strategy. How much it
        may find and how long it may take are in its budget."""
        adapters = None
        if capability in _TARGETED and candidates is not None and len(candidates) == 1:
            adapters = _first_adapter(graph, candidates[0])
        layers = None if candidates is None else tuple(candidates)
        return Request(
            operation, capability, self.trigger, scope or Scope(), layers, adapters, _budget(capability, values), values
        )

    def candidates(
        self, graph: RuntimeGraph, capability: str, target: str | None, *, entries: bool
    ) -> Sequence[str] | None:
        """Whom a request names. Raises LayerNotFound, NotSupported, or the refusal of the one layer that is named."""
        named = self.layer or target
        if named is None:
            return graph.entry_layers if entries else None
        if graph.catalog.layer(named) is None:
            raise no_such_layer(named, [layer.id for layer in graph.catalog.snapshot().layers])
        decision = graph.kernel.participation(named, capability, self.trigger)
        if decision.code == "capability-unsupported":
            able = [layer.id for layer in graph.catalog.snapshot().layers if capability in layer.capabilities]
            raise NotSupported(
                f"the layer {named} does not do {capability}",
                hint=f"these do: {', '.join(able) or 'none'}; --layer ID names one, --backend goes past the layers",
            )
        graph.kernel.assert_participation(named, capability, self.trigger)
        return (named,)

    def _ask(
        self,
        capability: str,
        call: str,
        values: Mapping[str, Json],
        scope: Scope | None,
        target: str | None,
        *,
        entries: bool = False,
    ) -> list[Answer]:
        """What succeeded. Raises for a receipt of which nothing did; a part that did not is a warning."""
        graph = self.graph(capability)
        receipt = self._run(graph, capability, call, values, scope, target, entries=entries)
        if receipt.status in ("failed", "cancelled"):
            raise _failure(graph, receipt)
        for step in receipt.steps:
            if step.status != "succeeded":
                self.incomplete = True
                self.warn(_unanswered(graph, step))
        return self._succeeded(graph, receipt)

    def _run(
        self,
        graph: RuntimeGraph,
        capability: str,
        call: str,
        values: Mapping[str, Json],
        scope: Scope | None,
        target: str | None,
        *,
        entries: bool = False,
    ) -> Receipt:
        given = {"call": call, **{name: value for name, value in values.items() if value is not None}}
        chosen = self.candidates(graph, capability, target, entries=entries)
        request = self.request(graph, capability, f"memory.{call}", given, scope, chosen)
        self._request = request
        graph.failures.clear()
        try:
            receipt = graph.kernel.run(request)
        except KernelFailure as failure:
            if _is_of_the_strategy(failure):
                self._outcome(True)
            raise
        finally:
            self._request = None
            for line in graph.take_warnings():
                self.warn(line)
        self._outcome(receipt.status == "failed" and not _is_of_the_request(graph, receipt))
        graph.heard(receipt)
        if request.adapter_ids is None:
            for line in _passed_over(graph, receipt):
                self.warn(line)
        return receipt

    def _succeeded(self, graph: RuntimeGraph, receipt: Receipt) -> list[Answer]:
        answers = []
        for step in receipt.steps:
            if step.status != "succeeded":
                continue
            output = step.output if isinstance(step.output, Mapping) else {}
            for line in output.get("warnings", ()):
                self.warn(graph.kernel.redact(line))
            answers.append(Answer(step.layer_id, step.adapter_id, output))
        return answers


def scope_of(session_id: str | None = None, agent: str | None = None, workspace: str | None = None) -> Scope:
    """The scope of a request; a name that is too long for one is in the request's input alone."""
    return Scope(
        "workspace" if workspace else "global",
        workspace or None,
        session_id if session_id and len(session_id) <= MAX_SESSION_ID and session_id.strip() == session_id else None,
        agent if agent and len(agent) <= MAX_AGENT_ID and agent.strip() == agent else None,
    )


def _budget(capability: str, values: Mapping[str, Json] | None) -> Budget | None:
    limit = (values or {}).get("limit") if capability in _LIMITED else None
    most = max(1, min(limit, MAX_RESULTS)) if type(limit) is int else None
    timeout_ms = BULK_TIMEOUT_MS if capability in _BULK else None
    return None if most is None and timeout_ms is None else Budget(max_results=most, timeout_ms=timeout_ms)


def usual_target(capability: str) -> str | None:
    """The one layer that is written to where none is named; None for a capability that several layers may have."""
    if capability not in _TARGETED:
        return None
    return DOCUMENTS if capability == "archive" else MEMORY_SPACES


def place_of(layer_id: str, adapter_id: str | None) -> str:
    """A layer and its adapter in words."""
    return f"layer {layer_id}" + (f" (adapter {adapter_id})" if adapter_id else "")


def _first_adapter(graph: RuntimeGraph, layer_id: str) -> tuple[str, ...] | None:
    """What is written goes to one place: the first adapter that is bound to its layer."""
    layer = next((layer for layer in graph.topology.snapshot().layers if layer.id == layer_id), None)
    return layer.adapter_ids[:1] if layer is not None and layer.adapter_ids else None


def no_such_layer(named: str, known: Collection[str]) -> LayerNotFound:
    """The error for a layer that is none of ``known``."""
    near = get_close_matches(named, known, 3)
    return LayerNotFound(
        f"there is no layer '{named}'",
        hint=f"did you mean {', '.join(near)}?" if near else f"there are: {', '.join(known)}",
    )


def _is_of_the_strategy(failure: KernelFailure) -> bool:
    """Whether planning failed when the strategy had been asked."""
    if failure.code == "json-unsafe":
        # Of a request that cannot be frozen nobody is asked; a step of a proposal is numbered.
        return "step" in (failure.details or {})
    return failure.code not in _BEFORE_THE_STRATEGY


def _is_of_the_request(graph: RuntimeGraph, receipt: Receipt) -> bool:
    """Whether what was asked is why each step failed, and not where it was asked."""
    errors = [graph.failures.get(step.step_id) for step in receipt.steps if step.status == "failed"]
    return all(
        error is not None
        and (error.exit_code in _OF_THE_REQUEST or error.code in _NOT_ALLOWED or isinstance(error, DocumentInput))
        for error in errors
    )


def _passed_over(graph: RuntimeGraph, receipt: Receipt) -> Iterator[str]:
    """The stores of a layer that was asked which cannot do it, so that nobody takes what the others gave for all."""
    able = {card.id for card in graph.catalog.snapshot().adapters if receipt.capability in card.capabilities}
    asked = {(step.layer_id, step.adapter_id) for step in receipt.steps}
    for layer in graph.topology.snapshot().layers:
        for adapter_id in layer.adapter_ids if any(id_ == layer.id for id_, _ in asked) else ():
            if adapter_id not in able and (layer.id, adapter_id) not in asked:
                yield f"{place_of(layer.id, adapter_id)} does not do {receipt.capability}, so it was not asked"


def _unanswered(graph: RuntimeGraph, step: ReceiptStep) -> str:
    layer = graph.catalog.layer(step.layer_id)
    holds = (
        ""
        if layer is None
        else f"; not reached: {layer.descriptor.description[:1].lower()}{layer.descriptor.description[1:].rstrip('.')}"
    )
    return f"{place_of(step.layer_id, step.adapter_id)} {step.status}: {step.error}{holds}"


def _failure(graph: RuntimeGraph, receipt: Receipt) -> ZeroclawError:
    """The error of a receipt that did nothing: that of its executor, with the text that the receipt has."""
    details: dict[str, Any] = {
        "receiptId": receipt.id,
        "status": receipt.status,
        "steps": [
            {
                "layerId": step.layer_id,
                **({} if step.adapter_id is None else {"adapterId": step.adapter_id}),
                "status": step.status,
                "error": step.error,
            }
            for step in receipt.steps
        ],
    }
    failed = [step for step in receipt.steps if step.status == "failed"] or list(receipt.steps)
    step = failed[0]
    original = graph.failures.get(step.step_id)
    if (
        len({(graph.failures.get(other.step_id) or KernelFailure("", "")).code for other in failed}) == 1
        and original is not None
    ):
        if len(failed) == 1:
            original.message = step.error or original.message
        else:
            original.message = "; ".join(
                f"{place_of(other.layer_id, other.adapter_id)}: {other.error}" for other in failed
            )
        original.details = {**(original.details or {}), **details}
        return original
    text = "; ".join(f"{place_of(other.layer_id, other.adapter_id)} {other.status}: {other.error}" for other in failed)
    if receipt.status == "cancelled":
        return KernelFailure("cancelled", text, hint="nothing was done; run the command again", details=details)
    if (step.error or "").startswith("timeout"):
        return KernelFailure(
            "timeout",
            text,
            hint="`zeroclaw config set memory.kernel.default_timeout_ms N` allows more time",
            details=details,
        )
    return KernelFailure("step-failed", text, hint="`zeroclaw memory receipts` shows what was tried", details=details)
