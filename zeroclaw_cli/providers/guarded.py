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
        lambda: run(plugin.name, home, "its import", lambda: loading.load(plugin, home, hermes_compat=hermes_compat)),
    )


def answer(name: str, home: Path, provider: Any, hook: str, *args: Any, within_s: float | None = None) -> Any:
    """What ``hook`` of a loaded provider returns, as plain data (``plain``); None when it has no such hook.

    Looking it up, calling it and taking apart what it returns is all the provider's code; it has ``ANSWER_WITHIN_S``
    unless ``within_s`` says otherwise. Raises ProviderBroken.
    """
    from zeroclaw_cli.providers.plain import plain

    def ask() -> Any:
        method = getattr(provider, hook, None)
        return plain(method(*args)) if callable(method) else None

    seconds = bounded.ANSWER_WITHIN_S if within_s is None else within_s
    return in_time(name, hook, seconds, lambda: run(name, home, hook, ask))


def has(name: str, home: Path, provider: Any, hook: str) -> bool:
    """Whether a loaded provider has ``hook``. Raises ProviderBroken when it cannot be looked up."""
    return run_bounded(name, home, hook, lambda: callable(getattr(provider, hook, None)))


def has_own(name: str, home: Path, provider: Any, hook: str) -> bool:
    """Whether a loaded provider does something of its own in ``hook``. Raises as :func:`has`."""

    def look() -> bool:
        from zeroclaw_cli.providers.base import MemoryProvider

        own = getattr(type(provider), hook, None) or getattr(provider, hook, None)
        return callable(own) and own is not getattr(MemoryProvider, hook, None)

    return run_bounded(name, home, hook, look)


def schema_of(name: str, home: Path, provider: Any) -> Schema:
    """What setup of a loaded provider asks for, nothing without ``get_config_schema``. Raises ProviderBroken."""
    from zeroclaw_cli.providers.plain import plain
    from zeroclaw_cli.providers.setup.fields import Schema, read_schema

    def read() -> Schema:
        method = getattr(provider, "get_config_schema", None)
        return _shown(read_schema(name, plain(method()))) if callable(method) else Schema()

    return run_bounded(name, home, "get_config_schema", read)


def _shown(schema: Schema) -> Schema:
    """The schema with descriptions, addresses and problems that may be shown."""
    from dataclasses import replace

    from zeroclaw_cli.providers.shown import shown

    spared = schema.plain_variables
    fields = (
        replace(field, description=shown(field.description, spared=spared), url=shown(field.url, spared=spared))
        for field in schema.fields
    )
    return replace(schema, fields=tuple(fields), problems=tuple(shown(one, spared=spared) for one in schema.problems))


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
