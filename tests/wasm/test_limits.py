from __future__ import annotations

from pathlib import Path

from tests.wasm.helpers import config
from zeroclaw_cli.config.model import Limits, PluginEntry
from zeroclaw_cli.plugins.instance_key import instance_key
from zeroclaw_cli.wasm.limits import larger, plugin_limits

KEY = instance_key("guest", "memory", "guest")


def test_the_plugins_own_limits_override_single_values(tmp_path: Path) -> None:
    entry = PluginEntry(KEY, limits={"call_fuel": 7, "unheard_of": 1})
    found = plugin_limits(config(tmp_path, entries=(entry,), max_memory_mb=9), "guest")
    assert found.limits == Limits(call_fuel=7, max_memory_mb=9)
    assert found.path("call_fuel") == f"plugins.entries.{KEY}.limits.call_fuel"
    assert found.path("max_memory_mb") == "plugins.limits.max_memory_mb"


def test_an_entry_of_another_instance_or_of_the_bare_name_does_not_count(tmp_path: Path) -> None:
    entries = (
        PluginEntry("guest", limits={"call_fuel": 7}),
        PluginEntry(instance_key("guest", "tool", "guest"), limits={"call_fuel": 7}),
    )
    assert plugin_limits(config(tmp_path, entries=entries), "guest").limits == Limits()


def test_the_larger_of_two_limits_is_taken_field_by_field() -> None:
    assert larger(Limits(call_fuel=1, max_memory_mb=512), Limits()) == Limits(max_memory_mb=512)
