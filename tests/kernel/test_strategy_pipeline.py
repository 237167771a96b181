"""The stages one after the other, and what may be selected after them: nothing that did not pass."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.kernel.artefacts import (
    PROPOSE,
    change,
    folder,
    passed,
    requests_of,
    store_in,
    system,
    unheard,
    versioned,
)
from tests.kernel.graphs import asking
from zeroclaw_cli.config.model import Security
from zeroclaw_cli.errors import KernelFailure, StrategiesDamaged, StrategyNotFound, StrategyUntrusted, UsageError
from zeroclaw_cli.kernel.default_system import DefaultStrategy
from zeroclaw_cli.kernel.strategies import pipeline
from zeroclaw_cli.kernel.strategies.artefact import Artefact, Kind, read_artefact
from zeroclaw_cli.kernel.strategies.promotion import Promoted, RolledBack, promote, rollback
from zeroclaw_cli.kernel.strategies.selection import Selection, active_strategy, note_outcome
from zeroclaw_cli.kernel.strategies.state import Ref
from zeroclaw_cli.kernel.strategies.store import StrategyStore
from zeroclaw_cli.kernel.strategies.template import create

DEFAULT = "default-three-tier"
KINDS: tuple[Kind, ...] = ("rules", "python")


class Host:
    """A config with one key, and a store."""

    def __init__(self, tmp_path: Path) -> None:
        self.path = tmp_path
        self.store: StrategyStore = store_in(tmp_path)
        self.active = DEFAULT

    def set(self, id_: str) -> None:
        self.active = id_

    def promote(self, artefact: Artefact, canary: int | None = None) -> Promoted:
        return promote(
            self.store, artefact, publisher_key=None, active=lambda: self.active, set_strategy=self.set, canary=canary
        )

    def rollback(self, to: tuple[str, str] | None = None) -> RolledBack:
        return rollback(self.store, active=lambda: self.active, set_strategy=self.set, to=to)

    def selection(self, turn: str | None = None, id_: str | None = None) -> Selection:
        return active_strategy(self.path / "data", id_ or self.active, turn)

    @property
    def selected(self) -> str:
        found = self.selection()
        found.close()
        return found.ref.label


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(KernelFailure) as caught:
        call()
    return caught.value.code


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_strategy_passes_every_stage_and_becomes_active(host: Host, kind: Kind) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path, kind=kind)))
    result = host.promote(artefact)
    assert (result.strategy.label, result.before, result.changed) == ("mine@1", Ref(DEFAULT), True)
    assert host.active == "mine"
    found = host.selection()
    assert found.strategy is not None
    assert found.ref.digest == artefact.digest
    picture = system()
    proposal = found.strategy.propose(asking(), picture)
    assert [step.layer_id for step in proposal.steps] == ["documents", "memory-spaces"]
    found.close()
    assert host.store.history().events[-1].what == "promoted"


@pytest.mark.parametrize("stage", ["check", "replay", "shadow"])
def test_each_stage_is_needed_for_exactly_this_digest(host: Host, stage: str) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path)))
    host.store.record(artefact.digest, stage, ok=False, detail={})
    assert code_of(lambda: host.promote(artefact)) == "evidence-missing"
    assert host.active == DEFAULT
    assert not host.store.installed_folder(artefact.digest).exists()
    change(artefact.directory, "rules.toml", "few results", "not many results")
    with pytest.raises(KernelFailure) as caught:
        host.promote(read_artefact(artefact.directory))
    assert caught.value.details is not None
    assert caught.value.details["missing"] == ["check", "replay", "shadow"]


def test_a_failing_stage_is_evidence_of_its_failure(host: Host) -> None:
    directory = folder(host.path)
    change(directory, "replay.jsonl", '"budget-exceeded"', '"no-steps"')
    artefact = read_artefact(directory)
    assert not pipeline.replay(host.store, artefact, unheard).ok
    assert not host.store.evidence(artefact.digest).stages["replay"].ok
    narrow = folder(host.path, "narrow")
    change(narrow, "strategy.toml", '  "recall",\n', "")
    artefact = read_artefact(narrow)
    report = pipeline.shadowed(
        host.store, artefact, [asking()], system(), DefaultStrategy(), unheard, source="requests"
    )
    assert not report.ok
    assert host.store.evidence(artefact.digest).stages["shadow"].detail["from"] == "requests"
    assert not host.store.evidence(artefact.digest).stages["shadow"].ok


def test_cases_of_another_file_leave_no_evidence(host: Host) -> None:
    artefact = read_artefact(folder(host.path))
    other = artefact.text("replay.jsonl")
    assert pipeline.replay(host.store, artefact, unheard, ("other.jsonl", other)).ok
    assert "replay" not in host.store.evidence(artefact.digest).stages


def test_a_missing_category_fails_the_replay(host: Host) -> None:
    directory = folder(host.path)
    change(directory, "replay.jsonl", '"missing-adapter"', '"escape"')
    report = pipeline.replay(host.store, read_artefact(directory), unheard)
    assert (report.ok, report.missing, report.failed) == (False, ("missing-adapter",), ())


def test_evidence_that_cannot_be_written_is_told_and_the_stage_is_done(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied", "evidence")

    monkeypatch.setattr(StrategyStore, "record", refuse)
    told: list[str] = []
    assert pipeline.check(host.store, read_artefact(folder(host.path)), Security(), told.append).ok()
    assert told == ["that it passed check was not recorded: evidence: Permission denied"]


def test_python_is_not_run_before_somebody_allowed_exactly_this_code(host: Host) -> None:
    directory = folder(host.path, kind="python")
    artefact = read_artefact(directory)
    stages: list[Callable[[], object]] = [
        lambda: pipeline.replay(host.store, artefact, unheard),
        lambda: pipeline.shadowed(host.store, artefact, requests_of(artefact), system(), None, unheard, source="cases"),
        lambda: host.promote(artefact),
    ]
    assert pipeline.check(host.store, artefact, Security(), unheard).ok()
    for stage in stages:
        with pytest.raises(StrategyUntrusted) as caught:
            stage()
        assert caught.value.exit_code == 4
        assert artefact.digest in (caught.value.hint or "")
    host.store.trust(artefact.digest)
    assert pipeline.replay(host.store, artefact, unheard).ok
    change(directory, "strategy.py", "frozen JSON", "frozen JSON,")
    with pytest.raises(StrategyUntrusted):
        pipeline.replay(host.store, read_artefact(directory), unheard)


@pytest.mark.parametrize(
    "source",
    [
        "import random\ndef propose(r, c): return {'reason': str(random.random()), 'steps': []}\n",
        "n = [0]\ndef propose(r, c):\n    n[0] += 1\n    return {'reason': str(n), 'steps': []}\n",
        # The order of a set is another one in another process.
        "def propose(r, c): return {'reason': ' '.join(set('abcdefghijkl')), 'steps': []}\n",
    ],
)
def test_a_strategy_py_that_answers_differently_fails_the_replay(host: Host, source: str) -> None:
    directory = folder(host.path, kind="python")
    (directory / "strategy.py").write_text(source)
    artefact = read_artefact(directory)
    host.store.trust(artefact.digest)
    report = pipeline.replay(host.store, artefact, unheard)
    assert any("not deterministic" in (result.detail or "") for result in report.failed)


@pytest.mark.parametrize(
    "source",
    ["def propose(r, c):\n    while True: pass\n", "raise SystemExit\n", "def propose(r, c): r['x'] = 1\n", PROPOSE],
)
def test_a_strategy_py_that_does_not_do_its_work_fails_the_replay(host: Host, source: str) -> None:
    directory = folder(host.path, kind="python")
    (directory / "strategy.py").write_text(source)
    artefact = read_artefact(directory)
    host.store.trust(artefact.digest)
    assert not pipeline.replay(host.store, artefact, unheard).ok


def test_an_unpromoted_strategy_cannot_be_selected_by_config(host: Host) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path)))
    assert host.selection(id_="mine").strategy is None
    host.store.install(artefact)
    assert host.selection(id_="mine").strategy is None
    assert host.selection("turn", id_="mine").strategy is None


def test_a_canary_alone_cannot_be_selected_by_config(host: Host) -> None:
    host.promote(passed(host.store, read_artefact(folder(host.path))), canary=100)
    assert host.selection(id_="mine").strategy is None
    assert host.selection("turn").ref.label == "mine@1"


@pytest.mark.parametrize("what", ["changed", "gone", "unevidenced", "failed", "untrusted", "exchanged"])
@pytest.mark.parametrize("canary", [None, 100])
def test_what_was_promoted_is_not_used_unless_it_is_all_as_it_was(host: Host, what: str, canary: int | None) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path, kind="python")))
    host.promote(artefact, canary)
    installed = host.store.installed_folder(artefact.digest)
    evidence = host.store.evidence_file(artefact.digest)
    if what == "changed":
        change(installed, "strategy.py", "wanted", "asked")
    elif what == "gone":
        shutil.rmtree(installed)
    elif what == "unevidenced":
        evidence.unlink()
    elif what == "failed":
        host.store.record(artefact.digest, "replay", ok=False, detail={})
    elif what == "untrusted":
        body = json.loads(evidence.read_bytes())
        evidence.write_text(json.dumps(body | {"trusted_at": None}))
    else:
        other = passed(host.store, read_artefact(folder(host.path, "other")))
        host.store.install(other)
        shutil.rmtree(installed)
        shutil.copytree(host.store.installed_folder(other.digest), installed)
    with pytest.raises(StrategiesDamaged) as caught:
        host.selection("turn")
    assert caught.value.exit_code == 5
    assert caught.value.hint
    if canary is not None:
        found = host.store.history().canary
        assert found is not None
        assert (found.plans, found.failed) == (1, 1)


def test_a_published_version_never_means_other_files(host: Host) -> None:
    directory = folder(host.path)
    host.promote(passed(host.store, read_artefact(directory)))
    change(directory, "rules.toml", "few results", "not many results")
    artefact = passed_but_published(host.store, read_artefact(directory))
    assert code_of(lambda: host.promote(artefact)) == "version-published"
    host.rollback()
    assert code_of(lambda: host.promote(artefact)) == "version-published"
    change(directory, "strategy.toml", 'version = "1"', 'version = "2"')
    host.promote(passed(host.store, read_artefact(directory)))
    assert host.selected == "mine@2"


def passed_but_published(store: StrategyStore, artefact: Artefact) -> Artefact:
    for stage in ("check", "replay", "shadow"):
        store.record(artefact.digest, stage, ok=True, detail={})
    return artefact


def test_the_hosts_own_id_is_never_published(host: Host) -> None:
    directory = folder(host.path)
    change(directory, "strategy.toml", 'id = "mine"', f'id = "{DEFAULT}"')
    artefact = passed_but_published(host.store, read_artefact(directory))
    assert code_of(lambda: host.promote(artefact)) == "id-reserved"


def test_promoting_what_is_active_changes_nothing(host: Host) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path)))
    host.promote(artefact)
    before = host.store.history()
    assert not host.promote(artefact).changed
    assert host.store.history() == before


def test_promoting_again_mends_a_damaged_copy(host: Host) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path)))
    host.promote(artefact)
    (host.store.installed_folder(artefact.digest) / "rules.toml").write_text("x")
    host.promote(artefact)
    assert host.selected == "mine@1"


def test_a_config_that_refuses_leaves_everything_as_it_was(host: Host) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path)))
    before = host.store.history()

    def refuse(id_: str) -> None:
        raise KernelFailure("strategy-unavailable", id_)

    with pytest.raises(KernelFailure, match="mine"):
        promote(host.store, artefact, publisher_key=None, active=lambda: DEFAULT, set_strategy=refuse)
    assert host.store.history() == before
    host.promote(artefact)
    before = host.store.history()
    with pytest.raises(KernelFailure, match=DEFAULT):
        rollback(host.store, active=lambda: "mine", set_strategy=refuse)
    assert host.store.history() == before


def test_a_rollback_goes_back_step_by_step(host: Host) -> None:
    assert code_of(host.rollback) == "nothing-to-roll-back"
    for name, version in (("mine", "1"), ("mine", "2"), ("other", "1")):
        host.promote(passed(host.store, versioned(host.path / name, name, version)))
    seen = [host.selected]
    for _ in range(3):
        host.rollback()
        seen.append(host.selected)
    assert seen == ["other@1", "mine@2", "mine@1", DEFAULT]
    assert code_of(host.rollback) == "nothing-to-roll-back"


def test_a_rollback_to_a_named_version_can_be_taken_back(host: Host) -> None:
    for version in ("1", "2", "3"):
        host.promote(passed(host.store, versioned(host.path, "mine", version)))
    assert host.rollback(("mine", "1")).active.label == "mine@1"
    assert host.selected == "mine@1"
    assert code_of(lambda: host.rollback(("mine", "1"))) == "nothing-to-roll-back"
    with pytest.raises(StrategyNotFound) as caught:
        host.rollback(("mine", "4"))
    assert caught.value.exit_code == 3
    host.rollback()
    assert host.selected == "mine@3"


def test_a_way_back_that_is_damaged_is_no_way_back(host: Host) -> None:
    first = passed(host.store, versioned(host.path, "mine", "1"))
    host.promote(first)
    host.promote(passed(host.store, versioned(host.path, "mine", "2")))
    host.store.record(first.digest, "check", ok=False, detail={})
    with pytest.raises(StrategiesDamaged, match="no evidence of check"):
        host.rollback()
    shutil.rmtree(host.store.installed_folder(first.digest))
    with pytest.raises(StrategiesDamaged) as caught:
        host.rollback()
    assert "config unset" in (caught.value.hint or "")
    assert host.selected == "mine@2"


def test_a_canary_gets_its_share_and_the_others_what_is_active(host: Host) -> None:
    host.promote(passed(host.store, versioned(host.path, "mine", "1")))
    result = host.promote(passed(host.store, versioned(host.path, "mine", "2")), canary=30)
    assert (result.canary, result.before.label, host.active) == (30, "mine@1", "mine")
    turns = [f"turn-{number}" for number in range(60)]
    found = [host.selection(turn) for turn in turns]
    labels = [selection.ref.label for selection in found]
    assert set(labels) == {"mine@1", "mine@2"}
    assert labels == [host.selection(turn).ref.label for turn in turns]
    assert all((selection.canary is not None) == (selection.ref.label == "mine@2") for selection in found)
    assert host.selected == "mine@1"


def canary_turn(host: Host) -> Selection:
    return next(found for n in range(10_000) if (found := host.selection(f"turn-{n}")).canary is not None)


def test_a_canary_that_fails_too_often_is_taken_back_with_the_reason(host: Host) -> None:
    host.promote(passed(host.store, read_artefact(folder(host.path))), canary=50)
    turn = canary_turn(host)
    data = host.path / "data"
    told = [note_outcome(data, turn, failed=number >= 18) for number in range(20)]
    assert told[:-1] == [None] * 19
    assert told[-1] == "the canary mine@1 was taken back: 2 of 20 canary plans failed, more than 5 %"
    history = host.store.history()
    assert history.canary is None
    assert history.events[-1].what == "canary-rolled-back"
    assert history.events[-1].reason == "2 of 20 canary plans failed, more than 5 %"
    assert all(host.selection(f"turn-{number}").canary is None for number in range(50))
    # A turn that began before is counted for nobody.
    assert note_outcome(data, turn, failed=True) is None
    assert host.store.history() == history


def test_a_canary_that_works_stays_and_is_promoted(host: Host) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path)))
    host.promote(artefact, canary=50)
    turn = canary_turn(host)
    for number in range(40):
        assert note_outcome(host.path / "data", turn, failed=number in (3, 39)) is None
    found = host.store.history().canary
    assert found is not None
    assert (found.plans, found.failed) == (40, 2)
    host.promote(artefact)
    assert (host.selected, host.store.history().canary) == ("mine@1", None)
    assert host.store.history().events[-1].what == "canary-promoted"
    host.rollback()
    assert host.selected == DEFAULT


def test_outcomes_of_other_turns_are_not_counted(host: Host) -> None:
    host.promote(passed(host.store, read_artefact(folder(host.path))), canary=1)
    before = host.store.history()
    assert note_outcome(host.path / "data", host.selection(), failed=True) is None
    assert host.store.history() == before


def test_one_canary_at_a_time(host: Host) -> None:
    first = passed(host.store, read_artefact(folder(host.path)))
    second = passed(host.store, read_artefact(folder(host.path, "other")))
    host.promote(first, canary=5)
    assert code_of(lambda: host.promote(second, canary=5)) == "canary-running"
    assert code_of(lambda: host.promote(second)) == "canary-running"
    assert not host.promote(first, canary=5).changed
    assert host.promote(first, canary=6).changed
    assert host.rollback().canary
    host.promote(second)
    assert code_of(lambda: host.promote(second, canary=5)) == "canary-running"


def test_a_rollback_ends_the_canary_first(host: Host) -> None:
    host.promote(passed(host.store, read_artefact(folder(host.path))))
    host.promote(passed(host.store, read_artefact(folder(host.path, "other"))), canary=5)
    result = host.rollback()
    assert (result.canary, result.gave_up.label, result.active.label) == (True, "other@1", "mine@1")
    assert not host.rollback().canary
    assert host.selected == DEFAULT


def test_an_id_of_the_hosts_own_is_left_to_the_host(host: Host) -> None:
    found = host.selection(id_="of-an-extension")
    assert (found.ref, found.strategy, found.canary) == (Ref("of-an-extension"), None, None)
    assert not host.store.root.exists()


def test_a_killed_promotion_leaves_what_was_or_what_is(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroclaw_cli import fsio

    host.promote(passed(host.store, versioned(host.path, "mine", "1")))
    artefact = passed(host.store, versioned(host.path, "mine", "2"))
    names = ("write_new", "fsync_dir", "atomic_write")
    originals = {name: getattr(fsio, name) for name in names}
    for stop in range(1, 40):
        left = [stop]

        def dying(name: str, left: list[int] = left) -> Callable[..., None]:
            def call(*args: object, **kwargs: object) -> None:
                left[0] -= 1
                if left[0] == 0:
                    raise KeyboardInterrupt
                originals[name](*args, **kwargs)

            return call

        for name in names:
            monkeypatch.setattr(fsio, name, dying(name))
        with suppress(KeyboardInterrupt):
            host.promote(artefact)
        for name in names:
            monkeypatch.setattr(fsio, name, originals[name])
        assert host.selected in ("mine@1", "mine@2")
        if left[0] > 0:
            break
    assert host.selected == "mine@2"


@pytest.mark.parametrize("name", ["", "Mine", "mine-", "a--b", " mine", DEFAULT, "x" * 129, "a/b", "..", "1a"])
def test_a_name_that_is_no_id_makes_no_strategy(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        create(tmp_path, name, "rules")
    assert not list(tmp_path.iterdir())


def test_the_longest_name_makes_a_strategy(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    passed(store, read_artefact(folder(tmp_path, "a" * 128)))


def test_what_is_replayed_is_what_was_read(host: Host) -> None:
    directory = folder(host.path)
    artefact = read_artefact(directory)
    (directory / "rules.toml").write_text("x")
    passed(host.store, artefact)
    host.promote(artefact)
    assert host.selected == "mine@1"
    assert host.store.installed(artefact.digest).files == artefact.files


def test_a_signed_promotion_names_the_publisher(host: Host) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path)))
    signed = replace(artefact, signature=b"sig")
    promote(host.store, signed, publisher_key="ab" * 32, active=lambda: DEFAULT, set_strategy=host.set)
    assert host.store.history().published[0].publisher_key == "ab" * 32
    assert host.store.installed(artefact.digest).signature == b"sig"


def test_a_config_that_is_tried_out_may_look_at_a_damaged_canary(host: Host) -> None:
    host.promote(passed(host.store, read_artefact(folder(host.path))))
    host.promote(passed(host.store, read_artefact(folder(host.path, "third"))))
    canary = passed(host.store, read_artefact(folder(host.path, "other")))
    host.promote(canary, canary=100)
    shutil.rmtree(host.store.installed_folder(canary.digest))

    def tried(id_: str) -> None:
        with pytest.raises(StrategiesDamaged):
            host.selection("turn")
        host.set(id_)

    rollback(host.store, active=lambda: host.active, set_strategy=tried, to=("mine", "1"))
    assert host.selected == "mine@1"
    assert host.store.history().canary is None


def test_a_promotion_sees_what_another_one_made_active_meanwhile(host: Host) -> None:
    first = passed(host.store, read_artefact(folder(host.path)))
    second = passed(host.store, read_artefact(folder(host.path, "other")))

    def meanwhile(digest: str) -> bool:
        return host.store.installed_folder(digest).exists()

    def active() -> str:
        # It is asked when the lock is held, after its own files are installed.
        assert meanwhile(second.digest)
        return host.active

    host.promote(first)
    promote(host.store, second, publisher_key=None, active=active, set_strategy=host.set)
    host.rollback()
    assert host.selected == "mine@1"


def test_the_same_promotion_twice_is_taken_back_once(host: Host) -> None:
    artefact = passed(host.store, read_artefact(folder(host.path)))
    host.promote(artefact)
    # As one that was killed before the config said so, and is done again.
    host.active = DEFAULT
    assert host.promote(artefact).changed
    host.rollback()
    assert host.active == DEFAULT
    with pytest.raises(KernelFailure, match="nothing to roll back to") as nothing:
        host.rollback()
    assert "config unset memory.topology.strategy_id" in str(nothing.value.hint)
