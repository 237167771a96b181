from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.packages import OTHER_SEED, SEED, WASM, FakeProbe, config_in, tree, with_mode, write_package
from zeroclaw_cli.config.model import Config, SignatureMode
from zeroclaw_cli.errors import PluginNotFound, Trap
from zeroclaw_cli.plugins import discovery, lock
from zeroclaw_cli.plugins.install import install
from zeroclaw_cli.plugins.model import ProbeReport
from zeroclaw_cli.plugins.publisher_keys import public_key_hex
from zeroclaw_cli.plugins.verify import VerifyReport, verify

KEY = public_key_hex(SEED)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def run(config: Config, *names: str, accept: bool = False, probe: FakeProbe | None = None) -> VerifyReport:
    return verify(config, names or None, accept=accept, probe=probe or FakeProbe())


def test_an_untouched_install_is_well_and_its_component_is_opened(config: Config, tmp_path: Path) -> None:
    install(config, str(write_package(tmp_path / "src", "p")), probe=FakeProbe())
    probe = FakeProbe()
    (found,) = run(config, probe=probe).packages
    assert (found.ok, found.locked, found.problems) == (True, True, ())
    assert found.digests is not None
    assert probe.seen == [WASM + b"p", WASM + b"p"]


def test_verifying_writes_nothing(config: Config, tmp_path: Path) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    before = tree(config.location.config_dir)
    assert run(config).ok
    assert run(config_in(tmp_path / "empty")).packages == ()
    assert tree(config.location.config_dir) == before


def test_changed_bytes_are_found_even_when_the_cache_was_fooled(config: Config, tmp_path: Path) -> None:
    install(config, str(write_package(tmp_path / "src", "p")), probe=FakeProbe())
    cache = config.location.data_dir / "plugins" / "digests.json"
    component = config.plugins.plugins_dir / "p" / "p.wasm"
    component.write_bytes(WASM + b"changed")
    # The cache as it would be if the change had left size and times as they were.
    discovery.browse(config)
    package = lock.read(lock.path_of(config.location)).entries["p"]
    text = cache.read_text()
    cache.write_text(text.replace(text.split('"sha256": "')[1][:64], str(package.component_sha256)))
    assert discovery.browse(config).find("p")
    (found,) = run(config).packages
    assert not found.ok
    assert "changed since it was installed" in found.problems[0]


def test_skipped_packages_are_findings_and_named_ones_must_exist(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "dir", "p", capabilities=[])
    for names in ((), ("p",), ("dir",)):
        report = run(config, *names)
        assert [package.ok for package in report.packages] == [False]
    with pytest.raises(PluginNotFound):
        run(config, "missing")


def test_every_copy_of_an_ambiguous_name_is_a_finding(config: Config) -> None:
    for directory in ("a", "b"):
        write_package(config.plugins.plugins_dir / directory, "p")
    report = run(config, "p", accept=True)
    assert [package.ok for package in report.packages] == [False, False]
    assert report.accepted == ()


def test_a_component_that_no_longer_loads_is_a_finding(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "p", "p")
    (found,) = run(config, probe=FakeProbe(ProbeReport((), (), ("memory.get: stale",)))).packages
    assert "memory.get: stale" in found.problems[0]
    (found,) = run(config, probe=FakeProbe(failure=lambda: Trap("it trapped"))).packages
    assert found.problems == ("it trapped",)


def test_the_signature_is_judged_by_the_policy(config: Config) -> None:
    strict = with_mode(config, SignatureMode.STRICT, KEY)
    write_package(config.plugins.plugins_dir / "good", "good", signed_by=SEED)
    write_package(config.plugins.plugins_dir / "other", "other", signed_by=OTHER_SEED)
    good, other = run(strict).packages
    assert (good.ok, other.ok) == (True, False)
    assert "untrusted" in other.problems[0]


def test_accepting_records_what_is_there_and_keeps_where_it_came_from(config: Config, tmp_path: Path) -> None:
    install(config, str(write_package(tmp_path / "src", "p")), probe=FakeProbe())
    before = lock.read(lock.path_of(config.location)).entries["p"]
    (config.plugins.plugins_dir / "p" / "p.wasm").write_bytes(WASM + b"mine")
    write_package(config.plugins.plugins_dir / "by-hand", "q")
    assert not run(config).ok
    report = run(config, accept=True)
    assert (report.ok, report.accepted) == (True, ("p", "q"))
    entries = lock.read(lock.path_of(config.location)).entries
    assert entries["p"].component_sha256 != before.component_sha256
    assert (entries["p"].source, entries["p"].installed_at) == (before.source, before.installed_at)
    assert entries["q"].source == str(config.plugins.plugins_dir / "by-hand")
    assert run(config, accept=True).accepted == ()


def test_accepting_does_not_admit_what_breaks_another_rule(config: Config) -> None:
    write_package(config.plugins.plugins_dir / "p", "p", wasm_sha256="0" * 64)
    report = run(config, accept=True)
    assert (report.ok, report.accepted) == (False, ())
    assert not lock.path_of(config.location).exists()


def test_accepting_never_makes_another_directory_the_package(config: Config, tmp_path: Path) -> None:
    install(config, str(write_package(tmp_path / "src", "p")), probe=FakeProbe())
    write_package(config.plugins.plugins_dir / "a-copy", "p", component=b"other bytes")
    before = lock.path_of(config.location).read_bytes()
    for names in (("p",), ("a-copy",), ()):
        report = run(config, *names, accept=True)
        assert report.accepted == ()
        assert not report.ok
        assert lock.path_of(config.location).read_bytes() == before
    inventory = discovery.discover(config)
    assert [package.directory.name for package in inventory.packages] == ["p"]
    (skipped,) = inventory.skipped
    assert "another directory" in skipped.reason
    assert skipped.hint == "zeroclaw plugin remove a-copy"


def test_an_older_version_is_not_vouched_for_by_its_signature(config: Config, tmp_path: Path) -> None:
    config = with_mode(config, SignatureMode.STRICT, KEY, public_key_hex(OTHER_SEED))
    install(config, str(write_package(tmp_path / "src", "p", version="2", signed_by=SEED)), probe=FakeProbe())
    folder = config.plugins.plugins_dir / "p"
    for version, seed, expected in (
        ("1", SEED, "stands where the newer v2 was installed"),
        ("3", OTHER_SEED, f"by another publisher than {KEY}"),
        ("3", SEED, None),
    ):
        write_package(folder, "p", version=version, signed_by=seed)
        (found,) = run(config).packages
        assert found.ok if expected is None else expected in found.problems[0], (version, found.problems)


def test_an_older_version_is_found_without_the_lock_until_it_is_accepted(config: Config, tmp_path: Path) -> None:
    install(config, str(write_package(tmp_path / "src", "p", version="2", signed_by=SEED)), probe=FakeProbe())
    write_package(config.plugins.plugins_dir / "p", "p", version="1", signed_by=SEED)
    lock.path_of(config.location).unlink()
    (found,) = run(config).packages
    assert "stands where the newer v2 of its publisher was installed" in found.problems[0]
    assert run(config, accept=True).ok
    assert run(config).ok
