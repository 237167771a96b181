"""What the strategy commands say to people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zeroclaw_cli.cli import output
from zeroclaw_cli.memory.text import counted

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.replay import ReplayReport
    from zeroclaw_cli.kernel.strategies.checks import CheckReport
    from zeroclaw_cli.kernel.strategies.promotion import Promoted, RolledBack
    from zeroclaw_cli.kernel.strategies.shadow import ShadowReport
    from zeroclaw_cli.kernel.strategies.state import History, Ref

_EVENTS: Final = 5


def say_check(report: CheckReport, *, strict: bool) -> None:
    for finding in report.findings:
        output.say(f"{finding.level:<7}  {finding.id}: {finding.detail}")
        if finding.hint and finding.level != "ok":
            output.say(f"         {finding.hint}")
    if report.manifest is not None:
        granted = report.manifest.permissions
        for what, names in (
            ("layers", granted.layer_ids),
            ("adapters", granted.adapter_ids),
            ("capabilities", granted.capabilities),
        ):
            output.say(f"may use  {what}: {', '.join(names) or 'none'}")
        output.say(f"may use  steps: {granted.max_steps} at most")
    verdict = "passed" if report.ok(strict=strict) else "failed"
    errors, warnings = counted(report.count("error"), "error"), counted(report.count("warning"), "warning")
    output.say(f"{verdict}: {errors}, {warnings}")


def say_replay(report: ReplayReport) -> None:
    for result in report.results:
        if not result.ok or not result.shipped:
            output.say(f"{'ok' if result.ok else 'failed':<7}  {result.category}: {result.name}")
            if not result.ok:
                output.say(f"         {result.detail}")
    shipped = [result for result in report.results if result.shipped]
    held = sum(result.ok for result in shipped)
    output.say(
        f"{'ok' if held == len(shipped) else 'failed':<7}  {held} of {counted(len(shipped), 'shipped escape')} held"
    )
    for name in report.missing:
        output.say(f"failed   {name}: it has no case of this category")
    number, failed = len(report.results), len(report.failed)
    verdict = f"{number - failed} of {counted(number, 'case')}"
    if report.ok:
        output.say(f"passed: {verdict}")
        return
    missing = counted(len(report.missing), "category has", "categories have")
    output.say(f"failed: {verdict} passed, {failed} failed" + (f", {missing} no case" if report.missing else ""))


def say_shadow(report: ShadowReport, source: str) -> None:
    for row in report.rows:
        if row.outcome != "same":
            request = row.request
            output.say(f"{row.outcome}  {row.number}: {request.operation} ({request.capability}, {request.trigger})")
            output.say(f"  active     {row.active.describe()}")
            output.say(f"  candidate  {row.candidate.describe()}")
    counts = ", ".join(f"{count} {outcome}" for outcome, count in report.counts.items())
    total = counted(len(report.rows), "request")
    output.say(f"{'passed' if report.ok else 'failed'}: {total} of the {source}: {counts}")


def say_promoted(result: Promoted) -> None:
    if result.canary is not None:
        output.say(
            f"{result.strategy.label} plans {result.canary} % of the turns; "
            f"{result.before.label} stays active for the others."
        )
    elif not result.changed:
        output.say(f"{result.strategy.label} is active already.")
    else:
        output.say(f"{result.strategy.label} is active, in place of {result.before.label}.")


def say_rolled_back(result: RolledBack) -> None:
    if result.gave_up == result.active:
        output.say(f"The last promotion had not become active; {result.active.label} stays active.")
        return
    what = f"The canary {result.gave_up.label} was ended" if result.canary else f"{result.gave_up.label} was taken back"
    output.say(f"{what}; {result.active.label} is active.")


def say_list(history: History, active: Ref) -> None:
    output.say(f"Active: {active.label}")
    canary = history.canary
    if canary is not None:
        plans = counted(canary.plans, "plan")
        output.say(
            f"Canary: {canary.id}@{canary.version} for {canary.percent} % of the turns; "
            f"{canary.failed} of {plans} failed"
        )
    for found in history.published:
        state = state_of(history, found.ref, active)
        output.say(f"  {found.ref.label}  {found.kind}, {state}, {found.at}: {found.label}")
        output.say(f"    sha256 {found.digest}")
    if history.events:
        output.say("Last:")
    for event in history.events[-_EVENTS:]:
        output.say(f"  {event.at}  {event.what} {event.strategy.label}: {event.reason}")


def state_of(history: History, ref: Ref, active: Ref) -> str:
    if ref == active:
        return "active"
    if history.canary is not None and history.canary.digest == ref.digest:
        return "canary"
    return "promoted"
