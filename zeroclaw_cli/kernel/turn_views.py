"""Turn views: publishing, turns that are pinned to one, and what children keep (specs/memory-kernel.md §12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Event, Lock
from typing import Any, Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel import limits
from zeroclaw_cli.kernel.catalog import Registrations
from zeroclaw_cli.kernel.clock import stamp, utc_now
from zeroclaw_cli.kernel.contracts import Dispose
from zeroclaw_cli.kernel.json_safe import Json, digest, printable
from zeroclaw_cli.kernel.kernel import Generations, MemoryKernel
from zeroclaw_cli.kernel.operations import Receipt, Scope
from zeroclaw_cli.kernel.parsing import normalise_scope
from zeroclaw_cli.kernel.participation import Picture
from zeroclaw_cli.kernel.snapshots import SnapshotTaker, refuse_inside_snapshot
from zeroclaw_cli.kernel.sources import RegisteredSource, Taken, projecting_layers, registered_source
from zeroclaw_cli.kernel.topology_config import require_sources
from zeroclaw_cli.kernel.views import MemorySource, SourceContext, TurnContext, TurnView, Wake
from zeroclaw_cli.kernel.wake import render_wake
from zeroclaw_cli.kernel.workers import SLICE_S

AnyScope = Scope | Mapping[str, Any]


@dataclass(slots=True)
class _Kept:
    """A stored view with what belongs to it, and what keeps it from being dropped. ``problems`` are those of the
    sources that degraded, by layer."""

    view: TurnView
    wake: Wake
    states: Mapping[str, Json]
    problems: Mapping[str, str]
    pins: int = 0
    retained: int = 0


class _Run:
    """One publication that is under way. ``receipts`` is how many had been handed in when it began."""

    __slots__ = ("done", "error", "kept", "receipts")

    def __init__(self, receipts: int) -> None:
        self.receipts = receipts
        self.done = Event()
        self.kept: _Kept | None = None
        self.error: BaseException | None = None


class TurnViewManager:
    """The turn views of one runtime graph. Thread-safe; no lock is held while a source runs.

    ``max_views`` is how many are stored, those in use even beyond it; ``snapshot_timeout_ms`` how long one publication
    waits for all of its sources. Raises ValueError for a limit out of range.
    """

    def __init__(
        self,
        kernel: MemoryKernel,
        sources: Iterable[MemorySource] = (),
        *,
        max_views: int = limits.DEFAULT_VIEWS,
        max_wake_characters: int = limits.DEFAULT_WAKE_CHARACTERS,
        max_cover_characters: int = limits.DEFAULT_COVER_CHARACTERS,
        snapshot_timeout_ms: int = limits.DEFAULT_TIMEOUT_MS,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.kernel: Final = kernel
        self._max_views = _within("max_views", max_views, limits.MIN_VIEWS, limits.MAX_VIEWS)
        self._max_wake = _within("max_wake_characters", max_wake_characters, 1, limits.MAX_WAKE_CHARACTERS)
        self._max_cover = _within("max_cover_characters", max_cover_characters, 0, limits.MAX_COVER_CHARACTERS)
        timeout = _within("snapshot_timeout_ms", snapshot_timeout_ms, 1, limits.MAX_TIMEOUT_MS)
        self._taker = SnapshotTaker(timeout, kernel.describe)
        self._now = now
        # Taken before the catalog's lock where both are needed, never after it.
        self._lock = Lock()
        self._sources: Registrations[RegisteredSource] = Registrations("source")
        self._source_generation = 0
        self._runs: dict[Scope | None, _Run] = {}
        self._kept: dict[str, _Kept] = {}
        self._current: dict[Scope | None, _Kept] = {}
        self._failures: dict[Scope | None, KernelFailure] = {}
        self._turns: dict[str, TurnContext] = {}
        self._receipts = 0
        self._queue: dict[str, int] = {}
        for source in sources:
            self.register_source(source)

    # Sources

    def register_source(self, source: MemorySource) -> Dispose:
        """Snapshot ``source`` from the next publication on. Raises KernelFailure ``invalid-id``,
        ``invalid-descriptor`` or ``duplicate-id``."""
        found = registered_source(source)
        with self._lock:
            mark = self._sources.add(found.layer_id, found)
            self._source_generation += 1

        def dispose() -> None:
            with self._lock:
                if self._sources.remove(found.layer_id, mark):
                    self._source_generation += 1

        return dispose

    def assert_sources_ready(self) -> None:
        """Raise KernelFailure ``source-missing`` for a layer that projects automatically and has no source."""
        with self._lock:
            picture = self.kernel.topology.picture()
            registered = [source.layer_id for source in self._sources.values()]
        _require_ready(picture, registered)

    # Publishing

    def publish(self, scope: AnyScope | None = None) -> TurnView:
        """A view of every ready source as it is now; the current view of the scope when nothing changed.

        Callers that publish for one scope at the same time share a run, unless a receipt was handed in after it began.
        Raises KernelFailure ``source-missing``, ``source-error``, ``source-invalid``, ``source-timeout``,
        ``wake-empty``, ``wake-too-long``, ``wake-budget``, ``json-unsafe`` or ``view-inputs-changed``.
        """
        return self._publish(_scope(scope)).view

    def reconcile(self, scope: AnyScope | None = None) -> TurnView:
        """:meth:`publish`, but a failure is kept as :meth:`last_failure` and the scope's last valid view is given.

        Raises as :meth:`publish` when the scope has no view yet.
        """
        return self._reconcile(_scope(scope)).view

    def apply(self, receipt: Receipt) -> bool:
        """Tell that ``receipt`` changed memory. True when it asks for a new view and was not handed in already since
        the last publication."""
        if receipt.capability not in limits.MUTATING or all(step.status != "succeeded" for step in receipt.steps):
            return False
        with self._lock:
            if receipt.id in self._queue:
                return False
            self._receipts += 1
            self._queue[receipt.id] = self._receipts
        return True

    @property
    def queued(self) -> tuple[str, ...]:
        """The ids of the receipts that no publication has taken up."""
        with self._lock:
            return tuple(self._queue)

    def latest(self, scope: AnyScope | None = None) -> TurnView | None:
        """The current view of the scope, for inspection; it gives no authority."""
        key = _scope(scope)
        with self._lock:
            kept = self._current.get(key)
        return None if kept is None else kept.view

    def last_failure(self, scope: AnyScope | None = None) -> KernelFailure | None:
        """Why the scope's last publication failed, or None when it did not."""
        key = _scope(scope)
        with self._lock:
            return self._failures.get(key)

    def forget_scope(self, scope: AnyScope | None = None) -> None:
        """Drop what is kept for a scope that has ended, for a host that serves many; pinned views stay."""
        key = _scope(scope)
        with self._lock:
            self._failures.pop(key, None)
            self._current.pop(key, None)
            self._evict()

    # Turns

    def begin_turn(self, turn_id: str, scope: AnyScope) -> TurnContext:
        """Pin the turn to one view of its scope; repeating it gives the same context whatever changed since.

        Raises KernelFailure ``turn-scope-changed``, ``invalid-request``, or as :meth:`reconcile`.
        """
        id_, found = _id(turn_id, "turn id", limits.MAX_TURN_ID), normalise_scope(scope)
        with self._lock:
            known = self._turns.get(id_)
        if known is not None:
            return _same_scope(known, found)
        kept = self._reconcile(found)
        return self._pin(id_, kept, found, stamp(self._now()))

    def pin_turn(self, turn_id: str, view_id: str, scope: AnyScope) -> TurnContext:
        """Pin a child's turn, under its own scope, to a view that is retained for it.

        Raises KernelFailure ``view-unknown``, ``no-delegation`` when nobody retains the view, ``turn-scope-changed``,
        ``turn-view-changed`` or ``invalid-request``.
        """
        id_, found = _id(turn_id, "turn id", limits.MAX_TURN_ID), normalise_scope(scope)
        moment = stamp(self._now())
        with self._lock:
            kept = self._find(view_id)
            known = self._turns.get(id_)
            if known is None and not kept.retained:
                raise no_delegation(kept.view.id)
            context = self._pin_locked(id_, kept, found, moment)
        if context.view_id != kept.view.id:
            raise KernelFailure(
                "turn-view-changed",
                f"turn {printable(id_)} is pinned to another view",
                hint="a turn keeps its view; begin another turn",
                details={"turnId": id_, "viewId": context.view_id},
            )
        return context

    def retain_view(self, view_id: str) -> Dispose:
        """Keep a view until what is returned is called as well. Raises KernelFailure ``view-unknown``."""
        with self._lock:
            kept = self._find(view_id)
            kept.retained += 1
        released = False

        def release() -> None:
            nonlocal released
            with self._lock:
                if not released:
                    released = True
                    kept.retained -= 1
                    self._evict()

        return release

    def turn(self, turn_id: str) -> TurnContext | None:
        """The context of a turn that has begun and not ended."""
        with self._lock:
            return self._turns.get(_trimmed(turn_id))

    def end_turn(self, turn_id: str) -> bool:
        """Release the view of a turn; False when there is no such turn."""
        with self._lock:
            context = self._turns.pop(_trimmed(turn_id), None)
            if context is None:
                return False
            self._kept[context.view_id].pins -= 1
            self._evict()
            return True

    def view(self, view_id: str) -> TurnView:
        """A stored view. Raises KernelFailure ``view-unknown``, as the next two do."""
        with self._lock:
            return self._find(view_id).view

    def wake(self, view_id: str) -> Wake:
        """The text of a view for the system prompt."""
        with self._lock:
            return self._find(view_id).wake

    def degraded(self, view_id: str) -> Mapping[str, str]:
        """Why sources of a view could only say that their memory is unavailable, by layer; without secrets."""
        with self._lock:
            return self._find(view_id).problems

    def snapshot(self, layer_id: str, scope: AnyScope | None = None) -> Taken | None:
        """One source as it is now, without a view; None where its layer is not ready for one.

        Raises KernelFailure as :meth:`publish`.
        """
        refuse_inside_snapshot()
        picture, before, sources, _ = self._inputs()
        if layer_id not in projecting_layers(picture):
            return None
        _require_ready(picture, sources)
        return self._taker.take([sources[layer_id]], SourceContext(*before, _scope(scope)))[0]

    def source_state(self, view_id: str, layer_id: str) -> Json:
        """What the layer's source gave for the host alone, frozen, or None; never part of a view's JSON or wake.

        Raises KernelFailure ``layer-unavailable`` too, for a layer that the view has no source of.
        """
        with self._lock:
            states = self._find(view_id).states
        if type(layer_id) is not str or layer_id not in states:
            raise KernelFailure(
                "layer-unavailable",
                f"the view holds no source of layer {printable(str(layer_id), 128)}",
                details={"viewId": view_id, "layerId": printable(str(layer_id), 128)},
            )
        return states[layer_id]

    # Inside

    def _reconcile(self, key: Scope | None) -> _Kept:
        try:
            return self._publish(key)
        except KernelFailure as failure:
            if failure.code == "publication-reentrant":
                raise
            with self._lock:
                kept = self._current.get(key)
                if kept is None:
                    raise
                self._failures[key] = failure
                return kept

    def _publish(self, key: Scope | None) -> _Kept:
        refuse_inside_snapshot()
        with self._lock:
            needed = self._receipts
        while True:
            with self._lock:
                run = self._runs.get(key)
                mine = run is None
                if run is None:
                    run = self._runs[key] = _Run(self._receipts)
            if mine:
                return self._carry_out(key, run)
            # In slices: a signal that another thread got is seen here only between two waits.
            while not run.done.wait(SLICE_S):
                pass
            if run.receipts < needed:
                # It may have read a store before the write that this caller knows of.
                continue
            if run.kept is not None:
                return run.kept
            assert run.error is not None
            if isinstance(run.error, KernelFailure):
                raise run.error
            # What stopped the other thread, such as Ctrl-C, is no reason for this one.

    def _carry_out(self, key: Scope | None, run: _Run) -> _Kept:
        try:
            run.kept = self._take_view(key, run.receipts)
            return run.kept
        except BaseException as error:
            run.error = error
            raise
        finally:
            with self._lock:
                del self._runs[key]
            run.done.set()

    def _inputs(self) -> tuple[Picture, Generations, dict[str, RegisteredSource], int]:
        """The system and its sources as of one moment, and the counter of the sources."""
        with self._lock:
            with self.kernel.catalog.lock:
                picture, before = self.kernel.topology.picture(), self.kernel.generations()
            sources = {source.layer_id: source for source in self._sources.values()}
            return picture, before, sources, self._source_generation

    def _take_view(self, key: Scope | None, receipts: int) -> _Kept:
        picture, before, sources, source_generation = self._inputs()
        _require_ready(picture, sources)
        context = SourceContext(*before, key)
        taken = self._taker.take([sources[id_] for id_ in projecting_layers(picture)], context)
        view = _view(picture, before, taken, stamp(self._now()))
        wake = render_wake(view, max_wake_characters=self._max_wake, max_cover_characters=self._max_cover)
        with self._lock:
            after = self.kernel.generations()
            if after != before or self._source_generation != source_generation:
                raise KernelFailure(
                    "view-inputs-changed",
                    "the system changed while its sources were read",
                    hint="publish again",
                    details={"before": before._asdict(), "after": after._asdict()},
                )
            states = {one.source.layer_id: one.state for one in taken}
            problems = {one.source.layer_id: one.problem for one in taken if one.problem is not None}
            return self._install(key, _Kept(view, wake, states, problems), receipts)

    def _install(self, key: Scope | None, found: _Kept, receipts: int) -> _Kept:
        kept = self._kept.pop(found.view.id, found)
        # Published again, it is the newest.
        self._kept[kept.view.id] = kept
        self._current[key] = kept
        self._failures.pop(key, None)
        self._queue = {id_: place for id_, place in self._queue.items() if place > receipts}
        self._evict()
        return kept

    def _pin(self, id_: str, kept: _Kept, scope: Scope, moment: str) -> TurnContext:
        with self._lock:
            return self._pin_locked(id_, kept, scope, moment)

    def _pin_locked(self, id_: str, kept: _Kept, scope: Scope, moment: str) -> TurnContext:
        known = self._turns.get(id_)
        if known is not None:
            return _same_scope(known, scope)
        # Others may have published so often since that it was dropped already.
        kept = self._kept.setdefault(kept.view.id, kept)
        kept.pins += 1
        context = self._turns[id_] = TurnContext(id_, kept.view.id, kept.view.digest, scope, moment)
        return context

    def _find(self, view_id: object) -> _Kept:
        kept = self._kept.get(view_id) if type(view_id) is str else None
        if kept is None:
            shown = printable(str(view_id), limits.MAX_VIEW_ID)
            raise KernelFailure(
                "view-unknown",
                f"there is no view {shown}, or it was dropped",
                hint="pin or retain a view that is to be used later",
                details={"viewId": shown},
            )
        return kept

    def _evict(self) -> None:
        excess = len(self._kept) - self._max_views
        if excess <= 0:
            return
        current = {kept.view.id for kept in self._current.values()}
        droppable = [id_ for id_, kept in self._kept.items() if not (kept.pins or kept.retained or id_ in current)]
        for id_ in droppable[:excess]:
            del self._kept[id_]


def _view(picture: Picture, generations: Generations, taken: list[Taken], moment: str) -> TurnView:
    topology_id = picture.topology_id
    sources = tuple(one.source for one in taken)
    mark = digest(
        {
            "topologyId": topology_id,
            "catalogGeneration": generations.catalog,
            "topologyGeneration": generations.topology,
            "guardGeneration": generations.guard,
            "sources": [source.to_json() for source in sources],
        }
    )
    return TurnView(f"view-{mark[:24]}", moment, topology_id, *generations, sources, mark)


def _require_ready(picture: Picture, sources: Iterable[str]) -> None:
    require_sources(picture.descriptor.topology.definition, picture.descriptor.catalog.layers, sources)


def _scope(scope: AnyScope | None) -> Scope | None:
    return None if scope is None else normalise_scope(scope)


def _id(value: object, what: str, limit: int) -> str:
    text = value.strip() if type(value) is str else ""
    if not 1 <= len(text) <= limit:
        raise KernelFailure("invalid-request", f"a {what} is text of 1 to {limit} characters")
    return text


def _trimmed(turn_id: object) -> str:
    return turn_id.strip() if type(turn_id) is str else ""


def _same_scope(context: TurnContext, scope: Scope) -> TurnContext:
    if context.scope != scope:
        raise KernelFailure(
            "turn-scope-changed",
            f"turn {printable(context.turn_id)} began with another scope",
            hint="end the turn, or begin one of another id",
            details={"turnId": context.turn_id, "scope": context.scope.to_json()},
        )
    return context


def no_delegation(view_id: str) -> KernelFailure:
    return KernelFailure(
        "no-delegation",
        f"nobody retains view {view_id} for a child",
        hint="the parent delegates its turn before it hands work out",
        details={"viewId": view_id},
    )


def _within(name: str, value: int, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} must be an integer from {least} to {most}")
    return value
