from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli

from zeroclaw_cli.config import model
from zeroclaw_cli.config.json_schema import json_schema
from zeroclaw_cli.config.listing import get_item, list_items
from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.schema import FIELDS, LIMITS, TABLES, Field, complete_paths, find, is_wildcard, table_of
from zeroclaw_cli.config.values import from_json, out_of_range
from zeroclaw_cli.errors import ConfigError, PathNotFound

KEY = "zpi1_WyJteS1wbHVnaW4iLCJ0b29sIiwibXktcGx1Z2luIl0"


def default(name: str) -> Any:
    found = find(tuple(name.split(".")))
    assert isinstance(found, Field)
    return found.default


def test_every_field_has_a_help_and_a_table() -> None:
    for field in FIELDS:
        assert field.help.endswith((".", "/", "unset."))
        assert field.path == ("schema_version",) or table_of(field) in TABLES or is_wildcard(field.path[-1])


def test_every_default_is_in_its_own_range() -> None:
    for field in FIELDS:
        assert field.default is None or out_of_range(field, field.default) is None


@pytest.mark.parametrize(
    ("words", "enum"),
    [
        ("plugins.security.signature_mode", model.SignatureMode),
        ("memory.plugin.durability", model.Durability),
        ("memory.native.mirror", model.Mirror),
    ],
)
def test_the_words_of_a_field_are_those_of_the_model(words: str, enum: Any) -> None:
    field = find(tuple(words.split(".")))
    assert isinstance(field, Field)
    assert field.words == tuple(enum)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("plugins.limits", model.Limits),
        ("memory.native", model.NativeSettings),
        ("memory.providers_host", model.ProvidersHost),
        ("memory.kernel", model.KernelSettings),
    ],
)
def test_the_defaults_of_the_table_are_those_of_the_model(table: str, kind: Any) -> None:
    instance = kind()
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields
    assert {name: getattr(instance, name) for name in names} == {
        field.path[-1]: field.default for field in FIELDS if ".".join(field.path[:-1]) == table
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("schema_version", 3),
        ("plugins.enabled", False),
        ("plugins.auto_discover", False),
        ("plugins.max_plugins", 50),
        ("plugins.security.signature_mode", "disabled"),
        ("plugins.security.trusted_publisher_keys", ()),
        ("plugins.limits.call_fuel", 1_000_000_000),
        ("plugins.limits.max_memory_mb", 256),
        ("plugins.limits.max_table_elements", 100_000),
        ("plugins.limits.max_instances", 64),
        ("plugins.limits.call_timeout_ms", 30_000),
        ("plugins.limits.max_connections_per_instance", 16),
        ("plugins.limits.max_data_mb", 64),
        ("plugins.limits.max_result_entries", 200_000),
        ("secrets.encrypt", True),
        ("memory.backend", "native"),
        ("memory.provider", ""),
        ("memory.plugin.durability", "journal"),
        ("memory.providers_host.prefetch_timeout_s", 8.0),
    ],
)
def test_the_defaults_are_the_promised_ones(name: str, value: Any) -> None:
    assert default(name) == value


def test_an_entry_may_override_every_limit() -> None:
    below = find(("plugins", "entries", "x", "limits"))
    assert isinstance(below, dict)
    assert list(below) == [limit.path[-1] for limit in LIMITS]


def test_the_json_schema_is_a_valid_draft_2020_12() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


GOOD = f"""schema_version = 3
[plugins]
enabled = true
[[plugins.entries]]
name = "{KEY}"
config = {{ k = "v" }}
limits = {{ call_fuel = 1 }}
[channels.plugin.ops]
package = "p"
[channels.telegram]
anything = 3
[memory.providers.x]
any = [1]
[memory.topology.layers.x.participation]
recall = "off"
[autonomy]
"""


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        (GOOD, True),
        ("[plugins]\nenabled = 1\n", False),
        ("[plugins.entries]\n", False),
        ("[[plugins.entries]]\n", False),
        ("[plugins.limits]\ncall_fuel = 0\n", False),
        ("[plugins.security]\nsignature_mode = 'x'\n", False),
        ("[memory.kernel]\nmax_views = 1\n", False),
        ("[channels.plugin]\nx = 1\n", False),
    ],
)
def test_the_json_schema_says_what_the_loader_says(text: str, valid: bool, tmp_path: Path) -> None:
    document = tomli.loads(text)
    assert jsonschema.Draft202012Validator(json_schema()).is_valid(document) is valid
    (tmp_path / "config.toml").write_text(text)
    assert (load(str(tmp_path), {}).warnings == ()) is valid


@pytest.mark.parametrize("value", [1, "x", True, None, [], ["a"], [1], {}, -1, 2**64, 1.5])
@pytest.mark.parametrize(
    "name", ["plugins.enabled", "plugins.limits.call_fuel", "plugins.disabled", "memory.native.mirror"]
)
def test_the_json_schema_of_a_field_agrees_with_its_validation(name: str, value: Any) -> None:
    field = find(tuple(name.split(".")))
    assert isinstance(field, Field)
    try:
        from_json(field, name, value)
        valid = True
    except ConfigError:
        valid = False
    assert jsonschema.Draft202012Validator(json_schema(name)).is_valid(value) is valid


def test_the_json_schema_of_a_part_and_of_nothing() -> None:
    assert json_schema("plugins.limits")["properties"]["call_fuel"]["maximum"] == 2**63 - 1
    assert json_schema("plugins.limits.call-fuel")["type"] == "integer"
    assert json_schema("plugins.entries.any.config")["additionalProperties"]["writeOnly"]
    with pytest.raises(PathNotFound) as caught:
        json_schema("plugins.limit")
    assert "plugins.limits" in (caught.value.hint or "")


@pytest.fixture
def config(tmp_path: Path) -> model.Config:
    (tmp_path / "config.toml").write_text(
        f'[[plugins.entries]]\nname = "{KEY}"\nconfig = {{ k = "v", e = "" }}\n[[plugins.entries]]\nname = "a.b"\n'
        "[channels.plugin.ops]\npackage = 'p'\n[plugins]\nmax_plugins = 3\n"
    )
    return load(str(tmp_path), {"ZEROCLAW_plugins__enabled": "true"})


def test_paths_are_completed_with_the_aliases_in_use(config: model.Config) -> None:
    assert complete_paths("plugins.en", config)[0] == "plugins.enabled"
    assert complete_paths("plugins.auto-d", config) == ["plugins.auto_discover"]
    assert f"plugins.entries.{KEY}.config.k" in complete_paths("plugins.entries.", config)
    assert 'plugins.entries."a.b".egress_hosts' in complete_paths("plugins.entries.", config)
    assert complete_paths("channels.", config) == ["channels.plugin.ops.enabled", "channels.plugin.ops.package"]
    assert complete_paths("nothing", config) == []
    assert not any(path.endswith((".name", "schema_version")) for path in complete_paths("", config))


def test_the_list_says_where_each_value_comes_from(config: model.Config) -> None:
    items = {item.path: item for item in list_items(config)}
    assert (items["plugins.enabled"].value, items["plugins.enabled"].source) == ("true", "env")
    assert items["plugins.enabled"].variable == "ZEROCLAW_plugins__enabled"
    assert (items["plugins.max_plugins"].value, items["plugins.max_plugins"].source) == ("3", "file")
    assert (items["plugins.limits.call_fuel"].default, items["plugins.limits.call_fuel"].source) == (
        "1000000000",
        "default",
    )
    assert items["plugins.plugins_dir"].value == str(config.location.config_dir / "plugins")


def test_a_secret_has_no_value_in_the_list(config: model.Config) -> None:
    secrets = list(list_items(config, secrets_only=True))
    assert [(item.path.rpartition(".")[2], item.value, item.populated, item.shown) for item in secrets] == [
        ("k", None, True, "****"),
        ("e", None, False, "<unset>"),
    ]


def test_the_list_is_cut_by_a_prefix(config: model.Config) -> None:
    assert {item.table for item in list_items(config, prefix="plugins.limits")} == {"plugins.limits"}
    assert [item.path for item in list_items(config, prefix="plugins.entries.a.b")] == [
        'plugins.entries."a.b".egress_hosts',
        'plugins.entries."a.b".egress_allow_private',
    ]


def test_one_item_is_found_by_its_path(config: model.Config) -> None:
    assert get_item(config, "plugins.max-plugins").value == "3"
    assert get_item(config, f"plugins.entries.{KEY}.limits.call_fuel").shown == "<unset>"
    assert get_item(config, 'plugins.entries."a.b".name').value == "a.b"


def test_completion_imports_next_to_nothing() -> None:
    program = (
        "import sys; before = set(sys.modules); import zeroclaw_cli.config.schema; print(*set(sys.modules) - before)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert {name.partition(".")[0] for name in loaded} & {
        "json",
        "re",
        "dataclasses",
        "tomli",
        "difflib",
        "inspect",
    } <= {"re"}
