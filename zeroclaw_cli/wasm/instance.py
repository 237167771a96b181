"""One running guest: its store, its limits, its calls (specs/zeroclaw.md §7.1, Store lifecycle).

After a trap the engine never enters an instance again, so an instance that trapped, timed out or exited is poisoned:
every later call is refused, and the owner makes a new one. Arguments are checked before they come here; the engine
would let a number out of range wrap silently.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zeroclaw_cli.config.model import Limits
from zeroclaw_cli.errors import Interrupted, MemoryFailure
from zeroclaw_cli.memory.types import Capability
from zeroclaw_cli.wasm import codec, failures, world
from zeroclaw_cli.wasm.binding import engine_error
from zeroclaw_cli.wasm.clocks import Served, Serving
from zeroclaw_cli.wasm.component import LoadedComponent
from zeroclaw_cli.wasm.engine import engine
from zeroclaw_cli.wasm.host_functions import HostState
from zeroclaw_cli.wasm.limits import MOST_MEMORIES, PluginLimits
from zeroclaw_cli.wasm.linker import linker_for
from zeroclaw_cli.wasm.logs import LogQueue
from zeroclaw_cli.wasm.runner import Abandoned, Control, InlineRunner, Runner, WorkerRunner, stacks_are_small
from zeroclaw_cli.wasm.signatures import FUNCTIONS, Function, Outcome
from zeroclaw_cli.wasm.ticker import TICK_S, ticker
from zeroclaw_cli.wasm.values import Call, DecodingTimeout, StringTooLarge, TooManyEntries

if TYPE_CHECKING:
    from wasmtime import Store

_MIB: Final = 1024 * 1024
# The engine's limits are signed numbers of 64 bits, and a negative one is no limit.
_NO_LIMIT: Final = (1 << 62) - 1
# One instruction can fill a whole memory, and nothing ends an instruction; nor does anything end the engine while it
# copies a text as large as the memory. A guest with more than the first runs where it can be left behind from its next
# call on, one that may have more than the second runs there always.
_MEMORY_INLINE_BYTES: Final = 64 * _MIB
_MOST_MEMORY_INLINE_MB: Final = 256


@dataclass(frozen=True, slots=True)
class Folder:
    """The one folder of the host that a guest sees, as ``/data``.

    ``outgrown`` is asked now and then while a call runs, and gives the error to end it with.
    """

    path: Path
    writable: bool
    outgrown: Callable[[], MemoryFailure | None] | None = None


class InstanceState(Enum):
    READY = "ready"
    POISONED = "poisoned"
    CLOSED = "closed"


class _Unfinished(Exception):
    """A guest call that did not return; carries the error to report."""

    def __init__(self, error: MemoryFailure | Interrupted) -> None:
        super().__init__(error)
        self.error = error


class _Refused(Exception):
    """A guest call that returned what the host does not take; the instance is none the worse."""

    def __init__(self, error: MemoryFailure) -> None:
        super().__init__(error)
        self.error = error


class Instance:
    """A component that runs. Not for use from several threads at once, and never from a host function."""

    def __init__(
        self, loaded: LoadedComponent, limits: PluginLimits, birth: Serving, logs: LogQueue, folder: Folder | None
    ) -> None:
        """Instantiate ``loaded`` and read its capabilities, both served by ``birth`` and under ``limits``.

        Raises InstantiationFailed, Trap, CallTimeout.
        """
        self.state = InstanceState.READY
        self.capabilities: frozenset[Capability] = frozenset()
        self._limits = limits
        self._logs = logs
        self._served = Served(birth)
        self._host = codec.host(HostState(self._served, logs))
        self._engine_error = engine_error()
        self._calls: dict[str, Call] = {}
        watch = None if folder is None else folder.outgrown
        self._memory = codec.guest_memory(_most_bytes(limits.limits))
        self._worker = WorkerRunner(watch)
        much_memory = limits.limits.max_memory_mb > _MOST_MEMORY_INLINE_MB
        apart = loaded.needs_engine_wasi or much_memory or watch is not None or stacks_are_small()
        self._inline: Runner = self._worker if apart else InlineRunner()
        self._store: Store | None = None
        try:
            self._run(self._inline, lambda control: self._start(control, loaded, folder), "the start of the plugin")
        except BaseException:
            self.close()
            raise

    # ------------------------------------------------------------------------------------------------- life

    def close(self) -> None:
        """Free the store. A guest that is stuck in a host function keeps it until it returns."""
        if self.state is InstanceState.CLOSED:
            return
        self.state = InstanceState.CLOSED
        self._worker.close(self._release)

    def _release(self) -> None:
        self._calls.clear()
        if self._store is not None:
            self._store.close()
        self._host.close()

    def set_limits(self, limits: PluginLimits) -> None:
        """Hold the guest to other limits from its next call on; memory that it has stays."""
        self._limits = limits
        self._memory.limit = _most_bytes(limits.limits)
        assert self._store is not None
        _limit_store(self._store, limits.limits)

    def _start(self, control: Control, loaded: LoadedComponent, folder: Folder | None) -> None:
        from wasmtime import Store, WasiConfig

        store = self._store = Store(engine())
        wasi = WasiConfig()
        if folder is not None:
            try:
                wasi.preopen_dir(str(folder.path), "/data", folder.writable)
            except self._engine_error:
                raise _Unfinished(failures.folder_failed(folder.path)) from None
        # Without it a guest that calls WASI aborts the whole process.
        store.set_wasi(wasi)
        _limit_store(store, self._limits.limits)
        self._logs.begin()
        self._arm(control, store)
        try:
            linker = linker_for(loaded, self._host)
        except self._engine_error as error:
            raise _Unfinished(failures.link_failed(error)) from None
        try:
            with linker:
                instance = self._memory.make(lambda: linker.instantiate(store, loaded.component))
        except self._engine_error as error:
            if self._memory.out_of_time or failures.is_interruption(error):
                raise _Unfinished(self._interrupted(control, "the start of the plugin")) from None
            raise _Unfinished(failures.start_failed(error, self._limits)) from None
        memory = instance.get_export_index(store, world.MEMORY)
        make = codec.call_factory(store)

        def find(name: str) -> Call:
            index = instance.get_export_index(store, name, memory)
            function = None if index is None else instance.get_func(store, index)
            # The comparison with the world was passed before.
            assert function is not None, name
            return make(function, FUNCTIONS[name])

        self._find = find
        answer = self._enter(control, FUNCTIONS["get-memory-capabilities"], (), 0, cut=False)
        self.capabilities = frozenset(map(Capability, answer.value))

    # ------------------------------------------------------------------------------------------------ calls

    def call(self, function: Function, arguments: Sequence[Any], serving: Serving, most: int, *, cut: bool) -> Outcome:
        """The guest's answer. ``most`` entries of a list are read; a longer one is cut, or refused unless ``cut``.

        Raises Trap, CallTimeout and ResultTooLarge; afterwards ``state`` says whether the instance can still be used.
        """
        outcome: Outcome = self._run(
            self._worker if function.result == "entries" else self._usual_runner(),
            lambda control: self.call_within(control, function, arguments, serving, most, cut=cut),
            f"memory.{function.name}",
        )
        return outcome

    def run(self, job: Any) -> Any:
        """Run a job of several calls (:meth:`call_within`) where the guest runs; ``job`` takes the
        :class:`~zeroclaw_cli.wasm.runner.Control`."""
        return self._run(self._usual_runner(), job, "the replay")

    def _usual_runner(self) -> Runner:
        return self._inline if self._memory.size <= _MEMORY_INLINE_BYTES else self._worker

    def call_within(
        self,
        control: Control,
        function: Function,
        arguments: Sequence[Any],
        serving: Serving,
        most: int,
        *,
        cut: bool,
    ) -> Outcome:
        """As :meth:`call`, from within a job."""
        self._served.begin(serving)
        self._logs.begin()
        return self._enter(control, function, arguments, most, cut=cut)

    def _run(self, runner: Runner, job: Any, context: str) -> Any:
        if self.state is not InstanceState.READY:
            raise MemoryFailure(f"the plugin's instance is {self.state.value}", hint="open the memory again")
        self._memory.patient = runner is self._worker
        clock = self._clock = ticker()
        self._ticks = clock.begin(self._limits.timeout_s)
        try:
            return runner.run(job)
        except _Unfinished as unfinished:
            self.state = InstanceState.POISONED
            raise unfinished.error from None
        except Abandoned:
            self.state = InstanceState.POISONED
            raise failures.timed_out(context, self._limits, self._limits.limits.call_timeout_ms) from None
        except _Refused as refused:
            raise refused.error from None
        except BaseException:
            self.state = InstanceState.POISONED
            raise
        finally:
            clock.end()

    def _arm(self, control: Control, store: Store) -> None:
        """Give the next entry into the guest its fuel and its deadline."""
        store.set_fuel(self._limits.limits.call_fuel)
        self._kicks = self._clock.kicks
        store.set_epoch_deadline(self._ticks)
        control.deadline = time.monotonic() + self._limits.timeout_s
        self._memory.begin(control)
        if control.cancelled:
            raise _Unfinished(control.reason or Interrupted("interrupted"))

    def _enter(
        self, control: Control, function: Function, arguments: Sequence[Any], most: int, *, cut: bool
    ) -> Outcome:
        assert self._store is not None
        call = self._calls.get(function.name)
        if call is None:
            call = self._calls[function.name] = self._find(function.name)
        self._arm(control, self._store)
        try:
            outcome = call(arguments, most, cut=cut, deadline=control.deadline)
            if self._memory.out_of_time:
                raise _Unfinished(self._interrupted(control, f"memory.{function.name}"))
            return outcome
        except self._engine_error as error:
            if self._memory.out_of_time or failures.is_interruption(error):
                raise _Unfinished(self._interrupted(control, f"memory.{function.name}")) from None
            raise _Unfinished(failures.call_failed(function.name, error, self._limits)) from None
        except (TooManyEntries, StringTooLarge, DecodingTimeout) as error:
            raise _Refused(failures.answer_refused(function.name, error, self._limits)) from None

    def _interrupted(self, control: Control, context: str) -> MemoryFailure | Interrupted:
        if control.reason is not None:
            return control.reason
        # Its deadline ended it, unless somebody moved the epoch. On a busy machine that comes a little early: ticks are
        # made up for, and this thread may have waited for its turn between the two deadlines.
        by_itself = self._clock.kicks == self._kicks or time.monotonic() >= control.deadline - 5 * TICK_S
        if not control.cancelled and by_itself:
            return failures.timed_out(context, self._limits, self._limits.limits.call_timeout_ms)
        return Interrupted(f"{context} was interrupted")


def _most_bytes(limits: Limits) -> int:
    return min(limits.max_memory_mb * _MIB, _NO_LIMIT)


def _limit_store(store: Store, limits: Limits) -> None:
    store.set_limits(
        memory_size=_most_bytes(limits),
        table_elements=min(limits.max_table_elements, _NO_LIMIT),
        instances=min(limits.max_instances, _NO_LIMIT),
        tables=min(limits.max_instances, _NO_LIMIT),
        memories=MOST_MEMORIES,
    )
