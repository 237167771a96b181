from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.config.paths import names_of, resolve, resolve_alias, split_path
from zeroclaw_cli.config.schema import format_path
from zeroclaw_cli.errors import PathNotFound, ValidationFailed

KEY = "zpi1_WyJteS1wbHVnaW4iLCJ0b29sIiwibXktcGx1Z2luIl0"
VALUES: dict[tuple[str, ...], Any] = {
    ("plugins", "entries", "my.one", "name"): "my.one",
    ("plugins", "entries", "my.one", "config", "api-key"): "x",
    ("channels", "plugin", "My-Old", "package"): "p",
    ("memory", "topology", "layers", "epi-sodic", "enabled"): True,
    ("memory", "providers", "x", "old_key"): 1,
}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("plugins.enabled", ("plugins", "enabled")),
        ("plugins.auto-discover", ("plugins", "auto_discover")),
        ("plugins.limits.call-fuel", ("plugins", "limits", "call_fuel")),
        ('plugins."enabled"', ("plugins", "enabled")),
        ("memory.providers_host.redact", ("memory", "providers_host", "redact")),
        ('plugins.entries."my.one".config.k', ("plugins", "entries", "my.one", "config", "k")),
        ("plugins.entries.'my.one'.config.k", ("plugins", "entries", "my.one", "config", "k")),
        ('plugins.entries."my.one".config.api-key', ("plugins", "entries", "my.one", "config", "api-key")),
        ('plugins.entries."my.one".config.new-key', ("plugins", "entries", "my.one", "config", "new_key")),
        ("memory.providers.x.api-url", ("memory", "providers", "x", "api-url")),
        ("memory.providers.x.old-key", ("memory", "providers", "x", "old_key")),
        ('plugins.entries."my.one".config."new-key"', ("plugins", "entries", "my.one", "config", "new-key")),
        ("channels.plugin.My-Old.enabled", ("channels", "plugin", "My-Old", "enabled")),
    ],
)
def test_a_path_names_a_field(text: str, path: tuple[str, ...]) -> None:
    target = resolve(text, VALUES)
    assert target.path == path
    assert target.new_alias is None


@pytest.mark.parametrize("text", ["", ".", "plugins.", ".plugins", "plugins..enabled", 'plugins.""', "plugins.''.a"])
def test_an_empty_segment_is_refused(text: str) -> None:
    with pytest.raises(PathNotFound, match="empty segment"):
        resolve(text, VALUES)


@pytest.mark.parametrize(("text", "reason"), [('plugins."a', "not closed"), ('plugins."a"b', "dot must follow")])
def test_quotes_must_match(text: str, reason: str) -> None:
    with pytest.raises(PathNotFound, match=reason):
        resolve(text, VALUES)


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_formatted_path_splits_into_the_same_names(names: list[str]) -> None:
    assert names_of(format_path(tuple(names))) == tuple(names)


def test_a_split_path_says_what_was_quoted() -> None:
    assert split_path('a."b.c".d') == (("a", False), ("b.c", True), ("d", False))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("plugins.enabledd", "did you mean plugins.enabled"),
        ("plugin.enabled", "did you mean plugins.enabled"),
        ("plugins.security.signatur_mode", "plugins.security.signature_mode"),
        ("signature_mode", "plugins.security.signature_mode"),
        ("Plugins.Enabled", "plugins.enabled"),
        ("channels.telegram.token", "the section is not ours"),
        ("autonomy.level", "the section is not ours"),
        ("gateway.enabled", "the section is not ours"),
        ("plugins", "config list -f plugins"),
        ("plugins.limits", "config list -f plugins.limits"),
        ("plugins.entries", "config list -f plugins.entries"),
        ("memory.topology.layers", "config list -f memory.topology.layers"),
        ("plugins.zzzzzzzz", "config list -f plugins`"),
        ("plugins.entries.zpi1_x.config.k", "instance keys"),
        ('plugins.entries."my.ones".egress_hosts', 'plugins.entries."my.one"'),
        ("channels.plugin.ops.enabled", "config list -f channels.plugin"),
    ],
)
def test_an_unknown_path_says_what_to_try(text: str, hint: str) -> None:
    with pytest.raises(PathNotFound) as caught:
        resolve(text, VALUES)
    assert hint in (caught.value.hint or "")
    assert caught.value.path == text
    assert caught.value.code == "path_not_found"


def test_a_path_through_a_value_says_that_it_is_a_value() -> None:
    with pytest.raises(PathNotFound, match=r"plugins\.enabled is a value"):
        resolve("plugins.enabled.x", VALUES)


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("channels.plugin.ops.enabled", ("channels", "plugin", "ops")),
        ("channels.plugin.a_b2.package", ("channels", "plugin", "a_b2")),
        ("memory.topology.layers.epi-2.enabled", ("memory", "topology", "layers", "epi-2")),
        ("memory.providers.my-one.port", ("memory", "providers", "my-one")),
        (f"plugins.entries.{KEY}.config.k", ("plugins", "entries", KEY)),
    ],
)
def test_a_new_alias_is_made_where_the_path_then_resolves(text: str, alias: tuple[str, ...]) -> None:
    assert resolve(text, VALUES, create=True).new_alias == alias
    with pytest.raises(PathNotFound):
        resolve(text, VALUES)


@pytest.mark.parametrize(
    "text",
    [
        "channels.plugin.a-b.enabled",
        "channels.plugin.A.enabled",
        "channels.plugin._a.enabled",
        "channels.plugin.a__b.enabled",
        f"channels.plugin.{'a' * 64}.enabled",
        "memory.topology.layers.Epi.enabled",
        "memory.providers.UPPER.k",
        f'plugins.entries.{KEY}.config."a\\nb"'.replace("\\n", "\n"),
    ],
)
def test_a_new_alias_follows_the_rules_for_names(text: str) -> None:
    with pytest.raises(ValidationFailed):
        resolve(text, VALUES, create=True)


def test_an_entry_that_is_no_instance_key_is_not_made() -> None:
    with pytest.raises(PathNotFound, match=r"there is no plugins\.entries\.mine"):
        resolve("plugins.entries.mine.config.k", VALUES, create=True)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('plugins.entries."my.one"', ("plugins", "entries", "my.one")),
        ("channels.plugin.My-Old", ("channels", "plugin", "My-Old")),
        ("channels.plugin.other", ("channels", "plugin", "other")),
        ("memory.providers.x", ("memory", "providers", "x")),
        ("plugins.limits", None),
        ("plugins.enabled", None),
        ('plugins.entries."my.one".config', None),
        ('plugins.entries."my.one".config.api-key', None),
    ],
)
def test_a_named_table_can_be_addressed(text: str, path: tuple[str, ...] | None) -> None:
    assert resolve_alias(text) == path
