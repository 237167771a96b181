"""What an instance is linked with: logging, our clocks and randomness, and what else of WASI it imports, ungranted.

Linked only if imported (specs/wasm-host.md §6 P6). ``wasi:http`` is never linked (specs/zeroclaw.md §7.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeroclaw_cli.wasm import world
from zeroclaw_cli.wasm.component import LoadedComponent, interface
from zeroclaw_cli.wasm.engine import engine
from zeroclaw_cli.wasm.host_functions import SHADOWED, UNKNOWN

if TYPE_CHECKING:
    from wasmtime.component import Linker

    from zeroclaw_cli.wasm.values import Host


def linker_for(loaded: LoadedComponent, host: Host) -> Linker:
    """A linker with what ``loaded`` imports, whose host functions act on the state of ``host``."""
    from wasmtime.component import Linker

    linker = Linker(engine())
    linker.allow_shadowing = True
    if loaded.needs_engine_wasi:
        linker.add_wasip2()
    with linker.root() as root:
        for name, functions in loaded.imports.items():
            own = SHADOWED.get(interface(name))
            if name == world.LOGGING:
                with root.add_instance(name) as instance:
                    for function in functions:
                        host.define_log(instance, function)
            elif own is not None:
                # Shadowing replaces the whole interface, so whatever is imported from it must be there.
                with root.add_instance(name) as instance:
                    for function in functions:
                        host.define(instance, function, own.get(function, UNKNOWN))
    return linker
