from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.config.toml_documents import documents
from zeroclaw_cli.config import store
from zeroclaw_cli.config.edit import (
    editable_text,
    ensure_config_file,
    purge_entry,
    replace_text,
    seed_entry,
    set_string_list,
    set_value,
    unset_value,
)
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Config, Location, Problem
from zeroclaw_cli.config.secrets import SecretBox
from zeroclaw_cli.errors import (
    ConfigDamaged,
    ConfigError,
    PathNotFound,
    SchemaVersion,
    ValidationFailed,
    ValueTypeMismatch,
    ZeroclawError,
)

KEY = "zpi1_WyJteS1wbHVnaW4iLCJ0b29sIiwibXktcGx1Z2luIl0"
STAMP = "schema_version = 3\n"


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location(tmp_path / "home", tmp_path / "home" / "data", "test")


def write(location: Location, text: str) -> None:
    location.config_dir.mkdir(exist_ok=True)
    location.config_file.write_bytes(text.encode())


def text_of(location: Location) -> str:
    return location.config_file.read_bytes().decode()


def config_of(location: Location) -> Config:
    return load(str(location.config_dir), {})


def test_the_first_change_makes_a_private_folder_and_file(location: Location) -> None:
    change = set_value(location, {}, "plugins.enabled", "true")
    assert text_of(location) == "schema_version = 3\n\n[plugins]\nenabled = true\n"
    assert stat.S_IMODE(location.config_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(location.config_dir.stat().st_mode) == 0o700
    assert (change.path, change.value, change.changed) == ("plugins.enabled", "true", True)
    assert {child.name for child in location.config_dir.iterdir()} <= {"config.toml", ".config.toml.lock"}


def test_a_first_change_to_a_default_leaves_only_the_stamp(location: Location) -> None:
    set_value(location, {}, "plugins.enabled", "false")
    assert text_of(location) == STAMP


def test_the_first_run_file_holds_the_stamp_alone(location: Location) -> None:
    assert ensure_config_file(location)
    assert text_of(location) == STAMP
    assert stat.S_IMODE(location.config_file.stat().st_mode) == 0o600
    write(location, "# mine\n")
    assert not ensure_config_file(location)
    assert text_of(location) == "# mine\n"


def test_the_stamp_is_added_to_a_file_without_one(location: Location) -> None:
    write(location, "# mine\n[x]\n")
    set_value(location, {}, "plugins.enabled", "true")
    assert text_of(location) == "schema_version = 3\n\n# mine\n[x]\n\n[plugins]\nenabled = true\n"


def test_a_change_that_changes_nothing_does_not_touch_the_file(location: Location) -> None:
    write(location, "[plugins]\nmax_plugins = 1_0 # ten\n")
    before = location.config_file.stat()
    assert not set_value(location, {}, "plugins.max_plugins", "10").changed
    assert not set_value(location, {}, "plugins.enabled", "false").changed
    assert not unset_value(location, {}, "plugins.enabled").changed
    after = location.config_file.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_value_equal_to_its_default_removes_the_key(location: Location) -> None:
    write(location, STAMP + "[plugins]\nenabled = true # now\nmax_plugins = 3\n")
    assert set_value(location, {}, "plugins.enabled", "false").value == "false"
    assert text_of(location) == STAMP + "[plugins]\nmax_plugins = 3\n"


def test_the_default_plugins_dir_removes_the_key(location: Location) -> None:
    set_value(location, {}, "plugins.plugins_dir", "/elsewhere")
    set_value(location, {}, "plugins.plugins_dir", str(location.config_dir / "plugins"))
    assert "plugins_dir" not in text_of(location)


def test_a_tilde_is_stored_as_it_was_typed(location: Location) -> None:
    set_value(location, {"HOME": "/h"}, "plugins.plugins_dir", "~/p")
    assert 'plugins_dir = "~/p"\n' in text_of(location)


def test_an_optional_field_is_cleared(location: Location) -> None:
    for text in ("", "<unset>", "****"):
        set_value(location, {}, "memory.native.curation_interval_turns", "5")
        assert set_value(location, {}, "memory.native.curation_interval_turns", text).value == "<unset>"
        assert "curation" not in text_of(location)


def test_the_default_of_a_channel_is_written_when_it_would_vanish_otherwise(location: Location) -> None:
    set_value(location, {}, "channels.plugin.ops.enabled", "false")
    assert text_of(location).endswith("[channels.plugin.ops]\nenabled = false\n")
    set_value(location, {}, "channels.plugin.ops.package", "chat")
    set_value(location, {}, "channels.plugin.ops.enabled", "false")
    assert config_of(location).channels[0].package == "chat"


@pytest.mark.parametrize(
    ("path", "text", "error"),
    [
        ("plugins.nothing", "1", PathNotFound),
        ("plugins.enabled", "yes", ValueTypeMismatch),
        ("plugins.limits.call_fuel", "0", ValidationFailed),
        ("plugins.disabled", "[a]", ValueTypeMismatch),
        ("plugins.plugins_dir", "p", ValidationFailed),
        ("memory.backend", "markdown", ValidationFailed),
        ("schema_version", "3", ValidationFailed),
        ("plugins.entries.a.name", "b", ValidationFailed),
        ("plugins.entries.a.egress_hosts", "*", ValidationFailed),
        ("plugins.entries.a.egress_allow_private", "x.org", ValidationFailed),
        ("plugins.entries.a.limits.call_fuel", "-1", ValidationFailed),
        ("plugins.entries.a.config.k", "", ValidationFailed),
        ("channels.plugin.ops.package", "No Package", ValidationFailed),
        ("channels.plugin.a-b.enabled", "true", ValidationFailed),
    ],
)
def test_a_refused_change_leaves_the_file(location: Location, path: str, text: str, error: type[ConfigError]) -> None:
    before = "# mine\n[[plugins.entries]]\nname = 'a'"
    write(location, before)
    with pytest.raises(error) as caught:
        set_value(location, {}, path, text)
    assert caught.value.exit_code == 1
    assert caught.value.path
    assert caught.value.hint
    assert text_of(location) == before


def test_an_entry_is_addressed_by_its_name(location: Location) -> None:
    write(location, STAMP + "[[plugins.entries]]\nname = 'a'\n[[plugins.entries]]\nname = 'b.c'\n")
    set_value(location, {}, 'plugins.entries."b.c".egress_hosts', "x.org")
    set_value(location, {}, 'plugins.entries."b.c".limits.max-memory-mb', "512")
    entries = config_of(location).plugins.entries
    assert [entry.egress_hosts for entry in entries] == [(), ("x.org",)]
    assert entries[1].limits == {"max_memory_mb": 512}


def test_a_secret_is_sealed_and_its_entry_made(location: Location) -> None:
    change = set_value(location, {}, f"plugins.entries.{KEY}.config.api-key", "hunter2")
    assert (change.value, change.secret, change.populated) == (None, True, True)
    assert "hunter2" not in text_of(location)
    stored = config_of(location).plugins.entries[0].config["api_key"]
    assert SecretBox(location).open(stored) == "hunter2"


def test_a_legacy_secret_is_sealed_anew_when_it_is_written(location: Location) -> None:
    write(location, f"[[plugins.entries]]\nname = '{KEY}'\nconfig = {{ k = 'enc:736a' }}\n")
    set_value(location, {}, "plugins.enabled", "true")
    assert "enc:736a" in text_of(location)
    set_value(location, {}, f"plugins.entries.{KEY}.config.k", "new")
    assert config_of(location).plugins.entries[0].config["k"].startswith("enc2:")


@pytest.mark.parametrize(
    ("text", "env"), [("[secrets]\nencrypt = false\n", {}), ("", {"ZEROCLAW_secrets__encrypt": "false"})]
)
def test_without_encryption_a_secret_is_stored_plain(location: Location, text: str, env: dict[str, str]) -> None:
    write(location, text)
    set_value(location, env, f"plugins.entries.{KEY}.config.k", "hunter2")
    assert 'k = "hunter2"' in text_of(location)
    assert not (location.config_dir / ".secret_key").exists()
    assert "encrypt = false" in text_of(location) or env


def test_a_reference_is_stored_as_it_is(location: Location) -> None:
    set_value(location, {}, f"plugins.entries.{KEY}.config.k", "op://a/b/c")
    assert '"op://a/b/c"' in text_of(location)


def test_overrides_are_never_written(location: Location) -> None:
    env = {"ZEROCLAW_plugins__enabled": "true", "ZEROCLAW_plugins__limits__call_fuel": "5"}
    set_value(location, env, "plugins.max_plugins", "3")
    assert text_of(location) == STAMP + "\n[plugins]\nmax_plugins = 3\n"


def test_a_comment_is_written_replaced_and_removed(location: Location) -> None:
    write(location, STAMP)
    set_value(location, {}, "plugins.enabled", "true", comment="why\nand when")
    assert "# why\n# and when\nenabled = true\n" in text_of(location)
    set_value(location, {}, "plugins.enabled", "true", comment="")
    assert text_of(location) == STAMP + "\n[plugins]\nenabled = true\n"


def test_a_comment_on_a_default_says_that_it_is_not_kept(location: Location) -> None:
    change = set_value(location, {}, "plugins.enabled", "false", comment="why")
    assert "the comment is not kept" in change.warnings[0]
    assert text_of(location) == STAMP


def test_a_comment_with_control_characters_is_refused(location: Location) -> None:
    with pytest.raises(ValidationFailed, match="control characters"):
        set_value(location, {}, "plugins.enabled", "true", comment="a\x1b[31m")
    assert not location.config_file.exists()


@pytest.mark.parametrize("version", ["4", "2", "0", '"3"', "true", "1.0"])
def test_a_file_of_another_schema_is_not_changed(location: Location, version: str) -> None:
    before = f"schema_version = {version}\n"
    write(location, before)
    for change in (
        lambda: set_value(location, {}, "plugins.enabled", "true"),
        lambda: unset_value(location, {}, "plugins.enabled"),
        lambda: seed_entry(config_of(location), KEY, {}),
        lambda: editable_text(location, {}),
        lambda: replace_text(location, {}, before, before + "# x\n"),
    ):
        with pytest.raises(SchemaVersion) as caught:
            change()
        expected = "newer zeroclaw" if version == "4" else "config migrate"
        assert expected in (caught.value.hint or "")
    assert text_of(location) == before


def test_a_malformed_section_is_never_rewritten(location: Location) -> None:
    before = "[plugins.entries]\nx = 1\n"
    write(location, before)
    for change in (
        lambda: set_value(location, {}, "plugins.enabled", "true"),
        lambda: set_value(location, {}, "plugins.limits.call_fuel", "3"),
        lambda: unset_value(location, {}, "plugins.enabled"),
        lambda: seed_entry(config_of(location), KEY, {}),
        lambda: purge_entry(config_of(location), KEY, {}),
        lambda: set_string_list(config_of(location), "plugins.disabled", ["a"], {}),
    ):
        with pytest.raises(ConfigDamaged, match=r"line 1: plugins\.entries must be an array of tables"):
            change()
        assert text_of(location) == before
    set_value(location, {}, "memory.backend", "layers")
    assert text_of(location) == STAMP + "\n" + before + '\n[memory]\nbackend = "layers"\n'


def test_a_file_that_does_not_parse_is_not_changed(location: Location) -> None:
    write(location, "[plugins\n")
    with pytest.raises(ConfigDamaged):
        set_value(location, {}, "plugins.enabled", "true")
    assert text_of(location) == "[plugins\n"


def test_an_old_problem_does_not_forbid_another_change(location: Location) -> None:
    write(location, STAMP + "[plugins]\n[plugins.limits]\ncall_fuel = 0\nmax_instances = -1\n")
    set_value(location, {}, "plugins.enabled", "true")
    set_value(location, {}, "plugins.limits.call_fuel", "7")
    assert config_of(location).plugins.limits.call_fuel == 7


def test_removing_a_host_that_another_list_needs_is_refused(location: Location) -> None:
    before = "[[plugins.entries]]\nname = 'a'\negress_hosts = ['x.org']\negress_allow_private = ['x.org']\n"
    write(location, before)
    with pytest.raises(ValidationFailed, match="not granted by egress_hosts"):
        set_value(location, {}, "plugins.entries.a.egress_hosts", "y.org")
    with pytest.raises(ValidationFailed, match="not granted by egress_hosts"):
        unset_value(location, {}, "plugins.entries.a.egress_hosts")
    assert text_of(location) == before


def test_a_key_of_the_wrong_length_is_refused_but_not_held_against_another_change(location: Location) -> None:
    path = "plugins.security.trusted_publisher_keys"
    with pytest.raises(ValidationFailed, match="has 3 hex digits instead of 64"):
        set_value(location, {}, path, "abc")
    write(location, "schema_version = 3\n[plugins.security]\ntrusted_publisher_keys = ['abc']\n")
    set_value(location, {}, path, f"abc,{'ab' * 32}")
    assert config_of(location).plugins.security.trusted_publisher_keys == ("abc", "ab" * 32)


def test_a_rule_from_above_refuses_only_what_the_change_brings(location: Location) -> None:
    def rule(config: Config) -> Sequence[Problem]:
        return (
            [Problem("memory.backend", f"no {config.memory.backend}", "h")] if config.memory.backend == "layers" else []
        )

    with pytest.raises(ValidationFailed, match="no layers") as caught:
        set_value(location, {}, "memory.backend", "layers", rules=[rule])
    assert (caught.value.hint, caught.value.path) == ("h", "memory.backend")
    assert not location.config_file.exists()
    set_value(location, {}, "memory.backend", "layers")
    set_value(location, {}, "plugins.enabled", "true", rules=[rule])
    assert config_of(location).plugins.enabled


def test_unset_removes_a_value_or_a_named_table(location: Location) -> None:
    write(
        location,
        STAMP + "[plugins]\nenabled = true\n[[plugins.entries]]\nname = 'a'\n[plugins.entries.config]\nk = 'v'\n",
    )
    assert unset_value(location, {}, "plugins.enabled").value == "false"
    assert unset_value(location, {}, "plugins.entries.a").changed
    assert text_of(location) == STAMP + "[plugins]\n"
    assert not unset_value(location, {}, "plugins.entries.a").changed
    assert not unset_value(location, {}, f"plugins.entries.{KEY}.config.k").changed
    with pytest.raises(PathNotFound):
        unset_value(location, {}, "plugins.entries.a.config.k")


def test_the_last_key_of_a_layer_takes_its_table_with_it(location: Location) -> None:
    write(location, STAMP)
    set_value(location, {}, "memory.topology.layers.epi.enabled", "true")
    unset_value(location, {}, "memory.topology.layers.epi.enabled")
    assert text_of(location) == STAMP + "\n"


def test_seeding_appends_an_empty_entry_once(location: Location) -> None:
    write(location, STAMP + "[[plugins.entries]]\nname = 'a'\n\n# mine\n[x]\n")
    assert seed_entry(config_of(location), KEY, {})
    assert not seed_entry(config_of(location), KEY, {})
    assert text_of(location) == (
        STAMP + f"[[plugins.entries]]\nname = 'a'\n\n[[plugins.entries]]\nname = \"{KEY}\"\n\n# mine\n[x]\n"
    )


def test_seeding_a_first_run_makes_the_file(location: Location) -> None:
    assert seed_entry(config_of(location), KEY, {})
    assert text_of(location) == f'schema_version = 3\n\n[[plugins.entries]]\nname = "{KEY}"\n'


def test_purging_removes_every_entry_of_the_name(location: Location) -> None:
    write(
        location,
        STAMP + "[[plugins.entries]]\nname = 'a'\n[plugins.entries.config]\nk = 'v'\n[[plugins.entries]]\nname = 'a'\n",
    )
    assert purge_entry(config_of(location), "a", {})
    assert text_of(location) == STAMP
    assert not purge_entry(config_of(location), "a", {})


def test_a_list_of_strings_is_set_and_emptied(location: Location) -> None:
    set_string_list(config_of(location), "plugins.disabled", ["a", "b"], {})
    assert config_of(location).plugins.disabled == ("a", "b")
    set_string_list(config_of(location), "plugins.disabled", [], {})
    assert "disabled" not in text_of(location)


def test_a_symlinked_config_stays_a_symlink(location: Location, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "zeroclaw.toml"
    real.parent.mkdir()
    real.write_text(STAMP)
    location.config_dir.mkdir()
    location.config_file.symlink_to(real)
    set_value(location, {}, "plugins.enabled", "true")
    assert location.config_file.is_symlink()
    assert "enabled = true" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert [child.name for child in real.parent.iterdir()] == ["zeroclaw.toml"]


def test_a_dangling_symlink_is_refused_and_its_target_is_not_made(location: Location, tmp_path: Path) -> None:
    location.config_dir.mkdir()
    location.config_file.symlink_to(tmp_path / "real.toml")
    with pytest.raises(ConfigDamaged, match="which is not there"):
        set_value(location, {}, "plugins.enabled", "true")
    assert location.config_file.is_symlink()
    assert not (tmp_path / "real.toml").exists()


def test_the_mode_is_tightened(location: Location) -> None:
    write(location, STAMP)
    location.config_file.chmod(0o644)
    set_value(location, {}, "plugins.enabled", "true")
    assert stat.S_IMODE(location.config_file.stat().st_mode) == 0o600


def test_a_failed_write_leaves_the_old_file_and_no_litter(location: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    write(location, STAMP)

    def fail(*_: Any, **__: Any) -> None:
        assert (location.config_dir / "config.toml.bak").read_text() == STAMP
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "atomic_write", fail)
    with pytest.raises(OSError, match="No space"):
        set_value(location, {}, "plugins.enabled", "true")
    assert text_of(location) == STAMP
    assert {child.name for child in location.config_dir.iterdir()} <= {"config.toml", ".config.toml.lock"}


def test_a_backup_that_the_user_keeps_is_left_alone(location: Location) -> None:
    write(location, STAMP)
    (location.config_dir / "config.toml.bak").write_text("mine")
    set_value(location, {}, "plugins.enabled", "true")
    assert (location.config_dir / "config.toml.bak").read_text() == "mine"


def test_what_a_killed_process_left_is_cleared(location: Location) -> None:
    write(location, STAMP)
    (location.config_dir / ".config.toml.123-abcdef00.tmp").write_text("half")
    set_value(location, {}, "plugins.enabled", "true")
    assert {child.name for child in location.config_dir.iterdir()} <= {"config.toml", ".config.toml.lock"}


def test_a_file_that_another_program_changes_meanwhile_is_not_overwritten(location: Location) -> None:
    write(location, STAMP)

    def interfere(_config: Config) -> list[Problem]:
        write(location, "# theirs\n")
        return []

    with pytest.raises(ConfigError, match="changed by another program meanwhile"):
        set_value(location, {}, "plugins.enabled", "true", rules=[interfere])
    assert text_of(location) == "# theirs\n"


def test_a_lock_that_stays_taken_is_an_error(location: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LOCK_TIMEOUT_S", 0.1)
    with store.locked(location), pytest.raises(ConfigError, match="another command has been changing"):
        set_value(location, {}, "plugins.enabled", "true")


def _set(arguments: tuple[str, int]) -> None:
    directory, number = arguments
    set_value(
        Location(Path(directory), Path(directory) / "data", "test"), {}, f"memory.providers.p.k{number}", str(number)
    )


def test_processes_that_change_the_file_together_lose_nothing(location: Location) -> None:
    with get_context("spawn").Pool(4) as pool:
        pool.map(_set, [(str(location.config_dir), number) for number in range(24)], chunksize=1)
    assert config_of(location).memory.providers == {"p": {f"k{number}": number for number in range(24)}}


def test_a_whole_text_is_replaced(location: Location) -> None:
    write(location, STAMP)
    assert replace_text(location, {}, STAMP, STAMP + "[plugins]\nenabled = true\n") == (True, ())
    assert config_of(location).plugins.enabled
    before = text_of(location)
    assert replace_text(location, {}, before, before) == (False, ())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[plugins\n", ConfigDamaged),
        ("[plugins]\nenabled = 3\n", ValidationFailed),
        ("[plugins.limits]\ncall_fuel = 0\n", ValidationFailed),
        ("[[plugins.entries]]\nname = ' '\n", ValidationFailed),
        ("schema_version = 4\n", SchemaVersion),
    ],
)
def test_a_whole_text_that_is_not_valid_is_refused(location: Location, text: str, error: type[ZeroclawError]) -> None:
    write(location, STAMP)
    with pytest.raises(error):
        replace_text(location, {}, STAMP, text)
    assert text_of(location) == STAMP


def test_a_damaged_file_can_be_repaired_as_a_whole(location: Location) -> None:
    write(location, "[plugins\n")
    assert editable_text(location, {}) == "[plugins\n"
    assert replace_text(location, {}, "[plugins\n", "[plugins]\n")[0]
    assert text_of(location) == "schema_version = 3\n\n[plugins]\n"


def test_a_text_that_was_changed_meanwhile_is_not_overwritten(location: Location) -> None:
    write(location, STAMP + "# theirs\n")
    with pytest.raises(ConfigError, match="changed by another program"):
        replace_text(location, {}, STAMP, STAMP + "# mine\n")
    assert text_of(location) == STAMP + "# theirs\n"


CHANGES = st.sampled_from(
    [
        ("plugins.enabled", "true"),
        ("plugins.enabled", "false"),
        ("plugins.limits.call_fuel", "77"),
        ("plugins.security.signature_mode", "strict"),
        ("memory.backend", "layers"),
        ("memory.providers.p.port", "8080"),
        ("channels.plugin.ops.package", "chat"),
    ]
)


@given(documents(), st.lists(CHANGES, min_size=1, max_size=5))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_history_of_changes_only_inserts_beside_the_keys_that_it_names(
    tmp_path: Path, text: str, changes: list[tuple[str, str]]
) -> None:
    location = Location(tmp_path / os.urandom(8).hex(), tmp_path / "data", "test")
    write(location, text)
    done = {}
    for path, value in changes:
        try:
            set_value(location, {}, path, value)
        except ConfigError as error:
            assert error.hint
        except ConfigDamaged as error:
            assert "must be" in error.message or "has no name" in error.message
        else:
            done[path] = value
    assume(done)
    config = load(str(location.config_dir), {})
    for path, value in done.items():
        shown = config.values.get(tuple(path.split(".")), False)
        assert (str(shown).lower() if isinstance(shown, bool) else str(shown)) == value
    # Only a line that holds a changed key may lose a character.
    words = ("enabled", "call_fuel", "backend")
    kept = [line for line in text.splitlines(keepends=True) if not any(word in line for word in words)]
    left = iter(text_of(location))
    assert all(char in left for char in "".join(kept))
    assert text_of(location).startswith("\ufeff") == text.startswith("\ufeff")
