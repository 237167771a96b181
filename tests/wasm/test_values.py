"""The fast conversion against wasmtime-py's own, on one store, for generated values."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wasmtime import Store, WasiConfig

from tests.support.guests import component
from zeroclaw_cli.memory.types import ExportFilter, ProceduralMessage
from zeroclaw_cli.wasm import abi, codec, generic, world
from zeroclaw_cli.wasm.clocks import Served, Serving
from zeroclaw_cli.wasm.component import load_component
from zeroclaw_cli.wasm.engine import engine
from zeroclaw_cli.wasm.host import HostOptions, LogRecord
from zeroclaw_cli.wasm.host_functions import HostState
from zeroclaw_cli.wasm.linker import linker_for
from zeroclaw_cli.wasm.logs import LogQueue
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Outcome
from zeroclaw_cli.wasm.values import DecodingTimeout, StringTooLarge, TooManyEntries

LONG = time.monotonic() + 3_600
MANY = 1_000_000


class Guest:
    """A guest without limits whose functions can be called through either conversion."""

    def __init__(self, name: str, *, generic_host: bool = False) -> None:
        loaded, _ = load_component(component(name), name, HostOptions(), allow_precompiled=False)
        self.logs = LogQueue()
        self.served = Served(Serving(1_700_000_000_123_456_789, 5, b"seed"))
        state = HostState(self.served, self.logs)
        self.host = generic.GenericHost(state) if generic_host else codec.host(state)
        self.store = Store(engine())
        self.store.set_wasi(WasiConfig())
        self.store.set_fuel(10**15)
        self.store.set_epoch_deadline(10**9)
        with linker_for(loaded, self.host) as linker:
            self.instance = linker.instantiate(self.store, loaded.component)
        self.memory = self.instance.get_export_index(self.store, world.MEMORY)
        self.scratch = abi.Scratch()

    def _function(self, name: str) -> Any:
        index = self.instance.get_export_index(self.store, name, self.memory)
        assert index is not None
        return self.instance.get_func(self.store, index)

    def fast(self, name: str, *arguments: Any, most: int = MANY, cut: bool = True, deadline: float = LONG) -> Outcome:
        call = abi.Caller(self._function(name), self.store._context(), self.scratch, FUNCTIONS[name])
        return call(arguments, most, cut=cut, deadline=deadline)

    def slow(self, name: str, *arguments: Any, most: int = MANY, cut: bool = True, deadline: float = LONG) -> Outcome:
        call = generic.Caller(self._function(name), self.store, FUNCTIONS[name])
        return call(arguments, most, cut=cut, deadline=deadline)

    def both(self, name: str, *arguments: Any) -> Outcome:
        """The answer of a function that changes nothing, which both conversions must agree on."""
        fast = self.fast(name, *arguments)
        assert fast == self.slow(name, *arguments)
        return fast

    def close(self) -> None:
        self.store.close()
        self.host.close()


@pytest.fixture(scope="module")
def notes() -> Iterator[Guest]:
    guest = Guest("notes")
    yield guest
    guest.close()


texts = st.text(max_size=40)
optional_texts = st.none() | texts
categories = st.sampled_from(["core", "daily", "conversation", "", "custom", "Core", "日記"]) | texts
importances = st.none() | st.floats(allow_nan=False, allow_infinity=False)


def test_the_installed_binding_is_laid_out_as_expected() -> None:
    assert abi.SUPPORTED


@given(texts, texts, categories, optional_texts, optional_texts, importances, optional_texts, st.booleans())
def test_a_stored_entry_comes_back_through_both_conversions(
    notes: Guest,
    key: str,
    content: str,
    category: str,
    session: str | None,
    namespace: str | None,
    importance: float | None,
    agent: str | None,
    slowly: bool,
) -> None:
    notes.fast("forget", key)
    store = notes.slow if slowly else notes.fast
    stored = store("store-with-agent", key, content, category, session, namespace, importance, agent)
    assert stored == Outcome(True, None)
    entry = notes.both("get", key).value
    assert (entry.key, entry.content, entry.category, entry.session_id, entry.importance, entry.agent_id) == (
        key, content, category, session, importance, agent,
    )  # fmt: skip
    assert entry.namespace == ("default" if namespace is None else namespace)
    for name, arguments in (
        ("list-entries", (None, None)),
        ("list-entries", (category, session)),
        ("recall", ("", 7, session, None, None)),
        ("recall", (content, 3, None, "1970-01-01T00:00:00Z", None)),
        ("recall-for-agents", ((), content, 5, None, None, None)),
        ("recall-for-agents", ((agent or "",), content, 5, None, None, None)),
        ("get-for-agent", (key, agent or "")),
        ("recall-namespaced", (namespace or "default", "", 4, None, None, None)),
        ("export-entries", (ExportFilter(namespace, session, category),)),
        ("count", ()),
        ("get", ("no such key",)),
    ):
        notes.both(name, *arguments)
    notes.fast("forget", key)


@given(st.lists(st.builds(ProceduralMessage, texts, texts, optional_texts), max_size=5), optional_texts, st.booleans())
def test_messages_are_lowered_alike(
    notes: Guest, messages: list[ProceduralMessage], session: str | None, slowly: bool
) -> None:
    store = notes.slow if slowly else notes.fast
    assert store("store-procedural", messages, session).ok
    found = notes.both("list-entries", "procedural", None).value
    assert len(found) == len(messages)
    for entry in found:
        notes.fast("forget", entry.key)


@given(optional_texts, optional_texts, st.none() | categories, optional_texts)
def test_a_malformed_bound_is_the_guests_own_error(
    notes: Guest, namespace: str | None, session: str | None, category: str | None, bound: str | None
) -> None:
    answer = notes.both("export-entries", ExportFilter(namespace, session, category, since=bound))
    assert answer.ok == isinstance(answer.value, list)


@pytest.mark.parametrize("guest", ["plain", "notes", "err", "partial", "odd_numbers", "odd_texts"])
def test_every_function_that_reads_answers_alike(guest: str) -> None:
    opened = Guest(guest)
    try:
        opened.fast("store-entry", "k", "v", "core", "s")
        for name, arguments in (
            ("name", ()),
            ("get-memory-capabilities", ()),
            ("health-check", ()),
            ("count", ()),
            ("recall", ("", 5, None, None, None)),
            ("get", ("k",)),
            ("get", ("missing",)),
            ("list-entries", (None, None)),
            ("get-for-agent", ("k", "a")),
            ("export-entries", (ExportFilter(),)),
            ("ensure-agent-uuid", ("ada",)),
            ("forget", ("missing",)),
            ("purge-agent", ("nobody",)),
        ):
            fast, slow = opened.fast(name, *arguments), opened.slow(name, *arguments)
            assert fast == slow, name
    finally:
        opened.close()


@pytest.mark.parametrize("conversion", ["fast", "slow"])
def test_a_number_that_is_none_is_left_out_of_an_entry(conversion: str) -> None:
    opened = Guest("odd_numbers")
    try:
        opened.fast("store-entry", "k", "v", "core", None)
        entry = getattr(opened, conversion)("get", "k").value
        assert (entry.score, entry.importance) == (None, None)
        json.dumps(entry.to_json(), allow_nan=False)
    finally:
        opened.close()


def test_numbers_of_all_64_bits_arrive(notes: Guest) -> None:
    notes.fast("store-entry", "k", "v", "core", None)
    for limit in (0, 1, 2**32, 2**63, 2**64 - 1):
        assert notes.both("recall", "", limit, None, None, None).ok
    assert notes.both("recall", "", 0, None, None, None).value == []


def test_arguments_larger_than_the_buffer_arrive(notes: Guest) -> None:
    content = "é" * 200_000
    notes.fast("store-entry", "large", content, "core", None)
    assert notes.both("get", "large").value.content == content
    notes.fast("forget", "large")


@pytest.mark.parametrize("conversion", ["fast", "slow"])
def test_a_long_list_is_cut_or_refused_before_it_is_read(notes: Guest, conversion: str) -> None:
    for number in range(5):
        notes.fast("store-entry", f"n{number}", "v", "numbered", None)
    call = getattr(notes, conversion)
    cut = call("list-entries", "numbered", None, most=2)
    assert (len(cut.value), cut.total) == (2, 5)
    with pytest.raises(TooManyEntries) as caught:
        call("list-entries", "numbered", None, most=2, cut=False)
    assert caught.value.count == 5
    with pytest.raises(DecodingTimeout):
        call("list-entries", "numbered", None, deadline=0.0)
    assert call("list-entries", "numbered", None, most=0).value == []


@pytest.mark.parametrize("conversion", ["fast", "slow"])
def test_a_text_over_16_mib_is_refused(conversion: str) -> None:
    guest = Guest("liar_huge")
    try:
        with pytest.raises(StringTooLarge) as caught:
            getattr(guest, conversion)("recall", "", 1, None, None, None)
        assert caught.value.key is None or len(caught.value.key) < 100
    finally:
        guest.close()


@pytest.mark.parametrize("generic_host", [False, True])
def test_log_records_arrive_alike(generic_host: bool) -> None:
    guest = Guest("notes", generic_host=generic_host)
    try:
        guest.logs.drain()
        guest.logs.begin()
        guest.fast("store-entry", "k", "v", "core", None)
        records, dropped = guest.logs.drain()
        assert records == [
            LogRecord(
                level="debug", function="notes::store", action="write", outcome="success", duration_ms=None,
                attrs=None, message="stored one row",
            )
        ]  # fmt: skip
        assert dropped == 0
    finally:
        guest.close()


@pytest.mark.parametrize("generic_host", [False, True])
def test_the_clock_and_the_randomness_that_are_served_arrive_alike(generic_host: bool) -> None:
    guest = Guest("random", generic_host=generic_host)
    try:
        guest.served.begin(Serving(1_700_000_000_123_456_789, 5, b"seed of this call"))
        guest.fast("store-entry", "k", "v", "core", None)
        entry = guest.both("get", "k").value
        assert entry.timestamp.startswith("2023-11-14T22:13:20.123")
        guest.served.begin(Serving(1_700_000_000_123_456_789, 5, b"seed of this call"))
        guest.fast("store-entry", "l", "v", "core", None)
        assert guest.both("get", "l").value.id == entry.id
        guest.served.begin(Serving(1_700_000_000_123_456_789, 5, b"seed of another"))
        guest.fast("store-entry", "m", "v", "core", None)
        assert guest.both("get", "m").value.id != entry.id
    finally:
        guest.close()


def test_the_generic_conversion_serves_where_the_layout_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abi, "SUPPORTED", False)
    state = HostState(Served(Serving(0, 0, b"")), LogQueue())
    assert isinstance(codec.host(state), generic.GenericHost)
    store = Store(engine())
    assert isinstance(codec.call_factory(store)(None, FUNCTIONS["count"]), generic.Caller)


def test_nothing_leaks_when_a_list_is_read_often(notes: Guest) -> None:
    import resource

    for number in range(100):
        notes.fast("store-entry", f"leak{number}", "v" * 50, "leak", "session")

    def read(times: int) -> int:
        for _ in range(times):
            notes.fast("list-entries", "leak", None)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = read(300)
    assert read(1_500) - before < 5_000
