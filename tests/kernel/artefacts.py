"""Folders of strategies for tests, and a store whose clock ticks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from zeroclaw_cli.config.model import Security
from zeroclaw_cli.kernel.catalog import MemoryCatalog
from zeroclaw_cli.kernel.components import SystemDescriptor
from zeroclaw_cli.kernel.default_system import DEFAULT_TOPOLOGY, DefaultStrategy, default_three_tier
from zeroclaw_cli.kernel.operations import Request
from zeroclaw_cli.kernel.strategies import pipeline
from zeroclaw_cli.kernel.strategies.artefact import Artefact, Kind, read_artefact
from zeroclaw_cli.kernel.strategies.shadow import read_requests
from zeroclaw_cli.kernel.strategies.store import StrategyStore
from zeroclaw_cli.kernel.strategies.template import create
from zeroclaw_cli.kernel.topology import TopologyManager

PROPOSE = "def propose(request, context):\n    return {'reason': 'as it is', 'steps': []}\n"


def ticking() -> Callable[[], str]:
    moments = iter(range(10**9))
    return lambda: f"2026-03-01T12:00:00.{next(moments):09}Z"


def store_in(tmp_path: Path) -> StrategyStore:
    return StrategyStore(tmp_path / "data", now=ticking())


def folder(parent: Path, name: str = "mine", kind: Kind = "rules") -> Path:
    """The folder of a new strategy that passes every stage."""
    return create(parent, name, kind).directory


def versioned(parent: Path, name: str, version: str, kind: Kind = "rules") -> Artefact:
    """Another version of the strategy ``name``."""
    directory = folder(parent / f"v{version}", name, kind)
    change(directory, "strategy.toml", 'version = "1"', f'version = "{version}"')
    return read_artefact(directory)


def change(directory: Path, file: str, old: str, new: str) -> None:
    path = directory / file
    text = path.read_text("utf-8")
    assert old in text, old
    path.write_text(text.replace(old, new), "utf-8")


def system() -> SystemDescriptor:
    catalog = MemoryCatalog()
    default_three_tier(catalog, {})
    return TopologyManager(catalog, DEFAULT_TOPOLOGY).descriptor()


def requests_of(artefact: Artefact) -> tuple[Request, ...]:
    return read_requests(artefact.text("replay.jsonl"), "replay.jsonl")


def unheard(line: str) -> None:
    raise AssertionError(line)


def passed(store: StrategyStore, artefact: Artefact) -> Artefact:
    """``artefact`` after it passed every stage, its code allowed to run."""
    if artefact.kind == "python":
        store.trust(artefact.digest)
    assert pipeline.check(store, artefact, Security(), unheard).ok()
    assert pipeline.replay(store, artefact, unheard).ok
    asked = requests_of(artefact)
    assert pipeline.shadowed(store, artefact, asked, system(), DefaultStrategy(), unheard, source="cases").ok
    return artefact


def line(value: Mapping[str, object]) -> str:
    return json.dumps(value) + "\n"
