"""Calls into a provider from commands that look at it or set it up: whatever it does becomes one error or a value.

The manager has its own rules for the hooks of a conversation (specs/memory-providers.md §8).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from zeroclaw_cli.errors import ProviderBroken, ZeroclawError
from zeroclaw_cli.providers import bounded
from zeroclaw_cli.providers.ends import ends_the_host

if TYPE_CHECKING:
    from zeroclaw_cli.providers.base import MemoryProvider
    from zeroclaw_cli.providers.discovery import ProviderPlugin
    from zeroclaw_cli.providers.setup.fields import Schema

T = TypeVar("T")


def run(name: str, home: Path, hook: str, function: Callable[..., T], *args: Any) -> T:
    """The result of ``function(*args)``, a hook of provider ``name``, called with ``home`` as its home.

    What it prints goes to stderr. Raises ProviderBroken for whatever it raises; an interrupt passes.
    """
    from zeroclaw_cli.providers.home import using_home
    from zeroclaw_cli.providers.streams import provider_output

    try:
        with using_home(home), provider_output():
            return function(*args)
    except ZeroclawError:
        raise
    except BaseException as error:
        # A provider may raise anything, SystemExit too.
        if ends_the_host(error):
            raise
        from zeroclaw_cli.providers.loading import describe

        raise ProviderBroken(
            f"provider '{name}' fails in {hook}: {describe(error)}",
            hint="`zeroclaw memory status` shows what is set; `zeroclaw memory off` switches it off",
        ) from error


def run_bounded(name: str, home: Path, hook: str, function: Callable[..., T], *args: Any) -> T:
    """As :func:`run`, on the provider's thread and for ``ANSWER_WITHIN_S``; raises ProviderBroken when it is late."""
    return in_time(name, hook, bounded.ANSWER_WITHIN_S, lambda: run(name, home, hook, function, *args))


def load(plugin: ProviderPlugin, home: Path, *, hermes_compat: bool) -> MemoryProvider:
    """As ``loading.load``, on the provider's thread and for ``LOAD_WITHIN_S``; ProviderBroken when it is late."""
    from zeroclaw_cli.providers import loading

    return in_time(
        plugin.name,
        "its import",
        bounded.LOAD_WITHIN_S,
        lambda: loading.load(plugin, home, hermes_compat=hermes_compat),
    )


def schema_of(name: str, home: Path, provider: Any) -> Schema:
    """What setup of a loaded provider asks for, nothing without ``get_config_schema``. Raises ProviderBroken."""
    from zeroclaw_cli.providers.setup.fields import Schema, read_schema

    method = getattr(provider, "get_config_schema", None)
    if not callable(method):
        return Schema()
    return run_bounded(name, home, "get_config_schema", lambda: read_schema(name, method()))


def in_time(name: str, what: str, within_s: float, function: Callable[[], T]) -> T:
    """The result of ``function()`` on the provider's thread. Raises ProviderBroken, which names ``what``, when it is
    not there within ``within_s`` seconds."""
    try:
        return bounded.call(function, within_s)
    except bounded.Late:
        raise ProviderBroken(
            f"provider '{name}' did not come back from {what} within {within_s:g} seconds",
            hint="`zeroclaw memory off` switches it off",
        ) from None
