"""What the kernel adds to a memory operation.

Run: ``python tests/bench/bench_kernel.py``. Figures to reach: planning and validation at most 4 × the time of freezing
and digesting the same request and plan; a recall through the kernel over one layer at most 1.3 × the direct recall on
10,000 entries of the built-in store.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.kernel.graphs import Graph, asking, layer_descriptor
from zeroclaw_cli.kernel.contracts import Budget, ExecutionContext, Layer, PlanStep
from zeroclaw_cli.kernel.json_safe import digest, freeze
from zeroclaw_cli.kernel.kernel import MemoryKernel
from zeroclaw_cli.native.memory import open_memory

ENTRIES = 10_000
WORDS = ("deploy", "token", "cache", "index", "layer", "prompt", "session", "budget", "agent", "schema", "release")


def best(function: Callable[[], object], times: int, rounds: int = 9) -> float:
    """Seconds of one call, the best of several rounds."""
    figures = []
    for _ in range(rounds):
        started = perf_counter()
        for _ in range(times):
            function()
        figures.append((perf_counter() - started) / times)
    return min(figures)


def paired(first: Callable[[], object], second: Callable[[], object], times: int, rounds: int) -> tuple[float, float]:
    """Best seconds of one call of both, in turns, so that both meet the same machine."""
    figures = [float("inf"), float("inf")]
    for _ in range(rounds):
        for place, function in enumerate((first, second)):
            figures[place] = min(figures[place], best(function, times, 1))
    return figures[0], figures[1]


def planning() -> None:
    for name, request in (
        ("one step", asking(candidate_layer_ids=("documents",), budget=Budget(4, 10))),
        ("three steps", asking()),
        ("three steps, 2 kB of input", asking(input={"content": "text " * 400, "key": "k"})),
        ("three steps, 100 rows of input", asking(input={"rows": [{"key": f"k{i}", "n": i} for i in range(100)]})),
    ):
        graph = Graph()
        kernel = MemoryKernel(graph.catalog, graph.topology)
        plan = kernel.plan(request)
        bodies = request.to_json(), plan.to_json()
        base, took = paired(
            lambda: [(freeze(body), digest(body)) for body in bodies],  # noqa: B023
            lambda: kernel.plan(request),  # noqa: B023
            100,
            25,
        )
        print(f"plan, {name:32} {took * 1e6:8.1f} µs  {took / base:5.2f} × freezing and digesting (at most 4)")


def execution() -> None:
    for count in (10, 100, 1_000):
        rows = [
            {"key": f"k{i}", "content": "some text of an entry " * 5, "score": i / 2, "n": None} for i in range(count)
        ]
        body = {"entries": rows}
        print(f"freeze an output of {count:5} entries       {best(lambda: freeze(body), 20) * 1e6:8.1f} µs")  # noqa: B023
    graph = Graph()
    kernel = MemoryKernel(graph.catalog, graph.topology)
    request = asking(candidate_layer_ids=("documents",))
    took = best(lambda: kernel.run(request), 200)
    print(f"run one step that does nothing           {took * 1e6:8.1f} µs")


def recall() -> None:
    with tempfile.TemporaryDirectory() as folder, open_memory(Path(folder)) as memory:
        for i in range(ENTRIES):
            words = " ".join(WORDS[(i * step + i // 7) % len(WORDS)] for step in range(1, 9))
            memory.store(f"key-{i}", f"entry {i} of topic{i % 500}: {words}", "core", None)

        def execute(step: PlanStep, context: ExecutionContext) -> Any:
            query = context.request.input
            found = memory.recall(query["query"], query["limit"], None, None, None)
            return {"entries": [entry.to_json() for entry in found]}

        graph = Graph()
        graph.dispose_layer["documents"]()
        graph.catalog.register_layer(Layer(layer_descriptor("documents"), execute))
        graph.topology.configure_layer("documents", enabled=True)
        # With the clock and the ids that it has outside of tests.
        kernel = MemoryKernel(graph.catalog, graph.topology)
        for query in ("topic77", "topic77 topic78 topic79 topic80 topic81", "topic77 deploy"):
            request = asking(candidate_layer_ids=("documents",), input={"query": query, "limit": 10})
            assert len(kernel.run(request).steps[0].output["entries"]) == 10
            plain, routed = paired(
                lambda: [entry.to_json() for entry in memory.recall(query, 10, None, None, None)],  # noqa: B023
                lambda: kernel.run(request),  # noqa: B023
                1,
                200,
            )
            print(
                f"recall of {query!r} among {ENTRIES}: direct {plain * 1e3:.2f} ms, through the kernel "
                f"{routed * 1e3:.2f} ms, {routed / plain:.2f} × (at most 1.3)"
            )


if __name__ == "__main__":
    planning()
    execution()
    recall()
