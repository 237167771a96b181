"""Replaying a strategy on cases, without guards, kernel or backend (specs/memory-kernel.md §14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final, NamedTuple, Protocol

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import parsing
from zeroclaw_cli.kernel.catalog import RegisteredStrategy
from zeroclaw_cli.kernel.components import StrategyDescriptor, SystemDescriptor
from zeroclaw_cli.kernel.escapes import CONTAINED, Escape, escapes
from zeroclaw_cli.kernel.json_safe import Json, canonical, freeze, kind_name, printable
from zeroclaw_cli.kernel.limits import PROPOSAL_S
from zeroclaw_cli.kernel.operations import Proposal, Request
from zeroclaw_cli.kernel.participation import Picture
from zeroclaw_cli.kernel.planning import CheckedStep, ask_strategy, dry_plan
from zeroclaw_cli.kernel.redaction import Secrets
from zeroclaw_cli.kernel.replay_cases import CATEGORIES, ExpectedStep, ReplayCase
from zeroclaw_cli.kernel.roles import Strategy
from zeroclaw_cli.kernel.strategy_plugin import StrategyPlugin, define_strategy_plugin
from zeroclaw_cli.kernel.workers import Workers, answered

_MAX_DETAIL: Final = 2_000


class StrategyCase(Protocol):
    """``check`` gets what ``propose`` returned, and raises when it is not what it should be."""

    @property
    def request(self) -> Request | Mapping[str, Any]: ...
    @property
    def descriptor(self) -> SystemDescriptor | Mapping[str, Any]: ...
    def check(self, proposal: Any, /) -> object: ...


def replay_strategy(strategy: Strategy, cases: Iterable[StrategyCase]) -> int:
    """Call ``propose`` and then ``check`` for each case, and give how many there were. The first failure propagates.

    Nothing else is checked: a proposal of no steps passes unless its case says otherwise.
    """
    count = 0
    for case in cases:
        request, descriptor = parsing.normalise_request(case.request), parsing.system_descriptor(case.descriptor)
        case.check(strategy.propose(request, descriptor))
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case. ``code`` is what the proposal was refused with, None when it would be planned; ``detail``
    says why the case failed, or how an escape was held. ``shipped`` cases are this program's own."""

    name: str
    category: str
    ok: bool
    shipped: bool
    code: str | None
    detail: str | None

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "category": self.category,
            "ok": self.ok,
            "shipped": self.shipped,
            "code": self.code,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """``missing`` are the categories without a case of the strategy's own, in the order of §14."""

    results: tuple[CaseResult, ...]
    missing: tuple[str, ...]

    @property
    def failed(self) -> tuple[CaseResult, ...]:
        return tuple(result for result in self.results if not result.ok)

    @property
    def ok(self) -> bool:
        return not self.missing and not self.failed

    def to_json(self) -> dict[str, Json]:
        return {
            "ok": self.ok,
            "passed": len(self.results) - len(self.failed),
            "failed": len(self.failed),
            "missing": list(self.missing),
            "cases": [result.to_json() for result in self.results],
        }


class Outcome(NamedTuple):
    """One attempt: the checked steps, or the code and message of what stopped it; the canonical proposal if any."""

    steps: tuple[CheckedStep, ...] = ()
    code: str | None = None
    message: str | None = None
    proposal: str | None = None

    def same(self, other: Outcome) -> bool:
        return (self.code, self.proposal) == (other.code, other.proposal)


def replay_cases(
    plugin: StrategyPlugin, cases: Sequence[ReplayCase], *, proposal_s: float = PROPOSAL_S
) -> ReplayReport:
    """Ask the wrapped strategy twice for each of ``cases`` and of the shipped escapes, and judge what it proposes by
    the kernel's rules on the case's system.

    The second round goes backwards, so that what a strategy remembers between cases shows as a difference.
    ``proposal_s`` is the time of one proposal; a strategy in another process with a limit of its own gets more.
    """
    shipped = escapes(plugin.manifest, plugin.strategy.descriptor)
    own = [escape for escape in shipped if escape.propose is None]
    asked = [(case.request, case.descriptor) for case in cases] + [
        (escape.request, escape.descriptor) for escape in own
    ]
    first = [attempt(plugin, *pair, proposal_s) for pair in asked]
    second = [attempt(plugin, *pair, proposal_s) for pair in reversed(asked)][::-1]
    pairs = list(zip(first, second, strict=True))
    results = [_golden(case, *pair) for case, pair in zip(cases, pairs, strict=False)]
    results += [_contained(escape, *pair) for escape, pair in zip(own, pairs[len(cases) :], strict=True)]
    results += [_refused(plugin, escape, proposal_s) for escape in shipped if escape.propose is not None]
    covered = {case.category for case in cases}
    return ReplayReport(tuple(results), tuple(name for name in CATEGORIES if name not in covered))


def attempt(
    plugin: StrategyPlugin, request: Mapping[str, Json], descriptor: SystemDescriptor, proposal_s: float
) -> Outcome:
    """Ask the wrapped strategy once, and plan what it proposes without a kernel."""
    text: str | None = None
    try:
        given = parsing.normalise_request(request)
        proposal = _ask(plugin, given, descriptor, proposal_s)
        text = _canonical(proposal)
        steps = dry_plan(Picture(descriptor), request, proposal, plugin.strategy.descriptor)
    except KernelFailure as failure:
        return Outcome(code=failure.code, message=failure.message, proposal=text)
    return Outcome(tuple(steps), proposal=text)


def _ask(plugin: StrategyPlugin, request: Request, system: SystemDescriptor, proposal_s: float) -> Proposal:
    strategy = RegisteredStrategy(plugin.strategy.descriptor, plugin.strategy.propose)
    answer: list[Proposal | BaseException] = []
    done: SimpleQueue[None] = SimpleQueue()

    def work() -> Callable[[], None]:
        found: Proposal | BaseException
        try:
            found = ask_strategy(strategy, request, system, Secrets())
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
            found = error
        answer.append(found)
        return lambda: done.put(None)

    try:
        _workers.submit(work)
    except RuntimeError as error:
        raise KernelFailure("strategy-error", f"no thread could be started: {error}") from error
    if not answered(done, proposal_s):
        raise KernelFailure("strategy-timeout", f"timeout: no proposal within {proposal_s:g} s")
    (found,) = answer
    if isinstance(found, KernelFailure):
        cause = found.__cause__
        raise cause if isinstance(cause, KernelFailure) and cause.code == "strategy-timeout" else found
    if isinstance(found, BaseException):
        raise KernelFailure("strategy-error", f"the strategy raised {kind_name(found)}") from found
    return found


_workers: Final = Workers()


def _canonical(proposal: Proposal) -> str | None:
    try:
        return canonical(freeze(proposal.to_json()))
    except KernelFailure:
        # The rules say what is wrong with it.
        return None


def _golden(case: ReplayCase, first: Outcome, second: Outcome) -> CaseResult:
    detail = _difference(first, second) or _mismatch(case, first)
    return CaseResult(case.name, case.category, detail is None, False, first.code, _cut(detail))


def _contained(escape: Escape, first: Outcome, second: Outcome) -> CaseResult:
    difference = _difference(first, second)
    ok = difference is None and (first.code is None or first.code in CONTAINED)
    return CaseResult(escape.name, "escape", ok, True, first.code, _cut(difference or _told(first)))


def _refused(plugin: StrategyPlugin, escape: Escape, proposal_s: float) -> CaseResult:
    assert escape.propose is not None
    forged = define_strategy_plugin(plugin.manifest, _Forged(plugin.strategy.descriptor, escape.propose))
    limit = proposal_s if escape.proposal_s is None else min(proposal_s, escape.proposal_s)
    try:
        outcome = attempt(forged, escape.request, escape.descriptor, limit)
    finally:
        escape.over()
    ok = outcome.code in escape.codes
    detail = _told(outcome) if ok else f"expected {_either(escape.codes)}, got {_told(outcome) or 'a plan'}"
    return CaseResult(escape.name, "escape", ok, True, outcome.code, _cut(detail))


@dataclass(frozen=True, slots=True)
class _Forged:
    """What a strategy of this name could do at worst."""

    descriptor: StrategyDescriptor
    function: Callable[[Request, SystemDescriptor], Any]

    def propose(self, request: Request, context: SystemDescriptor) -> Any:
        return self.function(request, context)


def _difference(first: Outcome, second: Outcome) -> str | None:
    if first.same(second):
        return None
    return f"not deterministic: first {_told(first) or first.proposal}, asked again {_told(second) or second.proposal}"


def _mismatch(case: ReplayCase, outcome: Outcome) -> str | None:
    if case.error is not None:
        if outcome.code == case.error:
            return None
        return f"expected the error {case.error}, got {_told(outcome) or _steps(outcome)}"
    if outcome.code is not None:
        return f"expected steps, got {_told(outcome)}"
    request = parsing.normalise_request(case.request)
    matches = len(case.steps) == len(outcome.steps) and all(map(_fits(request), case.steps, outcome.steps))
    if matches:
        return None
    wanted = ", ".join(_shown(step.layer_id, step.capability, step.adapter_id, step.input) for step in case.steps)
    return f"expected the steps {wanted}; got {_steps(outcome)}"


def _fits(request: Request) -> Callable[[ExpectedStep, CheckedStep], bool]:
    def fits(expected: ExpectedStep, found: CheckedStep) -> bool:
        same = (expected.layer_id, expected.capability or request.capability, expected.adapter_id) == (
            found.layer_id,
            found.capability,
            found.adapter_id,
        )
        allowed = (None, request.input) if expected.any_input else (expected.input,)
        return same and canonical(found.input) in map(canonical, allowed)

    return fits


def _steps(outcome: Outcome) -> str:
    return ", ".join(_shown(step.layer_id, step.capability, step.adapter_id, step.input) for step in outcome.steps)


def _shown(layer_id: str, capability: str | None, adapter_id: str | None, input_: Json) -> str:
    adapter = "" if adapter_id is None else f" by {adapter_id}"
    given = "" if input_ is None else f" with {printable(canonical(input_))}"
    return f"{layer_id}{adapter}{'' if capability is None else f' {capability}'}{given}"


def _told(outcome: Outcome) -> str | None:
    return None if outcome.code is None else f"{outcome.code}: {outcome.message}"


def _either(codes: frozenset[str]) -> str:
    return " or ".join(sorted(codes))


def _cut(detail: str | None) -> str | None:
    return None if detail is None else printable(detail, _MAX_DETAIL)
