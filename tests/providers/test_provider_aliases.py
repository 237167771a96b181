"""The names that plugins import the host by (specs/memory-providers.md P-01, P-02), and what `register` is given."""

from __future__ import annotations

import json
import logging
import sqlite3
import stat
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import zeroclaw_cli.providers.base as base
from tests.support.provider_plugins import PROVIDER, REGISTER, install
from zeroclaw_cli.config.load import load as load_our_config
from zeroclaw_cli.errors import ConfigError, ProviderBroken
from zeroclaw_cli.providers import aliases
from zeroclaw_cli.providers.hermes import config, files, registry
from zeroclaw_cli.providers.home import get_vibeos_home, using_home
from zeroclaw_cli.providers.loading import load
from zeroclaw_cli.providers.registration import RegistrationContext, registered


@pytest.fixture(autouse=True)
def _names() -> Iterator[None]:
    aliases.remove()
    yield
    aliases.remove()


def test_p01_the_names_are_our_own_modules_and_the_same_class() -> None:
    aliases.install(hermes_compat=False)
    provider, manager = import_module("agent.memory_provider"), import_module("agent.memory_manager")
    assert provider.MemoryProvider is base.MemoryProvider
    assert manager is import_module("zeroclaw_cli.providers.manager")
    assert sys.modules["agent"].memory_provider is base
    assert import_module("vibeos_constants").get_vibeos_home is get_vibeos_home
    assert base.__name__ == "zeroclaw_cli.providers.base"
    with pytest.raises(ModuleNotFoundError):
        import_module("agent.something_else")
    with pytest.raises(ModuleNotFoundError):
        import_module("hermes_constants")


def test_p01_they_are_no_packages_of_this_distribution() -> None:
    from importlib.metadata import files

    tops = {str(file).split("/")[0].removesuffix(".py") for file in files("zeroclaw-cli") or []}
    assert not tops & {name.split(".")[0] for name in aliases.HOST_NAMES | aliases.HERMES_NAMES}


def test_p01_a_name_that_a_foreign_package_has_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = ModuleType("agent")
    monkeypatch.setitem(sys.modules, "agent", foreign)
    with pytest.raises(ProviderBroken, match="'agent', the name by which they import this program, is taken"):
        aliases.install(hermes_compat=False)
    assert sys.modules["agent"] is foreign
    assert "vibeos_constants" not in sys.modules


def test_p01_an_installed_package_claims_the_name_though_nobody_imported_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    aliases.install(hermes_compat=False)
    aliases.remove()
    (tmp_path / "agent" / "__init__.py").write_text("raise SystemExit\n")
    import_module("importlib").invalidate_caches()
    with pytest.raises(ProviderBroken, match="is taken: "):
        aliases.install(hermes_compat=False)
    assert "agent" not in sys.modules


def test_installing_twice_and_removing_leave_no_trace() -> None:
    before = set(sys.modules)
    aliases.install(hermes_compat=False)
    first = aliases.installed()
    aliases.install(hermes_compat=True)
    assert {name: aliases.installed()[name] for name in first} == first
    aliases.remove()
    assert not (set(sys.modules) - before) & (aliases.HOST_NAMES | aliases.HERMES_NAMES)


def test_p02_the_second_set_is_off_unless_it_is_asked_for(tmp_path: Path) -> None:
    init = (
        "from hermes_constants import get_hermes_home, display_hermes_home\nfrom tools.registry import tool_error\n"
        "from hermes_cli.config import cfg_get, load_config, save_config\nimport hermes_cli.config\n"
        "from hermes_state import apply_wal_with_fallback\nfrom utils import atomic_json_write\n"
        + PROVIDER.replace("NAME", "mem")
        + "    home = get_hermes_home()\n"
        + REGISTER
    )
    plugin = install(tmp_path, "mem", init)
    with pytest.raises(ProviderBroken, match="hermes_constants"):
        load(plugin, tmp_path)
    assert load(plugin, tmp_path, hermes_compat=True).home == tmp_path  # type: ignore[attr-defined]


def test_p02_a_claimed_name_of_the_second_set_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "utils", ModuleType("utils"))
    aliases.install(hermes_compat=False)
    with pytest.raises(ProviderBroken) as caught:
        aliases.install(hermes_compat=True)
    assert "memory.providers_host.hermes_compat to false" in (caught.value.hint or "")


def test_tool_error_is_json_and_keeps_what_is_given() -> None:
    assert json.loads(registry.tool_error("nö", code=3)) == {"error": "nö", "code": 3}
    assert "nö" in registry.tool_error("nö")


def test_cfg_get_walks_mappings() -> None:
    tree = {"a": {"b": {"c": 1}, "none": None, "text": "x"}}
    assert config.cfg_get(tree, "a", "b", "c") == 1
    assert config.cfg_get(tree, "a", "none", default=5) is None
    assert config.cfg_get(tree, "a", "text", "deeper", default=6) == 6
    assert config.cfg_get(None, "a") is None


def test_the_config_of_the_second_set_is_our_own_and_the_choice_is_not_the_plugins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ZEROCLAW_CONFIG_DIR", raising=False)
    file = tmp_path / "config.toml"
    file.write_text('# kept\n[memory]\nprovider = "mem"\n[memory.providers.mem]\nmin_trust = 0.5\nold = 1\n')
    with using_home(tmp_path):
        shown = config.load_config()
        assert shown == {"memory": {"provider": "mem", "mem": {"min_trust": 0.5, "old": 1}}}
        assert config.load_config_readonly() == shown
        shown["memory"]["mem"] |= {"min_trust": 0.7, "nested": {"a": [1]}, "old": None}
        shown["memory"]["provider"] = "other"
        shown["memory"]["Not A Name"] = {"x": 1}
        shown["model"] = "x"
        config.save_config(shown)
        before = file.read_bytes()
        config.save_config(config.load_config())
        assert file.read_bytes() == before
        with pytest.raises(ConfigError):
            config.save_config({"memory": {"mem": {"x": 2**70}}})
        config.save_config({"memory": {"mem": {"more": 1, "nested": {"b": 2}}}}, merge_existing=True)
        assert config.load_config()["memory"]["mem"]["nested"] == {"a": [1], "b": 2}
        config.save_config({"memory": {"mem": {"min_trust": 0.7, "nested": {"a": [1]}}}}, strip_defaults=False)
    memory = load_our_config(str(tmp_path), {}).memory
    assert memory.provider == "mem"
    assert memory.providers == {"mem": {"min_trust": 0.7, "nested": {"a": [1]}}}
    assert "# kept\n[memory]" in file.read_text()


def test_a_database_gets_a_write_ahead_journal_where_it_can(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as connection:
        assert files.apply_wal_with_fallback(connection, db_label="x") == "wal"
    connection.close()
    refusing = Refusing()
    assert files.apply_wal_with_fallback(refusing) == "delete"  # type: ignore[arg-type]


class Refusing:
    def execute(self, text: str) -> Any:
        if "WAL" in text:
            raise sqlite3.OperationalError("locking protocol")
        return SimpleNamespace(fetchone=lambda: ("DELETE",))


def test_json_is_written_whole_and_for_the_user_alone(tmp_path: Path) -> None:
    target = tmp_path / "new" / "x.json"
    files.atomic_json_write(str(target), {"ä": 1})
    assert json.loads(target.read_text("utf-8")) == {"ä": 1}
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(TypeError):
        files.atomic_json_write(target, object())
    target.chmod(0o640)
    files.atomic_json_write(target, {"ä": 1}, sort_keys=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    files.atomic_json_write(target, {"ä": 1}, mode=0o600)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert json.loads(target.read_text("utf-8")) == {"ä": 1}


def test_the_home_is_shown_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroclaw_cli.providers.home import display_home

    monkeypatch.setenv("HOME", str(tmp_path))
    with using_home(tmp_path / ".zeroclaw"):
        assert display_home() == "~/.zeroclaw"
    with using_home(Path("/elsewhere")):
        assert display_home() == "/elsewhere"


def test_p21_the_context_takes_every_registration_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    context = RegistrationContext("mem", "/home")
    assert (context.name, context.vibeos_home) == ("mem", "/home")
    assert registered(context) == (False, None)
    for method in ("register_tool", "register_hook", "register_cli_command"):
        assert getattr(context, method)("x", y=1) is None
    with caplog.at_level(logging.DEBUG):
        assert context.register_dashboard_panel(1, two=2) is None
    assert "register_dashboard_panel" in caplog.text
    with pytest.raises(AttributeError):
        _ = context.config
    with pytest.raises(AttributeError):
        context.name = "other"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        context.anything = 1  # type: ignore[attr-defined]
    context.register_memory_provider("first")
    context.register_memory_provider("last")
    assert registered(context) == (True, "last")
