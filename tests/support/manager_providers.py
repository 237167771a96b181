"""Providers for tests of the manager: one that records what it is called with, and hooks that fail in every way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from zeroclaw_cli.providers.base import MemoryProvider

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


class Recorder(MemoryProvider):
    """Keeps ``(hook, args, keywords)`` of every call; ``behaviour`` replaces what a hook does after that."""

    def __init__(self, name: str = "recorder", tools: list[Any] | None = None, **behaviour: Callable[..., Any]) -> None:
        self._name = name
        self.tools = [] if tools is None else tools
        self.behaviour = behaviour
        self.calls: list[Call] = []
        self.threads: dict[str, str] = {}

    @property
    def name(self) -> str:
        return self._name

    def _record(self, hook: str, default: Any, *args: Any, **keywords: Any) -> Any:
        self.calls.append((hook, args, keywords))
        self.threads[hook] = threading.current_thread().name
        do = self.behaviour.get(hook)
        return default if do is None else do(*args, **keywords)

    def of(self, hook: str) -> list[Call]:
        return [call for call in self.calls if call[0] == hook]

    def hooks(self) -> list[str]:
        return [call[0] for call in self.calls]

    def is_available(self) -> bool:
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self._record("initialize", None, session_id=session_id, **kwargs)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        do = self.behaviour.get("get_tool_schemas")
        schemas: list[dict[str, Any]] = self.tools if do is None else do()
        return schemas

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        answer: str = self._record("handle_tool_call", "{}", tool_name, args, **kwargs)
        return answer

    def system_prompt_block(self) -> str:
        text: str = self._record("system_prompt_block", "")
        return text

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        self._record("on_turn_start", None, turn_number, message, **kwargs)

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        text: str = self._record("prefetch", "", query, session_id=session_id)
        return text

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        self._record("queue_prefetch", None, query, session_id=session_id)

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        self._record("sync_turn", None, user_content, assistant_content, session_id=session_id, messages=messages)

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        self._record("on_session_end", None, messages)

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        self._record("on_session_switch", None, new_session_id, **kwargs)

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        text: str = self._record("on_pre_compress", "", messages)
        return text

    def on_memory_write(self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None) -> None:
        self._record("on_memory_write", None, action, target, content, metadata)

    def on_delegation(self, task: str, result: str, *, child_session_id: str = "", **kwargs: Any) -> None:
        self._record("on_delegation", None, task, result, child_session_id=child_session_id, **kwargs)

    def shutdown(self) -> None:
        self._record("shutdown", None)


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"does {name}", "parameters": {"type": "object", "properties": {}}, **more}


def raising(error: BaseException) -> Callable[..., Any]:
    def do(*_: Any, **__: Any) -> Any:
        raise error.with_traceback(None)

    return do


class Unprintable(Exception):
    """An exception that cannot even be shown."""

    def __str__(self) -> str:
        raise ValueError("no text")


class Own(BaseException):
    """What a provider may define and raise beside Exception."""


FAILURES: list[BaseException] = [
    RuntimeError("broken"),
    SystemExit(3),
    GeneratorExit(),
    Own("own"),
    Unprintable(),
    RecursionError("deep"),
    MemoryError(),
]
