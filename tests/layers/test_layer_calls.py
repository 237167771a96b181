"""What the layers execute, over stores of memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.dict_memory import DictMemory
from tests.support.native import open_layers
from tests.support.packages import config_in
from zeroclaw_cli.backends import open_documents, open_memory
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.errors import (
    DataOwner,
    DocumentInput,
    EntryNotFound,
    GuestError,
    KernelFailure,
    LossWarning,
    MemoryFailure,
    NotSupported,
    UsageError,
    ZeroclawError,
)
from zeroclaw_cli.kernel.contracts import AdapterDescriptor, Guard, Layer, LayerDescriptor, SourceContext
from zeroclaw_cli.kernel.guards_shipped import NoAutomaticForget
from zeroclaw_cli.kernel.limits import CAPABILITIES, CHANNEL_OF
from zeroclaw_cli.kernel.redaction import Secrets
from zeroclaw_cli.kernel.runtime import Parts, RuntimeGraph, build_graph
from zeroclaw_cli.kernel.surface import Surface
from zeroclaw_cli.kernel.topology_config import read_topology
from zeroclaw_cli.layers.calls import ENTRY_CALLS, ENTRY_USUAL, Opened, entry_calls
from zeroclaw_cli.layers.document_calls import DOCUMENT_CALLS, DOCUMENT_USUAL, RUNTIME_CALLS, RUNTIME_USUAL
from zeroclaw_cli.layers.memory import LayeredMemory
from zeroclaw_cli.layers.sources import provider_source
from zeroclaw_cli.memory.conformance import run_cases
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.memory.requests import NO_AGENT, Agent
from zeroclaw_cli.memory.types import Entry, ExportFilter
from zeroclaw_cli.operations.layer_admin import topology_problems
from zeroclaw_cli.wasm.host import HostOptions

ALL = LayerDescriptor("own", "Own", "A store of its own.", "test", 400, CAPABILITIES)


def layered(
    stores: dict[str | None, Memory],
    *,
    own: Memory | None = None,
    trigger: str = "manual",
    guards: tuple[Guard, ...] = (),
    outcomes: list[bool] | None = None,
    **topology: Any,
) -> LayeredMemory:
    """Layers whose memory-spaces has ``stores`` by adapter, and perhaps a layer ``own``. ``outcomes`` hears of each
    plan whether it failed."""
    names = [name for name in stores if name is not None]
    opened: dict[str | None, Opened[Memory]] = {name: Opened(partial(_same, store)) for name, store in stores.items()}
    parts = Parts(
        executors={"memory-spaces": entry_calls(opened)},
        layers=() if own is None else (Layer(ALL, entry_calls({None: Opened(lambda: own)})),),
        adapters=tuple(AdapterDescriptor(name, name, "A store.", "local", ("global",), CAPABILITIES) for name in names),
        guards=guards,
        entry_layers=("memory-spaces",) if own is None else ("memory-spaces", "own"),
    )
    layers: dict[str, Any] = {"memory-spaces": {"adapter_ids": names, "participation": {"projection": "off"}}}
    layers |= {id_: {"participation": {"projection": "off"}} for id_ in ("runtime", "documents")}
    if own is not None:
        layers["own"] = {"participation": {"projection": "off"}}
    graph = build_graph(read_topology({"layers": layers, **topology}), parts)
    surface = Surface(lambda capability: graph, trigger, None, ([] if outcomes is None else outcomes).append)
    graph.kernel.register_receipt_sink(surface.keep)
    return LayeredMemory(surface, graph.close)


def _same(memory: Memory) -> Memory:
    return memory


class Broken(DictMemory):
    """A store that cannot do anything today."""

    def recall(self, *args: Any) -> list[Entry]:
        raise GuestError("the guest is out of order", hint="repair it")

    def store(self, *args: Any) -> None:
        raise GuestError("the guest is out of order", hint="repair it")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


@pytest.mark.parametrize(
    ("calls", "usual"),
    [(ENTRY_CALLS, ENTRY_USUAL), (DOCUMENT_CALLS, DOCUMENT_USUAL), (RUNTIME_CALLS, RUNTIME_USUAL)],
)
def test_every_call_belongs_to_a_capability(calls: Any, usual: Any) -> None:
    assert {capability for capability, _ in calls.values()} <= set(CHANNEL_OF)
    assert all(calls[name][0] == capability for capability, name in usual.items())


def test_the_layers_are_a_memory_as_the_protocol_says(tmp_path: Path) -> None:
    count = 0

    @contextmanager
    def make() -> Iterator[Memory]:
        nonlocal count
        count += 1
        with open_layers(config_in(tmp_path / str(count)), HostOptions()) as memory:
            yield memory

    results = list(run_cases(make))
    assert [result for result in results if result.outcome == "failed"] == []
    assert any(result.outcome == "passed" for result in results)


def test_a_call_of_another_capability_is_not_run(config: Config) -> None:
    with open_layers(config, HostOptions()) as memory:
        memory.store("k", "text", "core", None)
        with pytest.raises(NotSupported, match="does not have the call forget"):
            memory.surface.ask_entries("read", "forget", {"key": "k"})
        assert memory.count() == 1


def test_an_error_of_a_store_keeps_its_class_and_tells_its_receipt() -> None:
    memory = layered({None: Broken()})
    with pytest.raises(GuestError, match="the guest is out of order") as failed:
        memory.store("k", "text", "core", None)
    (receipt,) = memory.surface.receipts
    assert failed.value.hint == "repair it"
    assert failed.value.details == {
        "receiptId": receipt.id,
        "status": "failed",
        "steps": [{"layerId": "memory-spaces", "status": "failed", "error": "the guest is out of order"}],
    }


def test_a_plan_is_judged_by_what_happens_from_its_proposal_on() -> None:
    outcomes: list[bool] = []
    memory = layered({None: DictMemory()}, trigger="automatic", guards=(NoAutomaticForget(),), outcomes=outcomes)
    with pytest.raises(KernelFailure, match="guard no-automatic-forget denied it"):
        memory.forget("k")
    with pytest.raises(KernelFailure, match="UTF-8"):
        memory.store("k", "half a pair: \ud800", "core", None)
    assert outcomes == []
    memory.surface.graph("recall").topology.configure_layer("memory-spaces", participation={"recall": "off"})
    with pytest.raises(KernelFailure) as refused:
        memory.surface.ask_entries("recall", "recall", {"query": "text"})
    assert refused.value.code == "no-steps"
    assert outcomes == [True]


@pytest.mark.parametrize(
    ("error", "failed"),
    [
        (EntryNotFound("nothing there"), False),
        (UsageError("no such thing"), False),
        (DataOwner("not yours"), False),
        (DocumentInput("bad", "no document"), False),
        (KernelFailure("participation-denied", "not here"), False),
        (GuestError("out of order"), True),
        (NotSupported("it cannot"), True),
    ],
)
def test_an_error_about_what_was_asked_is_no_failure_of_the_plan(error: ZeroclawError, failed: bool) -> None:
    class Answering(DictMemory):
        def get(self, key: str) -> Entry | None:
            raise error

    outcomes: list[bool] = []
    memory = layered({None: Answering()}, outcomes=outcomes)
    with pytest.raises(type(error)):
        memory.get("k")
    assert outcomes == [failed]


def test_what_one_layer_found_is_given_and_the_other_is_named() -> None:
    own = DictMemory()
    own.store("k", "some text", "core", None)
    memory = layered({None: Broken()}, own=own)
    assert [entry.key for entry in memory.recall_namespaced("default", "text", 5, None, None, None)] == ["k"]
    memory.surface.layer = None
    found = memory.recall("text", 5, "", None, None)
    assert [entry.key for entry in found] == ["k"]
    assert memory.surface.incomplete
    (warning,) = memory.take_warnings()
    assert warning.startswith("layer memory-spaces failed: the guest is out of order; not reached: single memories")


def test_a_row_is_cleared_in_its_own_layer_alone() -> None:
    first, second = DictMemory(), DictMemory()
    for store in (first, second):
        store.store("k", "text", "core", None)
    memory = layered({None: first}, own=second)
    (chosen,) = [row for row in memory.page(None, None)[0] if getattr(row, "layer", None) == "own"]
    assert memory.clear([chosen]).deleted == 1
    assert (first.count(), second.count()) == (1, 0)


def test_a_page_goes_over_the_layers_one_after_the_other() -> None:
    first, second = DictMemory(), DictMemory()
    for number in range(4):
        first.store(f"a{number}", "text", "core", None)
        second.store(f"b{number}", "text", "core", None)
    memory = layered({None: first}, own=second)
    whole = [row.key for row in memory.page(None, None)[0]]
    assert len(whole) == 8
    for size in (1, 3, 8, 20):
        pages = []
        for offset in range(0, 8, size):
            page = memory.page(None, None, limit=size, offset=offset)
            assert page.total == 8
            pages += [entry.key for entry in page.entries]
        assert pages == whole


def test_every_store_that_is_bound_is_read_and_one_is_written() -> None:
    first, second = DictMemory(), DictMemory()
    memory = layered({"one": first, "two": second, None: DictMemory()})
    memory.store("k", "text", "core", None)
    assert (first.count(), second.count()) == (1, 0)
    second.store("j", "other text", "core", None)
    assert {(entry.key, getattr(entry, "adapter", "")) for entry in memory.list_entries(None, None)} == {
        ("k", "one"),
        ("j", "two"),
    }


def test_a_step_without_an_adapter_fails_where_the_request_names_some() -> None:
    memory = layered({"one": DictMemory(), None: DictMemory()})
    graph: RuntimeGraph = memory.surface._open_graph("read")
    receipt = graph.kernel.run(
        {
            "operation": "x",
            "capability": "read",
            "trigger": "manual",
            "scope": {"storage": "global"},
            "candidateLayerIds": ["memory-spaces"],
            "adapterIds": ["two"],
            "input": {"key": "k"},
        }
    )
    assert receipt.status == "failed"
    assert "names none of them" in str(receipt.steps[0].error)


@pytest.mark.parametrize("capability", ["graph", "related", "link"])
def test_there_are_no_links_between_memories(capability: str) -> None:
    memory = layered({None: DictMemory()})
    with pytest.raises(NotSupported, match="keep no links between memories"):
        memory.surface.ask_entries(capability, capability, {})


def test_what_is_dropped_is_in_the_output_and_a_warning() -> None:
    class Forgetful(DictMemory):
        dropped = ("session", "importance")
        handed_over = True

    memory = layered({None: Forgetful()})
    memory.store("k", "text", "core", "s")
    (step,) = memory.surface.receipts[0].steps
    assert dict(step.output) == {
        "stored": True,
        "dropped": ("session", "importance"),
        "accepted": True,
        "durable": False,
    }
    assert memory.take_warnings() == [
        "layer memory-spaces does not keep: session, importance",
        "layer memory-spaces accepted the entry but does not confirm that it was saved",
    ]


def test_a_loss_stays_a_loss() -> None:
    class Losing(DictMemory):
        def take_warnings(self) -> list[str]:
            return [LossWarning("a journal was lost"), "by the way"]

    memory = layered({None: Losing()})
    memory.count()
    told = memory.take_warnings()
    assert sorted(told) == ["a journal was lost", "by the way"]
    assert [isinstance(line, LossWarning) for line in sorted(told)] == [True, False]


def test_an_automatic_request_never_forgets_the_rows_of_all_agents() -> None:
    store = DictMemory()
    store.store("k", "text", "core", None)
    memory = layered({None: store}, trigger="automatic")
    with pytest.raises(NotSupported, match="the rows of every agent"):
        memory.take("k", NO_AGENT, with_history=False)
    with pytest.raises(NotSupported, match="the rows of every agent"):
        memory.clear(store.list_entries(None, None))
    with pytest.raises(EntryNotFound):
        memory.take("k", Agent(alias="ada"), with_history=False)
    assert store.count() == 1


def test_a_late_store_releases_the_caller_and_is_named(config: Config) -> None:
    release = threading.Event()

    class Slow(DictMemory):
        def count(self) -> int:
            release.wait(30)
            return 0

    parts = Parts(executors={"memory-spaces": entry_calls({None: Opened(Slow)})}, entry_layers=("memory-spaces",))
    off = {"participation": {"projection": "off"}}
    settings = config.memory.kernel._replace(default_timeout_ms=50)
    topology = read_topology({"layers": dict.fromkeys(("runtime", "documents", "memory-spaces"), off)})
    graph = build_graph(topology, parts, settings)
    memory = LayeredMemory(Surface(lambda capability: graph, "manual"), lambda: None)
    try:
        with pytest.raises(KernelFailure, match="timeout") as late:
            memory.count()
        assert late.value.code == "timeout"
        assert "default_timeout_ms" in str(late.value.hint)
    finally:
        release.set()


def test_a_store_that_is_closed_takes_no_more_steps() -> None:
    opened = Opened(DictMemory)
    opened.close()
    with pytest.raises(MemoryFailure, match="was closed"), opened.use():
        raise AssertionError("it opened")


@pytest.mark.parametrize(
    ("call", "values", "told"),
    [
        ("store", {"content": "x"}, "no text under key"),
        ("store", {"key": "k", "content": "x", "importance": "much"}, "importance must be a number from 0 to 1"),
        ("store", {"key": "k", "content": "x", "agent": 5}, "neither an alias nor an id"),
        ("import", {"entries": "x"}, "no list of objects"),
        ("recall", {"limit": -1}, "not a count"),
    ],
)
def test_an_input_that_is_none_is_named(call: str, values: dict[str, Any], told: str) -> None:
    memory = layered({None: DictMemory()})
    with pytest.raises(UsageError, match=told):
        memory.surface.ask_entries(ENTRY_CALLS[call][0], call, values)


def test_any_backend_is_opened_by_its_name(config: Config) -> None:
    with open_memory(config, "native", HostOptions()) as native:
        assert native.name == "native"
    with open_memory(config, "layers", HostOptions()) as memory:
        assert memory.name == "layers"
        memory.store("k", "text", "core", None)
        assert [entry.key for entry in memory.export_entries(ExportFilter())] == ["k"]
    with open_documents(config, None, None, "layers", HostOptions()) as documents:
        assert documents.paths() == []


def test_a_document_is_archived_once_and_nothing_is_lost(config: Config) -> None:
    from zeroclaw_cli.memory.documents import WriteRequest

    for backend in ("native", "layers"):
        with open_documents(config, None, None, backend, HostOptions()) as documents:
            for text in ("one", "two"):
                documents.write(WriteRequest("notes/a.md", text, append=False, metadata={"tag": backend}))
                place = documents.archive("notes/a.md")
                assert documents.read(place).content == text
            assert not [path for path in documents.paths() if path.startswith("notes/")]
    with open_documents(config, None, None, "native", HostOptions()) as documents:
        assert documents.paths() == ["archive/notes/a-2.md", "archive/notes/a.md"]


def test_a_document_answers_for_the_time_of_its_last_change(config: Config) -> None:
    from zeroclaw_cli.memory.documents import WriteRequest

    with open_documents(config, None, None, "native", HostOptions()) as documents:
        documents.write(WriteRequest("tea.md", "green tea", append=False))
    with open_memory(config, "layers", HostOptions()) as memory:
        (found,) = memory.recall("tea", 5, None, "2000-01-01T00:00:00Z", None)
        assert found.key == "tea.md"
        assert found.timestamp.endswith("Z")
        assert memory.recall("tea", 5, None, None, "2000-01-01T00:00:00Z") == []
        assert memory.recall("tea", 5, None, "2100-01-01T00:00:00Z", None) == []
        assert memory.recall("tea", 5, "session", None, None) == []
        assert memory.recall_namespaced("default", "tea", 5, None, None, None) == []


def test_a_warning_of_a_store_shows_no_secret() -> None:
    class Talking(DictMemory):
        def take_warnings(self) -> list[str]:
            return ["the token hunter2 is old", LossWarning("hunter2 was lost")]

    parts = Parts(
        executors={"memory-spaces": entry_calls({None: Opened(Talking)})},
        entry_layers=("memory-spaces",),
        secrets=("hunter2",),
    )
    off = {"participation": {"projection": "off"}}
    graph = build_graph(read_topology({"layers": dict.fromkeys(("runtime", "documents", "memory-spaces"), off)}), parts)
    with LayeredMemory(Surface(lambda capability: graph, "manual"), graph.close) as memory:
        memory.count()
        told = memory.take_warnings()
    assert told == ["the token [redacted] is old", "[redacted] was lost"]
    assert isinstance(told[1], LossWarning)


def test_what_a_provider_says_in_every_prompt_shows_no_secret() -> None:
    class Speaking(DictMemory):
        def prompt_block(self) -> str:
            return "call me with  hunter2"

    secrets = Secrets()
    source = provider_source("diary", Opened(Speaking), secrets.redact)
    secrets.add("hunter2")
    assert source.snapshot(SourceContext(1, 1, 0)).wake == "call me with [redacted]"


def test_every_problem_of_a_topology_is_told(config: Config) -> None:
    layers = {
        "ghost": {},
        "odd": {"backend": "postgres"},
        "documents": {"adapter_ids": ["native"]},
        "memory-spaces": {"adapter_ids": ["gone", "native", "lost"]},
        "away": {"enabled": False, "backend": "postgres"},
    }
    topology = {"strategy_id": "unknown", "layers": layers}
    broken = replace(config, memory=replace(config.memory, topology=topology))
    found = topology_problems(HostOptions())(broken)
    base = "memory.topology"
    assert sorted(problem.path for problem in found) == [
        f"{base}.layers.documents.adapter_ids",
        f"{base}.layers.ghost",
        f"{base}.layers.memory-spaces.adapter_ids",
        f"{base}.layers.memory-spaces.adapter_ids",
        f"{base}.layers.odd.backend",
        f"{base}.strategy_id",
    ]
    assert topology_problems(HostOptions())(config) == []


def test_a_store_that_hangs_does_not_hold_up_the_end() -> None:
    opened = Opened(DictMemory)
    release, began = threading.Event(), threading.Event()

    def work() -> None:
        with opened.use():
            began.set()
            release.wait(30)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        assert began.wait(10)
        start = time.monotonic()
        opened.close()
        assert time.monotonic() - start < 4
    finally:
        release.set()
        worker.join()
