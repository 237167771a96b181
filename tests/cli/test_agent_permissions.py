"""What only a person decides: every setting and every command says so, and no way around it is left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.support.command import Home
from tests.support.guests import package
from tests.support.packages import write_package

AGENT = {"ZEROCLAW_AGENT": "1"}

# The settings that an agent may change, each with a value that is not its default; every other one is a person's.
OWN: dict[str, str] = {
    "memory.native.project": "house",
    "memory.native.mirror": "off",
    "memory.native.keep_versions": "3",
    "memory.native.curation_interval_turns": "7",
    "plugins.disabled": "tools",
    "plugins.security.signature_mode": "permissive",
    "plugins.security.revoked_publisher_keys": "ab" * 32,
}
# A value for each setting that a person decides; a name stands for its wildcard.
OTHERS: dict[str, str] = {
    "plugins.enabled": "true",
    "plugins.auto_discover": "true",
    "plugins.plugins_dir": "/tmp/elsewhere",
    "plugins.max_plugins": "9",
    "plugins.allow_precompiled": "true",
    "plugins.security.trusted_publisher_keys": "ab" * 32,
    "plugins.entries.x.config.<key>": "text",
    "plugins.entries.x.egress_hosts": "example.org",
    "plugins.entries.x.egress_allow_private": "example.org",
    "channels.plugin.x.package": "tools",
    "channels.plugin.x.enabled": "true",
    "secrets.encrypt": "false",
    "memory.backend": "plugin.tools",
    "memory.provider": "notebook",
    "memory.providers.x.<key>": "text",
    "memory.providers_host.prefetch_timeout_s": "9",
    "memory.providers_host.prefetch_max_chars": "9",
    "memory.providers_host.redact": "false",
    "memory.providers_host.hermes_compat": "true",
    "memory.plugin.durability": "none",
    "memory.native.search_threads": "true",
    "memory.native.protected_paths": "a.md",
    "memory.kernel.default_timeout_ms": "9",
    "memory.kernel.max_cover_characters": "9",
    "memory.kernel.max_wake_characters": "9",
    "memory.kernel.max_views": "9",
    "memory.kernel.automatic_forget": "true",
    "memory.topology.id": "other",
    "memory.topology.strategy_id": "other",
    "memory.topology.layers.x.enabled": "false",
    "memory.topology.layers.x.backend": "native",
    "memory.topology.layers.x.adapter_ids": "native",
}


def value_of(name: str) -> str:
    if name.rpartition(".")[0].endswith("limits"):
        return "99"
    return "off" if ".participation." in name else OTHERS[name]


def settable() -> list[tuple[str, str]]:
    """Every setting of the schema with a value for it."""
    from zeroclaw_cli.config.schema import FIELDS

    found = []
    for field in FIELDS:
        if field.stored:
            name = field.name.replace(".<name>", ".x").replace(".<alias>", ".x").replace(".<id>", ".x")
            found.append((name.replace("<key>", "word"), OWN.get(name) or value_of(name)))
    return found


def test_an_agent_sets_what_is_its_own_and_every_other_setting_is_a_persons(tmp_path: Path) -> None:
    from zeroclaw_cli.config.edit import set_value
    from zeroclaw_cli.config.locations import locate
    from zeroclaw_cli.errors import Refused

    for path, value in settable():
        folder = tmp_path / path.replace(".", "-")
        folder.mkdir()
        file = folder / "config.toml"
        file.write_text('schema_version = 3\n[[plugins.entries]]\nname = "x"\n', "utf-8")
        before = file.read_bytes()
        location, _ = locate(str(folder), {})
        if path in OWN:
            assert set_value(location, AGENT, path, value).changed, path
            continue
        with pytest.raises(Refused) as error:
            set_value(location, AGENT, path, value)
        assert error.value.path is not None, path
        assert file.read_bytes() == before, path


def test_an_agent_overrides_by_environment_only_what_it_may_set(tmp_path: Path) -> None:
    from zeroclaw_cli.config.load import load
    from zeroclaw_cli.errors import Refused

    (tmp_path / "config.toml").write_text('[[plugins.entries]]\nname = "x"\n', "utf-8")
    for path, value in settable():
        env = {f"ZEROCLAW_{path.replace('.', '__')}": value}
        assert load(str(tmp_path), env).overridden, path
        if path in OWN:
            assert load(str(tmp_path), env | AGENT).overridden, path
            continue
        with pytest.raises(Refused):
            load(str(tmp_path), env | AGENT)


def test_an_agent_may_narrow_and_may_repeat_what_is_set(home: Home) -> None:
    home.config_dir.mkdir(mode=0o700)
    home.config_file.write_text(
        'schema_version = 3\n[plugins]\nenabled = true\nallow_precompiled = true\ndisabled = ["a"]\n'
        '[memory]\nbackend = "native"\nprovider = "mine"\n',
        "utf-8",
    )
    changes = [
        {"op": "replace", "path": "/plugins/enabled", "value": False},
        {"op": "replace", "path": "/plugins/allow_precompiled", "value": False},
        {"op": "replace", "path": "/plugins/disabled", "value": ["a", "b"]},
        {"op": "replace", "path": "/memory/provider", "value": "mine"},
    ]
    override = {"ZEROCLAW_memory__backend": "native"}
    home.ok("config", "patch", stdin=json.dumps(changes), env=AGENT | override)
    refused = home.fails(4, "config", "set", "plugins.disabled", "b", "--json", env=AGENT).error()
    assert (refused["code"], refused["path"]) == ("refused", "plugins.disabled")
    assert "requires human approval" in refused["message"]


def test_an_agent_makes_the_policy_stricter_and_never_laxer(home: Home) -> None:
    mode, revoked = "plugins.security.signature_mode", "plugins.security.revoked_publisher_keys"
    one, two = "ab" * 32, "cd" * 32
    home.ok("config", "set", mode, "Strict", env=AGENT)
    home.ok("config", "set", revoked, one, env=AGENT)
    before = home.config_file.read_bytes()
    for words in (["set", mode, "permissive"], ["unset", mode], ["set", revoked, two], ["unset", revoked]):
        assert home.fails(4, "config", *words, "--json", env=AGENT).error()["code"] == "refused"
        assert home.config_file.read_bytes() == before
    home.ok("config", "set", revoked, f"{one},{two}", env=AGENT)
    assert (
        "requires human approval"
        in home.fails(
            4, "plugin", "list", env=AGENT | {"ZEROCLAW_plugins__security__signature_mode": "disabled"}
        ).stderr
    )


def test_an_edit_by_an_agent_is_judged_line_by_line(tmp_path: Path) -> None:
    from zeroclaw_cli.config.edit import replace_text
    from zeroclaw_cli.config.locations import locate
    from zeroclaw_cli.errors import ConfigDamaged, Refused

    before = '[agents]\nname = "x"\n[memory.native]\nkeep_versions = 4\n[plugins.securty]\nsignature_mode = "strict"\n'
    before = f"schema_version = 3\n{before}"
    file = tmp_path / "config.toml"
    file.write_text(before, "utf-8")
    location, _ = locate(str(tmp_path), {})
    for old, new in (
        ('name = "x"', 'name = "y"'),
        ('signature_mode = "strict"', 'signature_mode = "disabled"'),
        ("[plugins.securty]\n", "[plugins.other]\n"),
        ("[memory.native]", "[memory.topology.layers.x]\n[memory.native]"),
    ):
        with pytest.raises(Refused):
            replace_text(location, AGENT, before, before.replace(old, new))
        assert file.read_text("utf-8") == before
    assert replace_text(location, AGENT, before, before.replace("= 4", "= 5 # more")) == (True, ())
    damaged = before + "[[["
    file.write_text(damaged, "utf-8")
    with pytest.raises(ConfigDamaged):
        replace_text(location, AGENT, damaged, before)


# The commands that an agent may not run at all, or not with an option, and those that lead past the layers.
PERSONS = {
    "plugin install",
    "plugin remove",
    "plugin enable",
    "plugin migrate",
    "plugin update",
    "plugin rollback",
    "plugin verify",
    "plugin adopt-data",
    "plugin trust add",
    "plugin trust remove",
    "config migrate",
    "memory import",
    "memory setup",
    "memory trust",
    "memory check",
    "strategy replay",
    "strategy shadow",
    "strategy promote",
    "strategy rollback",
}
WITHIN_LAYERS = {"memory backup", "memory restore"}


def commands_of(group: typer.Typer, path: str = "") -> Iterator[tuple[str, Any]]:
    for command in group.registered_commands:
        yield f"{path}{command.name}", command.callback
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        if inner.typer_instance.registered_callback is not None:
            yield f"{path}{inner.name}", inner.typer_instance.registered_callback.callback
        yield from commands_of(inner.typer_instance, f"{path}{inner.name} ")


def test_every_command_declares_who_may_run_it() -> None:
    from zeroclaw_cli.cli.access import declared
    from zeroclaw_cli.cli.app import build

    found = {name: declared(callback) for name, callback in commands_of(build([]))}
    assert [name for name, who in found.items() if who is None] == []
    assert {name for name, who in found.items() if who == "person"} == PERSONS
    assert {name for name, who in found.items() if who == "within layers"} == WITHIN_LAYERS


def test_an_agent_brings_no_other_code_in(home: Home, tmp_path: Path) -> None:
    source = write_package(tmp_path / "tools", "tools", capabilities=["skill"], wasm_path=None, skills=SKILLS)
    refused = home.fails(4, "plugin", "install", source, "--json", env=AGENT).error()
    assert (refused["code"], "ZEROCLAW_AGENT is set" in refused["message"]) == ("refused", True)
    home.ok("plugin", "install", source, "--dry-run", env=AGENT)
    assert not home.config_dir.exists()


SKILLS = {"greet/SKILL.md": "---\nname: greet\ndescription: Says hello\n---\nHello.\n"}


def test_an_agent_does_not_take_the_data_to_another_configuration(home: Home, tmp_path: Path) -> None:
    home.ok("config", "set", "memory.backend", "layers")
    data = home.config_dir / "data"
    data.mkdir(exist_ok=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "data").symlink_to(data)
    home.ok("memory", "store", "k", "text")
    (data / "plugins").mkdir(exist_ok=True)
    for part in ("memory", "memory/native.db", "plugins"):
        link = tmp_path / part.replace("/", "-") / "data" / part
        link.parent.mkdir(parents=True)
        link.symlink_to(data / part)
    ways: list[tuple[list[str], dict[str, str]]] = [
        ([], {"ZEROCLAW_DATA_DIR": str(data)}),
        (["--config-dir", str(elsewhere)], {}),
        (["--config-dir", str(tmp_path / "memory")], {}),
        (["--config-dir", str(tmp_path / "memory-native.db")], {}),
        (["--config-dir", str(tmp_path / "plugins")], {}),
    ]
    for words, env in ways:
        home.ok(*words, "memory", "count", env=env)
        done = home.fails(4, *words, "memory", "count", "--json", env=AGENT | env)
        assert "requires human approval" in done.error()["message"]
    # A configuration with data of its own is the agent's affair.
    home.ok("--config-dir", tmp_path / "own", "memory", "count", env=AGENT)


WAYS: list[tuple[list[str], dict[str, str], str | None]] = [
    (["plugin", "install", "notes2", "--replace"], {}, None),
    (["plugin", "install", "tools"], {}, None),
    (["plugin", "rollback", "notes"], {}, None),
    (["plugin", "update", "notes"], {}, None),
    (["plugin", "update", "--all", "--allow-downgrade"], {}, None),
    (["plugin", "remove", "notes"], {}, None),
    (["plugin", "remove", "notes", "--purge-data", "--yes"], {}, None),
    (["plugin", "disable", "notes"], {}, None),
    (["plugin", "enable", "notes"], {}, None),
    (["plugin", "migrate"], {}, None),
    (["plugin", "verify", "notes", "--accept"], {}, None),
    (["plugin", "adopt-data", "notes"], {}, None),
    (["plugin", "trust", "add", "ab" * 32], {}, None),
    (["plugin", "trust", "remove", "ab" * 32], {}, None),
    (["config", "set", "plugins.allow_precompiled", "true"], {}, None),
    (["config", "set", "plugins.plugins_dir", "/tmp"], {}, None),
    (["config", "set", "plugins.limits.call_fuel", "5000000000"], {}, None),
    (["config", "unset", "memory.backend"], {}, None),
    (["config", "unset", "memory.topology.layers.notes"], {}, None),
    (["config", "patch"], {}, '[{"op": "remove", "path": "/memory/backend"}]'),
    (["config", "edit"], {"EDITOR": "sed -i s/layers/native/"}, None),
    (["config", "migrate"], {}, None),
    (["memory", "count"], {"ZEROCLAW_memory__backend": "native"}, None),
    (["memory", "count"], {"ZEROCLAW_plugins__plugins_dir": "/tmp"}, None),
    (["memory", "count"], {"ZEROCLAW_plugins__limits__call_fuel": "5000000000"}, None),
    (["memory", "count", "--backend", "native"], {}, None),
    (["memory", "restore", "all.zip"], {}, None),
    (["memory", "backup"], {}, None),
    (["memory", "copy", "--from", "layers", "--to", "native"], {}, None),
    (["memory", "setup", "notebook"], {}, None),
    (["memory", "setup", "notebook", "--as-backend"], {}, None),
    (["memory", "off"], {}, None),
    (["memory", "layers", "enable", "notes", "--automatic"], {}, None),
    (["memory", "layers", "disable", "documents"], {}, None),
    (["strategy", "rollback"], {}, None),
]


@pytest.mark.slow
def test_no_way_leads_an_agent_around_what_a_person_decided(home: Home) -> None:
    home.ok("plugin", "install", package(home.path / "one", "notes", "notes"))
    package(home.path / "two", "notes", "notes", version="0.2.0").rename(home.path / "notes2")
    write_package(home.path / "tools", "tools", capabilities=["skill"], wasm_path=None, skills=SKILLS)
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("memory", "layers", "enable", "notes")
    home.ok("memory", "store", "k", "text", "--layer", "notes")
    home.ok("config", "set", "memory.provider", "notebook")
    config = home.config_file.read_bytes()
    lock = (home.config_dir / "plugins.lock").read_bytes()
    for words, env, stdin in WAYS:
        done = home.run(*words, stdin=stdin, env=AGENT | env)
        assert (done.code, done.stdout) == (4, ""), (words, env, done)
        assert "ZEROCLAW_AGENT is set" in done.stderr, (words, env, done)
        assert home.config_file.read_bytes() == config, words
        assert (home.config_dir / "plugins.lock").read_bytes() == lock, words
    assert home.ok("memory", "get", "k", "--layer", "notes", "--json").json()["content"] == "text"
