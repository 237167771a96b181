"""Text that came out of a provider, as it may be shown: without what is secret (specs/memory-providers.md P-47).

A provider knows the variables of the ``.env``, and whatever it says may hold one: a reason, a setting, an error.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from zeroclaw_cli.memory.text import display
from zeroclaw_cli.providers import env_file
from zeroclaw_cli.providers.redaction import Redactor, secrets_of, sounds_secret


def shown(text: str, *, spared: Collection[str] = ()) -> str:
    """``text`` with every secret replaced by ``[redacted]``. ``spared`` are variables that a provider declares as no
    secrets; one that sounds like a secret is none of them."""
    named = env_file.values_in_use()
    kept = {name: value for name, value in named.items() if name not in spared or sounds_secret(name)}
    return _redactor(secrets_of(kept)).secretless(text)


def shown_values(value: Any, *, spared: Collection[str] = ()) -> Any:
    """A copy of plain data with its texts as :func:`shown` gives them, those of its keys too."""
    if isinstance(value, str):
        return shown(value, spared=spared)
    if isinstance(value, dict):
        return {shown_values(key, spared=spared): shown_values(item, spared=spared) for key, item in value.items()}
    if isinstance(value, list):
        return [shown_values(item, spared=spared) for item in value]
    return value


def shown_line(said: object, limit: int) -> str:
    """What a provider said in one line of at most ``limit`` characters that is safe to show."""
    # A secret at the end of what is looked at may be cut in two.
    text = " ".join(str(said)[: 4 * limit].split())
    return display(shown(text)[: 2 * limit], limit)


@lru_cache(8)
def _redactor(secrets: tuple[str, ...]) -> Redactor:
    return Redactor(secrets)
