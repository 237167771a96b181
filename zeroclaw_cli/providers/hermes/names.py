"""Which modules of hermes-agent are offered, and by which modules of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_HERE: Final = "zeroclaw_cli.providers.hermes"

PACKAGES: Final = ("tools", "hermes_cli", "plugins", "plugins.memory")
OFFERED: Final[Mapping[str, str]] = {
    "agent.async_utils": f"{_HERE}.async_utils",
    "agent.file_safety": f"{_HERE}.file_safety",
    "agent.message_content": f"{_HERE}.message_content",
    "agent.skill_commands": f"{_HERE}.message_content",
    "hermes_cli.config": f"{_HERE}.config",
    "hermes_cli.curses_ui": f"{_HERE}.prompts",
    "hermes_cli.memory_setup": f"{_HERE}.prompts",
    "hermes_cli.profiles": f"{_HERE}.profiles",
    "hermes_cli.secret_prompt": f"{_HERE}.prompts",
    "hermes_constants": f"{_HERE}.constants",
    "hermes_state": f"{_HERE}.files",
    "plugins.memory.config_schema": f"{_HERE}.config_schema",
    "plugins.memory.query_rewrite": f"{_HERE}.message_content",
    "plugins.plugin_utils": f"{_HERE}.plugin_utils",
    "tools.lazy_deps": f"{_HERE}.lazy_deps",
    "tools.registry": f"{_HERE}.registry",
    "utils": f"{_HERE}.files",
}
# Every top-level name of that host. Some are so common that only an import that finds nothing is taken for one of them.
TOP_LEVEL: Final = frozenset(
    {"acp_adapter", "agent", "batch_runner", "cron", "gateway", "hermes_bootstrap", "hermes_cli", "hermes_constants"}
    | {"hermes_logging", "hermes_state", "hermes_time", "mcp_serve", "model_tools", "plugins", "run_agent", "tools"}
    | {"toolset_distributions", "toolsets", "trajectory_compressor", "tui_gateway", "utils"}
)
