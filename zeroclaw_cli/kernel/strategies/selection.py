"""Which strategy plans a turn (specs/memory-kernel.md §15).

What is selected is the installed copy of an artefact that was promoted, with its digest as it was then and with the
evidence of every stage. Nothing else of an artefact can be selected, whatever the config says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from zeroclaw_cli.errors import StrategiesDamaged
from zeroclaw_cli.kernel.roles import Strategy
from zeroclaw_cli.kernel.strategies.canary import Canary
from zeroclaw_cli.kernel.strategies.loading import load_installed
from zeroclaw_cli.kernel.strategies.promotion import end_canary
from zeroclaw_cli.kernel.strategies.state import History, Ref
from zeroclaw_cli.kernel.strategies.store import StrategyStore


@dataclass(frozen=True, slots=True)
class Selection:
    """What plans a turn. ``strategy`` is to be registered, and ``ref.id`` to be the topology's strategy id; it is None
    where nothing was promoted under that id, so that only what the host itself registers can be meant.

    ``close`` ends the process of a ``strategy.py``. ``canary`` is set when the turn is one of a canary's; then
    :func:`note_outcome` is to hear how its plan ended.
    """

    ref: Ref
    strategy: Strategy | None
    close: Callable[[], None]
    canary: Canary | None = None


def active_strategy(data_dir: Path, strategy_id: str, turn_id: str | None = None) -> Selection:
    """The strategy for the turn ``turn_id`` under the config's ``strategy_id``; without a turn no canary takes part.

    Raises StrategiesDamaged when what was promoted is not there as it was; nothing is used in its place.
    """
    store = StrategyStore(data_dir)
    history = store.history()
    canary = history.canary
    if canary is not None and turn_id is not None and canary.takes(turn_id):
        ref = Ref.of(canary)
        try:
            loaded = load_installed(store, ref)
        except StrategiesDamaged:
            _note(store, canary, failed=True)
            raise
        return Selection(ref, loaded.plugin.strategy, loaded.close, canary)
    found = history.selected(strategy_id)
    if found is None:
        return Selection(Ref(strategy_id), None, lambda: None)
    loaded = load_installed(store, found.ref)
    return Selection(found.ref, loaded.plugin.strategy, loaded.close)


def note_outcome(data_dir: Path, selection: Selection, *, failed: bool) -> str | None:
    """Count the plan of a canary's turn: ``failed`` when it failed closed or its receipt ended ``failed``.

    Gives the reason when the canary was taken back for it, which is recorded; does nothing for another selection.
    """
    if selection.canary is None:
        return None
    return _note(StrategyStore(data_dir), selection.canary, failed=failed)


def _note(store: StrategyStore, canary: Canary, *, failed: bool) -> str | None:
    def edit(history: History) -> History:
        found = history.canary
        if found is None or not canary.is_run(found):
            # It was promoted or taken back meanwhile.
            return history
        return replace(history, canary=found.after(failed=failed))

    _, after = store.change(edit)
    counted = after.canary
    if counted is None or not canary.is_run(counted):
        return None
    reason = counted.verdict
    if reason is None or not end_canary(store, counted, reason):
        return None
    return f"the canary {counted.id}@{counted.version} was taken back: {reason}"
