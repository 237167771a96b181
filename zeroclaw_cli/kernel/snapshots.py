"""Taking the snapshots of one publication under a deadline, so that a source that hangs holds up no turn for ever."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from threading import Lock
from typing import Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.sources import Describe, RegisteredSource, Taken, take
from zeroclaw_cli.kernel.views import SourceContext
from zeroclaw_cli.kernel.workers import Workers, answered

_log: Final = logging.getLogger(__name__)

_inside: ContextVar[bool] = ContextVar("inside_a_snapshot", default=False)


def refuse_inside_snapshot() -> None:
    """Raise KernelFailure ``publication-reentrant`` in the code of a source: it would wait for itself."""
    if _inside.get():
        raise KernelFailure(
            "publication-reentrant",
            "a source asked for a turn view while it was being snapshotted",
            hint="a source reads its own store alone",
        )


class SnapshotTaker:
    """Asks sources one after the other in a worker thread, and waits ``timeout_ms`` for all of them together.

    A source that did not answer in time is not asked again before it did, so that it ties up one thread at most.
    """

    def __init__(self, timeout_ms: int, describe: Describe) -> None:
        self._timeout_ms = timeout_ms
        self._describe = describe
        self._workers = Workers()
        self._lock = Lock()
        self._overdue: set[RegisteredSource] = set()

    def take(self, sources: Sequence[RegisteredSource], context: SourceContext) -> list[Taken]:
        """The snapshots in the order of ``sources``.

        Raises what :func:`~zeroclaw_cli.kernel.sources.take` raises, for the first that fails, and KernelFailure
        ``source-timeout``.
        """
        if not sources:
            return []
        with self._lock:
            late = next((source for source in sources if source in self._overdue), None)
        if late is not None:
            raise self._timeout(late, "has not answered since an earlier publication")
        run = _Run(self, sources, context)
        inherited = copy_context()
        inherited.run(_inside.set, True)
        try:
            self._workers.submit(lambda: inherited.run(run.work))
        except RuntimeError as error:
            raise KernelFailure(
                "source-error", f"no thread could be started for the sources: {self._describe(error)}"
            ) from error
        try:
            waiting = None if answered(run.done, self._timeout_ms / 1_000) else run.abandon()
        except BaseException:
            run.abandon()
            raise
        if waiting is not None:
            raise self._timeout(waiting, f"did not answer within {self._timeout_ms} ms")
        return run.result()

    def ask(self, source: RegisteredSource, context: SourceContext) -> Taken:
        return take(source, context, self._describe)

    def set_overdue(self, source: RegisteredSource, late: bool) -> None:
        with self._lock:
            if late:
                self._overdue.add(source)
            else:
                self._overdue.discard(source)

    def _timeout(self, source: RegisteredSource, what: str) -> KernelFailure:
        return KernelFailure(
            "source-timeout",
            f"timeout: the source of layer {source.layer_id} {what}",
            hint="the next turn asks again; set its layer's participation.projection to manual to go without it",
            details={"layerId": source.layer_id, "timeoutMs": self._timeout_ms},
        )


class _Run:
    """Shared by the waiting caller and the worker; after it was abandoned its results are of no interest."""

    def __init__(self, taker: SnapshotTaker, sources: Sequence[RegisteredSource], context: SourceContext) -> None:
        self.taker = taker
        self.sources = sources
        self.context = context
        self.done: SimpleQueue[None] = SimpleQueue()
        self._lock = Lock()
        self._abandoned = False
        self._asked: RegisteredSource | None = None
        self._taken: list[Taken] = []
        self._error: BaseException | None = None

    def work(self) -> Callable[[], None]:
        for source in self.sources:
            with self._lock:
                if self._abandoned:
                    break
                self._asked = source
            error: BaseException | None = None
            try:
                self._taken.append(self.taker.ask(source, self.context))
            except BaseException as found:  # noqa: BLE001 - it is raised where the publication waits
                error = found
            with self._lock:
                self._asked = None
                self._error = error
                if self._abandoned:
                    _log.warning("the source of layer %s answered after its deadline; discarded", source.layer_id)
                    self.taker.set_overdue(source, late=False)
            if error is not None:
                break
        return lambda: self.done.put(None)

    def abandon(self) -> RegisteredSource | None:
        """Take no more results. Gives the source that has not answered, or None when all have meanwhile."""
        with self._lock:
            if self._asked is None and (self._error is not None or len(self._taken) == len(self.sources)):
                return None
            self._abandoned = True
            waiting = self._asked
            if waiting is not None:
                self.taker.set_overdue(waiting, late=True)
        # Between two sources, or before the first: the next one to be asked is what the time went out on.
        return waiting or self.sources[min(len(self._taken), len(self.sources) - 1)]

    def result(self) -> list[Taken]:
        if self._error is not None:
            raise self._error
        return self._taken
