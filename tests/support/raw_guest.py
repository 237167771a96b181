"""The smallest host: drives a component of the world ``memory-plugin`` through wasmtime's own conversions.

It owes nothing to ``zeroclaw_cli.wasm``, so a fault there cannot hide a fault of a guest, or the other way round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import wasmtime
from wasmtime import component as cm

MEMORY: Final = "zeroclaw:plugin/memory@0.1.0"
INFO: Final = "zeroclaw:plugin/plugin-info@0.1.0"
LOGGING: Final = "zeroclaw:plugin/logging@0.1.0"
START: Final = 1_769_860_800  # 2026-01-31T12:00:00Z
PARAMETERS_OF_RECALL: Final = ("query", "limit", "session_id", "since", "until")


class GuestErr(Exception):
    """The guest answered with ``err``."""


@dataclass
class Clock:
    """The wall clock that a guest is served: it stands still until it is told otherwise."""

    seconds: int = START
    nanoseconds: int = 0

    def now(self, _store: object) -> SimpleNamespace:
        return SimpleNamespace(seconds=self.seconds, nanoseconds=self.nanoseconds)

    def resolution(self, _store: object) -> SimpleNamespace:
        return SimpleNamespace(seconds=0, nanoseconds=1)

    def ticks(self, _store: object) -> int:
        return max(0, self.seconds - START) * 10**9 + self.nanoseconds


@dataclass
class Random:
    """The random numbers that a guest is served: a sequence."""

    last: int = 0

    def u64(self, _store: object) -> int:
        self.last += 1
        return self.last

    def seed(self, _store: object) -> tuple[int, int]:
        self.last += 1
        return self.last, self.last

    def octets(self, _store: object, count: int) -> bytes:
        self.last += 1
        return bytes((self.last + place) % 256 for place in range(count))


def refuse_to_sleep(_store: object, _nanoseconds: int) -> int:
    """A sleep in the host's clock is ended by nothing, so it must not begin."""
    raise wasmtime.WasmtimeError("a guest may not sleep")


@cache
def engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.wasm_component_model = True
    config.consume_fuel = True
    config.epoch_interruption = True
    return wasmtime.Engine(config)


@cache
def compiled(component: bytes) -> cm.Component:
    return cm.Component(engine(), component)


@dataclass
class RawGuest:
    """One instance of a component. ``logs`` holds what it said: (level, fields of the record).
    ``folder`` is what it sees as /data."""

    component: bytes
    memory_bytes: int = 256 << 20
    fuel: int = 10**12
    folder: Path | None = None
    clock: Clock = field(default_factory=Clock)
    random: Random = field(default_factory=Random)
    logs: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.compiled = compiled(self.component)
        linker = cm.Linker(engine())
        linker.allow_shadowing = True
        linker.add_wasip2()
        with linker.root() as root:
            with root.add_instance(LOGGING) as logging:
                logging.add_func("log-record", self._log)
            self._shadow(root, "wasi:clocks/wall-clock@", {"now": self.clock.now, "resolution": self.clock.resolution})
            numbers: dict[str, Callable[..., Any]] = {
                "get-random-u64": self.random.u64,
                "get-random-bytes": self.random.octets,
            }
            self._shadow(root, "wasi:random/random@", numbers)
            self._shadow(root, "wasi:random/insecure-seed@", {"insecure-seed": self.random.seed})
            steady: dict[str, Callable[..., Any]] = {
                "now": self.clock.ticks,
                "resolution": lambda _store: 1,
                "subscribe-duration": refuse_to_sleep,
                "subscribe-instant": refuse_to_sleep,
            }
            self._shadow(root, "wasi:clocks/monotonic-clock@", steady)
        self.store = wasmtime.Store(engine())
        wasi = wasmtime.WasiConfig()
        if self.folder is not None:
            wasi.preopen_dir(str(self.folder), "/data")
        self.store.set_wasi(wasi)
        self.store.set_limits(memory_size=self.memory_bytes)
        self.store.set_fuel(self.fuel)
        self.store.set_epoch_deadline(10**6)
        self.instance = linker.instantiate(self.store, self.compiled)

    def imports(self) -> list[str]:
        return sorted(self.compiled.type.imports(engine()))

    def _shadow(self, root: Any, prefix: str, functions: dict[str, Callable[..., Any]]) -> None:
        for name in self.imports():
            if name.startswith(prefix):
                with root.add_instance(name) as instance:
                    for function, served in functions.items():
                        instance.add_func(function, served)

    def _log(self, _store: object, level: str, event: Any) -> None:
        self.logs.append((level, dict(event.__dict__)))

    def raw(self, function: str, *arguments: Any, interface: str = MEMORY) -> Any:
        """What wasmtime makes of the result."""
        index = self.instance.get_export_index(self.store, interface)
        place = self.instance.get_export_index(self.store, function, index)
        assert place is not None, f"{function} is not exported"
        called = self.instance.get_func(self.store, place)
        assert called is not None, f"{function} is not exported"
        return called(self.store, *arguments)

    def used_fuel(self) -> int:
        return self.fuel - int(self.store.get_fuel())

    def call(self, function: str, *arguments: Any) -> Any:
        """The value inside ``ok``; raises GuestErr for ``err``. Entries come as dictionaries with kebab-case keys."""
        result = self.raw(function, *arguments)
        if isinstance(result, cm.Variant) and result.tag in ("ok", "err"):
            if result.tag == "err":
                raise GuestErr(result.payload)
            return result.payload
        if isinstance(result, str):
            raise GuestErr(result)
        if isinstance(result, list):
            return [entry(item) for item in result]
        return entry(result) if hasattr(result, "timestamp") else result

    # The functions of the world by their own names, with the parameters that tests vary by keyword.

    def store_entry(self, key: str, content: str, category: str = "core", session_id: str | None = None) -> None:
        self.call("store-entry", key, content, category_in(category), session_id)

    def store_with_agent(
        self,
        key: str,
        content: str,
        category: str = "core",
        session_id: str | None = None,
        namespace: str | None = None,
        importance: float | None = None,
        agent_id: str | None = None,
    ) -> None:
        self.call("store-with-agent", key, content, category_in(category), session_id, namespace, importance, agent_id)

    def recall(self, query: str, limit: int = 10, **bounds: str | None) -> list[dict[str, Any]]:
        return self._recall("recall", (), query, limit, bounds)

    def recall_for_agents(
        self, agents: list[str] | None, query: str, limit: int = 10, **bounds: str | None
    ) -> list[dict[str, Any]]:
        """``agents`` None means all of them."""
        return self._recall("recall-for-agents", (agents,), query, limit, bounds)

    def recall_namespaced(
        self, namespace: str, query: str, limit: int = 10, **bounds: str | None
    ) -> list[dict[str, Any]]:
        return self._recall("recall-namespaced", (namespace,), query, limit, bounds)

    def _recall(
        self, function: str, first: tuple[Any, ...], query: str, limit: int, bounds: dict[str, str | None]
    ) -> list[dict[str, Any]]:
        assert bounds.keys() <= set(PARAMETERS_OF_RECALL), bounds
        rest = (bounds.get("session_id"), bounds.get("since"), bounds.get("until"))
        found: list[dict[str, Any]] = self.call(function, *first, query, limit, *rest)
        return found

    def list_entries(self, category: str | None = None, session_id: str | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.call(
            "list-entries", None if category is None else category_in(category), session_id
        )
        return found

    def export_entries(self, **conditions: str | None) -> list[dict[str, Any]]:
        wanted = SimpleNamespace()
        for name in ("namespace", "session-id", "category", "since", "until"):
            value = conditions.get(name.replace("-", "_"))
            setattr(wanted, name, category_in(value) if name == "category" and value is not None else value)
        found: list[dict[str, Any]] = self.call("export-entries", wanted)
        return found

    def store_procedural(self, messages: list[tuple[str, str, str | None]], session_id: str | None = None) -> None:
        rows = [SimpleNamespace(role=role, content=content, name=name) for role, content, name in messages]
        self.call("store-procedural", rows, session_id)


def category_in(category: str) -> cm.Variant:
    """The variant of a category's text."""
    if category in ("core", "daily", "conversation"):
        return cm.Variant(category)
    return cm.Variant("custom", category)


def entry(record: Any) -> dict[str, Any]:
    """The twelve fields of a ``memory-entry``, the category as text."""
    fields = dict(record.__dict__)
    kind = fields["category"]
    fields["category"] = kind.payload if kind.tag == "custom" else kind.tag
    return fields


def keys(entries: list[dict[str, Any]]) -> list[str]:
    return [str(entry["key"]) for entry in entries]
