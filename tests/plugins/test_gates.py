from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.packages import config_in, manifest_text
from zeroclaw_cli.config.model import ChannelPlugin, Config, MemoryConfig
from zeroclaw_cli.plugins import gates
from zeroclaw_cli.plugins.manifest import parse_manifest
from zeroclaw_cli.plugins.model import Manifest, PluginCapability


def manifest(*capabilities: str) -> Manifest:
    text = manifest_text("p", capabilities=list(capabilities))
    return parse_manifest(text.encode(), source=Path("manifest.toml"))


def config(tmp_path: Path, *, backend: str = "", channels: tuple[ChannelPlugin, ...] = (), **plugins: Any) -> Config:
    found = config_in(tmp_path, **plugins)
    return replace(found, memory=MemoryConfig(backend=backend), channels=channels)


@pytest.mark.parametrize("capability", ["tool", "skill"])
@pytest.mark.parametrize(
    ("enabled", "auto_discover", "active", "missing"),
    [
        (False, False, False, ["plugins.enabled", "plugins.auto_discover"]),
        (False, True, False, ["plugins.enabled"]),
        (True, False, False, ["plugins.auto_discover"]),
        (True, True, True, []),
    ],
)
def test_tools_and_skills_need_both_switches(
    tmp_path: Path, capability: str, enabled: bool, auto_discover: bool, active: bool, missing: list[str]
) -> None:
    (gate,) = gates.activity(config(tmp_path, enabled=enabled, auto_discover=auto_discover), manifest(capability))
    assert gate.active is active
    assert (gate.reason is None) is active
    for flag in ("plugins.enabled", "plugins.auto_discover"):
        assert (f"zeroclaw config set {flag} true" in (gate.reason or "")) == (flag in missing)


def test_a_channel_needs_a_declaration_that_is_enabled_and_no_auto_discovery(tmp_path: Path) -> None:
    channel = manifest("channel")
    (gate,) = gates.activity(config(tmp_path, enabled=True), channel)
    assert "channels.plugin.ALIAS.package p" in (gate.reason or "")
    declared = (ChannelPlugin("ops", "p", False), ChannelPlugin("other", "q", True))
    (gate,) = gates.activity(config(tmp_path, enabled=True, channels=declared), channel)
    assert "zeroclaw config set channels.plugin.ops.enabled true" in (gate.reason or "")
    (gate,) = gates.activity(config(tmp_path, enabled=True, channels=(ChannelPlugin("ops", "p", True),)), channel)
    assert gate == gates.Activity(PluginCapability.CHANNEL, True, None)


def test_memory_needs_to_be_the_backend_and_no_auto_discovery(tmp_path: Path) -> None:
    memory = manifest("memory")
    (gate,) = gates.activity(config(tmp_path, enabled=True, backend="native"), memory)
    assert gate.reason == "memory.backend is native: zeroclaw config set memory.backend plugin.p"
    (gate,) = gates.activity(config(tmp_path, enabled=True, backend="plugin.p"), memory)
    assert gate.active


def test_the_kind_of_a_backend_is_compared_in_lower_case_and_the_package_as_written(tmp_path: Path) -> None:
    assert gates.selected_backend(config(tmp_path, backend="PLUGIN.a.b")) == "a.b"
    assert gates.selected_backend(config(tmp_path, backend="plugin.P")) == "P"
    assert gates.selected_backend(config(tmp_path, backend="native")) is None


def test_observers_are_never_active(tmp_path: Path) -> None:
    (gate,) = gates.activity(config(tmp_path, enabled=True, auto_discover=True), manifest("observer"))
    assert not gate.active
    assert gate.reason == "no host runs observers"


def test_a_disabled_package_names_the_command_that_enables_it(tmp_path: Path) -> None:
    (gate,) = gates.activity(config(tmp_path, enabled=True, auto_discover=True, disabled=("p",)), manifest("tool"))
    assert gate.reason == "p is disabled: zeroclaw plugin enable p"


def test_a_malformed_section_is_named_as_the_reason(tmp_path: Path) -> None:
    (gate,) = gates.activity(config(tmp_path, malformed="entries is a table"), manifest("tool"))
    assert "malformed" in (gate.reason or "")


def test_each_distinct_capability_is_judged_once_in_the_order_of_the_manifest(tmp_path: Path) -> None:
    found = gates.activity(config(tmp_path), manifest("memory", "tool", "memory"))
    assert [gate.capability for gate in found] == [PluginCapability.MEMORY, PluginCapability.TOOL]


def test_the_remedies_are_the_commands_of_all_obstacles_each_once(tmp_path: Path) -> None:
    assert gates.remedies(config(tmp_path), manifest("memory", "tool")) == (
        "zeroclaw config set plugins.enabled true",
        "zeroclaw config set memory.backend plugin.p",
        "zeroclaw config set plugins.auto_discover true",
    )
