"""Calls into a provider from commands that look at it or set it up: whatever it does becomes one error or a value.

The manager has its own rules for the hooks of a conversation (specs/memory-providers.md §8).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from zeroclaw_cli.errors import ProviderBroken, ZeroclawError

T = TypeVar("T")

# What only looks at config, environment and modules (§5) has no reason to take longer.
ANSWER_WITHIN_S: Final = 10.0


def run(name: str, home: Path, hook: str, function: Callable[..., T], *args: Any) -> T:
    """The result of ``function(*args)``, a hook of provider ``name``, called with ``home`` as its home.

    What it prints goes to stderr. Raises ProviderBroken for whatever it raises; an interrupt passes.
    """
    from zeroclaw_cli.providers.home import using_home
    from zeroclaw_cli.providers.streams import provider_output

    try:
        with using_home(home), provider_output():
            return function(*args)
    except (KeyboardInterrupt, ZeroclawError):
        raise
    except BaseException as error:
        # A provider may raise anything, SystemExit too.
        from zeroclaw_cli.providers.loading import describe

        raise ProviderBroken(
            f"provider '{name}' fails in {hook}: {describe(error)}",
            hint="`zeroclaw memory status` shows what is set; `zeroclaw memory off` switches it off",
        ) from error


def run_bounded(name: str, home: Path, hook: str, function: Callable[..., T], *args: Any) -> T:
    """As :func:`run`, on a daemon thread that is given ``ANSWER_WITHIN_S``; raises ProviderBroken when it is late."""
    from zeroclaw_cli.providers.base import spawn_context_thread

    outcome: list[T] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(run(name, home, hook, function, *args))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            failure.append(error)

    thread: threading.Thread = spawn_context_thread(work, name=f"provider-{hook}")
    thread.start()
    thread.join(ANSWER_WITHIN_S)
    if failure:
        raise failure[0]
    if not outcome:
        raise ProviderBroken(
            f"provider '{name}' did not answer {hook} within {ANSWER_WITHIN_S:g} seconds",
            hint="`zeroclaw memory off` switches it off",
        )
    return outcome[0]
