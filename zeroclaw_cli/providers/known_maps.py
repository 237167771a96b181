"""Maps for published providers whose authors ship none (specs/memory-providers.md §15)."""

from __future__ import annotations

from typing import Any, Final

from zeroclaw_cli.providers.memory_map import MapError, MemoryMap, check_tools, read_map

_TOOL: Final = "fact_store"
_HOLOGRAPHIC: Final[dict[str, Any]] = {
    "store": {
        "tool": _TOOL,
        "args": {"action": "add", "content": "$content", "category": "$category", "tags": "$tags?"},
        "id": "fact_id",
    },
    "recall": {"tool": _TOOL, "args": {"action": "search", "query": "$query", "limit": "$limit"}, "items": "results"},
    "list": {
        "tool": _TOOL,
        "args": {"action": "list", "category": "$category?", "limit": "$limit"},
        "items": "facts",
    },
    "forget": {"tool": _TOOL, "args": {"action": "remove", "fact_id": "$key:int"}, "ok": "removed"},
    "fields": {
        "key": "fact_id",
        "content": "content",
        "category": "category",
        "timestamp": "created_at",
        "metadata": ["trust_score", "tags", "helpful_count"],
    },
    "categories": {"core": "general", "user": "user_pref", "project": "project", "tool": "tool", "*": "general"},
}
_KNOWN: Final = {"holographic": _HOLOGRAPHIC}


def known_map(name: str, provider: Any) -> MemoryMap | None:
    """The map for the provider of this name, when the provider has the tools that it names."""
    raw = _KNOWN.get(name)
    if raw is None:
        return None
    found = read_map(raw)
    try:
        names = {str(schema.get("function", schema).get("name")) for schema in provider.get_tool_schemas()}
        check_tools(found, frozenset(names))
    except MapError:
        return None
    except Exception:  # noqa: BLE001 - whoever cannot tell his tools has no map
        return None
    return found
