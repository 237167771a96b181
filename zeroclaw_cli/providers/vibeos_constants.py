"""What providers import as ``vibeos_constants`` (specs/memory-providers.md §2)."""

from __future__ import annotations

from zeroclaw_cli.providers.home import display_home as display_vibeos_home
from zeroclaw_cli.providers.home import get_vibeos_home

__all__ = ["display_vibeos_home", "get_vibeos_home"]
