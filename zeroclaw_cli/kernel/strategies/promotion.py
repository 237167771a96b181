"""Promote and roll back (specs/memory-kernel.md §15): only what passed every stage, with an approval.

Which strategy is active is the config's word, ``memory.topology.strategy_id``; which version of it, the history's. The
caller hands in how the config is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from zeroclaw_cli.errors import KernelFailure, StrategiesDamaged, StrategyNotFound
from zeroclaw_cli.kernel.limits import DEFAULT_STRATEGY_ID
from zeroclaw_cli.kernel.strategies.artefact import Artefact
from zeroclaw_cli.kernel.strategies.canary import Canary
from zeroclaw_cli.kernel.strategies.loading import load, load_installed, require_trust
from zeroclaw_cli.kernel.strategies.state import Activation, Event, History, Publication, Ref
from zeroclaw_cli.kernel.strategies.store import StrategyStore
from zeroclaw_cli.kernel.strategy_plugin import StrategyManifest

SetStrategy = Callable[[str], None]
"""Makes an id the config's ``memory.topology.strategy_id``, or raises with the config untouched."""

ActiveId = Callable[[], str]
"""The config's strategy id as it is now. It is asked under the lock, where no other promotion changes it."""


@dataclass(frozen=True, slots=True)
class Promoted:
    """``before`` was active and, under a canary, still is. ``changed`` is False when all of it was so already."""

    strategy: Ref
    before: Ref
    canary: int | None
    changed: bool


@dataclass(frozen=True, slots=True)
class RolledBack:
    """``gave_up`` is what was taken back, ``active`` what is active now. ``canary``: only a canary was ended."""

    gave_up: Ref
    active: Ref
    canary: bool


def require_publishable(history: History, manifest: StrategyManifest, digest: str) -> None:
    """Raise KernelFailure ``id-reserved`` for an id of the host's own, ``version-published`` when this id and version
    were published with other files."""
    if manifest.id == DEFAULT_STRATEGY_ID:
        raise KernelFailure(
            "id-reserved", f"the id {manifest.id} is the host's own", hint="give the strategy an id of its own"
        )
    published = history.publication(manifest.id, manifest.version)
    if published is not None and published.digest != digest:
        raise KernelFailure(
            "version-published",
            f"{manifest.id}@{manifest.version} was published with other files",
            hint="give it a new version in strategy.toml",
            details={"published": published.digest, "digest": digest},
        )


def require_ready(store: StrategyStore, artefact: Artefact) -> StrategyManifest:
    """The manifest of an artefact that may be promoted once it is approved.

    Raises KernelFailure ``evidence-missing``, ``id-reserved`` or ``version-published``, StrategyUntrusted,
    StrategiesDamaged, and what loading an artefact raises.
    """
    loaded = load(artefact)
    require_trust(store, artefact)
    manifest = loaded.plugin.manifest
    require_publishable(store.history(), manifest, artefact.digest)
    missing = store.evidence(artefact.digest).missing()
    if missing:
        raise KernelFailure(
            "evidence-missing",
            f"{manifest.id}@{manifest.version} did not pass {', '.join(missing)} with exactly these files",
            hint="run " + ", ".join(f"`zeroclaw strategy {name} DIR`" for name in missing),
            details={"missing": list(missing), "digest": artefact.digest},
        )
    return manifest


def promote(
    store: StrategyStore,
    artefact: Artefact,
    *,
    publisher_key: str | None,
    active: ActiveId,
    set_strategy: SetStrategy,
    canary: int | None = None,
) -> Promoted:
    """Install an approved ``artefact`` and make it the active strategy, or a canary beside it for ``canary`` percent.

    ``publisher_key`` signed it; None: the operator said yes. Raises as :func:`require_ready`, KernelFailure
    ``canary-running``, and what ``set_strategy`` raises, nothing changed.
    """
    manifest = require_ready(store, artefact)
    now = store.now()
    publication = Publication(
        manifest.id, manifest.version, artefact.digest, artefact.kind, manifest.label, now, publisher_key
    )
    ref = publication.ref
    store.install(artefact)

    chosen: list[str] = []

    def edit(history: History) -> History:
        chosen.append(active())
        require_publishable(history, manifest, artefact.digest)
        _require_no_other_canary(history, ref)
        approval = "approved by the operator" if publisher_key is None else f"signed by {publisher_key}"
        if canary is not None:
            return _with_canary(history.with_publication(publication), ref, canary, now, approval, chosen[0])
        return _with_active(history.with_publication(publication), ref, active_ref(history, chosen[0]), now, approval)

    def choose() -> None:
        if canary is None and chosen[0] != ref.id:
            set_strategy(ref.id)
            chosen.append(ref.id)

    before, after = store.change(edit, choose)
    return Promoted(ref, active_ref(before, chosen[0]), canary, len(chosen) > 1 or after != before)


def rollback(
    store: StrategyStore, *, active: ActiveId, set_strategy: SetStrategy, to: tuple[str, str] | None = None
) -> RolledBack:
    """End the canary; without one restore what was active before the last promotion, or the id and version ``to``.

    Raises KernelFailure ``nothing-to-roll-back``, StrategyNotFound for ``to``, StrategiesDamaged.
    """
    history = store.history()
    # Before anything is made: a lock file would be the first.
    _way_back(history, active_ref(history, active()), to)
    result: list[RolledBack] = []

    def edit(history: History) -> History:
        id_ = active()
        now, now_active = store.now(), active_ref(history, id_)
        target = _way_back(history, now_active, to)
        if target is None:
            assert history.canary is not None
            ended = Ref.of(history.canary)
            result.append(RolledBack(ended, now_active, True))
            return _without_canary(history, now, "by the operator")
        if target.digest is not None:
            _require_usable(store, target)
        if target.id != id_:
            # Before the history says so: when this ends in between, it can be done again.
            set_strategy(target.id)
        result.append(RolledBack(now_active, target, False))
        last = history.activations[:-1] if to is None else (*history.activations, Activation(target, now_active, now))
        event = Event(now, "rolled-back", target, f"from {now_active.label}, by the operator")
        return replace(history.with_current(target), activations=last, canary=None).with_event(event)

    store.change(edit)
    return result[0]


def active_ref(history: History, active: str) -> Ref:
    """What is active under the config's id: a promoted version of it, or the host's own."""
    found = history.selected(active)
    return Ref(active) if found is None else found.ref


def end_canary(store: StrategyStore, canary: Canary, reason: str) -> bool:
    """Take ``canary`` back for ``reason``; False when it is not the canary any more."""

    def edit(history: History) -> History:
        if not canary.is_run(history.canary):
            return history
        return _without_canary(history, store.now(), reason)

    before, after = store.change(edit)
    return after != before


def _without_canary(history: History, now: str, reason: str) -> History:
    canary = history.canary
    assert canary is not None
    event = Event(now, "canary-rolled-back", Ref.of(canary), reason)
    return replace(history, canary=None).with_event(event)


def _way_back(history: History, active: Ref, to: tuple[str, str] | None) -> Ref | None:
    """What a rollback makes active; None when it only ends the canary."""
    target = None if to is None else _named(history, to)
    if history.canary is not None and target in (None, active):
        return None
    if target is not None:
        if target == active:
            raise _nothing(f"{target.label} is active already")
        return target
    if not history.activations:
        raise _nothing("no promotion is in force")
    return history.activations[-1].before


def _with_canary(history: History, ref: Ref, percent: int, now: str, approval: str, active: str) -> History:
    assert ref.version is not None
    assert ref.digest is not None
    if active_ref(history, active) == ref:
        raise KernelFailure(
            "canary-running", f"{ref.label} is active already", hint="a canary needs a different strategy"
        )
    present = history.canary
    if present is not None and (present.digest, present.percent) == (ref.digest, percent):
        return history
    event = Event(now, "canary-started", ref, f"for {percent} % of the turns, {approval}")
    return replace(history, canary=Canary(ref.id, ref.version, ref.digest, percent, now)).with_event(event)


def _with_active(history: History, ref: Ref, before: Ref, now: str, approval: str) -> History:
    if before == ref and history.canary is None:
        return history
    what = "promoted" if history.canary is None else "canary-promoted"
    # Its own version of before is restored by a rollback, and nothing is lost by selecting it twice.
    activations = history.activations if before == ref else (*history.activations, Activation(ref, before, now))
    if history.activations and (history.activations[-1].to, history.activations[-1].before) == (ref, before):
        # One that was ended before the config said so, and is done again now.
        activations = history.activations
    found = replace(history.with_current(ref), activations=activations, canary=None)
    return found.with_event(Event(now, what, ref, f"in place of {before.label}, {approval}"))


def _require_no_other_canary(history: History, ref: Ref) -> None:
    canary = history.canary
    if canary is not None and canary.digest != ref.digest:
        raise KernelFailure(
            "canary-running",
            f"a canary of {Ref.of(canary).label} is running",
            hint="promote it, or take it back with `zeroclaw strategy rollback`",
            details={"id": canary.id, "version": canary.version},
        )


def _named(history: History, to: tuple[str, str]) -> Ref:
    id_, version = to
    found = history.publication(id_, version)
    if found is None:
        known = ", ".join(item.ref.label for item in history.published) or "none"
        raise StrategyNotFound(
            f"{id_}@{version} was never promoted", hint=f"there are: {known}; `zeroclaw strategy list`"
        )
    return found.ref


def _require_usable(store: StrategyStore, target: Ref) -> None:
    # What cannot be used any more is no way back.
    try:
        load_installed(store, target)
    except StrategiesDamaged as damaged:
        raise StrategiesDamaged(
            damaged.message,
            hint="`zeroclaw strategy rollback --to ID@VER` names another one; "
            "`zeroclaw config unset memory.topology.strategy_id` goes back to the host's own",
        ) from None


def _nothing(what: str) -> KernelFailure:
    return KernelFailure(
        "nothing-to-roll-back",
        f"there is nothing to roll back to: {what}",
        hint="`zeroclaw strategy list` shows what was promoted, and --to ID@VER names one of them; "
        "`zeroclaw config unset memory.topology.strategy_id` goes back to the host's own",
    )
