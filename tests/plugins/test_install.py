from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest

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
from zeroclaw_cli import errors, fsio
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Config, SignatureMode
from zeroclaw_cli.plugins import discovery, lock, owner
from zeroclaw_cli.plugins.install import InstallResult, install
from zeroclaw_cli.plugins.instance_key import instance_key
from zeroclaw_cli.plugins.lock import LockFile
from zeroclaw_cli.plugins.model import ComponentProbe, ImportFinding, ProbeReport, Trial
from zeroclaw_cli.plugins.publisher_keys import public_key_hex

KEY = public_key_hex(SEED)
SCHEMA = {"type": "object", "additionalProperties": False, "properties": {"token": {"type": "string"}}}
TOOL: dict[str, Any] = {"capabilities": ["tool"], "permissions": ["config_read"], "config_schema": SCHEMA}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return config_in(tmp_path)


def put(config: Config, source: Path, probe: ComponentProbe | None = None, **options: bool) -> InstallResult:
    return install(config, str(source), probe=probe or FakeProbe(), **options)


def installed(config: Config, directory: str) -> dict[str, bytes | str | None]:
    return tree(config.plugins.plugins_dir / directory)


def everything(config: Config) -> dict[str, bytes | str | None]:
    return tree(config.location.config_dir) if config.location.config_dir.exists() else {}


def leftovers(config: Config) -> list[str]:
    return [path.name for path in config.plugins.plugins_dir.iterdir() if path.name.startswith((".staging", ".trash"))]


def test_exactly_manifest_component_and_skills_are_copied(config: Config, tmp_path: Path) -> None:
    source = write_package(
        tmp_path / "src",
        "p",
        wasm_path="lib/p.wasm",
        capabilities=["memory", "skill"],
        skills={"a/SKILL.md": SKILL_TEXT, "a/deep/tool.sh": "#!/bin/sh\n"},
    )
    (source / "skills" / "a" / "deep" / "tool.sh").chmod(0o755)
    for extra in ("README.md", "p.sig", "lib/other.wasm"):
        (source / extra).write_text("not copied")
    (source / "empty").mkdir()
    result = put(config, source)
    assert result.changed
    assert installed(config, "p") == {
        "manifest.toml": (source / "manifest.toml").read_bytes(),
        "lib": None,
        "lib/p.wasm": (source / "lib" / "p.wasm").read_bytes(),
        "skills": None,
        "skills/a": None,
        "skills/a/SKILL.md": SKILL_TEXT.encode(),
        "skills/a/deep": None,
        "skills/a/deep/tool.sh": b"#!/bin/sh\n",
    }
    assert os.access(config.plugins.plugins_dir / "p" / "skills" / "a" / "deep" / "tool.sh", os.X_OK)
    assert leftovers(config) == []


def test_the_skills_folder_is_copied_only_when_skill_is_a_capability(config: Config, tmp_path: Path) -> None:
    put(config, write_package(tmp_path / "src", "p", skills={"a/SKILL.md": SKILL_TEXT}))
    assert "skills" not in installed(config, "p")


def test_the_manifest_is_kept_byte_for_byte_and_always_called_manifest_toml(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p")
    raw = b"\xef\xbb\xbf# header\r\n" + (source / "manifest.toml").read_bytes()
    (source / "manifest.toml").unlink()
    (source / "other.name").write_bytes(raw)
    put(config, source / "other.name")
    assert installed(config, "p")["manifest.toml"] == raw


def test_a_skill_only_package_needs_no_component_and_no_probe(config: Config, tmp_path: Path) -> None:
    probe = FakeProbe()
    source = write_package(
        tmp_path / "src", "p", wasm_path=None, capabilities=["skill"], skills={"a/SKILL.md": SKILL_TEXT}
    )
    package = put(config, source, probe).package
    assert (package.component, package.digests.component, probe.seen) == (None, None, [])


def test_the_result_is_the_package_as_discovery_finds_it(config: Config, tmp_path: Path) -> None:
    result = put(config, write_package(tmp_path / "src", "p"))
    assert result.package == discovery.discover(config).find("p")
    assert result.package.lock is not None
    assert result.package.lock.source == str(tmp_path / "src")


def test_the_first_install_creates_the_config_file_and_private_folders(config: Config, tmp_path: Path) -> None:
    put(config, write_package(tmp_path / "src", "p"))
    assert config.location.config_file.read_text() == "schema_version = 3\n"
    for path in (config.plugins.plugins_dir, config.plugins.plugins_dir / "p"):
        assert path.stat().st_mode & 0o777 == 0o700


def test_the_bytes_that_were_probed_are_the_bytes_that_are_installed(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p", component=WASM + b"first")

    class Swapper(FakeProbe):
        def probe(self, component: bytes, manifest: Any) -> ProbeReport:
            (source / "p.wasm").write_bytes(b"swapped meanwhile")
            return super().probe(component, manifest)

    probe = Swapper()
    put(config, source, probe)
    assert [installed(config, "p")["p.wasm"]] == probe.seen == [WASM + b"first"]


@pytest.mark.parametrize(
    ("report", "error", "words"),
    [
        (
            ProbeReport((), (ImportFinding("wasi:http/types@0.2.0", None),), ()),
            errors.ImportNotGranted,
            ["wasi:http/types@0.2.0", "no permission grants"],
        ),
        (
            ProbeReport((), (ImportFinding("x:y/z", "file_read"),), ()),
            errors.ImportNotGranted,
            ["x:y/z", "file_read"],
        ),
        (
            ProbeReport((), (), ("memory.recall: one", "memory.get: two")),
            errors.ComponentInvalid,
            ["memory.recall: one", "memory.get: two"],
        ),
    ],
)
def test_a_memory_component_that_does_not_fit_is_refused_before_anything_changes(
    config: Config, tmp_path: Path, report: ProbeReport, error: type[errors.ZeroclawError], words: list[str]
) -> None:
    with pytest.raises(error) as caught:
        put(config, write_package(tmp_path / "src", "p"), FakeProbe(report))
    assert all(word in caught.value.message for word in words)
    assert caught.value.hint is not None
    assert everything(config) == {}


def test_of_a_tool_only_a_component_is_asked_and_the_rest_is_a_warning(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p", capabilities=["tool"])
    report = ProbeReport((), (ImportFinding("wasi:http/types", "http_client"),), ("memory.get: missing",))
    result = put(config, source, FakeProbe(report))
    assert result.changed
    assert any("http_client" in warning for warning in result.warnings)
    broken = FakeProbe(failure=lambda: errors.ComponentInvalid("no component"))
    with pytest.raises(errors.ComponentInvalid):
        put(config, write_package(tmp_path / "other", "q", capabilities=["tool"]), broken)


@pytest.mark.parametrize("name", ["memory", "digests.json", "history.toml"])
def test_a_name_that_the_program_uses_itself_is_refused(config: Config, tmp_path: Path, name: str) -> None:
    with pytest.raises(errors.InvalidManifest, match="cannot be called"):
        put(config, write_package(tmp_path / "src", name, wasm_path="p.wasm"))
    assert everything(config) == {}


@pytest.mark.parametrize("replace", [False, True])
def test_identical_bytes_change_nothing(config: Config, tmp_path: Path, replace: bool) -> None:
    source = write_package(tmp_path / "src", "p")
    put(config, source)
    before = everything(config)
    result = put(config, source, replace=replace)
    assert (result.changed, result.replaced) == (False, None)
    assert everything(config) == before


def test_identical_bytes_without_a_lock_entry_gain_one(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p")
    put(config, source)
    lock.path_of(config.location).unlink()
    assert not put(config, source).changed
    assert discovery.discover(config).find("p").lock is not None


def test_other_contents_need_replace_and_keep_data_and_config(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p", **TOOL)
    put(config, source)
    data = owner.claim(config, discovery.discover(config).find("p"))
    (data / "journal.db").write_bytes(b"remembered")
    write_package(source, "p", component=WASM + b"2", version="2.0.0", **TOOL)
    with pytest.raises(errors.AlreadyInstalled) as caught:
        put(config, source)
    assert "--replace" in (caught.value.hint or "")
    config_text = config.location.config_file.read_bytes()
    result = put(config, source, replace=True)
    assert (result.changed, result.replaced, result.seeded) == (True, "1.0.0", None)
    package = discovery.discover(config).find("p")
    assert (package.manifest.version, package.lock is not None) == ("2.0.0", True)
    assert (data / "journal.db").read_bytes() == b"remembered"
    assert config.location.config_file.read_bytes() == config_text
    assert leftovers(config) == []


def test_replace_takes_the_directory_in_which_the_package_was_found(config: Config, tmp_path: Path) -> None:
    write_package(config.plugins.plugins_dir / "elsewhere", "p")
    put(config, write_package(tmp_path / "src", "p", component=WASM + b"2"), replace=True)
    package = discovery.discover(config).find("p")
    assert package.directory.name == "elsewhere"
    assert package.lock is not None
    assert not (config.plugins.plugins_dir / "p").exists()


def test_files_of_the_replaced_version_do_not_survive(config: Config, tmp_path: Path) -> None:
    put(config, write_package(tmp_path / "1", "p", wasm_path="old.wasm"))
    put(config, write_package(tmp_path / "2", "p", wasm_path="new.wasm"), replace=True)
    assert set(installed(config, "p")) == {"manifest.toml", "new.wasm"}


def test_replace_refuses_to_hand_data_to_another_publisher_before_anything_changes(
    config: Config, tmp_path: Path
) -> None:
    put(config, write_package(tmp_path / "1", "p", signed_by=SEED))
    owner.claim(config, discovery.discover(config).find("p"))
    before = everything(config)
    for seed in (OTHER_SEED, None):
        with pytest.raises(errors.DataOwner):
            put(config, write_package(tmp_path / "2", "p", signed_by=seed, version="2"), replace=True)
    assert everything(config) == before
    put(config, write_package(tmp_path / "3", "p", signed_by=SEED, version="3"), replace=True)


def test_without_data_a_change_of_publisher_is_a_warning(config: Config, tmp_path: Path) -> None:
    put(config, write_package(tmp_path / "1", "p", signed_by=SEED))
    result = put(config, write_package(tmp_path / "2", "p", version="2"), replace=True)
    assert any(KEY in warning and "not signed" in warning for warning in result.warnings)


def test_data_that_a_removed_package_of_another_publisher_left_is_a_warning(config: Config, tmp_path: Path) -> None:
    write_package(config.plugins.plugins_dir / "p", "p", signed_by=SEED)
    owner.claim(config, discovery.discover(config).find("p"))
    fsio.remove_tree(config.plugins.plugins_dir / "p")
    result = put(config, write_package(tmp_path / "2", "p"))
    assert any("adopt-data" in warning for warning in result.warnings)


def test_an_ambiguous_name_is_refused_until_one_copy_goes(config: Config, tmp_path: Path) -> None:
    for directory in ("p", "copy"):
        write_package(config.plugins.plugins_dir / directory, "p")
    with pytest.raises(errors.Ambiguous) as caught:
        put(config, write_package(tmp_path / "src", "p"), replace=True)
    assert "zeroclaw plugin remove copy" in (caught.value.hint or "")


def test_an_admitted_package_of_another_name_in_the_way_is_not_touched(config: Config, tmp_path: Path) -> None:
    write_package(config.plugins.plugins_dir / "p", "other")
    for replace in (False, True):
        with pytest.raises(errors.PluginError, match="holds another package, other"):
            put(config, write_package(tmp_path / "src", "p"), replace=replace)
    assert discovery.discover(config).find("other").directory.name == "p"


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"manifest.toml": "cut off = "},
        {"manifest.toml": 'name = "p"\n', "anything.txt": "x"},
        {"p.wasm": "half"},
        {"skills/a/SKILL.md": "half"},
    ],
)
def test_a_half_installed_directory_of_that_name_is_replaced(
    config: Config, tmp_path: Path, content: dict[str, str]
) -> None:
    folder = config.plugins.plugins_dir / "p"
    folder.mkdir(parents=True)
    for name, text in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    assert put(config, write_package(tmp_path / "src", "p")).changed
    assert set(installed(config, "p")) == {"manifest.toml", "p.wasm"}
    assert leftovers(config) == []


def test_what_is_plainly_no_package_is_left_alone(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p")
    folder = config.plugins.plugins_dir / "p"
    folder.mkdir(parents=True)
    (folder / "diary.txt").write_text("mine")
    with pytest.raises(errors.PluginError, match="in the way"):
        put(config, source)
    assert (folder / "diary.txt").read_text() == "mine"
    fsio.remove_tree(folder)
    folder.symlink_to(tmp_path)
    with pytest.raises(errors.PluginError, match="in the way"):
        put(config, source)
    folder.unlink()
    folder.write_text("a file")
    with pytest.raises(errors.PluginError, match="in the way"):
        put(config, source)


def test_a_linked_package_is_replaced_by_a_copy_and_its_target_stays(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p")
    config.plugins.plugins_dir.mkdir(parents=True)
    (config.plugins.plugins_dir / "p").symlink_to(source)
    put(config, source)
    assert not (config.plugins.plugins_dir / "p").is_symlink()
    assert (source / "p.wasm").exists()


def test_leftovers_of_interrupted_changes_are_cleared(config: Config, tmp_path: Path) -> None:
    folder = config.plugins.plugins_dir
    write_package(folder / ".staging-0123", "p")
    write_package(folder / ".trash-4567", "q")
    (folder / ".trash-link").symlink_to(tmp_path)
    (folder / ".other").mkdir()
    put(config, write_package(tmp_path / "src", "p"))
    assert leftovers(config) == []
    assert (folder / ".other").is_dir()
    assert (tmp_path / "src").is_dir()


def test_a_dry_run_judges_everything_and_touches_nothing(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p")
    probe = FakeProbe()
    result = put(config, source, probe, dry_run=True)
    assert (result.changed, result.dry_run, len(probe.seen)) == (True, True, 1)
    assert result.package.directory == config.plugins.plugins_dir / "p"
    assert everything(config) == {}
    put(config, source)
    assert not put(config, source, dry_run=True).changed
    write_package(source, "p", version="2")
    with pytest.raises(errors.AlreadyInstalled):
        put(config, source, dry_run=True)
    assert put(config, source, dry_run=True, replace=True).replaced == "1.0.0"


def test_the_policy_decides_at_install(config: Config, tmp_path: Path) -> None:
    strict = with_mode(config, SignatureMode.STRICT, KEY)
    for name, seed, error in (
        ("unsigned", None, errors.UnsignedPlugin),
        ("untrusted", OTHER_SEED, errors.UntrustedPublisher),
    ):
        with pytest.raises(error):
            put(strict, write_package(tmp_path / name, name, signed_by=seed))
    assert everything(config) == {}
    put(strict, write_package(tmp_path / "valid", "valid", signed_by=SEED))
    permissive = with_mode(config, SignatureMode.PERMISSIVE, KEY)
    assert put(permissive, tmp_path / "unsigned").warnings


def test_a_tool_with_a_schema_gets_its_config_entry_once(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p", **TOOL)
    key = instance_key("p", "tool", "p")
    result = put(config, source)
    assert (result.seeded, [found.key for found in result.config_keys]) == (key, [key])
    loaded = load(str(config.location.config_dir), {})
    assert [entry.name for entry in loaded.plugins.entries] == [key]
    again = put(config, source)
    assert (again.seeded, [found.key for found in again.config_keys]) == (None, [key])


def test_an_entry_that_could_not_be_added_is_added_by_the_next_install(config: Config, tmp_path: Path) -> None:
    source = write_package(tmp_path / "src", "p", **TOOL)
    config.location.config_dir.mkdir(parents=True)
    config.location.config_file.write_text("schema_version = 3\n[plugins.entries]\nnotes = 1\n")
    result = put(config, source)
    assert (result.changed, result.seeded) == (True, None)
    assert any("plugins.entries" in warning or "could not be added" in warning for warning in result.warnings)
    assert config.location.config_file.read_text() == "schema_version = 3\n[plugins.entries]\nnotes = 1\n"
    config.location.config_file.write_text("schema_version = 3\n")
    again = put(config, source)
    assert (again.changed, again.seeded) == (False, instance_key("p", "tool", "p"))


def test_installing_from_the_installed_directory_itself_changes_nothing(config: Config, tmp_path: Path) -> None:
    put(config, write_package(tmp_path / "src", "p"))
    assert not put(config, config.plugins.plugins_dir / "p").changed


def test_a_rejected_package_can_be_mended_from_its_own_directory(config: Config, tmp_path: Path) -> None:
    put(config, write_package(tmp_path / "src", "p"))
    (config.plugins.plugins_dir / "p" / "p.wasm").write_bytes(WASM + b"rebuilt")
    assert discovery.discover(config).packages == ()
    assert put(config, config.plugins.plugins_dir / "p").changed
    assert installed(config, "p")["p.wasm"] == WASM + b"rebuilt"
    assert discovery.discover(config).find("p").lock is not None


def test_a_damaged_lock_stops_the_install_before_anything_is_published(config: Config, tmp_path: Path) -> None:
    path = lock.path_of(config.location)
    path.parent.mkdir(parents=True)
    path.write_text("damaged")
    with pytest.raises(errors.LockDamaged):
        put(config, write_package(tmp_path / "src", "p"))
    assert not (config.plugins.plugins_dir / "p").exists()
    assert path.read_text() == "damaged"


def test_a_folder_held_by_another_process_is_busy(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeroclaw_cli.plugins.staging._WAIT_S", 0.01)
    config.plugins.plugins_dir.mkdir(parents=True)
    with fsio.file_lock(config.plugins.plugins_dir / ".lock", timeout_s=1), pytest.raises(errors.Busy):
        put(config, write_package(tmp_path / "src", "p"))


def test_a_stale_entry_of_a_package_that_is_gone_is_no_obstacle(config: Config, tmp_path: Path) -> None:
    result = put(config, write_package(tmp_path / "src", "p"))
    fsio.remove_tree(config.plugins.plugins_dir / "p")
    assert result.package.lock is not None
    put(config, write_package(tmp_path / "2", "p", version="2"))
    package = discovery.discover(config).find("p")
    assert package.lock is not None
    assert package.lock.version == "2"


def test_a_pending_entry_of_a_finished_swap_is_kept_by_the_next_change(config: Config, tmp_path: Path) -> None:
    package = put(config, write_package(tmp_path / "src", "p")).package
    path = lock.path_of(config.location)
    assert package.lock is not None
    outdated = dataclasses.replace(package.lock, component_sha256="0" * 64)
    lock.write(path, LockFile({"p": outdated}, {"p": package.lock}))
    assert discovery.discover(config).find("p").lock == package.lock
    put(config, write_package(tmp_path / "other", "q"))
    known = lock.read(path)
    assert known.entries["p"] == package.lock
    assert known.pending == {}


def test_an_installed_name_is_said_before_what_the_policy_says(config: Config, tmp_path: Path) -> None:
    config = with_mode(config, SignatureMode.STRICT, KEY)
    put(config, write_package(tmp_path / "one", "p", signed_by=SEED))
    for folder in (
        write_package(tmp_path / "unsigned", "p", version="2"),
        write_package(tmp_path / "untrusted", "p", version="2", signed_by=OTHER_SEED),
        write_package(tmp_path / "contract", "p", version="2", signed_by=SEED, permissions=["config_read"]),
    ):
        with pytest.raises(errors.AlreadyInstalled):
            put(config, folder)
    with pytest.raises(errors.UnsignedPlugin):
        put(config, tmp_path / "unsigned", replace=True)
    with pytest.raises(errors.UnsignedPlugin):
        put(config, write_package(tmp_path / "new", "q"))


@pytest.mark.parametrize("below", [".", "p"])
def test_the_plugins_folder_may_not_be_where_packages_keep_their_data(
    config: Config, tmp_path: Path, below: str
) -> None:
    folder = config.location.data_dir / "plugins"
    folder.mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    source = write_package(tmp_path / "src", "p")
    for place in (folder / below, tmp_path / "link" / below):
        wrong = dataclasses.replace(config, plugins=dataclasses.replace(config.plugins, plugins_dir=place))
        with pytest.raises(errors.PluginError, match="what the packages remember") as caught:
            put(wrong, source)
        assert "plugins.plugins_dir" in (caught.value.hint or "")
    assert list(folder.iterdir()) == []


def test_a_plugins_folder_that_is_a_file_is_named(config: Config, tmp_path: Path) -> None:
    config.location.config_dir.mkdir()
    config.plugins.plugins_dir.write_text("mine")
    with pytest.raises(errors.PluginError, match="is not a folder"):
        put(config, write_package(tmp_path / "src", "p"))
    assert config.plugins.plugins_dir.read_text() == "mine"


def test_a_plugins_folder_may_be_a_link(config: Config, tmp_path: Path) -> None:
    config.location.config_dir.mkdir()
    (tmp_path / "elsewhere").mkdir()
    config.plugins.plugins_dir.symlink_to(tmp_path / "elsewhere")
    put(config, write_package(tmp_path / "src", "p"))
    assert config.plugins.plugins_dir.is_symlink()
    assert (tmp_path / "elsewhere" / "p" / "manifest.toml").is_file()


# ------------------------------------------------------------------------------------------ what it remembers


def replaced(config: Config, folder: Path, probe: FakeProbe, **options: bool) -> InstallResult:
    """What installing another version of p says, in the place of an installed one."""
    install(config, str(write_package(folder / "old", "p")), probe=FakeProbe())
    source = write_package(folder / "new", "p", version="2", component=b"other")
    return install(config, str(source), probe=probe, replace=True, **options)


@pytest.mark.parametrize("dry_run", [False, True])
def test_what_takes_the_place_of_a_package_is_tried_on_what_that_remembers(
    config: Config, tmp_path: Path, dry_run: bool
) -> None:
    probe = FakeProbe(rehearsal=lambda *_: Trial(("one record differs",)))
    result = replaced(config, tmp_path, probe, dry_run=dry_run)
    assert (result.warnings, result.changed, probe.rehearsed) == (("one record differs",), True, [b"other"])


def test_that_it_fails_there_is_a_warning_with_the_way_back(config: Config, tmp_path: Path) -> None:
    def traps(*_: object) -> Trial:
        raise errors.JournalDamaged("record 1 does not replay")

    (warning,) = replaced(config, tmp_path, FakeProbe(rehearsal=traps)).warnings
    assert warning == (
        "p v2 does not work on what p remembers: record 1 does not replay; "
        "`zeroclaw plugin rollback p` brings v1.0.0 back"
    )
    assert discovery.discover(config).find("p").manifest.version == "2"


def test_what_takes_no_other_place_is_not_tried(config: Config, tmp_path: Path) -> None:
    probe = FakeProbe()
    source = str(write_package(tmp_path / "src", "p"))
    for _ in range(2):
        install(config, source, probe=probe, replace=True)
    assert probe.rehearsed == []


def test_the_data_of_another_publisher_is_not_shown_to_what_would_take_its_place(
    config: Config, tmp_path: Path
) -> None:
    install(config, str(write_package(tmp_path / "old", "p", signed_by=SEED)), probe=FakeProbe())
    owner.claim(config, discovery.discover(config).find("p"))
    probe = FakeProbe()
    with pytest.raises(errors.DataOwner):
        install(config, str(write_package(tmp_path / "new", "p", component=b"other")), probe=probe, replace=True)
    assert probe.rehearsed == []
