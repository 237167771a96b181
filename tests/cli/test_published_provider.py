"""A provider that was published for another host runs unchanged, from setup to off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.provider_plugins import write_plugin
from tests.support.published_provider import FILES, INIT, PLUGIN_YAML

# Many processes each: the rules themselves are held by the tests of the rooms below.
pytestmark = pytest.mark.slow

TURN = json.dumps(
    [{"role": "user", "content": "Which tea do I drink?"}, {"role": "assistant", "content": "You drink oolong tea."}]
)


@pytest.fixture
def home(home: Home) -> Home:
    home.config_dir.mkdir(mode=0o700)
    # Where its own host looks for plugins.
    write_plugin(home.config_dir / "plugins", "recollect", INIT, yaml=PLUGIN_YAML, files=FILES)
    home.ok("config", "set", "memory.providers_host.hermes_compat", "true")
    return home


def facts(home: Home, bank: str = "default") -> list[str]:
    path = home.config_dir / "recollect" / f"{bank}.jsonl"
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def test_it_runs_unchanged_from_setup_to_off(home: Home) -> None:
    done = home.ok("memory", "setup", "recollect", "--trust", "now", "--json", env={"RECOLLECT_BANK": "work"})
    body = done.json()
    assert (body["active"], body["available"], body["warnings"]) == (True, True, [])
    assert "Recollect is ready." in done.stderr
    assert home.ok("config", "get", "memory.providers.recollect.bank").stdout == "work\n"

    status = home.ok("memory", "status", "--json")
    provider = status.json()["provider"]
    assert provider["usable"]
    assert provider["values"] == {"bank": "work", "budget": "5", "api_key": "****"}
    assert "rk-0123456789abcdef" not in status.stdout + status.stderr

    home.ok("memory", "store", "tea", "I drink oolong tea", "--category", "user")
    home.ok("memory", "record", "-", "--thread", "t1", "--run", "r1", stdin=TURN)
    assert facts(home, "work") == [
        "[user] I drink oolong tea",
        "user: Which tea do I drink?",
        "assistant: You drink oolong tea.",
    ]

    text = home.ok("memory", "context", "what about oolong?", "--json").json()["provider"]["text"]
    assert text.startswith("<memory-context>\n[System note:")
    assert "- assistant: You drink oolong tea." in text
    assert "oolong tea" in home.ok("memory", "recall", "oolong").stdout

    assert "recollect" in home.ok("--help").stdout
    assert home.ok("recollect", "status").stdout == "bank work: 3 facts\n"
    assert home.ok("recollect", "search", "oolong").stdout.count("oolong") == 2
    assert "Usage: hermes recollect" in home.fails(2, "recollect").stderr

    assert home.ok("memory", "off", "--json").json()["previous"] == "recollect"
    home.fails(2, "recollect", "status")
    home.ok("memory", "store", "coffee", "never")
    assert len(facts(home, "work")) == 3


def test_as_backend_it_is_handed_entries_and_recalls_one_text(home: Home) -> None:
    home.ok("memory", "setup", "recollect", "--trust", "now", "--as-backend")
    stored = home.ok("memory", "store", "tea", "oolong tea", "--json").json()
    assert stored["backend"] == "provider.recollect"
    assert len(stored["warnings"]) == 1
    (entry,) = home.ok("memory", "recall", "oolong", "--json").json()["entries"]
    assert (entry["category"], entry["content"]) == ("recalled", "## Recollect\n- [memory] oolong tea")
    assert home.fails(1, "memory", "list", "--json").error()["code"] == "not_supported"


def test_a_sub_agent_of_it_writes_nothing(home: Home) -> None:
    home.ok("memory", "setup", "recollect", "--trust", "now")
    home.ok("memory", "store", "tea", "oolong", env={"ZEROCLAW_AGENT": "helper"})
    assert not (home.config_dir / "recollect" / "default.jsonl").exists()


def test_without_the_names_of_that_host_the_setting_is_named(home: Home) -> None:
    home.ok("config", "set", "memory.providers_host.hermes_compat", "false")
    error = home.fails(1, "memory", "setup", "recollect", "--trust", "now", "--json").error()
    assert "memory.providers_host.hermes_compat true" in error["hint"]
    assert not (home.config_dir / "recollect.json").exists()


def test_its_check_has_no_error(home: Home) -> None:
    path = home.config_dir / "plugins" / "recollect"
    report = home.run("memory", "check", path, "--trust", "now", "--json").json()
    assert [found["detail"] for found in report["checks"] if found["level"] == "error"] == []


def test_nothing_of_it_lies_outside_of_the_home(home: Home) -> None:
    home.ok("memory", "setup", "recollect", "--trust", "now")
    home.ok("memory", "store", "tea", "oolong")
    assert {path.name for path in Path(home.path).iterdir()} <= {".zeroclaw", ".cache"}
