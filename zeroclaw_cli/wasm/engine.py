"""The one engine of the process, and what its compiled code depends on.

wasmtime is imported when the engine is first asked for, never before.
"""

from __future__ import annotations

import atexit
import platform
import sys
import threading
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from wasmtime import Engine

T = TypeVar("T")

# What changes compiled code; part of the cache's key.
SETTINGS = ("component-model", "no-async", "fuel", "epoch", "opt-speed", "nan-canonical", "no-cow")


@cache
def engine() -> Engine:
    """The engine that every component and store of this process belongs to: fuel and epochs on.

    NaN bits are canonical, since a replayed call must compute what it computed before (design.md, decision 1). The
    component model's async functions, streams and futures are off: the world has none, and an ``async func`` could not
    be told from a plain one, since the binding does not show that part of a type. Its memories are made by
    :mod:`zeroclaw_cli.wasm.guest_memory`.
    """
    from wasmtime import Config, Engine

    from zeroclaw_cli.wasm import guest_memory
    from zeroclaw_cli.wasm.binding import capi

    config = Config()
    config.wasm_component_model = True
    config.consume_fuel = True
    config.epoch_interruption = True
    config.cranelift_opt_level = "speed"
    config.cranelift_nan_canonicalization = True
    # On by default, and the binding has no name for it.
    capi().wasmtime_config_wasm_component_model_async_set(config.ptr(), False)
    guest_memory.set_creator(config)
    made = Engine(config)
    # Freed by the interpreter's own end, after the binding is gone, it would write a traceback to stderr.
    atexit.register(made._consume)
    return made


@cache
def increment_epoch() -> Callable[[], None]:
    """Advances the engine's epoch by one; a tenth of a microsecond, since it keeps the interpreter's lock."""
    import ctypes

    from zeroclaw_cli.wasm.binding import capi

    function = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("wasmtime_engine_increment_epoch", capi().dll))
    return partial(function, ctypes.cast(engine().ptr(), ctypes.c_void_p))


@cache
def engine_version() -> str:
    """The version of the installed wasmtime, for instance ``50.0.1``."""
    import wasmtime

    # importlib.metadata takes longer to import than a cached component takes to open.
    root = Path(wasmtime.__file__).parent.parent
    versions = [
        path.name.removeprefix("wasmtime-").removesuffix(".dist-info") for path in root.glob("wasmtime-*.dist-info")
    ]
    if len(versions) == 1:
        return versions[0]
    from importlib.metadata import version

    return version("wasmtime")


@cache
def compilation_key() -> tuple[str, ...]:
    """What, besides its bytes, a component's compiled code depends on: engine, settings and platform.

    Processor features are not part of it: the engine refuses code that needs features which the processor lacks.
    """
    return (engine_version(), *SETTINGS, sys.platform, platform.machine())


def run_apart(work: Callable[[], T], *, late: Callable[[], None] | None = None, late_after_s: float = 1.0) -> T:
    """The result of ``work``, which runs on a thread of its own so that Ctrl-C ends the wait at once.

    ``late`` is called once, on the caller's thread, when the work takes longer than ``late_after_s``.

    For long work inside the engine, which no signal interrupts. After an interruption the work goes on unseen until
    it or the process ends, so it must leave nothing half done.
    """
    outcome: dict[str, Any] = {}
    finished = threading.Event()

    def body() -> None:
        try:
            outcome["value"] = work()
        except BaseException as error:  # noqa: BLE001 - raised again on the caller's thread
            outcome["error"] = error
        finally:
            finished.set()

    threading.Thread(target=body, name="zeroclaw-compile", daemon=True).start()
    if late is not None and not finished.wait(late_after_s):
        late()
    finished.wait()
    if "error" in outcome:
        raise outcome["error"]
    value: T = outcome["value"]
    return value
