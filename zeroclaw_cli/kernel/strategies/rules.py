"""Declarative strategies: ``rules.toml`` (specs/memory-kernel.md §15).

The first rule whose conditions hold for a request says which layers it goes to, and through which adapters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits, parsing
from zeroclaw_cli.kernel.components import StrategyContext, StrategyDescriptor
from zeroclaw_cli.kernel.json_safe import printable
from zeroclaw_cli.kernel.operations import Proposal, Request, StepProposal
from zeroclaw_cli.kernel.participation import Picture
from zeroclaw_cli.kernel.strategy_plugin import Permissions

_MOST_RULES: Final = 1_000
_CONDITIONS: Final = {
    "capability": limits.CAPABILITIES,
    "trigger": limits.TRIGGERS,
    "storage": limits.STORAGES,
}
_BUDGET: Final = {
    "max_steps": limits.MAX_STEPS,
    "max_results": limits.MAX_RESULTS,
    "max_tokens": limits.MAX_TOKENS,
    "timeout_ms": limits.MAX_TIMEOUT_MS,
}
_WHEN: Final = (*_CONDITIONS, "budget")
_RULE: Final = ("when", "layers", "adapters", "own_store", "max_steps", "reason")


@dataclass(frozen=True, slots=True)
class When:
    """The conditions of a rule. None means that anything will do; ``budget`` maps a limit to the largest value at
    which the request counts as that tight."""

    capability: frozenset[str] | None = None
    trigger: frozenset[str] | None = None
    storage: frozenset[str] | None = None
    budget: Mapping[str, int] = field(default_factory=dict)

    def holds(self, request: Request) -> bool:
        values = (request.capability, request.trigger, request.scope.storage)
        wanted = (self.capability, self.trigger, self.storage)
        return all(words is None or value in words for words, value in zip(wanted, values, strict=True)) and all(
            (limit := getattr(request.budget, name, None)) is not None and limit <= most
            for name, most in self.budget.items()
        )

    def covers(self, other: When) -> bool:
        """Whether every request for which ``other`` holds is one for which this holds."""
        pairs = (
            (self.capability, other.capability),
            (self.trigger, other.trigger),
            (self.storage, other.storage),
        )
        return all(mine is None or (theirs is not None and theirs <= mine) for mine, theirs in pairs) and all(
            name in other.budget and other.budget[name] <= most for name, most in self.budget.items()
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """Where requests go. Without ``adapters`` a layer is asked through those that are bound to it. ``own_store``:
    whether a layer to which none is bound is asked too."""

    when: When
    layers: tuple[str, ...]
    adapters: tuple[str, ...] = ()
    own_store: bool = True
    max_steps: int | None = None
    reason: str | None = None

    def most_steps(self, permissions: Permissions) -> int:
        """The most steps that it can propose of what is granted."""
        each = len(self.adapters or permissions.adapter_ids) or 1
        return min(len(self.layers) * each, self.max_steps or limits.MAX_STEPS)


@dataclass(frozen=True, slots=True)
class RulesStrategy:
    """Rules as a strategy. A layer that cannot or may not do what is asked gets no step; never raises.

    ``granted`` are the adapters of its manifest. Where they are none of a layer that a rule without adapters names,
    those that are bound are proposed all the same: that the manifest refuses them says what is wrong, and the layer's
    own store has nothing of theirs.
    """

    descriptor: StrategyDescriptor
    rules: tuple[Rule, ...]
    granted: tuple[str, ...] = ()

    def propose(self, request: Request, context: StrategyContext) -> Proposal:
        for number, rule in enumerate(self.rules, 1):
            if rule.when.holds(request):
                steps = tuple(_steps(rule, request, context, self.granted))[: rule.max_steps]
                return self._proposal(rule.reason or f"rule {number} is for this request", steps)
        return self._proposal("no rule is for this request", ())

    def _proposal(self, reason: str, steps: tuple[StepProposal, ...]) -> Proposal:
        return Proposal(self.descriptor.id, self.descriptor.version, reason, steps)


def _steps(rule: Rule, request: Request, context: StrategyContext, granted: tuple[str, ...]) -> Iterator[StepProposal]:
    picture, candidates, wanted = Picture(context), request.candidate_layer_ids, request.adapter_ids
    bindings = {layer.id: layer.adapter_ids for layer in context.topology.layers}
    for layer_id in rule.layers:
        if picture.refusal(layer_id, request.capability, request.trigger) is not None:
            continue
        if candidates is not None and layer_id not in candidates:
            continue
        bound = bindings[layer_id]
        if not bound and rule.own_store:
            yield StepProposal(layer_id, request.capability, None, request.input)
        able = [
            id_
            for id_ in rule.adapters or bound
            if id_ in bound
            and (wanted is None or id_ in wanted)
            and request.capability in picture.adapters.get(id_, frozenset())
        ]
        for id_ in able if rule.adapters else [id_ for id_ in able if id_ in granted] or able:
            yield StepProposal(layer_id, request.capability, id_, request.input)


def read_rules(text: str) -> tuple[Rule, ...]:
    """The rules of a ``rules.toml``. Raises KernelFailure ``invalid-rules`` that names the rule and the key."""
    from zeroclaw_cli.config.toml_read import load_toml

    try:
        document = load_toml(text)
    except ValueError as error:
        raise _invalid(f"it is not TOML: {printable(str(error))}", "") from None
    _known(document, ("rule",), "it", "")
    tables = document.get("rule", [])
    if type(tables) is not list or not tables or not all(type(table) is dict for table in tables):
        raise _invalid("it has no [[rule]]", "rule")
    if len(tables) > _MOST_RULES:
        raise _invalid(f"it has more than {_MOST_RULES} rules", "rule")
    return tuple(_rule(table, f"rule {number}") for number, table in enumerate(tables, 1))


def _rule(table: Mapping[str, Any], what: str) -> Rule:
    _known(table, _RULE, what, what)
    layers = _ids(table, "layers", what)
    if not layers:
        raise _invalid(f"{what} needs layers, a list of at least one layer id", f"{what}.layers")
    adapters = _ids(table, "adapters", what)
    own_store = table.get("own_store", not adapters)
    if type(own_store) is not bool:
        raise _invalid(f"{what}: own_store must be true or false", f"{what}.own_store")
    if not own_store and not adapters:
        raise _invalid(f"{what}: own_store = false needs adapters, or it proposes nothing", f"{what}.own_store")
    reason = table.get("reason")
    if reason is not None and (type(reason) is not str or not 1 <= len(reason.strip()) <= limits.MAX_REASON):
        raise _invalid(f"{what}: reason must be text of 1 to {limits.MAX_REASON} characters", f"{what}.reason")
    max_steps = table.get("max_steps")
    if max_steps is not None:
        _number(max_steps, limits.MAX_STEPS, f"{what}: max_steps", f"{what}.max_steps")
    when = _when(table.get("when", {}), what)
    return Rule(when, layers, adapters, own_store, max_steps, None if reason is None else reason.strip())


def _when(table: object, what: str) -> When:
    place = f"{what}.when"
    if type(table) is not dict:
        raise _invalid(f"{what}: when must be a table of {', '.join(_WHEN)}", place)
    _known(table, _WHEN, f"{what}: when", place)
    words = {name: _condition(table[name], name, what) for name in _CONDITIONS if name in table}
    budget = table.get("budget", {})
    if type(budget) is not dict:
        raise _invalid(f"{what}: when.budget must be a table of {', '.join(_BUDGET)}", f"{place}.budget")
    _known(budget, tuple(_BUDGET), f"{what}: when.budget", f"{place}.budget")
    for name, most in budget.items():
        _number(most, _BUDGET[name], f"{what}: when.budget.{name}", f"{place}.budget.{name}")
    return When(words.get("capability"), words.get("trigger"), words.get("storage"), budget)


def _condition(value: object, name: str, what: str) -> frozenset[str]:
    words = [value] if type(value) is str else value
    known = _CONDITIONS[name]
    if type(words) is not list or not words or not all(type(word) is str and word in known for word in words):
        raise _invalid(
            f"{what}: when.{name} must be one of {', '.join(known)}, or a list of them", f"{what}.when.{name}"
        )
    return frozenset(words)


def _ids(table: Mapping[str, Any], name: str, what: str) -> tuple[str, ...]:
    value = table.get(name, [])
    if type(value) is not list:
        raise _invalid(f"{what}: {name} must be a list of ids", f"{what}.{name}")
    try:
        return tuple(dict.fromkeys(parsing.component_id(item, "id") for item in value))
    except KernelFailure as failure:
        raise _invalid(f"{what}: {name}: {failure.message}", f"{what}.{name}") from None


def _number(value: object, most: int, what: str, place: str) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise _invalid(f"{what} must be an integer from 1 to {most}", place)


def _known(table: Mapping[str, Any], known: Sequence[str], what: str, place: str) -> None:
    unknown = sorted(name for name in table if name not in known)
    if unknown:
        raise _invalid(
            f"{what} has the unknown key '{printable(unknown[0], 100)}'; there are {', '.join(known)}", place
        )


def _invalid(what: str, place: str) -> KernelFailure:
    return KernelFailure(
        "invalid-rules",
        f"rules.toml: {what}",
        hint="`zeroclaw strategy check --help` shows what a rule may say",
        details={"field": place},
    )


def refusals(rules: Sequence[Rule], permissions: Permissions) -> list[str]:
    """What the rules name that the manifest does not grant: every plan of such a rule would be refused."""
    found = []
    for number, rule in enumerate(rules, 1):
        for what, named, granted in (
            ("layer", rule.layers, permissions.layer_ids),
            ("adapter", rule.adapters, permissions.adapter_ids),
        ):
            found += [f"rule {number} names the {what} {id_}" for id_ in named if id_ not in granted]
    return found


def remarks(rules: Sequence[Rule], permissions: Permissions) -> list[str]:
    """What an author probably did not mean: rules that are never reached, or never can be used whole."""
    found = []
    for number, rule in enumerate(rules, 1):
        earlier = _first(rules[: number - 1], lambda other, rule=rule: other.when.covers(rule.when))  # type: ignore[misc]
        if earlier is not None:
            found.append(f"rule {number} is never reached: rule {earlier} takes all of its requests")
        lost = sorted((rule.when.capability or frozenset()) - frozenset(permissions.capabilities))
        if lost:
            found.append(f"rule {number} is for {', '.join(lost)}, which permissions.capabilities does not grant")
        most = rule.most_steps(permissions)
        if most > permissions.max_steps:
            found.append(f"rule {number} can propose {most} steps, and maxSteps is {permissions.max_steps}")
    named = {id_ for rule in rules for id_ in (*rule.layers, *(rule.adapters or permissions.adapter_ids))}
    spare = [id_ for id_ in (*permissions.layer_ids, *permissions.adapter_ids) if id_ not in named]
    if spare:
        found.append(f"granted but used by no rule: {', '.join(spare)}")
    return found


def _first(rules: Sequence[Rule], test: Callable[[Rule], bool]) -> int | None:
    return next((number for number, rule in enumerate(rules, 1) if test(rule)), None)
