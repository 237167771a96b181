"""The examples of the strategies' page work as they are written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.kernel.artefacts import system
from tests.kernel.graphs import asking
from zeroclaw_cli.kernel import strategies
from zeroclaw_cli.kernel.components import StrategyDescriptor
from zeroclaw_cli.kernel.operations import Budget, Scope
from zeroclaw_cli.kernel.planning import dry_plan
from zeroclaw_cli.kernel.strategies.process import PythonStrategy
from zeroclaw_cli.kernel.strategies.rules import _BUDGET, _RULE, _WHEN, RulesStrategy, read_rules

TEXT = (Path(strategies.__file__).parent / "README.md").read_text("utf-8")
DESCRIPTOR = StrategyDescriptor("page", "1", "Page", "Of the page", (), True)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.S | re.M)


def layers(strategy: Any, **changes: Any) -> list[str]:
    picture = system()
    proposal = strategy.propose(asking(**changes), picture)
    dry_plan(picture, asking(**changes), proposal, DESCRIPTOR)
    return [step.layer_id for step in proposal.steps]


def test_the_rules_route_as_they_read() -> None:
    (text,) = blocks("toml")
    strategy = RulesStrategy(DESCRIPTOR, read_rules(text))
    assert layers(strategy, budget=Budget(max_results=5)) == ["memory-spaces"]
    assert layers(strategy) == ["documents", "memory-spaces"]
    assert layers(strategy, capability="read", scope=Scope("global")) == ["runtime", "documents", "memory-spaces"]


def test_the_python_runs_as_it_stands() -> None:
    source, _ = blocks("python")
    strategy = PythonStrategy(DESCRIPTOR, source)
    assert layers(strategy) == ["documents", "memory-spaces"]
    strategy.close()


def test_the_host_runs_as_it_stands(tmp_path: Path) -> None:
    _, source = blocks("python")
    exec(source.replace("/home/me", str(tmp_path)), {})
    assert not list(tmp_path.iterdir())


def test_every_key_of_a_rule_is_on_the_page() -> None:
    for name in (*_RULE, *_WHEN, *_BUDGET):
        assert f"`{name}`" in TEXT or f"`when.{name}`" in TEXT or name == "when"
