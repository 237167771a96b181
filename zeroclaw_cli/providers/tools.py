"""Tools that providers offer to the model (specs/memory-providers.md P-16, P-32, P-46)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

_log: Final = logging.getLogger(__name__)
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAX_TOOLS: Final = 256
MEMORY_TOOLSET: Final = "memory"

# Tools of this program's own memory and those that agent hosts commonly bring: none may be shadowed.
RESERVED_TOOLS: Final = frozenset(
    (  # noqa: SIM905 - words read better than forty lines
        "memory memory_read memory_write memory_search memory_tree memory_profile_set "
        "bash terminal process read_file write_file patch edit_file search_files list_files "
        "web_search web_extract web_fetch browser_navigate browser_click browser_type browser_snapshot browser_scroll "
        "browser_back browser_press todo clarify delegate_task execute_code session_search cronjob send_message "
        "skill_view skill_manage skills_list image_generate text_to_speech vision_analyze"
    ).split()
)


def normalize_tool_schema(schema: Any) -> dict[str, Any] | None:
    """``schema`` as ``{"name", "description", "parameters"}``: unwrapped once from ``{"type": "function", …}``.

    None for what is not a dict or has no name that is text.
    """
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "function" and isinstance(schema.get("function"), dict):
        schema = schema["function"]
    name = schema.get("name")
    return schema if isinstance(name, str) and name else None


def usable_schemas(schemas: Any, provider: str) -> Iterator[dict[str, Any]]:
    """Those of a provider's ``schemas`` that a model can be given, as plain JSON of the host's own.

    A warning tells of each that is not. Raises whatever iterating ``schemas`` raises.
    """
    for count, schema in enumerate(islice(schemas if schemas is not None else (), _MAX_TOOLS + 1)):
        if count == _MAX_TOOLS:
            _log.warning("Memory provider '%s' offers more than %d tools; the rest is ignored", provider, _MAX_TOOLS)
            return
        normal = normalize_tool_schema(schema)
        if normal is None:
            _log.warning("Memory provider '%s' offers a tool without a name; it is ignored", provider)
        elif not _NAME.fullmatch(normal["name"]):
            _log.warning(
                "Memory provider '%s' offers a tool named %a; a name has A-Z, a-z, 0-9, '_' and '-', 64 at most",
                provider,
                normal["name"][:100],
            )
        elif (plain := _as_json(normal)) is None:
            _log.warning("Memory provider '%s' tool '%s' is not JSON; it is ignored", provider, str(normal["name"]))
        else:
            yield plain


def _as_json(schema: dict[str, Any]) -> dict[str, Any] | None:
    try:
        plain = json.loads(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None
    return plain if isinstance(plain, dict) else None


def error_result(message: str) -> str:
    """The answer to a tool call that failed, as JSON text."""
    return json.dumps({"error": _without_surrogates(message)}, ensure_ascii=False)


def result_text(result: Any) -> str | None:
    """What a provider answered to a tool call as JSON text; None if it cannot be JSON.

    Text that is JSON stays as it is, other text becomes ``{"result": …}``.
    """
    try:
        if not isinstance(result, str):
            return _without_surrogates(json.dumps(result, ensure_ascii=False, allow_nan=False))
        text = _without_surrogates(str.__str__(result))
        try:
            json.loads(text)
        except ValueError:
            return json.dumps({"result": text}, ensure_ascii=False)
        return text
    except Exception:  # noqa: BLE001 - what a provider returns may do anything when it is looked at
        return None


def memory_tools_allowed(agent: Any) -> bool:
    """Whether the tool sets of ``agent`` include memory's: ``enabled_toolsets`` (None: all), ``disabled_toolsets``."""
    if MEMORY_TOOLSET in _names(getattr(agent, "disabled_toolsets", None)):
        return False
    enabled = getattr(agent, "enabled_toolsets", None)
    return enabled is None or MEMORY_TOOLSET in _names(enabled)


def inject_memory_provider_tools(agent: Any) -> int:
    """Give ``agent`` the tools of its manager (``memory_manager`` or ``_memory_manager``); how many that were.

    Each goes as ``{"type": "function", "function": …}`` into ``agent.tools`` and by name into
    ``agent.valid_tool_names``. Where the agent's tool sets exclude memory nothing is added, and the manager withholds
    the providers' part of the system prompt as well: it would tell of tools that are not there.
    """
    manager = getattr(agent, "memory_manager", None) or getattr(agent, "_memory_manager", None)
    tools = getattr(agent, "tools", None)
    if manager is None or tools is None:
        return 0
    allowed = memory_tools_allowed(agent)
    manager.tools_withheld = not allowed
    if not allowed:
        return 0
    present = {_tool_name(tool) for tool in tools}
    added = []
    for schema in manager.get_all_tool_schemas():
        if schema["name"] not in present:
            tools.append({"type": "function", "function": schema})
            added.append(schema["name"])
    _allow(agent, added)
    return len(added)


def _allow(agent: Any, names: list[str]) -> None:
    valid = getattr(agent, "valid_tool_names", None)
    if valid is None:
        agent.valid_tool_names = set(names)
    elif isinstance(valid, list):
        valid.extend(name for name in names if name not in valid)
    else:
        valid.update(names)


def _names(toolsets: Iterable[str] | None) -> frozenset[str]:
    return frozenset((toolsets,) if isinstance(toolsets, str) else toolsets or ())


def _tool_name(tool: Any) -> Any:
    schema = normalize_tool_schema(tool)
    return None if schema is None else schema["name"]


def _without_surrogates(text: str) -> str:
    # Halves of a pair become what they make together; one that is alone can be written nowhere.
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
