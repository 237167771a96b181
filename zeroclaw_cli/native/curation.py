"""Scheduled curation of the standing document: declared, counted and planned, never run here.

specs/native-memory.md §16: a pass needs a model, and this program ships none. The manifest arms it, the setting
``curation_interval_turns`` enables it, and a host that has a model asks for the plan.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from zeroclaw_cli.errors import DocumentInput
from zeroclaw_cli.memory.documents import CurationPlan, Document
from zeroclaw_cli.native.db import Store
from zeroclaw_cli.native.manifest import Bundle, ScheduledOp
from zeroclaw_cli.native.scope import OF_SCOPE, Scope
from zeroclaw_cli.native.stamps import now_stamp, shown


@dataclass(frozen=True, slots=True)
class CurationReport:
    """What one pass reports, once: whether the document changed, how many entries were merged and contradictions
    resolved, which entries went, what could not be settled, and a sentence."""

    changed: bool
    merged: int
    resolved: int
    removed: tuple[str, ...]
    conflicts: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class TurnCount:
    """The turns of an owner so far, and whether the one just counted starts a pass."""

    turns: int
    due: bool


def turns(store: Store, scope: Scope) -> int:
    """How many completed conversation turns the owner has had."""
    rows = store.query(f"SELECT turns FROM turn_counters WHERE {OF_SCOPE}", scope.key)  # noqa: S608
    return int(rows[0][0]) if rows else 0


def count_turn(store: Store, scope: Scope, interval: int | None, *, background: bool = False) -> TurnCount:
    """Count one completed turn of the owner; ``interval`` None means that curation is off, and no pass is ever due.

    A background run is not counted and starts nothing, so that no pass schedules the next.
    """
    if background:
        return TurnCount(turns(store, scope), due=False)
    with store.write() as transaction:
        transaction.execute(
            "INSERT INTO turn_counters (tenant, user, agent, project, turns) VALUES (?, ?, ?, ?, 1)"
            " ON CONFLICT (tenant, user, agent, project) DO UPDATE SET turns = turns + 1",
            scope.key,
        )
        row = transaction.execute(f"SELECT turns FROM turn_counters WHERE {OF_SCOPE}", scope.key).fetchone()  # noqa: S608
    counted = int(row[0])
    return TurnCount(counted, due=interval is not None and _starts_a_pass(counted, interval))


def _starts_a_pass(turns: int, interval: int) -> bool:
    """Whether the last of so many turns starts a pass: every ``interval``-th does."""
    return turns > 0 and turns % interval == 0


def plan(
    bundle: Bundle, store: Store, scope: Scope, *, interval_turns: int | None, standing: Document | None
) -> CurationPlan:
    """What the next pass would be given. Raises DocumentInput ``curation_not_declared`` when the provider has none."""
    op = _declared(bundle)
    interval = op.interval_turns if interval_turns is None else interval_turns
    so_far = turns(store, scope)
    return CurationPlan(
        enabled=interval_turns is not None,
        interval_turns=interval,
        turns=so_far,
        due=interval_turns is not None and _starts_a_pass(so_far, interval),
        prompt=bundle.prompt_of(op),
        tools=op.tools,
        max_model_calls=op.max_model_calls,
        standing=standing,
    )


def _declared(bundle: Bundle) -> ScheduledOp:
    if not bundle.manifest.scheduled_ops:
        raise DocumentInput("curation_not_declared", "the bound memory provider declares no curation")
    return bundle.manifest.scheduled_ops[0]


def parse_report(value: Mapping[str, Any]) -> CurationReport:
    """The report of a pass; every field is needed and no other. Raises DocumentInput ``bad_report``."""
    expected = {"changed", "merged", "resolved", "removed", "conflicts", "summary"}
    whole = {"merged", "resolved"}
    lists = {"removed", "conflicts"}
    if set(value) != expected or not isinstance(value["changed"], bool) or not isinstance(value["summary"], str):
        raise _bad_report()
    if any(isinstance(value[name], bool) or not isinstance(value[name], int) or value[name] < 0 for name in whole):
        raise _bad_report()
    if any(
        not isinstance(value[name], list) or not all(isinstance(item, str) for item in value[name]) for name in lists
    ):
        raise _bad_report()
    return CurationReport(
        changed=value["changed"],
        merged=value["merged"],
        resolved=value["resolved"],
        removed=tuple(value["removed"]),
        conflicts=tuple(value["conflicts"]),
        summary=value["summary"],
    )


def _bad_report() -> DocumentInput:
    return DocumentInput(
        "bad_report",
        "the report of a curation pass is not as it must be",
        hint="give changed, merged, resolved, removed, conflicts and summary, and nothing else",
    )


def keep_report(store: Store, scope: Scope, report: CurationReport) -> None:
    """Keep the report of a pass."""
    with store.write() as transaction:
        transaction.execute(
            "INSERT INTO curation_reports (tenant, user, agent, project, at, data) VALUES (?, ?, ?, ?, ?, ?)",
            (*scope.key, now_stamp(), json.dumps(asdict(report))),
        )


def reports(store: Store, scope: Scope, *, limit: int = 20) -> list[tuple[str, CurationReport]]:
    """The newest reports of the owner with their RFC 3339 times, newest first."""
    rows = store.query(
        f"SELECT at, data FROM curation_reports WHERE {OF_SCOPE} ORDER BY id DESC LIMIT ?",  # noqa: S608
        (*scope.key, limit),
    )
    return [(shown(at), parse_report(json.loads(data))) for at, data in rows]
