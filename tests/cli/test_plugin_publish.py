"""``plugin keygen`` and ``plugin sign``, and what strict mode then says."""

from __future__ import annotations

import stat
from pathlib import Path

from tests.support.command import Home
from tests.support.guests import package
from tests.support.packages import PUBLIC, SIGNING_KEY


def test_a_signed_package_of_a_trusted_publisher_runs_under_strict(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path / "src", "notes", "notes")
    public = home.ok("plugin", "keygen", "--out", tmp_path / "key").stdout.strip()
    done = home.ok("plugin", "sign", source, "--key", tmp_path / "key")
    assert done.stdout == f"Signed notes with {public}.\n"
    home.ok("config", "set", "plugins.security.signature_mode", "strict")
    assert home.fails(4, "plugin", "install", source, "--json").error()["code"] == "untrusted_publisher"
    home.ok("plugin", "trust", "add", public)
    home.ok("plugin", "install", source)
    shown = home.ok("plugin", "info", "notes", "--json").json()
    assert shown["signature"] == {"state": "valid", "publisher_key": public, "covers_component": True}
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("memory", "store", "tea", "green", "--backend", "plugin.notes")


def test_a_component_changed_after_signing_is_refused_everywhere(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path / "src", "notes", "notes")
    home.ok("plugin", "sign", source, "--key", "-", stdin=SIGNING_KEY)
    home.ok("plugin", "install", source)
    home.ok("config", "set", "plugins.enabled", "true")
    component = home.config_dir / "plugins" / "notes" / "notes.wasm"
    component.write_bytes(component.read_bytes() + b"\x00\x01\x00")
    for words in (["plugin", "info", "notes"], ["memory", "count", "--backend", "plugin.notes"]):
        assert home.fails(4, *words, "--json").error()["code"] == "digest_mismatch"
    with (source / "notes.wasm").open("ab") as file:
        file.write(b"\x00\x01\x00")
    assert home.fails(4, "plugin", "install", source, "--replace", "--json").error()["code"] == "digest_mismatch"


def test_signing_twice_replaces_the_signature(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path / "src", "notes", "notes")
    once = home.ok("plugin", "sign", source, env={"ZEROCLAW_SIGNING_KEY": SIGNING_KEY}, stdin=None).stdout
    text = (source / "manifest.toml").read_text()
    assert home.ok("plugin", "sign", source, "--key", "-", stdin=SIGNING_KEY).stdout == once
    assert (source / "manifest.toml").read_text() == text
    assert text.count("signature = ") == 1
    assert PUBLIC in text


def test_a_key_is_private_and_never_replaced(home: Home, tmp_path: Path) -> None:
    done = home.ok("plugin", "keygen", "--out", tmp_path / "key", "--public")
    key = tmp_path / "key"
    before = key.read_bytes()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert (tmp_path / "key.pub").read_text() == done.stdout
    assert home.fails(1, "plugin", "keygen", "--out", key, "--json").error()["code"] == "key_exists"
    assert key.read_bytes() == before


def test_a_wrong_key_or_folder_is_said_and_nothing_changes(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path / "src", "notes", "notes")
    before = (source / "manifest.toml").read_bytes()
    assert home.fails(2, "plugin", "sign", source).stderr.startswith("error: no signing key is named")
    assert home.run("plugin", "sign", source, "--key", "-", stdin="nonsense").code == 1
    home.fails(3, "plugin", "sign", tmp_path / "nowhere", "--key", "-", stdin=SIGNING_KEY)
    assert (source / "manifest.toml").read_bytes() == before


def test_another_users_home_is_no_traceback(home: Home) -> None:
    home.ok("plugin", "keygen", "--out", "~/key")
    assert (home.path / "key").is_file()
    home.fails(1, "plugin", "keygen", "--out", "~nobody-here/key")
    home.fails(3, "plugin", "sign", "~nobody-here/p", "--key", "~/key")


def test_an_empty_path_is_not_the_current_directory(home: Home) -> None:
    home.fails(2, "plugin", "sign", "", "--key", "key")
    home.fails(2, "plugin", "keygen", "--out", "")


def test_a_public_key_is_never_taken_as_a_private_one(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path / "src", "notes", "notes")
    home.ok("plugin", "keygen", "--out", tmp_path / "key", "--public")
    done = home.fails(1, "plugin", "sign", source, "--key", tmp_path / "key.pub")
    assert "may be a public key" in done.stderr
    assert "signature" not in (source / "manifest.toml").read_text()
