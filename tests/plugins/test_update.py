from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.crashes import each_step
from tests.support.packages import (
    OTHER_SEED,
    SEED,
    SKILL_TEXT,
    WASM,
    FakeProbe,
    config_in,
    tree,
    with_mode,
    write_package,
)
from zeroclaw_cli import errors
from zeroclaw_cli.config.model import Config, SignatureMode
from zeroclaw_cli.plugins import discovery, history, lock, owner, previous, staging
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.model import Digests, ImportFinding, Package, ProbeReport, Trial
from zeroclaw_cli.plugins.publisher_keys import public_key_hex
from zeroclaw_cli.plugins.remove import remove
from zeroclaw_cli.plugins.update import Current, Failed, Outcome, Updated, exit_code, outdated, rollback, update


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def release(tmp_path: Path, version: str, name: str = "p", **fields: Any) -> Path:
    """Make ``tmp_path/src-<name>`` the package ``name`` in this version, nothing of what was there staying."""
    folder = tmp_path / f"src-{name}"
    if folder.exists():
        shutil.rmtree(folder)
    return write_package(folder, name, version=version, component=WASM + version.encode(), **fields)


def installed(tmp_path: Path, config: Config, version: str = "1.0.0", name: str = "p", **fields: Any) -> Path:
    source = release(tmp_path, version, name, **fields)
    install(config, str(source), probe=FakeProbe())
    return source


def one(config: Config, **options: Any) -> Outcome:
    (outcome,) = update(config, ["p"], probe=options.pop("probe", FakeProbe()), **options)
    return outcome


def failure(outcome: Outcome) -> tuple[str, int]:
    assert isinstance(outcome, Failed), outcome
    assert outcome.hint
    return outcome.code, outcome.exit_code


def back(config: Config, **options: Any) -> Updated:
    return rollback(config, "p", probe=options.pop("probe", FakeProbe()), **options)


def version(config: Config) -> str:
    package = discovery.discover(config).find("p")
    assert package.lock is not None
    assert package.lock.version == package.manifest.version
    return package.manifest.version


def kept(config: Config) -> list[str]:
    folder = config.plugins.plugins_dir / previous.FOLDER
    return sorted(path.name.partition("~")[0] for path in folder.iterdir()) if folder.exists() else []


def everything(config: Config) -> dict[str, bytes | str | None]:
    return tree(config.location.config_dir)


# ---------------------------------------------------------------------------------------------------- update


def test_a_newer_version_at_the_source_takes_the_place_and_data_and_config_stay(config: Config, tmp_path: Path) -> None:
    source = installed(tmp_path, config)
    data = owner.claim(config, discovery.discover(config).find("p"))
    (data / "journal.db").write_bytes(b"remembered")
    text = config.location.config_file.read_bytes()
    release(tmp_path, "1.1.0")
    assert one(config) == Updated("p", "1.0.0", "1.1.0")
    package = discovery.discover(config).find("p")
    assert package.lock is not None
    assert (package.manifest.version, package.lock.source) == ("1.1.0", str(source))
    assert (package.directory / "p.wasm").read_bytes() == WASM + b"1.1.0"
    assert (data / "journal.db").read_bytes() == b"remembered"
    assert config.location.config_file.read_bytes() == text
    assert one(config) == Current("p", "1.1.0")


def test_a_manifest_file_is_a_source_too(config: Config, tmp_path: Path) -> None:
    source = release(tmp_path, "1")
    (source / "manifest.toml").rename(source / "other.name")
    install(config, str(source / "other.name"), probe=FakeProbe())
    release(tmp_path, "2")
    (source / "manifest.toml").rename(source / "other.name")
    assert one(config) == Updated("p", "1", "2")


def test_the_directory_in_which_the_package_was_found_is_the_one_that_changes(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    (config.plugins.plugins_dir / "p").rename(config.plugins.plugins_dir / "elsewhere")
    release(tmp_path, "2")
    assert isinstance(one(config), Updated)
    assert back(config).after == "1.0.0"
    assert discovery.discover(config).find("p").directory.name == "elsewhere"


@pytest.mark.parametrize(
    ("offered", "code"),
    [("0.9", "downgrade"), ("1.0.0-rc.1", "downgrade"), ("1.0", "downgrade"), ("nightly", "downgrade")],
)
def test_what_is_not_newer_is_refused_without_allow_downgrade(
    config: Config, tmp_path: Path, offered: str, code: str
) -> None:
    installed(tmp_path, config)
    release(tmp_path, offered)
    before = everything(config)
    assert failure(one(config)) == (code, 4)
    assert everything(config) == before
    assert one(config, allow_downgrade=True) == Updated("p", "1.0.0", offered)


def test_other_contents_under_the_same_version_are_no_update(config: Config, tmp_path: Path) -> None:
    source = installed(tmp_path, config)
    (source / "p.wasm").write_bytes(WASM + b"other")
    before = everything(config)
    for allowed in (False, True):
        outcome = one(config, allow_downgrade=allowed)
        assert failure(outcome) == ("digest_mismatch", 4)
        assert isinstance(outcome, Failed)
        assert f"zeroclaw plugin install {source} --replace" in (outcome.hint or "")
    assert everything(config) == before


def test_an_old_version_is_no_update_after_the_package_was_removed_and_installed_again(
    config: Config, tmp_path: Path
) -> None:
    installed(tmp_path, config, "3")
    remove(config, "p", purge_config=True, purge_data=True)
    installed(tmp_path, config, "1")
    release(tmp_path, "2")
    outcome = one(config)
    assert failure(outcome) == ("downgrade", 4)
    assert isinstance(outcome, Failed)
    assert "v3" in outcome.reason
    release(tmp_path, "3.0.1")
    assert one(config) == Updated("p", "1", "3.0.1")


def test_the_history_of_another_publisher_does_not_matter(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config, "3", signed_by=SEED)
    remove(config, "p", purge_config=True, purge_data=True)
    installed(tmp_path, config, "1")
    release(tmp_path, "2")
    assert one(config) == Updated("p", "1", "2")


def change_to_another_package(source: Path) -> None:
    write_package(source, "q", version="9")


def change_to_a_file(source: Path) -> None:
    shutil.rmtree(source)
    source.write_text("no directory")


@pytest.mark.parametrize(
    ("change", "code", "exits"),
    [
        (shutil.rmtree, "source_not_found", 3),
        (lambda source: (source / "manifest.toml").unlink(), "source_not_found", 3),
        (lambda source: (source / "manifest.toml").write_text("broken = "), "toml_parse", 1),
        (lambda source: (source / "p.wasm").unlink(), "component_missing", 1),
        (change_to_another_package, "plugin", 1),
        (change_to_a_file, "toml_parse", 1),
    ],
)
def test_a_source_that_gives_nothing_leaves_the_package_as_it_is(
    config: Config, tmp_path: Path, change: Callable[[Path], object], code: str, exits: int
) -> None:
    change(installed(tmp_path, config))
    before = everything(config)
    assert failure(one(config)) == (code, exits)
    assert everything(config) == before


def recorded_from(config: Config, source: str) -> None:
    path = lock.path_of(config.location)
    known = lock.read(path)
    lock.write(path, LockFile({"p": dataclasses.replace(known.entries["p"], source=source)}))


@pytest.mark.parametrize("source", ["p", "p@2.0", ".", "../p", "https://example.org/p.zip", ""])
def test_a_source_that_is_no_place_on_this_machine_is_never_taken_for_a_directory(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    installed(tmp_path, config)
    write_package(tmp_path / "here" / "p", "p", version="9")
    write_package(tmp_path / "here", "p", version="9")
    monkeypatch.chdir(tmp_path / "here")
    recorded_from(config, source)
    assert failure(one(config)) == ("source_not_supported", 1)
    assert version(config) == "1.0.0"


def test_a_package_that_is_not_locked_has_no_source(config: Config, tmp_path: Path) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    assert failure(one(config)) == ("source_not_found", 3)


def test_the_policy_decides_about_the_new_version(config: Config, tmp_path: Path) -> None:
    strict = with_mode(config, SignatureMode.STRICT, public_key_hex(SEED))
    installed(tmp_path, strict, signed_by=SEED)
    for seed, code in ((None, "unsigned_plugin"), (OTHER_SEED, "untrusted_publisher")):
        release(tmp_path, "2", signed_by=seed)
        assert failure(one(strict)) == (code, 4)
    assert version(strict) == "1.0.0"
    release(tmp_path, "2", signed_by=SEED)
    assert isinstance(one(strict), Updated)


def test_data_is_not_handed_to_another_publisher(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config, signed_by=SEED)
    owner.claim(config, discovery.discover(config).find("p"))
    release(tmp_path, "2", signed_by=OTHER_SEED)
    probe = FakeProbe(rehearsal=never)
    assert failure(one(config, probe=probe)) == ("data_owner", 4)
    assert probe.seen == []


def never(package: Package, component: bytes) -> Trial:
    raise AssertionError("it was tried")


def test_a_component_that_does_not_fit_leaves_the_old_one(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")
    report = ProbeReport((), (ImportFinding("wasi:http/types", None),), ())
    before = everything(config)
    assert failure(one(config, probe=FakeProbe(report, rehearsal=never))) == ("import_not_granted", 4)
    assert everything(config) == before


def test_the_new_component_is_tried_on_what_the_package_remembers_before_the_swap(
    config: Config, tmp_path: Path
) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")
    seen = []

    def differs(package: Package, component: bytes) -> Trial:
        seen.append((package.manifest.version, component, version(config)))
        return Trial(("one record differs",))

    assert one(config, probe=FakeProbe(rehearsal=differs)) == Updated("p", "1.0.0", "2", ("one record differs",))
    assert seen == [("2", WASM + b"2", "1.0.0")]


def traps(package: Package, component: bytes) -> Trial:
    raise errors.JournalDamaged("record 1 does not replay", hint="of the journal")


def test_a_new_version_that_fails_on_it_is_not_taken(config: Config, tmp_path: Path) -> None:
    source = installed(tmp_path, config)
    release(tmp_path, "2")
    before = everything(config)
    outcome = one(config, probe=FakeProbe(rehearsal=traps))
    assert failure(outcome) == ("plugin", 1)
    assert isinstance(outcome, Failed)
    assert "record 1 does not replay" in outcome.reason
    assert f"zeroclaw plugin install {source} --replace" in (outcome.hint or "")
    assert everything(config) == before


def test_permissions_that_the_new_version_adds_are_a_warning(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config, permissions=["file_read"])
    release(tmp_path, "2", permissions=["file_read", "file_write", "http_client"])
    outcome = one(config)
    assert isinstance(outcome, Updated)
    assert any("file_write, http_client" in warning for warning in outcome.warnings)


def test_a_dry_run_judges_everything_and_changes_nothing(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")
    before = everything(config)
    probe = FakeProbe(rehearsal=lambda *_: Trial(("differs",)))
    outcome = one(config, probe=probe, dry_run=True)
    assert outcome == Updated("p", "1.0.0", "2", ("differs",))
    assert (everything(config), probe.seen) == (before, [WASM + b"2"])


def test_one_that_fails_stops_no_other_and_the_worst_exit_code_counts(config: Config, tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        installed(tmp_path, config, name=name)
    write_package(config.plugins.plugins_dir / "skipped", "skipped", capabilities=[])
    release(tmp_path, "2", "a")
    shutil.rmtree(tmp_path / "src-b")
    release(tmp_path, "2", "c")
    release(tmp_path, "0.1", "d")
    outcomes = list(update(config, None, probe=FakeProbe()))
    assert [outcome.name for outcome in outcomes] == ["a", "b", "c", "d", "skipped"]
    assert [type(outcome) for outcome in outcomes] == [Updated, Failed, Updated, Failed, Failed]
    assert exit_code(outcomes) == 4
    assert exit_code(outcomes[:3]) == 3
    assert exit_code(outcomes[:1]) == 0
    assert isinstance(outcomes[-1], Failed)
    assert outcomes[-1].code == "invalid_manifest"


def test_what_the_system_refuses_is_the_outcome_of_that_package(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")

    def full(*_: Any) -> Path:
        raise OSError(28, "No space left on device", "p.wasm")

    monkeypatch.setattr(staging, "stage", full)
    outcome = one(config)
    assert failure(outcome) == ("failed", 1)
    assert isinstance(outcome, Failed)
    assert "No space left" in outcome.reason


def test_an_unknown_name_is_an_error_before_anything_changes(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")
    with pytest.raises(errors.PluginNotFound):
        list(update(config, ["p", "missing"], probe=FakeProbe()))
    assert version(config) == "1.0.0"


def test_an_interrupt_is_no_failure_of_one_package(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")

    def interrupted(*_: Any) -> Trial:
        raise errors.Interrupted("interrupted")

    with pytest.raises(errors.Interrupted):
        one(config, probe=FakeProbe(rehearsal=interrupted))
    assert version(config) == "1.0.0"


def test_a_package_that_another_command_changes_meanwhile_is_left_to_it(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")
    other = write_package(tmp_path / "other", "p", version="7")

    def faster(*_: Any) -> Trial:
        install(config, str(other), probe=FakeProbe(), replace=True)
        return Trial()

    assert failure(one(config, probe=FakeProbe(rehearsal=faster))) == ("plugin", 1)
    assert version(config) == "7"

    def removes(*_: Any) -> Trial:
        remove(config, "p", purge_config=False, purge_data=False)
        return Trial()

    installed_from = release(tmp_path, "2")
    recorded_from(config, str(installed_from))
    assert failure(one(config, probe=FakeProbe(rehearsal=removes), allow_downgrade=True)) == ("plugin", 1)
    assert discovery.discover(config).packages == ()


# -------------------------------------------------------------------------------------------------- outdated


def test_outdated_names_what_is_newer_at_its_source_and_changes_nothing(config: Config, tmp_path: Path) -> None:
    for name in ("newer", "older", "same", "gone"):
        installed(tmp_path, config, name=name)
    release(tmp_path, "2", "newer")
    release(tmp_path, "0.1", "older")
    shutil.rmtree(tmp_path / "src-gone")
    before = everything(config)
    found = {outcome.name: outcome for outcome in outdated(config)}
    assert found["newer"] == Updated("newer", "1.0.0", "2")
    assert found["older"] == Current("older", "1.0.0")
    assert found["same"] == Current("same", "1.0.0")
    assert failure(found["gone"]) == ("source_not_found", 3)
    assert everything(config) == before


def test_outdated_in_a_missing_home_creates_nothing(config: Config) -> None:
    assert list(outdated(config)) == []
    assert not config.location.config_dir.exists()


# -------------------------------------------------------------------------------------------------- rollback


def test_a_rollback_puts_the_bytes_back_and_is_undone_by_the_next(config: Config, tmp_path: Path) -> None:
    source = installed(
        tmp_path, config, capabilities=["memory", "skill"], skills={"a/SKILL.md": SKILL_TEXT}, wasm_path="lib/p.wasm"
    )
    first = tree(config.plugins.plugins_dir / "p")
    release(tmp_path, "2")
    one(config)
    second = tree(config.plugins.plugins_dir / "p")
    data = owner.claim(config, discovery.discover(config).find("p"))
    (data / "journal.db").write_bytes(b"remembered")
    for result, files in ((("2", "1.0.0"), first), (("1.0.0", "2"), second), (("2", "1.0.0"), first)):
        done = back(config)
        assert (done.before, done.after) == result
        assert tree(config.plugins.plugins_dir / "p") == files
        assert (version(config), kept(config)) == (result[1], ["p"])
    assert (data / "journal.db").read_bytes() == b"remembered"
    package = discovery.discover(config).find("p")
    assert package.lock is not None
    assert package.lock.source == str(source)


def test_after_a_rollback_the_newer_version_is_an_update_again(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config, "1")
    release(tmp_path, "3")
    one(config)
    back(config)
    assert history.highest(config, discovery.discover(config).find("p").manifest) == "1"
    release(tmp_path, "2")
    assert one(config) == Updated("p", "1", "2")


def test_install_with_replace_can_be_rolled_back_too(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config, "1")
    install(config, str(write_package(tmp_path / "other", "p", version="2")), probe=FakeProbe(), replace=True)
    assert back(config).after == "1"


def test_only_the_last_version_is_kept(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config, "1")
    for number in ("2", "3", "4"):
        release(tmp_path, number)
        one(config)
        assert kept(config) == ["p"]
    assert back(config).after == "3"


def test_without_a_previous_version_there_is_nothing_to_roll_back(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    with pytest.raises(errors.NotFound) as caught:
        back(config)
    assert (caught.value.exit_code, bool(caught.value.hint)) == (3, True)
    with pytest.raises(errors.PluginNotFound):
        rollback(config, "missing", probe=FakeProbe())


def test_removing_a_package_removes_what_is_kept_of_it_alone(config: Config, tmp_path: Path) -> None:
    for name in ("p", "p.q"):
        installed(tmp_path, config, name=name)
        release(tmp_path, "2", name)
    list(update(config, None, probe=FakeProbe()))
    assert kept(config) == ["p", "p.q"]
    assert remove(config, "p", purge_config=False, purge_data=False).left == ()
    assert kept(config) == ["p.q"]
    remove(config, "p.q", purge_config=False, purge_data=False)
    assert not (config.plugins.plugins_dir / previous.FOLDER).exists()
    installed(tmp_path, config, "2")
    with pytest.raises(errors.NotFound):
        back(config)


def test_what_is_kept_is_no_package(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")
    one(config)
    inventory = discovery.discover(config)
    assert ([package.name for package in inventory.packages], inventory.skipped) == (["p"], ())
    with pytest.raises(errors.PluginNotFound):
        remove(config, previous.FOLDER, purge_config=False, purge_data=False)
    assert kept(config) == ["p"]


def test_the_policy_of_today_decides_about_the_old_version(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2", signed_by=SEED)
    one(config)
    strict = with_mode(config, SignatureMode.STRICT, public_key_hex(SEED))
    before = everything(strict)
    with pytest.raises(errors.UnsignedPlugin):
        back(strict)
    assert everything(strict) == before


def test_a_rollback_does_not_hand_data_to_another_publisher(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2", signed_by=SEED)
    one(config)
    owner.claim(config, discovery.discover(config).find("p"))
    with pytest.raises(errors.DataOwner) as caught:
        back(config, probe=FakeProbe(rehearsal=never))
    assert "adopt-data" in (caught.value.hint or "")
    assert version(config) == "2"


def test_that_the_old_version_fails_on_what_is_remembered_is_a_warning(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")
    one(config)
    (warning,) = back(config, probe=FakeProbe(rehearsal=traps)).warnings
    assert "record 1 does not replay" in warning
    assert "zeroclaw plugin rollback p" in warning
    assert version(config) == "1.0.0"


@pytest.mark.parametrize(
    ("path", "content", "error"),
    [
        ("package/p.wasm", WASM + b"evil", errors.DigestMismatch),
        ("package/manifest.toml", b"broken = ", errors.PreviousDamaged),
        ("package/p.wasm", None, errors.PreviousDamaged),
        ("plugins.lock", None, errors.PreviousDamaged),
        ("plugins.lock", b"broken = ", errors.PreviousDamaged),
        ("plugins.lock", b"version = 1\n", errors.PreviousDamaged),
    ],
)
def test_a_kept_version_that_was_changed_is_not_put_back(
    config: Config, tmp_path: Path, path: str, content: bytes | None, error: type[errors.ZeroclawError]
) -> None:
    installed(tmp_path, config)
    release(tmp_path, "2")
    one(config)
    (folder,) = (config.plugins.plugins_dir / previous.FOLDER).iterdir()
    if content is None:
        (folder / path).unlink()
    else:
        (folder / path).write_bytes(content)
    with pytest.raises(error) as caught:
        back(config)
    assert "zeroclaw plugin install DIR --replace" in (caught.value.hint or "")
    assert version(config) == "2"


def test_bytes_that_were_never_installed_have_no_previous_version(config: Config, tmp_path: Path) -> None:
    installed(tmp_path, config)
    package = discovery.discover(config).find("p")
    staged = staging.Contents(package.manifest.raw, "p.wasm", WASM, ())
    with staging.exclusive(config):
        for _ in range(2):
            previous.keep(config, package, staged, None, successor=Digests("0" * 64))
    assert kept(config) == ["p"]
    with pytest.raises(errors.NotFound):
        back(config)


# ------------------------------------------------------------------------------------------------ interruptions


def settled(config: Config, *, can_exchange: bool) -> str:
    """The version that is there, once healed where the file system cannot swap two names."""
    if not can_exchange:
        with staging.exclusive(config):
            pass
    return version(config)


def clean(config: Config) -> bool:
    places = (config.plugins.plugins_dir, config.plugins.plugins_dir / previous.FOLDER)
    names = [path.name for place in places for path in place.iterdir()]
    return kept(config) == ["p"] and not any(map(staging.is_leftover, names))


@pytest.mark.slow
@pytest.mark.parametrize("can_exchange", [True, False])
def test_an_interrupted_update_leaves_one_version_and_the_right_previous_one(
    tmp_path: Path, can_exchange: bool
) -> None:
    def prepare(config: Config) -> None:
        installed(tmp_path, config, "1")
        release(tmp_path, "2")
        one(config)
        release(tmp_path, "3")

    def judge(config: Config) -> None:
        found = settled(config, can_exchange=can_exchange)
        before = {"2": "1", "3": "2"}[found]
        assert back(config).after == before
        assert back(config).after == found
        assert clean(config)
        if found == "2":
            assert one(config) == Updated("p", "2", "3")
        assert (version(config), back(config).after, clean(config)) == ("3", "2", True)
        assert lock.read(lock.path_of(config.location)).pending == {}

    kinds = each_step(tmp_path, prepare, lambda config: one(config), judge, can_exchange=can_exchange)
    assert "exchange" in kinds


@pytest.mark.slow
@pytest.mark.parametrize("can_exchange", [True, False])
def test_an_interrupted_rollback_leaves_one_version_and_the_other_to_go_back_to(
    tmp_path: Path, can_exchange: bool
) -> None:
    def prepare(config: Config) -> None:
        installed(tmp_path, config, "1")
        release(tmp_path, "2")
        one(config)

    def judge(config: Config) -> None:
        found = settled(config, can_exchange=can_exchange)
        other = {"1": "2", "2": "1"}[found]
        assert back(config).after == other
        assert (back(config).after, clean(config)) == (found, True)

    each_step(tmp_path, prepare, lambda config: back(config), judge, can_exchange=can_exchange)


@pytest.mark.slow
def test_an_interrupted_removal_leaves_nothing_that_the_next_change_does_not_clear(tmp_path: Path) -> None:
    other = write_package(tmp_path / "other", "q")

    def prepare(config: Config) -> None:
        installed(tmp_path, config, "1")
        release(tmp_path, "2")
        one(config)

    def judge(config: Config) -> None:
        install(config, str(other), probe=FakeProbe())
        found = discovery.discover_named(config, "p").packages
        if found:
            assert back(config).after == "1"
        else:
            installed(tmp_path, config, "5")
            with pytest.raises(errors.NotFound):
                back(config)
            release(tmp_path, "6")
            one(config)
            assert kept(config) == ["p"]

    each_step(tmp_path, prepare, lambda config: remove(config, "p", purge_config=True, purge_data=True), judge)
