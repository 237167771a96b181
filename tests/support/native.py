"""The built-in store behind the protocol, for tests that need what only it has."""

from __future__ import annotations

from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.native.memory import NativeMemory


def as_native(memory: Memory) -> NativeMemory:
    assert isinstance(memory, NativeMemory)
    return memory
