from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.packages import SEED, SKILL_TEXT, config_in, with_mode, write_package
from zeroclaw_cli.config.model import ChannelPlugin, PluginEntry, SignatureMode
from zeroclaw_cli.plugins import discovery
from zeroclaw_cli.plugins.bindings import config_keys, entries_of, legacy_entry_warning, seeded_key
from zeroclaw_cli.plugins.describe import plugin_json
from zeroclaw_cli.plugins.instance_key import instance_key
from zeroclaw_cli.plugins.publisher_keys import public_key_hex

SCHEMA = {"type": "object", "additionalProperties": False, "properties": {}}


def test_the_reasons_of_several_capabilities_are_told_once_each(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    write_package(config.plugins.plugins_dir / "p", "p", capabilities=["memory", "tool"])
    body = plugin_json(config, discovery.discover(config).find("p"))
    assert body["inactive_reason"] == (
        "plugins.enabled is false: zeroclaw config set plugins.enabled true; "
        "memory.backend is native: zeroclaw config set memory.backend plugin.p; "
        "plugins.auto_discover is false: zeroclaw config set plugins.auto_discover true"
    )


def test_one_active_capability_makes_the_package_active(tmp_path: Path) -> None:
    config = config_in(tmp_path, enabled=True, auto_discover=True)
    write_package(config.plugins.plugins_dir / "p", "p", capabilities=["observer", "tool"])
    body = plugin_json(config, discovery.discover(config).find("p"))
    assert (body["active"], body["inactive_reason"]) == (True, None)
    assert [gate["active"] for gate in body["activity"]] == [False, True]


def test_paths_are_absolute_and_a_skill_package_has_no_wasm_path(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    skills = {"a/SKILL.md": SKILL_TEXT}
    write_package(config.plugins.plugins_dir / "d", "p", wasm_path=None, capabilities=["skill"], skills=skills)
    body = plugin_json(config, discovery.discover(config).find("p"))
    assert body["directory"] == str(config.plugins.plugins_dir / "d")
    assert (body["wasm_path"], body["sha256"]["component"]) == (None, None)


def test_the_publisher_is_shown_in_every_mode_as_the_manifest_writes_it(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    write_package(config.plugins.plugins_dir / "p", "p", signed_by=SEED)
    key = public_key_hex(SEED)
    for mode, state in ((SignatureMode.DISABLED, "unchecked"), (SignatureMode.STRICT, "valid")):
        changed = with_mode(config, mode, key)
        signature = plugin_json(changed, discovery.discover(changed).find("p"))["signature"]
        assert signature == {"state": state, "publisher_key": key, "covers_component": False}


def test_config_keys_are_those_of_the_tool_and_of_declared_channels_and_need_a_schema(tmp_path: Path) -> None:
    config = replace(config_in(tmp_path), channels=(ChannelPlugin("ops", "p", True), ChannelPlugin("x", "q", True)))
    folder = config.plugins.plugins_dir / "p"
    write_package(folder, "p", capabilities=["channel", "tool"])
    manifest = discovery.discover(config).find("p").manifest
    assert (config_keys(config, manifest), seeded_key(manifest)) == ((), None)
    write_package(folder, "p", capabilities=["channel", "tool"], permissions=["config_read"], config_schema=SCHEMA)
    manifest = discovery.discover(config).find("p").manifest
    assert [(key.capability, key.key) for key in config_keys(config, manifest)] == [
        ("tool", instance_key("p", "tool", "p")),
        ("channel", instance_key("p", "channel", "ops")),
    ]
    write_package(folder, "p", capabilities=["channel"], permissions=["config_read"], config_schema=SCHEMA)
    assert seeded_key(discovery.discover(config).find("p").manifest) is None


def test_the_key_of_a_memory_is_there_with_and_without_a_schema(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    folder = config.plugins.plugins_dir / "p"
    key = ("memory", instance_key("p", "memory", "p"))
    write_package(folder, "p", capabilities=["memory"])
    manifest = discovery.discover(config).find("p").manifest
    assert [(found.capability, found.key) for found in config_keys(config, manifest)] == [key]
    assert seeded_key(manifest) is None
    words = ["memory", "tool"]
    write_package(folder, "p", capabilities=words, permissions=["config_read"], config_schema=SCHEMA)
    manifest = discovery.discover(config).find("p").manifest
    assert [(found.capability, found.key) for found in config_keys(config, manifest)] == [
        ("tool", instance_key("p", "tool", "p")),
        key,
    ]


def test_the_entries_of_a_package_are_its_keys_of_any_binding_and_the_legacy_name(tmp_path: Path) -> None:
    names = (instance_key("p", "tool", "p"), instance_key("p", "channel", "ops"), instance_key("q", "tool", "q"), "p")
    config = config_in(tmp_path, entries=tuple(PluginEntry(name) for name in names))
    assert entries_of(config, "p") == (names[0], names[1], "p")


def test_an_entry_named_by_the_package_is_told_with_the_keys_in_its_place(tmp_path: Path) -> None:
    config = config_in(tmp_path, entries=(PluginEntry("p.q"), PluginEntry("other")))
    folder = config.plugins.plugins_dir

    def warning(name: str, *capabilities: str, channels: tuple[ChannelPlugin, ...] = ()) -> str | None:
        write_package(folder / "d", name, capabilities=list(capabilities))
        inventory = discovery.discover(config)
        return legacy_entry_warning(replace(config, channels=channels), inventory.find(name).manifest)

    start = 'plugins.entries."p.q" bears the name of the package and is not consulted: '
    keys = [instance_key("p.q", word, "p.q") for word in ("memory", "tool")]
    assert warning("p.q", "memory", "tool", "memory") == (
        f"{start}rename it to plugins.entries.{keys[0]} or plugins.entries.{keys[1]} with `zeroclaw config edit`"
    )
    channels = (ChannelPlugin("ops", "p.q", False), ChannelPlugin("x", "other", True))
    assert warning("p.q", "channel", channels=channels) == (
        f"{start}rename it to plugins.entries.{instance_key('p.q', 'channel', 'ops')} with `zeroclaw config edit`"
    )
    assert warning("p.q", "channel") == (
        f"{start}its new name is told here when a channel has channels.plugin.ALIAS.package = p.q"
    )
    quoted = "'plugins.entries.\"p.q\"'"
    assert warning("p.q", "observer") == (
        f"{start}nothing reads values of p.q; `zeroclaw config unset {quoted}` removes it"
    )
    assert warning("p", "tool") is None
