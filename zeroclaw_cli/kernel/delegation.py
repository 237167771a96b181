"""What a turn may recall, and what it hands to a child (specs/memory-kernel.md §12, Recall authority, Children)."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from types import MappingProxyType
from typing import Final

from zeroclaw_cli.errors import KernelFailure
from zeroclaw_cli.kernel.json_safe import printable
from zeroclaw_cli.kernel.limits import DOCUMENTS, MEMORY_SPACES
from zeroclaw_cli.kernel.operations import Scope
from zeroclaw_cli.kernel.turn_views import AnyScope, TurnViewManager, no_delegation
from zeroclaw_cli.kernel.views import TurnContext

STATE_IDS: Final = MappingProxyType({DOCUMENTS: "documentIds", MEMORY_SPACES: "memoryBodyIds"})
"""Under which key the state of a default layer's source lists the ids that may be recalled."""


class Delegation:
    """What a parent captured for a child when it handed work out: its view, its scope and its runtime graph.

    The view stays until :meth:`release`, whatever the parent's turns, settings and newer views come to. A child's turn
    that began before keeps its pin until it ends.
    """

    def __init__(self, views: TurnViewManager, turn_id: str) -> None:
        """Retain the view of the running turn ``turn_id``. Raises KernelFailure ``no-turn``."""
        context = running_turn(views, turn_id)
        self.views: Final = views
        self.view_id: Final[str] = context.view_id
        self.scope: Final[Scope] = context.scope
        self._release = views.retain_view(context.view_id)
        self._lock = Lock()
        self._live = True

    @property
    def live(self) -> bool:
        with self._lock:
            return self._live

    def begin_turn(self, turn_id: str, scope: AnyScope) -> TurnContext:
        """Pin a turn of the child, under the child's own session and agent, to the parent's view.

        Raises KernelFailure ``no-delegation`` after the release, and as :meth:`TurnViewManager.pin_turn`.
        """
        # Not under the lock: pinning asks the clock, which is foreign code. What a release in between takes away is
        # what pinning asks for.
        if not self.live:
            raise no_delegation(self.view_id)
        return self.views.pin_turn(turn_id, self.view_id, scope)

    def release(self) -> None:
        """End the child's authority to begin turns; harmless when repeated."""
        with self._lock:
            self._live = False
        self._release()


def running_turn(views: TurnViewManager, turn_id: str) -> TurnContext:
    """The context of a turn that runs. Raises KernelFailure ``no-turn``."""
    context = views.turn(turn_id)
    if context is None:
        shown = printable(str(turn_id))
        raise KernelFailure(
            "no-turn",
            f"no turn {shown} is pinned",
            hint="begin the turn before recalling in it",
            details={"turnId": shown},
        )
    return context


def recall_ids(
    views: TurnViewManager,
    turn_id: str,
    layer_id: str,
    requested: Iterable[str] | None = None,
    *,
    key: str | None = None,
) -> tuple[str, ...]:
    """The ids of ``layer_id`` that a recall in the running turn may read: those of its pinned state.

    ``requested`` narrows them, and None means all; ``key`` names the list in the state of a layer that is none of
    :data:`STATE_IDS`. Raises KernelFailure ``no-turn``, or ``recall-outside-view`` for an id that the view lacks.
    """
    context = running_turn(views, turn_id)
    state = None
    if any(source.layer_id == layer_id for source in views.view(context.view_id).sources):
        state = views.source_state(context.view_id, layer_id)
    name = STATE_IDS.get(layer_id) if key is None else key
    listed = state.get(name) if isinstance(state, dict) else None
    allowed = tuple(id_ for id_ in listed if type(id_) is str) if isinstance(listed, tuple) else ()
    if requested is None:
        return allowed
    # A model wrote them, so that they may be anything.
    wanted = tuple(requested)
    known = frozenset(allowed)
    outside = [printable(str(id_), 128) for id_ in wanted if type(id_) is not str or id_ not in known]
    if outside:
        raise KernelFailure(
            "recall-outside-view",
            f"layer {printable(layer_id, 128)} holds no {outside[0]} for this turn",
            hint="recall what the turn's view names; what is newer comes with the next turn",
            details={"layerId": printable(layer_id, 128), "outside": outside[:20]},
        )
    return tuple(dict.fromkeys(wanted))
