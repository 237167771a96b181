from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import Config, Location
from zeroclaw_cli.config.patch import PatchResult, apply_patch, read_operations
from zeroclaw_cli.config.secrets import SecretBox
from zeroclaw_cli.errors import (
    ConfigDamaged,
    ConfigError,
    PathNotFound,
    UsageError,
    ValidationFailed,
    ValueTypeMismatch,
)

KEY = "zpi1_WyJteS1wbHVnaW4iLCJ0b29sIiwibXktcGx1Z2luIl0"


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location(tmp_path, tmp_path / "data", "test")


def op(verb: str, path: str, *value: Any) -> dict[str, Any]:
    return {"op": verb, "path": path, **({"value": value[0]} if value else {})}


def patch(location: Location, *operations: dict[str, Any]) -> PatchResult:
    return apply_patch(location, {}, read_operations(json.dumps(operations)))


def config_of(location: Location) -> Config:
    return load(str(location.config_dir), {})


def test_add_and_replace_set_typed_values(location: Location) -> None:
    result = patch(
        location,
        op("replace", "/plugins/enabled", True),
        op("add", "/plugins/limits/call_fuel", 5),
        op("add", "/plugins/disabled", ["a"]),
        op("replace", "/memory/providers_host/prefetch_timeout_s", 2),
        op("add", "/channels/plugin/ops", {"package": "chat", "enabled": True}),
        op("add", "/memory/providers/local/options", {"a": 1, "b": None}),
    )
    config = config_of(location)
    assert (config.plugins.enabled, config.plugins.limits.call_fuel, config.plugins.disabled) == (True, 5, ("a",))
    assert config.memory.providers_host.prefetch_timeout_s == 2.0
    assert config.channels[0].package == "chat"
    assert config.memory.providers == {"local": {"options": {"a": 1}}}
    assert (result.applied, result.changed) == (6, True)
    assert result.paths[:2] == ("plugins.enabled", "plugins.limits.call_fuel")


def test_operations_see_those_before_them(location: Location) -> None:
    patch(
        location,
        op("add", "/plugins/disabled/-", "b"),
        op("add", "/plugins/disabled/0", "a"),
        op("test", "/plugins/disabled", ["a", "b"]),
        op("test", "/plugins/disabled/1", "b"),
        op("replace", "/plugins/disabled/1", "c"),
        op("remove", "/plugins/disabled/0"),
        op("replace", "/plugins/enabled", True),
        op("test", "/plugins/enabled", True),
    )
    assert config_of(location).plugins.disabled == ("c",)


def test_an_entry_is_added_whole_and_its_values_are_sealed(location: Location) -> None:
    entry = {"name": KEY, "config": {"token": "hunter2"}, "egress_hosts": ["x.org"], "limits": {"max_memory_mb": 9}}
    patch(location, op("add", "/plugins/entries/-", entry))
    (found,) = config_of(location).plugins.entries
    assert (found.name, found.egress_hosts, found.limits) == (KEY, ("x.org",), {"max_memory_mb": 9})
    assert SecretBox(location).open(found.config["token"]) == "hunter2"
    patch(location, op("remove", f"/plugins/entries/{KEY}/config/token"))
    assert config_of(location).plugins.entries[0].config == {}
    patch(location, op("remove", f"/plugins/entries/{KEY}"))
    assert config_of(location).plugins.entries == ()


def test_a_pointer_unescapes_its_names(location: Location) -> None:
    (location.config_file).write_text("[[plugins.entries]]\nname = 'a/b~c'\n")
    patch(location, op("add", "/plugins/entries/a~1b~0c/egress_hosts", ["x.org"]))
    assert config_of(location).plugins.entries[0].egress_hosts == ("x.org",)


def test_a_named_table_is_removed_whole(location: Location) -> None:
    patch(location, op("add", "/channels/plugin/ops/package", "chat"), op("add", "/memory/providers/p/k", 1))
    patch(location, op("replace", "/channels/plugin/ops/enabled", True), op("replace", "/memory/providers/p/k", 2))
    assert config_of(location).memory.providers == {"p": {"k": 2}}
    patch(location, op("remove", "/channels/plugin/ops"), op("remove", "/memory/providers/p"))
    assert (config_of(location).channels, config_of(location).memory.providers) == ((), {})


def test_numbers_are_tested_by_value(location: Location) -> None:
    patch(
        location,
        op("test", "/plugins/max_plugins", 50.0),
        op("test", "/memory/providers_host/prefetch_timeout_s", 8),
        op("add", "/memory/providers/p/k", 1.0),
        op("test", "/memory/providers/p/k", 1),
    )


def test_remove_restores_the_default(location: Location) -> None:
    patch(location, op("add", "/plugins/enabled", True))
    patch(location, op("remove", "/plugins/enabled"))
    assert not config_of(location).plugins.enabled
    patch(location, op("add", "/memory/native/curation_interval_turns", 3))
    patch(location, op("replace", "/memory/native/curation_interval_turns", None))
    assert config_of(location).memory.native.curation_interval_turns is None


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (op("replace", "/plugins/enabled", "true"), ValueTypeMismatch),
        (op("replace", "/plugins/enabled", None), ValueTypeMismatch),
        (op("replace", "/plugins/max_plugins", True), ValueTypeMismatch),
        (op("replace", "/plugins/limits/call_fuel", 0), ValidationFailed),
        (op("replace", "/plugins/limits", {"call_fuel": 0}), ValidationFailed),
        (op("replace", "/plugins/limits", {"unknown": 1}), PathNotFound),
        (op("replace", "/plugins/limits", 3), PathNotFound),
        (op("add", "/plugins/nothing", 1), PathNotFound),
        (op("add", "/autonomy/level", 1), PathNotFound),
        (op("add", "/schema_version", 3), ValidationFailed),
        (op("replace", "/memory/backend", "qdrant"), ValidationFailed),
        (op("replace", "/plugins/plugins_dir", "p"), ValidationFailed),
        (op("add", "/plugins/entries/-", {"config": {}}), ValueTypeMismatch),
        (op("add", "/plugins/entries/-", {"name": "mine"}), PathNotFound),
        (op("add", f"/plugins/entries/{KEY}", {"name": "other"}), ValidationFailed),
        (op("add", f"/plugins/entries/{KEY}/config/k", 3), ValueTypeMismatch),
        (op("add", f"/plugins/entries/{KEY}/config/k", ""), ValidationFailed),
        (op("remove", "/plugins/entries/nobody"), PathNotFound),
        (op("remove", "/memory/providers/x/y"), PathNotFound),
        (op("remove", "/plugins/disabled/0"), PathNotFound),
        (op("replace", "/plugins/disabled/-", "a"), PathNotFound),
        (op("add", "/plugins/disabled/01", "a"), PathNotFound),
        (op("add", "/plugins/disabled/-", 1), ValueTypeMismatch),
        (op("test", "/plugins/enabled", True), ValidationFailed),
        (op("test", "/plugins/enabled", 0), ValidationFailed),
        (op("test", "/plugins/max_plugins", 51.0), ValidationFailed),
        (op("replace", f"/plugins/entries/{KEY}/config/k", "x"), PathNotFound),
        (op("replace", "/channels/plugin/ops/package", "chat"), PathNotFound),
        (op("replace", "/channels/plugin/ops/enabled", True), PathNotFound),
        (op("remove", "/channels/plugin/ops"), PathNotFound),
        (op("remove", "/memory/topology/layers/l"), PathNotFound),
        (op("add", "/plugins/plugins_dir", "/tmp/\0"), ValidationFailed),
        (op("test", "/plugins/disabled", ["x"]), ValidationFailed),
        (op("test", f"/plugins/entries/{KEY}/config/k", "x"), ValidationFailed),
    ],
)
def test_one_bad_operation_refuses_all_of_them(
    location: Location, operation: dict[str, Any], error: type[ConfigError]
) -> None:
    location.config_file.write_text("# mine\n")
    with pytest.raises(error) as caught:
        patch(location, op("replace", "/plugins/auto_discover", True), operation)
    assert caught.value.path
    assert caught.value.hint
    assert location.config_file.read_text() == "# mine\n"


def test_a_malformed_section_is_not_patched(location: Location) -> None:
    location.config_file.write_text("[plugins]\nenabled = 3\n")
    for operation in (
        op("replace", "/plugins/auto_discover", True),
        op("add", "/plugins/entries/-", {"name": KEY}),
        op("remove", f"/plugins/entries/{KEY}"),
        op("add", "/plugins/disabled/-", "a"),
    ):
        with pytest.raises(ConfigDamaged, match=r"plugins\.enabled must be"):
            patch(location, operation)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("{}", "not an array"),
        ("[" * 100_000, "nests too deeply"),
        ("[3]", "operation 1 has no op"),
        ('[{"op": "move", "from": "/a", "path": "/b"}]', "has the op 'move'"),
        ('[{"op": "copy", "from": "/a", "path": "/b"}]', "has the op 'copy'"),
        ('[{"op": "add", "value": 1}]', "has no path"),
        ('[{"op": "add", "path": "plugins.enabled", "value": 1}]', "has no path"),
        ('[{"op": "add", "path": "/plugins/enabled"}]', "has no value"),
        ('[{"op": "add", "path": "/memory/providers/p/\\ud800", "value": 1}]', "not Unicode"),
    ],
)
def test_what_is_no_patch_is_an_error_of_the_command_line(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        read_operations(text)
    assert caught.value.hint


def test_an_empty_patch_changes_nothing(location: Location) -> None:
    location.config_file.write_text("# mine\n")
    assert patch(location) == PatchResult(0, (), False, ())
    assert location.config_file.read_text() == "# mine\n"
