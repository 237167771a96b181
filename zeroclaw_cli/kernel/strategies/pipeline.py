"""The stages of an artefact on its way, each with the evidence that it leaves (specs/memory-kernel.md §15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from zeroclaw_cli.config.model import Security
from zeroclaw_cli.errors import explain
from zeroclaw_cli.kernel.components import SystemDescriptor
from zeroclaw_cli.kernel.limits import PROPOSAL_S
from zeroclaw_cli.kernel.operations import Request
from zeroclaw_cli.kernel.replay import ReplayReport, replay_cases
from zeroclaw_cli.kernel.replay_cases import read_cases
from zeroclaw_cli.kernel.roles import Strategy
from zeroclaw_cli.kernel.strategies import checks, shadow
from zeroclaw_cli.kernel.strategies.artefact import CASES, Artefact
from zeroclaw_cli.kernel.strategies.checks import CheckReport
from zeroclaw_cli.kernel.strategies.loading import load, require_trust
from zeroclaw_cli.kernel.strategies.process import START_S
from zeroclaw_cli.kernel.strategies.shadow import ShadowReport
from zeroclaw_cli.kernel.strategies.store import StrategyStore

Tell = Callable[[str], object]
"""Hears that evidence could not be kept; the stage itself is done then."""

# The process of a strategy.py holds the limits itself; this one only catches what that does not.
_OUTER_S: Final = START_S + PROPOSAL_S + 5


def check(store: StrategyStore, artefact: Artefact, security: Security, tell: Tell) -> CheckReport:
    """Look at ``artefact`` without running it. Raises StrategiesDamaged."""
    report = checks.check(artefact, store.history(), security)
    detail = {"errors": report.count("error"), "warnings": report.count("warning")}
    _record(store, artefact, "check", report.ok(), detail, tell)
    return report


def replay(
    store: StrategyStore, artefact: Artefact, tell: Tell, other_cases: tuple[str, str] | None = None
) -> ReplayReport:
    """Run the cases of ``artefact`` and the shipped escapes. ``other_cases`` (a name and a text) stand in the place of
    its own; then nothing is recorded, since its digest does not cover them.

    Raises StrategyUntrusted, KernelFailure ``invalid-case`` and what loading raises, StrategiesDamaged.
    """
    require_trust(store, artefact)
    # Asked in two processes by turns, a strategy.py cannot remember what it answered, nor hash in the same order.
    loaded = load(artefact, processes=2)
    name, text = (CASES, artefact.text(CASES)) if other_cases is None else other_cases
    try:
        cases = read_cases(text, name)
        outer = _OUTER_S if loaded.kind == "python" else PROPOSAL_S
        report = replay_cases(loaded.plugin, cases, proposal_s=outer)
    finally:
        loaded.close()
    if other_cases is None:
        detail = {"cases": len(report.results), "failed": len(report.failed), "missing": len(report.missing)}
        _record(store, artefact, "replay", report.ok, detail, tell)
    return report


def shadowed(
    store: StrategyStore,
    artefact: Artefact,
    requests: Sequence[Request],
    descriptor: SystemDescriptor,
    active: Strategy | None,
    tell: Tell,
    *,
    source: str,
) -> ShadowReport:
    """Plan ``requests`` with the ``active`` strategy and with ``artefact``, on ``descriptor``. Nothing is executed.
    ``source`` says where the requests are from.

    Raises StrategyUntrusted and what loading raises, StrategiesDamaged.
    """
    require_trust(store, artefact)
    loaded = load(artefact)
    try:
        report = shadow.compare(requests, descriptor, active, loaded.plugin.strategy)
    finally:
        loaded.close()
    detail: dict[str, int | str] = {"from": source, "requests": len(report.rows), **report.counts}
    _record(store, artefact, "shadow", report.ok, detail, tell)
    return report


def _record(
    store: StrategyStore, artefact: Artefact, stage: str, ok: bool, detail: Mapping[str, int | str], tell: Tell
) -> None:
    try:
        store.record(artefact.digest, stage, ok=ok, detail=dict(detail))
    except OSError as error:
        tell(f"that it {'passed' if ok else 'failed'} {stage} was not recorded: {explain(error)}")
