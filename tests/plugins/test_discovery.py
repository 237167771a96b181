from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.packages import OTHER_SEED, SEED, SKILL_TEXT, config_in, with_mode, write_package
from zeroclaw_cli import errors
from zeroclaw_cli.config.model import Config, SignatureMode
from zeroclaw_cli.plugins import discovery, lock
from zeroclaw_cli.plugins.digests import FreshDigests
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.manifest import read_manifest
from zeroclaw_cli.plugins.model import LockEntry, Manifest, Package, SignatureState, SkipCode, Skipped
from zeroclaw_cli.plugins.publisher_keys import public_key_hex

KEY = public_key_hex(SEED)
EMPTY_SCHEMA = {"type": "object", "additionalProperties": False, "properties": {}}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def plugins(config: Config) -> Path:
    return config.plugins.plugins_dir


def names(config: Config) -> list[str]:
    return [package.name for package in discovery.discover(config).packages]


def only_skip(config: Config) -> Skipped:
    inventory = discovery.discover(config)
    assert inventory.packages == ()
    (skipped,) = inventory.skipped
    return skipped


def test_a_missing_folder_is_empty_and_stays_missing(config: Config, tmp_path: Path) -> None:
    assert discovery.discover(config).packages == ()
    assert not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_listed_is_one_clear_error(config: Config) -> None:
    plugins(config).parent.mkdir(parents=True)
    plugins(config).write_text("")
    with pytest.raises(errors.PluginError, match="cannot be listed"):
        discovery.discover(config)


def test_packages_are_sorted_by_name_whatever_their_directories_are_called(config: Config) -> None:
    write_package(plugins(config) / "1", "zeta")
    write_package(plugins(config) / "2", "alpha")
    assert names(config) == ["alpha", "zeta"]


def test_only_direct_children_with_a_manifest_count(config: Config) -> None:
    write_package(plugins(config) / "deep" / "inner", "inner")
    (plugins(config) / "empty").mkdir()
    (plugins(config) / "file").write_text("")
    write_package(plugins(config) / ".staging-1", "staged")
    write_package(plugins(config) / ".hidden", "hidden")
    assert discovery.discover(config) == discovery.Inventory(plugins(config))


def test_the_providers_folder_is_a_package_only_with_a_manifest_of_its_own(config: Config) -> None:
    write_package(plugins(config) / "memory" / "mine", "mine")
    assert discovery.discover(config).packages == ()
    write_package(plugins(config) / "memory", "named-otherwise")
    assert names(config) == ["named-otherwise"]


# Each row breaks one rule of specs/zeroclaw.md §1.6 in a directory that is otherwise a package.
def _not_utf8(folder: Path) -> None:
    (folder / "manifest.toml").write_bytes(b"name = '\xff'")


def _manifest_is_a_directory(folder: Path) -> None:
    (folder / "manifest.toml").unlink()
    (folder / "manifest.toml").mkdir()


def _not_toml(folder: Path) -> None:
    (folder / "manifest.toml").write_text("name = ")


def _bad_name(folder: Path) -> None:
    write_package(folder, "Upper", wasm_path="p.wasm")


def _no_skills(folder: Path) -> None:
    write_package(folder, "p", capabilities=["memory", "skill"])


def _no_component(folder: Path) -> None:
    (folder / "p.wasm").unlink()


def _config_read_without_schema(folder: Path) -> None:
    write_package(folder, "p", permissions=["config_read"])


def _other_digest(folder: Path) -> None:
    write_package(folder, "p", wasm_sha256="0" * 64)


def _linked_component(folder: Path) -> None:
    (folder / "p.wasm").rename(folder / "real.wasm")
    (folder / "p.wasm").symlink_to("real.wasm")


def _linked_manifest(folder: Path) -> None:
    (folder / "manifest.toml").rename(folder / "real.toml")
    (folder / "manifest.toml").symlink_to("real.toml")


def _linked_skill(folder: Path) -> None:
    write_package(folder, "p", capabilities=["memory", "skill"], skills={"a/SKILL.md": SKILL_TEXT})
    (folder / "skills" / "b").symlink_to("a")


@pytest.mark.parametrize(
    ("spoil", "code", "error"),
    [
        (_not_utf8, SkipCode.IO, errors.ManifestIo),
        (_manifest_is_a_directory, SkipCode.IO, errors.ManifestIo),
        (_not_toml, SkipCode.TOML, errors.TomlParse),
        (_bad_name, SkipCode.MANIFEST, errors.InvalidManifest),
        (_no_skills, SkipCode.SKILLS, errors.InvalidSkills),
        (_no_component, SkipCode.COMPONENT_MISSING, errors.ComponentMissing),
        (_config_read_without_schema, SkipCode.CONFIG_SCHEMA, errors.InvalidConfigSchema),
        (_other_digest, SkipCode.DIGEST_MISMATCH, errors.DigestMismatch),
        (_linked_component, SkipCode.LINK, errors.LinkRefused),
        (_linked_manifest, SkipCode.LINK, errors.LinkRefused),
        (_linked_skill, SkipCode.LINK, errors.LinkRefused),
    ],
)
def test_a_broken_package_is_skipped_with_its_code_a_reason_and_a_remedy(
    config: Config, spoil: Callable[[Path], None], code: SkipCode, error: type[errors.ZeroclawError]
) -> None:
    folder = write_package(plugins(config) / "p", "p")
    write_package(plugins(config) / "good", "good")
    spoil(folder)
    inventory = discovery.discover(config)
    assert [package.name for package in inventory.packages] == ["good"]
    (skipped,) = inventory.skipped
    assert (skipped.directory, skipped.code) == (folder, code)
    assert str(folder) in skipped.reason or "p" in skipped.reason
    assert skipped.hint
    assert "\n" not in skipped.reason + skipped.hint
    with pytest.raises(error) as caught:
        inventory.find("p")
    assert (caught.value.message, caught.value.hint) == (skipped.reason, skipped.hint)


def test_an_unreadable_directory_is_shown_rather_than_passed_over(config: Config) -> None:
    folder = write_package(plugins(config) / "p", "p")
    folder.chmod(0)
    try:
        if os.access(folder / "manifest.toml", os.R_OK):
            pytest.skip("this user may read everything")
        assert only_skip(config).code is SkipCode.IO
    finally:
        folder.chmod(0o700)


def test_the_checks_come_in_the_order_of_the_table(config: Config) -> None:
    config = with_mode(config, SignatureMode.STRICT)
    folder = plugins(config) / "p"
    write_package(folder, "p", capabilities=["memory", "skill"], permissions=["config_read"], wasm_sha256="0" * 64)
    (folder / "p.wasm").unlink()
    seen = []
    for mend in (
        lambda: write_package(folder / "skills" / "a", "x", wasm_path=None),
        lambda: (folder / "skills" / "a" / "SKILL.md").write_text(SKILL_TEXT),
        lambda: (folder / "p.wasm").write_bytes(b"x"),
    ):
        seen.append(only_skip(config).code)
        mend()
    seen.append(only_skip(config).code)
    config = with_mode(config, SignatureMode.PERMISSIVE)
    seen.append(only_skip(config).code)
    fields: dict[str, Any] = {"capabilities": ["memory", "skill"], "wasm_sha256": "0" * 64}
    write_package(folder, "p", component=b"x", **fields)
    seen.append(only_skip(config).code)
    write_package(folder, "p", component=b"x", **fields | {"wasm_sha256": None})
    assert names(config) == ["p"]
    assert seen == [
        SkipCode.SKILLS,
        SkipCode.SKILLS,
        SkipCode.COMPONENT_MISSING,
        SkipCode.UNSIGNED,
        SkipCode.CONFIG_SCHEMA,
        SkipCode.DIGEST_MISMATCH,
    ]


def test_a_linked_package_directory_is_skipped_and_the_hint_installs_its_target(config: Config, tmp_path: Path) -> None:
    real = write_package(tmp_path / "dev", "p")
    plugins(config).mkdir(parents=True)
    (plugins(config) / "p").symlink_to(real)
    skipped = only_skip(config)
    assert (skipped.code, skipped.name) == (SkipCode.LINK, "p")
    assert f"zeroclaw plugin install {real}" in skipped.hint


def test_links_that_lead_to_no_package_are_passed_over(config: Config, tmp_path: Path) -> None:
    plugins(config).mkdir(parents=True)
    (plugins(config) / "dangling").symlink_to(tmp_path / "nowhere")
    (plugins(config) / "plain").symlink_to(tmp_path)
    assert discovery.discover(config).skipped == ()


def test_the_name_of_a_skipped_package_is_given_where_the_manifest_gives_one(config: Config) -> None:
    write_package(plugins(config) / "dir", "p", capabilities=[])
    assert only_skip(config).name == "p"
    (plugins(config) / "dir" / "manifest.toml").write_text("nothing = 1")
    assert only_skip(config).name is None


def test_every_copy_of_a_name_is_dropped_as_ambiguous(config: Config) -> None:
    for directory in ("p", "p-copy", "third"):
        write_package(plugins(config) / directory, "p")
    inventory = discovery.discover(config)
    assert inventory.packages == ()
    assert {skipped.code for skipped in inventory.skipped} == {SkipCode.AMBIGUOUS}
    assert [skipped.directory.name for skipped in inventory.skipped] == ["p", "p-copy", "third"]
    assert all("p, p-copy, third" in skipped.reason for skipped in inventory.skipped)
    with pytest.raises(errors.Ambiguous):
        inventory.find("p")


def test_a_copy_that_failed_an_earlier_check_does_not_count(config: Config) -> None:
    write_package(plugins(config) / "p", "p")
    write_package(plugins(config) / "broken", "p", capabilities=[])
    assert names(config) == ["p"]


@pytest.mark.parametrize("mode", list(SignatureMode))
@pytest.mark.parametrize(
    ("kind", "state", "code"),
    [
        ("unsigned", SignatureState.UNSIGNED, SkipCode.UNSIGNED),
        ("untrusted", SignatureState.UNTRUSTED, SkipCode.UNTRUSTED),
        ("invalid", SignatureState.INVALID, SkipCode.SIGNATURE_INVALID),
        ("revoked", SignatureState.UNTRUSTED, SkipCode.UNTRUSTED),
        ("valid", SignatureState.VALID, None),
    ],
)
def test_the_matrix_of_modes_and_states(
    config: Config, mode: SignatureMode, kind: str, state: SignatureState, code: SkipCode | None
) -> None:
    seed = {"unsigned": None, "untrusted": OTHER_SEED}.get(kind, SEED)
    folder = write_package(plugins(config) / "p", "p", signed_by=seed)
    if kind == "invalid":
        manifest = folder / "manifest.toml"
        manifest.write_text(manifest.read_text().replace("The package", "A package"))
    config = with_mode(config, mode, KEY, revoked=(KEY,) if kind == "revoked" else ())
    if mode is SignatureMode.STRICT and code is not None:
        assert only_skip(config).code is code
        return
    (package,) = discovery.discover(config).packages
    disabled = mode is SignatureMode.DISABLED
    assert package.signature.state is (SignatureState.UNCHECKED if disabled else state)
    assert bool(package.warnings) == (mode is SignatureMode.PERMISSIVE and kind != "valid")


def test_a_covering_digest_is_checked_in_every_mode_and_makes_cover_only_when_signed(config: Config) -> None:
    digest = hashlib.sha256(b"bytes").hexdigest()
    write_package(plugins(config) / "p", "p", component=b"bytes", wasm_sha256=digest, signed_by=SEED)
    for mode, covers in ((SignatureMode.DISABLED, False), (SignatureMode.STRICT, True)):
        (package,) = discovery.discover(with_mode(config, mode, KEY)).packages
        assert package.signature.covers_component is covers
    (plugins(config) / "p" / "p.wasm").write_bytes(b"other")
    for mode in SignatureMode:
        assert only_skip(with_mode(config, mode, KEY)).code is SkipCode.DIGEST_MISMATCH


def test_a_covered_payload_that_the_package_lacks_is_an_invalid_manifest(config: Config) -> None:
    write_package(plugins(config) / "p", "p", skills_sha256="0" * 64)
    assert only_skip(config).code is SkipCode.MANIFEST


def entry_of(package: Package, **fields: str) -> LockEntry:
    return dataclasses.replace(lock.entry_for(package, source="/src"), **fields)


def with_entry(config: Config, **fields: str) -> None:
    """Lock the only package as it is, except for ``fields``."""
    (package,) = discovery.discover(config).packages
    lock.write(lock.path_of(config.location), LockFile({package.name: entry_of(package, **fields)}))


def test_a_package_without_an_entry_is_admitted_and_not_locked(config: Config) -> None:
    write_package(plugins(config) / "p", "p")
    (package,) = discovery.discover(config).packages
    assert package.lock is None


@pytest.mark.parametrize("field", ["manifest_sha256", "component_sha256"])
def test_an_unsigned_package_that_disagrees_with_its_entry_is_skipped(config: Config, field: str) -> None:
    write_package(plugins(config) / "p", "p")
    with_entry(config, **{field: "0" * 64})
    skipped = only_skip(config)
    assert skipped.code is SkipCode.DIGEST_MISMATCH
    assert "zeroclaw plugin install DIR --replace" in skipped.hint
    assert "zeroclaw plugin verify p --accept" in skipped.hint


def test_a_valid_signature_vouches_for_a_changed_manifest_but_not_for_an_uncovered_component(config: Config) -> None:
    config = with_mode(config, SignatureMode.STRICT, KEY)
    write_package(plugins(config) / "p", "p", signed_by=SEED)
    with_entry(config, manifest_sha256="0" * 64)
    (package,) = discovery.discover(config).packages
    assert package.lock is None
    assert any("plugins.lock" in warning for warning in package.warnings)
    lock_path = lock.path_of(config.location)
    lock_path.unlink()
    with_entry(config, component_sha256="0" * 64)
    assert only_skip(config).code is SkipCode.DIGEST_MISMATCH


def test_a_signature_that_is_not_checked_vouches_for_nothing(config: Config) -> None:
    write_package(plugins(config) / "p", "p", signed_by=SEED)
    with_entry(config, manifest_sha256="0" * 64)
    assert only_skip(config).code is SkipCode.DIGEST_MISMATCH


def test_a_damaged_lock_stops_discovery_but_not_an_empty_home(config: Config) -> None:
    path = lock.path_of(config.location)
    path.parent.mkdir(parents=True)
    path.write_text("damaged")
    assert discovery.discover(config).packages == ()
    write_package(plugins(config) / "p", "p")
    with pytest.raises(errors.LockDamaged):
        discovery.discover(config)


def test_an_unknown_name_is_answered_with_the_nearest_ones_and_where_to_look(config: Config) -> None:
    write_package(plugins(config) / "x", "notebook")
    write_package(plugins(config) / "y", "nothing-alike", capabilities=[])
    with pytest.raises(errors.PluginNotFound) as caught:
        discovery.discover(config).find("notebok")
    assert caught.value.message == "plugin not found: notebok"
    assert "notebook" in (caught.value.hint or "")
    assert "zeroclaw plugin list --all" in (caught.value.hint or "")
    with pytest.raises(errors.PluginNotFound, match="not found") as by_directory:
        discovery.discover(config).find("x")
    assert "did you mean notebook" in (by_directory.value.hint or "")


def test_the_named_search_gives_the_verdict_of_the_full_one(config: Config) -> None:
    write_package(plugins(config) / "a", "p")
    write_package(plugins(config) / "p", "other")
    write_package(plugins(config) / "unrelated", "unrelated")
    assert discovery.discover_named(config, "p").find("p") == discovery.discover(config).find("p")
    write_package(plugins(config) / "b", "p")
    with pytest.raises(errors.Ambiguous):
        discovery.discover_named(config, "p").find("p")


def test_a_name_spelt_with_escapes_is_found_by_the_named_search(config: Config) -> None:
    folder = write_package(plugins(config) / "a", "p")
    manifest = folder / "manifest.toml"
    manifest.write_text(manifest.read_text().replace('name = "p"', 'name = "\\u0070"'))
    assert discovery.discover_named(config, "p").find("p").directory == folder


def test_inspection_executes_nothing_and_writes_nothing(config: Config) -> None:
    folder = write_package(plugins(config) / "p", "p", component=b"no component at all")
    before = sorted(os.walk(config.location.config_dir))
    found = discovery.inspect(folder, config.plugins.security, lock=None, digests=FreshDigests())
    assert isinstance(found, Package)
    assert sorted(os.walk(config.location.config_dir)) == before


def test_every_skip_code_belongs_to_an_error_class() -> None:
    assert {code for _, code in discovery._CODES} == set(SkipCode)


def test_a_package_that_is_swapped_while_it_is_read_is_judged_whole(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_package(plugins(config) / "p", "p", component=b"old")
    with_entry(config)
    new = write_package(tmp_path / "new", "p", component=b"new", version="2")
    package = discovery.inspect(new, config.plugins.security, lock=None, digests=FreshDigests())
    assert isinstance(package, Package)
    real = FreshDigests.component
    swapped = False

    def swap_first(self: FreshDigests, directory: Path, wasm_path: str) -> str:
        nonlocal swapped
        if not swapped:
            swapped = True
            folder.rename(tmp_path / "aside")
            new.rename(folder)
            lock.write(lock.path_of(config.location), LockFile({"p": entry_of(package)}))
        return real(self, directory, wasm_path)

    monkeypatch.setattr(FreshDigests, "component", swap_first)
    found = discovery.discover(config).find("p")
    assert (found.manifest.version, found.lock is not None) == ("2", True)


def test_a_package_that_vanishes_while_it_is_read_is_simply_gone(
    config: Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = write_package(plugins(config) / "p", "p")

    def vanish(path: Path) -> Manifest:
        if folder.exists():
            folder.rename(tmp_path / "aside")
        return read_manifest(path)

    monkeypatch.setattr("zeroclaw_cli.plugins.discovery.read_manifest", vanish)
    inventory = discovery.discover(config)
    assert (inventory.packages, inventory.skipped) == ((), ())


@pytest.mark.parametrize("file", ["manifest.toml", "p.wasm"])
def test_a_file_of_absurd_size_is_skipped_without_reading_it(config: Config, file: str) -> None:
    folder = write_package(plugins(config) / "p", "p")
    os.truncate(folder / file, 2**40)
    skipped = only_skip(config)
    assert skipped.code is SkipCode.IO
    assert str(2**40) in skipped.reason
    write_package(plugins(config) / "q", "q")
    assert names(config) == ["q"]


def test_a_pipe_or_socket_in_place_of_the_manifest_is_named_once(config: Config) -> None:
    folder = plugins(config) / "p"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "manifest.toml")
    manifest = folder / "manifest.toml"
    assert only_skip(config).reason == f"IO error: {manifest} cannot be read: it is not a regular file"
