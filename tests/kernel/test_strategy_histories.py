"""Random sequences of promotions, canaries and rollbacks against a model of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.kernel.artefacts import store_in, versioned
from zeroclaw_cli.errors import KernelFailure, StrategyNotFound
from zeroclaw_cli.kernel.strategies.artefact import Artefact
from zeroclaw_cli.kernel.strategies.promotion import promote, rollback
from zeroclaw_cli.kernel.strategies.selection import Selection, active_strategy, note_outcome
from zeroclaw_cli.kernel.strategies.store import StrategyStore

DEFAULT = "default-three-tier"
NAMES = [(name, version) for name in ("one", "two") for version in ("1", "2")]
LABELS = [f"{name}@{version}" for name, version in NAMES]
artefacts = st.integers(0, len(NAMES) - 1)


class Histories(RuleBasedStateMachine):
    """``stack`` is what was active before, one below the other; ``config`` is the id in the config."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name)
        self.data = path / "data"
        self.store: StrategyStore = store_in(path)
        self.artefacts: list[Artefact] = [versioned(path / name, name, version) for name, version in NAMES]
        for artefact in self.artefacts:
            for stage in ("check", "replay", "shadow"):
                self.store.record(artefact.digest, stage, ok=True, detail={})
        self.config = DEFAULT
        self.active = DEFAULT
        self.stack: list[str] = []
        self.current: dict[str, str] = {}
        self.canary: str | None = None
        self.counts = (0, 0)
        self.published: set[str] = set()

    def teardown(self) -> None:
        self.folder.cleanup()

    def set(self, id_: str) -> None:
        self.config = id_

    def select(self, label: str) -> None:
        self.active = label
        if label != DEFAULT:
            self.current[label.partition("@")[0]] = label

    @rule(number=artefacts)
    def promotes(self, number: int) -> None:
        label = LABELS[number]
        try:
            promote(
                self.store,
                self.artefacts[number],
                publisher_key=None,
                active=lambda: self.config,
                set_strategy=self.set,
            )
        except KernelFailure as failure:
            assert failure.code == "canary-running"
            assert self.canary not in (None, label)
            return
        assert self.canary in (None, label)
        if self.active != label:
            self.stack.append(self.active)
        self.canary = None
        self.published.add(label)
        self.select(label)

    @rule(number=artefacts, percent=st.sampled_from([10, 50, 100]))
    def tries(self, number: int, percent: int) -> None:
        label = LABELS[number]
        try:
            result = promote(
                self.store,
                self.artefacts[number],
                publisher_key=None,
                active=lambda: self.config,
                set_strategy=self.set,
                canary=percent,
            )
        except KernelFailure as failure:
            assert failure.code == "canary-running"
            assert self.canary not in (None, label) or self.active == label
            return
        if result.changed:
            self.counts = (0, 0)
        self.canary = label
        self.published.add(label)

    @rule()
    def takes_back(self) -> None:
        try:
            result = rollback(self.store, active=lambda: self.config, set_strategy=self.set)
        except KernelFailure as failure:
            assert failure.code == "nothing-to-roll-back"
            assert self.canary is None
            assert not self.stack
            return
        if result.canary:
            assert self.canary == result.gave_up.label
            self.canary = None
        else:
            assert self.canary is None
            self.select(self.stack.pop())

    @rule(number=artefacts)
    def goes_to(self, number: int) -> None:
        label = LABELS[number]
        try:
            result = rollback(self.store, active=lambda: self.config, set_strategy=self.set, to=NAMES[number])
        except KernelFailure:
            assert self.active == label
            assert self.canary is None
            return
        except StrategyNotFound:
            assert label not in self.published
            return
        if not result.canary:
            self.stack.append(self.active)
            self.select(label)
        self.canary = None

    @rule(turn=st.integers(0, 200), failed=st.booleans(), times=st.integers(1, 15))
    def plans(self, turn: int, failed: bool, times: int) -> None:
        selection = self.selection(f"turn-{turn}")
        for _ in range(times):
            told = note_outcome(self.data, selection, failed=failed)
            if selection.canary is None or self.canary is None:
                assert told is None
                continue
            plans, bad = self.counts[0] + 1, self.counts[1] + failed
            self.counts = (plans, bad)
            assert (told is not None) == (plans >= 20 and bad * 20 > plans)
            if told is not None:
                self.canary = None

    def selection(self, turn: str | None = None) -> Selection:
        return active_strategy(self.data, self.config, turn)

    @invariant()
    def what_is_selected_is_what_is_active(self) -> None:
        found = self.selection()
        assert found.ref.label == self.active
        assert (found.strategy is None) == (self.active == DEFAULT)

    @invariant()
    def a_turn_gets_the_active_strategy_or_the_canary(self) -> None:
        for turn in ("a", "b", "c"):
            found = self.selection(turn)
            assert found.ref.label == (self.canary if found.canary is not None else self.active)

    @invariant()
    def nothing_is_selected_under_an_id_that_was_not_promoted(self) -> None:
        for id_ in ("one", "two"):
            found = active_strategy(self.data, id_)
            assert found.ref.label == self.current.get(id_, id_)


Histories.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestHistories = Histories.TestCase
