"""Python memory providers: found, trusted, loaded and run beside the built-in memory (specs/memory-providers.md)."""

from __future__ import annotations
