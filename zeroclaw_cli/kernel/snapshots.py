"""Taking the snapshots of one publication under a deadline, so that a source that hangs holds up no turn for ever."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from itertools import takewhile
from queue import SimpleQueue
from threading import Lock
from time import monotonic
from typing import Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.sources import Describe, RegisteredSource, Taken, take, without
from zeroclaw_cli.kernel.views import SourceContext
from zeroclaw_cli.kernel.workers import Workers, answered

_log: Final = logging.getLogger(__name__)

_MOST_PATIENCE_S: Final = 3.0

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

    A source that degrades is waited for no longer than three seconds and half of the time that is left, so that the
    sources after it have theirs. One that did not answer in time is not asked again before it did, so that it ties up
    one thread at most.
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
        ``source-timeout`` for one that does not degrade.
        """
        with self._lock:
            overdue = self._overdue.intersection(sources)
        late = {source: self._timeout(source, "has not answered since an earlier publication") for source in overdue}
        for source in sources:
            if source in late and source.degraded is None:
                raise late[source]
        deadline = monotonic() + self._timeout_ms / 1_000
        taken: list[Taken] = []
        while len(taken) < len(sources):
            rest = sources[len(taken) :]
            if rest[0] in late:
                taken.append(without(rest[0], late[rest[0]], self._describe))
                continue
            answered_, waiting = self._ask(list(takewhile(lambda source: source not in late, rest)), context, deadline)
            taken += answered_
            if waiting is not None:
                failure = self._timeout(waiting, f"did not answer within {self._timeout_ms} ms")
                if waiting.degraded is None:
                    raise failure
                taken.append(without(waiting, failure, self._describe))
        return taken

    def _ask(
        self, sources: Sequence[RegisteredSource], context: SourceContext, deadline: float
    ) -> tuple[list[Taken], RegisteredSource | None]:
        """The snapshots up to the first source that does not answer in time, and that source."""
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
            for source in sources:
                if not answered(run.step, _patience(source, deadline - monotonic())):
                    return run.abandon()
                if run.ended:
                    break
        except BaseException:
            run.abandon()
            raise
        return run.result(), None

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


def _patience(source: RegisteredSource, left_s: float) -> float:
    """How many seconds to wait for ``source`` when so many are left for it and those after it."""
    left_s = max(left_s, 0.0)
    return left_s if source.degraded is None else min(_MOST_PATIENCE_S, left_s / 2)


class _Run:
    """Shared by the waiting caller and the worker; after it was abandoned its results are of no interest. ``step`` gets
    an item for each source that has answered, or failed."""

    def __init__(self, taker: SnapshotTaker, sources: Sequence[RegisteredSource], context: SourceContext) -> None:
        self.taker = taker
        self.sources = sources
        self.context = context
        self.step: SimpleQueue[None] = SimpleQueue()
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
            found: Taken | None = None
            error: BaseException | None = None
            try:
                found = self.taker.ask(source, self.context)
            except BaseException as raised:  # noqa: BLE001 - it is raised where the publication waits
                error = raised
            with self._lock:
                self._asked = None
                if self._abandoned:
                    _log.warning("the source of layer %s answered after its deadline; discarded", source.layer_id)
                    self.taker.set_overdue(source, late=False)
                    break
                self._error = error
                if found is not None:
                    self._taken.append(found)
            if self.ended:
                break
            self.step.put(None)
        return lambda: self.step.put(None)

    @property
    def ended(self) -> bool:
        """Whether all have answered, or one has failed."""
        return self._error is not None or len(self._taken) == len(self.sources)

    def abandon(self) -> tuple[list[Taken], RegisteredSource | None]:
        """Take no more results: those that there are, and the source that has not answered, None when all have."""
        with self._lock:
            if not self.ended:
                self._abandoned = True
                if self._asked is not None:
                    self.taker.set_overdue(self._asked, late=True)
                # Between two sources, or before the first: the next one to be asked is what the time went out on.
                return self._taken, self._asked or self.sources[len(self._taken)]
        return self.result(), None

    def result(self) -> list[Taken]:
        if self._error is not None:
            raise self._error
        return self._taken
