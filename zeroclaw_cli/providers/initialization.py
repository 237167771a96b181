"""The keywords that a provider's ``initialize`` gets (specs/memory-providers.md §5, P-15)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from zeroclaw_cli.config.permissions import is_agent

PRIMARY: Final = "primary"
# Given on a command line alone, to a person at a terminal.
_CALLBACKS: Final = frozenset({"warning_callback", "status_callback"})
_KNOWN: Final = frozenset(
    {"agent_context", "agent_identity", "agent_workspace", "parent_session_id", "session_title", "user_id"}
    | {"user_id_alt", "user_name", "chat_id", "chat_name", "chat_type", "thread_id", "gateway_session_key"}
)


def agent_context(environ: Mapping[str, str]) -> str:
    """For whom a one-shot command runs: ``subagent`` where the environment names an agent, else ``primary``."""
    return "subagent" if is_agent(environ) else PRIMARY


def initialize_kwargs(home: Path, environ: Mapping[str, str], *, platform: str = "cli", **known: Any) -> dict[str, Any]:
    """The keywords besides ``session_id``. What is unknown (None or empty) is absent, never None.

    ``known`` holds any of the names of the specification; ``agent_context`` defaults to the truth of ``environ``.
    Raises TypeError for another name.
    """
    odd = known.keys() - _KNOWN - _CALLBACKS
    if odd:
        raise TypeError(f"no keyword of initialize: {', '.join(sorted(odd))}")
    path = str(home.absolute())
    values: dict[str, Any] = {"vibeos_home": path, "hermes_home": path, "platform": platform or "cli"}
    values["agent_context"] = known.pop("agent_context", None) or agent_context(environ)
    for name, value in known.items():
        if name in _CALLBACKS:
            if platform == "cli" and callable(value):
                values[name] = value
        elif value is not None and value != "":
            values[name] = value
    return values
