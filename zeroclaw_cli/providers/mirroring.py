"""What a provider hears of changes of the built-in memory: which ones a tool call made, and which target an entry has.

specs/memory-providers.md P-30.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

_log: Final = logging.getLogger(__name__)
_ACTIONS: Final = frozenset({"add", "replace", "remove"})
MEMORY_TARGET: Final = "memory"
USER_TARGET: Final = "user"
# Categories whose entries are about the user; everything else is the agent's own memory.
_ABOUT_THE_USER: Final = frozenset({"user", "user_pref", "user_profile", "profile", "preference", "preferences"})


class MemoryWrite(NamedTuple):
    """One change as ``on_memory_write`` is told of it."""

    action: str
    target: str
    content: str
    metadata: dict[str, Any]


def target_of(category: str) -> str:
    """The target, ``user`` or ``memory``, of an entry of this category."""
    return USER_TARGET if category in _ABOUT_THE_USER else MEMORY_TARGET


def writes_of(
    tool_result: Any, tool_args: Any, build_metadata: Callable[[], Mapping[str, Any] | None] | None = None
) -> list[MemoryWrite]:
    """The changes that ``tool_args`` asked for, none unless ``tool_result`` (a dict, or its JSON) says they are made.

    ``build_metadata`` is called once for each.
    """
    result = _as_dict(tool_result)
    if result is None or result.get("success") is not True or result.get("staged") is True:
        return []
    arguments = tool_args if isinstance(tool_args, Mapping) else {}
    listed = arguments.get("operations")
    operations = listed if isinstance(listed, list) and listed else [arguments]
    return [
        _write(operation, arguments, build_metadata)
        for operation in operations
        if isinstance(operation, Mapping) and _is_action(operation.get("action"))
    ]


def _write(
    operation: Mapping[str, Any],
    arguments: Mapping[str, Any],
    build_metadata: Callable[[], Mapping[str, Any] | None] | None,
) -> MemoryWrite:
    metadata = _metadata(build_metadata)
    if isinstance(old_text := operation.get("old_text"), str) and old_text:
        metadata["old_text"] = old_text
    target = operation.get("target") or arguments.get("target")
    content = operation.get("content")
    return MemoryWrite(
        action=operation["action"],
        target=target if isinstance(target, str) else MEMORY_TARGET,
        content=content if isinstance(content, str) else "",
        metadata=metadata,
    )


def _metadata(build: Callable[[], Mapping[str, Any] | None] | None) -> dict[str, Any]:
    if build is None:
        return {}
    try:
        return dict(build() or {})
    except Exception as error:  # noqa: BLE001 - the write is made; what goes with it must not lose it
        _log.warning("The metadata of a memory write cannot be built: %s", type(error).__name__)
        return {}


def _is_action(action: Any) -> bool:
    return isinstance(action, str) and action in _ACTIONS


def _as_dict(result: Any) -> dict[str, Any] | None:
    if isinstance(result, str):
        try:
            result = json.loads(result)
        except (ValueError, RecursionError):
            return None
    return result if isinstance(result, dict) else None
