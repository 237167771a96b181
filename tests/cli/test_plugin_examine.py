"""``plugin check``, ``plugin verify`` and ``plugin trust`` as a person and as a script meet them."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Home
from tests.support.guests import package
from tests.support.packages import SEED, write_package
from zeroclaw_cli.plugins.publisher_keys import public_key_hex

KEY = public_key_hex(SEED)


def test_check_of_a_good_package_passes_and_creates_nothing(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path, "notes", "plain")
    body = home.ok("plugin", "check", source, "--json").json()
    assert set(body) == {"ok", "checks"}
    assert body["ok"] is True
    assert {frozenset(check) for check in body["checks"]} == {frozenset({"id", "ok", "detail", "hint"})}
    assert {"component-format", "component-imports", "component-world"} <= {check["id"] for check in body["checks"]}
    assert all(line.startswith(("ok ", "  ")) for line in home.ok("plugin", "check", source).stdout.splitlines())
    assert not any(home.path.iterdir())


def test_check_names_each_failure_with_a_hint_and_exits_1(home: Home, tmp_path: Path) -> None:
    source = package(tmp_path, "notes", "stale_export", permissions=["config_read"])
    done = home.fails(1, "plugin", "check", source)
    assert "FAILED config-schema: " in done.stdout
    assert "FAILED component-world: " in done.stdout
    assert "recall" in done.stdout
    assert done.stdout.count("hint: ") == 2
    assert "2 of " in done.stderr
    body = home.fails(1, "plugin", "check", source, "--json").json()
    assert [check["id"] for check in body["checks"] if not check["ok"]] == ["config-schema", "component-world"]


def test_check_of_nothing_is_an_error(home: Home) -> None:
    assert home.fails(3, "plugin", "check", "./nowhere", "--json").error()["code"] == "source_not_found"


def test_verify_of_a_good_install(home: Home, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path, "notes", "plain"))
    body = home.ok("plugin", "verify", "--json").json()
    assert set(body) == {"ok", "plugins"}
    (found,) = body["plugins"]
    assert set(found) == {"name", "ok", "signature", "digests", "problems"}
    assert set(found["digests"]) == {"manifest", "component", "skills"}
    assert (found["ok"], found["problems"]) == (True, [])
    assert home.ok("plugin", "verify", "notes").stdout.startswith("ok     notes: unchecked")


def test_verify_finds_changed_bytes_and_accept_takes_them(home: Home, tmp_path: Path) -> None:
    home.ok("plugin", "install", package(tmp_path, "notes", "plain"))
    component = home.config_dir / "plugins" / "notes" / "notes.wasm"
    component.write_bytes((package(tmp_path / "other", "notes", "partial") / "notes.wasm").read_bytes())
    done = home.fails(1, "plugin", "verify")
    assert done.stdout.startswith("FAILED notes\n")
    assert "zeroclaw plugin verify notes --accept" in done.stdout
    home.ok("config", "set", "plugins.enabled", "true")
    refused = home.fails(4, "memory", "list", "--backend", "plugin.notes", "--json")
    assert refused.error()["code"] == "digest_mismatch"
    accepted = home.ok("plugin", "verify", "notes", "--accept")
    assert "notes was recorded in plugins.lock" in accepted.stderr
    home.ok("memory", "list", "--backend", "plugin.notes")


def test_verify_takes_a_name_or_all(home: Home) -> None:
    home.fails(2, "plugin", "verify", "notes", "--all")
    home.fails(3, "plugin", "verify", "notes")
    assert home.ok("plugin", "verify", "--all", "--json").json() == {"ok": True, "plugins": []}
    assert not any(home.path.iterdir())


def test_trust_is_added_listed_and_removed(home: Home) -> None:
    keys = {"trusted", "revoked", "ignored", "changed"}
    assert home.ok("plugin", "trust", "list", "--json").json() == {
        "trusted": [],
        "revoked": [],
        "ignored": [],
        "changed": False,
    }
    added = home.ok("plugin", "trust", "add", KEY.upper())
    assert "signature_mode strict" in added.stderr
    body = home.ok("plugin", "trust", "add", KEY, "--json").json()
    assert set(body) == keys
    assert (body["trusted"], body["changed"]) == ([KEY], False)
    assert home.ok("plugin", "trust", "list").stdout == f"{KEY}\n"
    home.ok("plugin", "trust", "remove", KEY)
    home.fails(3, "plugin", "trust", "remove", KEY)
    assert home.fails(1, "plugin", "trust", "add", "abc", "--json").error()["code"] == "validation_failed"


def test_the_hint_of_an_untrusted_publisher_is_the_command_that_admits_it(home: Home) -> None:
    write_package(home.config_dir / "plugins" / "notes", "notes", signed_by=SEED)
    home.ok("config", "set", "plugins.security.signature_mode", "strict")
    error = home.fails(4, "plugin", "info", "notes", "--json").error()
    assert error["code"] == "untrusted_publisher"
    assert f"zeroclaw plugin trust add {KEY}" in error["hint"]
    home.ok("plugin", "trust", "add", KEY)
    assert home.ok("plugin", "info", "notes", "--json").json()["signature"]["state"] == "valid"
