"""What a command asks a person for when its process is an agent's (specs/memory-kernel.md §8, §15;
specs/memory-providers.md §12). What an agent may change in the configuration is ``config.permissions``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zeroclaw_cli.config import permissions
from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.errors import Refused

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config


def is_agent() -> bool:
    """Whether an agent started this process."""
    return permissions.is_agent(os.environ)


def require_person(what: str) -> None:
    """Raise Refused when an agent asks for ``what``, which only a person may decide."""
    if is_agent():
        raise permissions.needs_approval(what)


def require_layers(config: Config, what: str) -> None:
    """Raise Refused when an agent asks for ``what``, which would go past the layers of ``config``: there, what an agent
    may do would be a property of one call."""
    if is_agent() and parse_backend(config.memory.backend).is_layers:
        raise Refused(
            f"under the layers an agent reaches no memory past them, and {what} would go past them",
            hint=f"ask a person to do it ({permissions.AGENT_VARIABLE} is set, so this process runs as an agent); "
            "`zeroclaw memory layers enable ID --automatic` lets agents use a layer",
        )


def require_unused(config: Config, name: str, what: str) -> None:
    """Raise Refused when an agent asks for ``what``, which would take the package ``name`` from a layer that has it."""
    from zeroclaw_cli.plugins.gates import layers_using

    if layers_using(config, name):
        require_layers(config, what)
