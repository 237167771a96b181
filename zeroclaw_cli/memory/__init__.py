"""The contract of every memory backend: entry types, protocols, capabilities and conformance cases."""

from __future__ import annotations
