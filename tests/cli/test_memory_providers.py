"""The commands about Python providers, without a terminal."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.support.command import Home
from tests.support.provider_plugins import nested, provider_source, write_plugin
from tests.support.setup_providers import API_KEY, DAYS, REGION, asking

REPORT_KEYS = {"name", "usable", "problem", "available", "plugin", "variables", "values", "lacking", "missing"}


def install(home: Home, source: str | None = None, name: str = "asking", **options: object) -> Path:
    home.config_dir.mkdir(mode=0o700, exist_ok=True)
    return write_plugin(nested(home.config_dir), name, source, **options)  # type: ignore[arg-type]


def digest(home: Home, name: str = "asking") -> str:
    (found,) = [one for one in home.ok("memory", "providers", "--json").json()["providers"] if one["name"] == name]
    text = found["trust"]["digest"]
    assert isinstance(text, str)
    return text


def test_a_first_run_lists_the_bundled_provider_and_makes_nothing(home: Home) -> None:
    done = home.ok("memory", "providers")
    assert done.stdout.splitlines()[0].startswith("notebook v1.0.0 — ")
    assert home.ok("memory", "status").stdout.startswith("Backend: native\nProvider: none\n")
    assert not home.config_dir.exists()


def test_listing_runs_no_code_and_shows_the_digest_that_trust_takes(home: Home) -> None:
    marker = home.path / "ran"
    for number in range(20):
        install(home, f"open({str(marker)!r}, 'w')\nraise RuntimeError", f"trap{number}")
    done = home.ok("memory", "providers", "--json")
    listed = done.json()["providers"]
    assert len(listed) == 21
    assert set(listed[0]) == {
        "name", "version", "description", "origin", "directory", "trust", "network", "shadows", "problems", "active",
    }  # fmt: skip
    assert not marker.exists()
    assert f"sha256 {digest(home, 'trap3')}" in home.ok("memory", "providers").stdout


def test_setup_from_options_alone(home: Home) -> None:
    install(home, asking(REGION, DAYS, API_KEY))
    done = home.ok(
        "memory", "setup", "asking", "--set", "region=eu", "--set", "days=3", "--secret-stdin", "api_key",
        "--trust", digest(home), "--yes", "--json",
        stdin="sk-very-secret\n",
    )  # fmt: skip
    body = done.json()
    assert (body["provider"], body["active"], body["backend"]) == ("asking", True, "native")
    assert body["variables"] == ["ASKING_API_KEY"]
    assert "sk-very-secret" not in done.stdout + done.stderr
    assert (home.config_dir / ".env").read_text() == "ASKING_API_KEY=sk-very-secret\n"
    assert stat.S_IMODE((home.config_dir / ".env").stat().st_mode) == 0o600
    assert json.loads((home.config_dir / "asking.json").read_text()) == {"region": "eu", "days": 3}
    assert home.ok("config", "get", "memory.provider").stdout == "asking\n"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("answers.toml", 'region = "eu"\ndays = 3\napi_key = "sk-1234"\n'),
        ("answers.json", '{"region": "eu", "days": 3, "api_key": "sk-1234"}'),
        ("answers", '\n  {"region": "eu", "days": "3", "api_key": "sk-1234"}'),
    ],
)
def test_setup_from_a_file(home: Home, file: str, text: str) -> None:
    install(home, asking(REGION, DAYS, API_KEY))
    (home.path / file).write_text(text)
    home.ok("memory", "setup", "asking", "--answers", home.path / file, "--trust", "now")
    assert json.loads((home.config_dir / "asking.json").read_text()) == {"region": "eu", "days": 3}
    assert (home.config_dir / ".env").read_text() == "ASKING_API_KEY=sk-1234\n"


def test_answers_come_from_stdin_too_and_options_win(home: Home) -> None:
    install(home, asking(REGION, DAYS))
    words = ("memory", "setup", "asking", "--answers", "-", "--set", "days=9", "--trust", "now")
    home.ok(*words, stdin='region = "eu"\ndays = 3\n')
    assert json.loads((home.config_dir / "asking.json").read_text()) == {"region": "eu", "days": 9}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("days = ", "is not TOML, line 1"),
        ("{", "is not JSON, line 1"),
        ("[days]\nx = 1\n", "days must be a text, a number"),
        ("colour = 1\n", "answers: the provider has no field colour"),
        ("days = 99\n", "answers: days must be at most 30"),
        ('days = "sk-secret"\n', "answers: days must be an integer"),
    ],
)
def test_a_file_that_does_not_answer_is_2_and_never_shown(home: Home, text: str, message: str) -> None:
    install(home, asking(DAYS))
    (home.path / "answers").write_text(text)
    done = home.fails(2, "memory", "setup", "asking", "--answers", "answers", "--trust", "now")
    assert message in done.stderr
    assert "sk-secret" not in done.stderr
    assert not (home.config_dir / "config.toml").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "no provider is named"),
        (("nothere",), 3, "nothere"),
        (("asking",), 2, "is not trusted: its code has not been approved"),
        (("asking", "--yes"), 2, "is not trusted: its code has not been approved"),
        (("asking", "--trust", "0" * 64), 4, "is not the one that --trust names"),
        (("asking", "--trust", "maybe"), 2, "--trust takes a SHA-256"),
        (("asking", "--trust", "now"), 2, "api_key is required"),
        (("asking", "--trust", "now", "--set", "api_key=sk-secret"), 2, "api_key is a secret"),
        (("asking", "--trust", "now", "--set", "days"), 2, "--set takes KEY=VALUE"),
        (("asking", "--trust", "now", "--set", "days=1", "--set", "days=2"), 2, "--set names days twice"),
        (("asking", "--trust", "now", "--secret-stdin", "api_key"), 2, "stdin gave no secret"),
        (("asking", "--answers", "-", "--secret-stdin", "api_key"), 2, "both read stdin"),
        (("none", "--as-backend"), 2, "without a provider there is nothing to set"),
    ],
)
def test_what_setup_refuses_changes_nothing(home: Home, words: tuple[str, ...], code: int, message: str) -> None:
    install(home, asking(DAYS, API_KEY))
    done = home.fails(code, "memory", "setup", *words)
    assert message in done.stderr
    assert "sk-secret" not in done.stderr
    assert "hint: " in done.stderr
    left = {path.name for path in home.config_dir.iterdir()} - {"plugins"}
    assert left == set()
    assert {path.name for path in (home.config_dir / "plugins").iterdir()} == {"memory"}


def test_a_failed_save_is_1_and_the_old_provider_stays(home: Home) -> None:
    home.ok("memory", "setup", "notebook")
    install(home, asking(REGION, more="    def save_config(self, values, home):\n        raise OSError('disk')"))
    done = home.fails(1, "memory", "setup", "asking", "--trust", "now", "--json")
    assert done.error()["code"] == "provider_broken"
    assert home.ok("config", "get", "memory.provider").stdout == "notebook\n"


def test_a_provider_that_floods_stdout_leaves_json_alone(home: Home) -> None:
    more = "    def save_config(self, values, home):\n        os.write(1, b'raw noise')\n        print('noise' * 1000)"
    install(home, "print('loading noise')\n" + asking(REGION, more=more))
    assert home.ok("memory", "setup", "asking", "--trust", "now", "--json").json()["active"]
    assert home.ok("memory", "status", "--json").json()["usable"]


def test_trust_approves_the_tree_until_it_changes(home: Home) -> None:
    directory = install(home, provider_source("asking"))
    home.fails(2, "memory", "trust", "asking")
    home.fails(4, "memory", "trust", "asking", "--trust", "0" * 64)
    done = home.ok("memory", "trust", "asking", "--trust", digest(home), "--json")
    assert (done.json()["state"], done.json()["changed"]) == ("trusted", True)
    assert not home.ok("memory", "trust", "asking", "--json").json()["changed"]
    (directory / "more.py").write_text("x = 1\n")
    home.ok("config", "set", "memory.provider", "asking")
    status = home.fails(1, "memory", "status", "--json").json()
    assert status["provider"]["problem"]["code"] == "provider_untrusted"
    assert status["provider"]["plugin"]["trust"]["changed"] == ["added more.py"]


def test_trust_of_a_bundled_provider_is_not_needed_and_of_a_missing_one_is_3(home: Home) -> None:
    assert "needs no approval" in home.ok("memory", "trust", "notebook").stdout
    home.fails(3, "memory", "trust", "asking", "--trust", "now")


def test_off_keeps_settings_and_may_be_repeated(home: Home) -> None:
    install(home, asking(REGION, API_KEY, more=""))
    words = ("memory", "setup", "asking", "--trust", "now", "--secret-stdin", "api_key")
    home.ok(*words, stdin="sk-1")
    done = home.ok("memory", "off")
    assert done.stdout == "asking is off. Its settings, its .env values and its data stay.\n"
    assert home.ok("config", "get", "memory.providers.asking.region").stdout == "us\n"
    assert (home.config_dir / ".env").exists()
    again = home.ok("memory", "off", "--json").json()
    assert again == {"provider": None, "previous": None, "changed": False}


def test_off_on_a_fresh_home_makes_nothing(home: Home) -> None:
    assert home.ok("memory", "off").stdout == "No provider was active.\n"
    assert not home.config_dir.exists()


def test_off_says_when_the_backend_is_a_provider_still(home: Home) -> None:
    home.ok("memory", "setup", "notebook", "--as-backend")
    assert home.ok("config", "get", "memory.backend").stdout == "provider.notebook\n"
    assert "memory.backend is still provider.notebook" in home.ok("memory", "off").stderr


def test_status_is_1_with_an_unusable_provider_and_tells_the_remedy(home: Home) -> None:
    home.ok("config", "set", "memory.provider", "gone")
    done = home.fails(1, "memory", "status")
    assert "Provider: gone, not usable\n" in done.stdout
    assert "  Remedy: " in done.stdout
    body = home.fails(1, "memory", "status", "--json").json()
    assert set(body) == {
        "backend",
        "backend_problem",
        "backend_provider",
        "provider",
        "usable",
        "installed",
        "problems",
        "hints",
    }
    assert set(body["provider"]) == REPORT_KEYS


def test_status_of_a_usable_provider_is_0(home: Home) -> None:
    home.ok("memory", "setup", "notebook", "--set", "recall_limit=9")
    body = home.ok("memory", "status", "--json").json()
    assert set(body["provider"]) == REPORT_KEYS
    assert body["provider"]["values"] == {"keep_turns": "true", "recall_limit": "9"}
    assert "  recall_limit = 9\n" in home.ok("memory", "status").stdout


def test_status_with_another_backend_still_tells_of_the_provider(home: Home) -> None:
    home.ok("memory", "setup", "notebook")
    body = home.fails(1, "memory", "status", "--backend", "none", "--json").json()
    assert (body["backend"], body["provider"]["usable"]) == ("none", True)
    assert any("do not use it" in hint for hint in body["hints"])


def test_check_prints_every_finding_and_is_1_for_an_error(home: Home) -> None:
    directory = write_plugin(home.path / "work", "asking", "x = 1\n")
    done = home.fails(1, "memory", "check", directory)
    assert "error    register: " in done.stdout
    assert done.stdout.splitlines()[-1].startswith("1 error, ")
    body = home.fails(1, "memory", "check", directory, "--json").json()
    assert not body["ok"]
    assert set(body["checks"][0]) == {"id", "ok", "level", "detail", "hint"}
    home.fails(3, "memory", "check", home.path / "nowhere")


def test_a_new_provider_is_made_checked_trusted_set_up_and_has_commands(home: Home) -> None:
    made = home.ok("memory", "new-provider", "my-notes", "--json").json()
    assert made["name"] == "my-notes"
    report = home.ok("memory", "check", made["created"], "--trust", "now", "--json").json()
    assert (report["errors"], report["warnings"]) == (0, 0)
    home.ok("memory", "setup", "my-notes", "--trust", "now")
    assert home.ok("memory", "status", "--json").json()["provider"]["usable"]
    key = home.ok("my-notes", "add", "green tea").stdout.strip()
    assert "green tea" in home.ok("my-notes", "search", "tea").stdout
    home.ok("my-notes", "remove", key)
    assert home.ok("my-notes", "list").stdout == ""
    home.fails(1, "memory", "new-provider", "my-notes")
    home.fails(2, "memory", "new-provider", "builtin")


def test_a_new_provider_elsewhere_is_not_installed(home: Home) -> None:
    home.ok("memory", "new-provider", "mine", "--dir", "work")
    assert (home.path / "work" / "mine" / "plugin.yaml").exists()
    assert not home.config_dir.exists()


def test_the_bundled_commands_follow_the_active_provider(home: Home) -> None:
    home.fails(2, "notebook", "list")
    home.ok("memory", "setup", "notebook")
    assert "no notes yet" in home.ok("notebook", "list").stderr
    assert home.ok("notebook", "path").stdout == f"{home.config_dir}/notebook/notes.db\n"
    assert not (home.config_dir / "notebook" / "notes.db").exists()
    home.fails(1, "notebook", "remove", "gone")
    home.ok("notebook", "add", "tea\x1b[31m", "--key", "k")
    assert "\x1b" not in home.ok("notebook", "list").stdout
    assert home.ok("notebook", "remove", "k").stdout == "removed k\n"
    home.ok("memory", "off")
    home.fails(2, "notebook", "list")
