"""``hermes_constants``: where the home is."""

from __future__ import annotations

from zeroclaw_cli.providers.home import display_home as display_hermes_home
from zeroclaw_cli.providers.home import get_vibeos_home as get_hermes_home

__all__ = ["display_hermes_home", "get_hermes_home"]
