"""Manage plugins of AI agents and run their memory."""

from __future__ import annotations

__version__ = "0.1.0"
