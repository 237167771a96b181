"""Which publishers' keys count, whichever way they come in: the installed command, a process each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Home
from tests.support.guests import package
from tests.support.packages import PUBLIC, SEED, write_package

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

SKILL = {"greet/SKILL.md": "---\nname: greet\ndescription: Says hello\n---\nHello.\n"}
# Of a published vector, and of small order.
NOBODYS = ("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8", "01" + "00" * 31)
TRUSTED = "plugins.security.trusted_publisher_keys"
REVOKED = "plugins.security.revoked_publisher_keys"


def skill(folder: Path, *, version: str = "1.0.0", signed_by: bytes | None = SEED) -> Path:
    fields: dict[str, Any] = {"capabilities": ["skill"], "wasm_path": None, "version": version}
    return write_package(folder, "greeter", skills=SKILL, signed_by=signed_by, **fields)


def configured(home: Home, text: str) -> bytes:
    home.config_dir.mkdir(mode=0o700, exist_ok=True)
    home.config_file.write_text(f"schema_version = 3\n[plugins.security]\n{text}\n", "utf-8")
    return home.config_file.read_bytes()


def test_a_key_that_anybody_can_sign_with_is_never_trusted(home: Home) -> None:
    before = configured(home, 'signature_mode = "strict"')
    for key in NOBODYS:
        error = home.fails(1, "plugin", "trust", "add", key.upper(), "--json").error()
        assert (error["code"], "anybody can sign with it" in error["message"]) == ("validation_failed", True)
        assert "really signs with" in home.fails(1, "config", "set", TRUSTED, key).stderr
        home.fails(1, "plugin", "list", env={f"ZEROCLAW_{TRUSTED.replace('.', '__')}": key})
    assert home.config_file.read_bytes() == before
    # As version 0.1.0 could write it.
    configured(home, f'signature_mode = "strict"\ntrusted_publisher_keys = ["{NOBODYS[0]}"]')
    skill(home.config_dir / "plugins" / "greeter", signed_by=bytes(range(32)))
    listed = home.ok("plugin", "list", "--json").json()
    assert (listed["plugins"], listed["skipped"][0]["code"]) == ([], "untrusted")
    assert "published test key" in listed["skipped"][0]["reason"]
    assert home.ok("plugin", "trust", "list", "--json").json()["trusted"] == []


def test_nobody_signs_with_a_published_key(home: Home, tmp_path: Path) -> None:
    source = skill(tmp_path / "greeter", signed_by=None)
    before = (source / "manifest.toml").read_bytes()
    published = "302e020100300506032b657004220420" + bytes(range(32)).hex()
    done = home.fails(1, "plugin", "sign", source, "--key", "-", stdin=published)
    assert "anybody can sign with it" in done.stderr
    assert (source / "manifest.toml").read_bytes() == before


def test_a_bad_member_of_a_list_of_keys_leaves_the_file_untouched_whatever_the_door(home: Home) -> None:
    before = configured(home, f'trusted_publisher_keys = ["{PUBLIC}"]')
    editor = home.path / "editor"
    editor.write_text(f'#!/bin/sh\nprintf \'revoked_publisher_keys = ["0x{PUBLIC}"]\\n\' >> "$1"\n', "utf-8")
    editor.chmod(0o755)
    for path in (TRUSTED, REVOKED):
        patch = [{"op": "add", "path": f"/{path.replace('.', '/')}/-", "value": f"0x{PUBLIC}"}]
        home.fails(1, "config", "set", path, f"{'ab' * 32},0x{PUBLIC}")
        home.fails(1, "config", "patch", stdin=json.dumps(patch))
        home.fails(1, "plugin", "list", env={f"ZEROCLAW_{path.replace('.', '__')}": f"0x{PUBLIC}"})
    home.fails(1, "config", "edit", env={"EDITOR": str(editor)})
    assert home.config_file.read_bytes() == before


def test_a_revoked_key_is_shown_as_revoked_and_revokes_with_a_prefix_too(home: Home) -> None:
    lists = f'trusted_publisher_keys = ["{PUBLIC}"]\nrevoked_publisher_keys = ["0x{PUBLIC.upper()}"]'
    configured(home, f'signature_mode = "strict"\n{lists}')
    skill(home.config_dir / "plugins" / "greeter")
    shown = home.ok("plugin", "trust", "list")
    assert shown.stdout == f"{PUBLIC} does not count: the publisher's key is revoked\n"
    listed = home.ok("plugin", "trust", "list", "--json").json()
    assert (listed["trusted"], [item["key"] for item in listed["ignored"]]) == ([], [PUBLIC])
    assert "the publisher's key is revoked" in home.fails(4, "plugin", "info", "greeter").stderr
    home.fails(1, "plugin", "trust", "add", PUBLIC)


def test_an_older_signed_version_in_the_place_of_a_newer_one_is_found(home: Home, tmp_path: Path) -> None:
    configured(home, f'signature_mode = "strict"\ntrusted_publisher_keys = ["{PUBLIC}"]')
    home.ok("plugin", "install", skill(tmp_path / "new", version="2.0.0"))
    installed = home.config_dir / "plugins" / "greeter"
    shutil.rmtree(installed)
    skill(installed, version="1.0.0")
    found = home.fails(1, "plugin", "verify", "--json").json()["plugins"][0]
    assert "stands where the newer v2.0.0" in found["problems"][0]
    assert home.ok("plugin", "list", "--json").json()["skipped"][0]["code"] == "digest-mismatch"
    # Nor does it help to take the entry of the lock away.
    (home.config_dir / "plugins.lock").unlink()
    found = home.fails(1, "plugin", "verify", "--json").json()["plugins"][0]
    assert "stands where the newer v2.0.0" in found["problems"][0]
    home.ok("plugin", "verify", "greeter", "--accept")
    home.ok("plugin", "verify")
    # A newer one that the publisher signed is admitted as before, and what a command of a person puts there is right.
    shutil.rmtree(installed)
    skill(installed, version="3.0.0")
    home.ok("plugin", "verify")
    home.ok("plugin", "install", tmp_path / "new", "--replace")
    home.ok("plugin", "verify")


def test_the_permissive_policy_warns_whenever_a_package_is_loaded(home: Home) -> None:
    configured(home, 'signature_mode = "permissive"')
    home.ok("plugin", "install", package(home.path, "notes", "plain"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("config", "set", "memory.backend", "plugin.notes")
    for words in (["store", "k", "text"], ["recall", "text"], ["count"], ["health"]):
        assert "'notes' is not signed" in home.ok("memory", *words).stderr, words
    assert "'notes' is not signed" in home.ok("plugin", "verify").stderr
    assert "'notes' is not signed" in home.ok("doctor").stdout
    home.ok("config", "set", "memory.backend", "layers")
    home.ok("memory", "layers", "enable", "notes")
    assert "'notes' is not signed" in home.ok("memory", "recall", "text", "--layer", "notes").stderr


def test_a_skipped_package_is_named_and_kept_when_it_is_replaced(home: Home, tmp_path: Path) -> None:
    configured(home, f'signature_mode = "strict"\ntrusted_publisher_keys = ["{PUBLIC}"]')
    installed = home.config_dir / "plugins" / "greeter"
    skill(installed, version="0.9.0", signed_by=None)
    assert "1 skipped: greeter (unsigned)" in home.ok("plugin", "list").stderr
    done = home.ok("plugin", "install", skill(tmp_path / "new"))
    assert f"Replaced {installed}, which was skipped (unsigned), by greeter v1.0.0" in done.stdout
    home.fails(4, "plugin", "rollback", "greeter")
    home.ok("config", "set", "plugins.security.signature_mode", "permissive")
    assert "v0.9.0" in home.ok("plugin", "rollback", "greeter").stdout
    # One that is broken is kept as it is.
    (installed / "manifest.toml").write_text("name = 'greeter'\n[[[", "utf-8")
    done = home.ok("plugin", "install", tmp_path / "new")
    assert "which was skipped (toml)" in done.stdout
    kept = list((home.config_dir / "plugins" / ".previous").glob("greeter~*/package/manifest.toml"))
    assert [path.read_text("utf-8") for path in kept] == ["name = 'greeter'\n[[["]


def test_a_misplaced_signature_and_an_unknown_permission_are_said(home: Home, tmp_path: Path) -> None:
    configured(home, 'signature_mode = "strict"')
    source = skill(tmp_path / "greeter")
    text = (source / "manifest.toml").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("signature", "publisher_key"))]
    signed = [line for line in text.splitlines() if line.startswith(("signature", "publisher_key"))]
    (source / "manifest.toml").write_text("\n".join([*lines, "[extra]", *signed, ""]), "utf-8")
    for command in ("install", "check"):
        done = home.run("plugin", command, source)
        assert "signature stands below [extra]" in done.stdout + done.stderr, command
    (source / "manifest.toml").write_text("\n".join([*lines, 'permissions = ["file_writ"]', ""]), "utf-8")
    hint = home.fails(1, "plugin", "install", source, "--json").error()["hint"]
    assert "file_write (granted)" in hint
    assert "state_read (ignored by this host)" in hint
    assert "write file_write" not in hint
    (source / "manifest.toml").write_text(
        "\n".join([*lines, 'permissions = ["state_read", "state_write"]', ""]), "utf-8"
    )
    assert "config-schema" not in home.fails(4, "plugin", "install", source).stderr
