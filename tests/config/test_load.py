from __future__ import annotations

import os
from pathlib import Path

import pytest

from zeroclaw_cli.config.load import load
from zeroclaw_cli.config.model import (
    ChannelPlugin,
    Config,
    Durability,
    KernelSettings,
    Limits,
    MemoryConfig,
    Mirror,
    NativeSettings,
    PluginsConfig,
    ProvidersHost,
    Security,
    SignatureMode,
)
from zeroclaw_cli.errors import ConfigDamaged, UnknownOverride, ValidationFailed, ValueTypeMismatch

KEY = "ab" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".zeroclaw"
    folder.mkdir()
    return folder


def read(folder: Path, text: str | bytes | None = None, **env: str) -> Config:
    if text is not None:
        (folder / "config.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(None, {"HOME": str(folder.parent), **env})


def test_without_a_file_everything_has_its_default_and_nothing_is_created(tmp_path: Path) -> None:
    config = load(None, {"HOME": str(tmp_path)})
    assert config.plugins == PluginsConfig(plugins_dir=tmp_path / ".zeroclaw" / "plugins")
    assert config.plugins.security == Security()
    assert config.plugins.limits == Limits()
    assert (config.memory.backend, config.memory.provider) == ("native", "")
    assert config.memory.plugin_durability is Durability.JOURNAL
    assert (config.memory.native, config.memory.kernel) == (NativeSettings(), KernelSettings())
    assert config.memory.providers_host == ProvidersHost()
    assert config.encrypt_secrets
    assert config.channels == ()
    assert config.warnings == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ironclaw.memory", "means the built-in store, which needs no provider; it is read as empty"),
        (" IronClaw.Memory ", "means the built-in store"),
        ("memory.disabled", 'is the id of memory.backend = "none" and no provider; it is read as empty'),
    ],
)
def test_the_id_of_what_is_built_in_is_read_as_no_provider_with_one_warning(
    folder: Path, name: str, words: str
) -> None:
    config = read(folder, f'[memory]\nprovider = "{name}"\n')
    assert config.memory.provider == ""
    assert config.values["memory", "provider"] == name
    (warning,) = config.warnings
    assert words in warning
    assert "zeroclaw config unset memory.provider" in warning


def test_a_whole_file_is_read(folder: Path) -> None:
    config = read(
        folder,
        f"""\ufeffschema_version = 3
[plugins]
enabled = true
auto_discover = true
plugins_dir = "~/p"
max_plugins = 7
disabled = ["a"]
allow_precompiled = true
security = {{ signature_mode = "strict", trusted_publisher_keys = ["{KEY}"], revoked_publisher_keys = ["{KEY}"] }}
limits.call_fuel = 5
limits.max_data_mb = 1
[[plugins.entries]]
name = "zpi1_x"
egress_hosts = ["*.example.org"]
egress_allow_private = ["lan.example.org"]
[plugins.entries.config]
token = "enc2:00"
[plugins.entries.limits]
max_memory_mb = 9
[channels.plugin.ops]
package = "chat"
enabled = true
[secrets]
encrypt = false
[memory]
backend = "plugin.notes"
provider = "local"
plugin.durability = "guest"
[memory.native]
project = "p"
mirror = "sync"
search_threads = true
keep_versions = 1
protected_paths = ["x"]
curation_interval_turns = 3
[memory.providers.local]
port = 8080
[memory.providers_host]
prefetch_timeout_s = 2
[memory.kernel]
max_views = 2
[memory.topology.layers.episodic]
enabled = true
""".replace("\n", "\r\n"),
    )
    plugins = config.plugins
    assert (plugins.enabled, plugins.auto_discover, plugins.max_plugins) == (True, True, 7)
    assert (plugins.disabled, plugins.allow_precompiled) == (("a",), True)
    assert plugins.plugins_dir == folder.parent / "p"
    assert plugins.security == Security(SignatureMode.STRICT, (KEY,), (KEY,))
    assert plugins.limits == Limits(call_fuel=5, max_data_mb=1)
    (entry,) = plugins.entries
    assert (entry.name, entry.config, entry.limits) == ("zpi1_x", {"token": "enc2:00"}, {"max_memory_mb": 9})
    assert (entry.egress_hosts, entry.egress_allow_private) == (("*.example.org",), ("lan.example.org",))
    assert config.channels == (ChannelPlugin("ops", "chat", True),)
    assert not config.encrypt_secrets
    memory = config.memory
    assert (memory.backend, memory.provider, memory.plugin_durability) == ("plugin.notes", "local", Durability.GUEST)
    assert memory.native == NativeSettings("p", Mirror.SYNC, True, 1, ("x",), 3)
    assert memory.providers == {"local": {"port": 8080}}
    assert memory.providers_host == ProvidersHost(prefetch_timeout_s=2.0)
    assert memory.kernel == KernelSettings(max_views=2)
    assert memory.topology == {"layers": {"episodic": {"enabled": True}}}
    assert config.warnings == ()


def test_keys_of_the_other_program_are_kept_quiet(folder: Path) -> None:
    config = read(folder, "[autonomy]\nlevel = 3\n[memory]\nauto_save = true\n[channels]\ntelegram = 5\n")
    assert config.warnings == ()
    assert config.malformed == {}


def test_a_value_does_not_show_in_the_repr_of_the_config(folder: Path) -> None:
    text = '[[plugins.entries]]\nname = "k"\nconfig = { a = "hunter2" }\n[memory.providers.x]\nk = "hunter2"\n'
    assert "hunter2" not in repr(read(folder, text))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[plugins\n", "line 1, column 9"),
        ("a = 1\nb = \n", "line 2, column 5"),
        ("a = 1\na = 2\n", "line 2"),
        (b"\xff", "not UTF-8: byte 0"),
        ("a = 1\x00", "line 1"),
        ("a = " + "[" * 100_000, "it nests deeper than can be read"),
        (
            f"[plugins]\nmax_plugins = {2**63}\n",
            "the integer at plugins.max_plugins does not fit in 64 bits (at line 2)",
        ),
        (f"# other\n[x]\ny = [1, {-(2**63) - 1}]\n", "the integer at x.y[1] does not fit in 64 bits (at line 3)"),
        ("a = " + "9" * 5000, "an integer does not fit in 64 bits"),
        ("\ufeff\ufeffa = 1\n", "line 1, column 1"),
    ],
)
def test_a_file_that_does_not_parse_is_damage_with_the_place(folder: Path, text: str | bytes, where: str) -> None:
    with pytest.raises(ConfigDamaged) as caught:
        read(folder, text)
    assert where in caught.value.message
    assert str(folder / "config.toml") in caught.value.message
    assert caught.value.exit_code == 5
    assert caught.value.hint


def test_a_directory_in_place_of_the_file_is_damage(folder: Path) -> None:
    (folder / "config.toml").mkdir()
    with pytest.raises(ConfigDamaged, match="is a directory"):
        read(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[plugins.entries]\nx = 1\n",
            "line 1: plugins.entries must be an array of tables ([[plugins.entries]]), not a table",
        ),
        ("[plugins]\nentries = 3\n", "line 2: plugins.entries must be an array of tables"),
        ("[plugins]\nentries = [3]\n", "line 2: plugins.entries[0] must be a table, not an integer"),
        ("[[plugins.entries]]\n", "line 1: plugins.entries[0] has no name"),
        ("[[plugins.entries]]\nname = 3\n", "line 1: plugins.entries[0] has a name that is an integer"),
        (
            '[[plugins.entries]]\nname = "k"\n[plugins.entries.config]\nvault_index = 0\n',
            "line 4: plugins.entries.k.config.vault_index must be a string, not an integer",
        ),
        ("[plugins]\n\nenabled = 1\n", "line 3: plugins.enabled must be true or false, not an integer"),
        ("plugins = 1\n", "line 1: plugins must be a table, not an integer"),
        ("[plugins]\nlimits = []\n", "line 2: plugins.limits must be a table, not an array"),
        (
            "[plugins]\ndisabled = ['a', 1]\n",
            "line 2: plugins.disabled must be an array of strings, but holds an integer",
        ),
        ("[plugins]\nmax_plugins = 07:32:00\n", "line 2: plugins.max_plugins must be an integer, not a date or time"),
    ],
)
def test_a_type_error_makes_the_section_fall_back_with_a_warning(folder: Path, text: str, message: str) -> None:
    config = read(folder, text + "\n[memory]\nbackend = 'layers'\n")
    (warning,) = config.warnings
    assert message in warning
    assert "the section [plugins] is ignored in this run" in warning
    assert "`zeroclaw config edit`" in warning
    assert message in (config.plugins.malformed or "")
    assert not config.plugins.enabled
    assert config.plugins.entries == ()
    assert config.memory.backend == "layers"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[memory.providers.x]\ny = {}\n", "line 4: memory.providers.x.y nests deeper than 64 levels"),
        ("[memory.topology]\nx = {}\n", "line 3: memory.topology nests deeper than 64 levels"),
    ],
)
def test_a_value_that_nests_deeper_than_is_kept_makes_its_section_malformed(
    folder: Path, text: str, message: str
) -> None:
    config = read(folder, "[memory]\nbackend = 'none'\n" + text.format("[" * 390 + "]" * 390))
    assert message in (config.memory.malformed or "")
    assert config.memory == MemoryConfig(malformed=config.memory.malformed)


def test_a_malformed_memory_section_leaves_the_others(folder: Path) -> None:
    config = read(folder, "[memory]\nbackend = 3\n[plugins]\nenabled = true\n[memory.plugin]\ndurability = 'x'\n")
    assert config.memory.backend == "native"
    assert "memory.backend must be a string" in (config.memory.malformed or "")
    assert config.plugins.enabled


def test_an_unknown_word_makes_its_section_malformed(folder: Path) -> None:
    config = read(folder, "[memory.plugin]\ndurability = 'disk'\n")
    assert "memory.plugin.durability must be one of journal, guest, none, not 'disk'" in config.warnings[0]


def test_the_security_policy_outlives_a_malformed_section(folder: Path) -> None:
    text = (
        f'[plugins]\nenabled = 3\n[plugins.security]\nsignature_mode = "strict"\ntrusted_publisher_keys = ["{KEY}"]\n'
    )
    assert read(folder, text).plugins.security == Security(SignatureMode.STRICT, (KEY,))


def test_a_malformed_security_policy_is_strict(folder: Path) -> None:
    config = read(folder, "[plugins.security]\nsignature_mode = 3\n")
    assert config.plugins.security == Security(SignatureMode.STRICT)


def test_an_unknown_signature_mode_is_strict_with_a_warning(folder: Path) -> None:
    config = read(folder, '[plugins]\nenabled = true\n[plugins.security]\nsignature_mode = "permissive "\n')
    assert config.plugins.security.signature_mode is SignatureMode.STRICT
    assert config.plugins.enabled
    assert "not 'permissive '; strict is used" in config.warnings[0]


@pytest.mark.parametrize("text", ["PERMISSIVE", "Permissive", "permissive"])
def test_a_signature_mode_counts_in_any_case(folder: Path, text: str) -> None:
    config = read(folder, f'[plugins.security]\nsignature_mode = "{text}"\n')
    assert config.plugins.security.signature_mode is SignatureMode.PERMISSIVE
    assert config.warnings == ()
    config = read(folder, "", ZEROCLAW_plugins__security__signature_mode=text)
    assert config.plugins.security.signature_mode is SignatureMode.PERMISSIVE


def test_a_signature_mode_of_any_case_outlives_a_malformed_section(folder: Path) -> None:
    config = read(folder, '[plugins]\nenabled = 3\n[plugins.security]\nsignature_mode = "Permissive"\n')
    assert config.plugins.security.signature_mode is SignatureMode.PERMISSIVE


def test_a_plugins_dir_that_no_system_can_open_is_not_used(folder: Path) -> None:
    config = read(folder, '[plugins]\nenabled = true\nplugins_dir = "/tmp/\\u0000x"\n')
    assert config.plugins.plugins_dir == folder / "plugins"
    assert config.plugins.enabled
    assert "NUL" in config.warnings[0]


@pytest.mark.parametrize("link", [False, True])
def test_a_config_that_is_a_pipe_is_damage_and_is_not_waited_for(folder: Path, link: bool) -> None:
    file = folder / "config.toml"
    os.mkfifo(folder / "pipe" if link else file)
    if link:
        file.symlink_to("pipe")
    with pytest.raises(ConfigDamaged, match="is a pipe, socket or device"):
        read(folder)


@pytest.mark.parametrize("value", [0, -1, 2**62 * 2 - 1])
def test_a_limit_out_of_range_has_its_default_with_a_warning(folder: Path, value: int) -> None:
    config = read(folder, f"[plugins.limits]\nmax_instances = {value}\ncall_fuel = 3\n")
    assert config.plugins.limits == Limits(call_fuel=3)
    assert "plugins.limits.max_instances must be" in config.warnings[0]
    assert "64 is used" in config.warnings[0]


@pytest.mark.parametrize("text", ["markdown", "lucid", "qdrant", "sqlite", "anything", ""])
def test_a_backend_of_any_name_is_loaded_as_typed(folder: Path, text: str) -> None:
    config = read(folder, f"[memory]\nbackend = '{text}'\n")
    assert config.memory.backend == text
    assert config.warnings == ()


def test_a_relative_plugins_dir_is_resolved_with_a_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    config = read(folder, "[plugins]\nplugins_dir = 'p'\n")
    assert config.plugins.plugins_dir == folder.parent / "p"
    assert f"it is {folder.parent / 'p'} from here" in config.warnings[0]


def test_another_users_home_is_not_expanded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    config = read(folder, "[plugins]\nplugins_dir = '~root/p'\n")
    assert config.plugins.plugins_dir == folder / "~root/p"
    assert len(config.warnings) == 1


def test_a_key_that_is_no_publisher_key_is_a_warning(folder: Path) -> None:
    config = read(folder, "[plugins.security]\ntrusted_publisher_keys = ['abc']\n")
    assert config.plugins.security.trusted_publisher_keys == ("abc",)
    assert "'abc' has 3 hex digits instead of 64" in config.warnings[0]


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("name = ''\n", "the name '' is empty"),
        ("name = ' a'\n", "blanks around it"),
        ("name = 'a'\n[[plugins.entries]]\nname = 'a'\n", "more than once"),
        ("name = 'a'\negress_hosts = ['a:80']\n", "'a:80' is not a host name alone"),
        (
            "name = 'a'\negress_hosts = ['a.org']\negress_allow_private = ['b.org']\n",
            "'b.org' is not granted by egress_hosts",
        ),
        ("name = 'a'\negress_hosts = ['*.b.org']\negress_allow_private = ['b.org']\n", "not granted"),
        ("name = 'a'\negress_hosts = ['a.b.org']\negress_allow_private = ['*.b.org']\n", "not granted"),
    ],
)
def test_an_entry_that_breaks_a_rule_is_a_warning(folder: Path, text: str, warning: str) -> None:
    config = read(folder, f"[[plugins.entries]]\n{text}")
    assert warning in config.warnings[0]
    assert config.plugins.malformed is None
    assert len(config.plugins.entries) == 1
    assert config.plugins.entries[0].egress_allow_private == ()


@pytest.mark.parametrize("private", ["a.b.org", "*.a.org", "*.x.b.org", "*.b.org", "A.B.ORG"])
def test_a_private_host_may_be_granted_by_a_suffix(folder: Path, private: str) -> None:
    hosts = "[[plugins.entries]]\nname = 'a'\negress_hosts = ['*.b.org', '*.a.org']\n"
    config = read(folder, f"{hosts}egress_allow_private = ['{private}']\n")
    assert config.plugins.entries[0].egress_allow_private == (private,)
    assert config.warnings == ()


def test_a_channel_without_a_package_is_not_used(folder: Path) -> None:
    config = read(folder, "[channels.plugin.ops]\nenabled = true\n[channels.plugin.b]\npackage = 'x'\n")
    assert config.channels == (ChannelPlugin("b", "x", False),)
    assert "channels.plugin.ops.package is not set" in config.warnings[0]


def test_a_newer_schema_is_read_with_a_warning(folder: Path) -> None:
    config = read(folder, "schema_version = 4\n[plugins]\nenabled = true\n")
    assert config.plugins.enabled
    assert "schema_version 4, newer than 3" in config.warnings[0]


def test_a_schema_version_that_is_no_integer_is_a_warning(folder: Path) -> None:
    assert "schema_version must be an integer" in read(folder, "schema_version = '3'\n").warnings[0]


def test_overrides_win_over_the_file_for_this_run(folder: Path) -> None:
    text = "[plugins]\nenabled = false\n"
    config = read(
        folder,
        text,
        ZEROCLAW_plugins__enabled="true",
        ZEROCLAW_plugins__security__signature_mode="strict",
        ZEROCLAW_plugins__limits__call_fuel="5",
        ZEROCLAW_plugins__disabled="a, b",
        ZEROCLAW_channels__plugin__ops__package="chat",
        ZEROCLAW_memory__topology__layers__epi__enabled="true",
    )
    assert config.plugins.enabled
    assert config.plugins.security.signature_mode is SignatureMode.STRICT
    assert config.plugins.limits.call_fuel == 5
    assert config.plugins.disabled == ("a", "b")
    assert config.channels == (ChannelPlugin("ops", "chat", False),)
    assert config.memory.topology == {"layers": {"epi": {"enabled": True}}}
    assert config.overridden["plugins", "enabled"] == "ZEROCLAW_plugins__enabled"
    assert (folder / "config.toml").read_text() == text


def test_an_override_of_an_existing_entry_is_a_secret_in_memory(folder: Path) -> None:
    config = read(folder, "[[plugins.entries]]\nname = 'mine'\n", ZEROCLAW_plugins__entries__mine__config__k="v")
    assert config.plugins.entries[0].config == {"k": "v"}


def test_an_empty_override_clears_an_optional_field(folder: Path) -> None:
    text = "[memory.native]\ncuration_interval_turns = 3\n"
    assert read(folder, text, ZEROCLAW_memory__native__curation_interval_turns="").memory.native == NativeSettings()


@pytest.mark.parametrize(
    "name",
    [
        "ZEROCLAW_CONFIG_DIR_",
        "ZEROCLAW_Plugins__enabled",
        "ZEROCLAW_AGENT",
        "ZEROCLAW_plugins-x",
        "ZEROCLAW_",
        "zeroclaw_plugins__x",
    ],
)
def test_other_variables_are_no_overrides(folder: Path, name: str) -> None:
    config = read(folder, "", **{name: "x"})
    assert (config.overridden, config.ignored_overrides) == ({}, ())


def test_overrides_of_the_other_program_are_ignored_and_named(folder: Path) -> None:
    config = read(folder, "", ZEROCLAW_autonomy__level="full", ZEROCLAW_channels__telegram__token="x")
    assert config.ignored_overrides == ("ZEROCLAW_autonomy__level", "ZEROCLAW_channels__telegram__token")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ZEROCLAW_plugins__enabeld", "ZEROCLAW_plugins__enabled"),
        ("ZEROCLAW_plugins", "config schema"),
        ("ZEROCLAW_secrets__encrypted", "ZEROCLAW_secrets__encrypt?"),
        ("ZEROCLAW_memory__qqq", "config schema"),
        ("ZEROCLAW_plugins____enabled", ""),
        ("ZEROCLAW_plugins__enabled__", ""),
        ("ZEROCLAW_memory__auto_save", ""),
        ("ZEROCLAW_plugins__entries__nobody__config__k", ""),
        ("ZEROCLAW_channels__plugin", ""),
        ("ZEROCLAW_channels__plugin___x__enabled", ""),
    ],
)
def test_an_unknown_override_of_our_sections_is_an_error(folder: Path, name: str, hint: str) -> None:
    with pytest.raises(UnknownOverride) as caught:
        read(folder, "", **{name: "true"})
    assert name in caught.value.message
    assert hint in (caught.value.hint or "")
    assert f"`unset {name}`" in (caught.value.hint or "")


def test_the_schema_version_cannot_be_overridden(folder: Path) -> None:
    with pytest.raises(UnknownOverride, match="cannot be overridden"):
        read(folder, "", ZEROCLAW_schema_version="3")


def test_a_bad_value_of_an_override_names_the_variable(folder: Path) -> None:
    with pytest.raises(ValueTypeMismatch, match=r"^ZEROCLAW_plugins__enabled: plugins\.enabled: 'yes'"):
        read(folder, "", ZEROCLAW_plugins__enabled="yes")
    with pytest.raises(ValidationFailed, match=r"^ZEROCLAW_plugins__limits__call_fuel: "):
        read(folder, "", ZEROCLAW_plugins__limits__call_fuel="0")


def test_a_backend_of_the_other_program_may_stand_in_the_environment(folder: Path) -> None:
    assert read(folder, "", ZEROCLAW_memory__backend="markdown").memory.backend == "markdown"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads everything")
def test_a_file_that_may_not_be_read_is_an_os_error(folder: Path) -> None:
    (folder / "config.toml").touch(mode=0o000)
    with pytest.raises(PermissionError):
        read(folder)
