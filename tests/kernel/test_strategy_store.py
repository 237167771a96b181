from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.artefacts import folder, store_in
from zeroclaw_cli.errors import Damaged, StrategiesDamaged
from zeroclaw_cli.kernel.strategies.artefact import read_artefact
from zeroclaw_cli.kernel.strategies.canary import Canary
from zeroclaw_cli.kernel.strategies.state import (
    Activation,
    Event,
    Evidence,
    History,
    Malformed,
    Publication,
    Ref,
    Stage,
    read_evidence,
    read_history,
)

DIGEST = "ab" * 32
REF = Ref("mine", "1", DIGEST)
HISTORY = History(
    (Publication("mine", "1", DIGEST, "rules", "Mine", "then", "cd" * 32),),
    {"mine": DIGEST},
    (Activation(REF, Ref("default-three-tier"), "then"),),
    Canary("mine", "1", DIGEST, 5, "then", 3, 1),
    (Event("then", "promoted", REF, "because"),),
)


def test_a_history_reads_back_as_it_was_written() -> None:
    assert read_history(json.loads(json.dumps(HISTORY.to_json()))) == HISTORY
    assert read_history(History().to_json()) == History()


def test_evidence_reads_back_as_it_was_written() -> None:
    evidence = Evidence(DIGEST, {"replay": Stage(True, "then", {"cases": 9, "from": "cases"})}, "then")
    assert read_evidence(json.loads(json.dumps(evidence.to_json())), DIGEST) == evidence
    assert evidence.missing() == ("check", "shadow")


def spoiled(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def spoil(body: dict[str, Any]) -> None:
        *parents, last = path.split(".")
        place: Any = body
        for name in parents:
            place = place[int(name) if name.isdigit() else name]
        place[last] = value

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        spoiled("version", 2),
        spoiled("version", True),
        spoiled("surplus", 1),
        lambda body: body.pop("canary"),
        spoiled("published", {}),
        spoiled("published.0.id", "Mine"),
        spoiled("published.0.digest", "ab"),
        spoiled("published.0.kind", "perl"),
        spoiled("published.0.publisher_key", 1),
        spoiled("published.0.surplus", 1),
        spoiled("current.mine", "cd" * 32),
        spoiled("current.other", "ab" * 32),
        spoiled("activations.0.to.digest", "cd" * 32),
        spoiled("activations.0.before.version", 1),
        spoiled("canary.percent", 0),
        spoiled("canary.percent", 101),
        spoiled("canary.failed", 4),
        spoiled("canary.plans", -1),
        spoiled("canary.plans", 3.0),
        spoiled("canary.digest", "cd" * 32),
        spoiled("events", None),
        lambda body: body["published"].append(body["published"][0]),
    ],
)
def test_a_history_that_this_program_did_not_write_is_malformed(spoil: Callable[[dict[str, Any]], None]) -> None:
    body = json.loads(json.dumps(HISTORY.to_json()))
    spoil(body)
    with pytest.raises(Malformed):
        read_history(body)


@pytest.mark.parametrize(
    "spoil",
    [
        spoiled("digest", "cd" * 32),
        spoiled("stages.promote", {"ok": True, "at": "then", "detail": {}}),
        spoiled("stages.replay.ok", 1),
        spoiled("stages.replay.detail", {"cases": 1.5}),
        spoiled("trusted_at", True),
    ],
)
def test_evidence_that_this_program_did_not_write_is_malformed(spoil: Callable[[dict[str, Any]], None]) -> None:
    body = Evidence(DIGEST, {"replay": Stage(True, "then", {})}).to_json()
    spoil(body)
    with pytest.raises(Malformed):
        read_evidence(body, DIGEST)


def test_reading_creates_nothing(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    assert store.history() == History()
    assert store.evidence(DIGEST) == Evidence(DIGEST)
    assert not store.root.exists()


def test_evidence_is_kept_stage_by_stage(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.record(DIGEST, "check", ok=True, detail={"errors": 0})
    store.record(DIGEST, "replay", ok=False, detail={})
    store.trust(DIGEST)
    assert store.evidence(DIGEST).missing() == ("replay", "shadow")
    assert store.evidence(DIGEST).trusted_at is not None
    store.record(DIGEST, "replay", ok=True, detail={})
    assert store.evidence(DIGEST).missing() == ("shadow",)
    assert store.evidence("cd" * 32) == Evidence("cd" * 32)
    assert store.evidence_file(DIGEST).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff", b'{"version": 1}', b"[" * 100_000])
def test_damaged_files_are_exit_5_and_say_how_to_repair(tmp_path: Path, data: bytes) -> None:
    store = store_in(tmp_path)
    store.evidence_file(DIGEST).parent.mkdir(parents=True)
    for path, read in ((store.history_file, store.history), (store.evidence_file(DIGEST), None)):
        path.write_bytes(data)
        with pytest.raises(Damaged) as caught:
            read() if read is not None else store.evidence(DIGEST)
        assert caught.value.exit_code == 5
        assert str(path) in caught.value.message
        assert "mv " in (caught.value.hint or "")
        assert path.read_bytes() == data


def test_a_file_that_others_may_write_is_not_believed(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.trust(DIGEST)
    store.evidence_file(DIGEST).chmod(0o666)
    with pytest.raises(StrategiesDamaged, match="other users"):
        store.evidence(DIGEST)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.trust(DIGEST)
    path = store.evidence_file(DIGEST)
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(StrategiesDamaged):
        store.evidence(DIGEST)


def test_evidence_under_another_digest_is_damaged(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.trust(DIGEST)
    store.evidence_file(DIGEST).rename(store.evidence_file("cd" * 32))
    with pytest.raises(StrategiesDamaged, match="another artefact"):
        store.evidence("cd" * 32)


def test_installed_files_are_those_of_the_digest(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    directory = folder(tmp_path)
    (directory / "docs").mkdir()
    (directory / "docs" / "why.md").write_text("because")
    (directory / "strategy.sig").write_text("sig")
    artefact = read_artefact(directory)
    store.install(artefact)
    store.install(artefact)
    found = store.installed(artefact.digest)
    assert (found.files, found.signature, found.digest) == (artefact.files, b"sig", artefact.digest)
    assert list(store.installed_folder(artefact.digest).parent.iterdir()) == [store.installed_folder(artefact.digest)]


@pytest.mark.parametrize("how", ["changed", "added", "removed", "gone", "link"])
def test_an_installed_strategy_that_changed_is_damaged_and_mended_by_installing_again(tmp_path: Path, how: str) -> None:
    store = store_in(tmp_path)
    artefact = read_artefact(folder(tmp_path))
    store.install(artefact)
    at = store.installed_folder(artefact.digest)
    if how == "changed":
        (at / "rules.toml").write_text("x")
    elif how == "added":
        (at / "more.txt").write_text("x")
    elif how == "removed":
        (at / "replay.jsonl").unlink()
    elif how == "gone":
        at.rename(tmp_path / "elsewhere")
    else:
        (at / "rules.toml").unlink()
        (at / "rules.toml").symlink_to("/etc/hostname")
    with pytest.raises(StrategiesDamaged) as caught:
        store.installed(artefact.digest)
    assert caught.value.hint
    store.install(artefact)
    assert store.installed(artefact.digest).files == artefact.files


def test_a_staging_folder_of_a_killed_command_is_swept(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    artefact = read_artefact(folder(tmp_path))
    left = store.installed_folder(artefact.digest).with_name(".left")
    left.mkdir(parents=True)
    store.install(artefact)
    assert not left.exists()


def test_a_change_that_cannot_be_followed_up_is_taken_back(tmp_path: Path) -> None:
    store = store_in(tmp_path)

    def refuse() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.change(lambda _: HISTORY, then=refuse)
    assert store.history() == History()
    assert store.change(lambda _: HISTORY, then=lambda: None) == (History(), HISTORY)
    assert store.history() == HISTORY


def test_changes_of_many_threads_are_all_kept(tmp_path: Path) -> None:
    store = store_in(tmp_path)

    def work(number: int) -> None:
        store.change(lambda history: history.with_event(Event("then", "promoted", REF, str(number))))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(event.reason) for event in store.history().events) == list(range(12))


def test_old_events_go_and_publications_stay() -> None:
    history = HISTORY
    for number in range(1_100):
        history = history.with_event(Event("then", "promoted", REF, str(number)))
    assert len(history.events) == 1_000
    assert history.published == HISTORY.published
