"""Telling what a provider raises from what ends the whole process."""

from __future__ import annotations


def ends_the_host(error: BaseException) -> bool:
    """Whether ``error``, caught around a provider's code, came from outside of it: Ctrl-C, or a signal that asks the
    command to end, for which the command line has a class of its own. Everything else is the provider's."""
    if isinstance(error, KeyboardInterrupt):
        return True
    return not isinstance(error, Exception) and type(error).__module__.startswith("zeroclaw_cli.cli.")
