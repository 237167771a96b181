"""The conversion that wasmtime-py offers, behind the same interface as :mod:`zeroclaw_cli.wasm.abi`.

Slower by a factor of ten, and it leaks some fifty bytes for every optional value (specs/wasm-host.md §3), so it serves
where the fast one does not fit the installed binding, and as the oracle in tests. Its unions are untagged: whether a
result is an error is read from the Python type, except where both sides are strings (specs/wasm-host.md §1).

Import it where a guest is run, not before (:mod:`zeroclaw_cli.wasm.binding`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any, Final

from zeroclaw_cli.memory.types import BUILT_IN_CATEGORIES, Entry, ExportFilter, ProceduralMessage
from zeroclaw_cli.wasm import binding
from zeroclaw_cli.wasm.host import LogRecord
from zeroclaw_cli.wasm.host_functions import HostFunction, HostRefusal, HostState
from zeroclaw_cli.wasm.signatures import Function, Outcome
from zeroclaw_cli.wasm.values import MAX_STRING_BYTES, DecodingTimeout, StringTooLarge, TooManyEntries

EngineError: Final = binding.engine_error()
Record, Variant = binding.tagged_types()


def _category(value: str) -> Any:
    return Variant(value) if value in BUILT_IN_CATEGORIES else Variant("custom", value)


def _record(fields: Mapping[str, Any]) -> Any:
    record = Record()
    for name, value in fields.items():
        setattr(record, name, value)
    return record


def _export_filter(value: ExportFilter) -> Any:
    return _record(
        {
            "namespace": value.namespace,
            "session-id": value.session_id,
            "category": None if value.category is None else _category(value.category),
            "since": value.since,
            "until": value.until,
        }
    )


def _messages(value: Sequence[ProceduralMessage]) -> list[Any]:
    return [_record({"role": message.role, "content": message.content, "name": message.name}) for message in value]


def _same(value: Any) -> Any:
    return value


_LOWERING: Final[Mapping[str, Callable[[Any], Any]]] = {
    "string": _same,
    "u64": _same,
    "category": _category,
    "optional-string": _same,
    "optional-f64": lambda value: None if value is None else float(value),
    "optional-category": lambda value: None if value is None else _category(value),
    "agents": lambda value: list(value) or None,
    "export-filter": _export_filter,
    "messages": _messages,
}


def _text(value: str) -> str:
    if len(value) > MAX_STRING_BYTES // 4 and len(value.encode()) > MAX_STRING_BYTES:
        raise StringTooLarge
    return value


def _optional_text(value: str | None) -> str | None:
    return None if value is None else _text(value)


def _number(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _entry(value: Any) -> Entry:
    fields = value.__dict__
    category = fields["category"]
    key = _text(fields["key"])
    try:
        return Entry(
            id=_text(fields["id"]),
            key=key,
            content=_text(fields["content"]),
            category=_text(category.payload) if category.tag == "custom" else category.tag,
            timestamp=_text(fields["timestamp"]),
            session_id=_optional_text(fields["session-id"]),
            score=_number(fields["score"]),
            namespace=_text(fields["namespace"]),
            importance=_number(fields["importance"]),
            superseded_by=_optional_text(fields["superseded-by"]),
            agent_alias=_optional_text(fields["agent-alias"]),
            agent_id=_optional_text(fields["agent-id"]),
        )
    except StringTooLarge:
        raise StringTooLarge(key) from None


class Caller:
    """Calls one exported function through wasmtime-py's own conversion."""

    def __init__(self, function: Any, store: Any, shape: Function) -> None:
        self._function = function
        self._store = store
        self._shape = shape

    def __call__(self, arguments: Sequence[Any], most: int, *, cut: bool, deadline: float) -> Outcome:
        lowered = [
            _LOWERING[parameter](value) for parameter, value in zip(self._shape.parameters, arguments, strict=True)
        ]
        answer = self._function(self._store, *lowered)
        if not self._shape.fallible:
            return Outcome(True, frozenset(answer) if self._shape.result == "flags" else answer)
        if isinstance(answer, Variant):
            return Outcome(answer.tag == "ok", _text(answer.payload))
        if isinstance(answer, str):
            return Outcome(False, _text(answer))
        if self._shape.result == "entry":
            return Outcome(True, None if answer is None else _entry(answer))
        if self._shape.result == "entries":
            return self._entries(answer, most, cut, deadline)
        return Outcome(True, answer)

    def _entries(self, answer: list[Any], most: int, cut: bool, deadline: float) -> Outcome:
        if len(answer) > most and not cut:
            raise TooManyEntries(len(answer))
        found = []
        for record in answer[:most]:
            if time.monotonic() > deadline:
                raise DecodingTimeout
            found.append(_entry(record))
        return Outcome(True, found, len(answer))


class GenericHost:
    """Defines host functions for one instance through wasmtime-py's own conversion."""

    def __init__(self, state: HostState) -> None:
        self.state = state

    def close(self) -> None:
        """Nothing to release: wasmtime-py keeps the functions as long as the linker."""

    def define_log(self, linker_instance: Any, name: str) -> None:
        def log_record(_context: Any, level: str, event: Any) -> None:
            # Logging never fails the guest.
            with suppress(BaseException):
                _queue_record(self.state, level, event)

        linker_instance.add_func(name, log_record)

    def define(self, linker_instance: Any, name: str, function: HostFunction) -> None:
        def call(_context: Any, *arguments: int) -> Any:
            try:
                result = function.action(self.state, *arguments)
            except HostRefusal as error:
                raise EngineError(str(error)) from None
            except BaseException:  # noqa: BLE001 - another class would surface in some other call
                raise EngineError("the host function failed") from None
            if function.result == "time":
                return _record({"seconds": result[0], "nanoseconds": result[1]})
            return result

        linker_instance.add_func(name, call)


def _queue_record(state: HostState, level: str, event: Any) -> None:
    fields = event.__dict__
    size = sum(len((fields[name] or "").encode()) for name in ("function-name", "attrs", "message"))
    if state.logs.admits(size):
        record = LogRecord(
            level,
            fields["function-name"],
            fields["action"],
            fields["outcome"],
            fields["duration-ms"],
            fields["attrs"],
            fields["message"],
        )
        state.logs.put(record, size)
