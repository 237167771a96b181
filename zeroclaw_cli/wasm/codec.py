"""Which conversion of values an instance gets: the fast one where the binding's structures are laid out as it expects,
else the generic one. Each is imported when a guest is run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zeroclaw_cli.wasm.values import CallFactory, Host

if TYPE_CHECKING:
    from zeroclaw_cli.wasm.guest_memory import GuestMemory
    from zeroclaw_cli.wasm.host_functions import HostState


def host(state: HostState) -> Host:
    """What defines the host functions of one instance, fast or generic as in :func:`call_factory`."""
    from zeroclaw_cli.wasm import abi, generic, hostcalls

    return hostcalls.RawHost(state) if abi.SUPPORTED else generic.GenericHost(state)


def guest_memory(limit: int) -> GuestMemory:
    """The account of one instance's memories, which are ``limit`` bytes together at most."""
    from zeroclaw_cli.wasm.guest_memory import GuestMemory

    return GuestMemory(limit)


def call_factory(store: Any) -> CallFactory:
    """What makes a :class:`Call` of an exported function in ``store``: the fast conversion where the binding's
    structures are laid out as it expects, else the generic one."""
    from zeroclaw_cli.wasm import abi, generic

    if abi.SUPPORTED:
        scratch = abi.Scratch()
        context = store._context()
        return lambda function, shape: abi.Caller(function, context, scratch, shape)
    return lambda function, shape: generic.Caller(function, store, shape)
