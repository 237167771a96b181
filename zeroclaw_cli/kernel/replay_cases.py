"""The cases that a strategy is replayed on, one JSON object a line (specs/memory-kernel.md §14)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits, parsing
from zeroclaw_cli.kernel.components import SystemDescriptor
from zeroclaw_cli.kernel.json_safe import Json, freeze, printable

CATEGORIES: Final = (
    "normal-routing",
    "disabled-layer",
    "trigger-boundary",
    "missing-adapter",
    "budget-ceiling",
    "escape",
)
"""A strategy needs at least one case of each to be promoted."""

_CASE: Final = frozenset({"name", "category", "request", "descriptor", "expect"})
_STEP: Final = frozenset({"layerId", "capability", "adapterId", "input"})
_CODE: Final = re.compile(r"[a-z][a-z0-9-]{0,99}")
_MAX_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """``capability`` None is the request's; ``any_input`` lets the step have the request's input or none."""

    layer_id: str
    capability: str | None = None
    adapter_id: str | None = None
    input: Json = None
    any_input: bool = True


@dataclass(frozen=True, slots=True)
class ReplayCase:
    """A request, a system and what must come of it: exactly these steps, or an error of this code.

    ``request`` is in its wire form, since a case may be about one that is refused.
    """

    name: str
    category: str
    request: Mapping[str, Json]
    descriptor: SystemDescriptor
    steps: tuple[ExpectedStep, ...] = ()
    error: str | None = None


def read_cases(text: str, name: str = "replay.jsonl") -> tuple[ReplayCase, ...]:
    """The cases of a file of JSON lines; empty lines are skipped.

    Raises KernelFailure ``invalid-case`` that names the line.
    """
    cases: dict[str, ReplayCase] = {}
    # Not splitlines: text within JSON may hold other line breaks.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        where = f"line {number} of {name}"
        try:
            case = read_case(json.loads(line, object_pairs_hook=_no_repetition))
        except KernelFailure as failure:
            raise _located(failure, where) from None
        except (ValueError, RecursionError) as error:
            what = str(error) if isinstance(error, ValueError) else "nested too deep"
            raise _located(KernelFailure("invalid-case", f"it is not JSON: {printable(what)}"), where) from None
        if case.name in cases:
            raise _located(KernelFailure("invalid-case", f"there is a case '{printable(case.name)}' already"), where)
        cases[case.name] = case
    return tuple(cases.values())


def read_case(value: Mapping[str, Any]) -> ReplayCase:
    """One case in its wire form. Raises KernelFailure ``invalid-case``, or what its descriptor is refused with."""
    body = _table(freeze(value, "the case"), "a case", _CASE)
    title = body.get("name")
    if type(title) is not str or not 1 <= len(title.strip()) <= _MAX_NAME:
        _refuse(f"name must be text of 1 to {_MAX_NAME} characters")
    category = body.get("category")
    if category not in CATEGORIES:
        _refuse(f"category is {category!r:.100}; it must be one of: {', '.join(CATEGORIES)}")
    request = body.get("request")
    if not isinstance(request, Mapping):
        _refuse("request must be an object")
    if not isinstance(body.get("descriptor"), Mapping):
        _refuse("descriptor must be an object with catalog and topology")
    steps, error = _expectation(body.get("expect"))
    return ReplayCase(title.strip(), category, request, parsing.system_descriptor(body["descriptor"]), steps, error)


def _expectation(value: Json) -> tuple[tuple[ExpectedStep, ...], str | None]:
    body = _table(value, "expect", frozenset({"steps", "error"}))
    if len(body) != 1:
        _refuse("expect must have either steps or error")
    if "error" in body:
        code = body["error"]
        if type(code) is not str or _CODE.fullmatch(code) is None:
            _refuse("expect.error must be an error code, such as no-steps")
        return (), code
    steps = body["steps"]
    if type(steps) is not tuple or not steps:
        _refuse('expect.steps must be a list of steps; what proposes none is {"error": "no-steps"}')
    return tuple(map(_step, steps)), None


def _step(value: Json) -> ExpectedStep:
    body = _table(value, "a step of expect", _STEP)
    for name in ("layerId", "capability", "adapterId"):
        found = body.get(name)
        if type(found) is not str and (name == "layerId" or found is not None):
            _refuse(f"{name} of a step of expect must be text")
    capability = body.get("capability")
    if capability is not None and capability not in limits.CAPABILITIES:
        _refuse(f"{printable(capability, 100)!r} is not a capability")
    return ExpectedStep(body["layerId"], capability, body.get("adapterId"), body.get("input"), "input" not in body)


def _table(value: Json, what: str, known: frozenset[str]) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        _refuse(f"{what} must be an object")
    unknown = sorted(key for key in value if key not in known)
    if unknown:
        _refuse(f"{what} has the unknown key '{printable(unknown[0], 100)}'")
    return value


def _no_repetition(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r:.100} occurs twice in one object")
        found[key] = value
    return found


def _refuse(what: str) -> NoReturn:
    raise KernelFailure("invalid-case", what)


def _located(failure: KernelFailure, where: str) -> KernelFailure:
    return KernelFailure(
        "invalid-case",
        f"{where}: {failure.message}",
        hint=failure.hint or "a case is {name, category, request, descriptor, expect} on one line",
        details={"place": where, "code": failure.code},
    )
