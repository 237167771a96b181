"""The built-in store and the layers behind the protocol, for tests that need what only they have."""

from __future__ import annotations

from zeroclaw_cli.backends import open_memory
from zeroclaw_cli.config.model import Config
from zeroclaw_cli.layers.memory import LayeredMemory
from zeroclaw_cli.memory.protocol import Memory
from zeroclaw_cli.native.memory import NativeMemory
from zeroclaw_cli.wasm.host import HostOptions


def as_native(memory: Memory) -> NativeMemory:
    assert isinstance(memory, NativeMemory)
    return memory


def open_layers(config: Config, options: HostOptions = HostOptions()) -> LayeredMemory:  # noqa: B008 - frozen
    memory = open_memory(config, "layers", options)
    assert isinstance(memory, LayeredMemory)
    return memory
