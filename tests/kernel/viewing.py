"""Sources and a graph with turn views, for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.kernel.graphs import LAYERS, Graph
from zeroclaw_cli.kernel.contracts import SourceContext, SourceSnapshot
from zeroclaw_cli.kernel.sources import RegisteredSource, registered_source
from zeroclaw_cli.kernel.turn_views import TurnViewManager


@dataclass
class TextSource:
    """Gives ``wake``; its revision and state are looked up when it is asked."""

    layer_id: str
    mode: str = "routed"
    wake: str = "what it holds"
    revision: str = "1"
    state: Any = None
    asked: list[SourceContext] = field(default_factory=list)

    def snapshot(self, context: SourceContext) -> Any:
        self.asked.append(context)
        return SourceSnapshot(self.revision, self.wake, self.state)


@dataclass
class FunctionSource:
    layer_id: str
    function: Callable[[SourceContext], Any]
    mode: str = "routed"

    def snapshot(self, context: SourceContext) -> Any:
        return self.function(context)


class Viewed:
    """The graph of :mod:`tests.kernel.graphs` with a source for each layer."""

    def __init__(self, *sources: Any, **options: Any) -> None:
        self.graph = Graph()
        self.sources = {source.layer_id: source for source in sources}
        for layer_id in LAYERS:
            self.sources.setdefault(layer_id, TextSource(layer_id))
        self.views = TurnViewManager(
            self.graph.kernel, [self.sources[id_] for id_ in LAYERS], now=self.graph.clock, **options
        )

    @property
    def runtime(self) -> TextSource:
        source = self.sources["runtime"]
        assert isinstance(source, TextSource)
        return source


def registered(source: Any) -> RegisteredSource:
    return registered_source(source)
