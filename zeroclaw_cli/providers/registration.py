"""What a plugin's ``register(ctx)`` is given (specs/memory-providers.md §7). It reaches nothing of the host."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

_log: Final = logging.getLogger("zeroclaw_cli.providers")


class RegistrationContext:
    """``ctx``: keeps the last provider that it is given, and takes every other registration without effect."""

    __slots__ = ("_home", "_name", "_provider", "_registered")

    def __init__(self, name: str, vibeos_home: str) -> None:
        self._name = name
        self._home = vibeos_home
        self._provider: Any = None
        self._registered = False

    @property
    def name(self) -> str:
        """The name that selects the plugin."""
        return self._name

    @property
    def vibeos_home(self) -> str:
        """The absolute path that the provider's data hangs below."""
        return self._home

    def register_memory_provider(self, provider: Any) -> None:
        """Offer ``provider``; the last call wins."""
        self._provider = provider
        self._registered = True

    def register_tool(self, *args: Any, **kwargs: Any) -> None:
        """Without effect: a provider's tools come from ``get_tool_schemas``."""

    def register_hook(self, *args: Any, **kwargs: Any) -> None:
        """Without effect: the host calls the provider's own methods."""

    def register_cli_command(self, *args: Any, **kwargs: Any) -> None:
        """Without effect: commands come from ``cli.py``."""

    def __getattr__(self, attribute: str) -> Callable[..., None]:
        if not attribute.startswith("register_"):
            raise AttributeError(f"a registration context has no attribute '{attribute}'")

        def ignore(*args: Any, **kwargs: Any) -> None:
            _log.debug("provider %s: %s is not known here and does nothing", self._name, attribute)

        return ignore


def registered(context: RegistrationContext) -> tuple[bool, Any]:
    """Whether ``context`` was given a provider, and the last one."""
    return context._registered, context._provider
