"""What a person decides and an agent does not: whether memory is reached past the layers, what agents may reach through
them, and whose code and whose word count (specs/memory-kernel.md §8, §15; specs/memory-providers.md §12).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zeroclaw_cli.config.backend_name import parse_backend
from zeroclaw_cli.errors import Refused

if TYPE_CHECKING:
    from zeroclaw_cli.config.model import Config, Problem


def is_an_agents() -> bool:
    """Whether an agent started this process."""
    from zeroclaw_cli.kernel.trigger import trigger_of

    return trigger_of(os.environ) != "manual"


def ask_a_person(besides: str = "") -> str:
    """The hint of what an agent is refused."""
    from zeroclaw_cli.kernel.trigger import AGENT_VARIABLE

    hint = f"ask a person to do it: {AGENT_VARIABLE} is set, so this process is an agent's"
    return f"{hint}; {besides}" if besides else hint


def require_a_person(what: str) -> None:
    """Raise Refused when an agent asks for ``what``, which only a person may decide."""
    if is_an_agents():
        raise Refused(f"{what} is for a person to decide, and an agent asks", hint=ask_a_person())


def keep_within_the_layers(config: Config, what: str) -> None:
    """Raise Refused when an agent asks for ``what``, which would go past the layers of ``config``: there, what an agent
    may do would be a property of one call."""
    if is_an_agents() and parse_backend(config.memory.backend).is_layers:
        raise Refused(
            f"under the layers an agent reaches no memory past them, and {what} would go past them",
            hint=ask_a_person("`zeroclaw memory layers enable ID --automatic` lets agents use a layer"),
        )


def keep_the_layers_stores(config: Config, name: str, what: str) -> None:
    """Raise Refused when an agent asks for ``what``, which would take the package ``name`` from a layer that has it."""
    from zeroclaw_cli.plugins.gates import layers_using

    if layers_using(config, name):
        keep_within_the_layers(config, what)


class OfAPerson:
    """The rule for one change of the config that keeps what agents may reach as it is, unless a person changes it.

    It is asked about the config before the change and then about the one after it; Refused is raised for the latter.
    """

    def __init__(self) -> None:
        self._before: Mapping[str, Any] | None = None

    def __call__(self, config: Config) -> Sequence[Problem]:
        if not is_an_agents():
            return ()
        found = _decided(config)
        if self._before is None:
            self._before = found
            return ()
        for path, value in self._before.items():
            if found.get(path) != value:
                raise Refused(
                    f"{path} is for a person to change, and an agent asks",
                    hint=ask_a_person(),
                    path=path,
                )
        return ()


def _decided(config: Config) -> dict[str, Any]:
    """What a person decides, by path: whose signatures count and, where the layers serve, that they do, for whom, and
    that what they keep lasts and is found."""
    from zeroclaw_cli.plugins.gates import layers_using

    security, memory = config.plugins.security, config.memory
    found: dict[str, Any] = {}
    if parse_backend(memory.backend).is_layers:
        found["memory.backend"] = "layers"
        found["memory.topology"] = memory.topology
        found["memory.kernel"] = memory.kernel
        found["memory.native"] = memory.native
        found["memory.plugin.durability"] = memory.plugin_durability
        found["plugins.enabled"] = config.plugins.enabled
        found["plugins.disabled"] = [name for name in config.plugins.disabled if layers_using(config, name)]
    for name in ("signature_mode", "trusted_publisher_keys", "revoked_publisher_keys"):
        found[f"plugins.security.{name}"] = getattr(security, name)
    return found
