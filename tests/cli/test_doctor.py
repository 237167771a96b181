"""``zeroclaw doctor``: every part ok, warning or error with a remedy; exit 5 on damage."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.guests import package

# Processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow


@pytest.fixture
def notes(home: Home, tmp_path: Path) -> Home:
    home.ok("plugin", "install", package(tmp_path / "sources", "notes", "notes"))
    home.ok("config", "set", "plugins.enabled", "true")
    home.ok("memory", "store", "tea", "x", "--backend", "plugin.notes")
    return home


def states(home: Home, *words: str, code: int = 0) -> dict[str, str]:
    done = home.fails(code, "doctor", "--json", *words)
    report = done.json()
    assert report["ok"] == (code == 0)
    assert all(set(check) == {"id", "state", "detail", "hint"} for check in report["checks"])
    return {check["id"]: check["state"] for check in report["checks"]}


def test_a_fresh_home_is_sound_and_nothing_is_created(home: Home) -> None:
    assert set(states(home).values()) == {"ok"}
    assert not home.config_dir.exists()


def test_each_part_is_named(notes: Home) -> None:
    assert states(notes) == dict.fromkeys(["engine", "config", "plugins", "journal.notes", "backend", "cache"], "ok")
    shown = notes.ok("doctor").stdout
    assert "journal.notes: 1 record, " in shown
    assert "1 admitted" in shown


def test_a_config_that_others_can_read_is_mended_by_fix(notes: Home) -> None:
    notes.config_file.chmod(0o644)
    assert states(notes)["config.mode"] == "warning"
    assert stat.S_IMODE(notes.config_file.stat().st_mode) == 0o644
    assert "mended" in notes.ok("doctor", "--fix").stdout
    assert stat.S_IMODE(notes.config_file.stat().st_mode) == 0o600
    assert "config.mode" not in states(notes)


def test_a_config_that_does_not_parse_is_damage(notes: Home) -> None:
    notes.config_file.write_text("plugins = [[[\n")
    assert states(notes, code=5)["config"] == "error"
    assert "zeroclaw config edit" in notes.run("doctor").stdout


def journal_check(home: Home, code: int) -> dict[str, str]:
    checks = {check["id"]: check for check in home.fails(code, "doctor", "--json").json()["checks"]}
    found: dict[str, str] = checks["journal.notes"]
    return found


def test_a_plugin_that_no_command_can_open_is_an_error_with_the_way_back(notes: Home, tmp_path: Path) -> None:
    notes.ok("plugin", "install", package(tmp_path / "other", "notes", "trap", version="0.1.1"), "--replace")
    notes.fails(5, "memory", "count", "--backend", "plugin.notes")
    found = journal_check(notes, 5)
    assert (found["state"], "does not replay" in found["detail"]) == ("error", True)
    assert "zeroclaw plugin rollback notes" in found["hint"]
    notes.ok("plugin", "rollback", "notes")
    assert journal_check(notes, 0)["state"] == "ok"


def test_a_plugin_that_carries_out_its_journal_otherwise_is_a_warning(notes: Home, tmp_path: Path) -> None:
    notes.ok("memory", "store", "k", "x", "--agent", "ada", "--backend", "plugin.notes")
    notes.ok("plugin", "install", package(tmp_path / "other", "notes", "plain", version="0.1.1"), "--replace")
    found = journal_check(notes, 0)
    assert (found["state"], "agent 'ada' has another id" in found["detail"]) == ("warning", True)


def test_where_no_version_is_kept_the_way_back_is_to_install_it(notes: Home, tmp_path: Path) -> None:
    notes.ok("memory", "store", "k", "x", "--agent", "ada", "--backend", "plugin.notes")
    notes.ok("plugin", "remove", "notes")
    notes.ok("plugin", "install", package(tmp_path / "other", "notes", "plain", version="0.1.1"))
    found = journal_check(notes, 0)
    assert (found["state"], "rollback" in found["hint"]) == ("warning", False)
    assert "zeroclaw plugin install DIR --replace" in found["hint"]


def test_a_journal_that_is_not_replayed_is_said_to_be_read(notes: Home) -> None:
    notes.ok("config", "set", "plugins.enabled", "false")
    found = journal_check(notes, 0)
    assert (found["state"], found["detail"].endswith("; its records were read and not replayed")) == ("ok", True)


def test_a_damaged_journal_is_damage_and_the_rest_is_still_examined(notes: Home) -> None:
    journal = notes.config_dir / "data" / "plugins" / "notes" / "journal.db"
    journal.write_bytes(b"no database at all" * 100)
    found = states(notes, code=5)
    assert (found["journal.notes"], found["cache"]) == ("error", "ok")


def test_a_skipped_plugin_is_a_warning_with_its_remedy(notes: Home) -> None:
    (notes.config_dir / "plugins" / "notes" / "notes.wasm").unlink()
    done = notes.ok("doctor", "--json").json()
    skipped = [check for check in done["checks"] if check["id"] == "plugins" and check["state"] == "warning"]
    assert len(skipped) == 1
    assert skipped[0]["hint"]


def test_what_an_interrupted_install_left_is_mended_by_fix(notes: Home) -> None:
    left = notes.config_dir / "plugins" / ".staging-0123456789abcdef"
    left.mkdir()
    (left / "manifest.toml").write_text("")
    assert states(notes)["plugins.leftovers"] == "warning"
    notes.ok("doctor", "--fix")
    assert not left.exists()


def test_an_unsafe_cache_is_a_warning(notes: Home, tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "zeroclaw" / "components"
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    done = notes.ok("doctor", "--json", env={"XDG_CACHE_HOME": str(tmp_path / "cache")}).json()
    assert [check["state"] for check in done["checks"] if check["id"] == "cache"] == ["warning"]


def test_what_a_rollback_would_bring_back_is_looked_at(notes: Home, tmp_path: Path) -> None:
    source = tmp_path / "sources" / "notes" / "manifest.toml"
    source.write_text(source.read_text().replace('version = "', 'version = "1'))
    notes.ok("plugin", "update", "notes")
    (kept,) = (notes.config_dir / "plugins" / ".previous").iterdir()
    assert "kept for `zeroclaw plugin rollback`: notes v" in notes.ok("doctor").stdout
    (kept / "package" / "manifest.toml").write_text("name = ")
    assert states(notes, code=5)["plugins.previous"] == "error"
    kept.rename(kept.with_name("notes~" + "0" * 64))
    foreign = kept.with_name(".DS_Store")
    foreign.touch()
    assert states(notes)["plugins.previous"] == "warning"
    assert "mended" in notes.ok("doctor", "--fix").stdout
    assert list(kept.parent.iterdir()) == [foreign]
    assert "plugins.previous" not in states(notes)


def test_what_is_kept_for_a_package_that_is_skipped_stays(notes: Home, tmp_path: Path) -> None:
    source = tmp_path / "sources" / "notes" / "manifest.toml"
    source.write_text(source.read_text().replace('version = "', 'version = "1'))
    notes.ok("plugin", "update", "notes")
    installed = notes.config_dir / "plugins" / "notes" / "notes.wasm"
    component = installed.read_bytes()
    installed.unlink()
    notes.ok("doctor", "--fix")
    installed.write_bytes(component)
    notes.ok("plugin", "rollback", "notes")


def test_a_history_that_cannot_be_read_is_damage(notes: Home) -> None:
    history = notes.config_dir / "data" / "plugins" / "history.toml"
    history.write_text("version = ")
    assert states(notes, code=5)["plugins.history"] == "error"


def test_the_provider_in_use_is_loaded_and_one_that_cannot_be_used_is_an_error_with_a_remedy(home: Home) -> None:
    home.ok("memory", "setup", "notebook", "--yes")
    assert states(home)["provider"] == "ok"
    assert "provider: notebook" in home.ok("doctor").stdout
    home.ok("config", "set", "memory.provider", "nowhere")
    assert states(home, code=1)["provider"] == "error"
    shown = home.run("doctor").stdout.splitlines()
    (place,) = [number for number, line in enumerate(shown) if line.startswith("error    provider: ")]
    assert "nowhere" in shown[place]
    assert shown[place + 1].startswith("         ")


def test_a_provider_that_is_the_backend_is_examined_once(home: Home) -> None:
    home.ok("memory", "setup", "notebook", "--yes")
    home.ok("config", "set", "memory.backend", "provider.notebook")
    assert home.ok("doctor").stdout.count(" provider: notebook") == 1


def test_a_provider_that_prints_and_fails_leaves_the_report_whole(home: Home) -> None:
    folder = home.config_dir / "plugins" / "memory" / "loud"
    home.ok("memory", "new-provider", "loud")
    source = folder / "__init__.py"
    source.write_text(source.read_text() + "\nprint('LOUD')\nraise SystemExit(3)\n")
    home.ok("memory", "trust", "loud", "--trust", "now")
    home.ok("config", "set", "memory.provider", "loud")
    assert states(home, code=1)["provider"] == "error"
    assert "LOUD" in home.run("doctor").stderr
